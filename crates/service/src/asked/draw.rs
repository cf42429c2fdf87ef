//! Pictures, as they are asked for in JSON.

use std::ops::ControlFlow;
use std::time::Instant;

use fibula_core::graph::FunctionId;
use fibula_geometry::picture::{Samples, Section};
use schemars::JsonSchema;
use serde::Deserialize;

use super::export::LARGEST_RESOURCE;
use super::looking::Looking;
use super::slice::SlicePart;
use crate::{
    DEFAULT_PROJECT, DrawSlices, GetFunctionPicture, PictureFormat, Refusal, Render, Rendered,
    Service, ViewName, Views, draw_slices, render,
};

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
    /// No colours.
    #[serde(default)]
    pub plain: bool,
    /// From where; "iso" if left out.
    pub view: Option<ViewName>,
    /// Instead of view: degrees from x towards y, and above the ground.
    #[schemars(with = "Option<Vec<f64>>")]
    pub orbit: Option<[f64; 2]>,
    /// The angle of view in degrees.
    pub perspective: Option<f64>,
    /// Such as 2.
    pub zoom: Option<f64>,
    /// Cuts open what is nearer: {"x": 0}.
    #[serde(default)]
    pub section: Places,
    /// [512, 512] if left out.
    #[schemars(with = "Option<Vec<u32>>")]
    pub size: Option<[usize; 2]>,
    /// solid if left out; slices or the field at heights, or a function's graph.
    #[serde(default)]
    pub show: Show,
    /// For slices and field: [2.5].
    pub heights: Option<Vec<f64>>,
}

/// What is drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Show {
    #[default]
    Solid,
    Slices,
    Field,
    Graph,
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

impl Show {
    fn name(self) -> &'static str {
        match self {
            Show::Solid => "solid",
            Show::Slices => "slices",
            Show::Field => "field",
            Show::Graph => "graph",
        }
    }

    /// Without something there is nothing to show.
    fn lacks(self, what: &str) -> Refusal {
        let message = format!("show \"{}\" needs {what}", self.name());
        Refusal::new("invalid_arguments", message).hint("give it, or show something else")
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
            views: Views::of(self.view, self.orbit, self.perspective, self.zoom)?,
            size: self.size.unwrap_or(SIZE),
            sections: self.section.sections()?,
            samples: Samples::default(),
            limits: self.look.limits()?,
        })
    }

    /// That nothing is asked for that does not go with what is shown.
    fn check(&self) -> Result<(), Refusal> {
        let look = &self.look;
        let in_space = [
            ("color", self.color.is_some()),
            ("plain", self.plain),
            ("view", self.view.is_some()),
            ("orbit", self.orbit.is_some()),
            ("perspective", self.perspective.is_some()),
            ("zoom", self.zoom.is_some()),
            ("section", self.section != Places::default()),
        ];
        let heights = ("heights", self.heights.is_some());
        let of_shapes = [
            ("object_id", look.object_id.is_some()),
            ("output", look.output.is_some()),
            ("arguments", look.arguments.is_some()),
            ("bounds", look.bounds.is_some()),
            ("time_limit", look.time_limit.is_some()),
            ("size", self.size.is_some()),
            heights,
        ];
        let strange = match self.show {
            Show::Solid => vec![heights],
            Show::Slices | Show::Field => in_space.to_vec(),
            Show::Graph => [&in_space[..], &of_shapes].concat(),
        };
        let show = self.show.name();
        if let Some((what, _)) = strange.into_iter().find(|(_, is_given)| *is_given) {
            let message = format!("{what} does not go with show \"{show}\"");
            return Err(Refusal::new("invalid_arguments", message)
                .hint(format!("leave {what} out, or show something else")));
        }
        Ok(())
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
    /// A [`Refusal`], as [`see`](Self::see), [`render`], [`draw_slices`] and [`function_picture`](Self::function_picture);
    /// `invalid_arguments` for what does not go with what is shown, or lacks.
    pub fn render_part(
        &self,
        request: &RenderPart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Rendered, Refusal> {
        request.check()?;
        match request.show {
            Show::Solid => {
                let picture = request.request()?;
                let color = request.color.as_deref();
                let seen = request.look.see(self, color, request.plain)?;
                render(&seen, &picture, watch)
            }
            Show::Slices | Show::Field => {
                let heights = request.heights.as_ref();
                heights.ok_or_else(|| request.show.lacks("heights, such as [2.5]"))?;
                self.draw_heights(request, watch)
            }
            Show::Graph => {
                let function = request.look.function_id;
                let function = function.ok_or_else(|| request.show.lacks("a function_id"))?;
                self.draw_graph(&request.look, function, watch)
            }
        }
    }

    fn draw_heights(
        &self,
        request: &RenderPart,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Rendered, Refusal> {
        let begun = Instant::now();
        let slices = SlicePart {
            look: request.look.clone(),
            heights: request.heights.clone(),
            ..SlicePart::default()
        };
        let (seen, made) = slices.make(self, watch)?;
        let drawn = DrawSlices {
            size: request.size.unwrap_or(SIZE),
            field: request.show == Show::Field,
            limits: request.look.limits()?,
            begun: Some(begun),
        };
        draw_slices(&seen, &made, &drawn, watch)
    }

    fn draw_graph(
        &self,
        look: &Looking,
        function_id: FunctionId,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<Rendered, Refusal> {
        let picture = GetFunctionPicture {
            project: look.project.clone(),
            function_id,
            format: PictureFormat::Png,
            revision: look.revision,
        };
        let project = look.project.as_deref().unwrap_or(DEFAULT_PROJECT);
        let as_svg =
            format!("read fibula://projects/{project}/functions/{function_id}.svg instead");
        let hinted = |refusal: Refusal| match refusal.code {
            "too_large" => refusal.hint(as_svg.clone()),
            _ => refusal,
        };
        let drawn = self.function_picture(&picture, watch).map_err(hinted)?;
        if drawn.bytes.len() as u64 > LARGEST_RESOURCE {
            let message = format!(
                "the picture has {} bytes, and at most {LARGEST_RESOURCE} are given",
                drawn.bytes.len()
            );
            return Err(hinted(Refusal::new("too_large", message)));
        }
        Ok(Rendered {
            png: drawn.bytes,
            size: drawn.size,
            extent: None,
            revision: drawn.revision,
            warnings: Vec::new(),
        })
    }
}
