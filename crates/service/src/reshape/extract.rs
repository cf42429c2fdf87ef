//! Nodes that become a function of their own, which is called in their place.
//!
//! What the nodes take from others are its inputs, what others take from them its outputs. The id that a `Resource`
//! node holds is a literal on both sides, since a reference has to be known before evaluation: such a node moves only
//! if nothing else takes from it.
//!
//! A call needs all that its function needs. So an output of the function may come to need nodes that it did not need
//! before; where these may be unfinished, that is refused (see `need`), and what could be evaluated still can.

use std::collections::{BTreeMap, BTreeSet};

use fibula_core::edit::{Edit, EditError, Stage};
use fibula_core::graph::{
    Argument, Function, FunctionData, FunctionId, GraphError, MOST_PORTS, NodeData, NodeId,
    NodeView, Setting, SourceData,
};
use fibula_nodes::PortSpec;
use fibula_nodes::call::FUNCTION_ID;
use serde::Deserialize;

use super::local::{From, Local, NewNode};
use super::names::Names;
use super::{MOST_NODES, Reading, Reshaped, free_id, need, too_many, walk};
use crate::refusal::Refusal;

/// The nodes that are to become a function.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extract {
    pub(super) function_id: FunctionId,
    pub(super) node_ids: Vec<NodeId>,
    /// What the new function is called.
    pub(super) name: String,
    pub(super) new_function_id: Option<FunctionId>,
    pub(super) call_node_id: Option<NodeId>,
}

/// The most nodes that a hint names.
const SHOWN: usize = 20;

/// Ports that links across the border go through, by the node and the index of the port that they come from.
type Border = BTreeMap<(NodeId, usize), PortSpec>;

/// What is to be done.
#[derive(Debug)]
struct Plan {
    new: FunctionData,
    call: NewNode,
    /// What the call's parameters are linked to.
    arguments: Vec<(String, From)>,
    /// Who takes what the nodes yield, and the port of the call that it takes then.
    takers: Vec<(String, NodeId, String)>,
    /// The nodes that go, each after those that take from it.
    going: Vec<NodeId>,
}

/// Makes nodes a function of their own and calls it in their place.
pub(super) fn extract(
    stage: &mut Stage,
    request: &Extract,
    reading: &mut Reading,
) -> Result<Reshaped, Refusal> {
    let document = stage.document();
    let function = document.function(request.function_id)?;
    let chosen = chosen(function, request)?;
    convex(function, &chosen)?;
    let (inputs, outputs) = borders(function, &chosen)?;
    let ends = |border: &Border| border.keys().map(|&(id, _)| id).collect();
    let (yielding, giving) = (ends(&outputs), ends(&inputs));
    need::check(document, function, (&yielding, &giving), reading)?;
    let mut plan = Plan::new(function, &chosen, inputs, outputs)?;
    plan.new.function_id = free_id(document, request.new_function_id)?;
    plan.new.name.clone_from(&request.name);
    plan.call.id = request.call_node_id;
    plan.call.name = Some(request.name.clone());
    Ok(plan.carry_out(stage, request.function_id)?)
}

/// Whether a node yields an id that is known before evaluation, or nothing yet.
fn is_fixed(node: NodeView<'_>) -> bool {
    node.kind().about().name == "Resource" && !matches!(node.argument(0), Argument::Link { .. })
}

/// The nodes that move.
fn chosen(function: &Function, request: &Extract) -> Result<BTreeSet<NodeId>, Refusal> {
    let given: BTreeSet<NodeId> = request.node_ids.iter().copied().collect();
    if given.is_empty() {
        let message = "node_ids names no node, so there is nothing to extract";
        return Err(Refusal::new("invalid_edit", message).hint("name the nodes that are to move"));
    }
    if given.len() > MOST_NODES {
        return Err(too_many("extract_function", given.len()));
    }
    let mut chosen = BTreeSet::new();
    for &id in &given {
        let node = function.node(id)?;
        if id == NodeId::END || Some(id) == function.begin() {
            let what = format!("{} cannot move to another function", node.label());
            return Err(GraphError::ProtectedNode { what }.into());
        }
        let mut targets = walk::targets(node);
        if !is_fixed(node) || targets.all(|target| given.contains(&target)) {
            chosen.insert(id);
        }
    }
    Ok(chosen)
}

/// Refuses nodes with others between them, which a call would have to be before and after.
fn convex(function: &Function, chosen: &BTreeSet<NodeId>) -> Result<(), Refusal> {
    let is_outside = |id: &NodeId| !chosen.contains(id);
    let (mut takers, mut givers) = (Vec::new(), Vec::new());
    for &id in chosen {
        let node = function.node(id)?;
        takers.extend(walk::targets(node).filter(is_outside));
        givers.extend(walk::sources(node).filter(is_outside));
    }
    let after = walk::reached(function, takers, |node| {
        walk::targets(node).filter(is_outside)
    })?;
    let before = walk::reached(function, givers, |node| {
        walk::sources(node).filter(is_outside)
    })?;
    let between: BTreeSet<NodeId> = after.intersection(&before).copied().collect();
    let Some(&first) = between.first() else {
        return Ok(());
    };
    let others = match between.len() {
        1 => String::new(),
        2 => " and another node".to_owned(),
        count => format!(" and {} other nodes", count - 1),
    };
    let message = format!(
        "between the nodes to extract stands {}{others}, after some of them and before others, so no call can take \
         their place",
        function.node(first)?.label()
    );
    let ids: Vec<String> = between.iter().take(SHOWN).map(NodeId::to_string).collect();
    let more = if between.len() > SHOWN { ", ..." } else { "" };
    let hint = format!(
        "add {}{more} to node_ids, or leave out the nodes on one side",
        ids.join(", ")
    );
    let ids: Vec<NodeId> = between.into_iter().collect();
    Err(Refusal::new("not_convex", message)
        .hint(hint)
        .details(serde_json::json!({ "between": ids })))
}

/// What the nodes take from others, and what others take from them.
fn borders(function: &Function, chosen: &BTreeSet<NodeId>) -> Result<(Border, Border), Refusal> {
    let (mut inputs, mut outputs) = (BTreeMap::new(), BTreeMap::new());
    for &id in chosen {
        let node = function.node(id)?;
        for place in 0..node.signature().parameters.len() {
            let Argument::Link {
                node: from, port, ..
            } = node.argument(place)
            else {
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
        return Err(GraphError::TooLarge { what, limit }.into());
    }
    if outputs.is_empty() {
        let message =
            "nothing else takes what these nodes yield, so a function of them would have no output";
        return Err(Refusal::new("no_output", message)
            .hint("name nodes that others take from; Resource nodes that others take from stay where they are"));
    }
    let named = |types: BTreeMap<(NodeId, usize), _>| -> Result<Border, GraphError> {
        let mut names = Names::default();
        let ports = types.into_iter().map(|((id, port), ty)| {
            let name = names.free(wanted_name(function.node(id)?, port));
            Ok(((id, port), PortSpec::new(name, ty)))
        });
        ports.collect()
    };
    Ok((named(inputs)?, named(outputs)?))
}

/// What the port of a node is called best: like the node if that has a name and no other ports.
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

impl Plan {
    fn new(
        function: &Function,
        chosen: &BTreeSet<NodeId>,
        inputs: Border,
        outputs: Border,
    ) -> Result<Plan, GraphError> {
        let mut nodes = Vec::with_capacity(chosen.len() + 2);
        let mut end = NodeData::new(NodeId::END, "End");
        let mut takers = Vec::new();
        for ((id, port), output) in &outputs {
            let own = &function.node(*id)?.signature().ports[*port].name;
            end = end.link(&output.name, *id, own);
        }
        nodes.push(end);
        // One that is not chosen: there are more ids than nodes.
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
                    takers.push((outputs[&(id, port)].name.clone(), target, name.to_string()));
                }
            }
        }
        let mut arguments = Vec::with_capacity(inputs.len());
        for ((id, port), input) in &inputs {
            let own = &function.node(*id)?.signature().ports[*port].name;
            arguments.push((input.name.clone(), (*id, own.to_string())));
        }
        Ok(Plan {
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
            takers,
            going: walk::consumers_first(function, chosen)?,
        })
    }

    fn carry_out(self, stage: &mut Stage, function_id: FunctionId) -> Result<Reshaped, EditError> {
        let (inputs, outputs) = (self.new.inputs.clone(), self.new.outputs.clone());
        let made = stage.push(&Edit::SetFunction(self.new))?.function_id;
        let made = made.expect("a function was set");
        let mut local = Local { stage, function_id };
        let call = local.create(self.call)?;
        local.value(call, FUNCTION_ID, made.0.into())?;
        for (parameter, from) in &self.arguments {
            local.link(from, call, parameter)?;
        }
        for (port, target, parameter) in self.takers {
            local.link(&(call, port), target, &parameter)?;
        }
        for &node in &self.going {
            local.delete(node)?;
        }
        let mut nodes = self.going;
        nodes.sort_unstable();
        Ok(Reshaped {
            made: Some(made),
            node: Some(call),
            nodes,
            inputs,
            outputs,
            ..Reshaped::default()
        })
    }
}

/// A node as it is in the new function.
fn inside(
    function: &Function,
    node: NodeView<'_>,
    chosen: &BTreeSet<NodeId>,
    begin: NodeId,
    inputs: &Border,
) -> Result<NodeData, GraphError> {
    let mut data = node.data();
    for (place, parameter) in node.signature().parameters.iter().enumerate() {
        let Argument::Link {
            node: from, port, ..
        } = node.argument(place)
        else {
            continue;
        };
        if chosen.contains(&from) {
            continue;
        }
        let name = parameter.name.to_string();
        if let Some(input) = inputs.get(&(from, port)) {
            let source = SourceData {
                node_id: begin,
                port: input.name.clone(),
            };
            data.parameters.insert(name, Setting::Source(source));
        } else if let Argument::Value(id) = function.node(from)?.argument(0) {
            data.parameters.insert(name, Setting::Value(id.to_json()));
        } else {
            data.parameters.remove(&name);
        }
    }
    Ok(data)
}

/// Where the call is drawn: in the middle of what it is instead of.
fn middle(positions: &[[f64; 2]]) -> Option<[f64; 2]> {
    let share = 1.0 / positions.len() as f64;
    let sum = |axis: usize| {
        positions
            .iter()
            .map(|place| place[axis] * share)
            .sum::<f64>()
    };
    (!positions.is_empty()).then(|| [sum(0), sum(1)])
}
