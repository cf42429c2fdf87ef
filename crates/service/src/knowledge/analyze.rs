//! Network analysis of a knowledge graph: structure, degrees, centralities, components and communities.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use fibula_core::graph::Document;
use fibula_knowledge::network::{
    CommunityOptions, Components, DEFAULT_WORK, Degrees, DistanceBounds, Network, NetworkError,
    PageRankOptions, Sample, Scores, Subgraph, TopologicalOrder,
};
use fibula_knowledge::progress::Watch;
use fibula_knowledge::{Direction, is_same_type};
use schemars::JsonSchema;
use serde::Serialize;

use super::analysis::{Analysis, GivenArguments};
use super::node_lookup;
use super::timestamp::Timestamp;
use super::traversal::{EndpointSummary, filter};
use crate::background::{ProgressFn, run_watched};
use crate::paging::Paging;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Maximum time of an analysis, below that after which clients give up.
const TIME: Duration = Duration::from_secs(45);
/// Default number of items.
const DEFAULT_LIMIT: u32 = 20;
/// Maximum number of items of a page.
const MOST: u32 = 1_000;
/// Number of members of a group in an answer, unless `limit` is more.
const MEMBERS: usize = 10;
/// Maximum number of members of all groups of a page beyond these.
const MOST_MEMBERS: usize = 10_000;
/// Product of nodes and edges above which centralities are estimated from a sample of nodes.
const MOST_EXACT_WORK: u64 = 2_000_000_000;
/// Default size of the sample.
const PIVOTS: usize = 500;
/// Seed of random choices, so that answers are reproducible.
const SEED: u64 = 1;

json_structs! {
    /// Analysis to run.
    pub request(Default) struct Analyze {
        project,
        /// Default structure.
        #[schemars(with = "Option<Analysis>")]
        pub what: Analysis = default,
        /// Only nodes of these types.
        pub node_types: Vec<String> = default,
        /// Only edges of these types.
        pub edge_types: Vec<String> = default,
        /// Default both; of pagerank outgoing.
        pub direction: Option<Direction>,
        /// true: weighted edges, for betweenness, pagerank, eigenvector, communities.
        pub weighted: bool,
        /// For communities: above 1 for smaller ones.
        pub resolution: Option<f64>,
        /// For betweenness, closeness, harmonic: search from this many nodes only.
        pub sample: Option<usize>,
        /// Only edges valid at this time.
        pub valid_at: Option<Timestamp>,
        revision,
        limit,
        cursor,
    }

    /// Result of an analysis; only the requested fields are present.
    #[schemars(rename = "Analyzed")]
    pub answer(Default) struct AnalysisResult {
        pub success: bool,
        pub structure: Option<StructureShown>,
        /// Highest first.
        pub ranking: Option<Vec<RankedShown>>,
        /// Largest first.
        pub groups: Option<Vec<GroupShown>>,
        /// Modularity: density of communities compared with a random graph, up to 1.
        pub modularity: Option<f64>,
        /// Bridges, as [id, source, type, target].
        pub bridges: Option<Vec<[String; 4]>>,
        /// Articulation nodes, the first 100; or the nodes in order.
        pub nodes: Option<Vec<EndpointSummary>>,
        /// Edges of a cycle, as [id, source, type, target].
        pub cycle: Option<Vec<[String; 4]>>,
        /// Ends of these edges that are functions or their parts and no longer exist.
        pub dangling: Vec<String> = [],
        /// Number of nodes searched from, if not all; then errors are given.
        pub sampled: Option<usize>,
        pub warnings: Vec<String> = [],
        pub total: usize,
        pub revision: u64,
        pub next_cursor: Option<String>,
        pub next: Option<String>,
    }

    /// Structure of a graph.
    pub answer struct StructureShown {
        pub nodes: usize,
        pub edges: usize,
        pub density: f64,
        pub loops: usize,
        /// Edges with the same ends as an earlier one.
        pub repeated: usize,
        pub isolated: usize,
        pub degree: DegreesShown,
        pub reciprocity: f64,
        pub components: usize,
        pub largest_component: usize,
        pub strong_components: usize,
        pub is_acyclic: bool,
        pub average_clustering: f64,
        pub transitivity: f64,
        pub triangles: u64,
        /// Of the largest component; [lower, upper bound] if estimated.
        pub diameter: ExactOrRange,
        pub radius: ExactOrRange,
        pub average_distance: f64,
        /// Its standard error, if estimated.
        pub average_distance_error: Option<f64>,
    }

    /// Distribution of degrees.
    pub answer struct DegreesShown {
        pub min: usize,
        pub max: usize,
        pub mean: f64,
        pub median: f64,
        /// [degree, number of nodes], the 20 most frequent.
        pub counts: Vec<[usize; 2]>,
    }

    /// A node and its number.
    pub answer struct RankedShown {
        #[serde(flatten)]
        pub node: EndpointSummary,
        pub score: f64,
        /// Standard error, if estimated.
        pub error: Option<f64>,
    }

    /// Nodes of a component or community.
    pub answer struct GroupShown {
        pub size: usize,
        /// The first ids: 10, or as many as `limit`.
        pub nodes: Vec<String>,
        /// Those of functions and their nodes that no longer exist.
        pub dangling: Vec<String> = [],
    }
}

/// A number, or its bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(missing_docs, reason = "the names say it")]
#[schemars(rename = "Narrowed")]
pub enum ExactOrRange {
    Exact(u32),
    Between([u32; 2]),
}

impl From<DistanceBounds> for ExactOrRange {
    fn from(span: DistanceBounds) -> ExactOrRange {
        if span.is_exact() {
            ExactOrRange::Exact(span.least)
        } else {
            ExactOrRange::Between([span.least, span.most])
        }
    }
}

impl From<&Degrees> for DegreesShown {
    fn from(degrees: &Degrees) -> DegreesShown {
        const MOST: usize = 20;
        let mut counts = degrees.counts.clone();
        counts.sort_by_key(|&(degree, count)| (std::cmp::Reverse(count), degree));
        counts.truncate(MOST);
        DegreesShown {
            min: degrees.least,
            max: degrees.most,
            mean: degrees.mean,
            median: degrees.median,
            counts: counts
                .into_iter()
                .map(|(degree, count)| [degree, count])
                .collect(),
        }
    }
}

/// A page of edges, and those of their ends that no longer exist.
struct EdgePage {
    edges: Vec<[String; 4]>,
    dangling: Vec<String>,
    next_cursor: Option<String>,
}

/// An analysis, and the page of its answer.
struct AnalysisRun<'a> {
    request: &'a Analyze,
    document: &'a Document,
    network: &'a Network,
    part: Subgraph<'a>,
    paging: Paging,
    offset: usize,
    limit: usize,
}

impl Service {
    /// Analyses the network, or the part of it with the given types. Calls `watch` with the progress; it may cancel
    /// the work.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such project or revision, a weight is invalid, or `watch` cancelled it.
    pub fn analyze(&self, request: &Analyze, watch: ProgressFn<'_>) -> Result<AnalysisResult> {
        self.analyze_within(request, watch, TIME)
    }

    fn analyze_within(
        &self,
        request: &Analyze,
        watch: ProgressFn<'_>,
        time: Duration,
    ) -> Result<AnalysisResult> {
        /// Progress steps.
        const PARTS: u64 = 1000;
        request.what.check(&GivenArguments {
            direction: request.direction,
            weighted: request.weighted,
            resolution: request.resolution,
            sample: request.sample,
        })?;
        let limit = request.limit.unwrap_or(DEFAULT_LIMIT).min(MOST);
        let paging = Paging::new(Some(limit), request.cursor.as_deref())?;
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let network = project.network(snapshot.document.knowledge());
        let direction = request.direction.unwrap_or(request.what.usual());
        let (edge_types, node_types) = (&request.edge_types, &request.node_types);
        let filter = filter(edge_types, node_types, request.valid_at, direction);
        let (begun, is_late) = (Instant::now(), AtomicBool::new(false));
        let found = run_watched(PARTS, watch, |progress| {
            let run = AnalysisRun {
                request,
                document: &snapshot.document,
                network: &network,
                part: network.subgraph(&filter),
                paging,
                offset: paging.after().map_or(0, |after| after as usize + 1),
                limit: limit as usize,
            };
            run.answer(&|done, total| {
                if begun.elapsed() > time {
                    is_late.store(true, Relaxed);
                    return ControlFlow::Break(());
                }
                progress.report(done.saturating_mul(PARTS) / total.max(1))
            })
        });
        let found = found.map_err(|error| {
            if is_late.load(Relaxed) {
                let message = format!("the analysis takes longer than {} s", time.as_secs());
                return Refusal::new("too_large", message).hint(
                    "sample: 100 estimates betweenness, closeness and harmonic; node_types and edge_types take a part of \
                     the graph",
                );
            }
            Refusal::from(error)
        })?;
        let next = (found.total == 0).then(|| {
            let is_filtered =
                !edge_types.is_empty() || !node_types.is_empty() || request.valid_at.is_some();
            let text = match (network.vertex_count(), request.what) {
                (0, _) => "the knowledge graph has no nodes: add_nodes adds some",
                (_, Analysis::Bridges) => "no edge is a bridge: components lists what is connected",
                _ if is_filtered => {
                    "nothing has these types: summarize counts nodes and edges by type"
                }
                _ => "summarize counts nodes and edges by type",
            };
            text.to_owned()
        });
        let known = snapshot.document.knowledge().edge_type_counts();
        let is_known = |ty: &str| known.iter().any(|(known, _)| is_same_type(known, ty));
        let unknown = edge_types.iter().filter(|ty| !is_known(ty));
        let unknown = unknown.map(|ty| format!("no edge has the type {}", quoted(ty)));
        Ok(AnalysisResult {
            success: true,
            next,
            warnings: found.warnings.into_iter().chain(unknown).collect(),
            revision: snapshot.head.revision,
            ..found
        })
    }
}

impl AnalysisRun<'_> {
    fn answer(&self, watch: &Watch<'_>) -> Result<AnalysisResult, NetworkError> {
        let (part, weighted) = (&self.part, self.request.weighted);
        let sample = self.sample();
        let sampled = sample.map(|sample| sample.pivots);
        let sampled = sampled.filter(|&pivots| pivots < part.vertex_count());
        let ranked = |scores: &Scores| self.ranked(scores);
        let estimated = |scores: &Scores| AnalysisResult {
            sampled,
            ..ranked(scores)
        };
        match self.request.what {
            Analysis::Structure => self.structure(watch),
            Analysis::Degree => Ok(ranked(&part.degree())),
            Analysis::Closeness => Ok(estimated(&part.closeness(sample, watch)?.closeness)),
            Analysis::Harmonic => Ok(estimated(&part.closeness(sample, watch)?.harmonic)),
            Analysis::Betweenness => Ok(estimated(&part.betweenness(weighted, sample, watch)?)),
            Analysis::Pagerank => {
                let surfing = PageRankOptions {
                    weighted,
                    ..PageRankOptions::default()
                };
                Ok(ranked(&part.pagerank(&surfing, watch)?))
            }
            Analysis::Eigenvector => {
                /// Change below which the iteration has converged.
                const CONVERGED: f64 = 1e-6;
                let found = part.eigenvector(weighted, watch)?;
                let mut answer = ranked(&found.scores);
                if found.change > CONVERGED {
                    answer.warnings.push(format!(
                        "the iteration did not converge: the last step changed the numbers by \
                         {:.1e}",
                        found.change
                    ));
                }
                Ok(answer)
            }
            Analysis::Communities => {
                let grouping = CommunityOptions {
                    resolution: self.request.resolution.unwrap_or(1.0),
                    weighted,
                    seed: SEED,
                    ..CommunityOptions::default()
                };
                let found = part.communities(&grouping, watch)?;
                Ok(AnalysisResult {
                    modularity: Some(found.modularity),
                    ..self.groups(&found.groups)
                })
            }
            Analysis::Components => Ok(self.groups(&part.weak_components(watch)?)),
            Analysis::StrongComponents => Ok(self.groups(&part.strong_components(watch)?)),
            Analysis::Cores => {
                let cores = part.cores();
                let values = cores.numbers.iter().map(|&core| f64::from(core));
                Ok(ranked(&Scores {
                    values: values.collect(),
                    errors: None,
                }))
            }
            Analysis::Bridges => self.bridges(watch),
            Analysis::Order => self.order(watch),
        }
    }

    /// Sample of nodes, unless all are used.
    fn sample(&self) -> Option<Sample> {
        let (nodes, edges) = (self.part.vertex_count(), self.part.edge_count());
        let too_much = (nodes as u64).saturating_mul((nodes + edges) as u64) > MOST_EXACT_WORK;
        let pivots = self.request.sample.or(too_much.then_some(PIVOTS))?;
        Some(Sample { pivots, seed: SEED })
    }

    fn ranked(&self, scores: &Scores) -> AnalysisResult {
        // One item more tells whether there is another page.
        let ranked = self.part.ranked(scores, self.offset, self.limit + 1);
        let numbered = (self.offset as u64..).zip(ranked);
        let page = self.paging.page(numbered, |ranked| RankedShown {
            node: EndpointSummary::of(self.document, self.network, ranked.vertex),
            score: ranked.score,
            error: ranked.error,
        });
        AnalysisResult {
            ranking: Some(page.items),
            total: scores.values.len(),
            next_cursor: page.next_cursor,
            ..AnalysisResult::default()
        }
    }

    fn groups(&self, groups: &Components) -> AnalysisResult {
        let vertices = self.part.vertices();
        let shown = self.offset..(self.offset + self.limit + 1).min(groups.sizes.len());
        let mut members: Vec<Vec<String>> = vec![Vec::new(); shown.len()];
        let mut left = MOST_MEMBERS;
        let most = shown.clone().map(|group| {
            let wanted = self.request.limit.map_or(0, |_| self.limit);
            let more = groups.sizes[group].min(wanted).saturating_sub(MEMBERS);
            let more = more.min(left);
            left -= more;
            MEMBERS + more
        });
        let most: Vec<usize> = most.collect();
        for (&group, &vertex) in groups.labels.iter().zip(&*vertices) {
            let place = (group as usize).checked_sub(shown.start);
            if let Some(place) = place.filter(|&place| place < members.len())
                && members[place].len() < most[place]
            {
                members[place].push(self.network.id(vertex).to_owned());
            }
        }
        let numbered = (self.offset as u64..).zip(shown.zip(members));
        let is_dangling = |id: &&String| node_lookup::is_dangling(self.document, id).is_some();
        let page = self.paging.page(numbered, |(group, nodes)| GroupShown {
            size: groups.sizes[group],
            dangling: nodes.iter().filter(is_dangling).cloned().collect(),
            nodes,
        });
        AnalysisResult {
            groups: Some(page.items),
            total: groups.sizes.len(),
            next_cursor: page.next_cursor,
            ..AnalysisResult::default()
        }
    }

    fn edges(&self, edges: &[u32]) -> EdgePage {
        let page = self.paging.page((0..).zip(edges), |&edge| {
            let edge = self.network.edge(edge);
            [edge.id(), edge.source(), edge.ty(), edge.target()].map(str::to_owned)
        });
        let ends = page
            .items
            .iter()
            .flat_map(|[_, source, _, target]| [source, target]);
        let is_dangling = |id: &&String| node_lookup::is_dangling(self.document, id).is_some();
        let dangling: BTreeSet<&String> = ends.filter(is_dangling).collect();
        EdgePage {
            dangling: dangling.into_iter().cloned().collect(),
            edges: page.items,
            next_cursor: page.next_cursor,
        }
    }

    fn bridges(&self, watch: &Watch<'_>) -> Result<AnalysisResult, NetworkError> {
        const MOST: usize = 100;
        let found = self.part.bridges(watch)?;
        let page = self.edges(&found.edges);
        let cuts = found.vertices.iter().take(MOST);
        Ok(AnalysisResult {
            bridges: Some(page.edges),
            dangling: page.dangling,
            nodes: Some(
                cuts.map(|&vertex| EndpointSummary::of(self.document, self.network, vertex))
                    .collect(),
            ),
            total: found.edges.len(),
            next_cursor: page.next_cursor,
            ..AnalysisResult::default()
        })
    }

    fn order(&self, watch: &Watch<'_>) -> Result<AnalysisResult, NetworkError> {
        Ok(match self.part.order(watch)? {
            TopologicalOrder::Acyclic(vertices) => {
                let total = vertices.len();
                let page = self.paging.page((0..).zip(vertices), |vertex| {
                    EndpointSummary::of(self.document, self.network, vertex)
                });
                AnalysisResult {
                    nodes: Some(page.items),
                    total,
                    next_cursor: page.next_cursor,
                    ..AnalysisResult::default()
                }
            }
            TopologicalOrder::Cycle(edges) => {
                let page = self.edges(&edges);
                AnalysisResult {
                    cycle: Some(page.edges),
                    dangling: page.dangling,
                    total: edges.len(),
                    next_cursor: page.next_cursor,
                    ..AnalysisResult::default()
                }
            }
        })
    }

    fn structure(&self, watch: &Watch<'_>) -> Result<AnalysisResult, NetworkError> {
        let structure = self.part.structure(watch)?;
        let clustering = self.part.clustering(watch)?;
        let distances = self.part.distances(DEFAULT_WORK, watch)?;
        Ok(AnalysisResult {
            total: structure.vertices,
            structure: Some(StructureShown {
                nodes: structure.vertices,
                edges: structure.edges,
                density: structure.density,
                loops: structure.loops,
                repeated: structure.repeated,
                isolated: structure.isolated.len(),
                degree: (&structure.degrees).into(),
                reciprocity: structure.reciprocity,
                components: structure.weak.sizes.len(),
                largest_component: structure.weak.sizes.first().copied().unwrap_or(0),
                strong_components: structure.strong.sizes.len(),
                is_acyclic: structure.is_acyclic,
                // Never -0.
                average_clustering: clustering.average + 0.0,
                transitivity: clustering.transitivity,
                triangles: clustering.triangles,
                diameter: distances.diameter.into(),
                radius: distances.radius.into(),
                average_distance: distances.mean,
                average_distance_error: distances.error,
            }),
            ..AnalysisResult::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use fibula_core::edit::Origin;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_analysis_that_takes_too_long_is_refused_with_a_way_out() {
        let service = Service::default();
        let nodes =
            (0..500).map(|at| json!({ "id": format!("n{at}"), "label": "n", "types": "t" }));
        let edges = (1..500).map(
            |at| json!({ "source": format!("n{}", at / 2), "target": format!("n{at}"), "type": "e" }),
        );
        let (nodes, edges) = (nodes.collect::<Vec<_>>(), edges.collect::<Vec<_>>());
        let add = serde_json::from_value(json!({ "nodes": nodes, "edges": edges }));
        let added = service.add_nodes(&Origin::program("test", "analyze"), add.expect("nodes"));
        added.expect("they are added");
        let request = serde_json::from_value(json!({ "what": "betweenness" })).expect("a request");
        let on = &mut |_, _| ControlFlow::Continue(());
        let refused = service.analyze_within(&request, on, Duration::ZERO);
        let refused = refused.expect_err("there is no time");
        assert_eq!(refused.code, "too_large");
        assert!(refused.to_string().contains("sample: 100"), "{refused}");
        assert!(service.analyze(&request, on).is_ok());
    }
}
