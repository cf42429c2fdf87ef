//! The pages of docs/coming-from: what they say is to be configured starts, and has the tools that they name.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::TokioChildProcess;
use serde_json::Value as Json;
use tokio::process::Command;
use tokio::sync::mpsc;

use super::systems::EXPORT;
use crate::agent::{Client, Running};

/// File of a memory server.
const MEMORY: &str =
    r#"{"type":"entity","name":"TP53","entityType":"gene","observations":["on 17p13"]}"#;
/// Home folder of the person on the pages.
const HOME: &str = "/home/ada/";

/// The text between two marks.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let from = text.find(begin).expect("it begins") + begin.len();
    let length = text[from..].find(end).expect("it ends");
    &text[from..from + length]
}

/// Texts in back quotes in the first column of the tables of a page.
fn named(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| row.split('|').next());
    cells
        .flat_map(|cell| cell.split('`').skip(1).step_by(2))
        .collect()
}

/// The server that a page configures, with its files in a folder.
async fn configured(page: &str, folder: &Path) -> Running {
    let config: Json = serde_json::from_str(between(page, "```json\n", "```")).expect("JSON");
    let servers = config["mcpServers"].as_object().expect("servers");
    let server = servers.values().next().expect("a server");
    assert_eq!(server["command"], "fibula");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    command.env("HOME", folder).env("XDG_DATA_HOME", folder);
    for name in ["FIBULA_DATA", "MEMORY_FILE_PATH", "DATA_PATH"] {
        command.env_remove(name);
    }
    for argument in server["args"].as_array().expect("arguments") {
        command.arg(argument.as_str().expect("a text"));
    }
    for (name, value) in server["env"].as_object().into_iter().flatten() {
        let value = value.as_str().expect("a text");
        let file = folder.join(value.strip_prefix(HOME).expect("her file"));
        let is_memory = name == "MEMORY_FILE_PATH";
        fs::write(&file, if is_memory { MEMORY } else { EXPORT }).expect("a file");
        command.env(name, file);
    }
    let (sender, _) = mpsc::unbounded_channel();
    let child = TokioChildProcess::new(command).expect("the program starts");
    Client(sender).serve(child).await.expect("a connection")
}

#[tokio::test]
async fn pages_say_what_starts_and_name_each_tool() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/coming-from");
    let mut pages = 0;
    for entry in fs::read_dir(folder).expect("pages") {
        let path = entry.expect("a page").path();
        if path.ends_with("README.md") {
            continue;
        }
        pages += 1;
        let page = fs::read_to_string(&path).expect("a page");
        let home = tempfile::tempdir().expect("a folder");
        let client = configured(&page, home.path()).await;
        let tools = client.list_all_tools().await.expect("tools");
        let tools: BTreeSet<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(named(&page), tools, "{}", path.display());
        for (tool, what) in [("read_graph", "TP53"), ("get_schema", "Evidence")] {
            if tools.contains(tool) {
                let read = client.call_tool(CallToolRequestParams::new(tool)).await;
                let read = serde_json::to_string(&read.expect("an answer")).expect("JSON");
                assert!(read.contains(what), "{}: {read}", path.display());
            }
        }
        client.cancel().await.expect("it ends");
    }
    assert_eq!(pages, 5);
}
