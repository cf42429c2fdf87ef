//! Rendering: pictures of shapes, with bounds that are searched for if they are not given.

use std::ops::ControlFlow;

use fibula_core::graph::model::Unit;
use fibula_geometry::picture::{
    Camera, Colouring, MOST_SIDE, Picture, Samples, Section, Sheet, Undrawable, View,
};
use fibula_geometry::{Boundless, Bounds, NoShape, Shape};
use schemars::JsonSchema;
use serde::Deserialize;

use super::Refusal;
use super::limits::{Limits, smaller};
use super::sampling::beside;
use super::subject::Seen;

/// Parts of the work that are told.
const PARTS: u64 = 1_000;

/// How a shape is shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Render {
    /// The part that is shown; all of the shape if left out.
    pub bounds: Option<Bounds>,
    /// From where.
    pub views: Views,
    /// The width and height in pixels.
    pub size: [usize; 2],
    /// Planes that cut it open; what is nearer to the camera is taken away.
    pub sections: Vec<Section>,
    /// At how many places of each pixel is looked.
    pub samples: Samples,
    /// How much it may take.
    pub limits: Limits,
}

/// From where a shape is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Views {
    /// From one place.
    One(Camera),
    /// From the front, the right, above and between, on one sheet.
    Sheet,
}

/// A name for where something is drawn from.
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
    /// Every name.
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

    /// As people write it.
    pub fn name(self) -> &'static str {
        self.view().map_or("sheet", View::name)
    }

    /// The one of this name, in upper or lower case.
    pub fn named(name: &str) -> Option<ViewName> {
        let mut all = ViewName::ALL.into_iter();
        all.find(|view| view.name().eq_ignore_ascii_case(name))
    }

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

impl Views {
    /// What is seen from a place with a name, [`ViewName::Iso`] if left out, or from two angles instead: from x towards y
    /// and above the ground. All angles are in degrees; `perspective` is that of the picture's height.
    ///
    /// # Errors
    /// A [`Refusal`], `invalid_arguments`: two places are named, or a sheet with what only one picture has.
    pub fn of(
        view: Option<ViewName>,
        orbit: Option<[f64; 2]>,
        perspective: Option<f64>,
        zoom: Option<f64>,
    ) -> Result<Views, Refusal> {
        let mut camera = match (orbit, view) {
            (Some(_), Some(_)) => {
                let message = "view and orbit are two places to look from";
                return Err(
                    Refusal::new("invalid_arguments", message).hint("leave one of them out")
                );
            }
            (Some([azimuth, elevation]), None) => {
                Camera::orbit(azimuth.to_radians(), elevation.to_radians())
            }
            (None, view) => match view.unwrap_or(ViewName::Iso).view() {
                Some(view) => view.into(),
                None if zoom.is_some() || perspective.is_some() => {
                    let message = "a sheet has four views, without zoom and perspective";
                    return Err(Refusal::new("invalid_arguments", message)
                        .hint("leave them out, or take one view"));
                }
                None => return Ok(Views::Sheet),
            },
        };
        camera.perspective = perspective.map(f64::to_radians);
        camera.zoom = zoom.unwrap_or(camera.zoom);
        Ok(Views::One(camera))
    }
}

/// A part of space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// From where to where it is.
    pub bounds: Bounds,
    /// What a length of 1 is.
    pub unit: Unit,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// A PNG file.
    pub png: Vec<u8>,
    /// Its width and height; a sheet may have some pixels less than asked for.
    pub size: [usize; 2],
    /// What is shown of space; nothing if it shows a graph.
    pub extent: Option<Extent>,
    /// The revision that it shows.
    pub revision: u64,
    /// What should be known of it.
    pub warnings: Vec<String>,
}

/// Renders what is seen. `watch` is told how many of how many parts are done, and may end it.
///
/// # Errors
/// A [`Refusal`]: the shape is empty or does not end (then bounds are needed), the size or the camera cannot be, its
/// limits are passed, or `watch` ended it.
pub fn render(
    seen: &Seen,
    request: &Render,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Rendered, Refusal> {
    request.check_memory()?;
    request.limits.within(
        watch,
        |far| smaller(request.size, 0.9 * far.sqrt()),
        |watch| draw(seen, request, watch),
    )
}

fn draw(
    seen: &Seen,
    request: &Render,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<Rendered, Refusal> {
    let shape = Shape::new(&seen.tape)?;
    let bounds = seen.bounds_or(request.bounds, &shape, watch)?;
    beside(PARTS, watch, |progress| {
        let told = |done: u64, total: u64| progress.tell(done * PARTS / total.max(1));
        let image = match request.views {
            Views::One(camera) => request
                .picture(seen, camera)
                .draw_watched(&shape, &bounds, &told)?,
            Views::Sheet => request.sheet(seen).draw(&shape, &bounds, &told)?,
        };
        Ok(Rendered {
            png: image.png(),
            size: [image.width(), image.height()],
            extent: Some(Extent {
                bounds,
                unit: seen.unit,
            }),
            revision: seen.revision,
            warnings: seen.warnings.clone(),
        })
    })
}

impl Render {
    /// A picture of a size, of all, from one place, without limits.
    pub fn of(camera: impl Into<Camera>, size: [usize; 2]) -> Render {
        Render {
            bounds: None,
            views: Views::One(camera.into()),
            size,
            sections: Vec::new(),
            samples: Samples::default(),
            limits: Limits::default(),
        }
    }

    /// About how many bytes are needed to make it.
    fn memory(&self) -> f64 {
        /// For a pixel: four samples with what is seen, how open it is at every fourth, and the image.
        const MADE: f64 = 4.0 * 8.0 + 1.0 + 3.0;
        let pixels = self.size[0] as f64 * self.size[1] as f64;
        match self.views {
            Views::One(_) => pixels * MADE,
            Views::Sheet => pixels * (MADE / 4.0 + 3.0),
        }
    }

    fn check_memory(&self) -> Result<(), Refusal> {
        let (bytes, Some(most)) = (self.memory(), self.limits.memory) else {
            return Ok(());
        };
        if bytes <= most as f64 {
            return Ok(());
        }
        let [width, height] = self.size;
        let message = format!(
            "a picture of {width} x {height} pixels takes about {bytes:.0} bytes to make, and the limit is {most}"
        );
        let longest = width.max(height) as f64;
        let factor = (most as f64 / bytes).sqrt().min(MOST_SIDE as f64 / longest);
        let (hint, details) = smaller(self.size, factor);
        Err(Refusal::new("too_large", message)
            .hint(format!("{hint} passes"))
            .details(details))
    }

    fn picture(&self, seen: &Seen, camera: Camera) -> Picture {
        let sections = self.sections.iter();
        Picture {
            size: self.size,
            sections: sections.map(|section| section.facing(&camera)).collect(),
            colouring: seen.scale().map(|name| Colouring {
                output: 1,
                range: None,
                title: name.to_owned(),
            }),
            paint: seen.red(),
            unit: Some(seen.unit),
            samples: self.samples,
            ..Picture::of(camera)
        }
    }

    /// Each picture gets a quarter of the size.
    fn sheet(&self, seen: &Seen) -> Sheet {
        let views = [View::Front, View::Right, View::Top, View::Isometric];
        let picture = |view: View| Picture {
            size: self.size.map(|side| side.saturating_sub(1) / 2),
            caption: Some(view.name().to_owned()),
            ..self.picture(seen, view.into())
        };
        Sheet {
            pictures: views.map(picture).into(),
            columns: 2,
        }
    }
}

impl From<Undrawable> for Refusal {
    fn from(error: Undrawable) -> Self {
        Refusal::new(error.code(), error.to_string())
    }
}

impl From<Boundless> for Refusal {
    fn from(error: Boundless) -> Self {
        Refusal::new(error.code(), error.to_string())
    }
}

impl From<NoShape> for Refusal {
    fn from(error: NoShape) -> Self {
        Refusal::new(error.code(), error.to_string())
    }
}
