//! Simplification of generated JSON Schemas: no `$ref`, no `$schema`, no formats of machine types, no unions with null.
//!
//! Some hosts silently drop a tool whose schema has one of these. [`listing`](super::listing) shortens them further.

use rmcp::model::JsonObject;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::operation::SchemaOf;

/// Returns the plain schema of a tool's arguments.
///
/// # Errors
/// As [`plain`].
pub(crate) fn arguments(request: SchemaOf) -> Result<JsonObject, String> {
    generate(request, SchemaSettings::draft2020_12(), Side::Input)
}

/// Returns the plain schema of a tool's answer.
///
/// # Errors
/// As [`plain`].
pub(super) fn answer(answer: SchemaOf) -> Result<JsonObject, String> {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    generate(answer, settings, Side::Output)
}

/// Returns the plain schema of an edit of `apply_edits`, with its description.
///
/// # Errors
/// As [`plain`].
pub(super) fn of_edit() -> Result<JsonObject, String> {
    let schema = fibula_service::edit_schema();
    let mut edit = plain(&schema, &Map::new(), Side::Input)?;
    if let Some(about) = schema.get("description") {
        edit.insert("description".to_owned(), about.clone());
    }
    Ok(edit)
}

fn generate(
    schema_of: SchemaOf,
    settings: SchemaSettings,
    side: Side,
) -> Result<JsonObject, String> {
    let mut generator = settings.into_generator();
    let schema = schema_of(&mut generator).to_value();
    let definitions = generator.take_definitions(true);
    plain(&schema, &definitions, side)
}

/// Side of a call that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

const FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// Pseudo-keyword of the descriptions of an enum's variants, until they are added to that of the field.
const NOTES: &str = "\0notes";

/// Returns the plain form of a schema.
///
/// # Errors
/// If its root is not an object, or a required field of an answer may be null: clients that validate would reject it,
/// so such fields are left out instead.
fn plain(
    schema: &Value,
    definitions: &Map<String, Value>,
    side: Side,
) -> Result<JsonObject, String> {
    let mut simplifier = Simplifier {
        definitions,
        within: Vec::new(),
        side,
        faults: Vec::new(),
    };
    let (schema, _) = simplifier.walk(schema);
    if !simplifier.faults.is_empty() {
        return Err(simplifier.faults.join("; "));
    }
    match schema {
        Value::Object(mut root) if root.get("type").and_then(Value::as_str) == Some("object") => {
            // The description of the tool stands for that of the type.
            root.remove("description");
            Ok(root)
        }
        other => Err(format!("the schema's root is not an object: {other}")),
    }
}

struct Simplifier<'a> {
    definitions: &'a Map<String, Value>,
    /// Names of the definitions that are being inlined.
    within: Vec<String>,
    side: Side,
    faults: Vec<String>,
}

impl Simplifier<'_> {
    /// Returns the plain schema, and true if it allowed null.
    fn walk(&mut self, schema: &Value) -> (Value, bool) {
        let Value::Object(schema) = schema else {
            let all = schema.as_bool() != Some(false);
            return (if all { json!({}) } else { json!({ "not": {} }) }, false);
        };
        let mut schema = schema.clone();
        let mut nullable = self.inline(&mut schema);
        strip(&mut schema);
        nullable |= without_null(&mut schema);
        for key in ["anyOf", "oneOf", "allOf"] {
            nullable |= self.union(&mut schema, key);
        }
        self.properties(&mut schema);
        for key in [
            "items",
            "additionalProperties",
            "contains",
            "not",
            "propertyNames",
        ] {
            match schema.remove(key) {
                None | Some(Value::Bool(true)) => {}
                Some(inner @ Value::Object(_)) => {
                    let inner = sealed(self.walk(&inner).0);
                    schema.insert(key.to_owned(), inner);
                }
                Some(other) => {
                    schema.insert(key.to_owned(), other);
                }
            }
        }
        if let Some(Value::Array(list)) = schema.remove("prefixItems") {
            let list = list.iter().map(|item| sealed(self.walk(item).0)).collect();
            schema.insert("prefixItems".to_owned(), Value::Array(list));
        }
        (Value::Object(schema), nullable)
    }

    /// Replaces a reference by its definition.
    fn inline(&mut self, schema: &mut Map<String, Value>) -> bool {
        let Some(Value::String(reference)) = schema.remove("$ref") else {
            return false;
        };
        let name = reference.rsplit('/').next().unwrap_or_default().to_owned();
        if self.within.contains(&name) {
            // A recursive type ends here.
            schema.insert("type".to_owned(), "object".into());
            return false;
        }
        let Some(definition) = self.definitions.get(&name) else {
            return false;
        };
        self.within.push(name);
        let (inner, nullable) = self.walk(definition);
        self.within.pop();
        merge(schema, inner);
        nullable
    }

    fn union(&mut self, schema: &mut Map<String, Value>, key: &str) -> bool {
        let Some(Value::Array(list)) = schema.remove(key) else {
            return false;
        };
        let mut nullable = false;
        let mut rest = Vec::new();
        for member in &list {
            if member.get("type").and_then(Value::as_str) == Some("null") {
                nullable = true;
                continue;
            }
            let (member, null) = self.walk(member);
            nullable |= null;
            let is_sealed = list.len() > 2;
            rest.push(if is_sealed { sealed(member) } else { member });
        }
        if rest.len() == 1 {
            merge(schema, rest.remove(0));
        } else if let Some((values, notes)) = constants(&rest) {
            schema.insert("type".to_owned(), "string".into());
            schema.insert("enum".to_owned(), Value::Array(values));
            if !notes.is_empty() {
                schema.insert(NOTES.to_owned(), notes.into());
            }
        } else {
            schema.insert(key.to_owned(), Value::Array(rest));
        }
        nullable
    }

    fn properties(&mut self, schema: &mut Map<String, Value>) {
        let required = schema.get("required").and_then(Value::as_array);
        let required = required.cloned().unwrap_or_default();
        let Some(Value::Object(properties)) = schema.remove("properties") else {
            return;
        };
        let mut plain = Map::new();
        for (name, property) in properties {
            let (property, nullable) = self.walk(&property);
            let is_required = required.iter().any(|needed| *needed == name.as_str());
            if self.side == Side::Output && nullable && is_required {
                let fault =
                    format!("the field {name} of the answer may be null, but is always present");
                self.faults.push(fault);
            }
            plain.insert(name, sealed(property));
        }
        schema.insert("properties".to_owned(), Value::Object(plain));
    }
}

/// Removes keywords without meaning for an agent.
fn strip(schema: &mut Map<String, Value>) {
    for key in ["$schema", "$defs", "definitions", "$id"] {
        schema.remove(key);
    }
    if schema.get("title").is_some_and(Value::is_string) {
        schema.remove("title");
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    let format = schema.get("format").and_then(Value::as_str);
    if format.is_some_and(|format| FORMATS.contains(&format)) {
        schema.remove("format");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// Removes null from a schema's types and values.
fn without_null(schema: &mut Map<String, Value>) -> bool {
    let mut nullable = false;
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        let count = types.len();
        types.retain(|name| name != "null");
        nullable |= types.len() < count;
        if let [only] = &types[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        let count = values.len();
        values.retain(|value| !value.is_null());
        nullable |= values.len() < count;
    }
    nullable
}

/// Appends the descriptions of variants to the description.
fn sealed(mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut()
        && let Some(Value::String(notes)) = members.remove(NOTES)
    {
        let before = members.get("description").and_then(Value::as_str);
        let before = before.map_or_else(String::new, |text| format!("{} ", text.trim_end()));
        members.insert("description".to_owned(), format!("{before}{notes}").into());
    }
    schema
}

fn merge(into: &mut Map<String, Value>, from: Value) {
    if let Value::Object(from) = from {
        for (key, value) in from {
            into.entry(key).or_insert(value);
        }
    }
}

/// Converts a union of texts, which schemars generates for an enum with documentation, to values and their descriptions.
fn constants(list: &[Value]) -> Option<(Vec<Value>, String)> {
    let (mut values, mut notes) = (Vec::new(), Vec::new());
    for member in list {
        let note = member.get("description").and_then(Value::as_str);
        if let Some(value) = member.get("const").filter(|value| value.is_string()) {
            if let Some(note) = note {
                notes.push(format!("{}: {note}", value.as_str().unwrap_or_default()));
            }
            values.push(value.clone());
        } else {
            let texts = member.get("enum").and_then(Value::as_array)?;
            if !texts.iter().all(Value::is_string) {
                return None;
            }
            values.extend(texts.iter().cloned());
        }
    }
    (!values.is_empty()).then(|| (values, notes.join("; ")))
}
/// Names the header of HTTP that repeats the argument `project`, if a tool has one.
pub(super) fn add_project_header(schema: &mut JsonObject) {
    let properties = schema.get_mut("properties");
    let project = properties.and_then(|properties| properties.get_mut("project"));
    if let Some(Value::Object(project)) = project {
        project.insert("x-mcp-header".to_owned(), "Project".into());
    }
}
