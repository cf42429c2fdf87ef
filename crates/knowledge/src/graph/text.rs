//! Which texts may be in a knowledge graph.

use serde_json::{Map, Value as Json};

use super::error::KnowledgeError;

/// The most bytes of an id.
pub const LONGEST_ID: usize = 512;
/// The most bytes of a label.
pub const LONGEST_LABEL: usize = 10_000;
/// The most bytes of a type, and of who made something.
pub const LONGEST_NAME: usize = 256;
/// The most bytes of an observation.
pub const LONGEST_OBSERVATION: usize = 64 << 10;
/// The most bytes of the data of a node or an edge, as JSON.
pub const LARGEST_DATA: usize = 1 << 20;
/// How deep the data may be nested.
const DEEPEST_DATA: usize = 64;

/// Whether a character is not seen: a control, or one that joins nothing and only turns or parts texts.
fn is_unseen(c: char) -> bool {
    let parts = ['\u{200b}', '\u{200e}', '\u{200f}', '\u{feff}'];
    c.is_control()
        || parts.contains(&c)
        || ('\u{202a}'..='\u{202e}').contains(&c)
        || ('\u{2060}'..='\u{2069}').contains(&c)
}

/// Refuses a name that is empty, too long, or has characters that are not seen.
pub(super) fn check_name(
    what: &'static str,
    text: &str,
    longest: usize,
) -> Result<(), KnowledgeError> {
    let problem = if text.is_empty() {
        "is empty; give it at least one character".to_owned()
    } else if text.len() > longest {
        format!("has {} bytes; at most {longest} are allowed", text.len())
    } else if let Some(c) = text.chars().find(|&c| is_unseen(c)) {
        format!(
            "has a character that is not seen, U+{:04X}; leave it out",
            u32::from(c)
        )
    } else {
        return Ok(());
    };
    Err(KnowledgeError::InvalidText { what, problem })
}

/// Whether a type may be called so, or who made something.
pub fn is_name(text: &str) -> bool {
    check_name("type", text, LONGEST_NAME).is_ok()
}

/// Refuses a text that is too long or has controls other than new lines and tabs.
pub(super) fn check_text(
    what: &'static str,
    text: &str,
    longest: usize,
) -> Result<(), KnowledgeError> {
    let is_wrong = |c: &char| c.is_control() && !['\n', '\r', '\t'].contains(c);
    let problem = if text.len() > longest {
        format!("has {} bytes; at most {longest} are allowed", text.len())
    } else if let Some(c) = text.chars().find(is_wrong) {
        format!(
            "has the control character U+{:04X}; leave it out",
            u32::from(c)
        )
    } else {
        return Ok(());
    };
    Err(KnowledgeError::InvalidText { what, problem })
}

/// The data as it is kept; `None` if there is none.
pub(super) fn packed(
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
        hint: "keep large things in files and their names here",
    };
    if !data.values().all(|value| is_flat(value, DEEPEST_DATA)) {
        let most = format!("{DEEPEST_DATA} levels");
        return Err(too_large("more levels in each other".to_owned(), most));
    }
    let text = serde_json::to_string(data).expect("JSON can be written");
    if text.len() > LARGEST_DATA {
        return Err(too_large(
            format!("{} bytes", text.len()),
            format!("{LARGEST_DATA} bytes"),
        ));
    }
    Ok(Some(text.into()))
}

/// Whether a value is nested no deeper than this.
fn is_flat(value: &Json, depth: usize) -> bool {
    match value {
        Json::Array(items) => depth > 0 && items.iter().all(|item| is_flat(item, depth - 1)),
        Json::Object(items) => depth > 0 && items.values().all(|item| is_flat(item, depth - 1)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

/// The data that was kept.
pub(super) fn unpacked(data: Option<&str>) -> Map<String, Json> {
    let read = |text| serde_json::from_str(text).expect("it was written from a map");
    data.map(read).unwrap_or_default()
}
