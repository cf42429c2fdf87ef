//! Selection of tools per request over HTTP, within what the server offers: by headers, which are those of GitHub's server, and by the
//! path.
//!
//! | | |
//! |---|---|
//! | `/mcp/TOOLSET` | the tools of one toolset |
//! | `X-MCP-Toolsets` | toolsets, with commas between; `default` and `all` |
//! | `X-MCP-Tools` | single tools, beside those of the toolsets, or alone |
//! | `X-MCP-Exclude-Tools` | tools that are not offered |
//! | `X-MCP-Readonly` | `true`: only tools that change nothing |

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    find(&Toolset::OWN, name).map(|_| name.to_owned())
}

/// Finds the tool with this name among those of some toolsets; that of a profile has a prefix, as in `memory_search_nodes`.
///
/// # Errors
/// [`UnknownTool`].
pub fn find_any_tool(toolsets: &[Toolset], name: &str) -> Result<String, UnknownTool> {
    find(toolsets, name).map(|_| name.to_owned())
}

/// Returns the toolset of a tool.
fn find(toolsets: &[Toolset], name: &str) -> Result<Toolset, UnknownTool> {
    let mut tools = BTreeMap::new();
    for toolset in toolsets {
        let operations = (toolset.operations)().into_iter();
        let own = operations.filter_map(|operation| operation.tool);
        let own = own.filter(|tool| tool.toolset == toolset.name());
        tools.extend(own.map(|tool| (toolset.full_name(tool.name), *toolset)));
    }
    let found = tools.get(name).copied();
    found.ok_or_else(|| {
        let known = tools.keys().map(String::as_str);
        UnknownTool {
            name: name.chars().take(80).collect(),
            nearest: names::nearest(name, known).join(" or "),
        }
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
    #[error("the path names a toolset already; omit X-MCP-Toolsets, or send the request to /mcp")]
    Twice,
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
            (Some(_), Some(_)) => return Err(SelectionError::Twice),
            (Some(name), None) => {
                let found = self.offered(name);
                vec![found.map_err(|error| SelectionError::Address(Box::new(error)))?]
            }
            (None, Some(names)) => self.all_offered(&names)?,
            (None, None) if tools.is_some() => Vec::new(),
            (None, None) => options.toolsets,
        };
        if let Some(tools) = tools {
            for name in &tools {
                let toolset = find(&Toolset::OWN, name)?;
                let is_single = self.options.tools.contains(name);
                if !is_single && self.offered(toolset.name()).is_err() {
                    return Err(SelectionError::NotOffered(format!("the tool {name}")));
                }
            }
            options.tools = tools;
        }
        for name in list(headers, "x-mcp-exclude-tools")?.unwrap_or_default() {
            let name = find_any_tool(self.toolsets, &name)?;
            options.excluded_tools.push(name);
        }
        options.excluded_tools.sort_unstable();
        options.excluded_tools.dedup();
        for value in headers.get_all("x-mcp-readonly") {
            options.read_only |= match value.as_bytes().trim_ascii() {
                b"true" => true,
                b"false" => false,
                _ => return Err(SelectionError::ReadOnly),
            };
        }
        Ok(options)
    }

    /// Finds a toolset that requests may select.
    fn offered(&self, name: &str) -> Result<Toolset, SelectionError> {
        let toolset = Toolset::find(self.toolsets, name)?;
        let is_offered = !self.is_restricted || self.options.toolsets.contains(&toolset);
        is_offered
            .then_some(toolset)
            .ok_or_else(|| SelectionError::NotOffered(format!("the toolset {name}")))
    }

    /// Finds toolsets that requests may select, each once and in listing order. `default` means those of requests that select nothing,
    /// `all` all of Fibula's own that are offered.
    fn all_offered(&self, names: &[String]) -> Result<Vec<Toolset>, SelectionError> {
        let mut chosen = Vec::new();
        for name in names {
            match name.to_ascii_lowercase().as_str() {
                "default" => chosen.extend(&self.options.toolsets),
                "all" => {
                    let own = Toolset::OWN.iter().copied();
                    chosen.extend(own.filter(|toolset| self.offered(toolset.name()).is_ok()));
                }
                name => chosen.push(self.offered(name)?),
            }
        }
        let all = self.toolsets.iter().copied();
        Ok(all.filter(|toolset| chosen.contains(toolset)).collect())
    }
}

/// Names with commas between, of one header or several, sorted and each once.
fn list(headers: &HeaderMap, name: &'static str) -> Result<Option<Vec<String>>, SelectionError> {
    if !headers.contains_key(name) {
        return Ok(None);
    }
    let mut names = BTreeSet::new();
    for value in headers.get_all(name) {
        let text = value.to_str();
        let text = text.map_err(|_| SelectionError::Unreadable(name))?;
        let own = text.split(',').map(str::trim);
        names.extend(own.filter(|name| !name.is_empty()).map(str::to_owned));
    }
    Ok(Some(names.into_iter().collect()))
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
        if let Some(router) = self.lock().get(&key) {
            return Ok(router.clone());
        }
        // Others are answered while it is built.
        let server = self.selectable.server.with_options(&offer);
        let router = streamable::routes(path, server, self.options.clone());
        let mut built = self.lock();
        // Few clients have a selection of their own; whoever tries many does not fill the memory.
        if built.len() >= MAX_OFFERS {
            built.pop_first();
        }
        built.insert(key, router.clone());
        Ok(router)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Router>> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[test]
    fn however_many_selections_are_tried_few_are_kept() {
        let routes = Routes {
            selectable: Selectable {
                server: Server::new(Arc::default(), &Options::default()),
                options: Options::default(),
                is_restricted: false,
                toolsets: &Toolset::OWN,
            },
            options: streamable::Options {
                hosts: Vec::new(),
                origins: Vec::new(),
                body_limit: 1000,
                sessions: streamable::Sessions::None,
                stop: CancellationToken::new(),
            },
            built: Mutex::default(),
        };
        let ask = |names: &str| {
            let request = Request::post("/mcp").header("X-MCP-Tools", names);
            routes.router(&request.body(Body::empty()).expect("a request"))
        };
        for names in ["render,measure", "measure, render", "render,render,measure"] {
            let _ = ask(names).expect("an offer");
            assert_eq!(routes.lock().len(), 1, "the order of names means nothing");
        }
        let all = ["render", "measure", "evaluate", "undo", "pick", "slice"];
        for (number, one) in all.iter().enumerate() {
            for two in &all[number..] {
                let _ = ask(&format!("{one},{two}")).expect("an offer");
            }
        }
        assert_eq!(routes.lock().len(), MAX_OFFERS);
    }
}
