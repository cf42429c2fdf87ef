//! The handler: which request goes where, and what is told to subscribers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
    SetLevelRequestMethod, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, ServiceError, SubscriptionContext};
use rmcp::{RoleServer, ServerHandler, tool_handler};
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::task;

use crate::{prompts, resources, tools};

/// Signs what clients carry from one round to the next. Who knows it can forge only the suite's own state.
const KEY: &[u8] = b"the key of the conformance suite's fixtures";

/// The tools, resources and prompts that the suite wants.
#[derive(Debug, Clone)]
pub(crate) struct Fixtures {
    tools: Arc<ToolRouter<Self>>,
    states: RequestStateCodec,
    changes: broadcast::Sender<Change>,
    acknowledging: Arc<Mutex<Acknowledging>>,
}

/// Receivers of streams that are being acknowledged, by task. They exist before the acknowledgement is sent, so that no
/// change after it is missed.
type Acknowledging = HashMap<task::Id, broadcast::Receiver<Change>>;

/// A list that subscribers are told has changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    Tools,
    Prompts,
}

impl Fixtures {
    pub(crate) fn new() -> Self {
        Fixtures {
            tools: Arc::new(tools::all()),
            states: RequestStateCodec::try_new(KEY).expect("the key has 32 bytes or more"),
            changes: broadcast::channel(64).0,
            acknowledging: Arc::default(),
        }
    }

    fn acknowledging(&self) -> MutexGuard<'_, Acknowledging> {
        let lock = self.acknowledging.lock();
        lock.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn states(&self) -> &RequestStateCodec {
        &self.states
    }

    pub(crate) fn tell(&self, change: Change) {
        // It fails when nobody listens.
        let _ = self.changes.send(change);
    }
}

/// Error of a tool that could not send to the client, or get its answer.
pub(crate) fn unsent(error: ServiceError) -> ErrorData {
    match error {
        ServiceError::McpError(error) => error,
        other => ErrorData::internal_error(other.to_string(), None),
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_logging()
            .build();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("fibula-conformance-server", version))
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(request)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let known: &[&str] = match request.r#ref.as_prompt_name() {
            Some(prompts::COMPLETED) => &["testing", "testament"],
            Some(_) | None => &[],
        };
        let begun = request.argument.value;
        let fitting = known.iter().filter(|value| value.starts_with(&begun));
        let values = CompletionInfo::with_all_values(fitting.map(ToString::to_string).collect());
        let refused = |error: String| ErrorData::internal_error(error, None);
        values.map(CompleteResult::new).map_err(refused)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = resources::templates();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&request.uri).map(Into::into)
    }

    /// The level is not kept: what the suite lets be logged it has asked for.
    async fn set_level(
        &self,
        _request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // rmcp lets this one through in either era.
        let version = context.protocol_version();
        if version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        Ok(())
    }

    /// Accepts: no resource ever changes.
    async fn subscribe(
        &self,
        _request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.acknowledging()
            .insert(task::id(), self.changes.subscribe());
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let acknowledging = self.acknowledging().remove(&task::id());
        let mut changes = acknowledging.ok_or_else(|| {
            ErrorData::internal_error("the stream was not acknowledged in this task", None)
        })?;
        let sink = subscription.sink();
        loop {
            let change = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                change = changes.recv() => change,
            };
            // Sending fails for what was not asked for, and for a client that has gone; the latter cancels.
            match change {
                Ok(Change::Tools) => drop(sink.notify_tool_list_changed().await),
                Ok(Change::Prompts) => drop(sink.notify_prompt_list_changed().await),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Ok(()),
            }
        }
    }
}
