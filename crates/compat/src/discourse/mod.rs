//! The toolset `discourse`: the tools of the Discourse Graph server, over a graph that an export was brought into, or any
//! other.
//!
//! A page is a node: its title is the label without the code in front ("[[CLM]] - "), which is its node type, or else its
//! first type. What its text refers to are edges of type `refers_to`; every other edge is a relation. Images are linked
//! to, and never fetched.

mod answers;
mod page;

use fibula_knowledge::Direction;
use fibula_service::Timestamp;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use fibula_server::mcp::truncate;
use fibula_server::operation::{Effect, Operation, ToolAnswer};

use crate::{Call, profile};

/// Name of the toolset.
pub(crate) const NAME: &str = "discourse";
use page::{REFERS_TO, members};

/// Maximal length of a text in characters; exported files of the graph have longer ones.
const MAX_CONTENT_CHARS: usize = 12_000;
/// Maximal number of linked images.
const MAX_IMAGES: usize = 100;

/// Arguments of `search_nodes`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Search {
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
    /// The project; "default" if left out.
    project: Option<String>,
}

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

/// Arguments with a node.
#[derive(Debug, Deserialize, JsonSchema)]
struct NodeArguments {
    /// Its uid.
    uid: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `get_linked_nodes`.
#[derive(Debug, Deserialize, JsonSchema)]
struct Linked {
    /// Its uid.
    uid: String,
    /// outgoing, incoming or both; both if left out.
    #[serde(default)]
    #[schemars(with = "Option<Direction>")]
    direction: Direction,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments without a node.
#[derive(Debug, Deserialize, JsonSchema)]
struct GraphArguments {
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `get_researcher_contributions`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Contributions {
    /// A name, or a part of it; left out: everybody, in numbers.
    creator: Option<String>,
    /// Only nodes of this type.
    node_type: Option<String>,
    /// How many contributions are passed over.
    #[serde(default)]
    offset: usize,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `get_relationships`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Relationships {
    /// Only those from this node.
    source_uid: Option<String>,
    /// Only those to this node.
    destination_uid: Option<String>,
    /// Only of this type, such as "Supports".
    relationship_type: Option<String>,
    /// How many are passed over.
    #[serde(default)]
    offset: usize,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Arguments of `get_node_neighborhood`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Neighborhood {
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
    /// The project; "default" if left out.
    project: Option<String>,
}

pub(crate) fn operations() -> Vec<Operation> {
    let mut all = node_operations();
    all.extend(graph_operations());
    all
}

/// Tools on one node, or on those that a search finds.
fn node_operations() -> Vec<Operation> {
    vec![
        profile(answers::search).tool(
            NAME,
            "search_nodes",
            "Search nodes",
            Effect::Read,
            "Search the discourse graph for research nodes by words: results, questions, \
             evidence, claims. Name the researcher when you cite one. get_schema tells the \
             types. Example: {\"query\":\"membrane tension\",\"nodeType\":\"CLM\"}",
        ),
        profile(|call: &mut Call<'_, NodeArguments>| {
            let graph = call.service.knowledge(call.request.project.as_deref())?;
            let page = page::find(&graph, &call.request.uid)?;
            let edges = page.node.edges(Direction::Outgoing).into_iter();
            let linked = edges.filter(|edge| edge.ty() == REFERS_TO);
            let linked: Vec<&str> = linked.map(|edge| edge.target()).collect();
            let mut answer = page.brief();
            let images = page.images();
            answer.extend(members(json!({
                "modified": Timestamp(page.node.modified()),
                "content": truncate(&page.content(), MAX_CONTENT_CHARS),
                "linkedNodes": linked,
                "imageUrls": images,
                "imageCount": images.len(),
                "url": page.node.data_map().remove("url"),
            })));
            Ok(page.with_image_links(ToolAnswer::pretty(&answer)?, 1))
        })
        .tool(
            NAME,
            "get_node",
            "Get node",
            Effect::Read,
            "Get a research node whole, by its uid: text, links, images. Example: \
             {\"uid\":\"CnOU48Obk\"}",
        ),
        profile(answers::linked).tool(
            NAME,
            "get_linked_nodes",
            "Get linked nodes",
            Effect::Read,
            "Get the nodes that a node is linked to, by relations and by what texts refer \
             to. Example: {\"uid\":\"CnOU48Obk\",\"direction\":\"incoming\"}",
        ),
        profile(|call: &mut Call<'_, NodeArguments>| {
            let graph = call.service.knowledge(call.request.project.as_deref())?;
            let page = page::find(&graph, &call.request.uid)?;
            let (mut answer, images) = (page.brief(), page.images());
            answer.remove("nodeType");
            answer.extend(members(
                json!({ "imageCount": images.len(), "imageUrls": images }),
            ));
            Ok(page.with_image_links(ToolAnswer::pretty(&answer)?, MAX_IMAGES))
        })
        .tool(
            NAME,
            "get_node_images",
            "Get images of a node",
            Effect::Read,
            "Get the addresses of the figures of a node. Example: {\"uid\":\"CnOU48Obk\"}",
        ),
        profile(answers::neighborhood).tool(
            NAME,
            "get_node_neighborhood",
            "Get neighborhood",
            Effect::Read,
            "Get what is up to 4 links away from a node, by distance. Example: \
             {\"uid\":\"CnOU48Obk\",\"depth\":2}",
        ),
    ]
}

/// Tools on the whole graph.
fn graph_operations() -> Vec<Operation> {
    vec![
        profile(answers::schema).tool(
            NAME,
            "get_schema",
            "Get schema",
            Effect::Read,
            "Get the node types of the discourse graph and what they mean. Example: {}",
        ),
        profile(answers::contributions).tool(
            NAME,
            "get_researcher_contributions",
            "Get contributions",
            Effect::Read,
            "List what a researcher contributed, or in numbers what everybody did. Example: \
             {\"creator\":\"Ada Example\"}",
        ),
        profile(answers::relationships).tool(
            NAME,
            "get_relationships",
            "Get relationships",
            Effect::Read,
            "Get relations between nodes, such as evidence that supports a claim. Example: \
             {\"relationshipType\":\"Supports\"}",
        ),
        profile(answers::relation_types).tool(
            NAME,
            "get_relation_types",
            "Get types of relations",
            Effect::Read,
            "List the types of relations, what they join, and how many there are of each. \
             Example: {}",
        ),
    ]
}
