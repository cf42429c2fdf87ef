//! Paths of sweeps: straight pieces, and arcs that round corners, with the frames of the profile.
//!
//! A point belongs to the nearest piece; if a sharp corner is nearest, to the piece on its side of the mitre plane. The profile
//! is carried along the path without rotation about it (a rotation-minimizing frame: W. Wang et al., "Computation of Rotation Minimizing Frames", ACM Transactions on
//! Graphics 27 (2008)), so that it continues across mitre planes.

use fibula_nodes::{Type, Value};

use crate::expression::builder::Operand;
use crate::expression::composition::Composition;
use crate::expression::error::{Diagnostic, ErrorCode};
use crate::vector::{dot, length, sub};

/// Least sum of 1 and the cosine of the angle between two edges.
const TURNS_BACK: f64 = 1e-9;
/// Half of the least tangent of an angle between two edges that has an arc.
const IS_STRAIGHT: f64 = 1e-9;
/// Maximum rotation of the profile about a closed path, in radians, and tolerance of lengths, as a share.
const ROTATION: f64 = 1e-6;
const SHARE: f64 = 1e-9;

/// An edge of the polyline.
pub(super) struct Edge {
    from: Operand,
    to: Operand,
    direction: Operand,
    length: Operand,
    /// Directions of x and y of the profile.
    axes: [Operand; 2],
}

/// The turn from an edge to the next.
pub(super) struct Turn {
    /// Sum of their directions.
    sum: Operand,
    /// Sum of 1 and the cosine of the angle between them.
    cosine: Operand,
    /// Tangent of half of that angle; none if the corner is sharp.
    tangent: Option<Operand>,
}

/// A point between two pieces of the path.
#[derive(Clone, Copy)]
pub(super) struct Joint {
    /// From it to the point at which the profile is evaluated.
    away: Operand,
    /// The squared distance.
    square: Operand,
    /// How far the point is beyond the mitre plane of a sharp corner, in the direction of the path.
    pub(super) ahead: Option<Operand>,
}

/// A piece of the path.
pub(super) enum Piece {
    Straight {
        direction: Operand,
        axes: [Operand; 2],
        length: Operand,
    },
    Arc {
        /// The first direction, that to the centre, and their cross product.
        frame: [Operand; 3],
        /// `axes` at the beginning of the arc.
        axes: [Operand; 2],
        radius: Operand,
        /// Cosine and sine of half of its angle.
        half: [Operand; 2],
        length: Operand,
    },
}

/// Where a point is in the frame of a piece: across it, and along it from its beginning.
pub(super) struct Place {
    pub(super) square: Operand,
    pub(super) across: [Operand; 2],
    pub(super) along: Operand,
}

pub(super) struct Path<'c, 'a, 't> {
    pub(super) form: Composition<'c, 'a, 't>,
    /// Where the sweep is evaluated.
    pub(super) pos: Operand,
    /// Radius of the corners; none if they are sharp.
    pub(super) radius: Option<Operand>,
}

impl Path<'_, '_, '_> {
    /// Returns the edges, and the turns between them, the last one to the first edge of a closed path.
    pub(super) fn edges(
        &mut self,
        corners: &[Operand],
        is_closed: bool,
    ) -> Result<(Vec<Edge>, Vec<Turn>), Diagnostic> {
        let (mut edges, mut turns): (Vec<Edge>, Vec<Turn>) = (Vec::new(), Vec::new());
        for (index, ends) in corners.windows(2).enumerate() {
            let along = self.form.difference(ends[1], ends[0])?;
            let square = self.form.dot(along, along)?;
            let length = self.form.root(square)?;
            if self.form.constant(length) == Some(0.0) {
                let name = self.form.name;
                let message = format!(
                    "corners {} and {} of {name} are the same point",
                    index + 1,
                    index + 2
                );
                let error = ErrorCode::WrongArguments.error(self.form.at, message);
                return Err(error.hint("leave one out"));
            }
            let direction = self.form.quotient(along, length)?;
            let axes = match edges.last() {
                None => self.first_axes(direction)?,
                Some(before) => {
                    let turn = self.turn(before, direction, index)?;
                    let axes = self.carried(before.axes[0], direction, &turn)?;
                    turns.push(turn);
                    axes
                }
            };
            edges.push(Edge {
                from: ends[0],
                to: ends[1],
                direction,
                length,
                axes,
            });
        }
        if is_closed {
            let (first, last) = (&edges[0], &edges[edges.len() - 1]);
            let turn = self.turn(last, first.direction, 0)?;
            let axes = self.carried(last.axes[0], first.direction, &turn)?;
            let both = [first.axes[0], axes[0]].map(|axis| self.vector(axis));
            if let [Some(first), Some(last)] = both
                && length(sub(first, last)) > ROTATION
            {
                let angle = dot(first, last).clamp(-1.0, 1.0).acos().to_degrees();
                let message = format!(
                    "the closed path of {} rotates its profile by {angle:.1} degrees about the path, which does not fit its beginning",
                    self.form.name
                );
                let error = ErrorCode::WrongArguments.error(self.form.at, message);
                return Err(error.hint(
                    "a closed path in one plane does not; leave another one open, its ends a little apart",
                ));
            }
            turns.push(turn);
        }
        Ok((edges, turns))
    }

    /// The directions of x and y of the profile at the beginning: y upwards as far as possible, or x along x if the path
    /// begins upright.
    fn first_axes(&mut self, direction: Operand) -> Result<[Operand; 2], Diagnostic> {
        let [x, y] = [0, 1].map(|axis| self.form.check.component(direction, axis));
        let (to_left, to_front) = (self.form.scaled(y, -1.0)?, x);
        let [zero, one, upright] = [0.0, 1.0, 1e-18].map(|number| self.form.number(number));
        let left = self
            .form
            .composed(Type::Float3, "ComposeVector", &[to_left, to_front, zero])?;
        let square = self.form.dot(left, left)?;
        let across = match self.form.constant(square) {
            Some(square) if square < 1e-18 => self
                .form
                .check
                .builder
                .constant(Value::Float3([1.0, 0.0, 0.0])),
            Some(square) => self.form.scaled(left, 1.0 / square.sqrt())?,
            None => {
                let length = self.form.root(square)?;
                let mut parts = [zero; 3];
                for (part, (side, along)) in
                    parts.iter_mut().zip([(to_left, one), (to_front, zero)])
                {
                    let share = self.form.quotient(side, length)?;
                    *part = self
                        .form
                        .apply("Select", &[square, upright, along, share])?;
                }
                self.form.composed(Type::Float3, "ComposeVector", &parts)?
            }
        };
        Ok([across, self.form.cross(direction, across)?])
    }

    fn turn(
        &mut self,
        before: &Edge,
        direction: Operand,
        corner: usize,
    ) -> Result<Turn, Diagnostic> {
        let sum = self.form.sum(before.direction, direction)?;
        let cosine = self.form.dot(before.direction, direction)?;
        let one = self.form.number(1.0);
        let cosine = self.form.sum(one, cosine)?;
        if let Some(number) = self.form.constant(cosine)
            && number < TURNS_BACK
        {
            let message = format!(
                "the path of {} turns back at corner {}",
                self.form.name,
                corner + 1
            );
            let error = ErrorCode::WrongArguments.error(self.form.at, message);
            return Err(error.hint("go around by two corners"));
        }
        let mut tangent = None;
        if self.radius.is_some() {
            let normal = self.form.cross(before.direction, direction)?;
            let square = self.form.dot(normal, normal)?;
            let sine = self.form.root(square)?;
            let share = self.form.quotient(sine, cosine)?;
            let number = self.form.constant(share);
            tangent = number
                .is_none_or(|number| number > IS_STRAIGHT)
                .then_some(share);
        }
        Ok(Turn {
            sum,
            cosine,
            tangent,
        })
    }

    /// The directions of x and y of the profile after a turn: the least rotation from one direction to the other.
    fn carried(
        &mut self,
        across: Operand,
        direction: Operand,
        turn: &Turn,
    ) -> Result<[Operand; 2], Diagnostic> {
        let ahead = self.form.dot(across, direction)?;
        let share = self.form.quotient(ahead, turn.cosine)?;
        let rotation = self.form.product(turn.sum, share)?;
        let across = self.form.difference(across, rotation)?;
        Ok([across, self.form.cross(direction, across)?])
    }

    /// Returns the pieces of the path, and the joints before, between and after them. A closed path begins within its
    /// first edge.
    pub(super) fn pieces(
        &mut self,
        edges: &[Edge],
        turns: &[Turn],
    ) -> Result<(Vec<Joint>, Vec<Piece>), Diagnostic> {
        let is_closed = turns.len() == edges.len();
        let (mut joints, mut pieces) = (Vec::new(), Vec::new());
        let mut middle = None;
        for (index, edge) in edges.iter().enumerate() {
            let before = match index {
                0 => is_closed.then(|| &turns[turns.len() - 1]),
                _ => Some(&turns[index - 1]),
            };
            let after = turns.get(index);
            let [begin, end] = [before, after].map(|turn| turn.and_then(|turn| turn.tangent));
            let (begin, end) = (self.reach(begin)?, self.reach(end)?);
            let both = self.form.sum(begin, end)?;
            let straight = self.form.difference(edge.length, both)?;
            self.fits(straight, edge, both, index)?;
            let begin = self.form.product(edge.direction, begin)?;
            let from = self.form.sum(edge.from, begin)?;
            let end = self.form.product(edge.direction, end)?;
            let to = self.form.difference(edge.to, end)?;
            let mut length = straight;
            let sharp = before.filter(|turn| turn.tangent.is_none());
            let joint = self.joint(from, sharp)?;
            if is_closed && index == 0 {
                length = self.form.scaled(straight, 0.5)?;
                let half = self.form.product(edge.direction, length)?;
                let half = self.form.sum(from, half)?;
                joints.push(self.joint(half, None)?);
                middle = Some((joint, joints[0]));
            } else {
                joints.push(joint);
            }
            pieces.push(Piece::straight(edge, length));
            let tangent = after.and_then(|turn| turn.tangent);
            if let (Some(turn), Some(tangent)) = (after, tangent) {
                let next = &edges[(index + 1) % edges.len()];
                joints.push(self.joint(to, None)?);
                pieces.push(self.arc(edge, next, turn, tangent)?);
            } else if after.is_none() {
                joints.push(self.joint(to, None)?);
            }
        }
        if let Some((start, middle)) = middle {
            let Some(&Piece::Straight { length, .. }) = pieces.first() else {
                unreachable!("a path begins with an edge")
            };
            joints.extend([start, middle]);
            pieces.push(Piece::straight(&edges[0], length));
        }
        Ok((joints, pieces))
    }

    /// How far the arc of a corner reaches into its edges.
    fn reach(&mut self, tangent: Option<Operand>) -> Result<Operand, Diagnostic> {
        match tangent.zip(self.radius) {
            Some((tangent, radius)) => self.form.product(tangent, radius),
            None => Ok(self.form.number(0.0)),
        }
    }

    /// Refuses a radius whose arcs are longer than an edge.
    fn fits(
        &self,
        straight: Operand,
        edge: &Edge,
        arcs: Operand,
        index: usize,
    ) -> Result<(), Diagnostic> {
        let numbers = [straight, edge.length, arcs].map(|of| self.form.constant(of));
        let [Some(straight), Some(length), Some(arcs)] = numbers else {
            return Ok(());
        };
        if straight >= -SHARE * length {
            return Ok(());
        }
        let message = format!(
            "the arcs at the ends of edge {} of {} take {arcs:.6} of its length of {length:.6}",
            index + 1,
            self.form.name
        );
        let error = ErrorCode::WrongArguments.error(self.form.at, message);
        let radius = self.radius.and_then(|radius| self.form.constant(radius));
        Err(match radius {
            Some(radius) => error.hint(format!(
                "take a radius of at most {:.6}",
                radius * length / arcs
            )),
            None => error.hint("take a smaller radius"),
        })
    }

    /// Returns the joint at a place, where a sharp corner turns perhaps.
    fn joint(&mut self, at: Operand, sharp: Option<&Turn>) -> Result<Joint, Diagnostic> {
        let away = self.form.apply("Subtraction", &[self.pos, at])?;
        let square = self.form.apply("DotProduct", &[away, away])?;
        let mut ahead = None;
        if let Some(turn) = sharp {
            let square = self.form.dot(turn.sum, turn.sum)?;
            let length = self.form.root(square)?;
            let normal = self.form.quotient(turn.sum, length)?;
            ahead = Some(self.form.apply("DotProduct", &[away, normal])?);
        }
        Ok(Joint {
            away,
            square,
            ahead,
        })
    }

    fn arc(
        &mut self,
        edge: &Edge,
        next: &Edge,
        turn: &Turn,
        tangent: Operand,
    ) -> Result<Piece, Diagnostic> {
        // Parallel edges, which only computed corners have here, have no normal: the piece is nowhere then.
        let normal = self.form.cross(edge.direction, next.direction)?;
        let square = self.form.dot(normal, normal)?;
        let sine = self.form.root(square)?;
        let upright = self.form.quotient(normal, sine)?;
        let inwards = self.form.cross(upright, edge.direction)?;
        let square = self.form.scaled(turn.cosine, 0.5)?;
        let cosine = self.form.root(square)?;
        let one = self.form.number(1.0);
        let half = match self.form.constant(tangent) {
            Some(tangent) => self.form.number(tangent.atan()),
            None => self.form.apply("ArcTan2", &[tangent, one])?,
        };
        let radius = self.radius.expect("the corner is rounded");
        let length = self.form.product(half, radius)?;
        Ok(Piece::Arc {
            frame: [edge.direction, inwards, upright],
            axes: edge.axes,
            radius,
            half: [cosine, self.form.product(tangent, cosine)?],
            length: self.form.scaled(length, 2.0)?,
        })
    }

    pub(super) fn place(&mut self, piece: &Piece, joints: &[Joint]) -> Result<Place, Diagnostic> {
        let [from, to] = [joints[0], joints[1]];
        match *piece {
            Piece::Straight {
                direction,
                axes,
                length,
            } => {
                let along = self.form.apply("DotProduct", &[from.away, direction])?;
                let across = [
                    self.form.apply("DotProduct", &[from.away, axes[0]])?,
                    self.form.apply("DotProduct", &[from.away, axes[1]])?,
                ];
                let beside = self.square(across)?;
                let square = self
                    .form
                    .apply("Select", &[along, length, beside, to.square])?;
                let zero = self.form.number(0.0);
                let square = self
                    .form
                    .apply("Select", &[along, zero, from.square, square])?;
                Ok(Place {
                    square,
                    across,
                    along,
                })
            }
            Piece::Arc {
                frame: [direction, inwards, upright],
                axes,
                radius,
                half: [cosine, sine],
                ..
            } => {
                let ahead = self.form.apply("DotProduct", &[from.away, direction])?;
                let aside = self.form.apply("DotProduct", &[from.away, inwards])?;
                let above = self.form.apply("DotProduct", &[from.away, upright])?;
                // From the centre, outwards.
                let out = self.form.apply("Subtraction", &[radius, aside])?;
                let square = self.square([ahead, out])?;
                let far = self.form.apply("Sqrt", &[square])?;
                let inside = self.form.apply("Subtraction", &[radius, far])?;
                let beside = self.square([inside, above])?;
                let first = self.form.apply("Multiplication", &[out, cosine])?;
                let second = self.form.apply("Multiplication", &[ahead, sine])?;
                let middle = self.form.apply("Addition", &[first, second])?;
                let limit = self.form.apply("Multiplication", &[far, cosine])?;
                let ends = self.form.apply("Min", &[from.square, to.square])?;
                let square = self.form.apply("Select", &[limit, middle, beside, ends])?;
                let mut across = axes;
                for axis in &mut across {
                    let inwards = self.form.dot(*axis, inwards)?;
                    let upright = self.form.dot(*axis, upright)?;
                    let first = self.form.apply("Multiplication", &[inside, inwards])?;
                    let second = self.form.apply("Multiplication", &[above, upright])?;
                    *axis = self.form.apply("Addition", &[first, second])?;
                }
                let angle = self.form.apply("ArcTan2", &[ahead, out])?;
                Ok(Place {
                    square,
                    across,
                    along: self.form.apply("Multiplication", &[angle, radius])?,
                })
            }
        }
    }

    pub(super) fn square(&mut self, [x, y]: [Operand; 2]) -> Result<Operand, Diagnostic> {
        let x = self.form.apply("Multiplication", &[x, x])?;
        let y = self.form.apply("Multiplication", &[y, y])?;
        self.form.apply("Addition", &[x, y])
    }

    pub(super) fn vector(&self, operand: Operand) -> Option<[f64; 3]> {
        match self.form.check.builder.foldable(operand) {
            Some(&Value::Float3(vector)) => Some(vector),
            Some(_) | None => None,
        }
    }
}

impl Piece {
    fn straight(edge: &Edge, length: Operand) -> Piece {
        Piece::Straight {
            direction: edge.direction,
            axes: edge.axes,
            length,
        }
    }

    pub(super) fn length(&self) -> Operand {
        match *self {
            Piece::Straight { length, .. } | Piece::Arc { length, .. } => length,
        }
    }
}
