//! Values for an answer: the first of them, and what all are like.

use std::ops::ControlFlow;

use fibula_eval::{Rounding, Settings};
use serde_json::{Map, Value as Json};

use super::columns::{Columns, Leaf};
use super::engine::Sink;
use super::places::{Chunk, Places};
use super::statistics::{Counting, Statistics};
use super::{Sampling, warning};
use crate::Refusal;

/// Some values, and what all are like.
#[derive(Debug)]
pub(crate) struct Gathered {
    columns: Columns,
    /// The numbers of the first points, a list for each column.
    numbers: Vec<Vec<f64>>,
    most: usize,
    counting: Vec<Counting>,
    /// What is not finite somewhere.
    pub(crate) warnings: Vec<String>,
    /// What each number of the outputs and derivatives is like, by its name.
    pub(crate) statistics: Vec<(String, Statistics)>,
}

impl Sampling {
    /// Computes everything and keeps the numbers of the first `most` points.
    pub(crate) fn gather(
        &self,
        most: usize,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Gathered, Refusal> {
        let columns = self.columns(Rounding::Exact)?;
        let code = columns.code();
        self.check_work(&code)?;
        let names = columns.names();
        let mut gathered = Gathered {
            numbers: vec![Vec::new(); names.len()],
            most,
            counting: vec![Counting::new(); names.len()],
            columns,
            warnings: Vec::new(),
            statistics: Vec::new(),
        };
        self.run::<f64>(&code, Settings::default(), &mut gathered, watch)?;
        let space = &self.places.space;
        for (name, counting) in names.into_iter().zip(&gathered.counting) {
            gathered.warnings.extend(warning(&name, counting, space));
            gathered.statistics.push((name, counting.statistics(space)));
        }
        Ok(gathered)
    }
}

impl Sink<f64> for Gathered {
    fn take(&mut self, _: &Places, chunk: &Chunk, columns: &[Vec<f64>]) -> Result<(), Refusal> {
        for (counting, column) in self.counting.iter_mut().zip(columns) {
            counting.see(chunk.first, column.iter().copied());
        }
        let room = self.most.saturating_sub(chunk.first).min(chunk.length);
        for (numbers, column) in self.numbers.iter_mut().zip(columns) {
            numbers.extend(&column[..room]);
        }
        Ok(())
    }
}

impl Gathered {
    /// How many points have their numbers here.
    pub(crate) fn points(&self) -> usize {
        self.numbers.first().map_or(0, Vec::len)
    }

    /// `{OUTPUT: [value of each point]}`.
    pub(crate) fn values(&self) -> Json {
        let values = self.columns.values().into_iter();
        let values: Map<String, Json> = values
            .map(|(name, leaf)| (name, self.list(&leaf)))
            .collect();
        values.into()
    }

    /// `{OUTPUT: {INPUT: [derivative at each point]}}`, if derivatives were wanted.
    pub(crate) fn gradients(&self) -> Option<Json> {
        let by = |by: Vec<(String, Leaf)>| -> Map<String, Json> {
            by.into_iter()
                .map(|(name, leaf)| (name, self.list(&leaf)))
                .collect()
        };
        let slopes = self.columns.slopes().into_iter();
        let slopes: Map<String, Json> = slopes
            .map(|(name, leaves)| (name, by(leaves).into()))
            .collect();
        self.columns.has_slopes().then(|| slopes.into())
    }

    fn list(&self, leaf: &Leaf) -> Json {
        let points = 0..self.points();
        points
            .map(|point| leaf.json(&|column| self.numbers[column][point]))
            .collect()
    }
}
