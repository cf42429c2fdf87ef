//! The toolset `graph-mode`: the tools of `CharmGPT`'s Graph Mode, which answer in prose. A conversation is a project,
//! which is created with its first node.

mod curies;
mod prose;
mod requests;

mod answers;
mod edits;
mod layout;
mod removals;

use fibula_server::operation::Operation;

use crate::profile;

/// Name of the toolset.
pub(crate) const NAME: &str = "graph-mode";

pub(crate) fn operations() -> Vec<Operation> {
    tools! {
        Add "addNode", "Add node", profile(edits::add_node),
            "Add a node to the knowledge graph.", r#"{"label":"TP53","type":"gene","canonicalId":"NCBIGene:7157"}"#;
        Add "addNodeByCurie", "Add node by CURIE", profile(edits::add_node_by_curie),
            "Add a node with a CURIE as its id. No other server is asked for its name.",
            r#"{"curie":"NCBIGene:7157","label":"TP53"}"#;
        Add "addNodeByName", "Add node by name", profile(edits::add_node_by_name),
            "Add a node, unless the graph has one of this name. No other server is asked for its id.",
            r#"{"name":"TP53","type":"gene"}"#;
        Add "addEdge", "Add edge", profile(edits::add_edge),
            "Add an edge between two nodes of the knowledge graph.",
            r#"{"source":"TP53","target":"Type 2 Diabetes","label":"associated_with"}"#;
        Add "addMultipleNodes", "Add nodes", profile(edits::add_nodes),
            "Add many nodes at once, all or none.", r#"{"nodes":[{"label":"TP53","type":"gene"}]}"#;
        Add "addMultipleEdges", "Add edges", profile(edits::add_edges),
            "Add many edges at once, all or none.",
            r#"{"edges":[{"source":"MDM2","target":"TP53","label":"inhibits"}]}"#;
        Add "importFromJSON", "Import from JSON", profile(edits::import),
            "Add a whole graph of nodes and edges.",
            r#"{"data":{"nodes":[{"id":"a","label":"A","type":"gene"}],"edges":[]}}"#;
        Change "updateNode", "Update node", profile(edits::update_node),
            "Change a node's label, type, data or position.",
            r#"{"nodeId":"NCBIGene:7157","data":{"description":"guards the genome"}}"#;
        Change "updateEdge", "Update edge", profile(edits::update_edge),
            "Change an edge's ends, label, type or data.", r#"{"edgeId":"e1","label":"causes"}"#;
        Set "removeNode", "Remove node", profile(removals::remove_node),
            "Remove a node from the knowledge graph, with all its edges.", r#"{"nodeId":"NCBIGene:7157"}"#;
        Set "removeEdge", "Remove edge", profile(removals::remove_edge),
            "Remove an edge from the knowledge graph; getGraphState lists ids.", r#"{"edgeId":"e1"}"#;
        Set "bulkRemoveNodes", "Remove nodes", profile(removals::remove_nodes),
            "Remove many nodes at once, with their edges.", r#"{"nodeIds":["NCBIGene:7157"]}"#;
        Set "bulkRemoveEdges", "Remove edges", profile(removals::remove_edges),
            "Remove many edges at once.", r#"{"edgeIds":["e1","e2"]}"#;
        Set "removeNodesByDegree", "Remove nodes by degree", profile(removals::remove_by_degree),
            "Remove nodes by their number of edges, such as isolated ones.",
            r#"{"criteria":{"exactDegree":0}}"#;
        Set "bulkRemoveNodesByType", "Remove nodes by type", profile(removals::remove_by_type),
            "Remove all nodes of some types, or all others; preview lists them.",
            r#"{"criteria":{"nodeTypes":["disease"],"preview":true}}"#;
        Read "getGraphState", "Get graph state", profile(answers::state),
            "Get the contents of the knowledge graph: nodes by type, and edges.", r#"{"filter":{"nodeType":"gene"}}"#;
        Read "filterByType", "Filter by type", profile(answers::of_type),
            "Get all nodes of a type.", r#"{"nodeType":"gene"}"#;
        Read "searchNodes", "Search nodes", profile(answers::search),
            "Find nodes by words in labels and data.", r#"{"query":"tumor suppressor"}"#;
        Read "findPath", "Find path", profile(answers::path),
            "Find the shortest path between two nodes.", r#"{"source":"TP53","target":"Type 2 Diabetes"}"#;
        Read "analyzeNodeRelationships", "Analyze relationships", profile(answers::relationships),
            "Count and list the edges of a node, by their labels and by the types of its neighbors.",
            r#"{"nodeId":"NCBIGene:7157"}"#;
        Read "analyzeStructure", "Analyze structure", profile(answers::structure),
            "Compute density, diameter, components and degrees of the graph.", "{}";
        Read "findCentrality", "Find centrality", profile(answers::centrality),
            "Rank nodes by centrality.", r#"{"metric":"betweenness"}"#;
        Read "detectCommunities", "Detect communities", profile(answers::communities),
            "Find groups of densely connected nodes.", "{}";
        Change "applyForceLayout", "Apply force layout", profile(layout::force),
            "Place linked nodes near each other.", "{}";
        Change "applyHierarchicalLayout", "Apply hierarchical layout", profile(layout::hierarchical),
            "Place the nodes in layers along the edges.", r#"{"direction":"LR"}"#;
        Change "optimizePositions", "Optimize positions", profile(layout::optimal),
            "Place the nodes with as few edge crossings as possible.", "{}";
    }
}
