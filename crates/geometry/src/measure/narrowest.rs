//! Narrowest walls and gaps: the shortest ways that the function confirms, and the doubt about the rest.
//!
//! Ways are examined from the shortest on. What lies beside one that was examined leads where that one does. Where the
//! function refutes very many of them, only some of the others are examined; the doubt about those that are not, and not
//! beside one that is, is reported.

use fibula_core::vector::{add, length, scale, sub};

use super::bvh::Bvh;
use super::figure::FeatherEdge;
use super::nearby_ways::NearbyWays;
use super::stage::Stage;
use super::taper::TaperEnd;
use super::thickness::{Medium, Probe, ShortestWays, Way, long};
use crate::{Cancelled, TriangleMesh};

/// Number of ways that are optimised; the shortest of them counts.
const TRIED: usize = 8;
/// Number of refuted ways after which every second one is skipped, then three of four, and so on.
const REFUSED: usize = 1 << 15;
/// Number of refuted ways that takes as long as a walk to an edge.
const PER_EDGE: usize = 64;
/// Number of refuted ways between two checks of the watch, which is also checked after every way that is not refuted.
const UNCHECKED: usize = 256;
/// Number of refuted ways among those that were skipped, after which the rest is left out.
const LATER: usize = 1 << 13;
/// Number of ways, beside others that are known, after which the watch is asked.
const MOST_UNCHECKED: usize = 1 << 16;
/// Maximum number of places where walls are thin.
const MOST_PLACES: usize = 5;
/// Maximum factor by which optimisation shortens a way, beside a cell.
const SHORTER: f64 = 1.5;

#[derive(Debug, Clone, Copy)]
pub(super) struct Narrowest {
    pub(super) way: Way,
    /// Maximum difference to a shorter way that was skipped, or that is farther away than the optimisation went.
    pub(super) doubt: f64,
}

/// Narrowest ways of a medium.
#[derive(Debug, Default)]
pub(super) struct NarrowestWays {
    pub(super) narrowest: Option<Narrowest>,
    /// The narrowest way and others that are not much longer, apart from each other, the shortest first.
    pub(super) places: Vec<Way>,
    /// The sharpest edge at which two sides of a wall meet.
    pub(super) feather_edge: Option<FeatherEdge>,
}

pub(super) fn narrowest(
    mesh: &TriangleMesh,
    rays: &Bvh<'_>,
    probe: &mut Probe<'_>,
    medium: Medium,
    stage: Stage<'_>,
) -> Result<NarrowestWays, Cancelled> {
    let cell = probe.cell;
    let stage = stage.part(0.0, 0.9);
    let mut ways = ShortestWays::new(mesh, rays, cell, medium, stage);
    let mut search = Search::new(probe, medium);
    let mut skipped: Vec<(f64, Way)> = Vec::new();
    let (mut number, mut examined) = (0_usize, 0_usize);
    while search.result.places.len() < TRIED {
        // Longer ways become no shorter than this.
        let enough = search.best.map(|best| SHORTER * long(best) + cell);
        let Some((length, way)) = ways.get(number, enough)? else {
            break;
        };
        number += 1;
        if enough.is_some_and(|enough| length > enough) {
            break;
        }
        if number.is_multiple_of(MOST_UNCHECKED) {
            ways.check()?;
        }
        if search.is_known(way) {
            continue;
        }
        let stride = 1 << (search.refused / REFUSED);
        if !(examined + skipped.len()).is_multiple_of(stride) {
            skipped.push((length, way));
            continue;
        }
        if search.unchecked >= UNCHECKED {
            search.unchecked = 0;
            ways.check()?;
        }
        examined += 1;
        search.examine(way);
    }
    // Skipped ways lead where those beside them do; what is left is mostly at the rims of walls that taper.
    let mut left_out = f64::INFINITY;
    let budget = search.refused + LATER;
    for (length, way) in skipped {
        if search
            .best
            .is_some_and(|best| length > SHORTER * long(best) + cell)
        {
            break;
        }
        if search.is_known(way) {
            continue;
        }
        if search.refused >= budget {
            left_out = length;
            break;
        }
        if search.unchecked >= UNCHECKED {
            search.unchecked = 0;
            ways.check()?;
        }
        search.examine(way);
    }
    let slide = search.best.map_or(0.0, |way| search.probe.slide(way));
    let doubt = |way: Way| slide + (long(way) - (left_out - cell).max(0.0) / SHORTER).max(0.0);
    let mut result = search.result;
    result.narrowest = search.best.map(|way| Narrowest {
        way,
        doubt: doubt(way),
    });
    result.places = apart(result.places, 3.0 * cell);
    Ok(result)
}

/// A search for the narrowest ways of a medium.
struct Search<'s, 'p> {
    probe: &'s mut Probe<'p>,
    medium: Medium,
    best: Option<Way>,
    tried: NearbyWays,
    notches: NearbyWays,
    /// Ways that lead to an edge.
    tapered: NearbyWays,
    /// Number of refuted ways, and of those that take as long as others.
    refused: usize,
    /// Number of refuted ways since the watch was checked; [`UNCHECKED`] after a way that is not refuted.
    unchecked: usize,
    result: NarrowestWays,
}

impl<'s, 'p> Search<'s, 'p> {
    fn new(probe: &'s mut Probe<'p>, medium: Medium) -> Self {
        let beside = || NearbyWays::new(3.0 * probe.cell);
        Search {
            best: None,
            tried: beside(),
            notches: beside(),
            tapered: beside(),
            refused: 0,
            unchecked: UNCHECKED,
            result: NarrowestWays::default(),
            medium,
            probe,
        }
    }

    /// True if a way leads where one that was examined does.
    fn is_known(&self, way: Way) -> bool {
        // Other walls may begin beside one that tapers, but end elsewhere.
        self.tried.begins_beside(way[0])
            || self.notches.begins_beside(way[0])
            || self.tapered.is_beside(way)
    }

    /// Verifies a way, and follows it to the narrowest place beside it.
    fn examine(&mut self, way: Way) {
        let (probe, medium) = (&mut *self.probe, self.medium);
        let trimmed = probe.trimmed(way, medium);
        let clear = trimmed.filter(|&way| probe.is_clear(way, medium) && probe.are_sides(way));
        let Some(start) = clear else {
            self.refused += 1;
            self.unchecked += 1;
            return;
        };
        self.unchecked = UNCHECKED;
        // What clearly leads to an edge needs no optimisation, which would take most of the time.
        let is_taper = medium == Medium::Wall && probe.is_taper(start);
        if is_taper && self.end_of_taper(start, start).is_none() {
            return;
        }
        let Some(way) = self.probe.settled(start, medium) else {
            self.refused += 1;
            return;
        };
        if medium == Medium::Gap && self.probe.is_notch(way) {
            self.notches.insert(start);
            self.refused += 1;
            return;
        }
        let end = match medium {
            Medium::Wall => self.end_of_taper(start, way),
            Medium::Gap => Some(way),
        };
        let Some(way) = end else {
            return;
        };
        self.tried.insert(start);
        self.result.places.push(way);
        if self.best.is_none_or(|best| long(way) < long(best)) {
            self.best = Some(way);
        }
    }

    /// Follows a wall, found from `start`, in the direction in which it narrows; `None` if that leads to an edge.
    fn end_of_taper(&mut self, start: Way, way: Way) -> Option<Way> {
        let tapered = &self.tapered;
        match self.probe.follow_taper(way, |way| tapered.is_beside(way)) {
            TaperEnd::Wall(end) => return Some(end),
            TaperEnd::Edge(edge) => {
                let sharpest = self.result.feather_edge.get_or_insert(edge);
                if edge.value < sharpest.value {
                    *sharpest = edge;
                }
                self.refused += PER_EDGE;
            }
            TaperEnd::Known => self.refused += 1,
        }
        self.tapered.insert(start);
        None
    }
}

/// The first few ways whose middles are apart, the shortest first.
fn apart(mut ways: Vec<Way>, distance: f64) -> Vec<Way> {
    let middle = |way: &Way| scale(add(way[0], way[1]), 0.5);
    ways.sort_by(|one, other| long(*one).total_cmp(&long(*other)));
    let mut places: Vec<Way> = Vec::new();
    for way in ways {
        let is_new = |other: &Way| length(sub(middle(other), middle(&way))) > distance;
        if places.len() < MOST_PLACES && places.iter().all(is_new) {
            places.push(way);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use fibula_core::vector::Vector;
    use fibula_eval::{Point, Settings};

    use super::*;
    use crate::measure::gradient;
    use crate::testing::tape;
    use crate::{Bounds, Shape};

    /// Balls with so many rings of triangles, twice as many in each.
    fn balls(list: &[(Vector, f64, u32)]) -> TriangleMesh {
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for &(middle, radius, rings) in list {
            let first = vertices.len() as u32;
            let columns = 2 * rings;
            for row in 0..=rings {
                let (s, c) = (std::f64::consts::PI * f64::from(row) / f64::from(rings)).sin_cos();
                for column in 0..columns {
                    let turn = std::f64::consts::TAU * f64::from(column) / f64::from(columns);
                    let out = [s * turn.cos(), s * turn.sin(), c];
                    vertices.push(add(middle, scale(out, radius)));
                }
            }
            let at = |row: u32, column: u32| first + row * columns + column % columns;
            for row in 0..rings {
                for column in 0..columns {
                    let [a, b] = [at(row, column), at(row, column + 1)];
                    let [c, d] = [at(row + 1, column), at(row + 1, column + 1)];
                    triangles.extend([[a, c, b], [b, c, d]]);
                }
            }
        }
        TriangleMesh::new(vertices, triangles).unwrap()
    }

    /// Returns the narrowest wall, and the number of checks of the watch: one for 256 refuted ways.
    fn found(text: &str, mesh: &TriangleMesh) -> (Option<Narrowest>, usize) {
        let tape = tape(text);
        let point = Point::new(&gradient(&Shape::new(&tape).unwrap()), Settings::default());
        let mut probe = Probe {
            bounds: Bounds::new([-9.0; 3], [9.0; 3]).unwrap(),
            function: point.evaluator(),
            cell: 0.02,
        };
        let asked = AtomicUsize::new(0);
        // Ways are examined from nine tenths of the work on.
        let watch = |done, _| {
            asked.fetch_add(usize::from(done == 900), Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        let (rays, stage) = (Bvh::new(mesh), Stage::whole(&watch));
        let found = narrowest(mesh, &rays, &mut probe, Medium::Wall, stage).unwrap();
        (found.narrowest, asked.into_inner())
    }

    #[test]
    fn ways_that_the_function_refuses_are_not_all_looked_at() {
        let mesh = balls(&[([0.0; 3], 1.0, 200)]);
        let triangles = mesh.triangles().len();
        assert_eq!(triangles, 160_000);
        let (nothing, asked) = found("length(pos) + 1", &mesh);
        assert!(nothing.is_none());
        assert!(asked * 256 < 90_000, "{asked}");
        // All of them are examined where few are refuted, and then there is no doubt.
        let (wall, _) = found("length(pos) - 1", &mesh);
        let Narrowest { way, doubt } = wall.unwrap();
        assert!((long(way) - 2.0).abs() < 1e-6 && doubt <= 0.0);
        // A way found behind many refuted ones may not be the narrowest, and is reported as such.
        let mesh = balls(&[([0.0; 3], 0.5, 150), ([4.0, 0.0, 0.0], 1.0, 20)]);
        let (wall, _) = found("length(pos - vec3(4, 0, 0)) - 1", &mesh);
        let Narrowest { way, doubt } = wall.unwrap();
        assert!((long(way) - 2.0).abs() < 1e-6, "{way:?}");
        assert!((doubt - (2.0 - 0.98 / 1.5)).abs() < 0.01, "{doubt}");
    }
}
