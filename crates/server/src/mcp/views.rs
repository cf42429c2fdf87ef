//! Views inside of hosts, by the extension MCP Apps (SEP-1865): a host shows a page beside the answer of a tool, in a frame that
//! reaches nothing but the host. The host passes the frame's calls on to this server.
//!
//! Only clients that declare the extension see the views, and the tools that views alone call.

use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, JsonObject, MetaObject, Resource, ResourceContents, Tool};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::address::VIEW;
use crate::operations::{KNOWLEDGE_EXTRA, PROJECT_EXTRA};

/// Name of the extension.
const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// Media type of the page.
const MEDIA: &str = "text/html;profile=mcp-app";

/// The page, with a view for each tool. `npm run build` in web/ makes it of web/src/view.
const PAGE: &str = include_str!("../../page/view.html");

/// Header of sessions over HTTP.
const SESSION_HEADER: &str = "mcp-session-id";

/// Start of the names of sessions of clients of 2025-11-25 that show views over HTTP, where a client declares what it can do only
/// once. The name of the session is all of its state.
const SESSION: &str = "views-";

/// Tools whose answers have a view.
const SHOWN: [&str; 2] = ["get_neighbors", "render"];

/// Tools that views call, with their toolset and the tool whose view calls them.
pub(super) const CALLED: [(&str, &str, &str); 3] = [
    ("list_parameters", PROJECT_EXTRA, "render"),
    ("pick", PROJECT_EXTRA, "render"),
    ("render_graph", KNOWLEDGE_EXTRA, "get_neighbors"),
];

/// True if the client of a request shows views.
pub(super) fn are_shown(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let parts = context.extensions.get::<Parts>();
    let session = parts.and_then(|parts| parts.headers.get(SESSION_HEADER));
    let is_session = session.is_some_and(|name| name.as_bytes().starts_with(SESSION.as_bytes()));
    capabilities.is_some_and(|capabilities| is_declared(&capabilities)) || is_session
}

/// Opens the session of a client that shows views, after the request with this id.
pub(super) fn open_session(headers: &mut HeaderMap, request: &str) {
    let name = HeaderValue::try_from(format!("{SESSION}{request}"));
    headers.insert(SESSION_HEADER, name.expect("ids of requests are visible"));
}

/// True if a client declares that it shows views of this type.
fn is_declared(capabilities: &ClientCapabilities) -> bool {
    let extensions = capabilities.extensions.as_ref();
    let settings = extensions.and_then(|extensions| extensions.get(EXTENSION));
    let media = settings.and_then(|settings| settings.get("mimeTypes")?.as_array());
    media.is_some_and(|media| media.iter().any(|one| one == MEDIA))
}

/// True if a message is an `initialize` of a client that shows views.
pub(super) fn is_declared_by(message: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Message {
        method: String,
        params: Params,
    }
    #[derive(Deserialize)]
    struct Params {
        capabilities: ClientCapabilities,
    }
    // Few messages are read twice.
    const MAX_BYTES: usize = 256 << 10;
    if message.len() > MAX_BYTES {
        return false;
    }
    serde_json::from_slice::<Message>(message).is_ok_and(|message| {
        message.method == "initialize" && is_declared(&message.params.capabilities)
    })
}

/// Adds the views to listed tools, and the tools that only views call.
pub(super) fn with_views(listed: &[Tool], called: impl Iterator<Item = Tool>) -> Vec<Tool> {
    let shown = listed.iter().cloned().map(|tool| {
        if SHOWN.contains(&&*tool.name) {
            with_meta(tool, json!({ "resourceUri": VIEW }))
        } else {
            tool
        }
    });
    let called = called.map(|tool| with_meta(tool, json!({ "visibility": ["app"] })));
    shown.chain(called).collect()
}

fn with_meta(mut tool: Tool, ui: Value) -> Tool {
    tool.meta = Some(meta(ui));
    tool
}

fn meta(ui: Value) -> MetaObject {
    MetaObject(JsonObject::from_iter([("ui".to_owned(), ui)]))
}

/// The page as it is listed.
pub(super) fn resource() -> Resource {
    Resource::new(VIEW, "view")
        .with_title("View")
        .with_description("Shows parts, graphs and knowledge inside of the host")
        .with_mime_type(MEDIA)
        .with_size(PAGE.len() as u64)
}

/// Where the page has the names of the tools that it may call.
const TOOLS: &str = r#"<meta name="tools" content="">"#;

/// The page, which needs nothing from the network, for a server that offers some tools.
pub(super) fn contents<'a>(tools: impl Iterator<Item = &'a str>) -> ResourceContents {
    let settings = json!({ "csp": {}, "prefersBorder": true });
    let names = tools.collect::<Vec<_>>().join(" ");
    let filled = TOOLS.replace("\"\"", &format!("\"{names}\""));
    ResourceContents::text(PAGE.replacen(TOOLS, &filled, 1), VIEW)
        .with_mime_type(MEDIA)
        .with_meta(meta(settings))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maximum size of a page that hosts load into each conversation.
    const MAX_BYTES: usize = 64 << 10;

    #[test]
    fn the_page_is_small_and_needs_no_network() {
        assert!(PAGE.len() <= MAX_BYTES, "{} bytes", PAGE.len());
        assert_eq!(PAGE.matches(TOOLS).count(), 1);
        for foreign in [
            "<link", "src=\"", "href=\"", "url(", "@import", "import(", "fetch(",
        ] {
            assert!(!PAGE.contains(foreign), "{foreign}");
        }
    }

    #[test]
    fn only_clients_that_show_pages_of_this_type_have_views() {
        let check = |capabilities: Value, expected: bool| {
            let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
                                  "params": { "capabilities": capabilities } });
            let text = message.to_string();
            assert_eq!(is_declared_by(text.as_bytes()), expected, "{text}");
            let other = text.replace("initialize", "tools/call");
            assert!(!is_declared_by(other.as_bytes()));
        };
        check(json!({}), false);
        check(json!({ "extensions": {} }), false);
        check(json!({ "extensions": { EXTENSION: {} } }), false);
        check(
            json!({ "extensions": { EXTENSION: { "mimeTypes": ["text/html"] } } }),
            false,
        );
        check(
            json!({ "extensions": { EXTENSION: { "mimeTypes": ["x/y", MEDIA] } } }),
            true,
        );
        assert!(!is_declared_by(b"{\"method\":"));
    }
}
