//! Contours of slices as files: SVG for people and cutters, CLI (the Common Layer Interface, version 2.0) for machines
//! that build in layers.
//!
//! Contours are closed: the first point is not repeated at the end. Outer ones go against the clock, holes with it.

mod cli;
mod svg;

use std::io::{self, Write};

/// The contours at one height.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// The height; for CLI that of the layer's upper side.
    pub z: f64,
    /// The contours.
    pub contours: &'a [&'a [[f64; 2]]],
}

/// What is said of all layers.
#[derive(Debug, Clone, Copy)]
pub struct Sheet<'a> {
    /// The lowest and the highest corner of what was sliced.
    pub bounds: [[f64; 3]; 2],
    /// How many millimetres a length of 1 is.
    pub millimetres: f64,
    /// What was sliced.
    pub title: &'a str,
}

/// Writes layers as SVG: a group for each layer, from the lowest, filled where the inside is; y points up, as in the part.
///
/// # Errors
/// What the writer says.
pub fn write_svg(file: &mut dyn Write, sheet: &Sheet<'_>, layers: &[Layer<'_>]) -> io::Result<()> {
    svg::write(file, sheet, layers)
}

/// Writes layers in the text form of CLI: closed polylines, outer ones against the clock (direction 1), holes with it
/// (direction 0).
///
/// # Errors
/// What the writer says.
pub fn write_cli(file: &mut dyn Write, sheet: &Sheet<'_>, layers: &[Layer<'_>]) -> io::Result<()> {
    cli::write(file, sheet, layers)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square with a square hole, at two heights.
    fn written(write: fn(&mut dyn Write, &Sheet<'_>, &[Layer<'_>]) -> io::Result<()>) -> String {
        let contours: [&[[f64; 2]]; 2] = [
            &[[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0]],
            &[[4.0, 4.0], [4.0, 6.0], [6.0, 6.0], [6.0, 4.0]],
        ];
        let layer = |z| Layer {
            z,
            contours: &contours,
        };
        let sheet = Sheet {
            bounds: [[0.0; 3], [10.0, 10.0, 2.5]],
            millimetres: 25.4,
            title: "a\u{1b}< b & \"c\"",
        };
        let mut file = Vec::new();
        write(&mut file, &sheet, &[layer(0.5), layer(1.0)]).unwrap();
        String::from_utf8(file).unwrap()
    }

    #[test]
    fn svg_is_drawn_upright() {
        insta::assert_snapshot!(written(write_svg));
    }

    #[test]
    fn cli_says_which_way_contours_go() {
        insta::assert_snapshot!(written(write_cli));
    }
}
