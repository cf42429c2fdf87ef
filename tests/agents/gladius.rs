//! The toolset `gladius`, as an agent uses it that knows Gladius's server.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::talk::Pipe;

/// An agent, and the tools that it has called with success.
struct Agent {
    pipe: Pipe,
    called: BTreeSet<String>,
    folder: TempDir,
}

impl Agent {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let toolsets = ["--toolsets", "project,function,gladius"];
        Agent {
            pipe: Pipe::new(&toolsets, folder.path()),
            called: BTreeSet::new(),
            folder,
        }
    }

    fn call(&mut self, tool: &str, arguments: &Json) -> Result<Json, String> {
        let answer = self.pipe.call(tool, arguments)?;
        self.called.insert(tool.to_owned());
        Ok(answer)
    }

    /// A function made of a formula; its id.
    fn function(&mut self, name: &str, expression: &str) -> u64 {
        let made = call!(self, "create_function_from_expression", { "name": name, "expression": expression });
        made["function_id"].as_u64().expect("an id")
    }

    /// The values of a function at points on the x axis.
    fn values(&mut self, function: u64, xs: &[f64]) -> Vec<f64> {
        let samples: Vec<Json> = xs.iter().map(|x| json!({ "pos": [x, 0, 0] })).collect();
        let evaluated =
            call!(self, "evaluate_function", { "function_id": function, "samples": samples });
        let results = evaluated["results"].as_array().expect("a list").iter();
        let value = |result: &Json| result["outputs"]["shape"].as_f64().expect("a number");
        results.map(value).collect()
    }

    fn structure(&mut self) -> Json {
        call!(self, "get_3mf_structure", {})
    }

    fn undo(&mut self) {
        call!(self, "undo", {});
    }
}

/// The names of the tools of a toolset.
fn names(toolset: &str) -> BTreeSet<String> {
    let mut pipe = Pipe::new(&["--toolsets", toolset], Path::new("."));
    pipe.tools().into_iter().collect()
}

#[test]
fn a_part_is_designed_from_the_empty_document_to_the_build() {
    let mut agent = Agent::new();
    let status = call!(agent, "get_status", {});
    assert_fields!(status, {
        "has_active_document": true, "active_document_path": "fibula://projects/default/structure"
    });
    agent.function("old", "1");
    let emptied = call!(agent, "create_document", {});
    assert_eq!(emptied["changed"], json!(["function 1 'old' removed"]));
    assert_eq!(agent.structure()["counts"]["functions"], 0);
    agent.undo();
    assert_eq!(agent.structure()["counts"]["functions"], 1);
    call!(agent, "create_document", {});

    functions(&mut agent);
    objects(&mut agent);
    unused(&mut agent);
    files_and_library(&mut agent);
    let all = names("gladius");
    let missed: Vec<&String> = all.difference(&agent.called).collect();
    assert!(missed.is_empty(), "never called: {missed:?}");
}

/// Functions are found by name, and answers have the warnings and the knowledge that those of Fibula's own tools have.
#[test]
fn changes_have_warnings_and_intent() {
    let mut agent = Agent::new();
    let ball = agent.function("Ball", "let radius = 5; length(pos) - radius");
    let made = call!(agent, "create_levelset",
        { "function_id": "Ball", "min_point": [-6, -6, -3], "max_point": [6, 6, 6] });
    assert_eq!(made["function_id"], ball);
    let warning = made["warnings"][0].as_str().expect("a warning");
    assert_contains!(warning => "cut its shape at z = -3 (min)");
    let graph = call!(agent, "get_function_graph", { "function_id": "ball" });
    assert_eq!(graph["requested_function_id"], ball);
    let set = call!(agent, "set_parameter",
        { "model_id": "Ball", "node_name": "radius", "parameter_name": "value", "value": 7, "type": "float" });
    assert_contains!(set["warnings"].to_string() => "z = -3 (min)");
    assert_eq!(set["previous"], 5.0);
    assert_contains!(set["affects"][0].as_str().expect("a line") => "level set");
    assert_contains!(made["changed"][0].as_str().expect("a line") => " added");
    assert_eq!(made["affects"], Json::Null, "its build item is new, too");
    let validated = call!(agent, "validate_model", {});
    assert_contains!(validated["warnings"][0].as_str().expect("a warning") => "z = -3 (min)");
    let refused = refusal!(agent, "evaluate_function", { "function_id": "Bal", "samples": [{}] });
    assert_contains!(refused => "no function has the name 'Bal'");
}

/// Graphs read and written, calls, constants, values. Leaves function 2, `ball`, and 3, which calls it.
fn functions(agent: &mut Agent) {
    let ball = agent.function("ball", "length(pos) - 5");
    assert_eq!(ball, 2);
    assert_eq!(agent.values(ball, &[8.0, 5.0]), [3.0, 0.0]);
    let graph = call!(agent, "get_function_graph", { "function_id": ball });
    insta::assert_json_snapshot!("graph", graph);
    // It goes back as it came, into another function too.
    let copy = agent.function("copy", "pos.x");
    call!(agent, "set_function_graph", { "function_id": copy, "graph": graph });
    assert_eq!(agent.values(copy, &[8.0]), [3.0]);
    let again = call!(agent, "get_function_graph", { "function_id": copy });
    for member in ["nodes", "links", "counts"] {
        assert_eq!(again[member], graph[member], "{member}");
    }
    assert_eq!(again["model"]["name"], "ball");
    agent.undo();

    // As Gladius's own examples number: the input is 1, the output 2.
    let link = |from: u64, port: &str, to: u64, parameter: &str| {
        json!({
        "from_node_id": from, "from_port": port, "to_node_id": to, "to_parameter": parameter })
    };
    let half = json!({ "function_id": copy, "graph": {
        "nodes": [{ "id": 1, "type": "Input" }, { "id": 2, "type": "Output" },
            { "id": 3, "type": "Length", "position": [10, 20] },
            { "id": 4, "type": "ConstantScalar", "display_name": "half",
              "parameters": [{ "name": "value", "value": 0.5 }] },
            { "id": 5, "type": "Multiplication" }],
        "links": [link(1, "pos", 3, "A"), link(3, "result", 5, "A"), link(4, "value", 5, "B"),
            link(5, "result", 2, "shape")],
    } });
    let set = call!(agent, "set_function_graph", half);
    assert_eq!(set["id_map"]["2"], 0);
    assert_eq!(agent.values(copy, &[8.0]), [4.0]);
    let more = json!({ "function_id": copy, "replace": false, "graph": {
        "nodes": [{ "id": 3, "type": "Addition", "parameters": [{ "name": "B", "value": 100 }] },
            { "id": 2, "type": "Output" }, { "id": 9, "type": "Input" }],
        "links": [link(3, "result", 2, "shape")],
    } });
    let set = call!(agent, "set_function_graph", more);
    let added = set["id_map"]["3"].clone();
    assert_ne!(added, 3);
    let info = json!({ "function_id": copy, "node_id": added });
    let tool = "create_constant_nodes_for_missing_parameters";
    let lacks = call!(agent, tool, info.clone());
    assert_fields!(lacks, { "total_created_nodes": 1, "total_created_links": 1 });
    let name = lacks["created_constant_nodes"][0]["unique_name"].clone();
    let value = json!({ "model_id": copy, "node_name": name, "parameter_name": "value", "value": 11, "type": "float" });
    call!(agent, "set_parameter", value);
    assert_eq!(agent.values(copy, &[8.0]), [111.0]);
    let named = json!({ "model_id": copy, "node_name": "half", "parameter_name": "value", "value": 0.25, "type": "float" });
    let set = call!(agent, "set_parameter", named);
    assert_eq!(set["value"], 0.25);
    let none = call!(agent, "create_constant_nodes_for_missing_parameters", info);
    assert_eq!(none["total_created_nodes"], 0);

    let validated = call!(agent, "validate_model", {});
    let expected = json!({ "graph_ok": true, "compile_ok": true });
    assert_eq!(validated["summary"], expected);
    let call = json!({ "target_function_id": copy, "referenced_function_id": ball });
    let made = call!(agent, "create_function_call_node", call);
    assert_fields!(made, {
        "display_name": "ball", "unconnected_inputs": [{ "name": "pos", "type": "vec3" }],
        "outputs": [{ "name": "shape", "type": "float" }]
    });
    let calling = made["function_call_node"]["id"].clone();
    let ends = |from: Json, port: &str, to: Json, parameter: &str| {
        json!({
        "function_id": copy, "source_node_id": from, "source_port_name": port, "target_node_id": to,
        "target_parameter_name": parameter, "replace": true })
    };
    let link = ends(calling.clone(), "shape", json!(0), "shape");
    call!(agent, "create_link", link);
    let validated = call!(agent, "validate_model", { "compile": false });
    assert_eq!(validated["success"], false);
    assert_eq!(validated["phases"][0]["errors"], 1);
    call!(agent, "create_link", ends(json!(1), "pos", calling, "pos"));
    assert_eq!(agent.values(copy, &[8.0]), [3.0]);
}

/// Level sets, the build, volume data. Leaves a level set of function 3 in the build.
fn objects(agent: &mut Agent) {
    let made = call!(agent, "create_levelset", { "function_id": 2 });
    let domain = json!({ "function_id": 2, "min_point": [-6, -6, -6], "max_point": [6, 6, 6] });
    let other = call!(agent, "create_levelset", domain);
    let structure = agent.structure();
    insta::assert_json_snapshot!("structure", structure);
    let item = &structure["build_items"][0];
    assert_eq!(item["object_id"], made["resource_id"]);
    let shift =
        json!({ "build_item_index": 0, "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, 20, 0, 0] });
    call!(agent, "set_build_item_transform", shift);
    call!(agent, "set_build_item_object", { "build_item_index": 0, "object_id": other["resource_id"] });
    let modify =
        json!({ "levelset_id": other["resource_id"], "function_id": 3, "channel": "shape" });
    call!(agent, "modify_levelset", modify);
    let structure = agent.structure();
    let item = &structure["build_items"][0];
    assert_fields!(item, { "object_id": other["resource_id"], "object_type": "levelset" });
    assert_eq!(item["transform"][3], json!([20.0, 0.0, 0.0]));
    let resources = structure["resources"].as_array().expect("a list");
    let level = resources
        .iter()
        .find(|one| one["id"] == other["resource_id"]);
    assert_eq!(level.expect("it is there")["function_id"], 3);

    let paint = agent.function("paint", "color = pos * 0.1; weight = pos.x");
    let colour = json!({ "function_id": paint, "channel": "color" });
    let colour = call!(agent, "create_volumetric_color", colour);
    let weight = json!({ "property_name": "density", "function_id": paint, "channel": "weight" });
    let weight = call!(agent, "create_volumetric_property", weight);
    assert_ne!(colour["resource_id"], weight["resource_id"]);
    let structure = agent.structure();
    let resources = structure["resources"].as_array().expect("a list");
    let volumes = resources.iter().filter(|one| one["kind"] == "volume_data");
    let said: Vec<&Json> = volumes.map(|one| &one["properties"][0]["name"]).collect();
    assert_eq!(said, ["color", "density"]);
}

fn unused(agent: &mut Agent) {
    let before = agent.structure();
    let gone = call!(agent, "remove_unused_resources", {});
    let removed = gone["removed"].as_array().expect("a list").iter();
    let kinds: Vec<&str> = removed
        .map(|one| one["kind"].as_str().expect("a kind"))
        .collect();
    assert_eq!(gone["removed_count"], kinds.len());
    // The first level set is in no item any more.
    for kind in ["level set", "mesh", "volume data", "function"] {
        assert!(kinds.contains(&kind), "{kind} of {kinds:?}");
    }
    let structure = agent.structure();
    assert_eq!(structure["counts"]["levelsets"], 1);
    assert_eq!(
        structure["counts"]["functions"], 2,
        "what is built, and what that calls"
    );
    let again = call!(agent, "remove_unused_resources", {});
    assert_fields!(again, { "removed_count": 0, "revision": gone["revision"] });
    agent.undo();
    let mut back = agent.structure();
    back["revision"] = before["revision"].clone();
    assert_eq!(back, before);
}

fn files_and_library(agent: &mut Agent) {
    std::fs::write(agent.folder.path().join("hill.vm"), "a var-x\nb mul a a\n").expect("a file");
    let opened = call!(agent, "open_document", { "path": "hill.vm" });
    assert_eq!(opened["functions"].as_array().map(Vec::len), Some(1));
    let listed = call!(agent, "list_library", { "query": "gyroid" });
    assert_eq!(listed["categories"][0]["name"], "lattice");
    let one = json!({ "category": "lattice", "name": "gyroid" });
    let info = call!(agent, "get_library_entry_info", one.clone());
    let snippet = info["snippet"].as_str();
    assert!(snippet.is_some_and(|text| !text.is_empty()));
    let imported = call!(agent, "import_library_entry", one);
    let structure = agent.structure();
    let functions = structure["resources"].as_array().expect("a list").iter();
    let names: Vec<(&Json, &Json)> = functions
        .map(|one| (&one["id"], &one["display_name"]))
        .collect();
    let gyroid = (&imported["function_id"], &json!("gyroid"));
    assert!(names.contains(&gyroid), "{names:?}");
}

#[test]
fn refusals_teach() {
    let mut agent = Agent::new();
    agent.function("ball", "length(pos) - 5");
    agent.function("two", "a = pos.x; b = pos.y");
    agent.function("one", "1");
    call!(agent, "create_node", { "function_id": 2, "node_type": "Sine", "display_name": "same" });
    call!(agent, "create_node", { "function_id": 2, "node_type": "Sine", "display_name": "same" });
    let set = |graph: Json| {
        (
            "set_function_graph",
            json!({ "function_id": 1, "graph": graph }),
        )
    };
    let parameter = |node: &str, value: Json, kind: &str| {
        (
            "set_parameter",
            json!({ "model_id": 2,
        "node_name": node, "parameter_name": "A", "value": value, "type": kind }),
        )
    };
    let calls = [
        ("get_function_graph", json!({ "function_id": 9 })),
        ("get_status", json!({ "project": "defalt" })),
        set(json!({})),
        set(json!({ "nodes": [{ "id": 3, "type": "Teapot" }] })),
        set(json!({ "nodes": [{ "id": 3, "type": "Sine" }, { "id": 3, "type": "Sine" }] })),
        set(
            json!({ "nodes": [], "links": [{ "from_node_id": 1, "from_port": "pos", "to_node_id": 2, "to_parameter": "A" }] }),
        ),
        (
            "set_function_graph",
            json!({ "function_id": 3, "graph": { "nodes": [{ "id": 1, "type": "Input" }] } }),
        ),
        (
            "create_function_call_node",
            json!({ "referenced_function_id": 1 }),
        ),
        (
            "create_function_call_node",
            json!({ "target_function_id": 1, "function_id": 2, "referenced_function_id": 1 }),
        ),
        (
            "create_function_call_node",
            json!({ "target_function_id": 1, "referenced_function_id": 1 }),
        ),
        (
            "create_constant_nodes_for_missing_parameters",
            json!({ "function_id": 1, "node_id": 77 }),
        ),
        parameter("same", json!(1), "float"),
        parameter("other", json!(1), "float"),
        parameter("Sine_1", json!("one"), "float"),
        ("create_levelset", json!({ "function_id": 2 })),
        ("create_levelset", json!({ "function_id": 9 })),
        (
            "create_levelset",
            json!({ "function_id": 1, "min_point": [0, 0, 0], "max_point": [1, 0, 1] }),
        ),
        ("modify_levelset", json!({ "levelset_id": 9 })),
        (
            "set_build_item_object",
            json!({ "build_item_index": 0, "object_id": 1 }),
        ),
        (
            "set_build_item_transform",
            json!({ "build_item_index": 0, "transform": [1, 2, 3] }),
        ),
        (
            "create_volumetric_color",
            json!({ "function_id": 1, "channel": "shape" }),
        ),
        (
            "evaluate_function",
            json!({ "function_id": 1, "samples": [] }),
        ),
        (
            "evaluate_function",
            json!({ "function_id": 1, "samples": [{ "p": 1 }] }),
        ),
        ("open_document", json!({ "path": "../part.3mf" })),
        ("list_library", json!({ "category": "threads" })),
        (
            "get_library_entry_info",
            json!({ "category": "lattice", "name": "sphere" }),
        ),
        (
            "import_library_entry",
            json!({ "category": "lattice", "name": "teapot" }),
        ),
    ];
    let mut text = String::new();
    let before = agent.structure();
    for (tool, arguments) in calls {
        let said = refusal!(agent, tool, arguments.clone());
        let said = said.replace('\n', "\n  ");
        let _ = writeln!(text, "{tool} {arguments}\n  {said}\n");
    }
    let root = agent.folder.path().canonicalize().expect("it is there");
    let text = text.replace(root.to_str().expect("a plain path"), "FOLDER");
    insta::assert_snapshot!(text);
    assert_eq!(agent.structure(), before, "what is refused changes nothing");
}

#[test]
fn large_structures_and_graphs_come_in_pages() {
    let mut agent = Agent::new();
    let block =
        json!({ "set_mesh": { "bounds": [[0, 0, 0], [1, 1, 1]], "name": "a block of some size" } });
    call!(agent, "apply_edits", { "edits": vec![block; 300] });
    let items: Vec<Json> = (1..=300)
        .map(|id| json!({ "create_build_item": { "object_id": id } }))
        .collect();
    call!(agent, "apply_edits", { "edits": items });
    let (mut ids, mut cursor) = (Vec::new(), Json::Null);
    loop {
        let page = call!(agent, "get_3mf_structure", { "cursor": cursor });
        assert!(page.to_string().len() < 60_000);
        assert_fields!(page["counts"], { "build_items": 300, "meshes": 300 });
        let resources = page["resources"].as_array().expect("a list").iter();
        ids.extend(resources.map(|one| one["id"].as_u64().expect("an id")));
        match page.get("next_cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!(ids, (1..=300).collect::<Vec<u64>>());

    let terms: Vec<String> = (1..400).map(|n| format!("sin(pos.x * {n})")).collect();
    let wide = agent.function("wide", &terms.join(" + "));
    let page = call!(agent, "get_function_graph", { "function_id": wide });
    let length = page.to_string().len();
    assert!(length < 60_000, "{length}");
    assert_eq!(page["truncated"], true);
    let rest =
        call!(agent, "get_function_graph", { "function_id": wide, "cursor": page["next_cursor"] });
    assert_ne!(rest["nodes"][0]["id"], page["nodes"][0]["id"]);
}

#[test]
fn the_structure_can_be_read_as_a_resource() {
    let mut agent = Agent::new();
    agent.function("ball", "length(pos) - 5");
    call!(agent, "create_levelset", { "function_id": 1 });
    let read = json!({ "jsonrpc": "2.0", "id": 7000, "method": "resources/read",
        "params": { "uri": "fibula://projects/default/structure" } });
    agent.pipe.send(format!("{read}\n").as_bytes());
    let answer = agent.pipe.receive();
    let text = answer["result"]["contents"][0]["text"]
        .as_str()
        .expect("a text");
    let structure: Json = serde_json::from_str(text).expect("JSON");
    assert_eq!(structure["kinds"], json!({ "level set": 1, "mesh": 1 }));
    assert_eq!(structure["build_items"][0]["object_kind"], "level set");
}
