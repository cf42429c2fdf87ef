//! Rewriting the log of a project: compaction, which drops its beginning, and redaction, which replaces a text
//! everywhere.
//!
//! Nothing else changes what was written, and neither can be undone.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use fibula_core::edit::{Edit, Entry, Head, Heading, State};
use fibula_core::graph::DocumentData;
use fibula_store::{LogRange, LogRewrite, Record, StoreError, StoredSnapshot, load, snapshot};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::project::commit::Project;
use crate::refusal::{Refusal, Result, quoted};
use crate::service::Service;

/// Number of attempts to rewrite a log while others edit the project.
const ATTEMPTS: usize = 5;

json_structs! {
    /// Part of the history to delete.
    pub request(Default) struct Compact {
        project,
        /// The history up to this revision is deleted, its state is kept; default: all but the newest entry.
        pub revision: Option<u64>,
        expected_revision,
        dry_run,
    }

    /// Result of a compaction.
    #[schemars(rename = "Compacted")]
    pub answer struct CompactionResult {
        pub success: bool,
        pub project: String,
        /// Number of deleted entries.
        pub entries: u64,
        /// First revision that is still readable.
        pub first_revision: u64,
        pub revision: u64,
        pub dry_run: Option<bool>,
    }

    /// Text to remove.
    pub request struct Redact {
        project,
        /// The text, case-sensitive; at least 3 bytes.
        pub text: String,
        /// Replacement; default "(redacted)".
        pub replacement: Option<String>,
        expected_revision,
        dry_run,
    }

    /// Result of a redaction.
    #[schemars(rename = "Redacted")]
    pub answer struct RedactionResult {
        pub success: bool,
        pub project: String,
        /// Number of entries that had the text.
        pub entries: u64,
        /// Number of occurrences, in edits and their inverses.
        pub places: u64,
        pub revision: u64,
        pub dry_run: Option<bool>,
    }
}

impl Service {
    /// Compacts a history: the log starts from the state of a revision, and earlier entries are dropped.
    ///
    /// # Errors
    /// A [`Refusal`] if there is no such revision, or nothing to drop.
    pub fn compact(&self, request: &Compact) -> Result<CompactionResult> {
        let project = self.project(request.project.as_deref())?;
        retry(|| compact(&project, request))
    }

    /// Replaces a text by another wherever the history, names and values of a project contain it. The store wipes all
    /// that was written.
    ///
    /// # Errors
    /// A [`Refusal`] if the text does not occur, or the project would be invalid without it.
    pub fn redact(&self, request: &Redact) -> Result<RedactionResult> {
        const SHORTEST: usize = 3;
        let project = self.project(request.project.as_deref())?;
        if request.text.trim().len() < SHORTEST {
            let message = format!(
                "{} is too short to be searched safely",
                quoted(&request.text)
            );
            return Err(Refusal::new("invalid_value", message)
                .hint(format!("pass at least {SHORTEST} bytes that are not blank")));
        }
        let replacement = request.replacement.as_deref().unwrap_or("(redacted)");
        if replacement.contains(&request.text) {
            let message = "the replacement contains the text";
            return Err(Refusal::new("invalid_value", message).hint("choose another"));
        }
        if project.name.contains(&request.text) {
            let message = format!(
                "the project's name {} contains the text",
                quoted(&project.name)
            );
            return Err(Refusal::new("in_use", message).hint("rename the project first"));
        }
        retry(|| redact(&project, request, replacement))
    }
}

/// Retries while other writers commit first.
fn retry<T>(mut rewrite: impl FnMut() -> Result<T, RewriteError>) -> Result<T> {
    for _ in 0..ATTEMPTS {
        match rewrite() {
            Err(RewriteError::Conflict) => {}
            Err(RewriteError::Refused(refusal)) => return Err(*refusal),
            Ok(done) => return Ok(done),
        }
    }
    let message = "the project is being edited continuously";
    Err(Refusal::new("store_busy", message).hint("try again later"))
}

/// Reason why a log was not rewritten.
enum RewriteError {
    Conflict,
    Refused(Box<Refusal>),
}

impl<E: Into<Refusal>> From<E> for RewriteError {
    fn from(error: E) -> Self {
        RewriteError::Refused(Box::new(error.into()))
    }
}

/// Returns the head of the log, which is at the expected revision.
fn head(project: &Project, expected_revision: Option<u64>) -> Result<Head, RewriteError> {
    let head = project.store.head(project.id)?;
    match expected_revision {
        Some(expected) if expected != head.revision => {
            Err(project.conflict(expected, head.revision).into())
        }
        Some(_) | None => Ok(head),
    }
}

fn rewrite(project: &Project, rewriting: LogRewrite) -> Result<(), RewriteError> {
    match project.store.rewrite(project.id, rewriting) {
        Err(StoreError::Conflict { .. }) => Err(RewriteError::Conflict),
        outcome => {
            project.invalidate();
            Ok(outcome?)
        }
    }
}

fn compact(project: &Project, request: &Compact) -> Result<CompactionResult, RewriteError> {
    let expected = head(project, request.expected_revision)?;
    let base = project.store.base(project.id)?;
    let last = expected.revision.saturating_sub(1);
    let upto = request.revision.unwrap_or(last);
    if upto <= base || upto > last {
        let message = if last <= base {
            format!(
                "there is no history before the newest entry, revision {}",
                expected.revision
            )
        } else {
            format!("revision {upto} is not one of {} to {last}", base + 1)
        };
        return Err(Refusal::new("unknown_revision", message)
            .hint("the newest entry is always kept; get_history lists the revisions")
            .details(json!({ "revision": upto, "first": base + 1, "last": last }))
            .into());
    }
    if !request.dry_run {
        let state = project.state_at(upto, expected.revision)?;
        let rewriting = LogRewrite {
            expected,
            base: Some(snapshot::encode(&state)),
            records: Vec::new(),
            wipe: false,
        };
        rewrite(project, rewriting)?;
    }
    Ok(CompactionResult {
        success: true,
        project: project.name.to_string(),
        entries: upto - base,
        first_revision: upto,
        revision: expected.revision,
        dry_run: request.dry_run.then_some(true),
    })
}

fn redact(
    project: &Project,
    request: &Redact,
    replacement: &str,
) -> Result<RedactionResult, RewriteError> {
    let mut pen = TextReplacer {
        text: &request.text,
        replacement,
        places: 0,
    };
    let expected = head(project, request.expected_revision)?;
    let base = project.store.base(project.id)?;
    let (mut state, mut stored): (State, Option<StoredSnapshot>) = (State::default(), None);
    if base > 0 {
        let old = load(&*project.store, project.id, Some(base))?;
        state = pen.state(&old.state)?;
        stored = Some(snapshot::encode(&state));
    }
    let (mut entries, mut records, mut broken) = (0, Vec::new(), None);
    project
        .store
        .read(project.id, LogRange::After(base), true, &mut |record| {
            let before = pen.places;
            let redacted = pen
                .entry(&record)
                .and_then(|(heading, edit, inverse)| follow(&mut state, heading, edit, inverse));
            entries += u64::from(pen.places > before);
            match redacted {
                Ok(entry) => {
                    records.push(Record::new(&entry));
                    ControlFlow::Continue(())
                }
                Err(refusal) => {
                    broken = Some(refusal);
                    ControlFlow::Break(())
                }
            }
        })?;
    if let Some(refusal) = broken {
        return Err(refusal.into());
    }
    if state.revision() != expected.revision {
        return Err(RewriteError::Conflict);
    }
    if pen.places == 0 {
        let message = format!("{} does not occur in the project", quoted(&request.text));
        return Err(Refusal::new("nothing_to_redact", message)
            .hint("the search is case-sensitive; the contents of files are not searched")
            .into());
    }
    if !request.dry_run {
        let rewriting = LogRewrite {
            expected,
            base: stored,
            records,
            wipe: true,
        };
        rewrite(project, rewriting)?;
    }
    Ok(RedactionResult {
        success: true,
        project: project.name.to_string(),
        entries,
        places: pen.places,
        revision: expected.revision,
        dry_run: request.dry_run.then_some(true),
    })
}

/// Applies a redacted entry, and returns it with the hash of the state after it.
fn follow(state: &mut State, heading: Heading, edit: Edit, inverse: Edit) -> Result<Entry> {
    let revision = heading.revision;
    let mut entry = Entry {
        heading,
        edit,
        inverse,
        hash: 0,
    };
    state.advance(&mut entry).map_err(|error| {
        let message = format!("without the text, revision {revision} would be invalid: {error}");
        Refusal::new("cannot_redact", message)
            .hint("pass a replacement that is valid there, such as another name")
    })?;
    Ok(entry)
}

/// Replaces a text in values that serialise to JSON.
struct TextReplacer<'a> {
    text: &'a str,
    replacement: &'a str,
    places: u64,
}

impl TextReplacer<'_> {
    fn state(&mut self, state: &State) -> Result<State> {
        let data: DocumentData = self.replace(&state.document().data())?;
        let document = data.document().map_err(|error| {
            let message =
                format!("without the text, the beginning of the log would be invalid: {error}");
            Refusal::new("cannot_redact", message)
        })?;
        let mut checkpoints = BTreeMap::new();
        for (name, &revision) in state.checkpoints() {
            checkpoints.insert(self.string(name), revision);
        }
        Ok(State::new(document, state.revision(), checkpoints))
    }

    fn entry(&mut self, record: &Record) -> Result<(Heading, Edit, Edit)> {
        let entry = record.entry().map_err(StoreError::from)?;
        let heading: Heading = self.replace(&entry.heading)?;
        let heading = Heading {
            revision: entry.revision(),
            ..heading
        };
        let edit = self.replace(&entry.edit)?;
        let inverse = self.replace(&entry.inverse)?;
        Ok((heading, edit, inverse))
    }

    /// Returns the value with the text replaced.
    fn replace<T: Serialize + for<'de> Deserialize<'de>>(&mut self, part: &T) -> Result<T> {
        let wrong = |error: serde_json::Error| {
            let message = format!("without the text it would be unreadable: {error}");
            Refusal::new("cannot_redact", message)
        };
        let mut json = serde_json::to_value(part).map_err(wrong)?;
        self.json(&mut json, false);
        serde_json::from_value(json).map_err(wrong)
    }

    /// Replaces the text in JSON; `named` is true if the keys of an object are names given by users.
    fn json(&mut self, json: &mut Json, named: bool) {
        match json {
            Json::String(text) => *text = self.string(text),
            Json::Array(items) => items.iter_mut().for_each(|item| self.json(item, false)),
            Json::Object(members) if named => {
                for (name, mut member) in std::mem::take(members) {
                    self.json(&mut member, false);
                    members.insert(self.string(&name), member);
                }
            }
            Json::Object(members) => {
                for (name, member) in members {
                    self.json(member, name == "parameters");
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }

    fn string(&mut self, text: &str) -> String {
        let count = text.matches(self.text).count() as u64;
        if count == 0 {
            return text.to_owned();
        }
        self.places += count;
        text.replace(self.text, self.replacement)
    }
}
