//! Meshes of what is seen: what is made, what is told of it, and how it is written.

use std::io::Write;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::limits::Limits;
use super::refusal::Refusal;
use super::sampling::beside;
use super::subject::Seen;
use crate::format::mesh::{self as files, Format};
use crate::geometry::picture::Light;
use crate::geometry::{Bounds, Meshing, Shape, TriangleMesh, Unmeshable, colors, mesh, short};

/// How a mesh is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct MakeMesh {
    /// What is beyond is cut off; searched for if left out and not known.
    pub bounds: Option<Bounds>,
    /// The longest edge of a cell: details that are smaller are lost; a hundredth of the longest side if left out.
    pub cell: Option<f64>,
    /// The most triangles; [`Meshing::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// How much it may take.
    pub limits: Limits,
}

/// About how many bytes a triangle takes while a mesh is made.
const TRIANGLE: u64 = 150;

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
    /// How long the unit of the project is.
    metres: f64,
}

/// Makes a mesh of what is seen. `watch` is told how many cells of how many were looked at, and may end it.
///
/// # Errors
/// A [`Refusal`]: nothing is inside, it has no bounds, the cells are too small, its limits are passed, `watch` ended it.
pub fn make_mesh(
    seen: &Seen,
    request: &MakeMesh,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<MeshMade, Refusal> {
    let cell = std::cell::Cell::new(f64::NAN);
    let coarser = |far: f64| {
        // Time goes with the surface in cells.
        let passes = short(1.1 * cell.get() / far.sqrt());
        (format!("a cell of {passes}"), json!({ "cell": passes }))
    };
    let limits = request.limits;
    limits.within(watch, coarser, |watch| make(seen, request, &cell, watch))
}

fn make(
    seen: &Seen,
    request: &MakeMesh,
    cell: &std::cell::Cell<f64>,
    watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<MeshMade, Refusal> {
    let shape = Shape::new(&seen.tape)?;
    let bounds = seen.bounds_or(request.bounds, &shape, watch)?;
    let side = bounds.size().into_iter().fold(0.0, f64::max);
    let mut meshing = Meshing::new(bounds, request.cell.unwrap_or(side / 100.0));
    cell.set(meshing.cell);
    if let Some(most) = request.most_triangles {
        meshing.most_triangles = most;
    }
    let in_memory = request
        .limits
        .memory
        .map_or(u64::MAX, |most| most / TRIANGLE);
    meshing.most_triangles = meshing.most_triangles.min(in_memory);
    let total = meshing.cells()? as u64;
    let made = beside(total, watch, |progress| {
        let told = |done, _| progress.tell(done);
        let made = mesh(&shape, &meshing, &told)?;
        let still = |_, _| progress.tell(total);
        let at = |red| colors(&shape, red, made.mesh.vertices(), &still);
        let colors = seen.red().map(at).transpose()?;
        Ok::<_, Unmeshable>((made.mesh.topology(), made, colors))
    });
    let (topology, made, colors) = made?;
    let mass = made.mesh.mass();
    let mut warnings = seen.warnings.clone();
    if let Some(undefined) = made.undefined {
        warnings.push(format!(
            "the function is undefined at {} of the samples near its surface, such as {:?}; they count as outside",
            undefined.samples, undefined.at
        ));
    }
    if mass.volume <= 0.0 {
        warnings.push(
            "the mesh encloses nothing: the shape is thinner than a cell; take smaller cells"
                .to_owned(),
        );
    }
    let info = MeshInfo {
        vertices: topology.vertices,
        triangles: made.mesh.triangles().len(),
        cells: made.cells,
        bounds: made.mesh.bounding_box().unwrap_or_default(),
        volume: mass.volume,
        area: made.mesh.area(),
        centre: mass.centre,
        closed: topology.is_closed(),
        manifold: topology.is_manifold(),
        oriented: topology.is_oriented(),
        degenerate_triangles: topology.degenerate_triangles,
        components: topology.components,
        genus: topology.genus(),
        warnings,
        revision: seen.revision,
    };
    Ok(MeshMade {
        info,
        mesh: made.mesh,
        colors,
        metres: seen.unit.metres(),
    })
}

impl MeshMade {
    /// Writes the mesh.
    ///
    /// # Errors
    /// What `to` fails with, and what [`files::write`] says.
    pub fn write(&self, format: Format, to: &mut impl Write) -> std::io::Result<()> {
        let (vertices, triangles) = (self.mesh.vertices(), self.mesh.triangles());
        let colors = self.colors.as_deref();
        files::write_colored(format, vertices, triangles, colors, self.metres, to)
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
