//! *Point and say*: a person marks a place, and an agent that is subscribed to the project reads the mark with its picture,
//! changes the part, and closes the mark.

use std::sync::Arc;
use std::time::Duration;

use fibula::edit::Origin;
use fibula::mcp::{Options, Server};
use fibula::service::{CreateFunctionFromExpression, ListMarks, MakeMark, Refusal, Service};
use rmcp::model::{
    CallToolResult, ClientCapabilities, ClientConfig, Implementation,
    ResourceUpdatedNotificationParam, SubscribeRequestParams,
};
use rmcp::service::{NotificationContext, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use crate::agent::request;

const PLATE: &str = "let thickness = 6; let hole = 3;
difference(box(pos, vec3(80, 50, thickness)), cylinder(pos, hole, 40))";
const SUMMARY: &str = "fibula://projects/default/summary";
/// Longer than a notification takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client that keeps the addresses of changed resources.
struct Subscriber(mpsc::UnboundedSender<String>);

impl ClientHandler for Subscriber {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("plate agent", "1"),
        )
    }

    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let _ = self.0.send(updated.uri);
    }
}

type Agent = RunningService<RoleClient, Subscriber>;

fn person() -> Origin {
    Origin::program("page", "tests")
}

/// A plate, and an agent that is subscribed to its project.
async fn plate() -> (Arc<Service>, Agent, mpsc::UnboundedReceiver<String>) {
    let service = Arc::new(Service::default());
    let function = CreateFunctionFromExpression::new("Plate", PLATE);
    service
        .create_function_from_expression(&person(), function)
        .expect("a function");
    let server = Server::new(service.clone(), &Options::default());
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        let running = server.serve(ours).await.expect("a connection");
        running.waiting().await.expect("it ends");
    });
    let (sender, told) = mpsc::unbounded_channel();
    let agent = Subscriber(sender).serve(theirs).await;
    let agent = agent.expect("a connection");
    #[expect(deprecated, reason = "clients of 2025-11-25 subscribe so")]
    let subscribed = agent.subscribe(SubscribeRequestParams::new(SUMMARY)).await;
    subscribed.expect("a subscription");
    (service, agent, told)
}

fn mark(service: &Service, request: &Json) -> Result<Json, Refusal> {
    let request: MakeMark = serde_json::from_value(request.clone()).expect("a request");
    let watch = &mut |_, _| std::ops::ControlFlow::Continue(());
    let made = service.make_mark(&person(), request, watch)?;
    Ok(json!(made))
}

fn marks(service: &Service) -> Json {
    json!(service.list_marks(&ListMarks::default()).expect("marks"))
}

async fn next(told: &mut mpsc::UnboundedReceiver<String>) {
    let uri = tokio::time::timeout(PATIENCE, told.recv()).await;
    assert_eq!(uri.expect("it is told"), Some(SUMMARY.to_owned()));
}

async fn call(agent: &Agent, tool: &str, arguments: Json) -> CallToolResult {
    let result = agent.call_tool(request(tool, arguments)).await;
    let result = result.expect("an answer");
    assert_ne!(result.is_error, Some(true), "{tool}: {result:?}");
    result
}

async fn fields(agent: &Agent, tool: &str, arguments: Json) -> Json {
    let result = call(agent, tool, arguments).await;
    result.structured_content.expect("fields")
}

/// The picture of an answer, and the revision that it says.
async fn picture(agent: &Agent, arguments: Json) -> (String, Json) {
    let result = json!(call(agent, "render", arguments).await);
    let content = result["content"].as_array().expect("content").iter();
    let (mut png, mut facts) = (None, None);
    for part in content {
        match part["type"].as_str() {
            Some("image") => png = part["data"].as_str().map(str::to_owned),
            Some("text") => facts = part["text"].as_str().map(str::to_owned),
            _ => {}
        }
    }
    let facts: Json = serde_json::from_str(&facts.expect("a text")).expect("JSON");
    (png.expect("a picture"), facts["revision"].clone())
}

#[tokio::test]
async fn a_hole_is_marked_answered_and_reopened() {
    let (service, agent, mut told) = plate().await;
    // From above, at the wall of the hole.
    let ray = json!({ "origin": [0, 0, 0], "direction": [1, 0, 0] });
    let made = mark(
        &service,
        &json!({ "text": "wider, M8 has to pass", "at": { "function_id": 1, "ray": ray, "orbit": [-60, 50] } }),
    )
    .expect("a mark");
    let point = made["point"].as_array().expect("a point");
    assert!((point[0].as_f64().expect("x") - 3.0).abs() < 1e-6, "{made}");
    assert!((made["normal"][0].as_f64().expect("x") + 1.0).abs() < 1e-4);
    assert!(made["value"].as_f64().expect("a value").abs() < 1e-6);
    // It is in the function `cylinder`, which a node of the plate calls.
    let node = &made["node"];
    let about = made["about"].as_array().expect("ends");
    let ends: Vec<&str> = about.iter().filter_map(Json::as_str).collect();
    assert_eq!(ends.len(), 3, "{made}");
    assert_eq!(
        ends[0],
        format!("fn:{}/{}", node["function_id"], node["node_id"])
    );
    assert!(ends[1].starts_with("fn:1/"), "{made}");
    assert_eq!(ends[2], "fn:1");
    next(&mut told).await;

    let id = made["id"].clone();
    let summary = fields(&agent, "summarize", json!({})).await;
    assert_eq!(summary["open_marks"][0]["id"], id, "{summary}");
    assert_eq!(summary["open_marks"][0]["label"], "wider, M8 has to pass");
    let got = fields(&agent, "get_nodes", json!({ "nodes": [id] })).await;
    assert_eq!(got["nodes"][0]["data"]["point"], made["point"], "{got}");
    assert_eq!(
        got["nodes"][0]["data"]["camera"]["orbit"],
        json!([-60.0, 50.0])
    );
    let small = json!([96, 96]);
    let before = picture(&agent, json!({ "mark": id, "size": small })).await;
    assert_eq!(before.1, 1, "the marked revision");

    let set = json!({ "function": "Plate", "parameter": "hole", "value": 4.5 });
    fields(&agent, "set_parameter_value", set).await;
    next(&mut told).await;
    let after = picture(&agent, json!({ "mark": id, "revision": 3, "size": small })).await;
    assert_eq!(after.1, 3);
    assert_ne!(before.0, after.0, "the hole is wider");
    let changed = json!({ "mark": id, "revision": 3, "since": 1, "size": small });
    let changed = picture(&agent, changed).await;
    assert_ne!(changed.0, after.0, "what was removed is coloured");
    let close = json!({ "nodes": [{ "id": id, "data": { "status": "done" },
        "add_observations": ["hole is 4.5 mm now"] }] });
    fields(&agent, "update", close).await;
    next(&mut told).await;

    let listed = marks(&service);
    let shown = &listed["marks"][0];
    assert_eq!(shown["data"]["status"], "done", "{listed}");
    assert_eq!(shown["data"]["answered_in"], 3, "the edit that did it");
    assert_eq!(shown["observations"][0]["by"], "plate agent");
    let summary = fields(&agent, "summarize", json!({})).await;
    assert!(summary.get("open_marks").is_none(), "{summary}");

    let reopen = json!({ "nodes": [{ "id": id, "data": { "status": "open" } }] });
    let reopen = serde_json::from_value(reopen).expect("a request");
    service.update_knowledge(&person(), &reopen).expect("open");
    next(&mut told).await;
    let summary = fields(&agent, "summarize", json!({})).await;
    assert_eq!(summary["open_marks"][0]["id"], id, "{summary}");
    assert!(
        marks(&service)["marks"][0]["data"]
            .get("answered_in")
            .is_none()
    );
    agent.cancel().await.expect("it ends");
}

#[tokio::test]
async fn everything_that_can_be_pointed_at_is_marked() {
    let (service, agent, _told) = plate().await;
    let known = json!({ "nodes": [
        { "id": "a", "label": "M8 passes", "types": "requirement" },
        { "id": "b", "label": "steel", "types": "material" } ],
        "edges": [{ "id": "e", "source": "a", "target": "b", "type": "affects" }] });
    fields(&agent, "add_nodes", known).await;
    let slice = json!({ "function_id": 1, "point": [3, 0, 1], "section": { "z": 1 } });
    for (request, about, decides) in [
        (json!({ "at": slice }), None, true),
        (
            json!({ "about": ["fn:Plate/0"], "port": "shape" }),
            Some(json!(["fn:Plate/0"])),
            false,
        ),
        (
            json!({ "about": ["fn:Plate#hole"] }),
            Some(json!(["fn:Plate#hole"])),
            false,
        ),
        (json!({ "edge": "e" }), Some(json!(["a", "b"])), false),
    ] {
        let mut request = request;
        request["text"] = json!("<b>here</b>");
        let made =
            mark(&service, &request).unwrap_or_else(|refusal| panic!("{request}: {refusal}"));
        if let Some(about) = about {
            assert_eq!(made["about"], about, "{request}");
        }
        assert_eq!(made.get("node").is_some(), decides, "{made}");
    }
    assert_eq!(marks(&service)["marks"].as_array().expect("marks").len(), 4);
    // A mark at a node is drawn with its function.
    let graph = json!({ "mark": marks(&service)["marks"][1]["id"] });
    call(&agent, "render", graph).await;
    agent.cancel().await.expect("it ends");
}

#[tokio::test]
async fn what_is_no_place_is_refused() {
    let (service, agent, _told) = plate().await;
    let away = json!({ "origin": [0, 0, 90], "direction": [0, 0, 1] });
    for (request, code) in [
        (json!({ "text": "here" }), "invalid_arguments"),
        (
            json!({ "text": " ", "about": ["fn:1"] }),
            "invalid_arguments",
        ),
        (
            json!({ "text": "here", "at": { "function_id": 1, "ray": away } }),
            "invalid_arguments",
        ),
        (
            json!({ "text": "here", "at": { "function_id": 1 } }),
            "invalid_arguments",
        ),
        (json!({ "text": "here", "edge": "e9" }), "unknown_edge"),
        (
            json!({ "text": "here", "about": ["fn:1/99"] }),
            "unknown_node",
        ),
    ] {
        let refused = mark(&service, &request).expect_err("no mark");
        assert_eq!(refused.code, code, "{request}: {refused}");
    }
    assert_eq!(marks(&service)["marks"], json!([]));
    let known = json!({ "nodes": [{ "id": "a", "label": "steel", "types": "material" },
        { "id": "m", "label": "where", "types": "mark" },
        { "id": "s", "label": "strange", "types": "mark", "data": { "point": "here" } }] });
    fields(&agent, "add_nodes", known).await;
    for node in ["a", "m", "s", "none"] {
        let result = agent
            .call_tool(request("render", json!({ "mark": node })))
            .await;
        let result = result.expect("an answer");
        assert_eq!(result.is_error, Some(true), "{node}: {result:?}");
    }
    agent.cancel().await.expect("it ends");
}
