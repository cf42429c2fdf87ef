//! Sensitivity of the outputs of a function to its inputs at one point, by finite differences.

use std::ops::Range;

use fibula_nodes::{PortSpec, Value};

use super::error::EvalError;
use super::tape::{Request, Tape};
use crate::graph::{Document, Function};

/// Step of the differences, relative to the value and at least as large absolutely.
const STEP: f64 = 1e-6;
/// Part of a step by which an output has to change.
const LEAST_CHANGE: f64 = 1e-3;

/// Components of each input with which an output changes, or a component of it: of the functions of a blend the one that is
/// nearer, and not the radius where nothing is blended. All of them if it changes with none, as in steps, and of inputs that
/// are no numbers.
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
        let decides = [step, -step].into_iter().any(|step| {
            point[place] = value + step;
            let now = &tape.at(&point)[watched.clone()];
            let mut changes = before.iter().zip(now).map(|(was, is)| (is - was).abs());
            changes.any(|change| change > LEAST_CHANGE * step.abs())
        });
        point[place] = value;
        decides
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
