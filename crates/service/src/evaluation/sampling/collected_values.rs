//! Sampled values for an answer: the first of them, and statistics of all.

use fibula_eval::{Rounding, Settings};
use serde_json::{Map, Value as Json};

use super::chunks::ChunkSink;
use super::columns::{Columns, Leaf};
use super::sample_points::{Chunk, SamplePoints};
use super::sampler::{Sampling, warning};
use super::statistics::{Statistics, StatisticsBuilder};
use crate::background::ProgressFn;
use crate::refusal::Result;

/// The first values, and statistics of all.
#[derive(Debug)]
pub(crate) struct CollectedValues {
    columns: Columns,
    /// Values of the first points, by column.
    numbers: Vec<Vec<f64>>,
    most: usize,
    counting: Vec<StatisticsBuilder>,
    /// Warnings about non-finite values.
    pub(crate) warnings: Vec<String>,
    /// Statistics of each column, by name.
    pub(crate) statistics: Vec<(String, Statistics)>,
}

impl Sampling {
    /// Evaluates all points and keeps the values of the first `most`.
    pub(crate) fn collect(&self, most: usize, watch: ProgressFn<'_>) -> Result<CollectedValues> {
        let columns = self.columns(Rounding::Exact)?;
        let code = columns.code();
        self.check_work(&code)?;
        let names = columns.names();
        let mut gathered = CollectedValues {
            numbers: vec![Vec::new(); names.len()],
            most,
            counting: vec![StatisticsBuilder::new(); names.len()],
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

impl ChunkSink<f64> for CollectedValues {
    fn take(&mut self, _: &SamplePoints, chunk: &Chunk, columns: &[Vec<f64>]) -> Result<()> {
        for (counting, column) in self.counting.iter_mut().zip(columns) {
            counting.add(chunk.first, column.iter().copied());
        }
        let room = self.most.saturating_sub(chunk.first).min(chunk.length);
        for (numbers, column) in self.numbers.iter_mut().zip(columns) {
            numbers.extend(&column[..room]);
        }
        Ok(())
    }
}

impl CollectedValues {
    /// Number of points whose values are kept.
    pub(crate) fn points(&self) -> usize {
        self.numbers.first().map_or(0, Vec::len)
    }

    /// `{OUTPUT: [value at each point]}`.
    pub(crate) fn values(&self) -> Json {
        let values = self.columns.values().into_iter();
        let values: Map<String, Json> = values
            .map(|(name, leaf)| (name, self.list(&leaf)))
            .collect();
        values.into()
    }

    /// `{OUTPUT: {INPUT: [derivative at each point]}}`, if derivatives were requested.
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
