//! Bounding box and volume of an object: exact for closed meshes whose triangles face one way, measured on a grid for all others.

use std::ops::ControlFlow;
use std::time::Instant;

use fibula_core::graph::model::MeshBody;
use fibula_geometry::Figure;
use fibula_nodes::ResourceId;

use crate::background::ProgressFn;
use crate::project::change::Snapshot;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::figures::round_figure;
use crate::shapes::limits::Limits;
use crate::shapes::measuring::{Measure, measure};
use crate::shapes::parts::mesh_body;
use crate::shapes::placed_meshes::is_summable;
use crate::shapes::subject::Subject;

/// Maximum number of triangles of a mesh whose volume is computed from its triangles.
const MOST_TRIANGLES: u32 = 20_000_000;
/// Memory limit in bytes.
const MEMORY: u64 = 1 << 30;

/// Bounding box and volume of an object, in the unit of the project and its cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ObjectMeasures {
    /// Minimum and maximum corner, with the digits that their error allows.
    pub(crate) bounds: [[f64; 3]; 2],
    /// With the digits that its error allows.
    pub(crate) volume: f64,
}

impl Service {
    /// Measures an object of a snapshot of a project, for at most `seconds`. Calls `watch` with the progress and its
    /// total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`] if the object has no inside, cannot be evaluated, or the time is over.
    pub(crate) fn measure_object(
        &self,
        project: Option<&str>,
        snapshot: &Snapshot,
        object: ResourceId,
        seconds: f64,
        watch: ProgressFn<'_>,
    ) -> Result<ObjectMeasures> {
        let started = Instant::now();
        let left = || seconds - started.elapsed().as_secs_f64();
        let timed_out = || Refusal::new("timed_out", "the time limit is reached");
        let mesh = mesh_body(&snapshot.document, object);
        if let Some(mesh) = mesh.filter(|mesh| mesh.triangles <= MOST_TRIANGLES) {
            let mut within = |done, total| {
                if left() > 0.0 {
                    watch(done, total)
                } else {
                    ControlFlow::Break(())
                }
            };
            match self.measure_triangles(project, snapshot, mesh, &mut within) {
                Ok(Some(measures)) => return Ok(measures),
                Ok(None) => {}
                Err(_) if left() <= 0.0 => return Err(timed_out()),
                Err(refusal) => return Err(refusal),
            }
        }
        let subject = Subject {
            object_id: Some(object),
            plain: true,
            ..Subject::default()
        };
        let resolved = self.resolve_shape(project, Some(snapshot.head.revision), &subject)?;
        let left = left();
        if left <= 0.0 {
            return Err(timed_out());
        }
        let settings = Measure {
            limits: Limits {
                time: Some(left),
                memory: Some(MEMORY),
            },
            figures: Some(["bounds", "volume"].map(str::to_owned).to_vec()),
            ..Measure::default()
        };
        let measured = measure(&resolved, &settings, watch)?.measures;
        let Figure { value, error } = measured.bounds;
        let rounded = |value| round_figure(Figure { value, error }).value;
        Ok(ObjectMeasures {
            bounds: value.map(|corner| corner.map(rounded)),
            volume: round_figure(measured.volume).value,
        })
    }

    /// Measures the triangles of a closed mesh; `None` if they do not enclose a volume.
    fn measure_triangles(
        &self,
        project: Option<&str>,
        snapshot: &Snapshot,
        body: &MeshBody,
        watch: ProgressFn<'_>,
    ) -> Result<Option<ObjectMeasures>> {
        let mesh = self.triangles(project, snapshot, body.content)?;
        let volume = mesh.mass().volume;
        let bounds = body.bounds.filter(|_| volume > 0.0);
        let topology = mesh.topology();
        let bounds = bounds.filter(|_| topology.is_closed() && topology.turned_edges == 0);
        let is_summable = bounds.is_some() && is_summable(&mesh, watch)?;
        let bounds = bounds.filter(|_| is_summable);
        Ok(bounds.map(|bounds| ObjectMeasures { bounds, volume }))
    }
}
