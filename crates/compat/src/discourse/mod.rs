//! The toolset `discourse`: the tools of the Discourse Graph server, over a graph that an export was brought into, or any
//! other.
//!
//! A page is a node: its title is the label without the code in front ("[[CLM]] - "), which is its node type, or else its
//! first type. What its text refers to are edges of type `refers_to`; every other edge is a relation. Images are linked
//! to, and never fetched.

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

arguments! {
    /// Arguments of `search_nodes`.
    Search {
        /// Words, such as "membrane tension".
        query: String,
        /// Only nodes of this type, such as "CLM" or "Claim".
        node_type: Option<String>,
        /// Only what this person made, or whose name has this in it.
        creator: Option<String>,
        /// By this instead of how well it fits.
        order_by: Option<SortKey>,
        /// desc if left out.
        #[serde(default)]
        #[schemars(with = "Option<SortDirection>")]
        sort_direction: SortDirection,
        /// The most nodes; 10 if left out.
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
        /// outgoing, incoming or both; both if left out.
        #[serde(default)]
        #[schemars(with = "Option<Direction>")]
        direction: Direction,
    }

    /// Arguments without a node.
    GraphArguments {
    }

    /// Arguments of `get_researcher_contributions`.
    Contributions {
        /// A name, or a part of it; left out: everybody, in numbers.
        creator: Option<String>,
        /// Only nodes of this type.
        node_type: Option<String>,
        /// How many contributions are passed over.
        #[serde(default)]
        offset: usize,
    }

    /// Arguments of `get_relationships`.
    Relationships {
        /// Only those from this node.
        source_uid: Option<String>,
        /// Only those to this node.
        destination_uid: Option<String>,
        /// Only of this type, such as "Supports".
        relationship_type: Option<String>,
        /// How many are passed over.
        #[serde(default)]
        offset: usize,
    }

    /// Arguments of `get_node_neighborhood`.
    Neighborhood {
        /// Its uid.
        uid: String,
        /// From 1 to 4; 2 if left out.
        #[schemars(range(min = 1, max = 4))]
        depth: Option<usize>,
        /// outgoing, incoming or both; both if left out.
        #[serde(default)]
        #[schemars(with = "Option<Direction>")]
        direction: Direction,
        /// Only nodes of this type; others are not walked through.
        node_type_filter: Option<String>,
        /// Only along relations of this type.
        relationship_type_filter: Option<String>,
    }
}

pub(crate) fn operations() -> Vec<Operation> {
    tools! {
        Read "search_nodes", "Search nodes", profile(answers::search),
            "Search the discourse graph for research nodes by words: results, questions, evidence, claims. Name the \
             researcher when you cite one. get_schema tells the types.",
            r#"{"query":"membrane tension","nodeType":"CLM"}"#;
        Read "get_node", "Get node", profile(answers::node),
            "Get a research node whole, by its uid: text, links, images.", r#"{"uid":"CnOU48Obk"}"#;
        Read "get_linked_nodes", "Get linked nodes", profile(answers::linked),
            "Get the nodes that a node is linked to, by relations and by what texts refer to.",
            r#"{"uid":"CnOU48Obk","direction":"incoming"}"#;
        Read "get_node_images", "Get images of a node", profile(answers::images),
            "Get the addresses of the figures of a node.", r#"{"uid":"CnOU48Obk"}"#;
        Read "get_node_neighborhood", "Get neighborhood", profile(answers::neighborhood),
            "Get what is up to 4 links away from a node, by distance.", r#"{"uid":"CnOU48Obk","depth":2}"#;
        Read "get_schema", "Get schema", profile(answers::schema),
            "Get the node types of the discourse graph and what they mean.", "{}";
        Read "get_researcher_contributions", "Get contributions", profile(answers::contributions),
            "List what a researcher contributed, or in numbers what everybody did.", r#"{"creator":"Ada Example"}"#;
        Read "get_relationships", "Get relationships", profile(answers::relationships),
            "Get relations between nodes, such as evidence that supports a claim.",
            r#"{"relationshipType":"Supports"}"#;
        Read "get_relation_types", "Get types of relations", profile(answers::relation_types),
            "List the types of relations, what they join, and how many there are of each.", "{}";
    }
}
