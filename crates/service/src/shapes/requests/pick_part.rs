//! Picking: the point of a part that a pixel of its picture shows, or that a ray meets, and the node that decides there.

use fibula_core::eval::{Reason, explain};
use fibula_core::graph::{Document, FunctionId, NodeId};
use fibula_geometry::Shape;
use fibula_geometry::picture::{Face, Ray, normal};
use fibula_nodes::node::Family;
use fibula_nodes::{Type, Value, catalogue};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::render_part::{RenderPart, SectionPlanes};
use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::evaluation::arguments;
use crate::refusal::{Refusal, Result};
use crate::service::Service;
use crate::shapes::render::{ViewName, Views};

/// Maximum number of nodes of the explanation.
const MOST_REASONS: usize = 40;

json_structs! {
    /// Pixel of a picture, a ray or a point at which a part is picked.
    pub request(Default) struct PickPart {
        /// The subject.
        #[serde(flatten)]
        pub look: ShapeQuery,
        /// Camera position of the picture; default "iso".
        pub view: Option<ViewName>,
        /// Instead of view: degrees from x towards y, and above the ground.
        #[schemars(with = "Option<Vec<f64>>")]
        pub orbit: Option<[f64; 2]>,
        /// Field of view in degrees.
        pub perspective: Option<f64>,
        /// Factor, such as 2.
        pub zoom: Option<f64>,
        /// Clips everything nearer: {"x": 0}.
        pub section: SectionPlanes = default,
        /// Size of the picture; default [512, 512].
        #[schemars(with = "Option<Vec<u32>>")]
        pub size: Option<[usize; 2]>,
        /// Pixel of the picture, [x, y] from the upper left corner.
        #[schemars(with = "Option<Vec<f64>>")]
        pub pixel: Option<[f64; 2]>,
        /// Or a ray, whatever the picture shows.
        pub ray: Option<PickRay>,
        /// Or the point itself, such as one of a slice.
        #[schemars(with = "Option<Vec<f64>>")]
        pub point: Option<[f64; 3]>,
    }

    /// The place where a ray meets the part, or the point.
    pub answer struct PartPicked {
        pub success: bool,
        /// False if the ray meets nothing; then nothing else is known.
        pub hit: bool,
        /// The point.
        pub point: Option<[f64; 3]>,
        /// Unit normal, away from the material.
        pub normal: Option<[f64; 3]>,
        /// Distance from the start of the ray.
        pub distance: Option<f64>,
        /// Kind of face.
        pub face: Option<PickedFace>,
        /// Value of the part's function at the point, 0 or slightly less at the surface.
        pub value: Option<f64>,
        /// The node that decides the value at the point, of a function.
        pub node: Option<PickedNode>,
        /// The nodes on the way to the value, from the output down.
        #[schemars(with = "Option<Vec<PickedNode>>")]
        pub why: Vec<PickedNode> = [],
        pub unit: &'static str,
        pub warnings: Vec<String> = [],
        pub revision: u64,
    }

    /// A node on the way to a value.
    pub answer(PartialEq) struct PickedNode {
        pub function_id: FunctionId,
        pub node_id: NodeId,
        pub node_type: &'static str,
        pub display_name: Option<String>,
        /// Port, and its value at the point.
        pub port: String,
        pub value: Json,
    }
}

/// A ray.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PickRay {
    /// Its first point, [x, y, z].
    #[schemars(with = "Vec<f64>")]
    pub origin: [f64; 3],
    /// Its direction, of any length.
    #[schemars(with = "Vec<f64>")]
    pub direction: [f64; 3],
}

/// Kind of face that was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PickedFace {
    /// The surface of the part.
    Surface,
    /// Material that a section cuts.
    Section,
    /// Material that the bounds cut.
    Bounds,
}

impl From<Face> for PickedFace {
    fn from(face: Face) -> Self {
        match face {
            Face::Surface => PickedFace::Surface,
            Face::Section => PickedFace::Section,
            Face::Bounds => PickedFace::Bounds,
        }
    }
}

impl Service {
    /// Returns the point of a part that a pixel of its picture shows, or that a ray meets first, with the normal, and for a
    /// function the node that decides there. Calls `watch` with the progress and its total; it may cancel the work.
    ///
    /// # Errors
    /// A [`Refusal`], as [`render_part`](Self::render_part); `invalid_arguments` unless either a pixel or a ray is given.
    pub fn pick_part(&self, request: &PickPart, watch: ProgressFn<'_>) -> Result<PartPicked> {
        request.check()?;
        let picture = request.picture();
        let settings = picture.request()?;
        let resolved = picture.look.resolve(self, None, true, &[])?;
        let shape = Shape::new(&resolved.tape)?;
        let bounds = resolved.bounds_or(settings.bounds, &shape, watch)?;
        let (place, sections) = match settings.views {
            Views::One(camera) => {
                let drawn = settings.picture(&resolved, camera);
                (
                    request.place(|pixel| Ok(drawn.ray(&bounds, pixel)?))?,
                    drawn.sections,
                )
            }
            Views::Sheet => {
                let refusal = Refusal::new("invalid_arguments", "a sheet has four views");
                return Err(refusal.hint("choose the view that has the pixel"));
            }
        };
        let mut results = vec![0.0; resolved.tape.output_width()];
        let mut evaluator = resolved.tape.evaluator();
        let mut value = |point: [f64; 3]| {
            evaluator.run(&point, &mut results);
            results[0]
        };
        let hit = match place {
            Place::Ray(ray) => ray.cast(&bounds, &sections, &mut value).map(|hit| Picked {
                point: hit.point,
                normal: hit.normal,
                on_ray: Some((hit.distance, hit.face)),
            }),
            Place::Point(point) => Some(Picked {
                point,
                normal: normal(point, 1e-5 * bounds.diagonal(), &mut value),
                on_ray: None,
            }),
        };
        let Some(hit) = hit else {
            return Ok(PartPicked {
                success: true,
                hit: false,
                point: None,
                normal: None,
                distance: None,
                face: None,
                value: None,
                node: None,
                why: Vec::new(),
                unit: resolved.unit.name(),
                warnings: resolved.warnings,
                revision: resolved.revision,
            });
        };
        let at = value(hit.point);
        let why = match picture.look.function_id {
            Some(function) => self.reasons(request, function, hit.point)?,
            None => Vec::new(),
        };
        Ok(PartPicked {
            success: true,
            hit: true,
            point: Some(hit.point),
            normal: hit.normal,
            distance: hit.on_ray.map(|(distance, _)| distance),
            face: hit.on_ray.map(|(_, face)| face.into()),
            value: at.is_finite().then_some(at),
            node: deciding(&why),
            why: why.iter().filter_map(picked).collect(),
            unit: resolved.unit.name(),
            warnings: resolved.warnings,
            revision: resolved.revision,
        })
    }

    /// Explains the value of a function at a point.
    fn reasons(
        &self,
        request: &PickPart,
        function: FunctionId,
        point: [f64; 3],
    ) -> Result<Vec<Reason>> {
        let look = &request.look;
        let project = self.project(look.project.as_deref())?;
        let snapshot = project.at(look.revision)?;
        let document: &Document = &snapshot.document;
        let Ok(graph) = document.function(function) else {
            // An image function has no nodes.
            return Ok(Vec::new());
        };
        let inputs = graph.inputs();
        let mut values = look.arguments.clone().unwrap_or_default();
        insert_point(&inputs, &mut values, point);
        let values = arguments::parse_point(&inputs, &values, None)?;
        let outputs = graph.outputs();
        let output = outputs.iter().position(|output| match &look.output {
            Some(name) => output.name.eq_ignore_ascii_case(name),
            None => output.ty == Type::Float,
        });
        let Some(output) = output else {
            return Ok(Vec::new());
        };
        let references = values
            .iter()
            .filter_map(crate::project::resources::resource_of);
        let document = project.with_content(&snapshot, references.chain([function.into()]))?;
        let why = explain(&document, function, &values, output, MOST_REASONS, &|_| {
            false
        })?;
        Ok(why.reasons)
    }
}

/// Adds the point to the arguments, as the first float3 input that has none, or the first three floats.
fn insert_point(
    inputs: &[fibula_nodes::PortSpec],
    values: &mut Map<String, Json>,
    point: [f64; 3],
) {
    let free: Vec<_> = inputs
        .iter()
        .filter(|input| {
            !values
                .keys()
                .any(|name| name.eq_ignore_ascii_case(&input.name))
        })
        .collect();
    if let Some(input) = free.iter().find(|input| input.ty == Type::Float3) {
        values.insert(input.name.clone(), Value::Float3(point).to_json());
        return;
    }
    let floats = free.iter().filter(|input| input.ty == Type::Float);
    for (input, coordinate) in floats.zip(point) {
        values.insert(input.name.clone(), Value::Float(coordinate).to_json());
    }
}

impl PickPart {
    fn check(&self) -> Result<()> {
        let invalid = |message: &str| Refusal::new("invalid_arguments", message);
        let given = [
            self.pixel.is_some(),
            self.ray.is_some(),
            self.point.is_some(),
        ];
        match given.into_iter().filter(|is_given| *is_given).count() {
            1 => Ok(()),
            0 => Err(invalid("no pixel, ray or point is given").hint(
                "pass pixel: [x, y], ray: {\"origin\": [x, y, z], \"direction\": [x, y, z]}, or point: [x, y, z]",
            )),
            _ => Err(invalid("more than one of pixel, ray and point is given").hint("pass one of them")),
        }
    }

    /// The picture that has the pixel.
    fn picture(&self) -> RenderPart {
        RenderPart {
            look: self.look.clone(),
            view: self.view,
            orbit: self.orbit,
            perspective: self.perspective,
            zoom: self.zoom,
            section: self.section,
            size: self.size,
            ..RenderPart::default()
        }
    }

    /// The point, the ray, or that of the pixel.
    fn place(&self, of_pixel: impl FnOnce([f64; 2]) -> Result<Ray>) -> Result<Place> {
        let finite = |point: [f64; 3]| point.iter().all(|part| part.is_finite());
        match (self.point, self.ray, self.pixel) {
            (Some(point), _, _) if finite(point) => Ok(Place::Point(point)),
            (Some(_), _, _) => {
                let message = "the coordinates of a point have to be finite";
                Err(Refusal::new("invalid_value", message))
            }
            (None, Some(PickRay { origin, direction }), _) => {
                let length = direction.iter().map(|part| part * part).sum::<f64>().sqrt();
                if !(length > 0.0 && length.is_finite() && finite(origin)) {
                    let message =
                        "the direction of a ray has to be other than 0, and its numbers finite";
                    return Err(Refusal::new("invalid_value", message));
                }
                let direction = direction.map(|part| part / length);
                Ok(Place::Ray(Ray { origin, direction }))
            }
            (None, None, Some(pixel)) => of_pixel(pixel).map(Place::Ray),
            (None, None, None) => {
                let message = "no pixel, ray or point is given";
                Err(Refusal::new("invalid_arguments", message))
            }
        }
    }
}

/// Where a part is picked.
enum Place {
    Ray(Ray),
    Point([f64; 3]),
}

/// A place that was found.
struct Picked {
    point: [f64; 3],
    normal: Option<[f64; 3]>,
    /// Distance from the start of the ray, and the face that it meets.
    on_ray: Option<(f64, Face)>,
}

/// The reason of a node, as it is sent.
fn picked(reason: &Reason) -> Option<PickedNode> {
    let node = reason.node.as_ref()?;
    Some(PickedNode {
        function_id: reason.function.0,
        node_id: node.node_id,
        node_type: node.node_type,
        display_name: node.display_name.clone(),
        port: reason.port.0.clone(),
        value: reason.port.1.to_json(),
    })
}

/// The node that decides: the first below the choices (minima, maxima, selections) and calls that lead from the output to
/// it, as long as there is one way only.
fn deciding(reasons: &[Reason]) -> Option<PickedNode> {
    let mut found = None;
    for reason in reasons {
        let Some(node) = &reason.node else {
            continue;
        };
        let family = catalogue::kind(node.node_type).map(|kind| kind.family);
        match family {
            Ok(Family::Choice | Family::Call) => found = None,
            Ok(_) | Err(_) => {
                if found.is_none() {
                    found = picked(reason);
                }
            }
        }
        let leads = |source: &str| source.starts_with("node ");
        let ways = reason
            .inputs
            .iter()
            .filter(|input| input.decides && leads(&input.source));
        if ways.count() > 1 {
            break;
        }
    }
    found
}
