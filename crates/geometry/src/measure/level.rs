//! Measurements of one mesh, and the errors that several meshes show.

use fibula_core::vector::{Vector, eigenvalues, length, sub};

use super::extent::Extent;
use super::figure::{Count, FeatherEdge, Figure, GapKind, Measures, Region, Slab, Span};
use super::mismatch::Mismatch;
use super::missed_surface::MissedSurface;
use super::narrowest::Narrowest;
use super::slabs::{SlabContent, SlabSettings};
use super::thickness::{TELLING, Way, long};
use crate::mesh::{Shell, Shells};
use crate::{MassProperties, Topology, TriangleMesh};

/// Error of a vertex, as a fraction of a cell, however small the cells are: crossings of edges are found up to this.
pub(super) const BLUR: f64 = 2.5e-4;
/// Maximum number of pieces and of cavities that are described.
const MOST_REGIONS: usize = 20;

/// Measurements of a mesh; 0 for an empty one.
#[derive(Debug, Clone)]
pub(super) struct MeasureLevel {
    /// Longest edge of its cells.
    pub(super) cell: f64,
    pub(super) bounds: [Vector; 2],
    pub(super) mass: MassProperties,
    pub(super) area: f64,
    pub(super) shells: Shells,
    pub(super) topology: Topology,
    pub(super) overhang: f64,
    pub(super) wall: Option<Narrowest>,
    pub(super) gap: Option<Narrowest>,
    pub(super) gap_kind: Option<GapKind>,
    pub(super) thin_places: Vec<Way>,
    pub(super) feather_edge: Option<FeatherEdge>,
    /// Way through the material at the requested point.
    pub(super) thickness: Option<Narrowest>,
    /// Contents of the requested slabs.
    pub(super) slabs: Vec<SlabContent>,
}

impl MeasureLevel {
    /// Measures what follows from the mesh alone.
    pub(super) fn new(mesh: &TriangleMesh, cell: f64) -> MeasureLevel {
        MeasureLevel {
            cell,
            bounds: mesh.bounding_box().unwrap_or_default(),
            mass: mesh.mass(),
            area: mesh.area(),
            shells: Shells::new(mesh),
            topology: mesh.topology(),
            overhang: 0.0,
            wall: None,
            gap: None,
            gap_kind: None,
            thin_places: Vec::new(),
            feather_edge: None,
            thickness: None,
            slabs: Vec::new(),
        }
    }
}

/// Measurements at several cell sizes, the finest last.
pub(super) struct Levels<'a> {
    pub(super) all: &'a [MeasureLevel],
    pub(super) cell: f64,
    pub(super) slabs: Option<SlabSettings>,
}

impl Levels<'_> {
    fn finest(&self) -> &MeasureLevel {
        self.all.last().expect("there is one at least")
    }

    /// Returns a figure, whose error is the largest difference to a coarser mesh: where errors fall with the square of
    /// the cell three times the estimate of Richardson's extrapolation, where they fall with the cell the estimate
    /// itself. `least` is the error that no refinement shows.
    fn figure<T: Copy>(
        &self,
        of: impl Fn(&MeasureLevel) -> T,
        apart: impl Fn(T, T) -> f64,
        least: f64,
    ) -> Figure<T> {
        let value = of(self.finest());
        let errors = self.all.iter().map(|level| apart(of(level), value));
        Figure {
            value,
            error: errors.fold(0.0, f64::max) + least,
        }
    }

    fn count(&self, of: impl Fn(&MeasureLevel) -> u64) -> Count {
        let value = of(self.finest());
        let errors = self.all.iter().map(|level| of(level).abs_diff(value));
        Count {
            value,
            error: errors.max().unwrap_or_default(),
        }
    }

    /// Returns a way, whose error is the largest difference to the coarser meshes that resolve it, at most its length.
    /// Without such meshes it is half a cell; the doubt about omitted ways is added.
    fn span(&self, of: impl Fn(&MeasureLevel) -> Option<Narrowest>) -> Option<Span> {
        let Narrowest { way: at, doubt } = of(self.finest())?;
        let value = long(at);
        let (_, coarser) = self.all.split_last()?;
        let telling = coarser.iter().filter(|level| value > TELLING * level.cell);
        let errors = telling
            .filter_map(&of)
            .map(|found| (long(found.way) - value).abs());
        let error = errors.reduce(f64::max).unwrap_or(0.5 * self.cell);
        let error = (error + 2.0 * BLUR * self.cell + doubt).min(value);
        Some(Span {
            value,
            error,
            at,
            kind: None,
        })
    }

    pub(super) fn measures(&self) -> Measures {
        let apart = |one: f64, other: f64| (one - other).abs();
        let distance = |one: Vector, other: Vector| length(sub(one, other));
        let most = |one: &[f64], other: &[f64]| {
            let all = one.iter().zip(other).map(|(a, b)| (a - b).abs());
            all.fold(0.0, f64::max)
        };
        let finest = self.finest();
        let (area, volume) = (finest.area, finest.mass.volume);
        let blur = BLUR * self.cell;
        let reach = length(sub(finest.bounds[1], finest.bounds[0]));
        // A layer of the blur's thickness on all of the surface, and the tip of a corner between samples.
        let tip = self.cell.powi(3).min(volume.abs()) / 2.0;
        let layer = blur * area + tip;
        let least_area = 4.0 * blur * area.sqrt() + (self.cell.powi(2) / 2.0).min(area);
        let least_centre = blur + tip / volume.abs().max(tip) * reach / 2.0;
        let least_inertia = layer * reach * reach / 4.0;
        let topology = &finest.topology;
        let moments = |level: &MeasureLevel| eigenvalues(&level.mass.inertia);
        Measures {
            cell: self.cell,
            deviation: 0.0,
            triangles: topology.triangles,
            bounds: self.figure(
                |level| level.bounds,
                |a, b| 2.0 * most(a.as_flattened(), b.as_flattened()),
                blur,
            ),
            volume: self.figure(|level| level.mass.volume, apart, layer),
            area: self.figure(|level| level.area, apart, least_area),
            centre: self.figure(|level| level.mass.centre, distance, least_centre),
            inertia: self.figure(
                |level| level.mass.inertia,
                |a, b| most(a.as_flattened(), b.as_flattened()),
                least_inertia,
            ),
            moments: self.figure(moments, |a, b| most(&a, &b), least_inertia),
            components: self.count(|level| level.shells.pieces().count() as u64),
            cavities: self.count(|level| level.shells.cavities().count() as u64),
            genus: self.count(|level| level.topology.genus().unwrap_or_default()),
            closed: topology.is_closed(),
            manifold: topology.is_manifold(),
            oriented: topology.is_oriented(),
            pieces: self.regions(|shell| !shell.is_cavity(), 2),
            voids: self.regions(Shell::is_cavity, 1),
            wall: self.span(|level| level.wall),
            thin_places: self.thin_places(),
            feather_edge: finest.feather_edge,
            thickness: self.span(|level| level.thickness),
            gap: self.span(|level| level.gap).map(|span| Span {
                kind: finest.gap_kind,
                ..span
            }),
            overhang: self.overhang(least_area),
            slabs: self.slabs(),
        }
    }

    /// Thin places beside the thinnest; their errors are that of the thinnest wall.
    fn thin_places(&self) -> Vec<Span> {
        let Some(wall) = self.span(|level| level.wall) else {
            return Vec::new();
        };
        let others = self.finest().thin_places.iter().skip(1);
        let span = |&at: &Way| Span {
            value: long(at),
            error: wall.error.min(long(at)),
            at,
            kind: None,
        };
        others.map(span).collect()
    }

    /// Describes the shells of a kind, the largest first, if there are `least` of them. In each coarser mesh, a shell
    /// corresponds to the nearest one; one without counterpart is as uncertain as it is large.
    fn regions(&self, is_wanted: impl Fn(&Shell) -> bool, least: usize) -> Vec<Region> {
        let (finest, coarser) = self.all.split_last().expect("there is one at least");
        let mut shells: Vec<&Shell> = finest.shells.all.iter().filter(|s| is_wanted(s)).collect();
        if shells.len() < least {
            return Vec::new();
        }
        shells.sort_by(|one, other| other.volume.abs().total_cmp(&one.volume.abs()));
        let region = |shell: &Shell| {
            let volume = shell.volume.abs();
            let difference = |level: &MeasureLevel| {
                let far = |other: &Shell| length(sub(other.middle(), shell.middle()));
                let candidates = level.shells.all.iter().filter(|other| is_wanted(other));
                let nearest = candidates.min_by(|a, b| far(a).total_cmp(&far(b)));
                let nearest = nearest.filter(|other| far(other) <= shell.reach());
                nearest.map_or(volume, |other| (other.volume.abs() - volume).abs())
            };
            let error = coarser.iter().map(difference).fold(0.0, f64::max);
            let layer = BLUR * self.cell * shell.area + self.cell.powi(3).min(volume) / 2.0;
            Region {
                value: volume,
                error: error + layer,
                bounds: shell.bounds,
            }
        };
        shells.into_iter().take(MOST_REGIONS).map(region).collect()
    }

    fn slabs(&self) -> Vec<Slab> {
        let Some(settings) = &self.slabs else {
            return Vec::new();
        };
        let slab = |slab: usize| {
            let content = |level: &MeasureLevel| level.slabs.get(slab).copied().unwrap_or_default();
            let area = content(self.finest()).area;
            let layer = BLUR * self.cell * area;
            let apart = |one: f64, other: f64| (one - other).abs();
            let volume = self.figure(|level| content(level).volume, apart, layer);
            let [from, to] = settings.planes(slab);
            Slab {
                from,
                to,
                value: volume.value,
                error: volume.error,
                fraction: volume.value / settings.whole(),
            }
        };
        (0..settings.count).map(slab).collect()
    }

    /// Where a surface becomes as steep as the angle the set of triangles changes, so the error falls with the cell
    /// only.
    fn overhang(&self, least: f64) -> Figure {
        let apart = |one: f64, other: f64| 2.0 * (one - other).abs();
        let least = if self.finest().overhang > 0.0 {
            least
        } else {
            0.0
        };
        self.figure(|level| level.overhang, apart, least)
    }
}

impl Measures {
    /// Widens the errors of figures that leave out a part of the surface: those of the bounds to what is proven, and those
    /// of the volume and what depends on it to what random points allow.
    pub(super) fn leave_out(
        &mut self,
        missed: &MissedSurface,
        mismatch: &Mismatch,
        extent: &Extent,
    ) {
        self.bounds.error = self.bounds.error.max(extent.doubt(&self.bounds.value));
        for count in [&mut self.components, &mut self.cavities, &mut self.genus] {
            count.error = count.error.max(missed.places as u64);
        }
        self.widen_spans(missed.thickness);
        let most = |figure: Figure| figure.value.abs() + figure.error + mismatch.unseen;
        let volume = most(mismatch.difference);
        // A wall has two sides.
        let area = 2.0 * most(mismatch.missed) / missed.thickness;
        let [low, high] = self.bounds.value;
        let size = length(sub(high, low)) + 2.0 * self.bounds.error;
        for (error, least) in [
            (&mut self.volume.error, volume),
            (&mut self.area.error, area),
            (&mut self.overhang.error, area),
            (&mut self.inertia.error, volume * size * size),
            (&mut self.moments.error, volume * size * size),
        ] {
            *error = error.max(least);
        }
        let share = volume / (self.volume.value - volume).max(f64::MIN_POSITIVE);
        self.centre.error = self.centre.error.max((share * size).min(size));
        for slab in &mut self.slabs {
            slab.error = slab.error.max(volume);
        }
    }

    /// Widens the errors of the wall and the gap to those of one of this thickness.
    fn widen_spans(&mut self, thickness: f64) {
        for span in [&mut self.wall, &mut self.gap].into_iter().flatten() {
            span.error = span.error.max(span.value - thickness);
        }
    }

    /// Widens the errors of the volume, and of what else is left out with much of it, to what random points show, or narrows that
    /// of the volume to it; returns false if they refuted it.
    pub(super) fn widen(&mut self, mismatch: &Mismatch) -> bool {
        let Mismatch {
            missed, thickness, ..
        } = *mismatch;
        let is_held = mismatch.widen(&mut self.volume);
        if !is_held || mismatch.misses_much() {
            // A wall has two sides.
            let sides = thickness.map_or(self.area.value, |wall| 2.0 * missed.value / wall);
            self.area.error = self.area.error.max(sides);
            self.widen_spans(thickness.unwrap_or(0.0));
        }
        mismatch.narrow(&mut self.volume);
        is_held
    }
}
