//! Beam lattices: the signed distance to the union of beams and balls.

use std::sync::{Arc, OnceLock};

use fibula_nodes::{Bounds, Oracle, Query, ResourceKind};

use super::beam::{self, Cap};
use super::bounding_box::BoundingBox;
use super::bvh::{Bvh, MOST_PRIMITIVES};
use super::frame::{Frame, FramePoint, LARGEST, find_out_of_range};
use crate::graph::Content;
use crate::vector::{Vector, finite, length, long_length, unit};

/// Maximum number of beams and balls of a lattice.
pub const MOST_BEAMS: usize = MOST_PRIMITIVES;

/// One end of a beam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// Index of its vertex.
    pub vertex: u32,
    /// Radius.
    pub radius: f64,
    /// Cap.
    pub cap: Cap,
}

/// A beam between two vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    /// Its ends.
    pub ends: [End; 2],
}

impl Beam {
    /// Creates a beam of constant radius with spherical caps.
    pub fn round(vertices: [u32; 2], radius: f64) -> Beam {
        let cap = Cap::Sphere;
        Beam {
            ends: vertices.map(|vertex| End {
                vertex,
                radius,
                cap,
            }),
        }
    }
}

/// A ball around a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    /// Index of the vertex.
    pub vertex: u32,
    /// Radius.
    pub radius: f64,
}

/// A union of beams and balls; a document holds it as [`Content`].
///
/// Beams are those of the beam lattice extension of 3MF: conical frustums with caps; beams without length are ignored.
/// The distance is the minimum of the exact signed distances to all beams and balls. It is exact outside; inside of
/// several beams it is the depth in the deepest one, which is at most the depth in the union. It does not depend on
/// the accurate range of a query.
///
/// ```
/// use fibula_core::graph::Content;
/// use fibula_core::oracle::{Beam, BeamLattice};
/// use fibula_nodes::Query;
///
/// let cross = BeamLattice::new(
///     vec![[-5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, -5.0, 0.0], [0.0, 5.0, 0.0]],
///     &[Beam::round([0, 1], 1.0), Beam::round([2, 3], 0.5)],
///     &[],
/// )?;
/// let oracle = cross.oracle(Query::BeamLattice { accurate_range: -1.0 }).expect("it is a lattice");
/// assert_eq!(oracle.sample([3.0, 0.0, 2.5], 0), 1.5);
/// # Ok::<(), fibula_core::oracle::BeamError>(())
/// ```
#[derive(Debug)]
pub struct BeamLattice {
    /// Lowest and highest corner of the bounding box.
    corners: [Vector; 2],
    frame: Frame,
    parts: Vec<beam::Beam>,
    lattice: OnceLock<Arc<Lattice>>,
}

/// Error returned when beams and balls are no lattice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
#[non_exhaustive]
pub enum BeamError {
    /// There are more than [`MOST_BEAMS`].
    #[error(
        "the lattice has {count} beams and balls, more than the limit of {MOST_BEAMS}; split it into parts"
    )]
    TooMany { count: usize },
    /// A coordinate is not finite or too large.
    #[error(
        "vertex {vertex} is at {at:?}, but coordinates must be between -{LARGEST:e} and {LARGEST:e}; fix or remove the \
         beams that use it"
    )]
    NotFinite { vertex: usize, at: [f64; 3] },
    /// The index of a vertex is out of range.
    #[error(
        "{what} {index} refers to vertex {vertex}, but there are {vertices} vertices, counted from 0; correct the index"
    )]
    UnknownVertex {
        /// Beam or ball.
        what: &'static str,
        index: usize,
        vertex: u32,
        vertices: usize,
    },
    /// A radius is negative, not finite or too large.
    #[error(
        "{what} {index} has radius {radius}, but radii must be between 0 and {LARGEST:e}; correct it"
    )]
    Radius {
        /// Beam or ball.
        what: &'static str,
        index: usize,
        radius: f64,
    },
    /// No beam has a length, and there are no balls.
    #[error(
        "none of the {beams} beams has a length and there are no balls; a lattice needs one or the other, with a radius"
    )]
    Empty { beams: usize },
}

impl BeamError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            BeamError::TooMany { .. } => "too_large",
            BeamError::NotFinite { .. } | BeamError::Radius { .. } => "invalid_value",
            BeamError::UnknownVertex { .. } => "unknown_vertex",
            BeamError::Empty { .. } => "empty_lattice",
        }
    }
}

impl BeamLattice {
    /// Creates a lattice of beams and balls.
    ///
    /// # Errors
    /// [`BeamError`]: a coordinate or radius is invalid or beyond 10^100, an index is out of range, nothing has a
    /// size, or there are more than [`MOST_BEAMS`].
    #[expect(
        clippy::needless_pass_by_value,
        reason = "as a mesh takes its vertices, which it keeps"
    )]
    pub fn new(
        vertices: Vec<[f64; 3]>,
        beams: &[Beam],
        balls: &[Ball],
    ) -> Result<BeamLattice, BeamError> {
        let count = beams.len() + balls.len();
        if count > MOST_BEAMS {
            return Err(BeamError::TooMany { count });
        }
        if let Some((vertex, at)) = find_out_of_range(&vertices) {
            return Err(BeamError::NotFinite { vertex, at });
        }
        let check = |what, index, vertex: u32, radius: f64| {
            if !(0.0..=LARGEST).contains(&radius) {
                return Err(BeamError::Radius {
                    what,
                    index,
                    radius,
                });
            }
            let vertices = vertices.len();
            if vertex as usize >= vertices {
                return Err(BeamError::UnknownVertex {
                    what,
                    index,
                    vertex,
                    vertices,
                });
            }
            Ok(())
        };
        let mut extent = BoundingBox::EMPTY;
        let mut reach = |vertex: u32, radius: f64| {
            let at = vertices[vertex as usize];
            let (low, high) = (at.map(|x| x - radius), at.map(|x| x + radius));
            extent = extent.union(BoundingBox { low, high });
        };
        for (index, beam) in beams.iter().enumerate() {
            for end in beam.ends {
                check("beam", index, end.vertex, end.radius)?;
                reach(end.vertex, end.radius);
            }
        }
        for (index, ball) in balls.iter().enumerate() {
            check("ball", index, ball.vertex, ball.radius)?;
            reach(ball.vertex, ball.radius);
        }
        let empty = BeamError::Empty { beams: beams.len() };
        let Some(corners) = extent.corners() else {
            return Err(empty);
        };
        let Some(frame) = Frame::around(corners) else {
            return Err(empty);
        };
        let in_frame = |vertex: u32| frame.inward(vertices[vertex as usize]);
        let beams = beams.iter().filter_map(|beam| {
            let [first, second] = beam.ends;
            let ends = beam.ends.map(|end| in_frame(end.vertex));
            let radii = beam.ends.map(|end| end.radius / frame.unit());
            beam::Beam::new(ends, radii, [first.cap, second.cap])
        });
        let balls = balls
            .iter()
            .map(|ball| beam::Beam::ball(in_frame(ball.vertex), ball.radius / frame.unit()));
        let parts: Vec<beam::Beam> = beams.chain(balls).collect();
        if parts.is_empty() {
            return Err(empty);
        }
        Ok(BeamLattice {
            corners,
            frame,
            parts,
            lattice: OnceLock::new(),
        })
    }

    fn lattice(&self) -> Arc<Lattice> {
        let new = || {
            let (bvh, order) = Bvh::new(&self.parts, 1);
            let parts = order.iter().map(|&part| self.parts[part as usize].clone());
            Arc::new(Lattice {
                frame: self.frame,
                parts: parts.collect(),
                bvh,
            })
        };
        Arc::clone(self.lattice.get_or_init(new))
    }
}

impl Content for BeamLattice {
    fn kind(&self) -> ResourceKind {
        ResourceKind::BeamLattice
    }

    fn oracle(&self, query: Query) -> Option<Arc<dyn Oracle>> {
        match query {
            Query::BeamLattice { .. } => Some(self.lattice()),
            Query::SignedDistance | Query::UnsignedDistance | Query::Image { .. } => None,
        }
    }

    fn extent(&self) -> Option<[[f64; 3]; 2]> {
        Some(self.corners)
    }
}

/// Beams and balls in a bounding volume hierarchy; the oracle of their distance.
#[derive(Debug)]
struct Lattice {
    frame: Frame,
    /// In the order of the hierarchy.
    parts: Vec<beam::Beam>,
    bvh: Bvh,
}

/// The closest part and its distance.
#[derive(Debug, Clone, Copy)]
struct ClosestBeam {
    part: usize,
    distance: f64,
}

impl Lattice {
    /// Closest part query. A guess saves work and does not change the result.
    fn nearest(&self, at: Vector, guess: Option<usize>) -> ClosestBeam {
        let mut found = match guess {
            Some(part) => ClosestBeam {
                part,
                distance: self.parts[part].distance(at),
            },
            None => ClosestBeam {
                part: usize::MAX,
                distance: f64::INFINITY,
            },
        };
        let square = |distance: f64| distance * distance.abs();
        self.bvh.deepest(at, square(found.distance), |part| {
            let distance = self.parts[part].distance(at);
            // Of equally close ones the first, whatever the order of the search.
            if (distance, part) < (found.distance, found.part) {
                found = ClosestBeam { part, distance };
            }
            square(found.distance)
        });
        found
    }

    fn distance(&self, at: Vector, guess: &mut Option<usize>) -> f64 {
        match self.frame.place(at) {
            FramePoint::NotFinite => f64::NAN,
            FramePoint::Far(offset) => long_length(offset),
            FramePoint::Near(at) => {
                let found = self.nearest(at, *guess);
                *guess = Some(found.part);
                found.distance * self.frame.unit()
            }
        }
    }
}

impl Oracle for Lattice {
    fn sample(&self, at: [f64; 3], _channel: u8) -> f64 {
        self.distance(at, &mut None)
    }

    fn sample_block(&self, at: [&[f64]; 3], _channel: u8, results: &mut [f64]) {
        let [x, y, z] = at.map(|list| &list[..results.len()]);
        let mut guess = None;
        for (index, result) in results.iter_mut().enumerate() {
            *result = self.distance([x[index], y[index], z[index]], &mut guess);
        }
    }

    fn gradient(&self, at: [f64; 3], _channel: u8) -> [f64; 3] {
        match self.frame.place(at) {
            FramePoint::NotFinite => [f64::NAN; 3],
            FramePoint::Far(offset) => unit(offset).expect("what is far away has a direction"),
            FramePoint::Near(at) => self.parts[self.nearest(at, None).part].gradient(at),
        }
    }

    fn bounds(&self, low: [f64; 3], high: [f64; 3], _channel: u8) -> Bounds {
        /// Upper bound of the rounding error of a distance, relative to its size.
        const ROUNDING: f64 = 1e-12;
        if !finite(low) || !finite(high) {
            return Bounds::UNKNOWN;
        }
        let unit = self.frame.unit();
        let (FramePoint::Near(low), FramePoint::Near(high)) =
            (self.frame.place(low), self.frame.place(high))
        else {
            return Bounds::new(-2.0 * unit, self.frame.far_bound(low, high));
        };
        let middle: Vector = std::array::from_fn(|axis| f64::midpoint(low[axis], high[axis]));
        let half: Vector =
            std::array::from_fn(|axis| (high[axis] - middle[axis]).max(middle[axis] - low[axis]));
        // The distance is Lipschitz continuous with the constant 1.
        let reach = length(half);
        let rounding = ROUNDING * (1.0 + length(middle) + reach);
        let distance = self.nearest(middle, None).distance;
        let apart = self.bvh.box_distance_bound(middle, half, distance);
        let least = if apart > 0.0 {
            apart.max(distance - reach)
        } else {
            distance - reach
        };
        Bounds::new(
            (least - rounding) * unit,
            (distance + reach + rounding) * unit,
        )
    }
}
