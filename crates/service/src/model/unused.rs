//! Garbage collection of resources: a mark phase from the items of the build, and removal of unreachable resources in
//! one step.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{Edit, FunctionEdit, ModelEdit, Origin, ResourceEdit, Stage, State};
use fibula_core::graph::model::ModelResource;
use fibula_core::graph::{Document, Resource};
use fibula_nodes::ResourceId;

use crate::knowledge::{AffectedIntent, Intent};
use crate::project::change::{CommitOptions, PendingEdit};
use crate::refusal::Result;
use crate::schema_types::ObjectForm;
use crate::service::Service;

/// Maximum number of removed resources that an answer names.
const SHOWN: usize = 300;

json_structs! {
    /// Project whose unused resources are removed.
    pub request(Default) struct RemoveUnused {
        project,
        expected_revision,
        dry_run,
    }

    /// Result of a removal.
    pub answer struct UnusedRemoved {
        pub success: bool,
        pub removed_count: usize,
        /// Functions, objects, volume data and images, users before what they refer to; the first 300.
        pub removed: Vec<RemovedInfo>,
        /// Reason why nothing was removed, if so.
        pub message: Option<String>,
        /// Edges of the knowledge graph that are dangling now, since their ends were removed.
        #[schemars(with = "Option<Vec<ObjectForm>>")]
        pub dangling: Vec<Intent> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }

    /// A function or another resource that was removed.
    pub answer(PartialEq, Eq) struct RemovedInfo {
        pub resource_id: u32,
        /// `function`, `image function`, `mesh`, `assembly`, `level set`, `object`, `image` or `volume data`.
        pub kind: &'static str,
        #[serde(skip_serializing_if = "String::is_empty")]
        #[schemars(with = "Option<String>")]
        pub name: String,
    }
}

/// Unreachable resources, in an order in which users precede what they refer to.
#[derive(Debug)]
pub(crate) struct UnusedResources {
    pub(crate) edits: Vec<Edit>,
    pub(crate) removed: Vec<RemovedInfo>,
}

/// Finds the resources that no item of the build reaches: directly, as a component or domain, as a property of a
/// volume, or by a call or a node. Attached files and foreign resources are roots, too.
///
/// Without an item that builds something of this document nothing counts as unused, since its purpose is unknown. Takes
/// time linear in the number of references.
pub(crate) fn unused(document: &Document) -> UnusedResources {
    let mut found = UnusedResources {
        edits: Vec::new(),
        removed: Vec::new(),
    };
    let Some(needed) = needed(document) else {
        return found;
    };
    let functions = document.functions().map(|function| function.id().into());
    let others = document.resources().map(|(id, _)| id);
    let unused: BTreeSet<ResourceId> = functions
        .chain(others)
        .filter(|id| !needed.contains(id))
        .collect();
    for id in users_first(document, &unused) {
        if let Some((edit, removed)) = removal(document, id) {
            found.edits.push(edit);
            found.removed.push(removed);
        }
    }
    found
}

/// Resources reachable from the build; `None` if the build has nothing of this document.
pub(crate) fn needed(document: &Document) -> Option<BTreeSet<ResourceId>> {
    let built = document.model().items();
    let built = built.filter(|(_, item)| !item.is_external());
    let mut open: Vec<ResourceId> = built.map(|(_, item)| item.object).collect();
    if open.is_empty() {
        return None;
    }
    let kept = document.resources().filter(|(_, resource)| match resource {
        Resource::File(_) | Resource::Content(_) => true,
        Resource::Model(resource) => matches!(resource, ModelResource::Foreign(_)),
        Resource::ImageFunction(_) => false,
    });
    open.extend(kept.map(|(id, _)| id));
    let mut needed = BTreeSet::new();
    while let Some(id) = open.pop() {
        if needed.insert(id) {
            open.extend(references(document, id));
        }
    }
    Some(needed)
}

/// Everything that a function or resource refers to.
fn references(document: &Document, id: ResourceId) -> Vec<ResourceId> {
    if let Ok(function) = document.function(id.into()) {
        return function.references().map(|(id, _, _)| id).collect();
    }
    match document.resource(id) {
        Some(Resource::Model(resource)) => resource.references().into_iter().collect(),
        Some(Resource::ImageFunction(image)) => vec![image.image],
        Some(Resource::File(_) | Resource::Content(_)) | None => Vec::new(),
    }
}

/// Sorts resources topologically, users first. Nodes may refer to a mesh or image that does not exist, so of the
/// references of nodes only calls count, which are acyclic.
fn users_first(document: &Document, all: &BTreeSet<ResourceId>) -> Vec<ResourceId> {
    let is_function = |id: ResourceId| document.function(id.into()).is_ok();
    let held = |id: ResourceId| {
        let called = |other: ResourceId| {
            is_function(other)
                || matches!(document.resource(other), Some(Resource::ImageFunction(_)))
        };
        let calls_only = is_function(id);
        let held: BTreeSet<ResourceId> = references(document, id).into_iter().collect();
        held.into_iter()
            .filter(move |&other| all.contains(&other) && (!calls_only || called(other)))
    };
    let mut users: BTreeMap<ResourceId, usize> = all.iter().map(|&id| (id, 0)).collect();
    for &id in all {
        for other in held(id) {
            *users.entry(other).or_default() += 1;
        }
    }
    let free = users.iter().filter(|(_, users)| **users == 0);
    let mut free: BTreeSet<ResourceId> = free.map(|(&id, _)| id).collect();
    let mut order = Vec::with_capacity(all.len());
    while let Some(id) = free.pop_first() {
        order.push(id);
        for other in held(id) {
            let left = users.entry(other).or_default();
            *left -= 1;
            if *left == 0 {
                free.insert(other);
            }
        }
    }
    order
}

/// Returns the edit that removes a function or resource, with its description.
fn removal(document: &Document, id: ResourceId) -> Option<(Edit, RemovedInfo)> {
    let info = |kind, name: &str| RemovedInfo {
        resource_id: id.0,
        kind,
        name: fibula_nodes::names::visible(name, 60),
    };
    if let Ok(function) = document.function(id.into()) {
        let function_id = function.id();
        let removed = info("function", function.name());
        return Some((
            Edit::Function(FunctionEdit::Delete { function_id }),
            removed,
        ));
    }
    match document.resource(id)? {
        Resource::ImageFunction(image) => {
            let removed = info("image function", &image.name);
            Some((
                Edit::Resource(ResourceEdit::RemoveImageFunction { resource_id: id }),
                removed,
            ))
        }
        Resource::Model(resource) => {
            let name = match resource {
                ModelResource::Object(object) => object.name.as_str(),
                ModelResource::Image(image) => image.name.as_str(),
                ModelResource::VolumeData(_) | ModelResource::Foreign(_) => "",
            };
            let edit = Edit::Model(ModelEdit::RemoveResource { resource_id: id });
            Some((edit, info(resource.noun(), name)))
        }
        Resource::File(_) | Resource::Content(_) => None,
    }
}

impl Service {
    /// Removes the functions, objects, volume data and images that no item of the build needs, as one step. A project
    /// without items keeps everything.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project, or it is not at the expected revision.
    pub fn remove_unused(&self, origin: &Origin, request: &RemoveUnused) -> Result<UnusedRemoved> {
        let project = self.project(request.project.as_deref())?;
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let is_clean = project.read(|state| {
            let document = state.document();
            let nothing = unused(document).edits.is_empty();
            nothing.then(|| needed(document).is_some())
        })?;
        // A change without effect leaves no entry.
        if let Some(is_built) = is_clean {
            let message = if is_built {
                "nothing is unused: the build needs everything"
            } else {
                "nothing was removed: the build has no items, so unused resources cannot be \
                 determined"
            };
            return Ok(UnusedRemoved {
                success: true,
                removed_count: 0,
                removed: Vec::new(),
                message: Some(message.to_owned()),
                dangling: Vec::new(),
                revision: project.check_options(condition)?,
                dry_run: request.dry_run.then_some(true),
            });
        }
        let decide = |state: &State| {
            let UnusedResources { edits, removed } = unused(state.document());
            let mut stage = Stage::new(state.document());
            for edit in &edits {
                stage.push(edit)?;
            }
            let label = format!("remove {} unused resources", removed.len());
            let before = state.document().clone();
            let pending = PendingEdit::labelled(stage.finish(), Some(label));
            Ok((pending, (before, removed)))
        };
        project.change_optimistically(
            origin,
            condition,
            decide,
            |now, done, (before, mut removed)| {
                let removed_count = removed.len();
                removed.truncate(SHOWN);
                UnusedRemoved {
                    success: true,
                    removed_count,
                    removed,
                    message: None,
                    dangling: AffectedIntent::between(&before, now).dangling,
                    revision: done.revision,
                    dry_run: done.dry_run,
                }
            },
        )
    }
}
