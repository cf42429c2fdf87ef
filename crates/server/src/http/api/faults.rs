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

/// Lists the fields of a route by location.
pub(super) fn usage(route: &str, fields: &[Field]) -> String {
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

/// Truncates a text and removes invisible characters.
pub(super) fn cut(text: &str, longest: usize) -> String {
    names::visible(text, longest)
}
