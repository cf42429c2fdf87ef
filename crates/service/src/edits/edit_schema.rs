//! JSON Schema of an edit of `apply_edits`, derived from the types that parse the kinds.
//!
//! It is the schema of the form that agents send: with aliases, names of functions, values of a new node, and without
//! what only stored edits have.

use fibula_core::edit::{FunctionEdit, LinkEdit, NodeEdit, PortEdit};
use fibula_core::refactor::Refactoring;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value as Json, json};

use crate::edits::edit_request::{Definition, created_id, edit_kinds, has_default_function};
use crate::model::ModelEditForm;

/// Arguments that stored edits or other calls have, but no edit of a batch.
const OMITTED: [&str; 4] = ["project", "expected_revision", "dry_run", "callee"];

/// Returns the JSON Schema of an edit: an object with one member, whose name is a kind and whose value has its arguments.
///
/// ```
/// let schema = fibula_service::edit_schema();
/// assert!(schema["properties"]["create_link"]["properties"]["source_port_name"].is_object());
/// ```
pub fn edit_schema() -> Json {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut generator = settings.into_generator();
    let groups = [
        variants::<Definition>(&mut generator),
        variants::<NodeEdit>(&mut generator),
        variants::<LinkEdit>(&mut generator),
        variants::<FunctionEdit>(&mut generator),
        variants::<PortEdit>(&mut generator),
        variants::<Refactoring>(&mut generator),
        variants::<ModelEditForm>(&mut generator),
    ];
    let mut kinds: Map<String, Json> = groups.into_iter().flatten().collect();
    kinds.retain(|kind, _| edit_kinds().any(|other| other == kind));
    for (kind, section) in &mut kinds {
        if let Json::Object(section) = section {
            complete(kind, section);
        }
    }
    json!({
        "type": "object",
        "title": "An edit of apply_edits",
        "description": "{\"KIND\": {arguments}}. An id may be an alias, \"$a\", that an earlier edit of the call assigned: \
            as the id of what it creates, or as `alias`. The name of a function may stand for its id; function_id \
            (or function) defaults to that of the previous edit.",
        "properties": kinds,
        "additionalProperties": false,
        "minProperties": 1,
        "maxProperties": 1,
    })
}

/// Returns the arguments of each variant of an enum by its name, with the description of the variant.
fn variants<T: JsonSchema>(generator: &mut SchemaGenerator) -> Vec<(String, Json)> {
    let schema = T::json_schema(generator).to_value();
    let variants = schema.get("oneOf").and_then(Json::as_array);
    let mut sections = Vec::new();
    for variant in variants.into_iter().flatten() {
        let members = variant.get("properties").and_then(Json::as_object);
        for (kind, arguments) in members.into_iter().flatten() {
            let mut arguments = arguments.clone();
            if let (Some(about), Json::Object(section)) =
                (variant.get("description"), &mut arguments)
            {
                section.insert("description".to_owned(), about.clone());
            }
            sections.push((kind.clone(), arguments));
        }
    }
    sections
}

/// Turns the schema of a stored edit into that of the form that agents send.
fn complete(kind: &str, section: &mut Map<String, Json>) {
    let optional = match kind {
        "set_parameter_value" => &["node_id", "parameter_name"][..],
        _ => &[],
    };
    if let Some(Json::Array(required)) = section.get_mut("required") {
        required.retain(|name| {
            let name = name.as_str().unwrap_or_default();
            let is_default = name == "function_id" && has_default_function(kind);
            !is_default && !optional.contains(&name)
        });
    }
    let Some(Json::Object(arguments)) = section.get_mut("properties") else {
        return;
    };
    arguments.retain(|name, _| !OMITTED.contains(&name.as_str()));
    arguments.values_mut().for_each(simplify);
    if has_default_function(kind) {
        let function = json!({ "type": ["integer", "string"] });
        arguments.insert("function".to_owned(), function);
    }
    match kind {
        "create_node" => {
            let about = "{NAME: value}, {NAME: {\"value\": value}} or {NAME: {\"source\": {\"node_id\": id, \"port\": name}}}.";
            let parameters = json!({ "type": "object", "description": about });
            arguments.insert("parameters".to_owned(), parameters);
        }
        "set_parameter_value" => {
            let about = "Name of a named constant, instead of node_id and parameter_name.";
            let parameter = json!({ "type": "string", "description": about });
            arguments.insert("parameter".to_owned(), parameter);
        }
        _ => {}
    }
    if created_id(kind).is_some() {
        let about = "Such as \"$a\": the id of what is created, in later edits.";
        arguments.insert(
            "alias".to_owned(),
            json!({ "type": "string", "description": about }),
        );
    }
    arguments.values_mut().for_each(allow_aliases);
    for (name, argument) in arguments {
        allow_alias(name, argument);
    }
}

/// Removes from a schema what does not help to write an edit: machine limits, what each name of an enum means, and the
/// forms of values, for which a sentence stands.
fn simplify(schema: &mut Json) {
    /// Number of alternatives above which a sentence is shorter.
    const MOST_FORMS: usize = 3;
    /// Bytes below which a description repeats a name, such as "The function.".
    const LEAST_ABOUT: usize = 16;
    match schema {
        Json::Object(members) => {
            for key in ["minimum", "format", "default"] {
                members.remove(key);
            }
            let about = members.get("description").and_then(Json::as_str);
            if about.is_some_and(|about| about.len() < LEAST_ABOUT) {
                members.remove("description");
            }
            let names = members
                .get("oneOf")
                .and_then(Json::as_array)
                .map(|variants| {
                    let names = variants.iter().map(|variant| variant.get("const").cloned());
                    names.collect::<Option<Vec<Json>>>()
                });
            if let Some(Some(names)) = names {
                members.remove("oneOf");
                members.insert("enum".to_owned(), Json::Array(names));
            }
            let forms = members.get("anyOf").and_then(Json::as_array);
            if forms.is_some_and(|forms| forms.len() > MOST_FORMS) {
                members.remove("anyOf");
                let about = "A number, a text, [x, y, z] or 16 numbers row by row.";
                members.insert("description".to_owned(), about.into());
            }
            if let Some(Json::Object(properties)) = members.get_mut("properties") {
                properties.retain(|name, _| !OMITTED.contains(&name.as_str()));
                properties.values_mut().for_each(simplify);
            }
            for key in ["items", "additionalProperties", "anyOf", "oneOf"] {
                if let Some(member) = members.get_mut(key) {
                    simplify(member);
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(simplify),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Allows aliases for ids at any depth below a schema.
fn allow_aliases(schema: &mut Json) {
    match schema {
        Json::Object(members) => {
            for (key, member) in members {
                if let ("properties", Json::Object(properties)) = (key.as_str(), &mut *member) {
                    for (name, property) in properties {
                        allow_alias(name, property);
                    }
                }
                allow_aliases(member);
            }
        }
        Json::Array(items) => items.iter_mut().for_each(allow_aliases),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Allows an alias where an argument is an id or a list of ids.
fn allow_alias(name: &str, argument: &mut Json) {
    let Json::Object(schema) = argument else {
        return;
    };
    if name.ends_with("_ids") {
        schema.insert("items".to_owned(), json!({ "type": ["integer", "string"] }));
    } else if name.ends_with("_id") {
        schema.insert("type".to_owned(), json!(["integer", "string"]));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::edits::edit_request::EditRequest;

    /// Fields that serde names for a kind.
    fn parsed_fields(kind: &str) -> BTreeSet<String> {
        let error = EditRequest::parse(kind, json!({ "": null })).unwrap_err();
        let text = error.to_string();
        let fields = text.split('`').skip(3).step_by(2);
        fields.map(str::to_owned).collect()
    }

    #[test]
    fn every_kind_has_a_section_with_the_arguments_that_are_parsed() {
        let schema = edit_schema();
        let sections = schema["properties"].as_object().expect("sections");
        let kinds: BTreeSet<&str> = edit_kinds().collect();
        let described: BTreeSet<&str> = sections.keys().map(String::as_str).collect();
        assert_eq!(described, kinds);
        for (kind, section) in sections {
            let about = section["description"].as_str().unwrap_or_default();
            assert!(about.ends_with('.'), "{kind}: {about:?}");
            let mut fields = parsed_fields(kind);
            fields.retain(|field| !OMITTED.contains(&field.as_str()));
            let arguments = section["properties"].as_object();
            let arguments: BTreeSet<String> = arguments
                .into_iter()
                .flat_map(|arguments| arguments.keys().cloned())
                .collect();
            let more = ["alias", "function", "parameter", "parameters"];
            for field in &fields {
                assert!(arguments.contains(field), "{kind} lacks {field}");
            }
            for argument in arguments.difference(&fields) {
                assert!(more.contains(&argument.as_str()), "{kind}: {argument}");
            }
        }
    }
}
