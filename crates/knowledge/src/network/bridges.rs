//! Bridges and articulation points.

use super::subgraph::Subgraph;
use crate::graph::Direction;
use crate::progress::{Cancelled, Progress, Watch};

/// Number of vertices between two checks for cancellation.
const CHECK_INTERVAL: u32 = 1 << 14;
const NONE: u32 = u32::MAX;

/// Edges and vertices whose removal disconnects the undirected graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bridges {
    /// Bridges: edges whose removal disconnects their ends, in order.
    pub edges: Vec<u32>,
    /// Articulation points: vertices whose removal disconnects some of their neighbours, in order.
    pub vertices: Vec<u32>,
}

/// A vertex on the stack of the depth-first search.
struct Frame {
    vertex: u32,
    /// The edge to its parent.
    by: u32,
    next: usize,
}

impl Subgraph<'_> {
    /// Returns the bridges and articulation points, ignoring the direction of edges. O(n + m), by one depth-first
    /// search with an explicit stack (Tarjan, A note on finding the bridges of a graph, 1974; Hopcroft and Tarjan,
    /// Efficient algorithms for graph manipulation, 1973).
    ///
    /// # Errors
    /// [`Cancelled`].
    pub fn bridges(&self, watch: &Watch<'_>) -> Result<Bridges, Cancelled> {
        let vertices = self.vertex_count();
        let progress = Progress::new(vertices as u64 + 1, watch);
        let mut found = vec![NONE; vertices];
        // Low-link: least discovery number reachable without the edge to the parent.
        let mut low = vec![NONE; vertices];
        let mut cuts = vec![false; vertices];
        let mut edges = Vec::new();
        let mut count = 0;
        let mut open: Vec<Frame> = Vec::new();
        for start in 0..vertices as u32 {
            if found[start as usize] != NONE {
                continue;
            }
            let mut children = 0;
            let mut entered = Some((start, NONE));
            loop {
                if let Some((vertex, by)) = entered.take() {
                    (found[vertex as usize], low[vertex as usize]) = (count, count);
                    count += 1;
                    let next = 0;
                    open.push(Frame { vertex, by, next });
                    if count.is_multiple_of(CHECK_INTERVAL) {
                        progress.advance(u64::from(CHECK_INTERVAL))?;
                    }
                }
                let Some(frame) = open.last_mut() else { break };
                let steps = self.adjacency().steps(frame.vertex, Direction::Both);
                let step = steps.get(frame.next);
                frame.next += 1;
                if let Some(step) = step {
                    let seen = found[step.to as usize];
                    if seen == NONE {
                        entered = Some((step.to, step.edge));
                    } else if step.edge != frame.by {
                        let low = &mut low[frame.vertex as usize];
                        *low = (*low).min(seen);
                    }
                    continue;
                }
                let (child, by) = (frame.vertex, frame.by);
                open.pop();
                let Some(parent) = open.last().map(|frame| frame.vertex) else {
                    cuts[start as usize] = children > 1;
                    break;
                };
                let reached = low[child as usize];
                low[parent as usize] = low[parent as usize].min(reached);
                if reached > found[parent as usize] {
                    edges.push(by);
                }
                if parent == start {
                    children += 1;
                } else if reached >= found[parent as usize] {
                    cuts[parent as usize] = true;
                }
            }
        }
        edges.sort_unstable();
        let cuts = (0..vertices as u32).filter(|&vertex| cuts[vertex as usize]);
        progress.finish(Bridges {
            edges,
            vertices: cuts.map(|place| self.number(place)).collect(),
        })
    }
}
