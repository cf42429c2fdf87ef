//! Arguments in JSON: `{INPUT: value}` for a point, or a list for many points.

use fibula_nodes::{PortSpec, Type, Value, names};
use serde_json::{Map, Value as Json, json};

use crate::refusal::{Refusal, Result, did_you_mean, quoted};

/// Maximum number of points of a call.
const MOST_POINTS: usize = 100_000;

/// Arguments of one point, or of each of many points.
pub(crate) enum Arguments {
    One(Map<String, Json>),
    Many(Vec<Json>),
}

/// Parses arguments.
pub(crate) fn parse(inputs: &[PortSpec], arguments: Option<Json>) -> Result<Arguments> {
    match arguments.map(unquoted) {
        None | Some(Json::Null) => Ok(Arguments::One(Map::new())),
        Some(Json::Object(values)) => Ok(Arguments::One(values)),
        Some(Json::Array(list)) => Ok(Arguments::Many(list)),
        Some(other) => {
            let message = format!(
                "arguments is {}, not an object or a list of objects",
                kind_of(&other)
            );
            Err(Refusal::new("invalid_arguments", message).hint(describe_inputs(inputs)))
        }
    }
}

/// Parses a string that contains a JSON object or list, which some hosts send instead of the value.
fn unquoted(arguments: Json) -> Json {
    match &arguments {
        Json::String(text) if text.trim_start().starts_with(['{', '[']) => {
            serde_json::from_str(text).unwrap_or(arguments)
        }
        _ => arguments,
    }
}

/// Parses the values of a list of points.
pub(crate) fn parse_points(inputs: &[PortSpec], list: &[Json]) -> Result<Vec<Vec<Value>>> {
    if list.len() > MOST_POINTS {
        let message = format!("{} points are too many for one call", list.len());
        return Err(Refusal::new("too_large", message)
            .hint(format!("send at most {MOST_POINTS} points at a time")));
    }
    let each = |(place, values): (usize, &Json)| match values {
        Json::Object(values) => parse_point(inputs, values, Some(place)),
        other => {
            let message = format!("arguments[{place}] is {}, not an object", kind_of(other));
            Err(Refusal::new("invalid_arguments", message).hint(describe_inputs(inputs)))
        }
    };
    list.iter().enumerate().map(each).collect()
}

/// Parses one value per input: the argument, or else the default; the refusal names every missing argument.
pub(crate) fn parse_point(
    inputs: &[PortSpec],
    arguments: &Map<String, Json>,
    place: Option<usize>,
) -> Result<Vec<Value>> {
    let at = place
        .map(|place| format!("arguments[{place}]: "))
        .unwrap_or_default();
    let mut values: Vec<Option<Value>> = vec![None; inputs.len()];
    for (name, json) in arguments {
        let all = inputs.iter().map(|input| input.name.as_str()).enumerate();
        let index = names::find(name, all).map_err(|unknown| {
            let message = format!("{at}the function has no input {}", quoted(name));
            Refusal::new("unknown_argument", message)
                .hint(did_you_mean(&unknown.nearest, describe_inputs(inputs)))
                .details(json!({ "argument": name }))
        })?;
        let input = &inputs[index];
        let refuse = |problem: String| {
            Refusal::new("invalid_value", format!("{at}{}: {problem}", input.name))
        };
        let value = Value::from_json(input.ty, json).map_err(|error| refuse(error.to_string()))?;
        if let Some(violation) = input.violation(&value) {
            return Err(refuse(violation).hint(format!("the input is {input}")));
        }
        if values[index].replace(value).is_some() {
            let message = format!("{at}{} is given twice", input.name);
            return Err(Refusal::new("invalid_arguments", message));
        }
    }
    for (input, value) in inputs.iter().zip(&mut values) {
        if value.is_none() {
            *value = input.default_value().cloned();
        }
    }
    let missing: Vec<&PortSpec> = inputs
        .iter()
        .zip(&values)
        .filter(|(_, value)| value.is_none())
        .map(|(input, _)| input)
        .collect();
    if missing.is_empty() {
        return Ok(values.into_iter().flatten().collect());
    }
    let named: Vec<String> = missing.iter().map(ToString::to_string).collect();
    let verb = if named.len() == 1 { "is" } else { "are" };
    let message = format!("{at}{} {verb} missing", named.join(", "));
    Err(Refusal::new("missing_argument", message)
        .hint(describe_inputs(inputs))
        .details(json!({ "missing": missing })))
}

/// Describes the inputs of a function, for a hint.
pub(crate) fn describe_inputs(inputs: &[PortSpec]) -> String {
    match inputs {
        [] => "the function has no inputs".to_owned(),
        inputs => {
            let all: Vec<String> = inputs.iter().take(20).map(ToString::to_string).collect();
            let example = inputs.iter().take(20).map(|input| {
                let default = input.default_value().map(Value::to_json);
                (
                    input.name.clone(),
                    default.unwrap_or_else(|| example(input.ty)),
                )
            });
            let example: Map<String, Json> = example.collect();
            format!(
                "the function has the inputs {}, as in {}",
                all.join(", "),
                Json::Object(example)
            )
        }
    }
}

/// The inputs, with those at `places` without default and limits, since their values vary.
pub(crate) fn without_details(inputs: &[PortSpec], places: &[usize]) -> Vec<PortSpec> {
    let mut inputs = inputs.to_vec();
    for &place in places {
        inputs[place].details = None;
    }
    inputs
}

fn example(ty: Type) -> Json {
    match ty {
        Type::Float => json!(0.5),
        Type::Float3 => json!([0, 0, 5]),
        Type::Matrix4x4 => json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
        Type::Integer => json!(2),
        Type::String => json!("shape"),
        Type::ResourceId => json!(1),
    }
}

fn kind_of(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Bool(_) => "a boolean",
        Json::Number(_) => "a number",
        Json::String(_) => "a text",
        Json::Array(_) => "a list",
        Json::Object(_) => "an object",
    }
}
