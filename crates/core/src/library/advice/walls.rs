//! Walls and offsets of values that are no distances, and therefore are not as thick as they say.
//!
//! Newton steps from points all around the origin lead to the surface of the shape. If the value at the thickness from there is not
//! the distance to the surface, it is followed along the normal to where it is the thickness.

use std::sync::Arc;

use fibula_eval::{Code, Rounding, Settings};
use fibula_nodes::{PortSpec, Type, Value};

use super::{callee, constant, folded, library_function};
use crate::eval::Tape;
use crate::graph::{Document, Function, NodeData, NodeId, NodeView, Setting, SourceData};
use crate::vector::{Vector, add, dot, length, scale};

/// Functions of the library that take a distance and a thickness, with the sides of the surface on which they follow the value, and
/// the part of the thickness that is on each.
const WALLS: [(&str, &[f64], f64); 4] = [
    ("hollow", &[-1.0], 1.0),
    ("thicken", &[1.0], 1.0),
    ("offset", &[1.0], 1.0),
    ("shell", &[-1.0, 1.0], 0.5),
];
/// Half sides, in thicknesses, of the boxes around the origin from which steps lead to the surface.
const BOXES: [f64; 5] = [1.0, 4.0, 16.0, 64.0, 256.0];
/// Maximum points in each box, and the evaluations of one.
const POINTS: usize = 24;
const EVALUATIONS: usize = 100;
/// Operations for all walls that are examined together, for one of them, and those that compiling a node is worth.
const OPERATIONS: usize = 20_000_000;
const WALL_OPERATIONS: usize = 4_000_000;
const COMPILING: usize = 2_000;
/// Maximum number of Newton steps, the last one in thicknesses, and the part of the way that those before it go: at the surface
/// itself some values have no gradient.
const STEPS: usize = 16;
const STEP_TOLERANCE: f64 = 1e-5;
const DAMPING: f64 = 0.999;
/// Distance in thicknesses at which the normals on both sides of a place are compared, and the least cosine of the angle between
/// them: at edges they differ.
const NORMAL_OFFSET: f64 = 1e-3;
const SMOOTH: f64 = 0.99;
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

/// Operations that are left for further walls.
pub(super) struct Budget(usize);

impl Default for Budget {
    fn default() -> Budget {
        Budget(OPERATIONS)
    }
}

impl Budget {
    /// Takes operations; false if there are not as many.
    fn take(&mut self, operations: usize) -> bool {
        let left = self.0.checked_sub(operations);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Warning about a wall or an offset of a value that is no distance.
pub(super) fn wall_thickness_warning(
    document: &Document,
    function: &Function,
    node: NodeView<'_>,
    budget: &mut Budget,
) -> Option<String> {
    let callee = library_function(callee(document, node)?)?;
    let (name, sides, part) = WALLS.iter().find(|(name, ..)| *name == callee.name)?;
    let [distance, thickness] = [0, 1].map(|input| {
        let mut parameters = node.signature().parameters.iter();
        parameters.position(|parameter| parameter.name == callee.inputs[input].name)
    });
    let thickness = known_number(function, node, thickness?)?;
    let shape = Shape::new(document, function, node.link(distance?)?, budget)?;
    let along = part * thickness.abs();
    let ratios = shape.ratios(along, sides, thickness.signum())?;
    let off = ratios
        .iter()
        .filter(|ratio| !ACCEPTED_RATIOS.contains(ratio));
    if (off.count() as f64) < OUTSIDE_PART * ratios.len() as f64 {
        return None;
    }
    let least = ratios
        .iter()
        .fold(f64::INFINITY, |least, ratio| least.min(*ratio));
    let most = ratios.iter().fold(0.0, |most: f64, ratio| most.max(*ratio));
    let [least, most] = [least, most].map(|ratio| short(ratio * thickness.abs()));
    Some(format!(
        "{name} gets a value that is no distance to the surface: what should be {} is between {least} and {most}, at {} points of the \
         surface; create the shape as a function with distance: {{}}, and pass that",
        thickness.abs(),
        ratios.len() / sides.len()
    ))
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

/// The value of a port, as a function of the point.
struct Shape {
    code: Arc<Code>,
    /// Arguments of the tape: those of the point are overwritten.
    arguments: Vec<f64>,
    /// Indexes of the coordinates of the point in the arguments.
    point: [usize; 3],
    /// Number of points in each box.
    points: usize,
}

impl Shape {
    /// `None` if other inputs than the point have no default, or it cannot be evaluated.
    fn new(
        document: &Document,
        function: &Function,
        (node, port): (NodeId, usize),
        budget: &mut Budget,
    ) -> Option<Shape> {
        if !budget.take(COMPILING * function.node_count()) {
            return None;
        }
        let mut data = function.data();
        let port = &function.node(node).ok()?.signature().ports[port].name;
        let output = Setting::Source(SourceData::new(node, &**port));
        data.function_id = None;
        data.outputs = vec![PortSpec::new("value", Type::Float)];
        data.nodes.retain(|node| node.node_id != Some(NodeId::END));
        data.nodes.push(NodeData {
            parameters: [("value".to_owned(), output)].into(),
            ..NodeData::new(NodeId::END, "End")
        });
        let mut document = document.clone();
        let id = document.insert(&data).ok()?;
        let tape = Tape::new(&document, id).ok()?;
        let mut arguments = Vec::new();
        let mut point = Vec::new();
        for input in tape.inputs() {
            let first = arguments.len();
            let is_point = point.len() < 3
                && match input.ty {
                    Type::Float3 => input.name == "pos" || input.default_value().is_none(),
                    Type::Float => ["x", "y", "z"].contains(&&*input.name),
                    _ => false,
                };
            if is_point {
                point.extend(first..first + input.ty.width());
                arguments.resize(arguments.len() + input.ty.width(), 0.0);
            } else {
                arguments.extend(input.default_value().map(Value::scalars)?.iter());
            }
        }
        let each = EVALUATIONS * BOXES.len() * tape.operations().len().max(1);
        let points = POINTS.min(WALL_OPERATIONS / each);
        if !budget.take(points * each) {
            return None;
        }
        Some(Shape {
            code: tape.code(Rounding::Exact).clone(),
            arguments,
            point: point.try_into().ok()?,
            points,
        })
    }

    /// The value at a point and its gradient.
    fn at(&self, point: Vector) -> (f64, Vector) {
        let mut arguments = self.arguments.clone();
        for (place, coordinate) in self.point.iter().zip(point) {
            arguments[*place] = coordinate;
        }
        let found = self
            .code
            .jacobian(&arguments, &self.point, Settings::default());
        let gradient = found.derivatives.try_into().unwrap_or([f64::NAN; 3]);
        (found.values[0], gradient)
    }

    /// Returns how far from places of the surface the value is a thickness, as a multiple of it; `None` if there are too few
    /// places.
    fn ratios(&self, thickness: f64, sides: &[f64], sign: f64) -> Option<Vec<f64>> {
        let mut ratios = Vec::new();
        let mut index = 0.0;
        for half in BOXES {
            for _ in 0..self.points {
                index += 1.0;
                let start = [0.754_877_666, 0.569_840_291, 0.819_172_513]
                    .map(|step: f64| ((index * step).fract() * 2.0 - 1.0) * half * thickness);
                if let Some((foot, normal, slope)) = self.foot(start, half * thickness, thickness) {
                    let sides = sides.iter().map(|side| sign * side);
                    ratios.extend(
                        sides.filter_map(|side| self.ratio((foot, normal), side, thickness, slope)),
                    );
                }
            }
        }
        (ratios.len() >= FEWEST).then_some(ratios)
    }

    /// The place of the surface that steps from a point lead to, with the unit normal and the slope there.
    fn foot(&self, start: Vector, longest: f64, thickness: f64) -> Option<(Vector, Vector, f64)> {
        let mut at = start;
        for _ in 0..STEPS {
            let (value, gradient) = self.at(at);
            let slope = length(gradient);
            if !(value / slope).is_finite() {
                return None;
            }
            let normal = scale(gradient, 1.0 / slope);
            let way = -value / slope;
            if way.abs() > STEP_TOLERANCE * thickness {
                at = add(at, scale(normal, (DAMPING * way).clamp(-longest, longest)));
                continue;
            }
            at = add(at, scale(normal, way));
            let is_smooth = [-NORMAL_OFFSET, NORMAL_OFFSET].iter().all(|by| {
                let (value, beside) = self.at(add(at, scale(normal, by * thickness)));
                value * by > 0.0 && dot(beside, normal) > SMOOTH * length(beside)
            });
            return is_smooth.then_some((at, normal, slope));
        }
        None
    }

    /// How far from the surface on a side the value is a thickness, as a multiple of it; `None` if it never is since the shape is
    /// too thin.
    fn ratio(
        &self,
        (foot, normal): (Vector, Vector),
        side: f64,
        thickness: f64,
        slope: f64,
    ) -> Option<f64> {
        let at = |far: f64| add(foot, scale(normal, side * far * thickness));
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
        ((slope - 1.0).abs() > EXACTNESS_TOLERANCE).then_some(1.0 / slope)
    }

    /// True if the value at a point is the distance to the surface along its gradient.
    fn is_distance(&self, point: Vector, thickness: f64) -> bool {
        let (value, gradient) = self.at(point);
        let (rest, _) = self.at(add(point, scale(gradient, -value)));
        (length(gradient) - 1.0).abs() < EXACTNESS_TOLERANCE
            && rest.abs() < EXACTNESS_TOLERANCE * thickness
    }
}
