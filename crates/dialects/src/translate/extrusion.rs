//! Extrusions of flat shapes of `OpenSCAD`, and polygons.

use std::cmp::Ordering;

use super::{Translator, Ty};
use crate::notes::Why;
use crate::tree::{
    Argument, Expr, Result, Untranslatable, binary, call, constant_number, degrees, half, member,
    name, negative, number,
};

/// Hint for a polygon without a translation.
const POLYGON: &str = "write x and y of at least three corners in their order, as in polygon(pos, 0,0, 20,0, 0,10); \
    paths have no translation, nor outlines that cross themselves: for a hole, take another polygon away";

/// The regular polygon of so many sides in a circle, with a corner on the x axis.
pub(super) fn regular_polygon(sides: usize, radius: Expr, at: usize) -> Expr {
    let sides = number(sides as f64);
    call("regular_polygon", vec![name("pos"), sides, radius], at)
}

impl Translator<'_> {
    /// The polygon of `OpenSCAD` with these corners, or that of a flat point and corners.
    ///
    /// # Errors
    /// If there are less than three corners, their order is given beside them, or the outline crosses itself: its inside is
    /// that of the even-odd rule there.
    pub(super) fn polygon(&mut self, arguments: &[Argument], at: usize) -> Result<Expr> {
        let refusal = || Untranslatable::Construct(at, "polygon", POLYGON);
        // It says how a preview is drawn.
        let is_meant = |it: &&Argument| it.name.as_deref() != Some("convexity");
        let arguments: Vec<&Argument> = arguments.iter().filter(is_meant).collect();
        let (point, corners) = match arguments[..] {
            [corners] => (None, corners),
            [point, corners] if point.name.is_none() => (Some(&point.value), corners),
            _ => return Err(refusal()),
        };
        let (None | Some("points"), Expr::List(points, _)) =
            (corners.name.as_deref(), &corners.value)
        else {
            return Err(refusal());
        };
        let mut places: Vec<[Expr; 2]> = Vec::new();
        for point in points {
            let Expr::List(numbers, _) = point else {
                return Err(refusal());
            };
            let [x, y] = &numbers[..] else {
                return Err(refusal());
            };
            let place = [self.lower(x)?, self.lower(y)?];
            if places
                .last()
                .is_none_or(|last| !is_same_place(last, &place))
            {
                places.push(place);
            }
        }
        while places.len() > 1 && is_same_place(&places[0], &places[places.len() - 1]) {
            places.pop();
        }
        if places.len() < 3 || crosses_itself(&places) {
            return Err(refusal());
        }
        let point = match point {
            None => {
                self.notes.add(at, Why::OpenScad, "polygon(...)");
                self.is_scad = true;
                name("pos")
            }
            Some(point) => {
                let point = self.lower(point)?;
                if self.ty(&point) != Some(Ty::Vector) {
                    return Err(refusal());
                }
                self.notes.add(at, Why::Clause, "polygon takes coordinates");
                self.atom("q", point)?
            }
        };
        let coordinates = places.into_iter().flatten();
        let arguments = std::iter::once(point).chain(coordinates).collect();
        Ok(call("polygon", arguments, at))
    }
}

/// Coordinates of a corner, if they are numbers.
fn numbers(place: &[Expr; 2]) -> Option<[f64; 2]> {
    Some([constant_number(&place[0])?, constant_number(&place[1])?])
}

/// True if two corners are the same, as numbers or as written.
fn is_same_place(one: &[Expr; 2], other: &[Expr; 2]) -> bool {
    match (numbers(one), numbers(other)) {
        (Some(one), Some(other)) => one.iter().zip(other).all(|(a, b)| (a - b).abs() <= 0.0),
        _ => one == other,
    }
}

/// True if two edges of an outline whose corners are numbers cross each other.
fn crosses_itself(places: &[[Expr; 2]]) -> bool {
    let corners: Option<Vec<[f64; 2]>> = places.iter().map(numbers).collect();
    let corners = corners.unwrap_or_default();
    let edge = |index: usize| [corners[index], corners[(index + 1) % corners.len()]];
    let side = |[from, to]: [[f64; 2]; 2], at: [f64; 2]| {
        let height = (to[0] - from[0]) * (at[1] - from[1]) - (to[1] - from[1]) * (at[0] - from[0]);
        height.partial_cmp(&0.0)
    };
    let separates = |line: [[f64; 2]; 2], [from, to]: [[f64; 2]; 2]| {
        let sides = [side(line, from), side(line, to)];
        sides.contains(&Some(Ordering::Less)) && sides.contains(&Some(Ordering::Greater))
    };
    (0..corners.len()).any(|one| {
        let one = edge(one);
        let others = (0..corners.len()).map(edge);
        others
            .into_iter()
            .any(|other| separates(one, other) && separates(other, one))
    })
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
    let ring = translator.at_point(shape, &call("revolve", vec![name("pos")], at))?;
    if angle >= 360.0 {
        return Ok(ring);
    }
    let turn = vec![name("pos"), number(0.0), degrees(number(angle))];
    Ok(call("max", vec![ring, call("sector", turn, at)], at))
}
