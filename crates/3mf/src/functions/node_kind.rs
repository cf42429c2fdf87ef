//! Kinds of nodes, with their ports and the types that the file gives them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{Family, FunctionType, KindInfo, PortSpec, Signature, Type, catalogue, names};

use super::FunctionReader;
use super::parsed::{ParsedNode, ParsedPort};
use super::port_names::{PortNames, sanitize};
use super::scope::{find_kind, read_as};
use crate::error::{Problem, ReadError, brief};
use crate::roundtrip::end_attributes::apply_details;
use crate::roundtrip::node_tag::ElementTag;

/// Kind of a node, with its signature.
pub(crate) struct NodeKind {
    pub(crate) about: &'static KindInfo,
    pub(crate) signature: Cow<'static, Signature>,
    /// Type that the file gives each port, if any.
    pub(crate) declared: Vec<Option<Type>>,
    /// Names of the ports that follow a function, where those are not their identifiers.
    pub(crate) names: PortNames,
    /// Type of the function that the node follows, if that function is not named.
    pub(crate) callee: Option<FunctionType>,
}

impl FunctionReader<'_, '_> {
    /// Determines the kind of a node, its ports, and the types that the file gives them.
    pub(crate) fn resolve_kind(&mut self, at: usize) -> Result<NodeKind, ReadError> {
        let node = &self.scope.function.nodes[at];
        let place = self.scope.place(at);
        let element = node.element.name.as_str();
        let Some(about) = find_kind(node) else {
            let native = catalogue::catalogue().iter().filter(|about| about.native);
            let nearest = names::nearest(element, native.map(|about| about.element));
            let element = brief(element);
            return Err(Problem::UnknownElement { element, nearest }.at(place));
        };
        if about.element != element {
            let message = format!(
                "<{}> is another name of <{}>",
                brief(element),
                about.element
            );
            self.repair("element_name", place.clone(), message);
        }
        let mut kind = self.without_types(at, about)?;
        let (signature, names) = (&kind.signature, &kind.names);
        let mut declared: Vec<Option<(&str, Type)>> = vec![None; signature.ports.len()];
        let mut extra = Vec::new();
        // An exact name of an output precedes its aliases.
        let is_alias = |output: &&ParsedPort| {
            let mut ports = signature.ports.iter();
            !ports.any(|port| port.name == output.identifier)
        };
        let mut outputs: Vec<&ParsedPort> = node.outputs.iter().collect();
        outputs.sort_by_key(is_alias);
        for output in outputs {
            let identifier = output.identifier.as_str();
            let Some(port) = signature.port_position(names.output(&sanitize(identifier))) else {
                extra.push(format!("'{}', which no node uses", brief(identifier)));
                continue;
            };
            let name = &signature.ports[port].name;
            match declared[port] {
                Some((_, ty)) if ty != output.ty => {
                    let other = output.ty;
                    let text = format!("duplicate output {name}, as a {ty} and as a {other}");
                    return Err(Problem::DuplicateId(text).at(place.at_line(output.line)));
                }
                Some(_) => extra.push(format!("'{}', read as '{name}'", brief(identifier))),
                None => declared[port] = Some((identifier, output.ty)),
            }
        }
        for (port, declared) in signature.ports.iter().zip(&declared) {
            if let Some((identifier, _)) = declared
                && port.name != names.output(identifier)
            {
                let message = read_as("output", identifier, &port.name);
                self.repair("output_name", place.clone(), message);
            }
        }
        if !extra.is_empty() {
            let extra = extra.join("; ");
            let message = format!("{element} has outputs that its type lacks: {extra}");
            self.repair("extra_output", place, message);
        }
        let types = declared.into_iter().map(|port| port.map(|(_, ty)| ty));
        kind.declared = types.collect();
        Ok(kind)
    }

    /// Kind of a node, without the types that the file gives; the signature of a call follows the function.
    fn without_types(&self, at: usize, about: &'static KindInfo) -> Result<NodeKind, ReadError> {
        let mut kind = NodeKind {
            about,
            signature: Cow::Borrowed(&about.signature),
            declared: Vec::new(),
            names: PortNames::default(),
            callee: None,
        };
        if about.family != Family::Call {
            return Ok(kind);
        }
        let known = self.scope.known;
        let callee = self.scope.callee(at)?;
        if let Some(id) = callee {
            kind.names = known.names.get(&id).cloned().unwrap_or_default();
        } else {
            let node = &self.scope.function.nodes[at];
            kind.names = PortNames::new(&node.inputs, &node.outputs);
            kind.callee = unnamed_callee(node, about, &kind.names);
        }
        let node = (about.make)();
        let followed = callee.map(|id| &known.types[&id]);
        let followed = followed.or(kind.callee.as_ref());
        let following = followed.and_then(|callee| node.with_callee(callee));
        let signature = following.unwrap_or(node).signature().into_owned();
        kind.signature = Cow::Owned(signature);
        Ok(kind)
    }
}

/// Type of the function that a node calls without naming it, by the ports that the node has; `None` if it has none, or ones
/// that no function could have.
fn unnamed_callee(node: &ParsedNode, about: &KindInfo, names: &PortNames) -> Option<FunctionType> {
    let is_call = about.name == "FunctionCall";
    let own = |identifier: &str| {
        identifier.eq_ignore_ascii_case(FUNCTION_ID) || (!is_call && identifier == "step")
    };
    let inputs = node.inputs.iter().filter(|input| !own(&input.identifier));
    let inputs = inputs.map(|input| (&input.identifier, names.input(&input.identifier), input.ty));
    let outputs = node.outputs.iter().filter(|_| is_call);
    let outputs = outputs.map(|port| (&port.identifier, names.output(&port.identifier), port.ty));
    let mut callee = FunctionType::new(port_specs(inputs)?, port_specs(outputs)?);
    let tag = node.element.attribute("tag").and_then(ElementTag::parse);
    if let Some(ElementTag::Node(tag)) = tag {
        apply_details(&tag.inputs, &mut callee.inputs);
    }
    (callee != FunctionType::default()).then_some(callee)
}

fn port_specs<'n>(
    ports: impl Iterator<Item = (&'n String, &'n str, Type)>,
) -> Option<Vec<PortSpec>> {
    let mut specs: Vec<PortSpec> = Vec::new();
    let mut seen = BTreeSet::new();
    for (identifier, name, ty) in ports {
        let plain = !identifier.is_empty() && sanitize(identifier) == *identifier;
        (plain && seen.insert(name)).then_some(())?;
        specs.push(PortSpec::new(name, ty));
    }
    Some(specs)
}
