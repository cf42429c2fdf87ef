//! Subjects of pictures, meshes, slices and measures: the whole build, an object, or a function.

use std::collections::BTreeSet;

use fibula_core::eval::{Solid, SolidError, Tape};
use fibula_core::graph::model::{ModelResource, ObjectType, Transform, Unit};
use fibula_core::graph::{Document, Function, FunctionId, Resource};
use fibula_geometry::{
    Bounds, BoundsError, Shape, Watch, find_bounds, search_bounds, tight_bounds,
};
use fibula_nodes::{FunctionType, PortSpec, ResourceId, Type, names};
use serde_json::{Map, Value as Json};

use crate::background::{ProgressFn, run_watched};
use crate::domain_cuts::cut_warnings;
use crate::evaluation::arguments;
use crate::functions::definitions;
use crate::functions::written::hint_arguments;
use crate::knowledge::{distance_errors, stale_distances};
use crate::project::change::Snapshot;
use crate::project::commit::Project;
use crate::project::resources::resource_of;
use crate::refusal::{Refusal, Result, did_you_mean, quoted};
use crate::schema_types::ObjectForm;
use crate::service::Service;
use crate::shapes::placed_meshes::PlacedMeshes;
use crate::shapes::volume_colors;

json_structs! {
    /// Subject: an object, or a function; default: the build.
    pub request(Default) struct Subject {
        /// A mesh, level set or assembly.
        #[schemars(with = "Option<u32>")]
        pub object_id: Option<ResourceId>,
        /// Or a function, negative inside.
        pub function_id: Option<FunctionId>,
        /// Output of the function; default: its first float.
        pub output: Option<String>,
        /// Colour: another output of the function, a float with a legend, or red, green and blue in a float3; for
        /// objects a property of their volume data.
        pub color: Option<String>,
        /// True to ignore the colours of volume data.
        pub plain: bool,
        /// Values of the inputs other than the point, such as {"radius": 5}.
        #[schemars(with = "Option<ObjectForm>")]
        pub arguments: Option<Map<String, Json>>,
    }
}

/// A subject as a function of space.
#[derive(Debug, Clone)]
pub struct ResolvedShape {
    /// Maps a point to a float, negative inside; and to its colour, if there is one: a float, or linear red, green and
    /// blue of sRGB in a float3, which has no colour where all are negative.
    pub tape: Tape,
    /// A box that contains the inside; `None` if only a search can find it.
    pub bounds: Option<Bounds>,
    /// Unit of length.
    pub unit: Unit,
    /// Description: `level set 5 'Foot'`.
    pub label: String,
    /// Revision of the project.
    pub revision: u64,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Warnings about the errors of distances that it depends on, which those of figures do not contain.
    pub(super) distance_errors: Vec<String>,
    /// Its meshes, if it consists of nothing else.
    pub(super) meshes: Option<PlacedMeshes>,
}

impl Service {
    /// Resolves a subject to a function of space, in the project or "default", at a revision or the current one.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such object or function, it is empty, it cannot be evaluated, or bytes of a mesh
    /// or image are missing.
    pub fn resolve_shape(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        subject: &Subject,
    ) -> Result<ResolvedShape> {
        self.resolve_shape_with(project, revision, subject, &[])
    }

    /// As [`resolve_shape`](Self::resolve_shape), with edits that are tried.
    ///
    /// # Errors
    /// As [`resolve_shape`](Self::resolve_shape), and the [`Refusal`] of the first edit that is not possible.
    pub(crate) fn resolve_shape_with(
        &self,
        project: Option<&str>,
        revision: Option<u64>,
        subject: &Subject,
        edits: &[Json],
    ) -> Result<ResolvedShape> {
        subject.check()?;
        let project = self.project(project)?;
        let snapshot = project.tried_at(revision, edits)?;
        if let Some(function) = subject.function_id {
            return of_function(&project, &snapshot, function, subject);
        }
        let snapshot = project.assembled(snapshot)?;
        of_objects(&project, &snapshot, subject.object_id, subject)
    }
}

impl Subject {
    /// Refuses contradictory options.
    pub(crate) fn check(&self) -> Result<()> {
        let is_of_function = self.output.is_some() || self.arguments.is_some();
        let (message, hint) = match (self.object_id, self.function_id) {
            (Some(_), Some(_)) => (
                "object_id and function_id are both given",
                "give one of them",
            ),
            (_, None) if is_of_function => (
                "output and arguments apply to a function, but none is given",
                "pass a function_id, or omit them",
            ),
            _ if self.plain && self.color.is_some() => {
                ("plain and color exclude each other", "omit color or plain")
            }
            _ => return Ok(()),
        };
        Err(Refusal::new("invalid_arguments", message).hint(hint))
    }
}

impl ResolvedShape {
    /// Index of the first of three scalar outputs of the tape that are the colour, if there is one.
    pub fn red(&self) -> Option<usize> {
        let output = self.tape.outputs().get(1)?;
        (output.ty == Type::Float3).then_some(1)
    }

    /// Name of the scalar output that colours the shape, if there is one: the second.
    pub fn scale(&self) -> Option<&str> {
        let output = self.tape.outputs().get(1)?;
        (output.ty == Type::Float).then_some(&output.name)
    }

    /// Returns the requested bounds, or the known ones and those of the shape.
    ///
    /// # Errors
    /// As [`bounds_or`](Self::bounds_or).
    pub(crate) fn extent_or(
        &self,
        bounds: Option<Bounds>,
        shape: &Shape<'_>,
        watch: ProgressFn<'_>,
    ) -> Result<ShapeExtent> {
        let around = self.bounds_or(bounds, shape, watch)?;
        let of_meshes = self.meshes.as_ref().and_then(PlacedMeshes::bounds);
        let tight = match bounds.or(of_meshes) {
            Some(bounds) => bounds,
            None => run_watched(1, watch, |progress| {
                tight_bounds(shape, &around, &|_, _| progress.report(0))
            })
            .map_err(|_| Refusal::cancelled())?,
        };
        Ok(ShapeExtent { around, tight })
    }

    /// Returns this and an earlier version as one shape, whose colour shows the material that was added and removed.
    ///
    /// # Errors
    /// As [`bounds_or`](Self::bounds_or), of each version.
    pub(crate) fn changes_since(
        &self,
        before: &ResolvedShape,
        bounds: Option<Bounds>,
        watch: ProgressFn<'_>,
    ) -> Result<ResolvedShape> {
        /// Part of the diagonal: surfaces that are nearer than this are the same.
        const SAME: f64 = 1e-4;
        let own = self.bounds_or(bounds, &Shape::new(&self.tape)?, watch)?;
        let earlier = before.bounds_or(bounds, &Shape::new(&before.tape)?, watch)?;
        let corner = |pick: fn(f64, f64) -> f64, [one, other]: [[f64; 3]; 2]| {
            std::array::from_fn(|axis| pick(one[axis], other[axis]))
        };
        let around = Bounds::new(
            corner(f64::min, [own.low(), earlier.low()]),
            corner(f64::max, [own.high(), earlier.high()]),
        );
        let around = around.unwrap_or(own);
        Ok(ResolvedShape {
            tape: self
                .tape
                .changes_since(&before.tape, SAME * around.diagonal()),
            bounds: Some(around),
            meshes: None,
            ..self.clone()
        })
    }

    /// Returns the given bounds, or the known ones tightened, or else searches for them.
    ///
    /// # Errors
    /// A [`Refusal`] if the shape is empty or unbounded, or `watch` cancelled the search.
    pub fn bounds_or(
        &self,
        bounds: Option<Bounds>,
        shape: &Shape<'_>,
        watch: ProgressFn<'_>,
    ) -> Result<Bounds> {
        if let Some(bounds) = bounds {
            return Ok(bounds);
        }
        if let Some(bounds) = self.meshes.as_ref().and_then(PlacedMeshes::bounds) {
            return Ok(widened(&bounds, MARGIN));
        }
        let found = run_watched(1, watch, |progress| {
            let watch = |_, _| progress.report(0);
            Ok(match &self.bounds {
                Some(known) => tighten(shape, known, &watch)?,
                None => search_bounds(shape, &watch)?,
            })
        });
        found.map_err(|refusal: Refusal| match refusal.code {
            "unbounded_shape" | "empty_shape" if !self.warnings.is_empty() => {
                refusal.hint(self.warnings.join("; "))
            }
            _ => refusal,
        })
    }
}

/// Box of a shape.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ShapeExtent {
    /// Requested bounds, or a box that is slightly larger than the shape, to work in.
    pub(crate) around: Bounds,
    /// Requested bounds, or the box that touches the shape, to report.
    pub(crate) tight: Bounds,
}

/// Distance of the box around meshes from them, as a fraction of its diagonal.
const MARGIN: f64 = 0.004;

/// A box that is larger on all sides, by a fraction of its diagonal.
fn widened(bounds: &Bounds, by: f64) -> Bounds {
    let margin = by * bounds.diagonal();
    let around = Bounds::new(
        bounds.low().map(|low| low - margin),
        bounds.high().map(|high| high + margin),
    );
    around.unwrap_or(*bounds)
}

/// Tightens a box that contains the inside.
fn tighten(shape: &Shape<'_>, known: &Bounds, watch: &Watch<'_>) -> Result<Bounds, BoundsError> {
    let found = match find_bounds(shape, &widened(known, 0.05), watch) {
        Ok(found) => found,
        Err(BoundsError::Unbounded(_) | BoundsError::Unknown(_)) => return Ok(*known),
        Err(error @ (BoundsError::Empty(_) | BoundsError::Cancelled(_))) => return Err(error),
    };
    let both = Bounds::new(
        std::array::from_fn(|axis| found.low()[axis].max(known.low()[axis])),
        std::array::from_fn(|axis| found.high()[axis].min(known.high()[axis])),
    );
    Ok(both.unwrap_or(*known))
}

fn of_objects(
    project: &Project,
    snapshot: &Snapshot,
    object: Option<ResourceId>,
    subject: &Subject,
) -> Result<ResolvedShape> {
    let document = &snapshot.document;
    let (objects, label) = match object {
        Some(id) => {
            check_object(document, id)?;
            let label = document.noun(id).unwrap_or_else(|| format!("object {id}"));
            (vec![(id, Transform::IDENTITY)], label)
        }
        None => (build_objects(document)?, "the build".to_owned()),
    };
    let mut warnings = Vec::new();
    let colored = match &subject.color {
        Some(name) => Some(volume_colors::with_property(
            project, snapshot, &objects, &label, name,
        )?),
        None if subject.plain => None,
        // A shape is shown even if its colour cannot be evaluated.
        None => volume_colors::colored(project, snapshot, &objects).unwrap_or_else(|refusal| {
            warnings.push(format!("the colour is omitted: {}", refusal.message));
            None
        }),
    };
    let asking = objects.iter().map(|(id, _)| *id);
    warnings.extend(stale_distances(document, asking.clone()));
    warnings.extend(unfilled(document, asking.clone()));
    let distance_errors = distance_errors(document, asking.clone());
    let loaded = project.with_content(snapshot, asking)?;
    let Solid { tape, extent } = match colored {
        Some(colored) => colored,
        None => Solid::union(&loaded, &objects)?,
    };
    warnings.extend(cut_warnings(&loaded, objects.iter().map(|(id, _)| *id)));
    let bounds = Bounds::new(extent[0], extent[1]).map_err(|_| {
        let message = format!("{label} is flat, from {:?} to {:?}", extent[0], extent[1]);
        Refusal::new("no_inside", message).hint("choose a subject with a volume")
    })?;
    Ok(ResolvedShape {
        tape,
        bounds: Some(bounds),
        unit: document.model().info().unit,
        label,
        revision: snapshot.head.revision,
        warnings,
        distance_errors,
        meshes: PlacedMeshes::new(&loaded, &objects),
    })
}

/// Warns of objects that printers do not fill (3MF core specification, 4.1).
fn unfilled(document: &Document, objects: impl Iterator<Item = ResourceId>) -> Option<String> {
    let is_unfilled = |id: &ResourceId| match document.model_resource(*id) {
        Some(ModelResource::Object(object)) => {
            matches!(
                object.object_type,
                ObjectType::Support | ObjectType::Surface
            )
        }
        _ => false,
    };
    let unfilled: BTreeSet<ResourceId> = objects.filter(is_unfilled).collect();
    let (first, count) = (unfilled.first()?, unfilled.len());
    let which = match count {
        1 => format!("object {first} is of the type support or surface"),
        _ => format!("{count} objects, such as {first}, are of the types support or surface"),
    };
    Some(format!(
        "{which}, which printers do not fill; it is treated as solid here"
    ))
}

/// Refuses an id that is not that of an object, and lists those that are.
fn check_object(document: &Document, id: ResourceId) -> Result<()> {
    const SHOWN: usize = 12;
    let is_object = |resource: &Resource| match resource {
        Resource::Content(_) | Resource::Model(ModelResource::Object(_)) => true,
        Resource::Model(_) | Resource::ImageFunction(_) | Resource::File(_) => false,
    };
    if document.resource(id).is_some_and(is_object) {
        return Ok(());
    }
    let objects = || {
        let objects = document.resources();
        objects.filter(|(_, resource)| is_object(resource))
    };
    let labels = objects().take(SHOWN);
    let mut labels: Vec<String> = labels.filter_map(|(id, _)| document.noun(id)).collect();
    let count = objects().count();
    if count > SHOWN {
        labels.push(format!("and {} more", count - SHOWN));
    }
    let listed = match count {
        0 => "this project has no objects; pass a function_id, or create a level set of a function"
            .to_owned(),
        _ => format!("the objects are {}", labels.join(", ")),
    };
    let Some(other) = document.noun(id) else {
        let message = format!("there is no object {id}; {listed}");
        return Err(Refusal::new("unknown_resource", message));
    };
    let is_function = document.function_type(id).is_some();
    let hint = if is_function {
        format!("pass function_id: {id} to name the function; {listed}")
    } else {
        listed
    };
    Err(Refusal::new("no_inside", format!("{other} is no object")).hint(hint))
}

/// Objects of the build with their placements.
fn build_objects(document: &Document) -> Result<Vec<(ResourceId, Transform)>> {
    let items = document.model().items();
    let here = items.filter(|(_, item)| !item.is_external());
    let objects: Vec<_> = here
        .map(|(_, item)| (item.object, item.transform))
        .collect();
    if objects.is_empty() {
        let refusal = Refusal::from(SolidError::Nothing);
        return Err(match alternatives_to_build(document) {
            Some(hint) => refusal.hint(hint),
            None => refusal,
        });
    }
    Ok(objects)
}

/// Names an object and a function that a call may pass instead of the build, if there are any.
fn alternatives_to_build(document: &Document) -> Option<String> {
    let is_object = |resource: &ModelResource| matches!(resource, ModelResource::Object(_));
    let object = document
        .model_resources()
        .find(|(_, resource)| is_object(resource));
    let object = object.and_then(|(id, _)| {
        let label = document.noun(id)?;
        Some(format!("object_id: {id} for {label}"))
    });
    let has_field = |function: &Function| {
        let outputs = function.outputs();
        outputs.iter().any(|output| output.ty == Type::Float)
    };
    let function = document.functions().find(|function| has_field(function));
    let function = function.and_then(|function| {
        let id = function.id();
        let label = document.noun(id.into())?;
        Some(format!("function_id: {id} for {label}"))
    });
    let all: Vec<String> = object.into_iter().chain(function).collect();
    (!all.is_empty()).then(|| format!("pass {}", all.join(", or ")))
}

fn of_function(
    project: &Project,
    snapshot: &Snapshot,
    id: FunctionId,
    subject: &Subject,
) -> Result<ResolvedShape> {
    let FunctionType { inputs, outputs } = snapshot.document.type_of(id)?;
    let noun = snapshot.document.noun(id.into());
    let label = noun.unwrap_or_else(|| format!("function {id}"));
    let mut selected = vec![output(&label, &outputs, subject.output.as_deref(), None)?];
    if let Some(color) = &subject.color {
        selected.push(output(&label, &outputs, Some(color), Some(Type::Float3))?);
    }
    let none = Map::new();
    let arguments = subject.arguments.as_ref().unwrap_or(&none);
    let position = position(&label, &inputs, arguments)?;
    let mut rest = inputs;
    let taken = if rest[position].ty == Type::Float3 {
        1
    } else {
        3
    };
    rest.drain(position..position + taken);
    let others = arguments::parse_point(&rest, arguments, None)
        .map_err(|refusal| hint_arguments(&snapshot.document, id, refusal))?;
    let asking = others.iter().filter_map(resource_of).chain([id.into()]);
    let document = project.with_content(snapshot, asking)?;
    Ok(ResolvedShape {
        tape: Tape::in_space(&document, id, position, &others, &selected)?,
        bounds: None,
        unit: document.model().info().unit,
        label,
        revision: snapshot.head.revision,
        warnings: definitions::warnings(&snapshot.document, id),
        distance_errors: distance_errors(&snapshot.document, [id.into()]),
        meshes: None,
    })
}

/// Returns the index of the wanted output, which is a float or of the type `also`.
fn output(
    label: &str,
    outputs: &[PortSpec],
    name: Option<&str>,
    also: Option<Type>,
) -> Result<usize> {
    let is_taken = |port: &&PortSpec| port.ty == Type::Float || Some(port.ty) == also;
    let floats: Vec<&str> = outputs
        .iter()
        .filter(is_taken)
        .map(|port| port.name.as_str())
        .collect();
    let Some(name) = name else {
        let found = outputs.iter().position(|port| port.ty == Type::Float);
        return found.ok_or_else(|| {
            let message = format!("{label} has no float output, so it does not define an inside");
            Refusal::new("no_field", message).hint("add an output that is negative inside")
        });
    };
    let all = outputs.iter().map(|port| port.name.as_str()).enumerate();
    let found = names::find(name, all);
    let hint = match &floats[..] {
        [] => "it has no float output".to_owned(),
        floats => format!("its outputs of this type are {}", floats.join(", ")),
    };
    let found = found.map_err(|unknown| {
        let message = format!("{label} has no output {}", quoted(name));
        Refusal::new("unknown_output", message).hint(did_you_mean(&unknown.nearest, hint.clone()))
    })?;
    if !is_taken(&&outputs[found]) {
        let message = format!(
            "the output {} of {label} is a {}, not a float{}",
            quoted(name),
            outputs[found].ty,
            also.map_or_else(String::new, |also| format!(" or {also}"))
        );
        return Err(Refusal::new("no_field", message).hint(hint));
    }
    Ok(found)
}

/// Returns the index of the input that is the point: the only float3 without argument, or the one called `pos`; or x of
/// x, y and z.
fn position(label: &str, inputs: &[PortSpec], arguments: &Map<String, Json>) -> Result<usize> {
    let is_given = |input: &PortSpec| {
        let one = || [(0, input.name.as_str())].into_iter();
        arguments
            .keys()
            .any(|name| names::find(name, one()).is_ok())
    };
    let is_free = |three: &[PortSpec]| {
        let mut three = three.iter();
        three.all(|input| input.ty == Type::Float && !is_given(input))
    };
    let mut free: Vec<usize> = (0..inputs.len())
        .filter(|&place| inputs[place].ty == Type::Float3 && !is_given(&inputs[place]))
        .collect();
    // A point has no default, unless nothing else can be the point.
    let required = |place: &usize| inputs[*place].default_value().is_none();
    if free.iter().any(required) {
        free.retain(required);
    }
    let called = free.iter().find(|&&place| inputs[place].name == "pos");
    match (called, &free[..]) {
        (Some(&place), _) | (None, &[place]) => Ok(place),
        (None, []) => {
            let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
            let triples = names.windows(3);
            let mut xyz = triples
                .enumerate()
                .filter(|(_, names)| *names == ["x", "y", "z"]);
            if let Some((place, _)) = xyz.find(|&(place, _)| is_free(&inputs[place..place + 3])) {
                return Ok(place);
            }
            let is_given_point = |input: &&PortSpec| input.ty == Type::Float3 && is_given(input);
            if let Some(input) = inputs.iter().find(is_given_point) {
                let name = quoted(&input.name);
                let message =
                    format!("arguments give {name}, so {label} has no input for the point");
                return Err(Refusal::new("no_field", message).hint(format!(
                    "omit {name}: all points of space are looked at; evaluate gives the value at one"
                )));
            }
            let message = format!("{label} has no float3 input for the point");
            Err(Refusal::new("no_field", message).hint(arguments::describe_inputs(inputs)))
        }
        (None, several) => {
            let names: Vec<&str> = several
                .iter()
                .map(|&place| inputs[place].name.as_str())
                .collect();
            let message = format!(
                "{label} has several float3 inputs, and any of {} may be the point",
                names.join(", ")
            );
            Err(Refusal::new("no_field", message)
                .hint("pass arguments for the others, or rename the point to pos"))
        }
    }
}
