//! Masks of what is seen: which pixels of each layer are inside, for printers that expose layers at once.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fibula_formats::masks::{self, Layer, Sheet};
use fibula_geometry::{Bounds, Masker, Masking, Shape, Unmaskable, short};
use rayon::prelude::*;
use serde_json::json;

use super::limits::Limits;
use super::refusal::Refusal;
use super::sampling::beside;
use super::slicing::{Heights, doubts};
use super::subject::Seen;

/// Parts of each mask that are told.
const PARTS: u64 = 100;
/// Pixels of the masks that are made at the same time, unless one has more.
const HELD: f64 = (1_u64 << 28) as f64;
/// The most pixels of all masks of one call.
const MOST_PIXELS: f64 = (1_u64 << 40) as f64;

/// How masks are made of something. Lengths are in the unit of the project.
#[derive(Debug, Clone)]
pub struct MakeMasks {
    /// What is beyond is outside, and what the masks show; searched for if left out and not known.
    pub bounds: Option<Bounds>,
    /// Where.
    pub heights: Heights,
    /// The side of a pixel.
    pub pixel: f64,
    /// How much it may take; memory does not count.
    pub limits: Limits,
}

/// Masks that were made, without their pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct MasksMade {
    /// The heights, from the lowest, and how many pixels are inside at each.
    pub layers: Vec<(f64, u64)>,
    /// What the masks show.
    pub bounds: Bounds,
    /// The side of a pixel.
    pub pixel: f64,
    /// Pixels along x and y.
    pub size: [usize; 2],
    /// What should be known of them.
    pub warnings: Vec<String>,
    label: String,
    unit: &'static str,
}

impl MasksMade {
    /// What is said of all of them.
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

/// Makes masks of what is seen, from the lowest. `take` gets them one by one, as PNG files, and may end the work, and so may
/// `watch`, which is told how many parts of how many are done.
///
/// # Errors
/// A [`Refusal`]: it has no bounds, there are too many masks or pixels, sizes that are none, its time is over, or it was ended.
pub fn make_masks(
    seen: &Seen,
    request: &MakeMasks,
    take: &mut (dyn FnMut(Layer<'_>) -> ControlFlow<()> + Send),
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<MasksMade, Refusal> {
    let coarser = |far: f64| {
        let passes = short(1.1 * request.pixel / far.sqrt());
        (format!("a pixel of {passes}"), json!({ "pixel": passes }))
    };
    let limits = request.limits;
    limits.within(watch, coarser, |watch| make(seen, request, take, watch))
}

fn make(
    seen: &Seen,
    request: &MakeMasks,
    take: &mut (dyn FnMut(Layer<'_>) -> ControlFlow<()> + Send),
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<MasksMade, Refusal> {
    let shape = Shape::new(&seen.tape)?;
    let bounds = seen.bounds_or(request.bounds, &shape, watch)?;
    let mut heights = request.heights.within(&bounds)?;
    heights.sort_by(f64::total_cmp);
    let pixel = request.pixel;
    let masking = Masking { bounds, pixel };
    let size = masking.size()?;
    let [width, height] = size.map(|count| count as f64);
    let pixels = width * height * heights.len() as f64;
    if pixels > MOST_PIXELS {
        let count = heights.len();
        let message = format!(
            "{count} masks of {width} x {height} pixels are {pixels:.0e} pixels, and the most are {MOST_PIXELS:.0e}"
        );
        let passes = short(1.01 * pixel * (pixels / MOST_PIXELS).sqrt());
        return Err(Refusal::new("too_large", message)
            .hint(format!("a pixel of {passes} passes, or fewer heights"))
            .details(json!({ "pixel": passes })));
    }
    let masker = Masker::new(&shape, masking)?;
    let a_metre = 1.0 / (pixel * seen.unit.metres());
    let total = PARTS * heights.len() as u64;
    // So many masks are held at once.
    let some = (HELD / (width * height)) as usize;
    let some = some.clamp(1, 2 * rayon::current_num_threads());
    let mut layers = Vec::with_capacity(heights.len());
    let mut undefined = 0;
    beside(total, watch, |progress| {
        let done = AtomicU64::new(0);
        let tell = |part: u64, of: u64| {
            progress.tell((PARTS * done.load(Relaxed) + PARTS * part / of.max(1)).min(total))
        };
        let one = |&z: &f64| -> Result<_, Refusal> {
            let mask = masker.mask(z, &tell)?;
            // What is quick does not ask.
            if tell(0, 1).is_break() {
                return Err(Refusal::cancelled());
            }
            let png = masks::png(size, &mask.bytes(), a_metre);
            let png = png.map_err(|error| Refusal::new("too_large", error.to_string()))?;
            done.fetch_add(1, Relaxed);
            Ok((z, mask.count(), mask.undefined, png))
        };
        for some in heights.chunks(some) {
            let made: Result<Vec<_>, Refusal> = some.par_iter().map(one).collect();
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
    let warnings = doubts(&heights, &bounds, undefined, "pixel", is_empty);
    Ok(MasksMade {
        layers,
        bounds,
        pixel,
        size,
        warnings,
        label: seen.label.clone(),
        unit: seen.unit.name(),
    })
}

impl From<Unmaskable> for Refusal {
    fn from(error: Unmaskable) -> Self {
        let refusal = |code| Refusal::new(code, error.to_string());
        match &error {
            Unmaskable::Unexplorable(why) => refusal(why.code()),
            Unmaskable::Pixel { .. } | Unmaskable::TooFar { .. } | Unmaskable::Height(_) => {
                refusal("invalid_value")
            }
            Unmaskable::TooManyPixels { passes, .. } => {
                refusal("too_large").details(json!({ "pixel": passes }))
            }
            Unmaskable::Cancelled(_) => Refusal::cancelled(),
        }
    }
}
