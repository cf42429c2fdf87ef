//! `fibula eval` and `fibula expr`: evaluation of functions and expressions.

use std::fmt::Write as _;
use std::path::PathBuf;

use clap::Args;
use fibula_nodes::Type;
use fibula_service::{
    CreateFunctionFromExpression, Evaluate, EvaluationResult, FunctionInfo, Refusal, Service,
};
use serde_json::{Map, Value as Json, json};

use super::files;
use super::functions::{describe, show};
use super::output::{Failure, OutputArgs, value_text, warn};
use super::sample::{FunctionCall, SamplingArgs};

#[derive(Debug, Args)]
pub(super) struct Eval {
    /// The 3MF or .vm file.
    file: PathBuf,
    /// The function's name or id; may be left out if there is only one.
    function: Option<String>,
    #[command(flatten)]
    points: Points,
    #[command(flatten)]
    many: SamplingArgs,
}

#[derive(Debug, Args)]
pub(super) struct Expr {
    /// The expression, such as 'length(pos) - 5'.
    #[arg(allow_hyphen_values = true)]
    expression: String,
    /// Show the function's nodes instead of evaluating it.
    #[arg(long)]
    graph: bool,
    #[command(flatten)]
    points: Points,
    #[command(flatten)]
    many: SamplingArgs,
}

/// Where a function is evaluated, and how the values are printed.
#[derive(Debug, Args)]
struct Points {
    /// The numbers of the inputs in their order, such as 1,2,3 for a float3; may be given several times.
    #[arg(long, value_name = "NUMBERS", allow_hyphen_values = true)]
    at: Vec<String>,
    /// An input by name, such as radius=5 or pos=1,2,3; may be given several times.
    #[arg(long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    arguments: Vec<String>,
    /// Only this output; may be given several times.
    #[arg(long = "output", value_name = "NAME")]
    outputs: Vec<String>,
    /// Show the inputs and outputs of every node.
    #[arg(long)]
    trace: bool,
    #[command(flatten)]
    output: OutputArgs,
}

impl Eval {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (service, _) = files::open(&self.file)?;
        let function = files::only_or_named(&service, self.function.as_deref())?;
        self.points.evaluate(&service, &function, &self.many)
    }
}

impl Expr {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let service = Service::new(&files::unlimited());
        let request = CreateFunctionFromExpression::new("expression", &self.expression);
        let created = service.create_function_from_expression(&files::origin("expr"), request)?;
        let function = files::find(
            files::functions(&service)?,
            &created.function_id.to_string(),
        )?;
        if !self.graph {
            return self.points.evaluate(&service, &function, &self.many);
        }
        let output = self.points.output;
        output.print(&show(&service, &function)?, describe)
    }
}

impl Points {
    fn evaluate(
        &self,
        service: &Service,
        function: &FunctionInfo,
        many: &SamplingArgs,
    ) -> Result<(), Failure> {
        let named = named(&function.inputs, &self.arguments)?;
        let point = |numbers: &String| at(function, &named, numbers);
        let points: Result<Vec<Json>, Refusal> = self.at.iter().map(point).collect();
        let mut points = points?;
        if points.is_empty() {
            points.push(Json::Object(named.clone()));
        }
        let arguments = match &mut points[..] {
            [only] => only.take(),
            _ => Json::Array(points.clone()),
        };
        let outputs = (!self.outputs.is_empty()).then(|| self.outputs.clone());
        if many.is_given() {
            if self.trace {
                let message =
                    "--trace applies to a single point, and cannot be combined with a file";
                return Err(Refusal::new("invalid_arguments", message).into());
            }
            let call = FunctionCall {
                service,
                function,
                named: &named,
                outputs,
            };
            return many.run(&call, arguments, self.output.json);
        }
        let request = Evaluate {
            outputs,
            trace: self.trace,
            gradient: many.wants_gradient(),
            ..Evaluate::new(function.function_id, arguments)
        };
        let evaluated = service.evaluate(request);
        let evaluated = evaluated.map_err(|refusal| match refusal.code {
            "missing_argument" => {
                refusal.hint("pass it as --arg NAME=VALUE, or all numbers in order with --at")
            }
            _ => refusal,
        })?;
        self.output.print(&evaluated, |it| self.text(it))?;
        if !self.output.json {
            warn(&evaluated.warnings);
        }
        Ok(())
    }

    fn text(&self, evaluated: &EvaluationResult) -> String {
        let mut text = String::new();
        for node in evaluated.trace.iter().flatten() {
            let name = node.display_name.as_ref();
            let name = name.map_or_else(String::new, |name| format!(" '{name}'"));
            let (inputs, outputs) = (assigned(&node.inputs, ", "), assigned(&node.outputs, ", "));
            let (id, kind) = (node.node_id, &node.node_type);
            let _ = writeln!(text, "{id} {kind}{name}: ({inputs}) -> {outputs}");
        }
        self.for_each_point(&evaluated.values, |before, values| {
            let values = values.as_object().into_iter().flatten();
            let _ = writeln!(text, "{before}{}", assigned(values, "  "));
        });
        if let Some(gradients) = &evaluated.gradients {
            self.for_each_point(gradients, |before, gradient| {
                slopes(&mut text, gradient, before);
            });
        }
        text
    }

    /// Calls `write` with the values at each point, and the numbers that they begin with if there are several.
    fn for_each_point(&self, values: &Json, mut write: impl FnMut(&str, &Json)) {
        match values {
            Json::Array(points) => {
                for (values, at) in points.iter().zip(&self.at) {
                    write(&format!("{at}: "), values);
                }
            }
            values => write("", values),
        }
    }
}

/// Lists names with their values.
fn assigned<'a>(
    values: impl IntoIterator<Item = (&'a String, &'a Json)>,
    separator: &str,
) -> String {
    let text = |(name, value): (&String, &Json)| format!("{name} = {}", value_text(value));
    let texts: Vec<String> = values.into_iter().map(text).collect();
    texts.join(separator)
}

/// Appends derivatives, a line for each output and input.
fn slopes(text: &mut String, gradient: &Json, before: &str) {
    for (output, by) in gradient.as_object().into_iter().flatten() {
        for (input, slope) in by.as_object().into_iter().flatten() {
            let slope = value_text(slope);
            let _ = writeln!(text, "{before}d {output} / d {input} = {slope}");
        }
    }
}

/// Parses the arguments that are given by name.
pub(super) fn named(
    inputs: &[fibula_nodes::PortSpec],
    arguments: &[String],
) -> Result<Map<String, Json>, Refusal> {
    let mut named = Map::new();
    for argument in arguments {
        let Some((name, text)) = argument.split_once('=') else {
            let message = format!("--arg takes NAME=VALUE, but got '{argument}'");
            return Err(Refusal::new("invalid_arguments", message));
        };
        let input = inputs.iter().find(|input| input.name == name);
        let value = match input.map(|input| input.ty) {
            Some(Type::String) => json!(text),
            Some(
                Type::Float | Type::Float3 | Type::Matrix4x4 | Type::Integer | Type::ResourceId,
            )
            | None => number_or_list(&numbers(text)?),
        };
        if named.insert(name.to_owned(), value).is_some() {
            let message = format!("duplicate input '{name}'");
            return Err(Refusal::new("invalid_arguments", message));
        }
    }
    Ok(named)
}

fn number_or_list(numbers: &[f64]) -> Json {
    match numbers {
        [only] => json!(only),
        several => json!(several),
    }
}

/// Parses the other arguments from numbers in the order of the inputs.
fn at(function: &FunctionInfo, named: &Map<String, Json>, text: &str) -> Result<Json, Refusal> {
    let numbers = numbers(text)?;
    let mut point = named.clone();
    let mut rest = &numbers[..];
    let open = function
        .inputs
        .iter()
        .filter(|input| !named.contains_key(&input.name));
    let mut wanted = Vec::new();
    for input in open {
        let width = input.ty.width().max(1);
        wanted.push(format!("{} ({width})", input.name));
        let Some((own, after)) = rest.split_at_checked(width) else {
            continue;
        };
        rest = after;
        point.insert(input.name.clone(), number_or_list(own));
    }
    if rest.is_empty() {
        return Ok(Json::Object(point));
    }
    let takes = if wanted.is_empty() {
        "no more numbers".to_owned()
    } else {
        wanted.join(", ")
    };
    let message = format!(
        "--at {text} has {} numbers, but the function takes {takes}",
        numbers.len()
    );
    Err(Refusal::new("invalid_arguments", message))
}

pub(super) fn numbers(text: &str) -> Result<Vec<f64>, Refusal> {
    let number = |part: &str| {
        let number = part.trim().parse().ok();
        number
            .filter(|number: &f64| number.is_finite())
            .ok_or_else(|| {
                let message = format!("'{part}' is not a finite number");
                Refusal::new("invalid_value", message)
                    .hint("write numbers separated by commas, such as 1,2.5,-3")
            })
    };
    text.split(',').map(number).collect()
}
