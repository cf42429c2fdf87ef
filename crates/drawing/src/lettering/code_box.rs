//! Boxes with the code point of a character, for characters of no font: so it is mistaken for no other, and can be looked
//! up.

/// Height in pixels.
pub(super) const HEIGHT: u32 = 14;

/// The hexadecimal digits, 3 x 5 pixels: an octal digit for each row, a bit for each pixel of it.
const DIGITS: [u16; 16] = [
    0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71122, 0o75757, 0o75717,
    0o25755, 0o65656, 0o74447, 0o65556, 0o74647, 0o74644,
];

/// Number of digits in each of two rows.
fn columns(code: u32) -> u32 {
    if code > 0xffff { 3 } else { 2 }
}

/// Width in pixels, with the distance to the next letter.
pub(super) fn width(c: char) -> u32 {
    4 * columns(u32::from(c)) + 4
}

/// Calls `pixel` with every pixel, by its column and row. Of the box, only the corners and the sides are drawn, to leave
/// room for the digits.
pub(super) fn draw(c: char, pixel: &mut dyn FnMut(u32, u32)) {
    let code = u32::from(c);
    let columns = columns(code);
    let right = 4 * columns + 2;
    for y in 0..HEIGHT {
        pixel(0, y);
        pixel(right, y);
    }
    for y in [0, HEIGHT - 1] {
        pixel(1, y);
        pixel(right - 1, y);
    }
    for place in 0..2 * columns {
        let digit = code >> (4 * (2 * columns - 1 - place)) & 15;
        let (left, top) = (2 + place % columns * 4, 1 + place / columns * 7);
        for bit in (0..15).filter(|bit| DIGITS[digit as usize] >> (14 - bit) & 1 == 1) {
            pixel(left + bit % 3, top + bit / 3);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_has_the_digits() {
        let mut rows = vec![vec!['.'; 15]; 14];
        draw('🧬', &mut |x, y| rows[y as usize][x as usize] = '#');
        let rows: Vec<String> = rows.into_iter().map(String::from_iter).collect();
        assert_eq!(
            rows,
            [
                "##...........##",
                "#.###..#..###.#",
                "#.#.#.##..#...#",
                "#.#.#..#..##..#",
                "#.#.#..#..#...#",
                "#.###.###.#...#",
                "#.............#",
                "#.............#",
                "#.###.###.###.#",
                "#.#.#.#...#...#",
                "#.###.##..#...#",
                "#...#.#...#...#",
                "#.###.###.###.#",
                "##...........##",
            ]
        );
    }
}
