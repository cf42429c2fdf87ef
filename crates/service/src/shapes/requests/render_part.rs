//! Requests in JSON for pictures.

use std::time::Instant;

use fibula_core::graph::FunctionId;
use fibula_geometry::picture::{PixelSamples, Section};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::export_part::LARGEST_RESOURCE;
use super::shape_query::ShapeQuery;
use super::slice_part::SlicePart;
use crate::background::ProgressFn;
use crate::edits::tried;
use crate::functions::{GetFunctionPicture, PictureFormat};
use crate::project::names::DEFAULT_PROJECT;
use crate::refusal::{Refusal, Result};
use crate::schema_types::ObjectForm;
use crate::service::Service;
use crate::shapes::render::{Render, RenderResult, ViewName, Views, render};
use crate::shapes::slicing::{DrawSlices, draw_slices};
use crate::shapes::subject::ResolvedShape;

/// Default width and height of a picture.
const SIZE: [usize; 2] = [512, 512];

json_structs! {
    /// Subject and options of a picture.
    pub request(Default) struct RenderPart {
        /// The subject.
        #[serde(flatten)]
        pub look: ShapeQuery,
        /// Another output, or a property of volume data.
        pub color: Option<String>,
        /// Without colours.
        pub plain: bool,
        /// Camera position; default "iso".
        pub view: Option<ViewName>,
        /// Instead of view: degrees from x towards y, and above the ground.
        #[schemars(with = "Option<Vec<f64>>")]
        pub orbit: Option<[f64; 2]>,
        /// Field of view in degrees.
        pub perspective: Option<f64>,
        /// Factor, such as 2.
        pub zoom: Option<f64>,
        /// Clips everything nearer: {x: 0}, or y, z.
        pub section: SectionPlanes = default,
        /// Colours changes since this revision.
        pub since: Option<u64>,
        /// Default [512, 512].
        #[schemars(with = "Option<Vec<u32>>")]
        pub size: Option<[usize; 2]>,
        /// Default solid; slices or the field at heights, or a function's graph.
        pub show: RenderMode = default,
        /// For slices and field, in the project's unit: [2.5].
        pub heights: Option<Vec<f64>>,
        /// A mark: its place, at its revision.
        pub mark: Option<String>,
        /// Edits as of apply_edits, to try: nothing is written.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub edits: Vec<Json> = default,
    }
}

/// Kind of picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
#[schemars(rename = "Show")]
pub enum RenderMode {
    #[default]
    Solid,
    Slices,
    Field,
    Graph,
}

/// Clipping planes across the axes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "the names say it")]
#[schemars(rename = "Places")]
pub struct SectionPlanes {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
}

impl RenderMode {
    fn name(self) -> &'static str {
        match self {
            RenderMode::Solid => "solid",
            RenderMode::Slices => "slices",
            RenderMode::Field => "field",
            RenderMode::Graph => "graph",
        }
    }

    /// Returns the refusal of a mode without an option that it needs.
    fn lacks(self, what: &str) -> Refusal {
        let message = format!("show \"{}\" requires {what}", self.name());
        Refusal::new("invalid_arguments", message).hint("pass it, or set show to another mode")
    }
}

impl RenderPart {
    /// Returns the settings of the picture.
    ///
    /// # Errors
    /// A [`Refusal`] if bounds or planes are invalid, or a sheet has an option of a single picture.
    pub fn request(&self) -> Result<Render> {
        Ok(Render {
            bounds: self.look.bounds()?,
            views: Views::of(self.view, self.orbit, self.perspective, self.zoom)?,
            size: self.size.unwrap_or(SIZE),
            sections: self.section.sections()?,
            pin: None,
            samples: PixelSamples::default(),
            limits: self.look.limits()?,
        })
    }

    /// Refuses options that the mode does not support.
    pub(super) fn check(&self) -> Result<()> {
        let look = &self.look;
        let in_space = [
            ("color", self.color.is_some()),
            ("plain", self.plain),
            ("view", self.view.is_some()),
            ("orbit", self.orbit.is_some()),
            ("perspective", self.perspective.is_some()),
            ("zoom", self.zoom.is_some()),
            ("section", self.section != SectionPlanes::default()),
            ("since", self.since.is_some()),
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
            ("edits", !self.edits.is_empty()),
        ];
        let strange = match self.show {
            RenderMode::Solid => vec![heights],
            RenderMode::Slices | RenderMode::Field => in_space.to_vec(),
            RenderMode::Graph => [&in_space[..], &of_shapes].concat(),
        };
        let show = self.show.name();
        if let Some((what, _)) = strange.into_iter().find(|(_, is_given)| *is_given) {
            let message = format!("{what} does not apply to show \"{show}\"");
            return Err(Refusal::new("invalid_arguments", message)
                .hint(format!("omit {what}, or set show to another mode")));
        }
        Ok(())
    }
}

impl SectionPlanes {
    fn sections(self) -> Result<Vec<Section>> {
        let planes = [self.x, self.y, self.z].into_iter().enumerate();
        let planes = planes.filter_map(|(axis, place)| Some((axis, place?)));
        planes
            .map(|(axis, place)| Ok(Section::across(axis, place)?))
            .collect()
    }
}

impl Service {
    /// Draws a subject. Calls `watch` with the progress and its total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`], as [`resolve_shape`](Self::resolve_shape), [`render`], [`draw_slices`] and
    /// [`function_picture`](Self::function_picture); `invalid_arguments` for options that the mode does not support or
    /// lacks.
    pub fn render_part(&self, request: &RenderPart, watch: ProgressFn<'_>) -> Result<RenderResult> {
        let drawn = match &request.mark {
            Some(mark) => self.render_mark(request, mark, watch),
            None => self.draw_part(request, watch),
        };
        Ok(RenderResult {
            tried_edits: tried(&request.edits),
            ..drawn?
        })
    }

    /// Draws a subject at no mark.
    pub(super) fn draw_part(
        &self,
        request: &RenderPart,
        watch: ProgressFn<'_>,
    ) -> Result<RenderResult> {
        request.check()?;
        match request.show {
            RenderMode::Solid => self.draw_solid(request, &request.request()?, watch),
            RenderMode::Slices | RenderMode::Field => {
                let heights = request.heights.as_ref();
                heights.ok_or_else(|| request.show.lacks("heights, such as [2.5]"))?;
                self.draw_heights(request, watch)
            }
            RenderMode::Graph => {
                let function = request.look.function_id;
                let function = function.ok_or_else(|| request.show.lacks("a function_id"))?;
                self.draw_graph(&request.look, function, watch)
            }
        }
    }

    /// Draws a subject in space.
    pub(super) fn draw_solid(
        &self,
        request: &RenderPart,
        picture: &Render,
        watch: ProgressFn<'_>,
    ) -> Result<RenderResult> {
        let color = request.color.as_deref();
        let resolved = match request.since {
            Some(revision) => self.changed_part(request, revision, watch)?,
            None => request
                .look
                .resolve(self, color, request.plain, &request.edits)?,
        };
        render(&resolved, picture, watch)
    }

    /// The present and an earlier version of the subject as one shape, with its changes in colour.
    fn changed_part(
        &self,
        request: &RenderPart,
        revision: u64,
        watch: ProgressFn<'_>,
    ) -> Result<ResolvedShape> {
        if request.color.is_some() {
            let message = "color and since exclude each other, since changes are shown in colour";
            return Err(Refusal::new("invalid_arguments", message).hint("omit one of them"));
        }
        let look = &request.look;
        let after = look.resolve(self, None, true, &request.edits)?;
        let earlier = ShapeQuery {
            revision: Some(revision),
            ..look.clone()
        };
        let before = earlier.resolve(self, None, true, &[])?;
        after.changes_since(&before, look.bounds()?, watch)
    }

    fn draw_heights(&self, request: &RenderPart, watch: ProgressFn<'_>) -> Result<RenderResult> {
        let begun = Instant::now();
        let slices = SlicePart {
            look: request.look.clone(),
            heights: request.heights.clone(),
            edits: request.edits.clone(),
            ..SlicePart::default()
        };
        let (resolved, made) = slices.make(self, 0, watch)?;
        let drawn = DrawSlices {
            size: request.size.unwrap_or(SIZE),
            field: request.show == RenderMode::Field,
            limits: request.look.limits()?,
            begun: Some(begun),
        };
        draw_slices(&resolved, &made, &drawn, watch)
    }

    fn draw_graph(
        &self,
        look: &ShapeQuery,
        function_id: FunctionId,
        watch: ProgressFn<'_>,
    ) -> Result<RenderResult> {
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
                "the picture has {} bytes, more than the limit of {LARGEST_RESOURCE}",
                drawn.bytes.len()
            );
            return Err(hinted(Refusal::new("too_large", message)));
        }
        Ok(RenderResult {
            png: drawn.bytes,
            size: drawn.size,
            extent: None,
            revision: drawn.revision,
            warnings: Vec::new(),
            tried_edits: None,
        })
    }
}
