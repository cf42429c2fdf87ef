//! Flat pictures of what is inside, computed where it matters only: ours and fidget's.

use std::ops::ControlFlow;

use fibula::geometry::{Bounds, Mask, MaskSettings, Masker, Shape};
use fidget_raster::pixel;

use crate::fidget::Fidget;

/// Draws the picture of [-1, 1] x [-1, 1] where z is 0, pruned, on one thread, and says how many of its pixels are inside.
pub(crate) fn inside(peer: &Fidget, side: u32) -> usize {
    let settings = pixel::EvalConfig {
        threads: None,
        ..pixel::EvalConfig::default()
    };
    let picture = pixel::render(
        peer.shape(),
        &pixel::RenderConfig::from_size(side.into()),
        &settings,
    );
    let picture = picture.expect("nobody cancels it");
    picture.iter().filter(|pixel| pixel.inside()).count()
}

/// Ours of [-1, 1] x [-1, 1], prepared as the peer's shape is, but for what depends on the size.
pub(crate) fn masker(shape: &Shape<'_>, side: usize) -> Masker {
    let masking = MaskSettings {
        bounds: Bounds::new([-1.0; 3], [1.0; 3]).expect("a box"),
        pixel: 2.0 / side as f64,
    };
    Masker::new(shape, masking).expect("they are not too large")
}

/// The pixels that are inside where z is 0.
pub(crate) fn masked(masker: &Masker) -> Mask {
    let made = masker.mask(0.0, &|_, _| ControlFlow::Continue(()));
    made.expect("nobody ends it")
}
