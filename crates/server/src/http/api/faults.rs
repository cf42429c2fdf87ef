//! What is wrong with a request, in words: every fault at once.

use fibula_nodes::names;
use fibula_service::Refusal;
use serde_json::{Value, json};

use super::fields::{Field, Place};

/// How many faults are named.
const MOST: usize = 5;

/// The faults of a request so far.
#[derive(Debug, Default)]
pub(super) struct Faults {
    list: Vec<Fault>,
}

#[derive(Debug)]
struct Fault {
    argument: String,
    place: Place,
    problem: String,
}

impl Faults {
    pub(super) fn add(&mut self, argument: &str, place: Place, problem: String) {
        if self.list.len() < MOST {
            self.list.push(Fault {
                argument: cut(argument, 80),
                place,
                problem,
            });
        }
    }

    /// A field stands where it does not belong.
    pub(super) fn misplaced(&mut self, name: &str, found: Place, wanted: Place) {
        let problem = if (found, wanted) == (Place::Body, Place::Path) {
            format!("`{name}` in the body differs from the path")
        } else {
            let (found, wanted) = (found.name(), wanted.name());
            format!("`{name}` belongs in the {wanted}, not in the {found}")
        };
        self.add(name, found, problem);
    }

    /// No field has this name.
    pub(super) fn unknown(&mut self, name: &str, place: Place, fields: &[Field]) {
        let known = fields.iter().map(|field| field.name.as_str());
        let near = names::nearest(name, known);
        let near = near.first();
        let near = near.map_or_else(String::new, |near| format!(", did you mean `{near}`?"));
        let shown = cut(name, 80);
        let problem = format!("`{shown}` is not known in the {}{near}", place.name());
        self.add(name, place, problem);
    }

    /// Whether something is wrong with this field.
    pub(super) fn names(&self, argument: &str) -> bool {
        self.list.iter().any(|fault| fault.argument == argument)
    }

    /// The refusal of a request that has faults.
    pub(super) fn refusal(&self, route: &str, fields: &[Field]) -> Option<Refusal> {
        if self.list.is_empty() {
            return None;
        }
        let texts: Vec<&str> = self
            .list
            .iter()
            .map(|fault| fault.problem.as_str())
            .collect();
        let problem = |fault: &Fault| json!({ "argument": fault.argument, "in": fault.place.name(), "problem": fault.problem });
        let problems: Vec<Value> = self.list.iter().map(problem).collect();
        Some(
            Refusal::new("invalid_arguments", texts.join("; "))
                .hint(usage(route, fields))
                .details(json!({ "problems": problems })),
        )
    }
}

/// A field has a value that it cannot have: what serde says, without the names of Rust's types.
pub(super) fn unfit(route: &str, fields: &[Field], path: &str, error: &str) -> Refusal {
    let text = cut(&plain(error), 300);
    let at = if path == "." { "the request" } else { path };
    Refusal::new("invalid_arguments", format!("`{}`: {text}", cut(at, 120)))
        .hint(usage(route, fields))
        .details(json!({ "problems": [{ "argument": cut(at, 120), "problem": text }] }))
}

/// What a route takes, and where.
fn usage(route: &str, fields: &[Field]) -> String {
    let list = |place: Place| {
        let fields = fields.iter().filter(|field| field.place == place);
        let names = fields.map(|field| {
            let mark = if field.required { "" } else { "?" };
            format!("{}{mark}", field.name)
        });
        let names: Vec<String> = names.collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let query = list(Place::Query).map(|names| format!("in the query {names}"));
    let body = list(Place::Body).map(|names| format!("in the body {{{names}}}"));
    let parts: Vec<String> = query.into_iter().chain(body).collect();
    if parts.is_empty() {
        format!("{route} takes nothing beside its path")
    } else {
        format!("{route} takes {}", parts.join(" and "))
    }
}

/// serde's text without the names of Rust's types.
fn plain(error: &str) -> String {
    let Some((problem, wanted)) = error.rsplit_once(", expected ") else {
        return error.to_owned();
    };
    let wanted = match wanted {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number from 0 on",
        "f64" => "a number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if wanted.starts_with("struct ") => "an object",
        _ => wanted,
    };
    let problem = problem
        .replacen("invalid type: sequence", "invalid type: list", 1)
        .replacen("invalid type: map", "invalid type: object", 1)
        .replacen("unknown variant", "unknown name", 1);
    format!("{problem}, expected {wanted}")
}

/// The text, or its beginning.
pub(super) fn cut(text: &str, longest: usize) -> String {
    names::visible(text, longest)
}
