//! Schema of a knowledge graph: the types in use, and the declared ones.

use std::collections::BTreeSet;

use fibula_core::edit::Origin;
use fibula_knowledge::search::word_key;
use fibula_knowledge::{EdgeType, Knowledge, NodeType, Schema, Strictness, is_same_type};

use super::add::KnowledgeChange;
use super::writer::Writer;
use crate::project::change::CommitOptions;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Maximum number of types in an answer, the most frequent ones.
const MOST_LISTED: usize = 100;

json_structs! {
    /// Project whose types are returned.
    pub request(Default) struct GetSchema {
        project,
        revision,
    }

    /// The types of a knowledge graph.
    pub answer struct SchemaShown {
        pub success: bool,
        pub node_types: Vec<NodeTypeShown>,
        pub edge_types: Vec<EdgeTypeShown>,
        pub strict: Strictness,
        /// Groups of words that mean the same to searches.
        pub synonyms: Vec<Vec<String>> = [],
        /// Number of types, if not all are listed.
        pub totals: Option<[usize; 2]>,
        pub revision: u64,
    }

    /// A type of nodes.
    pub answer struct NodeTypeShown {
        #[serde(flatten)]
        pub ty: NodeType,
        pub count: usize,
        /// True if the schema declares it.
        pub declared: bool,
    }

    /// A type of edges.
    pub answer struct EdgeTypeShown {
        #[serde(flatten)]
        pub ty: EdgeType,
        pub count: usize,
        /// True if the schema declares it.
        pub declared: bool,
    }

    /// Types to declare.
    pub request(Default) struct SetSchema {
        project,
        /// Types of nodes; default: unchanged.
        pub node_types: Option<Vec<NodeType>>,
        /// Types of edges; default: unchanged.
        pub edge_types: Option<Vec<EdgeType>>,
        /// Handling of other types.
        pub strict: Option<Strictness>,
        /// Groups of words that mean the same to searches, such as defect and fault; default: unchanged.
        pub synonyms: Option<Vec<Vec<String>>>,
        expected_revision,
        dry_run,
    }

    /// Result of declaring types.
    pub answer struct SchemaSet {
        pub success: bool,
        /// Numbers of nodes and edges that violate the schema; they are kept.
        pub strangers: usize,
        pub warnings: Vec<String> = [],
        pub revision: u64,
        pub dry_run: Option<bool>,
    }
}

impl SchemaShown {
    pub(super) fn of(graph: &Knowledge, revision: u64) -> SchemaShown {
        let schema = graph.schema();
        let (nodes, node_types) = count_types(
            &schema.node_types,
            &graph.node_type_counts(),
            |ty| &ty.key,
            |key| NodeType {
                key,
                ..NodeType::default()
            },
            |(ty, count, declared)| NodeTypeShown {
                ty,
                count,
                declared,
            },
        );
        let (edges, edge_types) = count_types(
            &schema.edge_types,
            &graph.edge_type_counts(),
            |ty| &ty.key,
            |key| EdgeType {
                key,
                ..EdgeType::default()
            },
            |(ty, count, declared)| EdgeTypeShown {
                ty,
                count,
                declared,
            },
        );
        let totals = [nodes, edges];
        SchemaShown {
            success: true,
            node_types,
            edge_types,
            strict: schema.strict,
            synonyms: schema.synonyms.clone(),
            totals: totals
                .iter()
                .any(|count| *count > MOST_LISTED)
                .then_some(totals),
            revision,
        }
    }
}

/// The number of types, declared or in use, and the most frequent of them: each with its number of nodes or edges, and
/// whether it is declared.
fn count_types<T: Clone, S>(
    declared: &[T],
    counts: &[(&str, usize)],
    key: impl Fn(&T) -> &String,
    undeclared: impl Fn(String) -> T,
    show: impl Fn((T, usize, bool)) -> S,
) -> (usize, Vec<S>) {
    let count = |key: &str| {
        let same = counts.iter().filter(|(ty, _)| is_same_type(ty, key));
        same.map(|(_, count)| count).sum()
    };
    let with_count = |ty: &T| (ty.clone(), count(key(ty)), true);
    let mut all: Vec<(T, usize, bool)> = declared.iter().map(with_count).collect();
    for (name, count) in counts {
        if !declared.iter().any(|ty| is_same_type(key(ty), name)) {
            all.push((undeclared((*name).to_owned()), *count, false));
        }
    }
    all.sort_by(|a, b| (b.1, key(&a.0)).cmp(&(a.1, key(&b.0))));
    let total = all.len();
    (total, all.into_iter().take(MOST_LISTED).map(show).collect())
}

impl Service {
    /// Returns the types of a knowledge graph, with the numbers of nodes and edges.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if there is no such project or revision.
    pub fn get_schema(&self, request: &GetSchema) -> Result<SchemaShown> {
        let snapshot = self.snapshot_at(request.project.as_deref(), request.revision)?;
        let graph = snapshot.document.knowledge();
        Ok(SchemaShown::of(graph, snapshot.head.revision))
    }

    /// Declares types, and how strictly they are enforced from now on.
    ///
    /// # Errors
    /// A [`Refusal`](crate::Refusal) if a key is invalid or repeated, or there are too many.
    pub fn set_schema(&self, origin: &Origin, request: &SetSchema) -> Result<SchemaSet> {
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        check_synonyms(request.synonyms.as_deref().unwrap_or_default())?;
        let work = |writer: &mut Writer<'_>| {
            let before = writer.graph().schema().clone();
            let declared = request.clone();
            writer.declare(Schema {
                node_types: declared.node_types.unwrap_or(before.node_types),
                edge_types: declared.edge_types.unwrap_or(before.edge_types),
                strict: declared.strict.unwrap_or(before.strict),
                synonyms: declared.synonyms.unwrap_or(before.synonyms),
            })?;
            Ok(violations(writer.graph()))
        };
        let project = request.project.as_deref();
        // Visits every node and edge.
        self.write(
            KnowledgeChange::new(origin, project, condition, "declare", usize::MAX),
            work,
            |violations, written| SchemaSet {
                success: true,
                strangers: violations,
                warnings: written.warnings,
                revision: written.revision,
                dry_run: written.dry_run,
            },
        )
    }
}

/// Refuses groups that searches cannot use.
pub(super) fn check_synonyms(groups: &[Vec<String>]) -> Result<()> {
    let example = "a group has two different words or more, such as [\"defect\", \"fault\"]";
    for group in groups {
        let refused = |message| Err(Refusal::new("invalid_value", message).hint(example));
        if let Some(text) = group.iter().find(|text| word_key(text).is_none()) {
            return refused(format!("the synonym {} is not one word", quoted(text)));
        }
        let words: BTreeSet<_> = group.iter().map(|text| word_key(text)).collect();
        if words.len() < 2 {
            let group = group.join(", ");
            return refused(format!("the group {} has no synonyms", quoted(&group)));
        }
    }
    Ok(())
}

/// Number of nodes and edges that violate the schema.
pub(super) fn violations(graph: &Knowledge) -> usize {
    let schema = graph.schema();
    if schema.node_types.is_empty() && schema.edge_types.is_empty() {
        return 0;
    }
    let types = |id: &str| {
        let node = graph.find(id)?;
        Some(node.types().map(str::to_owned).collect::<Vec<String>>())
    };
    let nodes = graph.nodes().filter(|node| {
        let types: Vec<String> = node.types().map(str::to_owned).collect();
        schema.node_violations(&types).next().is_some()
    });
    let edges = graph.edges().filter(|edge| {
        let ends = [types(edge.source()), types(edge.target())];
        let ends = ends.each_ref().map(Option::as_deref);
        !schema.edge_violations(edge.ty(), ends).is_empty()
    });
    nodes.count() + edges.count()
}
