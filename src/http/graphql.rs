//! `POST /graphql`: the knowledge graph, for programs that ask in GraphQL. It only reads.
//!
//! What a question may cost is limited before it is answered: how deep it goes, and how many nodes and edges it may
//! have in all. docs/graph.graphql is its schema; a test holds it to be so.

#![expect(
    clippy::unused_async,
    reason = "fields are read by asynchronous functions"
)]

use std::sync::Arc;

use async_graphql::{
    EmptyMutation, EmptySubscription, Enum, Error, ErrorExtensions as _, Json, Object, Request,
    Response, Schema, SimpleObject,
};
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use serde_json::{Map, Value};

use crate::knowledge::{Direction, EdgeRef, Knowledge, NodeRef};
use crate::service::{FindPath, Refusal, SearchNodes, Service, When};

/// How deep a question goes.
const DEEPEST: usize = 12;
/// How many fields an answer has.
const MOST_FIELDS: usize = 20_000;
/// How many items of a list there are if nothing is said.
const USUAL: usize = 50;
/// What finding costs, in fields: it looks at the whole graph.
const SEARCH: usize = 500;

/// The schema, with what it asks.
pub(super) type Graphs = Schema<Query, EmptyMutation, EmptySubscription>;

/// Whole questions.
#[derive(Debug)]
pub(super) struct Query {
    service: Arc<Service>,
}

/// The knowledge graph of a project, as it is when it is asked.
#[derive(Debug)]
struct Graph {
    service: Arc<Service>,
    project: Option<String>,
    knowledge: Knowledge,
}

/// A node.
#[derive(Debug, Clone)]
struct Node {
    graph: Knowledge,
    id: String,
}

/// An edge.
#[derive(Debug)]
struct Edge {
    graph: Knowledge,
    id: String,
}

/// How edges are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
enum Way {
    /// From source to target.
    Outgoing,
    /// From target to source.
    Incoming,
    /// Either way.
    Both,
}

/// A type, and how many nodes or edges are of it.
#[derive(Debug, SimpleObject)]
struct TypeCount {
    name: String,
    count: usize,
}

/// A note.
#[derive(Debug, SimpleObject)]
struct Observation {
    text: String,
    /// When it was made (RFC 3339).
    at: String,
    by: String,
}

/// Where a node is drawn.
#[derive(Debug, SimpleObject)]
struct Position {
    x: f64,
    y: f64,
}

/// A node that was found.
#[derive(Debug, SimpleObject)]
struct Found {
    node: Node,
    /// How well it fits.
    score: Option<f64>,
    /// Where in the node the words are.
    snippet: Option<String>,
}

impl From<Way> for Direction {
    fn from(way: Way) -> Direction {
        match way {
            Way::Outgoing => Direction::Outgoing,
            Way::Incoming => Direction::Incoming,
            Way::Both => Direction::Both,
        }
    }
}

/// A refusal as an error, with its code beside it.
fn refused(refusal: &Refusal) -> Error {
    Error::new(refusal.to_string()).extend_with(|_, extensions| {
        extensions.set("code", refusal.code);
    })
}

fn time(ms: i64) -> String {
    let text = serde_json::to_value(When(ms)).ok();
    text.and_then(|text| Some(text.as_str()?.to_owned()))
        .unwrap_or_default()
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

/// The part of a list that is asked for.
fn page<T>(all: Vec<T>, first: usize, offset: usize) -> impl Iterator<Item = T> {
    all.into_iter().skip(offset).take(first)
}

/// What a list costs. However much that is, sums of such numbers are numbers.
fn cost(items: usize, each: usize) -> usize {
    const MOST: usize = 1 << 40;
    items.saturating_mul(each.max(1)).min(MOST)
}

fn counts(all: Vec<(&str, usize)>) -> Vec<TypeCount> {
    let counted = |(name, count): (&str, usize)| TypeCount {
        name: name.to_owned(),
        count,
    };
    all.into_iter().map(counted).collect()
}

#[Object]
impl Query {
    /// The knowledge graph of a project; of "default" if none is named.
    async fn graph(&self, project: Option<String>) -> Result<Graph, Error> {
        let graph = self.service.knowledge(project.as_deref());
        Ok(Graph {
            knowledge: graph.map_err(|refusal| refused(&refusal))?,
            service: self.service.clone(),
            project,
        })
    }
}

#[Object]
impl Graph {
    /// How many nodes there are.
    async fn node_count(&self) -> usize {
        self.knowledge.node_count()
    }

    /// How many edges there are.
    async fn edge_count(&self) -> usize {
        self.knowledge.edge_count()
    }

    /// The types of nodes.
    async fn node_types(&self) -> Vec<TypeCount> {
        counts(self.knowledge.node_type_counts())
    }

    /// The types of edges.
    async fn edge_types(&self) -> Vec<TypeCount> {
        counts(self.knowledge.edge_type_counts())
    }

    /// The node with an id, or a label that only one has.
    async fn node(&self, id: String) -> Option<Node> {
        let found = self.knowledge.find(&id);
        let found = found.or_else(|| match self.knowledge.labelled(&id)[..] {
            [node] => Some(node),
            _ => None,
        });
        found.map(|node| Node::of(&self.knowledge, node))
    }

    /// Nodes, in the order in which they came.
    #[graphql(complexity = "SEARCH + cost(first, child_complexity)")]
    async fn nodes(
        &self,
        #[graphql(name = "type")] ty: Option<String>,
        creator: Option<String>,
        #[graphql(default_with = "USUAL")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Vec<Node> {
        let mut all = self.knowledge.sorted_nodes();
        all.retain(|node| {
            ty.as_ref()
                .is_none_or(|ty| node.types().any(|own| is_same(own, ty)))
                && creator
                    .as_ref()
                    .is_none_or(|by| is_same(by, node.creator()))
        });
        page(all, first, offset)
            .map(|node| Node::of(&self.knowledge, node))
            .collect()
    }

    /// Edges, in the order in which they came.
    #[graphql(complexity = "SEARCH + cost(first, child_complexity)")]
    async fn edges(
        &self,
        #[graphql(name = "type")] ty: Option<String>,
        #[graphql(default_with = "USUAL")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Vec<Edge> {
        let mut all = self.knowledge.sorted_edges();
        all.retain(|edge| ty.as_ref().is_none_or(|ty| is_same(edge.ty(), ty)));
        page(all, first, offset)
            .map(|edge| Edge::of(&self.knowledge, edge))
            .collect()
    }

    /// Nodes by words in labels, notes and data, the best first.
    #[graphql(complexity = "SEARCH + cost(first, child_complexity)")]
    async fn search(
        &self,
        query: String,
        #[graphql(default)] types: Vec<String>,
        #[graphql(default_with = "20")] first: usize,
    ) -> Result<Vec<Found>, Error> {
        let request = SearchNodes {
            project: self.project.clone(),
            query,
            types,
            limit: Some(u32::try_from(first).unwrap_or(u32::MAX)),
            ..SearchNodes::default()
        };
        let found = self.service.search_nodes(&request);
        let found = found
            .map_err(|refusal| refused(&refusal))?
            .nodes
            .into_iter();
        // One that came a moment ago is not in the graph that was asked.
        let found = found.filter(|hit| self.knowledge.find(&hit.node.id).is_some());
        Ok(found
            .map(|hit| Found {
                node: Node {
                    graph: self.knowledge.clone(),
                    id: hit.node.id,
                },
                score: hit.score,
                snippet: hit.snippet,
            })
            .collect())
    }

    /// The nodes on a shortest path; none if there is no path.
    #[graphql(complexity = "SEARCH + child_complexity")]
    async fn path(
        &self,
        source: String,
        target: String,
        #[graphql(default_with = "Way::Both")] direction: Way,
    ) -> Result<Vec<Node>, Error> {
        let request = FindPath {
            project: self.project.clone(),
            source,
            target,
            direction: direction.into(),
            ..FindPath::default()
        };
        let go_on = &mut |_, _| std::ops::ControlFlow::Continue(());
        let found = self.service.find_path(&request, go_on);
        let found = found.map_err(|refusal| refused(&refusal))?;
        let stops = found.paths.into_iter().next();
        let stops = stops.map_or_else(Vec::new, |path| path.nodes).into_iter();
        Ok(stops
            .map(|stop| Node {
                graph: self.knowledge.clone(),
                id: stop.id,
            })
            .collect())
    }
}

impl Node {
    fn of(graph: &Knowledge, node: NodeRef<'_>) -> Node {
        Node {
            graph: graph.clone(),
            id: node.id().to_owned(),
        }
    }

    fn read<T: Default>(&self, read: impl FnOnce(NodeRef<'_>) -> T) -> T {
        self.graph.find(&self.id).map_or_else(T::default, read)
    }

    fn at(&self, direction: Way, ty: Option<&str>) -> Vec<EdgeRef<'_>> {
        let mut edges = self.graph.edges_at(&self.id, direction.into());
        edges.retain(|edge| ty.is_none_or(|ty| is_same(edge.ty(), ty)));
        edges
    }
}

/// A node, or a function at which an edge ends, of which only the id is known.
#[Object]
impl Node {
    async fn id(&self) -> &str {
        &self.id
    }

    /// What people call it; of a function its id.
    async fn label(&self) -> &str {
        self.graph
            .find(&self.id)
            .map_or(&self.id, |node| node.label())
    }

    async fn types(&self) -> Vec<String> {
        self.read(|node| node.types().map(str::to_owned).collect())
    }

    async fn creator(&self) -> String {
        self.read(|node| node.creator().to_owned())
    }

    /// When it was made (RFC 3339).
    async fn created(&self) -> String {
        self.read(|node| time(node.created()))
    }

    /// When it was changed last (RFC 3339).
    async fn modified(&self) -> String {
        self.read(|node| time(node.modified()))
    }

    async fn version(&self) -> u32 {
        self.read(|node| node.version())
    }

    /// Anything else.
    async fn data(&self) -> Json<Map<String, Value>> {
        Json(self.read(|node| node.data_map()))
    }

    /// The last notes.
    #[graphql(complexity = "cost(last, child_complexity)")]
    async fn observations(
        &self,
        #[graphql(default_with = "USUAL")] last: usize,
    ) -> Vec<Observation> {
        self.read(|node| {
            let all = node.observations();
            let shown = &all[all.len().saturating_sub(last)..];
            let shown = shown.iter().map(|one| Observation {
                text: one.text.clone(),
                at: time(one.at),
                by: one.by.clone(),
            });
            shown.collect()
        })
    }

    async fn position(&self) -> Option<Position> {
        self.read(|node| node.position().map(|[x, y]| Position { x, y }))
    }

    /// How many ends of edges are there.
    async fn degree(&self, #[graphql(default_with = "Way::Both")] direction: Way) -> usize {
        self.read(|node| node.degree(direction.into()))
    }

    /// The edges that begin or end there.
    #[graphql(complexity = "cost(first, child_complexity)")]
    async fn edges(
        &self,
        #[graphql(default_with = "Way::Both")] direction: Way,
        #[graphql(name = "type")] ty: Option<String>,
        #[graphql(default_with = "USUAL")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Vec<Edge> {
        let edges = page(self.at(direction, ty.as_deref()), first, offset);
        edges.map(|edge| Edge::of(&self.graph, edge)).collect()
    }

    /// What they lead to, each once.
    #[graphql(complexity = "cost(first, child_complexity)")]
    async fn neighbors(
        &self,
        #[graphql(default_with = "Way::Both")] direction: Way,
        #[graphql(name = "type")] ty: Option<String>,
        #[graphql(default_with = "USUAL")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Vec<Node> {
        let mut ids: Vec<&str> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for edge in self.at(direction, ty.as_deref()) {
            let other = if edge.source() == self.id {
                edge.target()
            } else {
                edge.source()
            };
            if seen.insert(other) {
                ids.push(other);
            }
        }
        let ids = page(ids, first, offset);
        ids.map(|id| Node {
            graph: self.graph.clone(),
            id: id.to_owned(),
        })
        .collect()
    }
}

impl Edge {
    fn of(graph: &Knowledge, edge: EdgeRef<'_>) -> Edge {
        Edge {
            graph: graph.clone(),
            id: edge.id().to_owned(),
        }
    }

    fn read<T: Default>(&self, read: impl FnOnce(EdgeRef<'_>) -> T) -> T {
        self.graph.find_edge(&self.id).map_or_else(T::default, read)
    }

    fn end(&self, read: impl FnOnce(EdgeRef<'_>) -> String) -> Node {
        Node {
            graph: self.graph.clone(),
            id: self.read(read),
        }
    }
}

#[Object]
impl Edge {
    async fn id(&self) -> &str {
        &self.id
    }

    async fn r#type(&self) -> String {
        self.read(|edge| edge.ty().to_owned())
    }

    async fn label(&self) -> Option<String> {
        self.read(|edge| edge.label().map(str::to_owned))
    }

    async fn source(&self) -> Node {
        self.end(|edge| edge.source().to_owned())
    }

    async fn target(&self) -> Node {
        self.end(|edge| edge.target().to_owned())
    }

    /// Its length or strength.
    async fn weight(&self) -> Option<f64> {
        self.read(|edge| edge.weight())
    }

    /// From when it holds (RFC 3339).
    async fn valid_from(&self) -> Option<String> {
        self.read(|edge| edge.validity()[0].map(time))
    }

    /// Until when it holds (RFC 3339).
    async fn valid_to(&self) -> Option<String> {
        self.read(|edge| edge.validity()[1].map(time))
    }

    /// Anything else.
    async fn data(&self) -> Json<Map<String, Value>> {
        Json(self.read(|edge| edge.data_map()))
    }

    async fn creator(&self) -> String {
        self.read(|edge| edge.creator().to_owned())
    }

    /// When it was made (RFC 3339).
    async fn created(&self) -> String {
        self.read(|edge| time(edge.created()))
    }
}

/// The schema of a service.
fn schema(service: Arc<Service>) -> Graphs {
    Schema::build(Query { service }, EmptyMutation, EmptySubscription)
        .limit_depth(DEEPEST)
        .limit_complexity(MOST_FIELDS)
        .finish()
}

/// The route.
pub(super) fn routes(service: Arc<Service>) -> Router {
    Router::new()
        .route("/graphql", post(answer))
        .with_state(schema(service))
}

/// Answers beside the tasks of the runtime, since a question may look at the whole graph.
async fn answer(
    State(schema): State<Graphs>,
    axum::Json(request): axum::Json<Request>,
) -> axum::Json<Response> {
    let runtime = tokio::runtime::Handle::current();
    let answer = move || runtime.block_on(schema.execute(request));
    let answered = tokio::task::spawn_blocking(answer).await;
    axum::Json(answered.unwrap_or_else(|_| {
        let error = async_graphql::ServerError::new("the question broke off", None);
        Response::from_errors(vec![error])
    }))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::edit::Origin;
    use crate::service::AddNodes;

    /// Genes and what they do to each other.
    fn genes() -> Graphs {
        let service = Arc::new(Service::default());
        let request: AddNodes = serde_json::from_value(serde_json::json!({
            "nodes": [
                { "id": "a", "label": "TP53", "types": "gene", "observations": ["on 17p13"], "data": { "exons": 11 } },
                { "id": "b", "label": "MDM2", "types": "gene" },
                { "id": "c", "label": "Nutlin-3", "types": "drug", "position": [1, 2] },
            ],
            "edges": [
                { "source": "b", "target": "a", "type": "inhibits", "weight": 2.5 },
                { "source": "c", "target": "b", "type": "inhibits", "valid_from": "2004-01-02" },
            ],
        }))
        .expect("a request");
        let origin = Origin::program("test", "genes");
        service.add_nodes(&origin, request).expect("they are added");
        schema(service)
    }

    fn asked(schema: &Graphs, question: &str) -> Value {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let answer = runtime
            .expect("a runtime")
            .block_on(schema.execute(question));
        serde_json::to_value(answer).expect("JSON")
    }

    #[test]
    fn the_schema_is_the_one_that_is_shown() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/graph.graphql");
        let sdl = genes().sdl();
        if std::env::var_os("FIBULA_BLESS").is_some() {
            std::fs::write(&path, &sdl).expect("the file can be written");
        }
        let shown = std::fs::read_to_string(&path).expect("the file can be read");
        assert!(
            shown == sdl,
            "docs/graph.graphql is not the schema; run FIBULA_BLESS=1 cargo test --lib graphql"
        );
    }

    #[test]
    fn questions_are_answered() {
        let schema = genes();
        let check = |question: &str, expected: Value| {
            let answer = asked(&schema, question);
            assert_eq!(answer["data"]["graph"], expected, "{question}: {answer}");
        };
        check(
            "{ graph { nodeCount edgeCount nodeTypes { name count } } }",
            serde_json::json!({ "nodeCount": 3, "edgeCount": 2,
                "nodeTypes": [{ "name": "drug", "count": 1 }, { "name": "gene", "count": 2 }] }),
        );
        check(
            "{ graph { node(id: \"tp53\") { id types data observations { text } degree
               edges { type weight source { label } } neighbors { label position { x y } } } } }",
            serde_json::json!({ "node": { "id": "a", "types": ["gene"], "data": { "exons": 11 },
                "observations": [{ "text": "on 17p13" }], "degree": 1,
                "edges": [{ "type": "inhibits", "weight": 2.5, "source": { "label": "MDM2" } }],
                "neighbors": [{ "label": "MDM2", "position": null }] } }),
        );
        check(
            "{ graph { nodes(type: \"GENE\", first: 1, offset: 1) { label } edges(type: \"inhibits\") { validFrom } } }",
            serde_json::json!({ "nodes": [{ "label": "MDM2" }],
                "edges": [{ "validFrom": null }, { "validFrom": "2004-01-02T00:00:00.000Z" }] }),
        );
        check(
            "{ graph { search(query: \"17p13\") { node { label } snippet }
               path(source: \"c\", target: \"a\") { label } } }",
            serde_json::json!({ "search": [{ "node": { "label": "TP53" }, "snippet": "on 17p13" }],
                "path": [{ "label": "Nutlin-3" }, { "label": "MDM2" }, { "label": "TP53" }] }),
        );
        check(
            "{ graph { node(id: \"nobody\") { id } } }",
            serde_json::json!({ "node": null }),
        );
    }

    #[test]
    fn what_costs_too_much_is_refused() {
        let schema = genes();
        let errors = |question: &str| asked(&schema, question)["errors"][0].clone();
        let wide = errors("{ graph { nodes(first: 100000) { label } } }");
        assert_eq!(wide["message"], "Query is too complex.");
        let inner = "neighbors { ".repeat(20) + "id" + &" }".repeat(20);
        let deep = errors(&format!("{{ graph {{ nodes(first: 1) {{ {inner} }} }} }}"));
        let message = deep["message"].as_str().expect("a text");
        assert!(
            message.contains("nested too deep") || message.contains("too complex"),
            "{message}"
        );
        let unknown = errors("{ graph(project: \"nowhere\") { nodeCount } }");
        assert_eq!(
            unknown["extensions"]["code"], "unknown_project",
            "{unknown}"
        );
        assert!(errors("{ graph { nothing } }")["message"].is_string());
    }
}
