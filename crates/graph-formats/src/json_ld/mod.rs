//! JSON-LD 1.1 (<https://www.w3.org/TR/json-ld11/>).
//!
//! [`detect`] tells the two forms apart. [`flat`] reads lists of elements in the vocabulary of Discourse Graphs
//! (`NodeSchema`, `RelationDef`, `RelationInstance`); graphs are written in the same form. [`general`] reads all other files as linked data, by way of RDF.
//!
//! Contexts are checked first, and none is fetched: that of discoursegraphs.com is built in, and a file with another remote
//! one is rejected.

mod context;
mod flat;
pub(super) mod general;
mod relations;
mod text;
mod write;

mod detect;

use serde_json::Value as Json;

use super::builder::GraphBuilder;
use super::error::FormatError;
use context::Context;
pub(super) use write::write;

/// Maximum number of values in a file, which becomes a tree in memory.
const MAX_VALUES: usize = 20_000_000;

/// Reads a file.
pub(super) fn read(text: &str, to: &mut GraphBuilder<'_>) -> Result<(), FormatError> {
    if count_values(text) > MAX_VALUES {
        return Err(FormatError::too_large("values", MAX_VALUES));
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
        let context = Context::new(graph.get("@context"))?;
        if detect::is_flat(graph, &context) {
            return flat::read(std::mem::take(graph), &context, to);
        }
    }
    context::inline_all(&mut document)?;
    general::read(document, to)
}

/// Counts the values of a text of JSON; empty lists and objects count twice.
fn count_values(text: &str) -> usize {
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
