//! Servers that start on a file, as the servers do in whose place they come.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value as Json, json};

const MEMORY: &str = r#"{"type":"entity","name":"TP53","entityType":"gene","observations":["on 17p13"]}
{"type":"entity","name":"MDM2","entityType":"gene","observations":[]}
{"type":"relation","from":"MDM2","to":"TP53","relationType":"inhibits"}
"#;

/// Answers of a server to calls, and its error output. `FIBULA_DATA` is not set, as for people who never heard of it.
fn talk(
    folder: &Path,
    variables: &[(&str, &str)],
    arguments: &[&str],
    calls: &[Json],
) -> (Vec<Json>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
    command
        .arg("mcp")
        .args(arguments)
        .current_dir(folder)
        .env_remove("FIBULA_DATA")
        .env("HOME", folder)
        .env("XDG_DATA_HOME", folder)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let mut to = child.stdin.take().expect("a pipe");
    let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
                        "clientInfo": { "name": "test", "version": "1" } });
    let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
    let calls = (1..).zip(calls).map(|(id, call)| {
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call",
                "params": { "name": call[0], "arguments": call[1] } })
    });
    // A server that ends at once reads nothing, which is told by what it says.
    let lines = std::iter::once(hello)
        .chain(calls)
        .map(|call| format!("{call}\n"));
    let _ = to.write_all(lines.collect::<String>().as_bytes());
    drop(to);
    let output = child.wait_with_output().expect("it ends");
    let answers = String::from_utf8(output.stdout).expect("text");
    let mut answers: Vec<Json> = answers
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers.retain(|answer| answer["id"] != json!(0));
    let answers = answers
        .into_iter()
        .map(|answer| answer["result"]["structuredContent"].clone());
    (
        answers.collect(),
        String::from_utf8(output.stderr).expect("text"),
    )
}

fn names(graph: &Json) -> Vec<&str> {
    let entities = graph["entities"].as_array().expect("entities").iter();
    entities
        .map(|entity| entity["name"].as_str().expect("a name"))
        .collect()
}

#[test]
fn a_memory_file_is_brought_in_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("memory.jsonl");
    let variables = [("MEMORY_FILE_PATH", "memory.jsonl")];
    let toolset = ["--toolsets", "memory"];
    let read = json!(["read_graph", {}]);
    let read_graph = |variables: &[(&str, &str)]| {
        talk(
            folder.path(),
            variables,
            &toolset,
            std::slice::from_ref(&read),
        )
    };
    let (answers, said) = read_graph(&variables);
    assert_eq!(names(&answers[0]), [""; 0], "{said}");
    fs::write(&file, "\n").expect("a file");
    let (answers, said) = read_graph(&variables);
    assert_eq!(names(&answers[0]), [""; 0], "{said}");
    fs::write(&file, MEMORY).expect("a file");
    let delete = json!(["delete_entities", { "entityNames": ["MDM2"] }]);
    let (answers, said) = read_graph(&variables);
    assert_eq!(names(&answers[0]), ["TP53", "MDM2"]);
    assert_contains!(said => "memory.jsonl: 2 nodes and 1 edges were read");
    talk(folder.path(), &variables, &toolset, &[delete]);
    // What was deleted does not come back, and the file is as it was.
    let (answers, said) = read_graph(&variables);
    assert_eq!(names(&answers[0]), ["TP53"], "{said}");
    assert_eq!(fs::read_to_string(&file).expect("a file"), MEMORY);
    // Another file is another memory.
    let (answers, _) = read_graph(&[("MEMORY_FILE_PATH", "other.jsonl")]);
    assert_eq!(names(&answers[0]), [""; 0]);
    // A file that somebody wrote to is brought in again.
    let more = format!(
        "{MEMORY}{}\n",
        r#"{"type":"entity","name":"ATM","entityType":"gene","observations":[]}"#
    );
    fs::write(&file, more).expect("a file");
    let (answers, _) = talk(folder.path(), &variables, &toolset, &[read]);
    let mut found = names(&answers[0]);
    found.sort_unstable();
    assert_eq!(found, ["ATM", "MDM2", "TP53"]);
}

#[test]
fn a_variable_is_for_the_toolset_of_its_server() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("memory.jsonl"), MEMORY).expect("a file");
    let variables = [("MEMORY_FILE_PATH", "memory.jsonl")];
    let (_, said) = talk(folder.path(), &variables, &["--toolsets", "knowledge"], &[]);
    assert!(!said.contains("brought in"), "{said}");
    let found = json!(["search_nodes", { "query": "17p13" }]);
    let opened = ["--toolsets", "knowledge", "--open", "memory.jsonl"];
    let (answers, _) = talk(folder.path(), &[], &opened, &[found]);
    assert_eq!(answers[0]["nodes"][0]["label"], "TP53");
}

#[test]
fn a_file_that_cannot_be_opened_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let (_, said) = talk(folder.path(), &[], &["--open", "nothing.jsonl"], &[]);
    assert_contains!(said => "nothing.jsonl cannot be read");
    let (_, said) = talk(
        folder.path(),
        &[("DATA_PATH", "nothing.jsonld")],
        &["--toolsets", "discourse"],
        &[],
    );
    assert_contains!(said => "nothing.jsonld cannot be read");
    fs::write(folder.path().join("noise.bin"), [0xff, 0xfe, 0]).expect("a file");
    let (_, said) = talk(folder.path(), &[], &["--open", "noise.bin"], &[]);
    assert_contains!(said => "noise.bin is not UTF-8 text");
}

/// Pages without declarations, in another program's prefixes.
const PAGES: &str = r#"{
  "@context": { "dg": "https://discoursegraphs.com/schema/dg_core#", "dc": "http://purl.org/dc/terms/" },
  "@graph": [
    { "@id": "pages:a1", "dc:title": "[[RES]] - Actin bends", "dc:creator": "Ada", "dc:created": "2024-01-10T10:00:00Z" },
    { "@id": "pages:b2", "dc:title": "[[[[CLM]] - Load bends [[Actin bends]]]]", "dc:creator": { "@id": "pages:ben", "name": "Ben" },
      "dg:supports": { "@id": "pages:a1" } },
    { "@id": "pages:c3", "dc:title": "[[XYZ]] - Other" }
  ]
}"#;

#[test]
fn pages_without_declarations_are_a_discourse_graph() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.jsonld");
    fs::write(&file, PAGES).expect("a file");
    let mut pipe = crate::talk::Pipe::new(
        &[
            "--toolsets",
            "discourse,knowledge",
            "--open",
            file.to_str().expect("text"),
        ],
        folder.path(),
    );
    let mut ask = |tool: &str, arguments: Json| -> Json {
        let params = json!({ "name": tool, "arguments": arguments });
        let result = pipe.ask("tools/call", &params)["result"].clone();
        assert_ne!(result["isError"], json!(true), "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().expect("a text");
        serde_json::from_str(text).expect("JSON")
    };
    for uid in ["a1", "pages:a1"] {
        let node = ask("discourse_get_node", json!({ "uid": uid }));
        let got = [
            &node["nodeType"],
            &node["title"],
            &node["creator"],
            &node["created"],
        ];
        let expected = ["RES", "Actin bends", "Ada", "2024-01-10T10:00:00.000Z"];
        assert_eq!(json!(got), json!(expected));
    }
    let linked = ask("discourse_get_linked_nodes", json!({ "uid": "b2" }));
    assert_eq!(linked["sourceTitle"], "Load bends [[Actin bends]]");
    assert_eq!(linked["linkedNodes"][0]["relationshipType"], "supports");
    assert_eq!(linked["linkedNodes"][0]["creator"], "Ada");
    let node = ask("discourse_get_node", json!({ "uid": "b2" }));
    assert_eq!(
        (&node["creator"], &node["linkedNodes"]),
        (&json!("Ben"), &json!(["a1"]))
    );
    let types = ask("discourse_get_schema", json!({}))["nodeTypes"].clone();
    assert_eq!(types["RES"]["label"], "Result");
    assert_eq!(types["XYZ"]["label"], "XYZ");
    // Nobody is said to have written what nobody is said to have written.
    let other = ask("discourse_get_node", json!({ "uid": "c3" }));
    assert_eq!(other["creator"], "unknown");
    let relations = ask("discourse_get_relationships", json!({}));
    assert_eq!(relations["relationships"][0]["creator"], "unknown");
}
