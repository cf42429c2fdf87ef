//! What a node is: its kind, its ports, and the types that the file gives them.

use std::borrow::Cow;

use fibula_nodes::{About, Family, Signature, Type, catalogue, names};

use super::error::{Problem, ReadError, brief};
use super::function::Reading;
use super::raw::Port;
use super::scope::{kind, sanitised};

/// What a node is.
pub(super) struct Kind {
    pub(super) about: &'static About,
    pub(super) signature: Cow<'static, Signature>,
    /// The type that the file gives each port; `None` if it does not say.
    pub(super) declared: Vec<Option<Type>>,
}

impl Reading<'_, '_> {
    /// The kind of a node, its ports, and the types that the file gives them.
    pub(super) fn kind(&mut self, at: usize) -> Result<Kind, ReadError> {
        let node = &self.scope.function.nodes[at];
        let place = self.scope.place(at);
        let element = node.element.name.as_str();
        let Some(about) = kind(node) else {
            let elements = catalogue::catalogue()
                .iter()
                .filter(|about| about.native)
                .map(|about| about.element);
            let nearest = names::nearest(element, elements);
            return Err(Problem::UnknownElement {
                element: brief(element),
                nearest,
            }
            .at(place));
        };
        if about.element != element {
            let message = format!(
                "<{}> is another name of <{}>",
                brief(element),
                about.element
            );
            self.repair("element_name", place.clone(), message);
        }
        let signature = self.signature(at, about)?;
        let mut declared: Vec<Option<(&str, Type)>> = vec![None; signature.ports.len()];
        let mut extra = Vec::new();
        // An output's own name counts before the other names that it answers to.
        let exact = |output: &&Port| {
            signature
                .ports
                .iter()
                .any(|port| port.name == output.identifier)
        };
        let outputs = node.outputs.iter();
        for output in outputs
            .clone()
            .filter(exact)
            .chain(outputs.filter(|output| !exact(output)))
        {
            let identifier = output.identifier.as_str();
            let Ok(port) = signature.port(&sanitised(identifier)) else {
                extra.push(format!("'{}', which nothing reads", brief(identifier)));
                continue;
            };
            let name = &signature.ports[port].name;
            match declared[port] {
                Some((_, ty)) if ty != output.ty => {
                    let text = format!(
                        "the output {name} is there twice, as a {ty} and as a {}",
                        output.ty
                    );
                    return Err(Problem::DuplicateId(text).at(place.at_line(output.line)));
                }
                Some(_) => extra.push(format!("'{}', read as '{name}'", brief(identifier))),
                None => declared[port] = Some((identifier, output.ty)),
            }
        }
        for (port, declared) in signature.ports.iter().zip(&declared) {
            if let Some((identifier, _)) = declared
                && port.name != *identifier
            {
                let message = format!(
                    "the output '{}' is read as '{}'",
                    brief(identifier),
                    brief(&port.name)
                );
                self.repair("output_name", place.clone(), message);
            }
        }
        if !extra.is_empty() {
            let message = format!(
                "{element} has more outputs than its kind: {}",
                extra.join("; ")
            );
            self.repair("extra_output", place, message);
        }
        let declared = declared
            .into_iter()
            .map(|port| port.map(|(_, ty)| ty))
            .collect();
        Ok(Kind {
            about,
            signature,
            declared,
        })
    }

    /// The signature of a node; that of a call follows the function.
    fn signature(
        &self,
        at: usize,
        about: &'static About,
    ) -> Result<Cow<'static, Signature>, ReadError> {
        if about.family != Family::Call {
            return Ok(Cow::Borrowed(&about.signature));
        }
        let callee = self
            .scope
            .callee(at)?
            .map(|id| &self.scope.known.types[&id]);
        let node = (about.make)();
        let node = callee
            .and_then(|callee| node.following(callee))
            .unwrap_or(node);
        Ok(Cow::Owned(node.signature().into_owned()))
    }
}
