//! Layouts: positions of the nodes of a plan.
//!
//! Every method but grid and circle lays out each connected component by itself, and packs the components beside each other
//! (`packing`), so that none drifts away. Last, `overlap_removal` separates nodes. The same plan always has the same layout,
//! with any number of threads.

mod packing;

mod barnes_hut;
mod neighbours;
mod overlap_removal;
mod scale;

mod pivot_mds;

mod force;
mod layered;
mod radial;
mod regular;

#[cfg(test)]
mod tests;

use fibula_knowledge::progress::{Progress, Watch};
use serde::{Deserialize, Serialize};

use super::error::SketchError;

pub use force::Force;
pub(super) use scale::fitting_scale;

/// Maximum number of nodes that are laid out or drawn.
pub const MAX_NODES: usize = 50_000;
/// Maximum number of edges that are laid out or drawn.
pub const MAX_EDGES: usize = 500_000;

/// Minimum distance of two nodes.
const GAP: f64 = 8.0;
/// Minimum distance of two components.
const WIDE_GAP: f64 = 28.0;
/// Maximum side of a node.
const MAX_NODE_SIDE: f64 = 1e5;
/// Number of units of progress.
const PROGRESS_UNITS: u64 = 1_000;

/// A graph to be laid out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Plan {
    /// Width and height of each node.
    pub sizes: Vec<[f64; 2]>,
    /// Edges: source, target, and weight (at least 0), the strength of its attraction relative to the mean of all weights.
    pub edges: Vec<(usize, usize, f64)>,
    /// Group of each node, by number, or empty. Grid and circle put the nodes of a group together.
    pub groups: Vec<usize>,
    /// Initial position of each node, if it is known, or empty. Only the method force uses it.
    pub start: Vec<Option<[f64; 2]>>,
}

/// Method of layout.
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
    /// Checks the plan.
    ///
    /// # Errors
    /// [`SketchError`]: there are too many nodes or edges, a list has another length, or a number is out of range.
    pub(crate) fn check(&self) -> Result<(), SketchError> {
        let nodes = self.sizes.len();
        if nodes > MAX_NODES {
            return Err(SketchError::TooManyNodes(nodes));
        }
        if self.edges.len() > MAX_EDGES {
            return Err(SketchError::TooManyEdges(self.edges.len()));
        }
        for (what, count) in [
            ("groups", self.groups.len()),
            ("initial positions", self.start.len()),
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
            if !(0.0..=MAX_NODE_SIDE).contains(&side) {
                return Err(SketchError::invalid_number(
                    format!("a side of node {node}"),
                    side,
                    "a number from 0 to 100 000",
                ));
            }
        }
        for (edge, &(source, target, weight)) in self.edges.iter().enumerate() {
            if let Some(node) = [source, target].into_iter().find(|&end| end >= nodes) {
                let what = format!("edge {edge}");
                return Err(SketchError::NoNode { what, node, nodes });
            }
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(SketchError::invalid_number(
                    format!("the weight of edge {edge}"),
                    weight,
                    "a finite number of at least 0",
                ));
            }
        }
        check_positions(
            self.start
                .iter()
                .enumerate()
                .filter_map(|(node, position)| Some((node, (*position)?))),
        )
    }

    /// Computes the position of the centre of each node, so that no two nodes overlap. The origin is the centre of the
    /// drawing, x points to the right and y down. `watch` receives the progress, and may cancel the layout.
    ///
    /// # Errors
    /// [`SketchError`]: the plan is invalid or too large, or `watch` cancelled the layout.
    pub fn lay_out(
        &self,
        method: &Method,
        watch: &Watch<'_>,
    ) -> Result<Vec<[f64; 2]>, SketchError> {
        self.check()?;
        let progress = Progress::new(PROGRESS_UNITS, watch);
        progress.advance(0)?;
        let mut positions = match method {
            Method::Force(force) => force::lay_out(self, force, &progress)?,
            Method::Layered(flow) => layered::lay_out(self, *flow, &progress)?,
            Method::Radial { centre } => radial::lay_out(self, *centre, &progress)?,
            Method::Grid => regular::grid(self),
            Method::Circle => regular::circle(self),
        };
        progress.advance(0)?;
        overlap_removal::separate(&mut positions, &self.sizes, GAP, &progress)?;
        packing::centre(&mut positions, &self.sizes);
        Ok(positions)
    }
}

/// Checks that positions are finite.
pub(super) fn check_positions(
    mut positions: impl Iterator<Item = (usize, [f64; 2])>,
) -> Result<(), SketchError> {
    positions.try_for_each(|(node, position)| {
        match position.iter().find(|part| !part.is_finite()) {
            None => Ok(()),
            Some(part) => Err(SketchError::invalid_number(
                format!("the position of node {node}"),
                *part,
                "finite numbers",
            )),
        }
    })
}

/// Unit vector for each number, all different: multiples of the golden angle.
fn direction(number: usize) -> [f64; 2] {
    let angle = number as f64 * 2.399_963_229_728_653;
    [angle.cos(), angle.sin()]
}
