//! Tools that ask the client while they run, as 2025-11-25 has it: a request of the server's own, on the stream of the
//! call's answer. In 2026-07-28 there are no such requests: see [`input_required`](crate::input_required).

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CreateMessageRequestParams, ElicitRequestParams, ElicitResult, ElicitationSchema, ErrorData,
    JsonObject, SamplingMessage,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, object, tool, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::server::{Fixtures, unsent};

#[derive(Debug, Deserialize, JsonSchema)]
struct Sampling {
    /// Message to the client's model.
    prompt: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Elicitation {
    /// Message to the user.
    message: String,
}

#[tool_router(router = asking_tools, vis = "pub(crate)")]
impl Fixtures {
    /// Asks the client's model.
    #[tool]
    async fn test_sampling(
        context: RequestContext<RoleServer>,
        Parameters(Sampling { prompt }): Parameters<Sampling>,
    ) -> Result<String, ErrorData> {
        let request =
            CreateMessageRequestParams::new(vec![SamplingMessage::user_text(prompt)], 100);
        let answer = context.peer.create_message(request).await;
        let answer = answer.map_err(unsent)?.message;
        let text = answer.content.first().and_then(|block| block.as_text());
        let text = text.map_or("no text", |text| text.text.as_str());
        Ok(format!("LLM response: {text}"))
    }

    /// Asks the user for a name and an address.
    #[tool]
    async fn test_elicitation(
        context: RequestContext<RoleServer>,
        Parameters(Elicitation { message }): Parameters<Elicitation>,
    ) -> Result<String, ErrorData> {
        let asked = object!({
            "type": "object",
            "properties": {
                "username": { "type": "string", "description": "User's name" },
                "email": { "type": "string", "description": "User's email address" },
            },
            "required": ["username", "email"],
        });
        let answer = ask(&context.peer, &message, asked).await?;
        Ok(format!("User response: {}", said(&answer)))
    }

    /// Asks the user, with a default for each field.
    #[tool]
    async fn test_elicitation_sep1034_defaults(
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let asked = object!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "default": "John Doe" },
                "age": { "type": "integer", "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": {
                    "type": "string",
                    "enum": ["active", "inactive", "pending"],
                    "default": "active",
                },
                "verified": { "type": "boolean", "default": true },
            },
        });
        let answer = ask(&context.peer, "Please check the defaults", asked).await?;
        Ok(format!("Elicitation completed: {}", said(&answer)))
    }

    /// Asks the user to choose, in each of the five ways.
    #[tool]
    async fn test_elicitation_sep1330_enums(
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        let options = json!(["option1", "option2", "option3"]);
        let titled = |what: &str| {
            json!([
                { "const": "value1", "title": format!("First {what}") },
                { "const": "value2", "title": format!("Second {what}") },
                { "const": "value3", "title": format!("Third {what}") },
            ])
        };
        let asked = object!({
            "type": "object",
            "properties": {
                "untitledSingle": { "type": "string", "enum": options },
                "titledSingle": { "type": "string", "oneOf": titled("Option") },
                "legacyEnum": {
                    "type": "string",
                    "enum": ["opt1", "opt2", "opt3"],
                    "enumNames": ["Option One", "Option Two", "Option Three"],
                },
                "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
                "titledMulti": { "type": "array", "items": { "anyOf": titled("Choice") } },
            },
        });
        let answer = ask(&context.peer, "Please choose", asked).await?;
        Ok(format!("Elicitation completed: {}", said(&answer)))
    }
}

async fn ask(
    peer: &Peer<RoleServer>,
    message: &str,
    asked: JsonObject,
) -> Result<ElicitResult, ErrorData> {
    let request = form(message, asked);
    peer.create_elicitation(request).await.map_err(unsent)
}

/// A request for the fields of a JSON Schema.
pub(crate) fn form(message: &str, asked: JsonObject) -> ElicitRequestParams {
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.to_owned(),
        requested_schema: ElicitationSchema::from_json_schema(asked)
            .expect("the schemas of the fixtures have only fields that can be asked for"),
    }
}

fn said(answer: &ElicitResult) -> String {
    let action = json!(answer.action);
    let action = action.as_str().unwrap_or("unknown");
    let content = answer.content.as_ref().unwrap_or(&Value::Null);
    format!("action={action}, content={content}")
}
