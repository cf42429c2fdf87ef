//! Results of tool calls, and the origin of a call.

use axum::http::header;
use axum::http::request::Parts;
use fibula_core::edit::{Caller, Origin};
use fibula_nodes::names;
use fibula_service::Refusal;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde_json::json;

use super::absent_tools::AbsentTools;
use crate::operation::{Answer, ToolAnswer};

/// Converts an answer to a result. A JSON answer is `structuredContent`, and the same as text.
///
/// # Errors
/// If the answer cannot be written as JSON.
pub(super) fn success(answer: Answer, absent: &AbsentTools) -> Result<CallToolResult, ErrorData> {
    match answer {
        Answer::Json(answer) => {
            let mut answer = serde_json::to_value(answer)
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            absent.note_answer(&mut answer);
            Ok(CallToolResult::structured(answer))
        }
        Answer::Tool(ToolAnswer {
            mut content,
            mut structured,
        }) => {
            if let Some(structured) = &mut structured {
                let before = structured.to_string();
                absent.note_answer(structured);
                // A block may be the same as text.
                for block in &mut content {
                    if block.as_text().is_some_and(|text| text.text == before) {
                        *block = ContentBlock::text(structured.to_string());
                    }
                }
            }
            let mut result = CallToolResult::success(content);
            result.structured_content = structured;
            Ok(result)
        }
        Answer::File(_) => unreachable!("only routes answer with files"),
    }
}

/// Converts a refusal to a result: its text, and the code and details as metadata.
pub(super) fn refused(refusal: Refusal) -> CallToolResult {
    error(refusal.to_string(), refusal)
}

/// Converts a refusal to a result whose text is the message alone, for clients of other servers.
pub(super) fn refused_by_message(refusal: Refusal) -> CallToolResult {
    error(refusal.message.clone(), refusal)
}

/// The text, the code as JSON for programs, and the metadata. There is no `structuredContent`, which clients would validate against
/// the schema of the answer.
fn error(text: String, refusal: Refusal) -> CallToolResult {
    let machine = json!({ "success": false, "error": refusal.code });
    let mut meta = JsonObject::new();
    meta.insert("code".to_owned(), refusal.code.into());
    if !refusal.details.is_null() {
        meta.insert("details".to_owned(), refusal.details);
    }
    let content = vec![
        ContentBlock::text(text),
        ContentBlock::text(machine.to_string()),
    ];
    CallToolResult::error(content).with_meta(Some(MetaObject(meta)))
}

/// Returns the client and the tool, for the history.
pub(super) fn origin(context: &RequestContext<RoleServer>, tool: &str) -> Origin {
    const MAX_CHARS: usize = 80;
    let client = names::visible(&client(context), MAX_CHARS);
    Origin {
        kind: Caller::Agent,
        client: if client.is_empty() {
            "mcp".to_owned()
        } else {
            client
        },
        tool: tool.to_owned(),
    }
}

/// Name of the client: from the call, from its headers where there are no sessions, or from its connection.
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
