//! Wavefront OBJ: lines of vertices and of faces. What else a file has (normals, textures, groups, materials) is read
//! over; faces of more than three corners are cut into fans.

use std::io::{self, Write};

use fibula_core::colour::number;

use super::error::{Place, Problem, ReadError};
use super::watch::Watched;
use super::{Format, Limits, Triangles, vertex};

/// The first words of lines that files have.
const WORDS: [&str; 13] = [
    "v", "vt", "vn", "vp", "f", "l", "p", "o", "g", "s", "mtllib", "usemtl", "usemap",
];

pub(super) fn write(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    colors: Option<&[[f32; 3]]>,
    to: &mut impl Write,
) -> io::Result<()> {
    writeln!(to, "# Written by Fibula")?;
    write_part(vertices, triangles, colors, 0, to)
}

/// Writes what comes behind so many vertices.
pub(super) fn write_part(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    colors: Option<&[[f32; 3]]>,
    before: u64,
    to: &mut impl Write,
) -> io::Result<()> {
    for (place, [x, y, z]) in vertices.iter().enumerate() {
        let Some(colors) = colors else {
            writeln!(to, "v {x} {y} {z}")?;
            continue;
        };
        let [red, green, blue] = colors[place].map(|light| number(f64::from(light)));
        writeln!(to, "v {x} {y} {z} {red:.4} {green:.4} {blue:.4}")?;
    }
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| before + u64::from(corner) + 1);
        writeln!(to, "f {a} {b} {c}")?;
    }
    Ok(())
}

/// Whether a file begins as those of this format do: with lines that they have, of which one is a vertex.
pub(super) fn begins(bytes: &[u8]) -> bool {
    const ENOUGH: usize = 64 << 10;
    let start = &bytes[..bytes.len().min(ENOUGH)];
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
    let mut found = Triangles::none(Format::Obj);
    let mut face = Vec::new();
    let mut joined = String::new();
    let mut done = 0;
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let place = Place::Line(number + 1);
        watched.tell(done)?;
        done += line.len() + 1;
        if line.contains(&0) {
            return Err(Problem::NotText.at(place));
        }
        let line = String::from_utf8_lossy(line);
        let line = line.split('#').next().unwrap_or_default().trim_end();
        // A line goes on in the next one, if there is one.
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
                check("vertices", found.vertices.len(), limits.vertices, place)?;
                let at = vertex(words).map_err(|problem| problem.at(place))?;
                found.vertices.push(at);
            }
            Some("f") => {
                face.clear();
                for word in words {
                    let corner = corner(word, found.vertices.len());
                    face.push(corner.map_err(|problem| problem.at(place))?);
                }
                if face.len() < 3 {
                    return Err(Problem::FewCorners { count: face.len() }.at(place));
                }
                for pair in face[1..].windows(2) {
                    check("triangles", found.triangles.len(), limits.triangles, place)?;
                    let [a, b, c] = [face[0], pair[0], pair[1]];
                    if a == b || b == c || c == a {
                        found.left_out += 1;
                    } else {
                        found.triangles.push([a, b, c]);
                    }
                }
            }
            Some(_) | None => {}
        }
        joined.clear();
    }
    Ok(found)
}

fn check(what: &'static str, count: usize, most: usize, place: Place) -> Result<(), ReadError> {
    if count >= most.min(u32::MAX as usize) {
        return Err(Problem::TooLarge { what, most }.at(place));
    }
    Ok(())
}

/// The vertex of a corner such as `3`, `3/1/2` or `-1`, the last one above.
fn corner(word: &str, vertices: usize) -> Result<u32, Problem> {
    let index = word.split('/').next().unwrap_or_default();
    let index: i64 = index.parse().map_err(|_| Problem::not_a_number(word))?;
    let place = if index < 0 {
        index.checked_add(vertices as i64)
    } else {
        index.checked_sub(1)
    };
    let is_there = |place: &i64| (0..vertices as i64).contains(place);
    let place = place
        .filter(is_there)
        .and_then(|place| u32::try_from(place).ok());
    place.ok_or(Problem::UnknownVertex { index, vertices })
}
