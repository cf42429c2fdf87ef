//! Names of functions in requests, which stand for ids wherever the schema of a request has both.

use fibula_service::{FunctionKey, Refusal, Service, is_function_key};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::SchemaOf;

/// State in which a name is looked up.
#[derive(Debug, Clone, Copy)]
struct LookupState<'a> {
    service: &'a Service,
    project: Option<&'a str>,
    revision: Option<u64>,
}

/// Returns the request with the names of functions replaced by their ids, and with the only function that was written
/// in the project where a required one is left out; `None` if nothing was replaced.
///
/// # Errors
/// A [`Refusal`] if no function has a name, or several have it.
pub(super) fn resolve(
    service: &Service,
    request: &Value,
    schema: SchemaOf,
) -> Result<Option<Value>, Refusal> {
    let Value::Object(members) = request else {
        return Ok(None);
    };
    let mut settings = SchemaSettings::draft2020_12().for_deserialize();
    settings.inline_subschemas = true;
    let schema = schema(&mut settings.into_generator()).to_value();
    let project = members.get("project").and_then(Value::as_str);
    let state = LookupState {
        service,
        project,
        revision: None,
    };
    let mut resolved = members.clone();
    let mut changed = resolve_members(&mut resolved, &schema, state)?;
    if requires_function(&schema) && !resolved.contains_key("function_id") {
        let revision = members.get("revision").and_then(Value::as_u64);
        if let Some(only) = service.only_function(project, revision) {
            resolved.insert("function_id".to_owned(), json!(only));
            changed = true;
        }
    }
    Ok(changed.then_some(Value::Object(resolved)))
}

/// True if a request needs the id of a function.
fn requires_function(schema: &Value) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = required.is_some_and(|names| names.iter().any(|name| name == "function_id"));
    is_required && is_function_key(&schema["properties"]["function_id"])
}

/// Replaces names among members; returns true if there were any.
fn resolve_members(
    members: &mut Map<String, Value>,
    schema: &Value,
    state: LookupState<'_>,
) -> Result<bool, Refusal> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(false);
    };
    let revision = members.get("revision").and_then(Value::as_u64);
    let state = LookupState {
        revision: revision.or(state.revision),
        ..state
    };
    let mut changed = false;
    for (name, property) in properties {
        if is_function_key(property) {
            let is_short = name == "function_id"
                && !members.contains_key(name)
                && !properties.contains_key("function");
            let key = if is_short { "function" } else { name };
            let Some(text) = members.get(key).and_then(Value::as_str) else {
                continue;
            };
            let id = if let Some(id) = FunctionKey::parse_id(text) {
                json!(id)
            } else {
                let (project, revision) = (state.project, state.revision);
                json!(state.service.function_named(project, revision, text)?)
            };
            members.remove(key);
            members.insert(name.clone(), id);
            changed = true;
        } else if let Some(Value::Object(inner)) = members.get_mut(name) {
            let options = property.get("anyOf").and_then(Value::as_array);
            for schema in options.into_iter().flatten().chain([property]) {
                changed |= resolve_members(inner, schema, state)?;
            }
        }
    }
    Ok(changed)
}
