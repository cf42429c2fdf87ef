//! The REST API under `/api`, for pages and scripts.
//!
//! Its routes are [operations]. [`fields`] reads a request from path, query and body; [`route`] calls
//! the operation; [`openapi`] generates the document of all routes. Refusals are JSON, including those of malformed
//! bodies and unknown paths and methods.

#![expect(
    clippy::doc_markdown,
    reason = "descriptions of fields appear unchanged in the document"
)]

mod faults;
mod fields;

mod progress;

mod caller;
mod download;
pub(super) mod job;
mod route;

mod events;
mod openapi;

use std::ops::Deref;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use fibula_service::{Refusal, Service};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::refusal;
use crate::metrics::Metrics;
use crate::operation::RouteSpec;
use crate::operations;
use crate::slots::Slots;
use route::Route;

pub use openapi::document;

/// Surface of the calls in metrics.
const SURFACE: &str = "rest";

/// Prefix of every path.
const ROOT: &str = "/api";

/// Returns true if a path is below the prefix, whether or not it has a route.
pub(super) fn has(path: &str) -> bool {
    let rest = path.strip_prefix(ROOT);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Maximum number of simultaneous streams of events.
const MAX_STREAMS: usize = 256;

/// State that the routes share.
#[derive(Clone)]
pub(super) struct Api(Arc<Shared>);

pub(super) struct Shared {
    service: Arc<Service>,
    /// True if writes are refused.
    read_only: bool,
    metrics: Arc<Metrics>,
    /// Slots for long work.
    slots: Arc<Slots>,
    /// Slots for work that may occasionally block a thread of the runtime for too long.
    short: Arc<Slots>,
    /// Permits for streams of events.
    streams: Arc<Semaphore>,
    /// Requests whose progress can be followed.
    requests: progress::Requests,
    /// Ends the streams.
    stop: CancellationToken,
}

impl Deref for Api {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// A request without fields.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Api {
    pub(super) fn new(
        service: Arc<Service>,
        metrics: Arc<Metrics>,
        read_only: bool,
        stop: CancellationToken,
    ) -> Self {
        const SHORT: usize = 16;
        let (slots, short) = (Slots::of_cores(), Slots::new(SHORT));
        metrics.observe(SURFACE, &slots);
        Api(Arc::new(Shared {
            service,
            metrics,
            read_only,
            slots,
            short,
            streams: Arc::new(Semaphore::new(MAX_STREAMS)),
            requests: progress::Requests::default(),
            stop,
        }))
    }

    /// Returns all routes, to be merged with others.
    pub(super) fn router(self) -> Router {
        let mut router = Router::new();
        for route in routes() {
            router = router.route(route.spec.path, route.serve());
        }
        router
            .method_not_allowed_fallback(not_allowed)
            .with_state(self)
    }
}

/// Returns every route.
fn routes() -> impl Iterator<Item = Route> {
    let groups = operations::groups().into_iter();
    let routes = groups.flat_map(|(group, operations)| {
        let operations = operations.into_iter();
        operations.filter_map(move |operation| Route::from_operation(group, operation))
    });
    routes.chain([events_route(), progress_route(), document_route()])
}

fn events_route() -> Route {
    let summary = "Streams every change as it is committed, as server-sent events";
    let spec = RouteSpec::new(Method::GET, "/api/events", "listen", summary);
    let description = events::DESCRIPTION;
    Route::events(
        RouteSpec {
            description,
            ..spec
        },
        "server",
    )
}

fn progress_route() -> Route {
    let summary = "Streams the progress of a request, as server-sent events";
    let path = "/api/progress/{request}";
    let spec = RouteSpec::new(Method::GET, path, "follow_progress", summary);
    let description = progress::DESCRIPTION;
    Route::progress(
        RouteSpec {
            description,
            ..spec
        },
        "server",
    )
}

fn document_route() -> Route {
    let path = "/api/openapi.json";
    let spec = RouteSpec::new(Method::GET, path, "get_openapi", "Returns this document");
    Route::document(spec, "server")
}

/// Returns the refusal of a path without a route.
pub(super) fn unknown(path: &str) -> Refusal {
    let message = format!("there is no route {}", faults::cut(path, 120));
    Refusal::new("unknown_route", message)
        .hint("GET /api/openapi.json describes every route under /api")
}

async fn not_allowed(request: Request) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let message = format!("{method} is not a method of {}", faults::cut(path, 120));
    let hint = "the header Allow lists the methods";
    refusal::json(&Refusal::new("method_not_allowed", message).hint(hint))
}
