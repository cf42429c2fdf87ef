//! Warnings about what follows an edit: callers that lack a value because of it, and level sets whose domain cuts or misses their
//! shape.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use fibula_core::eval::{EvalError, Tape, UnsetInput};
use fibula_core::graph::{Document, Function, FunctionId, NodeView};
use fibula_nodes::ResourceId;

use crate::dependents::ChangedValues;
use crate::domain_cuts::{MOST_BRIEF, brief_cut_warnings, level_set};

/// Maximum number of unset inputs that are named.
const MOST_UNSET: usize = 5;
/// Time after which no more callers are checked.
const MOST_TIME: Duration = Duration::from_millis(250);
/// Maximum number of nodes of a function, with those of its calls, that is checked after an edit.
const MOST_NODES: usize = 4_000;

/// Callers and level sets whose value follows an edit, with the document after it. They are checked after the commit: that
/// takes longer than a commit should.
#[derive(Debug, Default)]
pub(crate) struct FollowingValues {
    /// Functions that changed.
    changed: BTreeSet<FunctionId>,
    callers: Vec<FunctionId>,
    level_sets: Vec<ResourceId>,
    /// `None` if nothing is to be checked, since a second owner of a document makes its next edit slower.
    document: Option<Document>,
}

impl FollowingValues {
    /// Finds the callers, and the first level sets but `warned`, whose value follows changed values.
    pub(crate) fn of(
        document: &Document,
        values: &ChangedValues,
        warned: &[ResourceId],
    ) -> FollowingValues {
        let following = values.dependents(document).ids;
        let functions = following.iter();
        let functions = functions.filter_map(|id| document.find_function((*id).into()));
        let (changed, callers): (BTreeSet<FunctionId>, BTreeSet<FunctionId>) = functions
            .map(Function::id)
            .partition(|id| values.contains((*id).into()));
        // A caller of a function with other inputs changes with it.
        let direct = changed.iter().flat_map(|id| document.callers(*id));
        let mut callers: BTreeSet<FunctionId> = direct.chain(callers).collect();
        let checked = FollowingValues::of_level_sets(document, following, warned);
        // The warning of a level set is one of its function, too.
        for &id in checked.level_sets.iter().chain(warned) {
            if let Some(level_set) = level_set(document, id) {
                callers.remove(&level_set.field.function_id.into());
            }
        }
        FollowingValues {
            changed,
            callers: callers.into_iter().collect(),
            ..checked
        }
        .with_document(document)
    }

    /// As [`of`](Self::of), without callers: after an edit that leaves nothing without a value.
    pub(crate) fn without_callers(document: &Document, values: &ChangedValues) -> FollowingValues {
        let following = values.dependents(document).ids;
        FollowingValues::of_level_sets(document, following, &[]).with_document(document)
    }

    fn of_level_sets(
        document: &Document,
        following: BTreeSet<ResourceId>,
        warned: &[ResourceId],
    ) -> FollowingValues {
        let level_sets = following
            .into_iter()
            .filter(|id| level_set(document, *id).is_some() && !warned.contains(id));
        FollowingValues {
            level_sets: level_sets.take(MOST_BRIEF).collect(),
            ..FollowingValues::default()
        }
    }

    fn with_document(mut self, document: &Document) -> FollowingValues {
        let is_empty = self.level_sets.is_empty() && self.callers.is_empty();
        self.document = (!is_empty).then(|| document.clone());
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.document.is_none()
    }

    /// Warns of callers that the edit leaves without a value, and of level sets as [`brief_cut_warnings`]: functions with more
    /// than some thousand nodes are skipped.
    pub(crate) fn warnings(self) -> Vec<String> {
        let Some(document) = &self.document else {
            return Vec::new();
        };
        let mut all = self.unset_warnings(document);
        let level_sets = self.level_sets.into_iter();
        let level_sets: Vec<_> = level_sets
            .filter_map(|id| Some((id, level_set(document, id)?)))
            .filter(|(_, level_set)| is_small(document, level_set.field.function_id))
            .collect();
        all.extend(brief_cut_warnings(document, &level_sets));
        all
    }

    /// A warning for each unset input of a changed function, or of a call of one, that leaves callers without a value.
    fn unset_warnings(&self, document: &Document) -> Vec<String> {
        let begun = Instant::now();
        let mut unset: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut warnings = Vec::new();
        for (index, &id) in self.callers.iter().enumerate() {
            if begun.elapsed() >= MOST_TIME {
                warnings.push(format!(
                    "whether callers can still be evaluated was checked for {index} of {}",
                    self.callers.len()
                ));
                break;
            }
            let is_small = is_small(document, id.into());
            let error = is_small.then(|| Tape::new(document, id).err()).flatten();
            let (Some(EvalError::MissingInput(inputs)), Some(noun)) =
                (error, document.noun(id.into()))
            else {
                continue;
            };
            for input in inputs {
                if self.is_of_edit(document, &input) {
                    unset
                        .entry(input.to_string())
                        .or_default()
                        .push(noun.clone());
                }
            }
        }
        let more = unset.len().saturating_sub(MOST_UNSET);
        let named = unset.into_iter().take(MOST_UNSET).map(|(input, callers)| {
            let also = match callers.len() - 1 {
                0 => String::new(),
                1 => ", nor can another caller".to_owned(),
                more => format!(", nor can {more} other callers"),
            };
            format!(
                "{} cannot be evaluated{also}: {input} is neither set nor linked",
                callers[0]
            )
        });
        warnings.splice(0..0, named);
        if more > 0 {
            warnings.push(format!(
                "{more} more inputs of callers are neither set nor linked"
            ));
        }
        warnings
    }

    /// True if an unset input is in a changed function, or of a call of one.
    fn is_of_edit(&self, document: &Document, input: &UnsetInput) -> bool {
        let function = document.find_function(input.function_id);
        let node = function.and_then(|function| function.node(input.node.node_id).ok());
        let callee = node.and_then(NodeView::callee);
        self.changed.contains(&input.function_id)
            || callee.is_some_and(|callee| self.changed.contains(&callee.into()))
    }
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
