//! Local repair of meshes whose triangles cut each other or are folded onto each other.
//!
//! The vertices of such triangles move towards the centroids of their neighbours (Laplacian smoothing), round by round,
//! until no pair is left in the region around them: first along the planes of the triangles that they had, and so on faces and
//! along edges, then anywhere (sooner in pieces where many pairs do not separate). Then the whole mesh is tested again. The rest
//! of the mesh and the topology stay. Triangles that are folded onto each other are unfolded in the same way, but hardly off the
//! planes. Dual contouring makes such triangles where surfaces are closer to each other than a cell, and at sharp edges, along
//! which vertices of neighbouring cells may be in the wrong order.

use std::mem::take;

use fibula_core::vector::{Vector, add, cross, dot, length, scale, sub, unit};
use rayon::prelude::*;

use super::planes::{Plane, nearest_to_planes};
use super::shells::connected;
use super::triangles::{FOLDED, TriangleMesh};
use crate::{Cancelled, Watch};

/// Maximum number of tests of the whole mesh.
const PASSES: usize = 8;
/// Maximum number of such tests in a row that find as many pairs as the one before, for each kind: those of folds take less
/// time, and unfold some in the end.
const IDLE: [usize; 2] = [0, 2];
/// Rings of triangles around those of pairs, for each kind, in which new pairs are looked for: vertices of folds move less. Those
/// of the outermost ring stay.
const RINGS: [usize; 2] = [4, 2];
/// Maximum number of rounds in a region, and the number of those in which vertices stay on the planes of their triangles.
const ROUNDS: usize = 120;
const ON_PLANES: usize = 60;
/// Number of rounds after which the vertices of one more ring move too.
const WIDER: usize = 15;
/// Number of triangles in pairs, each counted once for each pair, from which on a piece can leave its planes sooner.
const MANY: usize = 2_000;
/// Number of rounds after which it does, if they reduce that number by less than this part.
const STALLED_ROUNDS: usize = 15;
const STALLED: f64 = 0.02;
/// Part of the way to the centroid of the neighbours in a round.
const STEP: f64 = 0.25;
/// Maximum distance of the vertices of folds from the planes, as a fraction of their longest edge, and number of rounds that leave
/// as many folds in a piece: they are not worth leaving the surface for.
const OFF_PLANES: f64 = 0.02;
const PATIENCE: usize = 10;
/// Maximum part of the vertices that may move, and maximum change of the volume, as a fraction of it: where walls are much
/// thinner than cells, the repair would lose them.
const PART: f64 = 0.25;
const VOLUME: f64 = 0.01;

impl TriangleMesh {
    /// Moves vertices of triangles that cut each other until none do; if so, then those of triangles that are folded onto each
    /// other, as far as that makes no new cuts. Returns the number of pairs that cut each other still: those that the repair cannot
    /// separate, or all if it would move a quarter of the vertices or change the volume by more than a hundredth. Coordinates
    /// that are all of single precision stay so. Calls `watch` with triangles.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it; vertices may have moved then.
    pub fn untangle(&mut self, watch: &Watch<'_>) -> Result<usize, Cancelled> {
        let left = self.without_cuts(watch)?;
        let count = left.of(Kind::Cutting).len();
        self.unfold_tangles(left, &|_, total| watch(total, total))?;
        Ok(count)
    }

    /// Moves vertices of triangles that cut each other, as [`untangle`](Self::untangle), and leaves folds.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it; vertices may have moved then.
    pub(crate) fn untangle_cuts(&mut self, watch: &Watch<'_>) -> Result<usize, Cancelled> {
        Ok(self.without_cuts(watch)?.of(Kind::Cutting).len())
    }

    /// Moves vertices of triangles that are folded onto each other, as [`untangle`](Self::untangle), unless some cut each other.
    ///
    /// # Errors
    /// [`Cancelled`] if `watch` cancelled it; vertices may have moved then.
    pub(crate) fn unfold(&mut self, watch: &Watch<'_>) -> Result<(), Cancelled> {
        let tangles = self.tangles(watch)?;
        self.unfold_tangles(tangles, watch)
    }

    /// Separates triangles that cut each other; returns what is left.
    fn without_cuts(&mut self, watch: &Watch<'_>) -> Result<Tangles, Cancelled> {
        let tangles = self.tangles(watch)?;
        self.separate_tangles(tangles, Kind::Cutting, &|_, total| watch(total, total))
    }

    fn unfold_tangles(&mut self, tangles: Tangles, watch: &Watch<'_>) -> Result<(), Cancelled> {
        if tangles.of(Kind::Cutting).is_empty() {
            self.separate_tangles(tangles, Kind::Folded, watch)?;
        }
        Ok(())
    }

    /// Separates the pairs of a kind among those that there are, and returns those that are there then.
    fn separate_tangles(
        &mut self,
        found: Tangles,
        kind: Kind,
        watch: &Watch<'_>,
    ) -> Result<Tangles, Cancelled> {
        let corners = self.corners_of(found.of(kind)).len();
        if corners == 0 || corners as f64 > PART * self.vertices.len() as f64 {
            return Ok(found);
        }
        let (volume, original) = (self.volume(), self.vertices.clone());
        let is_single = self.is_single();
        let mut tangles = found.clone();
        let mut best = (original.clone(), found.clone());
        let mut idle = 0;
        for _ in 0..PASSES {
            if tangles.of(kind).is_empty() || idle > IDLE[kind as usize] {
                break;
            }
            self.untangle_region(tangles.of(kind), kind, watch)?;
            self.separate();
            if is_single {
                self.round_to_single(f64::INFINITY);
            }
            tangles = self.tangles(watch)?;
            idle += 1;
            if tangles.counts() > best.1.counts() {
                break;
            }
            if tangles.counts() < best.1.counts() {
                best = (self.vertices.clone(), tangles.clone());
                idle = 0;
            }
        }
        (self.vertices, tangles) = best;
        if (self.volume() - volume).abs() > VOLUME * volume.abs() {
            self.vertices = original;
            return Ok(found);
        }
        Ok(tangles)
    }

    /// Finds pairs of triangles that cut each other or are folded onto each other.
    fn tangles(&self, watch: &Watch<'_>) -> Result<Tangles, Cancelled> {
        Ok(Tangles([self.cutting_pairs(watch)?, self.folded_pairs()]))
    }

    /// Pairs of triangles with a common edge that are folded onto each other, one of them onto a third one too: not those of a
    /// sharp edge.
    fn folded_pairs(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * self.triangles.len());
        for (number, [a, b, c]) in (0..).zip(&self.triangles) {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.push(([*from.min(to), *from.max(to)], number));
            }
        }
        edges.par_sort_unstable();
        let normal = |number: u32| {
            let [a, b, c] = self.corners(number as usize);
            unit(cross(sub(b, a), sub(c, a)))
        };
        let mut folds = vec![0_u8; self.triangles.len()];
        let mut pairs = Vec::new();
        for both in edges.windows(2).filter(|both| both[0].0 == both[1].0) {
            let own = [both[0].1, both[1].1];
            if let [Some(one), Some(other)] = own.map(normal)
                && dot(one, other) < FOLDED
            {
                pairs.push(own);
                for number in own {
                    folds[number as usize] += 1;
                }
            }
        }
        pairs.retain(|own| own.iter().any(|number| folds[*number as usize] > 1));
        pairs
    }

    /// Separates pairs of a kind as far as that is possible without looking at the rest of the mesh: each piece of the region
    /// around them has the vertices of the round that left the fewest.
    fn untangle_region(
        &mut self,
        pairs: &[[u32; 2]],
        kind: Kind,
        watch: &Watch<'_>,
    ) -> Result<(), Cancelled> {
        let mut region = Region::new(self, pairs, RINGS[kind as usize]);
        for round in 0..=ROUNDS {
            let tangles = region.mesh.tangles(watch)?;
            region.note(&tangles, kind, round);
            let left = region.left(&tangles, kind, round);
            region.copy_best(&mut self.vertices);
            if left.is_empty() {
                break;
            }
            region.smooth(&left, kind, round);
            region.keep_pieces(&left);
        }
        Ok(())
    }

    /// Corners of the triangles of pairs, in order.
    fn corners_of(&self, pairs: &[[u32; 2]]) -> Vec<u32> {
        let triangles = pairs.iter().flatten();
        let corners = triangles.flat_map(|number| self.triangles[*number as usize]);
        let mut corners: Vec<u32> = corners.collect();
        corners.sort_unstable();
        corners.dedup();
        corners
    }
}

/// Kinds of pairs of triangles that are separated, the worse one first.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Cutting,
    Folded,
}

/// Pairs of triangles of each kind.
#[derive(Debug, Clone)]
struct Tangles([Vec<[u32; 2]>; 2]);

impl Tangles {
    fn of(&self, kind: Kind) -> &[[u32; 2]] {
        &self.0[kind as usize]
    }

    fn counts(&self) -> [usize; 2] {
        self.0.each_ref().map(Vec::len)
    }
}

/// Triangles around pairs that are separated.
struct Region {
    mesh: TriangleMesh,
    /// Vertices of the whole mesh, in the order of those of the region.
    vertices: Vec<u32>,
    /// Neighbours of each vertex; none if it has triangles outside of the region, and stays.
    neighbours: Vec<Vec<u32>>,
    /// Planes of the triangles of each vertex.
    planes: Vec<Vec<Plane>>,
    /// Piece of each vertex, named by one of its vertices: triangles, and pairs at first, connect them.
    pieces: Vec<u32>,
    /// Positions of the vertices in the best round of their piece.
    best: Vec<Vector>,
    /// Progress of each piece.
    progress: Vec<PieceProgress>,
}

/// What the rounds have done for a piece.
#[derive(Debug, Clone, Copy)]
struct PieceProgress {
    /// Its fewest triangles in pairs of each kind, and the first round that came to them.
    fewest: [usize; 2],
    fewest_round: usize,
    /// Number of triangles that cut each other after the last round with a notable gain, and that round.
    cutting: usize,
    gain_round: usize,
    /// True if its vertices leave their planes.
    is_stalled: bool,
}

impl PieceProgress {
    const NONE: PieceProgress = PieceProgress {
        fewest: [usize::MAX; 2],
        fewest_round: 0,
        cutting: usize::MAX,
        gain_round: 0,
        is_stalled: false,
    };

    fn note(&mut self, counts: [usize; 2], round: usize) {
        if counts < self.fewest {
            (self.fewest, self.fewest_round) = (counts, round);
        }
        let [cutting, _] = counts;
        if (cutting as f64) < (1.0 - STALLED) * self.cutting as f64 {
            (self.cutting, self.gain_round) = (cutting, round);
        }
        self.is_stalled |= cutting >= MANY && round - self.gain_round >= STALLED_ROUNDS;
    }
}

impl Region {
    fn new(whole: &TriangleMesh, pairs: &[[u32; 2]], rings: usize) -> Region {
        let mut is_in = vec![false; whole.vertices.len()];
        for corner in whole.corners_of(pairs) {
            is_in[corner as usize] = true;
        }
        let mut rim: Vec<u32> = Vec::new();
        for _ in 0..rings {
            let beside = whole.triangles.iter().filter(|corners| {
                let count = corners.iter().filter(|corner| is_in[**corner as usize]);
                (1..3).contains(&count.count())
            });
            rim.extend(beside.flatten().copied());
            for corner in rim.drain(..) {
                is_in[corner as usize] = true;
            }
        }
        let mut number = vec![u32::MAX; whole.vertices.len()];
        let mut vertices = Vec::new();
        for (vertex, _) in is_in.iter().enumerate().filter(|(_, is_in)| **is_in) {
            number[vertex] = vertices.len() as u32;
            vertices.push(vertex as u32);
        }
        let mut neighbours = vec![Vec::new(); vertices.len()];
        let mut is_whole = vec![true; vertices.len()];
        let mut triangles = Vec::new();
        for corners in &whole.triangles {
            let own = corners.map(|corner| number[corner as usize]);
            if own.contains(&u32::MAX) {
                for corner in own.into_iter().filter(|corner| *corner != u32::MAX) {
                    is_whole[corner as usize] = false;
                }
                continue;
            }
            let [a, b, c] = own;
            for (from, to) in [(a, b), (b, c), (c, a)] {
                neighbours[from as usize].push(to);
            }
            triangles.push(own);
        }
        for (neighbours, _) in neighbours.iter_mut().zip(is_whole).filter(|one| !one.1) {
            neighbours.clear();
        }
        let own = vertices
            .iter()
            .map(|vertex| whole.vertices[*vertex as usize]);
        let mesh = TriangleMesh {
            vertices: own.collect(),
            triangles,
        };
        let mut planes = vec![Vec::new(); vertices.len()];
        for (number, corners) in mesh.triangles.iter().enumerate() {
            let [point, b, c] = mesh.corners(number);
            if let Some(normal) = unit(cross(sub(b, point), sub(c, point))) {
                for corner in corners {
                    planes[*corner as usize].push(Plane { point, normal });
                }
            }
        }
        let mut sets = connected(&mesh);
        for pair in pairs {
            let [one, other] =
                pair.map(|triangle| number[whole.triangles[triangle as usize][0] as usize]);
            sets.union(one, other);
        }
        let pieces = (0..vertices.len() as u32).map(|vertex| sets.find(vertex));
        Region {
            pieces: pieces.collect(),
            best: mesh.vertices.clone(),
            progress: vec![PieceProgress::NONE; vertices.len()],
            mesh,
            vertices,
            neighbours,
            planes,
        }
    }

    /// The piece that a triangle is of.
    fn piece(&self, triangle: u32) -> usize {
        let [corner, ..] = self.mesh.triangles[triangle as usize];
        self.pieces[corner as usize] as usize
    }

    /// Counts the triangles of each piece in pairs of each kind.
    fn counts(&self, tangles: &Tangles) -> Vec<[usize; 2]> {
        let mut counts = vec![[0; 2]; self.vertices.len()];
        for kind in [Kind::Cutting, Kind::Folded] {
            for triangle in tangles.of(kind).iter().flatten() {
                counts[self.piece(*triangle)][kind as usize] += 1;
            }
        }
        counts
    }

    /// Compares the pairs that a round left with those of the rounds before.
    fn note(&mut self, tangles: &Tangles, kind: Kind, round: usize) {
        let counts = self.counts(tangles);
        for (own, counts) in self.progress.iter_mut().zip(&counts) {
            own.note(*counts, round);
        }
        for (place, piece) in self.pieces.iter().enumerate() {
            let own = &self.progress[*piece as usize];
            // Of rounds with as many folds the last one, which has moved farther.
            let is_best = match kind {
                Kind::Cutting => own.fewest_round == round,
                Kind::Folded => counts[*piece as usize] == own.fewest,
            };
            if is_best {
                self.best[place] = self.mesh.vertices[place];
            }
        }
    }

    /// Pairs that are worth another round.
    fn left(&self, tangles: &Tangles, kind: Kind, round: usize) -> Vec<[u32; 2]> {
        let is_moving = |triangle: &u32| match kind {
            Kind::Cutting => true,
            Kind::Folded => round - self.progress[self.piece(*triangle)].fewest_round <= PATIENCE,
        };
        let left = tangles.of(kind).iter();
        left.filter(|[triangle, _]| is_moving(triangle))
            .copied()
            .collect()
    }

    /// Copies the vertices of the best rounds into those of the whole mesh.
    fn copy_best(&self, whole: &mut [Vector]) {
        for (vertex, at) in self.vertices.iter().zip(&self.best) {
            whole[*vertex as usize] = *at;
        }
    }

    /// Removes the pieces without any of these pairs if they are at least half of the region: its tests take most of the time. Cuts
    /// between them and others are left to the test of the whole mesh.
    fn keep_pieces(&mut self, pairs: &[[u32; 2]]) {
        let mut is_kept = vec![false; self.vertices.len()];
        for triangle in pairs.iter().flatten() {
            is_kept[self.piece(*triangle)] = true;
        }
        let triangles = 0..self.mesh.triangles.len() as u32;
        let kept_triangles = triangles.filter(|triangle| is_kept[self.piece(*triangle)]);
        let kept_triangles: Vec<u32> = kept_triangles.collect();
        if 2 * kept_triangles.len() > self.mesh.triangles.len() {
            return;
        }
        let kept = (0..self.vertices.len()).filter(|place| is_kept[self.pieces[*place] as usize]);
        let kept: Vec<usize> = kept.collect();
        let mut number = vec![u32::MAX; self.vertices.len()];
        for (new, place) in (0..).zip(&kept) {
            number[*place] = new;
        }
        let renumbered = |vertex: &u32| number[*vertex as usize];
        let triangles = kept_triangles.iter().map(|triangle| {
            let corners = &self.mesh.triangles[*triangle as usize];
            corners.each_ref().map(renumbered)
        });
        let neighbours = kept.iter().map(|place| {
            let neighbours = self.neighbours[*place].iter();
            neighbours.map(renumbered).collect()
        });
        let pieces = kept.iter().map(|place| renumbered(&self.pieces[*place]));
        let planes = kept.iter().map(|place| take(&mut self.planes[*place]));
        *self = Region {
            mesh: TriangleMesh {
                vertices: at_places(&self.mesh.vertices, &kept),
                triangles: triangles.collect(),
            },
            vertices: at_places(&self.vertices, &kept),
            neighbours: neighbours.collect(),
            planes: planes.collect(),
            pieces: pieces.collect(),
            best: at_places(&self.best, &kept),
            progress: at_places(&self.progress, &kept),
        };
    }

    /// Moves the vertices of pairs, and from round to round more around them, towards the centroids of their neighbours; in the
    /// first rounds only along the planes of the triangles that they had at first, and so along edges; those of folds never far
    /// off these.
    fn smooth(&mut self, pairs: &[[u32; 2]], kind: Kind, round: usize) {
        let mut moving = self.mesh.corners_of(pairs);
        for _ in 0..round % ON_PLANES / WIDER {
            let around = moving
                .iter()
                .flat_map(|vertex| &self.neighbours[*vertex as usize]);
            moving.extend(around.copied().collect::<Vec<_>>());
            moving.sort_unstable();
            moving.dedup();
        }
        let at = |vertex: u32| self.mesh.vertices[vertex as usize];
        let moved = moving.into_iter().filter_map(|vertex| {
            let around = &self.neighbours[vertex as usize];
            let sum: Vector = around
                .iter()
                .fold([0.0; 3], |sum, other| add(sum, at(*other)));
            let centroid = scale(sum, 1.0 / around.len() as f64);
            let mut to = add(at(vertex), scale(sub(centroid, at(vertex)), STEP));
            let on = nearest_to_planes(to, &self.planes[vertex as usize]).unwrap_or(to);
            let off = sub(to, on);
            let piece = self.pieces[vertex as usize] as usize;
            let is_on_planes = round < ON_PLANES && !self.progress[piece].is_stalled;
            let most = match kind {
                Kind::Cutting if is_on_planes => 0.0,
                Kind::Cutting => f64::INFINITY,
                Kind::Folded => {
                    let edges = around
                        .iter()
                        .map(|other| length(sub(at(*other), at(vertex))));
                    OFF_PLANES * edges.fold(0.0, f64::max)
                }
            };
            if length(off) > most {
                to = add(on, scale(off, most / length(off)));
            }
            (!around.is_empty()).then_some((vertex, to))
        });
        for (vertex, at) in moved.collect::<Vec<_>>() {
            self.mesh.vertices[vertex as usize] = at;
        }
    }
}

fn at_places<T: Copy>(all: &[T], places: &[usize]) -> Vec<T> {
    places.iter().map(|place| all[*place]).collect()
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use fibula_core::vector::length;

    use super::*;
    use crate::mesh::mesh;
    use crate::testing::tape;
    use crate::{Bounds, MeshSettings, Shape};

    fn on(_: u64, _: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn a_spike_through_the_other_side_comes_back_and_the_rest_stays() {
        let tape = tape("length(pos) - 1");
        let bounds = Bounds::new([-1.1; 3], [1.1; 3]).unwrap();
        let settings = MeshSettings::new(bounds, 0.2);
        let ball = mesh(&Shape::new(&tape).unwrap(), &settings, &on)
            .unwrap()
            .mesh;
        let mut spiky = ball.clone();
        assert_eq!(spiky.untangle(&on), Ok(0));
        assert_eq!(spiky, ball);
        let tip = (0..ball.vertices.len())
            .max_by(|a, b| ball.vertices[*a][0].total_cmp(&ball.vertices[*b][0]));
        let tip = tip.unwrap();
        spiky.vertices[tip] = [-1.5, 0.1, 0.05];
        assert!(!spiky.cutting_pairs(&on).unwrap().is_empty());
        assert!(
            spiky
                .clone()
                .untangle(&|_, _| ControlFlow::Break(()))
                .is_err()
        );
        assert_eq!(spiky.untangle(&on), Ok(0));
        assert!(spiky.cutting_pairs(&on).unwrap().is_empty());
        assert_eq!(spiky.triangles, ball.triangles);
        assert!(spiky.vertices[tip][0] > -0.9, "{:?}", spiky.vertices[tip]);
        // Vertices between the two sides are far from all cuts.
        let moved = |at: &Vector, was: &Vector| length(sub(*at, *was)) > 0.0 && at[0].abs() < 0.1;
        let count = spiky
            .vertices
            .iter()
            .zip(&ball.vertices)
            .filter(|(at, was)| moved(at, was))
            .count();
        assert_eq!(count, 0);
    }

    #[test]
    fn thin_walls_are_separated_and_nearly_all_folds_unfolded() {
        let tape = tape("max(gyroid(pos, 5, 0.6), length(pos) - 14)");
        let bounds = Bounds::new([-14.1; 3], [14.1; 3]).unwrap();
        let settings = MeshSettings::new(bounds, 0.4);
        let made = mesh(&Shape::new(&tape).unwrap(), &settings, &on).unwrap();
        let mut mesh = made.mesh;
        let before = mesh.tangles(&on).unwrap().counts();
        assert_eq!(mesh.untangle(&on), Ok(0));
        let after = mesh.tangles(&on).unwrap().counts();
        let [cuts, folds] = before;
        assert!(
            cuts > 1_000 && folds > 50 * after[1],
            "{before:?} {after:?}"
        );
    }
}
