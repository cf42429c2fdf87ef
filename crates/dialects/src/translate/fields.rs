//! Shapes of the Python library `sdf` that have other arguments here: planes, slabs, and axes by name.

use super::Translator;
use crate::notes::Why;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, fold, member, name, negative, number,
    vector,
};

/// Methods and functions whose arguments mean something else here, with what to write.
const OTHERS: [(&str, &str); 12] = [
    (
        "k",
        "smooth_union(a, b, radius), smooth_difference and smooth_intersection join smoothly",
    ),
    (
        "twist",
        "twist(pos, pitch) takes the height of a whole turn, 2 * pi / k",
    ),
    ("bend", BENDS),
    ("bend_linear", BENDS),
    ("bend_radial", BENDS),
    (
        "repeat",
        "repeat(pos, spacing) repeats without an end, repeat_limited(pos, spacing, count) a number of times",
    ),
    (
        "circular_array",
        "repeat_polar(pos, count) repeats about z, with a copy on the x axis",
    ),
    (
        "elongate",
        "length(max(abs(pos) - size, 0)) stretches the point of a ball",
    ),
    (
        "capped_cylinder",
        "cylinder(pos, radius, height) stands on both sides of z = 0",
    ),
    (
        "capped_cone",
        "cone(pos, lower_radius, upper_radius, height) stands on both sides of z = 0",
    ),
    (
        "rounded_cylinder",
        "cylinder(pos, radius, height) stands on both sides of z = 0",
    ),
    ("wrap_around", BENDS),
];
const BENDS: &str = "bend(pos, radius) bends the point of a shape about y";

/// The axis of a name of the library.
pub(super) fn axis(text: &str) -> Option<Expr> {
    let components = match text {
        "X" => [1.0, 0.0, 0.0],
        "Y" => [0.0, 1.0, 0.0],
        "Z" | "UP" => [0.0, 0.0, 1.0],
        "ORIGIN" => [0.0, 0.0, 0.0],
        _ => return None,
    };
    Some(vector(components.map(number)))
}

impl Translator<'_> {
    /// Refuses a function or method of the library that means something else here.
    pub(super) fn check_field(&self, text: &str, at: usize) -> Result<()> {
        match OTHERS.iter().find(|(other, _)| *other == text) {
            Some(&(name, hint)) if self.notes.has_fields => {
                Err(Untranslatable::Construct(at, name, hint))
            }
            _ => Ok(()),
        }
    }

    /// A shape of the library with arguments of its own; `None` if a call is none.
    pub(super) fn field_shape(
        &mut self,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Option<Expr>> {
        if !self.notes.has_fields {
            return Ok(None);
        }
        let lowered = arguments.iter().map(|argument| {
            let value = self.lower(&argument.value)?;
            Ok((argument.name.as_deref(), value))
        });
        match text {
            "plane" => {
                let lowered = lowered.collect::<Result<Vec<_>>>()?;
                let given = |wanted: &str, place: usize| {
                    let named = lowered.iter().find(|(name, _)| *name == Some(wanted));
                    let plain = lowered.get(place).filter(|(name, _)| name.is_none());
                    named.or(plain).map(|(_, value)| value.clone())
                };
                let normal =
                    given("normal", 0).unwrap_or_else(|| vector([0.0, 0.0, 1.0].map(number)));
                let point = given("point", 1)
                    .map_or_else(|| name("pos"), |by| binary("-", name("pos"), by));
                self.notes
                    .add(at, Why::Clause, "plane takes the point first");
                // The normal points into the solid.
                Ok(Some(call(
                    "plane",
                    vec![point, negative_vector(normal), number(0.0)],
                    at,
                )))
            }
            "slab" => {
                let lowered = lowered.collect::<Result<Vec<_>>>()?;
                self.notes.add(at, Why::Function, text);
                let sides = lowered.into_iter().map(|(name, value)| {
                    let (axis, is_lower) = match name {
                        Some("x0") => ("x", true),
                        Some("y0") => ("y", true),
                        Some("z0") => ("z", true),
                        Some("x1") => ("x", false),
                        Some("y1") => ("y", false),
                        Some("z1") => ("z", false),
                        _ => return Err(Untranslatable::Unknown),
                    };
                    let component = member(crate::tree::name("pos"), axis);
                    Ok(if is_lower {
                        binary("-", value, component)
                    } else {
                        binary("-", component, value)
                    })
                });
                let sides = sides.collect::<Result<Vec<_>>>()?;
                if sides.is_empty() {
                    return Err(Untranslatable::Unknown);
                }
                Ok(Some(fold("max", sides.into_iter(), at)))
            }
            "union" | "difference" | "intersection" => {
                if arguments.last().and_then(|it| it.name.as_deref()) != Some("k") {
                    return Ok(None);
                }
                let values = lowered.collect::<Result<Vec<_>>>()?;
                let function = match text {
                    "union" => "smooth_union",
                    "difference" => "smooth_difference",
                    _ => "smooth_intersection",
                };
                self.notes
                    .add(at, Why::Clause, &format!("{text} has no argument 'k'"));
                let [(None, first), rest @ .., (_, radius)] = &values[..] else {
                    return Err(Untranslatable::Unknown);
                };
                let join = |a: Expr, (_, b): &(Option<&str>, Expr)| {
                    call(function, vec![a, b.clone(), radius.clone()], at)
                };
                Ok(Some(rest.iter().fold(first.clone(), join)))
            }
            _ => Ok(None),
        }
    }

    /// A shape whose z axis is turned to another axis.
    pub(super) fn oriented(&mut self, shape: &Expr, axis: &Expr) -> Result<Expr> {
        let component = |axis: &str| member(name("pos"), axis);
        let point = match axis {
            Expr::Name(axis, _) => match axis.as_str() {
                "X" => [component("z"), component("y"), negative(component("x"))],
                "Y" => [component("x"), component("z"), negative(component("y"))],
                "Z" | "UP" => return Ok(shape.clone()),
                _ => return Err(Untranslatable::Unknown),
            },
            _ => return Err(Untranslatable::Unknown),
        };
        self.at_point(shape, &vector(point))
    }
}

/// The opposite of a vector, of a vector of numbers with their negatives.
fn negative_vector(value: Expr) -> Expr {
    match value {
        Expr::Call(function, components, at) if function == "vec3" => {
            let turned = components
                .into_iter()
                .map(|component| match component.value {
                    Expr::Number(text) if text == "0" => Expr::Number(text),
                    other => negative(other),
                });
            call(&function, turned.collect(), at)
        }
        other => negative(other),
    }
}
