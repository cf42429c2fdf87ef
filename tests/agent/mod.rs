//! Talks to the program as agents do: with rmcp's client, which shakes hands first and is told how far work is.

use std::path::Path;

use rmcp::model::ClientRequest;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation,
    ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RunningService, ServiceError};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value as Json, json};
use tempfile::TempDir;
use tokio::process::Command;
use tokio::sync::mpsc;

/// Calls a tool and returns the fields of its answer; its arguments are JSON in braces, or an expression.
macro_rules! ask {
    ($client:expr, $tool:expr, {$($arguments:tt)*}) => {
        crate::agent::call(&$client, $tool, serde_json::json!({$($arguments)*})).await
    };
    ($client:expr, $tool:expr, $arguments:expr) => { crate::agent::call(&$client, $tool, $arguments).await };
}

/// A client that keeps the progress notifications.
pub(crate) struct Client(pub(crate) mpsc::UnboundedSender<f64>);

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("agent of the test", "1"),
        )
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.0.send(progress.progress);
    }
}

pub(crate) type Running = RunningService<RoleClient, Client>;

/// `fibula mcp`, which keeps nothing.
pub(crate) fn child(arguments: &[&str]) -> TokioChildProcess {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    command.args(["mcp", "--data", ":memory:"]).args(arguments);
    TokioChildProcess::new(command).expect("the program starts")
}

/// An agent of 2025-11-25 with a server of its own, and its progress notifications.
pub(crate) async fn agent(arguments: &[&str]) -> (Running, mpsc::UnboundedReceiver<f64>) {
    let (sender, progress) = mpsc::unbounded_channel();
    let client = Client(sender).serve(child(arguments)).await;
    (client.expect("a connection"), progress)
}

pub(crate) fn request(tool: &str, arguments: Json) -> CallToolRequestParams {
    let Json::Object(arguments) = arguments else {
        panic!("arguments are an object")
    };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

/// The fields of an answer.
pub(crate) async fn call(client: &Running, tool: &str, arguments: Json) -> Json {
    let result = client
        .call_tool(request(tool, arguments))
        .await
        .expect("an answer");
    assert_ne!(result.is_error, Some(true), "{tool}: {result:?}");
    result.structured_content.expect("an answer has its fields")
}

/// A conversation of one agent with a server of its own, call by call.
pub(crate) struct Agent {
    runtime: tokio::runtime::Runtime,
    client: Running,
    /// Its working folder, if nothing else uses that.
    _folder: Option<TempDir>,
}

impl Agent {
    /// In a folder that nothing else uses.
    pub(crate) fn scratch(arguments: &[&str]) -> Agent {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().to_owned();
        Agent::start(arguments, &path, Some(folder))
    }

    pub(crate) fn new(arguments: &[&str], folder: &Path) -> Agent {
        Agent::start(arguments, folder, None)
    }

    fn start(arguments: &[&str], folder: &Path, own: Option<TempDir>) -> Agent {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
        command.args(["mcp", "--data", ":memory:"]).args(arguments);
        command.current_dir(folder);
        let (sender, _) = mpsc::unbounded_channel();
        let client = runtime.block_on(async {
            let child = TokioChildProcess::new(command).expect("the program starts");
            Client(sender).serve(child).await.expect("a connection")
        });
        Agent {
            runtime,
            client,
            _folder: own,
        }
    }

    /// Calls a tool: the fields of its answer, or the text of its refusal.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Json) -> Result<Json, String> {
        let params = json!({ "name": tool, "arguments": arguments });
        crate::talk::outcome(&self.ask("tools/call", &params))
    }

    /// The whole answer to a request, or its error.
    pub(crate) fn ask(&mut self, method: &str, params: &Json) -> Json {
        let request = json!({ "method": method, "params": params });
        let request: ClientRequest = serde_json::from_value(request).expect("a request");
        match self.runtime.block_on(self.client.send_request(request)) {
            Ok(result) => json!({ "result": result }),
            Err(ServiceError::McpError(error)) => json!({ "error": error }),
            Err(error) => panic!("{method} {params}: {error}"),
        }
    }

    /// The names of the tools that are listed.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().expect("tools").iter();
        let name = |tool: &Json| tool["name"].as_str().expect("a name").to_owned();
        tools.map(name).collect()
    }
}
