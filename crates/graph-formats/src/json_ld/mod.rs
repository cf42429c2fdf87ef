//! JSON-LD 1.1 (<https://www.w3.org/TR/json-ld11/>).
//!
//! Lists of elements in the vocabulary of Discourse Graphs (`NodeSchema`, `RelationDef`, `RelationInstance`) are read as
//! what they mean, in [`flat`]; graphs are written in the same way. Everything else is read as linked data by way of RDF, in
//! [`general`].
//!
//! Contexts are looked at first. None is fetched: that of discoursegraphs.com is known here, and a file with another remote
//! one is refused.

mod context;
mod flat;
pub(super) mod general;
mod relations;
mod text;
mod write;

use serde_json::Value as Json;

use super::builder::GraphBuilder;
use super::error::FormatError;
use context::Context;
pub(super) use write::write;

/// The most values in a file, as it is read into a tree.
const MAX_VALUES: usize = 20_000_000;

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    if values(text) > MAX_VALUES {
        return Err(FormatError::TooLarge {
            what: "values",
            most: MAX_VALUES,
        });
    }
    let mut document: Json =
        serde_json::from_str(text).map_err(|error| FormatError::json(&error, None))?;
    to.step(text.len() / 2)?;
    if let Json::Object(graph) = &mut document
        && let Some(Json::Array(_)) = graph.get("@graph")
    {
        if let Some(context) = graph.get_mut("@context") {
            context::inline(context)?;
        }
        let context = Context::of(graph.get("@context"))?;
        if flat::is_flat(graph, &context) {
            return flat::read(std::mem::take(graph), &context, to);
        }
    }
    context::inline_all(&mut document)?;
    general::read(document, to)
}

/// How many values a text of JSON has, but for empty lists and objects, which count twice.
fn values(text: &str) -> usize {
    let (mut count, mut is_quoted, mut is_escaped) = (0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_quoted,
            b'"' => is_quoted = !is_quoted,
            b',' | b'[' | b'{' if !is_quoted => count += 1,
            _ => {}
        }
    }
    count
}
