//! The tools of other systems, by their names, arguments and answers, over the same service: a table for each.
//!
//! A row of a table says what a tool is called, what it takes, and how its answer is worded. What every row needs is
//! here: reading arguments, waiting beside the tasks of the runtime, saying what was wrong.

mod discourse;
mod graph_mode;
mod graphinate;
mod memory;

use std::ops::ControlFlow;
use std::sync::Arc;

use fibula_core::edit::Origin;
use fibula_service::{CreateProject, GraphPicture, Refusal, Service};
use rmcp::ErrorData;
use rmcp::handler::server::common::{FromContextPart, schema_for_input, schema_for_output};
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::{IntoCallToolResult, ToolCallContext};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations,
};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Toolset;
use super::arguments::Parameters;
use super::reply::{Caller, Fail, drawn};
use super::server::Server;

/// The tools of a toolset that is another system's; none of any other.
pub(super) fn tools(toolset: Toolset) -> ToolRouter<Server> {
    let rows = match toolset {
        Toolset::Memory => memory::tools(),
        Toolset::GraphMode => graph_mode::tools(),
        Toolset::Graphinate => graphinate::tools(),
        Toolset::Discourse => discourse::tools(),
        Toolset::Project
        | Toolset::Function
        | Toolset::Geometry
        | Toolset::Knowledge
        | Toolset::ProjectExtra
        | Toolset::KnowledgeExtra
        | Toolset::Gladius => Vec::new(),
    };
    let mut router = ToolRouter::new();
    for row in rows {
        router.add_route(row);
    }
    router
}

/// What a tool does to a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    /// Changes nothing.
    Read,
    /// Adds to what is there.
    Add,
    /// Changes what is there.
    Change,
    /// Takes away what is there; the second time there is nothing to take away.
    Remove,
}

/// What is said of a tool.
#[derive(Debug)]
struct Head {
    name: &'static str,
    title: &'static str,
    does: Does,
    about: &'static str,
    /// The schema of the answer, where the other system has one.
    answer: Option<Arc<JsonObject>>,
}

impl Head {
    fn new(name: &'static str, title: &'static str, does: Does, about: &'static str) -> Head {
        Head {
            name,
            title,
            does,
            about,
            answer: None,
        }
    }

    /// The tool has `structuredContent`, which is so.
    fn answers<T: JsonSchema + 'static>(self) -> Head {
        Head {
            answer: Some(schema_for_output::<T>()),
            ..self
        }
    }
}

/// A call of a tool.
struct Call<'a, P> {
    service: &'a Service,
    origin: &'a Origin,
    /// Is told how far it is, and may end it.
    watch: &'a mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    given: P,
}

/// What a tool does with a call.
type Work<P> = for<'a> fn(&mut Call<'a, P>) -> Result<Told, Refusal>;

/// A row of a table.
///
/// # Panics
/// If what it takes is no object; a test makes every table there is.
fn tool<P: DeserializeOwned + JsonSchema + Send + 'static>(
    head: Head,
    work: Work<P>,
) -> ToolRoute<Server> {
    let input = schema_for_input::<P>();
    let input = input.unwrap_or_else(|fault| panic!("{}: {fault}", head.name));
    let hints = ToolAnnotations::new()
        .read_only(head.does == Does::Read)
        .destructive(matches!(head.does, Does::Change | Does::Remove))
        .idempotent(matches!(head.does, Does::Read | Does::Remove))
        .open_world(false);
    let mut attr = Tool::new(head.name, head.about, input)
        .with_title(head.title)
        .with_annotations(hints);
    attr.output_schema = head.answer;
    ToolRoute::new_dyn(attr, move |mut context: ToolCallContext<'_, Server>| {
        Box::pin(async move {
            let Caller(origin) = Caller::from_context_part(&mut context)?;
            let Parameters(given) = Parameters::<P>::from_context_part(&mut context)?;
            let server = context.service;
            let done = server.later(&context.request_context, move |service, watch| {
                work(&mut Call {
                    service,
                    origin: &origin,
                    watch,
                    given,
                })
            });
            match done.await {
                Ok(told) => told.into_call_tool_result(),
                // What is said of a mistake is said as other systems say it: the sentence alone.
                Err(refusal) => Fail::plain(refusal).into_call_tool_result(),
            }
        })
    })
}

/// An answer, as another system words it.
struct Told {
    content: Vec<ContentBlock>,
    answer: Option<Value>,
}

impl Told {
    fn text(text: impl Into<String>) -> Told {
        Told {
            content: vec![ContentBlock::text(text.into())],
            answer: None,
        }
    }

    /// A picture.
    fn drawn(picture: GraphPicture) -> Result<Told, Refusal> {
        Ok(Told {
            content: drawn(picture)?.into(),
            answer: None,
        })
    }

    /// JSON with line breaks, as text.
    fn pretty(shown: &impl Serialize) -> Result<Told, Refusal> {
        let text = serde_json::to_string_pretty(shown);
        text.map(Told::text)
            .map_err(|error| Refusal::new("internal", error.to_string()))
    }

    /// JSON as [`pretty`](Self::pretty), unless it is too long for an answer; `hint` says how less is asked.
    fn brief(shown: &impl Serialize, hint: &str) -> Result<Told, Refusal> {
        const MOST: usize = 60 << 10;
        let text = serde_json::to_string_pretty(shown);
        let text = text.map_err(|error| Refusal::new("internal", error.to_string()))?;
        if text.len() <= MOST {
            return Ok(Told::text(text));
        }
        let message = format!("the answer has {} bytes, too many; {hint}", text.len());
        Err(Refusal::new("too_large", message))
    }

    /// With `structuredContent`.
    fn with(self, answer: Value) -> Told {
        Told {
            answer: Some(answer),
            ..self
        }
    }

    /// With something beside the text.
    fn and(mut self, block: ContentBlock) -> Told {
        self.content.push(block);
        self
    }
}

impl IntoCallToolResult for Told {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let mut result = CallToolResult::success(self.content);
        result.structured_content = self.answer;
        Ok(result.into())
    }
}

/// Does something to a project, which comes to be if it is not there: other systems know no projects.
fn making<T>(
    service: &Service,
    project: Option<&str>,
    work: impl Fn() -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    match (work(), project) {
        (Err(refusal), Some(name)) if refusal.code == "unknown_project" => {
            let made = service.create_project(CreateProject {
                project: name.to_owned(),
            });
            match made {
                // Another call was first.
                Err(refusal) if refusal.code != "duplicate_id" => Err(refusal),
                Ok(_) | Err(_) => work(),
            }
        }
        (outcome, _) => outcome,
    }
}

/// What is asked of a project that nobody has written to yet is as of an empty one.
fn or_empty<T>(outcome: Result<T, Refusal>, empty: impl FnOnce() -> T) -> Result<T, Refusal> {
    match outcome {
        Err(refusal) if refusal.code == "unknown_project" => Ok(empty()),
        outcome => outcome,
    }
}
