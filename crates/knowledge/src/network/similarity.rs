//! Vertex similarity by common neighbours.
//!
//! Jaccard's coefficient (Étude comparative de la distribution florale, 1901) is the number of common neighbours
//! divided by that of all neighbours of either; the index of Adamic and Adar (Friends and neighbors on the web, 2003)
//! sums 1 / ln(degree) over the common ones. Direction, parallel edges and self-loops are ignored.

use rustc_hash::FxHashMap;

use super::error::NetworkError;
use super::simple_graph::SimpleGraph;
use super::subgraph::Subgraph;

/// Measure of similarity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SimilarityMeasure {
    /// Common neighbours divided by all neighbours of either, from 0 to 1.
    #[default]
    Jaccard,
    /// Sum over common neighbours of 1 / ln(degree).
    AdamicAdar,
}

/// A vertex that has neighbours in common with another.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct SimilarVertex {
    /// Number of the vertex.
    pub vertex: u32,
    /// Its similarity.
    pub similarity: f64,
    /// Number of common neighbours.
    pub common: u32,
}

impl Subgraph<'_> {
    /// Returns the similarity of each pair of vertices.
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`], or [`NetworkError::Invalid`] if the filter leaves one out.
    pub fn similarities(
        &self,
        pairs: &[(&str, &str)],
        measure: SimilarityMeasure,
    ) -> Result<Vec<f64>, NetworkError> {
        let simple = self.adjacency().simple();
        let one = |&(one, other): &(&str, &str)| {
            let [one, other] = [self.place(one)?, self.place(other)?];
            let mut lists = [one, other].map(|vertex| simple.neighbours(vertex));
            lists.sort_by_key(|list| list.len());
            let [fewer, more] = lists;
            let common = fewer.iter();
            let common = common.filter(|vertex| more.binary_search(vertex).is_ok());
            let (count, sum) = common.fold((0, 0.0), |(count, sum), &vertex| {
                (count + 1, sum + rarity(simple, vertex))
            });
            Ok(measure.score(simple, [one, other], count, sum))
        };
        pairs.iter().map(one).collect()
    }

    /// Returns the `limit` most similar vertices of those that have neighbours in common with one, and their total
    /// number. O(number of neighbours of its neighbours).
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`], or [`NetworkError::Invalid`] if the filter leaves it out.
    pub fn similar(
        &self,
        id: &str,
        measure: SimilarityMeasure,
        limit: usize,
    ) -> Result<(Vec<SimilarVertex>, usize), NetworkError> {
        let simple = self.adjacency().simple();
        let own = self.place(id)?;
        let mut shared: FxHashMap<u32, (u32, f64)> = FxHashMap::default();
        for &common in simple.neighbours(own) {
            let rarity = rarity(simple, common);
            let others = simple.neighbours(common).iter();
            for &other in others.filter(|&&other| other != own) {
                let (count, sum) = shared.entry(other).or_default();
                *count += 1;
                *sum += rarity;
            }
        }
        let alike = shared.into_iter();
        let alike = alike.map(|(other, (common, sum))| SimilarVertex {
            vertex: self.number(other),
            similarity: measure.score(simple, [own, other], common, sum),
            common,
        });
        let mut alike: Vec<SimilarVertex> = alike.collect();
        let total = alike.len();
        let by = |one: &SimilarVertex, other: &SimilarVertex| {
            let more = other.similarity.total_cmp(&one.similarity);
            more.then(one.vertex.cmp(&other.vertex))
        };
        if limit < total {
            alike.select_nth_unstable_by(limit, by);
            alike.truncate(limit);
        }
        alike.sort_unstable_by(by);
        Ok((alike, total))
    }
}

/// Contribution of a common neighbour, which has at least two neighbours unless a vertex is compared with itself.
fn rarity(simple: &SimpleGraph, vertex: u32) -> f64 {
    match simple.degree(vertex) {
        0 | 1 => 0.0,
        degree => (degree as f64).ln().recip(),
    }
}

impl SimilarityMeasure {
    /// Similarity of two vertices with `common` common neighbours.
    fn score(self, simple: &SimpleGraph, pair: [u32; 2], common: u32, rarity: f64) -> f64 {
        let [one, other] = pair.map(|vertex| simple.degree(vertex));
        match self {
            SimilarityMeasure::Jaccard if common == 0 => 0.0,
            SimilarityMeasure::Jaccard => {
                f64::from(common) / (one + other - common as usize) as f64
            }
            SimilarityMeasure::AdamicAdar => rarity,
        }
    }
}
