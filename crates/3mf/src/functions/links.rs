//! Links: resolves the references of inputs, and checks their types.

use fibula_core::graph::{NodeData, Setting, SourceData};
use fibula_nodes::{Type, names};

use super::parsed::ParsedPort;
use super::port_names::sanitize;
use super::scope::{ReferenceSource, read_as, suggestions};
use super::{BEGIN, FunctionReader};
use crate::error::{Locate, Location, Problem, ReadError, brief};

impl<'a> FunctionReader<'a, '_> {
    /// Links the parameters of a node, and returns the types of their sources.
    pub(crate) fn link_inputs(
        &mut self,
        at: usize,
        data: &mut NodeData,
    ) -> Result<Vec<Option<Type>>, ReadError> {
        let node = &self.scope.function.nodes[at];
        let signature = self.kinds[at].signature.clone();
        let mut types = vec![None; signature.parameters.len()];
        let (mut empty, mut dropped, mut needs) = (Vec::new(), Vec::new(), Vec::new());
        for input in &node.inputs {
            let place = self.scope.place(at).at_line(input.line);
            let parameter_name = sanitize(&input.identifier);
            let parameter_name = self.kinds[at].names.input(&parameter_name);
            let parameter = match signature.parameter_position(parameter_name) {
                Some(parameter) => parameter,
                None if input.reference.is_empty() => {
                    dropped.push(brief(&input.identifier));
                    continue;
                }
                None => {
                    let unknown = signature.parameter(parameter_name).err();
                    let problem = Problem::UnknownInput {
                        element: brief(&node.element.name),
                        input: brief(&input.identifier),
                        nearest: unknown.map(|unknown| unknown.nearest).unwrap_or_default(),
                    };
                    return Err(problem.at(place));
                }
            };
            let name = signature.parameters[parameter].name.to_string();
            if input.reference.is_empty() {
                empty.push(brief(&input.identifier));
                continue;
            }
            if types[parameter].is_some() {
                let text = format!("duplicate link of input {}", brief(&name));
                return Err(Problem::DuplicateId(text).at(place));
            }
            if name != input.identifier && parameter_name == input.identifier {
                let message = read_as("input", &input.identifier, &name);
                self.repair("input_name", place.clone(), message);
            }
            let (source, on) = self.link(input, &name, &place)?;
            needs.extend(on);
            types[parameter] = Some(input.ty);
            let link = Setting::Source(source);
            if let Some(Setting::Value(_)) = data.parameters.insert(name.clone(), link) {
                let name = brief(&name);
                let message = format!("input {name} is linked, so its attribute is ignored");
                self.repair("linked_constant", place, message);
            }
        }
        let unset = "have an empty ref: read as unset, or as their attribute";
        let extra = "are unknown to the node type and have an empty ref: ignored";
        for (code, names, what) in [
            ("empty_reference", empty, unset),
            ("extra_input", dropped, extra),
        ] {
            if !names.is_empty() {
                let message = format!("inputs {what}: {}", names.join(", "));
                self.repair(code, self.scope.place(at), message);
            }
        }
        self.needs.push(needs);
        Ok(types)
    }

    /// Reports the inputs of a node that have neither a source nor a value nor a default.
    pub(crate) fn warn_of_missing_inputs(&mut self, at: usize, data: &NodeData) {
        let kind = &self.kinds[at];
        let parameters = kind.signature.parameters.iter();
        let missing = parameters
            .filter(|one| one.default.is_none() && !data.parameters.contains_key(&*one.name))
            .map(|one| brief(&one.name));
        let missing: Vec<String> = missing.collect();
        if missing.is_empty() {
            return;
        }
        let (element, inputs) = (kind.about.element, missing.join(", "));
        let message = format!(
            "<{element}> has no source for {inputs}, which it requires: the function cannot be evaluated"
        );
        let fix = "link each of its inputs to an output of the same type";
        let place = self.scope.place(at);
        self.findings.warn("missing_input", place, message, fix);
    }

    /// Source of an input, and the index of its node if it is one.
    pub(crate) fn link(
        &mut self,
        input: &'a ParsedPort,
        what: &str,
        place: &Location,
    ) -> Result<(SourceData, Option<usize>), ReadError> {
        let source = self.scope.source(&input.reference).at(place)?;
        let (data, got) = match source {
            ReferenceSource::Input(name) => self.function_input(name, &input.reference),
            ReferenceSource::Node(node, name) => self.output(node, name, input),
        }
        .at(place)?;
        if got != input.ty {
            let (what, source_port) = (brief(what), brief(&input.reference));
            return Err(Problem::TypeMismatch {
                what,
                expected: input.ty,
                source_port,
                got,
            }
            .at(place.clone()));
        }
        let on = match source {
            ReferenceSource::Node(node, _) => Some(node),
            ReferenceSource::Input(_) => None,
        };
        Ok((data, on))
    }

    fn function_input(&self, name: &str, reference: &str) -> Result<(SourceData, Type), Problem> {
        let name = sanitize(name);
        let name = self.names.input(&name);
        let inputs = self.ends.inputs.iter();
        if let Some(port) = inputs.clone().find(|port| port.name == name) {
            let data = SourceData {
                node_id: BEGIN,
                port: name.to_owned(),
            };
            return Ok((data, port.ty));
        }
        let nearest = names::nearest(name, inputs.map(|port| port.name.as_str()));
        Err(Problem::DanglingReference(format!(
            "ref={:?} is not an input of the function{}",
            brief(reference),
            suggestions(&nearest)
        )))
    }

    /// Output of a node, and its type in the file.
    fn output(
        &self,
        at: usize,
        name: &str,
        input: &ParsedPort,
    ) -> Result<(SourceData, Type), Problem> {
        let kind = &self.kinds[at];
        let dangling = |what: String| {
            Problem::DanglingReference(format!("ref={:?} {what}", brief(&input.reference)))
        };
        let port = kind
            .signature
            .port(kind.names.output(&sanitize(name)))
            .map_err(|unknown| {
                let element = kind.about.element;
                dangling(format!(
                    "refers to an output that {element} does not have{}",
                    suggestions(&unknown.nearest)
                ))
            })?;
        let name = kind.signature.ports[port].name.to_string();
        // A node may leave out outputs; if its kind has a single overload, the type is known all the same.
        let only = || match kind.signature.overloads.as_slice() {
            [rule] => Some(rule.outputs[port]),
            _ => None,
        };
        let ty = kind.declared[port].or_else(only);
        let ty = ty.ok_or_else(|| {
            dangling(format!(
                "refers to the output {name}, which the node does not declare"
            ))
        })?;
        Ok((SourceData::new(self.id(at), name), ty))
    }
}
