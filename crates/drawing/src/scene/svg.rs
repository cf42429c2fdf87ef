//! Scenes as Scalable Vector Graphics (SVG 1.1, as web browsers and office programs show it).

use std::fmt::Write as _;

use fibula_core::escape::escaped;

use super::{Colour, Scene, Segment, Shape, Stroke, SvgSpelling, text};

impl Scene {
    /// Writes an SVG image, without scripts or links. Each group has its title, which browsers show as a tooltip.
    pub fn svg(&self) -> String {
        let [width, height] = self.size;
        let (direction, line_end) = match self.spelling {
            SvgSpelling::LinePerShape => (" direction=\"ltr\"", "\n"),
            SvgSpelling::LinePerGroup => ("", ""),
        };
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" \
             font-size=\"11.6\"{direction}>\n<title>{}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
            escaped(&self.title),
            hex(self.background)
        );
        for group in &self.groups {
            text.push_str("<g>");
            if !group.title.is_empty() {
                let _ = write!(text, "<title>{}</title>", escaped(&group.title));
            }
            text.push_str(line_end);
            for shape in &group.shapes {
                write_shape(&mut text, shape);
                text.push_str(line_end);
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
            outline,
        } => {
            let inset = radius - outline.width / 2.0;
            write!(
                to,
                "<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>",
                tenth(at[0]),
                tenth(at[1]),
                tenth(inset.max(0.1)),
                fill_attributes(*fill, *outline)
            )
        }
        Shape::Plate {
            at,
            size,
            radius,
            fill,
            outline,
        } => {
            let [x, y] = at.map(|part| tenth(part + outline.width / 2.0));
            let [width, height] = size.map(|side| tenth((side - outline.width).max(0.1)));
            write!(
                to,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{}\"{}/>",
                tenth(*radius),
                fill_attributes(*fill, *outline)
            )
        }
        Shape::Panel {
            at,
            size,
            radii,
            fill,
            outline,
        } => write!(
            to,
            "<path d=\"{}\" fill=\"{}\" stroke=\"{}\"/>",
            panel_path(*at, *size, *radii),
            hex(*fill),
            hex(*outline)
        ),
        Shape::Path {
            start,
            segments,
            stroke,
        } => write!(
            to,
            "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\"/>",
            path(*start, segments),
            hex(stroke.colour),
            (stroke.width * 100.0).round() / 100.0
        ),
        Shape::Text {
            at,
            text,
            width,
            bold,
            colour,
            halo,
        } => {
            let halo = halo.map_or_else(String::new, |halo| {
                format!(
                    " stroke=\"{}\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
                    hex(halo)
                )
            });
            write!(
                to,
                "<text x=\"{}\" y=\"{}\" textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\" fill=\"{}\"{halo}{} \
                 xml:space=\"preserve\">{}</text>",
                tenth(at[0]),
                tenth(at[1] + text::BASELINE),
                tenth(*width),
                hex(*colour),
                if *bold { " font-weight=\"bold\"" } else { "" },
                escaped(text)
            )
        }
    };
}

/// Path data of a panel, clockwise from its upper left corner.
fn panel_path([x, y]: [f64; 2], [width, height]: [f64; 2], [upper, lower]: [f64; 2]) -> String {
    let arc = |radius: f64, x: f64, y: f64| {
        if radius > 0.0 {
            let radius = tenth(radius);
            format!("a{radius} {radius} 0 0 1 {} {}", tenth(x), tenth(y))
        } else {
            String::new()
        }
    };
    format!(
        "M{} {}h{}{}v{}{}h{}{}v{}{}z",
        tenth(x + upper),
        tenth(y),
        tenth(width - 2.0 * upper),
        arc(upper, upper, upper),
        tenth(height - upper - lower),
        arc(lower, -lower, lower),
        tenth(2.0 * lower - width),
        arc(lower, -lower, -lower),
        tenth(upper + lower - height),
        arc(upper, upper, -upper)
    )
}

/// Path data of segments.
fn path(start: [f64; 2], segments: &[Segment]) -> String {
    let pair = |at: [f64; 2]| format!("{} {}", tenth(at[0]), tenth(at[1]));
    let mut path = format!("M{}", pair(start));
    for segment in segments {
        let _ = match segment {
            Segment::Level([x, _]) => write!(path, "H{}", tenth(*x)),
            Segment::Line(end) => write!(path, "L{}", pair(*end)),
            Segment::Curve(points) => {
                let [first, second, end] = points.map(pair);
                write!(path, "C{first} {second} {end}")
            }
        };
    }
    path
}

fn fill_attributes(fill: Colour, outline: Stroke) -> String {
    format!(
        " fill=\"{}\" stroke=\"{}\" stroke-width=\"{}\"",
        hex(fill),
        hex(outline.colour),
        tenth(outline.width)
    )
}

/// Rounds a length to a tenth of a pixel.
pub(super) fn tenth(length: f64) -> f64 {
    // 0 has no sign.
    (length * 10.0).round() / 10.0 + 0.0
}

/// Hexadecimal notation of a colour in HTML and SVG.
pub(crate) fn hex([red, green, blue]: Colour) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
