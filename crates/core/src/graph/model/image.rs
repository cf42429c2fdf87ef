//! Images in three dimensions, as files have them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::extra::Extra;
use crate::graph::ContentHash;

/// An image in three dimensions: PNG sheets on top of each other (3MF: image3d with an imagestack).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImageStack {
    /// Display name; may be empty.
    #[serde(default)]
    pub name: String,
    /// Voxels along u.
    pub columns: u32,
    /// Voxels along v.
    pub rows: u32,
    /// The sheets, from w = 0 on.
    pub sheets: Vec<Sheet>,
    /// Attributes and elements that Fibula does not interpret.
    #[serde(default)]
    pub extra: Extra,
}

/// One sheet of an image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sheet {
    /// The name of its part in a package, such as `volume/layer_0.png`.
    pub path: String,
    /// Under which hash the PNG file lies.
    pub content: ContentHash,
    /// Size of the PNG file in bytes.
    pub size: u64,
}
