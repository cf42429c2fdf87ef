//! Import of graph files.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_core::edit::{Caller, Origin};
use fibula_graph_formats::{self, Format, ImportedEdge, ImportedGraph, ImportedNode};
use fibula_knowledge::{Edge, FunctionEnd, Knowledge, Node, Observation, Schema, is_same_type};

use super::add::{Counts, KnowledgeChange, with_index};
use super::node_lookup::check_exists;
use super::records::{self, OnConflict};
use super::schema::check_synonyms;
use super::timestamp::Timestamp;
use super::writer::{Outcome, Writer};
use crate::background::{ProgressFn, run_watched};
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Creator of what a file does not attribute to anybody.
const UNKNOWN: &str = "unknown";
/// Maximum number of repairs in an answer.
const MOST_LISTED: usize = 50;
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
        check_synonyms(&schema.synonyms)?;
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
    let synonyms = other.synonyms.iter();
    let synonyms = synonyms.filter(|group| !own.synonyms.contains(group));
    schema.synonyms.extend(synonyms.cloned());
    schema
}

fn add_types<T: Clone>(types: &mut Vec<T>, others: &[T], key: impl Fn(&T) -> &String) {
    for other in others {
        if !types.iter().any(|own| is_same_type(key(own), key(other))) {
            types.push(other.clone());
        }
    }
}
