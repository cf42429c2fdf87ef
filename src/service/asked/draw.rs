//! Pictures, as they are asked for in JSON.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::looking::Looking;
use crate::geometry::picture::{Samples, Section};
use crate::service::{Refusal, Render, Rendered, Service, ViewName, Views, render};

/// The width and height of a picture, unless another is asked for.
const SIZE: [usize; 2] = [512, 512];

/// What is drawn, and how.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenderPart {
    /// What is looked at.
    #[serde(flatten)]
    pub look: Looking,
    /// Another output, or a property of volume data.
    pub color: Option<String>,
    /// true for no colours.
    #[serde(default)]
    pub plain: bool,
    /// From where; "iso" if left out.
    pub view: Option<ViewName>,
    /// Instead of view: degrees from x towards y, and above the ground.
    #[schemars(with = "Option<Vec<f64>>")]
    pub orbit: Option<[f64; 2]>,
    /// The angle of view in degrees; none if left out.
    pub perspective: Option<f64>,
    /// Such as 2.
    pub zoom: Option<f64>,
    /// Cuts open what is nearer: {"x": 0}.
    #[serde(default)]
    pub section: Places,
    /// [512, 512] if left out.
    #[schemars(with = "Option<Vec<u32>>")]
    pub size: Option<[usize; 2]>,
}

/// Planes across the axes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Places {
    pub x: Option<f64>,
    pub y: Option<f64>,
    pub z: Option<f64>,
}

impl RenderPart {
    /// The picture that is asked for.
    ///
    /// # Errors
    /// A [`Refusal`]: bounds or planes that are none, or a sheet with what only one picture has.
    pub fn request(&self) -> Result<Render, Refusal> {
        Ok(Render {
            bounds: self.look.bounds()?,
            views: Views::of(self.view, self.orbit, self.perspective, self.zoom)?,
            size: self.size.unwrap_or(SIZE),
            sections: self.section.sections()?,
            samples: Samples::default(),
            limits: self.look.limits()?,
        })
    }
}

impl Places {
    fn sections(self) -> Result<Vec<Section>, Refusal> {
        let planes = [self.x, self.y, self.z].into_iter().enumerate();
        let planes = planes.filter_map(|(axis, place)| Some((axis, place?)));
        planes
            .map(|(axis, place)| Ok(Section::across(axis, place)?))
            .collect()
    }
}

impl Service {
    /// Draws what is looked at. `watch` is told how much of how much is done, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`], as [`see`](Self::see) and [`render`].
    pub fn render_part(
        &self,
        request: &RenderPart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Rendered, Refusal> {
        let picture = request.request()?;
        let seen = request
            .look
            .see(self, request.color.as_deref(), request.plain)?;
        render(&seen, &picture, watch)
    }
}
