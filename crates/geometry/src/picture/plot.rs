//! Contour plots: a scalar field on a plane, with isolines.
//!
//! The distance of a pixel from an isoline follows from the value and its exact gradient ([`Code::with_gradient`]), so
//! that lines are equally wide wherever the function is steep or flat.

use fibula_core::graph::model::Unit;
use fibula_drawing::image::Image;
use fibula_eval::{Code, Rounding, Settings};
use fibula_nodes::{Expr, Kernel};

use super::colour::ColorMap;
use super::lettering::{self, INK, number, round_length};
use super::{PictureError, check_size};
use crate::{Bounds, SampleGrid, Sampler, Shape, Watch};

/// Desired number of isolines on each side of 0.
const STEPS: f64 = 6.0;
/// Margin, as a fraction of the picture's sides.
const MARGIN: f64 = 0.04;

/// A contour plot on a plane across an axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Plot {
    /// Axis: 0, 1 or 2 for x, y or z.
    pub axis: usize,
    /// Coordinate of the plane on the axis.
    pub place: f64,
    /// Width and height in pixels.
    pub size: [usize; 2],
    /// Unit of lengths, for the scale bar.
    pub unit: Option<Unit>,
    /// Settings of the evaluation.
    pub settings: Settings,
}

/// Colours and isolines of a plot.
struct ContourLines {
    /// Largest magnitude of a value with a colour of its own.
    most: f64,
    /// Difference between isolines.
    step: f64,
    pixel: f64,
}

impl Plot {
    /// A plot of 512 x 512 pixels.
    pub fn across(axis: usize, place: f64) -> Plot {
        Plot {
            axis,
            place,
            size: [512; 2],
            unit: None,
            settings: Settings::default(),
        }
    }

    /// Draws the values in the bounds: blue inside, orange outside, a dark line where they are 0 and thin isolines at
    /// equal steps; NaN is grey. The other two of x, y and z point to the right and up, in this order.
    ///
    /// # Errors
    /// [`PictureError`]: the size or the axis is invalid, or `watch`, which is called with pixels, cancelled it.
    ///
    /// # Panics
    /// If the processor lacks the instructions of [`settings`](Self::settings).
    pub fn draw(
        &self,
        shape: &Shape<'_>,
        bounds: &Bounds,
        watch: &Watch<'_>,
    ) -> Result<Image, PictureError> {
        check_size(self.size)?;
        let [right, up] = match self.axis {
            0 => [1, 2],
            1 => [0, 2],
            2 => [0, 1],
            _ => return Err(PictureError::Section),
        };
        if !self.place.is_finite() {
            return Err(PictureError::Section);
        }
        let [width, height] = self.size;
        let (middle, extent) = (bounds.centre(), bounds.size());
        let free = 1.0 - 2.0 * MARGIN;
        let pixel =
            (extent[right] / (width as f64 * free)).max(extent[up] / (height as f64 * free));
        let places = |axis: usize, count: usize, sign: f64| -> Vec<f64> {
            (0..count)
                .map(|index| {
                    middle[axis] + sign * (index as f64 + 0.5 - count as f64 / 2.0) * pixel
                })
                .collect()
        };
        let (across, down) = (places(right, width, 1.0), places(up, height, -1.0));
        let code = self.code(shape, right, up);
        let sampler = Sampler::<f64>::from_code(&code, self.settings);
        let mut columns = vec![vec![0.0; width * height]; 3];
        let mut outputs: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        let lattice = SampleGrid {
            axes: &[(0, &across), (1, &down)],
            others: &[0.0],
        };
        sampler.grid(&lattice, &mut outputs, watch)?;
        let [values, by_right, by_up] = &columns[..] else {
            unreachable!("three columns were made")
        };
        let lines = ContourLines::new(values, pixel);
        let mut image = Image::new(width, height, [255; 3]);
        let pixels = image.rows_mut().iter_mut();
        for (index, target) in pixels.enumerate() {
            let slope = f64::hypot(by_right[index], by_up[index]);
            *target = lines.colour(values[index], slope);
        }
        self.letter(&mut image, &lines, extent[right].max(extent[up]));
        Ok(image)
    }

    /// Returns the code of the value and its derivatives to the right and up.
    fn code(&self, shape: &Shape<'_>, right: usize, up: usize) -> std::sync::Arc<Code> {
        let place = |kernel: &mut Kernel, [u, v, _]: [Expr; 3]| {
            let mut point = [kernel.constant(self.place); 3];
            (point[right], point[up]) = (u, v);
            point
        };
        let code = shape.code(Rounding::Exact, &[shape.value()], place);
        std::sync::Arc::new(code.with_gradient(&[0, 1]))
    }

    fn letter(&self, image: &mut Image, lines: &ContourLines, extent: f64) {
        let name = ["x", "y", "z"][self.axis];
        let unit = self.unit.map_or("", lettering::symbol);
        let text = format!("{name} = {} {unit}", number(self.place));
        lettering::caption(image, text.trim_end());
        let length = round_length(extent / 4.0);
        lettering::scale_bar(image, length, lines.pixel, self.unit);
        let marks = [-lines.most, 0.0, lines.most];
        lettering::legend(
            image,
            ColorMap::Diverging,
            [-lines.most, lines.most],
            &marks,
            "",
        );
    }
}

impl ContourLines {
    fn new(values: &[f64], pixel: f64) -> ContourLines {
        let finite = values.iter().filter(|value| value.is_finite());
        let most = finite.fold(0.0, |most: f64, value| most.max(value.abs()));
        let step = if most > 0.0 {
            round_length(most / STEPS)
        } else {
            1.0
        };
        ContourLines {
            most: step * (most / step).ceil().max(1.0),
            step,
            pixel,
        }
    }

    /// Returns the colour of a value with a gradient of this length.
    fn colour(&self, value: f64, slope: f64) -> [u8; 3] {
        let mut colour = ColorMap::Diverging.colour((value / self.most / 2.0 + 0.5) as f32);
        if !value.is_finite() {
            return colour;
        }
        let away = |from: f64| (value - from).abs() / (slope * self.pixel).max(1e-300);
        let nearest = (value / self.step).round() * self.step;
        let thin = (1.0 - away(nearest)).clamp(0.0, 1.0) * 0.28;
        let thick = (1.7 - away(0.0)).clamp(0.0, 1.0);
        for (part, ink) in colour.iter_mut().zip(INK) {
            let cover = thin.max(thick);
            *part = (f64::from(*part) * (1.0 - cover) + f64::from(ink) * cover).round() as u8;
        }
        colour
    }
}
