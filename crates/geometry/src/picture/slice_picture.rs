//! Pictures of slices: scanline-filled contours on a grid, with a scale bar.

use fibula_core::graph::model::Unit;
use fibula_drawing::image::Image;

use super::backdrop::GROUND;
use super::lettering::{self, number, round_length};
use super::sheet::Layout;
use super::{PictureError, check_size};
use crate::{Bounds, Cancelled, Slice, Watch};

/// Margin, as a fraction of the picture's sides.
const MARGIN: f64 = 0.07;
/// Scanlines per pixel.
const LINES: usize = 4;
const INSIDE: [u8; 3] = [158, 192, 222];
const RIM: [u8; 3] = [34, 74, 140];
/// Colours of the grid lines, and of those through the origin.
const GRID: [[u8; 3]; 2] = [[224, 227, 232], [190, 195, 204]];

/// Size and unit of a picture of a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlicePicture {
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Unit of lengths, for the scale bar.
    pub unit: Option<Unit>,
}

impl SlicePicture {
    /// Draws a slice, seen from above, within the bounds: x points to the right and y up. Calls `watch` with rows.
    ///
    /// # Errors
    /// [`PictureError`]: the size is invalid, or `watch` cancelled it.
    pub fn draw(
        &self,
        slice: &Slice,
        bounds: &Bounds,
        watch: &Watch<'_>,
    ) -> Result<Image, PictureError> {
        check_size(self.size)?;
        let [width, height] = self.size;
        let (middle, extent) = (bounds.centre(), bounds.size());
        let free = 1.0 - 2.0 * MARGIN;
        let pixel = (extent[0] / (width as f64 * free)).max(extent[1] / (height as f64 * free));
        let place = |[x, y]: [f64; 2]| {
            [
                (x - middle[0]) / pixel + width as f64 / 2.0,
                height as f64 / 2.0 - (y - middle[1]) / pixel,
            ]
        };
        let mut image = Image::new(width, height, GROUND);
        let length = round_length(extent[0].max(extent[1]) / 4.0);
        grid(&mut image, place([0.0; 2]), length / pixel);
        let contours: Vec<Vec<[f64; 2]>> = slice
            .contours
            .iter()
            .map(|contour| contour.points.iter().map(|&point| place(point)).collect())
            .collect();
        fill(&mut image, &contours, watch)?;
        for contour in &contours {
            if watch(height as u64, height as u64).is_break() {
                return Err(Cancelled.into());
            }
            image.stroke(&thinned(contour), 1.6, RIM);
        }
        let unit = self.unit.map_or("", lettering::symbol);
        let text = format!("z = {} {unit}", number(slice.z));
        lettering::caption(&mut image, text.trim_end());
        lettering::scale_bar(&mut image, length, pixel, self.unit);
        Ok(image)
    }
}

/// Joins images of one size to a contact sheet, row by row from the top, with lines between them.
///
/// # Errors
/// [`PictureError::Size`]: there are none, or the sheet is too large.
pub fn contact_sheet(images: &[Image], columns: usize) -> Result<Image, PictureError> {
    let first = images.first().ok_or(PictureError::Size([0; 2]))?;
    let size = [first.width(), first.height()];
    let layout = Layout::new(images.len(), columns, size)?;
    let mut sheet = layout.blank(GRID[1]);
    for (index, image) in images.iter().enumerate() {
        let [x, y] = layout.place(index);
        sheet.copy_from(image, x, y);
    }
    Ok(sheet)
}

/// Draws lines through the origin and at equal steps from it, in pixels; none where they would be too close to each
/// other, or too far from the origin to be distinct.
fn grid(image: &mut Image, origin: [f64; 2], step: f64) {
    /// Lines that are closer hide what is between.
    const CLOSEST: f64 = 3.0;
    /// Up to here every whole number is a floating-point number.
    const FARTHEST: f64 = (1_u64 << 53) as f64;
    let sides = [image.width(), image.height()];
    for axis in 0..2 {
        let first = (-origin[axis] / step).ceil();
        let last = ((sides[axis] as f64 - origin[axis]) / step).floor();
        let are_known = first.abs() < FARTHEST && last.abs() < FARTHEST;
        if !(step >= CLOSEST && are_known) {
            continue;
        }
        for line in first as i64..=last as i64 {
            let at = (origin[axis] + line as f64 * step).floor() as i64;
            for along in 0..sides[1 - axis] as i64 {
                let (x, y) = if axis == 0 { (at, along) } else { (along, at) };
                image.blend(x, y, GRID[usize::from(line == 0)], 1.0);
            }
        }
    }
}

/// Fills the inside by the even-odd rule. Coverage is exact along rows, and that of a few scanlines across them.
fn fill(
    image: &mut Image,
    contours: &[Vec<[f64; 2]>],
    watch: &Watch<'_>,
) -> Result<(), PictureError> {
    let lines = image.height() * LINES;
    let mut crossings: Vec<Vec<f64>> = vec![Vec::new(); lines];
    for contour in contours {
        let ends = contour.iter().zip(contour.iter().cycle().skip(1));
        for (from, to) in ends {
            let [low, high] = [from[1].min(to[1]), from[1].max(to[1])];
            // The lines whose middle is at the lower end or above, and below the upper one.
            let line = |y: f64| (y * LINES as f64 - 0.5).ceil().clamp(0.0, lines as f64) as usize;
            for (line, found) in (line(low)..line(high)).zip(&mut crossings[line(low)..]) {
                let y = (line as f64 + 0.5) / LINES as f64;
                let share = (y - from[1]) / (to[1] - from[1]);
                found.push(from[0] + (to[0] - from[0]) * share);
            }
        }
    }
    let mut cover = vec![0.0; image.width()];
    let rows = image.height();
    for (row, lines) in crossings.chunks_mut(LINES).enumerate() {
        if row % 64 == 0 && watch(row as u64, rows as u64).is_break() {
            return Err(Cancelled.into());
        }
        cover.fill(0.0);
        for line in lines {
            line.sort_by(f64::total_cmp);
            for pair in line.chunks_exact(2) {
                let [from, to] = [pair[0], pair[1]].map(|x| x.clamp(0.0, cover.len() as f64));
                let first = from.floor() as usize;
                for (x, cover) in cover.iter_mut().enumerate().skip(first) {
                    let part = to.min(x as f64 + 1.0) - from.max(x as f64);
                    if part <= 0.0 {
                        break;
                    }
                    *cover += part / LINES as f64;
                }
            }
        }
        for (x, &cover) in cover.iter().enumerate().filter(|(_, cover)| **cover > 0.0) {
            image.blend(x as i64, row as i64, INSIDE, cover);
        }
    }
    Ok(())
}

/// Removes the points of a closed line that are too close to be seen.
fn thinned(contour: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> = Vec::new();
    for &point in contour {
        let far = |last: &[f64; 2]| f64::hypot(point[0] - last[0], point[1] - last[1]) > 0.3;
        if points.last().is_none_or(far) {
            points.push(point);
        }
    }
    points.extend(points.first().copied());
    points
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::Contour;

    fn contour(points: &[[f64; 2]], depth: usize) -> Contour {
        Contour {
            points: points.to_vec(),
            parent: depth.checked_sub(1),
            depth,
        }
    }

    #[test]
    fn insides_are_filled_and_holes_are_not() {
        let square = |half: f64| [[-half, -half], [half, -half], [half, half], [-half, half]];
        let mut hole = square(2.0);
        hole.reverse();
        let slice = Slice {
            z: 2.5,
            contours: vec![contour(&square(5.0), 0), contour(&hole, 1)],
            area_error: None,
            undefined: 0,
        };
        let bounds = Bounds::new([-5.0, -5.0, 0.0], [5.0, 5.0, 9.0]).unwrap();
        let faces = SlicePicture {
            size: [200, 200],
            unit: Some(Unit::Millimeter),
        };
        let image = faces.draw(&slice, &bounds, &|_, _| ControlFlow::Continue(()));
        let image = image.unwrap();
        let filled = image
            .pixels()
            .iter()
            .filter(|&&pixel| pixel == INSIDE)
            .count();
        let pixel: f64 = 10.0 / 172.0;
        let rims = 1.6 * (40.0 + 16.0) / pixel / 2.0;
        let expected = (100.0 - 16.0) / (pixel * pixel) - rims;
        let off = (filled as f64 - expected).abs();
        assert!(off < 0.03 * expected, "{filled} {expected}");
        assert_eq!(image.at(110, 90), GROUND, "in the hole");
        assert_eq!(image.at(40, 60), INSIDE);
        let sheet = contact_sheet(&[image.clone(), image.clone(), image], 2).unwrap();
        assert_eq!([sheet.width(), sheet.height()], [401, 401]);
        assert_eq!(sheet.at(40, 261), INSIDE);
        assert_eq!(sheet.at(300, 300), GRID[1], "there are three");
        assert!(matches!(contact_sheet(&[], 2), Err(PictureError::Size(_))));
        // However small the bounds are, and however narrow the picture.
        let nothing = Slice {
            z: 0.0,
            contours: Vec::new(),
            area_error: None,
            undefined: 0,
        };
        for (reach, size) in [
            (1e-322, [64, 64]),
            (1e-305, [64, 64]),
            (5.0, [1, 4096]),
            (5.0, [4096, 1]),
            (1e300, [64, 64]),
        ] {
            let bounds = Bounds::new([-reach; 3], [reach, 2.0 * reach, reach]).unwrap();
            let faces = SlicePicture { size, unit: None };
            let image = faces.draw(&nothing, &bounds, &|_, _| ControlFlow::Continue(()));
            let image = image.unwrap();
            let is_of_grid = |pixel: &&[u8; 3]| GRID.contains(*pixel);
            let lines = image.pixels().iter().filter(is_of_grid).count();
            assert!(lines < image.pixels().len() / 2, "{reach} {size:?}");
        }
        let stopped = faces.draw(&slice, &bounds, &|_, _| ControlFlow::Break(()));
        assert!(matches!(stopped, Err(PictureError::Cancelled(_))));
    }
}
