//! PLY, the Stanford format: a head in text, then numbers, the lowest byte first.

use std::io::{self, Write};

use super::too_large;

pub(super) fn write(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    to: &mut impl Write,
) -> io::Result<()> {
    // Most programs read indexes with a sign.
    if i32::try_from(vertices.len()).is_err() || i32::try_from(triangles.len()).is_err() {
        return Err(too_large("PLY", "vertices"));
    }
    write!(
        to,
        "ply\nformat binary_little_endian 1.0\ncomment written by Fibula\nelement vertex {}\n\
         property double x\nproperty double y\nproperty double z\nelement face {}\n\
         property list uchar int vertex_indices\nend_header\n",
        vertices.len(),
        triangles.len()
    )?;
    for number in vertices.iter().flatten() {
        to.write_all(&number.to_le_bytes())?;
    }
    for triangle in triangles {
        to.write_all(&[3])?;
        for corner in triangle {
            to.write_all(&corner.to_le_bytes())?;
        }
    }
    Ok(())
}
