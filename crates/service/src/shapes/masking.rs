//! Masks of a shape: the pixels of each layer that are inside, for printers that expose whole layers.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fibula_formats::masks::{self, Layer, Sheet};
use fibula_geometry::{Bounds, MaskError, MaskSettings, Masker, Shape, short};
use rayon::prelude::*;
use serde_json::json;

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};
use crate::shapes::limits::Limits;
use crate::shapes::slicing::{Heights, value_warnings};
use crate::shapes::subject::ResolvedShape;

/// Progress steps per mask.
const PARTS: u64 = 100;
/// Pixels of the masks in memory at a time, unless one has more.
const MOST_PIXELS_IN_MEMORY: f64 = (1_u64 << 28) as f64;
/// Maximum pixels of all masks of a call.
const MOST_PIXELS: f64 = (1_u64 << 40) as f64;

/// Settings of masks. Lengths are in the unit of the project.
#[derive(Debug, Clone)]
pub struct MakeMasks {
    /// Part of space that the masks show; found by search if left out and unknown.
    pub bounds: Option<Bounds>,
    /// Heights of the layers.
    pub heights: Heights,
    /// Side of a pixel.
    pub pixel: f64,
    /// Time limit; the memory limit is ignored.
    pub limits: Limits,
}

/// Summary of the masks, without their pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct MasksMade {
    /// Heights from the lowest, with the number of pixels inside.
    pub layers: Vec<(f64, u64)>,
    /// Part of space that the masks show.
    pub bounds: Bounds,
    /// Side of a pixel.
    pub pixel: f64,
    /// Pixels along x and y.
    pub size: [usize; 2],
    /// Warnings.
    pub warnings: Vec<String>,
    label: String,
    unit: &'static str,
}

impl MasksMade {
    /// Properties common to all masks.
    pub fn sheet(&self) -> Sheet<'_> {
        let [x, y, _] = self.bounds.low();
        Sheet {
            of: &self.label,
            unit: self.unit,
            pixel: self.pixel,
            size: self.size,
            corner: [x, y],
        }
    }
}

/// Makes masks of a shape, lowest first. Passes them to `take` as PNG files, one by one. `take` and `watch`, which is
/// called with the steps done and their total, may cancel the work.
///
/// # Errors
/// A [`Refusal`] if the shape has no bounds, there are too many masks or pixels, a size is invalid, or the work timed
/// out or was cancelled.
pub fn make_masks(
    resolved: &ResolvedShape,
    request: &MakeMasks,
    take: &mut (dyn FnMut(Layer<'_>) -> ControlFlow<()> + Send),
    watch: ProgressFn<'_>,
) -> Result<MasksMade> {
    let suggest_cell = |far: f64| {
        let passes = short(1.1 * request.pixel / far.sqrt());
        (format!("a pixel of {passes}"), json!({ "pixel": passes }))
    };
    let limits = request.limits;
    limits.within(watch, suggest_cell, |watch| {
        make(resolved, request, take, watch)
    })
}

fn make(
    resolved: &ResolvedShape,
    request: &MakeMasks,
    take: &mut (dyn FnMut(Layer<'_>) -> ControlFlow<()> + Send),
    watch: ProgressFn<'_>,
) -> Result<MasksMade> {
    let shape = Shape::new(&resolved.tape)?;
    let bounds = resolved.extent_or(request.bounds, &shape, watch)?.tight;
    let mut heights = request.heights.within(&bounds)?;
    heights.sort_by(f64::total_cmp);
    let pixel = request.pixel;
    let masking = MaskSettings { bounds, pixel };
    let size = masking.size()?;
    let [width, height] = size.map(|count| count as f64);
    let pixels = width * height * heights.len() as f64;
    if pixels > MOST_PIXELS {
        let count = heights.len();
        let message = format!(
            "{count} masks of {width} x {height} pixels are {pixels:.0e} pixels, and the limit is {MOST_PIXELS:.0e}"
        );
        let passes = short(1.01 * pixel * (pixels / MOST_PIXELS).sqrt());
        return Err(Refusal::new("too_large", message)
            .hint(format!("use a pixel of {passes}, or fewer heights"))
            .details(json!({ "pixel": passes })));
    }
    let masker = Masker::new(&shape, masking)?;
    let a_metre = 1.0 / (pixel * resolved.unit.metres());
    let total = PARTS * heights.len() as u64;
    // Number of masks in memory at a time.
    let some = (MOST_PIXELS_IN_MEMORY / (width * height)) as usize;
    let some = some.clamp(1, 2 * rayon::current_num_threads());
    let mut layers = Vec::with_capacity(heights.len());
    let mut undefined = 0;
    run_watched(total, watch, |progress| {
        let done = AtomicU64::new(0);
        let report = |part: u64, of: u64| {
            progress.report((PARTS * done.load(Relaxed) + PARTS * part / of.max(1)).min(total))
        };
        let one = |&z: &f64| -> Result<_> {
            let mask = masker.mask(z, &report)?;
            // Fast masks are not checked for cancellation otherwise.
            if report(0, 1).is_break() {
                return Err(Refusal::cancelled());
            }
            let png = masks::png(size, &mask.bytes(), a_metre);
            let png = png.map_err(|error| Refusal::new("too_large", error.to_string()))?;
            done.fetch_add(1, Relaxed);
            Ok((z, mask.count(), mask.undefined, png))
        };
        for some in heights.chunks(some) {
            let made: Result<Vec<_>> = some.par_iter().map(one).collect();
            for (z, pixels, more, png) in made? {
                let png = &png;
                if take(Layer { z, pixels, png }).is_break() {
                    return Err(Refusal::cancelled());
                }
                layers.push((z, pixels));
                undefined += more;
            }
        }
        Ok(())
    })?;
    let is_empty = layers.iter().all(|(_, pixels)| *pixels == 0);
    let mut warnings = resolved.warnings.clone();
    warnings.extend(value_warnings(
        &heights, &bounds, undefined, "pixel", is_empty,
    ));
    Ok(MasksMade {
        layers,
        bounds,
        pixel,
        size,
        warnings,
        label: resolved.label.clone(),
        unit: resolved.unit.name(),
    })
}

impl From<MaskError> for Refusal {
    fn from(error: MaskError) -> Self {
        let refusal = |code| Refusal::new(code, error.to_string());
        match &error {
            MaskError::Explore(why) => refusal(why.code()),
            MaskError::Pixel { .. } | MaskError::TooFar { .. } | MaskError::Height(_) => {
                refusal("invalid_value")
            }
            MaskError::TooManyPixels { passes, .. } => {
                refusal("too_large").details(json!({ "pixel": passes }))
            }
            MaskError::Cancelled(_) => Refusal::cancelled(),
        }
    }
}
