//! CLI, the Common Layer Interface, version 2.0.

use std::io::{self, Write};

use super::{Layer, Sheet};

pub(super) fn write(
    file: &mut dyn Write,
    sheet: &Sheet<'_>,
    layers: &[Layer<'_>],
) -> io::Result<()> {
    let [low, high] = sheet.bounds.map(|[x, y, z]| format!("{x},{y},{z}"));
    writeln!(file, "$$HEADERSTART")?;
    writeln!(file, "$$ASCII")?;
    writeln!(file, "// {} //", remark(sheet.title))?;
    writeln!(file, "$$UNITS/{}", sheet.millimetres)?;
    writeln!(file, "$$VERSION/200")?;
    writeln!(file, "$$LABEL/1,{}", remark(sheet.title))?;
    writeln!(file, "$$DIMENSION/{low},{high}")?;
    writeln!(file, "$$LAYERS/{}", layers.len())?;
    writeln!(file, "$$HEADEREND")?;
    writeln!(file, "$$GEOMETRYSTART")?;
    for layer in layers {
        writeln!(file, "$$LAYER/{}", layer.z)?;
        for contour in layer.contours {
            let Some(first) = contour.first() else {
                continue;
            };
            let direction = u8::from(is_against_the_clock(contour));
            write!(file, "$$POLYLINE/1,{direction},{}", contour.len() + 1)?;
            for [x, y] in contour.iter().chain([first]) {
                write!(file, ",{x},{y}")?;
            }
            writeln!(file)?;
        }
    }
    writeln!(file, "$$GEOMETRYEND")
}

fn is_against_the_clock(contour: &[[f64; 2]]) -> bool {
    let Some(&[x, y]) = contour.first() else {
        return false;
    };
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
