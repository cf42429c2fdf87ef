//! Lowering: nodes whose kind has no element in 3MF are written as tagged native nodes.

use fibula_core::graph::{Argument, Function, NodeView};
use fibula_nodes::{ResourceId, Type, Value};

use super::element::{ElementAttribute, ElementInput, ElementPort, NodeElement};
use super::error::{UNSET, WriteError};
use super::function::{FunctionWriter, is_linked, native, number_attributes, ports};
use crate::roundtrip::image_sampler::{IMAGE_SAMPLER, INTEGER_PARAMETERS};
use crate::roundtrip::node_tag::{ElementTag, NodeTag};
use crate::roundtrip::templates::{Template, TemplateSource};

/// Resource that a parameter names, if it is constant.
pub(super) fn named_resource(
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

/// Index of a sampler's image among its parameters; its integers follow.
const IMAGE: usize = 1;

/// Image and integers of an `ImageSampler`, if they are constant.
pub(super) fn sampler_request(
    function: &Function,
    node: NodeView<'_>,
) -> Option<(ResourceId, [i64; 4])> {
    let image = named_resource(function, node, IMAGE)?;
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

impl<'a> FunctionWriter<'_, 'a> {
    /// True if a node is omitted: a resource without an id of its own.
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

    /// Adds a node that names a resource.
    pub(super) fn resource(&mut self, node: NodeView<'a>) {
        match node.argument(0) {
            Argument::Value(Value::ResourceId(id)) if self.project.has(*id) => {
                let mut element = self.element(node);
                element.attributes = vec![("value", ElementAttribute::Id(id.0))];
                element.outputs = ports(element.about, 0);
                element.tag = self.node_tag(node, NodeTag::new(node.id()));
                self.push(node, element);
            }
            Argument::Value(Value::ResourceId(id)) => self.missing(node, *id),
            Argument::Link {
                node: source, port, ..
            } => {
                let message =
                    "its id is linked: the node is omitted, and its source is linked instead";
                self.note(node, "linked_resource", message.to_owned());
                if let Some(reference) = self.references.get(&(source, port)).cloned() {
                    self.references.insert((node.id(), 0), reference);
                }
            }
            Argument::Value(_) | Argument::Default(_) | Argument::Unset => {
                let message = "it refers to no resource: omitted".to_owned();
                self.note(node, "missing_resource", message);
            }
        }
    }

    /// Adds the native nodes that a node is lowered to.
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
                    TemplateSource::Node(other, port) => format!("{}.{port}", identifiers[*other]),
                    TemplateSource::Parameter(parameter) => {
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
                let port = ElementPort::new(*name, rule.inputs[place]);
                inputs.push(ElementInput { port, reference });
            }
            let identifier = match template.parts.len() {
                1 => own.clone(),
                _ => self.identifiers.assign(&format!("{own}_{index}"), "part"),
            };
            let mut element = NodeElement::new(about, identifier);
            if index == 0 {
                element.display_name = node.display_name();
            }
            if !part.values.is_empty() {
                element.attributes = number_attributes(about, &part.values);
            }
            element.inputs = inputs;
            element.outputs = ports(about, part.overload);
            let mut tag = NodeTag::new(node.id());
            tag.position = node.position().filter(|_| index == 0);
            tag.part = Some((template.kind.to_owned(), index));
            element.tag = Some(ElementTag::Node(tag));
            identifiers.push(element.identifier.clone());
            self.elements.push(element);
        }
        for (port, (part, name)) in template.ports.iter().enumerate() {
            let reference = format!("{}.{name}", identifiers[*part]);
            self.references.insert((node.id(), port), reference);
        }
        Ok(())
    }

    /// Adds an `ImageSampler` as a call of an image function.
    pub(super) fn sampler(&mut self, node: NodeView<'a>) -> Result<(), WriteError> {
        let own = self.identifier(node);
        let function = sampler_request(self.function, node)
            .and_then(|request| self.project.samplers.get(&request).copied());
        let mut callee = String::new();
        match function {
            Some(function) => {
                if is_linked(node, IMAGE) {
                    let message = "resourceid is linked: written as its constant value";
                    self.note(node, "linked_attribute", message.to_owned());
                }
                let about = native("Resource");
                let identifier = self
                    .identifiers
                    .assign(&format!("{own}_functionID"), "value");
                let mut element = NodeElement::new(about, identifier);
                element.attributes = vec![("value", ElementAttribute::Id(function.0))];
                element.outputs = ports(about, 0);
                let mut tag = NodeTag::new(node.id());
                tag.part = Some((IMAGE_SAMPLER.to_owned(), 0));
                element.tag = Some(ElementTag::Node(tag));
                callee = format!("{}.value", element.identifier);
                self.elements.push(element);
            }
            None => self.no_image(node),
        }
        let reference = self.reference(node, 0, &format!("{own}_uvw"))?;
        let mut element = NodeElement::new(native("FunctionCall"), own);
        element.display_name = node.display_name();
        let input = |name: &str, ty, reference| ElementInput {
            port: ElementPort::new(name, ty),
            reference,
        };
        element.inputs = vec![
            input("functionID", Type::ResourceId, callee),
            input("pos", Type::Float3, reference),
        ];
        element.outputs = vec![
            ElementPort::new("color", Type::Float3),
            ElementPort::new("alpha", Type::Float),
        ];
        let mut tag = NodeTag::new(node.id());
        tag.position = node.position();
        tag.part = Some((IMAGE_SAMPLER.to_owned(), 1));
        for (at, (name, _)) in INTEGER_PARAMETERS.iter().enumerate() {
            if let Argument::Value(Value::Integer(number)) = node.argument(IMAGE + 1 + at) {
                tag.integers.push(((*name).to_owned(), *number));
            }
        }
        element.tag = Some(ElementTag::Node(tag));
        self.push(node, element);
        Ok(())
    }

    /// Notes why a sampler has no image function.
    fn no_image(&mut self, node: NodeView<'_>) {
        match node.argument(IMAGE) {
            Argument::Unset => {
                let message = "resourceid is unset: other programs cannot evaluate the function";
                self.note(node, UNSET, message.to_owned());
            }
            Argument::Value(_) | Argument::Default(_) | Argument::Link { .. } => {
                let message = "it does not refer to an image, or its settings are out of range: written without its image";
                self.note(node, "no_image", message.to_owned());
            }
        }
    }
}
