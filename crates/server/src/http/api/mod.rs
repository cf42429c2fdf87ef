//! What a page and scripts call, under `/api`.
//!
//! Each route is declared once, in the file of its group: method, path, the service's own request and answer, and one
//! call. [`fields`] reads the request from path, query and body; [`route`] serves it; [`openapi`] writes the document
//! of all routes. Refusals are JSON, those of wrong bodies, paths and methods too.

#![expect(
    clippy::doc_markdown,
    reason = "readers of the document see what is said of fields, as it is"
)]

mod faults;
mod fields;

mod caller;
mod download;
mod job;
mod route;

mod events;
mod openapi;

mod edits;
mod files;
mod functions;
mod graph;
mod history;
mod nodes;
mod parts;
mod projects;

use std::ops::Deref;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use fibula_service::{ListNodeTypes, Refusal, Service};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::refusal;
use route::Route;

pub use openapi::document;

/// The path that all routes are under.
const ROOT: &str = "/api";

/// Whether a path is one of a route here, there or not.
pub(super) fn has(path: &str) -> bool {
    let rest = path.strip_prefix(ROOT);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The most streams of events at a time.
const MOST_STREAMS: usize = 256;

/// What the routes share.
#[derive(Clone)]
pub(super) struct Api(Arc<Shared>);

pub(super) struct Shared {
    service: Arc<Service>,
    /// Refuses every write.
    read_only: bool,
    /// Places for long work.
    slots: Arc<Semaphore>,
    /// Places for work that may be too long for the runtime's tasks to wait for, and seldom is.
    short: Arc<Semaphore>,
    /// Places for streams of events.
    streams: Arc<Semaphore>,
    /// Ends the streams.
    stop: CancellationToken,
}

impl Deref for Api {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// A request that says nothing beside its path.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Api {
    pub(super) fn new(service: Arc<Service>, read_only: bool, stop: CancellationToken) -> Self {
        const SHORT: usize = 16;
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Api(Arc::new(Shared {
            service,
            read_only,
            slots: Arc::new(Semaphore::new(cores.max(2))),
            short: Arc::new(Semaphore::new(SHORT)),
            streams: Arc::new(Semaphore::new(MOST_STREAMS)),
            stop,
        }))
    }

    /// All routes, to be merged with others.
    pub(super) fn router(self) -> Router {
        let mut router = Router::new();
        for route in routes() {
            router = router.route(route.path, route.serve());
        }
        router
            .method_not_allowed_fallback(not_allowed)
            .with_state(self)
    }
}

/// Every route.
fn routes() -> impl Iterator<Item = Route> {
    let groups = [
        ("projects", projects::routes()),
        ("history", history::routes()),
        ("functions", functions::routes()),
        ("nodes", nodes::routes()),
        ("edits", edits::routes()),
        ("graph", graph::routes()),
        ("parts", parts::routes()),
        ("files", files::routes()),
        ("server", server()),
    ];
    let named = |(group, routes): (&'static str, Vec<Route>)| {
        let routes = routes.into_iter();
        routes.map(move |route| route.of(group))
    };
    groups.into_iter().flat_map(named)
}

/// What belongs to no project.
fn server() -> Vec<Route> {
    vec![
        Route::quick(
            Method::GET,
            "/api/node-types",
            "list_node_types",
            "Finds kinds of nodes by words; a search that names one kind tells its ports, types and examples",
            |call, request: ListNodeTypes| call.service.list_node_types(&request),
        ),
        Route::listen(
            "/api/events",
            "listen",
            "Tells of every change as it happens, as server-sent events",
        )
        .about(events::ABOUT),
        Route::describe("/api/openapi.json", "get_openapi", "Gives this document"),
    ]
}

/// What is said of a path that no route has.
pub(super) fn unknown(path: &str) -> Refusal {
    let message = format!("there is no route {}", faults::cut(path, 120));
    Refusal::new("unknown_route", message)
        .hint("GET /api/openapi.json describes every route under /api")
}

async fn not_allowed(request: Request) -> Response {
    let (method, path) = (request.method(), request.uri().path());
    let message = format!("{method} is no method of {}", faults::cut(path, 120));
    let hint = "the header Allow names those there are";
    refusal::json(&Refusal::new("method_not_allowed", message).hint(hint))
}
