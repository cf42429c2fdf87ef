//! The toolset `discourse`: the tools of the Discourse Graph server, over an imported or any other graph.
//!
//! A page is a node: its title is the label without the code in front ("[[CLM]] - "), which is its node type, or else
//! its first type. References in its text are edges of type `refers_to`; every other edge is a relation. Images are
//! linked and never fetched.

mod answers;
mod page;

use fibula_knowledge::Direction;
use schemars::JsonSchema;
use serde::Deserialize;

use fibula_server::operation::Operation;

use crate::profile;

/// Name of the toolset.
pub(crate) const NAME: &str = "discourse";

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortKey {
    Created,
    Modified,
    Title,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortDirection {
    Asc,
    #[default]
    Desc,
}

/// Codes of node types, for schemas: the other server has no other types, and this one accepts those of any graph.
#[derive(JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[expect(dead_code, reason = "used only for its schema")]
enum NodeCode {
    Res,
    Que,
    Con,
    Evd,
    Clm,
    Hyp,
    Iss,
    Src,
    Flw,
    Art,
    Prj,
    Ptn,
    The,
    Thy,
}

arguments! {
    /// Arguments of `search_nodes`.
    Search {
        /// Words, such as "membrane tension".
        query: String,
        /// Only nodes of this type, by its code; its name is accepted, too: "Claim".
        #[schemars(with = "Option<NodeCode>")]
        node_type: Option<String>,
        /// Only nodes of this person, or whose creator contains this.
        creator: Option<String>,
        /// Sort key instead of relevance.
        order_by: Option<SortKey>,
        /// Default desc.
        #[serde(default)]
        #[schemars(with = "Option<SortDirection>")]
        sort_direction: SortDirection,
        /// Maximum number of nodes; default 10.
        limit: Option<usize>,
    }

    /// Arguments with a node.
    NodeArguments {
        /// Its uid.
        uid: String,
    }

    /// Arguments of `get_linked_nodes`.
    Linked {
        /// Its uid.
        uid: String,
        /// outgoing, incoming or both; default both.
        #[serde(default)]
        #[schemars(with = "Option<Direction>")]
        direction: Direction,
    }

    /// Arguments without a node.
    GraphArguments {
    }

    /// Arguments of `get_researcher_contributions`.
    Contributions {
        /// A name, or a part of it; default: counts of everybody.
        creator: Option<String>,
        /// Only nodes of this type, by its code or its name.
        #[schemars(with = "Option<NodeCode>")]
        node_type: Option<String>,
        /// Number of contributions to skip.
        #[serde(default)]
        offset: usize,
    }

    /// Arguments of `get_relationships`.
    Relationships {
        /// Only relations from this node.
        source_uid: Option<String>,
        /// Only relations to this node.
        destination_uid: Option<String>,
        /// Only relations of this type, such as "Supports".
        relationship_type: Option<String>,
        /// Number of relations to skip.
        #[serde(default)]
        offset: usize,
    }

    /// Arguments of `get_node_neighborhood`.
    Neighborhood {
        /// Its uid.
        uid: String,
        /// From 1 to 4; default 2.
        #[schemars(range(min = 1, max = 4))]
        depth: Option<usize>,
        /// outgoing, incoming or both; default both.
        #[serde(default)]
        #[schemars(with = "Option<Direction>")]
        direction: Direction,
        /// Only nodes of this type, by its code or its name; others are not traversed.
        #[schemars(with = "Option<NodeCode>")]
        node_type_filter: Option<String>,
        /// Only along relations of this type.
        relationship_type_filter: Option<String>,
    }
}

pub(crate) fn operations() -> Vec<Operation> {
    tools! {
        Read "search_nodes", "Search nodes", profile(answers::search),
            "Search the discourse graph for research nodes by words: results, questions, evidence, claims. Name the \
             researcher when you cite one. get_schema lists the types.",
            r#"{"query":"membrane tension","nodeType":"CLM"}"#;
        Read "get_node", "Get node", profile(answers::node),
            "Get a whole research node by its uid: text, links, images.", r#"{"uid":"CnOU48Obk"}"#;
        Read "get_linked_nodes", "Get linked nodes", profile(answers::linked),
            "Get the nodes that a node is linked to, by relations and by references in texts.",
            r#"{"uid":"CnOU48Obk","direction":"incoming"}"#;
        Read "get_node_images", "Get images of a node", profile(answers::images),
            "Get the addresses of the figures of a node.", r#"{"uid":"CnOU48Obk"}"#;
        Read "get_node_neighborhood", "Get neighborhood", profile(answers::neighborhood),
            "Get the nodes up to 4 links away from a node, by distance.", r#"{"uid":"CnOU48Obk","depth":2}"#;
        Read "get_schema", "Get schema", profile(answers::schema),
            "Get the node types of the discourse graph and their meanings.", "{}";
        Read "get_researcher_contributions", "Get contributions", profile(answers::contributions),
            "List the contributions of a researcher, or counts for everybody.", r#"{"creator":"Ada Example"}"#;
        Read "get_relationships", "Get relationships", profile(answers::relationships),
            "Get relations between nodes, such as evidence that supports a claim.",
            r#"{"relationshipType":"Supports"}"#;
        Read "get_relation_types", "Get types of relations", profile(answers::relation_types),
            "List the types of relations, the node types that they connect, and their counts.", "{}";
    }
}
