//! The toolset `graph-mode`: the tools of `CharmGPT`'s Graph Mode, which answer in prose. A conversation is a
//! project, which is created with its first node.

mod prose;
mod requests;

mod answers;
mod edits;
mod layout;

use fibula_server::operation::{Effect, Operation};

use crate::profile;

/// Name of the toolset.
pub(crate) const NAME: &str = "graph-mode";

pub(crate) fn operations() -> Vec<Operation> {
    let mut all = add_operations();
    all.extend(remove_operations());
    all.extend(read_operations());
    all.extend(layout_operations());
    all
}

fn add_operations() -> Vec<Operation> {
    vec![
        profile(edits::add_node).tool(
            NAME,
            "addNode",
            "Add node",
            Effect::Add,
            "Add a node to the knowledge graph. Example: {\"label\":\"TP53\",\
             \"type\":\"gene\",\"canonicalId\":\"NCBIGene:7157\"}",
        ),
        profile(edits::add_edge).tool(
            NAME,
            "addEdge",
            "Add edge",
            Effect::Add,
            "Add an edge between two nodes of the knowledge graph. Example: \
             {\"source\":\"TP53\",\"target\":\"Type 2 Diabetes\",\
             \"label\":\"associated_with\"}",
        ),
        profile(edits::add_nodes).tool(
            NAME,
            "addMultipleNodes",
            "Add nodes",
            Effect::Add,
            "Add many nodes at once, all or none. Example: {\"nodes\":[{\"label\":\"TP53\",\
             \"type\":\"gene\"}]}",
        ),
        profile(edits::add_edges).tool(
            NAME,
            "addMultipleEdges",
            "Add edges",
            Effect::Add,
            "Add many edges at once, all or none. Example: {\"edges\":[{\"source\":\"MDM2\",\
             \"target\":\"TP53\",\"label\":\"inhibits\"}]}",
        ),
        profile(edits::import).tool(
            NAME,
            "importFromJSON",
            "Import from JSON",
            Effect::Add,
            "Add a whole graph of nodes and edges. Example: \
             {\"data\":{\"nodes\":[{\"id\":\"a\",\"label\":\"A\",\"type\":\"gene\"}],\
             \"edges\":[]}}",
        ),
        profile(edits::update_node).tool(
            NAME,
            "updateNode",
            "Update node",
            Effect::Change,
            "Change a node's label, type, data or position. Example: \
             {\"nodeId\":\"NCBIGene:7157\",\"data\":{\"description\":\"guards the genome\"}}",
        ),
        profile(edits::update_edge).tool(
            NAME,
            "updateEdge",
            "Update edge",
            Effect::Change,
            "Change an edge's ends, label, type or data. Example: {\"edgeId\":\"e1\",\
             \"label\":\"causes\"}",
        ),
    ]
}

fn remove_operations() -> Vec<Operation> {
    vec![
        profile(edits::remove_node).tool(
            NAME,
            "removeNode",
            "Remove node",
            Effect::Set,
            "Remove a node from the knowledge graph, with all its edges. Example: \
             {\"nodeId\":\"NCBIGene:7157\"}",
        ),
        profile(edits::remove_edge).tool(
            NAME,
            "removeEdge",
            "Remove edge",
            Effect::Set,
            "Remove an edge from the knowledge graph; getGraphState tells ids. Example: \
             {\"edgeId\":\"e1\"}",
        ),
        profile(edits::remove_nodes).tool(
            NAME,
            "bulkRemoveNodes",
            "Remove nodes",
            Effect::Set,
            "Remove many nodes at once, with their edges. Example: \
             {\"nodeIds\":[\"NCBIGene:7157\"]}",
        ),
        profile(edits::remove_edges).tool(
            NAME,
            "bulkRemoveEdges",
            "Remove edges",
            Effect::Set,
            "Remove many edges at once. Example: {\"edgeIds\":[\"e1\",\"e2\"]}",
        ),
        profile(edits::remove_by_degree).tool(
            NAME,
            "removeNodesByDegree",
            "Remove nodes by degree",
            Effect::Set,
            "Remove nodes by how many edges they have, such as those without any. Example: \
             {\"criteria\":{\"exactDegree\":0}}",
        ),
        profile(edits::remove_by_type).tool(
            NAME,
            "bulkRemoveNodesByType",
            "Remove nodes by type",
            Effect::Set,
            "Remove all nodes of some types, or all but those; preview tells which. Example: \
             {\"criteria\":{\"nodeTypes\":[\"disease\"],\"preview\":true}}",
        ),
    ]
}

fn read_operations() -> Vec<Operation> {
    vec![
        profile(answers::state).tool(
            NAME,
            "getGraphState",
            "Get graph state",
            Effect::Read,
            "Get what is in the knowledge graph: nodes by type, and edges. Example: \
             {\"filter\":{\"nodeType\":\"gene\"}}",
        ),
        profile(answers::of_type).tool(
            NAME,
            "filterByType",
            "Filter by type",
            Effect::Read,
            "Get all nodes of a type. Example: {\"nodeType\":\"gene\"}",
        ),
        profile(answers::search).tool(
            NAME,
            "searchNodes",
            "Search nodes",
            Effect::Read,
            "Find nodes by words in labels and data. Example: {\"query\":\"tumor \
             suppressor\"}",
        ),
        profile(answers::path).tool(
            NAME,
            "findPath",
            "Find path",
            Effect::Read,
            "Find the shortest path between two nodes. Example: {\"source\":\"TP53\",\
             \"target\":\"Type 2 Diabetes\"}",
        ),
        profile(answers::structure).tool(
            NAME,
            "analyzeStructure",
            "Analyze structure",
            Effect::Read,
            "Tell density, diameter, components and degrees of the graph. Example: {}",
        ),
        profile(answers::centrality).tool(
            NAME,
            "findCentrality",
            "Find centrality",
            Effect::Read,
            "Rank nodes by how central they are. Example: {\"metric\":\"betweenness\"}",
        ),
        profile(answers::communities).tool(
            NAME,
            "detectCommunities",
            "Detect communities",
            Effect::Read,
            "Find groups of nodes with many edges among them. Example: {}",
        ),
    ]
}

fn layout_operations() -> Vec<Operation> {
    vec![
        profile(layout::force).tool(
            NAME,
            "applyForceLayout",
            "Apply force layout",
            Effect::Change,
            "Place the nodes so that linked ones are near each other. Example: {}",
        ),
        profile(layout::hierarchical).tool(
            NAME,
            "applyHierarchicalLayout",
            "Apply hierarchical layout",
            Effect::Change,
            "Place the nodes in layers along the edges. Example: {\"direction\":\"LR\"}",
        ),
        profile(layout::optimal).tool(
            NAME,
            "optimizePositions",
            "Optimize positions",
            Effect::Change,
            "Place the nodes so that as few edges as possible cross. Example: {}",
        ),
    ]
}
