//! Tools and a prompt that need input, as 2026-07-28 has it: the answer says what is needed, and the client calls again
//! with it. What must be known in the next round goes to the client and comes back, sealed.

use rmcp::handler::server::tool::{InputResponses, RequestState};
use rmcp::model::{
    self, CallToolResponse, CallToolResult, ContentBlock, CreateMessageRequest,
    CreateMessageRequestParams, CreateMessageResult, ElicitRequest, ElicitResult,
    ElicitationAction, ErrorData, GetPromptRequestParams, GetPromptResponse, GetPromptResult,
    InputRequest, InputRequests, InputRequiredResult, ListRootsRequest, ListRootsResult,
    PromptMessage, Role, SamplingMessage,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, object, tool, tool_router};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::asking;
use crate::server::Fixtures;

/// Progress of a call of several rounds.
#[derive(Debug, Serialize, Deserialize)]
enum Round {
    /// The only round was begun.
    Begun,
    /// The name was asked for.
    Name,
    /// The name is known, the colour was asked for.
    Color { name: String },
}

#[tool_router(router = input_required_tools, vis = "pub(crate)")]
impl Fixtures {
    /// Asks the user for a name.
    #[tool]
    fn test_input_required_result_elicitation(given: InputResponses) -> CallToolResponse {
        match Given(given.0).field("user_name", "name") {
            Some(name) => text(format!("Hello, {}!", plain(&name))),
            None => required([user_name()], None),
        }
    }

    /// Asks the client's model.
    #[tool]
    fn test_input_required_result_sampling(given: InputResponses) -> CallToolResponse {
        if let Some(answer) = Given(given.0).sampled("capital_question") {
            return text(format!("LLM response: {answer}"));
        }
        let question = sampling("What is the capital of France?", 100);
        required([("capital_question", question)], None)
    }

    /// Asks the client for its roots.
    #[tool]
    fn test_input_required_result_list_roots(given: InputResponses) -> CallToolResponse {
        match Given(given.0).roots("client_roots") {
            Some(roots) => text(format!("Roots: {roots}")),
            None => required([client_roots()], None),
        }
    }

    /// Hands out state, and wants it back.
    #[tool]
    fn test_input_required_result_request_state(
        &self,
        given: InputResponses,
        state: RequestState,
    ) -> Result<CallToolResponse, ErrorData> {
        let begun = self.open(state)?.is_some();
        if begun && Given(given.0).field("confirm", "ok").is_some() {
            return Ok(text("state-ok"));
        }
        let confirm = ("confirm", elicitation("Please confirm", "ok", "boolean"));
        Ok(required([confirm], Some(self.seal(&Round::Begun))))
    }

    /// Asks the user, the client's model and the client at once.
    #[tool]
    fn test_input_required_result_multiple_inputs(
        &self,
        given: InputResponses,
        state: RequestState,
    ) -> Result<CallToolResponse, ErrorData> {
        self.open(state)?;
        let given = Given(given.0);
        if let (Some(name), Some(greeting), Some(roots)) = (
            given.field("user_name", "name"),
            given.sampled("greeting"),
            given.roots("client_roots"),
        ) {
            let name = plain(&name);
            return Ok(text(format!("{greeting} ({name}, with roots {roots})")));
        }
        let inputs = [user_name(), greeting(), client_roots()];
        Ok(required(inputs, Some(self.seal(&Round::Begun))))
    }

    /// Asks the user for a name, and then for a colour.
    #[tool]
    fn test_input_required_result_multi_round(
        &self,
        given: InputResponses,
        state: RequestState,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = Given(given.0);
        let name = match self.open(state)? {
            Some(Round::Color { name }) => Some(name),
            Some(Round::Name) => given.field("step1", "name").as_ref().map(plain),
            Some(Round::Begun) | None => None,
        };
        let Some(name) = name else {
            let step = elicitation("Step 1: What is your name?", "name", "string");
            return Ok(required([("step1", step)], Some(self.seal(&Round::Name))));
        };
        if let Some(color) = given.field("step2", "color") {
            return Ok(text(format!("{name} likes {}.", plain(&color))));
        }
        let step = elicitation("Step 2: What is your favorite color?", "color", "string");
        let state = self.seal(&Round::Color { name });
        Ok(required([("step2", step)], Some(state)))
    }

    /// Hands out state, and refuses it if it comes back changed.
    #[tool]
    fn test_input_required_result_tampered_state(
        &self,
        given: InputResponses,
        state: RequestState,
    ) -> Result<CallToolResponse, ErrorData> {
        self.test_input_required_result_request_state(given, state)
    }

    // Before the description, or else rmcp does not find that.
    #[expect(clippy::needless_pass_by_value, reason = "rmcp gives it away")]
    /// Asks only for what the client has said it can give.
    #[tool]
    fn test_input_required_result_capabilities(
        context: RequestContext<RoleServer>,
        given: InputResponses,
    ) -> CallToolResponse {
        let can = context.client_capabilities().unwrap_or_default();
        let all = [
            can.elicitation.map(|_| user_name()),
            can.sampling.map(|_| greeting()),
            can.roots.map(|_| client_roots()),
        ];
        let given = given.0.unwrap_or_default();
        let mut missing: Vec<_> = all.into_iter().flatten().collect();
        missing.retain(|(key, _)| !given.contains_key(*key));
        if missing.is_empty() {
            return text("Nothing is missing.");
        }
        required(missing, None)
    }
}

/// A prompt that asks the user for its context.
pub(crate) fn prompt(request: GetPromptRequestParams) -> GetPromptResponse {
    let Some(context) = Given(request.input_responses).field("user_context", "context") else {
        let question = "What context should the prompt use?";
        let asked = elicitation(question, "context", "string");
        return inputs([("user_context", asked)], None).into();
    };
    let text = format!("Use this context: {}", plain(&context));
    GetPromptResult::new(vec![PromptMessage::new_text(Role::User, text)]).into()
}

impl Fixtures {
    fn seal(&self, round: &Round) -> String {
        let sealed = self.states().seal_json(round);
        sealed.expect("a round is plain data, which JSON can hold")
    }

    /// The state that the client sent back.
    fn open(&self, state: RequestState) -> Result<Option<Round>, ErrorData> {
        let Some(sealed) = state.0 else {
            return Ok(None);
        };
        // One error for every reason: what exactly is wrong helps only who tries to forge.
        let forged =
            |_| ErrorData::invalid_params("requestState is not one of this server's", None);
        self.states().open_json(&sealed).map(Some).map_err(forged)
    }
}

/// Answers of the client to the requests of the last round. An answer that does not fit its request is left out and
/// requested again.
struct Given(Option<model::InputResponses>);

impl Given {
    fn response<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let value = self.0.as_ref()?.get(key)?;
        serde_json::from_value(value.clone()).ok()
    }

    /// A field of the form that the user filled in.
    fn field(&self, key: &str, field: &str) -> Option<Value> {
        let result: ElicitResult = self.response(key)?;
        let filled_in = result.action == ElicitationAction::Accept;
        result.content.filter(|_| filled_in)?.get(field).cloned()
    }

    /// The text of the client's model.
    fn sampled(&self, key: &str) -> Option<String> {
        let result: CreateMessageResult = self.response(key)?;
        let text = result.message.content.first()?.as_text()?;
        Some(text.text.clone())
    }

    fn roots(&self, key: &str) -> Option<String> {
        let result: ListRootsResult = self.response(key)?;
        let uris: Vec<String> = result.roots.into_iter().map(|root| root.uri).collect();
        Some(uris.join(", "))
    }
}

/// A question to the user, with one field to fill in.
fn elicitation(message: &str, field: &str, kind: &str) -> InputRequest {
    let asked = object!({
        "type": "object",
        "properties": { field: { "type": kind } },
        "required": [field],
    });
    InputRequest::Elicitation(ElicitRequest::new(asking::form(message, asked)))
}

/// A question to the client's model.
fn sampling(question: &str, max_tokens: u32) -> InputRequest {
    let messages = vec![SamplingMessage::user_text(question)];
    let request = CreateMessageRequestParams::new(messages, max_tokens);
    InputRequest::CreateMessage(CreateMessageRequest::new(request))
}

/// A request and its key.
type Keyed = (&'static str, InputRequest);

fn user_name() -> Keyed {
    let question = "What is your name?";
    ("user_name", elicitation(question, "name", "string"))
}

fn greeting() -> Keyed {
    ("greeting", sampling("Generate a greeting", 50))
}

fn client_roots() -> Keyed {
    let request = ListRootsRequest::default();
    ("client_roots", InputRequest::ListRoots(request))
}

fn inputs(requests: impl IntoIterator<Item = Keyed>, state: Option<String>) -> InputRequiredResult {
    let requests = requests.into_iter();
    let requests: InputRequests = requests.map(|(key, it)| (key.to_owned(), it)).collect();
    InputRequiredResult::new(Some(requests), state)
}

fn required(requests: impl IntoIterator<Item = Keyed>, state: Option<String>) -> CallToolResponse {
    inputs(requests, state).into()
}

fn text(text: impl Into<String>) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

/// A string without its quotes; anything else as JSON.
fn plain(value: &Value) -> String {
    let text = value.as_str();
    text.map_or_else(|| value.to_string(), str::to_owned)
}
