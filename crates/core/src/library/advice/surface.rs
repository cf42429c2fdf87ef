//! The surface of a shape that is the value of a node, found by Newton steps from points all around the origin.

use std::sync::Arc;

use fibula_eval::{Code, Rounding, Settings};
use fibula_nodes::{PortSpec, Type, Value};

use crate::eval::Tape;
use crate::graph::{Document, Function, NodeData, NodeId, Setting, SourceData};
use crate::vector::{Vector, add, dot, length, scale};

/// Half sides, as multiples of a length, of the boxes around the origin from which steps lead to the surface.
const BOXES: [f64; 5] = [1.0, 4.0, 16.0, 64.0, 256.0];
/// Maximum points in each box, the evaluations of one, and those of the search for the deepest point.
const POINTS: usize = 24;
const EVALUATIONS: usize = 100;
const SEARCH: usize = 600;
/// Operations for all shapes that are examined together, for one of them, and those that compiling a node is worth.
const OPERATIONS: usize = 20_000_000;
const SHAPE_OPERATIONS: usize = 4_000_000;
const COMPILING: usize = 2_000;
/// Maximum number of Newton steps, the last one as a multiple of the length, and the part of the way that those before it go: at
/// the surface itself some values have no gradient.
const STEPS: usize = 16;
const STEP_TOLERANCE: f64 = 1e-5;
const DAMPING: f64 = 0.999;
/// Distance, as a multiple of the length, at which the normals on both sides of a place are compared, and the least cosine of the
/// angle between them: at edges they differ.
const NORMAL_OFFSET: f64 = 1e-3;
const SMOOTH: f64 = 0.99;
/// Step below the surface, and the last one, as multiples of the depth.
const DEPTH_STEP: f64 = 0.125;
const DEEPEST_STEP: f64 = 16.0;
/// Steps of the search for the deepest point, as multiples of the depth: the first and the last; and the attempts with each.
const SEARCH_STEPS: [f64; 2] = [0.5, 1e-4];
const ATTEMPTS: usize = 24;

/// Operations that are left for further shapes.
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

/// A place of a surface.
pub(super) struct Foot {
    pub(super) at: Vector,
    /// The unit normal, outwards.
    pub(super) normal: Vector,
    /// Length of the gradient.
    pub(super) slope: f64,
}

/// The value of a port, as a function of the point.
pub(super) struct Shape {
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
    pub(super) fn new(
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
        let operations = tape.operations().len().max(1);
        let each = EVALUATIONS * BOXES.len() * operations;
        let points = POINTS.min(SHAPE_OPERATIONS / each);
        if !budget.take(points * each + SEARCH * operations) {
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
    pub(super) fn at(&self, point: Vector) -> (f64, Vector) {
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

    /// Places of the surface, found from boxes in proportion to a length.
    pub(super) fn feet(&self, unit: f64) -> Vec<Foot> {
        let starts = (0..BOXES.len() * self.points)
            .map(|index| (scattered(index), BOXES[index / self.points] * unit));
        starts
            .filter_map(|(start, half)| self.foot(scale(start, half), half, unit))
            .collect()
    }

    /// The place of the surface that steps from a point lead to.
    fn foot(&self, start: Vector, longest: f64, unit: f64) -> Option<Foot> {
        let mut at = start;
        for _ in 0..STEPS {
            let (value, gradient) = self.at(at);
            let slope = length(gradient);
            if !(value / slope).is_finite() {
                return None;
            }
            let normal = scale(gradient, 1.0 / slope);
            let way = -value / slope;
            if way.abs() > STEP_TOLERANCE * unit {
                at = add(at, scale(normal, (DAMPING * way).clamp(-longest, longest)));
                continue;
            }
            at = add(at, scale(normal, way));
            let is_smooth = [-NORMAL_OFFSET, NORMAL_OFFSET].iter().all(|by| {
                let (value, beside) = self.at(add(at, scale(normal, by * unit)));
                value * by > 0.0 && dot(beside, normal) > SMOOTH * length(beside)
            });
            return is_smooth.then_some(Foot { at, normal, slope });
        }
        None
    }

    /// The greatest depth below places of the surface, or one above `enough`: along the normals, then by adaptive random search
    /// (Schumer and Steiglitz 1968) from the deepest point of these.
    pub(super) fn depth(&self, feet: &[Foot], enough: f64) -> f64 {
        let mut deepest = (0.0, [0.0; 3]);
        for foot in feet {
            let mut depth = 0.0;
            let mut far = DEPTH_STEP;
            while far <= DEEPEST_STEP {
                let at = add(foot.at, scale(foot.normal, -far * enough));
                let deeper = -self.at(at).0;
                if deeper.is_nan() || deeper <= depth {
                    break;
                }
                depth = deeper;
                if depth > deepest.0 {
                    deepest = (depth, at);
                }
                if depth > enough {
                    return depth;
                }
                far += DEPTH_STEP;
            }
        }
        let [mut step, last] = SEARCH_STEPS;
        let mut failures = 0;
        for index in 0..SEARCH {
            let at = add(deepest.1, scale(scattered(index), step * enough));
            let depth = -self.at(at).0;
            if depth > deepest.0 {
                deepest = (depth, at);
                failures = 0;
            } else {
                failures += 1;
            }
            if failures == ATTEMPTS {
                (step, failures) = (step / 2.0, 0);
            }
            if depth > enough || step < last {
                break;
            }
        }
        deepest.0
    }
}

/// A point of the cube from -1 to 1, of a sequence that fills it evenly (Roberts 2018).
fn scattered(index: usize) -> Vector {
    [0.754_877_666, 0.569_840_291, 0.819_172_513]
        .map(|step: f64| ((index + 1) as f64 * step).fract() * 2.0 - 1.0)
}
