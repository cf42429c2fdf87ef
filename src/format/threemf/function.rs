//! A function as the file says it, understood: kinds, links, overloads and values.
//!
//! Types are checked as they are written: a reference must have the type of what it refers to, and the types of a
//! node's inputs and outputs must be one of the overloads of its kind.

use std::borrow::Cow;

use fibula_nodes::{About, Family, FunctionType, Rule, Signature, Type, catalogue, names};
use serde_json::{Value as Json, json};

use crate::graph::{FunctionData, FunctionId, NodeData, NodeId, Setting, SourceData};

use super::Repair;
use super::error::{Place, Problem, ReadError, brief};
use super::model::{finite, invalid};
use super::order::{needed_first, shortened};
use super::raw::{Function, Input, Node, Port};
use super::scope::{Known, RESOURCE, Scope, Source, cleaned, kind, or, sanitised};

/// The function in the form in which it is built.
///
/// # Errors
/// When the function does not follow the rules of the implicit extension, beyond what can be repaired.
pub(super) fn understood(
    function: &Function,
    known: &Known<'_>,
    repairs: &mut Vec<Repair>,
) -> Result<FunctionData, ReadError> {
    let scope = Scope::new(function, known)?;
    let ends = &known.types[&function.id];
    let mut reading = Reading { scope: &scope, ends, kinds: Vec::new(), repairs, needs: Vec::new() };
    for at in 0..function.nodes.len() {
        let kind = reading.kind(at)?;
        reading.kinds.push(kind);
    }
    let mut nodes = vec![reading.end()?];
    if !ends.inputs.is_empty() {
        nodes.push(NodeData::new(BEGIN, "Begin"));
    }
    for at in 0..function.nodes.len() {
        nodes.push(reading.node(at)?);
    }
    reading.check_order()?;
    let place = function.place.clone();
    Ok(FunctionData {
        function_id: Some(FunctionId(function.id)),
        name: cleaned(&function.name, &format!("function_{}", function.id), &place, repairs),
        inputs: ends.inputs.clone(),
        outputs: ends.outputs.clone(),
        nodes,
    })
}

/// The id of the node whose ports are the function's inputs.
const BEGIN: NodeId = NodeId(1);

/// What a node is.
struct Kind {
    about: &'static About,
    signature: Cow<'static, Signature>,
    /// The type that the file gives each port; `None` if it does not say.
    declared: Vec<Option<Type>>,
}

/// A function while it is understood.
struct Reading<'a, 'r> {
    scope: &'a Scope<'a>,
    ends: &'a FunctionType,
    kinds: Vec<Kind>,
    repairs: &'r mut Vec<Repair>,
    /// For each node the nodes that it refers to.
    needs: Vec<Vec<usize>>,
}

impl<'a> Reading<'a, '_> {
    fn repair(&mut self, code: &'static str, place: Place, message: String) {
        self.repairs.push(Repair { code, place, message });
    }

    fn id(&self, at: usize) -> NodeId {
        let first = if self.ends.inputs.is_empty() { 1 } else { 2 };
        NodeId(first + at as u32)
    }

    /// The kind of a node, its ports, and the types that the file gives them.
    fn kind(&mut self, at: usize) -> Result<Kind, ReadError> {
        let node = &self.scope.function.nodes[at];
        let place = self.scope.place(at);
        let element = node.element.name.as_str();
        let Some(about) = kind(node) else {
            let elements = catalogue::catalogue().iter().filter(|about| about.native).map(|about| about.element);
            let nearest = names::nearest(element, elements);
            return Err(Problem::UnknownElement { element: brief(element), nearest }.at(place));
        };
        if about.element != element {
            let message = format!("<{}> is another name of <{}>", brief(element), about.element);
            self.repair("element_name", place.clone(), message);
        }
        let signature = self.signature(at, about)?;
        let mut declared: Vec<Option<(&str, Type)>> = vec![None; signature.ports.len()];
        let mut extra = Vec::new();
        // An output's own name counts before the other names that it answers to.
        let exact = |output: &&Port| signature.ports.iter().any(|port| port.name == output.identifier);
        let outputs = node.outputs.iter();
        for output in outputs.clone().filter(exact).chain(outputs.filter(|output| !exact(output))) {
            let identifier = output.identifier.as_str();
            let Ok(port) = signature.port(&sanitised(identifier)) else {
                extra.push(format!("'{}', which nothing reads", brief(identifier)));
                continue;
            };
            let name = &signature.ports[port].name;
            match declared[port] {
                Some((_, ty)) if ty != output.ty => {
                    let text = format!("the output {name} is there twice, as a {ty} and as a {}", output.ty);
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
                let message = format!("the output '{}' is read as '{}'", brief(identifier), brief(&port.name));
                self.repair("output_name", place.clone(), message);
            }
        }
        if !extra.is_empty() {
            let message = format!("{element} has more outputs than its kind: {}", extra.join("; "));
            self.repair("extra_output", place, message);
        }
        let declared = declared.into_iter().map(|port| port.map(|(_, ty)| ty)).collect();
        Ok(Kind { about, signature, declared })
    }

    /// The signature of a node; that of a call follows the function.
    fn signature(&self, at: usize, about: &'static About) -> Result<Cow<'static, Signature>, ReadError> {
        if about.family != Family::Call {
            return Ok(Cow::Borrowed(&about.signature));
        }
        let callee = self.scope.callee(at)?.map(|id| &self.scope.known.types[&id]);
        let node = (about.make)();
        let node = callee.and_then(|callee| node.following(callee)).unwrap_or(node);
        Ok(Cow::Owned(node.signature().into_owned()))
    }

    fn end(&mut self) -> Result<NodeData, ReadError> {
        let mut end = NodeData::new(NodeId::END, "End");
        let function = self.scope.function;
        for (input, spec) in function.outputs.iter().zip(&self.ends.outputs) {
            let place = function.place.at_line(input.line);
            if input.reference.is_empty() {
                self.repair("empty_reference", place, format!("the output '{}' is left unset", brief(&spec.name)));
                continue;
            }
            let (source, _) = self.link(input, &spec.name, &place)?;
            end.parameters.insert(spec.name.clone(), Setting::Source(source));
        }
        Ok(end)
    }

    fn node(&mut self, at: usize) -> Result<NodeData, ReadError> {
        let node = &self.scope.function.nodes[at];
        let mut data = NodeData::new(self.id(at), self.kinds[at].about.name);
        let display_name = node.element.attribute("displayname").filter(|name| !name.is_empty());
        let display_name = display_name.unwrap_or(&node.identifier);
        data.display_name = Some(cleaned(display_name, data.node_type.as_str(), &self.scope.place(at), self.repairs));
        self.values(at, &mut data)?;
        let types = self.links(at, &mut data)?;
        self.check_values(at, &data)?;
        data.overload = self.overload(at, &types)?;
        Ok(data)
    }

    /// Sets the parameters that attributes give.
    fn values(&mut self, at: usize, data: &mut NodeData) -> Result<(), ReadError> {
        let node = &self.scope.function.nodes[at];
        let place = self.scope.place(at);
        let signature = self.kinds[at].signature.clone();
        let mut unknown = Vec::new();
        for (name, text) in &node.element.attributes {
            match name.as_str() {
                "identifier" | "displayname" | "tag" => {}
                "matrix" if signature.parameter("m00").is_ok() => {
                    let numbers = matrix(text).map_err(|problem| problem.at(place.clone()))?;
                    for (parameter, number) in signature.parameters.iter().zip(numbers) {
                        data.parameters.insert(parameter.name.to_string(), Setting::Value(json!(number)));
                    }
                }
                _ => {
                    let Ok(parameter) = signature.parameter(name) else {
                        unknown.push(brief(name));
                        continue;
                    };
                    let ty = signature.rules[0].inputs[parameter];
                    let value = self.value(node, name, text, ty).map_err(|problem| problem.at(place.clone()))?;
                    let parameter = signature.parameters[parameter].name.to_string();
                    data.parameters.insert(parameter, Setting::Value(value));
                }
            }
        }
        if node.element.name == RESOURCE && node.element.attribute("value").is_none() {
            let message = "the attribute resourceid is that of a draft: read as value".to_owned();
            self.repair("resourceid_attribute", place.clone(), message);
        }
        if !unknown.is_empty() {
            let message = format!("{} has no attribute {}: passed over", node.element.name, unknown.join(", "));
            self.repair("unknown_attribute", place, message);
        }
        Ok(())
    }

    fn value(&self, node: &Node, name: &str, text: &str, ty: Type) -> Result<Json, Problem> {
        match ty {
            Type::ResourceId => self.scope.resource(node).map(Json::from),
            Type::String => Ok(json!(text)),
            Type::Float => finite(text).map(Json::from).ok_or_else(|| invalid(name, text, "a finite number")),
            Type::Float3 | Type::Matrix4x4 | Type::Integer => Err(invalid(name, text, ty.form())),
        }
    }

    /// Links the parameters, and says the types of what they are linked to.
    fn links(&mut self, at: usize, data: &mut NodeData) -> Result<Vec<Option<Type>>, ReadError> {
        let node = &self.scope.function.nodes[at];
        let signature = self.kinds[at].signature.clone();
        let mut types = vec![None; signature.parameters.len()];
        let (mut empty, mut dropped, mut needs) = (Vec::new(), Vec::new(), Vec::new());
        for input in &node.inputs {
            let place = self.scope.place(at).at_line(input.line);
            let asked = sanitised(&input.identifier);
            let parameter = match signature.parameter(&asked) {
                Ok(parameter) => parameter,
                Err(_) if input.reference.is_empty() => {
                    dropped.push(brief(&input.identifier));
                    continue;
                }
                Err(unknown) => {
                    let (element, input) = (brief(&node.element.name), brief(&input.identifier));
                    return Err(Problem::UnknownInput { element, input, nearest: unknown.nearest }.at(place));
                }
            };
            let name = signature.parameters[parameter].name.to_string();
            if input.reference.is_empty() {
                empty.push(brief(&input.identifier));
                continue;
            }
            if types[parameter].is_some() {
                return Err(Problem::DuplicateId(format!("the input {} is linked twice", brief(&name))).at(place));
            }
            if name != input.identifier {
                let message = format!("the input '{}' is read as '{}'", brief(&input.identifier), brief(&name));
                self.repair("input_name", place.clone(), message);
            }
            let (source, on) = self.link(input, &name, &place)?;
            needs.extend(on);
            types[parameter] = Some(input.ty);
            if let Some(Setting::Value(_)) = data.parameters.insert(name.clone(), Setting::Source(source)) {
                let message = format!("the input {} is linked, so its attribute does not count", brief(&name));
                self.repair("linked_constant", place, message);
            }
        }
        for (code, names, what) in [
            ("empty_reference", empty, "have an empty ref: left unset, or to their attribute"),
            ("extra_input", dropped, "are not of the kind and have an empty ref: passed over"),
        ] {
            if !names.is_empty() {
                self.repair(code, self.scope.place(at), format!("inputs {what}: {}", names.join(", ")));
            }
        }
        self.needs.push(needs);
        Ok(types)
    }

    /// What an input is linked to, and the place of the node if it is one.
    fn link(
        &mut self,
        input: &'a Input,
        what: &str,
        place: &Place,
    ) -> Result<(SourceData, Option<usize>), ReadError> {
        let source = self.scope.source(&input.reference).map_err(|problem| problem.at(place.clone()))?;
        let (data, got) = match source {
            Source::Input(name) => self.function_input(name, &input.reference),
            Source::Node(node, name) => self.output(node, name, input),
        }
        .map_err(|problem| problem.at(place.clone()))?;
        if got != input.ty {
            let (what, source_port) = (brief(what), brief(&input.reference));
            return Err(Problem::TypeMismatch { what, expected: input.ty, source_port, got }.at(place.clone()));
        }
        let on = match source {
            Source::Node(node, _) => Some(node),
            Source::Input(_) => None,
        };
        Ok((data, on))
    }

    fn function_input(&self, name: &str, reference: &str) -> Result<(SourceData, Type), Problem> {
        let name = sanitised(name);
        match self.ends.inputs.iter().find(|port| port.name == name) {
            Some(port) => Ok((SourceData { node_id: BEGIN, port: name }, port.ty)),
            None => {
                let nearest = names::nearest(&name, self.ends.inputs.iter().map(|port| port.name.as_str()));
                let text = format!("ref={:?} names no input of the function{}", brief(reference), or(&nearest));
                Err(Problem::DanglingReference(text))
            }
        }
    }

    /// An output of a node, and its type as the file says it.
    fn output(&self, at: usize, name: &str, input: &Input) -> Result<(SourceData, Type), Problem> {
        let kind = &self.kinds[at];
        let dangling = |what: String| {
            Problem::DanglingReference(format!("ref={:?} {what}", brief(&input.reference)))
        };
        let port = kind.signature.port(&sanitised(name)).map_err(|unknown| {
            let element = kind.about.element;
            dangling(format!("refers to an output that {element} does not have{}", or(&unknown.nearest)))
        })?;
        let name = kind.signature.ports[port].name.to_string();
        // A node may leave out outputs; if its kind leaves no choice, the type is known all the same.
        let only = || match kind.signature.rules.as_slice() {
            [rule] => Some(rule.outputs[port]),
            _ => None,
        };
        let ty = kind.declared[port].or_else(only);
        let ty = ty.ok_or_else(|| dangling(format!("refers to the output {name}, which the node does not declare")))?;
        Ok((SourceData { node_id: self.id(at), port: name }, ty))
    }

    /// A constant without its value is no constant.
    fn check_values(&self, at: usize, data: &NodeData) -> Result<(), ReadError> {
        let kind = &self.kinds[at];
        let element = kind.about.element;
        if kind.about.family != Family::Constant && element != RESOURCE {
            return Ok(());
        }
        let unset = kind.signature.parameters.iter().find(|&one| !data.parameters.contains_key(one.name.as_ref()));
        let Some(unset) = unset else {
            return Ok(());
        };
        let attribute = match unset.name.as_ref() {
            name if name.starts_with('m') => "matrix",
            "resourceid" => "value",
            name => name,
        };
        let problem = Problem::MissingAttribute { element: element.to_owned(), attribute: attribute.to_owned() };
        Err(problem.at(self.scope.place(at)))
    }

    /// The overload that the file means, where the links alone would choose another.
    fn overload(&self, at: usize, types: &[Option<Type>]) -> Result<Option<usize>, ReadError> {
        let kind = &self.kinds[at];
        let rules = &kind.signature.rules;
        let by_links = rules.iter().position(|rule| fits(types, &rule.inputs));
        let meant = rules.iter().position(|rule| fits(types, &rule.inputs) && fits(&kind.declared, &rule.outputs));
        match meant {
            Some(meant) => Ok(Some(meant).filter(|_| by_links != Some(meant))),
            None => {
                let problem = Problem::NoOverload {
                    element: kind.about.element.to_owned(),
                    written: written(&kind.signature, types, &kind.declared),
                    overloads: shortened_list(rules),
                };
                Err(problem.at(self.scope.place(at)))
            }
        }
    }

    /// Nodes may stand in any order, but there must be one.
    fn check_order(&mut self) -> Result<(), ReadError> {
        let nodes = &self.scope.function.nodes;
        needed_first(&self.needs).map_err(|circle| {
            let path: Vec<String> = circle.iter().map(|&at| brief(&nodes[at].identifier)).collect();
            Problem::Cycle(shortened(&path)).at(self.scope.place(circle[0]))
        })?;
        let early = self.needs.iter().enumerate().find(|&(at, needs)| needs.iter().any(|&other| other > at));
        if let Some((at, _)) = early {
            let message = "the node refers to a node after it; references belong backwards".to_owned();
            self.repair("node_order", self.scope.place(at), message);
        }
        Ok(())
    }
}

fn fits(types: &[Option<Type>], rule: &[Type]) -> bool {
    types.iter().zip(rule).all(|(ty, rule)| ty.is_none_or(|ty| ty == *rule))
}

/// "A: float, result: float3".
fn written(signature: &Signature, inputs: &[Option<Type>], outputs: &[Option<Type>]) -> String {
    let parameters = signature.parameters.iter().map(|parameter| &parameter.name).zip(inputs);
    let ports = signature.ports.iter().map(|port| &port.name).zip(outputs);
    let all = parameters.chain(ports).filter_map(|(name, ty)| ty.map(|ty| format!("{}: {ty}", brief(name))));
    all.collect::<Vec<_>>().join(", ")
}

/// "(float, float) -> (float)".
fn shortened_list(rules: &[Rule]) -> String {
    let types = |types: &[Type]| types.iter().map(|ty| ty.name()).collect::<Vec<_>>().join(", ");
    let rule = |rule: &Rule| format!("({}) -> ({})", types(&rule.inputs), types(&rule.outputs));
    rules.iter().map(rule).collect::<Vec<_>>().join(" or ")
}

/// Sixteen numbers, row by row.
fn matrix(text: &str) -> Result<Vec<f64>, Problem> {
    let numbers: Option<Vec<f64>> = text.split_whitespace().take(17).map(finite).collect();
    let sixteen = numbers.filter(|numbers| numbers.len() == 16);
    sixteen.ok_or_else(|| invalid("matrix", text, "16 finite numbers, row by row"))
}
