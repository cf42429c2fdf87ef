//! The sRGB transfer function between linear light and encoded pixel values (IEC 61966-2-1).

/// Decodes an sRGB value to linear light; both are from 0 to 1.
pub fn light(number: f64) -> f64 {
    if number <= 0.040_45 {
        number / 12.92
    } else {
        ((number + 0.055) / 1.055).powf(2.4)
    }
}

/// Encodes linear light as an sRGB value; both are from 0 to 1.
pub fn number(light: f64) -> f64 {
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
}

/// Encodes linear light as an sRGB byte, after clamping it to [0, 1].
pub fn byte(light: f64) -> u8 {
    (number(light.clamp(0.0, 1.0)) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn light_and_bytes_are_inverse() {
        for value in 0..=255 {
            assert_eq!(byte(light(f64::from(value) / 255.0)), value);
        }
        // The standard's value of a byte in the middle, and values out of range.
        assert!((light(128.0 / 255.0) - 0.215_860_5).abs() < 1e-6);
        assert_eq!([byte(-1.0), byte(2.0)], [0, 255]);
    }
}
