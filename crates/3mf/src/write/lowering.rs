//! Nodes that 3MF has no element for, or whose element says less: written as others, and marked.

use fibula_core::graph::{Argument, Function, NodeView};
use fibula_nodes::{ResourceId, Type, Value};

use super::element::{Attribute, Element, Input, Port};
use super::error::{UNSET, WriteError};
use super::function::{Graph, is_linked, native, numbers_of, ports};
use crate::lowered::{Source, Template};
use crate::mark::{Mark, NodeMark};
use crate::sampler::{NUMBERS, SAMPLER};

/// The resource that a parameter names, if that is known.
pub(super) fn named(
    function: &Function,
    node: NodeView<'_>,
    parameter: usize,
) -> Option<ResourceId> {
    let (mut node, mut parameter) = (node, parameter);
    loop {
        match node.argument(parameter) {
            Argument::Value(Value::ResourceId(id)) => return Some(*id),
            Argument::Link { node: source, .. } => {
                node = function.node(source).ok()?;
                if node.kind().info().name != "Resource" {
                    return None;
                }
                parameter = 0;
            }
            Argument::Value(_) | Argument::Unset | Argument::Default(_) => return None,
        }
    }
}

/// The place of a sampler's image among its parameters; its numbers follow.
const IMAGE: usize = 1;

/// What an `ImageSampler` asks: the image and its numbers, if that is known.
pub(super) fn sampled(function: &Function, node: NodeView<'_>) -> Option<(ResourceId, [i64; 4])> {
    let image = named(function, node, IMAGE)?;
    let mut numbers = [0; 4];
    for (at, number) in numbers.iter_mut().enumerate() {
        *number = match node.argument(IMAGE + 1 + at) {
            Argument::Value(Value::Integer(number)) | Argument::Default(Value::Integer(number)) => {
                *number
            }
            Argument::Value(_) | Argument::Default(_) | Argument::Unset | Argument::Link { .. } => {
                return None;
            }
        };
    }
    Some((image, numbers))
}

impl<'a> Graph<'_, 'a> {
    /// Whether a node is left out: a resource without an id of its own.
    pub(super) fn is_left_out(&self, node: NodeView<'_>) -> bool {
        let about = node.kind().info();
        let id = match node.argument(0) {
            _ if about.name != "Resource" => return false,
            Argument::Value(Value::ResourceId(id)) => *id,
            Argument::Value(_) | Argument::Default(_) | Argument::Unset | Argument::Link { .. } => {
                return true;
            }
        };
        !self.project.has(id)
    }

    /// A node that names a resource.
    pub(super) fn resource(&mut self, node: NodeView<'a>) {
        match node.argument(0) {
            Argument::Value(Value::ResourceId(id)) if self.project.has(*id) => {
                let mut element = self.element(node);
                element.attributes = vec![("value", Attribute::Id(id.0))];
                element.outputs = ports(element.about, 0);
                element.mark = self.mark(node, NodeMark::new(node.id()));
                self.push(node, element);
            }
            Argument::Value(Value::ResourceId(id)) => self.missing(node, *id),
            Argument::Link {
                node: source, port, ..
            } => {
                let message = "its id is linked: left out, and its source is linked instead";
                self.note(node, "linked_resource", message.to_owned());
                if let Some(reference) = self.references.get(&(source, port)).cloned() {
                    self.references.insert((node.id(), 0), reference);
                }
            }
            Argument::Value(_) | Argument::Default(_) | Argument::Unset => {
                let message = "it names no resource: left out".to_owned();
                self.note(node, "missing_resource", message);
            }
        }
    }

    /// A node as the list of native nodes that its kind stands for.
    pub(super) fn lowered(
        &mut self,
        node: NodeView<'a>,
        template: &'static Template,
    ) -> Result<(), WriteError> {
        let own = self.identifier(node);
        let mut parameters: Vec<(&str, String)> = Vec::new();
        let mut identifiers: Vec<String> = Vec::new();
        for (index, part) in template.parts.iter().enumerate() {
            let about = native(part.kind);
            let rule = &about.signature.overloads[part.overload];
            let mut inputs = Vec::new();
            for (name, source) in &part.inputs {
                let reference = match source {
                    Source::Part(other, port) => format!("{}.{port}", identifiers[*other]),
                    Source::Parameter(parameter) => {
                        let known = parameters.iter().find(|(known, _)| known == parameter);
                        if let Some((_, reference)) = known {
                            reference.clone()
                        } else {
                            let place = node.signature().parameter(parameter);
                            let place = place.expect("a template names what its kind has");
                            let near = format!("{own}_{parameter}");
                            let reference = self.reference(node, place, &near)?;
                            parameters.push((parameter, reference.clone()));
                            reference
                        }
                    }
                };
                let place = about.signature.parameter(name);
                let place = place.expect("a template names what its parts have");
                let port = Port::new(*name, rule.inputs[place]);
                inputs.push(Input { port, reference });
            }
            let identifier = match template.parts.len() {
                1 => own.clone(),
                _ => self.identifiers.take(&format!("{own}_{index}"), "part"),
            };
            let mut element = Element::new(about, identifier);
            if index == 0 {
                element.display_name = node.display_name();
            }
            if !part.values.is_empty() {
                element.attributes = numbers_of(about, &part.values);
            }
            element.inputs = inputs;
            element.outputs = ports(about, part.overload);
            let mut mark = NodeMark::new(node.id());
            mark.position = node.position().filter(|_| index == 0);
            mark.part = Some((template.kind.to_owned(), index));
            element.mark = Some(Mark::Node(mark));
            identifiers.push(element.identifier.clone());
            self.elements.push(element);
        }
        for (port, (part, name)) in template.ports.iter().enumerate() {
            let reference = format!("{}.{name}", identifiers[*part]);
            self.references.insert((node.id(), port), reference);
        }
        Ok(())
    }

    /// An `ImageSampler` as a call of an image function.
    pub(super) fn sampler(&mut self, node: NodeView<'a>) -> Result<(), WriteError> {
        let own = self.identifier(node);
        let function = sampled(self.function, node)
            .and_then(|asked| self.project.samplers.get(&asked).copied());
        let mut callee = String::new();
        match function {
            Some(function) => {
                if is_linked(node, IMAGE) {
                    let message = "resourceid is linked; written as the id that it is";
                    self.note(node, "linked_attribute", message.to_owned());
                }
                let about = native("Resource");
                let identifier = self.identifiers.take(&format!("{own}_functionID"), "value");
                let mut element = Element::new(about, identifier);
                element.attributes = vec![("value", Attribute::Id(function.0))];
                element.outputs = ports(about, 0);
                let mut mark = NodeMark::new(node.id());
                mark.part = Some((SAMPLER.to_owned(), 0));
                element.mark = Some(Mark::Node(mark));
                callee = format!("{}.value", element.identifier);
                self.elements.push(element);
            }
            None => self.no_image(node),
        }
        let reference = self.reference(node, 0, &format!("{own}_uvw"))?;
        let mut element = Element::new(native("FunctionCall"), own);
        element.display_name = node.display_name();
        let input = |name: &str, ty, reference| Input {
            port: Port::new(name, ty),
            reference,
        };
        element.inputs = vec![
            input("functionID", Type::ResourceId, callee),
            input("pos", Type::Float3, reference),
        ];
        element.outputs = vec![
            Port::new("color", Type::Float3),
            Port::new("alpha", Type::Float),
        ];
        let mut mark = NodeMark::new(node.id());
        mark.position = node.position();
        mark.part = Some((SAMPLER.to_owned(), 1));
        for (at, (name, _)) in NUMBERS.iter().enumerate() {
            if let Argument::Value(Value::Integer(number)) = node.argument(IMAGE + 1 + at) {
                mark.set.push(((*name).to_owned(), *number));
            }
        }
        element.mark = Some(Mark::Node(mark));
        self.push(node, element);
        Ok(())
    }

    /// Tells why a sampler has no image function.
    fn no_image(&mut self, node: NodeView<'_>) {
        match node.argument(IMAGE) {
            Argument::Unset => {
                let message = "resourceid is unset: other programs cannot evaluate the function";
                self.note(node, UNSET, message.to_owned());
            }
            Argument::Value(_) | Argument::Default(_) | Argument::Link { .. } => {
                let message =
                    "it names no image, or its numbers mean nothing: left without its image";
                self.note(node, "no_image", message.to_owned());
            }
        }
    }
}
