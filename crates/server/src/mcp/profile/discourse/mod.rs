//! The toolset `discourse`: the tools of the Discourse Graph server, over a graph that an export was brought into, or any
//! other.
//!
//! A page is a node: its title is the label without the code in front ("[[CLM]] - "), which is its node type, or else its
//! first type. What its text refers to are edges of type `refers_to`; every other edge is a relation. Images are linked
//! to, and never fetched.

mod answers;
mod page;

use fibula_knowledge::Direction;
use fibula_service::When;
use rmcp::handler::server::router::tool::ToolRoute;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::super::arguments::cut;
use super::super::server::Server;
use super::{Call, Does, Head, Told, tool};
use page::{REFERS_TO, members};

/// The most letters of a text; longer ones are whole in files of the graph.
const LONGEST: usize = 12_000;
/// The most images that are linked to.
const MOST_IMAGES: usize = 100;

/// What is searched for.
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
    order_by: Option<Order>,
    /// desc if left out.
    #[serde(default)]
    #[schemars(with = "Option<Turn>")]
    sort_direction: Turn,
    /// The most nodes; 10 if left out.
    limit: Option<usize>,
    /// The project; "default" if left out.
    project: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Created,
    Modified,
    Title,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Turn {
    Asc,
    #[default]
    Desc,
}

/// The node that is asked for.
#[derive(Debug, Deserialize, JsonSchema)]
struct OfNode {
    /// Its uid.
    uid: String,
    /// The project; "default" if left out.
    project: Option<String>,
}

/// The node whose links are asked for.
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

/// The graph that is asked about.
#[derive(Debug, Deserialize, JsonSchema)]
struct OfGraph {
    /// The project; "default" if left out.
    project: Option<String>,
}

/// Whose contributions are asked for.
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

/// Which relations are asked for.
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

/// What is around a node.
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

pub(super) fn tools() -> Vec<ToolRoute<Server>> {
    let mut all = of_nodes();
    all.extend(of_graph());
    all
}

/// What is asked of one node, or of those that are found.
fn of_nodes() -> Vec<ToolRoute<Server>> {
    vec![
        tool(
            Head::new(
                "search_nodes",
                "Search nodes",
                Does::Read,
                "Search the discourse graph for research nodes by words: results, questions, evidence, claims. Name the \
                 researcher when you cite one. get_schema tells the types. Example: \
                 {\"query\":\"membrane tension\",\"nodeType\":\"CLM\"}",
            ),
            answers::search,
        ),
        tool(
            Head::new(
                "get_node",
                "Get node",
                Does::Read,
                "Get a research node whole, by its uid: text, links, images. Example: {\"uid\":\"CnOU48Obk\"}",
            ),
            |call: &mut Call<'_, OfNode>| {
                let graph = call.service.knowledge(call.given.project.as_deref())?;
                let page = page::at(&graph, &call.given.uid)?;
                let edges = page.node.edges(Direction::Outgoing).into_iter();
                let linked = edges.filter(|edge| edge.ty() == REFERS_TO);
                let linked: Vec<&str> = linked.map(|edge| edge.target()).collect();
                let mut told = page.brief();
                let images = page.images();
                told.extend(members(json!({
                    "modified": When(page.node.modified()),
                    "content": cut(&page.content(), LONGEST),
                    "linkedNodes": linked,
                    "imageUrls": images,
                    "imageCount": images.len(),
                    "url": page.node.data_map().remove("url"),
                })));
                Ok(page.linked(Told::pretty(&told)?, 1))
            },
        ),
        tool(
            Head::new(
                "get_linked_nodes",
                "Get linked nodes",
                Does::Read,
                "Get the nodes that a node is linked to, by relations and by what texts refer to. Example: \
                 {\"uid\":\"CnOU48Obk\",\"direction\":\"incoming\"}",
            ),
            answers::linked,
        ),
        tool(
            Head::new(
                "get_node_images",
                "Get images of a node",
                Does::Read,
                "Get the addresses of the figures of a node. Example: {\"uid\":\"CnOU48Obk\"}",
            ),
            |call: &mut Call<'_, OfNode>| {
                let graph = call.service.knowledge(call.given.project.as_deref())?;
                let page = page::at(&graph, &call.given.uid)?;
                let (mut told, images) = (page.brief(), page.images());
                told.remove("nodeType");
                told.extend(members(
                    json!({ "imageCount": images.len(), "imageUrls": images }),
                ));
                Ok(page.linked(Told::pretty(&told)?, MOST_IMAGES))
            },
        ),
        tool(
            Head::new(
                "get_node_neighborhood",
                "Get neighborhood",
                Does::Read,
                "Get what is up to 4 links away from a node, by distance. Example: {\"uid\":\"CnOU48Obk\",\"depth\":2}",
            ),
            answers::neighborhood,
        ),
    ]
}

/// What is asked of the whole graph.
fn of_graph() -> Vec<ToolRoute<Server>> {
    vec![
        tool(
            Head::new(
                "get_schema",
                "Get schema",
                Does::Read,
                "Get the node types of the discourse graph and what they mean. Example: {}",
            ),
            answers::schema,
        ),
        tool(
            Head::new(
                "get_researcher_contributions",
                "Get contributions",
                Does::Read,
                "List what a researcher contributed, or in numbers what everybody did. Example: \
                 {\"creator\":\"Ada Example\"}",
            ),
            answers::contributions,
        ),
        tool(
            Head::new(
                "get_relationships",
                "Get relationships",
                Does::Read,
                "Get relations between nodes, such as evidence that supports a claim. Example: \
                 {\"relationshipType\":\"Supports\"}",
            ),
            answers::relationships,
        ),
        tool(
            Head::new(
                "get_relation_types",
                "Get types of relations",
                Does::Read,
                "List the types of relations, what they join, and how many there are of each. Example: {}",
            ),
            answers::relation_types,
        ),
    ]
}
