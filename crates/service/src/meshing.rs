//! Meshes of what is seen: what is made, what is told of it, and how it is written.

use std::cell::Cell;
use std::io::Write;
use std::ops::ControlFlow;

use fibula_core::graph::model::Unit;
use fibula_formats::mesh::{self as files, Format};
use fibula_geometry::picture::Light;
use fibula_geometry::{
    Bounds, Meshing, Shape, Topology, TriangleMesh, Unmeshable, colors, mesh, short,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::limits::{Limits, MESHED, Smaller};
use super::refusal::Refusal;
use super::sampling::beside;
use super::simplified::Simplify;
use super::subject::Seen;

/// How a mesh is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct MakeMesh {
    /// What is beyond is cut off; searched for if left out and not known.
    pub bounds: Option<Bounds>,
    /// The longest edge of a cell: details that are smaller are lost; a hundredth of the longest side if left out.
    pub cell: Option<f64>,
    /// The most triangles; [`Meshing::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// How far it is simplified, if it is.
    pub simplify: Option<Simplify>,
    /// How much it may take.
    pub limits: Limits,
}

/// What is told of a mesh. Lengths are in the unit of the project.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MeshInfo {
    /// How many vertices it has.
    pub vertices: usize,
    /// How many triangles.
    pub triangles: usize,
    /// How many cells there were along x, y and z.
    pub cells: [usize; 3],
    /// The low and the high corner of the least box around it.
    pub bounds: [[f64; 3]; 2],
    /// The volume inside.
    pub volume: f64,
    /// The area of the surface.
    pub area: f64,
    /// The centre of mass.
    pub centre: [f64; 3],
    /// Whether it has no holes.
    pub closed: bool,
    /// Whether every point of the surface has a neighbourhood like a disc.
    pub manifold: bool,
    /// Whether the triangles agree about the outside.
    pub oriented: bool,
    /// Triangles without an area.
    pub degenerate_triangles: usize,
    /// Parts that share no vertex.
    pub components: usize,
    /// How many holes go through them, together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub genus: Option<u64>,
    /// How far it is from the mesh as it was made, and that from it, at most; if it was simplified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deviation: Option<f64>,
    /// What should be known of it.
    pub warnings: Vec<String>,
    /// The revision that it was made of.
    pub revision: u64,
}

/// A mesh.
#[derive(Debug, Clone)]
pub struct MeshMade {
    /// What is told of it.
    pub info: MeshInfo,
    /// The mesh.
    pub mesh: TriangleMesh,
    /// The colours of its vertices, if it has some: red, green and blue of sRGB before its curve.
    pub colors: Option<Vec<Light>>,
    /// The unit of the project.
    pub(super) unit: Unit,
}

/// Makes a mesh of what is seen. `watch` is told how many cells of how many were looked at, then how many triangles are
/// gone, and may end it.
///
/// # Errors
/// A [`Refusal`]: what is wanted cannot be, nothing is inside, it has no bounds, the cells are too small, its limits
/// are passed, `watch` ended it.
pub fn make_mesh(
    seen: &Seen,
    request: &MakeMesh,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<MeshMade, Refusal> {
    if let Some(how) = &request.simplify {
        how.check()?;
    }
    let cell = Cell::new(f64::NAN);
    let limits = request.limits;
    limits.within(watch, coarser(&cell), |watch| {
        let Some(how) = &request.simplify else {
            return make(seen, request, 1.0, &cell, watch);
        };
        let made = make(seen, request, 1.0, &cell, &mut one_of(0, 2, watch))?;
        made.simplified(how, &mut one_of(1, 2, watch))
    })
}

/// The cell that would pass where only a part of the work was done in time.
pub(super) fn coarser(cell: &Cell<f64>) -> impl FnOnce(f64) -> Smaller {
    |far| {
        if cell.get().is_nan() {
            return ("a coarser mesh".to_owned(), json!({}));
        }
        // Time goes with the surface in cells.
        let passes = short(1.1 * cell.get() / far.sqrt());
        (format!("a cell of {passes}"), json!({ "cell": passes }))
    }
}

/// Tells of one of several works of which each takes as long.
pub(super) fn one_of(
    number: u64,
    of: u64,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> impl FnMut(u64, u64) -> ControlFlow<()> {
    move |done, total| {
        let before = number.saturating_mul(total);
        watch(before.saturating_add(done), of.saturating_mul(total))
    }
}

/// Makes a mesh as it is before it is simplified, of what is built `scale` times as large, and tells the cell that it
/// takes. Cells are as large as they are built.
pub(super) fn make(
    seen: &Seen,
    request: &MakeMesh,
    scale: f64,
    cell: &Cell<f64>,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<MeshMade, Refusal> {
    let unmade = |error: Unmeshable| Refusal::from(error.scaled(scale));
    let shape = Shape::new(&seen.tape)?;
    let bounds = seen.bounds_or(request.bounds, &shape, watch)?;
    let side = bounds.size().into_iter().fold(0.0, f64::max);
    let own = request.cell.map_or(side / 100.0, |cell| cell / scale);
    let mut meshing = Meshing::new(bounds, own);
    cell.set(meshing.cell * scale);
    if let Some(most) = request.most_triangles {
        meshing.most_triangles = most;
    }
    meshing.most_triangles = meshing.most_triangles.min(request.limits.triangles(MESHED));
    let total = meshing.cells().map_err(unmade)? as u64;
    let made = beside(total, watch, |progress| {
        let told = |done, _| progress.tell(done);
        let made = mesh(&shape, &meshing, &told)?;
        let still = |_, _| progress.tell(total);
        let at = |red| colors(&shape, red, made.mesh.vertices(), &still);
        let colors = seen.red().map(at).transpose()?;
        Ok::<_, Unmeshable>((made.mesh.topology(), made, colors))
    });
    let (topology, made, colors) = made.map_err(unmade)?;
    let mut warnings = seen.warnings.clone();
    if let Some(undefined) = made.undefined {
        warnings.push(undefined.to_string());
    }
    let mut info = measured(&made.mesh, topology, made.cells, warnings, seen.revision);
    if info.volume <= 0.0 {
        info.warnings.push(
            "the mesh encloses nothing: the shape is thinner than a cell; take smaller cells"
                .to_owned(),
        );
    }
    Ok(MeshMade {
        info,
        mesh: made.mesh,
        colors,
        unit: seen.unit,
    })
}

/// What is told of a mesh.
pub(super) fn measured(
    mesh: &TriangleMesh,
    topology: Topology,
    cells: [usize; 3],
    warnings: Vec<String>,
    revision: u64,
) -> MeshInfo {
    let mass = mesh.mass();
    MeshInfo {
        vertices: topology.vertices,
        triangles: mesh.triangles().len(),
        cells,
        bounds: mesh.bounding_box().unwrap_or_default(),
        volume: mass.volume,
        area: mesh.area(),
        centre: mass.centre,
        closed: topology.is_closed(),
        manifold: topology.is_manifold(),
        oriented: topology.is_oriented(),
        degenerate_triangles: topology.degenerate_triangles,
        components: topology.components,
        genus: topology.genus(),
        deviation: None,
        warnings,
        revision,
    }
}

impl MeshMade {
    /// Writes the mesh.
    ///
    /// # Errors
    /// What `to` fails with, and what [`files::write`] says.
    pub fn write(&self, format: Format, to: &mut impl Write) -> std::io::Result<()> {
        let (vertices, triangles) = (self.mesh.vertices(), self.mesh.triangles());
        let colors = self.colors.as_deref();
        files::write_colored(format, vertices, triangles, colors, self.unit.metres(), to)
    }
}

impl From<Unmeshable> for Refusal {
    fn from(error: Unmeshable) -> Self {
        let details = match &error {
            Unmeshable::TooManyCells { passes, .. }
            | Unmeshable::TooManyTriangles { passes, .. } => json!({ "cell": passes }),
            Unmeshable::Cancelled(_) => return Refusal::cancelled(),
            Unmeshable::Cell { .. }
            | Unmeshable::TooFar { .. }
            | Unmeshable::Empty { .. }
            | Unmeshable::Torn
            | Unmeshable::Unexplorable(_)
            | Unmeshable::Mesh(_) => return Refusal::new(error.code(), error.to_string()),
        };
        Refusal::new(error.code(), error.to_string()).details(details)
    }
}
