//! Rendering of shapes to PNG, in given or detected bounds.

use fibula_core::graph::model::Unit;
use fibula_geometry::picture::{
    Camera, Colouring, DrawnMesh, MOST_SIDE, Picture, PixelSamples, Section, Sheet, View,
};
use fibula_geometry::{Bounds, Shape};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};
use crate::shapes::limits::{Limits, suggest_size};
use crate::shapes::placed_meshes::PlacedMeshes;
use crate::shapes::subject::ResolvedShape;

/// Progress steps of the work.
const PARTS: u64 = 1_000;

/// Settings of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Render {
    /// Part of the shape that is shown; default: all of it.
    pub bounds: Option<Bounds>,
    /// Cameras.
    pub views: Views,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Clipping planes; everything nearer to the camera is removed.
    pub sections: Vec<Section>,
    /// Place that is shown by a ring.
    pub pin: Option<[f64; 3]>,
    /// Samples per pixel.
    pub samples: PixelSamples,
    /// Time and memory limits.
    pub limits: Limits,
}

/// Cameras of a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Views {
    /// One camera.
    One(Camera),
    /// Front, right, top and isometric views on one sheet.
    Sheet,
}

/// Name of a camera position.
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

impl ViewName {
    /// All names.
    pub const ALL: [ViewName; 8] = [
        ViewName::Iso,
        ViewName::Front,
        ViewName::Back,
        ViewName::Left,
        ViewName::Right,
        ViewName::Top,
        ViewName::Bottom,
        ViewName::Sheet,
    ];

    /// Name in requests.
    pub fn name(self) -> &'static str {
        self.view().map_or("sheet", View::name)
    }

    /// Returns the view with this name, ignoring case.
    pub fn named(name: &str) -> Option<ViewName> {
        let mut all = ViewName::ALL.into_iter();
        all.find(|view| view.name().eq_ignore_ascii_case(name))
    }

    /// Azimuth and elevation in degrees; `None` for the sheet.
    pub(super) fn orbit(self) -> Option<[f64; 2]> {
        let iso = std::f64::consts::FRAC_1_SQRT_2.atan().to_degrees();
        match self {
            ViewName::Iso => Some([-45.0, iso]),
            ViewName::Front => Some([-90.0, 0.0]),
            ViewName::Back => Some([90.0, 0.0]),
            ViewName::Left => Some([180.0, 0.0]),
            ViewName::Right => Some([0.0, 0.0]),
            ViewName::Top => Some([-90.0, 90.0]),
            ViewName::Bottom => Some([-90.0, -90.0]),
            ViewName::Sheet => None,
        }
    }

    /// `None` for the sheet.
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

impl Views {
    /// Camera at a named view, [`ViewName::Iso`] if left out, or at two angles: from x towards y, and above the
    /// ground. Angles are in degrees; `perspective` is the vertical field of view.
    ///
    /// # Errors
    /// A [`Refusal`], `invalid_arguments`, if both are given, or a sheet with an option of a single picture.
    pub fn of(
        view: Option<ViewName>,
        orbit: Option<[f64; 2]>,
        perspective: Option<f64>,
        zoom: Option<f64>,
    ) -> Result<Views> {
        let mut camera = match (orbit, view) {
            (Some(_), Some(_)) => {
                let message = "view and orbit are both given";
                return Err(Refusal::new("invalid_arguments", message).hint("give one of them"));
            }
            (Some([azimuth, elevation]), None) => {
                Camera::orbit(azimuth.to_radians(), elevation.to_radians())
            }
            (None, view) => match view.unwrap_or(ViewName::Iso).view() {
                Some(view) => view.into(),
                None if zoom.is_some() || perspective.is_some() => {
                    let message = "a sheet has four views, so zoom and perspective do not apply";
                    return Err(Refusal::new("invalid_arguments", message)
                        .hint("omit them, or choose one view"));
                }
                None => return Ok(Views::Sheet),
            },
        };
        camera.perspective = perspective.map(f64::to_radians);
        camera.zoom = zoom.unwrap_or(camera.zoom);
        Ok(Views::One(camera))
    }
}

/// A region of space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Bounds of the region.
    pub bounds: Bounds,
    /// Unit of length.
    pub unit: Unit,
}

/// A rendered picture.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderResult {
    /// PNG file.
    pub png: Vec<u8>,
    /// Width and height in pixels; a sheet may be a few pixels smaller than requested.
    pub size: [usize; 2],
    /// Bounds that were requested, or those of the shape; `None` for a graph.
    pub extent: Option<Extent>,
    /// Rendered revision.
    pub revision: u64,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Number of edits that were tried: they are not written.
    pub tried_edits: Option<usize>,
}

/// Renders a shape. Calls `watch` with the steps done and their total; it may cancel the work.
///
/// # Errors
/// A [`Refusal`] if the shape is empty or unbounded (then bounds are needed), the size or camera is invalid, a limit
/// is exceeded, or `watch` cancelled it.
pub fn render(
    resolved: &ResolvedShape,
    request: &Render,
    watch: ProgressFn<'_>,
) -> Result<RenderResult> {
    request.check_memory()?;
    request.limits.within(
        watch,
        |far| suggest_size(request.size, 0.9 * far.sqrt()),
        |watch| draw(resolved, request, watch),
    )
}

fn draw(resolved: &ResolvedShape, request: &Render, watch: ProgressFn<'_>) -> Result<RenderResult> {
    let shape = Shape::new(&resolved.tape)?;
    let extent = resolved.extent_or(request.bounds, &shape, watch)?;
    let bounds = extent.around;
    run_watched(PARTS, watch, |progress| {
        let surface = resolved.meshes.as_ref().and_then(PlacedMeshes::surface);
        let rays = surface
            .as_ref()
            .map(|surface| DrawnMesh::new(&surface.mesh));
        let report = |done: u64, total: u64| progress.report(done * PARTS / total.max(1));
        let drawn = match request.views {
            Views::One(camera) => request.picture(resolved, camera).draw_surface(
                &shape,
                rays.as_ref(),
                &bounds,
                &report,
            )?,
            Views::Sheet => {
                request
                    .sheet(resolved)
                    .draw_surface(&shape, rays.as_ref(), &bounds, &report)?
            }
        };
        let mut warnings = resolved.warnings.clone();
        warnings.extend(drawn.is_empty.then(|| request.empty_warning()));
        let mut sections = request.sections.iter();
        let is_beside = sections.any(|section| !section.meets(&extent.tight));
        if is_beside && !drawn.is_empty {
            warnings.push("a section cuts nothing: its plane is beside the bounds".to_owned());
        }
        let image = drawn.image;
        Ok(RenderResult {
            png: image.png(),
            size: [image.width(), image.height()],
            extent: Some(Extent {
                bounds: extent.tight,
                unit: resolved.unit,
            }),
            revision: resolved.revision,
            warnings,
            tried_edits: None,
        })
    })
}

impl Render {
    /// A picture of the whole shape from one camera, without limits.
    pub fn of(camera: impl Into<Camera>, size: [usize; 2]) -> Render {
        Render {
            bounds: None,
            views: Views::One(camera.into()),
            size,
            sections: Vec::new(),
            pin: None,
            samples: PixelSamples::default(),
            limits: Limits::default(),
        }
    }

    /// Warning of a picture in which nothing is visible.
    fn empty_warning(&self) -> String {
        let is_zoomed = matches!(self.views, Views::One(camera) if camera.zoom > 1.0);
        let causes = [
            ("bounds", self.bounds.is_some()),
            ("section", !self.sections.is_empty()),
            ("zoom", is_zoomed),
        ];
        let causes = causes.into_iter().filter(|(_, is_given)| *is_given);
        let causes: Vec<&str> = causes.map(|(cause, _)| cause).collect();
        let omit = match causes.join(" or ") {
            none if none.is_empty() => String::new(),
            causes => format!("omit {causes}, or "),
        };
        format!("nothing of the part is visible: {omit}measure the bounds of the part")
    }

    /// Approximate memory in bytes.
    fn memory(&self) -> f64 {
        /// Per pixel: four samples of depth and normal, ambient occlusion at every fourth, and the image.
        const MADE: f64 = 4.0 * 8.0 + 1.0 + 3.0;
        let pixels = self.size[0] as f64 * self.size[1] as f64;
        match self.views {
            Views::One(_) => pixels * MADE,
            Views::Sheet => pixels * (MADE / 4.0 + 3.0),
        }
    }

    fn check_memory(&self) -> Result<()> {
        let (bytes, Some(most)) = (self.memory(), self.limits.memory) else {
            return Ok(());
        };
        if bytes <= most as f64 {
            return Ok(());
        }
        let [width, height] = self.size;
        let message = format!(
            "a picture of {width} x {height} pixels needs about {bytes:.0} bytes, more than the limit of {most}"
        );
        let longest = width.max(height) as f64;
        let factor = (most as f64 / bytes).sqrt().min(MOST_SIDE as f64 / longest);
        let (hint, details) = suggest_size(self.size, factor);
        Err(Refusal::new("too_large", message)
            .hint(format!("use {hint}"))
            .details(details))
    }

    /// The picture from one camera.
    pub(super) fn picture(&self, resolved: &ResolvedShape, camera: Camera) -> Picture {
        let sections = self.sections.iter();
        Picture {
            size: self.size,
            sections: sections.map(|section| section.facing(&camera)).collect(),
            colouring: resolved.scale().map(|name| Colouring {
                output: 1,
                range: None,
                title: name.to_owned(),
            }),
            paint: resolved.red(),
            unit: Some(resolved.unit),
            pin: self.pin,
            samples: self.samples,
            ..Picture::new(camera)
        }
    }

    /// Each view gets a quarter of the size.
    fn sheet(&self, resolved: &ResolvedShape) -> Sheet {
        let views = [View::Front, View::Right, View::Top, View::Isometric];
        let picture = |view: View| Picture {
            size: self.size.map(|side| side.saturating_sub(1) / 2),
            caption: Some(view.name().to_owned()),
            ..self.picture(resolved, view.into())
        };
        Sheet {
            pictures: views.map(picture).into(),
            columns: 2,
        }
    }
}
