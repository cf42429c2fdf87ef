//! How much a question asks for, before it is looked at: fragments of fragments can be a billion fields in a hundred lines.

use std::collections::HashMap;

use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};

use super::MOST_FIELDS;

/// How deep a question is written, fragments put in.
pub(super) const DEEPEST_WRITTEN: usize = 64;

/// How many fields and fragments a document asks for, fragments put in; `None` if these are too many, too deep, or go in
/// circles. A fragment counts even when nothing is in it, or when it is unknown: putting it in is work as well.
pub(super) fn written(document: &ExecutableDocument) -> Option<usize> {
    let mut writing = Writing {
        document,
        known: HashMap::new(),
    };
    let operations = document.operations.iter();
    let sets = operations.map(|(_, operation)| &operation.node.selection_set.node);
    let mut sum = 0_usize;
    for set in sets {
        sum = sum.saturating_add(writing.fields(set, 0)?);
    }
    (sum <= MOST_FIELDS).then_some(sum)
}

/// Counts fields and fragments.
struct Writing<'a> {
    document: &'a ExecutableDocument,
    /// How many each fragment has; `None` while that is counted.
    known: HashMap<&'a str, Option<usize>>,
}

impl<'a> Writing<'a> {
    fn fields(&mut self, set: &'a SelectionSet, depth: usize) -> Option<usize> {
        if depth > DEEPEST_WRITTEN {
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
            if sum > MOST_FIELDS {
                return None;
            }
        }
        Some(sum)
    }

    /// What the fragment of a name has; nothing if there is none, which is refused later, by its name.
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
