//! Solids: objects of the model as functions of space, so that level sets, meshes and assemblies are sampled, drawn and
//! meshed in the same way.
//!
//! A solid's tape maps `pos: float3` to `shape: float`, which is negative inside. A level set is the intersection of
//! its function and its domain (maximum); an assembly is the union of its parts (minimum). Values are those of the
//! functions: they are not scaled with their parts and need not be distances, so only their sign is significant.

use fibula_nodes::{
    Bundle, Expr, Kernel, LowerError, PortSpec, Query, ResourceId, Scope as _, Type, names,
};

use super::error::EvalError;
use super::flatten::{Flattener, grow_stack};
use super::paint::{self, Paint};
use super::tape::Tape;
use crate::graph::model::{Body, Component, Field, LevelSet, MeshBody, ModelResource, Transform};
use crate::graph::{Document, Resource};

/// Maximum number of parts of a solid after its assemblies are expanded.
pub const MOST_PARTS: usize = 20_000;

/// Error returned when an object cannot be converted to a solid.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "fields are named for what they hold")]
pub enum SolidError {
    /// There are no objects.
    #[error("the build is empty; add a build item, or name an object")]
    Nothing,
    /// The object does not exist.
    #[error("there is no object {0}")]
    NoObject(ResourceId),
    /// The object has no inside.
    #[error("{object} {why}")]
    NoInside {
        object: String,
        /// The reason.
        why: &'static str,
    },
    /// The transform of the object is singular.
    #[error("{object} is placed by a singular transform; use one that has an inverse")]
    Flat {
        /// The object, as messages call it.
        object: String,
    },
    /// The function of a field cannot be evaluated.
    #[error("{of}: {error}")]
    Field {
        of: String,
        #[source]
        error: EvalError,
    },
    /// Volume data cannot be evaluated.
    #[error("{of}: {error}")]
    VolumeData {
        /// Label of the property and of its volume data.
        of: String,
        #[source]
        error: EvalError,
    },
    /// The triangles or beams of the object cannot be queried.
    #[error("{object}: {error}")]
    Mesh {
        /// The object, as messages call it.
        object: String,
        #[source]
        error: LowerError,
    },
    /// The assembly has more than [`MOST_PARTS`] parts.
    #[error("the assembly has more than {MOST_PARTS} parts after expansion; use one of its parts")]
    TooManyParts,
}

impl SolidError {
    /// Stable code of the error.
    pub fn code(&self) -> &'static str {
        match self {
            SolidError::Nothing => "nothing_to_build",
            SolidError::NoObject(_) => "unknown_resource",
            SolidError::NoInside { .. } => "no_inside",
            SolidError::Flat { .. } => "flat_transform",
            SolidError::Field { error, .. } | SolidError::VolumeData { error, .. } => error.code(),
            SolidError::Mesh { error, .. } => super::error::lower_code(error),
            SolidError::TooManyParts => "too_large",
        }
    }
}

/// Union of objects of the model.
#[derive(Debug, Clone)]
pub struct Solid {
    /// `pos: float3` to `shape: float`, negative inside.
    pub tape: Tape,
    /// Lowest and highest corner of a bounding box.
    pub extent: [[f64; 3]; 2],
}

impl Solid {
    /// Converts an object, in its own coordinates.
    ///
    /// # Errors
    /// [`SolidError`]: the object does not exist, it or a part of it has no inside, a function cannot be evaluated, or
    /// the content of a mesh is missing.
    pub fn new(document: &Document, object: ResourceId) -> Result<Solid, SolidError> {
        Solid::union(document, &[(object, Transform::IDENTITY)])
    }

    /// Converts the union of objects, each with its transform.
    ///
    /// # Errors
    /// As [`new`](Self::new), and [`SolidError::Nothing`] if there are no objects.
    pub fn union(
        document: &Document,
        objects: &[(ResourceId, Transform)],
    ) -> Result<Solid, SolidError> {
        Solid::build(document, objects, None)
    }

    /// As [`union`](Self::union), with volume data as a second output of the tape, if an object has it.
    ///
    /// Inside it is the colour or property of the object that contains the point, of the last one if there are several;
    /// outside that of the object with the smallest value, on whose surface the point may be.
    ///
    /// # Errors
    /// As [`union`](Self::union), and [`SolidError::VolumeData`] if a function of volume data cannot be evaluated.
    pub fn painted(
        document: &Document,
        objects: &[(ResourceId, Transform)],
        paint: Paint<'_>,
    ) -> Result<Solid, SolidError> {
        Solid::build(document, objects, Some(paint))
    }

    fn build(
        document: &Document,
        objects: &[(ResourceId, Transform)],
        paint: Option<Paint<'_>>,
    ) -> Result<Solid, SolidError> {
        let mut kernel = Kernel::new();
        let at = position(&mut kernel);
        let mut writer = SolidWriter::new(document, &mut kernel);
        writer.paint = paint;
        let mut shapes = Vec::with_capacity(objects.len());
        for (object, transform) in objects {
            shapes.push(writer.placed(*object, transform, at)?);
        }
        let shape = Shape::union(&mut kernel, shapes).ok_or(SolidError::Nothing)?;
        let painted = shape.paint.zip(paint);
        let painted = painted.map(|(value, paint)| ((paint.name(), value.ty()), value));
        let mut outputs = vec![(("shape", Type::Float), Bundle::Float(shape.value))];
        outputs.extend(painted);
        Ok(Solid {
            tape: Tape::from_point_kernel(&kernel, outputs),
            extent: shape.extent,
        })
    }
}

impl Tape {
    /// Tape of a field: maps `pos: float3` in the object's coordinates to the field's channel, or to its fallback
    /// value where the function is undefined.
    ///
    /// # Errors
    /// [`EvalError`] if the function cannot be evaluated.
    pub fn field(document: &Document, field: &Field) -> Result<Tape, EvalError> {
        let mut kernel = Kernel::new();
        let at = position(&mut kernel);
        let value = SolidWriter::new(document, &mut kernel).field(field, at)?;
        let ty = value.ty();
        Ok(Tape::from_point_kernel(
            &kernel,
            vec![((&field.channel, ty), value)],
        ))
    }

    fn from_point_kernel(kernel: &Kernel, outputs: Vec<((&str, Type), Bundle)>) -> Tape {
        let port = |(name, ty): (&str, Type)| PortSpec::new(name, ty);
        let (ports, values): (Vec<_>, Vec<_>) = outputs.into_iter().unzip();
        let inputs = vec![port(("pos", Type::Float3))];
        let ports = ports.into_iter().map(port).collect();
        Tape::from_kernel(kernel, &values, inputs, ports)
    }
}

/// Returns the lowest and the highest corner of the domain of a level set, if it is an axis-aligned box. Unless only the
/// bounding box of the mesh matters, its content has to be loaded.
pub fn domain_box(document: &Document, level_set: &LevelSet) -> Option<[[f64; 3]; 2]> {
    if !level_set.mesh_bbox_only {
        return document.content(level_set.mesh)?.axis_aligned_box();
    }
    mesh_bounds(document, level_set.mesh)
}

/// Returns the lowest and the highest corner of the bounding box of a mesh; `None` if there is no such mesh, or it has no
/// vertices.
pub fn mesh_bounds(document: &Document, mesh: ResourceId) -> Option<[[f64; 3]; 2]> {
    let Some(ModelResource::Object(object)) = document.model_resource(mesh) else {
        return None;
    };
    match &object.body {
        Body::Mesh(mesh) => mesh.bounds,
        Body::Components(_) | Body::LevelSet(_) | Body::Foreign(_) => None,
    }
}

/// Scalars of a point.
pub(super) type Point = [Expr; 3];

pub(super) type ShapeResult = Result<Shape, SolidError>;

/// The point of evaluation, the inputs of the tape.
fn position(kernel: &mut Kernel) -> Point {
    [0, 1, 2].map(|axis| kernel.variable(axis))
}

/// An object at the point of evaluation.
pub(super) struct Shape {
    pub(super) value: Expr,
    pub(super) extent: [[f64; 3]; 2],
    /// Its volume data, if requested and present.
    pub(super) paint: Option<Bundle>,
}

impl Shape {
    /// Union of shapes, as a balanced tree to keep chains of operations short.
    fn union(kernel: &mut Kernel, mut shapes: Vec<Shape>) -> Option<Shape> {
        let mut both = |[a, b]: [Shape; 2]| Shape {
            paint: paint::combine(kernel, [&a, &b]),
            value: kernel.min(a.value, b.value),
            extent: [
                std::array::from_fn(|axis| a.extent[0][axis].min(b.extent[0][axis])),
                std::array::from_fn(|axis| a.extent[1][axis].max(b.extent[1][axis])),
            ],
        };
        while shapes.len() > 1 {
            let mut rest = shapes.into_iter();
            shapes = Vec::new();
            while let Some(first) = rest.next() {
                shapes.push(match rest.next() {
                    Some(second) => both([first, second]),
                    None => first,
                });
            }
        }
        shapes.pop()
    }

    /// Bounding box after a transform; the value is transformed already.
    fn placed(self, transform: &Transform) -> Shape {
        if transform.is_identity() {
            return self;
        }
        let [low, high] = self.extent;
        let mut extent = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for corner in 0..8 {
            let corner = std::array::from_fn(|axis| [low, high][corner >> axis & 1][axis]);
            for (axis, place) in transform.apply(corner).into_iter().enumerate() {
                extent[0][axis] = extent[0][axis].min(place);
                extent[1][axis] = extent[1][axis].max(place);
            }
        }
        Shape { extent, ..self }
    }
}

/// Transforms a point.
fn transformed(kernel: &mut Kernel, transform: &Transform, at: Point) -> Point {
    if transform.is_identity() {
        return at;
    }
    let rows = &transform.0;
    std::array::from_fn(|axis| {
        let mut sum = None;
        for (row, coordinate) in at.into_iter().enumerate() {
            let factor = rows[3 * row + axis];
            if factor == 0.0 {
                continue;
            }
            let factor = kernel.constant(factor);
            let term = kernel.mul(coordinate, factor);
            sum = Some(sum.map_or(term, |sum| kernel.add(sum, term)));
        }
        let shift = kernel.constant(rows[9 + axis]);
        sum.map_or(shift, |sum| kernel.add(sum, shift))
    })
}

/// Lowers objects to kernel operations.
pub(super) struct SolidWriter<'a, 'k> {
    pub(super) document: &'a Document,
    flattener: Flattener<'a>,
    pub(super) kernel: &'k mut Kernel,
    parts: usize,
    /// The requested volume data.
    pub(super) paint: Option<Paint<'a>>,
}

impl<'a, 'k> SolidWriter<'a, 'k> {
    fn new(document: &'a Document, kernel: &'k mut Kernel) -> Self {
        SolidWriter {
            document,
            flattener: Flattener::new(document),
            kernel,
            parts: 0,
            paint: None,
        }
    }

    pub(super) fn label(&self, id: ResourceId) -> String {
        self.document
            .noun(id)
            .unwrap_or_else(|| format!("object {id}"))
    }

    /// Lowers an object with its transform.
    fn placed(&mut self, id: ResourceId, transform: &Transform, at: Point) -> ShapeResult {
        let inverse = transform.inverse().ok_or_else(|| SolidError::Flat {
            object: self.label(id),
        })?;
        let at = transformed(self.kernel, &inverse, at);
        Ok(self.object(id, at)?.placed(transform))
    }

    fn object(&mut self, id: ResourceId, at: Point) -> ShapeResult {
        let Some(ModelResource::Object(object)) = self.document.model_resource(id) else {
            return self.content(id, at);
        };
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(SolidError::TooManyParts);
        }
        match &object.body {
            Body::Mesh(mesh) => {
                let shape = self.mesh(id, mesh, at)?;
                self.painted(shape, mesh.volume, at)
            }
            Body::LevelSet(level_set) => {
                let shape = self.level_set(id, level_set, at)?;
                self.painted(shape, level_set.volume, at)
            }
            Body::Components(parts) => grow_stack(|| self.assembly(id, parts, at)),
            Body::Foreign(_) => Err(self.no_inside(
                id,
                "is of a type that Fibula preserves but does not interpret",
            )),
        }
    }

    fn no_inside(&self, id: ResourceId, why: &'static str) -> SolidError {
        SolidError::NoInside {
            object: self.label(id),
            why,
        }
    }

    /// Lowers content that a program added to the document.
    fn content(&mut self, id: ResourceId, at: Point) -> ShapeResult {
        match self.document.resource(id) {
            Some(Resource::Content(_)) => self.query(id, Query::SignedDistance, at),
            Some(Resource::Model(_) | Resource::ImageFunction(_) | Resource::File(_)) => Err(self
                .no_inside(
                    id,
                    "is not an object; name a mesh, a level set or an assembly",
                )),
            None if self.document.function(id.into()).is_ok() => Err(self.no_inside(
                id,
                "is not an object; create a level set of it, or pass it as a function",
            )),
            None => Err(SolidError::NoObject(id)),
        }
    }

    fn query(&mut self, id: ResourceId, query: Query, at: Point) -> ShapeResult {
        let oracle = self.flattener.oracle(id, query);
        let oracle = oracle.map_err(|error| SolidError::Mesh {
            object: self.label(id),
            error,
        })?;
        let content = self.document.content(id);
        let extent = content.and_then(|content| content.extent());
        Ok(Shape {
            value: self.kernel.oracle(&oracle, 0, at),
            extent: extent.ok_or_else(|| self.no_inside(id, "has no volume"))?,
            paint: None,
        })
    }

    fn mesh(&mut self, id: ResourceId, mesh: &MeshBody, at: Point) -> ShapeResult {
        // Exact at any distance.
        const BEAMS: Query = Query::BeamLattice {
            accurate_range: -1.0,
        };
        let shell = match mesh.triangles {
            0 => None,
            _ => Some(self.triangles(id, at)?),
        };
        let beams = match mesh.beams {
            0 => None,
            _ => Some(self.query(id, BEAMS, at)?),
        };
        let both = shell.into_iter().chain(beams).collect();
        Shape::union(self.kernel, both)
            .ok_or_else(|| self.no_inside(id, "has neither triangles nor beams"))
    }

    /// Signed distance to a mesh's triangles.
    fn triangles(&mut self, id: ResourceId, at: Point) -> ShapeResult {
        let content = self.document.content(id);
        match content.and_then(|content| content.axis_aligned_box()) {
            Some(corners) => Ok(self.axis_aligned_box(corners, at)),
            None => self.query(id, Query::SignedDistance, at),
        }
    }

    /// Maximum of the signed distances to the planes of an axis-aligned box.
    fn axis_aligned_box(&mut self, extent: [[f64; 3]; 2], at: Point) -> Shape {
        let [low, high] = extent;
        let mut sides = Vec::with_capacity(6);
        for axis in 0..3 {
            let (low, high) = (
                self.kernel.constant(low[axis]),
                self.kernel.constant(high[axis]),
            );
            sides.push(self.kernel.sub(low, at[axis]));
            sides.push(self.kernel.sub(at[axis], high));
        }
        let first = sides[0];
        let rest = sides[1..].iter();
        Shape {
            value: rest.fold(first, |all, &side| self.kernel.max(all, side)),
            extent,
            paint: None,
        }
    }

    fn level_set(&mut self, id: ResourceId, level_set: &LevelSet, at: Point) -> ShapeResult {
        let shape = self.field(&level_set.field, at);
        let shape = shape.map_err(|error| SolidError::Field {
            of: self.label(id),
            error,
        })?;
        let domain = match domain_box(self.document, level_set) {
            Some(corners) => self.axis_aligned_box(corners, at),
            None if level_set.mesh_bbox_only => {
                return Err(self.no_inside(level_set.mesh, "is a domain without vertices"));
            }
            None => self.query(level_set.mesh, Query::SignedDistance, at)?,
        };
        Ok(Shape {
            value: self.kernel.max(shape.float(), domain.value),
            extent: domain.extent,
            paint: None,
        })
    }

    /// Value of a field at a point, or its fallback value.
    pub(super) fn field(&mut self, field: &Field, at: Point) -> Result<Bundle, EvalError> {
        let at = transformed(self.kernel, &field.transform, at);
        let value = self.channel(field, &Bundle::Float3(at))?;
        let fallback = self.kernel.constant(field.fallback_value);
        let largest = self.kernel.constant(f64::MAX);
        let mut defined = |value: Expr| {
            let size = self.kernel.abs(value);
            self.kernel.select(size, largest, value, fallback)
        };
        Ok(match value {
            Bundle::Float(value) => Bundle::Float(defined(value)),
            Bundle::Float3(values) => Bundle::Float3(values.map(defined)),
            other @ (Bundle::Matrix4x4(_)
            | Bundle::Integer(_)
            | Bundle::String(_)
            | Bundle::ResourceId(_)) => other,
        })
    }

    /// Output of a field's function.
    fn channel(&mut self, field: &Field, at: &Bundle) -> Result<Bundle, EvalError> {
        let unknown = |outputs: &[PortSpec]| EvalError::UnknownOutput {
            function_id: field.function_id.into(),
            output: field.channel.clone(),
            outputs: outputs.iter().map(|port| port.name.clone()).collect(),
        };
        let find = |outputs: &[PortSpec]| {
            let named = outputs.iter().map(|port| port.name.as_str()).enumerate();
            names::find(&field.channel, named).map_err(|_| unknown(outputs))
        };
        if let Some(image) = self.document.image_function(field.function_id) {
            let place = find(&image.ty().outputs)?;
            let channels = self.flattener.image(image, at, self.kernel);
            let mut channels = channels.map_err(|error| EvalError::Image {
                function_id: field.function_id.into(),
                error,
            })?;
            return Ok(channels.swap_remove(place));
        }
        let function = self.document.function(field.function_id.into())?;
        let place = find(function.outputs().as_slice())?;
        let inputs = function.inputs();
        // The point is the only input without a default.
        let argument = |input: &PortSpec| match input.default_value() {
            Some(value) => Some(Bundle::constant(value, self.kernel)),
            None => (input.ty == Type::Float3).then(|| at.clone()),
        };
        let required = inputs
            .iter()
            .filter(|input| input.default_value().is_none());
        let arguments: Option<Vec<Bundle>> = match required.count() {
            1 => inputs.iter().map(argument).collect(),
            _ => None,
        };
        let Some(arguments) = arguments else {
            return Err(EvalError::Arguments {
                inputs,
                got: "a point".to_owned(),
            });
        };
        let wanted = [place];
        let schedule = function.schedule(&wanted);
        let (_, mut results) =
            self.flattener
                .outputs(function, &schedule, &wanted, &arguments, self.kernel)?;
        Ok(results.swap_remove(0))
    }

    fn assembly(&mut self, id: ResourceId, parts: &[Component], at: Point) -> ShapeResult {
        let mut shapes = Vec::with_capacity(parts.len());
        for part in parts {
            if part.is_external() {
                let why =
                    "has a component in another part of the package, whose objects were not added";
                return Err(self.no_inside(id, why));
            }
            shapes.push(self.placed(part.object, &part.transform, at)?);
        }
        Shape::union(self.kernel, shapes).ok_or_else(|| self.no_inside(id, "is an empty assembly"))
    }
}
