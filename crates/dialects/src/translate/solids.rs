//! Solids of libraries for CAD and meshes in Python: `cadquery` and `trimesh`.
//!
//! Translated are chains of primitives, extrusions, movements and combinations. What selects faces or edges, which
//! a field of distances does not have, is refused.

use super::{Translator, Ty};
use crate::infinity;
use crate::notes::Why;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, constant_number, degrees, half, member,
    name, negative, number, vector,
};

/// Methods of solids that select or change faces and edges.
const SELECTIONS: [&str; 22] = [
    "edges",
    "faces",
    "vertices",
    "wires",
    "fillet",
    "chamfer",
    "hole",
    "cboreHole",
    "cskHole",
    "workplane",
    "shell",
    "loft",
    "sweep",
    "revolve",
    "polyline",
    "lineTo",
    "line",
    "spline",
    "close",
    "pushPoints",
    "rarray",
    "polarArray",
];
/// Arguments of meshes that say how fine they are.
const FINENESS: [&str; 5] = [
    "subdivisions",
    "sections",
    "count",
    "major_sections",
    "minor_sections",
];
/// Hint for solids without a translation.
pub(crate) const SOLIDS_HINT: &str = "solids are distances, without faces and edges: write them with functions of the library, as in \
    max(rounded_box(pos, vec3(10, 20, 30), 1), -cylinder(pos, 3, 40)); sizes are whole lengths, the middle is at 0";

/// A plane of `cadquery` with the solid that was built on it.
struct Work {
    /// The point in the frame of the plane.
    point: Expr,
    solid: Option<Expr>,
    /// Outlines that are not extruded yet, at the point of the plane.
    outlines: Vec<Outline>,
}

enum Outline {
    Circle(Expr),
    Rectangle(Expr, Expr),
}

fn refusal(at: usize) -> Untranslatable {
    Untranslatable::Construct(at, "cadquery", SOLIDS_HINT)
}

impl Translator<'_> {
    /// A solid of a library; `None` if a method call is none.
    pub(super) fn solid_method(
        &mut self,
        of: &Expr,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Option<Expr>> {
        if is_trimesh(of) {
            return self.mesh(of, text, arguments, at).map(Some);
        }
        if begins_workplane(of, text) || is_workplane(of) {
            let work = self.work(of, text, arguments, at)?;
            return match (work.solid, &work.outlines[..]) {
                (Some(solid), []) => Ok(Some(solid)),
                _ => Err(refusal(at)),
            };
        }
        let is_solid = matches!(of, Expr::Name(name, _) if self.values.get(name).is_some_and(|value| self.is_shape(value)));
        if is_solid && SELECTIONS.contains(&text) && self.notes.library.is_some() {
            return Err(refusal(at));
        }
        Ok(None)
    }

    /// A call of `trimesh.creation` or `trimesh.boolean`.
    fn mesh(&mut self, of: &Expr, text: &str, arguments: &[Argument], at: usize) -> Result<Expr> {
        let refusal = || Untranslatable::Construct(at, "trimesh", SOLIDS_HINT);
        self.notes.add(at, Why::Python, &format!("trimesh.{text}"));
        self.notes.has_solids = true;
        if matches!(of, Expr::Member(_, module, _) if module == "boolean") {
            let [
                Argument {
                    value: Expr::List(solids, _),
                    ..
                },
                ..,
            ] = arguments
            else {
                return Err(refusal());
            };
            let solids = solids.iter().map(|solid| self.lower(solid));
            let mut solids = solids.collect::<Result<Vec<_>>>()?.into_iter();
            let first = solids.next().ok_or_else(refusal)?;
            return match text {
                "difference" => {
                    Ok(solids.fold(first, |a, b| call("max", vec![a, negative(b)], at)))
                }
                "union" => Ok(solids.fold(first, |a, b| call("min", vec![a, b], at))),
                "intersection" => Ok(solids.fold(first, |a, b| call("max", vec![a, b], at))),
                _ => Err(refusal()),
            };
        }
        let (names, function): (&[&str], &str) = match text {
            "box" => (&["extents"], "box"),
            "icosphere" => (&["subdivisions", "radius"], "sphere"),
            "uv_sphere" => (&["radius"], "sphere"),
            "cylinder" => (&["radius", "height"], "cylinder"),
            "torus" => (&["major_radius", "minor_radius"], "torus"),
            _ => return Err(refusal()),
        };
        let mut given: Vec<Option<Expr>> = vec![None; names.len()];
        for (index, argument) in arguments.iter().enumerate() {
            let name = argument
                .name
                .as_deref()
                .or_else(|| names.get(index).copied());
            let name = name.ok_or_else(refusal)?;
            match names.iter().position(|own| *own == name) {
                Some(place) if name != "subdivisions" => {
                    given[place] = Some(self.lower(&argument.value)?);
                }
                _ if FINENESS.contains(&name) => {}
                _ => return Err(refusal()),
            }
        }
        let one = || number(1.0);
        let mut values = vec![name("pos")];
        match (text, &given[..]) {
            ("icosphere", [_, radius]) | ("uv_sphere", [radius]) => {
                values.push(radius.clone().unwrap_or_else(one));
            }
            ("box", [extents]) => {
                let extents = extents
                    .clone()
                    .unwrap_or_else(|| vector([one(), one(), one()]));
                if self.ty(&extents) != Some(Ty::Vector) {
                    return Err(refusal());
                }
                values.push(extents);
            }
            (_, all) => {
                for value in all {
                    values.push(value.clone().ok_or_else(refusal)?);
                }
            }
        }
        Ok(call(function, values, at))
    }

    /// The plane and the solid after a call of a chain of `cadquery`.
    fn work(&mut self, of: &Expr, text: &str, arguments: &[Argument], at: usize) -> Result<Work> {
        if begins_workplane(of, text) {
            self.notes.add(at, Why::Python, "Workplane");
            return Self::plane(arguments, at);
        }
        let Expr::Method(before, method, inner, inner_at) = of else {
            return Err(refusal(at));
        };
        let mut work = self.work(before, method, inner, *inner_at)?;
        let mut values = Vec::new();
        for argument in arguments.iter().filter(|argument| argument.name.is_none()) {
            values.push(self.lower(&argument.value)?);
        }
        let named: Vec<&Argument> = arguments.iter().filter(|it| it.name.is_some()).collect();
        let is_true = |wanted: &str| match &named[..] {
            [] => Some(false),
            [only] if only.name.as_deref() == Some(wanted) => match only.value {
                Expr::Bool(is_true) => Some(is_true),
                _ => None,
            },
            _ => None,
        };
        // What follows a solid is placed at its centre, or at that of a face.
        let is_placed = matches!(
            text,
            "box" | "sphere" | "cylinder" | "circle" | "rect" | "center"
        );
        if is_placed && work.solid.is_some() {
            return Err(refusal(at));
        }
        match (text, &values[..]) {
            ("box", [x, y, z]) if named.is_empty() => {
                let size = vector([x.clone(), y.clone(), z.clone()]);
                let solid = call("box", vec![work.point.clone(), size], at);
                work.add(solid, at);
            }
            ("sphere", [radius]) if named.is_empty() => {
                let solid = call("sphere", vec![work.point.clone(), radius.clone()], at);
                work.add(solid, at);
            }
            ("cylinder", [height, radius]) if named.is_empty() => {
                let solid = call(
                    "cylinder",
                    vec![work.point.clone(), radius.clone(), height.clone()],
                    at,
                );
                work.add(solid, at);
            }
            ("circle", [radius]) if named.is_empty() => {
                work.outlines.push(Outline::Circle(radius.clone()));
            }
            ("rect", [x, y]) if named.is_empty() => {
                work.outlines.push(Outline::Rectangle(x.clone(), y.clone()));
            }
            ("center", [x, y]) if named.is_empty() && work.outlines.is_empty() => {
                let by = vector([x.clone(), y.clone(), number(0.0)]);
                work.point = binary("-", work.point, by);
            }
            ("extrude", [height]) => {
                let is_both = is_true("both").ok_or_else(|| refusal(at))?;
                let solid = work.extruded(height, is_both, at)?;
                work.add(solid, at);
            }
            ("cut" | "union" | "intersect", [other])
                if named.is_empty() && work.outlines.is_empty() =>
            {
                let solid = work.solid.take().ok_or_else(|| refusal(at))?;
                if !self.is_shape(other) {
                    return Err(refusal(at));
                }
                let (function, other) = match text {
                    "cut" => ("max", negative(other.clone())),
                    "union" => ("min", other.clone()),
                    _ => ("max", other.clone()),
                };
                work.solid = Some(call(function, vec![solid, other], at));
            }
            ("translate", [by]) if named.is_empty() && work.outlines.is_empty() => {
                let solid = work.solid.take().ok_or_else(|| refusal(at))?;
                let point = binary("-", name("pos"), by.clone());
                work.solid = Some(self.at_point(&solid, &point)?);
            }
            ("rotate", [from, to, angle]) if named.is_empty() && work.outlines.is_empty() => {
                let solid = work.solid.take().ok_or_else(|| refusal(at))?;
                let is_origin = ["x", "y", "z"]
                    .iter()
                    .all(|axis| constant_number(&member(from.clone(), axis)) == Some(0.0));
                if !is_origin {
                    return Err(refusal(at));
                }
                let point = call(
                    "rotate",
                    vec![name("pos"), to.clone(), degrees(angle.clone())],
                    at,
                );
                work.solid = Some(self.at_point(&solid, &point)?);
            }
            ("val" | "clean" | "findSolid" | "combine", []) => {}
            _ => return Err(refusal(at)),
        }
        Ok(work)
    }

    /// `cq.Workplane("XZ")`.
    fn plane(arguments: &[Argument], at: usize) -> Result<Work> {
        let axes = match arguments {
            [] => "XY",
            [
                Argument {
                    name: None,
                    value: Expr::Text(plane),
                },
            ] => plane.as_str(),
            _ => return Err(refusal(at)),
        };
        let component = |axis: &str| member(name("pos"), axis);
        let point = match axes {
            "XY" | "front" => name("pos"),
            "XZ" => vector([component("x"), component("z"), negative(component("y"))]),
            "YZ" => vector([component("y"), component("z"), component("x")]),
            _ => return Err(refusal(at)),
        };
        Ok(Work {
            point,
            solid: None,
            outlines: Vec::new(),
        })
    }
}

impl Work {
    /// Joins a solid to the one before.
    fn add(&mut self, solid: Expr, at: usize) {
        self.solid = Some(match self.solid.take() {
            Some(before) => call("min", vec![before, solid], at),
            None => solid,
        });
    }

    /// The only outline, from the plane up to a height, or to both sides of it.
    fn extruded(&mut self, height: &Expr, is_both: bool, at: usize) -> Result<Expr> {
        if infinity::sign(height) != 0 || constant_number(height).is_none_or(|height| height <= 0.0)
        {
            return Err(refusal(at));
        }
        let (point, whole) = if is_both {
            (self.point.clone(), binary("*", number(2.0), height.clone()))
        } else {
            let up = vector([number(0.0), number(0.0), half(height.clone())]);
            (binary("-", self.point.clone(), up), height.clone())
        };
        let outlines = std::mem::take(&mut self.outlines);
        match <[Outline; 1]>::try_from(outlines) {
            Ok([Outline::Circle(radius)]) => Ok(call("cylinder", vec![point, radius, whole], at)),
            Ok([Outline::Rectangle(x, y)]) => {
                Ok(call("box", vec![point, vector([x, y, whole])], at))
            }
            Err(_) => Err(refusal(at)),
        }
    }
}

/// True if a value is `trimesh.creation` or `trimesh.boolean`.
fn is_trimesh(value: &Expr) -> bool {
    matches!(value, Expr::Member(of, module, _)
        if matches!(module.as_str(), "creation" | "boolean") && matches!(&**of, Expr::Name(name, _) if name == "trimesh"))
}

/// True if a call is `cq.Workplane(...)`.
fn begins_workplane(of: &Expr, text: &str) -> bool {
    text == "Workplane"
        && matches!(of, Expr::Name(name, _) if matches!(name.as_str(), "cq" | "cadquery"))
}

/// True if a value is a chain of calls that begins with a plane.
fn is_workplane(value: &Expr) -> bool {
    matches!(value, Expr::Method(of, text, ..) if begins_workplane(of, text) || is_workplane(of))
}
