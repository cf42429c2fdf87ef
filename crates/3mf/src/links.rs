//! References: what the inputs of a node are linked to, and whether the types agree.

use fibula_core::graph::{NodeData, Setting, SourceData};
use fibula_nodes::{Type, names};

use super::error::{Location, Problem, ReadError, brief};
use super::function::{BEGIN, Reading};
use super::raw::Input;
use super::scope::{Source, or, sanitised};

impl<'a> Reading<'a, '_> {
    /// Links the parameters, and says the types of what they are linked to.
    pub(super) fn links(
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
            let asked = sanitised(&input.identifier);
            let asked = self.kinds[at].names.input(&asked);
            let parameter = match signature.parameter_position(asked) {
                Some(parameter) => parameter,
                None if input.reference.is_empty() => {
                    dropped.push(brief(&input.identifier));
                    continue;
                }
                None => {
                    let unknown = signature.parameter(asked).err();
                    let (element, input) = (brief(&node.element.name), brief(&input.identifier));
                    return Err(Problem::UnknownInput {
                        element,
                        input,
                        nearest: unknown.map(|unknown| unknown.nearest).unwrap_or_default(),
                    }
                    .at(place));
                }
            };
            let name = signature.parameters[parameter].name.to_string();
            if input.reference.is_empty() {
                empty.push(brief(&input.identifier));
                continue;
            }
            if types[parameter].is_some() {
                return Err(Problem::DuplicateId(format!(
                    "the input {} is linked twice",
                    brief(&name)
                ))
                .at(place));
            }
            if name != input.identifier && asked == input.identifier {
                let message = format!(
                    "the input '{}' is read as '{}'",
                    brief(&input.identifier),
                    brief(&name)
                );
                self.repair("input_name", place.clone(), message);
            }
            let (source, on) = self.link(input, &name, &place)?;
            needs.extend(on);
            types[parameter] = Some(input.ty);
            if let Some(Setting::Value(_)) = data
                .parameters
                .insert(name.clone(), Setting::Source(source))
            {
                let message = format!(
                    "the input {} is linked, so its attribute does not count",
                    brief(&name)
                );
                self.repair("linked_constant", place, message);
            }
        }
        for (code, names, what) in [
            (
                "empty_reference",
                empty,
                "have an empty ref: left unset, or to their attribute",
            ),
            (
                "extra_input",
                dropped,
                "are not of the kind and have an empty ref: passed over",
            ),
        ] {
            if !names.is_empty() {
                self.repair(
                    code,
                    self.scope.place(at),
                    format!("inputs {what}: {}", names.join(", ")),
                );
            }
        }
        self.needs.push(needs);
        Ok(types)
    }

    /// What an input is linked to, and the place of the node if it is one.
    pub(super) fn link(
        &mut self,
        input: &'a Input,
        what: &str,
        place: &Location,
    ) -> Result<(SourceData, Option<usize>), ReadError> {
        let source = self
            .scope
            .source(&input.reference)
            .map_err(|problem| problem.at(place.clone()))?;
        let (data, got) = match source {
            Source::Input(name) => self.function_input(name, &input.reference),
            Source::Node(node, name) => self.output(node, name, input),
        }
        .map_err(|problem| problem.at(place.clone()))?;
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
            Source::Node(node, _) => Some(node),
            Source::Input(_) => None,
        };
        Ok((data, on))
    }

    fn function_input(&self, name: &str, reference: &str) -> Result<(SourceData, Type), Problem> {
        let name = sanitised(name);
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
            "ref={:?} names no input of the function{}",
            brief(reference),
            or(&nearest)
        )))
    }

    /// An output of a node, and its type as the file says it.
    fn output(&self, at: usize, name: &str, input: &Input) -> Result<(SourceData, Type), Problem> {
        let kind = &self.kinds[at];
        let dangling = |what: String| {
            Problem::DanglingReference(format!("ref={:?} {what}", brief(&input.reference)))
        };
        let port = kind
            .signature
            .port(kind.names.output(&sanitised(name)))
            .map_err(|unknown| {
                let element = kind.about.element;
                dangling(format!(
                    "refers to an output that {element} does not have{}",
                    or(&unknown.nearest)
                ))
            })?;
        let name = kind.signature.ports[port].name.to_string();
        // A node may leave out outputs; if its kind leaves no choice, the type is known all the same.
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
        Ok((
            SourceData {
                node_id: self.id(at),
                port: name,
            },
            ty,
        ))
    }
}
