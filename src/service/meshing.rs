//! Meshes of functions: what is made, what is told of it, and how it is written.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::json;

use super::Service;
use super::refusal::Refusal;
use super::sampling::beside;
use super::tapes::Key;
use crate::format::mesh::{self as files, Format};
use crate::geometry::{Bounds, Meshing, TriangleMesh, Unmeshable, mesh};
use crate::graph::FunctionId;

/// A function that becomes a mesh.
#[derive(Debug, Clone)]
pub struct MakeMesh {
    /// Left out: "default".
    pub project: Option<String>,
    /// The function: of one float3 or three floats, the coordinates of a place.
    pub function_id: FunctionId,
    /// The output that is negative inside; the first if left out.
    pub output: Option<String>,
    /// What is beyond is cut off.
    pub bounds: Bounds,
    /// The longest edge of a cell: details that are smaller are lost.
    pub cell: f64,
    /// The most triangles; [`Meshing::MOST_TRIANGLES`] if left out.
    pub most_triangles: Option<u64>,
    /// As of this revision.
    pub revision: Option<u64>,
}

/// What is told of a mesh. Lengths are in the unit of the project.
#[derive(Debug, Clone, PartialEq, Serialize)]
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
    pub genus: Option<u64>,
    /// What should be known of it.
    pub warnings: Vec<String>,
    /// The revision that it was made of.
    pub revision: u64,
}

/// A mesh of a function.
#[derive(Debug, Clone)]
pub struct MeshMade {
    /// What is told of it.
    pub info: MeshInfo,
    /// The mesh.
    pub mesh: TriangleMesh,
    /// How long the unit of the project is.
    metres: f64,
}

impl Service {
    /// Makes a mesh of a function. `watch` is told how many cells of how many were looked at, and may end it.
    ///
    /// # Errors
    /// A [`Refusal`]: the function is unknown, cannot be evaluated or is no shape, nothing is inside, the cells are too
    /// small, `watch` ended it.
    pub fn make_mesh(
        &self,
        request: &MakeMesh,
        watch: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Result<MeshMade, Refusal> {
        let project = self.project(request.project.as_deref())?;
        let snapshot = project.at(request.revision)?;
        let key = Key {
            head: snapshot.head,
            function: request.function_id,
            outputs: request.output.clone().map(|output| vec![output]),
            statics: BTreeMap::new(),
        };
        let tape = project.tape(&snapshot, &key)?;
        let mut meshing = Meshing::new(request.bounds, request.cell);
        if let Some(most) = request.most_triangles {
            meshing.most_triangles = most;
        }
        let total = meshing.cells()? as u64;
        let made = beside(total, watch, |progress| {
            let made = mesh(&tape, &meshing, &|done, _| progress.tell(done))?;
            Ok::<_, Unmeshable>((made.mesh.topology(), made))
        });
        let (topology, made) = made?;
        let mass = made.mesh.mass();
        let mut warnings = Vec::new();
        if let Some(undefined) = made.undefined {
            warnings.push(format!(
                "the function is undefined at {} of the samples near its surface, such as {:?}; they count as outside",
                undefined.samples, undefined.at
            ));
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
            revision: snapshot.head.revision,
        };
        Ok(MeshMade {
            info,
            mesh: made.mesh,
            metres: snapshot.document.model().info().unit.metres(),
        })
    }
}

impl MeshMade {
    /// Writes the mesh.
    ///
    /// # Errors
    /// What `to` fails with, and what [`files::write`] says.
    pub fn write(&self, format: Format, to: &mut impl Write) -> std::io::Result<()> {
        let (vertices, triangles) = (self.mesh.vertices(), self.mesh.triangles());
        files::write(format, vertices, triangles, self.metres, to)
    }
}

impl From<Unmeshable> for Refusal {
    fn from(error: Unmeshable) -> Self {
        let details = match &error {
            Unmeshable::TooManyCells { passes, .. }
            | Unmeshable::TooManyTriangles { passes, .. } => json!({ "cell": passes }),
            Unmeshable::Cancelled(_) => return Refusal::cancelled(),
            Unmeshable::Inputs { .. }
            | Unmeshable::Output { .. }
            | Unmeshable::Cell { .. }
            | Unmeshable::TooFar { .. }
            | Unmeshable::Empty { .. }
            | Unmeshable::Torn
            | Unmeshable::Unexplorable(_)
            | Unmeshable::Mesh(_) => return Refusal::new(error.code(), error.to_string()),
        };
        Refusal::new(error.code(), error.to_string()).details(details)
    }
}
