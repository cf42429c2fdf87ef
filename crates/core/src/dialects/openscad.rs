//! Shapes and modules of `OpenSCAD`: a module moves or combines the shapes that follow it; angles are in degrees, and
//! boxes and cylinders stand in the first octant or on the plane unless they are centred.

use super::notes::Why;
use super::translate::{Translator, Ty};
use super::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, degrees, fold, half, member, name,
    negative, number, vector,
};

/// True if shapes may follow a call of this name.
pub(super) fn is_module(name: &str) -> bool {
    const MODULES: [&str; 15] = [
        "union",
        "difference",
        "intersection",
        "translate",
        "rotate",
        "scale",
        "mirror",
        "color",
        "minkowski",
        "hull",
        "linear_extrude",
        "rotate_extrude",
        "offset",
        "render",
        "group",
    ];
    MODULES.contains(&name)
}

/// Arguments of a call by name; unnamed ones get the names in order.
struct Arguments(Vec<(String, Expr)>);

impl Arguments {
    fn new(arguments: &[Argument], names: &[&str]) -> Option<Self> {
        let mut rest = names.iter();
        let mut all = Vec::new();
        for Argument { name, value } in arguments {
            let name = match name {
                Some(name) => name.clone(),
                None => (*rest.next()?).to_owned(),
            };
            all.push((name, value.clone()));
        }
        Some(Arguments(all))
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

    /// A radius, which may be written as a diameter.
    fn radius(&self, radius: &[&str], diameter: &[&str]) -> Option<Expr> {
        let radius = self.get(radius).cloned();
        radius.or_else(|| self.get(diameter).map(|diameter| half(diameter.clone())))
    }
}

/// Translates a shape of `OpenSCAD`; `None` if the call is none.
pub(super) fn shape(
    translator: &mut Translator<'_>,
    function: &str,
    arguments: &[Argument],
    at: usize,
) -> Result<Option<Expr>> {
    if !is_shape(translator, function, arguments) {
        return Ok(None);
    }
    let names: &[&str] = match function {
        "cube" | "square" => &["size", "center"],
        "cylinder" => &["h", "r1", "r2", "center"],
        _ => &["r"],
    };
    if let ("sphere", [radius]) = (function, arguments)
        && radius.name.is_none()
    {
        translator
            .notes
            .add(at, Why::Clause, "sphere takes the point first");
    } else {
        translator
            .notes
            .add(at, Why::OpenScad, &format!("{function}(...)"));
    }
    let Some(arguments) = Arguments::new(arguments, names) else {
        return Err(Untranslatable::Unknown);
    };
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
                ("square", [_, _, ..]) => call("max", vec![place(0), place(1)], at),
                _ => return Err(Untranslatable::Unknown),
            }
        }
        "cylinder" => {
            let height = arguments
                .get(&["h", "height"])
                .cloned()
                .unwrap_or_else(|| number(1.0));
            let height = translator.lower(&height)?;
            let lower = arguments.radius(&["r", "r1", "radius"], &["d", "d1", "diameter"]);
            let lower = translator.lower(&lower.unwrap_or_else(|| number(1.0)))?;
            let upper = arguments.radius(&["r2"], &["d2"]);
            let upper = upper.map(|upper| translator.lower(&upper)).transpose()?;
            let point = if arguments.is_centred() {
                pos()
            } else {
                let up = vector([number(0.0), number(0.0), half(height.clone())]);
                binary("-", pos(), up)
            };
            match upper {
                Some(upper) if upper != lower => {
                    call("cone", vec![point, lower, upper, height], at)
                }
                _ => call("cylinder", vec![point, lower, height], at),
            }
        }
        _ => {
            let radius = arguments.radius(&["r", "radius"], &["d", "diameter"]);
            let radius = translator.lower(&radius.unwrap_or_else(|| number(1.0)))?;
            if function == "sphere" {
                call("sphere", vec![pos(), radius], at)
            } else {
                let flat = vector([component("x"), component("y"), number(0.0)]);
                binary("-", call("length", vec![flat], at), radius)
            }
        }
    };
    Ok(Some(shape))
}

/// True if a function takes or returns an angle.
pub(super) fn has_angle(function: &str) -> bool {
    ["sin", "cos", "tan", "asin", "acos", "atan"].contains(&function)
}

/// A call of a function of an angle, which is in degrees in `OpenSCAD`.
pub(super) fn in_degrees(function: &str, value: Expr, at: usize) -> Expr {
    if function.starts_with('a') {
        let turns = binary("*", call(function, vec![value], at), number(180.0));
        binary("/", turns, name("pi"))
    } else {
        call(function, vec![degrees(value)], at)
    }
}

/// True if a call is a shape of `OpenSCAD`; `None` if its name is none.
fn is_shape(translator: &Translator<'_>, function: &str, arguments: &[Argument]) -> bool {
    const OPTIONS: [&str; 13] = [
        "r", "d", "h", "r1", "r2", "d1", "d2", "center", "fn", "fa", "fs", "radius", "diameter",
    ];
    let first = arguments.first();
    if first.is_some_and(|first| first.name.is_none() && translator.is_point(&first.value)) {
        return false;
    }
    let mut names = arguments
        .iter()
        .filter_map(|argument| argument.name.as_deref());
    match function {
        "cube" | "square" | "circle" => true,
        "sphere" => names.all(|name| OPTIONS.contains(&name)) && arguments.len() == 1,
        "cylinder" => {
            let has_option = names.any(|name| name != "radius" && OPTIONS.contains(&name));
            let is_plain =
                arguments.len() == 3 && arguments.iter().all(|argument| argument.name.is_none());
            has_option || is_plain
        }
        _ => false,
    }
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
    let shapes = children.iter().map(|child| translator.lower(child));
    let shapes = shapes.collect::<Result<Vec<_>>>()?;
    let named = |names: &[&str]| Arguments::new(arguments, names).ok_or(Untranslatable::Unknown);
    match function {
        "difference" => {
            let mut shapes = shapes.into_iter();
            let first = shapes.next().ok_or(Untranslatable::Unknown)?;
            let rest = shapes.map(negative);
            Ok(fold("max", std::iter::once(first).chain(rest), at))
        }
        "intersection" => Ok(fold("max", shapes.into_iter(), at)),
        "hull" => hull(&shapes, at),
        "minkowski" => minkowski(&shapes, children, at),
        _ => {
            let shape = fold("min", shapes.into_iter(), at);
            let pos = name("pos");
            match function {
                "translate" | "mirror" | "scale" => {
                    let arguments = named(&["v"])?;
                    let by = arguments.get(&["v"]).ok_or(Untranslatable::Unknown)?;
                    let by = translator.lower(by)?;
                    moved(translator, function, &shape, by, at)
                }
                "rotate" => {
                    let arguments = named(&["a", "v"])?;
                    let angle = arguments.get(&["a"]).ok_or(Untranslatable::Unknown)?;
                    let point = match (angle, arguments.get(&["v"])) {
                        (Expr::List(angles, _), _) => {
                            let axes = ["rotate_x", "rotate_y", "rotate_z"];
                            let mut point = pos;
                            for (angle, axis) in angles.iter().zip(axes).rev() {
                                let angle = translator.lower(angle)?;
                                if angle != number(0.0) {
                                    point = call(axis, vec![point, degrees(angle)], at);
                                }
                            }
                            point
                        }
                        (angle, None) => {
                            let angle = degrees(translator.lower(angle)?);
                            call("rotate_z", vec![pos, angle], at)
                        }
                        (angle, Some(axis)) => {
                            let angle = degrees(translator.lower(angle)?);
                            let axis = translator.lower(axis)?;
                            call("rotate", vec![pos, axis, angle], at)
                        }
                    };
                    translator.at_point(&shape, &point)
                }
                "linear_extrude" => {
                    let arguments = named(&["height", "center"])?;
                    let height = arguments
                        .get(&["height", "h"])
                        .ok_or(Untranslatable::Unknown)?;
                    let halved = half(translator.lower(height)?);
                    let z = member(pos, "z");
                    let z = if arguments.is_centred() {
                        z
                    } else {
                        binary("-", z, halved.clone())
                    };
                    let ends = binary("-", call("abs", vec![z], at), halved);
                    Ok(call("max", vec![shape, ends], at))
                }
                "rotate_extrude" => {
                    let flat = vector([
                        member(pos.clone(), "x"),
                        member(pos.clone(), "y"),
                        number(0.0),
                    ]);
                    let radius = call("length", vec![flat], at);
                    let point = vector([radius, member(pos, "z"), number(0.0)]);
                    translator.at_point(&shape, &point)
                }
                "offset" => {
                    let arguments = named(&["r"])?;
                    let amount = arguments
                        .get(&["r", "delta"])
                        .ok_or(Untranslatable::Unknown)?;
                    let amount = translator.lower(amount)?;
                    Ok(binary("-", shape, amount))
                }
                // `union`, `color`, `render` and `group`.
                _ => Ok(shape),
            }
        }
    }
}

/// The sum of a shape and a ball.
fn minkowski(shapes: &[Expr], children: &[Expr], at: usize) -> Result<Expr> {
    match (shapes, children) {
        ([first, _], [_, Expr::Call(name, _, _)]) if name == "sphere" => {
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

/// A shape that is moved, scaled or mirrored by a vector.
pub(super) fn moved(
    translator: &mut Translator<'_>,
    how: &str,
    shape: &Expr,
    by: Expr,
    at: usize,
) -> Result<Expr> {
    let pos = name("pos");
    match how {
        "translate" => translator.at_point(shape, &binary("-", pos, by)),
        "scale" if translator.ty(&by) == Some(Ty::Vector) => {
            let by = translator.atom("size", by)?;
            let least = fold(
                "min",
                ["x", "y", "z"]
                    .map(|axis| member(by.clone(), axis))
                    .into_iter(),
                at,
            );
            let shape = translator.at_point(shape, &binary("/", pos, by))?;
            Ok(binary("*", shape, least))
        }
        "scale" => {
            let shape = translator.at_point(shape, &binary("/", pos, by.clone()))?;
            Ok(binary("*", shape, by))
        }
        _ => {
            let normal = translator.atom("normal", call("normalize", vec![by], at))?;
            let along = call("dot", vec![pos.clone(), normal.clone()], at);
            let point = binary(
                "-",
                pos,
                binary("*", binary("*", number(2.0), along), normal),
            );
            translator.at_point(shape, &point)
        }
    }
}
