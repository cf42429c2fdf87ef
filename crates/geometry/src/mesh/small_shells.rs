//! Removal of small shells: where an edge is thinner than a cell, a single corner of the grid in its tip has a closed surface
//! of its own beside the rest.
//!
//! Such a shell is removed if the function has one sign on a straight way from its middle to the rest, so that both are
//! connected, by material or as a void. Shells that are as small but apart stay, and so do those of parts that are all
//! thinner than a cell.

use fibula_core::vector::{Vector, add, length, scale, sub};
use fibula_eval::{Batch, Code, Settings};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::shells::{Shell, Shells};
use super::triangles::TriangleMesh;
use crate::{Cancelled, Watch};

/// Maximum volume of a small shell and side of the box around it, and maximum distance from its middle to the rest, in cells.
const VOLUME: f64 = 0.05;
const SIDE: f64 = 1.5;
const REACH: f64 = 2.0;
/// Share of the volume from which on small shells are fragments of walls that are not resolved, and stay.
const SHARE: f64 = 1e-3;
/// Maximum number of ways that are tried for a shell, and shells whose ways are tried at once.
const WAYS: usize = 64;
const AT_ONCE: usize = 64;
/// Points of a way at which the sign is determined: the middle of the shell, and some on the way, without its end.
const POINTS: usize = 9;

/// A small shell.
struct SmallShell {
    number: u32,
    /// Negative for a void.
    volume: f64,
    /// Mean of its vertices: inside, also where the middle of its box is not.
    middle: Vector,
    /// Vertices of larger shells nearby.
    beside: Vec<Vector>,
}

/// Removes small shells that are connected to the rest from the mesh of a code with cells of a size. Takes O(n) time for n
/// triangles, and up to 576 evaluations for each small shell. Calls `watch`, which may cancel it.
pub(super) fn remove_small_shells(
    mesh: &mut TriangleMesh,
    code: &Code,
    cell: f64,
    watch: &Watch<'_>,
) -> Result<(), Cancelled> {
    let Some(shells) = Shells::several(mesh) else {
        return Ok(());
    };
    let mut small = small_shells(mesh, &shells, cell);
    if small.is_empty() {
        return Ok(());
    }
    find_beside(mesh, &shells, &mut small, REACH * cell);
    let batch = Batch::<f64>::new(code, 3, Settings::default());
    let connected: Result<Vec<Vec<bool>>, Cancelled> = small
        .par_chunks(AT_ONCE)
        .map(|some| {
            if watch(0, 1).is_break() {
                return Err(Cancelled);
            }
            Ok(are_connected(some, &batch))
        })
        .collect();
    let connected = connected?.concat();
    let removed = small.iter().zip(connected).filter(|(_, is)| *is);
    let removed: Vec<&SmallShell> = removed.map(|(one, _)| one).collect();
    let volume: f64 = removed.iter().map(|one| one.volume.abs()).sum();
    if removed.is_empty() || volume > SHARE * mesh.volume().abs() {
        return Ok(());
    }
    let removed: FxHashSet<u32> = removed.iter().map(|one| one.number).collect();
    mesh.retain(|triangle| !removed.contains(&shells.of_triangles[triangle]));
    Ok(())
}

/// Returns the shells that are small.
fn small_shells(mesh: &TriangleMesh, shells: &Shells, cell: f64) -> Vec<SmallShell> {
    let is_small = |shell: &Shell| {
        let [low, high] = shell.bounds;
        let mut size = sub(high, low).into_iter();
        size.all(|side| side <= SIDE * cell) && shell.volume.abs() <= VOLUME * cell.powi(3)
    };
    let mut sums: FxHashMap<u32, (Vector, f64)> = (0..)
        .zip(&shells.all)
        .filter(|(_, shell)| is_small(shell))
        .map(|(number, _)| (number, ([0.0; 3], 0.0)))
        .collect();
    for (number, shell) in shells.of_triangles.iter().enumerate() {
        if let Some((sum, count)) = sums.get_mut(shell) {
            for at in mesh.corners(number) {
                (*sum, *count) = (add(*sum, at), *count + 1.0);
            }
        }
    }
    let mut small: Vec<SmallShell> = sums
        .into_iter()
        .map(|(number, (sum, count))| SmallShell {
            number,
            volume: shells.all[number as usize].volume,
            middle: scale(sum, 1.0 / count),
            beside: Vec::new(),
        })
        .collect();
    small.sort_unstable_by_key(|one| one.number);
    small
}

/// Finds vertices of larger shells up to a distance from the middle of each small one.
fn find_beside(mesh: &TriangleMesh, shells: &Shells, small: &mut [SmallShell], reach: f64) {
    let bin = |at: Vector| at.map(|part| (part / reach).floor() as i64);
    // Each is in all bins around its own, so that a vertex looks into one.
    let mut bins: FxHashMap<[i64; 3], Vec<usize>> = FxHashMap::default();
    for (index, one) in small.iter().enumerate() {
        let [x, y, z] = bin(one.middle);
        for place in 0..27 {
            let at = [x + place % 3 - 1, y + place / 3 % 3 - 1, z + place / 9 - 1];
            bins.entry(at).or_default().push(index);
        }
    }
    let numbers: FxHashSet<u32> = small.iter().map(|one| one.number).collect();
    let mut is_seen = vec![false; mesh.vertices().len()];
    let large = mesh.triangles().iter().zip(&shells.of_triangles);
    let large = large.filter(|(_, shell)| !numbers.contains(shell));
    for &vertex in large.flat_map(|(corners, _)| corners) {
        if std::mem::replace(&mut is_seen[vertex as usize], true) {
            continue;
        }
        let at = mesh.vertices()[vertex as usize];
        for index in bins.get(&bin(at)).into_iter().flatten() {
            let one = &mut small[*index];
            if one.beside.len() < WAYS && length(sub(at, one.middle)) <= reach {
                one.beside.push(at);
            }
        }
    }
}

/// Returns whether the code has the sign of the inside of each shell on a straight way from its middle to one of the vertices
/// beside it.
fn are_connected(small: &[SmallShell], batch: &Batch<f64>) -> Vec<bool> {
    let points = small.iter().flat_map(|one| {
        one.beside.iter().flat_map(move |to| {
            let way = sub(*to, one.middle);
            (0..POINTS).map(move |step| {
                let share = step as f64 / POINTS as f64;
                [0, 1, 2].map(|axis| one.middle[axis] + share * way[axis])
            })
        })
    });
    let columns = crate::sample::columns(&points.collect::<Vec<_>>());
    let [x, y, z] = columns.each_ref().map(Vec::as_slice);
    let mut values = vec![0.0; x.len()];
    batch.evaluator().run(&[x, y, z], &[], &mut [&mut values]);
    let mut rest = &values[..];
    let mut connected = Vec::with_capacity(small.len());
    for one in small {
        let (own, others) = rest.split_at(one.beside.len() * POINTS);
        rest = others;
        let is_inside = |value: &f64| {
            if one.volume > 0.0 {
                *value < 0.0
            } else {
                *value > 0.0
            }
        };
        connected.push(own.chunks(POINTS).any(|way| way.iter().all(is_inside)));
    }
    connected
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape, mesh};

    fn pieces(text: &str, bounds: [[f64; 3]; 2], cell: f64) -> usize {
        let tape = tape(text);
        let bounds = Bounds::new(bounds[0], bounds[1]).unwrap();
        let settings = MeshSettings::new(bounds, cell);
        let watch = |_, _| ControlFlow::Continue(());
        let meshed = mesh(&Shape::new(&tape).unwrap(), &settings, &watch).unwrap();
        let topology = meshed.mesh.topology();
        assert!(topology.is_closed());
        topology.components
    }

    #[test]
    fn tips_of_sharp_edges_are_no_pieces_and_small_pieces_stay() {
        // A twisted triangle: edges of 60 degrees, across the grid.
        let twisted = "let c = cos(pos.z / 4); let s = sin(pos.z / 4); \
                       let u = pos.x * c + pos.y * s; let v = pos.y * c - pos.x * s; let k = sqrt(0.75) * u; \
                       let f = max(abs(pos.z) - 6, max(max(v, k - v / 2), 0 - k - v / 2) - 2.5); ";
        let around = [[-5.5, -5.5, -6.5], [5.5, 5.5, 6.5]];
        assert_eq!(pieces(&format!("{twisted} f"), around, 0.2), 1);
        // The same as a void.
        let hollow =
            format!("{twisted} max(max(max(abs(pos.x), abs(pos.y)), abs(pos.z)) - 6.3, 0 - f)");
        assert_eq!(pieces(&hollow, [[-7.0; 3], [7.0; 3]], 0.2), 2);
        // A small cube beside a wall, somewhere in a cell: some have a corner of the grid in them.
        let beside = |place: usize| {
            let [x, y, z] =
                [place % 5, place / 5 % 5, place / 25].map(|part| 0.08 + 0.02 * part as f64);
            let cube =
                format!("max(max(abs(pos.x - {x}), abs(pos.y - {y})), abs(pos.z - {z})) - 0.018");
            let text = format!("min(max(pos.x, max(abs(pos.y), abs(pos.z)) - 0.4), {cube})");
            pieces(&text, [[-0.5; 3], [0.5; 3]], 0.1) == 2
        };
        assert!((0..125).any(beside));
        // A row of small balls alone.
        let row = "length(vec3(pos.x - round(pos.x), pos.y, pos.z)) - 0.2";
        assert_eq!(pieces(row, [[-3.4, -1.0, -1.0], [3.4, 1.0, 1.0]], 0.21), 7);
    }
}
