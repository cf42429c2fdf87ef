//! What guides agents: instructions, prompts, schemas, hints, and marks that people leave for them.
//!
//! Conversations about what agents stumbled over, by topic; the other modules have the rest:
//!
//! | topic | test |
//! |---|---|
//! | a `let` is a parameter of its own; calls by name; values by name | `parameters::parameters_keep_their_names`, `plate` |
//! | defaults, units and limits of inputs; calls by position answer how they were understood | `inputs` |
//! | a name stands for the id of a function | `parameters::a_name_is_that_of_a_function_in_the_state_that_is_read`, `files::functions_are_named_in_nested_places` |
//! | defaults of inputs are listed and set | `parameters::defaults_of_inputs_are_parameters` |
//! | parameters set together and listed | `precise::parameters_are_set_and_listed_by_other_names_of_arguments` |
//! | values beyond a limit | `precise::values_beyond_a_limit_are_reported` |
//! | knowledge stays on the right node; `moved`, `dangling`, `intent`, of `undo` as well | `knowledge::tied`, `plate`, `files::knowledge_follows_an_inlined_call` |
//! | a function is reached through its nodes | `precise::a_function_is_reached_through_its_nodes` |
//! | bounds that cut a part | `geometry::bounds_that_cut_a_level_set_are_reported_everywhere` |
//! | bounds that an edit leaves, or that miss a part | `geometry::edits_tell_of_the_bounds_that_they_leave`, `edit_effects::edits_of_nodes_and_links_answer_what_follows`, `geometry::bounds_beside_a_shape_are_reported_everywhere` |
//! | the id of a deleted node with knowledge | `knowledge::tied::knowledge_of_a_deleted_node_is_not_given_to_another`, `knowledge::tied::new_nodes_leave_out_ids_to_which_knowledge_is_tied` |
//! | images that are functions | `overview::an_image_function_is_a_function_everywhere` |
//! | subtraction of distances, limits of library functions | `geometry::measures::expressions_that_make_no_part_are_warned_of` |
//! | `get_related` of the toolset `memory` | `related_entities_have_both_names` here |
//! | what is in a project, unknown objects, what an import made | `overview`, `files::an_import_creates_its_project` |
//! | why a value is what it is, traces | `parameters::a_value_is_explained`, `parameters::functions_of_the_library_are_explained_in_a_line` |
//! | texts in other languages, with the translations of those that are refused | `dialects`, `precise::named_arguments_are_suggested_by_name`, `precise::foreign_values_are_no_inputs` |
//! | names of other servers for tools and arguments; nothing empty without a pointer | `empty_answers_lead_on` here, `precise::unknown_tools_lead_to_those_that_are_there`, `precise::arguments_of_other_names_are_understood_as_suggestions` |
//! | the list of tools: its length, descriptions, fields of answers | `surface` |
//! | edits as a schema, units, examples, prompts | here |
//! | answers with the digits that matter, kinds of gaps, units | `geometry::measures::measures_are_those_asked_for_with_significant_digits` |
//! | exact bounds, first layers | `geometry::bounds_touch_the_part_and_layers_begin_at_its_bottom` |
//! | digits of slices and files | `geometry::slices_have_the_digits_that_matter`, `geometry::exports_and_boxes_have_the_digits_that_matter` |
//! | where pieces, voids and thin places are; feather edges; thickness, slabs, density | `geometry::measures::measures_tell_where_and_how_large`, `walls::feather_edges_are_no_walls` |
//! | all objects and outputs in one call | `geometry::measures::all_objects_and_outputs_are_measured_in_one_call` |
//! | unknown figures | `precise::unknown_figures_are_refused_before_the_work` |
//! | files that are hopeless, time limits, an empty build | `files` |
//! | parameters of `create_node`, single items, constants that are unset, projects made by `import` | `files` |
//! | low ids for what is written | `parameters::what_is_written_comes_first`, here |
//! | what an edit changed; several values, all or none; single nodes and links; a part in one call | `edit_effects` |
//! | the way through the tools; messages name tools, not commands | here |
//! | marks | `marks_are_found_answered_and_closed` here |

use std::path::Path;
use std::sync::Arc;

use fibula::mcp::{Options, Server};
use fibula::service::Service;
use serde_json::{Value as Json, json};

use crate::agent::Agent;

/// Text of a resource.
fn resource(pipe: &mut Agent, uri: &str) -> String {
    let answer = pipe.ask("resources/read", &json!({ "uri": uri }));
    let text = &answer["result"]["contents"][0]["text"];
    let text = text.as_str().unwrap_or_else(|| panic!("{uri}: {answer}"));
    text.to_owned()
}

/// Edits of every form that agents send.
fn edits() -> Vec<Json> {
    vec![
        json!({ "create_function_from_expression": {
            "name": "Ball", "expression": "let r = 5; length(pos) - r", "alias": "$ball" } }),
        json!({ "insert_function": { "name": "gyroid" } }),
        json!({ "set_function": { "function_id": "$f", "name": "F",
            "outputs": [{ "name": "shape", "type": "float" }] } }),
        json!({ "create_node": { "function_id": "$f", "node_id": "$n", "node_type": "Addition",
            "parameters": { "A": 5, "B": { "value": 10 } } } }),
        json!({ "create_link": { "source_node_id": "$n", "source_port_name": "result",
            "target_node_id": 0, "target_parameter_name": "shape" } }),
        json!({ "rename_node": { "node_id": "$n", "display_name": "sum" } }),
        json!({ "set_parameter_value": { "function": "Ball", "parameter": "r", "value": 6 } }),
        json!({ "add_port": { "function_id": "$f", "side": "input", "name": "x", "type": "float" } }),
        json!({ "create_level_set": { "function_id": "Ball", "bounds": [[-7, -7, -7], [7, 7, 7]],
            "name": "Part", "alias": "$part", "build": false } }),
        json!({ "set_assembly": { "alias": "$two", "components": [{ "object_id": "$part" },
            { "object_id": "$part", "transform": [1, 0, 0, 0, 1, 0, 0, 0, 1, 20, 0, 0] }] } }),
        json!({ "create_build_item": { "object_id": "$two" } }),
        json!({ "set_metadata": { "name": "Title", "value": "Two" } }),
        json!({ "set_unit": { "unit": "centimeter" } }),
    ]
}

#[test]
fn edits_have_a_schema() {
    let mut pipe = Agent::scratch(&[]);
    let list = pipe.ask("resources/list", &json!({}));
    assert!(
        list.to_string().contains("fibula://schemas/edits"),
        "{list}"
    );
    let text = resource(&mut pipe, "fibula://schemas/edits");
    assert!(text.len() < 28_000, "{} bytes", text.len());
    assert!(!text.contains("$ref"), "it stands alone");
    let schema: Json = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    for edit in edits() {
        let faults: Vec<String> = validator
            .iter_errors(&edit)
            .map(|fault| fault.to_string())
            .collect();
        assert!(faults.is_empty(), "{edit}: {faults:?}");
    }
    for kind in schema["properties"].as_object().expect("kinds").keys() {
        let one = resource(&mut pipe, &format!("fibula://schemas/edits/{kind}"));
        let one: Json = serde_json::from_str(&one).expect("JSON");
        assert_eq!(one, schema["properties"][kind], "{kind}");
    }
    let unknown = json!({ "uri": "fibula://schemas/edits/create_lnk" });
    let unknown = pipe.ask("resources/read", &unknown).to_string();
    assert!(
        unknown.contains("kinds of edits are create_link"),
        "{unknown}"
    );
    let done = call!(pipe, "apply_edits", { "edits": edits() });
    assert_eq!(done["applied"], edits().len());
    for wrong in [
        json!({ "paint": {} }),
        json!({ "create_node": { "type": "Sine" } }),
        json!({ "create_link": { "source_node_id": 1 } }),
        json!({ "create_node": { "node_type": "Sine" }, "delete_node": { "node_id": 1 } }),
        json!({ "set_unit": { "unit": "mile" } }),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
        refusal!(pipe, "apply_edits", { "edits": [wrong] });
    }
}

/// The order of work in the instructions and in the prompt.
#[test]
fn the_way_leads_from_the_library_to_the_checked_file() {
    let mut pipe = Agent::scratch(&[]);
    let asked = json!({ "name": "design_a_part", "arguments": { "goal": "a plate with a hole" } });
    let answer = pipe.ask("prompts/get", &asked);
    let text = &answer["result"]["messages"][0]["content"]["text"];
    let prompt = text.as_str().expect("a text").to_owned();
    let check = |text: &str, steps: &[&str]| {
        let places: Vec<usize> = steps
            .iter()
            .map(|step| text.find(step).unwrap_or_else(|| panic!("{step}: {text}")))
            .collect();
        assert!(places.is_sorted(), "{places:?} {text}");
    };
    let steps = [
        "Library:",
        "Parameters:",
        "Render",
        "Measure:",
        "Export",
        "check",
    ];
    check(&prompt, &steps);
    let steps = [
        "1. Project:",
        "Library:",
        "Create:",
        "Measure:",
        "Look:",
        "Export:",
        "check the file",
    ];
    let server = Server::new(Arc::new(Service::default()), &Options::default());
    let text = server.instructions();
    check(text, &steps);
    // What they show is possible.
    let folder = tempfile::tempdir().expect("a folder");
    let mut pipe = Agent::new(&[], folder.path());
    let mut answered = 0;
    for (tool, rest) in [
        "list_functions",
        "create_function_from_expression",
        "measure",
        "render",
        "export",
    ]
    .into_iter()
    .filter_map(|tool| Some((tool, text.split_once(&format!("{tool} {{"))?.1)))
    {
        let end = rest.find('}').expect("an end");
        let arguments: Json = serde_json::from_str(&format!("{{{}}}", &rest[..end])).expect("JSON");
        call!(pipe, tool, &arguments);
        answered += 1;
    }
    assert_eq!(answered, 5);
    let checked = call!(pipe, "import", { "path": "plate.stl", "check": true });
    assert_eq!(checked["findings"]["readable"], true, "{checked}");
    let done = "let wall = 2; let hole = 3; difference(box(pos, vec3(40, 20, wall)), cylinder(pos, hole, 30))";
    assert!(prompt.contains(done), "{prompt}");
    call!(pipe, "create_function_from_expression", { "name": "Holed", "expression": done });
    let measured = call!(pipe, "measure", { "function_id": "Holed", "figures": ["bounds"] });
    assert!(
        measured["warnings"].as_array().is_none_or(Vec::is_empty),
        "{measured}"
    );
}

/// An error that meets a copy of a library function names the functions that were written.
#[test]
fn errors_about_library_functions_name_those_that_were_written() {
    let mut pipe = Agent::scratch(&[]);
    let made = call!(pipe, "create_function_from_expression",
        { "name": "Part", "expression": "let r = 5; cylinder(pos, r, 20)" });
    let copy = made["library"][0]["function_id"].clone();
    let refused = refusal!(pipe, "evaluate", { "function_id": copy, "arguments": { "width": 1 } });
    assert!(
        refused.contains("(cylinder) came from the library; written here: 1 (Part)"),
        "{refused}"
    );
    // One function is meant without its id; two are not.
    let at = json!({ "arguments": { "pos": [0, 0, 0] } });
    assert_eq!(call!(pipe, "evaluate", &at)["values"]["shape"], -5.0);
    assert_eq!(call!(pipe, "get_function", {})["name"], "Part");
    call!(pipe, "create_function_from_expression", { "name": "Other", "expression": "length(pos) - 1" });
    let refused = refusal!(pipe, "evaluate", &at);
    assert!(refused.contains("`function_id` is missing"), "{refused}");
}

/// Source files of the crates whose messages agents and programs read.
fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn messages_name_no_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in [
        "crates/service/src",
        "crates/core/src",
        "crates/store/src",
        "nodes/src",
    ] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 100, "{}", files.len());
    // The program's own writer of files; the tools refuse before they reach it.
    let own = root.join("crates/service/src/files/atomic_file.rs");
    for file in files.iter().filter(|file| **file != own) {
        let text = std::fs::read_to_string(file).expect("a text");
        let commands = [
            "check", "verify", "recover", "export", "mesh", "backup", "serve", "import", "slice",
            "render",
        ];
        for (number, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            let named = commands
                .iter()
                .find(|command| line.contains(&format!("`fibula {command}")));
            let is_schema = file.ends_with("json_lines/schema.rs");
            assert!(
                is_comment || is_schema || named.is_none(),
                "{}:{}: {line}",
                file.display(),
                number + 1
            );
        }
    }
}

#[test]
fn related_entities_have_both_names() {
    let mut pipe = Agent::scratch(&["--toolsets", "memory"]);
    let entities = json!({ "entities": [
        { "name": "Plate", "entityType": "part", "observations": [] },
        { "name": "Bolt", "entityType": "part", "observations": ["M6"] },
    ] });
    let ask = |pipe: &mut Agent, tool: &str, arguments: &Json| {
        let params = json!({ "name": tool, "arguments": arguments });
        pipe.ask("tools/call", &params)["result"].clone()
    };
    ask(&mut pipe, "create_entities", &entities);
    let relations =
        json!({ "relations": [{ "from": "Plate", "to": "Bolt", "relationType": "holds" }] });
    ask(&mut pipe, "create_relations", &relations);
    for name in ["entityName", "entity", "target"] {
        let related = ask(&mut pipe, "get_related", &json!({ name: "Plate" }));
        let text = related["content"][0]["text"].as_str().expect("a text");
        let related: Json = serde_json::from_str(text).expect("JSON");
        let relation = &related["relations"][0];
        assert_eq!(relation["target"]["name"], "Bolt", "{related}");
        assert_eq!(relation["target"], relation["entity"]);
    }
}

/// A type that nothing has is told, and those that there are.
#[test]
fn unknown_types_are_told() {
    let mut pipe = Agent::scratch(&["--toolsets", "knowledge,knowledge-extra"]);
    let nodes = json!([{ "label": "Plate", "types": "part" }]);
    call!(pipe, "add_nodes", { "nodes": nodes });
    for (tool, arguments, expected) in [
        (
            "list",
            json!({ "types": ["part", "prat"] }),
            "'prat'; the types are part",
        ),
        (
            "list",
            json!({ "of": "edges", "types": ["holds"] }),
            "'holds'; there are no others",
        ),
        (
            "search_nodes",
            json!({ "query": "plate", "exclude_types": ["Bolt"] }),
            "'Bolt'; the types are part",
        ),
    ] {
        let answer = pipe.call(tool, &arguments).expect("an answer");
        let next = answer["next"].as_str().unwrap_or_default();
        assert_eq!(
            next,
            format!("nothing has the type {expected}"),
            "{tool} {arguments}"
        );
    }
    let found = call!(pipe, "list", { "types": ["PART"] });
    assert!(found.get("next").is_none(), "{found}");
}

/// Answers that have nothing in them say what to do next.
#[test]
fn empty_answers_lead_on() {
    let mut pipe = Agent::scratch(&["--toolsets", "project,function,knowledge,knowledge-extra"]);
    let check = |pipe: &mut Agent, tool: &str, arguments: Json, expected: &str| {
        let answer = pipe.call(tool, &arguments);
        let answer = answer.unwrap_or_else(|refusal| panic!("{tool}: {refusal}"));
        let next = answer["next"].as_str().unwrap_or_default();
        assert!(next.contains(expected), "{tool} {arguments}: {answer}");
    };
    check(
        &mut pipe,
        "get_history",
        json!({}),
        "create_function_from_expression",
    );
    check(&mut pipe, "analyze", json!({}), "add_nodes adds some");
    check(&mut pipe, "list", json!({}), "add_nodes adds some");
    call!(pipe, "create_function_from_expression", { "name": "Ball", "expression": "length(pos) - 5" });
    let nodes =
        json!([{ "label": "Plate", "types": "part" }, { "label": "Bolt", "types": "part" }]);
    call!(pipe, "add_nodes", { "nodes": nodes });
    for (tool, arguments, expected) in [
        (
            "get_history",
            json!({ "checkpoints": true }),
            "omit checkpoints",
        ),
        (
            "find_path",
            json!({ "source": "Plate", "target": "Bolt" }),
            "get_neighbors",
        ),
        (
            "find_path",
            json!({ "source": "Plate", "target": "Bolt", "edge_types": ["holds"] }),
            "omit direction",
        ),
        (
            "traverse",
            json!({ "start": "Plate", "path": [{ "relation_type": "holds" }] }),
            "get_neighbors",
        ),
        ("get_neighbors", json!({ "node": "Plate" }), "add_edges"),
        ("get_neighbors", json!({ "node": "fn:1" }), "add_edges"),
        ("get_neighbors", json!({ "node": "fn:1/2" }), "add_edges"),
        (
            "list",
            json!({ "types": ["screw"] }),
            "nothing has the type 'screw'; the types are part",
        ),
        ("list", json!({ "of": "edges" }), "summarize counts"),
        (
            "list_node_types",
            json!({ "search": "mix" }),
            "expressions have mix",
        ),
        (
            "list_node_types",
            json!({ "search": "vec3" }),
            "expressions have vec3",
        ),
        (
            "get_neighbors",
            json!({ "node": "Plate", "node_types": ["screw"] }),
            "omit direction",
        ),
        (
            "analyze",
            json!({ "what": "pagerank", "node_types": ["screw"] }),
            "summarize counts",
        ),
        (
            "remove",
            json!({ "where": { "types": ["screw"] } }),
            "search_nodes",
        ),
    ] {
        check(&mut pipe, tool, arguments, expected);
    }
    // Those with contents need no pointer.
    let edge = json!([{ "source": "Plate", "target": "Bolt", "type": "holds" }]);
    call!(pipe, "add_edges", { "edges": edge });
    for (tool, arguments) in [
        ("find_path", json!({ "source": "Plate", "target": "Bolt" })),
        ("get_neighbors", json!({ "node": "Plate" })),
        ("analyze", json!({ "what": "pagerank" })),
        ("get_history", json!({})),
        ("remove", json!({ "nodes": ["Bolt"] })),
    ] {
        let answer = call!(pipe, tool, &arguments);
        assert!(answer.get("next").is_none(), "{tool}: {answer}");
    }
}

/// A hint or next step that names a tool of another toolset says that it is not offered.
#[test]
fn hints_name_no_tool_that_is_not_there_without_a_word() {
    for (options, tool, arguments, expected) in [
        (
            &["--toolsets", "geometry"][..],
            "measure",
            json!({ "function_id": "Ball" }),
            "list_functions is in the toolset function, which is not offered here",
        ),
        (
            &["--toolsets", "knowledge"],
            "get_nodes",
            json!({ "nodes": ["fn:7"] }),
            "get_function is in the toolset function, which is not offered here",
        ),
        (
            &["--toolsets", "knowledge"],
            "summarize",
            json!({}),
            "create_function_from_expression is in the toolset function, which is not offered here",
        ),
        (
            &["--toolsets", "function,knowledge", "--read-only"],
            "search_nodes",
            json!({ "query": "bolt" }),
            "add_nodes is not offered, since this server is read-only",
        ),
    ] {
        let mut pipe = Agent::scratch(options);
        let told = match pipe.call(tool, &arguments) {
            Ok(answer) => format!("{} {}", answer["next"], answer["contents"]["next"]),
            Err(refusal) => refusal,
        };
        assert!(told.contains(expected), "{tool}: {told}");
    }
    // Where the tool is offered, nothing is added.
    let mut pipe = Agent::scratch(&[]);
    let refused = refusal!(pipe, "measure", { "function_id": "Ball" });
    assert!(
        refused.contains("list_functions") && !refused.contains("offer"),
        "{refused}"
    );
}

/// A mark is a node of the type `mark` that is tied to what it is about: found, answered and closed by the tools for
/// knowledge.
#[test]
fn marks_are_found_answered_and_closed() {
    let mut pipe = Agent::scratch(&[]);
    call!(pipe, "create_function_from_expression",
        { "name": "Plate", "expression": "let wall = 2; box(pos, vec3(40, 20, wall))" });
    let overview = call!(pipe, "summarize", {});
    assert_eq!(
        overview["contents"]["knowledge"],
        json!({ "nodes": 0, "edges": 0 })
    );
    // A person points at the upper side.
    let added = call!(pipe, "add_nodes", {
        "nodes": [{ "label": "thicker here, at least 3 mm", "types": "mark", "data": {
            "status": "open", "point": [5, 0, 1], "normal": [0, 0, 1], "value": 0, "revision": 1 } }],
        "edges": [{ "source": "thicker here, at least 3 mm", "target": "fn:Plate#wall", "type": "marks" }] });
    let id = added["nodes"][0].clone();
    let overview = call!(pipe, "summarize", {});
    assert_eq!(
        overview["contents"]["knowledge"]["open_marks"], 1,
        "{overview}"
    );
    let next = overview["contents"]["next"].as_str().expect("a text");
    assert!(next.contains("1 open mark"), "{next}");
    // The agent finds it, by status and from the function.
    let open = json!({ "types": ["mark"], "data": { "status": "open" } });
    let found = call!(pipe, "search_nodes", &open);
    assert_eq!(found["nodes"][0]["id"], id, "{found}");
    let node = call!(pipe, "get_nodes", { "nodes": id })["nodes"][0].clone();
    assert_eq!(node["data"]["point"], json!([5, 0, 1]));
    let at = node["outgoing"][0]["id"]
        .as_str()
        .or(node["outgoing"][0]["target"].as_str());
    assert!(at.is_some(), "{node}");
    let near = call!(pipe, "get_neighbors", { "node": "fn:Plate", "node_types": ["mark"] });
    assert_eq!(near["total"], 1, "{near}");
    // It changes what is marked, is told of the mark, and closes it.
    let set = call!(pipe, "set_parameter_value", { "function": "Plate", "parameter": "wall", "value": 3 });
    assert_eq!(
        set["intent"][0]["label"], "thicker here, at least 3 mm",
        "{set}"
    );
    call!(pipe, "update", { "nodes": [{ "id": id, "data": { "status": "done", "answered_in": set["revision"] },
        "add_observations": ["wall is 3 mm now"] }] });
    assert_eq!(call!(pipe, "search_nodes", &open)["total"], 0);
    let overview = call!(pipe, "summarize", {});
    assert!(
        overview["contents"]["knowledge"]
            .get("open_marks")
            .is_none(),
        "{overview}"
    );
    let found = call!(pipe, "search_nodes", { "types": ["mark"] });
    assert_eq!(found["total"], 1);
}
