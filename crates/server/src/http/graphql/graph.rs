//! The schema of queries and its resolvers.

#![expect(
    clippy::unused_async,
    reason = "fields are read by asynchronous functions"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use async_graphql::{Context, Enum, Error, ErrorExtensions as _, Json, Object, SimpleObject};
use fibula_knowledge::{Direction, EdgeRef, Knowledge, NodeRef, is_same_type};
use fibula_service::{EndpointSummary, FindPath, Refusal, SearchNodes, Service, Timestamp};
use serde_json::{Map, Value};

/// Default number of items of a list.
const DEFAULT_ITEMS: usize = 50;
/// Cost of a search in fields: it scans the whole graph.
const SEARCH_COST: usize = 500;
/// Cost of reading the edges of a node in fields.
const LOOKUP_COST: usize = 20;
/// Maximum duration of a query.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of texts and data in an answer in bytes.
const MAX_ANSWER_BYTES: usize = 8 << 20;

/// Time and bytes that remain for a query.
#[derive(Debug)]
pub(super) struct Budget {
    until: Instant,
    bytes: AtomicUsize,
}

/// Root of queries.
#[derive(Debug)]
pub(super) struct Query {
    service: Arc<Service>,
}

/// The knowledge graph of a project at the time of the query.
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

/// Direction in which edges are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "Way")]
enum EdgeDirection {
    /// From source to target.
    Outgoing,
    /// From target to source.
    Incoming,
    /// In both directions.
    Both,
}

/// A type, and its number of nodes or edges.
#[derive(Debug, SimpleObject)]
struct TypeCount {
    name: String,
    count: usize,
}

/// An observation.
#[derive(Debug, SimpleObject)]
struct Observation {
    text: String,
    /// Time of creation (RFC 3339).
    at: String,
    by: String,
}

/// Position of a node in drawings.
#[derive(Debug, SimpleObject)]
struct Position {
    x: f64,
    y: f64,
}

/// A node that matches a search.
#[derive(Debug, SimpleObject)]
#[graphql(name = "Found")]
struct SearchHit {
    node: Node,
    /// Score of the match.
    score: Option<f64>,
    /// Excerpt of the node around the match.
    snippet: Option<String>,
}

impl From<EdgeDirection> for Direction {
    fn from(way: EdgeDirection) -> Direction {
        match way {
            EdgeDirection::Outgoing => Direction::Outgoing,
            EdgeDirection::Incoming => Direction::Incoming,
            EdgeDirection::Both => Direction::Both,
        }
    }
}

/// Converts a refusal to an error with its code as an extension.
fn refused(refusal: &Refusal) -> Error {
    Error::new(refusal.to_string()).extend_with(|_, extensions| {
        extensions.set("code", refusal.code);
    })
}

fn time(ms: i64) -> String {
    Timestamp(ms).to_string()
}

impl Budget {
    pub(super) fn new() -> Budget {
        Budget {
            until: Instant::now() + TIMEOUT,
            bytes: AtomicUsize::new(0),
        }
    }
}

/// Accounts for bytes of the answer.
///
/// # Errors
/// If the answer is too large or the query takes too long.
fn spend(context: &Context<'_>, bytes: usize) -> Result<(), Error> {
    let budget = context.data::<Budget>()?;
    let spent = budget.bytes.fetch_add(bytes, Relaxed).saturating_add(bytes);
    if spent > MAX_ANSWER_BYTES {
        let message = format!("the answer exceeds {MAX_ANSWER_BYTES} bytes; request less at once");
        return Err(Error::new(message));
    }
    if Instant::now() > budget.until {
        let message = format!("the query takes longer than {} s", TIMEOUT.as_secs());
        return Err(Error::new(message));
    }
    Ok(())
}

/// Returns a page of a list.
fn page<T>(all: Vec<T>, first: usize, offset: usize) -> impl Iterator<Item = T> {
    all.into_iter().skip(offset).take(first)
}

/// Returns the cost of a list. Sums of costs do not overflow: a query has at most [`MAX_FIELDS`](super::MAX_FIELDS)
/// terms.
fn cost(items: usize, each: usize) -> usize {
    const MAX_COST: usize = 1 << 40;
    LOOKUP_COST + items.max(1).saturating_mul(each.max(1)).min(MAX_COST)
}

fn counts(all: Vec<(&str, usize)>) -> Vec<TypeCount> {
    let counted = |(name, count): (&str, usize)| TypeCount {
        name: name.to_owned(),
        count,
    };
    all.into_iter().map(counted).collect()
}

impl Query {
    pub(super) fn new(service: Arc<Service>) -> Query {
        Query { service }
    }
}

#[Object]
impl Query {
    /// The knowledge graph of a project; of "default" if left out.
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
    /// Number of nodes.
    async fn node_count(&self) -> usize {
        self.knowledge.node_count()
    }

    /// Number of edges.
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

    /// The node with this id, or with this label if it is unique.
    async fn node(&self, id: String) -> Option<Node> {
        let found = self.knowledge.named(&id);
        found.map(|node| Node::new(&self.knowledge, node.id()))
    }

    /// Nodes, in the order of their creation.
    #[graphql(complexity = "SEARCH_COST + cost(first, child_complexity)")]
    async fn nodes(
        &self,
        context: &Context<'_>,
        #[graphql(name = "type")] ty: Option<String>,
        creator: Option<String>,
        #[graphql(default_with = "DEFAULT_ITEMS")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Result<Vec<Node>, Error> {
        spend(context, 0)?;
        let mut all = self.knowledge.sorted_nodes();
        let has_type =
            |node: &NodeRef<'_>, ty: &String| node.types().any(|own| is_same_type(own, ty));
        all.retain(|node| ty.as_ref().is_none_or(|ty| has_type(node, ty)));
        let creator = creator.as_ref();
        all.retain(|node| creator.is_none_or(|by| is_same_type(by, node.creator())));
        let all = page(all, first, offset);
        Ok(all
            .map(|node| Node::new(&self.knowledge, node.id()))
            .collect())
    }

    /// Edges, in the order of their creation.
    #[graphql(complexity = "SEARCH_COST + cost(first, child_complexity)")]
    async fn edges(
        &self,
        context: &Context<'_>,
        #[graphql(name = "type")] ty: Option<String>,
        #[graphql(default_with = "DEFAULT_ITEMS")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Result<Vec<Edge>, Error> {
        spend(context, 0)?;
        let mut all = self.knowledge.sorted_edges();
        all.retain(|edge| ty.as_ref().is_none_or(|ty| is_same_type(edge.ty(), ty)));
        let all = page(all, first, offset);
        Ok(all.map(|edge| Edge::new(&self.knowledge, edge)).collect())
    }

    /// Nodes that match words in labels, observations and data, best first.
    #[graphql(complexity = "SEARCH_COST + cost(first, child_complexity)")]
    async fn search(
        &self,
        context: &Context<'_>,
        query: String,
        #[graphql(default)] types: Vec<String>,
        #[graphql(default_with = "20")] first: usize,
    ) -> Result<Vec<SearchHit>, Error> {
        spend(context, 0)?;
        let request = SearchNodes {
            project: self.project.clone(),
            query,
            types,
            ..SearchNodes::default()
        };
        let found = self.service.search_graph(&request, first, |_| true);
        let found = found.map_err(|refusal| refused(&refusal))?;
        let hits = found.hits.into_iter().map(|hit| SearchHit {
            node: Node::new(&found.graph, hit.node.id),
            score: hit.score,
            snippet: hit.snippet,
        });
        Ok(hits.collect())
    }

    /// The nodes on a shortest path; none if there is no path.
    #[graphql(complexity = "SEARCH_COST + child_complexity")]
    async fn path(
        &self,
        context: &Context<'_>,
        source: String,
        target: String,
        #[graphql(default_with = "EdgeDirection::Both")] direction: EdgeDirection,
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
        let bytes = |stop: &EndpointSummary| stop.id.len();
        let long = stops.iter().flat_map(|path| &path.nodes).map(bytes).sum();
        spend(context, long)?;
        let stops = stops.map_or_else(Vec::new, |path| path.nodes).into_iter();
        Ok(stops
            .map(|stop| Node::new(&self.knowledge, stop.id))
            .collect())
    }
}

impl Node {
    fn new(graph: &Knowledge, id: impl Into<String>) -> Node {
        let (graph, id) = (graph.clone(), id.into());
        Node { graph, id }
    }

    fn read<T: Default>(&self, read: impl FnOnce(NodeRef<'_>) -> T) -> T {
        self.graph.find(&self.id).map_or_else(T::default, read)
    }

    fn at(&self, direction: EdgeDirection, ty: Option<&str>) -> Vec<EdgeRef<'_>> {
        let mut edges = self.graph.edges_at(&self.id, direction.into());
        edges.retain(|edge| ty.is_none_or(|ty| is_same_type(edge.ty(), ty)));
        edges
    }
}

/// A node, or a function at which an edge ends, of which only the id is known.
#[Object]
impl Node {
    async fn id(&self) -> &str {
        &self.id
    }

    /// Name for people; for a function its id.
    async fn label(&self, context: &Context<'_>) -> Result<&str, Error> {
        let node = self.graph.find(&self.id);
        let label = node.map_or(self.id.as_str(), |node| node.label());
        spend(context, label.len())?;
        Ok(label)
    }

    async fn types(&self, context: &Context<'_>) -> Result<Vec<String>, Error> {
        spend(context, self.read(|node| node.types().map(str::len).sum()))?;
        Ok(self.read(|node| node.types().map(str::to_owned).collect()))
    }

    async fn creator(&self) -> String {
        self.read(|node| node.creator().to_owned())
    }

    /// Time of creation (RFC 3339).
    async fn created(&self) -> String {
        self.read(|node| time(node.created()))
    }

    /// Time of the last change (RFC 3339).
    async fn modified(&self) -> String {
        self.read(|node| time(node.modified()))
    }

    async fn version(&self) -> u32 {
        self.read(|node| node.version())
    }

    /// Data of any kind.
    async fn data(&self, context: &Context<'_>) -> Result<Json<Map<String, Value>>, Error> {
        spend(context, self.read(|node| node.data().map_or(0, str::len)))?;
        Ok(Json(self.read(|node| node.data_map())))
    }

    /// The last observations.
    #[graphql(complexity = "cost(last, child_complexity)")]
    async fn observations(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "DEFAULT_ITEMS")] last: usize,
    ) -> Result<Vec<Observation>, Error> {
        let Some(node) = self.graph.find(&self.id) else {
            return Ok(Vec::new());
        };
        let all = node.observations();
        let shown = &all[all.len().saturating_sub(last)..];
        spend(context, shown.iter().map(|one| one.text.len()).sum())?;
        let shown = shown.iter().map(|one| Observation {
            text: one.text.clone(),
            at: time(one.at),
            by: one.by.clone(),
        });
        Ok(shown.collect())
    }

    async fn position(&self) -> Option<Position> {
        self.read(|node| node.position().map(|[x, y]| Position { x, y }))
    }

    /// Number of edge ends at the node.
    async fn degree(
        &self,
        #[graphql(default_with = "EdgeDirection::Both")] direction: EdgeDirection,
    ) -> usize {
        self.read(|node| node.degree(direction.into()))
    }

    /// The edges of the node.
    #[graphql(complexity = "cost(first, child_complexity)")]
    async fn edges(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "EdgeDirection::Both")] direction: EdgeDirection,
        #[graphql(name = "type")] ty: Option<String>,
        #[graphql(default_with = "DEFAULT_ITEMS")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Result<Vec<Edge>, Error> {
        spend(context, 0)?;
        let edges = page(self.at(direction, ty.as_deref()), first, offset);
        Ok(edges.map(|edge| Edge::new(&self.graph, edge)).collect())
    }

    /// The neighbours, each once.
    #[graphql(complexity = "cost(first, child_complexity)")]
    async fn neighbors(
        &self,
        context: &Context<'_>,
        #[graphql(default_with = "EdgeDirection::Both")] direction: EdgeDirection,
        #[graphql(name = "type")] ty: Option<String>,
        #[graphql(default_with = "DEFAULT_ITEMS")] first: usize,
        #[graphql(default)] offset: usize,
    ) -> Result<Vec<Node>, Error> {
        spend(context, 0)?;
        let mut ids: Vec<&str> = Vec::new();
        let mut seen = std::collections::BTreeSet::new();
        for edge in self.at(direction, ty.as_deref()) {
            let (source, target) = (edge.source(), edge.target());
            let other = if source == self.id { target } else { source };
            if seen.insert(other) {
                ids.push(other);
            }
        }
        let ids = page(ids, first, offset);
        Ok(ids.map(|id| Node::new(&self.graph, id)).collect())
    }
}

impl Edge {
    fn new(graph: &Knowledge, edge: EdgeRef<'_>) -> Edge {
        let (graph, id) = (graph.clone(), edge.id().to_owned());
        Edge { graph, id }
    }

    fn read<T: Default>(&self, read: impl FnOnce(EdgeRef<'_>) -> T) -> T {
        self.graph.find_edge(&self.id).map_or_else(T::default, read)
    }

    fn end(&self, read: impl FnOnce(EdgeRef<'_>) -> String) -> Node {
        Node::new(&self.graph, self.read(read))
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

    /// Length or strength of the edge.
    async fn weight(&self) -> Option<f64> {
        self.read(|edge| edge.weight())
    }

    /// Start of validity (RFC 3339).
    async fn valid_from(&self) -> Option<String> {
        self.read(|edge| edge.validity()[0].map(time))
    }

    /// End of validity (RFC 3339).
    async fn valid_to(&self) -> Option<String> {
        self.read(|edge| edge.validity()[1].map(time))
    }

    /// Data of any kind.
    async fn data(&self, context: &Context<'_>) -> Result<Json<Map<String, Value>>, Error> {
        spend(context, self.read(|edge| edge.data().map_or(0, str::len)))?;
        Ok(Json(self.read(|edge| edge.data_map())))
    }

    async fn creator(&self) -> String {
        self.read(|edge| edge.creator().to_owned())
    }

    /// Time of creation (RFC 3339).
    async fn created(&self) -> String {
        self.read(|edge| time(edge.created()))
    }
}
