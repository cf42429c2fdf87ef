//! Edits of the parameters of nodes: links and values.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::check::Step;
use super::footprint::{Footprint, ProjectItem};
use super::group::EditGroup;
use super::stage::Stage;
use super::{Change, Checked, Edit, EditError, LinkData, NodeEdit, Plan, single_edit};
use crate::graph::{
    self, Document, Function, FunctionId, InputPlan, NodeId, NodeKey, Setting, form, input_setting,
};

/// Edits of a parameter of a node: its link or its value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum LinkEdit {
    /// Links a port to a parameter.
    #[serde(rename = "create_link")]
    Create {
        /// The function.
        function_id: FunctionId,
        /// The node with the port.
        source_node_id: NodeId,
        /// The port.
        source_port_name: String,
        /// The node with the parameter.
        target_node_id: NodeId,
        /// The parameter.
        target_parameter_name: String,
        /// True replaces the link that the parameter has.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        replace: bool,
        /// True inserts a node that converts the type, if one is needed.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        insert_conversion: bool,
    },
    /// Removes the link to a parameter.
    #[serde(rename = "delete_link")]
    Delete {
        /// The function.
        function_id: FunctionId,
        /// The node with the parameter.
        target_node_id: NodeId,
        /// The parameter.
        target_parameter_name: String,
    },
    /// Sets the value of an unlinked parameter; null clears it.
    #[serde(rename = "set_parameter_value")]
    SetValue {
        /// The function.
        function_id: FunctionId,
        /// The node.
        node_id: NodeId,
        /// The parameter.
        parameter_name: String,
        /// The value, in the JSON form of its type.
        #[schemars(with = "form::ValueOrNull")]
        value: Json,
    },
}

impl EditGroup for LinkEdit {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        let function = document.function(self.function())?;
        match self {
            LinkEdit::Create {
                source_node_id,
                source_port_name,
                target_node_id,
                target_parameter_name,
                replace,
                insert_conversion,
                ..
            } => create(
                document,
                function,
                &LinkData {
                    source_node_id: *source_node_id,
                    source_port_name: source_port_name.clone(),
                    target_node_id: *target_node_id,
                    target_parameter_name: target_parameter_name.clone(),
                },
                *replace,
                *insert_conversion,
            ),
            LinkEdit::Delete {
                target_node_id,
                target_parameter_name,
                ..
            } => delete(function, *target_node_id, target_parameter_name),
            LinkEdit::SetValue {
                node_id,
                parameter_name,
                value,
                ..
            } => set_value(document, function, *node_id, parameter_name, value),
        }
    }

    fn summary(&self) -> String {
        let function = self.function();
        match self {
            LinkEdit::Create {
                source_node_id,
                source_port_name,
                target_node_id,
                target_parameter_name,
                ..
            } => format!(
                "link {source_node_id}.{source_port_name} to {target_node_id}.{target_parameter_name} \
                 in function {function}"
            ),
            LinkEdit::Delete {
                target_node_id,
                target_parameter_name,
                ..
            } => format!("unlink {target_node_id}.{target_parameter_name} in function {function}"),
            LinkEdit::SetValue {
                node_id,
                parameter_name,
                value,
                ..
            } => format!(
                "set {node_id}.{parameter_name} to {} in function {function}",
                truncated(value)
            ),
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        let function = self.function();
        let (node, parameter) = match self {
            LinkEdit::Create {
                source_node_id,
                target_node_id,
                target_parameter_name,
                ..
            } => {
                footprint.require(ProjectItem::Node(function, *source_node_id));
                (target_node_id, target_parameter_name)
            }
            LinkEdit::Delete {
                target_node_id,
                target_parameter_name,
                ..
            } => (target_node_id, target_parameter_name),
            LinkEdit::SetValue {
                node_id,
                parameter_name,
                ..
            } => (node_id, parameter_name),
        };
        footprint.write(ProjectItem::Parameter(
            function,
            *node,
            parameter.to_lowercase(),
        ));
    }

    fn function_id(&self) -> Option<FunctionId> {
        Some(self.function())
    }
}

impl LinkEdit {
    fn function(&self) -> FunctionId {
        match self {
            LinkEdit::Create { function_id, .. }
            | LinkEdit::Delete { function_id, .. }
            | LinkEdit::SetValue { function_id, .. } => *function_id,
        }
    }
}

/// Returns the start of a value's JSON.
fn truncated(value: &Json) -> String {
    const LONGEST: usize = 60;
    let mut text = value.to_string();
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn create(
    document: &Document,
    function: &Function,
    link: &LinkData,
    replace: bool,
    insert_conversion: bool,
) -> Result<Checked, EditError> {
    let function_id = function.id();
    let source = function.key(link.source_node_id)?;
    let target = function.key(link.target_node_id)?;
    let port = function.stored(source).find_port(&link.source_port_name)?;
    let parameter = function
        .stored(target)
        .find_parameter(&link.target_parameter_name)?;
    let plan = match document.plan_link(function, (source, port), (target, parameter), replace) {
        Ok(plan) => plan,
        Err(error) => {
            return match error.conversion().filter(|_| insert_conversion) {
                Some(conversion) => convert(document, function_id, link, replace, conversion),
                None => Err(error.into()),
            };
        }
    };
    let before = input_setting(function, target, parameter);
    let name = parameter_name_of(function, target, parameter);
    let facts = LinkEdit::Create {
        function_id,
        source_node_id: link.source_node_id,
        source_port_name: function.stored(source).signature.ports[port]
            .name
            .to_string(),
        target_node_id: link.target_node_id,
        target_parameter_name: name.clone(),
        replace,
        insert_conversion: false,
    };
    let unlink = Edit::Link(LinkEdit::Delete {
        function_id,
        target_node_id: link.target_node_id,
        target_parameter_name: name.clone(),
    });
    let mut deleted_links = Vec::new();
    let inverse = match before {
        None => unlink,
        Some(Setting::Value(value)) => Edit::Batch(vec![
            unlink,
            Edit::Link(LinkEdit::SetValue {
                function_id,
                node_id: link.target_node_id,
                parameter_name: name,
                value,
            }),
        ]),
        Some(Setting::Source(_)) => {
            let link = link_to(function, target, parameter).expect("the parameter is linked");
            let inverse = relink(function_id, &link);
            deleted_links.push(link);
            inverse
        }
    };
    let inverse = with_choices(function, target, &plan, inverse);
    let plan = Plan::Steps(function_id, vec![Step::Input(Box::new(plan))]);
    Ok(Checked::new(facts, inverse, plan).with_change(Change {
        deleted_links,
        ..Change::default()
    }))
}

/// Links by way of a node of the kind `conversion`, or refuses it if other obstacles than the types remain.
fn convert(
    document: &Document,
    function_id: FunctionId,
    link: &LinkData,
    replace: bool,
    conversion: &str,
) -> Result<Checked, EditError> {
    let kind = graph::node_type(conversion)?;
    let mut stage = Stage::new(document);
    let created = stage.push(&Edit::Node(NodeEdit::Create {
        function_id,
        node_type: kind.name.to_owned(),
        node_id: None,
        display_name: None,
        position: None,
        callee: None,
    }))?;
    let conversion = created.node_id.expect("a node was created");
    let via = |from: NodeId, port: &str, to: NodeId, parameter: &str| {
        Edit::Link(LinkEdit::Create {
            function_id,
            source_node_id: from,
            source_port_name: port.to_owned(),
            target_node_id: to,
            target_parameter_name: parameter.to_owned(),
            replace,
            insert_conversion: false,
        })
    };
    for parameter in &kind.signature.parameters {
        let (from, port) = (link.source_node_id, &link.source_port_name);
        stage.push(&via(from, port, conversion, &parameter.name))?;
    }
    let port = &kind.signature.ports[0].name;
    let (to, parameter) = (link.target_node_id, &link.target_parameter_name);
    let last = stage.push(&via(conversion, port, to, parameter))?;
    Ok(stage.finish().with_change(Change {
        conversion: Some(conversion),
        deleted_links: last.deleted_links,
        ..Change::default()
    }))
}

fn delete(function: &Function, target: NodeId, parameter_name: &str) -> Result<Checked, EditError> {
    let key = function.key(target)?;
    let parameter = function.stored(key).find_parameter(parameter_name)?;
    let Some(link) = link_to(function, key, parameter) else {
        let target = function.stored(key).parameter_end(parameter).to_string();
        return Err(EditError::NotLinked { target });
    };
    let facts = LinkEdit::Delete {
        function_id: function.id(),
        target_node_id: link.target_node_id,
        target_parameter_name: link.target_parameter_name.clone(),
    };
    let inverse = relink(function.id(), &link);
    let plan = Plan::Steps(function.id(), vec![Step::Clear(key, parameter)]);
    Ok(Checked::new(facts, inverse, plan).with_change(Change {
        deleted_links: vec![link],
        ..Change::default()
    }))
}

fn set_value(
    document: &Document,
    function: &Function,
    node_id: NodeId,
    parameter_name: &str,
    value: &Json,
) -> Result<Checked, EditError> {
    let key = function.key(node_id)?;
    let parameter = function.stored(key).find_parameter(parameter_name)?;
    let plan = document.plan_value(function, key, parameter, value)?;
    let set = |value: Json| {
        Edit::Link(LinkEdit::SetValue {
            function_id: function.id(),
            node_id,
            parameter_name: parameter_name_of(function, key, parameter),
            value,
        })
    };
    let facts = set(plan
        .value()
        .map_or(Json::Null, fibula_nodes::Value::to_json));
    let before = set(match input_setting(function, key, parameter) {
        Some(Setting::Value(value)) => value,
        Some(Setting::Source(_)) | None => Json::Null,
    });
    let inverse = with_choices(function, key, &plan, before);
    let plan = Plan::Steps(function.id(), vec![Step::Input(Box::new(plan))]);
    Ok(Checked::new(facts, inverse, plan))
}

pub(super) fn parameter_name_of(function: &Function, key: NodeKey, parameter: usize) -> String {
    function.stored(key).signature.parameters[parameter]
        .name
        .to_string()
}

/// Returns the link to a parameter.
pub(super) fn link_to(function: &Function, node: NodeKey, parameter: usize) -> Option<LinkData> {
    match input_setting(function, node, parameter)? {
        Setting::Value(_) => None,
        Setting::Source(source) => Some(LinkData {
            source_node_id: source.node_id,
            source_port_name: source.port,
            target_node_id: function.stored(node).id,
            target_parameter_name: parameter_name_of(function, node, parameter),
        }),
    }
}

pub(super) fn relink(function_id: FunctionId, link: &LinkData) -> Edit {
    Edit::Link(LinkEdit::Create {
        function_id,
        source_node_id: link.source_node_id,
        source_port_name: link.source_port_name.clone(),
        target_node_id: link.target_node_id,
        target_parameter_name: link.target_parameter_name.clone(),
        replace: true,
        insert_conversion: false,
    })
}

/// Returns the edit that chooses the overload that a node has now.
pub(super) fn current_overload(function: &Function, key: NodeKey) -> Edit {
    let stored = function.stored(key);
    Edit::Node(NodeEdit::SetOverload {
        function_id: function.id(),
        node_id: stored.id,
        overload: stored.rule,
    })
}

/// True if a node keeps an overload that overload resolution would not choose for its inputs.
pub(super) fn keeps_overload(function: &Function, key: NodeKey) -> bool {
    let stored = function.stored(key);
    function.resolved(stored) != Some(stored.rule)
}

/// Extends the inverse of a plan by what links and values alone do not restore: overloads, and the callee type that a
/// node had while no reference named a function.
fn with_choices(function: &Function, key: NodeKey, plan: &InputPlan, inverse: Edit) -> Edit {
    let mut edits = vec![inverse];
    for node in plan
        .rekinded()
        .filter(|&node| function.callee(node).is_none())
    {
        let stored = function.stored(node);
        edits.push(Edit::Node(NodeEdit::SetCallee {
            function_id: function.id(),
            node_id: stored.id,
            callee: function.unnamed_callee(stored).unwrap_or_default(),
        }));
    }
    let retyped = plan
        .retyped()
        .map(|(node, _)| node)
        .filter(|&node| node != key);
    for node in std::iter::once(key).chain(retyped) {
        if keeps_overload(function, node) {
            edits.push(current_overload(function, node));
        }
    }
    single_edit(edits)
}
