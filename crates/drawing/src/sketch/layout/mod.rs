//! Places for nodes: a plan in, places out.
//!
//! Every method but grid and circle lays out each component, a part of the graph that no edge leaves, by itself, and packs
//! the components beside each other (`pack`), so that nothing drifts away. Last of all nodes are pushed off each other
//! (`apart`). The same plan always gets the same places, however many threads there are.

mod apart;
mod force;
mod layered;
mod pack;
mod pivots;
mod radial;
mod regular;
mod room;
mod tree;

#[cfg(test)]
mod tests;

use fibula_knowledge::progress::{Cancelled, Progress, Watch};
use serde::{Deserialize, Serialize};

use super::error::SketchError;

pub use force::Force;
pub(super) use room::room;

/// The most nodes that are laid out or drawn.
pub const MOST_NODES: usize = 50_000;
/// The most edges that are laid out or drawn.
pub const MOST_EDGES: usize = 500_000;

/// The least that is free between two nodes.
const GAP: f64 = 8.0;
/// The least that is free between two components.
const WIDE_GAP: f64 = 28.0;
/// The longest side of a node.
const LARGEST: f64 = 1e5;
/// Parts of the work that are told.
const PARTS: u64 = 1_000;

/// What is to be laid out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// The width and height of each node.
    pub sizes: Vec<[f64; 2]>,
    /// The edges: source, target, and weight (at least 0), which says how strongly it pulls, beside the others' mean.
    pub edges: Vec<(usize, usize, f64)>,
    /// What each node belongs to, by number; none if it is empty. Grid and circle put groups together.
    pub groups: Vec<usize>,
    /// Where nodes are to begin, if that is known; nothing is if it is empty. Only the method force asks for it.
    pub start: Vec<Option<[f64; 2]>>,
}

/// How nodes are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Method {
    /// By forces: nodes repel each other, and edges pull.
    Force(Force),
    /// In layers, so that most edges go one way.
    Layered(Flow),
    /// On rings around a node.
    Radial {
        /// The node in the middle; the one with most edges if left out.
        centre: Option<usize>,
    },
    /// In rows and columns, by group and order.
    Grid,
    /// On one circle, by group and order.
    Circle,
}

/// Where edges lead to.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Flow {
    /// From above to below.
    #[default]
    Down,
    /// From left to right.
    Right,
}

impl Default for Method {
    fn default() -> Self {
        Method::Force(Force::default())
    }
}

impl Plan {
    /// Refuses what cannot be laid out.
    ///
    /// # Errors
    /// [`SketchError`] with what is wrong and what may be.
    pub fn check(&self) -> Result<(), SketchError> {
        let nodes = self.sizes.len();
        if nodes > MOST_NODES {
            return Err(SketchError::TooManyNodes(nodes));
        }
        if self.edges.len() > MOST_EDGES {
            return Err(SketchError::TooManyEdges(self.edges.len()));
        }
        for (what, count) in [
            ("groups", self.groups.len()),
            ("places to begin", self.start.len()),
        ] {
            if count != 0 && count != nodes {
                return Err(SketchError::Length { what, count, nodes });
            }
        }
        for (node, &side) in self
            .sizes
            .iter()
            .enumerate()
            .flat_map(|(node, size)| size.iter().map(move |side| (node, side)))
        {
            if !(0.0..=LARGEST).contains(&side) {
                return Err(SketchError::InvalidNumber {
                    what: format!("a side of the node {node}"),
                    number: side.to_string(),
                    expected: "a number from 0 to 100 000",
                });
            }
        }
        for (edge, &(source, target, weight)) in self.edges.iter().enumerate() {
            if let Some(node) = [source, target].into_iter().find(|&end| end >= nodes) {
                let what = format!("the edge {edge}");
                return Err(SketchError::NoNode { what, node, nodes });
            }
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(SketchError::InvalidNumber {
                    what: format!("the weight of the edge {edge}"),
                    number: weight.to_string(),
                    expected: "a finite number that is not negative",
                });
            }
        }
        check_places(
            self.start
                .iter()
                .enumerate()
                .filter_map(|(node, place)| Some((node, (*place)?))),
        )
    }

    /// Finds a place for the middle of each node, so that no two nodes overlap; 0 is in the middle of all, x rises to the
    /// right and y down. `watch` is told how far it is, and may end it.
    ///
    /// # Errors
    /// [`SketchError`]: the plan cannot be, or is too large, or `watch` ended it.
    pub fn lay_out(
        &self,
        method: &Method,
        watch: &Watch<'_>,
    ) -> Result<Vec<[f64; 2]>, SketchError> {
        self.check()?;
        let progress = Progress::new(PARTS, watch);
        asked(&progress)?;
        let mut places = match method {
            Method::Force(force) => force::found(self, force, &progress)?,
            Method::Layered(flow) => layered::found(self, *flow, &progress)?,
            Method::Radial { centre } => radial::found(self, *centre, &progress)?,
            Method::Grid => regular::grid(self),
            Method::Circle => regular::circle(self),
        };
        asked(&progress)?;
        apart::push(&mut places, &self.sizes, GAP, &progress)?;
        pack::centre(&mut places, &self.sizes);
        Ok(places)
    }
}

/// Refuses places that are none.
pub(super) fn check_places(
    mut places: impl Iterator<Item = (usize, [f64; 2])>,
) -> Result<(), SketchError> {
    places.try_for_each(
        |(node, place)| match place.iter().find(|part| !part.is_finite()) {
            None => Ok(()),
            Some(part) => Err(SketchError::InvalidNumber {
                what: format!("the place of the node {node}"),
                number: part.to_string(),
                expected: "finite numbers",
            }),
        },
    )
}

/// Whether the rest is still wanted.
fn asked(progress: &Progress<'_>) -> Result<(), Cancelled> {
    told(progress, 0)
}

/// Tells that so many more parts are done; whether the rest is still wanted.
fn told(progress: &Progress<'_>, more: u64) -> Result<(), Cancelled> {
    progress.add(more);
    if progress.is_ended() {
        Err(Cancelled)
    } else {
        Ok(())
    }
}

/// A direction for each number, all different: they turn by the golden angle.
fn direction(number: usize) -> [f64; 2] {
    let angle = number as f64 * 2.399_963_229_728_653;
    [angle.cos(), angle.sin()]
}
