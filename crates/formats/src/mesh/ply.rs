//! PLY, the Stanford format: a head in text, then numbers, the lowest byte first.

use std::io::{self, Write};

use fibula_core::colour::byte;

use super::too_large;

/// What the head says of colours.
const COLORS: &str = "property uchar red\nproperty uchar green\nproperty uchar blue\n";

pub(super) fn write(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    colors: Option<&[[f32; 3]]>,
    to: &mut impl Write,
) -> io::Result<()> {
    // Most programs read indexes and counts with a sign.
    for (what, count) in [("vertices", vertices.len()), ("triangles", triangles.len())] {
        i32::try_from(count).map_err(|_| too_large("PLY", what))?;
    }
    write!(
        to,
        "ply\nformat binary_little_endian 1.0\ncomment written by Fibula\nelement vertex {}\n\
         property double x\nproperty double y\nproperty double z\n{}element face {}\n\
         property list uchar int vertex_indices\nend_header\n",
        vertices.len(),
        if colors.is_some() { COLORS } else { "" },
        triangles.len()
    )?;
    for (place, vertex) in vertices.iter().enumerate() {
        for number in vertex {
            to.write_all(&number.to_le_bytes())?;
        }
        if let Some(colors) = colors {
            to.write_all(&colors[place].map(|light| byte(f64::from(light))))?;
        }
    }
    for triangle in triangles {
        to.write_all(&[3])?;
        for corner in triangle {
            to.write_all(&corner.to_le_bytes())?;
        }
    }
    Ok(())
}
