//! Comparison of two shapes: distance, Hausdorff distance, and overlap.
//!
//! Both are meshed with the same three cell sizes as for [`measure`](super::measure()). At every vertex and triangle
//! centre of one mesh, the distance to the other mesh is computed, which is exact for the meshes. The smallest of these
//! distances is reduced by alternating projections between the surfaces, and its ends are then moved onto the
//! functions' own surfaces. Where the corners of a triangle lie on different sides of the other surface the two cross.
//! The overlap is meshed as a shape of its own.

use std::sync::Arc;

use fibula_core::graph::Content as _;
use fibula_core::vector::{Vector, add, cross, finite, length, scale, sub};
use fibula_eval::{Code, Point, Rounding, Settings};
use fibula_nodes::{Oracle, Query};

use super::error::MeasureError;
use super::figure::{Comparison, Figure, Span};
use super::level::BLUR;
use super::stage::Stage;
use super::thickness::{Probe, Way, halved, long};
use super::{LEVELS, check_scale, gradient, meshed, reference};
use crate::bounds::enclosing;
use crate::sample::columns;
use crate::{Bounds, MeshSettings, Sampler, Shape, TriangleMesh, Watch};

/// Maximum alternating projections.
const ROUNDS: usize = 20;
/// Points nearer than this fraction of a cell coincide.
const SAME: f64 = 1e-9;

/// Bounds and resolution of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompareSettings {
    /// Bounds of the first and of the second shape; everything beyond is outside.
    pub bounds: [Bounds; 2],
    /// Longest edge of a cell of the finest meshes, in the unit of the bounds.
    pub cell: f64,
    /// Maximum triangles of a mesh.
    pub most_triangles: u64,
}

/// A shape prepared for comparing.
struct ComparedShape {
    /// The shape clipped to its bounds, in the box in which it is meshed.
    code: Arc<Code>,
    point: Point,
    sampler: Sampler<f64>,
    bounds: Bounds,
    /// Box in which it is meshed.
    around: Bounds,
}

/// Mesh of a side at one level.
struct MeshSurface {
    mesh: TriangleMesh,
    distance: Arc<dyn Oracle>,
    /// Vertices, followed by the centres of the triangles.
    places: Vec<Vector>,
    /// Distance below which points coincide.
    same: f64,
}

/// Comparison at one level.
#[derive(Debug, Clone, Copy, Default)]
struct ComparisonLevel {
    volumes: [f64; 2],
    overlap: f64,
    nearest: Way,
    farthest: Way,
    mean: f64,
}

/// Compares two shapes.
///
/// If their bounds overlap, both are meshed in the box around both, with the same grid, so that equal parts have equal
/// meshes; each is clipped to its own bounds. Calls `watch` with thousandths.
///
/// # Errors
/// [`MeasureError`]: the cell size is not positive, one shape is empty, there are too many triangles, the cells are too large
/// for walls or gaps of a shape, figures would not be finite, or `watch` cancelled it.
pub fn compare(
    one: &Shape<'_>,
    other: &Shape<'_>,
    comparing: &CompareSettings,
    watch: &Watch<'_>,
) -> Result<Comparison, MeasureError> {
    let [first, second] = comparing.bounds;
    let joined = joined(comparing.bounds);
    let sides = [
        ComparedShape::new(one, first, joined.unwrap_or(first)),
        ComparedShape::new(other, second, joined.unwrap_or(second)),
    ];
    let meshing = |bounds: Bounds, times: f64| MeshSettings {
        most_triangles: comparing.most_triangles,
        ..MeshSettings::new(bounds, comparing.cell * times)
    };
    for side in &sides {
        meshing(side.around, 1.0).cells()?;
        check_scale(&side.around, comparing.cell)?;
    }
    let both = joined.map(|around| {
        let both = [(one, first), (other, second)];
        let code = Shape::intersection(&both, &around, Rounding::Fast);
        (code, around)
    });
    let mut levels = Vec::with_capacity(LEVELS.len());
    let mut missed = Vec::with_capacity(2);
    for (times, [from, to]) in LEVELS {
        let stage = Stage::whole(watch).part(from, to);
        let mut surfaces = Vec::with_capacity(2);
        let shapes = [one, other].into_iter().zip(&sides);
        for ((shape, side), [from, to]) in shapes.zip([[0.0, 0.2], [0.2, 0.4]]) {
            let stage = stage.part(from, to);
            let meshing = meshing(side.around, times);
            let making = stage.part(0.0, 0.8);
            let (mesh, _) = meshed(&side.code, &meshing, times > 1.0, making)?;
            if times <= 1.0 {
                let gradient = Sampler::from_code(&gradient(shape), Settings::default());
                let reference = reference(shape, &gradient);
                let stage = stage.part(0.8, 1.0);
                missed.push(reference.mismatch(&mesh, &side.bounds, stage)?);
            }
            surfaces.push(MeshSurface::new(mesh, meshing.cell)?);
        }
        let overlap = match &both {
            Some((both, around)) => {
                let stage = stage.part(0.4, 0.6);
                let (mesh, _) = meshed(both, &meshing(*around, times), true, stage)?;
                mesh.volume().max(0.0)
            }
            None => 0.0,
        };
        let [Some(first), Some(second)] = &surfaces[..] else {
            // One is too thin for such cells.
            levels.push(ComparisonLevel::default());
            continue;
        };
        let surfaces = [first, second];
        let level = level(
            surfaces,
            &sides,
            comparing.cell * times,
            stage.part(0.6, 1.0),
        )?;
        levels.push(ComparisonLevel { overlap, ..level });
    }
    let mut comparison = comparison(&levels, comparing.cell, &sides);
    for (volume, missed) in comparison.volumes.iter_mut().zip(missed) {
        if !missed.widen(volume) && missed.misses_much() {
            let lost = missed.lost(comparing.cell, volume.value);
            return Err(MeasureError::Unresolved(lost));
        }
    }
    Ok(comparison)
}

/// Returns the box around both, if they overlap.
fn joined([one, other]: [Bounds; 2]) -> Option<Bounds> {
    let do_overlap = (0..3)
        .all(|axis| one.low()[axis] <= other.high()[axis] && other.low()[axis] <= one.high()[axis]);
    let [low, high] = enclosing([one.low(), one.high()], [other.low(), other.high()]);
    let around = Bounds::new(low, high);
    around.ok().filter(|_| do_overlap)
}

impl ComparedShape {
    fn new(shape: &Shape<'_>, bounds: Bounds, around: Bounds) -> ComparedShape {
        let value = [shape.value()];
        let exact = shape.code(Rounding::Exact, &value, |_, at| at);
        ComparedShape {
            code: if bounds == around {
                shape.code(Rounding::Fast, &value, |_, at| at)
            } else {
                Shape::intersection(&[(shape, bounds)], &around, Rounding::Fast)
            },
            point: Point::new(&gradient(shape), Settings::default()),
            sampler: Sampler::from_code(&exact, Settings::default()),
            bounds,
            around,
        }
    }

    /// Determines for each point whether it is inside.
    fn are_inside(&self, places: &[Vector], stage: Stage<'_>) -> Result<Vec<bool>, MeasureError> {
        let coordinates = columns(places);
        let inputs = coordinates.each_ref().map(Vec::as_slice);
        let mut values = vec![0.0; places.len()];
        let watch = |done, total| stage.report(done, total);
        self.sampler.points(&inputs, &mut [&mut values], &watch)?;
        let inside = |(place, value): (&Vector, f64)| value < 0.0 && self.bounds.contains(*place);
        Ok(places.iter().zip(values).map(inside).collect())
    }

    fn probe(&self, cell: f64) -> Probe<'_> {
        Probe {
            bounds: self.bounds,
            function: self.point.evaluator(),
            cell,
        }
    }
}

impl MeshSurface {
    /// Returns `None` without triangles.
    fn new(mesh: TriangleMesh, cell: f64) -> Result<Option<MeshSurface>, MeasureError> {
        if mesh.triangles().is_empty() {
            return Ok(None);
        }
        let middle = |number| {
            let [a, b, c] = mesh.corners(number);
            scale(add(add(a, b), c), 1.0 / 3.0)
        };
        let middles = (0..mesh.triangles().len()).map(middle);
        let places = mesh.vertices().iter().copied().chain(middles).collect();
        let distance = mesh.clone().into_oracle()?.oracle(Query::UnsignedDistance);
        Ok(Some(MeshSurface {
            distance: distance.expect("meshes answer for distances"),
            mesh,
            places,
            same: SAME * cell,
        }))
    }

    /// Returns the distances of points from the surface.
    fn distances(&self, places: &[Vector], stage: Stage<'_>) -> Result<Vec<f64>, MeasureError> {
        let found = stage.pieces(places.len(), |range| {
            let places = &places[range];
            let [x, y, z] = columns(places);
            let mut distances = vec![0.0; places.len()];
            self.distance.sample_block([&x, &y, &z], 0, &mut distances);
            for distance in &mut distances {
                *distance = if *distance < self.same {
                    0.0
                } else {
                    *distance
                };
            }
            distances
        })?;
        Ok(found)
    }

    /// Returns the nearest point of the surface.
    fn nearest(&self, at: Vector) -> Vector {
        let distance = self.distance.sample(at, 0);
        if distance < self.same {
            return at;
        }
        let away = self.distance.gradient(at, 0);
        sub(at, scale(away, distance))
    }

    /// Returns the integral of distances, by the centres of triangles, and the area.
    fn integral(&self, distances: &[f64]) -> [f64; 2] {
        let middles = &distances[self.mesh.vertices().len()..];
        let area = |number| {
            let [a, b, c] = self.mesh.corners(number);
            length(cross(sub(b, a), sub(c, a))) / 2.0
        };
        let parts = middles.iter().enumerate().map(|(number, distance)| {
            let area = area(number);
            [area * distance, area]
        });
        parts.fold([0.0; 2], |sum, part| [sum[0] + part[0], sum[1] + part[1]])
    }

    /// Returns an edge whose ends are on different sides.
    fn crossing(&self, inside: &[bool]) -> Option<Way> {
        let edges = self
            .mesh
            .triangles()
            .iter()
            .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let found = edges
            .map(|ends| ends.map(|end| end as usize))
            .find(|&[from, to]| inside[from] != inside[to]);
        found.map(|ends| ends.map(|end| self.mesh.vertices()[end]))
    }
}

fn level(
    surfaces: [&MeshSurface; 2],
    sides: &[ComparedShape; 2],
    cell: f64,
    stage: Stage<'_>,
) -> Result<ComparisonLevel, MeasureError> {
    let mut level = ComparisonLevel {
        volumes: surfaces.map(|surface| surface.mesh.volume()),
        ..ComparisonLevel::default()
    };
    let mut nearest: Option<(f64, Way)> = None;
    let mut farthest: Option<(f64, Way)> = None;
    let mut crossing = None;
    let (mut sum, mut area) = (0.0, 0.0);
    for (own, [from, to]) in [[0.0, 0.5], [0.5, 1.0]].into_iter().enumerate() {
        let other = 1 - own;
        let places = &surfaces[own].places;
        let stage = stage.part(from, to);
        let distances = surfaces[other].distances(places, stage.part(0.0, 0.8))?;
        let [part, whole] = surfaces[own].integral(&distances);
        (sum, area) = (sum + part, area + whole);
        // From the first to the second shape.
        let way = |place: usize| -> Way {
            let at = places[place];
            let there = surfaces[other].nearest(at);
            if own == 0 { [at, there] } else { [there, at] }
        };
        let order = |a: &usize, b: &usize| distances[*a].total_cmp(&distances[*b]).then(b.cmp(a));
        let all = || 0..places.len();
        let least = all().min_by(|a, b| distances[*a].total_cmp(&distances[*b]));
        if let Some(least) = least
            && nearest.is_none_or(|(known, _)| distances[least] < known)
        {
            nearest = Some((distances[least], way(least)));
        }
        if let Some(most) = all().max_by(order)
            && farthest.is_none_or(|(known, _)| distances[most] > known)
        {
            farthest = Some((distances[most], way(most)));
        }
        if crossing.is_none() {
            let vertices = surfaces[own].mesh.vertices();
            let inside = sides[other].are_inside(vertices, stage.part(0.8, 1.0))?;
            crossing = surfaces[own]
                .crossing(&inside)
                .map(|ends| meeting(&mut sides[other].probe(cell), ends));
        }
    }
    level.mean = if area > 0.0 { sum / area } else { 0.0 };
    level.farthest = farthest.map(|(_, way)| way).unwrap_or_default();
    let nearest = nearest.map(|(_, way)| way).unwrap_or_default();
    level.nearest = match crossing {
        Some(at) => [at, at],
        None => shortened(nearest, surfaces, sides, cell),
    };
    Ok(level)
}

/// Returns the point of a shape's surface between two points, by bisection.
fn meeting(probe: &mut Probe<'_>, [mut inside, mut outside]: Way) -> Vector {
    if !probe.is_inside(inside) {
        (inside, outside) = (outside, inside);
    }
    let along = sub(outside, inside);
    let place = |share: f64| add(inside, scale(along, share));
    let [_, outside] = halved(0.0, 1.0, |share| probe.is_inside(place(share)));
    place(outside)
}

/// Shortens the way between two surfaces by alternating projections, and moves its ends onto the functions' surfaces.
fn shortened(
    mut way: Way,
    surfaces: [&MeshSurface; 2],
    sides: &[ComparedShape; 2],
    cell: f64,
) -> Way {
    for _ in 0..ROUNDS {
        let from = surfaces[0].nearest(way[1]);
        let next = [from, surfaces[1].nearest(from)];
        if !(finite(next[0]) && finite(next[1]) && long(next) < long(way)) {
            break;
        }
        way = next;
    }
    let [from, to] = way;
    [
        onto(&mut sides[0].probe(cell), from, to),
        onto(&mut sides[1].probe(cell), to, from),
    ]
}

/// Moves a point of the mesh along a line onto the surface of the function; returns the point itself where the bounds
/// clip the shape.
fn onto(probe: &mut Probe<'_>, at: Vector, other: Vector) -> Vector {
    let along = sub(other, at);
    let whole = length(along);
    if !(whole > 0.0 && whole.is_finite()) {
        return at;
    }
    let reach = (0.5 * probe.cell / whole).min(0.5);
    let ends = [-reach, reach].map(|share| add(at, scale(along, share)));
    let [before, after] = ends.map(|at| probe.is_inside(at));
    if before == after {
        at
    } else {
        meeting(probe, ends)
    }
}

/// Assembles the figures; errors are the differences between the levels.
fn comparison(levels: &[ComparisonLevel], cell: f64, sides: &[ComparedShape; 2]) -> Comparison {
    let finest = levels.last().copied().unwrap_or_default();
    let figure = |of: &dyn Fn(&ComparisonLevel) -> f64, least: f64| {
        let value = of(&finest);
        let errors = levels.iter().map(|level| (of(level) - value).abs());
        Figure {
            value,
            error: errors.fold(0.0, f64::max) + least,
        }
    };
    let blur = BLUR * cell;
    let span = |of: &dyn Fn(&ComparisonLevel) -> Way| {
        let Figure { value, error } = figure(&|level| long(of(level)), 2.0 * blur);
        Span {
            value,
            error,
            at: of(&finest),
            kind: None,
        }
    };
    // At least a layer around all of a box.
    let layer = |side: &ComparedShape| {
        let [x, y, z] = side.bounds.size();
        2.0 * blur * (x * y + y * z + z * x) + cell.powi(3) / 2.0
    };
    let layers = sides.each_ref().map(layer);
    let volume = |which: usize| figure(&|level| level.volumes[which], layers[which]);
    Comparison {
        cell,
        distance: span(&|level| level.nearest),
        overlap: if finest.overlap > 0.0 {
            figure(&|level| level.overlap, layers[0].max(layers[1]))
        } else {
            figure(&|level| level.overlap, 0.0)
        },
        volumes: [volume(0), volume(1)],
        most: span(&|level| level.farthest),
        mean: figure(&|level| level.mean, blur),
    }
}
