//! Pictures of shapes: rendered from a camera, with sections, colours or a scalar field; contour plots; and pictures of
//! slices.
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
//! Everything outside the bounds is clipped. Faces of clipped material have another colour than surfaces, and sections
//! a third one. Where a function is NaN there is no material. A function need not be a distance.

mod ambient_occlusion;
mod backdrop;
mod camera;
mod clipping;
mod colour;
mod depth_normal_buffer;
mod distance_lattice;
mod drawn_mesh;
mod lettering;
mod packed_hit;
mod plot;
mod rasterizer;
mod ray;
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
pub use drawn_mesh::DrawnMesh;
pub use fibula_drawing::image::Image;
pub use plot::Plot;
pub use ray::{Face, Ray, RayHit, normal};
pub use sheet::Sheet;
pub use slice_picture::{SlicePicture, contact_sheet};

/// Maximum side of a picture, in pixels.
pub const MOST_SIDE: usize = 4_096;

/// Camera, size and contents of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// The camera.
    pub camera: Camera,
    /// Width and height in pixels, up to [`MOST_SIDE`] each.
    pub size: [usize; 2],
    /// Planes that cut the shape open, in addition to the bounds.
    pub sections: Vec<Section>,
    /// A scalar field that colours the surface.
    pub colouring: Option<Colouring>,
    /// Otherwise its colours: the first of three scalar outputs, by its index in the shape, which are linear red, green
    /// and blue of sRGB, clamped to 0 and 1; all below 0 where it has none.
    pub paint: Option<usize>,
    /// Unit of lengths, for the scale bar.
    pub unit: Option<Unit>,
    /// True for a grid, a scale bar and the axes.
    pub marks: bool,
    /// Samples per pixel.
    pub samples: PixelSamples,
    /// Caption in the upper left corner.
    pub caption: Option<String>,
    /// Place that is shown by a ring, even behind material.
    pub pin: Option<[f64; 3]>,
    /// Settings of the evaluation.
    pub settings: Settings,
}

/// Number of samples per pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PixelSamples {
    /// One, in the centre: edges are aliased, and details thinner than a pixel have gaps.
    One,
    /// Four.
    #[default]
    Four,
}

/// A plane that cuts a shape open: everything in front of it is removed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Section {
    normal: [f64; 3],
    offset: f64,
}

/// A scalar field that colours surfaces.
#[derive(Debug, Clone, PartialEq)]
pub struct Colouring {
    /// Index of the scalar output in the shape.
    pub output: usize,
    /// Numbers of the first and the last colour; the range of the visible values if left out.
    pub range: Option<[f64; 2]>,
    /// Title of the legend.
    pub title: String,
}

/// Error returned when a picture cannot be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The size is out of range.
    #[error(
        "the picture size is {} x {} pixels, but each side must be 1 to {MOST_SIDE}",
        .0[0], .0[1]
    )]
    Size([usize; 2]),
    /// The camera is degenerate.
    #[error(
        "invalid camera: direction {:?}, up {:?}, angle {:?}, zoom {}; the numbers must be finite, the directions \
         nonzero and not parallel, the angle between 0 and pi, and the zoom from 0.001 to 1000",
        .0.forward, .0.up, .0.perspective, .0.zoom
    )]
    Camera(Camera),
    /// The section is degenerate.
    #[error("a section must have a finite, nonzero normal and a finite offset")]
    Section,
    /// The output is missing, or its range is empty.
    #[error(
        "cannot colour the surface by output {0} in this range; use one of the {1} scalar outputs, and a finite range \
         whose minimum is below its maximum"
    )]
    Colouring(usize, usize),
    /// The function cannot be explored.
    #[error(transparent)]
    Explore(#[from] ExploreError),
    /// The watch cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl PixelSamples {
    /// Number of samples along each side of a pixel.
    fn side(self) -> usize {
        match self {
            PixelSamples::One => 1,
            PixelSamples::Four => 2,
        }
    }
}

impl PictureError {
    /// Stable code.
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
    /// Returns the section that keeps the points whose component along the unit vector of `normal` is at most `offset`.
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

    /// Returns the section that keeps the points below a coordinate on an axis: 0 is x, 1 is y, 2 is z.
    ///
    /// # Errors
    /// [`PictureError::Section`]: the place is not finite, or there is no such axis.
    pub fn across(axis: usize, place: f64) -> Result<Section, PictureError> {
        let normal = [0, 1, 2].map(|own| if own == axis { 1.0 } else { 0.0 });
        Section::new(normal, place)
    }

    /// True if the plane passes through a box.
    pub fn meets(&self, bounds: &Bounds) -> bool {
        let (low, size) = (bounds.low(), bounds.size());
        let centre = std::array::from_fn(|axis| low[axis] + 0.5 * size[axis]);
        let reach = dot(self.normal.map(f64::abs), size.map(|side| 0.5 * side));
        (dot(self.normal, centre) - self.offset).abs() <= reach
    }

    /// Returns the section in the same plane that removes what is nearer to a camera.
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

/// An image of a shape.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RenderedImage {
    /// The image.
    pub image: Image,
    /// True if no surface is visible in it.
    pub is_empty: bool,
}

impl Picture {
    /// A picture of 512 x 512 pixels, with all marks.
    pub fn new(camera: impl Into<Camera>) -> Picture {
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
            pin: None,
            settings: Settings::default(),
        }
    }

    /// Draws what is in the bounds.
    ///
    /// # Errors
    /// [`PictureError`]: the size, the camera or the colouring is invalid.
    ///
    /// # Panics
    /// If the processor lacks the instructions of [`settings`](Self::settings).
    pub fn draw(&self, shape: &Shape<'_>, bounds: &Bounds) -> Result<Image, PictureError> {
        self.draw_watched(shape, bounds, &|_, _| ControlFlow::Continue(()))
    }

    /// As [`draw`](Self::draw). Calls `watch` with the parts done and their total; it may cancel the work.
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
        Ok(self.draw_surface(shape, None, bounds, watch)?.image)
    }

    /// As [`draw_watched`](Self::draw_watched), of a shape whose surface is a mesh, which is rasterised: faster, and exact to a thousandth of a sample.
    /// Of the shape only the colours are computed.
    ///
    /// # Errors
    /// As [`draw_watched`](Self::draw_watched).
    ///
    /// # Panics
    /// As [`draw`](Self::draw).
    pub fn draw_surface(
        &self,
        shape: &Shape<'_>,
        mesh: Option<&DrawnMesh<'_>>,
        bounds: &Bounds,
        watch: &Watch<'_>,
    ) -> Result<RenderedImage, PictureError> {
        /// Resolution of the progress.
        const PARTS: u64 = 1_000;
        check_size(self.size)?;
        let frame = Frame::new(&self.camera, bounds, self.size)?;
        let clip = Clip::new(bounds, &self.sections, &frame);
        // Each takes about half of the time.
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
        let buffer = match mesh {
            Some(mesh) => mesh.buffer(&frame, &clip, sampling.samples, &half(false))?,
            None => DepthNormalBuffer::new(shape, bounds, &frame, &clip, sampling, &half(false))?,
        };
        if watch(PARTS / 2, PARTS).is_break() {
            return Err(Cancelled.into());
        }
        let field = self.field(shape, &frame, &buffer)?;
        let scale = field.as_ref().and_then(|field| field.scale);
        let occlusion =
            AmbientOcclusion::new((shape, mesh), bounds, &frame, &clip, &buffer, self.settings);
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
        if let Some(pin) = self.pin {
            let [u, v, _] = frame.place(pin);
            lettering::pin(&mut image, frame.pixels([u, v]));
        }
        if let Some(caption) = &self.caption {
            lettering::caption(&mut image, caption);
        }
        if let (Some(Scale { map, range }), Some(colouring)) = (scale, &self.colouring) {
            let marks = [range[0], f64::midpoint(range[0], range[1]), range[1]];
            lettering::legend(&mut image, map, range, &marks, &colouring.title);
        }
        Ok(RenderedImage {
            image,
            is_empty: buffer.is_empty(),
        })
    }

    /// Returns the field or the colours of the surface.
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
