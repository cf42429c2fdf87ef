//! Unique names of ports, derived from the names of nodes.

use std::collections::{BTreeMap, BTreeSet};

use fibula_nodes::call::{FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT};

use crate::graph::LONGEST_NAME;

/// Parameters that calls and gradients have themselves.
const RESERVED: [&str; 4] = [FUNCTION_ID, SCALAR_OUTPUT, VECTOR_INPUT, "step"];

/// Appends a suffix, truncating the name to the limit of names.
pub(super) fn suffixed(name: &str, suffix: &str) -> String {
    let mut end = name.len().min(LONGEST_NAME.saturating_sub(suffix.len()));
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{suffix}", &name[..end])
}

/// Assigns unique names to the inputs or outputs of a function.
#[derive(Debug, Default)]
pub(super) struct UniqueNames {
    /// In lower case.
    taken: BTreeSet<String>,
    /// Number of requests for each name.
    wanted: BTreeMap<String, usize>,
}

impl UniqueNames {
    /// Returns the name, or the name with the next free number.
    pub(super) fn assign(&mut self, name: &str) -> String {
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
        let mut names = UniqueNames::default();
        let mut free = |name: &str| names.assign(name);
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
