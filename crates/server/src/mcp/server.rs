//! The server: its tools, and the handler of the protocol for rmcp.

#![expect(
    deprecated,
    reason = "the protocol is to lose log messages, but clients of both revisions still ask for them"
)]

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use fibula_core::quote::quoted;
use fibula_nodes::names;
use fibula_service::{DEFAULT_TIME_LIMIT, MAX_TIME_LIMIT, Refusal, Service};
use rmcp::handler::server::prompt::PromptContext;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams,
    CompleteRequestParams, CompleteResult, CompletionInfo, CustomRequest, CustomResult,
    GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams, GetSkillResult,
    GetTaskParams, GetTaskResult, Icon, Implementation, InitializeRequestParams, InitializeResult,
    InputResponses, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tracing::Instrument as _;

use super::arguments::{self, CallError};
use super::confirm::{self, Consent};
use super::job::Job;
use super::logging::Listener;
use super::notifications::{MAX_ADDRESSES, Notifier, Subscriptions};
use super::offer::{Offer, ToolEntry};
use super::subscriptions::{self, Connection};
use super::tasks::{self, Outcome};
use super::{Options, job, parse_errors, reply, resources, skills, unknown_tool, views};
use crate::address::VIEW;
use crate::metrics::{self, Metrics, RunningCall};
use crate::operation::{Call, Effect, Progress, Work, names_revision};
use crate::request_id;
use crate::slots::{Slots, past_slots};

/// The icon in SVG, that of web/index.html.
const ICON: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M3 12c4 0 5-8 10-8' fill='none' \
    stroke='#4a6fa5' stroke-width='2'/><circle cx='3' cy='12' r='2' fill='#4a6fa5'/><circle cx='13' cy='4' r='2' \
    fill='#4a6fa5'/></svg>";

/// Surface of the calls in metrics.
const SURFACE: &str = "mcp";

/// The tools, resources and prompts of a service. A clone is the same server for another connection.
#[derive(Clone)]
pub struct Server {
    pub(super) service: Arc<Service>,
    offer: Arc<Offer>,
    /// Slots for long work.
    slots: Arc<Slots>,
    metrics: Arc<Metrics>,
    /// Long work whose clients ask for its result.
    tasks: TaskManager,
    /// The subscribers of every connection.
    pub(super) notifier: Arc<Notifier>,
    /// The subscriptions of this connection.
    pub(super) connection: Connection,
}

impl Server {
    /// Creates a server.
    ///
    /// # Panics
    /// If the schemas of a tool are not accepted by clients; a test creates every server there is.
    pub fn new(service: Arc<Service>, options: &Options) -> Self {
        Server {
            notifier: Notifier::new(service.clone()),
            connection: Connection::default(),
            service,
            offer: Arc::new(Offer::new(options)),
            slots: Slots::of_cores(),
            metrics: Arc::default(),
            tasks: TaskManager::new(),
        }
    }

    /// Returns a server with another offer that shares everything else: the service, the slots for long work, the metrics and the
    /// notifications.
    #[must_use]
    pub fn with_options(&self, options: &Options) -> Self {
        Server {
            offer: Arc::new(Offer::new(options)),
            ..self.clone()
        }
    }

    /// Counts calls in some metrics, which other servers of the process may share.
    #[must_use]
    pub fn with_metrics(mut self, metrics: Arc<Metrics>) -> Self {
        metrics.observe(SURFACE, &self.slots);
        self.metrics = metrics;
        self
    }

    /// Returns the tools, as clients see them.
    pub fn tools(&self) -> &[Tool] {
        &self.offer.list
    }

    /// Returns the instructions for agents: the workflow, with the tools that are listed.
    pub fn instructions(&self) -> &str {
        &self.offer.instructions
    }

    /// Returns a tool with all descriptions; the listed tool is shorter.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.offer.tools.get(name).map(|entry| &entry.tool)
    }

    async fn call(
        &self,
        entry: &ToolEntry,
        arguments: JsonObject,
        responses: Option<InputResponses>,
        context: RequestContext<RoleServer>,
        running: &mut RunningCall,
    ) -> Result<CallToolResponse, ErrorData> {
        let call = Call {
            service: self.service.clone(),
            origin: reply::origin(&context, &entry.tool.name),
        };
        let tool = entry.operation.tool.as_ref();
        let question = arguments::question(&entry.operation, &entry.tool, &call, &arguments);
        if let Some(question) = question {
            let open = &self.connection.questions;
            match confirm::ask(question, responses.as_ref(), &context, open).await {
                Ok(Consent::Given) => {}
                Ok(Consent::Asked(question)) => {
                    running.end(metrics::ASKED);
                    return Ok(question.into());
                }
                Err(refusal) => {
                    running.end(refusal.code);
                    return Ok(self.offer.refused(refusal).into());
                }
            }
        }
        let time_limit = time_limit(&entry.tool, &arguments);
        let is_read = tool.is_some_and(|tool| tool.effect == Effect::Read);
        let called = if is_read && names_revision(&arguments) {
            let (operation, tool) = (entry.operation.clone(), entry.tool.clone());
            let work = move |_: &mut Progress<'_>| {
                Ok(arguments::call(&operation, &tool, &call, arguments))
            };
            let called = job::run(&context, past_slots(), work).await;
            called.unwrap_or_else(|refusal| Err(CallError::Refused(refusal)))
        } else {
            arguments::call(&entry.operation, &entry.tool, &call, arguments)
        };
        let outcome = match called {
            Ok(Work::Done(answer)) => Ok(answer),
            Ok(Work::Deferred(work)) => {
                let (offer, is_profile) = (self.offer.clone(), entry.is_profile);
                let finish = move |outcome| offer.result(outcome, is_profile);
                let job = Job::start(&context, &self.slots, work);
                match tasks::wait(&self.tasks, &context, job, time_limit, finish).await {
                    Outcome::Done(outcome) => outcome,
                    Outcome::Task(task) => {
                        running.end(metrics::TASK);
                        return Ok(task.into());
                    }
                }
            }
            Err(CallError::Refused(refusal)) => Err(refusal),
            Err(CallError::Arguments(refusal)) => {
                running.end(refusal.code);
                return Ok(self.offer.refused(refusal).into());
            }
        };
        running.end(match &outcome {
            Ok(_) => metrics::OK,
            Err(refusal) => refusal.code,
        });
        self.offer.result(outcome, entry.is_profile).map(Into::into)
    }
}

/// Time that a call may take: that of its argument, or the longest of all.
fn time_limit(tool: &Tool, arguments: &JsonObject) -> Duration {
    let properties = tool.input_schema.get("properties");
    let has_limit = properties.is_some_and(|properties| properties.get("time_limit").is_some());
    let seconds = match arguments.get("time_limit").and_then(Value::as_f64) {
        Some(given) => given.min(MAX_TIME_LIMIT),
        None if has_limit => DEFAULT_TIME_LIMIT.into(),
        None => MAX_TIME_LIMIT,
    };
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .enable_skills()
            .enable_tasks()
            .build();
        let icon = format!("data:image/svg+xml;base64,{}", BASE64.encode(ICON));
        let icon = Icon::new(icon).with_mime_type("image/svg+xml");
        let name = Implementation::new("fibula", env!("CARGO_PKG_VERSION"))
            .with_title("Fibula")
            .with_icons(vec![icon.with_sizes(vec!["any".to_owned()])]);
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(&*self.offer.instructions)
    }

    /// `initialize` is a request like any other: a notification that comes before it is no error, and the stateless era
    /// needs no state.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        subscriptions::adjust_capabilities(&mut result.capabilities, &context);
        let mut info = request;
        info.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(info);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let list = |subscriptions: &Subscriptions| {
            subscriptions.add_list();
            Ok(())
        };
        let subscribed = self
            .connection
            .subscribe(&self.notifier, &context.peer, list);
        if let Err(error) = subscribed {
            tracing::error!(%error, "a client is not notified of new projects");
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        subscriptions::require_connection("resources/subscribe", &context)?;
        let address = resources::find(&self.service, &request.uri)?;
        let want = |subscriptions: &Subscriptions| {
            if subscriptions.add(&request.uri, address) {
                return Ok(());
            }
            let message = format!(
                "{MAX_ADDRESSES} resources are subscribed, which is the limit; unsubscribe from one first"
            );
            Err(ErrorData::invalid_request(message, None))
        };
        self.connection
            .subscribe(&self.notifier, &context.peer, want)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        subscriptions::require_connection("resources/unsubscribe", &context)?;
        let no_more = |subscriptions: &Subscriptions| {
            subscriptions.remove(&request.uri);
            Ok(())
        };
        self.connection
            .subscribe(&self.notifier, &context.peer, no_more)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(self.accepted(requested))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.serve_stream(context).await
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let called_by_view = || {
            let entry = self.offer.called_by_views.get(&*request.name);
            entry.filter(|_| views::are_shown(&context))
        };
        let found = self.offer.tools.get(&*request.name).or_else(called_by_view);
        let Some(entry) = found else {
            let names = self.offer.list.iter().map(|tool| tool.name.as_ref());
            let message = unknown_tool::message(&request.name, names, &self.offer.absent);
            self.metrics
                .begin(SURFACE, &"unknown".into(), &request_id(&context))
                .end("unknown_tool");
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let id = request_id(&context);
        let mut running = self.metrics.begin(SURFACE, &entry.name, &id);
        let listener = Listener::of(&self.connection.log_level, &context);
        let answer = {
            let span = running.span();
            let call = self.call(
                entry,
                arguments,
                request.input_responses,
                context,
                &mut running,
            );
            let mut call = std::pin::pin!(call.instrument(span));
            // rmcp never answers a call that panics.
            let answer = poll_fn(|task| {
                let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(task).map(Some)));
                polled.unwrap_or(Poll::Ready(None))
            });
            answer.await
        };
        let answer = answer.unwrap_or_else(|| {
            running.end("internal");
            Ok(panicked(&entry.tool.name).into())
        });
        if let Some(listener) = listener {
            listener.send(&running, &id).await;
        }
        answer
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        subscriptions::require_connection("logging/setLevel", &context)?;
        self.connection.log_level.set(request.level);
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.tasks
            .get_task(&request.task_id)
            .map(GetTaskResult::new)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.tasks.cancel_task(&request.task_id)
    }

    /// rmcp reads the schema of a tool's arguments for headers of HTTP.
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tool(name).cloned()
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        one_page(page)?;
        let list = if views::are_shown(&context) {
            &self.offer.list_with_views
        } else {
            &self.offer.list
        };
        let mut answer = ListToolsResult::with_all_items(list.clone());
        (answer.ttl_ms, answer.cache_scope) = fixed(&context);
        Ok(answer)
    }

    async fn list_skills(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        one_page(page)?;
        let skill = self.offer.has_skill.then(skills::skill);
        let mut answer = ListSkillsResult::with_all_items(skill.into_iter().collect());
        (answer.ttl_ms, answer.cache_scope) = fixed(&context);
        Ok(answer)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let skill = skills::skill();
        if request.uri != skill.uri || !self.offer.has_skill {
            let message = format!(
                "there is no skill {}; skills/list lists them",
                quoted(&request.uri)
            );
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(GetSkillResult::new(skill))
    }

    /// As the macro of rmcp, which ignores cursors.
    async fn list_prompts(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        one_page(page)?;
        let mut answer = ListPromptsResult::with_all_items(self.offer.prompts.list_all());
        (answer.ttl_ms, answer.cache_scope) = fixed(&context);
        Ok(answer)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let GetPromptRequestParams {
            name, arguments, ..
        } = request;
        let context = PromptContext::new(self, name, arguments, context);
        self.offer.prompts.get_prompt(context).await
    }

    /// Handles unknown methods, and known ones with malformed parameters.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A request that carries its protocol's version needs no `initialize`, and that protocol has none.
        let stateless = context.meta.protocol_version().is_some();
        Err(parse_errors::malformed(&request, stateless))
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = page.and_then(|page| page.cursor);
        let has_view = self.offer.has_view && views::are_shown(&context);
        let view = has_view.then(views::resource);
        let skill = self.offer.has_skill.then(skills::resource);
        let more = self
            .offer
            .resources
            .iter()
            .cloned()
            .chain(skill)
            .chain(view);
        let (listed, next) = resources::list(&self.service, more, cursor.as_deref())?;
        let mut answer = ListResourcesResult::with_all_items(listed);
        answer.next_cursor = next;
        Ok(answer)
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        one_page(page)?;
        let mut answer = ListResourceTemplatesResult::with_all_items(resources::templates());
        (answer.ttl_ms, answer.cache_scope) = fixed(&context);
        Ok(answer)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !resources::is_made(&self.service, &request.uri) {
            let ignored = &mut |_, _| ControlFlow::Continue(());
            let mut read = if request.uri == VIEW {
                let tools = [&self.offer.tools, &self.offer.called_by_views];
                let names = tools
                    .into_iter()
                    .flat_map(BTreeMap::keys)
                    .map(String::as_str);
                ReadResourceResult::new(vec![views::contents(names)])
            } else {
                resources::read(&self.service, &request.uri, ignored)?
            };
            if resources::is_fixed(&request.uri) {
                (read.ttl_ms, read.cache_scope) = fixed(&context);
            }
            return Ok(read.into());
        }
        let service = self.service.clone();
        let read = job::run(&context, &self.slots, move |progress| {
            Ok(resources::read(&service, &request.uri, progress))
        });
        let read = read.await;
        let broken = |refusal: Refusal| ErrorData::internal_error(refusal.to_string(), None);
        read.map_err(broken)?.map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = resources::complete(&self.service, &request);
        let info = CompletionInfo::with_all_values(values);
        info.map(CompleteResult::new)
            .map_err(|error| ErrorData::internal_error(error, None))
    }
}

/// Id of a request: that of HTTP, or the one that the client gave its message.
fn request_id(context: &RequestContext<RoleServer>) -> String {
    let parts = context.extensions.get::<Parts>();
    match parts.map(|parts| request_id::get(&parts.headers)) {
        Some(id) if !id.is_empty() => id.to_owned(),
        _ => names::visible(&context.id.to_string(), 64),
    }
}

/// Time for which clients may keep what is fixed for the process, in milliseconds.
const FIXED_TTL_MS: u64 = 300_000;

/// Lifetime and scope of an answer that is fixed for the process, in versions of the protocol that have them. It may depend on the headers
/// of the request, so that nobody keeps it for others.
fn fixed(context: &RequestContext<RoleServer>) -> (Option<u64>, Option<CacheScope>) {
    let version = context.protocol_version();
    let may_cache = version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28);
    (
        may_cache.then_some(FIXED_TTL_MS),
        may_cache.then_some(CacheScope::Private),
    )
}

/// Refuses cursors of a list that has one page.
fn one_page(page: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor) {
        Some(cursor) => Err(resources::unknown_cursor(&cursor)),
        None => Ok(()),
    }
}

/// Returns the result of a tool that panicked.
fn panicked(tool: &str) -> CallToolResult {
    tracing::error!(tool, "a tool panicked");
    let message = format!("{tool} failed because of a bug in Fibula");
    let hint = "other calls are unaffected; check with get_history whether anything was changed";
    reply::refused(Refusal::new("internal", message).hint(hint))
}
