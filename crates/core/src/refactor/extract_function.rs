//! Extract function: nodes become a function of their own, which is called in their place.
//!
//! Links into the nodes become its inputs, links out of them its outputs. The id that a `Resource` node holds is a
//! literal on both sides, since a reference has to be known before evaluation: such a node moves only if nothing else
//! is linked to it.
//!
//! A call needs everything that its function needs, so an output may come to need nodes that it did not need before.
//! Where these may be incomplete, extraction fails (see `completeness`): what could be evaluated still can.

use std::collections::{BTreeMap, BTreeSet};

use fibula_nodes::PortSpec;
use fibula_nodes::call::FUNCTION_ID;
use schemars::JsonSchema;
use serde::Deserialize;

use super::function_editor::{FunctionEditor, NewNode, PortRef};
use super::traversal::{consumers_first, reachable, sources, targets};
use super::unique_names::UniqueNames;
use super::{MOST_NODES, NodeBudget, RefactorError, RefactorOutcome, completeness, free_id};
use crate::edit::{Edit, EditError, FunctionEdit, Stage};
use crate::graph::{
    Argument, Function, FunctionData, FunctionId, GraphError, MOST_PORTS, NodeData, NodeId,
    NodeView, Setting, SourceData,
};

/// Arguments of the refactoring *extract function*.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtractFunction {
    /// The function that has the nodes.
    pub function_id: FunctionId,
    /// The nodes to move.
    pub node_ids: Vec<NodeId>,
    /// Name of the new function.
    pub name: String,
    /// Id of the new function; the next free one if left out.
    pub new_function_id: Option<FunctionId>,
    /// Id of the call; the next free one if left out.
    pub call_node_id: Option<NodeId>,
}

/// Links across the boundary of the nodes, by the node and the port index of their source.
type Boundary = BTreeMap<(NodeId, usize), PortSpec>;

/// The edits, decided before the first of them is pushed.
#[derive(Debug)]
struct ExtractionPlan {
    new: FunctionData,
    call: NewNode,
    /// Links of the call's parameters.
    arguments: Vec<(String, PortRef)>,
    /// Consumers outside, as call port, node and parameter.
    consumers: Vec<(String, NodeId, String)>,
    /// The nodes to delete, consumers first.
    to_delete: Vec<NodeId>,
}

impl ExtractFunction {
    /// Moves the nodes and calls the new function in their place.
    pub(super) fn push(
        &self,
        stage: &mut Stage,
        budget: &mut NodeBudget,
    ) -> Result<RefactorOutcome, RefactorError> {
        let document = stage.document();
        let function = document.function(self.function_id)?;
        let chosen = chosen(function, self)?;
        check_convex(function, &chosen)?;
        let (inputs, outputs) = borders(function, &chosen)?;
        let ends = |border: &Boundary| border.keys().map(|&(id, _)| id).collect();
        let (yielding, giving) = (ends(&outputs), ends(&inputs));
        completeness::check(document, function, (&yielding, &giving), budget)?;
        let mut plan = ExtractionPlan::new(function, &chosen, inputs, outputs)?;
        plan.new.function_id = free_id(document, self.new_function_id)?;
        plan.new.name.clone_from(&self.name);
        plan.call.id = self.call_node_id;
        plan.call.name = Some(self.name.clone());
        Ok(plan.carry_out(stage, self.function_id)?)
    }
}

/// Returns true if the node yields an id that is known before evaluation, or nothing yet.
fn is_fixed(node: NodeView<'_>) -> bool {
    node.kind().info().name == "Resource" && node.link(0).is_none()
}

/// Returns the nodes that move.
fn chosen(
    function: &Function,
    request: &ExtractFunction,
) -> Result<BTreeSet<NodeId>, RefactorError> {
    let given: BTreeSet<NodeId> = request.node_ids.iter().copied().collect();
    if given.is_empty() {
        return Err(RefactorError::NoNodes);
    }
    if given.len() > MOST_NODES {
        return Err(RefactorError::TooManyNodes {
            kind: "extract_function",
            nodes: given.len(),
        });
    }
    let mut chosen = BTreeSet::new();
    for &id in &given {
        let node = function.node(id)?;
        if id == NodeId::END || Some(id) == function.begin() {
            let what = format!("{} cannot move to another function", node.label());
            return Err(GraphError::ProtectedNode { what }.into());
        }
        let mut targets = targets(node);
        if !is_fixed(node) || targets.all(|target| given.contains(&target)) {
            chosen.insert(id);
        }
    }
    Ok(chosen)
}

/// Checks that the nodes are convex: no path between two of them leads through another node.
fn check_convex(function: &Function, chosen: &BTreeSet<NodeId>) -> Result<(), RefactorError> {
    let is_outside = |id: &NodeId| !chosen.contains(id);
    let (mut consumers, mut givers) = (Vec::new(), Vec::new());
    for &id in chosen {
        let node = function.node(id)?;
        consumers.extend(targets(node).filter(is_outside));
        givers.extend(sources(node).filter(is_outside));
    }
    let after = reachable(function, consumers, |node| targets(node).filter(is_outside))?;
    let before = reachable(function, givers, |node| sources(node).filter(is_outside))?;
    let between: BTreeSet<NodeId> = after.intersection(&before).copied().collect();
    let Some(&first) = between.first() else {
        return Ok(());
    };
    Err(RefactorError::NotConvex {
        first: function.node(first)?.label().to_string(),
        between: between.into_iter().collect(),
    })
}

/// Returns the links into the nodes and the links out of them.
fn borders(
    function: &Function,
    chosen: &BTreeSet<NodeId>,
) -> Result<(Boundary, Boundary), RefactorError> {
    let (mut inputs, mut outputs) = (BTreeMap::new(), BTreeMap::new());
    for &id in chosen {
        let node = function.node(id)?;
        for place in 0..node.signature().parameters.len() {
            let Some((from, port)) = node.link(place) else {
                continue;
            };
            if !chosen.contains(&from) && !is_fixed(function.node(from)?) {
                inputs.insert((from, port), node.parameter_type(place));
            }
        }
        for (port, target, _) in node.consumers() {
            if !chosen.contains(&target) {
                outputs.insert((id, port), node.port_type(port));
            }
        }
    }
    if inputs.len().max(outputs.len()) > MOST_PORTS {
        let (what, limit) = ("each side of a function", MOST_PORTS);
        let of = "ports";
        return Err(GraphError::TooLarge { what, limit, of }.into());
    }
    if outputs.is_empty() {
        return Err(RefactorError::NoOutput);
    }
    let named = |types: BTreeMap<(NodeId, usize), _>| -> Result<Boundary, GraphError> {
        let mut names = UniqueNames::default();
        let ports = types.into_iter().map(|((id, port), ty)| {
            let name = names.assign(wanted_name(function.node(id)?, port));
            Ok(((id, port), PortSpec::new(name, ty)))
        });
        ports.collect()
    };
    Ok((named(inputs)?, named(outputs)?))
}

/// Preferred name of a port: the display name of a node with one port, or else the name of the port.
fn wanted_name(node: NodeView<'_>, port: usize) -> &str {
    let ports = &node.signature().ports;
    let is_word = |name: &&str| {
        let mut letters = name.chars();
        letters.next().is_some_and(|c| c.is_ascii_alphabetic())
            && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    match node.display_name().filter(is_word) {
        Some(name) if ports.len() == 1 => name,
        Some(_) | None => &ports[port].name,
    }
}

impl ExtractionPlan {
    fn new(
        function: &Function,
        chosen: &BTreeSet<NodeId>,
        inputs: Boundary,
        outputs: Boundary,
    ) -> Result<ExtractionPlan, GraphError> {
        let mut nodes = Vec::with_capacity(chosen.len() + 2);
        let mut end = NodeData::new(NodeId::END, "End");
        let mut consumers = Vec::new();
        for ((id, port), output) in &outputs {
            let own = &function.node(*id)?.signature().ports[*port].name;
            end = end.link(&output.name, *id, own);
        }
        nodes.push(end);
        // An id outside the chosen nodes.
        let begin = function.begin().or_else(|| {
            let mut ids = (1..).map(NodeId);
            ids.find(|id| !chosen.contains(id))
        });
        let begin = begin.expect("there are more ids than nodes");
        if !inputs.is_empty() {
            nodes.push(NodeData::new(begin, "Begin"));
        }
        let mut positions = Vec::new();
        for &id in chosen {
            let node = function.node(id)?;
            nodes.push(inside(function, node, chosen, begin, &inputs)?);
            positions.extend(node.position());
            for (port, target, place) in node.consumers() {
                if !chosen.contains(&target) {
                    let name = &function.node(target)?.signature().parameters[place].name;
                    consumers.push((outputs[&(id, port)].name.clone(), target, name.to_string()));
                }
            }
        }
        let mut arguments = Vec::with_capacity(inputs.len());
        for ((id, port), input) in &inputs {
            let own = &function.node(*id)?.signature().ports[*port].name;
            arguments.push((input.name.clone(), (*id, own.to_string())));
        }
        Ok(ExtractionPlan {
            new: FunctionData {
                function_id: None,
                name: String::new(),
                inputs: inputs.into_values().collect(),
                outputs: outputs.into_values().collect(),
                nodes,
            },
            call: NewNode {
                kind: "FunctionCall".to_owned(),
                position: middle(&positions),
                ..NewNode::default()
            },
            arguments,
            consumers,
            to_delete: consumers_first(function, chosen)?,
        })
    }

    fn carry_out(
        self,
        stage: &mut Stage,
        function_id: FunctionId,
    ) -> Result<RefactorOutcome, EditError> {
        let (inputs, outputs) = (self.new.inputs.clone(), self.new.outputs.clone());
        let made = stage
            .push(&Edit::Function(FunctionEdit::Set(self.new)))?
            .function_id;
        let made = made.expect("a function was set");
        let mut local = FunctionEditor { stage, function_id };
        let call = local.create(self.call)?;
        local.set_value(call, FUNCTION_ID, made.0.into())?;
        for (parameter, from) in &self.arguments {
            local.link(from, call, parameter)?;
        }
        for (port, target, parameter) in self.consumers {
            local.link(&(call, port), target, &parameter)?;
        }
        for &node in &self.to_delete {
            local.delete(node)?;
        }
        let mut nodes = self.to_delete;
        nodes.sort_unstable();
        Ok(RefactorOutcome {
            function: Some(made),
            node: Some(call),
            nodes,
            inputs,
            outputs,
            ..RefactorOutcome::default()
        })
    }
}

/// Returns a node as it is in the new function.
fn inside(
    function: &Function,
    node: NodeView<'_>,
    chosen: &BTreeSet<NodeId>,
    begin: NodeId,
    inputs: &Boundary,
) -> Result<NodeData, GraphError> {
    let mut data = node.data();
    for (place, parameter) in node.signature().parameters.iter().enumerate() {
        let Some((from, port)) = node.link(place) else {
            continue;
        };
        if chosen.contains(&from) {
            continue;
        }
        let name = parameter.name.to_string();
        if let Some(input) = inputs.get(&(from, port)) {
            let source = SourceData::new(begin, &input.name);
            data.parameters.insert(name, Setting::Source(source));
        } else if let Argument::Value(id) = function.node(from)?.argument(0) {
            data.parameters.insert(name, Setting::Value(id.to_json()));
        } else {
            data.parameters.remove(&name);
        }
    }
    Ok(data)
}

/// Position of the call: the centroid of the nodes that it replaces.
fn middle(positions: &[[f64; 2]]) -> Option<[f64; 2]> {
    let share = 1.0 / positions.len() as f64;
    let sum = |axis: usize| positions.iter().map(|place| place[axis] * share).sum();
    (!positions.is_empty()).then(|| [sum(0), sum(1)])
}
