//! Files of contours: SVG for people and cutters, CLI (the Common Layer Interface, version 2.0) for machines that build
//! in layers.
//!
//! Contours are closed polygons: the first point is not repeated. Outer ones are counterclockwise, holes clockwise.

mod cli;
mod svg;

pub use cli::write as write_cli;
pub use svg::write as write_svg;

/// The contours at one height.
#[derive(Debug, Clone, Copy)]
pub struct Layer<'a> {
    /// Height; for CLI that of the layer's upper side.
    pub z: f64,
    /// The contours.
    pub contours: &'a [&'a [[f64; 2]]],
}

/// Description of all layers.
#[derive(Debug, Clone, Copy)]
pub struct Sheet<'a> {
    /// Lowest and highest corner of the subject.
    pub bounds: [[f64; 3]; 2],
    /// Length of a unit in millimetres.
    pub millimetres: f64,
    /// Name of the subject.
    pub title: &'a str,
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

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
