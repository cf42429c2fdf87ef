//! The triangles around a vertex, and how far the surface moves when it is taken away.
//!
//! Seen along their common normal, the triangles around a vertex and those that replace them cover the same polygon
//! once. Their heights above it are linear in pieces, and so is the difference: it is largest in the vertex or where an
//! edge of the ones crosses an edge of the others. Points that lie above each other correspond, so this bounds the
//! distance in both directions; what the old triangles were off before is added where they are.

use fibula_core::vector::{Vector, add, aside, cross, dot, length, scale, sub, unit};

use super::corner_table::{CornerTable, next, previous};

/// Triangles that are steeper against the common normal are not looked at: the cosine.
const STEEP: f64 = 0.05;
/// Triangles whose doubled area is less than this part of the square of their longest edge are not made.
const SLENDER: f64 = 0.002;
/// The most edges of a vertex, so that no step takes long.
const MOST_EDGES: usize = 24;
/// What a unit of length of the edge costs beside the deviation, so that short edges go first where all is flat.
const SHORT_FIRST: f64 = 1e-4;

/// The triangles around a vertex.
#[derive(Debug, Default)]
pub(super) struct Star {
    /// The corners of the vertex; the first triangle is the one behind the neighbour that the vertex would move to.
    pub(super) fan: Vec<u32>,
    /// How far off the new triangles are at most: those of `fan` without the first and the last.
    pub(super) deviations: Vec<f64>,
    /// The neighbours as seen from the vertex.
    around: Vec<Vector>,
    /// The same along the normal: two coordinates and the height.
    flat: Vec<Vector>,
    /// How far off the old triangles are.
    old: Vec<f64>,
    neighbours: Vec<u32>,
    /// Neighbours to move to, by a lower bound of the key.
    targets: Vec<(f64, usize)>,
    found: Vec<f64>,
}

impl Star {
    /// The cheapest way to take a vertex away that is off by no more than `tolerance`; afterwards the star begins at the
    /// neighbour that it moves to. Gives what it costs, which decides about the order.
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
        let least_slender = self.look(vertex, corners, places, off)?;
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
            if deviation <= tolerance && is_better && self.may_move(corners, target) {
                best = Some((key, target));
                self.deviations.clone_from(&self.found);
            }
        }
        let (key, target) = best?;
        self.fan.rotate_left(target);
        Some(key)
    }

    fn neighbour(&self, corners: &CornerTable, place: usize) -> u32 {
        corners.vertex[next(self.fan[place]) as usize]
    }

    /// Looks along the common normal; gives how slender the most slender triangle is, if it is seen from this side.
    fn look(
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

    /// Seen from a neighbour, in which new triangle the vertex is, how far along its two edges, and how far below or above.
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

    /// How far off the surface is at most if the vertex moves to a neighbour; what each new triangle is off is in `found`.
    /// None if a new triangle would be steep, or more slender than it may.
    fn deviation(&mut self, target: usize, least_slender: f64) -> Option<f64> {
        let count = self.fan.len();
        let (within, _, above) = self.seen_from(target)?;
        let place = |number: usize| (target + number) % count;
        let flat = |number: usize| self.flat[place(number)];
        let old = |number: usize| self.old[place(number)];
        let from = flat(0);
        let origin = self.around[target];
        // Of the triangles 1 to count - 2, at these places.
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
        // The edge to a neighbour on one side crosses the edges of the vertex before it, on the other those behind it.
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

    /// Whether the surface is of the same kind afterwards: the edges that would come are not there already (the link
    /// condition of Dey, Edelsbrunner, Guha and Nekhayev), and what is left is no triangle with two sides.
    fn may_move(&mut self, corners: &CornerTable, target: usize) -> bool {
        let count = self.fan.len();
        let to = self.neighbour(corners, target);
        if count == 3 {
            return corners.fan(to).nth(3).is_some();
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
        })
    }
}

/// How slender a triangle is, of which this much doubled area is seen; none if it is steep or has no area.
fn sound(a: Vector, b: Vector, c: Vector, seen: f64) -> Option<f64> {
    let (ab, ac, bc) = (sub(b, a), sub(c, a), sub(c, b));
    let doubled = length(cross(ab, ac));
    let longest = dot(ab, ab).max(dot(ac, ac)).max(dot(bc, bc));
    (seen > STEEP * doubled && doubled > 0.0).then(|| doubled / longest)
}

/// Twice the area between two directions, as seen along the normal.
fn turn(a: Vector, b: Vector) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Where an edge from a place crosses a spoke from the origin: how far along both.
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
        // One of the ring goes to its neighbour there, and could not go to a hub.
        assert!(cheapest(0).is_some());
        assert_eq!(star.fan.len(), 4);
        for target in 0..4 {
            let is_hub = star.neighbour(&corners, target) >= RING;
            assert!(!(is_hub && star.may_move(&corners, target)));
        }
        assert!(star.neighbours.len() <= MOST_EDGES + 4);
        star.cheapest(RING, &corners, mesh.vertices(), &off, f64::INFINITY);
        assert!(star.fan.len() <= MOST_EDGES + 1);
    }
}
