//! Batches of edits, applied atomically.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::edit::{Origin, Stage, State};
use fibula_core::graph::{self, Document};
use serde_json::Value as Json;

use crate::background::ProgressFn;
use crate::edits::batch::Batch;
use crate::edits::results::EditResult;
use crate::edits::size;
use crate::effects::Effects;
use crate::following_values::FollowingValues;
use crate::knowledge::{Intent, MovedEdge};
use crate::project::change::{CommitOptions, Committed, PendingEdit};
use crate::refusal::Result;
use crate::schema_types::ObjectForm;
use crate::service::Service;

json_structs! {
    /// Edits to apply as one change.
    pub request(Default) struct ApplyEdits {
        project,
        /// Each {"KIND": {arguments}}. create_node, delete_node, create_link, delete_link, set_parameter_value and
        /// create_function_from_expression as their tools. Others: set_function (as get_function returns it),
        /// insert_function, delete_function, rename_function, rename_node, move_node, set_overload, add_port {side: input
        /// | output, name, type, default, unit, min, max}, remove_port, rename_port, retype_port (as add_port), move_port, extract_function, inline_call,
        /// remove_unused_nodes, create_missing_constants, normalize_function, insert_into_link, bypass_node, replace_node.
        /// Objects: create_level_set,
        /// modify_level_set, set_mesh, set_assembly, set_volume_data, modify_object, remove_resource,
        /// remove_unused_resources, create_build_item, set_unit and others. Their arguments: resource
        /// fibula://schemas/edits/KIND.
        #[schemars(with = "Vec<ObjectForm>")]
        pub edits: Vec<Json>,
        /// Validate only.
        pub dry_run: bool,
        /// Label in the history.
        pub label: Option<String>,
        expected_revision,
    }

    /// Result of a batch of edits.
    pub answer struct EditsApplied {
        pub success: bool,
        pub revision: u64,
        pub applied: usize,
        /// Ids of the aliases.
        pub ids: BTreeMap<String, u32>,
        /// Results of edits that created more than an alias names.
        #[schemars(with = "Vec<ObjectForm>")]
        pub results: Vec<EditResult>,
        #[serde(flatten)]
        pub effects: Effects,
        /// Edges of the knowledge graph that are dangling now, since their ends were removed.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub dangling: Vec<Intent> = [],
        /// Edges of the knowledge graph that follow nodes to other ids.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub moved: Vec<MovedEdge> = [],
        /// Edges of the knowledge graph at what was changed.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub intent: Vec<Intent> = [],
        pub warnings: Vec<String> = [],
        pub dry_run: Option<bool>,
        /// True if ids or results are truncated.
        pub truncated: Option<bool>,
        pub next: Option<String>,
    }
}

impl Service {
    /// Applies edits atomically: one revision, one step of undo.
    ///
    /// # Errors
    /// The [`Refusal`](crate::refusal::Refusal) of the first edit that is not possible, with its index; nothing is changed then.
    pub fn apply_edits(&self, origin: &Origin, request: ApplyEdits) -> Result<EditsApplied> {
        self.apply_edits_watched(origin, request, &mut |_, _| ControlFlow::Continue(()))
    }

    /// As [`apply_edits`](Self::apply_edits). Calls `watch` with the edits checked and their total; it may cancel the
    /// work while nothing is changed.
    ///
    /// # Errors
    /// As [`apply_edits`](Self::apply_edits), and if `watch` cancelled it.
    pub fn apply_edits_watched(
        &self,
        origin: &Origin,
        request: ApplyEdits,
        watch: ProgressFn<'_>,
    ) -> Result<EditsApplied> {
        let (edits, label, dry_run) = (request.edits, request.label, request.dry_run);
        if let Some(label) = &label {
            graph::check_name("the label", label)?;
        }
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, dry_run);
        let decide = |state: &State| {
            let mut batch = Batch::of(state.document(), &edits, watch)?;
            if !dry_run {
                // The bytes are stored before anything refers to them.
                for bytes in std::mem::take(&mut batch.contents) {
                    self.store.put_content(project.id, &bytes)?;
                }
            }
            let stage = std::mem::replace(&mut batch.stage, Stage::new(state.document()));
            let label = label.clone().or_else(|| batch.label());
            Ok((PendingEdit::labelled(stage.finish(), label), batch))
        };
        let answer = |document: &Document, done: &Committed, mut batch: Batch| {
            let mut checked = std::mem::take(&mut batch.checked);
            let (answer, values) = batch.answer(document, done.revision, dry_run);
            checked.following = FollowingValues::of(document, &values, &checked.level_sets);
            let document = (!checked.is_empty()).then(|| document.clone());
            (answer, document, checked)
        };
        let (mut answer, document, checked) =
            project.change_optimistically(origin, condition, decide, answer)?;
        // Once, after the commit: the check may take seconds, an attempt to commit must not.
        if let Some(document) = document {
            answer.warnings = checked.warnings(&document);
        }
        Ok(answer)
    }
}

impl ApplyEdits {
    /// True if checking takes a few milliseconds at most.
    pub fn is_quick(&self) -> bool {
        size::is_quick(&self.edits)
    }
}
