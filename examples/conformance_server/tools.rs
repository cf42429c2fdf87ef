//! Tools that ask nobody: what a result can hold, progress, log messages, lists that change.

use std::sync::Arc;
use std::time::Duration;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{
    CallToolResult, ClientCapabilities, ContentBlock, ErrorData, JsonObject, LoggingLevel,
    LoggingMessageNotificationParam, ProgressNotificationParam, ResourceContents,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, object, tool, tool_router};
use tokio::time::sleep;

use crate::samples::{PNG, WAV};
use crate::server::{Change, Fixtures, unsent};

/// Between two messages about one call.
const PAUSE: Duration = Duration::from_millis(50);

#[tool_router(router = plain_tools, vis = "pub(crate)")]
impl Fixtures {
    /// Answers with a text.
    #[tool]
    fn test_simple_text() -> String {
        "This is a simple text response for testing.".to_owned()
    }

    /// Answers with a picture.
    #[tool]
    fn test_image_content() -> ContentBlock {
        ContentBlock::image(PNG, "image/png")
    }

    /// Answers with a sound.
    #[tool]
    fn test_audio_content() -> ContentBlock {
        ContentBlock::audio(WAV, "audio/wav")
    }

    /// Answers with the contents of a resource.
    #[tool]
    fn test_embedded_resource() -> ContentBlock {
        let contents = ResourceContents::text(
            "This is an embedded resource content.",
            "test://embedded-resource",
        );
        ContentBlock::resource(contents.with_mime_type("text/plain"))
    }

    /// Answers with a text, a picture and the contents of a resource.
    #[tool]
    fn test_multiple_content_types() -> CallToolResult {
        let contents = ResourceContents::text(
            r#"{"test":"data","value":123}"#,
            "test://mixed-content-resource",
        );
        CallToolResult::success(vec![
            ContentBlock::text("Multiple content types test:"),
            ContentBlock::image(PNG, "image/png"),
            ContentBlock::resource(contents.with_mime_type("application/json")),
        ])
    }

    /// Fails, as a tool does that a model should learn from.
    #[tool]
    fn test_error_handling() -> Result<String, String> {
        Err("This tool intentionally returns an error for testing".to_owned())
    }

    /// Tells how far it is.
    #[tool]
    async fn test_tool_with_progress(
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let Some(token) = context.meta.get_progress_token() else {
            return Ok("Nobody asked for progress.".to_owned());
        };
        for done in [0.0, 50.0, 100.0] {
            let progress = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
            let sent = context.peer.notify_progress(progress).await;
            sent.map_err(unsent)?;
            sleep(PAUSE).await;
        }
        Ok("Told of 0, 50 and 100 of 100.".to_owned())
    }

    /// Logs what it does (2025-11-25).
    #[tool]
    async fn test_tool_with_logging(
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        for text in [
            "Tool execution started",
            "Tool processing data",
            "Tool execution completed",
        ] {
            log(&context.peer, LoggingLevel::Info, text).await?;
            sleep(PAUSE).await;
        }
        Ok("Logged three messages.".to_owned())
    }

    /// Logs what it does, if the request asks for log messages (2026-07-28).
    #[tool]
    async fn test_logging_tool(context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let Some(level) = context.meta.log_level() else {
            return Ok("Nobody asked for log messages.".to_owned());
        };
        log(&context.peer, level, "Tool executed").await?;
        Ok("Logged a message.".to_owned())
    }

    // Before the description, or else rmcp does not find that.
    #[expect(clippy::needless_pass_by_value, reason = "rmcp gives it away")]
    /// Is refused to a client that cannot sample.
    #[tool]
    fn test_missing_capability(context: RequestContext<RoleServer>) -> Result<String, ErrorData> {
        let can = context.client_capabilities().unwrap_or_default();
        if can.sampling.is_none() {
            let needed = ClientCapabilities::builder().enable_sampling().build();
            return Err(ErrorData::missing_required_client_capability(needed));
        }
        Ok("The client can sample.".to_owned())
    }

    /// Could ask the user, and must not do so on the stream of its answer.
    #[tool]
    fn test_streaming_elicitation() -> String {
        "Asked nothing.".to_owned()
    }

    /// Has a schema with many a keyword, to be listed as it is.
    #[tool(input_schema = rich_schema())]
    fn json_schema_2020_12_tool() -> String {
        "Took the arguments.".to_owned()
    }

    /// Has a parameter that a header of the request must repeat (2026-07-28).
    #[tool(input_schema = header_schema())]
    fn test_header_parameter() -> String {
        "The header repeats the parameter.".to_owned()
    }

    /// Tells subscribers that the list of tools has changed, though it has not.
    #[tool]
    fn test_trigger_tool_change(&self) -> String {
        self.tell(Change::Tools);
        "Told of a change of the tools.".to_owned()
    }

    /// Tells subscribers that the list of prompts has changed, though it has not.
    #[tool]
    fn test_trigger_prompt_change(&self) -> String {
        self.tell(Change::Prompts);
        "Told of a change of the prompts.".to_owned()
    }
}

fn rich_schema() -> Arc<JsonObject> {
    Arc::new(object!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    }))
}

fn header_schema() -> Arc<JsonObject> {
    Arc::new(object!({
        "type": "object",
        "properties": { "region": { "type": "string", "x-mcp-header": "Region" } },
    }))
}

async fn log(peer: &Peer<RoleServer>, level: LoggingLevel, text: &str) -> Result<(), ErrorData> {
    let message = LoggingMessageNotificationParam::new(level, text.into());
    peer.notify_logging_message(message).await.map_err(unsent)
}

/// All of them, and those that ask.
pub(crate) fn all() -> ToolRouter<Fixtures> {
    Fixtures::plain_tools() + Fixtures::asking_tools() + Fixtures::input_required_tools()
}
