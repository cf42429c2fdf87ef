//! Warnings about what a batch of edits defined.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::expression::are_copies;
use fibula_core::graph::{Document, Function, FunctionId, NodeId};
use fibula_core::library::warnings;
use fibula_nodes::ResourceId;

use crate::domain_cuts::cut_warnings;
use crate::following_values::FollowingValues;
use crate::functions::call_notes::call_form;
use crate::name_lookup::shared_names;

/// Maximum number of functions that are checked for warnings.
const MOST_WARNED: usize = 100;

/// Definitions that a batch created or modified, to be checked for warnings.
#[derive(Debug, Default)]
pub(super) struct CheckedDefinitions {
    /// Level sets created or modified.
    pub(super) level_sets: Vec<ResourceId>,
    /// Other level sets whose value follows what was changed.
    pub(super) following: FollowingValues,
    /// Functions created from expressions.
    pub(super) functions: Vec<FunctionId>,
    /// Functions that got their names.
    pub(super) called: BTreeSet<FunctionId>,
    /// Functions with values that were set.
    pub(super) with_values: BTreeSet<FunctionId>,
    /// Nodes that got their names.
    pub(super) named: BTreeMap<FunctionId, BTreeSet<NodeId>>,
    /// Warnings of names that their expressions define and do not use.
    pub(super) unused: Vec<String>,
}

impl CheckedDefinitions {
    pub(super) fn is_empty(&self) -> bool {
        self.level_sets.is_empty()
            && self.following.is_empty()
            && self.functions.is_empty()
            && self.called.is_empty()
            && self.with_values.is_empty()
            && self.named.is_empty()
    }

    pub(super) fn warnings(self, document: &Document) -> Vec<String> {
        let mut all = self.unused;
        all.extend(cut_warnings(document, self.level_sets));
        all.extend(self.following.warnings());
        let called = self.called.into_iter().take(MOST_WARNED);
        all.extend(called.filter_map(|id| {
            let function = document.find_function(id)?;
            // Copies are not ambiguous.
            let call = || call_form(document, id, function.name());
            (!has_copy(document, function)).then(call).flatten()
        }));
        let named = self.named.into_iter().take(MOST_WARNED);
        all.extend(named.flat_map(|(function, nodes)| shared_names(document, function, &nodes)));
        let mut with_values = self.with_values;
        with_values.retain(|id| !self.functions.contains(id));
        let limited = with_values.into_iter().take(MOST_WARNED);
        all.extend(warnings(document, limited));
        let functions = self.functions.into_iter().take(MOST_WARNED);
        all.extend(warnings(document, functions));
        all
    }
}

/// True if another function of the same name is a copy.
fn has_copy(document: &Document, function: &Function) -> bool {
    let id = function.id();
    let mut others = document
        .functions()
        .filter(|other| other.id() != id && other.name() == function.name());
    others.any(|other| are_copies(document, id, other.id()))
}
