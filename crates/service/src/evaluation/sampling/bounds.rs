//! Interval bounds of a function over a box, and bounds of its Lipschitz constant.

use std::collections::BTreeMap;

use fibula_eval::{Interval, IntervalEvaluator, Rounding, Settings};
use fibula_nodes::Value;
use serde::Serialize;
use serde_json::Value as Json;

use super::columns::Columns;
use super::sampler::Sampling;
use crate::background::ProgressFn;
use crate::refusal::{Refusal, Result};

/// Instructions over all subdivisions of a box in the search for the Lipschitz constant: about a second.
const WORK: usize = 4_000_000;
/// Minimum and maximum number of subdivisions.
const FEWEST: usize = 8;
const MOST: usize = 10_000;

/// Interval that contains the values of an output everywhere in a box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bound {
    /// Lower bound; "-Infinity" if unknown.
    pub low: Json,
    /// Upper bound; "Infinity" if unknown.
    pub high: Json,
    /// True if there may be points without a value.
    pub undefined: bool,
}

/// Bounds of the Lipschitz constant of an output in a box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Steepness {
    /// Slope that is attained.
    pub at_least: Json,
    /// Slope that is never exceeded; "Infinity" if unknown.
    pub at_most: Json,
    /// True if the output may be discontinuous, which no slope shows.
    pub may_jump: bool,
}

impl Sampling {
    /// Bounds of each output in the bounding box of all points, by name.
    pub(crate) fn bounds(&self) -> Result<BTreeMap<String, Bound>> {
        let tape = self.tape()?;
        let columns = Columns::new(&tape, Rounding::Exact, false)?;
        let mut evaluator = IntervalEvaluator::new(columns.code().clone());
        let bounds = evaluator
            .evaluate(&self.region())
            .iter()
            .map(|bounds| Bound {
                low: Value::Float(bounds.low()).to_json(),
                high: Value::Float(bounds.high()).to_json(),
                undefined: bounds.may_be_undefined(),
            });
        Ok(columns.names().into_iter().zip(bounds).collect())
    }

    /// Bounds of the Lipschitz constant of each output with respect to the varying input, in the bounding box of all
    /// points.
    pub(crate) fn steepness(&self, watch: ProgressFn<'_>) -> Result<BTreeMap<String, Steepness>> {
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

    /// Bounding box of all points, with an interval for each scalar input.
    fn region(&self) -> Vec<Interval<f64>> {
        let limits = self.places.limits().into_iter();
        limits.map(|(low, high)| Interval::new(low, high)).collect()
    }
}
