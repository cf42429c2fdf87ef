//! Lowering of vertices above round edges onto the surface.
//!
//! The tangent planes at the crossings of a cell meet on its edge if that is sharp. If it is round, with a radius
//! larger than the cell, the surface stays below where they meet, or above it in a round groove. So the function is
//! evaluated at vertices that are far from the mean of their crossings: those of sharp edges stay, since they lie on
//! the surface.

use fibula_core::vector::{Vector, dot, length, scale, sub};
use fibula_eval::Float;

use super::block::{SurfaceCell, shortest_side};
use super::crossings::Roots;
use super::quadric::Vertex;

/// Distance from the mean of its crossings from which on a vertex is evaluated, as a fraction of its box.
const LIFT: f64 = 1.0 / 16.0;
/// Range of distances from the surface, in the same unit, within which a vertex is lowered: farther surfaces belong to
/// other cells.
const AWAY: [f64; 2] = [1.0 / 16.0, 1.0 / 4.0];

/// A vertex far from the mean of its crossings.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiftedVertex {
    /// Numbers of its cell and of the vertex in the block.
    cell: usize,
    vertex: usize,
    at: Vector,
    /// Sum of the normals at its crossings.
    normals: Vector,
    /// Box in which the vertex may be.
    room: [Vector; 2],
    /// Shortest edge of the box.
    size: f64,
}

impl Vertex {
    /// True if the vertex is far from the mean of its crossings, relative to its box.
    #[inline]
    pub(super) fn is_lifted(&self, room: [Vector; 2]) -> bool {
        let lift = dot(self.offset, self.normals);
        let size = shortest_side(room[0], room[1]);
        lift * lift > (LIFT * size).powi(2) * dot(self.normals, self.normals)
    }
}

impl LiftedVertex {
    pub(super) fn new(
        [cell, number]: [usize; 2],
        vertex: &Vertex,
        room: [Vector; 2],
    ) -> LiftedVertex {
        LiftedVertex {
            cell,
            vertex: number,
            at: vertex.at,
            normals: vertex.normals,
            room,
            size: shortest_side(room[0], room[1]),
        }
    }

    /// Returns the first-order offset from the surface to a point with a value and a gradient; `None` if the surface
    /// there faces otherwise than the crossings do.
    fn above(&self, (value, gradient): (f64, Vector)) -> Option<Vector> {
        let step = scale(gradient, value / dot(gradient, gradient));
        (dot(gradient, self.normals) > 0.0).then_some(step)
    }

    /// True if the vertex may move by a step.
    fn may_go(&self, step: Vector) -> bool {
        let [least, most] = AWAY.map(|part| part * self.size);
        let (at, [low, high]) = (sub(self.at, step), self.room);
        (least..most).contains(&length(step))
            && (0..3).all(|axis| (low[axis]..=high[axis]).contains(&at[axis]))
    }
}

/// Lowers vertices (raises them in grooves) by one Newton step each, if that leads nearer to the surface, and marks
/// their cells.
pub(super) fn lower<T: Float>(
    roots: &mut Roots<'_, T>,
    lifted: &[LiftedVertex],
    cells: &mut [SurfaceCell],
    vertices: &mut [Vector],
) {
    if lifted.is_empty() {
        return;
    }
    let found = roots.evaluate(lifted.iter().map(|one| one.at));
    let steps: Vec<(&LiftedVertex, Vector)> = lifted
        .iter()
        .zip(found)
        .filter_map(|(one, found)| Some((one, one.above(found)?)))
        .filter(|(one, step)| one.may_go(*step))
        .collect();
    let found = roots.evaluate(steps.iter().map(|(one, step)| sub(one.at, *step)));
    for ((one, step), found) in steps.iter().zip(found) {
        let rest = one.above(found);
        if rest.is_some_and(|rest| 2.0 * length(rest) < length(*step)) {
            vertices[one.vertex] = sub(one.at, *step);
            cells[one.cell].lowered = true;
        }
    }
}
