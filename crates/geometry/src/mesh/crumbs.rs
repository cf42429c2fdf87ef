//! Crumbs of sharp edges: where an edge is thinner than a cell, a single corner of the grid in its tip has a closed surface of
//! its own beside the rest.
//!
//! Such a shell is left out if the function has one sign from its middle to the rest, so that both are connected. Pieces
//! that are as small but apart stay, and so do those of parts that are all thinner than a cell.

use fibula_core::vector::{Vector, cross, dot, length, sub};
use fibula_eval::{Batch, Code, Settings};
use rustc_hash::FxHashMap;

use super::triangles::TriangleMesh;
use crate::bounds::enclosing;
use crate::union_find::UnionFind;

/// Maximum volume of a crumb and side of the box around it, and maximum distance from its middle to the rest, in cells.
const VOLUME: f64 = 0.05;
const SIDE: f64 = 1.5;
const REACH: f64 = 2.0;
/// Share of the volume from which on small shells are fragments of walls that are not resolved, and stay.
const SHARE: f64 = 1e-3;
/// Maximum number of ways that are tried for a crumb, and crumbs whose ways are tried at once.
const WAYS: usize = 64;
const AT_ONCE: usize = 256;
/// Points between a crumb and the rest at which the sign is determined, without the ends.
const POINTS: usize = 8;

/// A small shell.
struct Crumb {
    /// First vertex, which represents it.
    shell: u32,
    volume: f64,
    middle: Vector,
    /// Vertices of large shells nearby.
    beside: Vec<Vector>,
}

/// Leaves out the crumbs of the mesh of a code with cells of a size. Takes O(n) time for n triangles.
pub(super) fn drop_crumbs(mesh: &mut TriangleMesh, code: &Code, cell: f64) {
    let (shells, mut crumbs) = small_shells(mesh, cell);
    if crumbs.is_empty() {
        return;
    }
    find_beside(mesh, &shells, &mut crumbs, REACH * cell);
    let dropped = crumbs.chunks(AT_ONCE);
    let dropped: Vec<bool> = dropped.flat_map(|some| connected(some, code)).collect();
    let volumes = crumbs.iter().zip(&dropped).filter(|(_, is)| **is);
    let volume: f64 = volumes.map(|(crumb, _)| crumb.volume).sum();
    if !dropped.contains(&true) || volume > SHARE * mesh.volume().abs() {
        return;
    }
    let dropped: FxHashMap<u32, bool> = crumbs.iter().map(|one| one.shell).zip(dropped).collect();
    let stays = |vertex: u32| !dropped.get(&shells[vertex as usize]).unwrap_or(&false);
    let mut numbers = vec![0; shells.len()];
    let mut vertices = Vec::with_capacity(shells.len());
    for (vertex, at) in (0..)
        .zip(mesh.vertices())
        .filter(|(vertex, _)| stays(*vertex))
    {
        numbers[vertex as usize] = vertices.len() as u32;
        vertices.push(*at);
    }
    let triangles = mesh.triangles().iter().filter(|corners| stays(corners[0]));
    let triangles = triangles.map(|corners| corners.map(|corner| numbers[corner as usize]));
    *mesh = TriangleMesh::from_valid(vertices, triangles.collect());
}

/// Returns the shell of each vertex, and the shells that are small enough to be crumbs.
fn small_shells(mesh: &TriangleMesh, cell: f64) -> (Vec<u32>, Vec<Crumb>) {
    let vertices = mesh.vertices();
    let mut sets = UnionFind::new(vertices.len());
    for &[a, b, c] in mesh.triangles() {
        sets.union(a, b);
        sets.union(a, c);
    }
    if sets.sets < 2 {
        return (Vec::new(), Vec::new());
    }
    let shells: Vec<u32> = (0..vertices.len() as u32)
        .map(|vertex| sets.find(vertex))
        .collect();
    let mut boxes = vec![None::<[Vector; 2]>; vertices.len()];
    for (shell, at) in shells.iter().zip(vertices) {
        let own = &mut boxes[*shell as usize];
        *own = Some(own.map_or([*at; 2], |own| enclosing(own, [*at; 2])));
    }
    let is_small =
        |[low, high]: [Vector; 2]| sub(high, low).iter().all(|side| *side <= SIDE * cell);
    let mut volumes = vec![0.0; vertices.len()];
    for (number, &[first, ..]) in mesh.triangles().iter().enumerate() {
        let shell = shells[first as usize];
        if let Some(around) = boxes[shell as usize].filter(|around| is_small(*around)) {
            let [a, b, c] = mesh.corners(number).map(|corner| sub(corner, around[0]));
            volumes[shell as usize] += dot(a, cross(b, c)) / 6.0;
        }
    }
    let crumbs = (0..)
        .zip(boxes)
        .zip(volumes)
        .filter_map(|((shell, around), volume)| {
            let [low, high] = around.filter(|around| is_small(*around))?;
            let is_crumb = f64::abs(volume) <= VOLUME * cell.powi(3);
            is_crumb.then(|| Crumb {
                shell,
                volume,
                middle: [0, 1, 2].map(|axis| f64::midpoint(low[axis], high[axis])),
                beside: Vec::new(),
            })
        });
    let crumbs = crumbs.collect();
    (shells, crumbs)
}

/// Finds the vertices of large shells up to a distance from the middle of each crumb.
fn find_beside(mesh: &TriangleMesh, shells: &[u32], crumbs: &mut [Crumb], reach: f64) {
    let bin = |at: Vector| at.map(|part| (part / reach).floor() as i64);
    // Each crumb is in all bins around its own, so that a vertex looks into one.
    let mut bins: FxHashMap<[i64; 3], Vec<usize>> = FxHashMap::default();
    for (number, crumb) in crumbs.iter().enumerate() {
        let [x, y, z] = bin(crumb.middle);
        for place in 0..27 {
            let at = [x + place % 3 - 1, y + place / 3 % 3 - 1, z + place / 9 - 1];
            bins.entry(at).or_default().push(number);
        }
    }
    let mut is_crumb = vec![false; shells.len()];
    for crumb in &*crumbs {
        is_crumb[crumb.shell as usize] = true;
    }
    for (at, shell) in mesh.vertices().iter().zip(shells) {
        if is_crumb[*shell as usize] {
            continue;
        }
        for number in bins.get(&bin(*at)).into_iter().flatten() {
            let crumb = &mut crumbs[*number];
            if crumb.beside.len() < WAYS && length(sub(*at, crumb.middle)) <= reach {
                crumb.beside.push(*at);
            }
        }
    }
}

/// Returns whether the code has one sign on a straight way from the middle of each crumb to one of the vertices beside it.
fn connected(crumbs: &[Crumb], code: &Code) -> Vec<bool> {
    let share = |step: usize| step as f64 / (POINTS + 1) as f64;
    let points = crumbs.iter().flat_map(|crumb| {
        crumb.beside.iter().flat_map(move |to| {
            let way = sub(*to, crumb.middle);
            (0..=POINTS)
                .map(move |step| [0, 1, 2].map(|axis| crumb.middle[axis] + share(step) * way[axis]))
        })
    });
    let columns = crate::sample::columns(&points.collect::<Vec<_>>());
    let [x, y, z] = columns.each_ref().map(Vec::as_slice);
    let mut values = vec![0.0; x.len()];
    let batch = Batch::<f64>::new(code, 3, Settings::default());
    batch.evaluator().run(&[x, y, z], &[], &mut [&mut values]);
    let has_one_sign = |values: &[f64]| {
        values.iter().all(|value| *value < 0.0) || values.iter().all(|value| *value > 0.0)
    };
    let mut rest = &values[..];
    let mut is_connected = |crumb: &Crumb| {
        let (own, others) = rest.split_at(crumb.beside.len() * (POINTS + 1));
        rest = others;
        own.chunks(POINTS + 1).any(has_one_sign)
    };
    crumbs.iter().map(&mut is_connected).collect()
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
        // A ball of less than a cell, half a cell beside a wall, and a row of such balls alone.
        let wall = "min(max(pos.x, max(abs(pos.y), abs(pos.z)) - 3) , max(length(pos - vec3(0.3, 0.1, 0.1)) - 0.16, -3 - pos.x))";
        assert_eq!(pieces(wall, [[-1.0, -4.0, -4.0], [4.0, 4.0, 4.0]], 0.2), 2);
        let row = "length(vec3(pos.x - round(pos.x), pos.y, pos.z)) - 0.2";
        assert_eq!(pieces(row, [[-3.4, -1.0, -1.0], [3.4, 1.0, 1.0]], 0.21), 7);
    }
}
