//! Meshing of shapes: requests, results, and files.

use std::cell::Cell;
use std::io::Write;
use std::ops::ControlFlow;

use fibula_core::graph::model::Unit;
use fibula_formats::mesh::{self as files, MeshFormat};
use fibula_geometry::picture::Light;
use fibula_geometry::{
    Accuracy, Bounds, Cancelled, LostFeatures, MeshError, MeshSettings, ResolvedMesh, Shape,
    ShellCounts, ShellRemoval, Topology, TriangleMesh, Watch, colors, count_shells, mesh, short,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::background::{ProgressFn, run_watched};
use crate::refusal::{Refusal, Result};
use crate::shapes::accuracy::{
    ACCURACY, MeshGoal, ReachedMesh, check_accuracy, missed_accuracy, missed_default,
};
use crate::shapes::limits::{BYTES_PER_TRIANGLE_MESHING, Limits, SmallerWork};
use crate::shapes::removal::{RemovedShells, remove_from};
use crate::shapes::simplification::{Simplify, kept_colors};
use crate::shapes::subject::ResolvedShape;

/// Factor by which default cells become smaller at most for thin walls and gaps.
pub(crate) const FINER: f64 = 16.0;

/// Settings of meshing.
#[derive(Debug, Clone, Copy, Default)]
pub struct MakeMesh {
    /// Part of space that is meshed; found by search if left out and unknown.
    pub bounds: Option<Bounds>,
    /// Longest edge of a cell: smaller details are lost. If left out, a hundredth of the longest side, or less if walls or
    /// gaps are thinner.
    pub cell: Option<f64>,
    /// Maximum deviation of the surface: the cell, unless it is given, and the simplification follow from it. If left out
    /// with the cell and `simplify`, a thousandth of the longest side, but for meshes with colours.
    pub accuracy: Option<f64>,
    /// Maximum number of triangles; [`MeshSettings::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// Simplification of the mesh, if requested.
    pub simplify: Option<Simplify>,
    /// What is removed from the mesh at the end.
    pub remove: ShellRemoval,
    /// Time and memory limits.
    pub limits: Limits,
}

/// Properties of a mesh. Lengths are in the unit of the project.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MeshInfo {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of cells along x, y and z.
    pub cells: [usize; 3],
    /// Longest edge of a cell; none if the triangles are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cell: Option<f64>,
    /// Minimum and maximum corner of the bounding box.
    pub bounds: [[f64; 3]; 2],
    /// Volume inside.
    pub volume: f64,
    /// Surface area.
    pub area: f64,
    /// Centre of mass.
    pub centre: [f64; 3],
    /// True if the mesh has no holes, also once a reader has merged vertices that are equal in single precision.
    pub closed: bool,
    /// True if every point of the surface has a neighbourhood like a disc, for such a reader too.
    pub manifold: bool,
    /// True if the triangles are consistently oriented, for such a reader too.
    pub oriented: bool,
    /// Triangles without an area.
    pub degenerate_triangles: usize,
    /// Pairs of triangles that cut each other.
    pub cutting_pairs: usize,
    /// Number of pieces of material that do not touch.
    pub components: usize,
    /// Number of cavities: hollows without a way out.
    pub cavities: usize,
    /// Volume of all cavities, which the volume does not include.
    pub cavity_volume: f64,
    /// Total genus.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genus: Option<u64>,
    /// With an accuracy the deviation from the surface: measured at samples of the mesh, plus the bound of the
    /// simplification. Without, for a simplified mesh, its maximum distance to the original, in both directions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// What was removed on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<RemovedShells>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Revision of the project.
    pub revision: u64,
}

/// A mesh with its properties.
#[derive(Debug, Clone)]
pub struct MeshMade {
    /// Properties of the mesh.
    pub info: MeshInfo,
    /// The mesh.
    pub mesh: TriangleMesh,
    /// Colours of the vertices, if any: linear red, green and blue of sRGB.
    pub colors: Option<Vec<Light>>,
    /// Unit of the project.
    pub(crate) unit: Unit,
    /// Deviation that is left to simplification, of a mesh that is given.
    pub(crate) left: Option<f64>,
    /// A point of surface that the mesh does not have, if one was found.
    pub(crate) missed: Option<[f64; 3]>,
}

impl MakeMesh {
    /// Checks the accuracy and the simplification.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(simplify) = &self.simplify {
            simplify.check()?;
        }
        let Some(accuracy) = self.accuracy else {
            return Ok(());
        };
        check_accuracy(accuracy)?;
        if self.simplify.is_some() {
            let message = "accuracy includes the simplification, so simplify does not apply";
            return Err(Refusal::new("invalid_arguments", message).hint("omit one of them"));
        }
        Ok(())
    }

    /// Warning if the deviation of a mesh exceeds the accuracy that was asked for.
    fn missed_accuracy(&self, info: &MeshInfo) -> Option<String> {
        let (wanted, deviation) = self.accuracy.zip(info.deviation)?;
        missed_accuracy(wanted, deviation, info.cell.unwrap_or_default())
    }

    /// Returns the accuracy for a shape with a longest side that is built `scale` times as large, in the shape's unit.
    fn accuracy_of(&self, resolved: &ResolvedShape, side: f64, scale: f64) -> Option<Accuracy> {
        let is_default = self.cell.is_none() && self.simplify.is_none() && resolved.red().is_none();
        let given = self.accuracy.map(|accuracy| Accuracy {
            most: accuracy / scale,
            is_asked: true,
        });
        given.or_else(|| {
            is_default.then_some(Accuracy {
                most: ACCURACY * side,
                is_asked: false,
            })
        })
    }
}

/// Meshes a shape. Calls `watch` with the cells visited, then with the triangles removed, and their totals; it may
/// cancel the work.
///
/// # Errors
/// A [`Refusal`] if a setting is invalid, nothing is inside, the shape has no bounds, the cells are too small, a limit
/// is exceeded, or `watch` cancelled it.
pub fn make_mesh(
    resolved: &ResolvedShape,
    request: &MakeMesh,
    watch: ProgressFn<'_>,
) -> Result<MeshMade> {
    request.check()?;
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, suggest_cell(&cell), |watch| {
        make(resolved, request, &cell, watch)
    })
}

/// Meshes a shape, simplifies the mesh, and removes what is not wanted.
fn make(
    resolved: &ResolvedShape,
    request: &MakeMesh,
    cell: &Cell<f64>,
    watch: ProgressFn<'_>,
) -> Result<MeshMade> {
    let mut made = match &request.simplify {
        None => mesh_shape(resolved, request, 1.0, cell, watch)?,
        Some(simplify) => {
            let made = mesh_shape(resolved, request, 1.0, cell, &mut sub_progress(0, 2, watch))?;
            made.simplified(simplify, 1.0, &mut sub_progress(1, 2, watch))?
        }
    };
    let of = (&mut made.mesh, &mut made.colors, &mut made.info);
    remove_from(of, request.remove, watch)?;
    Ok(made)
}

/// Suggests a cell that would succeed, from the fraction done in time.
pub(crate) fn suggest_cell(cell: &Cell<f64>) -> impl FnOnce(f64) -> SmallerWork {
    |far| {
        if cell.get().is_nan() {
            return ("a coarser mesh".to_owned(), json!({}));
        }
        // Time is proportional to the number of cells at the surface.
        let passes = short(1.1 * cell.get() / far.sqrt());
        let walls = short(2.0 * passes);
        let hint = format!("a cell of {passes} (enough for walls of {walls})");
        (hint, json!({ "cell": passes }))
    }
}

/// Progress of one of several works of the same length.
pub(crate) fn sub_progress(
    number: u64,
    of: u64,
    watch: ProgressFn<'_>,
) -> impl FnMut(u64, u64) -> ControlFlow<()> {
    move |done, total| {
        let before = number.saturating_mul(total);
        watch(before.saturating_add(done), of.saturating_mul(total))
    }
}

/// Counts the pairs of triangles of a mesh that cut each other.
pub(crate) fn count_cuts(mesh: &TriangleMesh, watch: ProgressFn<'_>) -> Result<usize> {
    let total = mesh.triangles().len() as u64;
    let pairs = run_watched(total, watch, |progress| {
        mesh.cutting_pairs(&|done, _| progress.report(done))
    });
    pairs
        .map(|pairs| pairs.len())
        .map_err(|_| Refusal::cancelled())
}

/// Meshes a shape that is built `scale` times as large, simplifies the mesh as far as an accuracy allows, and stores the cell in
/// use. Cells have the size as built.
pub(crate) fn mesh_shape(
    resolved: &ResolvedShape,
    request: &MakeMesh,
    scale: f64,
    cell: &Cell<f64>,
    watch: ProgressFn<'_>,
) -> Result<MeshMade> {
    let unmade = |error: MeshError| Refusal::from(error.scaled(scale));
    let shape = Shape::new(&resolved.tape)?;
    let bounds = resolved.bounds_or(request.bounds, &shape, watch)?;
    let side = bounds.size().into_iter().fold(0.0, f64::max);
    let own = request.cell.map_or(side / 100.0, |cell| cell / scale);
    let least = match request.cell {
        Some(_) => own,
        None => own / FINER,
    };
    let mut meshing = MeshSettings::new(bounds, own);
    cell.set(meshing.cell * scale);
    if let Some(most) = request.most_triangles {
        meshing.most_triangles = most;
    }
    meshing.most_triangles = meshing
        .most_triangles
        .min(request.limits.triangles(BYTES_PER_TRIANGLE_MESHING));
    let goal = MeshGoal {
        accuracy: request.accuracy_of(resolved, side, scale),
        least,
    };
    let cells = meshing.cells();
    let total = *cells.as_ref().unwrap_or(&0.0) as u64;
    let made = run_watched(total, watch, |progress| {
        if matches!(cells, Ok(_) | Err(MeshError::TooManyCells { .. })) {
            check_estimate(&shape, &meshing, &|_, _| progress.report(0))?;
        }
        cells?;
        let still = |_, _| progress.report(total);
        let report = |done: f64| progress.report((total as f64 * done) as u64);
        let reached = goal.mesh(&shape, &meshing, &report)?;
        let made = &reached.resolved.meshed;
        let at = |red| colors(&shape, red, made.mesh.vertices(), &still);
        let colors = resolved.red().map(at).transpose()?;
        let topology = made.mesh.topology();
        // A time limit may have ended meanwhile.
        if still(total, total).is_break() {
            return Err(MeshError::Cancelled(Cancelled));
        }
        Ok((topology, colors, reached))
    });
    let (topology, colors, reached) = made.map_err(unmade)?;
    let ReachedMesh {
        resolved:
            ResolvedMesh {
                meshed: made,
                cell: own,
                lost,
                missed,
                ..
            },
        deviation,
        cutting_pairs,
    } = reached;
    cell.set(own * scale);
    let lost = lost.map(|lost| lost.scaled(scale));
    let mut warnings = resolved.warnings.clone();
    warnings.extend(resolved.distance_errors.iter().cloned());
    if let Some(undefined) = made.undefined {
        warnings.push(undefined.to_string());
    }
    let missed = missed.map(|missed| missed.scaled(scale));
    match lost {
        // These cells were not asked for.
        Some(lost) if request.cell.is_none() => return Err(unresolved(&lost)),
        Some(lost) => warnings.push(lost.to_string()),
        None => warnings.extend(missed.map(|missed| missed.to_string())),
    }
    let revision = resolved.revision;
    let mut info = mesh_info(&made.mesh, topology, made.cells, warnings, revision);
    if info.volume <= 0.0 {
        info.warnings.push(
            "the mesh encloses nothing: the shape is thinner than a cell; use smaller cells"
                .to_owned(),
        );
    }
    info.cell = Some(own * scale);
    info.cutting_pairs = cutting_pairs;
    info.deviation = deviation.map(|deviation| deviation * scale);
    info.warnings.extend(request.missed_accuracy(&info));
    if request.accuracy.is_none()
        && let (Some(accuracy), Some(deviation)) = (goal.accuracy, info.deviation)
    {
        info.warnings
            .extend(missed_default(accuracy.most * scale, deviation));
    }
    Ok(MeshMade {
        info,
        mesh: made.mesh,
        colors,
        unit: resolved.unit,
        left: None,
        missed: missed.map(|missed| missed.at),
    })
}

/// Refuses a mesh that misses walls or gaps of its shape.
pub(crate) fn unresolved(lost: &LostFeatures) -> Refusal {
    let details = json!({ "cell": lost.passes, "volume": lost.volume });
    Refusal::new("unresolved", lost.to_string()).details(details)
}

/// Rejects a mesh that would have far too many triangles, by the surface of a coarse mesh.
fn check_estimate(
    shape: &Shape<'_>,
    meshing: &MeshSettings,
    watch: &Watch<'_>,
) -> Result<(), MeshError> {
    /// Cells of the coarse mesh along the longest side.
    const COARSE: f64 = 64.0;
    /// Ratio of cell sizes from which on an estimate takes a small part of the time.
    const LEAST_RATIO: f64 = 16.0;
    /// Factor by which an estimate must exceed the limit, since it is not exact.
    const MARGIN: f64 = 2.0;
    let side = meshing.bounds.size().into_iter().fold(0.0, f64::max);
    let coarse = MeshSettings {
        cell: side / COARSE,
        most_triangles: MeshSettings::MOST_TRIANGLES,
        ..*meshing
    };
    let ratio = coarse.cell / meshing.cell;
    if ratio < LEAST_RATIO {
        return Ok(());
    }
    let found = match mesh(shape, &coarse, watch) {
        Ok(found) => found.mesh.triangles().len() as f64,
        Err(error @ MeshError::Cancelled(_)) => return Err(error),
        // Only the fine mesh shows the features, or the error.
        Err(_) => return Ok(()),
    };
    let (triangles, most) = (found * ratio * ratio, meshing.most_triangles);
    // An estimate beyond every count is no better than the number of cells, which is refused then.
    if triangles <= MARGIN * most as f64 || triangles >= u64::MAX as f64 {
        return Ok(());
    }
    let factor = (triangles / (most as f64).max(1.0)).sqrt();
    Err(MeshError::TooManyTriangles {
        // Two digits, since it is an estimate.
        triangles: short(triangles) as u64,
        most,
        passes: short(meshing.cell * factor * 1.05),
    })
}

/// Reason why the triangles of a mesh enclose no solid, from its numbers of edges of only one triangle, and of two that face
/// opposite ways.
pub(super) fn no_solid([open, turned]: [usize; 2]) -> Option<String> {
    let not_closed = || format!("the mesh is not closed, {open} edges have one triangle only");
    let turns = || format!("{turned} edges of the mesh have triangles that face opposite ways");
    let turned = (turned > 0).then(turns);
    (open > 0).then(not_closed).or(turned)
}

/// Properties of a mesh.
pub(crate) fn mesh_info(
    mesh: &TriangleMesh,
    topology: Topology,
    cells: [usize; 3],
    mut warnings: Vec<String>,
    revision: u64,
) -> MeshInfo {
    let mass = mesh.mass();
    match no_solid([topology.open_edges, topology.turned_edges]) {
        Some(why) => warnings.push(format!("{why}: its volume is that of no solid")),
        None if mass.volume < 0.0 => {
            let inwards = "the triangles of the mesh face inwards: its volume is negative";
            warnings.push(inwards.to_owned());
        }
        None => {}
    }
    let read = mesh.merged().map_or(topology, |merged| merged.topology());
    // The surfaces of an open mesh, or one that is inside out, enclose nothing.
    let shells = if topology.is_closed() && mass.volume > 0.0 {
        count_shells(mesh)
    } else {
        ShellCounts {
            pieces: topology.components,
            ..ShellCounts::default()
        }
    };
    MeshInfo {
        vertices: topology.vertices,
        triangles: mesh.triangles().len(),
        cells,
        cell: None,
        bounds: mesh.bounding_box().unwrap_or_default(),
        volume: mass.volume,
        area: mesh.area(),
        centre: mass.centre,
        closed: topology.is_closed() && read.is_closed(),
        manifold: topology.is_manifold() && read.is_manifold(),
        oriented: topology.is_oriented() && read.is_oriented(),
        degenerate_triangles: topology.degenerate_triangles,
        cutting_pairs: 0,
        components: shells.pieces,
        cavities: shells.cavities,
        cavity_volume: shells.cavity_volume,
        genus: topology.genus(),
        deviation: None,
        removed: None,
        warnings,
        revision,
    }
}

impl MeshMade {
    /// Writes the mesh.
    ///
    /// # Errors
    /// The errors of `to` and of [`files::write`]; [`InvalidInput`](std::io::ErrorKind::InvalidInput) if a reader of the
    /// format would find vertices at one place, and no manifold.
    pub fn write(&self, format: MeshFormat, to: &mut impl Write) -> std::io::Result<()> {
        check_read(&self.mesh, format)?;
        let (vertices, triangles) = (self.mesh.vertices(), self.mesh.triangles());
        let colors = self.colors.as_deref();
        files::write_colored(format, vertices, triangles, colors, self.unit.metres(), to)
    }
}

/// Rejects a mesh that a reader of a format would not find to be a manifold, though it is.
pub(crate) fn check_read(mesh: &TriangleMesh, format: MeshFormat) -> std::io::Result<()> {
    let Some(at) = mesh.touching().filter(|_| format.is_single()) else {
        return Ok(());
    };
    let label = format.label();
    let message = format!(
        "vertices near {at:?} are equal in the single precision of {label}, so that its readers would find no manifold; \
         move the shape closer to the origin, use larger cells, or write PLY, OBJ or 3MF"
    );
    Err(std::io::Error::new(
        std::io::ErrorKind::InvalidInput,
        message,
    ))
}

impl MeshMade {
    /// Simplifies the mesh, which is built `scale` times as large, as far as its accuracy allows.
    pub(crate) fn simplified_within(self, scale: f64, watch: ProgressFn<'_>) -> Result<MeshMade> {
        let Some(tolerance) = self.left.filter(|left| *left > 0.0) else {
            return Ok(self);
        };
        let simplify = Simplify {
            tolerance: Some(tolerance),
            triangles: None,
        };
        self.simplified(&simplify, scale, watch)
    }

    /// Simplifies the mesh, which is built `scale` times as large. Calls `watch` with the triangles removed and their total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`] if `watch` cancelled it.
    pub(crate) fn simplified(
        self,
        simplify: &Simplify,
        scale: f64,
        watch: ProgressFn<'_>,
    ) -> Result<MeshMade> {
        let triangles = simplify.triangles.unwrap_or(0) as usize;
        let simplified = simplify.apply(&self.mesh, triangles, scale, watch)?;
        let (mesh, before) = (simplified.mesh, self.info);
        let mut warnings = before.warnings;
        warnings.extend(simplify.target_warning(mesh.triangles().len()));
        let topology = mesh.topology();
        let mut info = mesh_info(&mesh, topology, before.cells, warnings, before.revision);
        info.cell = before.cell;
        info.deviation = Some(before.deviation.unwrap_or(0.0) + simplified.deviation * scale);
        info.cutting_pairs = simplified.cutting_pairs.len();
        Ok(MeshMade {
            info,
            mesh,
            colors: kept_colors(self.colors, &simplified.kept),
            ..self
        })
    }
}

impl From<MeshError> for Refusal {
    fn from(error: MeshError) -> Self {
        let details = match &error {
            MeshError::TooManyCells { passes, .. } | MeshError::TooManyTriangles { passes, .. } => {
                json!({ "cell": passes })
            }
            MeshError::Cancelled(_) => return Refusal::cancelled(),
            MeshError::Cell { .. }
            | MeshError::TooFar { .. }
            | MeshError::Empty { .. }
            | MeshError::Torn
            | MeshError::Explore(_)
            | MeshError::Mesh(_)
            | MeshError::Simplify(_) => return Refusal::new(error.code(), error.to_string()),
        };
        Refusal::new(error.code(), error.to_string()).details(details)
    }
}
