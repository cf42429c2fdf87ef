//! Removal of small components: where an edge is thinner than a cell, a single corner of the grid in its tip has a closed surface
//! of its own beside the rest.
//!
//! Such a component is removed if the function has one sign on a straight way from its middle to the rest, so that both are
//! connected, by material or as a void. Components that are as small but apart stay, and so do those of parts that are all
//! thinner than a cell.

use fibula_core::vector::{Vector, add, cross, dot, length, scale, sub};
use fibula_eval::{Batch, Code, Settings};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::triangles::TriangleMesh;
use crate::bounds::enclosing;
use crate::union_find::UnionFind;
use crate::{Cancelled, Watch};

/// Maximum volume of a small component and side of the box around it, and maximum distance from its middle to the rest, in cells.
const VOLUME: f64 = 0.05;
const SIDE: f64 = 1.5;
const REACH: f64 = 2.0;
/// Share of the volume from which on small components are fragments of walls that are not resolved, and stay.
const SHARE: f64 = 1e-3;
/// Maximum number of ways that are tried for a component, and components whose ways are tried at once.
const WAYS: usize = 64;
const AT_ONCE: usize = 64;
/// Points of a way at which the sign is determined: the middle of the component, and some on the way, without its end.
const POINTS: usize = 9;

/// A small component.
struct SmallComponent {
    number: u32,
    /// Negative for a void.
    volume: f64,
    middle: Vector,
    /// Vertices of larger components nearby.
    beside: Vec<Vector>,
}

/// Removes small components that are connected to the rest from the mesh of a code with cells of a size. Takes O(n) time for n
/// triangles, and up to 576 evaluations for each small component. Calls `watch`, which may cancel it.
pub(super) fn remove_small_components(
    mesh: &mut TriangleMesh,
    code: &Code,
    cell: f64,
    watch: &Watch<'_>,
) -> Result<(), Cancelled> {
    let (components, mut small) = small_components(mesh, cell);
    if small.is_empty() {
        return Ok(());
    }
    find_beside(mesh, &components, &mut small, REACH * cell);
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
    let removed: Vec<&SmallComponent> = removed.map(|(one, _)| one).collect();
    let volume: f64 = removed.iter().map(|one| one.volume.abs()).sum();
    if removed.is_empty() || volume > SHARE * mesh.volume().abs() {
        return Ok(());
    }
    let removed: FxHashSet<u32> = removed.iter().map(|one| one.number).collect();
    let stays = |vertex: u32| !removed.contains(&components[vertex as usize]);
    let mut numbers = vec![0; components.len()];
    let mut vertices = Vec::with_capacity(components.len());
    for (vertex, at) in (0..).zip(mesh.vertices()) {
        if stays(vertex) {
            numbers[vertex as usize] = vertices.len() as u32;
            vertices.push(*at);
        }
    }
    let triangles = mesh.triangles().iter();
    let triangles = triangles.filter(|corners| stays(corners[0]));
    let triangles = triangles.map(|corners| corners.map(|corner| numbers[corner as usize]));
    *mesh = TriangleMesh::from_valid(vertices, triangles.collect());
    Ok(())
}

/// Returns the component of each vertex, and those that are small, if there are several.
fn small_components(mesh: &TriangleMesh, cell: f64) -> (Vec<u32>, Vec<SmallComponent>) {
    let vertices = mesh.vertices();
    let mut sets = UnionFind::new(vertices.len());
    for &[a, b, c] in mesh.triangles() {
        sets.union(a, b);
        sets.union(a, c);
    }
    if sets.sets < 2 {
        return (Vec::new(), Vec::new());
    }
    // The representative of a set is its first vertex, which is numbered first.
    let mut components: Vec<u32> = Vec::with_capacity(vertices.len());
    let mut boxes: Vec<[Vector; 2]> = Vec::with_capacity(sets.sets);
    for (vertex, at) in (0..).zip(vertices) {
        let first = sets.find(vertex);
        if first == vertex {
            components.push(boxes.len() as u32);
            boxes.push([*at; 2]);
        } else {
            let component = components[first as usize];
            components.push(component);
            let own = &mut boxes[component as usize];
            *own = enclosing(*own, [*at; 2]);
        }
    }
    let is_small = |[low, high]: [Vector; 2]| {
        let size = sub(high, low);
        size.iter().all(|side| *side <= SIDE * cell)
    };
    // Means of the vertices: inside, also where the middles of the boxes are not.
    let mut sums = vec![([0.0; 3], 0.0); boxes.len()];
    for (at, component) in vertices.iter().zip(&components) {
        let (sum, count) = &mut sums[*component as usize];
        (*sum, *count) = (add(*sum, *at), *count + 1.0);
    }
    let mut volumes = vec![0.0; boxes.len()];
    for (number, &[first, ..]) in mesh.triangles().iter().enumerate() {
        let component = components[first as usize] as usize;
        if is_small(boxes[component]) {
            let low = boxes[component][0];
            let [a, b, c] = mesh.corners(number).map(|corner| sub(corner, low));
            volumes[component] += dot(a, cross(b, c)) / 6.0;
        }
    }
    let all = (0..).zip(boxes.into_iter().zip(volumes));
    let small = all.filter(|(_, (around, volume))| {
        is_small(*around) && f64::abs(*volume) <= VOLUME * cell.powi(3)
    });
    let small = small.map(|(number, (_, volume))| SmallComponent {
        number,
        volume,
        middle: scale(sums[number as usize].0, 1.0 / sums[number as usize].1),
        beside: Vec::new(),
    });
    let small = small.collect();
    (components, small)
}

/// Finds vertices of larger components up to a distance from the middle of each small one.
fn find_beside(mesh: &TriangleMesh, components: &[u32], small: &mut [SmallComponent], reach: f64) {
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
    for (at, component) in mesh.vertices().iter().zip(components) {
        let Some(near) = bins.get(&bin(*at)) else {
            continue;
        };
        if numbers.contains(component) {
            continue;
        }
        for index in near {
            let one = &mut small[*index];
            if one.beside.len() < WAYS && length(sub(*at, one.middle)) <= reach {
                one.beside.push(*at);
            }
        }
    }
}

/// Returns whether the code has the sign of the inside of each component on a straight way from its middle to one of the vertices
/// beside it.
fn are_connected(small: &[SmallComponent], batch: &Batch<f64>) -> Vec<bool> {
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
