//! A picture and figures in the answer of an edit, so that a part is made and seen in one call.
//!
//! Options are checked before the edit. What fails after it, such as measuring an unbounded shape, does not undo it.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fibula_core::edit::Origin;
use fibula_core::expression::quoted;
use fibula_core::graph::FunctionId;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use super::distance_function::{DistanceMade, DistanceOptions};
use super::measure_part::MeasurePart;
use super::render_part::RenderPart;
use super::shape_query::ShapeQuery;
use crate::background::ProgressFn;
use crate::functions::{CreateFunctionFromExpression, FunctionCreated};
use crate::refusal::{self, Refusal, Result};
use crate::schema_types::ObjectForm;
use crate::service::Service;

/// Units of progress.
const PARTS: u64 = 1_000;

json_structs! {
    /// Function to create, and how to look at it.
    pub request(Default) struct MakeFunction {
        /// The function.
        #[serde(flatten)]
        pub function: CreateFunctionFromExpression,
        /// Also draws it, with options of render: {"view": "sheet"}.
        #[schemars(with = "Option<ObjectForm>")]
        pub render: Option<Json>,
        /// Also measures it, with options of measure, such as `figures`.
        #[schemars(with = "Option<ObjectForm>")]
        pub measure: Option<Json>,
        /// Makes its value the signed distance to the shape of the expression, in which other inputs have their defaults:
        /// for offsets and walls of the stated thickness. {accuracy, bounds, time_limit}; by default the error
        /// is a thousandth of the size.
        #[schemars(with = "Option<ObjectForm>")]
        pub distance: Option<Json>,
    }

    /// The created function, and its distance, picture and figures if they are requested.
    pub answer struct FunctionMade {
        #[serde(flatten)]
        pub function: FunctionCreated,
        #[schemars(with = "Option<ObjectForm>")]
        pub distance: Option<DistanceMade>,
        #[serde(flatten)]
        pub look: PartLook,
    }

    /// Picture and figures of a part.
    pub answer(Default) struct PartLook {
        /// Unit of the figures and bounds.
        pub unit: Option<&'static str>,
        /// Bounds of the part in the picture.
        pub bounds: Option<[[f64; 3]; 2]>,
        /// Figures, each with its error.
        #[schemars(with = "Option<ObjectForm>")]
        pub figures: Option<Map<String, Json>>,
        pub picture: Option<Picture>,
        /// Reasons why the picture or figures are missing, although the function was created.
        pub failed: Vec<String> = [],
    }
}

/// A PNG file; a text of base64 in JSON, and an image in MCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture(pub Vec<u8>);

impl Serialize for Picture {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl JsonSchema for Picture {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Picture".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "description": "PNG in base64." })
    }
}

/// Checked options of a picture and of measurements.
struct Looks {
    render: Option<RenderPart>,
    measure: Option<MeasurePart>,
}

impl MakeFunction {
    /// True if parsing takes less time than waking a thread, and nothing is drawn, measured or meshed.
    pub fn is_quick(&self) -> bool {
        let looks = [&self.render, &self.measure, &self.distance];
        looks.iter().all(|look| look.is_none()) && self.function.is_quick()
    }

    fn looks(&self) -> Result<Looks> {
        let render: Option<RenderPart> = options("render", self.render.as_ref())?;
        let measure: Option<MeasurePart> = options("measure", self.measure.as_ref())?;
        if self.function.dry_run && (render.is_some() || measure.is_some()) {
            let message = "a dry run creates no function that could be drawn or measured";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("omit dry_run, or render and measure"));
        }
        if let Some(render) = &render {
            // Its function is known only after the edit.
            let mut render = render.clone();
            render.look.function_id = Some(FunctionId(0));
            render.check()?;
            render.request()?;
        }
        if let Some(measure) = &measure {
            measure.check()?;
        }
        Ok(Looks { render, measure })
    }
}

/// Parses the options of a picture or of measurements: an object, `true` for the defaults, and a list of figures.
fn options<T: DeserializeOwned>(name: &str, given: Option<&Json>) -> Result<Option<T>> {
    let invalid = |message: String| {
        let hint = match name {
            "distance" => "pass {}, or {accuracy, bounds, time_limit}".to_owned(),
            tool => format!("pass the options of the tool {tool} without a subject, such as {{}}"),
        };
        Refusal::new("invalid_arguments", message).hint(hint)
    };
    let options = match given {
        None | Some(Json::Null | Json::Bool(false)) => return Ok(None),
        Some(Json::Bool(true)) => json!({}),
        Some(Json::Object(members)) => {
            let subject = [
                "project",
                "revision",
                "object_id",
                "function_id",
                "to",
                "each",
            ];
            if let Some(key) = subject.iter().find(|key| members.contains_key(**key)) {
                let message = format!(
                    "{name} is of the function that is created: {} does not apply",
                    refusal::quoted(key)
                );
                return Err(invalid(message));
            }
            Json::Object(members.clone())
        }
        Some(Json::Array(figures)) if name == "measure" => json!({ "figures": figures }),
        Some(other) => return Err(invalid(format!("{name} must be an object, not {other}"))),
    };
    let options = serde_json::from_value(options);
    options
        .map(Some)
        .map_err(|error| invalid(format!("{name}: {error}")))
}

impl Service {
    /// Creates a function from an expression, or replaces one, as the distance to its shape if that is requested, and draws
    /// and measures it as requested. Calls `watch` with the progress of meshing, drawing and measuring and its total; it may
    /// cancel this work.
    ///
    /// # Errors
    /// As [`create_function_from_expression`](Self::create_function_from_expression), if options of the picture or the
    /// measurements are invalid, and if a distance is requested of a shape that cannot be meshed; then there is no new
    /// function.
    pub fn make_function(
        &self,
        origin: &Origin,
        request: MakeFunction,
        watch: ProgressFn<'_>,
    ) -> Result<FunctionMade> {
        let looks = request.looks()?;
        let project = request.function.project.clone();
        let options: Option<DistanceOptions> = options("distance", request.distance.as_ref())?;
        let Some(options) = options else {
            let function = self.create_function_from_expression(origin, request.function)?;
            return Ok(self.look_at_function(function, None, project, looks, watch));
        };
        // Meshing is half of the work.
        let mut half = |number: u64, done: u64, total: u64| {
            let done = done.min(total) * PARTS / total.max(1);
            watch(number * PARTS + done, 2 * PARTS)
        };
        let meshing = &mut |done, total| half(0, done, total);
        let (function, made) = self.make_distance(origin, request.function, &options, meshing)?;
        let looking = &mut |done, total| half(1, done, total);
        Ok(self.look_at_function(function, Some(made), project, looks, looking))
    }

    /// Draws and measures a function that was created.
    fn look_at_function(
        &self,
        mut function: FunctionCreated,
        distance: Option<DistanceMade>,
        project: Option<String>,
        looks: Looks,
        watch: ProgressFn<'_>,
    ) -> FunctionMade {
        let query = ShapeQuery {
            project,
            revision: Some(function.revision),
            function_id: Some(function.function_id),
            ..ShapeQuery::default()
        };
        let look = self.look_at(looks, &query, &mut function.warnings, watch);
        FunctionMade {
            function,
            distance,
            look,
        }
    }

    /// Creates the function that returns the signed distance to the shape of an expression.
    fn make_distance(
        &self,
        origin: &Origin,
        request: CreateFunctionFromExpression,
        options: &DistanceOptions,
        watch: ProgressFn<'_>,
    ) -> Result<(FunctionCreated, DistanceMade)> {
        let (field, mut made, warnings) = self.mesh_for_distance(&request, options, watch)?;
        let (mut function, mesh) = self.create_function(origin, request, Some(&field))?;
        made.mesh_id = mesh.expect("a distance has a mesh").0;
        let own = std::mem::replace(&mut function.warnings, warnings);
        let own = own.into_iter();
        let new: Vec<String> = own.filter(|one| !function.warnings.contains(one)).collect();
        function.warnings.extend(new);
        let name = quoted(&function.name);
        let about = if made.is_needed {
            let off = made.values_off.map(|off| {
                format!("the values of the expression are off by up to {off:.2e}, those of {name} are not; ")
            });
            format!(
                "{}offset({name}(pos), t) is larger by t on all sides; hollow({name}(pos), t) has a wall of t inside, \
                 thicken({name}(pos), t) one outside",
                off.unwrap_or_default()
            )
        } else {
            "the values of the expression are its distance already, within this error: without distance it is faster"
                .to_owned()
        };
        // How the function is called, if not by its name.
        let call = function.next.take();
        function.next = Some(match call {
            Some(call) => format!("{call}; {about}"),
            None => about,
        });
        Ok((function, made))
    }

    /// Draws and measures a subject, and adds the warnings about it.
    fn look_at(
        &self,
        looks: Looks,
        query: &ShapeQuery,
        warnings: &mut Vec<String>,
        watch: ProgressFn<'_>,
    ) -> PartLook {
        let mut look = PartLook::default();
        let of_query = |own: ShapeQuery| ShapeQuery {
            project: query.project.clone(),
            revision: query.revision,
            function_id: query.function_id,
            ..own
        };
        let mut warn = |new: Vec<String>| {
            let new = new.into_iter();
            let new: Vec<String> = new.filter(|text| !warnings.contains(text)).collect();
            warnings.extend(new);
        };
        // The picture is the shorter part of the work.
        let drawing = if looks.measure.is_some() {
            PARTS / 4
        } else {
            PARTS
        };
        let share = |done: u64, total: u64, of: u64| done.min(total) * of / total.max(1);
        if let Some(render) = looks.render {
            let request = RenderPart {
                look: of_query(render.look.clone()),
                ..render
            };
            let watch = &mut |done, total| watch(share(done, total, drawing), PARTS);
            match self.render_part(&request, watch) {
                Ok(rendered) => {
                    let extent = rendered.extent;
                    look.unit = extent.map(|extent| extent.unit.name());
                    look.bounds = extent.map(|extent| [extent.bounds.low(), extent.bounds.high()]);
                    look.picture = Some(Picture(rendered.png));
                    warn(rendered.warnings);
                }
                Err(refusal) => look.failed.push(format!("render: {refusal}")),
            }
        }
        if let Some(measure) = looks.measure {
            let request = MeasurePart {
                look: of_query(measure.look.clone()),
                ..measure
            };
            let watch =
                &mut |done, total| watch(drawing + share(done, total, PARTS - drawing), PARTS);
            match self.measure_part(&request, watch) {
                Ok(measured) => {
                    look.unit = Some(measured.unit);
                    look.figures = Some(measured.figures);
                    warn(measured.warnings);
                }
                Err(refusal) => look.failed.push(format!("measure: {refusal}")),
            }
        }
        look
    }
}
