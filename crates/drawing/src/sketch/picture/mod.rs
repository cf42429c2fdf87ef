//! Scenes and pages of knowledge graphs.
//!
//! [`draw`] composes a scene (`compose`): `frame` scales positions to the picture and marks to the space between them,
//! `palette` assigns colours to types, `curves` routes edges, and `labels` places labels. [`page`] writes the HTML file.

mod palette;

mod frame;

mod curves;
mod labels;

mod compose;

mod page;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::error::SketchError;
use crate::scene::text;

pub use compose::draw;
pub(super) use frame::LOOP;
pub use page::{MAX_PAGE_BYTES, page};

/// Maximum side of a picture.
pub const MAX_SIDE: u32 = 8_192;
/// Minimum side of a picture.
const MIN_SIDE: u32 = 200;

/// Appearance of a picture.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SketchOptions")]
pub struct Options {
    /// Width and height; if left out, they depend on the positions.
    pub size: Option<[u32; 2]>,
    /// Colours.
    pub theme: Theme,
    /// Marks of nodes.
    pub marks: Marks,
    /// True to label edges with their labels or types, where there is room.
    pub show_edge_labels: bool,
    /// Ids of nodes and edges that are highlighted.
    pub highlight: Vec<String>,
    /// Title above the picture; if it is empty, the numbers of nodes and edges.
    pub title: String,
}

/// Light or dark colours.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "SketchTheme")]
pub enum Theme {
    /// Dark on white.
    #[default]
    Light,
    /// Light on black.
    Dark,
}

/// Marks of nodes.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "SketchMarks")]
pub enum Marks {
    /// Discs, larger where more edges end, with labels beside them.
    #[default]
    Discs,
    /// Boxes with labels in them.
    Boxes,
}

impl Options {
    fn check(&self) -> Result<(), SketchError> {
        match self.size {
            Some([width, height])
                if ![width, height]
                    .iter()
                    .all(|side| (MIN_SIDE..=MAX_SIDE).contains(side)) =>
            {
                Err(SketchError::Size(width, height))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// Width and height of a mark, where there is room for it.
pub(super) fn mark_size(marks: Marks, label: &str, degree: usize) -> [f64; 2] {
    /// Maximum width of a text in a box.
    const MAX_WIDTH: f64 = 28.0 * text::LETTER;
    match marks {
        Marks::Discs => [14.0 + 4.0 * (degree as f64).sqrt().min(8.0); 2],
        Marks::Boxes => {
            let label = text::first_line(label, MAX_WIDTH);
            [(text::width(&label) + 18.0).max(40.0), 26.0]
        }
    }
}
