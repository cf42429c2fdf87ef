//! The HTTP server: routes and access control.
//!
//! Every request, even of an unknown route, passes one guard: its `Host` must be a name of this server, which prevents DNS
//! rebinding; its `Origin`, if it has one, must be one of this server; and it must have the token, if one is set, unless it
//! is for a file of the page. An address that other machines can reach requires a token. MCP is mounted by the caller; the
//! REST API is under `/api`, the page at `/`.

mod guarded_body;
mod half_closed;

mod clients;

mod connections;
mod guard;
mod page;
mod refusal;

mod api;
#[cfg(feature = "graphql")]
mod graphql;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router, middleware};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use api::document;
pub use clients::ClientLimits;
pub(crate) use clients::{Allowance, CallPermit, PermitOfRequest};
pub use page::BUNDLE;

use api::Api;
use clients::Clients;
use connections::Limits;
use guard::Guard;
use page::Page;

use fibula_service::{ListProjects, Service};

use crate::metrics::{self, Metrics};
use crate::request_id;

/// The GraphQL schema of the knowledge graph.
pub const GRAPHQL_SCHEMA: &str = include_str!("../graph.graphql");

/// Default port.
pub const DEFAULT_PORT: u16 = 7878;

/// Minimal length of a token.
const MIN_TOKEN_CHARS: usize = 16;

/// Time for open connections to end once the server is stopped.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Settings of the server.
#[derive(Debug, Clone)]
pub struct Options {
    /// Address to listen on; port 0 selects a free one.
    pub listen: SocketAddr,
    /// Secret that every request must present; required for an address that is not loopback.
    pub token: Option<String>,
    /// Names of this server in `Host`, in addition to localhost and the address itself.
    pub hosts: Vec<String>,
    /// Maximum size of a body in bytes.
    pub body_limit: usize,
    /// Limits of each client.
    pub client_limits: ClientLimits,
    /// True if the routes under `/api` reject writes.
    pub read_only: bool,
    /// Folder of the page's files; `None` for the embedded ones.
    pub web_dir: Option<PathBuf>,
    /// Metrics that `/metrics` shows, which the servers of MCP may share.
    pub metrics: Arc<Metrics>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            listen: SocketAddr::from(([127, 0, 0, 1], DEFAULT_PORT)),
            token: None,
            hosts: Vec::new(),
            body_limit: 16 << 20,
            client_limits: ClientLimits::default(),
            read_only: false,
            web_dir: None,
            metrics: Arc::default(),
        }
    }
}

/// Error of [`listen`].
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Other machines can reach the address, and no token is set.
    #[error(
        "{0} can be reached from other machines, so a token is required; set one, or listen on 127.0.0.1"
    )]
    NeedsToken(SocketAddr),
    /// The token is too short or has characters that a header may not have.
    #[error(
        "the token must be {MIN_TOKEN_CHARS} to 1024 visible ASCII characters without blanks; set another one, or none"
    )]
    WeakToken,
    /// The port is in use.
    #[error("port {} is in use, perhaps by another fibula; stop that one, or listen on another port (0 selects a free \
        one)", .0.port())]
    InUse(SocketAddr),
    /// The system refuses the address.
    #[error("cannot listen on {address}: {error}")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// Error of the system.
        #[source]
        error: io::Error,
    },
    /// The folder of the page cannot be served.
    #[error("cannot serve the page from {}: {error}; give the folder that has its index.html", folder.display())]
    WebDir {
        /// The folder.
        folder: PathBuf,
        /// Error of the system.
        #[source]
        error: io::Error,
    },
}

/// A bound address that is not served yet.
#[derive(Debug)]
pub struct Listener {
    tcp: TcpListener,
    address: SocketAddr,
    hosts: Vec<String>,
    page: Page,
    options: Options,
}

/// Returns true if a token is long enough and can stand in a header.
pub fn is_secret(token: &str) -> bool {
    (MIN_TOKEN_CHARS..=1024).contains(&token.len())
        && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Binds the address.
///
/// # Errors
/// [`ListenError`].
pub async fn listen(mut options: Options) -> Result<Listener, ListenError> {
    // A file that holds a secret often ends with a line break.
    options.token = options.token.map(|token| token.trim().to_owned());
    match &options.token {
        None if !options.listen.ip().is_loopback() => {
            return Err(ListenError::NeedsToken(options.listen));
        }
        Some(token) if !is_secret(token) => return Err(ListenError::WeakToken),
        None | Some(_) => {}
    }
    let web_dir = options.web_dir.as_deref();
    let page = Page::open(web_dir).map_err(|error| ListenError::WebDir {
        folder: web_dir.map(PathBuf::from).unwrap_or_default(),
        error,
    })?;
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::AddrInUse => ListenError::InUse(options.listen),
        _ => ListenError::Bind {
            address: options.listen,
            error,
        },
    };
    let tcp = TcpListener::bind(options.listen).await.map_err(refused)?;
    let address = tcp.local_addr().map_err(refused)?;
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "[::1]"].map(String::from).into();
    if !address.ip().is_unspecified() {
        let own = match address.ip() {
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        hosts.push(own);
    }
    hosts.extend(options.hosts.iter().cloned());
    hosts.sort();
    hosts.dedup();
    Ok(Listener {
        tcp,
        address,
        hosts,
        page,
        options,
    })
}

impl Listener {
    /// Returns the address, with the selected port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the names of this server in `Host`, without ports; an IPv6 address is in brackets.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Returns the origins of this server's own pages.
    pub fn origins(&self) -> Vec<String> {
        let port = self.address.port();
        let origin = |host: &String| format!("http://{host}:{port}");
        self.hosts.iter().map(origin).collect()
    }

    /// Returns the maximal size of a body in bytes.
    pub fn body_limit(&self) -> usize {
        self.options.body_limit
    }

    /// Serves these routes and its own until `stop` is cancelled; open connections then have 5 seconds to end.
    pub async fn serve(self, service: Arc<Service>, routes: Router, stop: CancellationToken) {
        let guard = Arc::new(Guard {
            hosts: self.hosts,
            port: self.address.port(),
            token: self.options.token,
            body_limit: self.options.body_limit,
            clients: Clients::new(self.options.client_limits),
            memory: Arc::new(Semaphore::new(guard::MEMORY_PERMITS)),
            bodies: Arc::new(Semaphore::new(guard::BODY_PERMITS)),
        });
        let metrics = self.options.metrics;
        let api = Api::new(
            service.clone(),
            metrics.clone(),
            self.options.read_only,
            stop.child_token(),
        );
        #[cfg(feature = "graphql")]
        let routes = routes.merge(graphql::routes(service.clone(), metrics.clone()));
        let app = Router::new()
            .route("/", get(about))
            .route("/health", get(health))
            .with_state(service.clone())
            .route("/metrics", get(show_metrics))
            .with_state((service, metrics.clone()))
            .merge(api.router())
            .merge(routes)
            .fallback(unknown)
            // Added last, so that they cover the fallback as well; the last one is the first to see a request.
            .layer(middleware::from_fn_with_state(
                guard.clone(),
                guard::check_token,
            ))
            .layer(middleware::from_fn_with_state(
                Arc::new(self.page),
                page::serve,
            ))
            .layer(middleware::from_fn_with_state(guard, guard::check_origin))
            .layer(middleware::from_fn(head));
        let serving = connections::serve(
            self.tcp,
            app,
            stop.clone(),
            Limits::default(),
            metrics.connections.clone(),
        );
        let late = async {
            stop.cancelled().await;
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
        };
        tokio::select! {
            () = serving => {}
            () = late => {}
        }
    }
}

/// Adds headers to every response, including refusals of the guard.
async fn head(mut request: Request, next: Next) -> Response {
    let id = request_id::ensure(request.headers_mut());
    let is_api = api::has(request.uri().path());
    let mut response = next.run(request).await;
    let head = response.headers_mut();
    head.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    head.insert(request_id::HEADER, id);
    if is_api {
        head.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

async fn unknown(request: Request) -> Response {
    let path = request.uri().path();
    refusal::write(path)(&api::unknown(path))
}

async fn health() -> Json<Value> {
    Json(json!({ "status": "ok", "name": "fibula", "version": env!("CARGO_PKG_VERSION") }))
}

/// All metrics, for Prometheus.
async fn show_metrics(
    State((service, metrics)): State<(Arc<Service>, Arc<Metrics>)>,
) -> impl IntoResponse {
    match metrics.write(&service) {
        Ok(written) => ([(header::CONTENT_TYPE, metrics::MEDIA)], written).into_response(),
        Err(refusal) => refusal::write("/metrics")(&refusal),
    }
}

/// Describes the server to programs; browsers receive the page instead.
async fn about(State(service): State<Arc<Service>>) -> impl IntoResponse {
    let projects = service
        .list_projects(&ListProjects::default())
        .map(|listed| listed.projects);
    let mut about = json!({
        "name": "fibula",
        "version": env!("CARGO_PKG_VERSION"),
        "about": "Typed node-graph function editor. Connect an MCP client to /mcp (streamable HTTP).",
        "mcp": "/mcp",
        "api": "/api/openapi.json",
        "events": "/api/events",
        "health": "/health",
        "metrics": "/metrics",
        "projects": projects.unwrap_or_default(),
    });
    if cfg!(feature = "graphql") {
        about["graphql"] = "/graphql".into();
    }
    ([(header::VARY, "accept")], Json(about))
}
