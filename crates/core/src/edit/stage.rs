//! A stage: edits applied in turn to a copy of a document, which become one edit or are dropped.

use super::{Change, Checked, Edit, EditError, Plan, check, single_edit};
use crate::graph::{Document, GraphError, MOST_NODES};

/// Maximum size of a batch and its inverse: edits, with the nodes, settings and ports that they list.
const MAX_SIZE: usize = 10 * MOST_NODES;

/// Edits applied to a copy-on-write copy of a document.
#[derive(Debug)]
pub struct Stage {
    document: Document,
    edits: Vec<Edit>,
    inverses: Vec<Edit>,
    /// Number of added nodes.
    added: usize,
    /// Size of the edits and inverses.
    kept: usize,
}

/// The refusal of one of several edits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("edit {index} ({summary}): {error}")]
pub struct StageError {
    /// Index of the edit, from 0.
    pub index: usize,
    /// Summary of the edit.
    pub summary: String,
    /// Reason of the refusal.
    #[source]
    pub error: EditError,
}

impl Stage {
    /// Creates a stage without edits.
    pub fn new(document: &Document) -> Self {
        Stage {
            document: document.clone(),
            edits: Vec::new(),
            inverses: Vec::new(),
            added: 0,
            kept: 0,
        }
    }

    /// The document after the edits so far.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Applies an edit.
    ///
    /// # Errors
    /// The edit's refusal; the stage is then as it was.
    pub fn push(&mut self, edit: &Edit) -> Result<Change, EditError> {
        let checked = check(&self.document, edit)?;
        let edit = checked.edit().group();
        let added = self.added + edit.added_nodes();
        let kept = self.kept + edit.size() + checked.inverse().group().size();
        let too_large = |what, limit, of| Err(GraphError::TooLarge { what, limit, of }.into());
        if added > MOST_NODES {
            return too_large("one step", MOST_NODES, "nodes");
        }
        if kept > MAX_SIZE {
            return too_large(
                "one step, with the edits that undo it,",
                MAX_SIZE,
                "parts of edits",
            );
        }
        (self.added, self.kept) = (added, kept);
        Ok(self.keep(checked))
    }

    /// Applies the edits of a batch without limits: they were one step before, or undo one.
    ///
    /// Batches within the batch share the stage: a copy of the document for each would make undoing the deletion of
    /// many nodes quadratic in their number.
    ///
    /// # Errors
    /// The refusal of the first impossible edit; those before it are applied.
    pub(super) fn push_all(&mut self, edits: &[Edit]) -> Result<(), EditError> {
        for edit in edits {
            if let Edit::Batch(edits) = edit {
                self.push_all(edits)?;
            } else {
                let checked = check(&self.document, edit)?;
                self.keep(checked);
            }
        }
        Ok(())
    }

    fn keep(&mut self, checked: Checked) -> Change {
        self.edits.push(checked.edit().clone());
        self.inverses.push(checked.inverse().clone());
        checked.apply(&mut self.document)
    }

    /// Returns the edits as one.
    pub fn finish(self) -> Checked {
        self.finish_as(Change::default())
    }

    /// Returns the edits as one, with the effects of one of them.
    pub fn finish_as(mut self, change: Change) -> Checked {
        self.inverses.reverse();
        Checked {
            edit: single_edit(self.edits),
            inverse: single_edit(self.inverses),
            change,
            plan: Plan::Staged(self.document),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn batches_count_as_what_is_in_them() {
        let check = |edit: serde_json::Value, expected: (usize, usize)| {
            let edit: Edit = serde_json::from_value(edit).expect("an edit");
            let group = edit.group();
            assert_eq!((group.added_nodes(), group.size()), expected);
        };
        let node = json!({ "create_node": { "function_id": 1, "node_type": "Sine" } });
        let call = json!({ "create_node": { "function_id": 1, "node_type": "FunctionCall",
            "callee": { "inputs": [{ "name": "a", "type": "float" }], "outputs": [] } } });
        let function = json!({ "set_function": { "name": "F", "nodes": [
            { "node_type": "Addition", "parameters": { "A": { "value": 1 }, "B": { "value": 2 } } }] } });
        check(node.clone(), (1, 1));
        check(function.clone(), (1, 4));
        let inner = json!({ "batch": [node, call] });
        check(json!({ "batch": [inner, inner, function] }), (5, 10));
    }

    #[test]
    fn a_step_is_bounded_and_its_undoing_is_not_refused() {
        let mut document = Document::default();
        let function = json!({ "set_function": { "function_id": 1, "name": "F" } });
        let function: Edit = serde_json::from_value(function).expect("an edit");
        function.apply(&mut document).expect("a function");
        let mut stage = Stage::new(&document);
        let node = json!({ "create_node": { "function_id": 1, "node_type": "Sine" } });
        let node: Edit = serde_json::from_value(node).expect("an edit");
        stage.added = MOST_NODES - 2;
        stage
            .push(&Edit::Batch(vec![node.clone(), node.clone()]))
            .expect("there is room");
        let refused =
            |stage: &mut Stage, edit: &Edit| stage.push(edit).map_err(|error| error.to_string());
        let text = "one step is limited to 150000 nodes".to_owned();
        assert_eq!(
            refused(&mut stage, &Edit::Batch(vec![node.clone()])),
            Err(text)
        );
        (stage.added, stage.kept) = (0, MAX_SIZE - 1);
        let text = "one step, with the edits that undo it, is limited to 1500000 parts of edits"
            .to_owned();
        assert_eq!(refused(&mut stage, &node), Err(text));
        stage
            .push_all(&[node])
            .expect("it is a part of what was checked");
    }
}
