//! A refusal: an error of the caller, reported so that the caller can correct it.

use std::fmt;

use fibula_3mf as threemf;
use fibula_core::edit::EditError;
use fibula_core::edit::undo::UndoError;
use fibula_core::eval::{EvalError, SolidError};
use fibula_core::expression::{ExpressionError, PrintError};
use fibula_core::graph::GraphError;
use fibula_core::quote::without_long_words;
use fibula_core::refactor::RefactorError;
use fibula_drawing::scene::RasterError;
use fibula_drawing::sketch::SketchError;
use fibula_eval::glsl::GlslError;
use fibula_formats::{mesh, vm};
use fibula_geometry::picture::PictureError;
use fibula_geometry::{BoundsError, ShapeError};
use fibula_graph_formats::FormatError;
use fibula_knowledge::network::NetworkError;
use fibula_knowledge::search::SearchError;
use fibula_store::StoreError;
use fibula_store::json_lines::ProjectFileError;
use serde::Serialize;
use serde_json::{Value as Json, json};

pub(crate) use fibula_core::quote::quoted;

/// Hint of refusals about bytes that are not in the store.
pub(crate) const LOST_CONTENT: &str =
    "import the file that it came from again; everything else in the project can be used";

/// Error returned when a request is refused. Nothing was changed.
///
/// Displays as `code: message; hint`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Refusal {
    /// Stable code.
    pub code: &'static str,
    /// The fault and its location.
    pub message: String,
    /// A remedy, if the message does not name one.
    pub hint: Option<String>,
    /// The same facts in machine-readable form; null if there are none.
    pub details: Json,
}

/// An answer, or the refusal of its request.
pub type Result<T, E = Refusal> = std::result::Result<T, E>;

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Refusal {}

impl Refusal {
    /// Creates a refusal with a code and message. Words of the message that are too long to be repeated are truncated.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Refusal {
            code,
            message: without_long_words(message.into()),
            hint: None,
            details: Json::Null,
        }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds details for programs. Long lists are truncated, with `total` beside them, and words that are too long.
    #[must_use]
    pub fn details(mut self, mut details: Json) -> Self {
        shorten(&mut details);
        self.details = details;
        self
    }

    /// Returns the refusal for `what`, such as `the file`, that could not be written.
    pub fn unwritable(what: &str, error: &std::io::Error) -> Self {
        let message = format!("{what} cannot be written: {error}");
        Refusal::new("unwritable_file", message)
    }

    /// Returns the refusal of work that the caller cancelled.
    pub fn cancelled() -> Self {
        Refusal::new("cancelled", "the call was cancelled")
    }
}

impl From<GraphError> for Refusal {
    fn from(error: GraphError) -> Self {
        EditError::from(error).into()
    }
}

impl From<EditError> for Refusal {
    fn from(error: EditError) -> Self {
        Refusal::new(error.code(), error.to_string()).details(error.details())
    }
}

impl From<RefactorError> for Refusal {
    fn from(error: RefactorError) -> Self {
        Refusal {
            hint: error.hint(),
            ..Refusal::new(error.code(), error.to_string()).details(error.details())
        }
    }
}

impl From<ProjectFileError> for Refusal {
    fn from(error: ProjectFileError) -> Self {
        Refusal {
            hint: error.hint().map(str::to_owned),
            ..Refusal::new(error.code(), error.to_string()).details(error.details())
        }
    }
}

/// Converts errors to refusals with their code and text; one that matches the pattern is a cancellation.
macro_rules! refuse_as_is {
    ($($error:ty $([$cancelled:pat])?;)*) => {$(
        impl From<$error> for Refusal {
            fn from(error: $error) -> Self {
                $(if matches!(error, $cancelled) {
                    return Refusal::cancelled();
                })?
                Refusal::new(error.code(), error.to_string())
            }
        }
    )*};
}

refuse_as_is! {
    SearchError;
    PictureError;
    BoundsError;
    ShapeError;
    fibula_core::oracle::MeshError;
    fibula_3mf::MeshDataError;
    fibula_3mf::contents::ContentError;
    fibula_graph_formats::WriteError;
    NetworkError [NetworkError::Cancelled(_)];
    FormatError [FormatError::Cancelled(_)];
    RasterError [RasterError::Cancelled(_)];
    SketchError [SketchError::Cancelled(_)];
    mesh::ReadError [mesh::ReadError { problem: mesh::ReadErrorKind::Cancelled, .. }];
}

impl From<UndoError> for Refusal {
    fn from(error: UndoError) -> Self {
        let message = error.to_string();
        match error {
            UndoError::NothingToUndo | UndoError::Checkpoint(_) => {
                Refusal::new("nothing_to_undo", message)
            }
            UndoError::NothingOwnToUndo(_) => Refusal::new("nothing_to_undo", message)
                .hint("anyone: true reverts the last change of anyone, revision: N a given one"),
            UndoError::NothingToRedo => Refusal::new("nothing_to_redo", message),
            UndoError::UnknownRevision(_) => {
                Refusal::new("unknown_revision", message).hint("get_history lists the revisions")
            }
            UndoError::AlreadyUndone { by, .. } => Refusal::new("already_undone", message)
                .hint(format!("revision: {by} would redo it"))
                .details(json!({ "by": by })),
            UndoError::Conflict { entry, by } => Refusal::new("in_the_way", message)
                .hint(format!(
                    "undo revision {} first, or make the change by hand",
                    by.revision
                ))
                .details(json!({ "revision": entry.revision, "in_the_way": by.revision, "by": by.origin.client })),
            UndoError::Refused { error, .. } => {
                Refusal::new(error.code(), message).details(error.details())
            }
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        let refusal = Refusal::new(error.code(), message);
        match error {
            StoreError::Damaged(_) => refusal
                .hint("the readable part is still served: export what is needed; whoever runs the server can verify the store and recover what is left"),
            StoreError::ReadOnly(_) => refusal.hint("reading still works"),
            StoreError::Moved(_) => refusal.hint("the change was not saved"),
            StoreError::Full(_) | StoreError::Io { .. } => {
                refusal.hint("nothing was changed, and reading still works")
            }
            _ => refusal,
        }
    }
}

impl From<EvalError> for Refusal {
    fn from(error: EvalError) -> Self {
        let details = match &error {
            EvalError::Graph(error) => serde_json::to_value(error).unwrap_or_default(),
            EvalError::MissingInput(missing) => json!({ "missing": missing }),
            EvalError::UnknownOutput { outputs, .. } => json!({ "outputs": outputs }),
            EvalError::Lower {
                function_id, node, ..
            } => json!({ "function_id": function_id, "node": node }),
            EvalError::Image { function_id, .. } => json!({ "function_id": function_id }),
            EvalError::Arguments { inputs, .. } => json!({ "inputs": inputs }),
        };
        Refusal::new(error.code(), error.to_string()).details(details)
    }
}

impl From<SolidError> for Refusal {
    fn from(error: SolidError) -> Self {
        if let SolidError::Field { of, error } | SolidError::VolumeData { of, error } = error {
            let refusal = Refusal::from(error);
            return Refusal {
                message: format!("{of}: {}", refusal.message),
                ..refusal
            };
        }
        Refusal::new(error.code(), error.to_string())
    }
}

impl From<GlslError> for Refusal {
    fn from(error: GlslError) -> Self {
        let (code, details) = match &error {
            GlslError::UsesOracle { resource, .. } => {
                ("no_formula", json!({ "resource_id": resource }))
            }
            GlslError::TooManyInstructions { .. } | GlslError::TooManyConstants { .. } => {
                ("too_large", Json::Null)
            }
            GlslError::InvalidPrefix { .. } => ("invalid_arguments", Json::Null),
        };
        Refusal::new(code, error.to_string()).details(details)
    }
}

impl From<ExpressionError> for Refusal {
    /// The message ends with the line of the text and a caret below the position.
    fn from(error: ExpressionError) -> Self {
        let details = json!({ "line": error.line, "column": error.column, "hint": error.hint });
        Refusal::new(error.code.name(), error.to_string()).details(details)
    }
}

impl From<PrintError> for Refusal {
    fn from(error: PrintError) -> Self {
        match error {
            PrintError::Graph(error) => error.into(),
            PrintError::Unset { .. } => Refusal::new("missing_input", error.to_string()),
            PrintError::NoOutput(_) => Refusal::new("no_output", error.to_string()),
        }
    }
}

impl From<vm::ReadError> for Refusal {
    fn from(error: vm::ReadError) -> Self {
        Refusal::new(error.code(), error.to_string())
            .hint(error.hint())
            .details(json!({ "line": error.line }))
    }
}

impl From<threemf::ReadError> for Refusal {
    fn from(error: threemf::ReadError) -> Self {
        let place = &error.place;
        let details = json!({
            "part": place.part,
            "line": place.line,
            "function_id": place.function.as_ref().map(|(id, _)| id),
            "node": place.node,
        });
        Refusal {
            code: error.code(),
            message: error.to_string(),
            hint: error.hint(),
            details,
        }
    }
}

/// Truncates the lists of an object, recursively, and adds their lengths.
fn shorten(details: &mut Json) {
    const SHOWN: usize = 20;
    let members = match details {
        Json::Object(members) => members,
        Json::Array(items) => return items.iter_mut().for_each(shorten),
        Json::String(text) => {
            *text = without_long_words(std::mem::take(text));
            return;
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => return,
    };
    let mut totals = Vec::new();
    for (name, member) in members.iter_mut() {
        match member {
            Json::Array(items) if items.len() > SHOWN => {
                totals.push((name.clone(), items.len()));
                items.truncate(SHOWN);
                items.iter_mut().for_each(shorten);
            }
            other => shorten(other),
        }
    }
    for (name, total) in totals {
        let name = if members.contains_key("total") {
            format!("{name}_total")
        } else {
            "total".to_owned()
        };
        members.insert(name, total.into());
    }
}

/// Suggests the nearest names, or something else if none is near.
pub(crate) fn did_you_mean(nearest: &[String], otherwise: impl Into<String>) -> String {
    match nearest {
        [] => otherwise.into(),
        [only] => format!("did you mean {only}?"),
        names => format!("did you mean one of {}?", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_stay_short() {
        let check = |given: Json, expected: Json| {
            assert_eq!(Refusal::new("code", "").details(given).details, expected);
        };
        let (long, short) = (vec![1; 5_000], vec![1; 20]);
        check(json!({ "path": short }), json!({ "path": short }));
        check(
            json!({ "path": long }),
            json!({ "path": short, "total": 5_000 }),
        );
        check(
            json!({ "index": 3, "error": { "missing": long } }),
            json!({ "index": 3, "error": { "missing": short, "total": 5_000 } }),
        );
        check(
            json!({ "a": long, "total": 1 }),
            json!({ "a": short, "a_total": 5_000, "total": 1 }),
        );
    }
}
