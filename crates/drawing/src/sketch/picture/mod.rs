//! What is drawn of a graph, and how.
//!
//! [`Scene::new`] composes a scene (`compose`): `frame` puts places into the picture and says how large marks are, `kinds`
//! gives types their colours, `curves` draws edges, and `labels` finds room for texts. `svg` and `png` write the scene;
//! `letters` knows how wide texts are and draws them with the `glyphs` that there are. `page` is the HTML file.

mod compose;
mod curves;
mod frame;
mod glyphs;
mod kinds;
mod labels;
mod letters;
mod page;
mod png;
mod scene;
mod svg;

use serde::{Deserialize, Serialize};

use super::error::SketchError;

pub(super) use frame::LOOP;
pub use glyphs::LINE;
pub use page::{LARGEST_PAGE, page};
pub use png::MOST_PIXELS;
pub use scene::{Colour, Group, Scene, Shape};

/// The longest side of a picture.
pub const MOST_SIDE: u32 = 8_192;
/// The shortest one.
const LEAST_SIDE: u32 = 200;
/// How many pixels of an image each pixel of the picture has on a side, at most.
pub const LARGEST_SCALE: u32 = 4;

/// How a picture looks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "SketchOptions")]
pub struct Options {
    /// The width and height; if left out, as large as suits the places.
    pub size: Option<[u32; 2]>,
    /// Light or dark.
    pub theme: Theme,
    /// What nodes are drawn as.
    pub marks: Marks,
    /// Whether the types of edges are written at them, where there is room.
    pub show_edge_labels: bool,
    /// Ids of nodes and edges that stand out; everything does if there are none.
    pub highlight: Vec<String>,
    /// What is written above.
    pub title: String,
}

/// Which colours things are on.
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

/// What nodes are drawn as.
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
                    .all(|side| (LEAST_SIDE..=MOST_SIDE).contains(side)) =>
            {
                Err(SketchError::Size(width, height))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// The width and height of a mark, where there is room for it.
pub(super) fn mark_size(marks: Marks, label: &str, degree: usize) -> [f64; 2] {
    /// The widest text in a box.
    const WIDEST: f64 = 28.0 * letters::LETTER;
    match marks {
        Marks::Discs => [14.0 + 4.0 * (degree as f64).sqrt().min(8.0); 2],
        Marks::Boxes => {
            let label = letters::fitted(label, WIDEST);
            [(letters::width(&label) + 18.0).max(40.0), 26.0]
        }
    }
}
