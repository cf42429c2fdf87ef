//! Rules for texts and data in a knowledge graph.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

use super::error::KnowledgeError;

/// Maximum number of bytes of an id.
pub const MAX_ID_BYTES: usize = 512;
/// Maximum number of bytes of a label.
pub const MAX_LABEL_BYTES: usize = 10_000;
/// Maximum number of bytes of a type, and of who made something.
pub const MAX_NAME_BYTES: usize = 256;
/// Maximum number of bytes of an observation.
pub const MAX_OBSERVATION_BYTES: usize = 64 << 10;
/// Maximum number of bytes of the data of a node or an edge, as JSON.
pub const MAX_DATA_BYTES: usize = 1 << 20;
/// Maximum depth of nesting of data.
const MAX_DATA_DEPTH: usize = 64;

/// True for control and invisible formatting characters.
fn is_invisible(c: char) -> bool {
    let parts = ['\u{200b}', '\u{200e}', '\u{200f}', '\u{feff}'];
    c.is_control()
        || parts.contains(&c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{2069}').contains(&c)
}

/// Checks that a name is not empty, not too long, and without invisible characters.
pub(super) fn check_name(
    what: &'static str,
    text: &str,
    longest: usize,
) -> Result<(), KnowledgeError> {
    let problem = if text.is_empty() {
        "is empty; give it at least one character".to_owned()
    } else if text.len() > longest {
        format!("has {} bytes; at most {longest} are allowed", text.len())
    } else if let Some(c) = text.chars().find(|&c| is_invisible(c)) {
        let code = u32::from(c);
        format!("contains the invisible character U+{code:04X}; remove it")
    } else {
        return Ok(());
    };
    Err(KnowledgeError::InvalidText { what, problem })
}

/// True if a text is valid as type or creator.
pub fn is_name(text: &str) -> bool {
    check_name("type", text, MAX_NAME_BYTES).is_ok()
}

/// The id of something with a name: the name, with visible characters only, and if it is too long or has other invisible
/// ones than control characters its beginning and its hash. Different names have different ids; that of an empty one is empty.
pub fn id_of_name(name: &str) -> Cow<'_, str> {
    const HASH_DIGITS: usize = 16;
    let id = visible_name(name);
    let is_clear = *id == *name || !id.contains(char::REPLACEMENT_CHARACTER);
    if id.len() <= MAX_ID_BYTES && is_clear {
        return id;
    }
    let hash = blake3::hash(name.as_bytes()).to_hex();
    let mut ends = (0..=id.len().min(MAX_ID_BYTES - HASH_DIGITS - 1)).rev();
    let end = ends.find(|end| id.is_char_boundary(*end));
    let begin = &id[..end.unwrap_or(0)];
    Cow::Owned(format!("{begin}~{}", &hash[..HASH_DIGITS]))
}

/// A text without the characters that ids, types and creators may not have: each is replaced by its symbol ("␊"), or by
/// U+FFFD.
pub fn visible_name(text: &str) -> Cow<'_, str> {
    replace(text, is_invisible)
}

/// A text without the control characters that labels and observations may not have: each is replaced by its symbol
/// ("␇"), or by U+FFFD.
pub fn visible_text(text: &str) -> Cow<'_, str> {
    replace(text, is_forbidden_in_texts)
}

fn replace(text: &str, is_wrong: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(is_wrong) {
        return Cow::Borrowed(text);
    }
    let symbol = |c: char| match c {
        _ if !is_wrong(c) => c,
        '\0'..=' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\u{7f}' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(symbol).collect()
}

/// True for control characters but line breaks and tabs.
fn is_forbidden_in_texts(c: char) -> bool {
    c.is_control() && !['\n', '\r', '\t'].contains(&c)
}

/// Checks that a text is not too long, and has no control characters but line breaks and tabs.
pub(super) fn check_text(
    what: &'static str,
    text: &str,
    longest: usize,
) -> Result<(), KnowledgeError> {
    let problem = if text.len() > longest {
        format!("has {} bytes; at most {longest} are allowed", text.len())
    } else if let Some(c) = text.chars().find(|&c| is_forbidden_in_texts(c)) {
        let code = u32::from(c);
        format!("contains the control character U+{code:04X}; remove it")
    } else {
        return Ok(());
    };
    Err(KnowledgeError::InvalidText { what, problem })
}

/// Serialises data; `None` if it is empty.
pub(super) fn pack_data(
    what: &'static str,
    data: &Map<String, Json>,
) -> Result<Option<Box<str>>, KnowledgeError> {
    if data.is_empty() {
        return Ok(None);
    }
    let too_large = |size: String, most: String| KnowledgeError::TooLarge {
        what,
        size,
        most,
        hint: "store large values in files, and their names here",
    };
    let mut values = data.values();
    if !values.all(|value| is_nested_at_most(value, MAX_DATA_DEPTH)) {
        let most = format!("{MAX_DATA_DEPTH} levels");
        return Err(too_large("too many nested levels".to_owned(), most));
    }
    let text = serde_json::to_string(data).expect("serializing JSON to memory cannot fail");
    if text.len() > MAX_DATA_BYTES {
        let size = format!("{} bytes", text.len());
        return Err(too_large(size, format!("{MAX_DATA_BYTES} bytes")));
    }
    Ok(Some(text.into()))
}

/// True if a value is nested at most `depth` levels deep.
fn is_nested_at_most(value: &Json, depth: usize) -> bool {
    let fits = |item: &Json| is_nested_at_most(item, depth - 1);
    match value {
        Json::Array(items) => depth > 0 && items.iter().all(fits),
        Json::Object(items) => depth > 0 && items.values().all(fits),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

pub(super) fn unpack_data(data: Option<&str>) -> Map<String, Json> {
    let read = |text| serde_json::from_str(text).expect("it was written from a map");
    data.map(read).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forbidden_characters_are_replaced_by_visible_ones() {
        assert_eq!(
            visible_text("a\n\u{7}\u{7f}\u{85}\u{200b}b"),
            "a\n␇␡\u{fffd}\u{200b}b"
        );
        assert_eq!(visible_name("a\nb\u{200b}"), "a␊b\u{fffd}");
        for c in (0..=0x2100).filter_map(char::from_u32) {
            let text = format!("a{c}b");
            assert!(check_text("text", &visible_text(&text), 9).is_ok(), "{c:?}");
            assert!(check_name("id", &id_of_name(&text), 30).is_ok(), "{c:?}");
            let is_id = check_name("id", &text, 9).is_ok();
            assert_eq!(id_of_name(&text) == text, is_id, "{c:?}");
        }
        let [one, two] = ["x", "y"].map(|end| format!("{}{end}", "é".repeat(300)));
        for name in [&one, &two] {
            assert!(check_name("id", &id_of_name(name), MAX_ID_BYTES).is_ok());
        }
        assert_ne!(id_of_name(&one), id_of_name(&two));
        assert_ne!(id_of_name("a\u{200b}"), id_of_name("a\u{feff}"));
    }
}
