//! Names that are made of others: short enough, and none twice.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::graph::LONGEST_NAME;
use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};

/// What calls and gradients call parameters of their own.
const RESERVED: [&str; 4] = [FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT, "step"];

/// A name with something behind it, cut so that it is a name still.
pub(super) fn suffixed(name: &str, suffix: &str) -> String {
    let mut end = name.len().min(LONGEST_NAME.saturating_sub(suffix.len()));
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{suffix}", &name[..end])
}

/// Names of the inputs or outputs of a function.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// In small letters.
    taken: BTreeSet<String>,
    /// How often each was wanted.
    wanted: BTreeMap<String, usize>,
}

impl Names {
    /// The name, or the next free one that is made of it.
    pub(super) fn free(&mut self, name: &str) -> String {
        let count = self.wanted.entry(name.to_owned()).or_default();
        loop {
            *count += 1;
            let free = match *count {
                1 => name.to_owned(),
                count => suffixed(name, &format!("_{count}")),
            };
            let is_reserved = RESERVED.iter().any(|own| free.eq_ignore_ascii_case(own));
            if !is_reserved && self.taken.insert(free.to_lowercase()) {
                return free;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_free_and_fit() {
        let mut names = Names::default();
        let mut free = |name: &str| names.free(name);
        assert_eq!(free("result"), "result");
        assert_eq!(free("result"), "result_2");
        assert_eq!(free("Result_2"), "Result_2_2");
        assert_eq!(free("Result"), "Result_3");
        assert_eq!(free("functionid"), "functionid_2");
        assert_eq!(free("step"), "step_2");
        let long = "ä".repeat(LONGEST_NAME / 2);
        assert_eq!(free(&long), long);
        assert_eq!(free(&long), format!("{}_2", "ä".repeat(127)));
        assert_eq!(suffixed(&long, "_normalized").len(), LONGEST_NAME - 1);
    }
}
