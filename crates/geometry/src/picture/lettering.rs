//! Overlays of a picture: texts, scale bars, axes and legends.

use fibula_core::graph::model::Unit;
use fibula_drawing::image::Image;
use fibula_drawing::lettering::{LETTER_WIDTH, Lettering};

use super::colour::ColorMap;

/// Colour of texts and lines: dark grey.
pub(super) const INK: [u8; 3] = [62, 66, 74];

/// Symbol of a unit.
pub(super) fn symbol(unit: Unit) -> &'static str {
    match unit {
        Unit::Micron => "\u{b5}m",
        Unit::Millimeter => "mm",
        Unit::Centimeter => "cm",
        Unit::Inch => "in",
        Unit::Foot => "ft",
        Unit::Meter => "m",
    }
}

/// Returns the largest of 1, 2 and 5 times a power of ten that is not above a length.
pub(super) fn round_length(length: f64) -> f64 {
    let power = 10_f64.powf(length.log10().floor());
    let factor = [5.0, 2.0, 1.0]
        .into_iter()
        .find(|factor| factor * power <= length * (1.0 + 1e-9));
    factor.unwrap_or(1.0) * power
}

/// Formats a number with as few digits as needed.
pub(super) fn number(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{number:.2e}");
    }
    let digits = if size == 0.0 {
        0
    } else {
        (2 - size.log10().floor() as i32).clamp(0, 6)
    };
    let text = format!("{number:.*}", digits as usize);
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

/// Returns the letters for a picture size, and the height of a line.
fn letters(image: &Image) -> (Lettering, i64) {
    let (width, height) = match image.width().min(image.height()) {
        0..300 => (6.0, 10),
        300..700 => (7.0, 13),
        _ => (9.0, 15),
    };
    let size = width / LETTER_WIDTH;
    (Lettering { size, bold: false }, height)
}

/// Returns the height and the width of a text.
pub(super) fn extent(image: &Image, text: &str) -> (i64, i64) {
    let (letters, height) = letters(image);
    (height, letters.width(text).ceil() as i64)
}

/// Writes a text, whose upper left corner is at a position.
pub(super) fn write(image: &mut Image, text: &str, x: i64, y: i64, colour: [u8; 3]) {
    let (letters, height) = letters(image);
    let baseline = y as f64 + (0.8 * height as f64).round();
    letters.draw(image, text, [x as f64, baseline], colour);
}

/// Distance of overlays from the sides of the picture.
pub(super) fn inset(image: &Image) -> i64 {
    (image.width().min(image.height()) as i64 / 40).clamp(5, 16)
}

/// Draws a scale bar of a round length in the lower left corner, with the length; `pixel` is the size of a pixel.
pub(super) fn scale_bar(image: &mut Image, length: f64, pixel: f64, unit: Option<Unit>) {
    let inset = inset(image);
    let bottom = image.height() as i64 - inset;
    let text = match unit {
        Some(unit) => format!("{} {}", number(length), symbol(unit)),
        None => number(length),
    };
    let (height, _) = extent(image, &text);
    let (left, base) = (inset as f64 + 0.5, bottom as f64 - 0.5);
    let right = left + length / pixel;
    image.stroke(&[[left, base], [right, base]], 2.0, INK);
    for end in [left, right] {
        image.stroke(&[[end, base], [end, base - 5.0]], 1.0, INK);
    }
    write(image, &text, inset, bottom - 6 - height, INK);
}

/// Draws a ring around a place with a dot in it, in a colour that no part has, edged in white.
pub(super) fn pin(image: &mut Image, [x, y]: [f64; 2]) {
    const COLOUR: [u8; 3] = [216, 27, 96];
    const SIDES: u32 = 32;
    if !(x.is_finite() && y.is_finite()) {
        return;
    }
    let radius = (image.width().min(image.height()) as f64 / 28.0).clamp(6.0, 24.0);
    let circle = |radius: f64| -> Vec<[f64; 2]> {
        let angles =
            (0..=SIDES).map(|side| f64::from(side) * std::f64::consts::TAU / f64::from(SIDES));
        angles
            .map(|angle| [x + radius * angle.cos(), y + radius * angle.sin()])
            .collect()
    };
    let (ring, dot) = (circle(radius), circle(1.0));
    for (width, colour) in [(5.0, [255; 3]), (2.4, COLOUR)] {
        image.stroke(&ring, width, colour);
        image.stroke(&dot, width, colour);
    }
}

/// Draws the axes in the lower right corner; each is given by its components to the right, up and forward.
pub(super) fn axes(image: &mut Image, axes: [[f32; 3]; 3]) {
    const COLOURS: [[u8; 3]; 3] = [[200, 62, 60], [58, 142, 68], [52, 104, 200]];
    let length = (image.width().min(image.height()) as f64 / 13.0).clamp(14.0, 44.0);
    let (height, width) = extent(image, "x");
    let away = length + height as f64 + inset(image) as f64 * 0.6;
    let middle = [image.width() as f64 - away, image.height() as f64 - away];
    let mut order = [0, 1, 2];
    // The farthest first.
    order.sort_by(|&a, &b| axes[b][2].total_cmp(&axes[a][2]));
    for axis in order {
        let [right, up, _] = axes[axis].map(f64::from);
        if right.hypot(up) < 0.1 {
            continue;
        }
        let end = [middle[0] + right * length, middle[1] - up * length];
        image.stroke(&[middle, end], 1.6, COLOURS[axis]);
        let letter = (length + height as f64 * 0.7) / length;
        let [x, y] = [
            middle[0] + right * length * letter - width as f64 / 2.0,
            middle[1] - up * length * letter - height as f64 / 2.0,
        ];
        let name = ["x", "y", "z"][axis];
        write(
            image,
            name,
            x.round() as i64,
            y.round() as i64,
            COLOURS[axis],
        );
    }
}

pub(super) fn caption(image: &mut Image, text: &str) {
    let inset = inset(image);
    write(image, text, inset, inset, INK);
}

/// Draws a legend of a colour map at the right side, with marks and a title.
pub(super) fn legend(
    image: &mut Image,
    map: ColorMap,
    range: [f64; 2],
    marks: &[f64],
    title: &str,
) {
    let inset = inset(image);
    let (letter, _) = extent(image, "0");
    let width = (image.width() as i64 / 50).clamp(8, 20);
    let texts: Vec<String> = marks.iter().map(|&mark| number(mark)).collect();
    let wide = texts.iter().map(|text| extent(image, text).1).max();
    let wide = wide.unwrap_or(0);
    let left = image.width() as i64 - inset - width - 6 - wide;
    let top = inset + letter + 6;
    let bottom = top + (image.height() as i64 / 2 - top).max(24);
    for y in top..bottom {
        let share = (bottom - 1 - y) as f64 / (bottom - 1 - top) as f64;
        for x in left..left + width {
            image.blend(x, y, map.colour(share as f32), 1.0);
        }
    }
    let (_, length) = extent(image, title);
    let start = (image.width() as i64 - inset - length).min(left);
    write(image, title, start, inset, INK);
    for (mark, text) in marks.iter().zip(&texts) {
        let share = (mark - range[0]) / (range[1] - range[0]);
        let y = bottom as f64 - share * (bottom - top) as f64;
        let from = (left + width) as f64;
        image.stroke(&[[from, y], [from + 3.0, y]], 1.0, INK);
        let place = y.round() as i64 - letter / 2;
        write(image, text, left + width + 6, place, INK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_round_and_numbers_short() {
        let found: Vec<f64> = [9.9, 10.0, 49.0, 0.31, 0.0199].map(round_length).to_vec();
        for (found, expected) in found.iter().zip([5.0, 10.0, 20.0, 0.2, 0.01]) {
            assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
        }
        let found = [0.0, -0.0, 5.0, 0.25, -12.5, 1234.0, 1e-5, 2.5e7, 1.0 / 3.0].map(number);
        let expected = [
            "0", "0", "5", "0.25", "-12.5", "1234", "1.00e-5", "2.50e7", "0.333",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn letters_and_lines_cover_pixels() {
        let mut image = Image::new(60, 40, [255; 3]);
        write(&mut image, "5 \u{b5}m", 2, 2, INK);
        let dark = |image: &Image| image.pixels().iter().filter(|at| at[0] < 128).count();
        let letters = dark(&image);
        assert!(letters > 20, "{letters}");
        image.stroke(&[[10.0, 30.5], [50.0, 30.5]], 1.0, INK);
        assert!((dark(&image) - letters).abs_diff(40) <= 2);
    }
}
