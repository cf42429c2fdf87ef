//! Vertices above round edges, lowered onto the surface.
//!
//! The planes that touch the surface where it crosses a cell meet on its edge if that is sharp. If it is round, and rounder than
//! the cell is wide, the surface stays below where they meet, or above it in a round groove. So vertices that are
//! far out of the middle of their crossings are asked about: those of sharp edges stay where they are, since they lie on
//! the surface.

use fibula_core::vector::{Vector, dot, length, scale, sub};
use fibula_eval::Float;

use super::block::{Cell, shortest_side};
use super::crossings::Roots;
use super::quadric::Vertex;

/// How far out of the middle of its crossings a vertex is asked about, as a part of where it may be.
const LIFT: f64 = 1.0 / 16.0;
/// How far from the surface it is then, in the same unit, to be brought there: what is farther is not the surface of this
/// cell.
const AWAY: [f64; 2] = [1.0 / 16.0, 1.0 / 4.0];

/// A vertex far out of the middle of its crossings.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiftedVertex {
    /// The numbers of its cell and of the vertex in the block.
    cell: usize,
    vertex: usize,
    at: Vector,
    /// The sum of the directions at its crossings.
    normals: Vector,
    /// Where it may be.
    room: [Vector; 2],
    /// The shortest side of that.
    size: f64,
}

impl Vertex {
    /// Whether it is far out of the middle of its crossings, where it may be anywhere between two corners.
    #[inline]
    pub(super) fn is_lifted(&self, room: [Vector; 2]) -> bool {
        let lift = dot(self.offset, self.normals);
        let size = shortest_side(room[0], room[1]);
        lift * lift > (LIFT * size).powi(2) * dot(self.normals, self.normals)
    }
}

impl LiftedVertex {
    /// Of a vertex, by the numbers of its cell and of itself, that may be anywhere between two corners.
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

    /// From the surface to a point with a value and a gradient, to first order; nothing if the surface there faces otherwise
    /// than the crossings do.
    fn above(&self, (value, gradient): (f64, Vector)) -> Option<Vector> {
        let step = scale(gradient, value / dot(gradient, gradient));
        (dot(gradient, self.normals) > 0.0).then_some(step)
    }

    /// Whether it may go down by a step.
    fn may_go(&self, step: Vector) -> bool {
        let [least, most] = AWAY.map(|part| part * self.size);
        let (at, [low, high]) = (sub(self.at, step), self.room);
        (least..most).contains(&length(step))
            && (0..3).all(|axis| (low[axis]..=high[axis]).contains(&at[axis]))
    }
}

/// Lowers vertices, in grooves upwards, each by one step along the gradient, if that leads nearer to the surface; and marks
/// their cells.
pub(super) fn lower<T: Float>(
    roots: &mut Roots<'_, T>,
    lifted: &[LiftedVertex],
    cells: &mut [Cell],
    vertices: &mut [Vector],
) {
    if lifted.is_empty() {
        return;
    }
    let found = roots.look(lifted.iter().map(|one| one.at));
    let steps: Vec<(&LiftedVertex, Vector)> = lifted
        .iter()
        .zip(found)
        .filter_map(|(one, found)| Some((one, one.above(found)?)))
        .filter(|(one, step)| one.may_go(*step))
        .collect();
    let found = roots.look(steps.iter().map(|(one, step)| sub(one.at, *step)));
    for ((one, step), found) in steps.iter().zip(found) {
        let rest = one.above(found);
        if rest.is_some_and(|rest| 2.0 * length(rest) < length(*step)) {
            vertices[one.vertex] = sub(one.at, *step);
            cells[one.cell].lowered = true;
        }
    }
}
