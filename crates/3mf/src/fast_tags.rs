//! Fast path for long lists of plain tags, such as `<vertex x="1" y="2" z="3"/>`.
//!
//! A tag is plain if it has known attributes only, each once, and nothing inside. Whatever is not is left to the XML
//! reader, so nothing is read here that it would read otherwise.

use std::io::Read;

use super::error::{Problem, ReadError};
use super::xml::{Xml, problem};

/// The longest plain tag: a longer one is left to the XML reader.
const LONGEST: usize = 4 << 10;

/// What comes next.
enum Next<'b, const N: usize> {
    /// A plain tag: what its attributes say, and how many bytes it takes.
    Plain([Option<&'b str>; N], usize),
    /// Something else.
    Other,
    /// More is needed to say.
    Unknown,
}

/// Takes plain tags of this name, with the prefix that it has in the file, as long as they follow one another and
/// `take` takes what their attributes say.
///
/// # Errors
/// When the part cannot be read, or `take` says so; the line is that of the tag.
pub(super) fn tags<R: Read, const N: usize>(
    xml: &mut Xml<R>,
    tag: &str,
    names: [&str; N],
    mut take: impl FnMut([Option<&str>; N]) -> Result<bool, Problem>,
) -> Result<(), ReadError> {
    loop {
        let meter = xml.meter();
        let space = spaces(meter.ahead());
        meter.pass(space);
        match next(meter.ahead(), tag.as_bytes(), names) {
            Next::Plain(values, length) => match take(values) {
                Ok(true) => meter.pass(length),
                Ok(false) => return Ok(()),
                Err(problem) => return Err(xml.error_ahead(problem)),
            },
            Next::Other => return Ok(()),
            Next::Unknown => {
                if meter.ahead().len() > LONGEST {
                    return Ok(());
                }
                let more = meter.look_further();
                let more = more.map_err(|error| xml.error_ahead(problem(&error.into())))?;
                if !more {
                    return Ok(());
                }
            }
        }
    }
}

fn spaces(bytes: &[u8]) -> usize {
    let space = |byte: &&u8| is_space(**byte);
    bytes.iter().take_while(space).count()
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// What the bytes begin with.
fn next<'b, const N: usize>(bytes: &'b [u8], tag: &[u8], names: [&str; N]) -> Next<'b, N> {
    let mut at = 1 + tag.len();
    let Some(head) = bytes.get(..at) else {
        return if bytes.is_empty() || bytes[0] == b'<' {
            Next::Unknown
        } else {
            Next::Other
        };
    };
    if head[0] != b'<' || head[1..] != *tag {
        return Next::Other;
    }
    let mut values = [None; N];
    loop {
        let space = spaces(&bytes[at..]);
        at += space;
        match bytes.get(at..at + 2) {
            None => return Next::Unknown,
            Some(b"/>") => return Next::Plain(values, at + 2),
            Some([b'>', _]) => return closed(bytes, at, tag, values),
            // Attributes have a space before them.
            Some(_) if space == 0 => return Next::Other,
            Some(_) => {}
        }
        let rest = &bytes[at..];
        let Some(equals) = rest.iter().position(|&byte| byte == b'=') else {
            return Next::Unknown;
        };
        let name = &rest[..equals];
        let Some(index) = names.iter().position(|one| one.as_bytes() == name) else {
            return Next::Other;
        };
        let quote = match rest.get(equals + 1) {
            None => return Next::Unknown,
            Some(&quote @ (b'"' | b'\'')) => quote,
            Some(_) => return Next::Other,
        };
        let value = &rest[equals + 2..];
        let Some(length) = value.iter().position(|&byte| byte == quote) else {
            return Next::Unknown;
        };
        let value = &value[..length];
        let plain = |&byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'&' | b'<');
        let text = std::str::from_utf8(value).ok();
        let text = text.filter(|_| value.iter().all(plain) && values[index].is_none());
        let Some(text) = text else {
            return Next::Other;
        };
        values[index] = Some(text);
        at += equals + 2 + length + 1;
    }
}

/// A tag that is closed by one of its own: `></vertex>`.
fn closed<'b, const N: usize>(
    bytes: &'b [u8],
    at: usize,
    tag: &[u8],
    values: [Option<&'b str>; N],
) -> Next<'b, N> {
    let length = 4 + tag.len();
    let Some(end) = bytes.get(at..at + length) else {
        return Next::Unknown;
    };
    let inner = &end[3..length - 1];
    if end.starts_with(b"></") && inner == tag && end[length - 1] == b'>' {
        return Next::Plain(values, at + length);
    }
    Next::Other
}
