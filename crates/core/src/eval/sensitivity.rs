//! Sensitivity of the outputs of a function to its inputs at one point, by finite differences.

use fibula_nodes::{PortSpec, Value};

use super::error::EvalError;
use super::tape::{Request, Tape};
use crate::graph::{Document, Function};

/// Step of the differences, relative to the value and at least as large absolutely.
const STEP: f64 = 1e-6;
/// Derivative below which an input has no influence.
const LEAST_DERIVATIVE: f64 = 1e-3;

/// Components of a value, as a set of bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Components(u32);

impl Components {
    /// The whole value, of any type.
    pub(super) const ALL: Components = Components(u32::MAX);

    pub(super) fn contains(self, component: usize) -> bool {
        self.0 >> component & 1 == 1
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The component, if it is the only one.
    pub(super) fn only(self) -> Option<usize> {
        self.0
            .is_power_of_two()
            .then(|| self.0.trailing_zeros() as usize)
    }
}

impl FromIterator<usize> for Components {
    fn from_iter<I: IntoIterator<Item = usize>>(components: I) -> Self {
        let bits = components.into_iter().map(|component| 1 << component);
        Components(bits.fold(0, |all, bit: u32| all | bit))
    }
}

/// Returns, for each input, the components that change these components of the output; all of them if none does, as in
/// steps, or if the input is not numeric.
///
/// # Errors
/// [`EvalError`], as for a [`Tape`].
pub(super) fn deciding_components(
    document: &Document,
    function: &Function,
    values: &[Value],
    output: usize,
    components: Components,
) -> Result<Vec<Components>, EvalError> {
    let inputs = function.inputs();
    let mut request = Request::default();
    for (input, value) in inputs.iter().zip(values) {
        if value.scalars().is_empty() {
            request.statics.insert(input.name.clone(), value.clone());
        }
    }
    let tape = Tape::with(document, function.id(), &request)?;
    let watched = watched(tape.outputs(), output, components);
    let sample = |point: &[f64]| -> Vec<f64> {
        let outputs = tape.at(point);
        watched.iter().map(|&place| outputs[place]).collect()
    };
    let mut point: Vec<f64> = values
        .iter()
        .flat_map(|value| value.scalars().iter().copied())
        .collect();
    let before = &sample(&point);
    let mut decides = |place: usize| {
        let value = point[place];
        let step = STEP * value.abs().max(1.0);
        let [above, below] = [step, -step].map(|step| {
            point[place] = value + step;
            sample(&point)
        });
        point[place] = value;
        let differs = |one: &[f64], other: &[f64], least: f64| {
            let mut pairs = one.iter().zip(other);
            pairs.any(|(one, other)| (one - other).abs() > least)
        };
        // A small derivative by a large value counts in proportion to the value, but not the curvature at an extremum.
        differs(&above, before, LEAST_DERIVATIVE * step)
            || differs(&below, before, LEAST_DERIVATIVE * step)
            || differs(&above, &below, 2.0 * LEAST_DERIVATIVE * STEP)
    };
    let mut first = 0;
    let mut deciding = Vec::with_capacity(values.len());
    for value in values {
        let width = value.scalars().len();
        let own: Vec<usize> = (0..width)
            .filter(|component| decides(first + component))
            .collect();
        first += width;
        deciding.push(if own.len() == width {
            Components::ALL
        } else {
            own.into_iter().collect()
        });
    }
    let numeric = deciding
        .iter()
        .zip(values)
        .filter(|(_, value)| !value.scalars().is_empty());
    if numeric.into_iter().all(|(own, _)| own.is_empty()) {
        deciding.fill(Components::ALL);
    }
    Ok(deciding)
}

/// Places of components of an output among the scalars of all outputs.
fn watched(outputs: &[PortSpec], output: usize, components: Components) -> Vec<usize> {
    let widths = outputs.iter().map(|output| output.ty.width());
    let first: usize = widths.take(output).sum();
    (0..outputs[output].ty.width())
        .filter(|&component| components.contains(component))
        .map(|component| first + component)
        .collect()
}
