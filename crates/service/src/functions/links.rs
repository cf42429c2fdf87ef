//! Links: creation and deletion.

use fibula_core::edit::{self, Edit, LinkData, LinkEdit, Origin, State};
use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_core::library;
use fibula_nodes::names;

use crate::effects::{Effects, NodeChanges, shown};
use crate::following_values::FollowingValues;
use crate::functions::next_step;
use crate::knowledge::{self, Intent};
use crate::project::change::{CommitOptions, Committed, PendingEdit};
use crate::refusal::Result;
use crate::schema_types::ObjectForm;
use crate::service::Service;

json_structs! {
    /// Link to create.
    pub request struct CreateLink {
        project,
        /// Its id or name.
        pub function_id: FunctionId,
        /// Node that it comes from.
        pub source_node_id: NodeId,
        /// Its port, such as "result".
        pub source_port_name: String,
        /// Node that it goes to; 0 is End, the outputs.
        pub target_node_id: NodeId,
        /// Its parameter, such as "A"; of End, an output.
        pub target_parameter_name: String,
        /// true replaces an existing link.
        pub replace: bool,
        /// true inserts a conversion node where types differ.
        pub insert_conversion: bool,
        expected_revision,
        dry_run,
    }

    /// Result of creating a link.
    pub answer struct LinkCreated {
        pub success: bool,
        pub revision: u64,
        pub dry_run: Option<bool>,
        /// The inserted conversion node.
        pub conversion_node_id: Option<NodeId>,
        /// The replaced link.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub deleted_links: Vec<LinkData> = [],
        #[serde(flatten)]
        pub effects: Effects,
        /// Edges of the knowledge graph at the target, at what has no effect any more, and at the function.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        /// Bounds that cut level sets now.
        pub warnings: Vec<String> = [],
        pub next: Option<String>,
    }

    /// Link to delete.
    pub request struct DeleteLink {
        project,
        /// Function of the node.
        pub function_id: FunctionId,
        /// Target node of the link.
        pub target_node_id: NodeId,
        /// Target parameter of the link.
        pub target_parameter_name: String,
        expected_revision,
        dry_run,
    }

    /// The deleted link.
    pub answer struct LinkDeleted {
        pub success: bool,
        #[schemars(with = "Vec<ObjectForm>")]
        pub deleted_links: Vec<LinkData>,
        #[serde(flatten)]
        pub effects: Effects,
        /// Edges of the knowledge graph at the target, at what has no effect any more, and at the function.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        /// Bounds that cut level sets now.
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }
}

impl Service {
    /// Links a port to a parameter.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if an id or name is unknown, the types differ, the parameter is linked, or the
    /// link would close a cycle.
    pub fn create_link(&self, origin: &Origin, request: CreateLink) -> Result<LinkCreated> {
        let (function_id, target) = (request.function_id, request.target_node_id);
        let parameter = request.target_parameter_name.clone();
        let edit = Edit::Link(LinkEdit::Create {
            function_id,
            source_node_id: request.source_node_id,
            source_port_name: request.source_port_name,
            target_node_id: target,
            target_parameter_name: request.target_parameter_name,
            replace: request.replace,
            insert_conversion: request.insert_conversion,
        });
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let decide = |state: &State| {
            let checked = edit::check(state.document(), &edit)?;
            if let Some(conversion) = checked.change().conversion {
                knowledge::check_untied(state.document(), function_id, conversion)?;
            }
            let was = argument(state.document(), function_id, target, &parameter);
            Ok((PendingEdit::edit(checked), was))
        };
        let project = self.project(request.project.as_deref())?;
        let answer = |document: &Document, done: &Committed, was: Option<(String, String)>| {
            let changes = NodeChanges {
                added: done.change.conversion.into_iter().collect(),
                arguments: was
                    .map(|(name, was)| (target, name, was))
                    .into_iter()
                    .collect(),
                ..NodeChanges::default()
            };
            let (effects, values) = Effects::of_nodes(document, function_id, changes);
            let following = FollowingValues::without_callers(document, &values);
            let created = LinkCreated {
                success: true,
                effects,
                warnings: library::warnings(document, [function_id]).collect(),
                revision: done.revision,
                dry_run: done.dry_run,
                conversion_node_id: done.change.conversion,
                deleted_links: done.change.deleted_links.clone(),
                intent: knowledge::changed_intent(
                    document,
                    function_id,
                    target,
                    &done.change.deleted_links,
                ),
                next: next_step::suggest_inputs(document, function_id, target),
            };
            (created, following)
        };
        let (mut created, following) = project.change(origin, condition, decide, answer)?;
        created.warnings.extend(following.warnings());
        Ok(created)
    }

    /// Removes the link of a parameter.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if an id or name is unknown, or the parameter is not linked.
    pub fn delete_link(&self, origin: &Origin, request: DeleteLink) -> Result<LinkDeleted> {
        let (function_id, target) = (request.function_id, request.target_node_id);
        let edit = Edit::Link(LinkEdit::Delete {
            function_id,
            target_node_id: target,
            target_parameter_name: request.target_parameter_name,
        });
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let project = request.project.as_deref();
        let answer = |document: &Document, done: &Committed| {
            let changes = NodeChanges::default().unlinked(&done.change.deleted_links);
            let (effects, values) = Effects::of_nodes(document, function_id, changes);
            let following = FollowingValues::of(document, &values, &[]);
            let deleted = LinkDeleted {
                success: true,
                effects,
                warnings: Vec::new(),
                deleted_links: done.change.deleted_links.clone(),
                intent: knowledge::changed_intent(
                    document,
                    function_id,
                    target,
                    &done.change.deleted_links,
                ),
                revision: done.revision,
                dry_run: done.dry_run,
            };
            (deleted, following)
        };
        let (deleted, following) = self.edit(project, condition, origin, &edit, answer)?;
        Ok(LinkDeleted {
            warnings: following.warnings(),
            ..deleted
        })
    }
}

/// Name and content of a parameter of a node.
fn argument(
    document: &Document,
    function: FunctionId,
    node: NodeId,
    name: &str,
) -> Option<(String, String)> {
    let node = document.find_function(function)?.node(node).ok()?;
    let parameters = &node.signature().parameters;
    let listed = parameters.iter().map(|parameter| &*parameter.name);
    let place = names::find(name, listed.enumerate()).ok()?;
    let name = parameters[place].name.to_string();
    Some((name, shown(node.argument(place))))
}
