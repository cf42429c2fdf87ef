//! k-hop neighbourhoods by breadth-first search.

use super::adjacency::Step;
use super::buffers::BfsBuffers;
use super::error::NetworkError;
use super::filter::{CompiledFilter, Filter};
use super::view::Network;
use crate::graph::Direction;

/// Number of vertices whose lists are prefetched together.
const PREFETCH_BATCH: usize = 32;

/// Query for the neighbourhood of some vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NeighbourhoodQuery {
    /// Ids of the start vertices; they are not part of the result.
    pub starts: Vec<String>,
    /// Maximum distance, in edges.
    pub depth: u32,
    /// Edges to follow and nodes to return.
    pub filter: Filter,
    /// True if the search does not continue beyond nodes that fail the filter.
    pub cut: bool,
    /// Maximum number of edges returned, of those between the starts and the returned vertices.
    pub edges: usize,
    /// Number of vertices to skip.
    pub offset: usize,
    /// Maximum number of vertices returned.
    pub limit: usize,
}

/// A vertex of a neighbourhood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReachedVertex {
    /// Number of the vertex.
    pub vertex: u32,
    /// Distance from the nearest start, in edges.
    pub distance: u32,
    /// Edge by which it was first reached, if vertices are expanded in the order in which they were reached, and their
    /// edges in order, outgoing before incoming ones.
    pub by: u32,
}

/// A page of a neighbourhood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Neighbourhood {
    /// The vertices, by distance and then in the order in which they were reached.
    pub reached: Vec<ReachedVertex>,
    /// Total number of vertices in the neighbourhood.
    pub total: usize,
    /// Edges that pass the filter, of which both ends are starts or returned vertices; in order.
    pub edges: Vec<u32>,
    /// Total number of such edges.
    pub edges_total: usize,
}

/// Extent of a search.
#[derive(Clone, Copy)]
struct SearchRange {
    depth: u32,
    direction: Direction,
    /// Number of vertices that are needed; at the greatest distance, those beyond it are only counted.
    kept: usize,
}

/// All reached vertices in order.
struct BfsResult<'a> {
    reached: &'a [Step],
    /// Index of the first vertex of each distance, beginning with the starts.
    levels: Vec<usize>,
    /// Number of vertices that were only counted.
    more: usize,
}

impl Network {
    /// Returns the k-hop neighbourhood of some vertices. O(traversed edges), whatever the size of the network.
    ///
    /// # Errors
    /// [`NetworkError::UnknownVertex`] if a start does not exist.
    pub fn neighbours(&self, query: &NeighbourhoodQuery) -> Result<Neighbourhood, NetworkError> {
        let starts = query.starts.iter().map(|id| self.vertex(id));
        let starts: Vec<u32> = starts.collect::<Result<_, _>>()?;
        let sieve = CompiledFilter::new(self, &query.filter);
        let direction = sieve.direction();
        let cuts = query.cut && !sieve.passes_vertices();
        let filters = !cuts && !sieve.passes_vertices();
        // Number of vertices needed for the page if all pass the filter.
        let page = query.offset.saturating_add(query.limit);
        let kept = if filters { usize::MAX } else { page };
        let range = SearchRange {
            depth: query.depth,
            direction,
            kept,
        };
        // Specialised, so that edges are not tested where all pass.
        let mut walked = self.walks.acquire();
        let walked = &mut *walked;
        let found = match (sieve.passes_edges(), cuts) {
            (true, false) => self.search(walked, &starts, range, |_| true),
            (_, true) => self.search(walked, &starts, range, |step| sieve.step(step)),
            (false, false) => self.search(walked, &starts, range, |step| sieve.edge(step.edge)),
        };
        let mut result = found.page(query, filters.then_some(&sieve));
        if query.edges > 0 {
            self.collect_edges_among(&starts, &sieve, query.edges, &mut result);
        }
        Ok(result)
    }

    fn search<'a>(
        &self,
        BfsBuffers { seen, reached }: &'a mut BfsBuffers,
        starts: &[u32],
        range: SearchRange,
        passes: impl Fn(Step) -> bool,
    ) -> BfsResult<'a> {
        for &start in starts {
            if seen.insert(start) {
                let edge = u32::MAX;
                reached.push(Step { to: start, edge });
            }
        }
        let first = reached.len();
        let mut levels = vec![0];
        let mut from = 0;
        let mut more = 0;
        for distance in 1..=range.depth {
            let to = reached.len();
            if from == to {
                break;
            }
            levels.push(to);
            // Vertices at the greatest distance are not expanded.
            let counts = distance == range.depth && to - first >= range.kept;
            for from in (from..to).step_by(PREFETCH_BATCH) {
                let group = from..to.min(from + PREFETCH_BATCH);
                let vertices = reached[group.clone()].iter().map(|step| step.to);
                self.adjacency.prefetch(vertices, range.direction);
                for place in group {
                    let steps = self.adjacency.steps(reached[place].to, range.direction);
                    if counts {
                        more += seen.count(steps, &passes);
                    } else {
                        seen.follow(steps, &passes, reached);
                    }
                }
            }
            from = to;
        }
        levels.push(reached.len());
        BfsResult {
            reached,
            levels,
            more,
        }
    }

    /// Adds the edges between the starts and the vertices of the page.
    fn collect_edges_among(
        &self,
        starts: &[u32],
        sieve: &CompiledFilter<'_>,
        limit: usize,
        result: &mut Neighbourhood,
    ) {
        let outgoing = |vertex| self.adjacency.outgoing(vertex);
        let mut members = self.pool.acquire();
        let page = result.reached.iter().map(|reached| reached.vertex);
        let all = starts.iter().copied().chain(page);
        let all: Vec<u32> = all.filter(|&vertex| members.insert(vertex)).collect();
        let steps = all.iter().flat_map(|&vertex| outgoing(vertex));
        let inner = steps.filter(|step| members.has(step.to) && sieve.edge(step.edge));
        result.edges = inner.map(|step| step.edge).collect();
        result.edges.sort_unstable();
        result.edges_total = result.edges.len();
        result.edges.truncate(limit);
    }
}

impl BfsResult<'_> {
    /// Builds the requested page of the vertices that pass.
    fn page(self, query: &NeighbourhoodQuery, sieve: Option<&CompiledFilter<'_>>) -> Neighbourhood {
        let mut result = Neighbourhood::default();
        let end = query.offset.saturating_add(query.limit);
        for (distance, level) in (0..).zip(self.levels.windows(2)).skip(1) {
            let mut all = &self.reached[level[0]..level[1]];
            let kept: Vec<Step>;
            if let Some(sieve) = sieve {
                let passing = all.iter().filter(|step| sieve.vertex(step.to));
                kept = passing.copied().collect();
                all = &kept;
            }
            let from = query.offset.saturating_sub(result.total).min(all.len());
            let to = end.saturating_sub(result.total).min(all.len());
            result.total += all.len();
            let page = all[from..to.max(from)].iter().map(|step| ReachedVertex {
                vertex: step.to,
                distance,
                by: step.edge,
            });
            result.reached.extend(page);
        }
        result.total += self.more;
        result
    }
}
