//! What agents, programs and people are told of a project that is damaged in the middle of its history.

use std::ops::ControlFlow;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use fibula::service::{CreateNode, Options, Service};
use fibula::store::{LogRange, ProjectId, Record, Sqlite, Store, sqlite};
use serde_json::{Value as Json, json};

use crate::calls::{add, origin, replace_record};
use crate::talk::{Data, Http, Pipe};

/// Fills project "default" up to revision 21, and flips a bit of revision 6.
fn fill(folder: &Path) {
    let path = folder.join("fibula.db");
    let store = Arc::new(Sqlite::open(&path, &sqlite::Options::default()).unwrap());
    let service = Service::with_store(store.clone(), &Options::default());
    add(&service, "F", "length(pos) - 1");
    for _ in 0..20 {
        let node = json!({ "function_id": 1, "node_type": "Addition" });
        let node: CreateNode = serde_json::from_value(node).unwrap();
        service.create_node(&origin(), node).unwrap();
    }
    let id = ProjectId(1);
    let mut damaged = None;
    store
        .read(id, LogRange::After(5), true, &mut |record| {
            damaged = Some(record);
            ControlFlow::Break(())
        })
        .unwrap();
    let mut record: Record = damaged.unwrap();
    record.body[20] ^= 1;
    replace_record(&*store, id, record);
}

fn is_warning(answer: &Json) -> bool {
    let warnings = answer["warnings"].as_array().into_iter().flatten();
    let mut warnings = warnings.filter_map(Json::as_str);
    warnings.any(|text| text.contains("revision 5 is the last of 21 that can be read"))
}

#[test]
fn answers_about_a_damaged_project_say_so() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let data = Data::Shared(folder.path());
    let mut pipe = Pipe::on(&data, &[], folder.path());
    let point = json!({ "function_id": 1, "arguments": { "pos": [3, 4, 0] } });
    for (tool, arguments) in [
        ("get_function", json!({ "function_id": 1 })),
        ("list_functions", json!({})),
        ("evaluate", point),
        ("get_history", json!({})),
    ] {
        let answer = call!(pipe, tool, arguments.clone());
        assert!(is_warning(&answer), "{tool}: {answer}");
        // A revision before the damage is what it was, and one after it is refused.
        if tool != "get_history" {
            let mut at = arguments.clone();
            at["revision"] = json!(4);
            assert_eq!(call!(pipe, tool, at)["revision"], 4);
            let mut at = arguments;
            at["revision"] = json!(9);
            assert_starts!(refusal!(pipe, tool, at) => "damaged_store: revision 6 is damaged");
        }
    }
    let history = call!(pipe, "get_history", {});
    assert_eq!(
        (&history["revision"], &history["total"]),
        (&json!(21), &json!(21))
    );
    let other = refusal!(pipe, "get_function", { "function_id": 7 });
    assert_contains!(other => "revision 5 is the last of 21");
    let export = refusal!(pipe, "export", { "format": "3mf", "path": "part.3mf" });
    assert_starts!(export => "damaged_store: project 'default' is damaged after revision 5 of 21");
    let node = json!({ "function_id": 1, "node_type": "Addition" });
    assert_starts!(refusal!(pipe, "create_node", node) => "damaged_store: ");
    let uri = json!({ "uri": "fibula://projects/default/functions/1" });
    let read = pipe.ask("resources/read", &uri);
    let second = read["result"]["contents"][1]["text"].as_str().unwrap();
    assert_contains!(second => "revision 5 is the last of 21");

    let http = Http::on(&data, &[], None);
    let get = |path: &str| http.request("GET", path, &[], b"");
    let (status, headers, body) = get("/api/projects/default/functions/1");
    assert_eq!(status, 200, "{headers} {body}");
    let body: Json = serde_json::from_str(&body).unwrap();
    assert!(is_warning(&body), "{body}");
    let query = br#"{"query":"{ __typename }"}"#;
    let (_, _, body) = http.request("POST", "/graphql", &[], query);
    assert_contains!(body => r#""extensions":{"warnings":["project 'default' is damaged"#);
    let (status, _, body) = get("/api/projects/default/export.3mf");
    assert_eq!(status, 500, "{body}");
    let (status, headers, body) = get("/api/projects/default/functions/1/picture");
    assert_eq!(status, 200, "{headers} {body}");
    assert_contains!(headers.to_lowercase() => "fibula-warnings: [\"project 'default' is damaged");
}

#[test]
fn commands_on_a_damaged_project_say_so_and_write_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let run = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fibula"));
        command.args(line.split(' ')).current_dir(folder.path());
        let output = command.env("FIBULA_DATA", folder.path()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    let (code, history, warning) = run("history default");
    assert_eq!(code, Some(0));
    assert_starts!(history => "21 ");
    assert_contains!(warning => "revision 5 is the last of 21");
    for line in [
        "export default part.3mf",
        "export default part.jsonl",
        "export default part.jsonl --without-history",
        "mesh default -o part.stl",
        "graph export default part.graphml",
        "backup copy.db",
    ] {
        let (code, _, error) = run(line);
        assert_eq!(code, Some(1), "{line}: {error}");
        assert_contains!(error => "damaged_store");
        let file = line.split(' ').find(|word| word.contains('.')).unwrap();
        assert!(!folder.path().join(file).exists(), "{line}");
    }
    assert_eq!(run("export default part.3mf --revision 5").0, Some(0));
    let (code, told, _) = run("backup copy.db --damaged");
    assert_eq!(
        (code, told.contains("copy.db is a copy of")),
        (Some(0), true),
        "{told}"
    );
    let (code, told, _) = run("recover new.db");
    assert_eq!(code, Some(0));
    assert_contains!(told => "revisions 1 to 5 are as they were");
    assert_contains!(told => "15 later changes were applied again, 1 are lost");
    assert_eq!(run("verify --data new.db").0, Some(0));
    let (_, history, _) = run("history default --data new.db --limit 30");
    assert_starts!(history => "21 ");
    let (code, _, error) = run("recover new.db");
    assert_eq!(code, Some(1), "{error}");
}
