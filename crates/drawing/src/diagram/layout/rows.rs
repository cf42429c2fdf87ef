//! Heights: where each vertex is in its layer.
//!
//! U. Brandes, B. Köpf, "Fast and Simple Horizontal Coordinate Assignment" (2001), turned by a quarter: vertices are put
//! in line with the median of those that they are linked to, which makes blocks of them, and the blocks are packed; that
//! four times, to either side and from either end, and each vertex gets the mean of the two middle results. Ports instead
//! of middles are in line (U. Rüegg and others, "Size- and Port-Aware Horizontal Node Coordinate Assignment", 2015). The
//! packing is a longest way through the blocks. Time and memory are in proportion to the vertices and the parts of links,
//! but for the sorting of these at each vertex.

use super::layers::Layers;
use super::{Spacing, Unplaceable, Wanted, asked};

/// The upper side of each vertex, in a given order of each layer.
pub(super) fn found(
    layers: &Layers,
    order: &[Vec<usize>],
    spacing: &Spacing,
    wanted: &mut Wanted<'_>,
) -> Result<Vec<f64>, Unplaceable> {
    let mut place = vec![0; layers.layer.len()];
    for row in order {
        for (at, &vertex) in row.iter().enumerate() {
            place[vertex] = at;
        }
    }
    let is_crossed = crossed(layers, order, &place);
    let mut runs = Vec::new();
    for is_left in [true, false] {
        for is_flipped in [false, true] {
            asked(wanted)?;
            let mut rows = order.to_vec();
            if is_flipped {
                for row in &mut rows {
                    row.reverse();
                }
            }
            let run = Run {
                layers,
                rows: &rows,
                is_crossed: &is_crossed,
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
    // Those packed upwards have the upper side of the lowest one, those packed downwards its lower side.
    let shifts: Vec<f64> = (0..4)
        .map(|run| lowest[run % 2] - extents[run][run % 2])
        .collect();
    let mut tops: Vec<f64> = (0..place.len())
        .map(|vertex| {
            let mut all: [f64; 4] = std::array::from_fn(|run| runs[run][vertex] + shifts[run]);
            all.sort_by(f64::total_cmp);
            f64::midpoint(all[1], all[2])
        })
        .collect();
    straighten(layers, order, &place, spacing, &mut tops);
    let least = tops.iter().copied().fold(f64::INFINITY, f64::min);
    for top in &mut tops {
        *top -= least;
    }
    Ok(tops)
}

/// Moves what is nearly in line with the middle of what is left of it, or right if there is nothing at its left, into line,
/// where there is room. The stops of one link move as one.
fn straighten(
    layers: &Layers,
    order: &[Vec<usize>],
    place: &[usize],
    spacing: &Spacing,
    tops: &mut [f64],
) {
    /// How far something moves at most.
    const FAR: f64 = 16.0;
    let mut trunk = vec![0..0; layers.layer.len()];
    for stops in layers.trunks.iter().filter(|trunk| !trunk.stops.is_empty()) {
        trunk[stops.stops.start] = stops.stops.clone();
    }
    for &vertex in order.iter().flatten() {
        let unit = if layers.is_stop(vertex) {
            trunk[vertex].clone()
        } else {
            vertex..vertex + 1
        };
        let (parts, other) = match &layers.before[vertex][..] {
            [] => (&layers.behind[vertex], 1),
            _ => (&layers.before[vertex], 0),
        };
        if unit.is_empty() || parts.is_empty() {
            continue;
        }
        let away = |&part: &usize| {
            let part = &layers.parts[part];
            let at = |end: usize| tops[part.ends[end]] + part.offsets[end];
            at(other) - at(1 - other)
        };
        let mut all: Vec<f64> = parts.iter().map(away).collect();
        all.sort_by(f64::total_cmp);
        let middle = [(all.len() - 1) / 2, all.len() / 2].map(|at| all[at]);
        let [one, two] = middle;
        let shift = if one.abs() <= two.abs() { one } else { two };
        let is_level = unit.clone().all(|stop| tops[stop] - tops[vertex] == 0.0);
        let has_room = |stop: usize| {
            let (row, at) = (&order[layers.layer[stop]], place[stop]);
            let pair = |upper: usize, lower: usize, shift: f64| {
                let gap = spacing.between(layers, upper, lower);
                tops[lower] + shift >= tops[upper] + layers.height[upper] + gap
            };
            let above = at.checked_sub(1).map(|at| row[at]);
            let below = row.get(at + 1);
            above.is_none_or(|above| pair(above, stop, shift))
                && below.is_none_or(|&below| pair(stop, below, -shift))
        };
        if shift != 0.0 && shift.abs() <= FAR && is_level && unit.clone().all(has_room) {
            unit.for_each(|stop| tops[stop] += shift);
        }
    }
}

impl Spacing {
    /// How far apart two vertices of a layer are at least.
    fn between(&self, layers: &Layers, upper: usize, lower: usize) -> f64 {
        if layers.is_stop(upper) || layers.is_stop(lower) {
            self.links
        } else {
            self.nodes
        }
    }
}

/// Whether a part of a link crosses one between two stops, which is to be straight.
fn crossed(layers: &Layers, order: &[Vec<usize>], place: &[usize]) -> Vec<bool> {
    let mut is_crossed = vec![false; layers.parts.len()];
    let is_inner = |part: usize| {
        layers.parts[part]
            .ends
            .iter()
            .all(|&end| layers.is_stop(end))
    };
    for (row, before) in order.iter().skip(1).zip(order) {
        let (mut checked, mut low) = (0, 0);
        for (at, &vertex) in row.iter().enumerate() {
            let inner = layers.before[vertex].iter().find(|&&part| is_inner(part));
            if inner.is_none() && at + 1 < row.len() {
                continue;
            }
            let high = match inner {
                Some(&part) => place[layers.parts[part].ends[0]],
                None => before.len(),
            };
            for &vertex in &row[checked..=at] {
                for &part in &layers.before[vertex] {
                    let from = place[layers.parts[part].ends[0]];
                    is_crossed[part] = !is_inner(part) && !(low..=high).contains(&from);
                }
            }
            (checked, low) = (at + 1, high);
        }
    }
    is_crossed
}

/// One of the four.
struct Run<'a> {
    layers: &'a Layers,
    rows: &'a [Vec<usize>],
    is_crossed: &'a [bool],
    spacing: &'a Spacing,
    /// Whether vertices are put in line with those at their left.
    is_left: bool,
    /// Whether it is upside down.
    is_flipped: bool,
}

impl Run<'_> {
    fn tops(&self) -> Vec<f64> {
        let (root, inside) = self.blocks();
        let packed = self.packed(&root, &inside);
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

    /// The first vertex of the block of each one, and how far below it the vertex is.
    fn blocks(&self) -> (Vec<usize>, Vec<f64>) {
        let count = self.layers.layer.len();
        let mut root: Vec<usize> = (0..count).collect();
        let mut inside = vec![0.0; count];
        let mut place = vec![0; count];
        for row in self.rows {
            for (at, &vertex) in row.iter().enumerate() {
                place[vertex] = at;
            }
        }
        let mut rows: Vec<&Vec<usize>> = self.rows.iter().collect();
        if !self.is_left {
            rows.reverse();
        }
        let other = usize::from(!self.is_left);
        for row in rows {
            // Those up to here are taken.
            let mut free = 0;
            for &vertex in row {
                let parts = if self.is_left {
                    &self.layers.before[vertex]
                } else {
                    &self.layers.behind[vertex]
                };
                if parts.is_empty() {
                    continue;
                }
                let mut parts = parts.clone();
                parts.sort_by(|&one, &two| {
                    let key = |part: usize| {
                        let part = &self.layers.parts[part];
                        (
                            place[part.ends[other]],
                            self.offset(part.ends[other], part.offsets[other]),
                        )
                    };
                    let (one, two) = (key(one), key(two));
                    one.0.cmp(&two.0).then(one.1.total_cmp(&two.1))
                });
                let middle = [(parts.len() - 1) / 2, parts.len() / 2];
                for median in middle {
                    let part = &self.layers.parts[parts[median]];
                    let to = part.ends[other];
                    if self.is_crossed[parts[median]] || place[to] < free {
                        continue;
                    }
                    free = place[to] + 1;
                    root[vertex] = root[to];
                    inside[vertex] = inside[to] + self.offset(to, part.offsets[other])
                        - self.offset(vertex, part.offsets[1 - other]);
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

    /// Where the first vertex of each block is: as far up as can be, and then down to what is below it.
    fn packed(&self, root: &[usize], inside: &[f64]) -> Vec<f64> {
        let count = root.len();
        let mut below: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
        let mut open = vec![0; count];
        for row in self.rows {
            for pair in row.windows(2) {
                let [upper, lower] = [pair[0], pair[1]];
                let gap = self.spacing.between(self.layers, upper, lower);
                let apart = inside[upper] + self.layers.height[upper] + gap - inside[lower];
                below[root[upper]].push((root[lower], apart));
                open[root[lower]] += 1;
            }
        }
        let mut tops = vec![0.0_f64; count];
        let mut sorted: Vec<usize> = (0..count)
            .filter(|&vertex| root[vertex] == vertex && open[vertex] == 0)
            .collect();
        // The block's own highest vertex may be below its first one.
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
