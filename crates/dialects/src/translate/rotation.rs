//! Rotations without an axis or an angle: by three angles about the axes, or by one about z, as `OpenSCAD` and CAD have
//! them, mostly in degrees.

use std::f64::consts::TAU;

use super::{Translator, Ty};
use crate::notes::Why;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, call, constant_number, degrees, member, name,
};

/// Functions of the library that rotate the point.
const ROTATIONS: [&str; 4] = ["rotate_x", "rotate_y", "rotate_z", "rotate"];
/// Size of an angle above which no text means radians, even if it computes the angle.
const CLEARLY_DEGREES: f64 = 15.0;
/// Hint for an angle that may be in degrees or in radians.
const ANGLE: &str = "it takes the point and an angle in radians, and this one may be in degrees: write the shape at the point, \
    as in box(rotate_z(pos, 5 * pi / 180), vec3(4, 2, 1)), without pi / 180 if it is in radians";

impl Translator<'_> {
    /// The point of a call of `rotate` that lacks an axis or an angle; `None` if it has both.
    pub(super) fn rotated(&mut self, arguments: &[Argument], at: usize) -> Result<Option<Expr>> {
        let refusal = Untranslatable::Construct(
            at,
            "rotate",
            "it takes the point, an axis and an angle in radians, as in rotate(pos, vec3(0, 0, 1), 45 * pi / 180), \
             or rotate_z(pos, 45 * pi / 180)",
        );
        let is_given = |wanted: &str| {
            let mut names = arguments
                .iter()
                .filter_map(|argument| argument.name.as_deref());
            names.any(|name| name == wanted)
        };
        if is_given("angle") {
            return Ok(None);
        }
        if is_given("axis") && arguments.len() < 3 {
            return Err(refusal);
        }
        if arguments
            .iter()
            .any(|argument| argument.name.as_deref().is_some_and(|name| name != "pos"))
        {
            return Ok(None);
        }
        let mut values: Vec<Expr> = arguments
            .iter()
            .map(|argument| argument.value.clone())
            .collect();
        let has_point = values.first().is_some_and(|first| self.is_point(first));
        let point = if has_point {
            values.remove(0)
        } else {
            name("pos")
        };
        let angles = match &values[..] {
            [angle] if self.ty(angle) == Some(Ty::Vector) => {
                let angles = ["x", "y", "z"]
                    .map(|axis| member(angle.clone(), axis))
                    .to_vec();
                self.radians(angles, true).ok_or(refusal)?
            }
            [angle] => {
                let mut angles = self.radians(vec![angle.clone()], false).ok_or(refusal)?;
                angles.splice(0..0, [crate::tree::number(0.0), crate::tree::number(0.0)]);
                angles
            }
            [angle, axis]
                if self.ty(angle) == Some(Ty::Float) && self.ty(axis) == Some(Ty::Vector) =>
            {
                let angle = self
                    .radians(vec![angle.clone()], false)
                    .ok_or(refusal)?
                    .remove(0);
                self.note_rotation(at);
                return Ok(Some(call("rotate", vec![point, axis.clone(), angle], at)));
            }
            [a, b, c]
                if [a, b, c]
                    .iter()
                    .all(|angle| self.ty(angle) == Some(Ty::Float)) =>
            {
                self.radians(values, true).ok_or(refusal)?
            }
            [_, _] => return Ok(None),
            _ => return Err(refusal),
        };
        self.note_rotation(at);
        Ok(Some(about_axes(point, &angles, at)))
    }

    /// The arguments after the shape of a rotation that takes the point, with the angle, which is the last, in radians.
    /// Arguments of other functions are themselves.
    ///
    /// # Errors
    /// If the angle is a number that may be in degrees as well as in radians.
    pub(super) fn with_radians(
        &self,
        function: &str,
        rest: &[Expr],
        at: usize,
    ) -> Result<Vec<Expr>> {
        let mut rest = rest.to_vec();
        let Some(&name) = ROTATIONS.iter().find(|name| **name == function) else {
            return Ok(rest);
        };
        let angle = match &mut rest[..] {
            [angle] if name != "rotate" => angle,
            [axis, angle] if self.ty(axis) == Some(Ty::Vector) => angle,
            _ => return Ok(rest),
        };
        let Some(size) = self.bound_number(angle).map(f64::abs) else {
            return Ok(rest);
        };
        let is_half = (2.0 * size).fract() == 0.0;
        if size > CLEARLY_DEGREES || size > TAU && is_half {
            *angle = degrees(angle.clone());
        } else if size > TAU || size != 0.0 && size.fract() == 0.0 {
            return Err(Untranslatable::Construct(at, name, ANGLE));
        }
        Ok(rest)
    }

    fn note_rotation(&mut self, at: usize) {
        self.notes.is_doubtful = true;
        let takes = "rotate takes the point, an axis and an angle in radians";
        self.notes.add(at, Why::Clause, takes);
    }

    /// Angles in radians; `None` if nothing says whether they are in degrees. Three small numbers may be an axis.
    fn radians(&self, angles: Vec<Expr>, may_be_axis: bool) -> Option<Vec<Expr>> {
        let mut mentions_pi = false;
        for angle in &angles {
            angle.names(&mut |name| mentions_pi |= name == "pi");
        }
        let sizes = angles
            .iter()
            .map(|angle| self.bound_number(angle).map(f64::abs));
        let largest = sizes
            .collect::<Option<Vec<f64>>>()
            .map(|sizes| sizes.into_iter().fold(0.0, f64::max));
        let are_degrees = match largest {
            _ if mentions_pi => false,
            _ if self.notes.has_scad() => true,
            Some(largest) if largest > TAU => true,
            Some(largest) if !may_be_axis && largest.fract() != 0.0 => false,
            _ => return None,
        };
        let converted = |angle: Expr| {
            if are_degrees && !is_zero(&angle) {
                degrees(angle)
            } else {
                angle
            }
        };
        Some(angles.into_iter().map(converted).collect())
    }
}

/// True if a value is the number 0.
fn is_zero(value: &Expr) -> bool {
    constant_number(value) == Some(0.0)
}

/// The point of a shape that is rotated about x, then y, then z, by angles in radians.
pub(super) fn about_axes(point: Expr, angles: &[Expr], at: usize) -> Expr {
    let axes = ["rotate_x", "rotate_y", "rotate_z"];
    let turns = angles
        .iter()
        .zip(axes)
        .rev()
        .filter(|(angle, _)| !is_zero(angle));
    turns.fold(point, |point, (angle, axis)| {
        call(axis, vec![point, angle.clone()], at)
    })
}
