//! Contact sheets: several pictures of one shape in one image.

use std::ops::ControlFlow;

use fibula_drawing::image::Image;

use super::{DrawnMesh, Picture, PictureError, RenderedImage, check_size};
use crate::{Bounds, Shape, Watch};

/// Colour of the lines between pictures.
const LINES: [u8; 3] = [206, 210, 216];

/// Pictures of one shape, row by row from the top, all of the same size.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The pictures; all get the size of the first.
    pub pictures: Vec<Picture>,
    /// Pictures per row, at least 1.
    pub columns: usize,
}

impl Sheet {
    /// Draws all pictures. Calls `watch` with the parts done and their total; it may cancel the work.
    ///
    /// # Errors
    /// As [`Picture::draw_watched`], and [`PictureError::Size`] if there are none, or the sheet would be too large.
    ///
    /// # Panics
    /// As [`Picture::draw`].
    pub fn draw(
        &self,
        shape: &Shape<'_>,
        bounds: &Bounds,
        watch: &Watch<'_>,
    ) -> Result<Image, PictureError> {
        Ok(self.draw_surface(shape, None, bounds, watch)?.image)
    }

    /// As [`draw`](Self::draw), of a shape whose surface is a mesh, which is rasterised.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
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
        let first = self.pictures.first().ok_or(PictureError::Size([0; 2]))?;
        check_size(first.size)?;
        let layout = Layout::new(self.pictures.len(), self.columns, first.size)?;
        let (mut sheet, mut is_empty) = (layout.blank(LINES), true);
        let count = self.pictures.len() as u64;
        for (index, picture) in self.pictures.iter().enumerate() {
            let part = |done: u64, total: u64| -> ControlFlow<()> {
                watch(index as u64 * total + done, count * total)
            };
            let picture = Picture {
                size: first.size,
                ..picture.clone()
            };
            let drawn = picture.draw_surface(shape, mesh, bounds, &part)?;
            is_empty &= drawn.is_empty;
            let [x, y] = layout.place(index);
            sheet.copy_from(&drawn.image, x, y);
        }
        Ok(RenderedImage {
            image: sheet,
            is_empty,
        })
    }
}

/// Layout of images of one size, row by row from the top, with a line of a pixel between them.
pub(super) struct Layout {
    columns: usize,
    image: [usize; 2],
    sheet: [usize; 2],
}

impl Layout {
    /// Lays out some images, with so many in a row, at least 1.
    ///
    /// # Errors
    /// [`PictureError::Size`]: there are none, or the sheet is too large.
    pub(super) fn new(
        images: usize,
        columns: usize,
        image: [usize; 2],
    ) -> Result<Layout, PictureError> {
        let columns = columns.clamp(1, images.max(1));
        let counts = [columns, images.div_ceil(columns)];
        let whole = |axis: usize| (image[axis].saturating_add(1)).saturating_mul(counts[axis]);
        let sheet = [whole(0).saturating_sub(1), whole(1).saturating_sub(1)];
        check_size(sheet)?;
        Ok(Layout {
            columns,
            image,
            sheet,
        })
    }

    /// Returns an empty sheet in the colour of its lines.
    pub(super) fn blank(&self, lines: [u8; 3]) -> Image {
        Image::new(self.sheet[0], self.sheet[1], lines)
    }

    /// Returns the upper left corner of an image.
    pub(super) fn place(&self, index: usize) -> [usize; 2] {
        let [width, height] = self.image;
        let (column, row) = (index % self.columns, index / self.columns);
        [column * (width + 1), row * (height + 1)]
    }
}
