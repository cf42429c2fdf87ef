//! Drawings as Scalable Vector Graphics (SVG 1.1, as web browsers and office programs show it).

use std::fmt::Write as _;

use fibula_core::escape::escaped;

use super::{Colour, Drawing, LETTER, Shape};

impl Drawing {
    /// Writes an SVG image. What belongs together is a group whose title says it in full, which browsers show beside the
    /// pointer.
    pub fn svg(&self) -> String {
        let [width, height] = self.size.map(short);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" \
             font-size=\"11.6\" direction=\"ltr\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            escaped(&self.title)
        );
        for group in &self.groups {
            text.push_str("<g>");
            if !group.title.is_empty() {
                let _ = write!(text, "<title>{}</title>", escaped(&group.title));
            }
            text.push('\n');
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
        Shape::Plate {
            at,
            size,
            radii,
            fill,
            line,
        } => {
            let ([x, y], [width, height]) = (*at, *size);
            let stroke = line.map_or_else(String::new, |line| format!(" stroke=\"{}\"", hex(line)));
            let [upper, lower] = *radii;
            let corner = |radius: f64, x: f64, y: f64| {
                if radius > 0.0 {
                    let radius = short(radius);
                    format!("a{radius} {radius} 0 0 1 {} {}", short(x), short(y))
                } else {
                    String::new()
                }
            };
            writeln!(
                to,
                "<path d=\"M{} {}h{}{}v{}{}h{}{}v{}{}z\" fill=\"{}\"{stroke}/>",
                short(x + upper),
                short(y),
                short(width - 2.0 * upper),
                corner(upper, upper, upper),
                short(height - upper - lower),
                corner(lower, -lower, lower),
                short(2.0 * lower - width),
                corner(lower, -lower, -lower),
                short(upper + lower - height),
                corner(upper, upper, -upper),
                hex(*fill)
            )
        }
        Shape::Link {
            points,
            colour,
            width,
        } => writeln!(
            to,
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>",
            path(points),
            hex(*colour),
            short(*width)
        ),
        Shape::Dot {
            at,
            radius,
            fill,
            line,
        } => writeln!(
            to,
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"/>",
            short(at[0]),
            short(at[1]),
            short(*radius - 0.75),
            hex(*fill),
            hex(*line)
        ),
        Shape::Text {
            at,
            text,
            letters,
            bold,
            colour,
        } => writeln!(
            to,
            "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{} \
             xml:space=\"preserve\">{}</text>",
            short(at[0]),
            short(at[1] + 11.0),
            short(LETTER * *letters as f64),
            hex(*colour),
            if *bold { " font-weight=\"bold\"" } else { "" },
            escaped(text)
        ),
    };
}

/// Straight parts and curves in turn.
fn path(points: &[[f64; 2]]) -> String {
    let mut text = String::new();
    let [x, y] = points.first().copied().unwrap_or_default();
    let _ = write!(text, "M{} {}", short(x), short(y));
    for (part, ends) in points.windows(2).enumerate() {
        let ([from, above], [to, below]) = (ends[0], ends[1]);
        let _ = if part % 2 == 0 || short(above - below) == 0.0 {
            if short(from - to) == 0.0 {
                continue;
            }
            write!(text, "H{}", short(to))
        } else {
            let middle = short(f64::midpoint(from, to));
            let (above, below) = (short(above), short(below));
            write!(
                text,
                "C{middle} {above} {middle} {below} {} {below}",
                short(to)
            )
        };
    }
    text
}

/// A length to a tenth of a pixel.
fn short(length: f64) -> f64 {
    // 0 has no sign.
    (length * 10.0).round() / 10.0 + 0.0
}

fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
