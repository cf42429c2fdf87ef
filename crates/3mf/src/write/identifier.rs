//! Identifiers of nodes and ports: of allowed characters, unique, and similar to their names.

use std::collections::BTreeSet;

use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type};
use rustc_hash::FxHashSet;

use super::element::ElementPort;
use super::error::WriteError;
use crate::functions::port_names::sanitize;

/// Maximum number of characters of a name in an identifier.
const LONGEST: usize = 60;

/// Identifiers of the nodes of one function.
#[derive(Debug)]
pub(super) struct Identifiers(FxHashSet<String>);

impl Identifiers {
    /// Reserves the identifiers that no node may have.
    pub(super) fn new() -> Self {
        let reserved = ["inputs", "outputs"].map(str::to_owned);
        Identifiers(reserved.into_iter().collect())
    }

    /// Assigns an identifier similar to a wish; `tag` distinguishes it from others of the same wish.
    pub(super) fn assign(&mut self, wish: &str, tag: &str) -> String {
        let wish: String = sanitize(wish).chars().take(LONGEST).collect();
        let wish = if wish.is_empty() {
            "node".to_owned()
        } else {
            wish
        };
        let mut found = wish.clone();
        let mut count = 1;
        while !self.0.insert(found.clone()) {
            found = match count {
                1 => format!("{wish}_{tag}"),
                count => format!("{wish}_{tag}_{count}"),
            };
            count += 1;
        }
        found
    }
}

/// Ports of a function, with their identifiers.
#[derive(Debug, Clone, Default)]
pub(super) struct FunctionPorts {
    pub(super) ty: FunctionType,
    /// Identifiers of its inputs, in their order.
    pub(super) inputs: Vec<String>,
    /// Identifiers of its outputs, in their order.
    pub(super) outputs: Vec<String>,
}

impl FunctionPorts {
    /// Assigns identifiers to the ports of a function; `what` is its name for messages.
    ///
    /// # Errors
    /// [`WriteError::NoSuchType`].
    pub(super) fn new(ty: &FunctionType, what: &str) -> Result<Self, WriteError> {
        for (side, ports) in [("input", &ty.inputs), ("output", &ty.outputs)] {
            for port in ports {
                match port.ty {
                    Type::Float | Type::Float3 | Type::Matrix4x4 | Type::ResourceId => {}
                    Type::Integer | Type::String => {
                        let name = fibula_nodes::names::visible(&port.name, 60);
                        let place = format!("the {side} '{name}' of {what}");
                        return Err(WriteError::NoSuchType { place, ty: port.ty });
                    }
                }
            }
        }
        Ok(FunctionPorts {
            inputs: identifiers(&ty.inputs),
            outputs: identifiers(&ty.outputs),
            ty: ty.clone(),
        })
    }

    /// Identifier of the output with this name; the name if there is none.
    pub(super) fn output<'a>(&'a self, name: &'a str) -> &'a str {
        identifier_of(&self.ty.outputs, &self.outputs, name)
    }

    /// Inputs with their identifiers.
    pub(super) fn input_ports(&self) -> Vec<ElementPort> {
        ports(&self.ty.inputs, &self.inputs)
    }

    /// Outputs with their identifiers.
    pub(super) fn output_ports(&self) -> Vec<ElementPort> {
        ports(&self.ty.outputs, &self.outputs)
    }
}

fn identifier_of<'a>(ports: &[PortSpec], identifiers: &'a [String], name: &'a str) -> &'a str {
    let place = ports.iter().position(|port| port.name == name);
    place.map_or(name, |place| &identifiers[place])
}

fn ports(specs: &[PortSpec], identifiers: &[String]) -> Vec<ElementPort> {
    let port = |(spec, identifier): (&PortSpec, &String)| ElementPort {
        identifier: identifier.clone(),
        display_name: (spec.name != *identifier).then(|| spec.name.clone()),
        ty: spec.ty,
    };
    specs.iter().zip(identifiers).map(port).collect()
}

/// Identifiers of ports: their names where those are identifiers, else similar ones.
fn identifiers(ports: &[PortSpec]) -> Vec<String> {
    let names = ports.iter().map(|port| port.name.as_str());
    let own = names.filter(|name| sanitize(name) == *name);
    let mut taken: BTreeSet<String> = own.map(str::to_owned).collect();
    let identifier = |port: &PortSpec| {
        let wish = sanitize(&port.name);
        if wish == port.name {
            return wish;
        }
        let mut found = wish.clone();
        let mut count = 2;
        while !taken.insert(found.clone()) {
            found = format!("{wish}_{count}");
            count += 1;
        }
        found
    };
    ports.iter().map(identifier).collect()
}

/// Ports of functions, by their ids.
pub(super) type PortsById = std::collections::BTreeMap<ResourceId, FunctionPorts>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_identifiers_of_their_own() {
        let mut all = Identifiers::new();
        let taken: Vec<String> = [
            ("Sine_3", "3"),
            ("a b", "4"),
            ("a-b", "5"),
            ("a b", "4"),
            ("inputs", "6"),
            ("ö", "7"),
        ]
        .into_iter()
        .map(|(wish, tag)| all.assign(wish, tag))
        .collect();
        assert_eq!(taken, ["Sine_3", "a_b", "a_b_5", "a_b_4", "inputs_6", "_"]);
        assert_eq!(all.assign(&"x".repeat(1000), "8").len(), LONGEST);
    }

    #[test]
    fn ports_keep_their_names_where_those_are_identifiers() {
        let ports = ["a b", "a_b", "a-b", "pos"].map(|name| PortSpec::new(name, Type::Float));
        assert_eq!(identifiers(&ports), ["a_b_2", "a_b", "a_b_3", "pos"]);
        let odd = FunctionType::new(vec![PortSpec::new("n", Type::Integer)], Vec::new());
        let error = FunctionPorts::new(&odd, "function 3 (f)").unwrap_err();
        assert_eq!(
            error.to_string(),
            "the input 'n' of function 3 (f) has type integer, which 3MF lacks; it has float, float3, matrix4x4 and \
             resource_id"
        );
    }
}
