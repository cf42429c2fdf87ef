//! Access control for every request, whatever its route: host, origin, token and size.
//!
//! Host and origin are checked first, for the files of the page as well; the token and the body after that.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use fibula_service::Refusal;
use http_body_util::BodyExt;
use serde::Deserialize;
use subtle::ConstantTimeEq;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::bytes::BytesMut;
use tokio_util::sync::CancellationToken;

use super::clients::{Allowance, Clients, Peer, PermitOfRequest, Purpose};
use super::{api, refusal};
use crate::json_memory::{self, Costs};

/// Time until a large body has to arrive evenly.
const BODY_GRACE: Duration = Duration::from_secs(5);
/// Time after that until the end of a body.
const BODY_SPREAD: Duration = Duration::from_secs(25);

/// Maximum number of bytes of a rejected request's body that are read, so that the client sees the refusal and not a
/// broken connection.
const MAX_DRAIN_BYTES: usize = 1 << 20;

/// Bytes of memory of a permit.
const PERMIT_BYTES: usize = 64 << 10;
/// Number of permits for the memory of bodies.
pub(super) const MEMORY_PERMITS: usize = json_memory::MAX_TOTAL / PERMIT_BYTES;
/// Number of permits for the bytes of bodies.
pub(super) const BODY_PERMITS: usize = MAX_BODIES / PERMIT_BYTES;
/// Least estimate of a large request: as many as there are for it need a thread each.
const MIN_ESTIMATE: usize = json_memory::MAX_TOTAL / 64;
/// Time that a large request waits for memory.
const MEMORY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of bytes of all large bodies.
const MAX_BODIES: usize = 256 << 20;

/// Conditions on every request.
#[derive(Debug)]
pub(super) struct Guard {
    /// Names without ports.
    pub(super) hosts: Vec<String>,
    pub(super) port: u16,
    pub(super) token: Option<String>,
    pub(super) body_limit: usize,
    /// The clients, if they have limits.
    pub(super) clients: Option<Arc<Clients>>,
    /// Permits for the memory of the bodies that are worked on, each for [`PERMIT_BYTES`].
    pub(super) memory: Arc<Semaphore>,
    /// Permits for the bytes of the bodies that are read or worked on.
    pub(super) bodies: Arc<Semaphore>,
}

impl Guard {
    /// Returns the refusal of a request by its host and origin, if it is rejected.
    fn refusal_by_origin(&self, request: &Request) -> Option<Refusal> {
        let headers = request.headers();
        let twice = |name| headers.get_all(name).iter().nth(1).is_some();
        if twice(header::HOST) || twice(header::ORIGIN) {
            let text = "Host and Origin may occur only once";
            return Some(Refusal::new("bad_request", text));
        }
        let host = headers.get(header::HOST);
        let host = host.map(|host| host.to_str().unwrap_or_default());
        // A target in absolute form takes precedence over Host (RFC 9112, section 3.2.2); both have to be right.
        let target = request.uri().authority().map(Authority::as_str);
        let mut hosts = host.into_iter().chain(target).peekable();
        if hosts.peek().is_none() || !hosts.all(|host| self.is_own_host(host)) {
            let refusal = Refusal::new("forbidden", "this server does not serve this Host");
            return Some(refusal.hint("`fibula serve --host NAME` adds a name"));
        }
        let origin = headers.get(header::ORIGIN).map(HeaderValue::to_str);
        if origin.is_some_and(|origin| !origin.is_ok_and(|origin| self.is_own_origin(origin))) {
            let text = "pages of this Origin may not use the server";
            return Some(Refusal::new("forbidden", text));
        }
        None
    }

    /// Returns the refusal of a request by its token, if it is rejected.
    fn refusal_by_token(&self, request: &Request) -> Option<Refusal> {
        let token = self.token.as_ref()?;
        // The comparison takes the same time for tokens of the same length; the length is no secret.
        if bearer(request.headers())
            .is_some_and(|given| given.as_bytes().ct_eq(token.as_bytes()).into())
        {
            return None;
        }
        let text =
            "send Authorization: Bearer TOKEN, with the token that the server was started with";
        Some(Refusal::new("unauthorized", text))
    }

    /// Compares the name, which protects against DNS rebinding; the port may be that of a tunnel.
    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port),
            Some(_) | None => (host, "80"),
        };
        // `parse` alone accepts a sign.
        let is_port = port.bytes().all(|byte| byte.is_ascii_digit()) && port.parse::<u16>().is_ok();
        is_port && self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    fn is_own_origin(&self, origin: &str) -> bool {
        let port = format!(":{}", self.port);
        origin
            .strip_prefix("http://")
            .is_some_and(|host| self.is_own_host(host) && host.ends_with(&port))
    }
}

/// Passes a request on, or rejects it by its host or origin.
pub(super) async fn check_origin(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    match guard.refusal_by_origin(&request) {
        Some(refusal) => reject(request, &refusal).await,
        None => next.run(request).await,
    }
}

/// Passes a request on with its whole body, or rejects it by its token or body.
pub(super) async fn check_token(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let peer = request.extensions().get::<Peer>().copied();
    let limited = guard.clients.clone().zip(peer);
    let allowance = limited.map(|(clients, peer)| Allowance { clients, peer });
    // Whoever tries tokens is limited, too.
    if let Some(Err(refusal)) = allowance.as_ref().map(Allowance::take) {
        return reject(request, &refusal).await;
    }
    if let Some(refusal) = guard.refusal_by_token(&request) {
        return reject(request, &refusal).await;
    }
    // A body of GET means nothing; left unread, it resets the connection while a long answer is on its way.
    let write = refusal::write(request.uri().path());
    let (mut parts, body) = request.into_parts();
    let drain = guard.body_limit.saturating_mul(4);
    let body = read(body, guard.body_limit, drain, Some(&guard.bodies)).await;
    let estimate = match &body {
        Ok((bytes, _)) if bytes.len() > json_memory::SMALL => estimate(&parts, bytes),
        Ok((bytes, _)) => bytes.len(),
        Err(_) => 0,
    };
    // A body that does not arrive is no call.
    let begin = |allowance: &Allowance| {
        let purpose = body.as_ref().map(|(bytes, _)| purpose(&parts, bytes));
        allowance.begin(estimate, purpose.unwrap_or(Purpose::Work))
    };
    // Until the response begins; work that goes on holds it itself.
    let held = match allowance.as_ref().map(begin).transpose() {
        Ok(permit) => permit,
        Err(refusal) => return write(&refusal),
    };
    if let Some(allowance) = allowance {
        parts.extensions.insert(allowance);
        let permit = held.as_ref().map(Arc::downgrade).unwrap_or_default();
        parts.extensions.insert(PermitOfRequest(permit));
    }
    match body {
        Ok((bytes, taken)) if bytes.len() > json_memory::SMALL => {
            if estimate > json_memory::MAX_MESSAGE {
                return write(&Refusal::new("too_large", json_memory::too_large(estimate)));
            }
            let request = Request::from_parts(parts, Body::from(bytes));
            run_large(&guard, request, next, estimate, taken).await
        }
        Ok((bytes, _)) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Err(refusal) => write(&refusal),
    }
}

/// Determines what a request is for.
fn purpose(head: &Parts, message: &[u8]) -> Purpose {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    /// Messages about earlier work are short.
    const MAX_BYTES: usize = 4 << 10;
    const METHODS: [&str; 3] = ["notifications/cancelled", "tasks/cancel", "tasks/get"];
    let path = head.uri.path();
    let is_mcp = path == "/mcp" || path.starts_with("/mcp/");
    if !is_mcp || message.len() > MAX_BYTES || !message.trim_ascii_start().starts_with(b"{") {
        return Purpose::Work;
    }
    match serde_json::from_slice::<Message>(message) {
        Ok(message) if METHODS.contains(&&*message.method) => Purpose::EarlierWork,
        _ => Purpose::Work,
    }
}

/// Number of permits for some bytes; at most all that there are.
fn permits_for(bytes: usize, all: usize) -> u32 {
    let permits = bytes.div_ceil(PERMIT_BYTES).min(all);
    u32::try_from(permits).unwrap_or(u32::MAX)
}

/// Estimates the memory that a body takes.
fn estimate(head: &Parts, body: &[u8]) -> usize {
    let media = head.headers.get(header::CONTENT_TYPE);
    let is_json = media
        .and_then(|media| media.to_str().ok())
        .is_some_and(|media| media.to_ascii_lowercase().contains("json"));
    if !is_json {
        body.len()
    } else if api::has(head.uri.path()) {
        Costs::VALUES.estimate(body)
    } else {
        Costs::MESSAGE.estimate(body)
    }
}

/// Passes a request on as soon as there is memory for its large body, which is taken until the response begins. The body is
/// parsed on a thread that may block.
async fn run_large(
    guard: &Guard,
    request: Request,
    next: Next,
    estimate: usize,
    body: Option<OwnedSemaphorePermit>,
) -> Response {
    let write = refusal::write(request.uri().path());
    let permits = permits_for(estimate.max(MIN_ESTIMATE), MEMORY_PERMITS);
    let taken = guard.memory.clone().acquire_many_owned(permits);
    let Ok(Ok(taken)) = timeout(MEMORY_TIMEOUT, taken).await else {
        let text = "other large requests are worked on";
        return write(&Refusal::new("cancelled", text).hint("send it again later"));
    };
    let gone = CancellationToken::new();
    let _cancel = gone.clone().drop_guard();
    let runtime = Handle::current();
    let running = tokio::task::spawn_blocking(move || {
        // Held until the work ends, which may be after its client has gone.
        let _taken = (taken, body);
        runtime.block_on(gone.run_until_cancelled(next.run(request)))
    });
    match running.await {
        Ok(Some(response)) => response,
        Err(error) if error.is_panic() => write(&api::job::broken_off()),
        Ok(None) | Err(_) => write(&Refusal::new("cancelled", "the server is stopping")),
    }
}

/// Answers with a refusal, after the body was read and discarded under the same timeout.
async fn reject(request: Request, refusal: &Refusal) -> Response {
    let write = refusal::write(request.uri().path());
    let _ = read(request.into_body(), 0, MAX_DRAIN_BYTES, None).await;
    write(refusal)
}

/// Reads a body of at most `limit` bytes, with the permits of a large one. A longer one is discarded up to `drain` bytes.
async fn read(
    mut body: Body,
    limit: usize,
    drain: usize,
    permits: Option<&Arc<Semaphore>>,
) -> Result<(Bytes, Option<OwnedSemaphorePermit>), Refusal> {
    let too_long = || {
        let text = format!("the body exceeds {limit} bytes");
        let hint = "send less at once; `fibula import` reads larger files";
        Err(Refusal::new("too_large", text).hint(hint))
    };
    let (mut all, mut received) = (BytesMut::new(), 0_usize);
    let mut begun = Instant::now();
    let mut taken: Option<OwnedSemaphorePermit> = None;
    let announced = body.size_hint().exact();
    let announced = announced.map(|size| usize::try_from(size).unwrap_or(usize::MAX));
    loop {
        // The permits of a large body are taken at once, so that no two bodies wait for each other.
        let size = announced.unwrap_or(if received > json_memory::SMALL {
            limit
        } else {
            0
        });
        let is_large = (json_memory::SMALL + 1..=limit).contains(&size);
        if let Some(permits) = permits.filter(|_| is_large && taken.is_none()) {
            let needed = permits_for(size, BODY_PERMITS);
            let needed = permits.clone().acquire_many_owned(needed);
            let Ok(Ok(needed)) = timeout_at(begun + BODY_GRACE + BODY_SPREAD, needed).await else {
                let text = "other large bodies are worked on";
                return Err(Refusal::new("slow_body", text).hint("send it again later"));
            };
            taken = Some(needed);
            if announced.is_some() {
                begun = Instant::now();
            }
        }
        // A large body that is announced has to arrive evenly, since others wait for its permits.
        let share = match announced {
            Some(size) if taken.is_some() => received as f64 / size as f64,
            Some(_) | None => 1.0,
        };
        let deadline = begun + BODY_GRACE + BODY_SPREAD.mul_f64(share.min(1.0));
        match timeout_at(deadline, body.frame()).await {
            Err(_) => return Err(Refusal::new("slow_body", "the body arrived too slowly")),
            Ok(Some(Err(_))) => return Err(Refusal::new("broken_body", "the body ended early")),
            Ok(None) if received > limit => return too_long(),
            Ok(None) => return Ok((all.freeze(), taken)),
            Ok(Some(Ok(frame))) => {
                let Some(data) = frame.data_ref() else {
                    continue;
                };
                received += data.len();
                if received <= limit {
                    all.extend_from_slice(data);
                } else if received > drain {
                    return too_long();
                } else {
                    all = BytesMut::new();
                }
            }
        }
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (kind, token) = headers
        .get(header::AUTHORIZATION)?
        .to_str()
        .ok()?
        .split_once(' ')?;
    kind.eq_ignore_ascii_case("bearer").then(|| token.trim())
}
