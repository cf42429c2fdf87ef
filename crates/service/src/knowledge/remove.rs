//! Removing nodes, with their edges, and edges.

use std::collections::BTreeSet;

use fibula_core::edit::{EditError, Origin};
use fibula_knowledge::{Direction, Knowledge, NodeRef, is_same_type};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::add::{Asked, QUICK};
use super::form::NodeBrief;
use super::named;
use super::writer::Writer;
use crate::Service;
use crate::project::Condition;
use crate::refusal::Refusal;

/// The most nodes that an answer tells.
const MOST_TOLD: usize = 50;

/// What is to go.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RemoveKnowledge {
    /// Left out: "default".
    pub project: Option<String>,
    /// Ids or labels; their edges go too.
    #[serde(default)]
    pub nodes: Vec<String>,
    /// Ids.
    #[serde(default)]
    pub edges: Vec<String>,
    /// All nodes such as these.
    pub r#where: Option<Where>,
    /// Refuse at any other.
    pub expected_revision: Option<u64>,
    /// true tells what would go.
    #[serde(default)]
    pub dry_run: bool,
}

impl RemoveKnowledge {
    /// Whether this takes some milliseconds at most.
    pub fn is_quick(&self) -> bool {
        self.r#where.is_none() && self.nodes.len() + self.edges.len() <= QUICK
    }
}

/// Nodes by what they are; all that is said has to be so.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Where {
    /// Of one of these types.
    #[serde(default)]
    pub types: Vec<String>,
    /// Of none of these.
    #[serde(default)]
    pub exclude_types: Vec<String>,
    /// With at least so many edges.
    pub min_degree: Option<usize>,
    /// With at most so many.
    pub max_degree: Option<usize>,
    /// true: without edges.
    #[serde(default)]
    pub isolated: bool,
}

/// What went.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[expect(missing_docs, reason = "the names say it")]
pub struct KnowledgeRemoved {
    pub success: bool,
    pub removed_nodes: usize,
    /// With those of the nodes.
    pub removed_edges: usize,
    /// The nodes; the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeBrief>,
    pub revision: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

impl Where {
    /// Whether nothing is said, so that every node would be meant.
    fn is_empty(&self) -> bool {
        self.types.is_empty()
            && self.exclude_types.is_empty()
            && self.min_degree.is_none()
            && self.max_degree.is_none()
            && !self.isolated
    }

    fn fits(&self, node: NodeRef<'_>) -> bool {
        let has = |types: &[String]| {
            let mut own = node.types();
            own.any(|own| types.iter().any(|ty| is_same_type(ty, own)))
        };
        let degree = node.degree(Direction::Both);
        (self.types.is_empty() || has(&self.types))
            && !has(&self.exclude_types)
            && self.min_degree.is_none_or(|least| degree >= least)
            && self.max_degree.is_none_or(|most| degree <= most)
            && (!self.isolated || degree == 0)
    }

    /// The nodes that are meant, in their order.
    pub(super) fn nodes<'a>(&self, graph: &'a Knowledge) -> Vec<NodeRef<'a>> {
        let mut all = graph.sorted_nodes();
        all.retain(|node| self.fits(*node));
        all
    }
}

impl Service {
    /// Removes nodes, with their edges, and edges.
    ///
    /// # Errors
    /// A [`Refusal`]: one is not there, or nothing is named. Nothing was removed then.
    pub fn remove_knowledge(
        &self,
        origin: &Origin,
        request: &RemoveKnowledge,
    ) -> Result<KnowledgeRemoved, Refusal> {
        let all = request.r#where.as_ref();
        if all.is_some_and(Where::is_empty)
            || all.is_none() && request.nodes.is_empty() && request.edges.is_empty()
        {
            return Err(Refusal::new("invalid_arguments", "it is not said what is to go")
                .hint(r#"give nodes, edges, or where such as {"types": ["draft"], "isolated": true}; empty_project empties everything"#));
        }
        let condition = Condition::new(request.expected_revision, request.dry_run);
        let work = |writer: &mut Writer<'_>| {
            let graph = writer.graph().clone();
            let (mut seen, mut nodes) = (BTreeSet::new(), Vec::new());
            let named = request.nodes.iter().map(|text| named::node(&graph, text));
            let named = named.collect::<Result<Vec<_>, _>>()?;
            let meant = all.map_or_else(Vec::new, |all| all.nodes(&graph));
            for node in named.into_iter().chain(meant) {
                if seen.insert(node.id()) {
                    nodes.push(node);
                }
            }
            for id in &request.edges {
                graph.edge(id).map_err(EditError::from)?;
                // One that is named twice is gone by now.
                if writer.graph().find_edge(id).is_some() {
                    writer.remove_edge(id)?;
                }
            }
            for node in &nodes {
                writer.remove(node.id())?;
            }
            let told = nodes
                .iter()
                .take(MOST_TOLD)
                .map(|node| NodeBrief::of(*node));
            let removed_edges = graph.edge_count() - writer.graph().edge_count();
            Ok((nodes.len(), removed_edges, told.collect::<Vec<_>>()))
        };
        let items = if all.is_some() {
            usize::MAX
        } else {
            request.nodes.len() + request.edges.len()
        };
        let project = request.project.as_deref();
        self.write(
            Asked {
                project,
                condition,
                origin,
                verb: "remove",
                items,
            },
            work,
            |(removed_nodes, removed_edges, nodes), written| KnowledgeRemoved {
                success: true,
                removed_nodes,
                removed_edges,
                nodes,
                revision: written.revision,
                dry_run: written.dry_run,
            },
        )
    }
}
