//! The arguments of a tool, and what is wrong with them: every fault at once, in words.
//!
//! `Parameters` keeps the name of rmcp's own type, since its macros find the schema of arguments by it.

use std::borrow::Cow;

use fibula_nodes::names;
use fibula_service::Refusal;
use rmcp::ErrorData;
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::JsonObject;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::reply::Fail;

/// How many faults are named.
const MOST_FAULTS: usize = 5;

/// A server that can tell what a tool takes.
pub(super) trait Schemas {
    /// The schema of a tool's arguments.
    fn input_schema(&self, tool: &str) -> Option<&JsonObject>;
}

/// A tool's arguments.
pub(super) struct Parameters<P>(pub(super) P);

impl<S: Schemas, P: DeserializeOwned> FromContextPart<ToolCallContext<'_, S>> for Parameters<P> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        let mut arguments = context.arguments.take().unwrap_or_default();
        let error = match P::deserialize(&arguments) {
            Ok(parameters) => return Ok(Parameters(parameters)),
            Err(error) => error,
        };
        let schema = context.service.input_schema(&context.name);
        // Some hosts send lists, objects and whole numbers as JSON texts: read those, once, and only after a refusal.
        if schema.is_some_and(|schema| unquote(&mut arguments, schema))
            && let Ok(parameters) = P::deserialize(&arguments)
        {
            return Ok(Parameters(parameters));
        }
        let refusal = explain(&context.name, arguments, schema, &error.to_string());
        Err(Fail::from(refusal).into_error())
    }
}

impl<P: JsonSchema> JsonSchema for Parameters<P> {
    fn schema_name() -> Cow<'static, str> {
        P::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        P::json_schema(generator)
    }
}

/// A fault: which argument, and what is wrong with it.
type Fault = (String, String);

fn properties(schema: &JsonObject) -> Option<&JsonObject> {
    schema.get("properties").and_then(Value::as_object)
}

/// Reads texts where the schema wants what they hold: a list, an object or a whole number.
fn unquote(arguments: &mut JsonObject, schema: &JsonObject) -> bool {
    let Some(properties) = properties(schema) else {
        return false;
    };
    let mut changed = false;
    for (name, value) in arguments.iter_mut() {
        let Some(wanted) = properties.get(name) else {
            continue;
        };
        let Value::String(text) = &*value else {
            continue;
        };
        if fits(wanted, value) {
            continue;
        }
        let parsed = serde_json::from_str::<Value>(text).ok();
        let whole = fits_type("integer", wanted);
        if let Some(parsed) = parsed.filter(|parsed| match parsed {
            Value::Array(_) | Value::Object(_) => true,
            Value::Number(number) => whole && !number.is_f64(),
            Value::Null | Value::Bool(_) | Value::String(_) => false,
        }) {
            *value = parsed;
            changed = true;
        }
    }
    changed
}

/// Whether a schema names this type.
fn fits_type(name: &str, schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some(name)
}

fn explain(tool: &str, arguments: JsonObject, schema: Option<&JsonObject>, serde: &str) -> Refusal {
    let mut faults = Vec::new();
    if let Some(schema) = schema {
        check(
            "",
            &Value::Object(arguments),
            &Value::Object(schema.clone()),
            &mut faults,
        );
    }
    let text = if faults.is_empty() {
        cut(serde, 300)
    } else {
        let texts: Vec<&str> = faults.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("; ")
    };
    let list: Vec<Value> = faults
        .iter()
        .map(|(path, text)| json!({ "argument": path, "problem": text }))
        .collect();
    let usage = schema.map_or_else(|| "other arguments".to_owned(), usage);
    Refusal::new("invalid_arguments", text)
        .hint(format!("{tool} takes {usage}"))
        .details(json!({ "tool": tool, "problems": list }))
}

/// What a tool takes, the required arguments first.
fn usage(schema: &JsonObject) -> String {
    let Some(properties) = properties(schema).filter(|properties| !properties.is_empty()) else {
        return "no arguments".to_owned();
    };
    let needed = required(schema);
    let mut parts: Vec<(bool, String)> = properties
        .iter()
        .map(|(name, schema)| {
            let optional = !needed.contains(&name.as_str());
            let mark = if optional { "?" } else { "" };
            (optional, format!("{name}{mark}: {}", kind(schema)))
        })
        .collect();
    parts.sort_by_key(|(optional, _)| *optional);
    let parts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
    format!("{{ {} }}", parts.join(", "))
}

fn required(schema: &JsonObject) -> Vec<&str> {
    let names = schema.get("required").and_then(Value::as_array);
    names
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// A short name of what a schema takes.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return cut(&values.join(" | "), 120);
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => match schema.get("items") {
            Some(items) => format!("[{}]", kind(items)),
            None => "array".to_owned(),
        },
        Some(name) => name.to_owned(),
        None => match schema.get("anyOf").and_then(Value::as_array) {
            Some(list) => cut(&list.iter().map(kind).collect::<Vec<_>>().join(" | "), 120),
            None => "any value".to_owned(),
        },
    }
}

fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(list) = schema.get("anyOf").and_then(Value::as_array) {
        return list.iter().any(|schema| fits(schema, value));
    }
    if schema
        .get("enum")
        .and_then(Value::as_array)
        .is_some_and(|values| !values.contains(value))
    {
        return false;
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("integer") => {
            let least = schema
                .get("minimum")
                .and_then(Value::as_f64)
                .unwrap_or(f64::NEG_INFINITY);
            let most = schema
                .get("maximum")
                .and_then(Value::as_f64)
                .unwrap_or(f64::INFINITY);
            (value.is_i64() || value.is_u64())
                && value.as_f64().is_some_and(|v| v >= least && v <= most)
        }
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(_) | None => true,
    }
}

/// The first few faults of a value against the part of JSON Schema that [`schema`](super::schema) leaves.
fn check(path: &str, value: &Value, schema: &Value, faults: &mut Vec<Fault>) {
    if faults.len() >= MOST_FAULTS {
        return;
    }
    if !fits(schema, value) {
        let about = described(schema)
            .map(|text| format!(" ({text})"))
            .unwrap_or_default();
        let range = match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" from {least} on"),
            (None, _) => String::new(),
        };
        let got = cut(&value.to_string(), 60);
        faults.push((
            path.to_owned(),
            format!("`{path}` must be {}{range}{about}, got {got}", kind(schema)),
        ));
        return;
    }
    match value {
        Value::Object(members) => check_members(path, members, schema, faults),
        Value::Array(list) => {
            let Some(items) = schema.get("items") else {
                return;
            };
            for (place, value) in list.iter().enumerate() {
                check(&format!("{path}[{place}]"), value, items, faults);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn check_members(path: &str, members: &JsonObject, schema: &Value, faults: &mut Vec<Fault>) {
    let Some(schema) = schema.as_object() else {
        return;
    };
    let known = properties(schema);
    let needed = required(schema);
    for &name in needed.iter().filter(|name| !members.contains_key(**name)) {
        let wanted = known.and_then(|known| known.get(name));
        let about = wanted
            .and_then(described)
            .map(|text| format!(": {text}"))
            .unwrap_or_default();
        let at = join(path, name);
        let kind = wanted.map(kind).unwrap_or_default();
        faults.push((at.clone(), format!("`{at}` is missing ({kind}{about})")));
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, value) in members {
        let at = join(path, name);
        match known.and_then(|known| known.get(name)) {
            // A null stands for an argument that is left out.
            Some(_) if value.is_null() && !needed.contains(&name.as_str()) => {}
            Some(schema) => check(&at, value, schema, faults),
            None if closed => {
                let names = known
                    .into_iter()
                    .flat_map(JsonObject::keys)
                    .map(String::as_str);
                let near = names::nearest(name, names);
                let near = near
                    .first()
                    .map(|near| format!(", did you mean `{near}`?"))
                    .unwrap_or_default();
                faults.push((
                    cut(&at, 80),
                    format!("`{}` is not known{near}", cut(&at, 80)),
                ));
            }
            None => {}
        }
        if faults.len() >= MOST_FAULTS {
            return;
        }
    }
}

fn described(schema: &Value) -> Option<String> {
    let text = schema.get("description").and_then(Value::as_str)?;
    Some(cut(text.trim_end_matches('.'), 120))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The text, or its beginning.
pub(super) fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(arguments: Value) -> String {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["function_id"],
            "properties": {
                "function_id": { "type": "integer", "minimum": 0, "maximum": 9, "description": "The function." },
                "format": { "type": "string", "enum": ["graph", "expression"] },
                "edits": { "type": "array", "items": { "type": "object" } },
            },
        });
        let (Value::Object(schema), Value::Object(arguments)) = (schema, arguments) else {
            panic!("objects are wanted");
        };
        explain("t", arguments, Some(&schema), "serde's text").message
    }

    #[test]
    fn texts_are_read_where_no_text_is_wanted() {
        let schema = json!({ "properties": {
            "id": { "type": "integer" },
            "name": { "type": "string" },
            "edits": { "type": "array" },
            "any": { "description": "a value" },
            "format": { "type": "string", "enum": ["graph"] },
            "inputs": { "anyOf": [{ "type": "object" }, { "type": "array" }] },
        } });
        let check = |name: &str, text: &str, expected: Option<Value>| {
            let mut arguments = JsonObject::new();
            arguments.insert(name.to_owned(), json!(text));
            let schema = schema.as_object().expect("an object");
            let changed = unquote(&mut arguments, schema);
            let read = changed.then(|| arguments[name].clone());
            assert_eq!(read, expected, "{name} {text}");
        };
        check("id", "1", Some(json!(1)));
        check("id", " -1 ", Some(json!(-1)));
        check("id", "1.5", None);
        check("id", "one", None);
        check("name", "1", None);
        check("name", "[1]", None);
        check("edits", "[{}]", Some(json!([{}])));
        check("edits", "1", None);
        check("any", "[1]", None);
        check("inputs", "{\"a\":1}", Some(json!({ "a": 1 })));
        check("other", "[1]", None);
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let check = |arguments: Value, expected: &str| assert_eq!(refused(arguments), expected);
        check(
            json!({ "functon_id": 1, "format": "text" }),
            "`function_id` is missing (integer: The function); `format` must be \"graph\" | \"expression\", \
             got \"text\"; `functon_id` is not known, did you mean `function_id`?",
        );
        check(
            json!({ "function_id": "1", "edits": [{}, 2] }),
            "`edits[1]` must be object, got 2; `function_id` must be integer from 0 to 9 (The function), got \"1\"",
        );
        check(json!({ "function_id": 1, "format": null }), "serde's text");
        check(
            json!({ "function_id": -1 }),
            "`function_id` must be integer from 0 to 9 (The function), got -1",
        );
    }
}
