//! Extrusions of flat shapes of `OpenSCAD`, and convex polygons.

use std::f64::consts::PI;

use super::{Translator, Ty};
use crate::notes::Why;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, constant_number, degrees, fold, half,
    literal, member, name, negative, number, vector,
};

/// Hint for a polygon without a translation.
const POLYGON: &str = "a convex polygon whose corners are numbers is translated, others are unions of such; \
    or intersect half spaces, as in max(plane(pos, vec3(1, 0, 0), 5), plane(pos, vec3(0, 1, 0), 5))";

/// The regular polygon of so many sides in a circle, with a corner on the x axis.
pub(super) fn polygon(sides: usize, radius: &Expr, at: usize) -> Expr {
    let half_turn = PI / sides as f64;
    let distance = match radius {
        Expr::Number(text) => text
            .parse::<f64>()
            .ok()
            .map(|radius| rounded(radius * half_turn.cos())),
        _ => None,
    };
    let distance =
        distance.unwrap_or_else(|| binary("*", radius.clone(), rounded(half_turn.cos())));
    let sides =
        (0..sides).map(|side| side_at((2 * side + 1) as f64 * half_turn, distance.clone(), at));
    crate::tree::fold("max", sides, at)
}

impl Translator<'_> {
    /// The polygon of `OpenSCAD` with these corners, or that of a flat point and corners, as an intersection of half spaces.
    ///
    /// # Errors
    /// If its corners are no numbers, or it is not convex.
    pub(super) fn convex_polygon(&mut self, arguments: &[Argument], at: usize) -> Result<Expr> {
        let refusal = || Untranslatable::Construct(at, "polygon", POLYGON);
        let (point, corners) = match arguments {
            [corners] => (None, corners),
            [point, corners] if point.name.is_none() => (Some(&point.value), corners),
            _ => return Err(refusal()),
        };
        let Argument {
            name,
            value: Expr::List(points, _),
        } = corners
        else {
            return Err(refusal());
        };
        let corner = |point: &Expr| match point {
            Expr::List(numbers, _) => match &numbers[..] {
                [x, y] => Some([constant_number(x)?, constant_number(y)?]),
                _ => None,
            },
            _ => None,
        };
        let corners = points.iter().map(corner).collect::<Option<Vec<_>>>();
        let sides = corners.and_then(convex_sides);
        let (None | Some("points"), Some(sides)) = (name.as_deref(), sides) else {
            return Err(refusal());
        };
        let point = match point {
            None => {
                self.notes.add(at, Why::OpenScad, "polygon(...)");
                self.is_scad = true;
                crate::tree::name("pos")
            }
            Some(point) => {
                let point = self.lower(point)?;
                if self.ty(&point) != Some(Ty::Vector) {
                    return Err(refusal());
                }
                let note = "polygon has other distances at its corners";
                self.notes.add(at, Why::Clause, note);
                self.atom("q", point)?
            }
        };
        let planes = sides.into_iter().map(|[x, y, offset]| {
            let normal = vector([rounded(x), rounded(y), number(0.0)]);
            call("plane", vec![point.clone(), normal, rounded(offset)], at)
        });
        Ok(fold("max", planes, at))
    }
}

/// Outward normals of the sides of a convex polygon, with their distances from 0; `None` if it is not convex.
fn convex_sides(mut corners: Vec<[f64; 2]>) -> Option<Vec<[f64; 3]>> {
    corners.dedup();
    if corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    let next = |index: usize| corners[(index + 1) % corners.len()];
    let edges = corners.iter().enumerate().map(|(index, corner)| {
        let next = next(index);
        [next[0] - corner[0], next[1] - corner[1]]
    });
    let edges: Vec<[f64; 2]> = edges.collect();
    let turns = edges.iter().enumerate().map(|(index, a)| {
        let b = edges[(index + 1) % edges.len()];
        f64::atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1])
    });
    let turns: Vec<f64> = turns.collect();
    // Counterclockwise or clockwise, once around.
    let sense = turns.iter().sum::<f64>().signum();
    let is_convex = turns
        .iter()
        .all(|turn| sense * turn > 0.0 && turn.abs() < PI);
    let is_simple = (turns.iter().sum::<f64>().abs() - 2.0 * PI).abs() < 1e-6;
    if !is_convex || !is_simple {
        return None;
    }
    let side = |(edge, corner): (&[f64; 2], &[f64; 2])| {
        let [x, y] = [sense * edge[1], -sense * edge[0]];
        let length = x.hypot(y);
        let offset = (x * corner[0] + y * corner[1]) / length;
        if x == 0.0 || y == 0.0 {
            [x / length, y / length, offset]
        } else {
            [x, y, offset]
        }
    };
    Some(edges.iter().zip(&corners).map(side).collect())
}

/// The half space below a side whose normal has this angle about z.
fn side_at(angle: f64, distance: Expr, at: usize) -> Expr {
    let normal = vector([rounded(angle.cos()), rounded(angle.sin()), number(0.0)]);
    call("plane", vec![name("pos"), normal, distance], at)
}

/// A number with twelve digits behind the point.
fn rounded(value: f64) -> Expr {
    let rounded = (value * 1e12).round() / 1e12;
    literal(if rounded == 0.0 { 0.0 } else { rounded })
}

/// A flat shape from 0 up to a height, or about 0, turned clockwise on its way by an angle in degrees.
pub(super) fn linear(
    translator: &mut Translator<'_>,
    shape: &Expr,
    height: Expr,
    twist: Option<Expr>,
    is_centred: bool,
    at: usize,
) -> Result<Expr> {
    let halved = half(height.clone());
    let z = member(name("pos"), "z");
    let from_middle = if is_centred {
        z.clone()
    } else {
        binary("-", z.clone(), halved.clone())
    };
    let ends = binary("-", call("abs", vec![from_middle], at), halved.clone());
    let shape = match twist {
        Some(twist) if twist != number(0.0) => {
            let above = if is_centred {
                binary("+", z, halved)
            } else {
                z
            };
            let angle = binary("/", binary("*", degrees(twist), above), height);
            let point = call("rotate_z", vec![name("pos"), negative(angle)], at);
            translator.at_point(shape, &point)?
        }
        _ => shape.clone(),
    };
    Ok(call("max", vec![shape, ends], at))
}

/// A flat shape whose y becomes z, turned about z by an angle in degrees from the x axis on.
pub(super) fn turned(
    translator: &mut Translator<'_>,
    shape: &Expr,
    angle: f64,
    at: usize,
) -> Result<Expr> {
    let pos = || name("pos");
    let flat = vector([member(pos(), "x"), member(pos(), "y"), number(0.0)]);
    let radius = call("length", vec![flat], at);
    let point = vector([radius, member(pos(), "z"), number(0.0)]);
    let ring = translator.at_point(shape, &point)?;
    if angle >= 360.0 {
        return Ok(ring);
    }
    let start = negative(member(pos(), "y"));
    let end = side_at((angle + 90.0).to_radians(), number(0.0), at);
    let join = if angle <= 180.0 { "max" } else { "min" };
    Ok(call(
        "max",
        vec![ring, call(join, vec![start, end], at)],
        at,
    ))
}
