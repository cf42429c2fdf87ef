//! MCP over streamable HTTP: routes such as `/mcp`, to be mounted beside others.
//!
//! Fibula's own server has no sessions with a state, so nothing is lost when it restarts and nothing accumulates.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use rmcp::ServerHandler;
use rmcp::model::{ErrorData, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use tokio_util::sync::CancellationToken;

use super::parse_errors::diagnose;
use super::{batches, views};
use crate::http::Allowance;
use crate::request_id;

/// Settings of a route.
#[derive(Debug, Clone)]
pub struct Options {
    /// Names of this server in `Host`, without ports.
    pub hosts: Vec<String>,
    /// Origins of pages that may call it, with ports.
    pub origins: Vec<String>,
    /// Maximum size of a message in bytes.
    pub body_limit: usize,
    /// State between the requests of a client.
    pub sessions: Sessions,
    /// Cancelled to end open streams.
    pub stop: CancellationToken,
}

/// Sessions of clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sessions {
    /// No sessions: every request is independent.
    None,
    /// A session per client of a version before 2026-07-28; later ones have none. A handler that sends requests to its
    /// client needs them to receive the replies.
    Legacy,
}

/// Returns a route such as `/mcp` for any handler, which is cloned for each request.
pub fn routes<H: ServerHandler + Clone>(path: &str, handler: H, options: Options) -> Router {
    let Options {
        hosts,
        origins,
        body_limit,
        sessions,
        stop,
    } = options;
    let bare = |host: &String| host.trim_matches(['[', ']']).to_owned();
    let hosts = hosts.iter().map(bare);
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(sessions == Sessions::Legacy)
        .with_json_response(true)
        .with_max_request_body_bytes(body_limit)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_cancellation_token(stop);
    // It stays empty without sessions.
    let manager = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(handler.clone()), manager, config);
    let read = move |request: Request, next: Next| readable(request, next, body_limit, sessions);
    Router::new()
        .route_service(path, service)
        .layer(middleware::from_fn(read))
}

/// Replaces `Accept: */*`, which is true of both types that the transport wants to see.
fn expand_wildcard(headers: &mut HeaderMap) {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut ranges = accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|range| range.split(';').next().unwrap_or_default().trim());
    if ranges.any(|range| range == "*/*") {
        let both = HeaderValue::from_static("application/json, text/event-stream");
        headers.insert(header::ACCEPT, both);
    }
}

/// Names the method of a notification in its header (SEP-2243), which the official TypeScript client leaves out when it ends a
/// subscription: rmcp would refuse it.
fn name_method(headers: &mut HeaderMap, message: &[u8]) {
    #[derive(Deserialize)]
    struct Message {
        method: String,
        id: Option<IgnoredAny>,
    }
    // Notifications of clients are short.
    const MAX_BYTES: usize = 4 << 10;
    const HEADER: &str = "mcp-method";
    if message.len() > MAX_BYTES || headers.contains_key(HEADER) {
        return;
    }
    let message = serde_json::from_slice::<Message>(message).ok();
    let method = message.filter(|message| message.id.is_none());
    if let Some(Ok(method)) = method.map(|message| HeaderValue::try_from(message.method)) {
        headers.insert(HEADER, method);
    }
}

/// Answers malformed messages with a JSON-RPC error, where rmcp has only a status.
async fn readable(mut request: Request, next: Next, limit: usize, sessions: Sessions) -> Response {
    expand_wildcard(request.headers_mut());
    let is_json = |request: &Request| {
        let kind = request.headers().get(header::CONTENT_TYPE)?.to_str().ok()?;
        let kind = kind.split(';').next()?.trim();
        Some(kind.eq_ignore_ascii_case("application/json"))
    };
    if is_json(&request) != Some(true) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Ok(bytes) = to_bytes(body, limit).await else {
        let message = "the body is too long, or ended early";
        return (StatusCode::PAYLOAD_TOO_LARGE, message).into_response();
    };
    if batches::is_batch(&bytes) && has_batches(&parts.headers) {
        return answer_batch(parts, &bytes, next).await;
    }
    name_method(&mut parts.headers, &bytes);
    let shows_views = sessions == Sessions::None && views::is_declared_by(&bytes);
    let request = request_id::get(&parts.headers).to_owned();
    let mut answer = answer_message(parts, bytes, next).await;
    if shows_views && answer.status().is_success() {
        views::open_session(answer.headers_mut(), &request);
    }
    answer
}

/// Handles a message; answers a malformed one with a JSON-RPC error.
async fn answer_message(parts: Parts, bytes: Bytes, next: Next) -> Response {
    let whole = Request::from_parts(parts, Body::from(bytes.clone()));
    let answer = next.run(whole).await;
    if answer.status() != StatusCode::UNSUPPORTED_MEDIA_TYPE {
        return answer;
    }
    let (id, error) = diagnose(&bytes);
    json(
        StatusCode::BAD_REQUEST,
        &ServerJsonRpcMessage::error(error, id),
    )
}

pub(super) fn json(status: StatusCode, content: &impl Serialize) -> Response {
    let text = serde_json::to_vec(content).unwrap_or_default();
    (status, [(header::CONTENT_TYPE, "application/json")], text).into_response()
}

/// True if a client speaks a version of MCP that has batches: the last one whose clients did not name it.
fn has_batches(headers: &HeaderMap) -> bool {
    let version = headers.get("mcp-protocol-version");
    version.is_none_or(|version| version == batches::VERSION)
}

fn encode(error: &ServerJsonRpcMessage) -> Box<RawValue> {
    to_raw_value(error).expect("an error is JSON")
}

/// Handles the messages of a batch one after the other, and answers the requests among them in one array.
async fn answer_batch(parts: Parts, bytes: &[u8], next: Next) -> Response {
    let messages = match batches::split(bytes) {
        Ok(messages) => messages,
        Err(error) => {
            let error = ServerJsonRpcMessage::error(error, None);
            return json(StatusCode::BAD_REQUEST, &error);
        }
    };
    let mut answers: Vec<Box<RawValue>> = Vec::new();
    let allowance = parts.extensions.get::<Allowance>();
    for (number, message) in messages.into_iter().enumerate() {
        // The first one is that of the request.
        let refused = allowance
            .filter(|_| number > 0)
            .and_then(|allowance| allowance.take().err());
        if let Some(refusal) = refused {
            let id = diagnose(message.get().as_bytes()).0;
            let error = ErrorData::invalid_request(refusal.to_string(), None);
            answers.push(encode(&ServerJsonRpcMessage::error(error, id)));
            continue;
        }
        let mut head = parts.clone();
        head.headers.remove(header::CONTENT_LENGTH);
        let text = Bytes::from(message.get().to_owned());
        let answer = answer_message(head, text, next.clone()).await;
        if answer.status() == StatusCode::ACCEPTED {
            continue;
        }
        let content = to_bytes(answer.into_body(), usize::MAX).await;
        let content = content.unwrap_or_default();
        answers.push(serde_json::from_slice(&content).unwrap_or_else(|_| {
            // The transport refuses in words.
            let id = diagnose(message.get().as_bytes()).0;
            let words = String::from_utf8_lossy(&content).into_owned();
            let error = ErrorData::invalid_request(words, None);
            encode(&ServerJsonRpcMessage::error(error, id))
        }));
    }
    if answers.is_empty() {
        return StatusCode::ACCEPTED.into_response();
    }
    json(StatusCode::OK, &answers)
}
