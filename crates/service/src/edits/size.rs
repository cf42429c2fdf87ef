//! Estimated size of a batch of edits, which determines whether checking it is fast.

use fibula_core::graph;
use serde_json::Value as Json;

use crate::edits::edit_request::is_refactoring;
use crate::functions::definitions::QUICK_EXPRESSION;
use crate::functions::library;

/// Number of edits, and of nodes in them, that are checked within a few milliseconds.
const QUICK: usize = 2_000;

/// Returns true if checking the edits takes a few milliseconds at most.
pub(crate) fn is_quick(edits: &[Json]) -> bool {
    if edits.len() > QUICK {
        return false;
    }
    let mut size = Size::default();
    for edit in edits {
        size.add(edit);
    }
    edits.len() + size.nodes <= QUICK && size.expressions <= QUICK_EXPRESSION
}

/// Size of an edit: nodes, and bytes of expressions.
#[derive(Debug, Default)]
struct Size {
    nodes: usize,
    expressions: usize,
}

impl Size {
    fn add(&mut self, edit: &Json) {
        for (name, member) in edit.as_object().into_iter().flatten() {
            match member {
                Json::Array(list)
                    if matches!(name.as_str(), "nodes" | "vertices" | "triangles") =>
                {
                    self.nodes += list.len();
                }
                Json::Object(_)
                    if matches!(
                        name.as_str(),
                        "remove_unused_resources" | "create_level_set" | "modify_level_set"
                    ) =>
                {
                    self.nodes += graph::MOST_NODES;
                }
                Json::String(text) if name == "expression" => self.expressions += text.len(),
                Json::Object(_) if name == "insert_function" => self.nodes += library::MOST_NODES,
                Json::String(text) if text == "insert_function" => {
                    self.nodes += library::MOST_NODES;
                }
                // It may move as many nodes as its function has.
                Json::Object(_) if is_refactoring(name) => {
                    self.nodes += graph::MOST_NODES;
                }
                Json::String(text) if is_refactoring(text) => {
                    self.nodes += graph::MOST_NODES;
                }
                other => self.add(other),
            }
        }
    }
}
