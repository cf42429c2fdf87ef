//! STL: triangles with corners of their own, in 50 bytes each, or as text.
//!
//! The normals that files say are read over: what counts is the order of the corners.

use std::io::{self, Write};

use fibula_core::vector::{cross, sub, unit};

use super::error::{Place, Problem, ReadError};
use super::watch::Watched;
use super::weld::Welder;
use super::{Format, Limits, Triangles, single, too_large, vertex};

/// The head of a binary file, and the count of triangles.
const HEAD: usize = 84;
/// The bytes of a triangle.
const RECORD: usize = 50;
/// What a head begins with: a binary file must not begin as a text does.
const TITLE: &[u8] = b"Binary STL, written by Fibula";

pub(super) fn write(
    vertices: &[[f64; 3]],
    triangles: &[[u32; 3]],
    to: &mut impl Write,
) -> io::Result<()> {
    let count = u32::try_from(triangles.len()).map_err(|_| too_large("STL", "triangles"))?;
    let mut head = [b' '; HEAD];
    head[..TITLE.len()].copy_from_slice(TITLE);
    head[HEAD - 4..].copy_from_slice(&count.to_le_bytes());
    to.write_all(&head)?;
    for triangle in triangles {
        let mut corners = [[0.0; 3]; 3];
        for (corner, &vertex) in corners.iter_mut().zip(triangle) {
            *corner = single(vertices[vertex as usize])?;
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

fn said(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(HEAD - 4..HEAD)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

/// Whether it is a binary file: it has the length that it says, or at least it is no text.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    said(bytes).is_some() && (is_whole(bytes, bytes.len() as u64) || bytes.contains(&0))
}

/// Whether a file that begins so is a binary file of the length that it says.
pub(super) fn is_whole(start: &[u8], length: u64) -> bool {
    said(start).is_some_and(|count| length == HEAD as u64 + RECORD as u64 * u64::from(count))
}

/// Whether it is a text that begins as those of STL do.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let start = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
    let word = &bytes[start.unwrap_or(0)..];
    word.len() >= 5 && word[..5].eq_ignore_ascii_case(b"solid")
}

pub(super) fn read_binary(
    bytes: &[u8],
    limits: &Limits,
    watched: &mut Watched<'_>,
) -> Result<Triangles, ReadError> {
    let said = said(bytes).unwrap_or(0);
    let count = said as usize;
    let records = &bytes[HEAD.min(bytes.len())..];
    if records.len() / RECORD < count {
        let ends = records.len() / RECORD + 1;
        return Err(Problem::CutOff { said, ends }.at(Place::Byte(bytes.len())));
    }
    check(count, limits, Place::Byte(HEAD - 4))?;
    let mut welder = Welder::new(Format::Stl);
    for (number, record) in records.chunks_exact(RECORD).take(count).enumerate() {
        watched.tell(HEAD + RECORD * number)?;
        let float = |place: usize| {
            let place = 12 + 4 * place;
            f32::from_le_bytes(std::array::from_fn(|byte| record[place + byte]))
        };
        if let Some(bad) = (0..9).find(|&place| !float(place).is_finite()) {
            let place = Place::Byte(HEAD + RECORD * number + 12 + 4 * bad);
            return Err(Problem::not_a_number(&float(bad).to_string()).at(place));
        }
        let corner = |corner: usize| [0, 1, 2].map(|axis| f64::from(float(3 * corner + axis)));
        welder.push([corner(0), corner(1), corner(2)]);
    }
    Ok(welder.finish())
}

fn check(triangles: usize, limits: &Limits, place: Place) -> Result<(), ReadError> {
    let most = limits.triangles.min(limits.vertices / 3);
    if triangles > most {
        let what = "triangles";
        return Err(Problem::TooLarge { what, most }.at(place));
    }
    Ok(())
}

pub(super) fn read_text(
    bytes: &[u8],
    limits: &Limits,
    watched: &mut Watched<'_>,
) -> Result<Triangles, ReadError> {
    let mut welder = Welder::new(Format::Stl);
    let mut corners: Vec<[f64; 3]> = Vec::with_capacity(3);
    let (mut within, mut count, mut last, mut done) = (false, 0, 1, 0);
    for (number, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let place = Place::Line(number + 1);
        watched.tell(done)?;
        done += line.len() + 1;
        let line = String::from_utf8_lossy(line);
        let mut words = line.split_ascii_whitespace();
        let Some(word) = words.next() else {
            continue;
        };
        last = number + 1;
        let is = |expected: &str| word.eq_ignore_ascii_case(expected);
        let is_frame = if within {
            is("outer") || is("endloop")
        } else {
            is("solid") || is("endsolid")
        };
        if is("vertex") && within && corners.len() < 3 {
            corners.push(vertex(words).map_err(|problem| problem.at(place))?);
        } else if is("facet") && !within {
            within = true;
        } else if is("endfacet") && within && corners.len() == 3 {
            within = false;
            count += 1;
            check(count, limits, place)?;
            welder.push([corners[0], corners[1], corners[2]]);
            corners.clear();
        } else if !is_frame {
            return Err(Problem::unexpected(&line, expected(within, corners.len())).at(place));
        }
    }
    if within {
        let expected = expected(within, corners.len());
        return Err(Problem::Ends { expected }.at(Place::Line(last)));
    }
    Ok(welder.finish())
}

fn expected(within: bool, corners: usize) -> &'static str {
    match (within, corners) {
        (false, _) => "'facet' or 'endsolid'",
        (true, 3) => "'endfacet'",
        (true, _) => "'vertex' with three numbers",
    }
}
