//! Rendering: pictures of shapes, with bounds that are searched for if they are not given.

use std::ops::ControlFlow;

use crate::geometry::picture::{Camera, Colouring, Picture, Section, Sheet, Undrawable, View};
use crate::geometry::{Boundless, Bounds, NoShape, Shape};
use crate::graph::model::Unit;

use super::Refusal;
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
}

/// From where a shape is shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Views {
    /// From one place.
    One(Camera),
    /// From the front, the right, above and between, on one sheet.
    Sheet,
}

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// A PNG file.
    pub png: Vec<u8>,
    /// Its width and height; a sheet may have a pixel less than asked for.
    pub size: [usize; 2],
    /// What is shown.
    pub bounds: Bounds,
    /// What a length of 1 is.
    pub unit: Unit,
    /// The revision that it shows.
    pub revision: u64,
}

/// Renders what is seen. `watch` is told how many of how many parts are done, and may end it.
///
/// # Errors
/// A [`Refusal`]: the shape is empty or does not end (then bounds are needed), the size or the camera cannot be, or
/// `watch` ended it.
pub fn render(
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
            bounds,
            unit: seen.unit,
            revision: seen.revision,
        })
    })
}

impl Render {
    fn picture(&self, seen: &Seen, camera: Camera) -> Picture {
        let sections = self.sections.iter();
        Picture {
            size: self.size,
            sections: sections.map(|section| section.facing(&camera)).collect(),
            colouring: seen.tape.outputs().get(1).map(|output| Colouring {
                output: 1,
                range: None,
                title: output.name.clone(),
            }),
            unit: Some(seen.unit),
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
