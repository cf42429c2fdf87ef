//! Traces and explanations of a function at one point.

use std::collections::BTreeMap;

use fibula_core::eval;
use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_core::library;
use fibula_nodes::Value;
use serde::Serialize;
use serde_json::Value as Json;

use crate::refusal::Result;

/// Maximum number of nodes in a trace.
const MOST_TRACED: usize = 100;
/// Maximum number of calls that a trace enters; none takes longer than the function itself.
pub(crate) const MOST_CALLS: usize = 50;
/// Maximum number of lines of the explanation of an output.
const MOST_REASONS: usize = 40;
/// Maximum number of reasons followed, with those of calls, which are not shown.
const MOST_FOLLOWED: usize = 3 * MOST_REASONS;

/// Arguments and results of a node.
#[derive(Debug, Clone, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TracedNode {
    pub node_id: NodeId,
    pub node_type: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    pub inputs: BTreeMap<String, Json>,
    /// Node and port that each linked input has its value from, such as "3.result".
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub sources: BTreeMap<String, String>,
    pub outputs: BTreeMap<String, Json>,
    /// Nodes of the function that a call enters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub call: Vec<TracedNode>,
}

/// Traces a function at a point, given as one value per input, and the functions that it calls. Resources are left out.
pub(crate) fn trace(
    document: &Document,
    (function, values): (FunctionId, &[Value]),
    warnings: &mut Vec<String>,
) -> Result<Vec<TracedNode>> {
    let mut budget = Budget {
        nodes: MOST_TRACED,
        calls: MOST_CALLS,
        omitted_nodes: 0,
        omitted_calls: 0,
    };
    let nodes = traced(document, function, values, &mut budget)?;
    if budget.omitted_nodes + budget.omitted_calls > 0 {
        warnings.push(format!(
            "the trace has {} nodes, the last ones of each function; it omits {} nodes and does not enter {} calls",
            MOST_TRACED - budget.nodes,
            budget.omitted_nodes,
            budget.omitted_calls
        ));
    }
    Ok(nodes)
}

/// Nodes and calls that a trace may still have, and those that it omits.
struct Budget {
    nodes: usize,
    calls: usize,
    omitted_nodes: usize,
    omitted_calls: usize,
}

/// Traces the last nodes of a function, which are nearest to the outputs, before those of the functions that it calls.
fn traced(
    document: &Document,
    function: FunctionId,
    values: &[Value],
    budget: &mut Budget,
) -> Result<Vec<TracedNode>> {
    let trace = eval::trace(document, function, values)?;
    let is_shown = |node: &eval::TracedNode| {
        node.outputs.is_empty() || node.outputs.iter().any(|(_, value)| !is_resource(value))
    };
    let shown: Vec<&eval::TracedNode> = trace.nodes.iter().filter(|node| is_shown(node)).collect();
    let first = shown.len().saturating_sub(budget.nodes);
    budget.nodes -= shown.len() - first;
    budget.omitted_nodes += first;
    let source = |input: &eval::TracedInput| {
        let (node, port) = input.source?;
        let node = &trace.nodes[node];
        let source = format!("{}.{}", node.node.node_id, node.outputs[port].0);
        Some((input.name.clone(), source))
    };
    let mut nodes = Vec::with_capacity(shown.len() - first);
    for &node in &shown[first..] {
        let inputs = || {
            node.inputs
                .iter()
                .filter(|input| !is_resource(&input.value))
        };
        let outputs = node.outputs.iter();
        nodes.push(TracedNode {
            node_id: node.node.node_id,
            node_type: node.node.node_type.to_owned(),
            display_name: node.node.display_name.clone(),
            inputs: inputs()
                .map(|input| (input.name.clone(), input.value.to_json()))
                .collect(),
            sources: inputs().filter_map(source).collect(),
            outputs: outputs
                .map(|(name, value)| (name.clone(), value.to_json()))
                .collect(),
            call: called(document, node, budget)?,
        });
    }
    Ok(nodes)
}

/// Traces the function that a node calls, if there is room for it.
fn called(
    document: &Document,
    node: &eval::TracedNode,
    budget: &mut Budget,
) -> Result<Vec<TracedNode>> {
    let Some((callee, values)) = node.call(document) else {
        return Ok(Vec::new());
    };
    if budget.nodes == 0 || budget.calls == 0 {
        budget.omitted_calls += 1;
        return Ok(Vec::new());
    }
    budget.calls -= 1;
    traced(document, callee.id(), &values, budget)
}

fn is_resource(value: &Value) -> bool {
    matches!(value, Value::ResourceId(_))
}

/// Explains outputs of a function at a point, given as one value per input; all outputs if `outputs` is `None`.
pub(crate) fn explain(
    document: &Document,
    (function, values): (FunctionId, &[Value]),
    outputs: Option<&[String]>,
    warnings: &mut Vec<String>,
) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for (index, output) in document.function(function)?.outputs().iter().enumerate() {
        if outputs.is_some_and(|wanted| !wanted.contains(&output.name)) {
            continue;
        }
        let explanation = eval::explain(
            document,
            function,
            values,
            index,
            MOST_FOLLOWED,
            &library::is_copy,
        )?;
        // The output itself comes first.
        let reasons = explanation.reasons.iter().enumerate();
        let reasons = reasons.filter(|(place, reason)| *place == 0 || !reason.is_passed_on());
        let reasons: Vec<String> = reasons.map(|(_, reason)| reason.to_string()).collect();
        let is_truncated = explanation.is_truncated || reasons.len() > MOST_REASONS;
        lines.extend(reasons.into_iter().take(MOST_REASONS));
        if is_truncated {
            warnings.push(format!(
                "why shows the first {MOST_REASONS} reasons of output '{}'; evaluate a function that it calls to see \
                 others",
                output.name
            ));
        }
    }
    Ok(lines)
}
