//! Sweeps of profiles along polylines, as nodes.
//!
//! The profile is an expression of `pos`: its nodes are built for each piece of the path, at the point in the frame of the
//! piece. The value is that for the nearest piece; a choice between values, not between points, keeps intervals tight.

mod checks;
mod path;
#[cfg(test)]
mod tests;

use std::ops::Range;

use fibula_nodes::Type;

use self::checks::{check_corners, check_radius};
use self::path::{Joint, Path, Piece, Place};
use super::ast::{CallArgument, ExpressionIndex};
use super::builder::Operand;
use super::composition::Composition;
use super::error::{Diagnostic, ErrorCode};

const USAGE: &str = "the profile as an expression of pos, then x, y and z of at least 2 corners, and perhaps the radius of the path \
                     at its corners, and the point at which the sweep is evaluated: \
                     sweep_polyline(circle(pos, 3), 0,0,0, 20,0,0, 20,20,0, radius = 5, at = pos)";

/// Weight of the squared distances to the planes between pieces beside those to the pieces: the larger it is, the larger are the
/// boxes for which interval arithmetic finds the nearest piece.
const PLANES: f64 = 8.0;

/// Expands the call of a sweep along a polyline.
pub(super) fn sweep_polyline(
    form: Composition<'_, '_, '_>,
    arguments: &[CallArgument<'_>],
) -> Result<Operand, Diagnostic> {
    let unnamed = arguments
        .iter()
        .take_while(|argument| argument.name.is_none());
    let (unnamed, named) = arguments.split_at(unnamed.count());
    let find = |wanted: &str| {
        let name = |argument: &&CallArgument<'_>| {
            argument
                .name
                .as_ref()
                .is_some_and(|name| name.text == wanted)
        };
        named.iter().find(name)
    };
    let (radius, at) = (find("radius"), find("at"));
    let known = usize::from(radius.is_some()) + usize::from(at.is_some());
    let is_complete = unnamed.len() >= 7 && unnamed.len() % 3 == 1 && known == named.len();
    if !is_complete {
        let message = format!("{} takes {USAGE}", form.name);
        return Err(ErrorCode::WrongArguments.error(form.at, message));
    }
    let Some(pos) = form.check.position() else {
        let message = format!(
            "the profile of {} is an expression of pos, but the function has no argument of this name",
            form.name
        );
        return Err(ErrorCode::WrongArguments.error(form.at, message));
    };
    let profile = form.check.tree.within(unnamed[0].value);
    if let Some((at, name)) = form.check.computed_name(profile.clone()) {
        let message = format!(
            "the profile of {} uses {name}, which is computed from pos outside of it",
            form.name
        );
        let hint =
            "write the profile within the call: there pos is the point in the frame of the path";
        return Err(ErrorCode::WrongArguments.error(at, message).hint(hint));
    }
    let mut numbers = Vec::with_capacity(unnamed.len());
    for argument in &unnamed[1..] {
        numbers.push(form.check.value(argument.value)?);
    }
    let optional = |argument: Option<&CallArgument<'_>>| {
        let value = argument.map(|argument| form.check.value(argument.value));
        value.transpose()
    };
    let (radius, at) = (optional(radius)?, optional(at)?.unwrap_or(pos));
    form.of_type(Type::Float, &numbers)?;
    form.of_type(Type::Float, radius.as_slice())?;
    form.of_type(Type::Float3, &[at])?;
    let mut path = Path {
        form,
        pos: at,
        radius,
    };
    path.expand(&numbers, &profile)
}

impl Path<'_, '_, '_> {
    fn expand(
        &mut self,
        numbers: &[Operand],
        profile: &Range<ExpressionIndex>,
    ) -> Result<Operand, Diagnostic> {
        if self.radius.and_then(|radius| self.form.constant(radius)) == Some(0.0) {
            self.radius = None;
        }
        let mut corners = Vec::with_capacity(numbers.len() / 3);
        for corner in numbers.chunks(3) {
            corners.push(self.form.composed(Type::Float3, "ComposeVector", corner)?);
        }
        let known = |operand: &Operand| self.form.check.builder.known(*operand);
        let points: Option<Vec<[f64; 3]>> = corners
            .iter()
            .map(|corner| known(corner)?.try_into().ok())
            .collect();
        let [first, last] = [corners[0], corners[corners.len() - 1]];
        let is_same = first == last || known(&first).is_some_and(|at| known(&last) == Some(at));
        let is_closed = corners.len() > 3 && is_same;
        let radius = self.radius.as_ref().and_then(known);
        let radius = radius.map(|radius| radius[0]);
        if let Some(radius) = radius {
            check_radius(&self.form, radius)?;
        }
        if let Some(points) = points {
            check_corners(&self.form, &points, radius, is_closed)?;
        }
        let (edges, turns) = self.edges(&corners, is_closed)?;
        self.limit_radius(&edges, &turns)?;
        let (joints, pieces) = self.pieces(&edges, &turns)?;
        let last = pieces.len() - 1;
        // A closed path begins within its first edge, but its length counts from the corner before.
        let mut before = if is_closed {
            pieces[last].length()
        } else {
            self.form.number(0.0)
        };
        let caps = self.caps(&joints)?;
        let mut chosen: Option<(Operand, Operand)> = None;
        for (index, piece) in pieces.iter().enumerate() {
            if is_closed && index == last {
                before = self.form.number(0.0);
            }
            let place = self.place(piece, &joints[index..])?;
            let from = Some(joints[index]).filter(|_| is_closed || index > 0);
            let to = Some(joints[index + 1]).filter(|_| is_closed || index < last);
            let rank = self.rank(&place, [from, to])?;
            let value = self.value(piece, &place, before, profile)?;
            // An arc beside an end has it too, since the straight piece between them may have no length.
            let is_end = [index, last - index]
                .map(|from| !is_closed && (from == 0 || from == 1 && piece.is_arc()));
            let value = self.capped(value, caps, is_end)?;
            before = self.form.sum(before, piece.length())?;
            chosen = Some(match chosen {
                None => (rank, value),
                Some((nearest, other)) => (
                    self.form.apply("Min", &[nearest, rank])?,
                    self.form.apply("Select", &[rank, nearest, value, other])?,
                ),
            });
        }
        Ok(chosen.expect("a path has a piece").1)
    }

    /// Returns the value of the profile in the frame of a piece that begins at a length of the path.
    fn value(
        &mut self,
        piece: &Piece,
        place: &Place,
        before: Operand,
        profile: &Range<ExpressionIndex>,
    ) -> Result<Operand, Diagnostic> {
        let zero = self.form.number(0.0);
        let along = self
            .form
            .apply("Clamp", &[place.along, zero, piece.length()])?;
        let [x, y] = place.across;
        let along = self.form.sum(before, along)?;
        let point = self
            .form
            .composed(Type::Float3, "ComposeVector", &[x, y, along])?;
        self.form.check.resolve_at(point, profile.clone())?;
        let value = self.form.check.value(profile.end - 1)?;
        self.form.of_type(Type::Float, &[value])?;
        Ok(value)
    }

    /// How far the point is beyond the beginning and the end of the path.
    fn caps(&mut self, joints: &[Joint]) -> Result<[Operand; 2], Diagnostic> {
        let zero = self.form.number(0.0);
        let before = self.form.apply("Subtraction", &[zero, joints[0].ahead])?;
        Ok([before, joints[joints.len() - 1].ahead])
    }

    /// Returns the value of a piece at the beginning of the path, at its end, or both: an extrusion there.
    fn capped(
        &mut self,
        value: Operand,
        [before, after]: [Operand; 2],
        [is_first, is_last]: [bool; 2],
    ) -> Result<Operand, Diagnostic> {
        let cap = match (is_first, is_last) {
            (false, false) => return Ok(value),
            (true, false) => before,
            (false, true) => after,
            (true, true) => self.form.apply("Max", &[before, after])?,
        };
        let zero = self.form.number(0.0);
        let inside = self.form.apply("Max", &[value, cap])?;
        let inside = self.form.apply("Min", &[inside, zero])?;
        let beside = self.form.apply("Max", &[value, zero])?;
        let beyond = self.form.apply("Max", &[cap, zero])?;
        let square = self.square([beside, beyond])?;
        let outside = self.form.apply("Sqrt", &[square])?;
        self.form.apply("Addition", &[inside, outside])
    }

    /// Returns the squared distance to a piece, and to its side of the planes between it and its neighbours. Outside of a sharp
    /// corner, where both pieces are equally near, the planes decide, and for interval arithmetic elsewhere, too.
    fn rank(&mut self, place: &Place, joints: [Option<Joint>; 2]) -> Result<Operand, Diagnostic> {
        let zero = self.form.number(0.0);
        let mut rank = place.square;
        for (joint, kind) in joints.into_iter().zip(["Min", "Max"]) {
            if let Some(joint) = joint {
                let out = self.form.apply(kind, &[joint.ahead, zero])?;
                let square = self.form.apply("Multiplication", &[out, out])?;
                let square = self.form.scaled(square, PLANES)?;
                rank = self.form.apply("Addition", &[rank, square])?;
            }
        }
        Ok(rank)
    }
}
