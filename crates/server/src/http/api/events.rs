//! Server-sent events: every change as it happens, and what was missed.
//!
//! A stream reads on in the log at the pace of its listener, so a slow one holds up nobody and misses nothing.

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

use super::{Api, MOST_STREAMS};

/// What the document says of the route.
pub(super) const ABOUT: &str = "\
Each event `change` has the id PROJECT:REVISION and, as its data, one change. A header `Last-Event-ID`, which browsers \
send when they connect again, or `after` replays what came after that event. If the log does not have it any more, \
there is one event `resync` instead: read the state anew; the stream goes on from then. An edit of more than 64 KB is \
left out, with `truncated: true`. A comment comes at once, and every 15 seconds in which nothing happens.";

/// How long a stream is silent at most.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A change whose JSON has more bytes is told without its edit.
const LONGEST: usize = 64 << 10;

/// What every stream begins with: a comment, and how many milliseconds a browser waits before it connects again.
const OPENING: &str = ": changes of Fibula\nretry: 1000\n\n";

/// Where a browser's own header says what it saw last.
const LAST: HeaderName = HeaderName::from_static("last-event-id");

/// Which events are wanted.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "its fields are read by name")]
pub(super) struct Listen {
    /// Only those of this project.
    project: Option<String>,
    /// The id of an event: what came after it is told first.
    after: Option<String>,
}

/// A change, as it is told.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct Change {
    /// The project's name.
    project: String,
    /// The project's revision after the change.
    revision: u64,
    /// When: milliseconds since 1970, UTC.
    at: u64,
    /// Who made it.
    origin: ChangeOrigin,
    /// What it did, in words.
    label: String,
    /// What it did to earlier changes.
    turn: ChangeTurn,
    /// What it did, as facts, in the form of the edits that can be sent; doing it twice does no harm. Null if it is too
    /// long or the log does not tell any more: read the state anew.
    edit: Option<Map<String, Value>>,
    /// true if the edit was too long; left out otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    truncated: Option<bool>,
}

/// Who made a change.
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

/// A new edit, or what was taken back.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
enum ChangeTurn {
    Edit,
    Undo(u64),
    Redo(u64),
    Checkpoint(String),
}

/// A change that was too long, without its edit.
#[derive(Serialize)]
struct Cut<'a> {
    #[serde(flatten)]
    event: &'a Event,
    truncated: bool,
}

/// One open stream.
struct Listening {
    events: Events,
    /// What is said before all else.
    opening: Option<String>,
    stop: CancellationToken,
    _slot: OwnedSemaphorePermit,
}

/// Opens a stream.
pub(super) fn stream(
    api: &Api,
    head: &HeaderMap,
    asked: &Map<String, Value>,
) -> Result<Response, Refusal> {
    let slot = api.streams.clone().try_acquire_owned().map_err(|_| {
        let message = format!("{MOST_STREAMS} streams of events are open, which is the most");
        Refusal::new("too_many_streams", message).hint("close one, or try again later")
    })?;
    let text = |name: &str| asked.get(name).and_then(Value::as_str);
    let project = text("project");
    let seen = head.get(LAST).filter(|seen| !seen.is_empty());
    // A browser sends the bytes of UTF-8; what is none is the id of no event.
    let seen = seen.map(|seen| String::from_utf8_lossy(seen.as_bytes()));
    let after = seen.as_deref().or_else(|| text("after"));
    let mut opening = OPENING.to_owned();
    let events = match api.service.events(project, after) {
        Ok(events) => events,
        // A browser that is refused for what it has itself kept would not come again.
        Err(refusal)
            if refusal.code == "unknown_event"
                || (seen.is_some() && refusal.code == "invalid_value") =>
        {
            // Told before the state is read anew, so nothing falls between.
            let events = api.service.events(project, None)?;
            let data =
                json!({ "code": refusal.code, "message": refusal.message, "hint": refusal.hint });
            opening = format!("{OPENING}event: resync\ndata: {data}\n\n");
            events
        }
        Err(refusal) => return Err(refusal),
    };
    let listening = Listening {
        events,
        opening: Some(opening),
        stop: api.stop.clone(),
        _slot: slot,
    };
    let frames = stream::unfold(listening, |mut listening| async {
        let text = listening.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), listening))
    });
    let head = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((head, Body::from_stream(frames)).into_response())
}

impl Listening {
    /// What is sent next; `None` at the end.
    async fn next(&mut self) -> Option<String> {
        if let Some(opening) = self.opening.take() {
            return Some(opening);
        }
        let event = tokio::select! {
            biased;
            () = self.stop.cancelled() => return None,
            event = self.events.next() => event,
            () = tokio::time::sleep(KEEP_ALIVE) => return Some(":\n\n".to_owned()),
        };
        let mut text = match event {
            Ok(event) => frame(event),
            Err(refusal) => {
                // Who listens connects again, from where it was.
                tracing::error!(%refusal, "a stream of events broke off");
                return None;
            }
        };
        // What is ready goes along. A mistake shows itself again in the next turn.
        while text.len() < LONGEST
            && let Ok(Some(event)) = self.events.ready()
        {
            text.push_str(&frame(event));
        }
        Some(text)
    }
}

/// An event as it is sent.
fn frame(event: Event) -> String {
    // A name has no line breaks; a break here would end the field.
    let id = event.id().replace(['\r', '\n', '\0'], "");
    format!("id: {id}\nevent: change\ndata: {}\n\n", data(event))
}

fn data(mut event: Event) -> String {
    let mut short = Short(Vec::new());
    if serde_json::to_writer(&mut short, &event).is_ok() {
        return String::from_utf8_lossy(&short.0).into_owned();
    }
    event.edit = None;
    let cut = Cut {
        event: &event,
        truncated: true,
    };
    serde_json::to_string(&cut).unwrap_or_default()
}

/// Text that does not become too long: a change of many megabytes is not written for every listener in vain.
struct Short(Vec<u8>);

impl io::Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
