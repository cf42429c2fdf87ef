//! Selection of tools per request over HTTP, within what the server offers: by headers, which are those of GitHub's server, and by the
//! path.
//!
//! | | |
//! |---|---|
//! | `/mcp/TOOLSET` | the tools of one toolset |
//! | `X-MCP-Toolsets` | toolsets, with commas between |
//! | `X-MCP-Tools` | single tools, beside those of the toolsets, or alone |
//! | `X-MCP-Exclude-Tools` | tools that are not offered |
//! | `X-MCP-Readonly` | `true`: only tools that change nothing |

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use fibula_nodes::names;
use rmcp::model::{ErrorData, ServerJsonRpcMessage};
use tower_service::Service as _;

use super::streamable::{self, json};
use super::{Options, Server, Toolset, UnknownToolset};
use crate::operations;

/// Maximum number of offers that are kept.
const MAX_OFFERS: usize = 16;

/// A server whose clients select tools.
pub struct Selectable {
    /// The server of requests that select nothing.
    pub server: Server,
    /// Its offer.
    pub options: Options,
    /// True if requests may select only among the toolsets and tools of the offer.
    pub is_restricted: bool,
    /// All toolsets.
    pub toolsets: &'static [Toolset],
}

/// Error of a name that no tool has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool '{name}'{}", if nearest.is_empty() { String::new() } else { format!("; did you mean {nearest}?") })]
pub struct UnknownTool {
    /// The name, at most 80 characters of it.
    pub name: String,
    /// Similar names.
    pub nearest: String,
}

/// Finds the tool with this name among those of Fibula's own toolsets.
///
/// # Errors
/// [`UnknownTool`].
pub fn find_tool(name: &str) -> Result<String, UnknownTool> {
    toolset_of(name).map(|_| name.to_owned())
}

/// Returns the name of the toolset of a tool.
fn toolset_of(name: &str) -> Result<&'static str, UnknownTool> {
    let all = operations::operations().into_iter();
    let tools: Vec<_> = all.filter_map(|operation| operation.tool).collect();
    let found = tools.iter().find(|tool| tool.name == name);
    found.map(|tool| tool.toolset).ok_or_else(|| UnknownTool {
        name: name.chars().take(80).collect(),
        nearest: names::nearest(name, tools.iter().map(|tool| tool.name)).join(" or "),
    })
}

/// Error of a selection.
#[derive(Debug, thiserror::Error)]
enum SelectionError {
    #[error(transparent)]
    Toolset(#[from] UnknownToolset),
    #[error(transparent)]
    Tool(#[from] UnknownTool),
    #[error("this server does not offer {0}; omit it, or ask whoever runs the server")]
    NotOffered(String),
    #[error("there is no such address: {0}")]
    Address(Box<SelectionError>),
    #[error("X-MCP-Readonly is true or false")]
    ReadOnly,
    #[error("{0} is no text of visible characters")]
    Unreadable(&'static str),
}

impl Selectable {
    /// Returns the offer that a request selects; `address` is the toolset of its path.
    fn select(
        &self,
        address: Option<&str>,
        headers: &HeaderMap,
    ) -> Result<Options, SelectionError> {
        let toolsets = list(headers, "x-mcp-toolsets")?;
        let tools = list(headers, "x-mcp-tools")?;
        let mut options = self.options.clone();
        if address.is_some() || toolsets.is_some() {
            options.tools.clear();
        }
        options.toolsets = match (address, toolsets) {
            (Some(name), _) => {
                // Other systems have an address each, whatever is offered beside it.
                let found = self.offered(name, Toolset::is_profile);
                vec![found.map_err(|error| SelectionError::Address(Box::new(error)))?]
            }
            (None, Some(chosen)) => {
                let all = chosen.iter().map(|name| self.offered(name, |_| false));
                all.collect::<Result<_, _>>()?
            }
            (None, None) if tools.is_some() => Vec::new(),
            (None, None) => options.toolsets,
        };
        if let Some(tools) = tools {
            for name in &tools {
                let toolset = toolset_of(name)?;
                if !self.options.tools.contains(name) && self.offered(toolset, |_| false).is_err() {
                    return Err(SelectionError::NotOffered(format!("the tool {name}")));
                }
            }
            options.tools = tools;
        }
        for name in list(headers, "x-mcp-exclude-tools")?.unwrap_or_default() {
            options.excluded_tools.push(find_tool(&name)?);
        }
        options.read_only |= match text(headers, "x-mcp-readonly")?.unwrap_or("false") {
            "true" => true,
            "false" => false,
            _ => return Err(SelectionError::ReadOnly),
        };
        Ok(options)
    }

    /// Finds a toolset that requests may select; some are offered in any case.
    fn offered(
        &self,
        name: &str,
        is_always: impl Fn(Toolset) -> bool,
    ) -> Result<Toolset, SelectionError> {
        let toolset = Toolset::find(self.toolsets, name)?;
        let is_offered =
            !self.is_restricted || self.options.toolsets.contains(&toolset) || is_always(toolset);
        is_offered
            .then_some(toolset)
            .ok_or_else(|| SelectionError::NotOffered(format!("the toolset {name}")))
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, SelectionError> {
    let value = headers.get(name).map(|value| value.to_str().map(str::trim));
    value
        .transpose()
        .map_err(|_| SelectionError::Unreadable(name))
}

/// Names with commas between.
fn list(headers: &HeaderMap, name: &'static str) -> Result<Option<Vec<String>>, SelectionError> {
    let names = |text: &str| {
        let names = text.split(',').map(str::trim);
        names
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    };
    Ok(text(headers, name)?.map(names))
}

/// The routes of a server by path and offer, built when a request first asks for them.
struct Routes {
    selectable: Selectable,
    options: streamable::Options,
    built: Mutex<BTreeMap<String, Router>>,
}

impl Routes {
    fn router(&self, request: &Request) -> Result<Router, SelectionError> {
        let path = request.uri().path();
        let address = path.strip_prefix("/mcp/");
        let offer = self.selectable.select(address, request.headers())?;
        let key = format!("{path} {offer:?}");
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(router) = built.get(&key) {
            return Ok(router.clone());
        }
        // Few clients have a selection of their own; whoever tries many does not fill the memory.
        if built.len() >= MAX_OFFERS {
            built.clear();
        }
        let server = self.selectable.server.with_options(&offer);
        let router = streamable::routes(path, server, self.options.clone());
        built.insert(key, router.clone());
        Ok(router)
    }
}

/// Returns the routes `/mcp` and `/mcp/TOOLSET` of a server whose clients select tools.
pub fn routes(selectable: Selectable, options: streamable::Options) -> Router {
    let routes = Arc::new(Routes {
        selectable,
        options,
        built: Mutex::default(),
    });
    Router::new()
        .route("/mcp", any(dispatch))
        .route("/mcp/{toolset}", any(dispatch))
        .with_state(routes)
}

async fn dispatch(State(routes): State<Arc<Routes>>, request: Request) -> Response {
    let error = match routes.router(&request) {
        // A router is always ready.
        Ok(mut selected) => return selected.call(request).await.into_response(),
        Err(error) => error,
    };
    let status = match error {
        SelectionError::Address(_) => StatusCode::NOT_FOUND,
        _ => StatusCode::BAD_REQUEST,
    };
    let error = ErrorData::invalid_request(error.to_string(), None);
    json(status, &ServerJsonRpcMessage::error(error, None))
}
