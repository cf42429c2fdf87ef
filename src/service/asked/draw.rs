//! Pictures, as they are asked for in JSON.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;

use super::looking::Looking;
use crate::geometry::picture::{Camera, Section, View};
use crate::service::{Refusal, Render, Rendered, Service, Views, render};

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

/// From where something is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum ViewName {
    Iso,
    Front,
    Back,
    Left,
    Right,
    Top,
    Bottom,
    /// four views
    Sheet,
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

impl ViewName {
    /// `None` for a sheet of several.
    fn view(self) -> Option<View> {
        match self {
            ViewName::Iso => Some(View::Isometric),
            ViewName::Front => Some(View::Front),
            ViewName::Back => Some(View::Back),
            ViewName::Left => Some(View::Left),
            ViewName::Right => Some(View::Right),
            ViewName::Top => Some(View::Top),
            ViewName::Bottom => Some(View::Bottom),
            ViewName::Sheet => None,
        }
    }
}

impl RenderPart {
    /// The picture that is asked for.
    ///
    /// # Errors
    /// A [`Refusal`]: bounds or planes that are none, or a sheet with what only one picture has.
    pub fn request(&self) -> Result<Render, Refusal> {
        Ok(Render {
            bounds: self.look.bounds()?,
            views: self.views()?,
            size: self.size.unwrap_or(SIZE),
            sections: self.section.sections()?,
            limits: self.look.limits(),
        })
    }

    fn views(&self) -> Result<Views, Refusal> {
        let view = self.view.unwrap_or(ViewName::Iso).view();
        let mut camera: Camera = match (self.orbit, view) {
            (Some(_), _) if self.view.is_some() => {
                let message = "view and orbit are two places to look from";
                return Err(
                    Refusal::new("invalid_arguments", message).hint("leave one of them out")
                );
            }
            (Some([azimuth, elevation]), _) => {
                Camera::orbit(azimuth.to_radians(), elevation.to_radians())
            }
            (None, Some(view)) => view.into(),
            (None, None) if self.zoom.is_some() || self.perspective.is_some() => {
                return Err(Refusal::of_sheet());
            }
            (None, None) => return Ok(Views::Sheet),
        };
        camera.perspective = self.perspective.map(f64::to_radians);
        camera.zoom = self.zoom.unwrap_or(camera.zoom);
        Ok(Views::One(camera))
    }
}

impl Refusal {
    /// A sheet was asked for with what only one picture has.
    pub(crate) fn of_sheet() -> Refusal {
        let message = "a sheet has four views, without zoom and perspective";
        Refusal::new("invalid_arguments", message).hint("leave them out, or take one view")
    }
}

impl Places {
    fn sections(self) -> Result<Vec<Section>, Refusal> {
        let planes = [self.x, self.y, self.z].into_iter().enumerate();
        let planes = planes.filter_map(|(axis, place)| Some((axis, place?)));
        let section = |(axis, place)| {
            let mut normal = [0.0; 3];
            normal[axis] = 1.0;
            Ok(Section::new(normal, place)?)
        };
        planes.map(section).collect()
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
