//! A function as the file says it, understood: kinds, links, overloads and values.
//!
//! Types are checked as they are written: a reference must have the type of what it refers to, and the types of a
//! node's inputs and outputs must be one of the overloads of its kind.

use fibula_core::graph::{FunctionData, FunctionId, NodeData, NodeId, Setting};
use fibula_nodes::{FunctionType, Overload, Signature, Type};

use super::Repair;
use super::error::{Location, Problem, ReadError, brief};
use super::kind::Kind;
use super::order::{needed_first, shortened};
use super::ports::PortNames;
use super::raw::Function;
use super::scope::{Known, Scope, cleaned};

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
    let mut reading = Reading {
        scope: &scope,
        ends,
        names: PortNames::of(function),
        kinds: Vec::new(),
        repairs,
        needs: Vec::new(),
    };
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
        name: cleaned(
            &function.name,
            &format!("function_{}", function.id),
            &place,
            repairs,
        ),
        inputs: ends.inputs.clone(),
        outputs: ends.outputs.clone(),
        nodes,
    })
}

/// The id of the node whose ports are the function's inputs.
pub(super) const BEGIN: NodeId = NodeId(1);

/// A function while it is understood.
pub(super) struct Reading<'a, 'r> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) ends: &'a FunctionType,
    /// The names of the inputs and outputs, where those are not their identifiers.
    pub(super) names: PortNames,
    pub(super) kinds: Vec<Kind>,
    pub(super) repairs: &'r mut Vec<Repair>,
    /// For each node the nodes that it refers to.
    pub(super) needs: Vec<Vec<usize>>,
}

impl Reading<'_, '_> {
    pub(super) fn repair(&mut self, code: &'static str, place: Location, message: String) {
        self.repairs.push(Repair {
            code,
            place,
            message,
        });
    }

    pub(super) fn id(&self, at: usize) -> NodeId {
        let first = if self.ends.inputs.is_empty() { 1 } else { 2 };
        NodeId(first + at as u32)
    }

    fn end(&mut self) -> Result<NodeData, ReadError> {
        let mut end = NodeData::new(NodeId::END, "End");
        let function = self.scope.function;
        for (input, spec) in function.outputs.iter().zip(&self.ends.outputs) {
            let place = function.place.at_line(input.line);
            if input.reference.is_empty() {
                self.repair(
                    "empty_reference",
                    place,
                    format!("the output '{}' is left unset", brief(&spec.name)),
                );
                continue;
            }
            let (source, _) = self.link(input, &spec.name, &place)?;
            end.parameters
                .insert(spec.name.clone(), Setting::Source(source));
        }
        Ok(end)
    }

    fn node(&mut self, at: usize) -> Result<NodeData, ReadError> {
        let node = &self.scope.function.nodes[at];
        let mut data = NodeData::new(self.id(at), self.kinds[at].about.name);
        let display_name = node
            .element
            .attribute("displayname")
            .filter(|name| !name.is_empty());
        let display_name = display_name.unwrap_or(&node.identifier);
        data.display_name = Some(cleaned(
            display_name,
            data.node_type.as_str(),
            &self.scope.place(at),
            self.repairs,
        ));
        data.callee.clone_from(&self.kinds[at].callee);
        self.values(at, &mut data)?;
        let types = self.links(at, &mut data)?;
        self.check_values(at, &data)?;
        data.overload = self.overload(at, &types)?;
        Ok(data)
    }

    /// The overload that the file means, where the links alone would choose another.
    fn overload(&self, at: usize, types: &[Option<Type>]) -> Result<Option<usize>, ReadError> {
        let kind = &self.kinds[at];
        let rules = &kind.signature.overloads;
        let by_links = rules.iter().position(|rule| fits(types, &rule.inputs));
        let meant = rules
            .iter()
            .position(|rule| fits(types, &rule.inputs) && fits(&kind.declared, &rule.outputs));
        if meant.is_some() {
            return Ok(meant.filter(|_| by_links != meant));
        }
        let problem = Problem::NoOverload {
            element: kind.about.element.to_owned(),
            written: written(&kind.signature, types, &kind.declared),
            overloads: listed(rules),
        };
        Err(problem.at(self.scope.place(at)))
    }

    /// Nodes may stand in any order, but there must be one.
    fn check_order(&mut self) -> Result<(), ReadError> {
        let nodes = &self.scope.function.nodes;
        needed_first(&self.needs).map_err(|circle| {
            let path: Vec<String> = circle
                .iter()
                .map(|&at| brief(&nodes[at].identifier))
                .collect();
            Problem::Cycle(shortened(&path)).at(self.scope.place(circle[0]))
        })?;
        let early = self
            .needs
            .iter()
            .enumerate()
            .find(|&(at, needs)| needs.iter().any(|&other| other > at));
        if let Some((at, _)) = early {
            let message =
                "the node refers to a node after it; references belong backwards".to_owned();
            self.repair("node_order", self.scope.place(at), message);
        }
        Ok(())
    }
}

fn fits(types: &[Option<Type>], rule: &[Type]) -> bool {
    types
        .iter()
        .zip(rule)
        .all(|(ty, rule)| ty.is_none_or(|ty| ty == *rule))
}

/// "A: float, result: float3".
fn written(signature: &Signature, inputs: &[Option<Type>], outputs: &[Option<Type>]) -> String {
    let parameters = signature
        .parameters
        .iter()
        .map(|parameter| &parameter.name)
        .zip(inputs);
    let ports = signature.ports.iter().map(|port| &port.name).zip(outputs);
    let all = parameters
        .chain(ports)
        .filter_map(|(name, ty)| ty.map(|ty| format!("{}: {ty}", brief(name))));
    all.collect::<Vec<_>>().join(", ")
}

/// "(float, float) -> (float)".
fn listed(rules: &[Overload]) -> String {
    let types = |types: &[Type]| {
        types
            .iter()
            .map(|ty| ty.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let rule = |rule: &Overload| format!("({}) -> ({})", types(&rule.inputs), types(&rule.outputs));
    rules.iter().map(rule).collect::<Vec<_>>().join(" or ")
}
