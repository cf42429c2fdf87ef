//! Colours: linear light, and colour maps for numbers.

use std::sync::LazyLock;

use fibula_core::colour;

/// A linear sRGB colour: red, green and blue.
pub type Light = [f32; 3];

/// Steps of the table from light to bytes.
const STEPS: usize = 4_096;

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let byte = |step: usize| colour::byte((step as f64 + 0.5) / STEPS as f64);
    (0..STEPS).map(byte).collect()
});

/// Colour of unpainted surfaces.
pub const SURFACE: Light = [0.335, 0.475, 0.640];

/// Converts light to a pixel.
pub(super) fn pixel(light: Light) -> [u8; 3] {
    light.map(|part| {
        let step = (part.clamp(0.0, 1.0) * STEPS as f32) as usize;
        BYTES[step.min(STEPS - 1)]
    })
}

/// Converts a pixel to light.
pub(super) fn light(pixel: [u8; 3]) -> Light {
    pixel.map(|byte| colour::light(f64::from(byte) / 255.0) as f32)
}

/// Converts the colour that a function computes: each component clamped to 0 and 1; `None` if all are below 0, which
/// stands for no colour. NaN is grey.
pub(crate) fn paint(parts: [f32; 3]) -> Option<Light> {
    if parts.iter().all(|part| *part < 0.0) {
        return None;
    }
    if parts.iter().any(|part| part.is_nan()) {
        return Some(light(UNDEFINED));
    }
    Some(parts.map(|part| part.clamp(0.0, 1.0)))
}

/// Colour of NaN.
const UNDEFINED: [u8; 3] = [150; 3];

/// Colour maps for numbers from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColorMap {
    /// Sequential: from dark blue over green to yellow, increasing in lightness.
    Sequential,
    /// Diverging: from blue over white to orange.
    Diverging,
}

impl ColorMap {
    /// Returns the pixel for a number; clamps it to 0 and 1, and NaN is grey.
    pub(super) fn colour(self, share: f32) -> [u8; 3] {
        const RISING: [[u8; 3]; 6] = [
            [52, 42, 110],
            [44, 92, 146],
            [32, 138, 140],
            [72, 178, 108],
            [162, 208, 70],
            [248, 228, 72],
        ];
        const SIDES: [[u8; 3]; 7] = [
            [34, 74, 140],
            [84, 136, 192],
            [172, 204, 226],
            [246, 246, 244],
            [250, 216, 172],
            [234, 152, 82],
            [172, 84, 30],
        ];
        if share.is_nan() {
            return UNDEFINED;
        }
        let stops: &[[u8; 3]] = match self {
            ColorMap::Sequential => &RISING,
            ColorMap::Diverging => &SIDES,
        };
        let place = share.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
        let first = (place as usize).min(stops.len() - 2);
        let part = place - first as f32;
        std::array::from_fn(|channel| {
            let [low, high] = [stops[first], stops[first + 1]].map(|stop| f32::from(stop[channel]));
            (low + (high - low) * part).round() as u8
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_and_pixels_are_inverse() {
        for byte in 0..=255 {
            let [found, ..] = pixel(light([byte; 3]));
            assert!(found.abs_diff(byte) <= 3, "{byte} {found}");
        }
        assert_eq!(ColorMap::Sequential.colour(-1.0), [52, 42, 110]);
        assert_eq!(ColorMap::Diverging.colour(0.5), [246, 246, 244]);
        assert_eq!(ColorMap::Diverging.colour(f32::NAN), [150; 3]);
    }
}
