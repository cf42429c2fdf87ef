//! Tools as `tools/list` sends them: short, since every word of every tool costs context in every conversation.
//!
//! What is not listed is accepted, checked, named by refusals and documented in docs/tools.md all the same.

use rmcp::model::{JsonObject, Tool};
use serde_json::{Map, Value, json};

/// Arguments of most tools with their descriptions. The instructions name them; they are listed only where they matter
/// most, or mean something else.
const COMMON: [(&str, &str); 5] = [
    ("cursor", "next_cursor of the last page."),
    ("dry_run", "Validate only; change nothing."),
    (
        "expected_revision",
        "Fail unless the project is at this revision.",
    ),
    ("limit", "Maximum number of items per page."),
    ("revision", "State at this revision."),
];

/// Tools that list a common argument.
const LISTED: [(&str, &str); 4] = [
    ("apply_edits", "expected_revision"),
    ("get_function", "cursor"),
    ("get_function", "revision"),
    ("search_nodes", "limit"),
];

/// Arguments that are needed rarely, by tool. The description of the tool names them.
const RARE: [(&str, &[&str]); 15] = [
    ("analyze", &["sample", "resolution", "weighted", "valid_at"]),
    ("create_function_from_expression", &["outputs"]),
    ("create_link", &["insert_conversion"]),
    ("create_node", &["node_id"]),
    ("evaluate", &["edits", "lipschitz"]),
    (
        "export",
        &["accuracy", "remove", "tolerance", "simplify", "time_limit"],
    ),
    ("find_path", &["max_length", "weighted", "valid_at"]),
    ("get_neighbors", &["cut", "valid_at"]),
    ("list_node_types", &["detail"]),
    ("list_projects", &["deleted"]),
    (
        "measure",
        &[
            "accuracy",
            "axis",
            "digits",
            "edits",
            "overhang",
            "time_limit",
        ],
    ),
    (
        "render",
        &[
            "color",
            "edits",
            "plain",
            "perspective",
            "time_limit",
            "zoom",
        ],
    ),
    (
        "search_nodes",
        &[
            "creators",
            "exclude_types",
            "modified_from",
            "modified_until",
            "descending",
            "exact",
        ],
    ),
    (
        "slice",
        &["accuracy", "digits", "edits", "tolerance", "time_limit"],
    ),
    ("traverse", &["valid_at"]),
];

/// Shorter descriptions of arguments: tool, or all if empty; argument; text.
const SHORT: [(&str, &str, &str); 10] = [
    ("", "direction", "Default both."),
    (
        "",
        "on_conflict",
        "If it exists; default skip. add: a parallel edge.",
    ),
    ("", "output", "Default: the first float."),
    ("", "project", "Default: default."),
    (
        "create_function_from_expression",
        "distance",
        "{}: its value becomes the signed distance; or {accuracy, bounds}.",
    ),
    (
        "get_function",
        "format",
        "graph (default): nodes, links, places; expression: text for create_function_from_expression.",
    ),
    ("import", "format", "Default: detected."),
    ("render", "view", "Default iso; sheet: four."),
    ("search_nodes", "order_by", "Default relevance."),
    (
        "summarize",
        "format",
        "Default detailed; brief and stats count, contributors lists creators.",
    ),
];

/// Tools whose answers are listed with the names of their fields.
const ANSWERS: [&str; 4] = ["apply_edits", "evaluate", "get_function", "measure"];

/// Returns a tool as clients see it. The arguments of a profile are those of another system and stay as they are, but
/// for words without meaning.
///
/// Clients require `structuredContent` of tools with an output schema, which an answer with a picture lacks.
pub(super) fn listed(tool: &Tool, is_profile: bool, has_picture: bool) -> Tool {
    let mut listed = tool.clone();
    let name = &*tool.name;
    let mut arguments = (*tool.input_schema).clone();
    if !is_profile {
        let rare = omit(name, &mut arguments);
        if !rare.is_empty() {
            let text = tool.description.as_deref().unwrap_or_default();
            let named = rare.iter().map(|&name| match name {
                "edits" => "edits to try",
                name => name,
            });
            let named = named.collect::<Vec<_>>().join(", ");
            listed.description = Some(format!("{text} Also: {named}.").into());
        }
    }
    shorten(&mut arguments);
    listed.input_schema = arguments.into();
    listed.output_schema = tool
        .output_schema
        .as_deref()
        .filter(|_| !has_picture)
        .map(|answer| listed_answer(name, answer).into());
    listed
}

/// Removes arguments that are not listed, and shortens the descriptions of others; returns the rare ones.
fn omit(tool: &str, schema: &mut JsonObject) -> Vec<&'static str> {
    let required = schema.get("required").and_then(Value::as_array).cloned();
    let required = required.unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return Vec::new();
    };
    let rare = RARE.iter().find(|(own, _)| *own == tool);
    let rare = rare.map_or(&[][..], |(_, names)| names);
    let is_required = |name: &str| required.iter().any(|own| own.as_str() == Some(name));
    properties.retain(|name, property| {
        let name = name.as_str();
        let text = property.get("description").and_then(Value::as_str);
        let is_common = text.is_some_and(|text| COMMON.contains(&(name, text)));
        let is_omitted = is_common && !LISTED.contains(&(tool, name)) || rare.contains(&name);
        is_required(name) || !is_omitted
    });
    for (name, property) in properties.iter_mut().filter(|(name, _)| !is_required(name)) {
        let short = SHORT
            .iter()
            .find(|(own, argument, _)| (own.is_empty() || *own == tool) && argument == name);
        if let (Some((_, _, text)), Value::Object(property)) = (short, property) {
            property.insert("description".to_owned(), (*text).into());
        }
    }
    rare.to_vec()
}

/// Returns the schema of an answer as it is listed: an object, with the names of its fields if they matter most.
/// docs/tools.md names those of the others.
fn listed_answer(tool: &str, answer: &JsonObject) -> JsonObject {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    let fields = answer.get("properties").and_then(Value::as_object);
    if let Some(fields) = fields.filter(|_| ANSWERS.contains(&tool)) {
        let fields: Map<String, Value> = fields
            .keys()
            .map(|name| (name.clone(), json!({})))
            .collect();
        schema.insert("properties".to_owned(), fields.into());
    }
    schema
}

/// Removes what says little: defaults, bounds of 0, and members of nested objects that the description names.
fn shorten(schema: &mut JsonObject) {
    if schema.get("minimum").and_then(Value::as_f64) == Some(0.0) {
        schema.remove("minimum");
    }
    schema.remove("default");
    // A refusal names unknown members, with the nearest known ones.
    schema.retain(|key, value| key != "additionalProperties" || *value != Value::Bool(false));
    let about = schema.get("description").and_then(Value::as_str);
    let about = about.unwrap_or_default().to_owned();
    for key in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get_mut(key) {
            // The description of the list stands for that of its items.
            inner.remove("description");
            remove_members(inner, &about);
            shorten(inner);
        }
    }
    if let Some(Value::Array(list)) = schema.get_mut("anyOf") {
        let members = list.iter_mut().filter_map(Value::as_object_mut);
        members.for_each(shorten);
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for property in properties.values_mut().filter_map(Value::as_object_mut) {
            let about = property.get("description").and_then(Value::as_str);
            let about = about.unwrap_or_default().to_owned();
            remove_members(property, &about);
            shorten(property);
        }
    }
}

/// Removes the members of an object if a description names all of them.
fn remove_members(schema: &mut JsonObject, about: &str) {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words: Vec<&str> = about.split(|c| !is_word(c)).collect();
    let members = schema.get("properties").and_then(Value::as_object);
    let is_named = |members: &JsonObject| members.keys().all(|name| words.contains(&name.as_str()));
    if members.is_some_and(is_named) {
        schema.remove("properties");
        schema.remove("required");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::mcp::{Toolset, schema};

    /// Names of the arguments of a tool.
    fn arguments(tool: &str) -> BTreeSet<String> {
        let toolsets = Toolset::DEFAULT.iter();
        let mut operations = toolsets.flat_map(|toolset| (toolset.operations)());
        let is_it = |name: &str| name == tool;
        let operation = operations
            .find(|operation| operation.tool.as_ref().is_some_and(|spec| is_it(spec.name)))
            .unwrap_or_else(|| panic!("there is no tool {tool}"));
        let schema = schema::arguments(operation.request).expect("a schema");
        let properties = schema["properties"].as_object().expect("properties");
        properties.keys().cloned().collect()
    }

    #[test]
    fn what_the_tables_name_is_there() {
        let rare = RARE
            .iter()
            .flat_map(|(tool, names)| names.iter().map(move |name| (*tool, *name)));
        let short = SHORT.iter().map(|(tool, name, _)| (*tool, *name));
        for (tool, name) in rare
            .chain(LISTED)
            .chain(short)
            .filter(|(tool, _)| !tool.is_empty())
        {
            assert!(arguments(tool).contains(name), "{tool} has no {name}");
        }
        for tool in ANSWERS {
            arguments(tool);
        }
    }

    #[test]
    fn members_are_removed_only_if_they_are_named() {
        let check = |about: &str, expected: bool| {
            let mut schema = json!({ "properties": { "edge": {
                "description": about, "type": "object", "required": ["id"],
                "properties": { "id": { "type": "string" }, "valid_at": { "type": "string" } } } } });
            let schema = schema.as_object_mut().expect("an object");
            shorten(schema);
            let is_kept = schema["properties"]["edge"].get("properties").is_some();
            assert_eq!(is_kept, expected, "{about}");
        };
        check("An edge {id, valid_at}.", false);
        check("An edge {id}.", true);
        check("An edge {ids, valid}.", true);
    }
}
