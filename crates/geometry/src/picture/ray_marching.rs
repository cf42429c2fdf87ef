//! Ray marching: where the rays of a cell enter the material, and the normal there.
//!
//! The function is evaluated at fixed steps along all rays at once, from the viewer on, until all of them have entered
//! the material. The entry is refined between two steps by two secants (a variant of the Illinois method) and a Newton
//! step with the gradient, from finite differences. All is evaluated on the short tape of the cell.

#![expect(
    clippy::needless_bitwise_bool,
    clippy::needless_range_loop,
    reason = "what is written so is computed in vectors"
)]

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use fibula_eval::Interval;
use fibula_eval::prune::{Cell, CellAction, Leaf, Visitor};

use super::camera::Frame;
use super::clipping::{Clip, RaySpan};
use super::packed_hit::{Hit, Material, NOTHING, folded, packed, packed_parts};

/// Edge of the finest cells.
pub(super) const FINEST: usize = 8;
/// Maximum rays of such a cell.
const RAYS: usize = FINEST * FINEST;
/// Maximum points that are evaluated at once while rays go on: few enough that little is evaluated behind a surface.
const AHEAD: usize = 192;
/// Maximum points that are evaluated at once.
const POINTS: usize = 4 * RAYS;

/// Shared state of all visitors. No two of them write to the same ray.
pub(super) struct Scene<'a> {
    pub(super) frame: &'a Frame,
    pub(super) clip: &'a Clip,
    /// Samples of u, v and w.
    pub(super) axes: [&'a [f32]; 3],
    /// Index of the region's first ray among the hits.
    pub(super) first: usize,
    /// Hits per row.
    pub(super) width: usize,
    pub(super) hits: &'a [AtomicU64],
    /// For each column of the finest cells, the depth behind which nothing is visible any more, as bits.
    pub(super) farthest: &'a [AtomicU32],
    /// Columns per row.
    pub(super) tiles: usize,
    /// Length of a step.
    pub(super) step: f32,
}

/// Marches the rays of cells, and keeps the nearest hits.
pub(super) struct RayMarcher<'a> {
    scene: &'a Scene<'a>,
    open: OpenRays,
    met: EnteringRays,
    /// Planes that cut the cell.
    across: Vec<u16>,
    /// Number of rays of the cell without a hit before it that are not clipped.
    unseen: usize,
    /// Depths, and picture coordinates.
    points: [[f32; POINTS]; 3],
    values: [f32; POINTS],
}

/// Rays that are outside so far, as structure of arrays; the first `count` are valid.
struct OpenRays {
    count: usize,
    /// Index among the hits.
    place: [u32; RAYS],
    u: [f32; RAYS],
    v: [f32; RAYS],
    /// Span that is not clipped, and the plane where it begins.
    from: [f32; RAYS],
    to: [f32; RAYS],
    plane: [u16; RAYS],
    /// Values at the last depth.
    value: [f32; RAYS],
}

/// Rays that enter the material, as structure of arrays; the first `count` are valid.
struct EnteringRays {
    count: usize,
    /// Index among the hits.
    place: [u32; RAYS],
    u: [f32; RAYS],
    v: [f32; RAYS],
    /// Last depth outside, and first one inside, with the values there.
    before: [f32; RAYS],
    outside: [f32; RAYS],
    after: [f32; RAYS],
    inside: [f32; RAYS],
    /// Plane that clips the ray where it enters.
    plane: [Option<u16>; RAYS],
}

impl Scene<'_> {
    /// Keeps a hit if nothing nearer is known.
    fn note(&self, place: usize, hit: u64) {
        let kept = &self.hits[place];
        if hit < kept.load(Ordering::Relaxed) {
            kept.store(hit, Ordering::Relaxed);
        }
    }

    /// Returns the hit where a plane clips a ray, given the function's value and gradient.
    fn cut(&self, plane: u16, depth: f32, gradient: [f32; 3], value: f32) -> u64 {
        let (normal, material) = self.clip.face(plane);
        let length = gradient.iter().map(|part| part * part).sum::<f32>().sqrt();
        let along: f32 = normal.iter().zip(&gradient).map(|(a, b)| a * b).sum();
        // A surface that the bounds touch is no cut.
        let is_touched = along > 0.7 * length && -value < length * self.step;
        if is_touched && length.is_finite() {
            packed_parts(depth, folded(gradient), Material::Surface)
        } else {
            packed_parts(depth, folded(normal), material)
        }
    }

    /// Returns the columns of the finest cells in a cell.
    fn columns(cell: &Cell) -> [Range<usize>; 2] {
        [1, 2].map(|axis| {
            let end = cell.start[axis] + cell.size[axis];
            cell.start[axis] / FINEST..end.div_ceil(FINEST)
        })
    }

    /// Updates the depth behind which nothing is visible in the columns of a cell.
    fn settle(&self, cell: &Cell) {
        let across = self.axes[0].len() - 1;
        let down = self.axes[1].len() - 1;
        let [columns, rows] = Scene::columns(cell);
        for row in rows {
            for column in columns.clone() {
                let mut farthest = 0;
                for y in row * FINEST..(row * FINEST + FINEST).min(down) {
                    let start = self.first + y * self.width;
                    let end = (column * FINEST + FINEST).min(across);
                    for hit in &self.hits[start + column * FINEST..start + end] {
                        farthest = farthest.max(hit.load(Ordering::Relaxed));
                    }
                }
                if farthest != NOTHING {
                    let column = &self.farthest[row * self.tiles + column];
                    column.fetch_min((farthest >> 32) as u32, Ordering::Relaxed);
                }
            }
        }
    }

    /// Returns the range of depths of a cell.
    fn depths(&self, cell: &Cell) -> [f32; 2] {
        let w = self.axes[2];
        [w[cell.start[0]], w[cell.start[0] + cell.size[0]]]
    }

    /// Returns the limits of a cell in u, v and w.
    fn limits(&self, cell: &Cell) -> [[f64; 2]; 3] {
        [(0, 1), (1, 2), (2, 0)].map(|(axis, place)| {
            [cell.start[place], cell.start[place] + cell.size[place]]
                .map(|index| f64::from(self.axes[axis][index]))
        })
    }

    /// Returns the indexes of a cell's rays among the hits, row by row.
    fn places(&self, cell: &Cell) -> impl Iterator<Item = Range<usize>> + use<> {
        let [_, x, y] = cell.start;
        let [_, across, down] = cell.size;
        let (first, width) = (self.first + y * self.width + x, self.width);
        (0..down).map(move |row| first + row * width..first + row * width + across)
    }
}

impl<'a> RayMarcher<'a> {
    pub(super) fn new(scene: &'a Scene<'a>) -> RayMarcher<'a> {
        RayMarcher {
            scene,
            open: OpenRays {
                count: 0,
                place: [0; RAYS],
                u: [0.0; RAYS],
                v: [0.0; RAYS],
                from: [0.0; RAYS],
                to: [0.0; RAYS],
                plane: [0; RAYS],
                value: [0.0; RAYS],
            },
            met: EnteringRays {
                count: 0,
                place: [0; RAYS],
                u: [0.0; RAYS],
                v: [0.0; RAYS],
                before: [0.0; RAYS],
                outside: [0.0; RAYS],
                after: [0.0; RAYS],
                inside: [0.0; RAYS],
                plane: [None; RAYS],
            },
            across: Vec::new(),
            unseen: 0,
            points: [[0.0; POINTS]; 3],
            values: [0.0; POINTS],
        }
    }

    /// Collects the rays of a cell on which something in it would be visible.
    fn gather(&mut self, cell: &Cell) {
        let scene = self.scene;
        let [us, vs, _] = scene.axes;
        let [near, far] = scene.depths(cell);
        self.unseen = 0;
        self.open.count = 0;
        if !scene.clip.is_left(scene.limits(cell), &mut self.across) {
            return;
        }
        for (row, places) in scene.places(cell).enumerate() {
            let v = vs[cell.start[2] + row];
            for (place, &u) in places.zip(&us[cell.start[1]..]) {
                let hit = scene.hits[place].load(Ordering::Relaxed);
                // No hit has the bits of NaN.
                if f32::from_bits((hit >> 32) as u32) < near {
                    continue;
                }
                let mut span = RaySpan::ALL;
                if !self.across.is_empty() {
                    span = scene.clip.span(&self.across, [u, v].map(f64::from));
                    if span.from > far || span.to < near {
                        continue;
                    }
                }
                self.unseen += usize::from(hit == NOTHING);
                self.open.push(place, [u, v], span);
            }
        }
    }

    /// Finds the rays that enter the material in a cell, and the two steps between which they do.
    fn march(&mut self, leaf: &mut Leaf<'_, f32>) {
        let cell = *leaf.cell();
        self.gather(&cell);
        self.met.count = 0;
        let depths = &self.scene.axes[2][cell.start[0]..=cell.start[0] + cell.size[0]];
        let mut begun = 0;
        while begun < depths.len() && self.open.count > 0 {
            let left = depths.len() - begun;
            let parts = left.div_ceil(AHEAD / self.open.count);
            let many = left.div_ceil(parts);
            let before = begun.checked_sub(1).map(|last| depths[last]);
            self.go_on(leaf, before, &depths[begun..begun + many]);
            begun += many;
        }
    }

    /// Evaluates the function at some depths along the open rays, and moves those that enter the material.
    fn go_on(&mut self, leaf: &mut Leaf<'_, f32>, before: Option<f32>, depths: &[f32]) {
        let open = &mut self.open;
        let count = open.count;
        let points = self.points.each_mut();
        let [ws, us, vs] = points.map(|list| list[..count * depths.len()].chunks_exact_mut(count));
        for (((ws, us), vs), &depth) in ws.zip(us).zip(vs).zip(depths) {
            let spans = open.from[..count].iter().zip(&open.to[..count]);
            for (w, (&from, &to)) in ws.iter_mut().zip(spans) {
                *w = between(depth, from, to);
            }
            us.copy_from_slice(&open.u[..count]);
            vs.copy_from_slice(&open.v[..count]);
        }
        let all = count * depths.len();
        compute(leaf, &self.points, &mut self.values[..all]);
        let (ws, values) = (&self.points[0][..all], &self.values[..all]);
        let none = depths.len() as u32;
        let mut firsts = [none; RAYS];
        for (step, values) in values.chunks_exact(count).enumerate().rev() {
            for (first, &value) in firsts.iter_mut().zip(values) {
                // NaN is not less.
                *first = if value < 0.0 { step as u32 } else { *first };
            }
        }
        let lasts = &values[all - count..];
        if firsts[..count]
            .iter()
            .fold(true, |all, &first| all & (first == none))
        {
            open.value[..count].copy_from_slice(lasts);
            return;
        }
        open.count = 0;
        for ray in 0..count {
            if firsts[ray] == none {
                open.keep(ray, lasts[ray]);
                continue;
            }
            let first = firsts[ray] as usize * count + ray;
            let inside = [ws[first], values[first]];
            let outside = match (first.checked_sub(count), before) {
                (Some(last), _) => [ws[last], values[last]],
                (None, Some(depth)) => {
                    let depth = between(depth, open.from[ray], open.to[ray]);
                    [depth, open.value[ray]]
                }
                (None, None) => inside,
            };
            self.met.push(open, ray, outside, inside);
        }
    }

    /// Refines the entries by secants: the value at an end that stays is halved (Illinois), so that a bend counts less.
    fn improve(&mut self, leaf: &mut Leaf<'_, f32>) {
        let count = self.met.count;
        let [ws, us, vs] = &mut self.points;
        self.met.probable(ws);
        us[..count].copy_from_slice(&self.met.u[..count]);
        vs[..count].copy_from_slice(&self.met.v[..count]);
        compute(leaf, &self.points, &mut self.values[..count]);
        let (ws, met) = (&self.points[0], &mut self.met);
        for ray in 0..count {
            let (at, value) = (ws[ray], self.values[ray]);
            let is_moved = met.before[ray] < met.after[ray];
            let is_inside = value < 0.0;
            let (goes_in, goes_out) = (is_moved & is_inside, is_moved & !is_inside);
            let (outside, inside) = (met.outside[ray], met.inside[ray]);
            met.after[ray] = if goes_in { at } else { met.after[ray] };
            met.before[ray] = if goes_out { at } else { met.before[ray] };
            met.inside[ray] = if goes_in {
                value
            } else if goes_out {
                inside * 0.5
            } else {
                inside
            };
            met.outside[ray] = if goes_out {
                value
            } else if goes_in {
                outside * 0.5
            } else {
                outside
            };
        }
    }

    /// Computes the gradients at the entries, by finite differences within the cell, and keeps the hits.
    fn note(&mut self, leaf: &mut Leaf<'_, f32>) {
        let scene = self.scene;
        let cell = *leaf.cell();
        let count = self.met.count;
        let mut at = [0.0; RAYS];
        self.met.probable(&mut at);
        // Half a step, towards the middle of the cell.
        let away = |axis: usize, place: usize| {
            let samples = &scene.axes[axis][cell.start[place]..];
            let (first, last) = (samples[0], samples[cell.size[place]]);
            let step = (last - first) / cell.size[place] as f32 * 0.5;
            move |at: f32| {
                let is_late = (at - first).abs() > (last - at).abs();
                if is_late { -step } else { step }
            }
        };
        let lists = [&at[..count], &self.met.u[..count], &self.met.v[..count]];
        let mut aways = [[0.0; RAYS]; 3];
        for (axis, (list, aways)) in lists.into_iter().zip(&mut aways).enumerate() {
            let away = away([2, 0, 1][axis], axis);
            for (&at, to) in list.iter().zip(aways.iter_mut()) {
                *to = away(at);
            }
            // First the points themselves, then those that are moved along w, u and v.
            for (moved, points) in self.points[axis][..4 * count]
                .chunks_exact_mut(count)
                .enumerate()
            {
                points.copy_from_slice(list);
                if moved == axis + 1 {
                    for (point, away) in points.iter_mut().zip(&aways[..]) {
                        *point += away;
                    }
                }
            }
        }
        compute(leaf, &self.points, &mut self.values[..4 * count]);
        let (value, moved) = self.values[..4 * count].split_at(count);
        // By w, u and v, and then to the right, up and forward.
        let mut by = [[0.0; RAYS]; 3];
        for ((by, moved), away) in by.iter_mut().zip(moved.chunks_exact(count)).zip(&aways) {
            for (((by, moved), value), away) in by.iter_mut().zip(moved).zip(value).zip(away) {
                *by = (moved - value) / away;
            }
        }
        let met = &mut self.met;
        for ray in 0..count {
            let closer = at[ray] - value[ray] / by[0][ray];
            let is_between = (closer >= met.before[ray]) & (closer <= met.after[ray]);
            at[ray] = if is_between { closer } else { at[ray] };
        }
        let [forward, right, up] = &mut by;
        if scene.frame.is_perspective {
            for ray in 0..count {
                let place = [met.u[ray], met.v[ray], at[ray]];
                let parts = [right[ray], up[ray], forward[ray]];
                [right[ray], up[ray], forward[ray]] = scene.frame.gradient(place, parts);
            }
        }
        let mut folds = [[0; 2]; RAYS];
        for ray in 0..count {
            folds[ray] = folded([right[ray], up[ray], forward[ray]]);
        }
        for ray in 0..count {
            let hit = match met.plane[ray] {
                None => packed_parts(at[ray], folds[ray], Material::Surface),
                Some(plane) => {
                    let gradient = [right[ray], up[ray], forward[ray]];
                    scene.cut(plane, at[ray], gradient, value[ray])
                }
            };
            scene.note(met.place[ray] as usize, hit);
        }
    }
}

impl OpenRays {
    fn push(&mut self, place: usize, [u, v]: [f32; 2], span: RaySpan) {
        let ray = self.count;
        // There are at most 8 192 x 8 192 rays.
        self.place[ray] = place as u32;
        (self.u[ray], self.v[ray]) = (u, v);
        (self.from[ray], self.to[ray], self.plane[ray]) = (span.from, span.to, span.plane);
        self.count += 1;
    }

    /// Moves a ray behind those that are kept.
    fn keep(&mut self, ray: usize, value: f32) {
        let to = self.count;
        self.place[to] = self.place[ray];
        (self.u[to], self.v[to]) = (self.u[ray], self.v[ray]);
        (self.from[to], self.to[to]) = (self.from[ray], self.to[ray]);
        self.plane[to] = self.plane[ray];
        self.value[to] = value;
        self.count += 1;
    }
}

impl EnteringRays {
    /// Adds a ray, with the last depth outside, the first inside, and the values there.
    fn push(&mut self, open: &OpenRays, ray: usize, outside: [f32; 2], inside: [f32; 2]) {
        let to = self.count;
        self.place[to] = open.place[ray];
        (self.u[to], self.v[to]) = (open.u[ray], open.v[ray]);
        [self.before[to], self.outside[to]] = outside;
        [self.after[to], self.inside[to]] = inside;
        let is_cut = outside[0] >= inside[0] && inside[0] <= open.from[ray];
        self.plane[to] = is_cut.then_some(open.plane[ray]);
        self.count += 1;
    }

    /// Computes the probable depths of entry.
    fn probable(&self, at: &mut [f32]) {
        let ends = self.before.iter().zip(&self.after);
        let values = self.outside.iter().zip(&self.inside);
        let rays = ends.zip(values).take(self.count);
        for (at, ((&before, &after), (&outside, &inside))) in at.iter_mut().zip(rays) {
            let share = outside / (outside - inside);
            // Without a share, nothing is known but the ends.
            let other = if outside == 0.0 { 0.0 } else { 0.5 };
            let is_known = (share > 0.0) & (share < 1.0);
            *at = before + (after - before) * if is_known { share } else { other };
        }
    }
}

/// Clamps a number; returns the lower limit if the limits are reversed.
#[inline]
fn between(number: f32, low: f32, high: f32) -> f32 {
    let number = if number > high { high } else { number };
    if number < low { low } else { number }
}

fn compute(leaf: &mut Leaf<'_, f32>, points: &[[f32; POINTS]; 3], values: &mut [f32]) {
    let [w, u, v] = points;
    leaf.at(&[w, u, v], &mut [values]);
}

impl Visitor<f32> for RayMarcher<'_> {
    fn bounded(&mut self, cell: &Cell, bounds: Interval<f32>) -> CellAction {
        // NaN is outside.
        if bounds.low() >= 0.0 {
            return CellAction::Done;
        }
        let scene = self.scene;
        if !scene.clip.is_left(scene.limits(cell), &mut self.across) {
            return CellAction::Done;
        }
        if !self.across.is_empty() || bounds.high() >= 0.0 || bounds.may_be_undefined() {
            return CellAction::Divide;
        }
        // It is visible only where the shape jumps; but nothing behind it ever is.
        let hit = packed(Hit {
            depth: scene.depths(cell)[0],
            normal: [0.0, 0.0, -1.0],
            material: Material::Surface,
        });
        for place in scene.places(cell).flatten() {
            scene.note(place, hit);
        }
        scene.settle(cell);
        CellAction::Done
    }

    fn is_wanted(&mut self, cell: &Cell) -> bool {
        let scene = self.scene;
        let near = scene.depths(cell)[0].to_bits();
        let [columns, rows] = Scene::columns(cell);
        for row in rows {
            let row = &scene.farthest[row * scene.tiles..];
            let open = |column: &AtomicU32| column.load(Ordering::Relaxed) > near;
            if row[columns.clone()].iter().any(open) {
                return true;
            }
        }
        false
    }

    fn leaf(&mut self, leaf: &mut Leaf<'_, f32>) {
        self.march(leaf);
        let met = self.met.count;
        if met > 0 {
            self.improve(leaf);
            self.note(leaf);
            // As long as a ray has hit nothing, nothing is hidden.
            if self.unseen <= met {
                self.scene.settle(leaf.cell());
            }
        }
    }
}
