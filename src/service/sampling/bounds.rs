//! What is known of a function in a whole box: bounds of its values, and of how fast they change.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use fibula_eval::{Rounding, Settings};
use fibula_nodes::Value;
use serde::Serialize;
use serde_json::Value as Json;

use super::columns::Columns;
use super::engine::Sink;
use super::places::{Axis, Chunk, Places, Space};
use super::{Sampling, seam};
use crate::service::Refusal;

/// Points on an axis of a box by which is estimated how fast values change.
const STEPS: usize = 17;

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
    /// The steepest of many points is as steep.
    pub at_least: Json,
    /// None is steeper; "Infinity" if that is not known.
    pub at_most: Json,
}

impl Sampling {
    /// Bounds of each output in the box of all points, by its name.
    pub(in crate::service) fn bounds(&self) -> Result<BTreeMap<String, Bound>, Refusal> {
        let tape = self.tape()?;
        let columns = Columns::new(&tape, Rounding::Exact, false)?;
        let bounds = seam::bounds(columns.code(), &self.places.limits());
        let bounds = bounds.into_iter().map(|(low, high, undefined)| Bound {
            low: Value::Float(low).to_json(),
            high: Value::Float(high).to_json(),
            undefined,
        });
        Ok(columns.names().into_iter().zip(bounds).collect())
    }

    /// How fast each output changes with the input that varies, in the box of all points.
    pub(in crate::service) fn steepness(
        &self,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<BTreeMap<String, Steepness>, Refusal> {
        let tape = self.tape()?;
        let columns = Columns::new(&tape, Rounding::Exact, false)?;
        let directions: Vec<usize> = self
            .places
            .varying
            .iter()
            .map(|(place, _)| *place)
            .collect();
        let code = Arc::new(seam::with_gradient(columns.code(), &directions));
        let mut steepest = Steepest {
            directions: directions.len(),
            found: vec![0.0; columns.width()],
        };
        let dense = self.with(self.places.dense());
        dense.check_work(&code)?;
        dense.run::<f64>(&code, Settings::default(), &mut steepest, watch)?;
        let most = seam::lipschitz(columns.code(), &directions, &self.places.limits());
        let both = steepest.found.into_iter().zip(most);
        let both = both.map(|(least, most)| Steepness {
            at_least: Value::Float(least).to_json(),
            at_most: Value::Float(most).to_json(),
        });
        Ok(columns.names().into_iter().zip(both).collect())
    }
}

impl Places {
    /// The same places, or enough others in their box to see how fast values change.
    fn dense(&self) -> Places {
        let mut dense = self.clone();
        if let Space::Box(axes) = &self.space {
            let axis = |axis: &Axis| Axis {
                count: if axis.is_flat() { 1 } else { STEPS },
                ..*axis
            };
            dense.space = Space::Grid(axes.iter().map(axis).collect());
        }
        dense
    }
}

/// The largest slope of each output.
struct Steepest {
    directions: usize,
    found: Vec<f64>,
}

impl Sink<f64> for Steepest {
    fn take(&mut self, _: &Places, chunk: &Chunk, columns: &[Vec<f64>]) -> Result<(), Refusal> {
        let (_, slopes) = columns.split_at(self.found.len());
        for (found, slopes) in self.found.iter_mut().zip(slopes.chunks(self.directions)) {
            for point in 0..chunk.length {
                let square: f64 = slopes.iter().map(|slope| slope[point] * slope[point]).sum();
                // What is undefined is not steep.
                *found = found.max(square.sqrt());
            }
        }
        Ok(())
    }
}
