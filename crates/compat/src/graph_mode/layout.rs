//! Layouts.

use std::collections::BTreeMap;

use fibula_drawing::sketch::Flow;
use fibula_knowledge::Knowledge;
use fibula_service::{LayOut, LayoutMethod, LayoutResult, Refusal};

use fibula_server::operation::ToolAnswer;

use super::prose::{EMPTY, counted};
use super::requests::{Heading, Hierarchy, OfGraph};
use crate::{Answer, Call, InProject};

/// Maximum number of nodes for counting crossings.
const MAX_NODES: usize = 500;
/// Maximum number of edges for counting crossings.
const MAX_EDGES: usize = 2_000;

fn apply<P>(call: &mut Call<'_, P>, request: &LayOut) -> Result<LayoutResult, Refusal> {
    call.service.lay_out(call.origin, request, call.progress)
}

/// Applies a layout unless the graph is empty.
fn place(
    call: &mut Call<'_, impl InProject>,
    name: &str,
    method: LayoutMethod,
    flow: Flow,
) -> Answer {
    if call.knowledge_or_empty()?.is_empty() {
        return Ok(ToolAnswer::text(EMPTY));
    }
    let request = LayOut {
        project: call.project_name(),
        method,
        flow,
        write: true,
        ..LayOut::default()
    };
    let placed = counted(apply(call, &request)?.total, "node");
    let text = format!("Applied {name} layout to {placed}.");
    Ok(ToolAnswer::text(text))
}

pub(super) fn force(call: &mut Call<'_, OfGraph>) -> Answer {
    place(call, "force-directed", LayoutMethod::Force, Flow::default())
}

pub(super) fn hierarchical(call: &mut Call<'_, Hierarchy>) -> Answer {
    let flow = match call.request.direction {
        Heading::Down => Flow::Down,
        Heading::Right => Flow::Right,
    };
    place(call, "hierarchical", LayoutMethod::Layered, flow)
}

/// Selects the layout with the fewest crossings, among all methods and the current positions.
pub(super) fn optimal(call: &mut Call<'_, OfGraph>) -> Answer {
    let (project, graph) = (call.project_name(), call.knowledge_or_empty()?);
    if graph.is_empty() {
        return Ok(ToolAnswer::text(EMPTY));
    }
    if graph.node_count() > MAX_NODES || graph.edge_count() > MAX_EDGES {
        let message = format!(
            "the graph has {} and {}; crossings are counted up to {MAX_NODES} nodes and {MAX_EDGES} edges, so use \
             applyForceLayout or applyHierarchicalLayout",
            counted(graph.node_count(), "node"),
            counted(graph.edge_count(), "edge")
        );
        return Err(Refusal::new("too_large", message));
    }
    let nodes = graph.nodes();
    let own: BTreeMap<String, [f64; 2]> = nodes
        .filter_map(|node| Some((node.id().to_owned(), node.position()?)))
        .collect();
    let before = (own.len() == graph.node_count()).then(|| crossings(&graph, &own));
    let (mut fewest, mut best) = (usize::MAX, LayoutMethod::Force);
    for method in [
        LayoutMethod::Force,
        LayoutMethod::Layered,
        LayoutMethod::Radial,
    ] {
        let request = LayOut {
            project: project.clone(),
            method,
            ..LayOut::default()
        };
        let tried = apply(call, &request)?;
        let places = tried.positions.into_iter();
        let places = places.map(|place| (place.id, place.position));
        let count = crossings(&graph, &places.collect());
        if count < fewest {
            (fewest, best) = (count, method);
        }
    }
    let placed = counted(graph.node_count(), "node");
    if let Some(before) = before.filter(|before| *before <= fewest) {
        return Ok(ToolAnswer::text(format!(
            "The positions of {placed} are unchanged: {} is the minimum that was found.",
            counted(before, "edge crossing")
        )));
    }
    let request = LayOut {
        project,
        method: best,
        write: true,
        ..LayOut::default()
    };
    apply(call, &request)?;
    let before = before.map_or_else(String::new, |before| format!(", {before} before"));
    let after = counted(fewest, "edge crossing");
    Ok(ToolAnswer::text(format!(
        "Optimized the positions of {placed}: {after}{before}."
    )))
}

/// Counts crossings of straight edges between these positions, O(edges²). Edges with a common end do not cross.
fn crossings(graph: &Knowledge, places: &BTreeMap<String, [f64; 2]>) -> usize {
    let edges = graph.edges().filter_map(|edge| {
        let ends = [edge.source(), edge.target()];
        Some((ends, [*places.get(ends[0])?, *places.get(ends[1])?]))
    });
    let edges: Vec<_> = edges.collect();
    let mut count = 0;
    for (place, (ends, line)) in edges.iter().enumerate() {
        for (others, other) in &edges[place + 1..] {
            let is_apart = !others.iter().any(|end| ends.contains(end));
            count += usize::from(is_apart && do_cross(*line, *other));
        }
    }
    count
}

/// Returns true if two segments have a common inner point.
fn do_cross([a, b]: [[f64; 2]; 2], [c, d]: [[f64; 2]; 2]) -> bool {
    let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    };
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_cross_within_both() {
        let cross = [[0.0, 0.0], [2.0, 2.0]];
        assert!(do_cross(cross, [[0.0, 2.0], [2.0, 0.0]]));
        assert!(!do_cross(cross, [[0.0, 2.0], [0.5, 1.5]]), "ends before");
        assert!(!do_cross(cross, [[2.0, 2.0], [4.0, 0.0]]), "touches");
        assert!(!do_cross(cross, [[1.0, 0.0], [3.0, 2.0]]), "beside");
    }
}
