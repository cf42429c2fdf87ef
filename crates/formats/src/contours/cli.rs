//! CLI, the Common Layer Interface, version 2.0.

use std::io::{self, Write};

use super::{Layer, Sheet};

/// Writes layers as CLI text: closed polylines, outer ones counterclockwise (direction 1), holes clockwise (direction 0).
///
/// # Errors
/// The errors of `file`.
pub fn write(file: &mut dyn Write, sheet: &Sheet<'_>, layers: &[Layer<'_>]) -> io::Result<()> {
    let [low, high] = sheet.bounds.map(|[x, y, z]| format!("{x},{y},{z}"));
    let (title, unit, count) = (remark(sheet.title), sheet.millimetres, layers.len());
    writeln!(
        file,
        "$$HEADERSTART\n$$ASCII\n// {title} //\n$$UNITS/{unit}\n$$VERSION/200\n$$LABEL/1,{title}\n\
         $$DIMENSION/{low},{high}\n$$LAYERS/{count}\n$$HEADEREND\n$$GEOMETRYSTART"
    )?;
    for layer in layers {
        writeln!(file, "$$LAYER/{}", layer.z)?;
        for contour in layer.contours {
            let Some(first) = contour.first() else {
                continue;
            };
            let direction = u8::from(is_counterclockwise(contour));
            write!(file, "$$POLYLINE/1,{direction},{}", contour.len() + 1)?;
            for [x, y] in contour.iter().chain([first]) {
                write!(file, ",{x},{y}")?;
            }
            writeln!(file)?;
        }
    }
    writeln!(file, "$$GEOMETRYEND")
}

fn is_counterclockwise(contour: &[[f64; 2]]) -> bool {
    let &[x, y] = contour.first().unwrap_or(&[0.0; 2]);
    // Far from the origin only differences are accurate.
    let from = contour.iter().map(|at| [at[0] - x, at[1] - y]);
    let pairs = from.clone().zip(from.cycle().skip(1));
    let twice: f64 = pairs.map(|(a, b)| a[0] * b[1] - a[1] * b[0]).sum();
    twice > 0.0
}

/// Replaces what would end a remark or begin a command.
fn remark(text: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_graphic() && !"$/,".contains(c) {
            c
        } else {
            ' '
        }
    };
    text.chars().take(80).map(plain).collect()
}
