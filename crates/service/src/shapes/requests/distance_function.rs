//! Functions that return the signed distance to a shape, where the values of its expression are only negative inside.
//!
//! The shape is meshed within an accuracy, and the function measures the distance to its triangles, in a bounding volume
//! hierarchy. 3MF has a node for that. The knowledge graph tells of which shape it is the distance, so that a change of
//! the shape is noticed.

use std::sync::Arc;

use fibula_3mf::MeshData;
use fibula_core::edit::Stage;
use fibula_core::graph::model::Body;
use fibula_core::graph::{Content, Document, Function, FunctionId};
use fibula_geometry::{Bounds, TriangleMesh};
use fibula_nodes::{Oracle, Query, ResourceId, Type};
use serde::Serialize;
use serde_json::json;

use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::digits::seven_digits;
use crate::functions::{CreateFunctionFromExpression, library};
use crate::knowledge::{DistanceField, fingerprint};
use crate::project::change::CommitOptions;
use crate::project::resources::reachable;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::accuracy::ACCURACY;
use crate::shapes::meshing::{MakeMesh, MeshMade, make_mesh};
use crate::shapes::subject::ResolvedShape;

json_structs! {
    /// How exact a distance is.
    pub request(Default, Serialize) struct DistanceOptions {
        /// Maximum error; default: a thousandth of the size.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub accuracy: Option<f64>,
        /// Clips to [[x, y, z], [x, y, z]].
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "Option<Vec<Vec<f64>>>")]
        pub bounds: Option<[[f64; 3]; 2]>,
        /// Seconds; default 45.
        #[serde(skip_serializing_if = "Option::is_none")]
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
        /// False if the values of the expression are the distance already, within the error.
        pub is_needed: bool,
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
        let condition = CommitOptions::new(request.expected_revision, request.dry_run);
        self.project(project)?.check_options(condition)?;
        let snapshot = self.snapshot_at(project, None)?;
        let document = &snapshot.document;
        let id = document.next_id_beside(request.function_id)?;
        let tried = document_with_expression(document, request, id)?;
        let function = tried.function(id)?;
        let shape = ShapePorts::of(function);
        let refers_to = references(document, function);
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
        let resolved = look.resolve(self, None, true, &[edit]);
        let resolved = resolved.map_err(|refusal| about_expression(refusal, request, id))?;
        let making = MakeMesh {
            bounds: look.bounds()?,
            accuracy: options.accuracy,
            limits: look.limits()?,
            ..MakeMesh::default()
        };
        let meshed = make_mesh(&resolved, &making, watch);
        let meshed = meshed.map_err(|refusal| about_expression(refusal, request, id))?;
        let MeshMade {
            info, mesh, missed, ..
        } = meshed;
        let distance = distance_to(&mesh)?;
        let measured = info.deviation;
        let mut error = measured.expect("a mesh of a function has an accuracy");
        let mut warnings = info.warnings;
        if warnings
            .iter()
            .any(|warning| warning.contains("smaller cells"))
        {
            warnings.push(
                "the cells follow from the accuracy: pass distance with a smaller one".to_owned(),
            );
        }
        warnings.extend(shape.omission_warning(function));
        if let Some(at) = missed {
            error = error.max(distance.sample(at, 0).abs());
            warnings.push(
                "the distance is wrong near what is missing; the error is that of the place above, and may be larger at \
                 others: use a smaller accuracy, or bounds around a part"
                    .to_owned(),
            );
        }
        let values = Comparison::new(&resolved, &*distance, info.bounds, making.bounds);
        if let Some((off, [x, y, z])) = values.wrong_side.filter(|(off, _)| *off > error) {
            warnings.push(format!(
                "the mesh lacks a part of the shape: at [{x:.4}, {y:.4}, {z:.4}] the distance is off by at least {off:.2e}; use a \
                 smaller accuracy"
            ));
            error = off;
        }
        // That of the mesh warned of itself.
        if measured.is_none_or(|measured| error > measured) {
            warnings.extend(default_accuracy_warning(options, error, info.bounds));
        }
        let is_exact = resolved.distance_errors.is_empty();
        let made = DistanceMade {
            error: seven_digits(error),
            mesh_id: 0,
            triangles: mesh.triangles().len(),
            bounds: info.bounds.map(|corner| corner.map(seven_digits)),
            unit: resolved.unit.name(),
            values_off: values.off.map(seven_digits),
            is_needed: !is_exact || values.off.is_none_or(|off| off > error),
        };
        let (vertices, triangles) = mesh.into_parts();
        let data = MeshData::new(vertices, triangles);
        let bytes = data.to_bytes();
        let field = DistanceField {
            expression: request.expression.clone(),
            fingerprint: fingerprint(document, &refers_to).unwrap_or_default(),
            refers_to,
            arguments: request.arguments.clone(),
            outputs: request.outputs.clone(),
            point: shape.point,
            output: shape.output,
            options: json!(options),
            body: Body::Mesh(data.body(&bytes)),
            bytes,
            error,
        };
        Ok((field, made, warnings))
    }
}

/// A refusal whose text names the expression instead of the function that was tried, and the options of a distance.
fn about_expression(
    refusal: Refusal,
    request: &CreateFunctionFromExpression,
    id: FunctionId,
) -> Refusal {
    let tried = format!("function {id} '{}'", request.name);
    let message = refusal.message.replace(&tried, "the expression");
    let refusal = Refusal { message, ..refusal };
    match refusal.code {
        "missing_argument" => refusal.hint("give each input beside pos a default: a distance depends on pos only"),
        "timed_out" | "too_large" | "unresolved" => refusal.hint(
            "pass distance with a larger accuracy, a longer time_limit, or bounds around a part of the shape",
        ),
        _ => refusal,
    }
}

/// Warning if the error exceeds the accuracy by default.
fn default_accuracy_warning(
    options: &DistanceOptions,
    error: f64,
    [low, high]: [[f64; 3]; 2],
) -> Option<String> {
    let sides = (0..3).map(|axis| high[axis] - low[axis]);
    let wanted = ACCURACY * sides.fold(0.0, f64::max);
    // The default is a goal, which a few percent more do not miss.
    (options.accuracy.is_none() && error > 1.5 * wanted).then(|| {
        format!(
            "the error of {error:.2e} is larger than a thousandth of the size; pass distance with an accuracy, or bounds \
             around a part"
        )
    })
}

/// The document with the function of the expression.
fn document_with_expression(
    document: &Document,
    request: &CreateFunctionFromExpression,
    id: FunctionId,
) -> Result<Document> {
    let mut stage = Stage::new(document);
    library::put_expression(&mut stage, &request.clone().into_request(), Some(id))?;
    Ok(stage.document().clone())
}

/// The ports of a shape that its distance has, too.
struct ShapePorts {
    /// Name of the input that is the point.
    point: String,
    /// Name of the output that is negative inside.
    output: String,
}

impl ShapePorts {
    fn of(function: &Function) -> ShapePorts {
        let inputs = function.inputs().into_iter();
        let mut points = inputs.filter(|input| input.ty == Type::Float3);
        let point = points.find(|input| input.name == "pos" || input.default_value().is_none());
        let outputs = function.outputs().into_iter();
        let mut floats = outputs.filter(|output| output.ty == Type::Float);
        ShapePorts {
            point: point.map_or_else(|| "pos".to_owned(), |input| input.name),
            output: floats
                .next()
                .map_or_else(|| "distance".to_owned(), |output| output.name),
        }
    }

    /// Warning about what the distance lacks of the function of its expression.
    fn omission_warning(&self, function: &Function) -> Option<String> {
        let outputs = function.outputs().into_iter().map(|output| output.name);
        let outputs: Vec<String> = outputs.filter(|name| *name != self.output).collect();
        let inputs = function.inputs().into_iter();
        let inputs = inputs.filter(|input| input.default_value().is_some());
        let inputs: Vec<String> = inputs.map(|input| input.name).collect();
        let parameters = function.named_constants();
        let parameters: Vec<String> = parameters.map(|one| one.name.to_owned()).collect();
        let omitted = [
            ("without the outputs", outputs),
            ("for the defaults of", inputs),
            ("with the parameters fixed:", parameters),
        ];
        let omitted: Vec<String> = omitted
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what} {}", names.join(", ")))
            .collect();
        (!omitted.is_empty()).then(|| {
            format!(
                "the distance is that of the shape {}; to keep them, create the shape as a function, and pass its call as the \
                 expression",
                omitted.join(", ")
            )
        })
    }
}

/// Functions and resources of the document that a function refers to.
fn references(document: &Document, function: &Function) -> Vec<ResourceId> {
    let mut ids: Vec<ResourceId> = function.references().map(|(id, ..)| id).collect();
    // Those of the library that are inserted do not change.
    ids.retain(|id| {
        document.resource(*id).is_some() || document.find_function((*id).into()).is_some()
    });
    ids.sort_unstable();
    ids.dedup();
    ids
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

/// The distance to a mesh.
fn distance_to(mesh: &TriangleMesh) -> Result<Arc<dyn Oracle>> {
    let content = mesh.clone().into_oracle();
    let content = content.map_err(|error| Refusal::new(error.code(), error.to_string()))?;
    let distance = content.oracle(Query::SignedDistance);
    Ok(distance.expect("a mesh has a distance"))
}

/// Comparison of the values of a shape with the distance to its mesh, on a grid in a box that is larger than the mesh by a
/// quarter.
struct Comparison {
    /// Greatest difference; `None` if no value is finite.
    off: Option<f64>,
    /// Greatest distance at a point that is on the other side of the shape's surface, with the point.
    wrong_side: Option<(f64, [f64; 3])>,
}

impl Comparison {
    fn new(
        resolved: &ResolvedShape,
        distance: &dyn Oracle,
        [low, high]: [[f64; 3]; 2],
        clip: Option<Bounds>,
    ) -> Self {
        const POINTS: usize = 16;
        let at = |axis: usize, index: usize| {
            let share = (index as f64 + 0.5) / POINTS as f64;
            low[axis] + (high[axis] - low[axis]) * (1.25 * share - 0.125)
        };
        let mut compared = Comparison {
            off: None,
            wrong_side: None,
        };
        for number in 0..POINTS.pow(3) {
            let point = [
                at(0, number % POINTS),
                at(1, number / POINTS % POINTS),
                at(2, number / POINTS / POINTS),
            ];
            let value = resolved.tape.at(point)[0];
            // The shape is cut off at the bounds.
            let value = clip.map_or(value, |clip| value.max(distance_to_box(&clip, point)));
            let distance = distance.sample(point, 0);
            let off = (value - distance).abs();
            if off.is_finite() && compared.off.is_none_or(|most| off > most) {
                compared.off = Some(off);
            }
            let is_wrong = value != 0.0 && (value < 0.0) != (distance < 0.0) && !value.is_nan();
            let most = compared.wrong_side.map_or(0.0, |(most, _)| most);
            if is_wrong && distance.abs() > most {
                compared.wrong_side = Some((distance.abs(), point));
            }
        }
        compared
    }
}

/// Signed distance to a box, negative inside.
fn distance_to_box(bounds: &Bounds, point: [f64; 3]) -> f64 {
    let (low, high) = (bounds.low(), bounds.high());
    let beyond: [f64; 3] =
        std::array::from_fn(|axis| (low[axis] - point[axis]).max(point[axis] - high[axis]));
    let outside = beyond.map(|one| one.max(0.0));
    let inside = beyond.into_iter().fold(f64::NEG_INFINITY, f64::max);
    fibula_core::vector::length(outside) + inside.min(0.0)
}
