//! Sheets: several pictures of one shape in one image.

use std::ops::ControlFlow;

use super::image::Image;
use super::{Picture, Undrawable, check_size};
use crate::geometry::{Bounds, Shape, Watch};

/// The lines between pictures.
const LINES: [u8; 3] = [206, 210, 216];

/// Pictures of one shape, row by row from above, all of the same size.
#[derive(Debug, Clone, PartialEq)]
pub struct Sheet {
    /// The pictures; all get the size of the first.
    pub pictures: Vec<Picture>,
    /// How many are in a row, at least 1.
    pub columns: usize,
}

impl Sheet {
    /// Draws all pictures; `watch` is told how many of how many parts are done, and may end it.
    ///
    /// # Errors
    /// As [`Picture::draw_watched`], and [`Undrawable::Size`] if there are none, or the sheet were too large.
    ///
    /// # Panics
    /// As [`Picture::draw`].
    pub fn draw(
        &self,
        shape: &Shape<'_>,
        bounds: &Bounds,
        watch: &Watch<'_>,
    ) -> Result<Image, Undrawable> {
        let first = self.pictures.first().ok_or(Undrawable::Size([0; 2]))?;
        let columns = self.columns.clamp(1, self.pictures.len());
        let rows = self.pictures.len().div_ceil(columns);
        let [width, height] = first.size;
        let size = [
            width.saturating_mul(columns).saturating_add(columns - 1),
            height.saturating_mul(rows).saturating_add(rows - 1),
        ];
        check_size(first.size)?;
        check_size(size)?;
        let mut sheet = Image::new(size[0], size[1], LINES);
        let count = self.pictures.len() as u64;
        for (index, picture) in self.pictures.iter().enumerate() {
            let part = |done: u64, total: u64| -> ControlFlow<()> {
                watch(index as u64 * total + done, count * total)
            };
            let picture = Picture {
                size: first.size,
                ..picture.clone()
            };
            let image = picture.draw_watched(shape, bounds, &part)?;
            let (column, row) = (index % columns, index / columns);
            sheet.put(&image, column * (width + 1), row * (height + 1));
        }
        Ok(sheet)
    }
}
