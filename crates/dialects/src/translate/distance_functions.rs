//! Distance functions of Inigo Quilez's collection whose arguments are not those of the library: half heights, sizes in a
//! vector of two components, and the y axis as the axis of what is round.
//!
//! A formula has the values of the original, or at least the same solid. There is none where versions of a function
//! differ in the order or the meaning of their arguments.
//!
//! Source: <https://iquilezles.org/articles/distfunctions/>.

use super::scopes::Values;
use super::{FreePoints, Translator, Ty};
use crate::notes::Why;
use crate::synonyms;
use crate::tree::{Argument, Expr, Result, Statement, Untranslatable};

/// A function by its name without marks, its parameters with their numbers of components, and its expression.
type Formula = (&'static str, &'static [(&'static str, usize)], &'static str);

const FORMULAS: [Formula; 10] = [
    (
        "hexprism",
        &[("p", 3), ("h", 2)],
        "hexagonal_prism(p, 2 * h.x, 2 * h.y)",
    ),
    (
        "triprism",
        &[("p", 3), ("h", 2)],
        "max(abs(p.z) - h.y, max(abs(p.x) * 0.866025 + p.y * 0.5, -p.y) - h.x * 0.5)",
    ),
    (
        "cappedcylinder",
        &[("p", 3), ("h", 2)],
        "cylinder(vec3(p.x, p.z, p.y), h.x, 2 * h.y)",
    ),
    (
        "cylinder",
        &[("p", 3), ("h", 2)],
        "cylinder(vec3(p.x, p.z, p.y), h.x, 2 * h.y)",
    ),
    (
        "cylinder",
        &[("p", 3), ("c", 3)],
        "length(vec3(p.x - c.x, p.z - c.y, 0)) - c.z",
    ),
    (
        "cappedcone",
        &[("p", 3), ("h", 1), ("r1", 1), ("r2", 1)],
        "cone(vec3(p.x, p.z, p.y), r1, r2, 2 * h)",
    ),
    (
        "verticalcapsule",
        &[("p", 3), ("h", 1), ("r", 1)],
        "capsule(p, vec3(0, 0, 0), vec3(0, h, 0), r)",
    ),
    (
        "link",
        &[("p", 3), ("le", 1), ("r1", 1), ("r2", 1)],
        "torus(vec3(p.x, max(abs(p.y) - le, 0), p.z), r1, r2)",
    ),
    (
        "octahedron",
        &[("p", 3), ("s", 1)],
        "(abs(p.x) + abs(p.y) + abs(p.z) - s) * 0.57735027",
    ),
    (
        "boxframe",
        &[("p", 3), ("b", 3), ("t", 1)],
        "min(min(\
            box(vec3(p.x, abs(p.y) - b.y + t, abs(p.z) - b.z + t), 2 * vec3(b.x, t, t)), \
            box(vec3(abs(p.x) - b.x + t, p.y, abs(p.z) - b.z + t), 2 * vec3(t, b.y, t))), \
            box(vec3(abs(p.x) - b.x + t, abs(p.y) - b.y + t, p.z), 2 * vec3(t, t, b.z)))",
    ),
];

/// Functions of which there is no formula, with what to write; names without marks.
const OTHERS: [(&str, &str, &str); 6] = [
    (
        "cappedcylinder",
        "sdCappedCylinder",
        "its versions differ in the order of radius and half height: write cylinder(vec3(pos.x, pos.z, pos.y), radius, height), \
         with the whole height, along y",
    ),
    (
        "roundedcylinder",
        "sdRoundedCylinder",
        "its versions differ in the meaning of their radii: write cylinder(vec3(pos.x, pos.z, pos.y), radius - rounding, \
         height - 2 * rounding) - rounding, with the whole height, along y",
    ),
    (
        "cone",
        "sdCone",
        "its versions differ in the meaning of the sine and the cosine: write cone(vec3(pos.x, pos.z, pos.y + height / 2), \
         radius, 0, height), with the tip at 0 and the axis along y",
    ),
    (
        "optwist",
        "opTwist",
        "twist(pos, pitch) takes the height of a whole turn about z, 2 * pi / k, as in box(twist(pos, 60), vec3(9, 9, 16))",
    ),
    ("opcheapbend", "opCheapBend", BEND),
    ("opbend", "opBend", BEND),
];
/// Functions of which the library has the solid, but other distances off its surface.
const OTHER_DISTANCES: [&str; 2] = ["octahedron", "ellipsoid"];
const BEND: &str =
    "bend(pos, radius) bends a bar along x upwards, as in box(bend(pos, 12), vec3(22, 6, 3))";

impl Translator<'_> {
    /// A distance function of the collection; `None` if a call is none.
    ///
    /// # Errors
    /// If the function has versions that differ, or another meaning here.
    pub(super) fn distance_function(
        &mut self,
        text: &str,
        arguments: &[Argument],
        at: usize,
    ) -> Result<Option<Expr>> {
        let folded = text.replace('_', "").to_lowercase();
        let is_marked = folded.starts_with("sd") || folded.starts_with("op");
        if !is_marked || !self.is_unknown(text) {
            return Ok(None);
        }
        let plain = synonyms::plain(text);
        if OTHER_DISTANCES.contains(&&*plain) {
            let note = format!("{plain} has other distances off its surface");
            self.notes.add(at, Why::Clause, &note);
        }
        let is_known = FORMULAS.iter().any(|(name, ..)| *name == plain)
            || OTHERS.iter().any(|(name, ..)| *name == plain);
        if !is_known || arguments.iter().any(|argument| argument.name.is_some()) {
            return Ok(None);
        }
        let lowered = arguments.iter().map(|argument| self.lower(&argument.value));
        let lowered = lowered.collect::<Result<Vec<_>>>()?;
        let is_free = lowered
            .first()
            .is_some_and(|first| self.is_free_point(first));
        if is_free && self.points != FreePoints::Position {
            return Err(Untranslatable::Point);
        }
        let fits = |(value, (_, components)): (&Expr, &(&str, usize))| match components {
            1 => self.ty(value) != Some(Ty::Vector),
            2 => self.is_flat(value),
            _ => self.ty(value) == Some(Ty::Vector) && !self.is_flat(value),
        };
        let formula = FORMULAS.iter().find(|(name, parameters, _)| {
            *name == plain
                && parameters.len() == lowered.len()
                && lowered.iter().zip(*parameters).all(fits)
        });
        let Some((_, parameters, expression)) = formula else {
            return match OTHERS.iter().find(|(name, ..)| *name == plain) {
                Some((_, name, hint)) => Err(Untranslatable::Construct(at, name, hint)),
                None => Ok(None),
            };
        };
        self.notes.add(at, Why::Function, text);
        let body = synonyms::parsed(expression).ok_or(Untranslatable::Unknown)?;
        let mut values = Values::new();
        for (value, (name, components)) in lowered.into_iter().zip(*parameters) {
            let mut uses = 0;
            body.names(&mut |used| uses += usize::from(used == *name));
            let is_listed = *components > 1 && matches!(value, Expr::Call(..)) && *name != "p";
            let value = if uses > 1 && !is_listed {
                self.atom(name, value)?
            } else {
                value
            };
            values.insert((*name).to_owned(), value);
        }
        self.inline(values, &[Statement::Return(body)]).map(Some)
    }
}
