//! Detection of files in the vocabulary of Discourse Graphs.

use serde_json::{Map, Value as Json};

use super::context::Context;
use super::flat::is_own;
use crate::discourse::{page_id, split_title};

/// Vocabularies by which such files are detected: that of declarations, and that of all.
const VOCABULARY: &str = "discoursegraphs.com/schema/dg_base";
const DISCOURSE: &str = "discoursegraphs.com";
/// Prefix of the vocabulary.
const PREFIX: &str = "dg";
/// Fields with titles, in files without declarations.
const TITLES: [&str; 4] = ["title", "dc:title", "dct:title", "dcterms:title"];
/// True if a graph is such a list.
pub(super) fn is_flat(graph: &Map<String, Json>, context: &Context) -> bool {
    let elements = graph.get("@graph").and_then(Json::as_array);
    let is_known = |element: &Json| {
        types(element).any(|ty| {
            context
                .expand(ty)
                .is_some_and(|iri| iri.contains(VOCABULARY))
        })
    };
    // Pages without declarations.
    let is_page = |element: &Json| {
        let text = |name: &str| element.get(name).and_then(Json::as_str);
        let title = TITLES.iter().find_map(|name| text(name));
        let id = text("@id").unwrap_or_default();
        page_id(id).is_some() || title.is_some_and(|title| split_title(title).0.is_some())
    };
    let has_pages = |elements: &Vec<Json>| {
        let is_discourse = context.expand(PREFIX).is_some() || context.mentions(DISCOURSE);
        is_discourse && elements.iter().any(is_page)
    };
    let is_flat = |elements: &Vec<Json>| elements.iter().any(is_known) || has_pages(elements);
    is_own(context) || elements.is_some_and(is_flat)
}

/// Types of an element.
fn types(element: &Json) -> impl Iterator<Item = &str> {
    let types = element.get("@type").into_iter();
    let types = types.flat_map(|ty| match ty {
        Json::Array(types) => types.iter().collect(),
        one => vec![one],
    });
    types.filter_map(Json::as_str)
}
