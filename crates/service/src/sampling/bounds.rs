//! What is known of a function in a whole box: bounds of its values, and of how fast they change.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_eval::{Interval, IntervalEvaluator, Rounding, Settings};
use fibula_nodes::Value;
use serde::Serialize;
use serde_json::Value as Json;

use super::Sampling;
use super::columns::Columns;
use crate::Refusal;

/// Instructions over all parts of a box in which is looked how fast values change: about a second.
const WORK: usize = 4_000_000;
/// The fewest and the most parts of the box.
const FEWEST: usize = 8;
const MOST: usize = 10_000;

/// Where the values of an output are, everywhere in a box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bound {
    /// None is below; "-Infinity" if that is not known.
    pub low: Json,
    /// None is above; "Infinity" if that is not known.
    pub high: Json,
    /// Whether there may be points without a value.
    pub undefined: bool,
}

/// The most that an output changes per change of the input, everywhere in a box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Steepness {
    /// Somewhere it is as steep.
    pub at_least: Json,
    /// Nowhere it is steeper; "Infinity" if that is not known.
    pub at_most: Json,
    /// Whether it may jump, which no slope tells.
    pub may_jump: bool,
}

impl Sampling {
    /// Bounds of each output in the box of all points, by its name.
    pub(crate) fn bounds(&self) -> Result<BTreeMap<String, Bound>, Refusal> {
        let tape = self.tape()?;
        let columns = Columns::new(&tape, Rounding::Exact, false)?;
        let limits = self.places.limits().into_iter();
        let inputs: Vec<Interval<f64>> =
            limits.map(|(low, high)| Interval::new(low, high)).collect();
        let mut evaluator = IntervalEvaluator::new(columns.code().clone());
        let bounds = evaluator.evaluate(&inputs).iter().map(|bounds| Bound {
            low: Value::Float(bounds.low()).to_json(),
            high: Value::Float(bounds.high()).to_json(),
            undefined: bounds.may_be_undefined(),
        });
        Ok(columns.names().into_iter().zip(bounds).collect())
    }

    /// How fast each output changes with the input that varies, in the box of all points.
    pub(crate) fn steepness(
        &self,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<BTreeMap<String, Steepness>, Refusal> {
        let tape = self.tape()?;
        let names = Columns::new(&tape, Rounding::Exact, false)?.names();
        let code = tape.code(Rounding::Exact);
        let directions: Vec<usize> = self
            .places
            .varying
            .iter()
            .map(|(place, _)| *place)
            .collect();
        let region = self.region();
        let parts = (WORK / code.instructions().len().max(1)).clamp(FEWEST, MOST);
        let mut all = BTreeMap::new();
        for (output, name) in names.into_iter().enumerate() {
            if watch(0, 1).is_break() {
                return Err(Refusal::cancelled());
            }
            let found = code.lipschitz(output, &region, &directions, parts, Settings::default());
            let steepness = Steepness {
                at_least: Value::Float(found.least).to_json(),
                at_most: Value::Float(found.most).to_json(),
                may_jump: found.may_jump,
            };
            all.insert(name, steepness);
        }
        Ok(all)
    }

    /// The box of all points, a side for each scalar input.
    fn region(&self) -> Vec<Interval<f64>> {
        let limits = self.places.limits().into_iter();
        limits.map(|(low, high)| Interval::new(low, high)).collect()
    }
}
