//! Names of functions in edits, which stand for their ids.

use fibula_core::edit::has_variant;
use fibula_core::graph::Document;
use serde_json::{Map, Value as Json, json};

use crate::functions::node_parameters::resolve_reference;
use crate::model::ModelEditForm;
use crate::name_lookup;
use crate::refusal::Result;

/// Replaces the names of functions in an edit by their ids: `function_id`, in edits of objects at any depth, and the
/// values of parameters that refer to a function.
///
/// # Errors
/// A [`Refusal`](crate::Refusal) if no function has a name, or several have it.
pub(crate) fn resolve(document: &Document, kind: &str, body: &mut Map<String, Json>) -> Result<()> {
    if let Some(Json::String(name)) = body.get("function_id") {
        let id = name_lookup::function(document, name)?;
        body.insert("function_id".to_owned(), json!(id));
    }
    if has_variant::<ModelEditForm>(kind) {
        return body
            .values_mut()
            .try_for_each(|value| resolve_within(document, value));
    }
    match kind {
        "set_parameter_value" => {
            let parameter = ["parameter_name", "parameter"].map(|key| body.get(key));
            let parameter = parameter.into_iter().flatten().next();
            let parameter = parameter.and_then(Json::as_str).unwrap_or("").to_owned();
            if let Some(value) = body.get_mut("value") {
                *value = resolve_reference(document, &parameter, value.take())?;
            }
            Ok(())
        }
        "set_function" => {
            let nodes = body.get_mut("nodes").and_then(Json::as_array_mut);
            let parameters = nodes
                .into_iter()
                .flatten()
                .filter_map(|node| node.get_mut("parameters")?.as_object_mut());
            for (name, setting) in parameters.flatten() {
                let value = match setting {
                    Json::Object(members) => members.get_mut("value"),
                    literal => Some(literal),
                };
                if let Some(value) = value {
                    *value = resolve_reference(document, name, value.take())?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn resolve_within(document: &Document, json: &mut Json) -> Result<()> {
    match json {
        Json::Object(members) => {
            for (key, value) in members {
                match value {
                    Json::String(name) if key == "function_id" => {
                        *value = json!(name_lookup::function(document, name)?);
                    }
                    value => resolve_within(document, value)?,
                }
            }
            Ok(())
        }
        Json::Array(items) => items
            .iter_mut()
            .try_for_each(|item| resolve_within(document, item)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Ok(()),
    }
}
