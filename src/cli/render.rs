//! `fibula render`: a picture of a function.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use fibula_nodes::{PortSpec, Type, Value, names};
use serde_json::{Map, Value as Json};

use super::data::{Data, Use};
use super::eval::{named, numbers};
use super::files;
use super::output::{Failure, print};
use super::progress::{Unit as Counted, watched};
use super::whole::Whole;
use crate::eval::Tape;
use crate::geometry::picture::{Camera, Colouring, Section, View};
use crate::geometry::{Bounds, Shape};
use crate::graph::model::Unit;
use crate::service::{
    CreateFunctionFromExpression, FunctionInfo, GetStructure, ListFunctions, Refusal,
    Render as Request, Rendered, Service, Views, render,
};

#[derive(Debug, Args)]
pub(super) struct Render {
    /// A 3MF or .vm file, or a project that is kept.
    #[arg(required_unless_present_any = ["expression", "library"])]
    what: Option<String>,
    /// An expression instead, such as 'sphere(pos, 5)'.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["what", "library"])]
    expression: Option<String>,
    /// The example of a function of the library instead.
    #[arg(long, value_name = "NAME", conflicts_with = "what")]
    library: Option<String>,
    /// The function's name or id; may be left out if there is only one.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["expression", "library"])]
    function: Option<String>,
    /// The output that is below 0 inside; the first one if left out.
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// An input by name, such as radius=5; may be given several times.
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// The part that is shown, by two corners; all of the shape if left out.
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], allow_hyphen_values = true)]
    bounds: Option<Vec<String>>,
    /// From where: iso, front, back, left, right, top, bottom, or a sheet of four.
    #[arg(long, default_value = "iso", conflicts_with = "orbit")]
    view: String,
    /// From where: the angle from x towards y, and the one above the ground, in degrees.
    #[arg(long, value_name = "AZIMUTH,ELEVATION", allow_hyphen_values = true)]
    orbit: Option<String>,
    /// In perspective: the angle of the picture's height, in degrees.
    #[arg(long, value_name = "ANGLE")]
    perspective: Option<f64>,
    /// By how much larger.
    #[arg(long, default_value_t = 1.0)]
    zoom: f64,
    /// The picture's size in pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "512x512")]
    size: String,
    /// A plane that cuts it open, such as x=0; may be given several times.
    #[arg(long, value_name = "AXIS=PLACE", allow_hyphen_values = true)]
    section: Vec<String>,
    /// The output that colours the surface.
    #[arg(long, value_name = "NAME")]
    colour: Option<String>,
    /// The PNG file that is made.
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Replace the file if it is there.
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    data: Data,
}

/// A function, and what is needed to evaluate it.
struct Found {
    function: FunctionInfo,
    tape: Arc<Tape>,
    unit: Option<Unit>,
}

impl Render {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let found = self.found()?;
        let tape = &*found.tape;
        let given = named(&found.function.inputs, &self.arguments)?;
        let (input, scalars) = scalars(tape.inputs(), &given)?;
        let mut shape = Shape::with(tape, input, &scalars).map_err(Refusal::from);
        if let Some(output) = &self.output {
            let place = port(tape.outputs(), output)?;
            shape = shape.and_then(|shape| Ok(shape.of_output(place)?));
        }
        let shape = shape?;
        let request = Request {
            bounds: self.bounds()?,
            views: self.views()?,
            size: self.size()?,
            sections: self.sections()?,
            colouring: self.colouring(tape)?,
            unit: found.unit,
        };
        let rendered = watched(Counted::Parts, |watch| render(&shape, &request, watch))?;
        let mut file = Whole::begin(&self.out, self.overwrite)?;
        file.write_all(&rendered.png)?;
        file.finish()?;
        print(&told(&self.out, &rendered))
    }

    /// The function that is meant.
    fn found(&self) -> Result<Found, Failure> {
        let example = match &self.library {
            Some(name) => Some(example(name)?),
            None => self.expression.clone(),
        };
        let (service, project) = match (&example, &self.what) {
            (Some(text), _) => {
                let service = Service::new(&files::unlimited());
                let request = CreateFunctionFromExpression::new("expression", text);
                service.create_function_from_expression(&files::origin("render"), request)?;
                (service, None)
            }
            (None, Some(what)) if Path::new(what).is_file() => {
                (files::open(Path::new(what))?.0, None)
            }
            (None, what) => (self.data.service(Use::Read)?, what.clone()),
        };
        let name = match &example {
            Some(_) => Some("expression"),
            None => self.function.as_deref(),
        };
        let function = files::only_or_named_in(&service, project.as_deref(), name)?;
        let tape = service.tape(project.as_deref(), function.function_id)?;
        let structure = service.get_structure(&GetStructure {
            project,
            revision: None,
            limit: Some(1),
            cursor: None,
        })?;
        let unit = Unit::ALL
            .into_iter()
            .find(|unit| unit.name() == structure.unit);
        Ok(Found {
            function,
            tape,
            unit,
        })
    }

    fn bounds(&self) -> Result<Option<Bounds>, Refusal> {
        let Some([low, high]) = self.bounds.as_deref() else {
            return Ok(None);
        };
        let corner = |text: &String| -> Result<[f64; 3], Refusal> {
            numbers(text)?.try_into().map_err(|_| {
                let message = format!("--bounds {text} is no point");
                Refusal::new("invalid_value", message)
                    .hint("give two corners, such as -5,-5,0 5,5,10")
            })
        };
        let bounds = Bounds::new(corner(low)?, corner(high)?);
        let bounds = bounds.map_err(|error| Refusal::new("invalid_value", error.to_string()))?;
        Ok(Some(bounds))
    }

    fn views(&self) -> Result<Views, Refusal> {
        let mut camera = if let Some(orbit) = &self.orbit {
            let [azimuth, elevation] = numbers(orbit)?[..] else {
                let message = format!("--orbit {orbit} is not two angles");
                return Err(Refusal::new("invalid_value", message)
                    .hint("give two numbers in degrees, such as -60,30"));
            };
            Camera::orbit(azimuth.to_radians(), elevation.to_radians())
        } else if self.view.eq_ignore_ascii_case("sheet") {
            return Ok(Views::Sheet);
        } else {
            let view = View::named(&self.view).ok_or_else(|| {
                let all: Vec<&str> = View::ALL.map(View::name).into();
                let message = format!("there is no view '{}'", self.view);
                Refusal::new("invalid_value", message).hint(format!(
                    "give {} or sheet; --orbit takes angles",
                    all.join(", ")
                ))
            })?;
            view.into()
        };
        camera.perspective = self.perspective.map(f64::to_radians);
        camera.zoom = self.zoom;
        Ok(Views::One(camera))
    }

    fn size(&self) -> Result<[usize; 2], Refusal> {
        let pixels = |text: &str| text.trim().parse().ok();
        let parts = self.size.split_once('x');
        let parts = parts.and_then(|(width, height)| Some([pixels(width)?, pixels(height)?]));
        parts.ok_or_else(|| {
            let message = format!("--size {} is no size", self.size);
            Refusal::new("invalid_size", message).hint("give pixels, such as 800x600")
        })
    }

    fn sections(&self) -> Result<Vec<Section>, Refusal> {
        let section = |text: &String| {
            let wrong = || {
                let message = format!("--section {text} is no plane");
                Refusal::new("invalid_value", message).hint("give x, y or z and a place: x=0")
            };
            let (axis, place) = text.split_once('=').ok_or_else(wrong)?;
            let axis = ["x", "y", "z"].iter().position(|name| *name == axis.trim());
            let place: f64 = place.trim().parse().map_err(|_| wrong())?;
            let mut normal = [0.0; 3];
            normal[axis.ok_or_else(wrong)?] = 1.0;
            Ok(Section::new(normal, place)?)
        };
        self.section.iter().map(section).collect()
    }

    fn colouring(&self, tape: &Tape) -> Result<Option<Colouring>, Refusal> {
        let Some(name) = &self.colour else {
            return Ok(None);
        };
        let place = port(tape.outputs(), name)?;
        let before = &tape.outputs()[..place];
        Ok(Some(Colouring {
            output: before.iter().map(|port| port.ty.width()).sum(),
            range: None,
            title: tape.outputs()[place].name.clone(),
        }))
    }
}

/// The example of a function of the library.
fn example(name: &str) -> Result<String, Refusal> {
    let request = ListFunctions {
        search: Some(name.to_owned()),
        library: true,
        ..ListFunctions::default()
    };
    let found = Service::default().list_functions(&request)?.library;
    let first = found.unwrap_or_default().into_iter().next();
    let first = first.filter(|info| info.name.eq_ignore_ascii_case(name));
    first.and_then(|info| info.example).ok_or_else(|| {
        let message = format!("the library has no function '{name}'");
        Refusal::new("unknown_function_name", message).hint("fibula library lists them all")
    })
}

/// The place of an output.
fn port(ports: &[PortSpec], name: &str) -> Result<usize, Refusal> {
    let all = ports.iter().map(|port| port.name.as_str());
    names::find(name, all.clone().enumerate()).map_err(|_| {
        let message = format!("the function has no output '{name}'");
        let all: Vec<&str> = all.collect();
        Refusal::new("unknown_output", message).hint(format!("it has {}", all.join(", ")))
    })
}

/// The input that is the point, which is the first float3 that is not given, and the scalars of all inputs.
fn scalars(inputs: &[PortSpec], given: &Map<String, Json>) -> Result<(usize, Vec<f64>), Refusal> {
    let value = |input: &PortSpec| {
        let mut given = given.iter();
        given.find(|(name, _)| name.eq_ignore_ascii_case(&input.name))
    };
    if let Some(unknown) = given.keys().find(|name| {
        !inputs
            .iter()
            .any(|input| input.name.eq_ignore_ascii_case(name))
    }) {
        let message = format!("the function has no input '{unknown}'");
        return Err(Refusal::new("unknown_argument", message));
    }
    let is_point = |input: &PortSpec| input.ty == Type::Float3 && value(input).is_none();
    let Some(point) = inputs.iter().position(is_point) else {
        let message = "the function has no float3 that could be the point";
        return Err(Refusal::new("no_position", message)
            .hint("a picture is of a function of a point; leave the point out of --arg"));
    };
    let mut scalars = Vec::new();
    let mut missing = Vec::new();
    for (place, input) in inputs.iter().enumerate() {
        match value(input) {
            _ if place == point => scalars.extend([0.0; 3]),
            Some((_, json)) => {
                let read = Value::from_json(input.ty, json);
                let read = read.map_err(|_| {
                    let message = format!("{json} is no {} for '{}'", input.ty, input.name);
                    Refusal::new("invalid_value", message)
                })?;
                scalars.extend(read.scalars());
            }
            None => missing.push(input.name.as_str()),
        }
    }
    if missing.is_empty() {
        return Ok((point, scalars));
    }
    let message = format!("the function needs {} too", missing.join(", "));
    Err(Refusal::new("missing_argument", message).hint("give each as --arg NAME=VALUE"))
}

fn told(path: &Path, rendered: &Rendered) -> String {
    let corner = |corner: [f64; 3]| {
        let parts = corner.map(|part| ((part * 1e4).round() / 1e4 + 0.0).to_string());
        format!("[{}]", parts.join(", "))
    };
    let [width, height] = rendered.size;
    let (low, high) = (rendered.bounds.low(), rendered.bounds.high());
    format!(
        "{}: {width} x {height} pixels, from {} to {}\n",
        path.display(),
        corner(low),
        corner(high)
    )
}
