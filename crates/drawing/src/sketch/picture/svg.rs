//! Scenes as Scalable Vector Graphics (SVG 1.1, as web browsers and office programs show it).

use std::fmt::Write as _;

use fibula_core::escape::escaped;

use super::scene::{Colour, Scene, Shape};

impl Scene {
    /// Writes an SVG image, without scripts or links. What belongs together is a group whose title says it in full, which
    /// browsers show beside the pointer.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" \
             font-size=\"11.6\">\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
            escaped(&self.title),
            hex(self.ground)
        );
        for group in &self.groups {
            text.push_str("<g>");
            if !group.title.is_empty() {
                let _ = write!(text, "<title>{}</title>", escaped(&group.title));
            }
            for shape in &group.shapes {
                write_shape(&mut text, shape);
            }
            text.push_str("</g>\n");
        }
        text.push_str("</svg>\n");
        text
    }
}

fn write_shape(to: &mut String, shape: &Shape) {
    let _ = match shape {
        Shape::Disc {
            at,
            radius,
            fill,
            line,
        } => {
            let inset = radius - line.1 / 2.0;
            write!(
                to,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>",
                short(at[0]),
                short(at[1]),
                short(inset.max(0.1)),
                filled(*fill, *line)
            )
        }
        Shape::Plate {
            at,
            size,
            radius,
            fill,
            line,
        } => {
            let [x, y] = at.map(|part| short(part + line.1 / 2.0));
            let [width, height] = size.map(|side| short((side - line.1).max(0.1)));
            let look = filled(*fill, *line);
            write!(
                to,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{}\"{look}/>",
                short(*radius)
            )
        }
        Shape::Line {
            points,
            colour,
            width,
        } => {
            let mut path = String::new();
            for (number, [x, y]) in points.iter().enumerate() {
                let _ = write!(
                    path,
                    "{}{} {}",
                    if number == 0 { 'M' } else { 'L' },
                    short(*x),
                    short(*y)
                );
            }
            write!(to, "<path d=\"{path}\"{}/>", stroked(*colour, *width))
        }
        Shape::Curve {
            points,
            colour,
            width,
        } => {
            let [from, one, two, end] =
                points.map(|at| format!("{} {}", short(at[0]), short(at[1])));
            write!(
                to,
                "<path d=\"M{from}C{one} {two} {end}\"{}/>",
                stroked(*colour, *width)
            )
        }
        Shape::Text {
            at,
            text,
            width,
            bold,
            colour,
            seam,
        } => {
            let seam = seam.map_or_else(String::new, |seam| {
                format!(
                    " stroke=\"{}\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                    hex(seam)
                )
            });
            write!(
                to,
                "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{seam}{} \
                 xml:space=\"preserve\">{}</text>",
                short(at[0]),
                short(at[1] + 11.0),
                short(*width),
                hex(*colour),
                if *bold { " font-weight=\"bold\"" } else { "" },
                escaped(text)
            )
        }
    };
}

fn filled(fill: Colour, line: (Colour, f64)) -> String {
    format!(
        " fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"",
        hex(fill),
        hex(line.0),
        short(line.1)
    )
}

fn stroked(colour: Colour, width: f64) -> String {
    format!(
        " fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"",
        hex(colour),
        (width * 100.0).round() / 100.0
    )
}

/// A length to a tenth of a pixel.
fn short(length: f64) -> f64 {
    // 0 has no sign.
    (length * 10.0).round() / 10.0 + 0.0
}

/// A colour as the web writes it.
pub(super) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
