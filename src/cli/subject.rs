//! Options for the subject of a picture, mesh, measurement or slices.

use std::path::Path;

use clap::Args;
use fibula_geometry::Bounds;
use fibula_nodes::ResourceId;
use fibula_service::{
    CreateFunctionFromExpression, GetStructure, Refusal, ResolvedShape, Service, Subject,
    imported_formats,
};

use super::data::{Data, StoreAccess};
use super::eval::{named, numbers};
use super::files;
use super::library;
use super::output::Failure;

#[derive(Debug, Args)]
pub(super) struct SubjectArgs {
    #[arg(required_unless_present_any = ["expression", "library"], help = format!(
        "A {} file, or a project of the store: its build, or its only function",
        imported_formats("or")
    ))]
    what: Option<String>,
    /// An expression instead, such as 'sphere(pos, 5)'.
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["what", "library"])]
    expression: Option<String>,
    /// The example of a function of the library instead.
    #[arg(long, value_name = "NAME", conflicts_with = "what")]
    library: Option<String>,
    /// One object: the id of a mesh, a level set or an assembly.
    #[arg(long, value_name = "ID", conflicts_with_all = ["expression", "library", "function"])]
    object: Option<u32>,
    /// One function, by its name or id.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["expression", "library"])]
    function: Option<String>,
    /// The function's output that is below 0 inside; its first float if left out.
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// An input of the function beside the point, such as radius=5; may be given several times.
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// The part that is looked at, by two corners; all of it if left out.
    #[arg(long, num_args = 2, value_names = ["FROM", "TO"], allow_hyphen_values = true)]
    bounds: Option<Vec<String>>,
    #[command(flatten)]
    data: Data,
}

/// A second thing, beside what is looked at.
#[derive(Debug, Args)]
pub(super) struct SecondSubjectArgs {
    /// Compare with another file or project; the same one if only a part of it is named.
    #[arg(long, value_name = "WHAT")]
    to: Option<String>,
    /// Compare with one object.
    #[arg(long, value_name = "ID", conflicts_with = "to_function")]
    to_object: Option<u32>,
    /// Compare with one function, by its name or id.
    #[arg(long, value_name = "NAME")]
    to_function: Option<String>,
    /// Compare with an expression.
    #[arg(
        long,
        value_name = "TEXT",
        allow_hyphen_values = true,
        conflicts_with_all = ["to", "to_object", "to_function"]
    )]
    to_expression: Option<String>,
    /// The output of the second function that is below 0 inside; its first float if left out.
    #[arg(long, value_name = "NAME")]
    to_output: Option<String>,
    /// An input of the second function beside the point; may be given several times.
    #[arg(long = "to-arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    to_arguments: Vec<String>,
}

impl SecondSubjectArgs {
    /// Returns the second subject, if one is named.
    pub(super) fn look(&self, first: &SubjectArgs) -> Result<Option<SubjectArgs>, Refusal> {
        let is_part = self.to_object.is_some() || self.to_function.is_some();
        let is_named = self.to.is_some() || self.to_expression.is_some() || is_part;
        if !is_named {
            let is_free = self.to_output.is_none() && self.to_arguments.is_empty();
            if is_free {
                return Ok(None);
            }
            let message = "--to-output and --to-arg apply to a second function, but none is given";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("give --to, --to-function or --to-expression"));
        }
        let what = match (&self.to, &self.to_expression) {
            (Some(to), _) => Some(to.clone()),
            (None, Some(_)) => None,
            (None, None) => first.what.clone(),
        };
        if what.is_none() && self.to_expression.is_none() {
            let message = "the first subject is not a file or project, so it has no other parts";
            return Err(Refusal::new("invalid_arguments", message)
                .hint("give --to FILE as well, or --to-expression"));
        }
        Ok(Some(SubjectArgs {
            what,
            expression: self.to_expression.clone(),
            library: None,
            object: self.to_object,
            function: self.to_function.clone(),
            output: self.to_output.clone(),
            arguments: self.to_arguments.clone(),
            bounds: None,
            data: first.data.clone(),
        }))
    }
}

/// A subject and the service that has it.
pub(super) struct LocatedSubject {
    pub(super) service: Service,
    pub(super) project: Option<String>,
    pub(super) subject: Subject,
    /// The selected bounds.
    pub(super) bounds: Option<Bounds>,
}

/// The shape of a subject, and the selected bounds.
pub(super) type ResolvedSubject = (ResolvedShape, Option<Bounds>);

impl SubjectArgs {
    /// Resolves the subject without colours.
    pub(super) fn resolve_plain(&self) -> Result<ResolvedSubject, Failure> {
        self.resolve(None, true)
    }

    /// Resolves the subject with the colours of its volume data, or plain, or coloured by an output or property.
    pub(super) fn resolve(
        &self,
        color: Option<&str>,
        plain: bool,
    ) -> Result<ResolvedSubject, Failure> {
        let located = self.locate(color, plain)?;
        let (project, subject) = (located.project.as_deref(), &located.subject);
        let shape = located.service.resolve_shape(project, None, subject)?;
        Ok((shape, located.bounds))
    }

    /// Locates the subject; colours as for [`resolve`](Self::resolve).
    pub(super) fn locate(
        &self,
        color: Option<&str>,
        plain: bool,
    ) -> Result<LocatedSubject, Failure> {
        let bounds = self.bounds()?;
        let (service, project) = self.service()?;
        let subject = Subject {
            color: color.map(str::to_owned),
            plain,
            ..self.subject(&service, project.as_deref())?
        };
        Ok(LocatedSubject {
            service,
            project,
            subject,
            bounds,
        })
    }

    fn service(&self) -> Result<(Service, Option<String>), Failure> {
        let example = match &self.library {
            Some(name) => Some(example(name)?),
            None => self.expression.clone(),
        };
        if let Some(text) = &example {
            let service = Service::new(&files::unlimited());
            let request = CreateFunctionFromExpression::new("expression", text);
            service.create_function_from_expression(&files::origin("look"), request)?;
            return Ok((service, None));
        }
        let what = self.what.as_deref().unwrap_or_default();
        let path = Path::new(what);
        if path.is_file() || files::has_model_extension(path) {
            let (service, imported) = files::open(path)?;
            files::warn_about(&imported);
            return Ok((service, None));
        }
        let service = self.data.service(StoreAccess::Read)?;
        service.require_sound(Some(what), None)?;
        Ok((service, Some(what.to_owned())))
    }

    fn subject(&self, service: &Service, project: Option<&str>) -> Result<Subject, Failure> {
        if let Some(object) = self.object {
            let arguments = named(&[], &self.arguments)?;
            return Ok(Subject {
                object_id: Some(ResourceId(object)),
                output: self.output.clone(),
                arguments: (!arguments.is_empty()).then_some(arguments),
                ..Subject::default()
            });
        }
        let name = match &self.function {
            Some(name) => Some(name.as_str()),
            None => (self.what.is_none()).then_some("expression"),
        };
        let is_of_function = self.output.is_some() || !self.arguments.is_empty();
        if name.is_none() && !is_of_function {
            let structure = service.get_structure(&GetStructure {
                project: project.map(str::to_owned),
                revision: None,
                limit: Some(1),
                cursor: None,
            })?;
            if !structure.build_items.is_empty() {
                return Ok(Subject::default());
            }
        }
        let function = files::only_or_named_in(service, project, name)?;
        let arguments = named(&function.inputs, &self.arguments)?;
        Ok(Subject {
            function_id: Some(function.function_id),
            output: self.output.clone(),
            arguments: Some(arguments),
            ..Subject::default()
        })
    }

    fn bounds(&self) -> Result<Option<Bounds>, Refusal> {
        let Some([low, high]) = self.bounds.as_deref() else {
            return Ok(None);
        };
        let corner = |text: &String| -> Result<[f64; 3], Refusal> {
            numbers(text)?.try_into().map_err(|_| {
                let message = format!("--bounds {text} is not a point");
                Refusal::new("invalid_value", message)
                    .hint("use two corners, such as -5,-5,0 5,5,10")
            })
        };
        let bounds = Bounds::new(corner(low)?, corner(high)?);
        let bounds = bounds.map_err(|error| Refusal::new("invalid_value", error.to_string()))?;
        Ok(Some(bounds))
    }
}

/// The example of a function of the library.
fn example(name: &str) -> Result<String, Refusal> {
    let first = library::all(name)?.0.into_iter().next();
    let first = first.filter(|info| info.name.eq_ignore_ascii_case(name));
    first.and_then(|info| info.example).ok_or_else(|| {
        let message = format!("the library has no function '{name}'");
        Refusal::new("unknown_function_name", message).hint("fibula library lists them all")
    })
}
