//! Number of fields of a query before it is validated: nested fragments can expand to a billion fields in a hundred lines.

use std::collections::HashMap;

use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};

use super::MAX_FIELDS;

/// Maximum depth of a document with fragments expanded.
pub(super) const MAX_DOCUMENT_DEPTH: usize = 64;

/// Counts the fields and fragments of a document with fragments expanded; `None` if there are too many, they nest too
/// deep, or are cyclic. A fragment counts even if it is empty or unknown: expanding it is work as well.
pub(super) fn count_fields(document: &ExecutableDocument) -> Option<usize> {
    let mut counter = FieldCounter {
        document,
        known: HashMap::new(),
    };
    let operations = document.operations.iter();
    let sets = operations.map(|(_, operation)| &operation.node.selection_set.node);
    let mut sum = 0_usize;
    for set in sets {
        sum = sum.saturating_add(counter.fields(set, 0)?);
    }
    (sum <= MAX_FIELDS).then_some(sum)
}

/// Memoized counts of fields and fragments.
struct FieldCounter<'a> {
    document: &'a ExecutableDocument,
    /// Counts by fragment; `None` while a fragment is being counted.
    known: HashMap<&'a str, Option<usize>>,
}

impl<'a> FieldCounter<'a> {
    fn fields(&mut self, set: &'a SelectionSet, depth: usize) -> Option<usize> {
        if depth > MAX_DOCUMENT_DEPTH {
            return None;
        }
        let mut sum = 0_usize;
        for selection in &set.items {
            let own = match &selection.node {
                Selection::Field(field) => {
                    let inner = &field.node.selection_set.node;
                    1 + self.fields(inner, depth + 1)?
                }
                Selection::InlineFragment(inner) => {
                    1 + self.fields(&inner.node.selection_set.node, depth + 1)?
                }
                Selection::FragmentSpread(spread) => {
                    let name = spread.node.fragment_name.node.as_str();
                    1 + self.fragment(name, depth)?
                }
            };
            sum = sum.saturating_add(own);
            if sum > MAX_FIELDS {
                return None;
            }
        }
        Some(sum)
    }

    /// Returns the count of a fragment; 0 for an unknown one, which validation rejects later.
    fn fragment(&mut self, name: &'a str, depth: usize) -> Option<usize> {
        if let Some(known) = self.known.get(name) {
            return *known;
        }
        let Some(fragment) = self.document.fragments.get(name) else {
            return Some(0);
        };
        self.known.insert(name, None);
        let count = self.fields(&fragment.node.selection_set.node, depth + 1)?;
        self.known.insert(name, Some(count));
        Some(count)
    }
}
