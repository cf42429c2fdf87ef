//! Coordinate assignment: the height of each vertex in its layer.
//!
//! U. Brandes, B. Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001), rotated by 90 degrees: vertices are
//! aligned with the medians of their neighbours, which forms blocks, and the blocks are compacted; this happens in four
//! directions, and each vertex gets the mean of the two middle results. Ports, not centres, are aligned (U. Rüegg and others,
//! "Size- and Port-Aware Horizontal Node Coordinate Assignment", 2015). Compaction finds longest paths through the blocks.
//! Time and memory are linear in the vertices and edges, but for the sorting of the edges of each vertex.

use super::layering::Layers;
use super::{CancelCheck, LayoutError, Spacing, check_cancelled};

/// Assigns the upper side of each vertex, for an order of each layer.
pub(super) fn tops(
    layers: &Layers,
    order: &[Vec<usize>],
    spacing: &Spacing,
    check: &mut CancelCheck<'_>,
) -> Result<Vec<f64>, LayoutError> {
    let mut position = vec![0; layers.layer.len()];
    for row in order {
        for (at, &vertex) in row.iter().enumerate() {
            position[vertex] = at;
        }
    }
    let has_conflict = mark_conflicts(layers, order, &position);
    let mut runs = Vec::new();
    for is_left in [true, false] {
        for is_flipped in [false, true] {
            check_cancelled(check)?;
            let mut rows = order.to_vec();
            if is_flipped {
                for row in &mut rows {
                    row.reverse();
                }
            }
            let run = Run {
                layers,
                rows: &rows,
                has_conflict: &has_conflict,
                spacing,
                is_left,
                is_flipped,
            };
            runs.push(run.tops());
        }
    }
    let extent = |tops: &Vec<f64>| {
        let low = tops.iter().copied().fold(f64::INFINITY, f64::min);
        let bottoms = tops
            .iter()
            .zip(&layers.height)
            .map(|(top, height)| top + height);
        [low, bottoms.fold(f64::NEG_INFINITY, f64::max)]
    };
    let extents: Vec<[f64; 2]> = runs.iter().map(extent).collect();
    let lowest = extents
        .iter()
        .min_by(|one, other| (one[1] - one[0]).total_cmp(&(other[1] - other[0])));
    let Some(&lowest) = lowest else {
        return Ok(Vec::new());
    };
    // Upward compactions share the upper side of the smallest result, downward ones its lower side.
    let shifts: Vec<f64> = (0..4)
        .map(|run| lowest[run % 2] - extents[run][run % 2])
        .collect();
    let mut tops: Vec<f64> = (0..position.len())
        .map(|vertex| {
            let mut all: [f64; 4] = std::array::from_fn(|run| runs[run][vertex] + shifts[run]);
            all.sort_by(f64::total_cmp);
            f64::midpoint(all[1], all[2])
        })
        .collect();
    straighten(layers, order, &position, spacing, &mut tops);
    let least = tops.iter().copied().fold(f64::INFINITY, f64::min);
    for top in &mut tops {
        *top -= least;
    }
    Ok(tops)
}

/// Aligns vertices that are nearly in line with the median of their left neighbours, or of their right ones if they have no left
/// ones, where there is room. The dummies of one hyperedge move together.
fn straighten(
    layers: &Layers,
    order: &[Vec<usize>],
    position: &[usize],
    spacing: &Spacing,
    tops: &mut [f64],
) {
    /// Maximum distance of a move.
    const FAR: f64 = 16.0;
    let mut dummies = vec![0..0; layers.layer.len()];
    for hyperedge in &layers.trunks {
        if !hyperedge.dummies.is_empty() {
            dummies[hyperedge.dummies.start] = hyperedge.dummies.clone();
        }
    }
    for &vertex in order.iter().flatten() {
        let unit = if layers.is_dummy(vertex) {
            dummies[vertex].clone()
        } else {
            vertex..vertex + 1
        };
        let (edges, other) = match &layers.incoming[vertex][..] {
            [] => (&layers.outgoing[vertex], 1),
            _ => (&layers.incoming[vertex], 0),
        };
        if unit.is_empty() || edges.is_empty() {
            continue;
        }
        let away = |&edge: &usize| {
            let edge = &layers.edges[edge];
            let at = |end: usize| tops[edge.ends[end]] + edge.offsets[end];
            at(other) - at(1 - other)
        };
        let mut all: Vec<f64> = edges.iter().map(away).collect();
        all.sort_by(f64::total_cmp);
        let middle = [(all.len() - 1) / 2, all.len() / 2].map(|at| all[at]);
        let [one, two] = middle;
        let shift = if one.abs() <= two.abs() { one } else { two };
        let is_level = unit
            .clone()
            .all(|member| tops[member] - tops[vertex] == 0.0);
        let has_room = |member: usize| {
            let (row, at) = (&order[layers.layer[member]], position[member]);
            let pair = |upper: usize, lower: usize, shift: f64| {
                let gap = spacing.gap(layers, upper, lower);
                tops[lower] + shift >= tops[upper] + layers.height[upper] + gap
            };
            let above = at.checked_sub(1).map(|at| row[at]);
            let below = row.get(at + 1);
            above.is_none_or(|above| pair(above, member, shift))
                && below.is_none_or(|&below| pair(member, below, -shift))
        };
        if shift != 0.0 && shift.abs() <= FAR && is_level && unit.clone().all(has_room) {
            unit.for_each(|member| tops[member] += shift);
        }
    }
}

impl Spacing {
    /// Minimum distance of two vertices of a layer.
    fn gap(&self, layers: &Layers, upper: usize, lower: usize) -> f64 {
        if layers.is_dummy(upper) || layers.is_dummy(lower) {
            self.links
        } else {
            self.nodes
        }
    }
}

/// Marks type 1 conflicts: edges that cross an inner segment, one between two dummies, which has priority to be straight.
fn mark_conflicts(layers: &Layers, order: &[Vec<usize>], position: &[usize]) -> Vec<bool> {
    let mut has_conflict = vec![false; layers.edges.len()];
    let is_inner = |edge: usize| {
        layers.edges[edge]
            .ends
            .iter()
            .all(|&end| layers.is_dummy(end))
    };
    for (row, before) in order.iter().skip(1).zip(order) {
        let (mut checked, mut low) = (0, 0);
        for (at, &vertex) in row.iter().enumerate() {
            let inner = layers.incoming[vertex].iter().find(|&&edge| is_inner(edge));
            if inner.is_none() && at + 1 < row.len() {
                continue;
            }
            let high = match inner {
                Some(&edge) => position[layers.edges[edge].ends[0]],
                None => before.len(),
            };
            for &vertex in &row[checked..=at] {
                for &edge in &layers.incoming[vertex] {
                    let from = position[layers.edges[edge].ends[0]];
                    has_conflict[edge] = !is_inner(edge) && !(low..=high).contains(&from);
                }
            }
            (checked, low) = (at + 1, high);
        }
    }
    has_conflict
}

/// Alignment and compaction in one of the four directions.
struct Run<'a> {
    layers: &'a Layers,
    rows: &'a [Vec<usize>],
    has_conflict: &'a [bool],
    spacing: &'a Spacing,
    /// True if vertices are aligned with their left neighbours.
    is_left: bool,
    /// True if the layout is upside down.
    is_flipped: bool,
}

impl Run<'_> {
    fn tops(&self) -> Vec<f64> {
        let (root, inside) = self.blocks();
        let packed = self.compact(&root, &inside);
        let top = |vertex: usize| {
            let top = packed[root[vertex]] + inside[vertex];
            if self.is_flipped {
                -top - self.layers.height[vertex]
            } else {
                top
            }
        };
        (0..root.len()).map(top).collect()
    }

    /// Vertical alignment: the root of the block of each vertex, and the distance of the vertex from it.
    fn blocks(&self) -> (Vec<usize>, Vec<f64>) {
        let count = self.layers.layer.len();
        let mut root: Vec<usize> = (0..count).collect();
        let mut inside = vec![0.0; count];
        let mut position = vec![0; count];
        for row in self.rows {
            for (at, &vertex) in row.iter().enumerate() {
                position[vertex] = at;
            }
        }
        let mut rows: Vec<&Vec<usize>> = self.rows.iter().collect();
        if !self.is_left {
            rows.reverse();
        }
        let other = usize::from(!self.is_left);
        for row in rows {
            // Positions below this one are aligned already.
            let mut free = 0;
            for &vertex in row {
                let edges = if self.is_left {
                    &self.layers.incoming[vertex]
                } else {
                    &self.layers.outgoing[vertex]
                };
                if edges.is_empty() {
                    continue;
                }
                let mut edges = edges.clone();
                edges.sort_by(|&one, &two| {
                    let key = |edge: usize| {
                        let edge = &self.layers.edges[edge];
                        (
                            position[edge.ends[other]],
                            self.offset(edge.ends[other], edge.offsets[other]),
                        )
                    };
                    let (one, two) = (key(one), key(two));
                    one.0.cmp(&two.0).then(one.1.total_cmp(&two.1))
                });
                let middle = [(edges.len() - 1) / 2, edges.len() / 2];
                for median in middle {
                    let edge = &self.layers.edges[edges[median]];
                    let to = edge.ends[other];
                    if self.has_conflict[edges[median]] || position[to] < free {
                        continue;
                    }
                    free = position[to] + 1;
                    root[vertex] = root[to];
                    inside[vertex] = inside[to] + self.offset(to, edge.offsets[other])
                        - self.offset(vertex, edge.offsets[1 - other]);
                    break;
                }
            }
        }
        (root, inside)
    }

    fn offset(&self, vertex: usize, offset: f64) -> f64 {
        if self.is_flipped {
            self.layers.height[vertex] - offset
        } else {
            offset
        }
    }

    /// Compaction: the position of the root of each block, as far up as possible, and then down to the blocks below.
    fn compact(&self, root: &[usize], inside: &[f64]) -> Vec<f64> {
        let count = root.len();
        let mut below: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let mut open = vec![0; count];
        for row in self.rows {
            for pair in row.windows(2) {
                let [upper, lower] = [pair[0], pair[1]];
                let gap = self.spacing.gap(self.layers, upper, lower);
                let apart = inside[upper] + self.layers.height[upper] + gap - inside[lower];
                below[root[upper]].push((root[lower], apart));
                open[root[lower]] += 1;
            }
        }
        let mut tops = vec![0.0_f64; count];
        let mut sorted: Vec<usize> = (0..count)
            .filter(|&vertex| root[vertex] == vertex && open[vertex] == 0)
            .collect();
        let mut next = 0;
        while let Some(&block) = sorted.get(next) {
            next += 1;
            for &(lower, apart) in &below[block] {
                tops[lower] = tops[lower].max(tops[block] + apart);
                open[lower] -= 1;
                if open[lower] == 0 {
                    sorted.push(lower);
                }
            }
        }
        for &block in sorted.iter().rev() {
            let spaces = below[block]
                .iter()
                .map(|&(lower, apart)| tops[lower] - apart);
            let space = spaces.fold(f64::INFINITY, f64::min);
            if space.is_finite() {
                tops[block] = tops[block].max(space);
            }
        }
        tops
    }
}
