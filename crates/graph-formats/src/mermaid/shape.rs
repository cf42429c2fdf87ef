//! Shapes of nodes with their texts, and properties (`a@{ shape: cyl, label: "text" }`).

use serde_json::{Map, Value as Json};

use super::cursor::{Cursor, RawText};
use super::text::plain;
use crate::error::{FormatError, brief};

/// Default shape, which is not stored.
pub(super) const PLAIN: &str = "rect";
/// Shape of functions.
pub(super) const FUNCTION: &str = "stadium";

/// Opening bracket of shapes, and possible closing brackets with the names of the shapes in properties. Longer opening brackets
/// come first.
type Brackets = (&'static str, &'static [(&'static str, &'static str)]);
const BRACKETS: [Brackets; 13] = [
    ("(((", &[(")))", "dbl-circ")]),
    ("((", &[("))", "circle")]),
    ("([", &[("])", FUNCTION)]),
    ("(-", &[("-)", "ellipse"), (")", "rounded")]),
    ("(", &[(")", "rounded")]),
    ("[[", &[("]]", "fr-rect")]),
    ("[(", &[(")]", "cyl")]),
    ("[/", &[("/]", "lean-r"), ("\\]", "trap-b"), ("]", PLAIN)]),
    ("[\\", &[("\\]", "lean-l"), ("/]", "trap-t"), ("]", PLAIN)]),
    ("[", &[("]", PLAIN)]),
    ("{{", &[("}}", "hex")]),
    ("{", &[("}", "diam")]),
    (">", &[("]", "odd")]),
];

/// Parses brackets with a text, if they are next: the name of the shape, and the text.
pub(super) fn brackets<'a>(
    cursor: &mut Cursor<'a>,
) -> Result<Option<(&'static str, RawText<'a>)>, FormatError> {
    let begin = cursor.at();
    // Mermaid itself allows no blanks here, but many people write them.
    cursor.take_while(|c| c == ' ');
    let is_apart = cursor.at() > begin;
    let found = BRACKETS.iter().find(|(open, _)| {
        let is_next = cursor.rest().starts_with(open);
        is_next && !(is_apart && *open == ">")
    });
    let Some((open, ends)) = found else {
        cursor.go(begin);
        return Ok(None);
    };
    cursor.take(open.len());
    let inside = cursor.at();
    let closing: Vec<&str> = ends.iter().map(|(close, _)| *close).collect();
    let (mut text, end) = cursor.text_until(open, &closing)?;
    let (close, shape) = ends[end];
    // A text may begin with the second character of a bracket, as in `[/tmp]`.
    if ends.len() > 1 && end + 1 == ends.len() && !text.is_quoted {
        let whole = cursor.since(inside - 1);
        text.text = whole[..whole.len() - close.len()].trim();
    }
    Ok(Some((shape, text)))
}

/// Properties of a node.
#[derive(Debug, Default)]
pub(super) struct Properties {
    /// Values, with their references resolved.
    pub(super) values: Map<String, Json>,
    /// True if a value has HTML elements, which were removed.
    pub(super) have_html: bool,
}

/// Parses properties, after `@{`.
pub(super) fn properties(cursor: &mut Cursor<'_>) -> Result<Properties, FormatError> {
    let mut properties = Properties::default();
    loop {
        cursor.take_while(|c| c.is_whitespace() || c == ',');
        if cursor.eat("}") {
            return Ok(properties);
        }
        let key = match cursor.peek() {
            Some('"') => cursor.quoted()?,
            _ => cursor.take_while(|c| c.is_alphanumeric() || c == '_' || c == '-'),
        };
        if key.is_empty() {
            return Err(cursor.expected("the name of a property or '}'"));
        }
        cursor.take_while(|c| c == ' ');
        if !cursor.eat(":") {
            let after = format!("':' after the property '{}'", brief(key));
            return Err(cursor.expected(&after));
        }
        cursor.take_while(|c| c == ' ');
        let raw = match cursor.peek() {
            Some('"') => RawText {
                text: cursor.quoted()?,
                is_quoted: true,
            },
            _ => RawText {
                text: cursor.take_while(|c| !",}\n".contains(c)).trim(),
                is_quoted: false,
            },
        };
        let alone = raw.text.strip_prefix('\'');
        let text = alone.and_then(|text| text.strip_suffix('\''));
        let text = text.filter(|_| !raw.is_quoted).unwrap_or(raw.text);
        let value = plain(RawText { text, ..raw });
        properties.have_html |= value.has_html;
        let value = Json::from(value.text);
        properties.values.insert(key.to_owned(), value);
    }
}
