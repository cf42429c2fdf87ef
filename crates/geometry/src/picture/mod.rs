//! Pictures of shapes: how they look from a side, cut open, in their colours or coloured by a field, with a scale; and
//! plane sections.
//!
//! ```
//! use fibula_geometry::picture::{Picture, View};
//! use fibula_geometry::{Bounds, Shape};
//! use fibula_core::{eval::Tape, graph::Document, library};
//!
//! let mut document = Document::default();
//! let part = library::add_function(&mut document, "Part", "gyroid(pos, 12, 1.5)")?;
//! let tape = Tape::new(&document, part)?;
//! let shape = Shape::new(&tape)?;
//! let bounds = Bounds::new([-10.0; 3], [10.0; 3])?;
//! let picture = Picture { size: [64, 48], ..Picture::new(View::Isometric) };
//! let image = picture.draw(&shape, &bounds)?;
//! assert_eq!((image.width(), image.height()), (64, 48));
//! assert!(image.png().starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What lies outside the bounds is cut off. The faces where material is cut have another colour than surfaces, and
//! sections a third one. Where a function is not a number there is no material. A function need not be a distance.

mod ambient_occlusion;
mod backdrop;
mod camera;
mod clipping;
mod colour;
mod depth_normal_buffer;
mod lettering;
mod packed_hit;
mod plot;
mod ray_marching;
mod shade;
mod sheet;
mod slice_picture;

use std::ops::ControlFlow;

use fibula_core::graph::model::Unit;
use fibula_core::vector::{dot, finite, length};
use fibula_eval::{Rounding, Settings};

use super::{Bounds, Cancelled, ExploreError, Shape, Watch};
use ambient_occlusion::AmbientOcclusion;
use backdrop::Backdrop;
use camera::Frame;
use clipping::Clip;
use colour::ColorMap;
use depth_normal_buffer::{DepthNormalBuffer, Sampling};
use shade::{Field, Scale, Shader};

pub use camera::{Camera, View};
pub(super) use colour::paint;
pub use colour::{Light, SURFACE};
pub use fibula_drawing::image::Image;
pub use plot::Plot;
pub use sheet::Sheet;
pub use slice_picture::{SlicePicture, contact_sheet};

/// The longest side of a picture, in pixels.
pub const MOST_SIDE: usize = 4_096;

/// How a picture is taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// From where.
    pub camera: Camera,
    /// The width and height in pixels, up to [`MOST_SIDE`] each.
    pub size: [usize; 2],
    /// What is cut off beside what is outside the bounds.
    pub sections: Vec<Section>,
    /// A field that colours the surface.
    pub colouring: Option<Colouring>,
    /// Else its colours: the first of three scalar outputs, by its place among those of the shape, which are red, green
    /// and blue of sRGB before its curve, cut off at 0 and 1; all below 0 where it has none.
    pub paint: Option<usize>,
    /// What lengths are measured in, for the scale.
    pub unit: Option<Unit>,
    /// Whether there are a grid, a scale and the axes.
    pub marks: bool,
    /// At how many places of a pixel is looked.
    pub samples: PixelSamples,
    /// A text in the upper left corner.
    pub caption: Option<String>,
    /// How the function is evaluated.
    pub settings: Settings,
}

/// At how many places of each pixel a picture looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PixelSamples {
    /// At its middle: edges are jagged, and what is thinner than a pixel has gaps.
    One,
    /// At four places.
    #[default]
    Four,
}

/// A plane that cuts a shape open: what is before it is taken away.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    normal: [f64; 3],
    offset: f64,
}

/// A field that colours what is seen.
#[derive(Debug, Clone, PartialEq)]
pub struct Colouring {
    /// The scalar output, by its place among those of the shape.
    pub output: usize,
    /// The numbers of the first and the last colour; if they are left out, the least and the most of what is seen.
    pub range: Option<[f64; 2]>,
    /// What the numbers are, above the legend.
    pub title: String,
}

/// Why there is no picture.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PictureError {
    /// The size is none.
    #[error(
        "a picture of {} x {} pixels cannot be made; ask for 1 to {MOST_SIDE} pixels on each side",
        .0[0], .0[1]
    )]
    Size([usize; 2]),
    /// The camera has no direction.
    #[error(
        "the camera looks along {:?} with {:?} up, the angle {:?} and the zoom {}; give finite numbers, directions \
         that are not 0 and not parallel, an angle between 0 and pi, and a zoom from 0.001 to 1000",
        .0.forward, .0.up, .0.perspective, .0.zoom
    )]
    Camera(Camera),
    /// A section has no direction.
    #[error(
        "a section has a normal of finite numbers that is not 0, and a finite offset; give such ones"
    )]
    Section,
    /// There is no such output, or no range of it.
    #[error(
        "a surface cannot be coloured by output {0} in this range; give one of the {1} scalar outputs, and finite \
         numbers of which the first is smaller"
    )]
    Colouring(usize, usize),
    /// It cannot be explored.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// It was ended.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl PixelSamples {
    /// How many there are along each side of a pixel.
    fn side(self) -> usize {
        match self {
            PixelSamples::One => 1,
            PixelSamples::Four => 2,
        }
    }
}

impl PictureError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            PictureError::Size(_) => "invalid_size",
            PictureError::Camera(_) | PictureError::Section | PictureError::Colouring(..) => {
                "invalid_value"
            }
            PictureError::Explore(_) => "too_large",
            PictureError::Cancelled(_) => "cancelled",
        }
    }
}

impl Section {
    /// The section that keeps the points whose part along `normal` is at most `offset`, once it has the length 1.
    ///
    /// # Errors
    /// [`PictureError::Section`]: a number is not finite, or the normal is 0.
    pub fn new(normal: [f64; 3], offset: f64) -> Result<Section, PictureError> {
        let size = length(normal);
        if !(finite(normal) && offset.is_finite() && size > 0.0 && size.is_finite()) {
            return Err(PictureError::Section);
        }
        Ok(Section {
            normal: normal.map(|part| part / size),
            offset,
        })
    }

    /// The section that keeps the points below a place on an axis: 0 is x, 1 is y, 2 is z.
    ///
    /// # Errors
    /// [`PictureError::Section`]: the place is not finite, or there is no such axis.
    pub fn across(axis: usize, place: f64) -> Result<Section, PictureError> {
        let normal = [0, 1, 2].map(|own| if own == axis { 1.0 } else { 0.0 });
        Section::new(normal, place)
    }

    /// The section along the same plane that takes away what is nearer to a camera.
    #[must_use]
    pub fn facing(self, camera: &Camera) -> Section {
        if dot(self.normal, camera.forward) > 0.0 {
            Section {
                normal: self.normal.map(|part| -part),
                offset: -self.offset,
            }
        } else {
            self
        }
    }
}

impl Picture {
    /// A picture of 512 x 512 pixels from a side, with all marks.
    pub fn of(camera: impl Into<Camera>) -> Picture {
        Picture {
            camera: camera.into(),
            size: [512; 2],
            sections: Vec::new(),
            colouring: None,
            paint: None,
            unit: None,
            marks: true,
            samples: PixelSamples::default(),
            caption: None,
            settings: Settings::default(),
        }
    }

    /// Takes the picture of what is in the bounds.
    ///
    /// # Errors
    /// [`PictureError`]: the size, the camera or the colouring cannot be.
    ///
    /// # Panics
    /// If the processor lacks the instructions of [`settings`](Self::settings).
    pub fn draw(&self, shape: &Shape<'_>, bounds: &Bounds) -> Result<Image, PictureError> {
        self.draw_watched(shape, bounds, &|_, _| ControlFlow::Continue(()))
    }

    /// As [`draw`](Self::draw); `watch` is told how many of how many parts are done, and may end it.
    ///
    /// # Errors
    /// As [`draw`](Self::draw), and [`PictureError::Cancelled`].
    ///
    /// # Panics
    /// As [`draw`](Self::draw).
    pub fn draw_watched(
        &self,
        shape: &Shape<'_>,
        bounds: &Bounds,
        watch: &Watch<'_>,
    ) -> Result<Image, PictureError> {
        /// Parts that are told.
        const PARTS: u64 = 1_000;
        check_size(self.size)?;
        let frame = Frame::new(&self.camera, bounds, self.size)?;
        let clip = Clip::new(bounds, &self.sections, &frame);
        // About half of the time each.
        let half = |second: bool| {
            move |done: u64, total: u64| {
                let done = done * PARTS / 2 / total.max(1) + u64::from(second) * PARTS / 2;
                watch(done, PARTS)
            }
        };
        let sampling = Sampling {
            samples: self.samples.side(),
            settings: self.settings,
        };
        let buffer = DepthNormalBuffer::new(shape, bounds, &frame, &clip, sampling, &half(false))?;
        if watch(PARTS / 2, PARTS).is_break() {
            return Err(Cancelled.into());
        }
        let field = self.field(shape, &frame, &buffer)?;
        let scale = field.as_ref().and_then(|field| field.scale);
        let occlusion = AmbientOcclusion::new(shape, bounds, &frame, &clip, &buffer, self.settings);
        let shader = Shader::new(&buffer, &frame, occlusion, field, self.settings);
        let backdrop = self.marks.then(|| Backdrop::new(bounds, &frame)).flatten();
        let mut image = shader.before(backdrop).image(&half(true))?;
        if self.marks {
            if !frame.is_perspective {
                let length = Backdrop::width(bounds);
                lettering::scale_bar(&mut image, length, frame.pixel, self.unit);
            }
            let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            lettering::axes(&mut image, axes.map(|axis| frame.turned(axis)));
        }
        if let Some(caption) = &self.caption {
            lettering::caption(&mut image, caption);
        }
        if let (Some(Scale { map, range }), Some(colouring)) = (scale, &self.colouring) {
            let marks = [range[0], f64::midpoint(range[0], range[1]), range[1]];
            lettering::legend(&mut image, map, range, &marks, &colouring.title);
        }
        Ok(image)
    }

    /// What colours the surface.
    fn field(
        &self,
        shape: &Shape<'_>,
        frame: &Frame,
        buffer: &DepthNormalBuffer,
    ) -> Result<Option<Field>, PictureError> {
        let code = |outputs: &[usize]| {
            let last = outputs[outputs.len() - 1];
            if last >= shape.fields() {
                return Err(PictureError::Colouring(last, shape.fields()));
            }
            Ok(shape.code(Rounding::Fast, outputs, |kernel, place| {
                depth_normal_buffer::camera_point(frame, kernel, place)
            }))
        };
        let Some(colouring) = &self.colouring else {
            let Some(red) = self.paint else {
                return Ok(None);
            };
            let code = code(&[red, red.saturating_add(1), red.saturating_add(2)])?;
            return Ok(Some(Field { code, scale: None }));
        };
        let code = code(&[colouring.output])?;
        let range = match colouring.range {
            Some(range) => range,
            None => buffer.range(&code, frame, self.settings),
        };
        let size = range[1] - range[0];
        if !(size > 0.0 && size.is_finite()) {
            return Err(PictureError::Colouring(colouring.output, shape.fields()));
        }
        let map = ColorMap::Sequential;
        Ok(Some(Field {
            code,
            scale: Some(Scale { map, range }),
        }))
    }
}

fn check_size(size: [usize; 2]) -> Result<(), PictureError> {
    if size.iter().all(|side| (1..=MOST_SIDE).contains(side)) {
        Ok(())
    } else {
        Err(PictureError::Size(size))
    }
}
