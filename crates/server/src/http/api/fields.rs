//! Fields of a request by their location: path, query or body.
//!
//! A request of the service is one object. Fields that the path names are in the path. Of GET and DELETE the others are in
//! the query; of other methods `expected_revision` and `dry_run` are in the query and the others in the body. So the
//! conditions of a write are at the same location whatever its method.

use axum::http::Method;
use fibula_service::{FunctionKey, Refusal, is_function_key};
use percent_encoding::percent_decode_str;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::faults::{Faults, cut};
use crate::operation::SchemaOf;

/// Conditions of a write, which are in the query.
const CONDITIONS: [&str; 2] = ["expected_revision", "dry_run"];

/// Location of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldLocation {
    Path,
    Query,
    Body,
}

impl FieldLocation {
    pub(super) fn name(self) -> &'static str {
        match self {
            FieldLocation::Path => "path",
            FieldLocation::Query => "query",
            FieldLocation::Body => "body",
        }
    }
}

/// Type of a value in a path or query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ValueKind {
    Integer,
    Boolean,
    Text,
    /// The id of a function, or its name.
    Function,
}

/// A field of a request.
#[derive(Debug, Clone)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) location: FieldLocation,
    pub(super) required: bool,
    kind: ValueKind,
}

/// All fields of a request, by name.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub(super) list: Vec<Field>,
    /// True if the body may have other members.
    open: bool,
}

impl Fields {
    /// Returns the fields of a request in a route with this method and path.
    pub(super) fn new(request: SchemaOf, method: &Method, path: &str) -> Self {
        let settings = SchemaSettings::draft2020_12().for_deserialize();
        let schema = request(&mut settings.into_generator());
        let required = |name: &str| {
            let names = schema.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|other| other == name))
        };
        let has_body = !matches!(*method, Method::GET | Method::DELETE);
        let location = |name: &str| {
            if path.contains(&format!("{{{name}}}")) {
                FieldLocation::Path
            } else if has_body && !CONDITIONS.contains(&name) {
                FieldLocation::Body
            } else {
                FieldLocation::Query
            }
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        let field = |(name, schema): (&String, &Value)| Field {
            name: name.clone(),
            location: location(name),
            required: location(name) == FieldLocation::Path || required(name),
            kind: kind(schema),
        };
        Fields {
            list: properties.into_iter().flatten().map(field).collect(),
            // Where parts of a request are shared with others, schemas use the second way.
            open: ["additionalProperties", "unevaluatedProperties"]
                .iter()
                .all(|others| schema.get(*others) != Some(&Value::Bool(false))),
        }
    }

    /// Returns the fields at a location.
    pub(super) fn at(&self, location: FieldLocation) -> impl Iterator<Item = &Field> {
        self.list
            .iter()
            .filter(move |field| field.location == location)
    }

    fn get(&self, name: &str) -> Option<&Field> {
        self.list.iter().find(|field| field.name == name)
    }

    /// Reads a request as one object.
    ///
    /// # Errors
    /// A [`Refusal`] that names every fault.
    pub(super) fn read(
        &self,
        route: &str,
        path: &[(String, String)],
        query: &str,
        body: Option<Map<String, Value>>,
    ) -> Result<Map<String, Value>, Refusal> {
        let mut faults = Faults::default();
        let mut all = Map::new();
        for (name, text) in path {
            if let Some(field) = self.get(name) {
                parse_text(field, text, &mut all, &mut faults);
            }
        }
        for (name, text) in pairs(query)? {
            match self.get(&name) {
                Some(field) if field.location != FieldLocation::Query => {
                    faults.misplaced(&name, FieldLocation::Query, field.location);
                }
                Some(field) if all.contains_key(&field.name) => {
                    let problem = format!("`{name}` occurs twice in the query");
                    faults.add(&name, FieldLocation::Query, problem);
                }
                Some(field) => parse_text(field, &text, &mut all, &mut faults),
                None => faults.unknown(&name, FieldLocation::Query, &self.list),
            }
        }
        for (name, value) in body.into_iter().flatten() {
            match self.get(&name) {
                // A body may repeat what the path has: an answer can be sent back as it is.
                Some(field)
                    if field.location == FieldLocation::Path && all.get(&name) == Some(&value) => {}
                Some(field) if field.location != FieldLocation::Body => {
                    faults.misplaced(&name, FieldLocation::Body, field.location);
                }
                None if !self.open => faults.unknown(&name, FieldLocation::Body, &self.list),
                Some(_) | None => {
                    all.insert(name, value);
                }
            }
        }
        let is_present =
            |field: &&Field| all.contains_key(&field.name) || faults.names(&field.name);
        let missing = self.list.iter().filter(|field| field.required);
        let missing: Vec<&Field> = missing.filter(|field| !is_present(field)).collect();
        for field in missing {
            let (name, location) = (&field.name, field.location);
            let problem = format!("`{name}` is missing in the {}", location.name());
            faults.add(name, location, problem);
        }
        match faults.refusal(route, &self.list) {
            Some(refusal) => Err(refusal),
            None => Ok(all),
        }
    }
}

/// Parses the text of a field in a path or query.
fn parse_text(field: &Field, text: &str, all: &mut Map<String, Value>, faults: &mut Faults) {
    let value = match field.kind {
        ValueKind::Integer => match text.parse::<u64>() {
            Ok(number) if !text.starts_with('+') => Ok(Value::from(number)),
            Ok(_) | Err(_) => Err("a whole number from 0 on"),
        },
        ValueKind::Boolean => match text {
            "true" => Ok(Value::Bool(true)),
            "false" => Ok(Value::Bool(false)),
            _ => Err("true or false"),
        },
        ValueKind::Text => Ok(Value::from(text)),
        ValueKind::Function => {
            Ok(FunctionKey::parse_id(text).map_or_else(|| Value::from(text), Value::from))
        }
    };
    match value {
        Ok(value) => {
            all.insert(field.name.clone(), value);
        }
        Err(expected) => {
            let (name, place, got) = (&field.name, field.location.name(), cut(text, 60));
            let problem = format!("`{name}` in the {place} must be {expected}, got '{got}'");
            faults.add(name, field.location, problem);
        }
    }
}

/// Returns the type of values with a schema.
fn kind(schema: &Value) -> ValueKind {
    let is = |type_name: &str| match schema.get("type") {
        Some(Value::String(name)) => name == type_name,
        Some(Value::Array(names)) => names.iter().any(|name| name == type_name),
        Some(_) | None => false,
    };
    if is_function_key(schema) {
        ValueKind::Function
    } else if is("integer") {
        ValueKind::Integer
    } else if is("boolean") {
        ValueKind::Boolean
    } else {
        ValueKind::Text
    }
}

/// Decodes the names and values of a query.
fn pairs(query: &str) -> Result<Vec<(String, String)>, Refusal> {
    let decode = |text: &str| {
        let text = text.replace('+', " ");
        let decoded = percent_decode_str(&text).decode_utf8();
        decoded.map(String::from).map_err(|_| {
            let message = format!("'{}' in the query is not UTF-8", cut(&text, 60));
            Refusal::new("invalid_arguments", message).hint("percent-encode its bytes")
        })
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decode(name)?, decode(value)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema as _;
    use serde_json::json;

    use super::*;
    use fibula_service::{CreateNode, ListFunctions};

    fn read(query: &str, body: Value) -> Result<Value, String> {
        let path = "/api/projects/{project}/functions/{function_id}/nodes";
        let fields = Fields::new(CreateNode::json_schema, &Method::POST, path);
        let given = [("project", "a b"), ("function_id", "7")];
        let given = given.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let Value::Object(body) = body else {
            panic!("a body is an object");
        };
        let read = fields.read("POST /nodes", &given, query, Some(body));
        read.map(Value::Object).map_err(|refusal| refusal.message)
    }

    #[test]
    fn a_request_is_put_together_from_its_three_places() {
        assert_eq!(
            read(
                "expected_revision=3&dry_run=true",
                json!({ "node_type": "Sine" })
            ),
            Ok(json!({
                "project": "a b", "function_id": 7, "node_type": "Sine", "expected_revision": 3, "dry_run": true,
            }))
        );
        assert!(read("", json!({ "node_type": "Sine", "function_id": 7 })).is_ok());
    }

    #[test]
    fn every_fault_is_named_at_once() {
        let check = |query: &str, body: Value, expected: &str| {
            assert_eq!(read(query, body), Err(expected.to_owned()));
        };
        check("", json!({}), "`node_type` is missing in the body");
        check(
            "dry_run=1&dryrun=true&node_type=Sine",
            json!({ "expected_revision": 3, "function_id": 8 }),
            "`dry_run` in the query must be true or false, got '1'; `dryrun` is unknown in the query, did you mean \
             `dry_run`?; `node_type` belongs in the body, not in the query; `expected_revision` belongs in the query, \
             not in the body; `function_id` in the body differs from the path",
        );
        check(
            "dry_run=true&dry_run=true",
            json!({ "node_type": "Sine" }),
            "`dry_run` occurs twice in the query",
        );
        check(
            "expected_revision=-1&expected_revision=1e9",
            json!({ "node_type": "Sine" }),
            "`expected_revision` in the query must be a whole number from 0 on, got '-1'; `expected_revision` in the \
             query must be a whole number from 0 on, got '1e9'",
        );
        check("x=%FF", json!({}), "'%FF' in the query is not UTF-8");
    }

    #[test]
    fn queries_are_decoded() {
        let path = "/api/projects/{project}/functions";
        let fields = Fields::new(ListFunctions::json_schema, &Method::GET, path);
        let read = fields.read("", &[], "search=a+b%26%C3%BC&limit=2&&", None);
        // The path is axum's to take apart.
        let message = read.unwrap_err().message;
        assert_eq!(message, "`project` is missing in the path");
        let path = [("project".to_owned(), "p".to_owned())];
        let read = fields.read("", &path, "search=a+b%26%C3%BC&limit=2&&", None);
        let expected = json!({ "project": "p", "search": "a b&ü", "limit": 2 });
        assert_eq!(read.map(Value::Object), Ok(expected));
    }
}
