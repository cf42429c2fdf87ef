//! Validation of a tool's arguments: reports every fault at once, in words.

use fibula_nodes::names;
use fibula_service::{Refusal, is_function_key};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

use crate::address::truncate;
use crate::operation::{Answer, Call, Failure, Operation, Work};

/// Maximum number of faults that a refusal names.
const MAX_FAULTS: usize = 5;

/// Names that agents give arguments, and the name here.
const MEANT: [(&str, &str); 13] = [
    (
        "points point pos position inputs at coordinates",
        "arguments",
    ),
    ("type kind", "node_type"),
    ("from source from_node source_node", "source_node_id"),
    ("to target to_node target_node", "target_node_id"),
    ("from_port source_port port output", "source_port_name"),
    (
        "to_port target_port parameter input",
        "target_parameter_name",
    ),
    ("code formula text", "expression"),
    ("id function name function_name", "function_id"),
    ("node id", "node_id"),
    ("project_id project_name", "project"),
    ("file filename file_name output_path", "path"),
    ("object id", "object_id"),
    ("type edge_type edge_types relation", "relation_type"),
];

/// Other names of arguments that are accepted: tool, name, and the name in the schema.
const ALIASES: [(&str, &str, &str); 4] = [
    ("set_parameter_value", "function", "function_id"),
    ("set_parameter_value", "parameter", "parameter_name"),
    ("set_parameter_value", "parameters", "values"),
    ("list_parameters", "function", "function_id"),
];

/// Error of a call.
#[derive(Debug)]
pub(super) enum CallError {
    /// The arguments do not fit the schema.
    Arguments(Refusal),
    /// The operation refused the call.
    Refused(Refusal),
}

/// Calls a tool.
///
/// Some hosts send lists, objects and whole numbers as JSON texts, and agents send one item where a list of them is
/// wanted: arguments that do not deserialize are tried once more with such texts parsed and such items in lists.
///
/// # Errors
/// [`CallError`].
pub(super) fn call(
    operation: &Operation,
    tool: &Tool,
    call: &Call,
    arguments: JsonObject,
) -> Result<Work<Answer>, CallError> {
    let attempt = |request: &Value| match operation.call(call, request) {
        Ok(work) => Ok(Ok(work)),
        Err(Failure::Refused(refusal)) => Ok(Err(CallError::Refused(refusal))),
        Err(Failure::Unreadable { error, .. }) => Err(error),
    };
    read(tool, arguments, attempt).unwrap_or_else(|(request, error)| {
        let refusal = explain(&tool.name, &request, &tool.input_schema, &error);
        Err(CallError::Arguments(refusal))
    })
}

/// Returns the question to a person before a call, or `None` if there is none or the arguments cannot be read.
pub(super) fn question(
    operation: &Operation,
    tool: &Tool,
    call: &Call,
    arguments: &JsonObject,
) -> Option<String> {
    let question = operation.question.as_ref()?;
    let attempt = |request: &Value| question(call, request).map_err(|_| String::new());
    read(tool, arguments.clone(), attempt).ok().flatten()
}

/// Reads arguments as they are, or without quotes around numbers and lists. The error is that of the first attempt, with the request.
fn read<T>(
    tool: &Tool,
    mut arguments: JsonObject,
    attempt: impl Fn(&Value) -> Result<T, String>,
) -> Result<T, (Value, String)> {
    for (_, alias, own) in ALIASES.iter().filter(|(name, ..)| *name == tool.name) {
        if !arguments.contains_key(*own)
            && let Some(value) = arguments.remove(*alias)
        {
            arguments.insert((*own).to_owned(), value);
        }
    }
    let mut request = Value::Object(arguments);
    let error = match attempt(&request) {
        Ok(outcome) => return Ok(outcome),
        Err(error) => error,
    };
    if let Some(arguments) = request.as_object_mut()
        && unquote(arguments, &tool.input_schema)
        && let Ok(outcome) = attempt(&request)
    {
        return Ok(outcome);
    }
    Err((request, error))
}

/// A fault: the path of the argument, and a sentence.
type Fault = (String, String);

fn properties(schema: &JsonObject) -> Option<&JsonObject> {
    schema.get("properties").and_then(Value::as_object)
}

/// Parses texts where the schema wants a list, an object or a whole number, and makes lists of single items. Returns true
/// if anything was changed.
fn unquote(arguments: &mut JsonObject, schema: &JsonObject) -> bool {
    let Some(properties) = properties(schema) else {
        return false;
    };
    let mut changed = false;
    for (name, value) in arguments.iter_mut() {
        let Some(property) = properties.get(name) else {
            continue;
        };
        if fits(property, value) || value.is_null() {
            continue;
        }
        let parsed = value.as_str().map(serde_json::from_str::<Value>);
        let parsed = parsed.and_then(Result::ok);
        let whole = fits_type("integer", property);
        if let Some(parsed) = parsed.filter(|parsed| match parsed {
            Value::Array(_) | Value::Object(_) => true,
            Value::Number(number) => whole && !number.is_f64(),
            Value::Null | Value::Bool(_) | Value::String(_) => false,
        }) {
            *value = parsed;
            changed = true;
        }
        let items = property.get("items");
        let is_item = !value.is_array() && items.is_some_and(|items| fits(items, value));
        if is_item {
            *value = json!([value.take()]);
            changed = true;
        }
    }
    changed
}

/// Returns true if a schema has this type.
fn fits_type(name: &str, schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some(name)
}

/// Returns the refusal of arguments that do not fit a schema; with serde's text if the schema finds no fault.
fn explain(tool: &str, arguments: &Value, schema: &JsonObject, serde: &str) -> Refusal {
    let mut faults = Vec::new();
    let value = Value::Object(schema.clone());
    check("", arguments, &value, &mut faults);
    let text = if faults.is_empty() {
        truncate(serde, 300)
    } else {
        let texts: Vec<&str> = faults.iter().map(|(_, text)| text.as_str()).collect();
        texts.join("; ")
    };
    let list: Vec<Value> = faults
        .iter()
        .map(|(path, text)| json!({ "argument": path, "problem": text }))
        .collect();
    Refusal::new("invalid_arguments", text)
        .hint(format!("{tool} takes {}", usage(schema)))
        .details(json!({ "tool": tool, "problems": list }))
}

/// Lists the arguments of a tool, the required ones first.
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
    let names = names.into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// Returns a short name of the type or the values of a schema.
fn kind(schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(Value::to_string).collect();
        return truncate(&values.join(" | "), 120);
    }
    if is_function_key(schema) {
        return "integer or name".to_owned();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("array") => match schema.get("items") {
            Some(items) => format!("[{}]", kind(items)),
            None => "array".to_owned(),
        },
        Some(name) => name.to_owned(),
        None => match schema.get("anyOf").and_then(Value::as_array) {
            Some(list) => truncate(&list.iter().map(kind).collect::<Vec<_>>().join(" | "), 120),
            None => "any value".to_owned(),
        },
    }
}

fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(list) = schema.get("anyOf").and_then(Value::as_array) {
        return list.iter().any(|schema| fits(schema, value));
    }
    let values = schema.get("enum").and_then(Value::as_array);
    if values.is_some_and(|values| !values.contains(value)) {
        return false;
    }
    if is_function_key(schema) {
        return value.is_u64() || value.is_string();
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("string") => value.is_string(),
        Some("number") => value.is_number(),
        Some("integer") => {
            let limit = |name: &str| schema.get(name).and_then(Value::as_f64);
            let least = limit("minimum").unwrap_or(f64::NEG_INFINITY);
            let most = limit("maximum").unwrap_or(f64::INFINITY);
            (value.is_i64() || value.is_u64())
                && value.as_f64().is_some_and(|v| v >= least && v <= most)
        }
        Some("boolean") => value.is_boolean(),
        Some("array") => value.is_array(),
        Some("object") => value.is_object(),
        Some(_) | None => true,
    }
}

/// Finds the first few faults of a value against the part of JSON Schema that [`schema`](super::schema) keeps.
fn check(path: &str, value: &Value, schema: &Value, faults: &mut Vec<Fault>) {
    if faults.len() >= MAX_FAULTS {
        return;
    }
    if !fits(schema, value) {
        let about = description(schema).map_or_else(String::new, |text| format!(" ({text})"));
        let range = match (schema.get("minimum"), schema.get("maximum")) {
            (Some(least), Some(most)) => format!(" from {least} to {most}"),
            (Some(least), None) => format!(" from {least} on"),
            (None, _) => String::new(),
        };
        let got = truncate(&value.to_string(), 60);
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
        let property = known.and_then(|known| known.get(name));
        let about = property.and_then(description);
        let about = about.map_or_else(String::new, |text| format!(": {text}"));
        let at = join(path, name);
        let kind = property.map(kind).unwrap_or_default();
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
                let names = || known.into_iter().flat_map(JsonObject::keys);
                let mut meant = MEANT.iter().filter(|(others, own)| {
                    others.split(' ').any(|other| other == name)
                        && names().any(|name| name == own)
                        && !members.contains_key(*own)
                });
                let nearest = names::nearest(name, names().map(String::as_str));
                let near = meant.next().map(|(_, own)| *own);
                let near = near.or(nearest.first().map(String::as_str));
                let near =
                    near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
                let at = truncate(&at, 80);
                // The hint has the names of the outermost only.
                let inside = if path.is_empty() {
                    String::new()
                } else {
                    let names: Vec<&str> = names().map(String::as_str).collect();
                    format!(" (known: {})", truncate(&names.join(", "), 200))
                };
                let text = format!("`{at}` is unknown{near}{inside}");
                faults.push((at, text));
            }
            None => {}
        }
        if faults.len() >= MAX_FAULTS {
            return;
        }
    }
}

fn description(schema: &Value) -> Option<String> {
    let text = schema.get("description").and_then(Value::as_str)?;
    Some(truncate(text.trim_end_matches('.'), 120))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(arguments: &Value) -> String {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["function_id"],
            "properties": {
                "function_id": { "type": "integer", "minimum": 0, "maximum": 9, "description": "The function." },
                "format": { "type": "string", "enum": ["graph", "expression"] },
                "edits": { "type": "array", "items": { "type": "object" } },
                "steps": { "type": "array", "items": {
                    "type": "object", "additionalProperties": false, "properties": { "relation_type": {}, "min": {} },
                } },
            },
        });
        let schema = schema.as_object().expect("an object");
        explain("t", arguments, schema, "serde's text").message
    }

    #[test]
    fn texts_are_read_where_no_text_is_wanted() {
        let schema = json!({ "properties": {
            "id": { "type": "integer" },
            "name": { "type": "string" },
            "edits": { "type": "array", "items": { "type": "object" } },
            "names": { "type": "array", "items": { "type": "string" } },
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
        check("edits", "{}", Some(json!([{}])));
        check("edits", "1", None);
        check("names", "a", Some(json!(["a"])));
        check("names", "[\"a\"]", Some(json!(["a"])));
        check("any", "[1]", None);
        check("inputs", "{\"a\":1}", Some(json!({ "a": 1 })));
        check("other", "[1]", None);
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let check = |arguments: Value, expected: &str| assert_eq!(refused(&arguments), expected);
        check(
            json!({ "functon_id": 1, "format": "text" }),
            "`function_id` is missing (integer: The function); `format` must be \"graph\" | \"expression\", \
             got \"text\"; `functon_id` is unknown, did you mean `function_id`?",
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
        check(
            json!({ "function_id": 1, "steps": [{ "edge_type": "a" }, { "depth": 2 }] }),
            "`steps[0].edge_type` is unknown, did you mean `relation_type`? (known: min, relation_type); \
             `steps[1].depth` is unknown (known: min, relation_type)",
        );
    }
}
