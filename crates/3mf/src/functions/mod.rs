//! Interpretation of parsed functions: kinds, links, overloads and values.
//!
//! Types are checked as they are written: a reference must have the type of its source, and the types of a node's inputs
//! and outputs must match an overload of its kind.

pub(crate) mod parsed;

pub(crate) mod port_names;

pub(crate) mod scope;

pub(crate) mod call_order;
pub(crate) mod graph_insertion;
mod links;
mod node_kind;
mod values;

pub(crate) mod lifting;

use fibula_core::graph::{FunctionData, FunctionId, NodeData, NodeId, Setting};
use fibula_nodes::{FunctionType, Overload, Signature, Type};

use crate::error::{Location, Problem, ReadError, brief};
use crate::findings::Findings;
use crate::topological_sort::{abbreviate_path, topological_sort};
use node_kind::NodeKind;
use parsed::ParsedFunction;
use port_names::PortNames;
use scope::{FileIndex, Scope, clean_name};

/// Interprets a parsed function, as data that a document can insert.
///
/// # Errors
/// When the function violates the implicit extension beyond repair.
pub(crate) fn interpret(
    function: &ParsedFunction,
    known: &FileIndex<'_>,
    findings: &mut Findings,
) -> Result<FunctionData, ReadError> {
    let scope = Scope::new(function, known)?;
    let ends = &known.types[&function.id];
    let mut reader = FunctionReader {
        scope: &scope,
        ends,
        names: PortNames::new(&function.inputs, &function.outputs),
        kinds: Vec::new(),
        findings,
        needs: Vec::new(),
    };
    for at in 0..function.nodes.len() {
        let kind = reader.resolve_kind(at)?;
        reader.kinds.push(kind);
    }
    let mut nodes = vec![reader.build_end()?];
    if !ends.inputs.is_empty() {
        nodes.push(NodeData::new(BEGIN, "Begin"));
    }
    for at in 0..function.nodes.len() {
        nodes.push(reader.build_node(at)?);
    }
    reader.check_order()?;
    let otherwise = format!("function_{}", function.id);
    Ok(FunctionData {
        function_id: Some(FunctionId(function.id)),
        name: clean_name(
            &function.name,
            &otherwise,
            &function.place,
            &mut findings.repairs,
        ),
        inputs: ends.inputs.clone(),
        outputs: ends.outputs.clone(),
        nodes,
    })
}

/// Id of the node whose ports are the function's inputs.
pub(crate) const BEGIN: NodeId = NodeId(1);

/// State of the interpretation of a function.
pub(crate) struct FunctionReader<'a, 'r> {
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) ends: &'a FunctionType,
    /// Names of the inputs and outputs, where those are not their identifiers.
    pub(crate) names: PortNames,
    pub(crate) kinds: Vec<NodeKind>,
    pub(crate) findings: &'r mut Findings,
    /// For each node, the nodes that it refers to.
    pub(crate) needs: Vec<Vec<usize>>,
}

impl FunctionReader<'_, '_> {
    pub(crate) fn repair(&mut self, code: &'static str, place: Location, message: String) {
        self.findings.repair(code, place, message);
    }

    pub(crate) fn id(&self, at: usize) -> NodeId {
        let first = if self.ends.inputs.is_empty() { 1 } else { 2 };
        NodeId(first + at as u32)
    }

    fn build_end(&mut self) -> Result<NodeData, ReadError> {
        let mut end = NodeData::new(NodeId::END, "End");
        let function = self.scope.function;
        for (input, spec) in function.outputs.iter().zip(&self.ends.outputs) {
            let place = function.place.at_line(input.line);
            if input.reference.is_empty() {
                let message = format!("the output '{}' is left unset", brief(&spec.name));
                self.repair("empty_reference", place, message);
                continue;
            }
            let (source, _) = self.link(input, &spec.name, &place)?;
            let link = Setting::Source(source);
            end.parameters.insert(spec.name.clone(), link);
        }
        Ok(end)
    }

    fn build_node(&mut self, at: usize) -> Result<NodeData, ReadError> {
        let node = &self.scope.function.nodes[at];
        let mut data = NodeData::new(self.id(at), self.kinds[at].about.name);
        let name = node.element.attribute("displayname");
        let name = name.filter(|name| !name.is_empty());
        let name = name.unwrap_or(&node.identifier);
        let place = self.scope.place(at);
        let repairs = &mut self.findings.repairs;
        data.display_name = Some(clean_name(name, &data.node_type, &place, repairs));
        data.callee.clone_from(&self.kinds[at].callee);
        self.set_values(at, &mut data)?;
        let types = self.link_inputs(at, &mut data)?;
        self.check_values(at, &data)?;
        self.warn_of_missing_inputs(at, &data);
        data.overload = self.overload(at, &types)?;
        Ok(data)
    }

    /// Overload that the file states, if the links alone would choose another.
    fn overload(&self, at: usize, types: &[Option<Type>]) -> Result<Option<usize>, ReadError> {
        let kind = &self.kinds[at];
        let rules = &kind.signature.overloads;
        let by_links = rules.iter().position(|rule| fits(types, &rule.inputs));
        let by_types = rules
            .iter()
            .position(|rule| fits(types, &rule.inputs) && fits(&kind.declared, &rule.outputs));
        if by_types.is_some() {
            return Ok(by_types.filter(|_| by_links != by_types));
        }
        let problem = Problem::NoOverload {
            element: kind.about.element.to_owned(),
            written: written(&kind.signature, types, &kind.declared),
            overloads: listed(rules),
        };
        Err(problem.at(self.scope.place(at)))
    }

    /// Checks that the nodes have an order; they may stand in any order.
    fn check_order(&mut self) -> Result<(), ReadError> {
        let nodes = &self.scope.function.nodes;
        topological_sort(&self.needs).map_err(|cycle| {
            let path = cycle.iter().map(|&at| brief(&nodes[at].identifier));
            let path = abbreviate_path(&path.collect::<Vec<_>>());
            Problem::Cycle(path).at(self.scope.place(cycle[0]))
        })?;
        let mut needs = self.needs.iter().enumerate();
        if let Some((at, _)) = needs.find(|&(at, needs)| needs.iter().any(|&other| other > at)) {
            let message = "the node refers to a later node; nodes must only refer to earlier ones";
            self.repair("node_order", self.scope.place(at), message.to_owned());
        }
        Ok(())
    }
}

fn fits(types: &[Option<Type>], rule: &[Type]) -> bool {
    let mut pairs = types.iter().zip(rule);
    pairs.all(|(ty, rule)| ty.is_none_or(|ty| ty == *rule))
}

/// "A: float, result: float3".
fn written(signature: &Signature, inputs: &[Option<Type>], outputs: &[Option<Type>]) -> String {
    let parameters = signature.parameters.iter().map(|one| &one.name);
    let ports = signature.ports.iter().map(|port| &port.name);
    let all = parameters.zip(inputs).chain(ports.zip(outputs));
    let all = all.filter_map(|(name, ty)| ty.map(|ty| format!("{}: {ty}", brief(name))));
    all.collect::<Vec<_>>().join(", ")
}

/// "(float, float) -> (float)".
fn listed(rules: &[Overload]) -> String {
    let types = |types: &[Type]| -> String {
        let names: Vec<_> = types.iter().map(|ty| ty.name()).collect();
        names.join(", ")
    };
    let rule = |rule: &Overload| format!("({}) -> ({})", types(&rule.inputs), types(&rule.outputs));
    rules.iter().map(rule).collect::<Vec<_>>().join(" or ")
}
