//! How much room nodes have.

use super::pack::bounds;

/// Looks at so many nodes of a crowd.
const CROWD: usize = 48;

/// What places have to be multiplied by, so that a share of the nodes overlap none that is near, `gap` included; 1 if all
/// nodes are at one place or there is one. Time is that of a sort.
pub(in crate::sketch) fn room(
    places: &[[f64; 2]],
    sizes: &[[f64; 2]],
    gap: f64,
    share: f64,
) -> f64 {
    let count = places.len();
    let [low, high] = bounds(places.iter().map(|&place| (place, [0.0; 2])));
    let [width, height] = [high[0] - low[0], high[1] - low[1]];
    let longest = width.max(height);
    if count < 2 || longest <= 0.0 {
        return 1.0;
    }
    // About one node is in each.
    let cell = (width * height / count as f64)
        .sqrt()
        .max(longest / count as f64);
    let at =
        |place: &[f64; 2]| [1, 0].map(|axis| ((place[axis] - low[axis]) / cell).floor() as i32);
    let mut cells: Vec<([i32; 2], u32)> = places
        .iter()
        .enumerate()
        .map(|(node, place)| (at(place), node as u32))
        .collect();
    cells.sort_unstable();
    let mut frees: Vec<f64> = (0..count)
        .filter_map(|node| {
            let [row, column] = at(&places[node]);
            let rows = (row - 2..=row + 2).map(|row| {
                let first = cells.partition_point(|entry| entry.0 < [row, column - 2]);
                let beside = cells[first..]
                    .iter()
                    .take_while(move |entry| entry.0 <= [row, column + 2]);
                beside.take(CROWD)
            });
            let near = rows
                .flatten()
                .map(|entry| entry.1 as usize)
                .filter(|&other| other != node);
            let frees = near.map(|other| {
                let part = |axis: usize| {
                    let away = (places[node][axis] - places[other][axis]).abs();
                    away / (f64::midpoint(sizes[node][axis], sizes[other][axis]) + gap).max(1e-9)
                };
                part(0).max(part(1))
            });
            frees.min_by(f64::total_cmp)
        })
        .collect();
    if frees.is_empty() {
        return 1.0;
    }
    frees.sort_by(f64::total_cmp);
    let free = frees[((1.0 - share) * (frees.len() - 1) as f64) as usize];
    let widest = frees[frees.len() - 1];
    // Of nodes at one place no multiple is apart.
    let free = free.max(widest * 1e-3);
    if free > 0.0 { 1.0 / free } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_in_a_row_just_fit() {
        let places: Vec<[f64; 2]> = (0..50).map(|n| [f64::from(n), 0.0]).collect();
        let found = room(&places, &[[8.0, 100.0]; 50], 2.0, 1.0);
        assert!((found - 10.0).abs() < 1e-9, "{found}");
        assert!((room(&[[1.0; 2]; 3], &[[2.0; 2]; 3], 0.0, 1.0) - 1.0).abs() < 1e-12);
        assert!((room(&[], &[], 0.0, 1.0) - 1.0).abs() < 1e-12);
    }
}
