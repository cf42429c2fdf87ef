//! What a node is: its kind, its ports, and the types that the file gives them.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fibula_nodes::call::FUNCTION_ID;
use fibula_nodes::{Family, FunctionType, KindInfo, PortSpec, Signature, Type, catalogue, names};

use super::error::{Problem, ReadError, brief};
use super::function::Reading;
use super::ports::PortNames;
use super::raw::{Node, Port};
use super::scope::{kind, sanitised};

/// What a node is.
pub(super) struct Kind {
    pub(super) about: &'static KindInfo,
    pub(super) signature: Cow<'static, Signature>,
    /// The type that the file gives each port; `None` if it does not say.
    pub(super) declared: Vec<Option<Type>>,
    /// The names of the ports that follow a function, where those are not their identifiers.
    pub(super) names: PortNames,
    /// The type of the function that the node follows, where nothing says which function that is.
    pub(super) callee: Option<FunctionType>,
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
        let Followed {
            signature,
            names,
            callee,
        } = self.signature(at, about)?;
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
            let Some(port) = signature.port_position(names.output(&sanitised(identifier))) else {
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
                && port.name != names.output(identifier)
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
            names,
            callee,
        })
    }

    /// The signature of a node; that of a call follows the function.
    fn signature(&self, at: usize, about: &'static KindInfo) -> Result<Followed, ReadError> {
        if about.family != Family::Call {
            return Ok(Followed {
                signature: Cow::Borrowed(&about.signature),
                names: PortNames::default(),
                callee: None,
            });
        }
        let known = self.scope.known;
        let callee = self.scope.callee(at)?;
        let names = match callee {
            Some(id) => known.names.get(&id).cloned().unwrap_or_default(),
            None => PortNames::of_call(&self.scope.function.nodes[at]),
        };
        let kept = match callee {
            Some(_) => None,
            None => kept_callee(&self.scope.function.nodes[at], about, &names),
        };
        let node = (about.make)();
        let followed = callee.map(|id| &known.types[&id]).or(kept.as_ref());
        let node = followed
            .and_then(|callee| node.with_callee(callee))
            .unwrap_or(node);
        Ok(Followed {
            signature: Cow::Owned(node.signature().into_owned()),
            names,
            callee: kept,
        })
    }
}

/// The ports of a node, and what function they follow.
struct Followed {
    signature: Cow<'static, Signature>,
    names: PortNames,
    callee: Option<FunctionType>,
}

/// The type of the function that a node calls without naming it, as the node is written; `None` if it says nothing, or
/// nothing that a function could have.
fn kept_callee(node: &Node, about: &KindInfo, names: &PortNames) -> Option<FunctionType> {
    let is_call = about.name == "FunctionCall";
    let own = |identifier: &str| {
        identifier.eq_ignore_ascii_case(FUNCTION_ID) || (!is_call && identifier == "step")
    };
    let inputs = node.inputs.iter().filter(|input| !own(&input.identifier));
    let inputs = inputs.map(|input| (&input.identifier, names.input(&input.identifier), input.ty));
    let outputs = node.outputs.iter().filter(|_| is_call);
    let outputs = outputs.map(|port| (&port.identifier, names.output(&port.identifier), port.ty));
    let callee = FunctionType {
        inputs: specs(inputs)?,
        outputs: specs(outputs)?,
    };
    (callee != FunctionType::default()).then_some(callee)
}

fn specs<'n>(ports: impl Iterator<Item = (&'n String, &'n str, Type)>) -> Option<Vec<PortSpec>> {
    let mut specs: Vec<PortSpec> = Vec::new();
    let mut seen = BTreeSet::new();
    for (identifier, name, ty) in ports {
        let plain = !identifier.is_empty() && sanitised(identifier) == *identifier;
        (plain && seen.insert(name)).then_some(())?;
        specs.push(PortSpec::new(name, ty));
    }
    Some(specs)
}
