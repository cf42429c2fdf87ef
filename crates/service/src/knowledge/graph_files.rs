//! Import and export of graph files.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_core::edit::{Caller, Origin};
use fibula_graph_formats::{self, Format, Graph, ImportedEdge, ImportedGraph, ImportedNode};
use fibula_knowledge::{
    Edge, EdgeRef, FunctionEnd, Knowledge, Node, NodeRef, Observation, Schema, is_same_type,
};
use serde_json::json;

use super::add::{Counts, KnowledgeChange, with_index};
use super::node_lookup::{check_exists, dangling_ends, has_type};
use super::records::{self, OnConflict};
use super::summarize::NameCount;
use super::timestamp::Timestamp;
use super::writer::{Outcome, Writer};
use crate::background::{ProgressFn, run_watched};
use crate::files::bounded_buffer::BoundedBuffer;
use crate::files::byte_counter;
use crate::project::change::CommitOptions;
use crate::project::names::DEFAULT_PROJECT;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Creator of what a file does not attribute to anybody.
const UNKNOWN: &str = "unknown";
/// Maximum number of repairs in an answer.
const MOST_LISTED: usize = 50;
/// Maximum bytes of a graph in an answer; larger ones are written to files.
const LARGEST_CONTENT: usize = 40 << 10;

json_structs! {
    /// A file of nodes and edges.
    pub request(Default) struct ImportGraph {
        project,
        /// A file below the folders that the server may read.
        pub path: Option<String>,
        /// Or its text, or that in base64.
        pub content: Option<String>,
        /// Default: detected from the content.
        pub format: Option<Format>,
        /// Handling of existing ids, and of edges with the same ends and type.
        pub on_conflict: OnConflict = default,
        expected_revision,
        dry_run,
    }

    /// Result of an import.
    pub answer struct GraphImported {
        pub success: bool,
        pub format: Format,
        /// Numbers of nodes and edges in the file.
        pub node_count: usize,
        pub edge_count: usize,
        #[serde(flatten)]
        pub counts: Counts,
        /// Errors in the file, and how they were read; the first 50.
        pub repairs: Vec<GraphRepair> = [],
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }

    /// An error that was repaired.
    pub answer struct GraphRepair {
        pub code: String,
        pub message: String,
        pub count: usize,
        pub place: String,
    }

    /// Format and destination of an export.
    pub request struct ExportGraph {
        project,
        /// Default json, which is lossless.
        pub format: Format,
        /// Only nodes of these types, and edges between them.
        pub types: Vec<String> = default,
        /// A file below a folder of the server; default: the text is in the answer.
        pub path: Option<String>,
        /// true replaces an existing file.
        pub overwrite: bool,
        revision,
    }

    /// Result of an export.
    pub answer struct GraphExported {
        pub success: bool,
        pub format: Format,
        pub node_count: usize,
        pub edge_count: usize,
        pub bytes: u64,
        pub path: Option<String>,
        pub content: Option<String>,
        /// Counts of items that the format cannot represent.
        pub left_out: Vec<NameCount> = [],
        /// Ends of edges that are functions or nodes that no longer exist.
        pub dangling: Vec<String> = [],
        pub revision: u64,
    }
}

impl ImportGraph {
    /// Determines the format, and returns the bytes of the content.
    fn detect_format(&self, bytes: Vec<u8>) -> Result<(Format, Vec<u8>)> {
        let known = self
            .format
            .or_else(|| fibula_graph_formats::detect(self.path.as_deref(), &bytes));
        if let Some(format) = known {
            return Ok((format, bytes));
        }
        if self.content.is_some()
            && let Ok(decoded) = BASE64.decode(bytes.trim_ascii())
            && let Some(format) = fibula_graph_formats::detect(None, &decoded)
        {
            return Ok((format, decoded));
        }
        let names = Format::ALL.map(Format::name).join(", ");
        let message = "the content is in no known graph format";
        Err(Refusal::new("unknown_format", message).hint(format!("pass format, one of {names}")))
    }
}

impl Service {
    /// Imports a file of nodes and edges, as one change. Creators and times are kept. Calls `watch` with the progress;
    /// it may cancel the import.
    ///
    /// # Errors
    /// A [`Refusal`] that names the place, if the file is unreadable, something in it is invalid, or an id exists and
    /// conflicts. Nothing is imported then.
    pub fn import_graph(
        &self,
        origin: &Origin,
        request: &ImportGraph,
        watch: ProgressFn<'_>,
    ) -> Result<GraphImported> {
        let bytes = match (&request.path, &request.content) {
            (Some(path), None) => self.files.read(path)?,
            (None, Some(content)) => content.clone().into_bytes(),
            (Some(_), Some(_)) | (None, None) => {
                let message = "pass either path or content";
                return Err(Refusal::new("invalid_arguments", message));
            }
        };
        let (format, bytes) = request.detect_format(bytes)?;
        let total = bytes.len() as u64;
        let imported = run_watched(total, watch, |progress| {
            fibula_graph_formats::read(format, &bytes, &|done, _| progress.report(done))
        })?;
        self.insert_imported(origin, request, format, &imported)
    }

    /// Imports a table of nodes, the content of the request, and one of edges, in CSV, as one change.
    ///
    /// # Errors
    /// As [`import_graph`](Self::import_graph), also if one of them is a table of the other kind.
    pub fn import_tables(
        &self,
        origin: &Origin,
        request: &ImportGraph,
        edges: &str,
        watch: ProgressFn<'_>,
    ) -> Result<GraphImported> {
        let nodes = request.content.as_deref().unwrap_or_default();
        let total = (nodes.len() + edges.len()) as u64;
        let tables = [nodes, edges].map(|table| Some(table.as_bytes()));
        let imported = run_watched(total, watch, |progress| {
            fibula_graph_formats::read_tables(tables[0], tables[1], &|done, _| {
                progress.report(done)
            })
        })?;
        self.insert_imported(origin, request, Format::Csv, &imported)
    }

    fn insert_imported(
        &self,
        origin: &Origin,
        request: &ImportGraph,
        format: Format,
        imported: &ImportedGraph,
    ) -> Result<GraphImported> {
        let items = imported.nodes.len() + imported.edges.len();
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        let project = request.project.as_deref();
        // Who sends a text wrote it; who names a file did not.
        let is_author = request.path.is_none() && origin.kind != Caller::Program;
        let author = if is_author { &origin.client } else { UNKNOWN };
        self.write(
            KnowledgeChange::new(origin, project, condition, "import", items),
            |writer| insert(writer, imported, author, request.on_conflict),
            |counts, written| {
                let repairs = imported.repairs.iter().take(MOST_LISTED);
                GraphImported {
                    success: true,
                    format,
                    node_count: imported.nodes.len(),
                    edge_count: imported.edges.len(),
                    counts,
                    repairs: repairs
                        .map(|repair| GraphRepair {
                            code: repair.what.to_owned(),
                            message: repair.text.clone(),
                            count: repair.count,
                            place: repair.first.to_string(),
                        })
                        .collect(),
                    warnings: written.warnings,
                    revision: written.revision,
                    dry_run: written.dry_run,
                }
            },
        )
    }

    /// Writes a graph, or the part of it with nodes of some types. Returns its revision, the numbers of nodes and
    /// edges, and what the format cannot represent.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, or `out` fails.
    pub fn write_graph(&self, request: &ExportGraph, out: &mut dyn Write) -> Result<GraphExported> {
        let project = request.project.as_deref();
        let opened = self.project(project)?;
        opened.require_sound(request.revision)?;
        let snapshot = opened.at(request.revision)?;
        let graph = snapshot.document.knowledge();
        let (nodes, edges) = part(graph, &request.types);
        let whole = Graph {
            nodes: &nodes,
            edges: &edges,
            schema: graph.schema(),
            title: project.unwrap_or(DEFAULT_PROJECT),
        };
        let mut counted = byte_counter::ByteCounter::new(out);
        let report = fibula_graph_formats::write(request.format, &whole, &mut counted)?;
        let left_out = report.left_out.into_iter().map(|left| NameCount {
            name: left.what.to_owned(),
            count: left.count,
        });
        Ok(GraphExported {
            success: true,
            format: request.format,
            node_count: nodes.len(),
            edge_count: edges.len(),
            bytes: counted.count,
            path: None,
            content: None,
            left_out: left_out.collect(),
            dangling: dangling_ends(&snapshot.document, &edges),
            revision: snapshot.head.revision,
        })
    }

    /// Returns a graph as the bytes of a file of at most `most` bytes.
    ///
    /// # Errors
    /// As [`write_graph`](Self::write_graph); `too_large`, naming a request without that limit.
    pub fn graph_bytes(&self, request: &ExportGraph, most: u64) -> Result<Vec<u8>> {
        let mut file = BoundedBuffer::new(most);
        let written = self.write_graph(request, &mut file);
        file.into_bytes().map_or_else(
            || {
                let message = format!("the graph exceeds the {most} bytes of a resource");
                Err(Refusal::new("too_large", message).hint(
                    "GET /api/graph/{project}/export returns it, export_graph writes it to a file",
                ))
            },
            |bytes| written.map(|_| bytes),
        )
    }

    /// Writes a graph to a file below the configured folders, or into the answer.
    ///
    /// # Errors
    /// As [`write_graph`](Self::write_graph); `forbidden_path` or `unwritable_file` for the path; `too_large` for an
    /// answer.
    pub fn export_graph(&self, request: &ExportGraph) -> Result<GraphExported> {
        let Some(path) = &request.path else {
            let mut bytes = Vec::new();
            let exported = self.write_graph(request, &mut bytes)?;
            if bytes.len() > LARGEST_CONTENT {
                let message = format!(
                    "the graph has {} bytes in this format, too many for an answer",
                    bytes.len()
                );
                return Err(Refusal::new("too_large", message)
                    .hint("pass a path to write it to, or types to export a part of it")
                    .details(json!({ "bytes": bytes.len(), "most": LARGEST_CONTENT })));
            }
            let content = String::from_utf8_lossy(&bytes).into_owned();
            return Ok(GraphExported {
                content: Some(content),
                ..exported
            });
        };
        let ending = request.format.extension();
        let (real, mut file) = self.files.create(path, ending, request.overwrite)?;
        let exported = self.write_graph(request, &mut file)?;
        file.finish()?;
        Ok(GraphExported {
            path: Some(real.display().to_string()),
            ..exported
        })
    }
}

/// Subgraph of the nodes of some types; all of it if there are no types.
pub(super) fn part<'a>(
    graph: &'a Knowledge,
    types: &[String],
) -> (Vec<NodeRef<'a>>, Vec<EdgeRef<'a>>) {
    let (mut nodes, mut edges) = (graph.sorted_nodes(), graph.sorted_edges());
    if !types.is_empty() {
        nodes.retain(|node| has_type(*node, types));
        let kept: BTreeSet<&str> = nodes.iter().map(NodeRef::id).collect();
        edges.retain(|edge| kept.contains(edge.source()) && kept.contains(edge.target()));
    }
    (nodes, edges)
}

/// Inserts the nodes and edges of a file.
fn insert(
    writer: &mut Writer<'_>,
    imported: &ImportedGraph,
    author: &str,
    on_conflict: OnConflict,
) -> Result<Counts> {
    let mut counts = Counts::default();
    // An empty graph takes over the order of the file; otherwise the nodes are appended.
    let is_first = writer.graph().is_empty();
    let renamed = rename_generated(writer.graph(), imported);
    for (place, node) in imported.nodes.iter().enumerate() {
        let mut node = node.clone();
        if let Some(id) = renamed.get(&node.id) {
            node.id.clone_from(id);
        }
        let outcome = insert_node(writer, &node, author, on_conflict, is_first);
        counts.count(outcome.map_err(|refusal| with_index("nodes", place, refusal))?);
    }
    let before = writer.graph().clone();
    for (place, edge) in imported.edges.iter().enumerate() {
        let mut edge = edge.clone();
        for end in [&mut edge.source, &mut edge.target] {
            if let Some(id) = renamed.get(end) {
                end.clone_from(id);
            }
        }
        let outcome = insert_edge(writer, &before, &edge, author, on_conflict, is_first);
        counts.count(outcome.map_err(|refusal| with_index("edges", place, refusal))?);
    }
    if let Some(schema) = &imported.schema {
        let schema = merge_schemas(writer.graph().schema(), schema);
        writer.declare(schema)?;
    }
    let missing = writer.document().knowledge().function_ends();
    let missing: Vec<String> = missing
        .into_iter()
        .filter(|end| check_exists(writer.document(), end).is_err())
        .map(|end| end.to_string())
        .collect();
    if !missing.is_empty() {
        const NAMED: usize = 5;
        let named = missing
            .iter()
            .take(NAMED)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        let text = format!(
            "edges end at {} functions, nodes or inputs that are not in the project: {named}",
            missing.len()
        );
        writer.warn(text);
    }
    Ok(counts)
}

/// New ids of nodes without ids in the file whose generated ids other nodes of the graph have. A node with the same id and
/// label is taken for the same one, unless the label was generated, too.
fn rename_generated(graph: &Knowledge, imported: &ImportedGraph) -> BTreeMap<String, String> {
    let is_other = |node: &&ImportedNode| {
        let met = graph.find(&node.id).filter(|_| node.is_id_generated);
        met.is_some_and(|met| met.label() != node.label || node.label == node.id)
    };
    let others: Vec<&ImportedNode> = imported.nodes.iter().filter(is_other).collect();
    if others.is_empty() {
        return BTreeMap::new();
    }
    let taken: BTreeSet<&str> = imported.nodes.iter().map(|node| &*node.id).collect();
    let free = (1_u64..).map(|number| format!("n{number}"));
    let free = free.filter(|id| graph.find(id).is_none() && !taken.contains(&**id));
    others
        .into_iter()
        .map(|node| node.id.clone())
        .zip(free)
        .collect()
}

fn insert_node(
    writer: &mut Writer<'_>,
    imported: &ImportedNode,
    author: &str,
    on_conflict: OnConflict,
    is_first: bool,
) -> Result<Outcome> {
    let (now, _) = writer.now();
    let creator = imported.creator.clone();
    let creator = creator.unwrap_or_else(|| author.to_owned());
    let created = imported.created.unwrap_or(now);
    let observations = imported.observations.iter().map(|one| Observation {
        text: one.text.clone(),
        at: one.at.unwrap_or(created),
        by: one.by.clone().unwrap_or_else(|| creator.clone()),
    });
    let is_there = writer.graph().find(&imported.id).is_some();
    if is_there && imported.is_end_only {
        return Ok(Outcome::Skipped);
    }
    if is_there && on_conflict != OnConflict::Replace {
        let node = records::GivenNode {
            id: Some(imported.id.clone()),
            label: imported.label.clone(),
            types: imported.types.clone(),
            data: imported.data.clone(),
            observations: observations
                .map(|one| records::GivenObservation::Whole {
                    text: one.text,
                    at: Some(Timestamp(one.at)),
                    by: Some(one.by),
                })
                .collect(),
            position: imported.position,
            creator: Some(creator),
        };
        return Ok(writer.add(node, on_conflict)?.1);
    }
    let before = writer
        .graph()
        .find(&imported.id)
        .map(|node| (node.order(), node.version()));
    let next = writer.graph().next_node();
    let order = imported.order.filter(|_| is_first).unwrap_or(next);
    writer.put(Node {
        id: imported.id.clone(),
        label: imported.label.clone(),
        types: imported.types.clone(),
        data: imported.data.clone(),
        observations: observations.collect(),
        position: imported.position,
        created,
        modified: imported.modified.unwrap_or(created),
        version: before.map_or(imported.version.unwrap_or(1), |(_, version)| {
            version.saturating_add(1)
        }),
        order: before.map_or(order, |(order, _)| order),
        creator,
    })?;
    Ok(before.map_or(Outcome::Made, |_| Outcome::Replaced))
}

fn insert_edge(
    writer: &mut Writer<'_>,
    before: &Knowledge,
    imported: &ImportedEdge,
    author: &str,
    on_conflict: OnConflict,
    is_first: bool,
) -> Result<Outcome> {
    let (now, _) = writer.now();
    let creator = imported.creator.clone();
    let known = imported.id.as_deref().and_then(|id| before.find_edge(id));
    // Equal edges of the file stay separate; only an edge that existed before is matched.
    let says_the_same = || {
        let between = before
            .edges_between(&imported.source, &imported.target)
            .into_iter();
        let mut same = between.filter(|edge| {
            is_same_type(edge.ty(), &imported.ty)
                && edge.validity() == [imported.valid_from, imported.valid_to]
        });
        same.next()
    };
    let met = known.or_else(|| {
        if on_conflict == OnConflict::Add {
            None
        } else {
            says_the_same()
        }
    });
    let is_function = |id: &str| FunctionEnd::parse(id).is_some();
    if let Some(met) = met
        && !matches!(on_conflict, OnConflict::Replace)
        && !is_function(&imported.source)
        && !is_function(&imported.target)
    {
        let edge = records::GivenEdge {
            id: Some(met.id().to_owned()),
            source: imported.source.clone(),
            target: imported.target.clone(),
            ty: imported.ty.clone(),
            label: imported.label.clone(),
            data: imported.data.clone(),
            weight: imported.weight,
            valid_from: imported.valid_from.map(Timestamp),
            valid_to: imported.valid_to.map(Timestamp),
            creator: Some(creator.unwrap_or_else(|| author.to_owned())),
        };
        return Ok(writer.add_edge(edge, on_conflict)?.1);
    }
    if met.is_some() && on_conflict != OnConflict::Replace {
        return Ok(Outcome::Skipped);
    }
    let graph = writer.graph();
    let taken = imported
        .id
        .as_deref()
        .is_some_and(|id| graph.find_edge(id).is_some());
    let id = match (&met, &imported.id) {
        (Some(met), _) => met.id().to_owned(),
        (None, Some(id)) if !taken => id.clone(),
        (None, Some(id)) => {
            let message = format!("edge {} occurs twice in the file", quoted(id));
            return Err(Refusal::new("duplicate_id", message));
        }
        (None, None) => graph.free_edge_id(),
    };
    let created = imported.created.unwrap_or(now);
    let order = imported
        .order
        .filter(|_| is_first)
        .unwrap_or(graph.next_edge());
    writer.put_edge(Edge {
        id,
        source: imported.source.clone(),
        target: imported.target.clone(),
        ty: imported.ty.clone(),
        label: imported.label.clone(),
        data: imported.data.clone(),
        weight: imported.weight,
        valid_from: imported.valid_from,
        valid_to: imported.valid_to,
        creator: creator.unwrap_or_else(|| author.to_owned()),
        created,
        modified: imported.modified.unwrap_or(created),
        order: met.map_or(order, |met| met.order()),
    })?;
    Ok(met.map_or(Outcome::Made, |_| Outcome::Replaced))
}

/// Merges declared types; the first schema wins.
fn merge_schemas(own: &Schema, other: &Schema) -> Schema {
    if own.is_empty() {
        return other.clone();
    }
    let mut schema = own.clone();
    add_types(&mut schema.node_types, &other.node_types, |ty| &ty.key);
    add_types(&mut schema.edge_types, &other.edge_types, |ty| &ty.key);
    schema
}

fn add_types<T: Clone>(types: &mut Vec<T>, others: &[T], key: impl Fn(&T) -> &String) {
    for other in others {
        if !types.iter().any(|own| is_same_type(key(own), key(other))) {
            types.push(other.clone());
        }
    }
}
