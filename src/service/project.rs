//! A project: a document and its history, and the one way in which they change.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;
use tokio::sync::broadcast;

use super::event::Event;
use super::refusal::Refusal;
use super::tapes::Tapes;
use crate::edit::{Change, Checked, History, Origin};
use crate::graph::Document;

/// A document and its history.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) name: Arc<str>,
    pub(super) tapes: Tapes,
    state: Mutex<State>,
    events: broadcast::Sender<Event>,
}

#[derive(Debug, Default)]
struct State {
    document: Document,
    history: History,
}

/// A document as it was at a revision; changes since do not show in it.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    pub(super) document: Document,
    pub(super) revision: u64,
}

/// What is to be done to a project.
#[derive(Debug)]
pub(super) enum Step {
    /// An edit that was checked against the document, and what the history calls it.
    Edit(Box<Checked>, Option<String>),
    /// The last edit is undone.
    Undo,
    /// The last edit that was undone is done again.
    Redo,
}

/// What was done to a project.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) revision: u64,
    pub(super) label: String,
    pub(super) change: Change,
}

impl Snapshot {
    fn of(state: &State) -> Self {
        Snapshot {
            document: state.document.clone(),
            revision: state.history.revision(),
        }
    }
}

impl Project {
    pub(super) fn new(name: &str, events: broadcast::Sender<Event>) -> Self {
        Project {
            name: name.into(),
            tapes: Tapes::default(),
            state: Mutex::default(),
            events,
        }
    }

    /// What a panic leaves behind is whole: a document changes only by plans that cannot fail.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what takes no longer than an answer.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Document, &History) -> T) -> T {
        let state = self.state();
        read(&state.document, &state.history)
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot::of(&self.state())
    }

    /// Changes the project by what takes no longer than an answer: condition, check, apply, publish.
    ///
    /// `decide` checks against the document as it is, and may refuse; `answer` sees the document as it is then.
    pub(super) fn change<X, T>(
        &self,
        origin: &Origin,
        expected_revision: Option<u64>,
        decide: impl FnOnce(&Document) -> Result<(Step, X), Refusal>,
        answer: impl FnOnce(&Document, &Done, X) -> T,
    ) -> Result<T, Refusal> {
        let mut state = self.state();
        check_revision(&state.history, expected_revision)?;
        let (step, decided) = decide(&state.document)?;
        let done = self.commit(&mut state, origin, step)?;
        Ok(answer(&state.document, &done, decided))
    }

    /// As [`change`](Self::change), for what may take long: `decide` works on a snapshot, so that nobody waits for it.
    ///
    /// What was decided holds at its revision only. Where others changed the project meanwhile, `decide` is asked
    /// again, and after some such turns under the lock, so that it ends however busy the others are.
    pub(super) fn change_apart<X, T>(
        &self,
        origin: &Origin,
        expected_revision: Option<u64>,
        mut decide: impl FnMut(&Document) -> Result<(Step, X), Refusal>,
        answer: impl FnOnce(&Document, &Done, X) -> T,
    ) -> Result<T, Refusal> {
        const TURNS: usize = 3;
        for _ in 0..TURNS {
            let snapshot = {
                let state = self.state();
                check_revision(&state.history, expected_revision)?;
                Snapshot::of(&state)
            };
            let (step, decided) = decide(&snapshot.document)?;
            let mut state = self.state();
            if state.history.revision() == snapshot.revision {
                // A function that nobody else holds is changed in place.
                drop(snapshot);
                let done = self.commit(&mut state, origin, step)?;
                return Ok(answer(&state.document, &done, decided));
            }
        }
        self.change(origin, expected_revision, decide, answer)
    }

    /// Applies and publishes a step that was decided at this state. Every change there is goes through here.
    fn commit(&self, state: &mut State, origin: &Origin, step: Step) -> Result<Done, Refusal> {
        let State { document, history } = state;
        let at = now();
        let change = match step {
            Step::Edit(checked, label) => {
                history.apply(document, *checked, label, origin.clone(), at)
            }
            Step::Undo => {
                history.undo(document, origin.clone(), at)?;
                Change::default()
            }
            Step::Redo => {
                history.redo(document, origin.clone(), at)?;
                Change::default()
            }
        };
        let entry = history.entries().last().expect("it was just written");
        let done = Done {
            revision: entry.revision,
            label: entry.label.clone(),
            change,
        };
        if self.events.receiver_count() > 0 {
            // Fails when the last listener has just gone.
            let _ = self.events.send(Event {
                project: self.name.clone(),
                revision: done.revision,
                entry: Arc::new(entry.clone()),
                change: done.change.clone(),
            });
        }
        Ok(done)
    }
}

/// Refuses a change that was meant for another revision, and tells what came since.
pub(super) fn check_revision(history: &History, expected: Option<u64>) -> Result<(), Refusal> {
    const SHOWN: usize = 10;
    let current = history.revision();
    let Some(expected) = expected.filter(|&expected| expected != current) else {
        return Ok(());
    };
    let refusal = |message: String| Refusal::new("revision_conflict", message);
    let Some(since) = history.entries().get(expected as usize..) else {
        let message =
            format!("revision {expected} was expected, but the project has only {current}");
        return Err(refusal(message)
            .hint("send the revision of your last answer, or leave expected_revision out")
            .details(json!({ "expected_revision": expected, "current_revision": current })));
    };
    let text = |entry: &crate::edit::Entry| {
        format!(
            "{} ({}, {})",
            entry.revision, entry.label, entry.origin.client
        )
    };
    let mut labels: Vec<String> = since.iter().rev().take(SHOWN).map(text).collect();
    labels.reverse();
    let more = match since.len() - labels.len() {
        0 => String::new(),
        more => format!("{more} earlier ones, "),
    };
    Err(refusal(format!(
        "the project is at revision {current}, not {expected}; since then: {more}{}",
        labels.join(", ")
    ))
    .hint("read what you rely on again, and send the call with expected_revision: the current one")
    .details(
        json!({ "expected_revision": expected, "current_revision": current, "since": labels }),
    ))
}

/// Milliseconds since 1970, UTC.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
