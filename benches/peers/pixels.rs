//! Flat pictures of what is inside, computed where it matters only: fidget's.

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
