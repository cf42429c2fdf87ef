//! Faults of a request: all of them in one refusal.

use fibula_nodes::names;
use fibula_service::Refusal;
use serde_json::{Value, json};

use super::fields::{Field, FieldLocation};

/// Maximum number of faults that a refusal names.
const MAX_FAULTS: usize = 5;

/// Faults of a request.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
}

#[derive(Debug)]
struct Fault {
    argument: String,
    location: FieldLocation,
    problem: String,
}

impl Faults {
    pub(super) fn add(&mut self, argument: &str, location: FieldLocation, problem: String) {
        if self.list.len() < MAX_FAULTS {
            self.list.push(Fault {
                argument: cut(argument, 80),
                location,
                problem,
            });
        }
    }

    /// Adds a field at the wrong location.
    pub(super) fn misplaced(&mut self, name: &str, found: FieldLocation, expected: FieldLocation) {
        let problem = if (found, expected) == (FieldLocation::Body, FieldLocation::Path) {
            format!("`{name}` in the body differs from the path")
        } else {
            let (found, expected) = (found.name(), expected.name());
            format!("`{name}` belongs in the {expected}, not in the {found}")
        };
        self.add(name, found, problem);
    }

    /// Adds an unknown field.
    pub(super) fn unknown(&mut self, name: &str, location: FieldLocation, fields: &[Field]) {
        let known = fields.iter().map(|field| field.name.as_str());
        let near = names::nearest(name, known);
        let near = near.first();
        let near = near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
        let shown = cut(name, 80);
        let problem = format!("`{shown}` is unknown in the {}{near}", location.name());
        self.add(name, location, problem);
    }

    /// Returns true if this field has a fault.
    pub(super) fn names(&self, argument: &str) -> bool {
        self.list.iter().any(|fault| fault.argument == argument)
    }

    /// Returns the refusal, if there are faults.
    pub(super) fn refusal(&self, route: &str, fields: &[Field]) -> Option<Refusal> {
        if self.list.is_empty() {
            return None;
        }
        let texts = self.list.iter().map(|fault| fault.problem.as_str());
        let texts: Vec<&str> = texts.collect();
        let problem = |fault: &Fault| json!({ "argument": fault.argument, "in": fault.location.name(), "problem": fault.problem });
        let problems: Vec<Value> = self.list.iter().map(problem).collect();
        Some(
            Refusal::new("invalid_arguments", texts.join("; "))
                .hint(usage(route, fields))
                .details(json!({ "problems": problems })),
        )
    }
}

/// Returns the refusal of a value that does not deserialize: serde's text without the names of Rust's types.
pub(super) fn mismatch(route: &str, fields: &[Field], path: &str, error: &str) -> Refusal {
    let text = cut(&plain_message(error), 300);
    let at = if path == "." { "the request" } else { path };
    Refusal::new("invalid_arguments", format!("`{}`: {text}", cut(at, 120)))
        .hint(usage(route, fields))
        .details(json!({ "problems": [{ "argument": cut(at, 120), "problem": text }] }))
}

/// Lists the fields of a route by location.
fn usage(route: &str, fields: &[Field]) -> String {
    let list = |location: FieldLocation| {
        let fields = fields.iter().filter(|field| field.location == location);
        let names = fields.map(|field| {
            let mark = if field.required { "" } else { "?" };
            format!("{}{mark}", field.name)
        });
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let query = list(FieldLocation::Query).map(|names| format!("in the query {names}"));
    let body = list(FieldLocation::Body).map(|names| format!("in the body {{{names}}}"));
    let parts: Vec<String> = query.into_iter().chain(body).collect();
    if parts.is_empty() {
        format!("{route} has no fields beside its path")
    } else {
        format!("{route} takes {}", parts.join(" and "))
    }
}

/// Replaces the names of Rust's types in serde's text.
fn plain_message(error: &str) -> String {
    let Some((problem, expected)) = error.rsplit_once(", expected ") else {
        return error.to_owned();
    };
    let expected = match expected {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0 on",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if expected.starts_with("struct ") => "an object",
        _ => expected,
    };
    let problem = problem
        .replacen("invalid type: sequence", "invalid type: list", 1)
        .replacen("invalid type: map", "invalid type: object", 1)
        .replacen("unknown variant", "unknown name", 1);
    format!("{problem}, expected {expected}")
}

/// Truncates a text and removes invisible characters.
pub(super) fn cut(text: &str, longest: usize) -> String {
    names::visible(text, longest)
}
