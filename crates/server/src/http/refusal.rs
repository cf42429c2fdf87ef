//! Refusals over HTTP: status codes and bodies.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use fibula_service::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::api;

/// Error of a request. Nothing was changed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Refusal")]
pub(super) struct Refused<'a> {
    /// Always false.
    success: bool,
    /// Stable code, such as `revision_conflict`.
    code: &'a str,
    /// The fault and its location.
    message: &'a str,
    /// How to correct the request, if the message does not say so.
    hint: Option<&'a str>,
    /// Machine-readable details; null if there are none.
    details: &'a Value,
}

/// Returns the status of a code. No other place decides it.
pub(super) fn status(code: &str) -> StatusCode {
    match code {
        "bad_request" | "broken_body" | "invalid_arguments" | "invalid_cursor" | "invalid_json"
        | "invalid_path" => StatusCode::BAD_REQUEST,
        "unauthorized" => StatusCode::UNAUTHORIZED,
        "forbidden" | "forbidden_path" | "read_only" | "read_only_store" => StatusCode::FORBIDDEN,
        "method_not_allowed" => StatusCode::METHOD_NOT_ALLOWED,
        "slow_body" => StatusCode::REQUEST_TIMEOUT,
        "duplicate_id" | "in_the_way" | "in_use" | "revision_conflict" => StatusCode::CONFLICT,
        "too_large" => StatusCode::PAYLOAD_TOO_LARGE,
        "rate_limited" => StatusCode::TOO_MANY_REQUESTS,
        "unsupported_media_type" => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        // A retry does not help.
        "internal"
        | "damaged_store"
        | "newer_format"
        | "not_a_store"
        | "network_file_system"
        | "permission_denied" => StatusCode::INTERNAL_SERVER_ERROR,
        "cancelled" | "too_many_streams" => StatusCode::SERVICE_UNAVAILABLE,
        "disk_full" => StatusCode::INSUFFICIENT_STORAGE,
        _ if code.starts_with("store_") => StatusCode::SERVICE_UNAVAILABLE,
        // Names in a path or a query, not those in a body.
        "unknown_checkpoint" | "unknown_edge" | "unknown_event" | "unknown_function"
        | "unknown_node" | "unknown_parameter" | "unknown_project" | "unknown_resource"
        | "unknown_revision" | "unknown_route" => StatusCode::NOT_FOUND,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}

/// Converts a refusal to JSON, for routes under `/api`.
pub(super) fn json(refusal: &Refusal) -> Response {
    let refused = Refused {
        success: false,
        code: refusal.code,
        message: &refusal.message,
        hint: refusal.hint.as_deref(),
        details: &refusal.details,
    };
    with_head(refusal, Json(refused))
}

/// Returns the writer of refusals for a path.
pub(super) fn write(path: &str) -> fn(&Refusal) -> Response {
    if api::has(path) { json } else { text }
}

/// Converts a refusal to a line of text.
fn text(refusal: &Refusal) -> Response {
    with_head(refusal, format!("{refusal}\n"))
}

fn with_head(refusal: &Refusal, body: impl IntoResponse) -> Response {
    let status = status(refusal.code);
    let mut response = (status, body).into_response();
    let head = match status {
        StatusCode::UNAUTHORIZED => Some((header::WWW_AUTHENTICATE, "Bearer")),
        StatusCode::TOO_MANY_REQUESTS => Some((header::RETRY_AFTER, "1")),
        StatusCode::SERVICE_UNAVAILABLE => Some((header::RETRY_AFTER, "5")),
        _ => None,
    };
    if let Some((name, value)) = head {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sort_of_code_has_its_status() {
        for (code, expected) in [
            ("invalid_arguments", 400),
            ("unauthorized", 401),
            ("read_only_store", 403),
            ("unknown_project", 404),
            ("unknown_route", 404),
            ("method_not_allowed", 405),
            ("revision_conflict", 409),
            ("in_the_way", 409),
            ("too_large", 413),
            ("unsupported_media_type", 415),
            ("rate_limited", 429),
            ("type_mismatch", 422),
            ("cycle", 422),
            ("nothing_to_undo", 422),
            ("internal", 500),
            ("store_busy", 503),
            ("store_failed", 503),
            ("disk_full", 507),
        ] {
            assert_eq!(status(code).as_u16(), expected, "{code}");
        }
    }
}
