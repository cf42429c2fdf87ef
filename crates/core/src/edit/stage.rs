//! A stage: edits tried one after the other on a copy, to become one edit or none.

use fibula_nodes::FunctionType;

use super::check::{check, one};
use super::{Change, Checked, Edit, EditError, Plan};
use crate::graph::{Document, GraphError, MOST_NODES};

/// The most edits, with what they spell out, that a step and what undoes it are made of.
const MOST_KEPT: usize = 10 * MOST_NODES;

/// Edits tried on a copy of a document; the copy shares what they do not change.
#[derive(Debug)]
pub struct Stage {
    document: Document,
    edits: Vec<Edit>,
    inverses: Vec<Edit>,
    /// How many nodes were added.
    added: usize,
    /// The size of the edits and inverses.
    kept: usize,
}

/// The refusal of one of several edits.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("edit {index} ({summary}): {error}")]
pub struct AtEdit {
    /// The edit's place, counted from 0.
    pub index: usize,
    /// What the edit was to do.
    pub summary: String,
    /// Why it was refused.
    #[source]
    pub error: EditError,
}

impl Stage {
    /// A stage on which nothing was done yet.
    pub fn new(document: &Document) -> Self {
        Stage {
            document: document.clone(),
            edits: Vec::new(),
            inverses: Vec::new(),
            added: 0,
            kept: 0,
        }
    }

    /// The document with the edits so far.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Does one more edit.
    ///
    /// # Errors
    /// The edit's refusal; the stage is then as it was.
    pub fn push(&mut self, edit: &Edit) -> Result<Change, EditError> {
        let checked = check(&self.document, edit)?;
        let (added, kept) = size(checked.edit());
        let added = self.added + added;
        let kept = self.kept + kept + size(checked.inverse()).1;
        let too_large = |what, limit| Err(GraphError::TooLarge { what, limit }.into());
        if added > MOST_NODES {
            return too_large("one step", MOST_NODES);
        }
        if kept > MOST_KEPT {
            return too_large("one step, with the edits that undo it,", MOST_KEPT);
        }
        (self.added, self.kept) = (added, kept);
        Ok(self.keep(checked))
    }

    /// Does the edits of a batch, which may be as many as they are: they were one step before, or undo one.
    ///
    /// Those of batches within it are done one by one too: with a copy of the document for each batch, undoing the
    /// deletion of many nodes would take time in proportion to their square.
    ///
    /// # Errors
    /// The refusal of the first that cannot be; those before it are done.
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

    /// The edits as one, checked.
    pub fn finish(self) -> Checked {
        self.finish_as(Change::default())
    }

    /// The edits as one, checked, which made what one of them made.
    pub fn finish_as(mut self, change: Change) -> Checked {
        self.inverses.reverse();
        Checked {
            edit: one(self.edits),
            inverse: one(self.inverses),
            change,
            plan: Plan::Staged(self.document),
        }
    }
}

/// How large an edit is: the nodes that it adds, and what it holds: itself, with the nodes, settings and ports that it
/// spells out.
fn size(edit: &Edit) -> (usize, usize) {
    match edit {
        Edit::SetFunction(data) => {
            let settings = data.nodes.iter().map(|node| node.parameters.len());
            let nodes = data.nodes.len();
            (nodes, 1 + nodes + settings.sum::<usize>())
        }
        Edit::CreateNode { callee, .. } => {
            let ports = callee.as_ref().map_or(0, ports);
            (1, 1 + ports)
        }
        Edit::SetCallee { callee, .. } => (0, 1 + ports(callee)),
        Edit::Model(edit) => (0, edit.size()),
        Edit::Knowledge(edit) => (0, edit.size()),
        Edit::Batch(edits) => edits
            .iter()
            .map(size)
            .fold((0, 0), |(added, kept), (more, held)| {
                (added + more, kept + held)
            }),
        Edit::DeleteFunction { .. }
        | Edit::RenameFunction { .. }
        | Edit::AddPort { .. }
        | Edit::RemovePort { .. }
        | Edit::RenamePort { .. }
        | Edit::RetypePort { .. }
        | Edit::MovePort { .. }
        | Edit::DeleteNode { .. }
        | Edit::RenameNode { .. }
        | Edit::MoveNode { .. }
        | Edit::CreateLink { .. }
        | Edit::DeleteLink { .. }
        | Edit::SetParameterValue { .. }
        | Edit::SetOverload { .. }
        | Edit::AddImageFunction { .. }
        | Edit::RemoveImageFunction { .. }
        | Edit::AddFile { .. }
        | Edit::RemoveFile { .. } => (0, 1),
    }
}

fn ports(ty: &FunctionType) -> usize {
    ty.inputs.len() + ty.outputs.len()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn batches_count_as_what_is_in_them() {
        let check = |edit: serde_json::Value, expected: (usize, usize)| {
            let edit: Edit = serde_json::from_value(edit).expect("an edit");
            assert_eq!(size(&edit), expected);
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
        let text = "one step has no room for more than 150000 nodes".to_owned();
        assert_eq!(
            refused(&mut stage, &Edit::Batch(vec![node.clone()])),
            Err(text)
        );
        (stage.added, stage.kept) = (0, MOST_KEPT - 1);
        let text =
            "one step, with the edits that undo it, has no room for more than 1500000".to_owned();
        assert_eq!(refused(&mut stage, &node), Err(text));
        stage
            .push_all(&[node])
            .expect("it is a part of what was checked");
    }
}
