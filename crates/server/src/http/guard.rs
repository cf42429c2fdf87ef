//! Who may use the server: host, origin, token and size of every request, whatever its route.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use fibula_service::Refusal;
use http_body_util::BodyExt;
use subtle::ConstantTimeEq;
use tokio::time::{Instant, timeout_at};
use tokio_util::bytes::BytesMut;

use super::refusal;

/// How long a body may take to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much of a refused request's body is read, so that its sender sees the refusal and not a broken connection.
const DRAIN: usize = 1 << 20;

/// What every request must be.
#[derive(Debug)]
pub(super) struct Guard {
    /// Without ports.
    hosts: Vec<String>,
    port: u16,
    token: Option<String>,
    body_limit: usize,
}

impl Guard {
    pub(super) fn new(
        hosts: Vec<String>,
        port: u16,
        token: Option<String>,
        body_limit: usize,
    ) -> Self {
        Guard {
            hosts,
            port,
            token,
            body_limit,
        }
    }

    /// The refusal of a request, by its head alone.
    fn refusal(&self, request: &Request) -> Option<Refusal> {
        let headers = request.headers();
        let twice = |name| headers.get_all(name).iter().nth(1).is_some();
        if twice(header::HOST) || twice(header::ORIGIN) {
            let text = "Host and Origin may be given once";
            return Some(Refusal::new("bad_request", text));
        }
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let host = host.or_else(|| request.uri().authority().map(Authority::as_str));
        if !host.is_some_and(|host| self.is_own_host(host)) {
            let refusal = Refusal::new("forbidden", "this Host is not served here");
            return Some(refusal.hint("`fibula serve --host NAME` serves another name"));
        }
        let origin = headers.get(header::ORIGIN).map(HeaderValue::to_str);
        if origin.is_some_and(|origin| !origin.is_ok_and(|origin| self.is_own_origin(origin))) {
            let text = "pages of this Origin may not use the server";
            return Some(Refusal::new("forbidden", text));
        }
        let token = self.token.as_ref()?;
        // The length of a secret is no secret.
        if bearer(headers).is_some_and(|given| given.as_bytes().ct_eq(token.as_bytes()).into()) {
            return None;
        }
        let text =
            "send Authorization: Bearer TOKEN, with the token that the server was started with";
        Some(Refusal::new("unauthorized", text))
    }

    /// The name is what stops a page that was given our address for its own name; the port may be a tunnel's.
    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            Some(_) | None => (host, Some(80_u16)),
        };
        port.is_some() && self.hosts.iter().any(|own| own.eq_ignore_ascii_case(name))
    }

    fn is_own_origin(&self, origin: &str) -> bool {
        let port = format!(":{}", self.port);
        origin
            .strip_prefix("http://")
            .is_some_and(|host| self.is_own_host(host) && host.ends_with(&port))
    }
}

/// Lets a request through, with its whole body, or refuses it.
pub(super) async fn check(
    State(guard): State<Arc<Guard>>,
    request: Request,
    next: Next,
) -> Response {
    let write = refusal::write(request.uri().path());
    if let Some(refusal) = guard.refusal(&request) {
        // Its end is not waited for longer than that of others, and what it says does not matter.
        let _ = read(request.into_body(), 0, DRAIN).await;
        return write(&refusal);
    }
    if matches!(*request.method(), Method::GET | Method::HEAD) {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    match read(body, guard.body_limit, guard.body_limit.saturating_mul(4)).await {
        Ok(bytes) => {
            next.run(Request::from_parts(parts, Body::from(bytes)))
                .await
        }
        Err(refusal) => write(&refusal),
    }
}

/// The whole body of at most `limit` bytes. A longer one is read away up to `drain`.
async fn read(mut body: Body, limit: usize, drain: usize) -> Result<Bytes, Refusal> {
    let too_long = || {
        let text = format!("the body has more than {limit} bytes");
        Err(Refusal::new("too_large", text))
    };
    let (mut all, mut seen) = (BytesMut::new(), 0_usize);
    let deadline = Instant::now() + PATIENCE;
    loop {
        match timeout_at(deadline, body.frame()).await {
            Err(_) => return Err(Refusal::new("slow_body", "the body came too slowly")),
            Ok(Some(Err(_))) => return Err(Refusal::new("broken_body", "the body broke off")),
            Ok(None) if seen > limit => return too_long(),
            Ok(None) => return Ok(all.freeze()),
            Ok(Some(Ok(frame))) => {
                let Some(data) = frame.data_ref() else {
                    continue;
                };
                seen += data.len();
                if seen <= limit {
                    all.extend_from_slice(data);
                } else if seen > drain {
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
