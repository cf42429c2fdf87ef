//! PLY, the Stanford format: a head in text, then little-endian numbers.

use std::io::{self, Write};

use fibula_core::colour::byte;

use super::MeshPart;

/// Head of the colours.
const COLORS: &str = "property uchar red\nproperty uchar green\nproperty uchar blue\n";

pub(super) fn write(part: &MeshPart<'_>, _: f64, to: &mut dyn Write) -> io::Result<()> {
    let (vertices, triangles, colors) = (part.vertices, part.triangles, part.colors);
    write!(
        to,
        "ply\nformat binary_little_endian 1.0\ncomment written by Fibula\nelement vertex {}\n\
         property double x\nproperty double y\nproperty double z\n{}element face {}\n\
         property list uchar int vertex_indices\nend_header\n",
        vertices.len(),
        if colors.is_some() { COLORS } else { "" },
        triangles.len()
    )?;
    for (index, vertex) in vertices.iter().enumerate() {
        for number in vertex {
            to.write_all(&number.to_le_bytes())?;
        }
        if let Some(colors) = colors {
            to.write_all(&colors[index].map(|light| byte(f64::from(light))))?;
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
