//! Walls that narrow: to a feather edge, where both sides meet, or to a place where they end.
//!
//! Beside a wall whose sides are not parallel there is a thinner one, straight towards the edge in which the two sides
//! would meet. Steps towards it, on the function itself, lead to the edge if there is one: its thickness is 0, which is
//! no thickness of a wall.

use fibula_core::vector::{add, dot, scale, unit};

use super::figure::FeatherEdge;
use super::thickness::{Medium, Probe, Way, long};

/// Cosine of the maximum angle between the sides of a wall that does not narrow: about 1 degree.
const ALIGNED: f64 = 0.999_85;
/// Cosine of the minimum angle between the sides of a wall that clearly narrows: 5 degrees.
const TAPERED: f64 = 0.996_2;
/// Step towards the edge, as a share of the distance to it.
const STEP: f64 = 0.25;
/// Thickness at which an edge is reached, as a share of that at the start and of a cell.
const SHARP: f64 = 0.125;
/// Maximum number of steps.
const MOST_STEPS: usize = 96;

/// End of the walk along a wall that narrows.
pub(super) enum TaperEnd {
    /// The thinnest wall.
    Wall(Way),
    /// The edge at which the sides meet.
    Edge(FeatherEdge),
    /// A way that is known to lead to an edge.
    Known,
}

impl Probe<'_> {
    /// True if the sides of a wall are clearly not parallel.
    pub(super) fn is_taper(&mut self, [from, to]: Way) -> bool {
        let normals = self.normal(from).zip(self.normal(to));
        normals.is_some_and(|(one, other)| -dot(one, other) < TAPERED)
    }

    /// Follows a wall in the direction in which it narrows, up to a way that is known to lead to an edge.
    pub(super) fn follow_taper(&mut self, start: Way, is_known: impl Fn(Way) -> bool) -> TaperEnd {
        let mut way = start;
        let enough = SHARP * long(start).min(self.cell);
        for step in 0..MOST_STEPS {
            if step > 0 && is_known(way) {
                return TaperEnd::Known;
            }
            let (Some(one), Some(other)) = (self.normal(way[0]), self.normal(way[1])) else {
                break;
            };
            let cosine = -dot(one, other);
            let Some(towards) = unit(add(one, other)).filter(|_| cosine < ALIGNED) else {
                break;
            };
            let half = cosine.clamp(-1.0, 1.0).acos() / 2.0;
            // Distance to the edge if the sides are planes.
            let apex = long(way) / (2.0 * half.tan());
            if long(way) < enough {
                let middle = scale(add(way[0], way[1]), 0.5);
                return TaperEnd::Edge(FeatherEdge {
                    value: (2.0 * half).to_degrees(),
                    at: add(middle, scale(towards, apex)),
                });
            }
            // The point beside the way must be near enough to the surface to be projected onto it.
            let stride = (STEP * apex).min(0.5 * self.cell / half.sin());
            let expected = long(way) * (1.0 - stride / apex);
            let at = self.onto(add(way[0], scale(towards, stride)));
            let next = at.and_then(|at| self.cast(at, expected, Medium::Wall));
            match next.filter(|next| long(*next) < long(way)) {
                Some(next) => way = next,
                None => break,
            }
        }
        TaperEnd::Wall(way)
    }
}
