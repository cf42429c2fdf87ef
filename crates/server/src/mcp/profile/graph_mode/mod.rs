//! The toolset `graph-mode`: the tools of CharmGPT's Graph Mode, which answer in prose. A conversation is a project, which
//! comes to be with its first node.

mod given;
mod prose;

mod answers;
mod edits;
mod layout;

use rmcp::handler::server::router::tool::ToolRoute;

use super::super::server::Server;
use super::{Does, Head, tool};

pub(super) fn tools() -> Vec<ToolRoute<Server>> {
    let mut all = adding();
    all.extend(removing());
    all.extend(asking());
    all.extend(placing());
    all
}

fn adding() -> Vec<ToolRoute<Server>> {
    let head = Head::new;
    vec![
        tool(
            head(
                "addNode",
                "Add node",
                Does::Add,
                "Add a node to the knowledge graph. Example: \
                 {\"label\":\"TP53\",\"type\":\"gene\",\"canonicalId\":\"NCBIGene:7157\"}",
            ),
            edits::add_node,
        ),
        tool(
            head(
                "addEdge",
                "Add edge",
                Does::Add,
                "Add an edge between two nodes of the knowledge graph. Example: \
                 {\"source\":\"TP53\",\"target\":\"Type 2 Diabetes\",\"label\":\"associated_with\"}",
            ),
            edits::add_edge,
        ),
        tool(
            head(
                "addMultipleNodes",
                "Add nodes",
                Does::Add,
                "Add many nodes at once, all or none. Example: {\"nodes\":[{\"label\":\"TP53\",\"type\":\"gene\"}]}",
            ),
            edits::add_nodes,
        ),
        tool(
            head(
                "addMultipleEdges",
                "Add edges",
                Does::Add,
                "Add many edges at once, all or none. Example: \
                 {\"edges\":[{\"source\":\"MDM2\",\"target\":\"TP53\",\"label\":\"inhibits\"}]}",
            ),
            edits::add_edges,
        ),
        tool(
            head(
                "importFromJSON",
                "Import from JSON",
                Does::Add,
                "Add a whole graph of nodes and edges. Example: \
                 {\"data\":{\"nodes\":[{\"id\":\"a\",\"label\":\"A\",\"type\":\"gene\"}],\"edges\":[]}}",
            ),
            edits::import,
        ),
        tool(
            head(
                "updateNode",
                "Update node",
                Does::Change,
                "Change a node's label, type, data or position. Example: \
                 {\"nodeId\":\"NCBIGene:7157\",\"data\":{\"description\":\"guards the genome\"}}",
            ),
            edits::update_node,
        ),
        tool(
            head(
                "updateEdge",
                "Update edge",
                Does::Change,
                "Change an edge's ends, label, type or data. Example: {\"edgeId\":\"e1\",\"label\":\"causes\"}",
            ),
            edits::update_edge,
        ),
    ]
}

fn removing() -> Vec<ToolRoute<Server>> {
    let head = |name, title, about| Head::new(name, title, Does::Remove, about);
    vec![
        tool(
            head(
                "removeNode",
                "Remove node",
                "Remove a node from the knowledge graph, with all its edges. Example: {\"nodeId\":\"NCBIGene:7157\"}",
            ),
            edits::remove_node,
        ),
        tool(
            head(
                "removeEdge",
                "Remove edge",
                "Remove an edge from the knowledge graph; getGraphState tells ids. Example: {\"edgeId\":\"e1\"}",
            ),
            edits::remove_edge,
        ),
        tool(
            head(
                "bulkRemoveNodes",
                "Remove nodes",
                "Remove many nodes at once, with their edges. Example: {\"nodeIds\":[\"NCBIGene:7157\"]}",
            ),
            edits::remove_nodes,
        ),
        tool(
            head(
                "bulkRemoveEdges",
                "Remove edges",
                "Remove many edges at once. Example: {\"edgeIds\":[\"e1\",\"e2\"]}",
            ),
            edits::remove_edges,
        ),
        tool(
            head(
                "removeNodesByDegree",
                "Remove nodes by degree",
                "Remove nodes by how many edges they have, such as those without any. Example: \
                 {\"criteria\":{\"exactDegree\":0}}",
            ),
            edits::remove_by_degree,
        ),
        tool(
            head(
                "bulkRemoveNodesByType",
                "Remove nodes by type",
                "Remove all nodes of some types, or all but those; preview tells which. Example: \
                 {\"criteria\":{\"nodeTypes\":[\"disease\"],\"preview\":true}}",
            ),
            edits::remove_by_type,
        ),
    ]
}

fn asking() -> Vec<ToolRoute<Server>> {
    let head = |name, title, about| Head::new(name, title, Does::Read, about);
    vec![
        tool(
            head(
                "getGraphState",
                "Get graph state",
                "Get what is in the knowledge graph: nodes by type, and edges. Example: \
                 {\"filter\":{\"nodeType\":\"gene\"}}",
            ),
            answers::state,
        ),
        tool(
            head(
                "filterByType",
                "Filter by type",
                "Get all nodes of a type. Example: {\"nodeType\":\"gene\"}",
            ),
            answers::of_type,
        ),
        tool(
            head(
                "searchNodes",
                "Search nodes",
                "Find nodes by words in labels and data. Example: {\"query\":\"tumor suppressor\"}",
            ),
            answers::search,
        ),
        tool(
            head(
                "findPath",
                "Find path",
                "Find the shortest path between two nodes. Example: \
                 {\"source\":\"TP53\",\"target\":\"Type 2 Diabetes\"}",
            ),
            answers::path,
        ),
        tool(
            head(
                "analyzeStructure",
                "Analyze structure",
                "Tell density, diameter, components and degrees of the graph. Example: {}",
            ),
            answers::structure,
        ),
        tool(
            head(
                "findCentrality",
                "Find centrality",
                "Rank nodes by how central they are. Example: {\"metric\":\"betweenness\"}",
            ),
            answers::centrality,
        ),
        tool(
            head(
                "detectCommunities",
                "Detect communities",
                "Find groups of nodes with many edges among them. Example: {}",
            ),
            answers::communities,
        ),
    ]
}

fn placing() -> Vec<ToolRoute<Server>> {
    let head = |name, title, about| Head::new(name, title, Does::Change, about);
    vec![
        tool(
            head(
                "applyForceLayout",
                "Apply force layout",
                "Place the nodes so that linked ones are near each other. Example: {}",
            ),
            layout::force,
        ),
        tool(
            head(
                "applyHierarchicalLayout",
                "Apply hierarchical layout",
                "Place the nodes in layers along the edges. Example: {\"direction\":\"LR\"}",
            ),
            layout::hierarchical,
        ),
        tool(
            head(
                "optimizePositions",
                "Optimize positions",
                "Place the nodes so that as few edges as possible cross. Example: {}",
            ),
            layout::optimal,
        ),
    ]
}
