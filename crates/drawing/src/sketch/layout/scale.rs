//! Scaling of positions to the sizes of nodes.

use super::packing::bounds;

/// Maximum number of nodes that are visited of a row of cells.
const MAX_VISITED: usize = 48;

/// Factor by which positions have to be multiplied so that a share of the nodes overlap no node nearby, with a gap; 1 if all
/// nodes have one position or there is one node. Time is that of a sort.
pub(in crate::sketch) fn fitting_scale(
    positions: &[[f64; 2]],
    sizes: &[[f64; 2]],
    gap: f64,
    share: f64,
) -> f64 {
    let count = positions.len();
    let [low, high] = bounds(positions.iter().map(|&position| (position, [0.0; 2])));
    let [width, height] = [high[0] - low[0], high[1] - low[1]];
    let longest = width.max(height);
    if count < 2 || longest <= 0.0 {
        return 1.0;
    }
    // A cell holds one node on average.
    let cell = (width * height / count as f64)
        .sqrt()
        .max(longest / count as f64);
    let at = |position: &[f64; 2]| {
        [1, 0].map(|axis| ((position[axis] - low[axis]) / cell).floor() as i32)
    };
    let mut cells: Vec<([i32; 2], u32)> = positions
        .iter()
        .enumerate()
        .map(|(node, position)| (at(position), node as u32))
        .collect();
    cells.sort_unstable();
    let mut frees: Vec<f64> = (0..count)
        .filter_map(|node| {
            let [row, column] = at(&positions[node]);
            let rows = (row - 2..=row + 2).map(|row| {
                let first = cells.partition_point(|entry| entry.0 < [row, column - 2]);
                let beside = cells[first..]
                    .iter()
                    .take_while(move |entry| entry.0 <= [row, column + 2]);
                beside.take(MAX_VISITED)
            });
            let near = rows
                .flatten()
                .map(|entry| entry.1 as usize)
                .filter(|&other| other != node);
            let frees = near.map(|other| {
                let part = |axis: usize| {
                    let away = (positions[node][axis] - positions[other][axis]).abs();
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
    // No factor separates nodes with the same position.
    let free = free.max(widest * 1e-3);
    if free > 0.0 { 1.0 / free } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_in_a_row_just_fit() {
        let positions: Vec<[f64; 2]> = (0..50).map(|n| [f64::from(n), 0.0]).collect();
        let found = fitting_scale(&positions, &[[8.0, 100.0]; 50], 2.0, 1.0);
        assert!((found - 10.0).abs() < 1e-9, "{found}");
        assert!((fitting_scale(&[[1.0; 2]; 3], &[[2.0; 2]; 3], 0.0, 1.0) - 1.0).abs() < 1e-12);
        assert!((fitting_scale(&[], &[], 0.0, 1.0) - 1.0).abs() < 1e-12);
    }
}
