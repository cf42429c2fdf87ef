//! Edits of one node that keep its links: insert it into a link, bypass it, replace its kind.
//!
//! They change what a function computes. Where a link or value cannot be kept because of types, it is removed and named in
//! the outcome; a wish that cannot be met at all is an error.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value as Json;

use super::function_editor::{FunctionEditor, NewNode, PortRef};
use super::{RefactorError, RefactorOutcome};
use crate::edit::{EditError, Stage};
use crate::graph::{self, Argument, FunctionId, NodeId, NodeView};

/// Arguments of *insert into link*: a node comes between the two ends of a link.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InsertIntoLink {
    /// The function.
    pub function_id: FunctionId,
    /// The node that is inserted.
    pub node_id: NodeId,
    /// Target of the link.
    pub target_node_id: NodeId,
    /// Parameter of the target.
    pub target_parameter_name: String,
    /// Parameter of the node that the source is linked to; the first that fits if left out, unlinked ones before others.
    pub parameter_name: Option<String>,
    /// Port of the node that is linked to the target; the first that fits if left out.
    pub port_name: Option<String>,
}

/// Arguments of *bypass node*: what is linked to the node's ports is linked to its sources instead.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BypassNode {
    /// The function.
    pub function_id: FunctionId,
    /// The node.
    pub node_id: NodeId,
    /// True if the node stays, with its inputs; false if it is deleted.
    #[serde(default)]
    pub keep: bool,
}

/// Arguments of *replace node*: a node gets another kind, and keeps its id, name, position, and what fits of its links and
/// values.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplaceNode {
    /// The function.
    pub function_id: FunctionId,
    /// The node.
    pub node_id: NodeId,
    /// The new kind.
    pub node_type: String,
}

/// Setting of a parameter.
#[derive(Debug, Clone)]
enum Setting {
    Link(PortRef),
    Value(Json),
}

impl Setting {
    fn of(node: NodeView<'_>, place: usize) -> Option<Setting> {
        match node.argument(place) {
            Argument::Link { node, name, .. } => Some(Setting::Link((node, name.to_owned()))),
            Argument::Value(value) => Some(Setting::Value(value.to_json())),
            Argument::Unset | Argument::Default(_) => None,
        }
    }

    fn apply(
        &self,
        editor: &mut FunctionEditor<'_>,
        node: NodeId,
        parameter: &str,
    ) -> Result<(), EditError> {
        match self {
            Setting::Link(source) => editor.link(source, node, parameter),
            Setting::Value(value) => editor.set_value(node, parameter, value.clone()),
        }
    }

    /// The setting of a parameter in words.
    fn text(&self, node: NodeId, parameter: &str) -> String {
        match self {
            Setting::Link((source, port)) => format!("link {source}.{port} to {node}.{parameter}"),
            Setting::Value(value) => format!("value {value} of {node}.{parameter}"),
        }
    }
}

impl InsertIntoLink {
    /// Links the source to the node and the node to the target.
    pub(super) fn push(&self, stage: &mut Stage) -> Result<RefactorOutcome, RefactorError> {
        let function_id = self.function_id;
        let function = stage.document().function(function_id)?;
        let target = function.node(self.target_node_id)?;
        let key = function.key(self.target_node_id)?;
        let place = function
            .stored(key)
            .find_parameter(&self.target_parameter_name)?;
        let target_parameter = target.signature().parameters[place].name.to_string();
        let Some(Setting::Link(source)) = Setting::of(target, place) else {
            let target = function.stored(key).parameter_end(place).to_string();
            return Err(EditError::NotLinked { target }.into());
        };
        let node = function.node(self.node_id)?;
        let stored = function.stored(function.key(self.node_id)?);
        let parameters: Vec<usize> = if let Some(name) = &self.parameter_name {
            vec![stored.find_parameter(name)?]
        } else {
            let is_linked = |&place: &usize| node.link(place).is_some();
            let (linked, free): (Vec<_>, Vec<_>) =
                (0..node.signature().parameters.len()).partition(is_linked);
            [free, linked].concat()
        };
        let parameters: Vec<(String, Option<Setting>)> = parameters
            .into_iter()
            .map(|place| {
                let name = node.signature().parameters[place].name.to_string();
                (name, Setting::of(node, place))
            })
            .collect();
        let ports: Vec<String> = match &self.port_name {
            Some(name) => vec![
                node.signature().ports[stored.find_port(name)?]
                    .name
                    .to_string(),
            ],
            None => node
                .signature()
                .ports
                .iter()
                .map(|port| port.name.to_string())
                .collect(),
        };
        let label = node.label().to_string();
        let mut editor = FunctionEditor { stage, function_id };
        let mut first = None;
        for (parameter, before) in parameters {
            if let Err(error) = editor.link(&source, self.node_id, &parameter) {
                first.get_or_insert(error);
                continue;
            }
            for port in &ports {
                let port = (self.node_id, port.clone());
                match editor.link(&port, self.target_node_id, &target_parameter) {
                    Ok(()) => {
                        let replaced = before.filter(|before| matches!(before, Setting::Link(_)));
                        let dropped = replaced.map(|before| before.text(self.node_id, &parameter));
                        return Ok(RefactorOutcome {
                            node: Some(self.node_id),
                            nodes: vec![self.node_id],
                            dropped: dropped.into_iter().collect(),
                            ..RefactorOutcome::default()
                        });
                    }
                    Err(error) => {
                        first.get_or_insert(error);
                    }
                }
            }
            editor.unlink(self.node_id, &parameter)?;
            if let Some(before) = before {
                before.apply(&mut editor, self.node_id, &parameter)?;
            }
        }
        Err(RefactorError::NotInsertable {
            node: label,
            source_end: format!("{}.{}", source.0, source.1),
            target_end: format!("{}.{target_parameter}", self.target_node_id),
            error: first.map(Box::new),
        })
    }
}

impl BypassNode {
    /// Links the consumers of each port to the source of the first input of its type, linked ones before values.
    pub(super) fn push(&self, stage: &mut Stage) -> Result<RefactorOutcome, RefactorError> {
        let (function_id, node_id) = (self.function_id, self.node_id);
        let function = stage.document().function(function_id)?;
        function.free_key(node_id, "bypassed")?;
        let node = function.node(node_id)?;
        let places = 0..node.signature().parameters.len();
        let mut inputs: Vec<_> = places
            .filter_map(|place| Some((node.parameter_type(place), Setting::of(node, place)?)))
            .collect();
        inputs.sort_by_key(|(_, setting)| matches!(setting, Setting::Value(_)));
        let mut consumers = Vec::new();
        for (port, target, place) in node.consumers() {
            let name = function.node(target)?.signature().parameters[place]
                .name
                .to_string();
            let ty = node.port_type(port);
            let input = inputs.iter().find(|(own, _)| *own == ty);
            let port = (node_id, node.signature().ports[port].name.to_string());
            consumers.push((
                Setting::Link(port),
                target,
                name,
                input.map(|(_, setting)| setting.clone()),
            ));
        }
        let mut editor = FunctionEditor { stage, function_id };
        let mut dropped = Vec::new();
        for (before, target, parameter, setting) in consumers {
            let is_kept = match setting {
                Some(setting @ Setting::Link(_)) => {
                    setting.apply(&mut editor, target, &parameter).is_ok()
                }
                Some(setting @ Setting::Value(_)) => {
                    editor.unlink(target, &parameter)?;
                    setting.apply(&mut editor, target, &parameter).is_ok()
                }
                None => false,
            };
            if !is_kept {
                dropped.push(before.text(target, &parameter));
                if self.keep && editor.is_linked(target, &parameter)? {
                    editor.unlink(target, &parameter)?;
                }
            }
        }
        if !self.keep {
            editor.delete(node_id)?;
        }
        Ok(RefactorOutcome {
            node: self.keep.then_some(node_id),
            nodes: vec![node_id],
            dropped,
            ..RefactorOutcome::default()
        })
    }
}

impl ReplaceNode {
    /// Deletes the node and creates one of the other kind in its place. Settings go to the parameters with their names,
    /// others to the remaining parameters in order; consumers to the port with the name of theirs, others to the first.
    pub(super) fn push(&self, stage: &mut Stage) -> Result<RefactorOutcome, RefactorError> {
        let (function_id, node_id) = (self.function_id, self.node_id);
        let function = stage.document().function(function_id)?;
        function.free_key(node_id, "replaced")?;
        let kind = graph::node_type(&self.node_type)?.name.to_owned();
        let node = function.node(node_id)?;
        // The reference comes first, since it decides which other parameters there are.
        let mut places: Vec<usize> = (0..node.signature().parameters.len()).collect();
        places.sort_by_key(|&place| node.signature().parameters[place].refers.is_none());
        let settings: Vec<(String, Setting)> = places
            .into_iter()
            .filter_map(|place| {
                let name = node.signature().parameters[place].name.to_string();
                Some((name, Setting::of(node, place)?))
            })
            .collect();
        let mut consumers = Vec::new();
        for (port, target, place) in node.consumers() {
            let parameter = function.node(target)?.signature().parameters[place]
                .name
                .to_string();
            consumers.push((
                node.signature().ports[port].name.to_string(),
                target,
                parameter,
            ));
        }
        let new = NewNode {
            id: Some(node_id),
            kind,
            name: node.display_name().map(str::to_owned),
            position: node.position(),
            callee: None,
        };
        let mut editor = FunctionEditor { stage, function_id };
        editor.delete(node_id)?;
        editor.create(new)?;
        let is_same = |one: &str, other: &str| one.eq_ignore_ascii_case(other);
        let mut rest = Vec::new();
        let mut used = Vec::new();
        for (name, setting) in settings {
            let mut all = editor.parameters(node_id)?.into_iter();
            let own = all.find(|own| is_same(own, &name));
            match own {
                Some(own) if setting.apply(&mut editor, node_id, &own).is_ok() => used.push(own),
                Some(_) | None => rest.push((name, setting)),
            }
        }
        let mut dropped = Vec::new();
        for (name, setting) in rest {
            let all = editor.parameters(node_id)?.into_iter();
            let mut free = all.filter(|own| !used.contains(own));
            match free.find(|own| setting.apply(&mut editor, node_id, own).is_ok()) {
                Some(own) => used.push(own),
                None => dropped.push(setting.text(node_id, &name)),
            }
        }
        let ports = editor.ports(node_id)?;
        for (port, target, parameter) in consumers {
            let mut all: Vec<&String> = ports.iter().collect();
            all.sort_by_key(|own| !is_same(own, &port));
            let mut all = all.into_iter();
            let is_kept = all.any(|own| {
                editor
                    .link(&(node_id, own.clone()), target, &parameter)
                    .is_ok()
            });
            if !is_kept {
                dropped.push(Setting::Link((node_id, port)).text(target, &parameter));
            }
        }
        Ok(RefactorOutcome {
            node: Some(node_id),
            nodes: vec![node_id],
            dropped,
            ..RefactorOutcome::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{NodeBudget, Refactoring};
    use super::*;
    use crate::eval::Tape;
    use crate::expression;
    use crate::graph::Document;

    /// The document after an edit, and its outcome.
    fn apply(
        document: &Document,
        edit: Json,
    ) -> Result<(Document, RefactorOutcome), RefactorError> {
        let refactoring: Refactoring = serde_json::from_value(edit).unwrap();
        let mut stage = Stage::new(document);
        let outcome = refactoring.push(&mut stage, &mut NodeBudget::default())?;
        let checked = stage.finish();
        let inverse = checked.inverse().clone();
        let mut after = document.clone();
        checked.apply(&mut after);
        let mut undone = after.clone();
        crate::edit::check(&undone.clone(), &inverse)
            .unwrap()
            .apply(&mut undone);
        assert_eq!(undone.hash(), document.hash(), "the inverse leads back");
        Ok((after, outcome))
    }

    fn part(expression: &str) -> (Document, FunctionId) {
        let mut document = Document::default();
        let id = expression::add_function(&mut document, "Part", expression).unwrap();
        (document, id)
    }

    fn node(document: &Document, function: FunctionId, kind: &str) -> NodeId {
        let function = document.function(function).unwrap();
        let mut nodes = function.nodes();
        nodes
            .find(|node| node.kind().info().name == kind)
            .expect(kind)
            .id()
    }

    fn at(document: &Document, function: FunctionId) -> f64 {
        Tape::new(document, function).unwrap().at([3.0, 0.0, 4.0])[0]
    }

    #[test]
    fn a_node_is_inserted_into_a_link() {
        let (document, id) = part("length(pos) - 7");
        let mut stage = Stage::new(&document);
        let mut editor = FunctionEditor {
            stage: &mut stage,
            function_id: id,
        };
        let created = editor
            .create(NewNode {
                kind: "Abs".to_owned(),
                ..NewNode::default()
            })
            .unwrap();
        let document = stage.document().clone();
        let insert = |node: NodeId, target: u32, parameter: &str| {
            json!({ "insert_into_link": {
            "function_id": id, "node_id": node, "target_node_id": target,
            "target_parameter_name": parameter } })
        };
        let (after, outcome) = apply(&document, insert(created, 0, "shape")).unwrap();
        assert_eq!((at(&after, id), outcome.node), (2.0, Some(created)));
        assert!(outcome.dropped.is_empty());
        let minus = node(&document, id, "Subtraction").0;
        let refused = |edit| apply(&document, edit).unwrap_err();
        assert_eq!(
            refused(insert(NodeId(minus), minus, "A")).code(),
            "cannot_insert"
        );
        let (unlinked, _) = apply(
            &document,
            json!({ "bypass_node": { "function_id": id, "node_id": minus } }),
        )
        .unwrap();
        let length = node(&unlinked, id, "Length");
        assert_eq!(at(&unlinked, id).to_bits(), 5.0_f64.to_bits());
        let error = apply(&unlinked, insert(length, created.0, "A")).unwrap_err();
        assert_eq!(error.code(), "not_linked");
    }

    #[test]
    fn a_bypassed_node_passes_its_first_input_on() {
        let (document, id) = part("abs(length(pos) - 7)");
        let abs = node(&document, id, "Abs");
        let bypass = |node: NodeId, keep: bool| {
            json!({ "bypass_node": {
            "function_id": id, "node_id": node, "keep": keep } })
        };
        let (after, outcome) = apply(&document, bypass(abs, false)).unwrap();
        assert_eq!((at(&after, id), outcome.node), (-2.0, None));
        assert!(after.function(id).unwrap().node(abs).is_err());
        let (muted, outcome) = apply(&document, bypass(abs, true)).unwrap();
        assert_eq!((at(&muted, id), outcome.node), (-2.0, Some(abs)));
        assert!(
            muted
                .function(id)
                .unwrap()
                .node(abs)
                .unwrap()
                .link(0)
                .is_some()
        );
        // No input of Length has the type of its port.
        let length = node(&document, id, "Length");
        let (after, outcome) = apply(&document, bypass(length, true)).unwrap();
        let minus = node(&document, id, "Subtraction");
        assert_eq!(
            outcome.dropped,
            [format!("link {length}.result to {minus}.A")]
        );
        assert!(
            after
                .function(id)
                .unwrap()
                .node(minus)
                .unwrap()
                .link(0)
                .is_none()
        );
        assert_eq!(
            apply(&document, bypass(NodeId::END, false))
                .unwrap_err()
                .code(),
            "protected_node"
        );
    }

    #[test]
    fn a_replaced_node_keeps_what_fits() {
        let (document, id) = part("length(pos) - 7");
        let minus = node(&document, id, "Subtraction");
        let replace = |node: NodeId, kind: &str| {
            json!({ "replace_node": {
            "function_id": id, "node_id": node, "node_type": kind } })
        };
        let (after, outcome) = apply(&document, replace(minus, "Max")).unwrap();
        assert_eq!((at(&after, id), outcome.node), (7.0, Some(minus)));
        assert!(outcome.dropped.is_empty(), "{:?}", outcome.dropped);
        let (after, outcome) = apply(&document, replace(minus, "Abs")).unwrap();
        assert_eq!(at(&after, id).to_bits(), 5.0_f64.to_bits());
        assert_eq!(outcome.dropped.len(), 1, "{:?}", outcome.dropped);
        let length = node(&document, id, "Length");
        let (_, outcome) = apply(&document, replace(length, "CrossProduct")).unwrap();
        assert_eq!(
            outcome.dropped,
            [format!("link {length}.result to {minus}.A")]
        );
        for (node, kind, code) in [
            (minus, "None", "unknown_node_type"),
            (minus, "Begin", "protected_node"),
            (NodeId::END, "Abs", "protected_node"),
            (NodeId(99), "Abs", "unknown_node"),
        ] {
            assert_eq!(
                apply(&document, replace(node, kind)).unwrap_err().code(),
                code
            );
        }
    }
}
