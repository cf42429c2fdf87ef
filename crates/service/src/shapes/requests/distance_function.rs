//! Functions that return the signed distance to a shape, where the values of its expression are only negative inside.
//!
//! The shape is meshed within an accuracy, and the function measures the distance to its triangles, in a bounding volume
//! hierarchy. 3MF has a node for that. The knowledge graph tells of which shape it is the distance, so that a change of
//! the shape is noticed.

use fibula_3mf::MeshData;
use fibula_core::edit::Stage;
use fibula_core::graph::model::Body;
use fibula_core::graph::{Content, Document, FunctionId};
use fibula_geometry::TriangleMesh;
use fibula_nodes::{Query, ResourceId};
use serde_json::json;

use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::digits::seven_digits;
use crate::functions::{CreateFunctionFromExpression, library};
use crate::knowledge::{DistanceField, fingerprint};
use crate::project::resources::reachable;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::meshing::{MakeMesh, MeshMade, make_mesh};
use crate::shapes::subject::ResolvedShape;

json_structs! {
    /// How exact a distance is.
    pub request(Default) struct DistanceOptions {
        /// Maximum error; default: a thousandth of the size.
        pub accuracy: Option<f64>,
        /// Clips to [[x, y, z], [x, y, z]].
        #[schemars(with = "Option<Vec<Vec<f64>>>")]
        pub bounds: Option<[[f64; 3]; 2]>,
        /// Seconds; default 45.
        pub time_limit: Option<f64>,
    }

    /// The distance that a function returns.
    pub answer(Default) struct DistanceMade {
        /// Greatest error of the distance.
        pub error: f64,
        /// The mesh whose distance it is.
        pub mesh_id: u32,
        pub triangles: usize,
        pub bounds: [[f64; 3]; 2],
        pub unit: &'static str,
        /// How far the values of the expression are from the distance at most, at points in and around the box.
        pub values_off: Option<f64>,
    }
}

impl Service {
    /// Meshes the shape of an expression. Calls `watch` with the progress and its total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`] if the expression is invalid, its shape cannot be meshed as by [`make_mesh`], or the function to replace
    /// is part of it.
    pub(super) fn mesh_for_distance(
        &self,
        request: &CreateFunctionFromExpression,
        options: &DistanceOptions,
        watch: ProgressFn<'_>,
    ) -> Result<(DistanceField, DistanceMade, Vec<String>)> {
        let project = request.project.as_deref();
        let snapshot = self.snapshot_at(project, None)?;
        let document = &snapshot.document;
        let id = document.next_id_beside(request.function_id)?;
        let refers_to = references(document, request, id)?;
        check_replaced(document, &refers_to, request.function_id)?;
        let look = ShapeQuery {
            project: request.project.clone(),
            revision: Some(snapshot.head.revision),
            function_id: Some(id),
            bounds: options.bounds,
            time_limit: options.time_limit,
            ..ShapeQuery::default()
        };
        let edit = json!({ "create_function_from_expression": {
            "function_id": id,
            "name": request.name,
            "expression": request.expression,
            "arguments": request.arguments,
            "outputs": request.outputs,
        } });
        let resolved = look.resolve(self, None, true, &[edit])?;
        let making = MakeMesh {
            bounds: look.bounds()?,
            accuracy: options.accuracy,
            limits: look.limits()?,
            ..MakeMesh::default()
        };
        let MeshMade { info, mesh, .. } = make_mesh(&resolved, &making, watch)?;
        let error = info
            .deviation
            .expect("a mesh of a function has an accuracy");
        let made = DistanceMade {
            error: seven_digits(error),
            mesh_id: 0,
            triangles: mesh.triangles().len(),
            bounds: info.bounds.map(|corner| corner.map(seven_digits)),
            unit: resolved.unit.name(),
            values_off: values_off(&resolved, &mesh)?.map(seven_digits),
        };
        let (vertices, triangles) = mesh.into_parts();
        let data = MeshData::new(vertices, triangles);
        let bytes = data.to_bytes();
        let field = DistanceField {
            expression: request.expression.clone(),
            fingerprint: fingerprint(document, &refers_to).unwrap_or_default(),
            refers_to,
            body: Body::Mesh(data.body(&bytes)),
            bytes,
            error,
        };
        Ok((field, made, info.warnings))
    }
}

/// Functions and resources of the document that an expression refers to.
fn references(
    document: &Document,
    request: &CreateFunctionFromExpression,
    id: FunctionId,
) -> Result<Vec<ResourceId>> {
    let mut stage = Stage::new(document);
    library::put_expression(&mut stage, &request.clone().into_request(), Some(id))?;
    let function = stage.document().function(id)?;
    let mut ids: Vec<ResourceId> = function.references().map(|(id, ..)| id).collect();
    // Those of the library that are inserted do not change.
    ids.retain(|id| {
        document.resource(*id).is_some() || document.find_function((*id).into()).is_some()
    });
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Refuses to replace a function that the shape depends on: it would be the distance of itself.
fn check_replaced(
    document: &Document,
    refers_to: &[ResourceId],
    replaced: Option<FunctionId>,
) -> Result<()> {
    let Some(replaced) = replaced.map(ResourceId::from) else {
        return Ok(());
    };
    if !reachable(document, refers_to.iter().copied()).contains(&replaced) {
        return Ok(());
    }
    let noun = document.noun(replaced);
    let noun = noun.unwrap_or_else(|| format!("function {replaced}"));
    let message = format!("{noun} is part of the shape whose distance it would become");
    Err(Refusal::new("invalid_arguments", message)
        .hint("omit function_id to create another function"))
}

/// Greatest difference of the values of a shape from the distance to its mesh, on a grid in a box that is larger than the
/// mesh by a quarter; `None` if none are finite.
fn values_off(resolved: &ResolvedShape, mesh: &TriangleMesh) -> Result<Option<f64>> {
    const POINTS: usize = 12;
    let Some([low, high]) = mesh.bounding_box() else {
        return Ok(None);
    };
    let oracle = mesh.clone().into_oracle();
    let oracle = oracle.map_err(|error| Refusal::new(error.code(), error.to_string()))?;
    let Some(distance) = oracle.oracle(Query::SignedDistance) else {
        return Ok(None);
    };
    let at = |axis: usize, index: usize| {
        let share = (index as f64 + 0.5) / POINTS as f64;
        low[axis] + (high[axis] - low[axis]) * (1.25 * share - 0.125)
    };
    let points = (0..POINTS.pow(3)).map(|number| {
        [
            at(0, number % POINTS),
            at(1, number / POINTS % POINTS),
            at(2, number / POINTS / POINTS),
        ]
    });
    let off = points.map(|point| (resolved.tape.at(point)[0] - distance.sample(point, 0)).abs());
    Ok(off.filter(|off| off.is_finite()).reduce(f64::max))
}
