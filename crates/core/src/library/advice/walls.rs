//! Walls and offsets of values that are no distances, and therefore are not as thick as they say; and shapes that are thinner than
//! what is taken from them.
//!
//! If the value at the thickness from a place of the surface is not the distance to it, it is followed along the normal to where it
//! is the thickness.

use super::surface::{Budget, Foot, Shape};
use super::{callee, constant, folded, library_function};
use crate::graph::{Document, Function, NodeView};
use crate::vector::{Vector, add, length, scale};

/// A function of the library that makes a wall along a distance.
struct Wall {
    name: &'static str,
    /// Its input that is the thickness.
    thickness: &'static str,
    /// The sides of the surface on which it follows the value, for a positive thickness.
    sides: &'static [f64],
    /// The part of the thickness that is on each.
    part: f64,
}

const WALLS: [Wall; 5] = [
    Wall {
        name: "hollow",
        thickness: "thickness",
        sides: &[-1.0],
        part: 1.0,
    },
    Wall {
        name: "infill",
        thickness: "skin",
        sides: &[-1.0],
        part: 1.0,
    },
    Wall {
        name: "thicken",
        thickness: "thickness",
        sides: &[1.0],
        part: 1.0,
    },
    Wall {
        name: "offset",
        thickness: "amount",
        sides: &[1.0],
        part: 1.0,
    },
    Wall {
        name: "shell",
        thickness: "thickness",
        sides: &[-1.0, 1.0],
        part: 0.5,
    },
];

/// What a function of the library takes from a shape below its surface.
struct Removal {
    name: &'static str,
    /// Depth that is taken: a number of each input.
    inputs: &'static [&'static str],
    depth: fn(&[f64]) -> f64,
    /// Name of the depth, and what follows if the shape is nowhere deeper.
    taken: &'static str,
    effect: &'static str,
}

const REMOVALS: [Removal; 6] = [
    Removal {
        name: "hollow",
        inputs: &["thickness"],
        depth: |numbers| numbers[0],
        taken: "the wall is",
        effect: "no cavity is left",
    },
    Removal {
        name: "infill",
        inputs: &["skin"],
        depth: |numbers| numbers[0],
        taken: "the skin is",
        effect: "no room is left for the lattice",
    },
    Removal {
        name: "offset",
        inputs: &["amount"],
        depth: |numbers| -numbers[0],
        taken: "it shrinks by",
        effect: "nothing is left",
    },
    Removal {
        name: "extrude_tapered",
        inputs: &["height", "draft"],
        depth: |numbers| numbers[0] * numbers[1].tan(),
        taken: "the sides lean inwards by",
        effect: "they meet below the upper end",
    },
    Removal {
        name: "extrude_rounded",
        inputs: &["radius"],
        depth: |numbers| numbers[0],
        taken: "the radius is",
        effect: "the result is lower than the height",
    },
    Removal {
        name: "extrude_chamfered",
        inputs: &["leg"],
        depth: |numbers| numbers[0],
        taken: "the leg is",
        effect: "the result is lower than the height",
    },
];

/// Thicknesses along the normal, and the step; farther out it is this part of the way.
const REACH: f64 = 16.0;
const STEP: f64 = 0.125;
/// Deviation of a slope and of a distance that count as exact.
const EXACTNESS_TOLERANCE: f64 = 0.1;
/// Thicknesses, as multiples of what was asked for, that are not warned of, the part of the places that must have others, and the
/// fewest places. What is too thin is worse than what is too thick.
const ACCEPTED_RATIOS: std::ops::RangeInclusive<f64> = 0.9..=1.25;
const OUTSIDE_PART: f64 = 0.05;
const FEWEST: usize = 10;
/// What is deeper by less is not.
const DEEPER: f64 = 1.0 + 1e-6;

/// Warning about a wall or an offset of a value that is no distance, or of a shape that is too thin for it.
pub(super) fn wall_warning(
    document: &Document,
    function: &Function,
    node: NodeView<'_>,
    budget: &mut Budget,
) -> Option<String> {
    let callee = library_function(callee(document, node)?)?;
    let number = |name: &str| {
        let parameters = &node.signature().parameters;
        let parameter = parameters.iter().position(|one| one.name == name)?;
        known_number(function, node, parameter)
    };
    let removal = REMOVALS.iter().find(|one| one.name == callee.name);
    let removal = removal.and_then(|removal| {
        let numbers: Option<Vec<f64>> = removal.inputs.iter().map(|name| number(name)).collect();
        let depth = (removal.depth)(&numbers?);
        (depth > 0.0).then_some((removal, depth))
    });
    let wall = WALLS.iter().find(|one| one.name == callee.name);
    let wall = wall.and_then(|wall| Some((wall, number(wall.thickness)?)));
    let unit = match (wall, removal) {
        (Some((wall, thickness)), _) => wall.part * thickness.abs(),
        (None, Some((_, depth))) => depth,
        (None, None) => return None,
    };
    let mut parameters = node.signature().parameters.iter();
    let distance = parameters.position(|parameter| parameter.name == "distance")?;
    let shape = Shape::new(document, function, node.link(distance)?, budget)?;
    let feet = shape.feet(unit);
    if feet.len() < FEWEST {
        return None;
    }
    let removed = removal.and_then(|(removal, depth)| removal.warning(depth, &shape, &feet));
    removed.or_else(|| wall.and_then(|(wall, thickness)| wall.warning(thickness, &shape, &feet)))
}

impl Removal {
    /// Warning of a shape that is nowhere deeper than what is taken.
    fn warning(&self, taken: f64, shape: &Shape, feet: &[Foot]) -> Option<String> {
        let depth = shape.depth(feet, taken * DEEPER);
        (depth <= taken * DEEPER).then(|| {
            format!(
                "{}: {}, since {} {} and its distance is nowhere below -{}, as far as found from {} points of the surface",
                self.name,
                self.effect,
                self.taken,
                short(taken),
                short(depth),
                feet.len()
            )
        })
    }
}

impl Wall {
    /// Warning of a wall that has another thickness.
    fn warning(&self, thickness: f64, shape: &Shape, feet: &[Foot]) -> Option<String> {
        let along = self.part * thickness.abs();
        let sides = self.sides.iter().map(|side| thickness.signum() * side);
        let ratios: Vec<f64> = feet
            .iter()
            .flat_map(|foot| {
                sides
                    .clone()
                    .filter_map(|side| shape.ratio(foot, side, along))
            })
            .collect();
        let off = ratios
            .iter()
            .filter(|ratio| !ACCEPTED_RATIOS.contains(ratio));
        if ratios.len() < FEWEST || (off.count() as f64) < OUTSIDE_PART * ratios.len() as f64 {
            return None;
        }
        let least = ratios
            .iter()
            .fold(f64::INFINITY, |least, ratio| least.min(*ratio));
        let most = ratios.iter().fold(0.0, |most: f64, ratio| most.max(*ratio));
        let [least, most] = [least, most].map(|ratio| short(ratio * thickness.abs()));
        Some(format!(
            "{} gets a value that is no distance to the surface: what should be {} is between {least} and {most}, at {} points of the \
             surface; create the shape as a function with distance: {{}}, and pass that",
            self.name,
            thickness.abs(),
            feet.len()
        ))
    }
}

/// Rounds to two significant digits.
fn short(number: f64) -> f64 {
    format!("{number:.1e}").parse().unwrap_or(number)
}

/// A number of a node that is not 0, if constants and defaults determine it.
fn known_number(function: &Function, node: NodeView<'_>, parameter: usize) -> Option<f64> {
    let value = constant(function, node, parameter).or_else(|| {
        let ty = node.parameter_type(parameter);
        Some(folded(function, node.link(parameter)?, ty)?.value)
    })?;
    let number = value.scalars().first().copied()?;
    (number.is_finite() && number.abs() > 0.0).then_some(number)
}

impl Shape {
    /// How far from the surface on a side the value is a thickness, as a multiple of it; `None` if it never is since the shape is
    /// too thin.
    fn ratio(&self, foot: &Foot, side: f64, thickness: f64) -> Option<f64> {
        let at = |far: f64| add(foot.at, scale(foot.normal, side * far * thickness));
        if self.is_distance(at(1.0), thickness) {
            return Some(1.0);
        }
        let (mut far, mut depth) = (0.0, 0.0);
        while far < REACH {
            let next = far + f64::max(STEP, STEP * far);
            let (value, _) = self.at(at(next));
            let deeper = side * value / thickness;
            if deeper >= 1.0 {
                return Some(far + (next - far) * (1.0 - depth) / (deeper - depth));
            }
            // Beyond the middle of what is thin.
            if deeper.is_nan() || deeper < depth {
                break;
            }
            (far, depth) = (next, deeper);
        }
        ((foot.slope - 1.0).abs() > EXACTNESS_TOLERANCE).then_some(1.0 / foot.slope)
    }

    /// True if the value at a point is the distance to the surface along its gradient.
    fn is_distance(&self, point: Vector, thickness: f64) -> bool {
        let (value, gradient) = self.at(point);
        let (rest, _) = self.at(add(point, scale(gradient, -value)));
        (length(gradient) - 1.0).abs() < EXACTNESS_TOLERANCE
            && rest.abs() < EXACTNESS_TOLERANCE * thickness
    }
}
