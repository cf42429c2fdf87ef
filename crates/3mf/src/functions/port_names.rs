//! Names of inputs and outputs that are not identifiers: the writer gives them similar identifiers, and the names as
//! `displayname`.

use std::collections::{BTreeSet, HashMap};

use fibula_core::graph::check_name;

use super::parsed::ParsedPort;

/// Names by identifiers, of ports whose name is not their identifier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PortNames {
    inputs: HashMap<String, String>,
    outputs: HashMap<String, String>,
}

impl PortNames {
    /// Names of the inputs and outputs of a function, or of those of a node that calls an unnamed function.
    pub(crate) fn new(inputs: &[ParsedPort], outputs: &[ParsedPort]) -> PortNames {
        let ports = |ports: &[ParsedPort]| {
            let ports = ports.iter();
            names(ports.map(|port| (port.identifier.as_str(), port.display_name.as_deref())))
        };
        PortNames {
            inputs: ports(inputs),
            outputs: ports(outputs),
        }
    }

    /// True if every name is its identifier.
    pub(crate) fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.outputs.is_empty()
    }

    /// Name of the input with this identifier.
    pub(crate) fn input<'a>(&'a self, identifier: &'a str) -> &'a str {
        let name = self.inputs.get(identifier);
        name.map_or(identifier, String::as_str)
    }

    /// Name of the output with this identifier.
    pub(crate) fn output<'a>(&'a self, identifier: &'a str) -> &'a str {
        let name = self.outputs.get(identifier);
        name.map_or(identifier, String::as_str)
    }
}

fn names<'a>(ports: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> HashMap<String, String> {
    let mut seen = BTreeSet::new();
    let named = ports.filter_map(|(identifier, name)| {
        let name = name.filter(|name| is_identifier_of(name, identifier))?;
        let is_new = seen.insert(name);
        is_new.then(|| (identifier.to_owned(), name.to_owned()))
    });
    named.collect()
}

/// True if the writer derives this identifier from the name.
fn is_identifier_of(name: &str, identifier: &str) -> bool {
    let near = sanitize(name);
    let is_number = |rest: &str| {
        let digits = rest.strip_prefix('_').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let suffix = identifier.strip_prefix(&near);
    let fits = suffix.is_some_and(|rest| rest.is_empty() || is_number(rest));
    near != name && fits && check_name("a name", name).is_ok()
}

/// Replaces every character outside of `[A-Za-z0-9_]` by `_`.
pub(crate) fn sanitize(identifier: &str) -> String {
    identifier
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_no_identifiers_count() {
        for (name, identifier, expected) in [
            ("wall thickness", "wall_thickness", true),
            ("wall thickness", "wall_thickness_2", true),
            ("wall thickness", "wall_thickness_x", false),
            ("wall thickness", "thickness", false),
            ("position", "pos", false),
            ("pos", "pos_2", false),
            ("Größe", "Gr__e", true),
            ("a\u{200b}", "a_", false),
        ] {
            let found = is_identifier_of(name, identifier);
            assert_eq!(found, expected, "{name} {identifier}");
        }
        let names = names([("a_b", Some("a b")), ("a_b_2", Some("a b")), ("c", None)].into_iter());
        assert_eq!(names, HashMap::from([("a_b".to_owned(), "a b".to_owned())]));
    }
}
