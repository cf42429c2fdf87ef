//! An agent's session: the built server is started, spoken to over MCP, and asked for a function that adds two
//! numbers.
//!
//! `cargo run --example agent`

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use rmcp::transport::TokioChildProcess;
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

/// The session with the server.
struct Agent(RunningService<RoleClient, ()>);

impl Agent {
    /// Calls a tool, and prints what went to and fro.
    async fn call(&self, tool: &'static str, arguments: Value) -> Result<Value, Failure> {
        println!("> {tool} {arguments}");
        let request = CallToolRequestParams::new(tool)
            .with_arguments(arguments.as_object().cloned().unwrap_or_default());
        let result = self.0.call_tool(request).await?;
        if let Some(answer) = result.structured_content {
            println!("  {answer}");
            return Ok(answer);
        }
        // A refusal is text, for the agent to read.
        let text = result.content.first().and_then(|content| content.as_text());
        println!("  {}", text.map_or("", |text| &text.text));
        Ok(Value::Null)
    }
}

/// `fibula mcp`: the program that `FIBULA_BIN` names, or one that is built like this example.
fn server() -> tokio::process::Command {
    let mut command = if let Some(program) = std::env::var_os("FIBULA_BIN") {
        tokio::process::Command::new(program)
    } else {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = tokio::process::Command::new(cargo);
        command.args(["run", "--quiet", "--bin", "fibula", "--manifest-path"]);
        command.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        if !cfg!(debug_assertions) {
            command.arg("--release");
        }
        command.arg("--");
        command
    };
    // What the example does is not kept.
    command.args(["mcp", "--data", ":memory:"]);
    command
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let mut agent = Agent(().serve(TokioChildProcess::new(server())?).await?);
    let tools = agent.0.list_all_tools().await?;
    let (count, first, second) = (tools.len(), &tools[0].name, &tools[1].name);
    println!("{count} tools, among them {first} and {second}");

    let made = json!({ "name": "MyAdder", "expression": "0" });
    let adder = agent.call("create_function_from_expression", made).await?["function_id"].clone();
    for value in [5, 10] {
        let made = json!({ "function_id": adder, "node_type": "ConstantScalar" });
        let node = agent.call("create_node", made).await?["node_id"].clone();
        let set = json!({ "function_id": adder, "node_id": node, "parameter_name": "Value", "value": value });
        agent.call("set_parameter_value", set).await?;
    }
    let sum = json!({ "function_id": adder, "node_type": "Addition" });
    agent.call("create_node", sum).await?;
    for (source, port, target, parameter) in [
        (1, "Value", 3, "A"),
        (2, "Value", 3, "B"),
        (3, "Result", 0, "Shape"),
    ] {
        let link = json!({
            "function_id": adder,
            "source_node_id": source, "source_port_name": port,
            "target_node_id": target, "target_parameter_name": parameter,
        });
        agent.call("create_link", link).await?;
    }
    let evaluate = json!({ "function_id": adder });
    let evaluated = agent.call("evaluate", evaluate).await?;
    assert_eq!(evaluated["values"], json!({ "shape": 15.0 }));

    // A refusal teaches, and changes nothing.
    let cycle = json!({
        "function_id": adder,
        "source_node_id": 3, "source_port_name": "Result",
        "target_node_id": 3, "target_parameter_name": "A",
    });
    agent.call("create_link", cycle).await?;
    agent.0.close().await?;
    Ok(())
}
