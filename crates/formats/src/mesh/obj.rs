//! Wavefront OBJ: lines of vertices and of faces. All else (normals, textures, groups, materials) is ignored; faces of
//! more than three corners become triangle fans.

use std::io::{self, Write};

use fibula_core::colour::number;

use super::error::{Position, ReadError, ReadErrorKind};
use super::read::{text_of, vertex};
use super::watch::Watched;
use super::{Limits, MeshFormat, MeshPart, Triangles};

/// First line of files.
const HEAD: &str = "# Written by Fibula";

/// Known first words of lines.
const WORDS: [&str; 13] = [
    "v", "vt", "vn", "vp", "f", "l", "p", "o", "g", "s", "mtllib", "usemtl", "usemap",
];

pub(super) fn write(part: &MeshPart<'_>, _: f64, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "{HEAD}")?;
    write_mesh(part.vertices, part.triangles, part.colors, 0, to)
}

/// Writes an object for each part.
pub(super) fn write_parts(parts: &[MeshPart<'_>], _: f64, to: &mut dyn Write) -> io::Result<()> {
    writeln!(to, "{HEAD}")?;
    let mut before = 0;
    for part in parts {
        // A name ends at the end of its line or at a comment, and a backslash continues the line.
        let is_lost = |c: char| c.is_control() || c == '\\' || c == '#';
        let name = part.name.replace(is_lost, " ");
        writeln!(to, "o {}", name.trim())?;
        let placed = part.placed_finite(MeshFormat::Obj)?;
        write_mesh(&placed, &part.turned(), part.colors, before, to)?;
        before += part.vertices.len() as u64;
    }
    Ok(())
}

/// Writes a mesh; `before` is the number of vertices in the lines above.
fn write_mesh(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    colors: Option<&[[f32; 3]]>,
    before: u64,
    to: &mut dyn Write,
) -> io::Result<()> {
    for (index, [x, y, z]) in vertices.iter().enumerate() {
        let Some(colors) = colors else {
            writeln!(to, "v {x} {y} {z}")?;
            continue;
        };
        let [red, green, blue] = colors[index].map(|light| number(f64::from(light)));
        writeln!(to, "v {x} {y} {z} {red:.4} {green:.4} {blue:.4}")?;
    }
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| before + u64::from(corner) + 1);
        writeln!(to, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// True if a file begins with known lines, one of which is a vertex.
pub(super) fn matches(bytes: &[u8]) -> bool {
    const ENOUGH: usize = 64 << 10;
    let text = text_of(bytes);
    let start = &text[..text.len().min(ENOUGH)];
    for line in start.split(|&byte| byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let text = line.split('#').next().unwrap_or_default();
        let mut words = text.split_ascii_whitespace();
        match words.next() {
            Some("v") => return vertex(words).is_ok(),
            Some(word) if !WORDS.contains(&word) => return false,
            Some(_) | None => {}
        }
    }
    false
}

pub(super) fn read(
    bytes: &[u8],
    limits: &Limits,
    watched: &mut Watched<'_>,
) -> Result<Triangles, ReadError> {
    let bytes = text_of(bytes);
    let mut found = Triangles::new(MeshFormat::Obj);
    let mut face = Vec::new();
    let mut joined = String::new();
    let mut done = 0;
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let position = Position::Line(number + 1);
        watched.report(done)?;
        done += line.len() + 1;
        if line.contains(&0) {
            return Err(ReadErrorKind::NotText.at(position));
        }
        let line = String::from_utf8_lossy(line);
        let line = line.split('#').next().unwrap_or_default().trim_end();
        // A backslash continues the line, if there is a next one.
        if let Some(start) = line.strip_suffix('\\') {
            joined.push_str(start);
            joined.push(' ');
            if done <= bytes.len() {
                continue;
            }
        } else {
            joined.push_str(line);
        }
        let mut words = joined.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                check("vertices", found.vertices.len(), limits.vertices, position)?;
                if words.clone().count() >= 6 {
                    found.omit("vertex colour", "an imported mesh has no colours", 1);
                }
                let at = vertex(words).map_err(|problem| problem.at(position))?;
                found.vertices.push(at);
            }
            Some("f") => {
                face.clear();
                for word in words {
                    let corner = corner(word, found.vertices.len());
                    face.push(corner.map_err(|problem| problem.at(position))?);
                }
                if face.len() < 3 {
                    return Err(ReadErrorKind::FewCorners { count: face.len() }.at(position));
                }
                for pair in face[1..].windows(2) {
                    check(
                        "triangles",
                        found.triangles.len(),
                        limits.triangles,
                        position,
                    )?;
                    found.push([face[0], pair[0], pair[1]]);
                }
            }
            Some(word) => {
                let (what, why) = omitted(word);
                found.omit(what, why, 1);
            }
            None => {}
        }
        joined.clear();
    }
    found.non_empty(Position::Line(1))
}

/// Noun of a statement that is not read, and the reason.
fn omitted(word: &str) -> (&'static str, &'static str) {
    const SHADING: &str = "an imported mesh has no shading";
    match word {
        "o" | "g" => (
            "name of an object or group",
            "all triangles become one mesh, which has the name of the file",
        ),
        "vt" => ("texture coordinate", SHADING),
        "vn" => ("vertex normal", SHADING),
        "s" => ("smoothing group", SHADING),
        "usemtl" | "mtllib" => ("reference to a material", "materials are not read"),
        "l" => ("polyline", "only faces are read"),
        "p" => ("point", "only faces are read"),
        _ => ("other statement", "only vertices and faces are read"),
    }
}

fn check(
    what: &'static str,
    count: usize,
    most: usize,
    position: Position,
) -> Result<(), ReadError> {
    if count >= most.min(u32::MAX as usize) {
        return Err(ReadErrorKind::TooLarge { what, most }.at(position));
    }
    Ok(())
}

/// Parses a corner, such as `3`, `3/1/2` or `-1` for the last vertex above.
fn corner(word: &str, vertices: usize) -> Result<u32, ReadErrorKind> {
    let index = word.split('/').next().unwrap_or_default();
    let index: i64 = index
        .parse()
        .map_err(|_| ReadErrorKind::not_a_number(word))?;
    let place = if index < 0 {
        index.checked_add(vertices as i64)
    } else {
        index.checked_sub(1)
    };
    let is_there = |place: &i64| (0..vertices as i64).contains(place);
    let place = place
        .filter(is_there)
        .and_then(|place| u32::try_from(place).ok());
    place.ok_or(ReadErrorKind::UnknownVertex { index, vertices })
}
