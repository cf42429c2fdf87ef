//! Warnings about what follows an edit: callers that lack a value, and level sets whose domain cuts or misses their shape.

use std::collections::BTreeSet;

use fibula_core::eval::Tape;
use fibula_core::graph::{Document, Function, FunctionId, NodeView};
use fibula_nodes::ResourceId;

use crate::dependents::ChangedValues;
use crate::domain_cuts::{MOST_BRIEF, brief_cut_warnings, level_set};

/// Maximum number of callers that are checked after an edit.
const MOST_CALLERS: usize = 5;
/// Maximum number of nodes of a function, with those of its calls, that is checked after an edit.
const MOST_NODES: usize = 4_000;

/// Callers and level sets whose value follows an edit, with the document after it. They are checked after the commit: that
/// takes longer than a commit should.
#[derive(Debug, Default)]
pub(crate) struct FollowingValues {
    callers: Vec<FunctionId>,
    level_sets: Vec<ResourceId>,
    /// `None` if nothing follows, since a second owner of a document makes its next edit slower.
    document: Option<Document>,
}

impl FollowingValues {
    /// Finds the first callers and level sets whose value follows changed values.
    pub(crate) fn of(document: &Document, values: &ChangedValues) -> Self {
        let following = values.dependents(document).ids;
        let ids = following.iter().copied();
        let level_sets = ids.clone().filter(|&id| level_set(document, id).is_some());
        let level_sets: Vec<ResourceId> = level_sets.take(MOST_BRIEF).collect();
        // A caller of a function with other inputs changes with it.
        let changed = ids.clone().filter(|&id| values.contains(id));
        let direct: BTreeSet<FunctionId> =
            changed.flat_map(|id| document.callers(id.into())).collect();
        let functions = ids.filter_map(|id| document.find_function(id.into()));
        let callers = functions.map(Function::id);
        let callers = callers.filter(|&id| !values.contains(id.into()) || direct.contains(&id));
        let callers: Vec<FunctionId> = callers.take(MOST_CALLERS).collect();
        let is_empty = level_sets.is_empty() && callers.is_empty();
        FollowingValues {
            document: (!is_empty).then(|| document.clone()),
            callers,
            level_sets,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.document.is_none()
    }

    /// Leaves level sets out.
    pub(crate) fn without(mut self, others: &[ResourceId]) -> Self {
        self.level_sets.retain(|id| !others.contains(id));
        self
    }

    /// Warns of callers that lack a value, and of level sets as [`brief_cut_warnings`]: what has more than some thousand nodes
    /// is skipped.
    pub(crate) fn warnings(self) -> Vec<String> {
        let Some(document) = &self.document else {
            return Vec::new();
        };
        let is_small = |id: ResourceId| is_small(document, id);
        let level_sets = self.level_sets.into_iter();
        let level_sets: Vec<_> = level_sets
            .filter_map(|id| Some((id, level_set(document, id)?)))
            .filter(|(_, level_set)| is_small(level_set.field.function_id))
            .collect();
        // The warning of a level set tells as much of its function.
        let is_told = |id: ResourceId| {
            let mut fields = level_sets.iter().map(|(_, level_set)| &level_set.field);
            fields.any(|field| field.function_id == id)
        };
        let callers = self.callers.into_iter().map(ResourceId::from);
        let callers = callers.filter(|&id| !is_told(id) && is_small(id));
        let mut all: Vec<String> = callers
            .filter_map(|id| unset_warning(document, document.find_function(id.into())?))
            .collect();
        all.extend(brief_cut_warnings(document, &level_sets));
        all
    }
}

/// Warning of a function that has no value because a parameter in it, or in what it calls, is unset.
fn unset_warning(document: &Document, function: &Function) -> Option<String> {
    let error = Tape::new(document, function.id()).err()?;
    let noun = document.noun(function.id().into())?;
    (error.code() == "missing_input").then(|| format!("{noun} cannot be evaluated: {error}"))
}

/// True if a function has at most [`MOST_NODES`] nodes, with those of its calls.
fn is_small(document: &Document, id: ResourceId) -> bool {
    let (mut pending, mut count) = (vec![id], 0);
    while let Some(function) = pending
        .pop()
        .and_then(|id| document.find_function(id.into()))
    {
        count += function.node_count();
        if count > MOST_NODES {
            return false;
        }
        pending.extend(function.nodes().filter_map(NodeView::callee));
    }
    true
}
