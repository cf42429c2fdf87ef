//! Nodes: creation, deletion, values, and description.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{self, Edit, LinkData, NodeEdit, Origin, Stage, State};
use fibula_core::graph::{Argument, Document, Function, FunctionId, NodeId, NodeView, SourceData};
use fibula_nodes::Type;
use serde_json::Value as Json;

use crate::effects::{Effects, NodeChanges, named};
use crate::following_values::FollowingValues;
use crate::functions::next_step;
use crate::functions::node_parameters::parameter_edits;
use crate::knowledge::{self, Intent};
use crate::name_lookup::shared_names;
use crate::project::change::{CommitOptions, Committed, PendingEdit, Snapshot};
use crate::refusal::Result;
use crate::schema_types::{ObjectForm, SourceForm, ValueForm};
use crate::service::Service;

json_structs! {
    /// Node to create.
    pub request struct CreateNode {
        project,
        /// Its id or name.
        pub function_id: FunctionId,
        /// Node type, such as "Addition"; see list_node_types.
        pub node_type: String,
        /// Name for people.
        pub display_name: Option<String>,
        /// A free id; default: the next one.
        pub node_id: Option<NodeId>,
        /// {"A": 5, "B": {"source": {"node_id": 1, "port": "pos"}}}
        #[schemars(with = "Option<ObjectForm>")]
        pub parameters: Option<Json>,
        expected_revision,
        dry_run,
    }

    /// The created node.
    pub answer struct NodeCreated {
        pub success: bool,
        pub node_id: NodeId,
        #[serde(flatten)]
        pub effects: Effects,
        /// Edges of the knowledge graph at the function.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        /// A name that several parameters of the function have.
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
        pub next: Option<String>,
    }

    /// Node to delete.
    pub request struct DeleteNode {
        project,
        /// Function of the node.
        pub function_id: FunctionId,
        /// The node.
        pub node_id: NodeId,
        expected_revision,
        dry_run,
    }

    /// Result of deleting a node.
    pub answer struct NodeDeleted {
        pub success: bool,
        /// Links of the node, which were deleted too; the first 100.
        #[schemars(with = "Vec<ObjectForm>")]
        pub deleted_links: Vec<LinkData>,
        pub deleted_link_count: usize,
        #[serde(flatten)]
        pub effects: Effects,
        /// Edges of the knowledge graph at the node, which are dangling now.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub dangling: Vec<Intent> = [],
        /// Edges of the knowledge graph at what was changed.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        /// Bounds that cut level sets now.
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }

    /// Node to describe.
    pub request struct GetNodeInfo {
        project,
        /// Function of the node.
        pub function_id: FunctionId,
        /// The node; 0 is End.
        pub node_id: NodeId,
        revision,
    }

    /// A node.
    pub answer struct NodeInfo {
        pub success: bool,
        pub node_id: NodeId,
        pub node_type: String,
        /// Name of the node; default: its type.
        pub display_name: String,
        pub parameters: BTreeMap<String, ParameterInfo>,
        pub outputs: BTreeMap<String, PortInfo>,
        /// Edges of the knowledge graph at the node.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        pub revision: u64,
        pub next: Option<String>,
    }

    /// Type and content of a parameter: a value, a source, the default of the node type, or
    /// nothing.
    pub answer struct ParameterInfo {
        #[schemars(with = "String")]
        pub r#type: Type,
        #[schemars(with = "Option<ValueForm>")]
        pub value: Option<Json>,
        #[schemars(with = "Option<SourceForm>")]
        pub source: Option<SourceData>,
        #[schemars(with = "Option<ValueForm>")]
        pub default: Option<Json>,
    }

    /// Type and targets of a port.
    pub answer struct PortInfo {
        #[schemars(with = "String")]
        pub r#type: Type,
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub targets: Vec<TargetInfo> = [],
        /// Number of targets beyond the 50 listed.
        pub more_targets: Option<usize>,
    }

    /// A parameter that a port is linked to.
    pub answer struct TargetInfo {
        pub node_id: NodeId,
        pub parameter: String,
    }
}

impl Service {
    /// Adds a node to a function, and sets and links its parameters.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if the kind or function is unknown, the id is taken or knowledge of a deleted node is
    /// tied to it, or a parameter cannot be set or linked so; then there is no new node.
    pub fn create_node(&self, origin: &Origin, request: CreateNode) -> Result<NodeCreated> {
        let CreateNode {
            function_id,
            node_type,
            display_name,
            parameters,
            ..
        } = request;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let decide = |state: &State| {
            let node_id = knowledge::untied_id(state.document(), function_id, request.node_id)?;
            let edit = Edit::Node(NodeEdit::Create {
                function_id,
                node_type: node_type.clone(),
                node_id,
                display_name: display_name.clone(),
                position: None,
                callee: None,
            });
            let Some(parameters) = &parameters else {
                return Ok((PendingEdit::edit(edit::check(state.document(), &edit)?), ()));
            };
            let pending = with_parameters(state.document(), &edit, function_id, parameters)?;
            Ok((pending, ()))
        };
        let project = self.project(request.project.as_deref())?;
        let created = project.change(origin, condition, decide, |document, done, ()| {
            created(document, function_id, done)
        });
        created.map_err(|refusal| match next_step::suggest_library(&node_type) {
            Some(functions) if refusal.code == "unknown_node_type" => refusal.hint(format!(
                "{functions}; create_function_from_expression calls it by its name"
            )),
            _ => refusal,
        })
    }

    /// Deletes a node and its links.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such node, or it is `Begin` or `End`.
    pub fn delete_node(&self, origin: &Origin, request: &DeleteNode) -> Result<NodeDeleted> {
        let edit = Edit::Node(NodeEdit::Delete {
            function_id: request.function_id,
            node_id: request.node_id,
        });
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let project = self.project(request.project.as_deref())?;
        let (function, node) = (request.function_id, request.node_id);
        let decide = |state: &State| {
            let checked = edit::check(state.document(), &edit)?;
            let removed = state.document().function(function)?.node(node)?;
            Ok((PendingEdit::edit(checked), named(removed)))
        };
        let answer = |document: &Document, done: &Committed, removed| {
            let links = &done.change.deleted_links;
            let changes = NodeChanges {
                removed: Some(removed),
                ..NodeChanges::default()
            };
            let (effects, values) = Effects::of_nodes(document, function, changes.unlinked(links));
            let following = FollowingValues::of(document, &values, &[]);
            let (dangling, intent) = knowledge::deleted_intent(document, function, node, links);
            let deleted = NodeDeleted {
                success: true,
                effects,
                warnings: Vec::new(),
                dangling,
                intent,
                deleted_links: links.iter().take(100).cloned().collect(),
                deleted_link_count: links.len(),
                revision: done.revision,
                dry_run: done.dry_run,
            };
            (deleted, following)
        };
        let (deleted, following) = project.change(origin, condition, decide, answer)?;
        Ok(NodeDeleted {
            warnings: following.warnings(),
            ..deleted
        })
    }

    /// Describes a node.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such node.
    pub fn get_node_info(&self, request: &GetNodeInfo) -> Result<NodeInfo> {
        let (function_id, node_id) = (request.function_id, request.node_id);
        let project = self.project(request.project.as_deref())?;
        let Snapshot { document, head, .. } = project.at(request.revision)?;
        let function = document.function(function_id)?;
        Ok(NodeInfo {
            revision: head.revision,
            intent: knowledge::node_intent(&document, function_id, node_id),
            next: next_step::suggest_inputs(&document, function_id, node_id),
            ..node_info(function, function.node(node_id)?)
        })
    }
}

/// Creates a node and sets and links its parameters, as one change.
fn with_parameters(
    document: &Document,
    edit: &Edit,
    function_id: FunctionId,
    parameters: &Json,
) -> Result<PendingEdit> {
    let mut stage = Stage::new(document);
    let change = stage.push(edit)?;
    let node_id = change.node_id.expect("a node was created");
    for edit in parameter_edits(stage.document(), function_id, node_id, parameters.clone())? {
        stage.push(&edit)?;
    }
    Ok(PendingEdit::labelled(
        stage.finish_as(change),
        Some(edit.summary()),
    ))
}

fn created(document: &Document, function_id: FunctionId, done: &Committed) -> NodeCreated {
    let node_id = done.change.node_id.expect("a node was created");
    let changes = NodeChanges {
        added: vec![node_id],
        ..NodeChanges::default()
    };
    NodeCreated {
        success: true,
        node_id,
        effects: Effects::of_nodes(document, function_id, changes).0,
        intent: knowledge::function_intent(document, function_id),
        warnings: shared_names(document, function_id, &BTreeSet::from([node_id])),
        revision: done.revision,
        dry_run: done.dry_run,
        next: next_step::suggest_inputs(document, function_id, node_id),
    }
}

/// Describes a node, without a revision.
pub(crate) fn node_info(function: &Function, node: NodeView<'_>) -> NodeInfo {
    let node_type = node.kind().info().name;
    let target = |id: NodeId, parameter: usize| {
        let target = function.node(id).expect("a link has a target");
        TargetInfo {
            node_id: id,
            parameter: target.signature().parameters[parameter].name.to_string(),
        }
    };
    NodeInfo {
        success: true,
        node_id: node.id(),
        node_type: node_type.to_owned(),
        display_name: node.display_name().unwrap_or(node_type).to_owned(),
        parameters: parameters(node),
        outputs: outputs(node, target),
        intent: Vec::new(),
        revision: 0,
        next: None,
    }
}

fn parameters(node: NodeView<'_>) -> BTreeMap<String, ParameterInfo> {
    let info = |place: usize| {
        let mut info = ParameterInfo {
            r#type: node.parameter_type(place),
            value: None,
            source: None,
            default: None,
        };
        match node.argument(place) {
            Argument::Unset => {}
            Argument::Default(value) => info.default = Some(value.to_json()),
            Argument::Value(value) => info.value = Some(value.to_json()),
            Argument::Link { node, name, .. } => {
                info.source = Some(SourceData::new(node, name));
            }
        }
        info
    };
    let parameters = node.signature().parameters.iter().enumerate();
    parameters
        .map(|(place, parameter)| (parameter.name.to_string(), info(place)))
        .collect()
}

fn outputs(
    node: NodeView<'_>,
    target: impl Fn(NodeId, usize) -> TargetInfo,
) -> BTreeMap<String, PortInfo> {
    const SHOWN: usize = 50;
    let consumers = node.consumers();
    let info = |place: usize| {
        let own = consumers.iter().filter(|(port, ..)| *port == place);
        let count = own.clone().count();
        PortInfo {
            r#type: node.port_type(place),
            targets: own
                .take(SHOWN)
                .map(|&(_, node, parameter)| target(node, parameter))
                .collect(),
            more_targets: count.checked_sub(SHOWN).filter(|&more| more > 0),
        }
    };
    let ports = node.signature().ports.iter().enumerate();
    ports
        .map(|(place, port)| (port.name.to_string(), info(place)))
        .collect()
}
