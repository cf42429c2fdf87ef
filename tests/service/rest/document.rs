//! docs/openapi.json is what the server says; `FIBULA_BLESS=1 cargo test --test service rest` writes it anew.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value as Json, json};
use utoipa::openapi::OpenApi;

use super::ask;
use crate::talk::Http;

fn document() -> Json {
    serde_json::to_value(fibula::http::document()).expect("it is JSON")
}

/// Every operation: path, method, what is said of it.
fn operations(document: &Json) -> Vec<(String, String, Json)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("methods") {
            all.push((path.clone(), method.to_uppercase(), operation.clone()));
        }
    }
    all
}

/// Every reference anywhere.
fn references<'a>(value: &'a Json, found: &mut BTreeSet<&'a str>) {
    match value {
        Json::Object(members) => {
            if let Some(reference) = members.get("$ref").and_then(Json::as_str) {
                found.insert(reference);
            }
            members.values().for_each(|value| references(value, found));
        }
        Json::Array(list) => list.iter().for_each(|value| references(value, found)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

#[test]
fn openapi_json_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/openapi.json");
    let text = serde_json::to_string_pretty(&fibula::http::document()).expect("it is JSON") + "\n";
    if std::env::var_os("FIBULA_BLESS").is_some() {
        std::fs::write(&path, &text).expect("docs/openapi.json can be written");
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        held == text,
        "docs/openapi.json is out of date: FIBULA_BLESS=1 cargo test --test service rest"
    );
    let http = Http::new(&[], None);
    assert_eq!(done!(http, "GET", "/api/openapi.json"), document());
}

#[test]
fn the_document_is_whole() {
    let document = document();
    assert_eq!(document["openapi"], "3.1.0");
    // It reads as what it was written from: nothing in it is unknown to the model.
    let read: OpenApi = serde_json::from_value(document.clone()).expect("it is OpenAPI");
    assert_eq!(serde_json::to_value(&read).expect("it is JSON"), document);
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 20, "{found:?}");
    for reference in &found {
        let pointer = reference.strip_prefix('#').expect("it is in the document");
        assert!(document.pointer(pointer).is_some(), "{reference} dangles");
    }
    for name in document["components"]["schemas"]
        .as_object()
        .expect("schemas")
        .keys()
    {
        let own = format!("#/components/schemas/{name}");
        assert!(found.contains(own.as_str()), "nothing refers to {name}");
    }
}

#[test]
fn every_operation_is_said_whole() {
    let document = document();
    let mut ids = BTreeSet::new();
    let operations = operations(&document);
    assert!(operations.len() > 30, "{}", operations.len());
    for (path, method, operation) in operations {
        let id = operation["operationId"].as_str().expect("an id").to_owned();
        assert!(ids.insert(id.clone()), "{id} is a duplicate");
        let summary = operation["summary"].as_str().unwrap_or_default();
        assert!(summary.len() > 10, "{id}: {summary}");
        assert!(!summary.ends_with('.'), "{id}: {summary}");
        assert!(operation["tags"][0].is_string(), "{id}");
        for range in ["4XX", "5XX"] {
            let refused = &operation["responses"][range]["$ref"];
            assert_eq!(refused, "#/components/responses/Refused", "{id}");
        }
        let answer = operation["responses"]["200"]["content"]
            .as_object()
            .expect("an answer");
        let media = match id.as_str() {
            "sample" | "get_file" | "get_function_picture" => 2,
            "export" => 7,
            "export_graph" => 8,
            "render_graph" => 5,
            _ => 1,
        };
        assert_eq!(answer.len(), media, "{id}");
        let list = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let names = |place: &str| {
            let of = list.iter().filter(|parameter| parameter["in"] == place);
            of.map(|parameter| parameter["name"].as_str().expect("a name").to_owned())
                .collect::<BTreeSet<_>>()
        };
        let parts = path
            .split('{')
            .skip(1)
            .filter_map(|part| part.split_once('}'));
        let parts: BTreeSet<String> = parts.map(|(name, _)| name.to_owned()).collect();
        assert_eq!(names("path"), parts, "{id}");
        for parameter in &list {
            assert!(parameter["description"].is_string(), "{id}: {parameter}");
            let required = parameter["in"] == "path";
            assert_eq!(parameter["required"], required, "{id}: {parameter}");
        }
        let conditions = ["expected_revision", "dry_run"].map(str::to_owned).into();
        if path.starts_with("/api/projects/{project}/") && method != "GET" {
            let alone = [
                "evaluate",
                "sample",
                "render",
                "slice",
                "measure",
                "lay_out",
                "get_port_values",
                "pick",
                "export",
                "undelete_project",
                "duplicate_project",
            ];
            let expected = if alone.contains(&id.as_str()) {
                BTreeSet::new()
            } else {
                conditions
            };
            assert_eq!(names("query"), expected, "{id}");
        }
        assert!(
            matches!(&*method, "POST" | "PUT" | "PATCH") || operation.get("requestBody").is_none(),
            "{id}"
        );
    }
}

#[test]
fn every_operation_of_the_document_answers() {
    let http = Http::new(&[], None);
    for (path, method, operation) in operations(&document()) {
        // The streams would not end.
        let is_stream = operation["responses"]["200"]["content"]["text/event-stream"].is_object();
        let method = if is_stream { "HEAD" } else { &*method };
        let id = &operation["operationId"];
        let place = path.replace("{project}", "default");
        let place = place
            .replace("_id}", "}")
            .replace("{function}", "1")
            .replace("{node}", "1")
            .replace("{resource}", "1");
        let place = place
            .replace("{target_node}", "1")
            .replace("_parameter_name}", "}");
        let place = place
            .replace("{parameter_name}", "A")
            .replace("{target}", "A")
            .replace("{id}", "a")
            .replace("{request}", "a");
        assert!(!place.contains('{'), "{place}");
        if operation["responses"]["200"]["content"]["model/3mf"].is_object()
            && let (200, head, _) = http.request(method, &place, &[], b"")
        {
            assert_contains!(head => "model/3mf");
            continue;
        }
        // These are answered with files, however little is asked.
        let is_file = ["export_graph", "render_graph"].map(|name| *id == name);
        if method == "HEAD" || is_file.contains(&true) {
            assert_eq!(http.request(method, &place, &[], b"").0, 200);
            continue;
        }
        let (status, answer) = ask(&http, method, &place, &json!({}));
        assert!(![405, 500].contains(&status), "{id}: {answer}");
        assert_ne!(answer["code"], "unknown_route", "{id}");
    }
}
