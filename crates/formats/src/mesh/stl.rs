//! STL: triangles with vertices of their own, in 50 bytes each, or as text.
//!
//! The normals of files are ignored: the order of the corners determines the orientation.

use std::io::{self, Write};

use fibula_core::vector::{cross, sub, unit};

use super::error::{Position, ReadError, ReadErrorKind};
use super::read::{text_of, vertex};
use super::watch::Watched;
use super::weld::Welder;
use super::write::single;
use super::{Limits, MeshFormat, MeshPart, Triangles};

/// Bytes of the head of a binary file, with the number of triangles.
const HEAD: usize = 84;
/// Bytes of a triangle.
const RECORD: usize = 50;
/// Beginning of the head: a binary file must not begin as a text does.
const TITLE: &[u8] = b"Binary STL, written by Fibula";

pub(super) fn write(part: &MeshPart<'_>, _: f64, to: &mut dyn Write) -> io::Result<()> {
    let count = part.triangles.len() as u32;
    let mut head = [b' '; HEAD];
    head[..TITLE.len()].copy_from_slice(TITLE);
    head[HEAD - 4..].copy_from_slice(&count.to_le_bytes());
    to.write_all(&head)?;
    for triangle in part.triangles {
        let mut corners = [[0.0; 3]; 3];
        for (corner, &vertex) in corners.iter_mut().zip(triangle) {
            *corner = single(part.vertices[vertex as usize])?;
        }
        let [a, b, c] = corners.map(|corner| corner.map(f64::from));
        let normal = unit(cross(sub(b, a), sub(c, a))).unwrap_or_default();
        let mut record = [0; RECORD];
        let numbers = normal
            .map(|x| x as f32)
            .into_iter()
            .chain(corners.into_iter().flatten());
        for (bytes, number) in record.chunks_exact_mut(4).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        to.write_all(&record)?;
    }
    Ok(())
}

/// Returns the number of triangles that the head of a binary file states.
fn stated_count(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEAD - 4..HEAD)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

/// True for a binary file with the length that it states, and for a text that begins as STL does.
pub(super) fn matches(start: &[u8], length: u64) -> bool {
    is_complete(start, length) || is_text(start)
}

/// As [`matches`]; also for a truncated binary file, since a text has no zero bytes.
pub(super) fn accepts(bytes: &[u8]) -> bool {
    is_binary(bytes) || is_text(bytes)
}

pub(super) fn read(
    bytes: &[u8],
    limits: &Limits,
    watched: &mut Watched<'_>,
) -> Result<Triangles, ReadError> {
    if is_binary(bytes) {
        read_binary(bytes, limits, watched)?.non_empty(Position::Byte(0))
    } else {
        read_text(text_of(bytes), limits, watched)?.non_empty(Position::Line(1))
    }
}

fn is_binary(bytes: &[u8]) -> bool {
    let is_long = stated_count(bytes).is_some();
    is_long && (is_complete(bytes, bytes.len() as u64) || bytes.contains(&0))
}

fn is_complete(start: &[u8], length: u64) -> bool {
    let stated = |count: u32| HEAD as u64 + RECORD as u64 * u64::from(count);
    stated_count(start).is_some_and(|count| length == stated(count))
}

fn is_text(bytes: &[u8]) -> bool {
    let text = text_of(bytes).trim_ascii_start();
    text.len() >= 5 && text[..5].eq_ignore_ascii_case(b"solid")
}

fn read_binary(
    bytes: &[u8],
    limits: &Limits,
    watched: &mut Watched<'_>,
) -> Result<Triangles, ReadError> {
    let said = stated_count(bytes).unwrap_or(0);
    let count = said as usize;
    let records = &bytes[HEAD.min(bytes.len())..];
    if records.len() / RECORD < count {
        let ends = records.len() / RECORD + 1;
        return Err(ReadErrorKind::CutOff { said, ends }.at(Position::Byte(bytes.len())));
    }
    check(count, limits, Position::Byte(HEAD - 4))?;
    let mut welder = Welder::new(MeshFormat::Stl);
    let mut colors = 0;
    for (number, record) in records.chunks_exact(RECORD).take(count).enumerate() {
        watched.report(HEAD + RECORD * number)?;
        let float = |place: usize| {
            let place = 12 + 4 * place;
            f32::from_le_bytes(std::array::from_fn(|byte| record[place + byte]))
        };
        if let Some(bad) = (0..9).find(|&place| !float(place).is_finite()) {
            let position = Position::Byte(HEAD + RECORD * number + 12 + 4 * bad);
            return Err(ReadErrorKind::not_a_number(&float(bad).to_string()).at(position));
        }
        let corner = |corner: usize| [0, 1, 2].map(|axis| f64::from(float(3 * corner + axis)));
        welder.push([corner(0), corner(1), corner(2)]);
        colors += usize::from(record[RECORD - 2..] != [0, 0]);
    }
    let mut found = welder.finish();
    found.omit(
        "attribute of a triangle",
        "the colours and marks of STL have no common meaning",
        colors,
    );
    Ok(found)
}

fn check(triangles: usize, limits: &Limits, position: Position) -> Result<(), ReadError> {
    let most = limits.triangles.min(limits.vertices / 3);
    if triangles > most {
        let what = "triangles";
        return Err(ReadErrorKind::TooLarge { what, most }.at(position));
    }
    Ok(())
}

fn read_text(
    bytes: &[u8],
    limits: &Limits,
    watched: &mut Watched<'_>,
) -> Result<Triangles, ReadError> {
    let mut welder = Welder::new(MeshFormat::Stl);
    let mut corners: Vec<[f64; 3]> = Vec::with_capacity(3);
    let (mut within, mut count, mut last, mut done, mut solids) = (false, 0, 1, 0, 0);
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let position = Position::Line(number + 1);
        watched.report(done)?;
        done += line.len() + 1;
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next() else {
            continue;
        };
        last = number + 1;
        solids += usize::from(word.eq_ignore_ascii_case("solid"));
        let is = |expected: &str| word.eq_ignore_ascii_case(expected);
        let is_frame = if within {
            is("outer") || is("endloop")
        } else {
            is("solid") || is("endsolid")
        };
        if is("vertex") && within && corners.len() < 3 {
            corners.push(vertex(words).map_err(|problem| problem.at(position))?);
        } else if is("facet") && !within {
            within = true;
        } else if is("endfacet") && within && corners.len() == 3 {
            within = false;
            count += 1;
            check(count, limits, position)?;
            welder.push([corners[0], corners[1], corners[2]]);
            corners.clear();
        } else if !is_frame {
            return Err(
                ReadErrorKind::unexpected(&line, expected(within, corners.len())).at(position),
            );
        }
    }
    if within {
        let expected = expected(within, corners.len());
        return Err(ReadErrorKind::Ends { expected }.at(Position::Line(last)));
    }
    let mut found = welder.finish();
    if solids > 1 {
        let why = "the triangles of all solids become one mesh";
        found.omit("border between solids", why, solids - 1);
    }
    Ok(found)
}

fn expected(within: bool, corners: usize) -> &'static str {
    match (within, corners) {
        (false, _) => "'facet' or 'endsolid'",
        (true, 3) => "'endfacet'",
        (true, _) => "'vertex' with three numbers",
    }
}
