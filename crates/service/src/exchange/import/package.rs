//! Insertion of an imported model into a project, as one change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fibula_3mf::{Merge, MergeError, Model, OmittedContent};
use fibula_core::edit::{Origin, State};
use fibula_core::graph::model::ModelResource;
use fibula_core::graph::{ContentHash, Document, FunctionId};
use fibula_core::library;
use fibula_nodes::{ResourceId, names};
use fibula_store::contents;

use super::reports::{ImportResult, LeftOutInfo, RepairInfo, SHOWN};
use crate::background::ProgressFn;
use crate::dependents::ChangedValues;
use crate::domain_cuts::stored_cut_warnings;
use crate::following_values::FollowingValues;
use crate::functions::definitions;
use crate::paging::Paging;
use crate::project::change::{CommitOptions, PendingEdit};
use crate::project::commit::Project;
use crate::refusal::{Refusal, Result};
use crate::resource_brief::ResourceBrief;

/// Maximum bytes of JSON of the listed resources.
const RESOURCE_BUDGET: usize = 8 << 10;
/// Maximum number of imported functions that are checked for constants beyond limits.
const MOST_CHECKED: usize = 100;

/// Inserts a model into a project. Ids that are taken are renumbered, with every reference. Calls `watch` with the bytes
/// of the contents that are stored and their total; it may cancel the insertion.
pub(super) fn insert(
    project: &Arc<Project>,
    origin: &Origin,
    condition: CommitOptions,
    model: &Model,
    name: &str,
    watch: ProgressFn<'_>,
) -> Result<ImportResult> {
    if is_empty(model) {
        let message = "the file has neither functions nor objects";
        return Err(Refusal::new("nothing_to_import", message)
            .hint("choose another file; import with check: true lists the faults of this one"));
    }
    let contents = |hash: ContentHash| project.store.content(hash).map_err(Into::into);
    let decide = |state: &State| {
        let merge = fibula_3mf::merge(state.document(), &contents, model)?;
        if !condition.dry_run {
            store_contents(&merge, model, project, watch)?;
        }
        if watch(1, 1).is_break() {
            return Err(Refusal::cancelled());
        }
        let label = format!(
            "import {} from {}",
            format_counts(model),
            names::visible(name, 80)
        );
        let renumbered = merge.renumbered();
        let merged = MergedIds {
            functions: model.function_ids().map(|id| merge.new_id(id).0).collect(),
            resources: model.resources().map(|(id, _)| merge.new_id(id)).collect(),
            renumbered: renumbered
                .map(|(old, new)| (old.to_string(), new))
                .collect(),
            renamed_parts: merge.renamed_parts,
            new_uuids: merge.new_uuids,
            left_out: merge.left_out,
        };
        let step = PendingEdit::labelled(merge.stage.finish(), Some(label));
        Ok((step, merged))
    };
    let (mut imported, resources, following) = project.change_optimistically(
        origin,
        condition,
        decide,
        |document: &Document, done, merged: MergedIds| {
            let functions = merged.functions;
            let resources = merged.resources.iter().filter_map(|&id| {
                let resource = document.model_resource(id)?;
                Some(ResourceBrief::new(document, id, resource))
            });
            let paging = Paging::whole().of_size(RESOURCE_BUDGET);
            let page = paging.page((0..).zip(resources.take(SHOWN)), |resource| resource);
            let listed = definitions::all(document).filter(|(id, _)| functions.contains(id));
            let left_out = model.left_out.iter().chain(&merged.left_out).take(SHOWN);
            let mut warnings = function_warnings(document, functions.iter().copied());
            warnings.extend(empty_build(
                document,
                model.items.is_empty(),
                merged.resources.iter(),
            ));
            // Of a dry run, no content is stored.
            let following = if done.dry_run.is_some() {
                FollowingValues::without_callers(
                    document,
                    &ChangedValues::whole(merged.resources.iter().copied()),
                )
            } else {
                FollowingValues::default()
            };
            let answer = ImportResult {
                success: true,
                functions: listed
                    .take(SHOWN)
                    .map(|(_, listed)| listed.info())
                    .collect(),
                function_count: functions.len(),
                resources: page.items,
                resource_count: model.resources().count(),
                build_item_count: model.items.len(),
                warnings,
                repair_count: model.repairs.len(),
                left_out: left_out.map(LeftOutInfo::new).collect(),
                renumbered: merged.renumbered,
                renamed_parts: merged.renamed_parts,
                new_uuid_count: merged.new_uuids,
                revision: done.revision,
                dry_run: done.dry_run,
                ..ImportResult::default()
            };
            (answer, merged.resources, following)
        },
    )?;
    imported.warnings.extend(if imported.dry_run.is_some() {
        following.warnings()
    } else {
        // It is imported, whatever happened to the store since.
        let snapshot = project.at(Some(imported.revision));
        let resources = resources.into_iter().collect();
        snapshot.map_or_else(
            |_| Vec::new(),
            |snapshot| stored_cut_warnings(project, &snapshot, resources),
        )
    });
    let repairs = model.repairs.iter().take(SHOWN);
    imported.repairs = repairs.map(RepairInfo::new).collect();
    Ok(imported)
}

/// Warnings about the first functions, and one if there are more of them.
fn function_warnings(document: &Document, functions: impl Iterator<Item = u32>) -> Vec<String> {
    let mut functions = functions.map(FunctionId);
    let checked = functions.by_ref().take(MOST_CHECKED);
    let mut warnings: Vec<String> = library::warnings(document, checked).collect();
    if functions.next().is_some() {
        warnings.push(format!(
            "only the first {MOST_CHECKED} functions were checked for constants beyond limits, differences of distances, and \
             walls of values that are no distances"
        ));
    }
    warnings
}

/// Counts the contents of a model and finds what an import would warn of, without a project.
pub(super) fn inspect(model: &Model) -> ImportResult {
    let counts = ImportResult {
        function_count: model.function_ids().count(),
        resource_count: model.resources().count(),
        build_item_count: model.items.len(),
        ..ImportResult::default()
    };
    let contents = |_| Ok(None);
    let Ok(merge) = fibula_3mf::merge(&Document::default(), &contents, model) else {
        return counts;
    };
    let document = merge.stage.document();
    let functions = document.functions().map(|function| function.id().0);
    let mut warnings = function_warnings(document, functions);
    let resources = model.resources().map(|(id, _)| merge.new_id(id));
    let following = FollowingValues::without_callers(document, &ChangedValues::whole(resources));
    warnings.extend(following.warnings());
    ImportResult { warnings, ..counts }
}

/// Warning about a file of which nothing is built, with the way to build its first object or function.
fn empty_build<'a>(
    document: &Document,
    is_empty: bool,
    mut resources: impl Iterator<Item = &'a ResourceId>,
) -> Option<String> {
    let is_object = |id: &&ResourceId| {
        matches!(
            document.model_resource(**id),
            Some(ModelResource::Object(_))
        )
    };
    is_empty.then(|| match resources.find(is_object) {
        Some(id) => format!(
            "the build of the file is empty, so nothing of it is built, measured or exported unless it is named: \
             apply_edits {{\"edits\": [{{\"create_build_item\": {{\"object_id\": {id}}}}}]}} adds an object"
        ),
        None => "the file has no objects and its build is empty: create_level_set in apply_edits makes an object of a \
                 function, and builds it"
            .to_owned(),
    })
}

/// Answer for a merge.
struct MergedIds {
    functions: BTreeSet<u32>,
    resources: BTreeSet<ResourceId>,
    renumbered: BTreeMap<String, u32>,
    renamed_parts: BTreeMap<String, String>,
    new_uuids: usize,
    left_out: Vec<OmittedContent>,
}

/// Stores the bytes before anything refers to them.
fn store_contents(
    merge: &Merge,
    model: &Model,
    project: &Project,
    watch: ProgressFn<'_>,
) -> Result<()> {
    let named = contents::document_hashes(merge.stage.document());
    let named: BTreeSet<ContentHash> = named.into_iter().collect();
    let read = model.contents.iter();
    let read = read.filter(|(hash, _)| named.contains(hash));
    let all: Vec<_> = read
        .map(|(_, bytes)| bytes)
        .chain(&merge.contents)
        .collect();
    let total = all.iter().map(|bytes| bytes.len() as u64).sum();
    let mut done = 0;
    for bytes in all {
        if watch(done, total).is_break() {
            return Err(Refusal::cancelled());
        }
        project.store.put_content(project.id, bytes)?;
        done += bytes.len() as u64;
    }
    Ok(())
}

impl From<MergeError> for Refusal {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Edit(error) => error.into(),
            _ => Refusal::new(error.code(), error.to_string()),
        }
    }
}

fn is_empty(model: &Model) -> bool {
    model.function_ids().next().is_none()
        && model.resources().next().is_none()
        && model.items.is_empty()
}

/// "3 functions, 2 objects and a build item".
fn format_counts(model: &Model) -> String {
    let others = model.images.len() + model.foreign.len() + model.volumes.len();
    let all = [
        (model.function_ids().count(), "function"),
        (model.objects.len(), "object"),
        (others, "other resource"),
        (model.items.len(), "build item"),
    ];
    let counts = all.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts
        .map(|(count, what)| match count {
            1 => format!("a{} {what}", if what.starts_with('o') { "n" } else { "" }),
            _ => format!("{count} {what}s"),
        })
        .collect();
    match counts.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}
