//! Paths of sweeps: straight pieces, and arcs that round corners, with the frames of the profile.
//!
//! A point belongs to the nearest piece; if a sharp corner is nearest, to the piece on its side of the mitre plane. The profile
//! is carried along the path without rotation about it (a rotation-minimizing frame: W. Wang et al., "Computation of Rotation
//! Minimizing Frames", ACM Transactions on Graphics 27 (2008)), so that it continues across mitre planes.

use fibula_nodes::{Type, Value};

use crate::expression::builder::Operand;
use crate::expression::composition::Composition;
use crate::expression::error::Diagnostic;

/// Least tangent of half of the angle between two edges that has an arc.
const LEAST_TANGENT: f64 = 1e-9;
/// Least sine of an angle by which is divided.
const LEAST_SINE: f64 = 1e-12;
/// Square of the sine of the angle to z up to which a path begins upright.
const UPRIGHT: f64 = 1e-18;

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
    /// How far the point is beyond the plane between the pieces, the mitre plane of a sharp corner, in the direction of the path.
    pub(super) ahead: Operand,
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
        for ends in corners.windows(2) {
            let along = self.form.difference(ends[1], ends[0])?;
            let square = self.form.dot(along, along)?;
            let length = self.form.root(square)?;
            let direction = self.form.quotient(along, length)?;
            let axes = match edges.last() {
                None => self.first_axes(direction)?,
                Some(before) => {
                    let turn = self.turn(before, direction)?;
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
            turns.push(self.turn(last, first.direction)?);
        }
        Ok((edges, turns))
    }

    /// The directions of x and y of the profile at the beginning: y upwards as far as possible, or x along x if the path
    /// begins upright.
    fn first_axes(&mut self, direction: Operand) -> Result<[Operand; 2], Diagnostic> {
        let [x, y] = [0, 1].map(|axis| self.form.check.component(direction, axis));
        let (to_left, to_front) = (self.form.scaled(y, -1.0)?, x);
        let [zero, one, upright] = [0.0, 1.0, UPRIGHT].map(|number| self.form.number(number));
        let left = self
            .form
            .composed(Type::Float3, "ComposeVector", &[to_left, to_front, zero])?;
        let square = self.form.dot(left, left)?;
        let across = match self.form.constant(square) {
            Some(square) if square < UPRIGHT => self
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

    fn turn(&mut self, before: &Edge, direction: Operand) -> Result<Turn, Diagnostic> {
        let sum = self.form.sum(before.direction, direction)?;
        let cosine = self.form.dot(before.direction, direction)?;
        let one = self.form.number(1.0);
        let cosine = self.form.sum(one, cosine)?;
        let mut tangent = None;
        if self.radius.is_some() {
            let normal = self.form.cross(before.direction, direction)?;
            let square = self.form.dot(normal, normal)?;
            let sine = self.form.root(square)?;
            let share = self.form.quotient(sine, cosine)?;
            let number = self.form.constant(share);
            tangent = number
                .is_none_or(|number| number > LEAST_TANGENT)
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
            let begin = self.form.product(edge.direction, begin)?;
            let from = self.form.sum(edge.from, begin)?;
            let end = self.form.product(edge.direction, end)?;
            let to = self.form.difference(edge.to, end)?;
            let mut length = straight;
            let sharp = before.filter(|turn| turn.tangent.is_none());
            let joint = self.joint(from, sharp, edge.direction)?;
            if is_closed && index == 0 {
                length = self.form.scaled(straight, 0.5)?;
                let half = self.form.product(edge.direction, length)?;
                let half = self.form.sum(from, half)?;
                joints.push(self.joint(half, None, edge.direction)?);
                middle = Some((joint, joints[0]));
            } else {
                joints.push(joint);
            }
            pieces.push(Piece::straight(edge, length));
            let tangent = after.and_then(|turn| turn.tangent);
            if let (Some(turn), Some(tangent)) = (after, tangent) {
                let next = &edges[(index + 1) % edges.len()];
                joints.push(self.joint(to, None, edge.direction)?);
                pieces.push(self.arc(edge, next, turn, tangent)?);
            } else if after.is_none() {
                joints.push(self.joint(to, None, edge.direction)?);
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

    /// Limits a radius that is not fixed to the largest that fits all edges.
    pub(super) fn limit_radius(
        &mut self,
        edges: &[Edge],
        turns: &[Turn],
    ) -> Result<(), Diagnostic> {
        for (index, edge) in edges.iter().enumerate() {
            let before = match index {
                0 => turns.get(edges.len() - 1),
                _ => turns.get(index - 1),
            };
            let both = [before, turns.get(index)];
            let tangents = both.into_iter().flatten().filter_map(|turn| turn.tangent);
            let mut sum: Option<Operand> = None;
            for tangent in tangents {
                sum = Some(match sum {
                    Some(sum) => self.form.sum(sum, tangent)?,
                    None => tangent,
                });
            }
            if let Some((sum, radius)) = sum.zip(self.radius) {
                let most = self.form.quotient(edge.length, sum)?;
                self.radius = Some(self.form.folded("Min", [radius, most], f64::min)?);
            }
        }
        Ok(())
    }

    /// How far the arc of a corner reaches into its edges.
    fn reach(&mut self, tangent: Option<Operand>) -> Result<Operand, Diagnostic> {
        match tangent.zip(self.radius) {
            Some((tangent, radius)) => self.form.product(tangent, radius),
            None => Ok(self.form.number(0.0)),
        }
    }

    /// Returns the joint at a place: a sharp corner that turns, or one at which the path has a direction.
    fn joint(
        &mut self,
        at: Operand,
        sharp: Option<&Turn>,
        direction: Operand,
    ) -> Result<Joint, Diagnostic> {
        let away = self.form.apply("Subtraction", &[self.pos, at])?;
        let square = self.form.apply("DotProduct", &[away, away])?;
        let mut normal = direction;
        if let Some(turn) = sharp {
            let square = self.form.dot(turn.sum, turn.sum)?;
            let length = self.form.root(square)?;
            normal = self.form.quotient(turn.sum, length)?;
        }
        Ok(Joint {
            away,
            square,
            ahead: self.form.apply("DotProduct", &[away, normal])?,
        })
    }

    fn arc(
        &mut self,
        edge: &Edge,
        next: &Edge,
        turn: &Turn,
        tangent: Operand,
    ) -> Result<Piece, Diagnostic> {
        // Parallel edges, which only computed corners have here, have no normal: no point belongs to the arc then.
        let normal = self.form.cross(edge.direction, next.direction)?;
        let square = self.form.dot(normal, normal)?;
        let sine = self.form.root(square)?;
        let least = self.form.number(LEAST_SINE);
        let sine = self.form.folded("Max", [sine, least], f64::max)?;
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
}

impl Piece {
    pub(super) fn is_arc(&self) -> bool {
        matches!(self, Piece::Arc { .. })
    }

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
