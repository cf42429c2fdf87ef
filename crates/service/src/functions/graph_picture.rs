//! Pictures of function graphs, as SVG and PNG.

use fibula_core::graph::FunctionId;
use fibula_drawing::diagram::{self, layout::LayoutError};
use fibula_drawing::scene::Scene;
use fibula_knowledge::progress::Watch;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};
use crate::service::Service;

/// Maximum side of a picture, and maximum number of its pixels.
const LONGEST: f64 = 32_767.0;
const MOST_PIXELS: f64 = 64e6;
/// Maximum number of nodes of a picture, which is about 17 MB then.
const MOST_NODES: usize = 10_000;
/// Hint for graphs that are too large.
const OTHER_WAYS: &str =
    "draw a function that it calls, or read the graph in pages with get_function";

json_structs! {
    /// Function whose graph is drawn.
    pub request struct GetFunctionPicture {
        project,
        /// The function.
        pub function_id: FunctionId,
        /// Default svg.
        pub format: PictureFormat = default,
        revision,
    }
}

/// Image format of a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PictureFormat {
    /// Scalable Vector Graphics: of any size, with full texts as tooltips.
    #[default]
    Svg,
    /// Raster image.
    Png,
}

impl PictureFormat {
    /// All formats.
    pub const ALL: [PictureFormat; 2] = [PictureFormat::Svg, PictureFormat::Png];

    /// File extension.
    pub fn name(self) -> &'static str {
        match self {
            PictureFormat::Svg => "svg",
            PictureFormat::Png => "png",
        }
    }

    /// Media type.
    pub fn media_type(self) -> &'static str {
        match self {
            PictureFormat::Svg => "image/svg+xml",
            PictureFormat::Png => "image/png",
        }
    }
}

/// Picture of the graph of a function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionPicture {
    /// The function.
    pub function_id: FunctionId,
    /// Format of the bytes.
    pub format: PictureFormat,
    /// Contents of the file.
    pub bytes: Vec<u8>,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Revision of the project.
    pub revision: u64,
}

impl Service {
    /// Draws the graph of a function: its nodes from left to right with their values, and links in the colours of
    /// their types. `watch` may cancel it.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such function, its graph is too large for a layout or for pixels, or `watch`
    /// cancelled it.
    pub fn function_picture(
        &self,
        request: &GetFunctionPicture,
        watch: ProgressFn<'_>,
    ) -> Result<FunctionPicture> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let document = &snapshot.document;
        let function = document.function(request.function_id)?;
        if function.node_count() > MOST_NODES {
            let message = format!(
                "function {} has {} nodes, and a picture shows at most {MOST_NODES}",
                function.id(),
                function.node_count()
            );
            return Err(Refusal::new("too_large", message).hint(OTHER_WAYS));
        }
        run_watched(1, watch, |progress| {
            let drawing = diagram::draw(document, function, &mut || progress.report(0))?;
            let bytes = match request.format {
                PictureFormat::Svg => drawing.svg().into_bytes(),
                PictureFormat::Png => png(&drawing, &|_, _| progress.report(0))?,
            };
            Ok(FunctionPicture {
                function_id: request.function_id,
                format: request.format,
                bytes,
                size: drawing.size.map(|side| side as usize),
                revision: snapshot.head.revision,
            })
        })
    }
}

/// Rasterises a scene as a PNG file.
fn png(scene: &Scene, watch: &Watch<'_>) -> Result<Vec<u8>> {
    let [width, height] = scene.size.map(f64::from);
    if width.max(height) > LONGEST || width * height > MOST_PIXELS {
        let message = format!(
            "the picture has {width} x {height} pixels, but PNG is limited to {LONGEST} on a side and {MOST_PIXELS:e} \
             in all"
        );
        return Err(Refusal::new("too_large", message)
            .hint("request SVG")
            .details(json!({ "size": [width, height] })));
    }
    Ok(scene.png(1, watch)?)
}

impl From<LayoutError> for Refusal {
    fn from(error: LayoutError) -> Self {
        match error {
            LayoutError::TooLarge(_) => {
                Refusal::new("too_large", error.to_string()).hint(OTHER_WAYS)
            }
            LayoutError::Cyclic => Refusal::new("internal", error.to_string()),
            LayoutError::Cancelled => Refusal::cancelled(),
        }
    }
}
