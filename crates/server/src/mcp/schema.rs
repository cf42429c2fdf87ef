//! Makes generated schemas plain: no `$ref`, no `$schema`, no formats of machine types, no unions with null.
//!
//! Some hosts silently drop a tool whose schema has one of these.

use std::collections::BTreeSet;

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// Whether a schema is of arguments or of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Input,
    Output,
}

const FORMATS: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

/// What an enum's variants mean travels here until the field that has it is known.
const NOTES: &str = "\0notes";

/// The plain form of a schema.
///
/// # Errors
/// When its root is no object, or a field of an answer may be null: a client that validates would refuse it, so such
/// fields are to be left out instead.
pub(super) fn plain(schema: &JsonObject, side: Side) -> Result<JsonObject, String> {
    let definitions = schema
        .get("$defs")
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let mut plainer = Plainer {
        definitions: &definitions,
        within: Vec::new(),
        side,
        faults: Vec::new(),
    };
    let (schema, _) = plainer.walk(&Value::Object(schema.clone()));
    if !plainer.faults.is_empty() {
        return Err(plainer.faults.join("; "));
    }
    match schema {
        Value::Object(mut root) if root.get("type").and_then(Value::as_str) == Some("object") => {
            // What the type is says the tool itself.
            root.remove("description");
            Ok(root)
        }
        other => Err(format!("the schema's root is no object: {other}")),
    }
}

/// What of the schema of an answer is listed: that it is an object. Agents pay for every word of every tool, and read what
/// an answer has when it comes; docs/tools.md names its fields.
pub(super) fn answer() -> JsonObject {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema
}

/// What of a plain schema of arguments is listed. `said` has what was said of arguments of tools before, by their names:
/// it is not said again.
pub(super) fn short(schema: &JsonObject, said: &mut BTreeSet<[String; 2]>) -> JsonObject {
    let mut short = schema.clone();
    shorten(&mut short, 0);
    say_once(&mut short, said);
    short
}

fn shorten(schema: &mut JsonObject, depth: usize) {
    /// The depth beyond which a schema is brief.
    const DEEPEST: usize = 2;
    if schema.get("minimum").and_then(Value::as_f64) == Some(0.0) {
        schema.remove("minimum");
    }
    if matches!(
        schema.get("default"),
        Some(Value::Bool(false) | Value::Object(_) | Value::Array(_))
    ) {
        schema.remove("default");
    }
    if depth > 0 {
        // That nothing else is taken says the root.
        schema.retain(|key, value| key != "additionalProperties" || *value != Value::Bool(false));
    }
    if depth == 0 {
        shorten_common(schema);
    } else if depth > DEEPEST && schema.contains_key("enum") {
        // What it is one of says what it is.
        schema.remove("description");
    }
    for key in ["items", "additionalProperties"] {
        if let Some(Value::Object(inner)) = schema.get_mut(key) {
            // The list says what its items are.
            inner.remove("description");
            shorten(inner, depth + 1);
        }
    }
    if let Some(Value::Array(list)) = schema.get_mut("anyOf") {
        let members = list.iter_mut().filter_map(Value::as_object_mut);
        members.for_each(|member| shorten(member, depth + 1));
    }
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let properties = properties.values_mut().filter_map(Value::as_object_mut);
        properties.for_each(|property| shorten(property, depth + 1));
    }
}

/// Takes away what was said in the same words of an argument of the same name, of another tool or deeper in this one.
fn say_once(schema: &mut JsonObject, said: &mut BTreeSet<[String; 2]>) {
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        for (name, property) in properties.iter_mut() {
            let Value::Object(property) = property else {
                continue;
            };
            let text = property.get("description").and_then(Value::as_str);
            if let Some(text) = text
                && !said.insert([name.clone(), text.to_owned()])
            {
                property.remove("description");
            }
            say_once(property, said);
        }
    }
    if let Some(Value::Object(items)) = schema.get_mut("items") {
        say_once(items, said);
    }
}

/// What many tools take is said in the fewest words.
fn shorten_common(schema: &mut JsonObject) {
    let needed = schema.get("required").and_then(Value::as_array).cloned();
    let needed = needed.unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    let optional = |name: &str| !needed.iter().any(|needed| needed.as_str() == Some(name));
    for (name, property) in properties.iter_mut().filter(|(name, _)| optional(name)) {
        let Value::Object(property) = property else {
            continue;
        };
        match name.as_str() {
            "dry_run" => {
                property.insert("description".to_owned(), "Only try.".into());
            }
            "cursor" => {
                property.insert("description".to_owned(), "A next_cursor.".into());
            }
            "project" | "expected_revision" | "limit" => {
                property.remove("description");
            }
            _ => {}
        }
    }
}

struct Plainer<'a> {
    definitions: &'a Map<String, Value>,
    /// The definitions that are being written out.
    within: Vec<String>,
    side: Side,
    faults: Vec<String>,
}

impl Plainer<'_> {
    /// The plain schema, and whether it allowed null.
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

    /// Puts a definition in the place of its reference.
    fn inline(&mut self, schema: &mut Map<String, Value>) -> bool {
        let Some(Value::String(reference)) = schema.remove("$ref") else {
            return false;
        };
        let name = reference.rsplit('/').next().unwrap_or_default().to_owned();
        if self.within.contains(&name) {
            // A type that has itself inside: its depth ends here.
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
            rest.push(if list.len() > 2 {
                sealed(member)
            } else {
                member
            });
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
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let Some(Value::Object(properties)) = schema.remove("properties") else {
            return;
        };
        let mut plain = Map::new();
        for (name, property) in properties {
            let (property, nullable) = self.walk(&property);
            if self.side == Side::Output
                && nullable
                && required.iter().any(|needed| *needed == name.as_str())
            {
                self.faults.push(format!(
                    "the field {name} of the answer may be null, but is always there"
                ));
            }
            plain.insert(name, sealed(property));
        }
        schema.insert("properties".to_owned(), Value::Object(plain));
    }
}

/// Removes what says nothing to an agent.
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
    if schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| FORMATS.contains(&format))
    {
        schema.remove("format");
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.replace('\n', " ");
    }
}

/// Takes null out of a schema's types and values.
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

/// Adds what the variants mean to the description.
fn sealed(mut schema: Value) -> Value {
    if let Some(members) = schema.as_object_mut()
        && let Some(Value::String(notes)) = members.remove(NOTES)
    {
        let before = members.get("description").and_then(Value::as_str);
        let before = before
            .map(|text| format!("{} ", text.trim_end()))
            .unwrap_or_default();
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

/// A union of texts, which is what an enum with documentation becomes, as one list of values and what they mean.
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
