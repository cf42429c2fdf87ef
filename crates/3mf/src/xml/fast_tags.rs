//! Fast path for long lists of plain tags, such as `<vertex x="1" y="2" z="3"/>`.
//!
//! A tag is plain if it has known attributes only, each once, and nothing inside. All others are left to the XML reader, so
//! both always agree.

use std::io::Read;

use super::{XmlReader, xml_problem};
use crate::error::{Problem, ReadError};

/// Maximum length of a plain tag; a longer one is left to the XML reader.
const LONGEST: usize = 4 << 10;

/// Result of scanning for a tag.
enum Scan<'b, const N: usize> {
    /// A plain tag: its attribute values, and its length in bytes.
    Plain([Option<&'b str>; N], usize),
    /// Something else, for the XML reader.
    Other,
    /// The buffer ends inside of the tag.
    Incomplete,
}

/// Reads consecutive plain tags of this name (with its prefix in the file), as long as `accept` returns `true` for their
/// attribute values.
///
/// # Errors
/// When the part cannot be read, or `accept` fails; the line is that of the tag.
pub(crate) fn read_tags<R: Read, const N: usize>(
    xml: &mut XmlReader<R>,
    tag: &str,
    names: [&str; N],
    mut accept: impl FnMut([Option<&str>; N]) -> Result<bool, Problem>,
) -> Result<(), ReadError> {
    loop {
        let meter = xml.meter();
        let space = count_spaces(meter.buffered());
        meter.skip(space);
        match scan_tag(meter.buffered(), tag.as_bytes(), names) {
            Scan::Plain(values, length) => match accept(values) {
                Ok(true) => meter.skip(length),
                Ok(false) => return Ok(()),
                Err(problem) => return Err(xml.error_ahead(problem)),
            },
            Scan::Other => return Ok(()),
            Scan::Incomplete => {
                if meter.buffered().len() > LONGEST {
                    return Ok(());
                }
                let more = meter.fill_more();
                let more = more.map_err(|error| xml.error_ahead(xml_problem(&error.into())))?;
                if !more {
                    return Ok(());
                }
            }
        }
    }
}

fn count_spaces(bytes: &[u8]) -> usize {
    let space = |byte: &&u8| is_space(**byte);
    bytes.iter().take_while(space).count()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Scans the tag at the start of the bytes.
fn scan_tag<'b, const N: usize>(bytes: &'b [u8], tag: &[u8], names: [&str; N]) -> Scan<'b, N> {
    let mut at = 1 + tag.len();
    let Some(head) = bytes.get(..at) else {
        return if bytes.is_empty() || bytes[0] == b'<' {
            Scan::Incomplete
        } else {
            Scan::Other
        };
    };
    if head[0] != b'<' || head[1..] != *tag {
        return Scan::Other;
    }
    let mut values = [None; N];
    loop {
        let space = count_spaces(&bytes[at..]);
        at += space;
        match bytes.get(at..at + 2) {
            None => return Scan::Incomplete,
            Some(b"/>") => return Scan::Plain(values, at + 2),
            Some([b'>', _]) => return scan_end_tag(bytes, at, tag, values),
            // Attributes are preceded by white space.
            Some(_) if space == 0 => return Scan::Other,
            Some(_) => {}
        }
        let rest = &bytes[at..];
        let Some(equals) = rest.iter().position(|&byte| byte == b'=') else {
            return Scan::Incomplete;
        };
        let name = &rest[..equals];
        let Some(index) = names.iter().position(|one| one.as_bytes() == name) else {
            return Scan::Other;
        };
        let quote = match rest.get(equals + 1) {
            None => return Scan::Incomplete,
            Some(&quote @ (b'"' | b'\'')) => quote,
            Some(_) => return Scan::Other,
        };
        let value = &rest[equals + 2..];
        let Some(length) = value.iter().position(|&byte| byte == quote) else {
            return Scan::Incomplete;
        };
        let value = &value[..length];
        let plain = |&byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'&' | b'<');
        let text = std::str::from_utf8(value).ok();
        let text = text.filter(|_| value.iter().all(plain) && values[index].is_none());
        let Some(text) = text else {
            return Scan::Other;
        };
        values[index] = Some(text);
        at += equals + 2 + length + 1;
    }
}

/// Scans the end tag of an empty element: `></vertex>`.
fn scan_end_tag<'b, const N: usize>(
    bytes: &'b [u8],
    at: usize,
    tag: &[u8],
    values: [Option<&'b str>; N],
) -> Scan<'b, N> {
    let length = 4 + tag.len();
    let Some(end) = bytes.get(at..at + length) else {
        return Scan::Incomplete;
    };
    let inner = &end[3..length - 1];
    if end.starts_with(b"></") && inner == tag && end[length - 1] == b'>' {
        return Scan::Plain(values, at + length);
    }
    Scan::Other
}
