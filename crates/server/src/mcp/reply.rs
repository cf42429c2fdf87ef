//! What a tool answers, and who asked.
//!
//! `Json` keeps the name of rmcp's own type, since its macros find the schema of an answer by the words
//! `Result<Json<T>, _>`.

use axum::http::header;
use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_core::edit::{self, Origin};
use fibula_service::{Extent, GraphPicture, PartExported, Refusal, Rendered, SketchFormat};
use rmcp::handler::server::common::FromContextPart;
use rmcp::handler::server::tool::{IntoCallToolResult, ToolCallContext};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ErrorCode, JsonObject, MetaObject, Resource,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

/// An answer: `structuredContent`, and the same as text.
pub(super) struct Json<T>(pub(super) T);

impl<T: Serialize + JsonSchema + 'static> IntoCallToolResult for Json<T> {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let answer = serde_json::to_value(self.0)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResult::structured(answer).into())
    }
}

/// A picture, and what it shows as text. It has no `structuredContent`, or clients would show that instead.
pub(super) struct Picture(pub(super) Rendered);

impl IntoCallToolResult for Picture {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let Picture(Rendered {
            png,
            size,
            extent,
            warnings,
            revision,
        }) = self;
        let mut told = json!({ "success": true, "size": size, "revision": revision });
        if let Some(Extent { bounds, unit }) = extent {
            told["bounds"] = json!(bounds);
            told["unit"] = json!(unit.name());
        }
        if !warnings.is_empty() {
            told["warnings"] = json!(warnings);
        }
        let content = vec![
            ContentBlock::image(BASE64.encode(png), "image/png"),
            ContentBlock::text(told.to_string()),
        ];
        Ok(CallToolResult::success(content).into())
    }
}

/// A picture of a graph: an image, or a text, and what it shows. It has no `structuredContent`, as [`Picture`] has none.
pub(super) struct Sketch(pub(super) GraphPicture);

impl IntoCallToolResult for Sketch {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        match drawn(self.0) {
            Ok(content) => Ok(CallToolResult::success(content.into()).into()),
            Err(refusal) => Ok(Fail::from(refusal).result().into()),
        }
    }
}

/// A picture of a graph, and what it shows as text.
///
/// # Errors
/// A [`Refusal`] for a text that is too long for an answer.
pub(super) fn drawn(picture: GraphPicture) -> Result<[ContentBlock; 2], Refusal> {
    /// The most bytes of a text; larger ones are for files.
    const LARGEST_TEXT: usize = 48 << 10;
    let GraphPicture {
        format,
        bytes,
        counts: [nodes, edges],
        revision,
    } = picture;
    let told = json!({
        "success": true, "nodes": nodes, "edges": edges, "bytes": bytes.len(), "revision": revision,
    });
    let drawn = if format == SketchFormat::Png {
        ContentBlock::image(BASE64.encode(bytes), format.media_type())
    } else if bytes.len() > LARGEST_TEXT {
        let message = format!(
            "the picture has {} bytes, too many for an answer",
            bytes.len()
        );
        return Err(Refusal::new("too_large", message)
            .hint("draw what is around one node, or only some types, or take png"));
    } else {
        ContentBlock::text(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok([drawn, ContentBlock::text(told.to_string())])
}

/// A file that was written; with a link to the resource if it is one.
pub(super) struct Linked {
    pub(super) exported: PartExported,
    pub(super) media: &'static str,
}

impl IntoCallToolResult for Linked {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let link = self.exported.uri.as_ref().map(|uri| {
            let resource = Resource::new(uri, "part").with_mime_type(self.media);
            ContentBlock::resource_link(resource)
        });
        let answer = serde_json::to_value(self.exported)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let mut result = CallToolResult::structured(answer);
        result.content.extend(link);
        Ok(result.into())
    }
}

/// A refusal on its way to an agent, which is to read it and do better.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fail {
    code: String,
    text: String,
    details: Value,
}

/// Where a refusal travels in an error of the protocol.
const MARK: &str = "fibula/refusal";

impl From<Refusal> for Fail {
    fn from(refusal: Refusal) -> Self {
        Fail {
            code: refusal.code.to_owned(),
            text: refusal.to_string(),
            details: refusal.details,
        }
    }
}

impl Fail {
    /// A refusal whose text is the sentence alone, for clients of other servers.
    pub(super) fn plain(refusal: Refusal) -> Fail {
        Fail {
            text: refusal.message.clone(),
            ..Fail::from(refusal)
        }
    }

    /// An error result: the sentence, the same as JSON, and the code and details beside them. There is no
    /// `structuredContent`, which clients would hold against the schema of the answer.
    pub(super) fn result(self) -> CallToolResult {
        let machine = json!({ "success": false, "error": self.text });
        let mut meta = JsonObject::new();
        meta.insert("code".to_owned(), self.code.into());
        if !self.details.is_null() {
            meta.insert("details".to_owned(), self.details);
        }
        let content = vec![
            ContentBlock::text(self.text),
            ContentBlock::text(machine.to_string()),
        ];
        CallToolResult::error(content).with_meta(Some(MetaObject(meta)))
    }

    /// The refusal inside an error, which is all that the reading of arguments can give.
    pub(super) fn into_error(self) -> ErrorData {
        let data = json!({ MARK: [self.code, self.text, self.details] });
        ErrorData::new(ErrorCode::INVALID_PARAMS, "invalid arguments", Some(data))
    }

    /// Takes the refusal out of an error that has one.
    pub(super) fn from_error(error: &ErrorData) -> Option<Fail> {
        let parts = error.data.as_ref()?.get(MARK)?.as_array()?;
        let [code, text, details] = &parts[..] else {
            return None;
        };
        Some(Fail {
            code: code.as_str()?.to_owned(),
            text: text.as_str()?.to_owned(),
            details: details.clone(),
        })
    }
}

impl IntoCallToolResult for Fail {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        Ok(self.result().into())
    }
}

/// Who calls, by which tool; for the history.
pub(super) struct Caller(pub(super) Origin);

impl<S> FromContextPart<ToolCallContext<'_, S>> for Caller {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> Result<Self, ErrorData> {
        const LONGEST: usize = 80;
        let client = client(&context.request_context);
        let client = fibula_nodes::names::visible(&client, LONGEST);
        Ok(Caller(Origin {
            kind: edit::Caller::Agent,
            client: if client.is_empty() {
                "mcp".to_owned()
            } else {
                client
            },
            tool: context.name.to_string(),
        }))
    }
}

/// What the client calls itself: in the call, in its headers where there are no sessions, or when it connected.
fn client(context: &RequestContext<RoleServer>) -> String {
    let named = context.meta.client_info().map(|client| client.name);
    let parts = context.extensions.get::<Parts>();
    match (named, parts) {
        (Some(name), _) => name,
        (None, Some(parts)) => {
            let agent = parts.headers.get(header::USER_AGENT);
            let agent = agent.and_then(|agent| agent.to_str().ok());
            agent.unwrap_or_default().to_owned()
        }
        (None, None) => context
            .client_info()
            .map_or_else(String::new, |client| client.name),
    }
}
