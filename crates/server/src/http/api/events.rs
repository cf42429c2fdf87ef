//! Server-sent events: changes as they happen, and replay of missed ones.
//!
//! A stream reads the log at the pace of its client, so a slow one delays nobody and misses nothing.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use fibula_service::{Event, Events, Refusal};
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::{Api, MAX_STREAMS};

/// Description of the route in OpenAPI.
pub(super) const DESCRIPTION: &str = "\
Each event `change` has the id PROJECT:REVISION and, as its data, one change. The header `Last-Event-ID`, which \
browsers send when they reconnect, or `after` replays the changes after that event. If they are no longer in the log, \
one event `resync` is sent instead: read the current state; the stream then continues. An edit of more than 64 KB is \
left out, with `truncated: true`. An event `projects`, without an id, is sent when any project was created, renamed, \
deleted or restored; it is not replayed. A comment is sent on connection, and after every 15 seconds without an event.";

/// Maximum time without a frame.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Size of a change in JSON above which its edit is left out.
const MAX_EDIT_BYTES: usize = 64 << 10;

/// First frame of every stream: a comment, and the reconnection time of browsers in milliseconds.
const OPENING: &str = ": changes of Fibula\nretry: 1000\n\n";

/// Frame about a change of the list of projects.
const PROJECTS: &str = "event: projects\ndata: {}\n\n";

/// Header with the id of the last event that a browser received.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Filter of events.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "its fields are read by name")]
pub(super) struct Listen {
    /// Only changes of this project.
    project: Option<String>,
    /// Id of an event; the changes after it are replayed.
    after: Option<String>,
}

/// A change, as it is sent.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Change {
    /// The project's name.
    project: String,
    /// The revision after the change.
    revision: u64,
    /// Time in milliseconds since 1970, UTC.
    at: u64,
    /// Author of the change.
    origin: ChangeOrigin,
    /// Description of the change.
    label: String,
    /// Effect on earlier changes.
    turn: ChangeTurn,
    /// The facts of the change, in the form of edits that can be sent again; applying them twice is harmless. Null if
    /// they are too long or no longer in the log: read the current state.
    edit: Option<Map<String, Value>>,
    /// true if the edit was too long; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

/// Author of a change.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
struct ChangeOrigin {
    kind: ChangeCaller,
    client: String,
    tool: String,
}

#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum ChangeCaller {
    Agent,
    Person,
    Program,
}

/// A new edit, or the changes that were undone or redone.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum ChangeTurn {
    Edit,
    Undo(u64),
    Redo(u64),
    Checkpoint(String),
}

/// A change without its edit, which was too long.
#[derive(Serialize)]
struct TruncatedEvent<'a> {
    #[serde(flatten)]
    event: &'a Event,
    truncated: bool,
}

/// State of an open stream.
struct EventStream {
    events: Events,
    /// First frame, until it is sent.
    opening: Option<String>,
    stop: CancellationToken,
    _slot: OwnedSemaphorePermit,
}

/// Opens a stream.
pub(super) fn stream(
    api: &Api,
    head: &HeaderMap,
    parameters: &Map<String, Value>,
) -> Result<Response, Refusal> {
    let slot = api.streams.clone().try_acquire_owned().map_err(|_| {
        let message = format!("{MAX_STREAMS} event streams are open, which is the limit");
        Refusal::new("too_many_streams", message).hint("close one, or try again later")
    })?;
    let text = |name: &str| parameters.get(name).and_then(Value::as_str);
    let project = text("project");
    let seen = head.get(LAST_EVENT_ID).filter(|seen| !seen.is_empty());
    // Browsers send UTF-8; other bytes are the id of no event.
    let seen = seen.map(|seen| String::from_utf8_lossy(seen.as_bytes()));
    let after = seen.as_deref().or_else(|| text("after"));
    let mut opening = OPENING.to_owned();
    let events = match api.service.events(project, after) {
        Ok(events) => events,
        // A browser does not reconnect after a refusal, so an id that is no longer valid is answered with `resync`.
        Err(refusal)
            if refusal.code == "unknown_event"
                || (seen.is_some() && refusal.code == "invalid_value") =>
        {
            // The stream begins before the client reads the state, so no change is missed.
            let events = api.service.events(project, None)?;
            let data =
                json!({ "code": refusal.code, "message": refusal.message, "hint": refusal.hint });
            opening = format!("{OPENING}event: resync\ndata: {data}\n\n");
            events
        }
        Err(refusal) => return Err(refusal),
    };
    let stream_state = EventStream {
        events,
        opening: Some(opening),
        stop: api.stop.clone(),
        _slot: slot,
    };
    let frames = stream::unfold(stream_state, |mut stream_state| async {
        let text = stream_state.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), stream_state))
    });
    let head = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((head, Body::from_stream(frames)).into_response())
}

impl EventStream {
    /// Returns the next frames; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        if let Some(opening) = self.opening.take() {
            return Some(opening);
        }
        let event = tokio::select! {
            biased;
            () = self.stop.cancelled() => return None,
            event = next(&mut self.events) => event,
            () = tokio::time::sleep(KEEP_ALIVE) => return Some(":\n\n".to_owned()),
        };
        let mut text = match event {
            Ok(Some(event)) => frame(event),
            Ok(None) => return Some(PROJECTS.to_owned()),
            Err(refusal) => {
                // The client reconnects with the id of its last event.
                tracing::error!(%refusal, "an event stream failed");
                return None;
            }
        };
        // Appends events that are ready. An error occurs again in the next call.
        while text.len() < MAX_EDIT_BYTES
            && let Ok(Some(event)) = self.events.ready()
        {
            text.push_str(&frame(event));
        }
        Some(text)
    }
}

/// Waits for the next event; `None` if the list of projects changed.
async fn next(events: &mut Events) -> Result<Option<Event>, Refusal> {
    loop {
        if let Some(event) = events.ready()? {
            return Ok(Some(event));
        }
        if events.projects_changed()? {
            return Ok(None);
        }
        events.changed().await?;
    }
}

/// Formats an event.
fn frame(event: Event) -> String {
    // Names have no line breaks; one here would end the field.
    let id = event.id().replace(['\r', '\n', '\0'], "");
    format!("id: {id}\nevent: change\ndata: {}\n\n", data(event))
}

fn data(mut event: Event) -> String {
    let mut short = BoundedWriter(Vec::new());
    if serde_json::to_writer(&mut short, &event).is_ok() {
        return String::from_utf8_lossy(&short.0).into_owned();
    }
    event.edit = None;
    let cut = TruncatedEvent {
        event: &event,
        truncated: true,
    };
    serde_json::to_string(&cut).unwrap_or_default()
}

/// Writer that fails beyond a limit, so that large changes are not serialised for every client.
struct BoundedWriter(Vec<u8>);

impl io::Write for BoundedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_EDIT_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
