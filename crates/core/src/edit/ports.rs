//! Edits of the inputs and outputs of a function. Its `Begin`, its `End`, every call of it and every field that refers to
//! an output follow.

use fibula_nodes::boundary::{Begin, End};
use fibula_nodes::{FunctionType, InputDetails, Node, PortSpec, Type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::callers::{check_port_unused, follow_callers, port_named};
use super::footprint::{Footprint, ProjectItem};
use super::group::EditGroup;
use super::port_details::{DetailsChange, FieldChange, addition, present};
use super::{Checked, Edit, EditError, LinkEdit, NodeEdit, Plan, single_edit};
use crate::graph::{
    self, Document, Function, FunctionId, GraphError, NodeId, NodeKey, NodeLabel, Side, form,
    shortened,
};

/// Edits of the inputs and outputs of a function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub enum PortEdit {
    /// Adds an input or output to a function.
    #[serde(rename = "add_port")]
    Add {
        /// The function.
        function_id: FunctionId,
        /// Input or output.
        side: Side,
        /// The name.
        name: String,
        /// The type.
        #[serde(rename = "type")]
        #[schemars(with = "form::Type")]
        ty: Type,
        /// Index among the inputs or outputs; the last if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        index: Option<usize>,
        /// Id of the `Begin` node that is created with the first input; the next unused one if absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        begin_id: Option<NodeId>,
        /// Value of the input where it has no argument.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<form::Value>")]
        default: Option<Json>,
        /// Unit of the input, such as mm: a label that converts nothing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
        /// Smallest value of each number of the input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        /// Largest value of each number of the input.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
    /// Removes an input or output that is not in use.
    #[serde(rename = "remove_port")]
    Remove {
        /// The function.
        function_id: FunctionId,
        /// Input or output.
        side: Side,
        /// The name.
        name: String,
    },
    /// Renames an input or output; calls follow.
    #[serde(rename = "rename_port")]
    Rename {
        /// The function.
        function_id: FunctionId,
        /// Input or output.
        side: Side,
        /// The current name.
        name: String,
        /// The new name.
        new_name: String,
    },
    /// Changes the type of an input or output, or the default, unit and limits of an input. Every link must allow the type
    /// and every literal the limits, also at calls. What is absent stays, and null removes; another type removes default
    /// and limits.
    #[serde(rename = "retype_port")]
    Retype {
        /// The function.
        function_id: FunctionId,
        /// Input or output.
        side: Side,
        /// The name.
        name: String,
        /// The new type; the present one if absent.
        #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<form::Type>")]
        ty: Option<Type>,
        /// Value of the input where it has no argument.
        #[serde(
            default,
            deserialize_with = "present",
            skip_serializing_if = "Option::is_none"
        )]
        #[schemars(with = "form::ValueOrNull")]
        default: FieldChange<Json>,
        /// Unit of the input.
        #[serde(
            default,
            deserialize_with = "present",
            skip_serializing_if = "Option::is_none"
        )]
        #[schemars(with = "Option<String>")]
        unit: FieldChange<String>,
        /// Smallest value of each number of the input.
        #[serde(
            default,
            deserialize_with = "present",
            skip_serializing_if = "Option::is_none"
        )]
        #[schemars(with = "Option<f64>")]
        min: FieldChange<f64>,
        /// Largest value of each number of the input.
        #[serde(
            default,
            deserialize_with = "present",
            skip_serializing_if = "Option::is_none"
        )]
        #[schemars(with = "Option<f64>")]
        max: FieldChange<f64>,
    },
    /// Moves an input or output to another index; links stay.
    #[serde(rename = "move_port")]
    Move {
        /// The function.
        function_id: FunctionId,
        /// Input or output.
        side: Side,
        /// The name.
        name: String,
        /// The new index, from 0.
        index: usize,
    },
}

impl EditGroup for PortEdit {
    fn check(&self, document: &Document) -> Result<Checked, EditError> {
        let edited = EditedFunction {
            document,
            function: document.function(self.function())?,
        };
        match self {
            PortEdit::Add {
                side,
                name,
                ty,
                index,
                begin_id,
                default,
                unit,
                min,
                max,
                ..
            } => {
                let change = DetailsChange {
                    default: Some(default.clone()),
                    unit: Some(unit.clone()),
                    min: Some(*min),
                    max: Some(*max),
                };
                let details = change.apply(name, *ty, InputDetails::default())?;
                let port = PortSpec::new(name, *ty).with_details(details);
                edited.add(*side, port, *index, *begin_id)
            }
            PortEdit::Remove { side, name, .. } => edited.remove(*side, name),
            PortEdit::Rename {
                side,
                name,
                new_name,
                ..
            } => edited.rename(*side, name, new_name),
            PortEdit::Retype {
                side,
                name,
                ty,
                default,
                unit,
                min,
                max,
                ..
            } => {
                let change = DetailsChange {
                    default: default.clone(),
                    unit: unit.clone(),
                    min: *min,
                    max: *max,
                };
                edited.retype(*side, name, *ty, &change)
            }
            PortEdit::Move {
                side, name, index, ..
            } => edited.reorder(*side, name, *index),
        }
    }

    fn summary(&self) -> String {
        let function = self.function();
        match self {
            PortEdit::Add { side, name, ty, .. } => {
                format!("add {ty} {} '{name}' to function {function}", side.name())
            }
            PortEdit::Remove { side, name, .. } => {
                format!("remove {} '{name}' of function {function}", side.name())
            }
            PortEdit::Rename {
                side,
                name,
                new_name,
                ..
            } => format!(
                "rename {} '{name}' of function {function} to '{new_name}'",
                side.name()
            ),
            PortEdit::Retype {
                side,
                name,
                ty: Some(ty),
                ..
            } => format!(
                "make {} '{name}' of function {function} a {ty}",
                side.name()
            ),
            PortEdit::Retype {
                side,
                name,
                ty: None,
                ..
            } => format!(
                "change the details of {} '{name}' of function {function}",
                side.name()
            ),
            PortEdit::Move {
                side, name, index, ..
            } => format!(
                "move {} '{name}' of function {function} to index {index}",
                side.name()
            ),
        }
    }

    fn add_to(&self, footprint: &mut Footprint) {
        footprint.write(ProjectItem::Ports(self.function()));
    }

    fn function_id(&self) -> Option<FunctionId> {
        Some(self.function())
    }
}

impl PortEdit {
    fn function(&self) -> FunctionId {
        match self {
            PortEdit::Add { function_id, .. }
            | PortEdit::Remove { function_id, .. }
            | PortEdit::Rename { function_id, .. }
            | PortEdit::Retype { function_id, .. }
            | PortEdit::Move { function_id, .. } => *function_id,
        }
    }
}

/// The function whose inputs or outputs are edited.
struct EditedFunction<'a> {
    document: &'a Document,
    function: &'a Function,
}

impl EditedFunction<'_> {
    fn add(
        &self,
        side: Side,
        port: PortSpec,
        index: Option<usize>,
        begin_id: Option<NodeId>,
    ) -> Result<Checked, EditError> {
        let function_id = self.function.id();
        let mut ty = self.function.ty();
        let ports = side_of(&mut ty, side);
        let index = port_index(self.function, side, index, ports.len())?;
        ports.insert(index, port.clone());
        let begin_id = match (side, self.function.begin()) {
            (Side::Input, None) => Some(free_id(self.function, begin_id)?),
            (Side::Input, Some(_)) | (Side::Output, _) => None,
        };
        let document = self.with_ports(&ty, side, begin_id, None)?;
        let inverse = Edit::Port(PortEdit::Remove {
            function_id,
            side,
            name: port.name.clone(),
        });
        let facts = addition(function_id, side, port, index, begin_id);
        Ok(staged(facts, inverse, document))
    }

    fn remove(&self, side: Side, name: &str) -> Result<Checked, EditError> {
        let function_id = self.function.id();
        let index = find_port(self.function, side, name)?;
        let mut ty = self.function.ty();
        let port = side_of(&mut ty, side).remove(index);
        let name = port.name.clone();
        check_port_unused(self.document, self.function, side, &name)?;
        let last = side == Side::Input && ty.inputs.is_empty();
        let begin_id = self.function.begin().filter(|_| last);
        let mut undo = vec![addition(function_id, side, port, index, begin_id)];
        if let (true, Some(key)) = (last, self.function.begin_key()) {
            undo.extend(restore_name_and_position(self.function, key));
        }
        let document = self.with_ports(&ty, side, None, None)?;
        Ok(staged(
            Edit::Port(PortEdit::Remove {
                function_id,
                side,
                name,
            }),
            single_edit(undo),
            document,
        ))
    }

    fn rename(&self, side: Side, name: &str, new_name: &str) -> Result<Checked, EditError> {
        let function_id = self.function.id();
        let index = find_port(self.function, side, name)?;
        let mut ty = self.function.ty();
        let port = &mut side_of(&mut ty, side)[index];
        let old = std::mem::replace(&mut port.name, new_name.to_owned());
        let document = self.with_ports(&ty, side, None, Some((&old, new_name)))?;
        let rename = |name: &str, new_name: &str| {
            Edit::Port(PortEdit::Rename {
                function_id,
                side,
                name: name.to_owned(),
                new_name: new_name.to_owned(),
            })
        };
        let mut undo = vec![rename(new_name, &old)];
        undo.extend(self.gradient_names(side, new_name)?);
        Ok(staged(rename(&old, new_name), single_edit(undo), document))
    }

    /// Returns the edits that restore `name` where gradients name it now.
    fn gradient_names(&self, side: Side, name: &str) -> Result<Vec<Edit>, EditError> {
        let mut edits = Vec::new();
        for caller in self.document.callers(self.function.id()) {
            let caller = self.document.function(caller)?;
            for key in caller.followers_of(self.function.id().into()) {
                let stored = caller.stored(key);
                if let Some((place, named)) = port_named(stored, side)
                    && named == name
                {
                    edits.push(Edit::Link(LinkEdit::SetValue {
                        function_id: caller.id(),
                        node_id: stored.id,
                        parameter_name: stored.signature.parameters[place].name.to_string(),
                        value: name.into(),
                    }));
                }
            }
        }
        Ok(edits)
    }

    fn retype(
        &self,
        side: Side,
        name: &str,
        new: Option<Type>,
        change: &DetailsChange,
    ) -> Result<Checked, EditError> {
        let function_id = self.function.id();
        let index = find_port(self.function, side, name)?;
        let mut ty = self.function.ty();
        let port = &mut side_of(&mut ty, side)[index];
        let old = port.clone();
        let new = new.unwrap_or(old.ty);
        let kept = old.details.as_deref().cloned().unwrap_or_default();
        let kept = if new == old.ty {
            kept
        } else {
            kept.retyped(new)
        };
        let details = change.apply(&old.name, new, kept)?;
        *port = PortSpec::new(&old.name, new).with_details(details);
        let port = port.clone();
        let document = self.with_ports(&ty, side, None, None)?;
        let retype = |from: &PortSpec, to: &PortSpec| {
            let [from_details, to_details] =
                [from, to].map(|port| port.details.as_deref().cloned().unwrap_or_default());
            let change = DetailsChange::between(&from_details, &to_details);
            Edit::Port(PortEdit::Retype {
                function_id,
                side,
                name: to.name.clone(),
                ty: Some(to.ty),
                default: change.default,
                unit: change.unit,
                min: change.min,
                max: change.max,
            })
        };
        Ok(staged(retype(&old, &port), retype(&port, &old), document))
    }

    fn reorder(&self, side: Side, name: &str, index: usize) -> Result<Checked, EditError> {
        let function_id = self.function.id();
        let from = find_port(self.function, side, name)?;
        let mut ty = self.function.ty();
        let ports = side_of(&mut ty, side);
        let port = ports.remove(from);
        let to = port_index(self.function, side, Some(index), ports.len())?;
        let name = port.name.clone();
        ports.insert(to, port);
        let document = self.with_ports(&ty, side, None, None)?;
        let reordered = |name: String, index: usize| {
            Edit::Port(PortEdit::Move {
                function_id,
                side,
                name,
                index,
            })
        };
        Ok(staged(
            reordered(name.clone(), to),
            reordered(name, from),
            document,
        ))
    }

    /// Returns the document with other inputs or outputs of the function, which its boundary and all calls follow.
    fn with_ports(
        &self,
        ty: &FunctionType,
        side: Side,
        new_begin: Option<NodeId>,
        renamed: Option<(&str, &str)>,
    ) -> Result<Document, EditError> {
        graph::check_ports("an input", &ty.inputs)?;
        graph::check_ports("an output", &ty.outputs)?;
        // A function's inputs are the ports of Begin and the parameters of a call, its outputs the other way round.
        let rename = |at: Side, swap: bool| {
            move |here: Side, name: &str| {
                let same = (here == at) != swap;
                renamed
                    .filter(|(old, _)| same && *old == name)
                    .map(|(_, new)| new.to_owned())
            }
        };
        let id = self.function.id();
        let mut staged = self.document.clone();
        let function = staged.function_mut(id);
        match (side, function.begin_key()) {
            (Side::Input, None) => {
                let begin = new_begin.expect("a function that gets its first input gets a Begin");
                function.insert_begin(begin, ty.inputs.clone());
            }
            (Side::Input, Some(key)) => {
                let kind: Box<dyn Node> = Box::new(Begin {
                    ports: ty.inputs.clone(),
                });
                let plan = function.rekind(key, kind, &rename(side, true))?;
                function.apply_rekind(plan);
                if ty.inputs.is_empty() {
                    function.remove_begin();
                }
            }
            (Side::Output, _) => {
                let kind: Box<dyn Node> = Box::new(End {
                    parameters: ty.outputs.clone(),
                });
                let key = function.end_key();
                let plan = function.rekind(key, kind, &rename(side, true))?;
                function.apply_rekind(plan);
            }
        }
        follow_callers(&mut staged, id.into(), ty, &rename(side, false))?;
        if let (Side::Output, Some((old, new))) = (side, renamed) {
            staged.rename_channel(id.into(), old, new);
        }
        staged.check_field_types(id.into(), Some(ty))?;
        Ok(staged)
    }
}

/// An edit whose result is computed already.
fn staged(edit: impl Into<Edit>, inverse: impl Into<Edit>, document: Document) -> Checked {
    Checked::new(edit, inverse, Plan::Staged(document))
}

fn side_of(ty: &mut FunctionType, side: Side) -> &mut Vec<PortSpec> {
    match side {
        Side::Input => &mut ty.inputs,
        Side::Output => &mut ty.outputs,
    }
}

/// Returns the index of an input or output, with the name matching of a node's ports.
fn find_port(function: &Function, side: Side, name: &str) -> Result<usize, GraphError> {
    let ports = match side {
        Side::Input => function.inputs(),
        Side::Output => function.outputs(),
    };
    let names = ports.iter().map(|port| port.name.as_str()).enumerate();
    fibula_nodes::names::find(name, names).map_err(|unknown| match side {
        Side::Input => GraphError::UnknownPort {
            node: boundary_label(function, side),
            port: shortened(name),
            nearest: unknown.nearest,
            ports: ports.iter().map(|port| port.name.clone()).collect(),
        },
        Side::Output => GraphError::UnknownParameter {
            node: boundary_label(function, side),
            parameter: shortened(name),
            nearest: unknown.nearest,
            parameters: ports.iter().map(|port| port.name.clone()).collect(),
        },
    })
}

/// Returns the label in messages of the node with a function's inputs or outputs.
fn boundary_label(function: &Function, side: Side) -> NodeLabel {
    let key = match side {
        Side::Input => function.begin_key(),
        Side::Output => Some(function.end_key()),
    };
    key.map_or(
        NodeLabel {
            node_id: NodeId::END,
            node_type: "Begin",
            display_name: None,
        },
        |key| function.stored(key).label(),
    )
}

/// Checks an index among `count` ports; the end by default.
fn port_index(
    function: &Function,
    side: Side,
    index: Option<usize>,
    count: usize,
) -> Result<usize, GraphError> {
    match index {
        None => Ok(count),
        Some(index) if index <= count => Ok(index),
        Some(index) => Err(GraphError::InvalidName {
            what: "the index",
            problem: format!(
                "is {index}, but the {}s of function {} have indices 0 to {count}",
                side.name(),
                function.id()
            ),
        }),
    }
}

/// Returns the id of a new `Begin`.
fn free_id(function: &Function, wanted: Option<NodeId>) -> Result<NodeId, GraphError> {
    match wanted {
        Some(id) if function.has(id) => Err(GraphError::DuplicateId {
            what: "node",
            id: id.to_string(),
        }),
        Some(id) => Ok(id),
        None => function.next_node_id(),
    }
}

/// Returns the edits that restore the name and position of a node.
fn restore_name_and_position(function: &Function, key: NodeKey) -> Vec<Edit> {
    let (function_id, stored) = (function.id(), function.stored(key));
    let name = stored.display_name.clone().map(|name| {
        Edit::Node(NodeEdit::Rename {
            function_id,
            node_id: stored.id,
            display_name: Some(name),
        })
    });
    let position = stored.position.map(|position| {
        Edit::Node(NodeEdit::Move {
            function_id,
            node_id: stored.id,
            position: Some(position),
        })
    });
    name.into_iter().chain(position).collect()
}
