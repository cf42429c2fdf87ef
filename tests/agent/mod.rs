//! Talks to the program as agents do: with rmcp's client, which shakes hands first and is told how far work is.

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation,
    ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::Value as Json;
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
