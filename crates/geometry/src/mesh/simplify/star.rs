//! The star of a vertex (its triangles), and the deviation when the vertex is removed.
//!
//! Projected along their common normal, the triangles around a vertex and those that replace them cover the same
//! polygon once. Their heights above it are piecewise linear, and so is the difference: it is largest in the vertex or
//! where old and new edges cross. Points with the same projection correspond, so this bounds the distance in both
//! directions; the deviation of the old triangles is added where they are.

use fibula_core::vector::{Vector, add, aside, cross, dot, length, scale, sub, unit};

use super::corner_table::{CornerTable, next, previous};
use crate::mesh::triangles::FOLDED;

/// Minimum cosine of the angle between triangles and the common normal.
const STEEP: f64 = 0.05;
/// Triangles whose doubled area is less than this fraction of the square of their longest edge are not made.
const SLENDER: f64 = 0.002;
/// Rounding of cosines, by which triangles are not folded further.
const SAME: f64 = 1e-6;
/// Maximum edges of a vertex, so that no step takes long.
const MOST_EDGES: usize = 24;
/// Cost of a unit of edge length beside the deviation, so that short edges collapse first where all is flat.
const SHORT_FIRST: f64 = 1e-4;

/// The triangles around a vertex.
#[derive(Debug, Default)]
pub(super) struct Star {
    /// Corners of the vertex; the first triangle is the one after the neighbour that the vertex would move to.
    pub(super) fan: Vec<u32>,
    /// Bounds of the new triangles' deviations: those of `fan` without the first and the last.
    pub(super) deviations: Vec<f64>,
    /// The vertex, and its neighbours relative to it.
    middle: Vector,
    around: Vec<Vector>,
    /// Neighbours in the frame of the normal: two coordinates and the height.
    flat: Vec<Vector>,
    /// Deviations of the old triangles.
    old: Vec<f64>,
    neighbours: Vec<u32>,
    /// Neighbours to move to, by a lower bound of the cost.
    targets: Vec<(f64, usize)>,
    found: Vec<f64>,
    /// Two directions across the common normal.
    frame: [Vector; 2],
    /// The neighbour that the vertex moves to.
    target: usize,
}

impl Star {
    /// Finds the cheapest collapse of a vertex with a deviation of at most `tolerance`; the star then begins at the
    /// neighbour that it moves to. Returns the cost, which determines the order.
    pub(super) fn cheapest(
        &mut self,
        vertex: u32,
        corners: &CornerTable,
        places: &[Vector],
        off: &[f64],
        tolerance: f64,
    ) -> Option<f64> {
        if corners.is_fixed(vertex) {
            return None;
        }
        let least_slender = self.project(vertex, corners, places, off)?;
        self.targets.clear();
        for target in 0..self.fan.len() {
            let is_fixed = corners.is_fixed(self.neighbour(corners, target));
            if !is_fixed && let Some((_, _, above)) = self.seen_from(target) {
                let key = above + SHORT_FIRST * length(self.around[target]);
                if above <= tolerance {
                    self.targets.push((key, target));
                }
            }
        }
        self.targets
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, usize)> = None;
        for place in 0..self.targets.len() {
            let (least, target) = self.targets[place];
            if best.is_some_and(|(key, _)| key <= least) {
                break;
            }
            let Some(deviation) = self.deviation(target, least_slender) else {
                continue;
            };
            let key = deviation + SHORT_FIRST * length(self.around[target]);
            let is_better = best.is_none_or(|(known, _)| key < known);
            if deviation <= tolerance && is_better && self.may_move(corners, places, target) {
                best = Some((key, target));
                self.deviations.clone_from(&self.found);
            }
        }
        let (key, target) = best?;
        self.begin_at(target);
        Some(key)
    }

    /// True if a vertex can move to a neighbour with a deviation of at most `tolerance`; the star then begins there.
    pub(super) fn moves_to(
        &mut self,
        vertex: u32,
        to: u32,
        corners: &CornerTable,
        places: &[Vector],
        off: &[f64],
        tolerance: f64,
    ) -> bool {
        if corners.is_fixed(vertex) || corners.is_fixed(to) {
            return false;
        }
        let Some(least_slender) = self.project(vertex, corners, places, off) else {
            return false;
        };
        let found = (0..self.fan.len()).find(|target| self.neighbour(corners, *target) == to);
        let Some(target) = found else {
            return false;
        };
        let deviation = self.deviation(target, least_slender);
        let is_within = deviation.is_some_and(|deviation| deviation <= tolerance);
        if !is_within || !self.may_move(corners, places, target) {
            return false;
        }
        std::mem::swap(&mut self.deviations, &mut self.found);
        self.begin_at(target);
        true
    }

    /// Lets the star begin at the neighbour that the vertex moves to.
    fn begin_at(&mut self, target: usize) {
        self.fan.rotate_left(target);
        self.target = target;
    }

    /// Returns the place in `fan` of the new triangle in which a point relative to the vertex is, as seen along the normal, or
    /// which it is next to.
    pub(super) fn triangle_at(&self, at: Vector) -> usize {
        let count = self.fan.len();
        let flat = |number: usize| self.flat[(self.target + number) % count];
        let [x, y] = self.frame.map(|axis| dot(at, axis));
        let from = flat(0);
        let at = sub([x, y, 0.0], from);
        // The smallest barycentric coordinate is negative outside.
        let least = |number: &usize| {
            let [a, b] = [number, &(number + 1)].map(|number| sub(flat(*number), from));
            let parts = [turn(at, b), turn(a, at)].map(|area| area / turn(a, b));
            parts[0].min(parts[1]).min(1.0 - parts[0] - parts[1])
        };
        let places = (1..count - 1).max_by(|a, b| least(a).total_cmp(&least(b)));
        places.expect("a vertex that is removed has three neighbours or more")
    }

    fn neighbour(&self, corners: &CornerTable, place: usize) -> u32 {
        corners.vertex[next(self.fan[place]) as usize]
    }

    /// Projects the star along the common normal; returns the slenderness of the most slender triangle, or `None` if
    /// one is steep.
    fn project(
        &mut self,
        vertex: u32,
        corners: &CornerTable,
        places: &[Vector],
        off: &[f64],
    ) -> Option<f64> {
        self.fan.clear();
        // The fan of a vertex may be all of the mesh.
        self.fan.extend(corners.fan(vertex).take(MOST_EDGES + 1));
        if self.fan.len() > MOST_EDGES {
            return None;
        }
        let middle = places[vertex as usize];
        self.middle = middle;
        self.around.clear();
        self.old.clear();
        for &corner in &self.fan {
            let at = places[corners.vertex[next(corner) as usize] as usize];
            self.around.push(sub(at, middle));
            self.old.push(off[corner as usize / 3]);
        }
        let count = self.fan.len();
        let areas = (0..count).map(|place| {
            let (a, b) = (self.around[place], self.around[(place + 1) % count]);
            cross(a, b)
        });
        let normal = unit(areas.fold([0.0; 3], add))?;
        let right = unit(cross(aside(normal), normal))?;
        let up = cross(normal, right);
        self.frame = [right, up];
        self.flat.clear();
        let seen = |at: &Vector| [dot(*at, right), dot(*at, up), dot(*at, normal)];
        self.flat.extend(self.around.iter().map(seen));
        let mut slender = f64::INFINITY;
        for place in 0..count {
            let after = (place + 1) % count;
            let (a, b) = (self.around[place], self.around[after]);
            let (c, d) = (self.flat[place], self.flat[after]);
            slender = slender.min(sound([0.0; 3], a, b, turn(c, d))?);
        }
        Some(slender)
    }

    /// Returns the new triangle that contains the vertex as seen from a neighbour, the coordinates along its two edges,
    /// and the height difference.
    fn seen_from(&self, target: usize) -> Option<(usize, [f64; 2], f64)> {
        let count = self.fan.len();
        let from = self.flat[target];
        let back = scale(from, -1.0);
        let mut found = None;
        for place in 1..count - 1 {
            let [a, b] =
                [place, place + 1].map(|place| sub(self.flat[(target + place) % count], from));
            let area = turn(a, b);
            if area <= 0.0 {
                return None;
            }
            let (along_a, along_b) = (turn(back, b), turn(a, back));
            if along_b >= 0.0 && along_a > 0.0 {
                if found.is_some() {
                    return None;
                }
                let share = [along_a / area, along_b / area];
                let height = from[2] + share[0] * a[2] + share[1] * b[2];
                found = Some((place, share, height.abs()));
            }
        }
        found
    }

    /// Returns a bound of the deviation if the vertex moves to a neighbour, and notes that of each new triangle in
    /// `found`; `None` if a new triangle would be steep, or more slender than allowed.
    fn deviation(&mut self, target: usize, least_slender: f64) -> Option<f64> {
        let count = self.fan.len();
        let (within, _, above) = self.seen_from(target)?;
        let place = |number: usize| (target + number) % count;
        let flat = |number: usize| self.flat[place(number)];
        let old = |number: usize| self.old[place(number)];
        let from = flat(0);
        let origin = self.around[target];
        // Of the triangles 1 to count - 2, at these indexes.
        self.found.clear();
        self.found.resize(count, 0.0);
        for number in 1..count - 1 {
            let [a, b] = [number, number + 1].map(|number| self.around[place(number)]);
            let seen = turn(sub(flat(number), from), sub(flat(number + 1), from));
            let slender = sound(origin, a, b, seen)?;
            if slender < SLENDER.min(least_slender) {
                return None;
            }
            let at_target = match number.cmp(&within) {
                std::cmp::Ordering::Less => old(0),
                std::cmp::Ordering::Equal => old(0).max(old(count - 1)),
                std::cmp::Ordering::Greater => old(count - 1),
            };
            let at_others = old(number - 1).max(old(number)).max(old(number + 1));
            self.found[number] = at_target.max(at_others);
        }
        let worst = self.old.iter().copied().fold(0.0, f64::max);
        self.found[within] = self.found[within].max(worst + above);
        // The edge to a neighbour on one side crosses the vertex's edges before it, on the other those behind it.
        for number in 2..count - 1 {
            let edge = sub(flat(number), from);
            let crossed = if number <= within {
                1..number
            } else {
                number + 1..count
            };
            for other in crossed {
                let (along, spoke) = (crossing(from, edge, flat(other))?, flat(other));
                let [on_edge, on_spoke] = along;
                let height = from[2] + on_edge * edge[2] - on_spoke * spoke[2];
                let off = old(other - 1).max(old(other)) + height.abs();
                for triangle in [number - 1, number] {
                    self.found[triangle] = self.found[triangle].max(off);
                }
            }
        }
        self.found.truncate(count - 1);
        self.found.drain(..1);
        Some(self.found.iter().copied().fold(0.0, f64::max))
    }

    /// True if the collapse keeps the topology: the new edges do not exist already (the link condition of Dey,
    /// Edelsbrunner, Guha and Nekhayev), and the rest is no triangle with two sides; and if no triangles are folded further.
    fn may_move(&mut self, corners: &CornerTable, places: &[Vector], target: usize) -> bool {
        let count = self.fan.len();
        let to = self.neighbour(corners, target);
        if count == 3 {
            return corners.fan(to).nth(3).is_some() && self.is_unfolded(corners, places, target);
        }
        let most = MOST_EDGES + 4 - count;
        let fan = corners.fan(to).take(most + 1);
        self.neighbours.clear();
        self.neighbours
            .extend(fan.map(|corner| corners.vertex[previous(corner) as usize]));
        if self.neighbours.len() > most {
            return false;
        }
        (2..count - 1).all(|number| {
            let other = self.neighbour(corners, (target + number) % count);
            !self.neighbours.contains(&other)
        }) && self.is_unfolded(corners, places, target)
    }

    /// True if no new triangles are folded onto each other or their neighbours, or none by more than one of the old ones was.
    fn is_unfolded(&self, corners: &CornerTable, places: &[Vector], target: usize) -> bool {
        let count = self.fan.len();
        let place = |number: usize| (target + number) % count;
        let rim = |number: usize| self.around[place(number)];
        let outside = |number: usize| {
            let over = corners.opposite(self.fan[place(number)]);
            let tip =
                over.map(|over| sub(places[corners.vertex[over as usize] as usize], self.middle));
            tip.and_then(|tip| normal(rim(number + 1), rim(number), tip))
        };
        let cosine = |pair: [Option<Vector>; 2]| match pair {
            [Some(one), Some(other)] => dot(one, other),
            _ => f64::INFINITY,
        };
        let new = |number: usize| normal(rim(0), rim(number), rim(number + 1));
        let inner = (1..count - 2).map(|number| [new(number), new(number + 1)]);
        let outer = (1..count - 1).map(|number| [new(number), outside(number)]);
        let ends = [[new(1), outside(0)], [new(count - 2), outside(count - 1)]];
        let after = inner
            .chain(outer)
            .chain(ends)
            .map(cosine)
            .fold(f64::INFINITY, f64::min);
        if after >= FOLDED {
            return true;
        }
        let old = |number: usize| normal([0.0; 3], rim(number), rim(number + 1));
        let pairs = (0..count).flat_map(|number| {
            [
                [old(number), old(number + 1)],
                [old(number), outside(number)],
            ]
        });
        let before = pairs.map(cosine).fold(f64::INFINITY, f64::min);
        after >= before - SAME
    }
}

/// Returns the slenderness of a triangle with this projected doubled area; `None` if it is steep or has no area.
fn sound(a: Vector, b: Vector, c: Vector, seen: f64) -> Option<f64> {
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let doubled = length(cross(ab, ac));
    let longest = dot(ab, ab).max(dot(ac, ac)).max(dot(bc, bc));
    (seen > STEEP * doubled && doubled > 0.0).then(|| doubled / longest)
}

fn normal(a: Vector, b: Vector, c: Vector) -> Option<Vector> {
    unit(cross(sub(b, a), sub(c, a)))
}

/// Returns twice the signed area between two directions, projected along the normal.
fn turn(a: Vector, b: Vector) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Returns the intersection of an edge from a point with a spoke from the origin, as fractions of both.
fn crossing(from: Vector, edge: Vector, spoke: Vector) -> Option<[f64; 2]> {
    let across = turn(spoke, edge);
    let on_spoke = (turn(from, edge) / across).clamp(0.0, 1.0);
    let at = [on_spoke * spoke[0] - from[0], on_spoke * spoke[1] - from[1]];
    let square = edge[0] * edge[0] + edge[1] * edge[1];
    let on_edge = ((at[0] * edge[0] + at[1] * edge[1]) / square).clamp(0.0, 1.0);
    (on_spoke.is_finite() && on_edge.is_finite()).then_some([on_edge, on_spoke])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TriangleMesh;

    #[test]
    fn no_more_is_looked_at_of_vertices_with_many_edges_than_says_so() {
        // Two hubs, above and below a ring.
        const RING: u32 = 1_000;
        let rim = (0..RING).map(|place| {
            let (s, c) = (std::f64::consts::TAU * f64::from(place) / f64::from(RING)).sin_cos();
            [c, s, 0.0]
        });
        let vertices = rim.chain([[0.0, 0.0, 0.3], [0.0, 0.0, -0.3]]).collect();
        let sides = (0..RING).map(|place| (place, (place + 1) % RING));
        let triangles = sides.flat_map(|(a, b)| [[RING, a, b], [RING + 1, b, a]]);
        let mesh = TriangleMesh::new(vertices, triangles.collect()).unwrap();
        let corners = CornerTable::new(&mesh, || Ok(())).unwrap();
        let off = vec![0.0; mesh.triangles().len()];
        let mut star = Star::default();
        let mut cheapest =
            |vertex| star.cheapest(vertex, &corners, mesh.vertices(), &off, f64::INFINITY);
        assert_eq!(cheapest(RING), None);
        // A vertex of the ring moves to its neighbour there, and could not move to a hub.
        assert!(cheapest(0).is_some());
        assert_eq!(star.fan.len(), 4);
        for target in 0..4 {
            let is_hub = star.neighbour(&corners, target) >= RING;
            assert!(!(is_hub && star.may_move(&corners, mesh.vertices(), target)));
        }
        assert!(star.neighbours.len() <= MOST_EDGES + 4);
        star.cheapest(RING, &corners, mesh.vertices(), &off, f64::INFINITY);
        assert!(star.fan.len() <= MOST_EDGES + 1);
    }

    #[test]
    fn no_vertex_moves_where_that_folds_triangles() {
        // A square pyramid on a pit: flattened, it lies on the sides of a pit that is flat, too.
        let may_move = |depth: f64| {
            let ring = [
                [1.0, -1.0, 0.0],
                [1.0, 1.0, 0.0],
                [-1.0, 1.0, 0.0],
                [-1.0, -1.0, 0.0],
            ];
            let ends = [[0.0, 0.0, 0.5], [-0.9, 0.0, -depth]];
            let sides = (0..4).map(|place| (place, (place + 1) % 4));
            let triangles = sides.flat_map(|(a, b)| [[4, a, b], [5, b, a]]).collect();
            let mesh = TriangleMesh::new([&ring[..], &ends].concat(), triangles).unwrap();
            let corners = CornerTable::new(&mesh, || Ok(())).unwrap();
            let off = vec![0.0; mesh.triangles().len()];
            let mut star = Star::default();
            star.project(4, &corners, mesh.vertices(), &off).unwrap();
            [0, 1, 2, 3].map(|target| star.may_move(&corners, mesh.vertices(), target))
        };
        assert_eq!(may_move(1.0), [true; 4]);
        assert_eq!(may_move(0.05), [false; 4]);
    }
}
