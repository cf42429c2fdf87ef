//! The server: which tools there are, and what rmcp asks of a handler.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

use fibula_nodes::names;
use fibula_service::{Refusal, Service};
use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CompletionInfo,
    CustomRequest, CustomResult, ErrorCode, Implementation, InitializeRequestParams,
    InitializeResult, JsonObject, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, prompt_handler, tool_handler};
use tokio::sync::Semaphore;

use super::arguments::{Schemas, cut};
use super::news::{MOST_ADDRESSES, News, Reader};
use super::reply::Fail;
use super::subscriptions::{self, Connection};
use super::{INSTRUCTIONS, Options, Toolset, job, profile, resources, schema};

/// The tools whose answers are pictures, which have no schema.
const DRAW: [&str; 2] = ["render", "render_graph"];

/// The tools, resources and prompts of a service; a copy is the same server for another connection.
#[derive(Clone)]
pub struct Server {
    service: Arc<Service>,
    tools: Arc<ToolRouter<Self>>,
    prompts: Arc<PromptRouter<Self>>,
    /// The tools as they are listed, the toolsets in their order.
    list: Arc<[Tool]>,
    /// Whether it has the resources of Graphinate.
    with_graph: bool,
    slots: Arc<Semaphore>,
    news: Arc<News>,
    connection: Connection,
}

impl Schemas for Server {
    fn input_schema(&self, tool: &str) -> Option<&JsonObject> {
        self.tools.get(tool).map(|tool| &*tool.input_schema)
    }
}

impl Server {
    /// A server of a service.
    ///
    /// # Panics
    /// If a tool's schemas are not what clients take; a test makes every server there is.
    pub fn new(service: Arc<Service>, options: &Options) -> Self {
        let mut tools = ToolRouter::new();
        let (mut list, mut said) = (Vec::new(), BTreeSet::new());
        for toolset in Toolset::ALL {
            if !options.toolsets.contains(&toolset) {
                continue;
            }
            let mut router = match toolset {
                Toolset::Project => Self::project_tools(),
                Toolset::Function => Self::function_tools(),
                Toolset::Geometry => Self::geometry_tools(),
                Toolset::Knowledge => Self::knowledge_tools(),
                Toolset::ProjectExtra => Self::project_extra_tools(),
                Toolset::KnowledgeExtra => Self::knowledge_extra_tools(),
                Toolset::Gladius => Self::gladius_tools(),
                Toolset::Memory | Toolset::GraphMode | Toolset::Graphinate | Toolset::Discourse => {
                    profile::tools(toolset)
                }
            };
            if toolset.is_profile() && options.toolsets.len() > 1 {
                router = prefixed(router, toolset.name());
            }
            if options.read_only {
                router.map.retain(|_, route| reads_only(&route.attr));
            }
            for route in router.map.values_mut() {
                plain(&mut route.attr, toolset.is_profile())
                    .unwrap_or_else(|fault| panic!("{}: {fault}", route.attr.name));
            }
            let own = router.list_all();
            list.extend(own.iter().map(|tool| listed(tool, &mut said)));
            tools.merge(router);
        }
        let prompts = Self::prompts_about(&tools);
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Server {
            news: News::new(service.clone()),
            connection: Connection::default(),
            service,
            tools: Arc::new(tools),
            prompts: Arc::new(prompts),
            list: list.into(),
            with_graph: options.toolsets.contains(&Toolset::Graphinate),
            slots: Arc::new(Semaphore::new(cores.max(2))),
        }
    }

    /// The tools, as clients see them.
    pub fn tools(&self) -> &[Tool] {
        &self.list
    }

    /// A tool with everything that is said of it; clients see it in brief.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.get(name)
    }

    /// Whether there is a tool of this name.
    pub(super) fn has_tool(&self, name: &str) -> bool {
        self.tools.has_route(name)
    }

    pub(super) fn service(&self) -> &Service {
        &self.service
    }

    /// The subscribers of every connection.
    pub(super) fn news(&self) -> &Arc<News> {
        &self.news
    }

    /// What this connection is subscribed to.
    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Does what may take long on a thread of its own, with progress and cancellation.
    pub(super) async fn later<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Service, &mut dyn FnMut(u64, u64) -> ControlFlow<()>) -> Result<T, Refusal>
        + Send
        + 'static,
    ) -> Result<T, Refusal> {
        let service = self.service.clone();
        job::run(context, &self.slots, move |watch| work(&service, watch)).await
    }
}

/// The tools under names that no others have.
fn prefixed(router: ToolRouter<Server>, prefix: &str) -> ToolRouter<Server> {
    let mut all = ToolRouter::new();
    for mut route in router.map.into_values() {
        route.attr.name = format!("{prefix}_{}", route.attr.name).into();
        all.add_route(route);
    }
    all
}

/// A tool as clients see it; `said` has what was said of arguments before.
fn listed(tool: &Tool, said: &mut BTreeSet<[String; 2]>) -> Tool {
    let mut tool = tool.clone();
    tool.input_schema = schema::short(&tool.input_schema, said).into();
    tool.output_schema = tool.output_schema.map(|_| schema::answer().into());
    tool
}

fn reads_only(tool: &Tool) -> bool {
    tool.annotations
        .as_ref()
        .and_then(|annotations| annotations.read_only_hint)
        == Some(true)
}

/// Makes a tool's schemas plain, and tells what it lacks. Tools of other systems have a schema of their answer if those have.
fn plain(tool: &mut Tool, is_profile: bool) -> Result<(), String> {
    let hints = tool.annotations.as_ref().is_some_and(|hints| {
        hints.read_only_hint.is_some()
            && hints.destructive_hint.is_some()
            && hints.idempotent_hint.is_some()
            && hints.open_world_hint.is_some()
    });
    if tool.title.is_none() || tool.description.is_none() || !hints {
        return Err("a title, a description and all four hints are needed".to_owned());
    }
    // Comments are wrapped where they are written.
    tool.description = tool
        .description
        .take()
        .map(|text| text.replace('\n', " ").into());
    tool.input_schema = schema::plain(&tool.input_schema, schema::Side::Input)?.into();
    match &tool.output_schema {
        Some(output) => {
            tool.output_schema = Some(schema::plain(output, schema::Side::Output)?.into());
            Ok(())
        }
        None if is_profile || DRAW.contains(&tool.name.as_ref()) => Ok(()),
        None => Err("an output schema is needed".to_owned()),
    }
}

#[tool_handler(router = self.tools)]
#[prompt_handler(router = self.prompts)]
impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_completions()
            .build();
        let name = Implementation::new("fibula", env!("CARGO_PKG_VERSION")).with_title("Fibula");
        ServerConfig::new(capabilities)
            .with_server_info(name)
            .with_instructions(INSTRUCTIONS)
    }

    /// A request like any other, so that an early notification ends nothing and the stateless era needs no state.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let mut result = self.negotiate_initialize(&request)?;
        subscriptions::offered(&mut result.capabilities, &context);
        let mut info = request;
        info.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(info);
        Ok(result)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let list = |reader: &Reader| {
            reader.want_list();
            Ok(())
        };
        if let Err(error) = self.connection.wants(&self.news, &context.peer, list) {
            tracing::error!(%error, "a client is not told of new projects");
        }
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        subscriptions::needs_connection("resources/subscribe", &context)?;
        let address = resources::find(&self.service, &request.uri)?;
        let want = |reader: &Reader| {
            if reader.want(&request.uri, address) {
                return Ok(());
            }
            let message = format!(
                "{MOST_ADDRESSES} resources are subscribed to, which is the limit; unsubscribe from one first"
            );
            Err(ErrorData::invalid_request(message, None))
        };
        self.connection.wants(&self.news, &context.peer, want)
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        subscriptions::needs_connection("resources/unsubscribe", &context)?;
        let no_more = |reader: &Reader| {
            reader.want_no_more(&request.uri);
            Ok(())
        };
        self.connection.wants(&self.news, &context.peer, no_more)
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
        if self.tools.get(&request.name).is_none() {
            let near = names::nearest(
                &request.name,
                self.list.iter().map(|tool| tool.name.as_ref()),
            );
            let near = near
                .first()
                .map(|near| format!(", did you mean {near}?"))
                .unwrap_or_default();
            let message = format!("unknown tool {}{near}", cut(&request.name, 80));
            return Err(ErrorData::invalid_params(message, None));
        }
        let name = request.name.clone();
        let mut call = std::pin::pin!(
            self.tools
                .call(ToolCallContext::new(self, request, context))
        );
        // Without this a panic means that no answer is ever sent.
        let answer = poll_fn(|task| {
            let polled = catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(task)));
            polled.unwrap_or_else(|_| Poll::Ready(Ok(broken_off(&name).result().into())))
        });
        match answer.await {
            Err(error) => match Fail::from_error(&error) {
                Some(refusal) => Ok(refusal.result().into()),
                None => Err(error),
            },
            ok => ok,
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.list.to_vec()))
    }

    /// A known method whose parameters do not fit arrives here as well.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A request that carries its protocol's version needs no `initialize`, and that protocol has none.
        let stateless = context.meta.protocol_version().is_some();
        Err(unfit(&request, stateless))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = resources::list(&self.service, self.with_graph);
        Ok(ListResourcesResult::with_all_items(all))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(
            resources::templates(),
        ))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if !resources::is_made(&request.uri) {
            let go_on = &mut |_, _| ControlFlow::Continue(());
            return resources::read(&self.service, &request.uri, go_on).map(Into::into);
        }
        let read = self.later(&context, move |service, watch| {
            Ok(resources::read(service, &request.uri, watch))
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

/// What is said of a tool that panicked: how far it came is not known.
fn broken_off(tool: &str) -> Fail {
    tracing::error!(tool, "a tool broke off");
    let message = format!("{tool} broke off, which is a fault of this program");
    Refusal::new("internal", message)
        .hint("other calls go on; look with get_history whether anything was changed")
        .into()
}

fn unfit(request: &CustomRequest, stateless: bool) -> ErrorData {
    const KNOWN: [&str; 9] = [
        "tools/call",
        "tools/list",
        "resources/read",
        "resources/list",
        "resources/templates/list",
        "prompts/get",
        "prompts/list",
        "completion/complete",
        "server/discover",
    ];
    let method = request.method.as_str();
    // What one of the eras has only.
    let known = match method {
        "initialize" | "resources/subscribe" | "resources/unsubscribe" => !stateless,
        "subscriptions/listen" => stateless,
        method => KNOWN.contains(&method),
    };
    if !known {
        let message = format!("there is no method {}", cut(method, 80));
        return ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None);
    }
    let why = match (method, &request.params) {
        (_, None) => "`params` is missing",
        ("tools/call", Some(params))
            if !params.get("name").is_some_and(serde_json::Value::is_string) =>
        {
            "`name` must be a string"
        }
        ("tools/call", Some(params))
            if params
                .get("arguments")
                .is_some_and(|given| !given.is_object()) =>
        {
            "`arguments` must be an object"
        }
        (_, Some(_)) => "`params` does not fit the method",
    };
    ErrorData::invalid_params(format!("{method}: {why}"), None)
}
