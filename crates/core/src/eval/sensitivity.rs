//! Sensitivity of the outputs of a function to its inputs at one point, by finite differences.

use std::ops::Range;

use fibula_nodes::{PortSpec, Value};

use super::error::EvalError;
use super::tape::{Request, Tape};
use crate::graph::{Document, Function};

/// Step of the differences, relative to the value and at least as large absolutely.
const STEP: f64 = 1e-6;
/// Derivative below which an input has no influence.
const LEAST_DERIVATIVE: f64 = 1e-3;

/// Returns, for each input, the components that change the output, or a component of it; all of them if none does, as in steps,
/// or if the input is not numeric.
///
/// # Errors
/// [`EvalError`], as for a [`Tape`].
pub(super) fn deciding_components(
    document: &Document,
    function: &Function,
    values: &[Value],
    output: usize,
    component: Option<usize>,
) -> Result<Vec<Vec<usize>>, EvalError> {
    let inputs = function.inputs();
    let mut request = Request::default();
    for (input, value) in inputs.iter().zip(values) {
        if value.scalars().is_empty() {
            request.statics.insert(input.name.clone(), value.clone());
        }
    }
    let tape = Tape::with(document, function.id(), &request)?;
    let watched = watched(tape.outputs(), output, component);
    let mut point: Vec<f64> = values
        .iter()
        .flat_map(|value| value.scalars().iter().copied())
        .collect();
    let before = &tape.at(&point)[watched.clone()];
    let mut decides = |place: usize| {
        let value = point[place];
        let step = STEP * value.abs().max(1.0);
        let [above, below] = [step, -step].map(|step| {
            point[place] = value + step;
            tape.at(&point)[watched.clone()].to_vec()
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
        let components = 0..value.scalars().len();
        let own: Vec<usize> = components
            .clone()
            .filter(|component| decides(first + component))
            .collect();
        first += components.len();
        deciding.push(own);
    }
    let is_flat = deciding.iter().all(Vec::is_empty);
    for (own, value) in deciding.iter_mut().zip(values) {
        let width = value.scalars().len();
        if is_flat || width == 0 {
            *own = (0..width.max(1)).collect();
        }
    }
    Ok(deciding)
}

/// Places of an output, or of a component of it, among the scalars of all outputs.
fn watched(outputs: &[PortSpec], output: usize, component: Option<usize>) -> Range<usize> {
    let first: usize = outputs[..output]
        .iter()
        .map(|output| output.ty.width())
        .sum();
    match component {
        Some(component) => first + component..first + component + 1,
        None => first..first + outputs[output].ty.width(),
    }
}
