//! Shapes and modules of `OpenSCAD`: a module moves or combines the shapes that follow it; angles are in degrees, and
//! boxes and cylinders stand in the first octant or on the plane unless they are centred.

use super::extrusion;
use super::placement;
use super::reductions::folded;
use super::rotation::about_axes;
use super::{Translator, Ty};
use crate::infinity;
use crate::names::SCAD_MODULES;
use crate::notes::Why;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, constant_number, degrees, half, member,
    name, negative, number, vector,
};

/// Arguments of a call by name; unnamed ones get the names in order.
struct Arguments(Vec<(String, Expr)>);

impl Arguments {
    /// Arguments of a shape or module.
    ///
    /// # Errors
    /// If an argument has a meaning that no translation has.
    fn new(function: &str, arguments: &[Argument], at: usize) -> Result<Self> {
        const FINENESS: [&str; 5] = ["$fs", "$t", "convexity", "slices", "segments"];
        let (places, others): (&[&str], &[&str]) = match function {
            "cube" | "square" => (&["size", "center"], &["centre"]),
            "cylinder" => (
                &["h", "r1", "r2", "center"],
                &[
                    "height", "r", "radius", "d", "diameter", "d1", "d2", "centre",
                ],
            ),
            "circle" | "sphere" => (&["r"], &["radius", "d", "diameter"]),
            "translate" | "mirror" | "scale" => (&["v"], &[]),
            "rotate" => (&["a", "v"], &[]),
            "linear_extrude" => (&["height", "center"], &["h", "centre", "twist"]),
            "rotate_extrude" => (&["angle"], &[]),
            "offset" => (&["r"], &["delta"]),
            "color" => (&["c", "alpha"], &[]),
            _ => (&[], &[]),
        };
        let mut rest = places.iter();
        let mut all = Vec::new();
        for Argument { name, value } in arguments {
            let name = match name {
                Some(name) => name.as_str(),
                None => rest.next().ok_or_else(|| refusal(function, at))?,
            };
            let number = constant_number(value);
            let is_centre = matches!(name, "center" | "centre");
            let is_known = match name {
                // A finer mesh than of twelve sides stands for what is round.
                "$fn" => {
                    number.is_some_and(|sides| sides == 0.0 || sides.fract() == 0.0 && sides >= 3.0)
                }
                "$fa" => number.is_some_and(|angle| angle <= 30.0),
                "scale" if function == "linear_extrude" => number == Some(1.0),
                _ if is_centre => matches!(value, Expr::Bool(_)),
                _ => FINENESS.contains(&name),
            };
            if !is_known && (is_centre || !places.contains(&name) && !others.contains(&name)) {
                return Err(refusal(function, at));
            }
            all.push((name.to_owned(), value.clone()));
        }
        let arguments = Arguments(all);
        let may_have_sides = matches!(function, "cylinder" | "circle");
        if arguments.sides().is_some() && !may_have_sides && !matches!(function, "cube" | "square")
        {
            return Err(refusal(function, at));
        }
        Ok(arguments)
    }

    fn get(&self, names: &[&str]) -> Option<&Expr> {
        let found = self
            .0
            .iter()
            .find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value)
    }

    fn is_centred(&self) -> bool {
        matches!(self.get(&["center", "centre"]), Some(Expr::Bool(true)))
    }

    /// Number of sides of a circle of so few that they are meant.
    fn sides(&self) -> Option<usize> {
        let sides = constant_number(self.get(&["$fn"])?)?;
        (3.0..=12.0).contains(&sides).then_some(sides as usize)
    }

    /// A radius, which may be written as a diameter.
    fn radius(&self, radius: &[&str], diameter: &[&str]) -> Option<Expr> {
        let radius = self.get(radius).cloned();
        radius.or_else(|| self.get(diameter).map(|diameter| half(diameter.clone())))
    }
}

/// Refusal of a shape or module whose arguments have no translation.
fn refusal(function: &str, at: usize) -> Untranslatable {
    const HINTS: [(&str, &str); 6] = [
        (
            "cylinder",
            "cylinder(pos, radius, height) and cone(pos, lower_radius, upper_radius, height) are round, their middle is at 0",
        ),
        ("sphere", "sphere(pos, radius) is round"),
        (
            "circle",
            "circle(pos, radius) is round, regular_polygon(pos, sides, radius) has corners",
        ),
        (
            "linear_extrude",
            "extrude(pos, shape, height) and extrude_tapered(pos, shape, height, draft) take a flat shape; twist(pos, pitch) changes its point",
        ),
        (
            "rotate_extrude",
            "a profile is evaluated at revolve(pos); sector(pos, from, to) is a part of a turn",
        ),
        (
            "offset",
            "offset(distance, amount) is right for exact distances, as of sphere and box, not for max and min of them",
        ),
    ];
    let of_module = SCAD_MODULES.into_iter().chain(["cube", "square"]);
    let others = of_module.map(|name| {
        (
            name,
            "write the shape without the arguments that OpenSCAD lacks",
        )
    });
    let hint = HINTS
        .into_iter()
        .chain(others)
        .find(|(name, _)| *name == function);
    let (name, hint) = hint.unwrap_or(("module", "name the shapes of OpenSCAD one by one"));
    Untranslatable::Construct(at, name, hint)
}

/// Translates a shape of `OpenSCAD`; `None` if the call is none.
pub(super) fn shape(
    translator: &mut Translator<'_>,
    function: &str,
    arguments: &[Argument],
    at: usize,
) -> Result<Option<Expr>> {
    // The sizes that are left out are 1 in OpenSCAD, and others in the library.
    // Two numbers of a cylinder are its height and lower radius in OpenSCAD, and its radius and height in the library.
    let is_other = function == "cylinder" && translator.notes.has_scad() && is_pair(arguments);
    if arguments.is_empty() && matches!(function, "sphere" | "cylinder") || is_other {
        return Err(refusal(function, at));
    }
    if !is_shape(translator, function, arguments) {
        return Ok(None);
    }
    if let ("sphere", [radius]) = (function, arguments)
        && radius.name.is_none()
    {
        translator
            .notes
            .add(at, Why::Clause, "sphere takes the point first");
        translator.notes.has_solids = true;
    } else {
        translator
            .notes
            .add(at, Why::OpenScad, &format!("{function}(...)"));
    }
    let arguments = Arguments::new(function, arguments, at)?;
    translator.is_scad = true;
    let pos = || name("pos");
    let component = |component: &str| member(pos(), component);
    let shape = match function {
        "cube" | "square" => {
            let size = arguments
                .get(&["size"])
                .cloned()
                .unwrap_or_else(|| number(1.0));
            let size = match size {
                Expr::List(sizes, _) => sizes,
                other => vec![other.clone(), other.clone(), other],
            };
            let sizes = size.iter().map(|size| translator.lower(size));
            let sizes = sizes.collect::<Result<Vec<_>>>()?;
            let place = |index: usize| {
                let halved = half(sizes[index].clone());
                let axis = component(["x", "y", "z"][index]);
                let axis = if arguments.is_centred() {
                    axis
                } else {
                    binary("-", axis, halved.clone())
                };
                binary("-", call("abs", vec![axis], at), halved)
            };
            match (function, &sizes[..]) {
                ("cube", [x, y, z]) => {
                    let point = if arguments.is_centred() {
                        pos()
                    } else {
                        let halves = [x, y, z].map(|size| half(size.clone()));
                        binary("-", pos(), vector(halves))
                    };
                    let size = vector([x.clone(), y.clone(), z.clone()]);
                    call("box", vec![point, size], at)
                }
                ("square", [_, _, ..]) if translator.is_rounded => {
                    let outside =
                        [place(0), place(1)].map(|side| call("max", vec![side, number(0.0)], at));
                    let [x, y] = outside;
                    let outside = call("length", vec![vector([x, y, number(0.0)])], at);
                    let inside = call("max", vec![place(0), place(1)], at);
                    binary("+", outside, call("min", vec![inside, number(0.0)], at))
                }
                ("square", [_, _, ..]) => call("max", vec![place(0), place(1)], at),
                _ => return Err(Untranslatable::Unknown),
            }
        }
        "cylinder" => cylinder(translator, &arguments, at)?,
        _ => {
            let radius = arguments.radius(&["r", "radius"], &["d", "diameter"]);
            let radius = translator.lower(&radius.unwrap_or_else(|| number(1.0)))?;
            if let Some(sides) = arguments.sides() {
                extrusion::regular_polygon(sides, radius, at)
            } else if function == "sphere" {
                call("sphere", vec![pos(), radius], at)
            } else {
                let flat = vector([component("x"), component("y"), number(0.0)]);
                binary("-", call("length", vec![flat], at), radius)
            }
        }
    };
    Ok(Some(shape))
}

/// A cylinder, cone or prism.
fn cylinder(translator: &mut Translator<'_>, arguments: &Arguments, at: usize) -> Result<Expr> {
    let height = arguments
        .get(&["h", "height"])
        .cloned()
        .unwrap_or_else(|| number(1.0));
    let height = translator.lower(&height)?;
    let whole = arguments.radius(&["r", "radius"], &["d", "diameter"]);
    let ends = [(["r1"], ["d1"]), (["r2"], ["d2"])]
        .map(|(radius, diameter)| arguments.radius(&radius, &diameter));
    let [lower, upper] =
        ends.map(|end| end.or_else(|| whole.clone()).unwrap_or_else(|| number(1.0)));
    let (lower, upper) = (translator.lower(&lower)?, translator.lower(&upper)?);
    let point = if arguments.is_centred() {
        name("pos")
    } else {
        let up = vector([number(0.0), number(0.0), half(height.clone())]);
        binary("-", name("pos"), up)
    };
    Ok(match arguments.sides() {
        Some(_) if upper != lower => return Err(refusal("cylinder", at)),
        Some(sides) => {
            let z = member(name("pos"), "z");
            let z = if arguments.is_centred() {
                z
            } else {
                binary("-", z, half(height.clone()))
            };
            let ends = binary("-", call("abs", vec![z], at), half(height));
            call(
                "max",
                vec![extrusion::regular_polygon(sides, lower, at), ends],
                at,
            )
        }
        None if upper != lower => call("cone", vec![point, lower, upper, height], at),
        None => call("cylinder", vec![point, lower, height], at),
    })
}

/// True if a function takes or returns an angle.
pub(super) fn has_angle(function: &str) -> bool {
    ["sin", "cos", "tan", "asin", "acos", "atan", "atan2"].contains(&function)
}

/// A call of a function of an angle, which is in degrees in `OpenSCAD`.
pub(super) fn in_degrees(function: &str, values: Vec<Expr>, at: usize) -> Expr {
    if function.starts_with('a') {
        let turns = binary("*", call(function, values, at), number(180.0));
        binary("/", turns, name("pi"))
    } else {
        call(function, values.into_iter().map(degrees).collect(), at)
    }
}

/// True if a call is a shape of `OpenSCAD`, not a function of the library or a power.
fn is_shape(translator: &Translator<'_>, function: &str, arguments: &[Argument]) -> bool {
    const OPTIONS: [&str; 13] = [
        "r", "d", "h", "r1", "r2", "d1", "d2", "center", "$fn", "$fa", "$fs", "radius", "diameter",
    ];
    let is_fineness = |argument: &&Argument| {
        argument
            .name
            .as_deref()
            .is_some_and(|name| name.starts_with('$'))
    };
    let values = arguments.len() - arguments.iter().filter(is_fineness).count();
    let first = arguments.first();
    if first.is_some_and(|first| first.name.is_none() && translator.is_point(&first.value)) {
        return false;
    }
    let mut names = arguments
        .iter()
        .filter_map(|argument| argument.name.as_deref());
    match function {
        // `np.square(x)` is a power.
        "square" => !first.is_some_and(|first| {
            first.name.is_none() && translator.mentions_position(&first.value)
        }),
        "cube" | "circle" => true,
        "sphere" => names.all(|name| OPTIONS.contains(&name)) && values == 1,
        "cylinder" => {
            let has_option = names.any(|name| name != "radius" && OPTIONS.contains(&name));
            let is_plain = values == 3
                && arguments
                    .iter()
                    .all(|argument| argument.name.is_none() || is_fineness(&argument));
            has_option || is_plain
        }
        _ => false,
    }
}

/// True if there are two arguments, by position.
fn is_pair(arguments: &[Argument]) -> bool {
    arguments.len() == 2 && arguments.iter().all(|argument| argument.name.is_none())
}

/// Translates a module with its children.
pub(super) fn module(
    translator: &mut Translator<'_>,
    function: &str,
    arguments: &[Argument],
    children: &[Expr],
    at: usize,
) -> Result<Expr> {
    translator.is_scad = true;
    let arguments = Arguments::new(function, arguments, at)?;
    let is_rounded = function == "offset" && arguments.get(&["r"]).is_some();
    let is_outer = std::mem::replace(&mut translator.is_rounded, is_rounded);
    let shapes = children.iter().map(|child| translator.lower(child));
    let shapes = shapes.collect::<Result<Vec<_>>>()?;
    translator.is_rounded = is_outer;
    match function {
        "difference" => {
            let mut shapes = shapes.into_iter();
            let first = shapes.next().ok_or(Untranslatable::Unknown)?;
            let rest = shapes.map(negative);
            Ok(folded(
                "max",
                std::iter::once(first).chain(rest).collect(),
                at,
            ))
        }
        "intersection" => Ok(folded("max", shapes, at)),
        "hull" => hull(&shapes, at),
        "minkowski" => minkowski(&shapes, children, at),
        _ => {
            // Where there is no shape, the distance is infinite.
            let nothing = std::iter::once(infinity::value());
            let shape = folded("min", nothing.chain(shapes).collect(), at);
            if infinity::sign(&shape) != 0 {
                return Ok(shape);
            }
            match function {
                "translate" | "mirror" | "scale" => {
                    let by = arguments.get(&["v"]).ok_or_else(|| refusal(function, at))?;
                    let by = translator.lower(by)?;
                    placement::moved(translator, function, &shape, by, at)
                }
                "rotate" => {
                    let point = rotated(translator, &arguments, at)?;
                    translator.at_point(&shape, &point)
                }
                "linear_extrude" => {
                    let height = arguments
                        .get(&["height", "h"])
                        .ok_or_else(|| refusal(function, at))?;
                    let height = translator.lower(height)?;
                    let twist = arguments
                        .get(&["twist"])
                        .map(|twist| translator.lower(twist))
                        .transpose()?;
                    extrusion::linear(
                        translator,
                        &shape,
                        height,
                        twist,
                        arguments.is_centred(),
                        at,
                    )
                }
                "rotate_extrude" => {
                    let angle = match arguments.get(&["angle"]) {
                        Some(angle) => constant_number(angle),
                        None => Some(360.0),
                    };
                    let angle = angle.filter(|angle| *angle > 0.0 && *angle <= 360.0);
                    extrusion::turned(
                        translator,
                        &shape,
                        angle.ok_or_else(|| refusal(function, at))?,
                        at,
                    )
                }
                "offset" => {
                    let amount = arguments
                        .get(&["r", "delta"])
                        .ok_or_else(|| refusal(function, at))?;
                    let grows = constant_number(amount).is_some_and(|amount| amount > 0.0);
                    let are_exact = children.iter().all(|child| is_exact(child, grows));
                    if !are_exact || children.len() > 1 && !grows {
                        return Err(refusal(function, at));
                    }
                    let amount = translator.lower(amount)?;
                    Ok(binary("-", shape, amount))
                }
                // `union`, `color`, `render` and `group`.
                _ => Ok(shape),
            }
        }
    }
}

/// The point of a shape that is rotated about the axes, about z, or about an axis.
fn rotated(translator: &mut Translator<'_>, arguments: &Arguments, at: usize) -> Result<Expr> {
    let refusal = || refusal("rotate", at);
    let angle = arguments.get(&["a"]).ok_or_else(refusal)?;
    let pos = name("pos");
    match (angle, arguments.get(&["v"])) {
        (Expr::List(angles, _), _) => {
            let angles = angles.iter().map(|angle| translator.lower(angle).map(turn));
            Ok(about_axes(pos, &angles.collect::<Result<Vec<_>>>()?, at))
        }
        (angle, None) => {
            let angle = translator.lower(angle)?;
            if translator.ty(&angle) == Some(Ty::Vector) {
                return Err(refusal());
            }
            Ok(call("rotate_z", vec![pos, degrees(angle)], at))
        }
        (angle, Some(axis)) => {
            let angle = degrees(translator.lower(angle)?);
            let axis = translator.lower(axis)?;
            Ok(call("rotate", vec![pos, axis, angle], at))
        }
    }
}

/// An angle in degrees as radians; 0 remains 0.
fn turn(angle: Expr) -> Expr {
    if constant_number(&angle) == Some(0.0) {
        angle
    } else {
        degrees(angle)
    }
}

/// True if the distance to a flat shape is exact outside, and inside too unless it grows.
fn is_exact(shape: &Expr, grows: bool) -> bool {
    match shape {
        Expr::Call(name, arguments, _) => {
            let has_sides = |argument: &Argument| argument.name.as_deref() == Some("$fn");
            matches!(name.as_str(), "circle" | "square") && !arguments.iter().any(has_sides)
        }
        Expr::Module(name, _, children, _) => {
            let keeps = matches!(
                name.as_str(),
                "translate" | "rotate" | "mirror" | "union" | "color" | "group" | "render"
            );
            keeps
                && (grows || children.len() == 1)
                && children.iter().all(|child| is_exact(child, grows))
        }
        _ => false,
    }
}

/// The sum of a shape and a ball.
fn minkowski(shapes: &[Expr], children: &[Expr], at: usize) -> Result<Expr> {
    match (shapes, children) {
        ([first, _], [_, Expr::Call(name, _, _)]) if name == "sphere" && is_exact_solid(first) => {
            let Expr::Call(_, sphere, _) = &shapes[1] else {
                return Err(Untranslatable::Unknown);
            };
            Ok(binary("-", first.clone(), sphere[1].value.clone()))
        }
        _ => Err(Untranslatable::Construct(
            at,
            "minkowski",
            "there is no sum of shapes; offset(a, r) is that with a ball",
        )),
    }
}

/// True if the distance to a translated solid is exact outside.
fn is_exact_solid(shape: &Expr) -> bool {
    matches!(shape, Expr::Call(name, parts, _) if match name.as_str() {
        "box" | "sphere" | "cylinder" | "cone" | "capsule" => true,
        "min" => parts.iter().all(|part| is_exact_solid(&part.value)),
        _ => false,
    })
}

/// The hull of two balls of one radius.
fn hull(shapes: &[Expr], at: usize) -> Result<Expr> {
    if let [first, second] = shapes
        && let (Some((from, radius)), Some((to, other))) = (ball(first), ball(second))
        && radius == other
    {
        return Ok(call("capsule", vec![name("pos"), from, to, radius], at));
    }
    Err(Untranslatable::Construct(
        at,
        "hull",
        "capsule(pos, from, to, radius) is the hull of two balls",
    ))
}

/// Centre and radius of a translated ball.
fn ball(shape: &Expr) -> Option<(Expr, Expr)> {
    let Expr::Call(function, arguments, _) = shape else {
        return None;
    };
    let ("sphere", [point, radius]) = (function.as_str(), &arguments[..]) else {
        return None;
    };
    let centre = match &point.value {
        Expr::Name(..) => vector([0.0; 3].map(number)),
        Expr::Binary("-", of, by) if matches!(**of, Expr::Name(..)) => (**by).clone(),
        _ => return None,
    };
    Some((centre, radius.value.clone()))
}
