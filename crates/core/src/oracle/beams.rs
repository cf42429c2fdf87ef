//! Beam lattices: the distance to the union of beams and balls.

use std::sync::{Arc, OnceLock};

use fibula_nodes::{Bounds, Oracle, Query, ResourceKind};

use super::beam::{self, Cap};
use super::bounding_box::BoundingBox;
use super::bvh::{Bvh, MOST_PRIMITIVES};
use super::frame::{Frame, FramePoint, LARGEST};
use crate::graph::Content;
use crate::vector::{Vector, finite, length, long_length, unit};

/// The most beams and balls that a lattice may have.
pub const MOST_BEAMS: usize = MOST_PRIMITIVES;

/// One end of a beam.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct End {
    /// The index of the vertex at which it is.
    pub vertex: u32,
    /// The radius there.
    pub radius: f64,
    /// How it is closed.
    pub cap: Cap,
}

/// A beam between two vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Beam {
    /// Its ends.
    pub ends: [End; 2],
}

impl Beam {
    /// A beam of one radius, closed by balls.
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
    /// The index of the vertex.
    pub vertex: u32,
    /// The radius.
    pub radius: f64,
}

/// Beams and balls as one shape; a document holds it as [`Content`].
///
/// A beam is what the beam lattice extension of 3MF says it is: a frustum of a cone whose radius goes evenly from one
/// end's to the other's, closed by its caps; beams without length are left out. The distance is the least of those to
/// all beams and balls, each exact, inside and out. For the whole that is exact outside; inside of several beams at
/// once it is the depth in the one that is deepest, which is less than the depth in all together. It is the same
/// wherever a query asks it to be accurate.
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
    /// The lowest and the highest corner of the box around it.
    corners: [Vector; 2],
    frame: Frame,
    parts: Vec<beam::Beam>,
    lattice: OnceLock<Arc<Lattice>>,
}

/// Why something is no beam lattice.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum BeamError {
    /// More than can be indexed.
    #[error(
        "the lattice has {count} beams and balls, and the most are {MOST_BEAMS}; cut it into parts"
    )]
    TooMany { count: usize },
    /// A coordinate that is no place.
    #[error(
        "vertex {vertex} is at {at:?}, and coordinates are numbers between -{LARGEST:e} and {LARGEST:e}; \
         repair or leave out the beams that use it"
    )]
    NotFinite { vertex: usize, at: [f64; 3] },
    /// An end at a vertex that is not there.
    #[error(
        "{what} {index} has vertex {vertex}, and there are {vertices} vertices, counted from 0; correct the index"
    )]
    UnknownVertex {
        /// Beam or ball.
        what: &'static str,
        index: usize,
        vertex: u32,
        vertices: usize,
    },
    /// A radius that is none.
    #[error(
        "{what} {index} has radius {radius}, and radii are numbers from 0 to {LARGEST:e}; correct it"
    )]
    Radius {
        /// Beam or ball.
        what: &'static str,
        index: usize,
        radius: f64,
    },
    /// Nothing to measure from.
    #[error(
        "none of the {beams} beams has a length, and there are no balls; a lattice needs one or the other, with a radius"
    )]
    Empty { beams: usize },
}

impl BeamError {
    /// The stable code.
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
    /// A lattice of beams and balls at some vertices.
    ///
    /// # Errors
    /// [`BeamError`]: a coordinate or radius is no number or beyond 10^100, an index is too large, nothing is there to
    /// measure from, or there are more than [`MOST_BEAMS`].
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
        let far = |at: &Vector| !finite(*at) || at.iter().any(|x| x.abs() > LARGEST);
        if let Some(vertex) = vertices.iter().position(far) {
            let at = vertices[vertex];
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
        let Some(corners @ [low, high]) = extent.corners() else {
            return Err(empty);
        };
        let Some(frame) = Frame::around(low, high) else {
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
            let parts = order
                .iter()
                .map(|&part| self.parts[part as usize].clone())
                .collect();
            Arc::new(Lattice {
                frame: self.frame,
                parts,
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

/// Beams and balls in a tree; answers with the distance to the nearest.
#[derive(Debug)]
struct Lattice {
    frame: Frame,
    /// In the order of the bvh.
    parts: Vec<beam::Beam>,
    bvh: Bvh,
}

/// The nearest part, and how near it is.
#[derive(Debug, Clone, Copy)]
struct Closest {
    part: usize,
    distance: f64,
}

impl Lattice {
    /// The nearest part. One that may be it saves work, and changes nothing.
    fn nearest(&self, at: Vector, guess: Option<usize>) -> Closest {
        let mut found = match guess {
            Some(part) => Closest {
                part,
                distance: self.parts[part].distance(at),
            },
            None => Closest {
                part: usize::MAX,
                distance: f64::INFINITY,
            },
        };
        let square = |distance: f64| distance * distance.abs();
        self.bvh.deepest(at, square(found.distance), |part| {
            let distance = self.parts[part].distance(at);
            // Of equally near ones the first, in whatever order they are looked at.
            if (distance, part) < (found.distance, found.part) {
                found = Closest { part, distance };
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
        /// More than the rounding of a distance, relative to the size of things.
        const ROUNDING: f64 = 1e-12;
        if !finite(low) || !finite(high) {
            return Bounds::UNKNOWN;
        }
        let unit = self.frame.unit();
        let (FramePoint::Near(low), FramePoint::Near(high)) =
            (self.frame.place(low), self.frame.place(high))
        else {
            let far = [low, high].map(|at| long_length(self.frame.offset(at)));
            return Bounds::new(-2.0 * unit, 2.0 * (far[0].max(far[1]) + unit));
        };
        let middle: Vector = std::array::from_fn(|axis| f64::midpoint(low[axis], high[axis]));
        let half: Vector =
            std::array::from_fn(|axis| (high[axis] - middle[axis]).max(middle[axis] - low[axis]));
        // The distance changes by no more than the way.
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
