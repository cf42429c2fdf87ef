//! SVG.

use std::io::{self, Write};

use fibula_core::escape::escaped;

use super::{Layer, Sheet};

/// Writes layers as SVG: a group for each layer, from the lowest, with the inside filled; y points up.
///
/// # Errors
/// The errors of `file`.
pub fn write(file: &mut dyn Write, sheet: &Sheet<'_>, layers: &[Layer<'_>]) -> io::Result<()> {
    let [low, high] = sheet.bounds;
    let (width, height) = (high[0] - low[0], high[1] - low[1]);
    let unit = sheet.millimetres;
    writeln!(
        file,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}mm" height="{}mm" viewBox="0 0 {width} {height}">"#,
        width * unit,
        height * unit,
    )?;
    writeln!(file, "<title>{}</title>", escaped(sheet.title))?;
    for (number, layer) in layers.iter().enumerate() {
        // Only the lowest is visible at first; a viewer or a script shows the others.
        let hidden = if number == 0 {
            ""
        } else {
            r#" visibility="hidden""#
        };
        write!(
            file,
            r##"<g id="layer-{}" data-z="{}"{hidden}><path fill="#4a6fa5" fill-rule="evenodd" d=""##,
            number + 1,
            layer.z,
        )?;
        for contour in layer.contours {
            for (place, &[x, y]) in contour.iter().enumerate() {
                let command = if place == 0 { 'M' } else { 'L' };
                write!(file, "{command}{} {}", x - low[0], high[1] - y)?;
            }
            write!(file, "Z")?;
        }
        writeln!(file, r#""/></g>"#)?;
    }
    writeln!(file, "</svg>")
}
