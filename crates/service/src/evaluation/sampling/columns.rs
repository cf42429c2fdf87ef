//! Columns of a table of values: the scalars of the outputs, and their derivatives by the scalars of the inputs.

use std::sync::Arc;

use fibula_core::eval::Tape;
use fibula_eval::{Code, Rounding, Settings};
use fibula_nodes::{PortSpec, Type, Value};
use serde_json::Value as Json;

use super::sample_points::components;
use crate::refusal::{Refusal, Result};

/// Columns of a table of values.
#[derive(Debug, Clone)]
pub(crate) struct Columns {
    outputs: Vec<PortSpec>,
    /// Inputs of the derivatives, and the indices of their scalars.
    by: Vec<PortSpec>,
    directions: Vec<usize>,
    /// Code of the outputs.
    code: Arc<Code>,
}

impl Columns {
    /// Columns of the outputs of a tape, with their derivatives if requested.
    pub(crate) fn new(tape: &Tape, rounding: Rounding, gradient: bool) -> Result<Columns> {
        let outputs: Vec<PortSpec> = tape
            .outputs()
            .iter()
            .filter(|output| output.ty.width() > 0)
            .cloned()
            .collect();
        let mut columns = Columns {
            outputs,
            by: Vec::new(),
            directions: Vec::new(),
            code: tape.code(rounding).clone(),
        };
        if !gradient {
            return Ok(columns);
        }
        let mut first = 0;
        for input in tape.inputs() {
            let width = input.ty.width();
            match input.ty {
                Type::Float | Type::Float3 => {
                    columns.directions.extend(first..first + width);
                    columns.by.push(input.clone());
                }
                Type::Matrix4x4 | Type::Integer | Type::String | Type::ResourceId => {}
            }
            first += width;
        }
        if columns.by.is_empty() || columns.outputs.is_empty() {
            let message = "the function has no gradient: it has no float or float3 input, or no numeric output";
            return Err(Refusal::new("invalid_arguments", message).hint("omit gradient"));
        }
        Ok(columns)
    }

    /// Code of all columns; derivatives are compiled into it.
    pub(crate) fn code(&self) -> Arc<Code> {
        if self.directions.is_empty() {
            self.code.clone()
        } else {
            Arc::new(self.code.with_gradient(&self.directions))
        }
    }

    /// Evaluates all columns at a point. Returns the number of kinks, too, at which derivatives are one-sided.
    pub(crate) fn at(&self, point: &[f64]) -> (Vec<f64>, usize) {
        let jacobian = self
            .code
            .jacobian(point, &self.directions, Settings::default());
        let numbers = [jacobian.values, jacobian.derivatives].concat();
        (numbers, jacobian.kinks)
    }

    /// Names of all columns: `shape`, `color.x`, and `shape/pos.x` for a derivative.
    pub(crate) fn names(&self) -> Vec<String> {
        let values: Vec<String> = self.outputs.iter().flat_map(components).collect();
        let by: Vec<String> = self.by.iter().flat_map(components).collect();
        let slopes = values
            .iter()
            .flat_map(|value| by.iter().map(move |by| format!("{value}/{by}")));
        let slopes: Vec<String> = slopes.collect();
        [values, slopes].concat()
    }

    /// Number of columns of outputs.
    pub(crate) fn width(&self) -> usize {
        self.outputs.iter().map(|output| output.ty.width()).sum()
    }

    /// True if there are derivatives.
    pub(crate) fn has_slopes(&self) -> bool {
        !self.by.is_empty()
    }

    /// Outputs with their columns.
    pub(crate) fn values(&self) -> Vec<(String, Leaf)> {
        let mut next = 0;
        let outputs = self.outputs.iter();
        outputs
            .map(|output| (output.name.clone(), Leaf::of(output.ty, &mut next)))
            .collect()
    }

    /// Derivatives of each output by each input; none if not requested. Those of an output with components are a list.
    pub(crate) fn slopes(&self) -> Vec<(String, Vec<(String, Leaf)>)> {
        let mut next = self.width();
        let mut slopes = Vec::new();
        for output in &self.outputs {
            // For each scalar of the output, its derivatives by all inputs.
            let mut rows = vec![Vec::new(); self.by.len()];
            for _ in 0..output.ty.width() {
                for (row, input) in rows.iter_mut().zip(&self.by) {
                    row.push(Leaf::of(input.ty, &mut next));
                }
            }
            let by = self.by.iter().zip(rows);
            let by = by.map(|(input, row)| (input.name.clone(), Leaf::all(row)));
            slopes.push((output.name.clone(), by.collect()));
        }
        slopes
    }
}

/// Columns of a value: one, or a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Leaf {
    One(usize),
    Many(Vec<Leaf>),
}

impl Leaf {
    /// Assigns the columns from `next` on to a value of a type.
    fn of(ty: Type, next: &mut usize) -> Leaf {
        let first = *next;
        *next += ty.width();
        Leaf::all((first..*next).map(Leaf::One).collect())
    }

    fn all(mut leaves: Vec<Leaf>) -> Leaf {
        if leaves.len() == 1 {
            leaves.remove(0)
        } else {
            Leaf::Many(leaves)
        }
    }

    /// The value as JSON, given the numbers of the columns.
    pub(crate) fn json(&self, number: &impl Fn(usize) -> f64) -> Json {
        match self {
            Leaf::One(column) => Value::Float(number(*column)).to_json(),
            Leaf::Many(leaves) => leaves.iter().map(|leaf| leaf.json(number)).collect(),
        }
    }
}
