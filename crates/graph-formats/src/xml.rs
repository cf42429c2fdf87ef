//! XML reader and escapes for `GraphML` and GEXF: elements with attributes, and texts.
//!
//! Entities are not expanded, and declarations of them are rejected. Characters that XML does not have are written as
//! `_x0001_` in texts and attributes, as in ECMA-376 (part 1, 22.9.2.19); in a text that looks like such an escape the first
//! underscore is written as `_x005F_`.

use std::borrow::Cow;
use std::fmt::Write as _;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::error::{FileLocation, FormatError, brief};
use super::{MAX_DEPTH, lines};

/// Maximum number of attributes of an element.
const MAX_ATTRIBUTES: usize = 1000;

/// Name of an element, without a prefix, and its attributes.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    attributes: Vec<(String, String)>,
}

/// An item of a file.
#[derive(Debug)]
pub(super) enum Item {
    Open(Element),
    /// End of the innermost open element.
    Close,
    /// A piece of text.
    Text(String),
    End,
}

/// Pull parser of elements and texts.
pub(super) struct Xml<'a> {
    text: &'a str,
    reader: Reader<&'a [u8]>,
    depth: usize,
    /// Number of bytes that were reported as read.
    reported: usize,
    line: u64,
}

impl Element {
    /// Removes an attribute, and returns its value.
    pub(super) fn take(&mut self, name: &str) -> Option<String> {
        let at = self.attributes.iter().position(|(own, _)| own == name)?;
        Some(self.attributes.swap_remove(at).1)
    }

    /// Remaining attributes.
    pub(super) fn rest(self) -> Vec<(String, String)> {
        self.attributes
    }
}

impl<'a> Xml<'a> {
    pub(super) fn new(text: &'a str) -> Xml<'a> {
        let mut reader = Reader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().enable_all_checks(true);
        Xml {
            text,
            reader,
            depth: 0,
            reported: 0,
            line: 1,
        }
    }

    /// Current line.
    pub(super) fn location(&self) -> FileLocation {
        FileLocation::Line(self.line)
    }

    fn event(&mut self) -> Result<Event<'a>, FormatError> {
        let before = self.reader.buffer_position() as usize;
        let event = self.reader.read_event();
        let after = (self.reader.buffer_position() as usize).max(before);
        self.line += lines(&self.text.as_bytes()[before..after]);
        event.map_err(|error| self.wrong(format!("invalid XML: {error}")))
    }

    /// Number of bytes read since the last call.
    pub(super) fn progress(&mut self) -> usize {
        let read = self.reader.buffer_position() as usize;
        read - std::mem::replace(&mut self.reported, read)
    }

    /// Error for the current line.
    pub(super) fn wrong(&self, problem: impl Into<String>) -> FormatError {
        FormatError::invalid(self.location(), problem)
    }

    /// Reads the next item.
    pub(super) fn next(&mut self) -> Result<Item, FormatError> {
        loop {
            return Ok(match self.event()? {
                Event::Start(start) | Event::Empty(start) => {
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return Err(FormatError::too_large("nested elements", MAX_DEPTH));
                    }
                    Item::Open(self.element(&start)?)
                }
                Event::End(_) => {
                    self.depth -= 1;
                    Item::Close
                }
                Event::Text(text) => Item::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Item::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(reference) => {
                    let character = reference.resolve_char_ref();
                    let named = quick_xml::escape::resolve_predefined_entity(&reference);
                    match (character, named) {
                        (Ok(Some(character)), _) => Item::Text(character.into()),
                        (Ok(None), Some(text)) => Item::Text(text.to_owned()),
                        (Ok(None), None) | (Err(_), _) => {
                            let name = brief(&reference);
                            return Err(self.wrong(format!(
                                "'&{name};' is not a character reference; entities are not expanded, so write the text \
                                 itself"
                            )));
                        }
                    }
                }
                Event::DocType(declared) if declared.contains("<!ENTITY") => {
                    return Err(
                        self.wrong("entity declarations are not supported; write the text itself")
                    );
                }
                Event::DocType(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::Eof if self.depth > 0 => {
                    return Err(self.wrong("the file ends within an element; it is truncated"));
                }
                Event::Eof => Item::End,
            });
        }
    }

    fn element(&self, start: &BytesStart<'_>) -> Result<Element, FormatError> {
        let mut attributes = Vec::new();
        for attribute in start.attributes() {
            // Checks for duplicates take quadratic time.
            if attributes.len() >= MAX_ATTRIBUTES {
                return Err(FormatError::too_large(
                    "attributes in an element",
                    MAX_ATTRIBUTES,
                ));
            }
            let attribute =
                attribute.map_err(|error| self.wrong(format!("invalid XML: {error}")))?;
            let value = attribute
                .normalized_value(XmlVersion::Explicit1_0)
                .map_err(|error| self.wrong(format!("invalid XML: {error}")))?;
            let name = attribute.key.local_name().as_ref().to_owned();
            attributes.push((name, unescaped(&value)));
        }
        Ok(Element {
            name: start.local_name().as_ref().to_owned(),
            attributes,
        })
    }
}

/// True if XML has this character.
fn is_character(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r') || (c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'))
}

/// Decodes an escape such as `_x0001_` at the start of a text.
fn decode(text: &str) -> Option<char> {
    const LENGTH: usize = "_x0000_".len();
    let code = text.get(..LENGTH)?.strip_prefix("_x")?.strip_suffix('_')?;
    let is_code = code.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(code, 16)
        .ok()
        .filter(|_| is_code)
        .and_then(char::from_u32)
}

/// Escapes a text for use between tags and between the double quotes of an attribute.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    // U+FFFE and U+FFFF begin with 0xEF.
    let is_plain = |byte: u8| byte >= b' ' && byte != 0xef && !b"&<>\"_".contains(&byte);
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML normalises these to other white space.
            '\t' => escaped.push_str("&#9;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '_' if decode(&text[at..]).is_some() => escaped.push_str("_x005F_"),
            c if is_character(c) => escaped.push(c),
            c => {
                let _ = write!(escaped, "_x{:04X}_", u32::from(c));
            }
        }
    }
    Cow::Owned(escaped)
}

/// Reverts [`escaped`], after XML has resolved its own references.
pub(super) fn unescaped(text: &str) -> String {
    let mut unescaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        unescaped.push_str(&rest[..at]);
        rest = &rest[at..];
        match decode(rest) {
            // Only escapes that `escaped` writes; other programs' files may have similar texts.
            Some(c) if c == '_' || !is_character(c) => {
                unescaped.push(c);
                rest = &rest["_x0000_".len()..];
            }
            Some(_) | None => {
                unescaped.push('_');
                rest = &rest[1..];
            }
        }
    }
    unescaped + rest
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(file: &str) -> Result<Vec<Item>, FormatError> {
        let mut xml = Xml::new(file);
        let mut items = Vec::new();
        loop {
            match xml.next()? {
                Item::End => return Ok(items),
                item => items.push(item),
            }
        }
    }

    proptest! {
        #[test]
        fn escapes_are_lossless(
            parts in prop::collection::vec(prop_oneof![any::<String>(), "_x[0-9A-F]{4}_", "[\\x00-\\x1f_x0-9]{0,8}"], 0..4)
        ) {
            let text = parts.concat();
            let file = format!("<a b=\"{0}\">{0}</a>", escaped(&text));
            let mut content = String::new();
            let mut attribute = None;
            for item in read(&file).unwrap() {
                match item {
                    Item::Open(mut element) => attribute = element.take("b"),
                    Item::Text(piece) => content.push_str(&piece),
                    Item::Close | Item::End => {}
                }
            }
            prop_assert_eq!(attribute, Some(text.clone()));
            prop_assert_eq!(unescaped(&content), text);
        }
    }

    #[test]
    fn nothing_is_expanded() {
        for (file, problem) in [
            (
                "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
                "entity declarations are not supported",
            ),
            ("<a>&b;</a>", "'&b;' is not a character"),
            ("<a b=\"&c;\"/>", "invalid XML"),
            ("<a><b></a>", "invalid XML"),
            ("<a>\n<b>", "truncated"),
        ] {
            let error = read(file).unwrap_err();
            assert_eq!(error.code(), "invalid_content");
            assert!(error.to_string().contains(problem), "{file}: {error}");
        }
        let mut many = String::new();
        for at in 0..=MAX_ATTRIBUTES {
            let _ = write!(many, " a{at}=\"\"");
        }
        let error = read(&format!("<a{many}/>")).unwrap_err();
        assert_eq!(error.code(), "too_large");
        let deep = "<a>".repeat(MAX_DEPTH + 1);
        assert_eq!(read(&deep).unwrap_err().code(), "too_large");
    }

    #[test]
    fn similar_texts_are_kept() {
        assert_eq!(unescaped("a_x0041_b"), "a_x0041_b");
        assert_eq!(unescaped("_x0001__x005F_x0041_"), "\u{1}_x0041_");
    }
}
