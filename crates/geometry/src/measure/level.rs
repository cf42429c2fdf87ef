//! Measurements of one mesh, and the errors that several meshes show.

use fibula_core::vector::{Vector, cross, eigenvalues, length, sub};

use super::figure::{Count, Figure, GapKind, Measures, Span};
use super::thickness::{Narrowest, TELLING, long};
use crate::union_find::UnionFind;
use crate::{MassProperties, Topology, TriangleMesh};

/// Error of a vertex, as a fraction of a cell, however small the cells are: crossings of edges are found up to this.
pub(super) const BLUR: f64 = 2.5e-4;

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
}

/// Closed surfaces of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Shells {
    /// Shells around material.
    pub(super) pieces: u64,
    /// Shells around cavities.
    pub(super) cavities: u64,
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
        }
    }
}

impl Shells {
    fn new(mesh: &TriangleMesh) -> Shells {
        let mut shells = UnionFind::new(mesh.vertices().len());
        for &[a, b, c] in mesh.triangles() {
            shells.union(a, b);
            shells.union(a, c);
        }
        let [low, _] = mesh.bounding_box().unwrap_or_default();
        // Volumes of the shells, by their representatives.
        let mut volumes = vec![None; mesh.vertices().len()];
        for (number, &[first, ..]) in mesh.triangles().iter().enumerate() {
            let [a, b, c] = mesh.corners(number).map(|corner| sub(corner, low));
            let part = fibula_core::vector::dot(a, cross(b, c));
            *volumes[shells.find(first) as usize].get_or_insert(0.0) += part;
        }
        let all = volumes.into_iter().flatten();
        all.fold(Shells::default(), |shells, volume| Shells {
            pieces: shells.pieces + u64::from(volume >= 0.0),
            cavities: shells.cavities + u64::from(volume < 0.0),
        })
    }
}

/// Measurements at several cell sizes, the finest last.
pub(super) struct Levels<'a> {
    pub(super) levels: &'a [MeasureLevel],
    pub(super) cell: f64,
}

impl Levels<'_> {
    fn finest(&self) -> &MeasureLevel {
        self.levels.last().expect("there is one at least")
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
        let errors = self.levels.iter().map(|level| apart(of(level), value));
        Figure {
            value,
            error: errors.fold(0.0, f64::max) + least,
        }
    }

    fn count(&self, of: impl Fn(&MeasureLevel) -> u64) -> Count {
        let value = of(self.finest());
        let errors = self.levels.iter().map(|level| of(level).abs_diff(value));
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
        let (_, coarser) = self.levels.split_last()?;
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
            components: self.count(|level| level.shells.pieces),
            cavities: self.count(|level| level.shells.cavities),
            genus: self.count(|level| level.topology.genus().unwrap_or_default()),
            closed: topology.is_closed(),
            manifold: topology.is_manifold(),
            oriented: topology.is_oriented(),
            wall: self.span(|level| level.wall),
            gap: self.span(|level| level.gap).map(|span| Span {
                kind: finest.gap_kind,
                ..span
            }),
            overhang: self.overhang(least_area),
        }
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
