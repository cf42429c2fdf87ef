//! Progress of requests that name themselves, as server-sent events.
//!
//! A request with the header `X-Fibula-Request` can be followed at `/api/progress/{request}` under this name, before it
//! arrives as well as while it runs. Its own answer has no other form: files stay files. To cancel it, its caller closes
//! the connection.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, header};
use axum::response::{IntoResponse, Response};
use fibula_service::Refusal;
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio_util::sync::CancellationToken;

use super::{Api, MAX_STREAMS};

/// Header with the name of the request.
const HEADER: &str = "x-fibula-request";

/// Maximum length of a name.
const MAX_NAME_CHARS: usize = 64;

/// Minimum time between two events.
const PERIOD: Duration = Duration::from_millis(100);

/// Maximum time without a frame.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Description of the route in OpenAPI.
pub(super) const DESCRIPTION: &str = "\
Follows the request that was sent, or will be sent, with the header `X-Fibula-Request: NAME`: 1 to 64 letters, digits, `-` \
and `_`, chosen by its caller. Each event `progress` has its amount of work done and in total, at most ten a second; \
`end` is the last one. Renders, slices, measurements, meshes and exports report progress. To cancel a request, close \
its connection.";

/// A name of a request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "its fields are read by name")]
pub(super) struct Follow {
    /// The name that the request has in its header `X-Fibula-Request`.
    request: String,
}

/// Amount of work of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct WorkDone {
    /// Work done, in the unit of `total`.
    done: u64,
    /// All work; it may grow.
    total: u64,
}

/// State of a request that is followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// It has not arrived.
    #[default]
    Awaited,
    Running(WorkDone),
    Ended,
}

type Line = watch::Sender<Stage>;

/// Requests that have names, and those that are awaited, by name.
#[derive(Debug, Default)]
pub(super) struct Requests(Mutex<HashMap<String, Weak<Line>>>);

impl Requests {
    /// Returns the state of a name, which lives as long as somebody holds it.
    fn line(&self, name: &str) -> Arc<Line> {
        let mut lines = self.lines();
        lines.retain(|_, line| line.strong_count() > 0);
        if let Some(line) = lines.get(name).and_then(Weak::upgrade) {
            return line;
        }
        let line = Arc::new(Line::default());
        lines.insert(name.to_owned(), Arc::downgrade(&line));
        line
    }

    fn lines(&self) -> MutexGuard<'_, HashMap<String, Weak<Line>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins the request with these headers; `None` if it has no name.
    pub(super) fn begin(&self, head: &HeaderMap) -> Result<Option<Reporter>, Refusal> {
        let Some(name) = head.get(HEADER) else {
            return Ok(None);
        };
        let name = checked(&String::from_utf8_lossy(name.as_bytes()))?;
        let line = self.line(&name);
        let is_free = line.send_if_modified(|stage| {
            let is_free = !matches!(stage, Stage::Running(_));
            if is_free {
                *stage = Stage::Running(WorkDone::default());
            }
            is_free
        });
        if !is_free {
            let message = format!("a request with X-Fibula-Request: {name} is already running");
            return Err(Refusal::new("invalid_value", message)
                .hint("give every request a name of its own, such as a random one"));
        }
        Ok(Some(Reporter(Arc::new(Running(line)))))
    }
}

/// Returns a name if it is one.
fn checked(name: &str) -> Result<String, Refusal> {
    let is_name = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    if (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(is_name) {
        return Ok(name.to_owned());
    }
    let message = format!(
        "'{}' is no name of a request",
        super::faults::cut(name, MAX_NAME_CHARS)
    );
    Err(Refusal::new("invalid_value", message)
        .hint("send 1 to 64 letters, digits, - and _ as X-Fibula-Request"))
}

/// Reports the progress of a request, and its end when the last copy is dropped.
#[derive(Debug, Clone)]
pub(super) struct Reporter(Arc<Running>);

#[derive(Debug)]
struct Running(Arc<Line>);

impl Reporter {
    pub(super) fn report(&self, done: u64, total: u64) {
        let Reporter(running) = self;
        let work = WorkDone { done, total };
        running.0.send_replace(Stage::Running(work));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.send_replace(Stage::Ended);
    }
}

/// State of an open stream.
struct ProgressStream {
    seen: watch::Receiver<Stage>,
    /// Keeps the name while the request is awaited.
    _line: Arc<Line>,
    is_opened: bool,
    is_ended: bool,
    stop: CancellationToken,
    _slot: OwnedSemaphorePermit,
}

/// Opens a stream.
pub(super) fn stream(api: &Api, parameters: &Map<String, Value>) -> Result<Response, Refusal> {
    let slot = api.streams.clone().try_acquire_owned().map_err(|_| {
        let message = format!("{MAX_STREAMS} event streams are open, which is the limit");
        Refusal::new("too_many_streams", message).hint("close one, or try again later")
    })?;
    let name = parameters.get("request").and_then(Value::as_str);
    let line = api.requests.line(&checked(name.unwrap_or_default())?);
    let mut seen = line.subscribe();
    seen.mark_changed();
    let state = ProgressStream {
        seen,
        _line: line,
        is_opened: false,
        is_ended: false,
        stop: api.stop.clone(),
        _slot: slot,
    };
    let frames = stream::unfold(state, |mut state| async {
        let text = state.next().await?;
        Some((Ok::<_, Infallible>(Bytes::from(text)), state))
    });
    let head = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((head, Body::from_stream(frames)).into_response())
}

impl ProgressStream {
    /// Returns the next frame; `None` after the end.
    async fn next(&mut self) -> Option<String> {
        if !self.is_opened {
            self.is_opened = true;
            return Some(": progress of a request\n\n".to_owned());
        }
        if self.is_ended {
            return None;
        }
        loop {
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return None,
                changed = self.seen.changed() => changed.ok()?,
                () = tokio::time::sleep(KEEP_ALIVE) => return Some(":\n\n".to_owned()),
            }
            let stage = *self.seen.borrow_and_update();
            match stage {
                Stage::Awaited => {}
                Stage::Running(work) => {
                    tokio::time::sleep(PERIOD).await;
                    return Some(frame("progress", &work));
                }
                Stage::Ended => {
                    self.is_ended = true;
                    return Some(frame("end", &Map::new()));
                }
            }
        }
    }
}

fn frame(event: &str, data: &impl Serialize) -> String {
    let data = serde_json::to_string(data).unwrap_or_default();
    format!("event: {event}\ndata: {data}\n\n")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn named(name: &str) -> HeaderMap {
        let value = HeaderValue::from_bytes(name.as_bytes()).expect("a header's value");
        HeaderMap::from_iter([(HeaderName::from_static(HEADER), value)])
    }

    #[test]
    fn a_named_request_has_a_state_until_it_ends() {
        let requests = Requests::default();
        assert!(
            requests
                .begin(&HeaderMap::new())
                .expect("no name")
                .is_none()
        );
        let awaited = requests.line("a");
        assert_eq!(*awaited.borrow(), Stage::Awaited);
        let reporter = requests.begin(&named("a")).expect("free").expect("named");
        reporter.report(3, 8);
        assert_eq!(
            *awaited.borrow(),
            Stage::Running(WorkDone { done: 3, total: 8 })
        );
        let taken = requests.begin(&named("a")).expect_err("it is running");
        assert_eq!(taken.code, "invalid_value");
        drop(reporter);
        assert_eq!(*awaited.borrow(), Stage::Ended);
        drop(awaited);
        assert_eq!(*requests.line("a").borrow(), Stage::Awaited);
        assert_eq!(
            requests.lines().len(),
            1,
            "names that nobody holds are dropped"
        );
    }

    #[test]
    fn names_are_short_and_plain() {
        let requests = Requests::default();
        let is_name = |name: &str| requests.begin(&named(name)).is_ok();
        assert!(is_name("Export-3_a"));
        assert!(is_name(&"x".repeat(64)));
        for name in ["", "a b", "a/b", "ä", &"x".repeat(65)] {
            assert!(!is_name(name), "{name}");
        }
    }
}
