//! Names of inputs and outputs that are no identifiers: the writer gives them identifiers near to them, and the names
//! as `displayname`.

use std::collections::{BTreeSet, HashMap};

use fibula_core::graph::check_name;

use super::raw::{self, Input, Port};
use super::scope::sanitised;

/// Names by identifiers, of ports whose name is not their identifier.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct PortNames {
    inputs: HashMap<String, String>,
    outputs: HashMap<String, String>,
}

impl PortNames {
    /// Of the ends of a function.
    pub(super) fn of(function: &raw::Function) -> PortNames {
        PortNames {
            inputs: names(function.inputs.iter().map(of_port)),
            outputs: names(function.outputs.iter().map(of_input)),
        }
    }

    /// Of a node that calls a function which is not named.
    pub(super) fn of_call(node: &raw::Node) -> PortNames {
        PortNames {
            inputs: names(node.inputs.iter().map(of_input)),
            outputs: names(node.outputs.iter().map(of_port)),
        }
    }

    /// Whether every name is its identifier.
    pub(super) fn is_empty(&self) -> bool {
        self.inputs.is_empty() && self.outputs.is_empty()
    }

    /// The name of the input with this identifier.
    pub(super) fn input<'a>(&'a self, identifier: &'a str) -> &'a str {
        self.inputs
            .get(identifier)
            .map_or(identifier, String::as_str)
    }

    /// The name of the output with this identifier.
    pub(super) fn output<'a>(&'a self, identifier: &'a str) -> &'a str {
        self.outputs
            .get(identifier)
            .map_or(identifier, String::as_str)
    }
}

fn of_port(port: &Port) -> (&str, Option<&str>) {
    (&port.identifier, port.display_name.as_deref())
}

fn of_input(input: &Input) -> (&str, Option<&str>) {
    (&input.identifier, input.display_name.as_deref())
}

fn names<'a>(ports: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> HashMap<String, String> {
    let mut seen = BTreeSet::new();
    ports
        .filter_map(|(identifier, name)| {
            let name = name.filter(|name| is_of(name, identifier) && seen.insert(*name))?;
            Some((identifier.to_owned(), name.to_owned()))
        })
        .collect()
}

/// Whether an identifier is what the writer makes of a name that is none.
fn is_of(name: &str, identifier: &str) -> bool {
    let near = sanitised(name);
    let number = |rest: &str| {
        rest.strip_prefix('_')
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let fits = || {
        identifier
            .strip_prefix(&near)
            .is_some_and(|rest| rest.is_empty() || number(rest))
    };
    near != name && fits() && check_name("a name", name).is_ok()
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
            assert_eq!(is_of(name, identifier), expected, "{name} {identifier}");
        }
        let names = names([("a_b", Some("a b")), ("a_b_2", Some("a b")), ("c", None)].into_iter());
        assert_eq!(names, HashMap::from([("a_b".to_owned(), "a b".to_owned())]));
    }
}
