//! The toolset `knowledge` as an agent uses it.

use serde_json::{Value as Json, json};

use crate::talk::Pipe;

pub(crate) fn pipe() -> (tempfile::TempDir, Pipe) {
    let folder = tempfile::tempdir().expect("a folder");
    let toolsets = "project,function,knowledge,knowledge-extra";
    let pipe = Pipe::new(&["--toolsets", toolsets], folder.path());
    (folder, pipe)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what is given is written there"
)]
pub(crate) fn ok(pipe: &mut Pipe, tool: &str, arguments: Json) -> Json {
    let answer = pipe.call(tool, &arguments);
    answer.unwrap_or_else(|refusal| panic!("{tool} {arguments}: {refusal}"))
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "what is given is written there"
)]
pub(crate) fn refused(pipe: &mut Pipe, tool: &str, arguments: Json) -> String {
    match pipe.call(tool, &arguments) {
        Ok(answer) => panic!("{tool} {arguments}: {answer}"),
        Err(refusal) => refusal,
    }
}

/// Genes, a disease and a drug.
fn genes(pipe: &mut Pipe) {
    call!(pipe, "add_nodes", {
        "nodes": [
            { "id": "NCBIGene:7157", "label": "TP53", "types": ["gene"], "data": { "location": "17p13.1" },
              "observations": ["guards the genome"] },
            { "id": "NCBIGene:4193", "label": "MDM2", "types": "gene" },
            { "label": "Li-Fraumeni syndrome", "types": "disease" },
            { "label": "Nutlin-3", "types": "drug" },
        ],
        "edges": [
            { "source": "mdm2", "target": "TP53", "type": "inhibits", "weight": 2.5 },
            { "source": "TP53", "target": "Li-Fraumeni syndrome", "type": "causes" },
            { "source": "Nutlin-3", "target": "NCBIGene:4193", "type": "inhibits", "valid_from": "2004-01-02" },
        ],
    });
}

#[test]
fn nodes_and_edges_of_one_call_may_name_each_other() {
    let (_folder, mut pipe) = pipe();
    genes(&mut pipe);
    let shown = call!(pipe, "get_nodes", { "nodes": ["tp53", "nobody"] });
    assert_eq!(shown["missing"], json!(["nobody"]));
    let node = &shown["nodes"][0];
    assert_fields!(node, { "id": "NCBIGene:7157", "data": { "location": "17p13.1" } });
    assert_eq!(node["incoming"][0]["label"], "MDM2");
    assert_eq!(node["outgoing"][0]["type"], "causes");
    for attribution in ["creator", "created", "modified"] {
        assert!(node[attribution].is_string(), "{attribution}: {node}");
    }
    // All or none: the last edge ends nowhere, so the node is not made either.
    let refusal = refusal!(pipe, "add_nodes", { "nodes": [{ "label": "CHEK2", "types": "gene" }],
        "edges": [{ "source": "CHEK2", "target": "TP35", "type": "activates" }] });
    assert_starts!(refusal => "unknown_node: edges[0]:");
    let listed = call!(pipe, "list", { "types": ["gene"], "limit": 1 });
    assert_eq!(listed["total"], 2);
    assert_eq!(listed["nodes"].as_array().map(Vec::len), Some(1));
    assert!(listed["next_cursor"].is_string());
    // More than a page has is as much as a page has.
    let all = call!(pipe, "search_nodes", { "limit": 1_000_000 });
    assert_fields!(all, { "total": 4, "next_cursor": null });
}

#[test]
fn what_is_there_already_is_told() {
    let (_folder, mut pipe) = pipe();
    genes(&mut pipe);
    let again = json!({ "source": "MDM2", "target": "TP53", "type": "INHIBITS", "weight": 1 });
    let add = |policy: &str| json!({ "edges": [again], "on_conflict": policy });
    let skipped = call!(pipe, "add_edges", add("skip"));
    assert_fields!(skipped, { "made": 0, "skipped": 1 });
    assert_starts!(refusal!(pipe, "add_edges", add("error")) => "duplicate_edge: edges[0]: edge 'e1' states the same");
    let merged = call!(pipe, "add_edges", add("merge"));
    assert_eq!(merged["edges"], skipped["edges"]);
    let edges = call!(pipe, "list", { "of": "edges", "source": "MDM2" });
    assert_eq!(edges["total"], 1);
    assert_eq!(edges["edges"][0]["weight"], 1.0);
    let beside = call!(pipe, "add_edges", add("add"));
    assert_eq!(beside["made"], 1);
    // One that has ended does not stand in the way of a new one.
    let ended = json!({ "id": "e3", "valid_to": "2010-01-01" });
    call!(pipe, "update", { "edges": [ended] });
    let new = json!({ "source": "Nutlin-3", "target": "MDM2", "type": "inhibits", "valid_from": "2012-01-01" });
    assert_eq!(call!(pipe, "add_edges", { "edges": [new] })["made"], 1);
    for (at, count) in [
        ("2003-01-01", 0),
        ("2005-01-01", 1),
        ("2011-01-01", 0),
        ("2013-01-01", 1),
    ] {
        let held = json!({ "of": "edges", "source": "Nutlin-3", "valid_at": at });
        assert_eq!(call!(pipe, "list", held)["total"], count, "{at}");
    }
    let twice = json!({ "nodes": [{ "id": "NCBIGene:7157", "label": "p53", "types": ["Gene", "protein"],
                                    "data": { "location": null, "exons": 11 }, "observations": ["guards the genome", "binds DNA"] }] });
    let again = json!({ "nodes": twice["nodes"], "on_conflict": "merge" });
    assert_eq!(call!(pipe, "add_nodes", again)["merged"], 1);
    let node = call!(pipe, "get_nodes", { "nodes": ["p53"] })["nodes"][0].clone();
    assert_fields!(node, { "types": ["gene", "protein"], "data": { "exons": 11 } });
    assert_eq!(node["observations"].as_array().map(Vec::len), Some(2));
    assert_eq!(node["version"], 2);
    let made = call!(pipe, "add_nodes", { "nodes": [{ "label": "P53", "types": "protein" }] });
    let warning = made["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("NCBIGene:7157"), "{made}");
    assert_starts!(refusal!(pipe, "get_nodes", { "nodes": ["p53"] }) => "ambiguous_node: 2 nodes are called 'p53': ");
}

#[test]
fn several_paths_are_the_shortest_ones_by_edges_or_weights() {
    let (_folder, mut pipe) = pipe();
    // From a to d there are three ways: of one edge, of two and of three, the longer the lighter.
    let edge = |source: &str, target: &str, weight: f64| json!({"source": source, "target": target, "type": "leads to", "weight": weight});
    let nodes: Vec<Json> = ["a", "b", "c", "d"]
        .map(|id| json!({"id": id, "label": id, "types": "place"}))
        .into();
    let edges = [
        edge("a", "d", 9.0),
        edge("a", "b", 3.0),
        edge("b", "d", 3.0),
        edge("b", "c", 1.0),
        edge("c", "d", 1.0),
    ];
    call!(pipe, "add_nodes", {"nodes": nodes, "edges": edges});
    let mut lengths = |more: Json| {
        let mut asked = json!({"source": "a", "target": "d", "direction": "outgoing"});
        for (name, value) in more.as_object().expect("an object") {
            asked[name] = value.clone();
        }
        let found = call!(pipe, "find_path", asked);
        let paths = found["paths"].as_array().expect("a list").iter();
        paths
            .map(|path| path["length"].as_f64().expect("a number"))
            .collect::<Vec<_>>()
    };
    assert_eq!(lengths(json!({})), [1.0]);
    assert_eq!(lengths(json!({"count": 5})), [1.0, 2.0, 3.0]);
    assert_eq!(lengths(json!({"count": 2})), [1.0, 2.0]);
    let five = json!({"count": 5, "weighted": true});
    assert_eq!(lengths(five), [5.0, 6.0, 9.0]);
    assert_eq!(lengths(json!({"count": 5, "max_length": 2})), [1.0, 2.0]);
    assert_eq!(lengths(json!({"weighted": true, "max_length": 2})), [6.0]);
    let all = json!({"source": "a", "target": "d", "count": 2, "weighted": true, "max_length": 2});
    assert_contains!(refusal!(pipe, "find_path", all) => "omit count, weighted or max_length");
}

#[test]
fn nodes_and_edges_change_and_go_and_come_back() {
    let (_folder, mut pipe) = pipe();
    genes(&mut pipe);
    let get = |pipe: &mut Pipe| {
        call!(pipe, "get_nodes", { "nodes": ["NCBIGene:7157"] })["nodes"][0].clone()
    };
    let before = get(&mut pipe);
    let update = json!({
        "id": "TP53", "label": "p53", "data": { "exons": 11 }, "add_observations": ["binds DNA"],
        "remove_observations": ["guards the genome", "never said"], "position": [1, 2],
    });
    let updated = call!(pipe, "update", { "nodes": [update], "dry_run": true });
    assert_eq!(updated["dry_run"], true);
    assert_eq!(get(&mut pipe), before);
    let updated = call!(pipe, "update", { "nodes": [update] });
    assert_fields!(updated, { "updated": 1, "missing_observations": 1 });
    let after = get(&mut pipe);
    assert_fields!(after, { "label": "p53", "data": { "location": "17p13.1", "exons": 11 } });
    assert_eq!(after["observations"][0]["text"], "binds DNA");
    assert_eq!(after["position"], json!([1.0, 2.0]));
    call!(pipe, "undo", {});
    assert_eq!(get(&mut pipe), before);
    // A preview of what would go, by what nodes are.
    let what = json!({ "where": { "types": ["gene"] }, "dry_run": true });
    let gone = call!(pipe, "remove", what);
    assert_fields!(gone, { "removed_nodes": 2, "removed_edges": 3 });
    call!(pipe, "remove", { "nodes": ["TP53"], "edges": ["e1"] });
    assert_eq!(call!(pipe, "list", { "of": "edges" })["total"], 1);
    call!(pipe, "undo", {});
    assert_eq!(get(&mut pipe), before);
    assert_eq!(call!(pipe, "list", { "of": "edges" })["total"], 3);
    for empty in [json!({}), json!({ "where": {} })] {
        assert_starts!(refusal!(pipe, "remove", empty) => "invalid_arguments: nothing to remove is given");
    }
}

#[test]
fn a_schema_warns_or_refuses() {
    let (_folder, mut pipe) = pipe();
    genes(&mut pipe);
    let types = json!({
        "node_types": [{ "key": "gene", "description": "A stretch of DNA" }, { "key": "disease" }],
        "edge_types": [{ "key": "causes", "domain": ["gene"], "range": ["disease"] }],
        "strict": "warn",
    });
    let set = call!(pipe, "set_schema", types);
    assert_eq!(set["strangers"], 3, "a drug and two edges: {set}");
    let schema = call!(pipe, "get_schema", {});
    assert_eq!(schema["node_types"][0]["key"], "gene");
    assert_eq!(schema["node_types"][0]["count"], 2);
    assert_eq!(schema["strict"], "warn");
    let backwards = json!({ "edges": [{ "source": "Li-Fraumeni syndrome", "target": "TP53", "type": "causes" }] });
    let made = call!(pipe, "add_edges", backwards.clone());
    let warning = made["warnings"][0].as_str().expect("a warning");
    assert!(warning.contains("begin at gene"), "{made}");
    call!(pipe, "set_schema", { "strict": "reject" });
    let again = json!({ "edges": backwards["edges"], "on_conflict": "add" });
    assert_starts!(refusal!(pipe, "add_edges", again) => "not_in_schema: edges[0]: edge");
}

#[test]
fn intent_is_tied_to_functions_and_told_on_both_sides() {
    let (_folder, mut pipe) = pipe();
    let ball = json!({ "name": "Ball", "expression": "length(pos) - 5" });
    call!(pipe, "create_function_from_expression", ball);
    let nodes = call!(pipe, "get_function", { "function_id": 1 })["nodes"].clone();
    let constant = nodes.as_array().expect("nodes").iter();
    let mut constant = constant
        .filter(|node| node["node_type"] == "Length")
        .map(|node| node["node_id"].clone());
    let id = constant.next_back().expect("a node");
    let end = format!("fn:1/{id}");
    call!(pipe, "add_nodes", { "nodes": [{ "label": "the ball has a radius of 5 mm", "types": "requirement" }],
        "edges": [{ "source": "the ball has a radius of 5 mm", "target": end, "type": "constrains" },
                  { "source": "the ball has a radius of 5 mm", "target": "fn:1", "type": "is about" }] });
    let made = call!(pipe, "create_node", { "function_id": 1, "node_type": "Sine" });
    assert_fields!(made["intent"][0], { "label": "the ball has a radius of 5 mm", "type": "is about" });
    let node = json!({ "function_id": 1, "node_id": id });
    let info = call!(pipe, "get_node_info", node.clone());
    assert_fields!(info["intent"][0], { "label": "the ball has a radius of 5 mm", "type": "constrains" });
    let function = call!(pipe, "get_function", { "function_id": 1 });
    assert_eq!(function["intent"][0]["type"], "is about");
    for (end, code) in [
        ("fn:9", "unknown_function"),
        ("fn:1/99", "unknown_node"),
        ("fn:x", "unknown_function"),
    ] {
        let edge = json!({ "source": "the ball has a radius of 5 mm", "target": end, "type": "constrains" });
        assert_starts!(refusal!(pipe, "add_edges", { "edges": [edge] }) => code);
    }
    let deleted = call!(pipe, "delete_node", node);
    let expected = "the ball has a radius of 5 mm";
    assert_eq!(deleted["dangling"][0]["label"], expected);
    let applied =
        call!(pipe, "apply_edits", { "edits": [{ "delete_function": { "function_id": 1 } }] });
    assert_eq!(applied["dangling"][0]["end"], "fn:1", "{applied}");
    assert_eq!(
        applied["dangling"].as_array().map(Vec::len),
        Some(1),
        "the other end was gone before"
    );
}

#[test]
fn hostile_input_is_refused_or_harmless() {
    let (_folder, mut pipe) = pipe();
    let node = |label: &str| json!({ "nodes": [{ "label": label, "types": "note" }] });
    assert_starts!(refusal!(pipe, "add_nodes", node(&"x".repeat(1 << 20))) => "invalid_name: nodes[0]:");
    let refusal = refusal!(pipe, "add_nodes", { "nodes": [{ "id": "a\u{7}b", "label": "a", "types": "note" }] });
    assert_starts!(refusal => "invalid_name: nodes[0]:");
    let refusal =
        refusal!(pipe, "add_nodes", { "nodes": [{ "id": "fn:1", "label": "a", "types": "note" }] });
    assert_starts!(refusal => "invalid_name: nodes[0]:");
    let refusal = refusal!(pipe, "add_nodes", { "nodes": [{ "label": "a", "types": [] }] });
    assert_starts!(refusal => "invalid_value: nodes[0]:");
    call!(
        pipe,
        "add_nodes",
        node("<script>alert(1)</script> \" ' & ]]>")
    );
    let many = json!({ "nodes": [{ "id": "n1", "add_observations": vec!["x"; 200_000] }] });
    assert_starts!(refusal!(pipe, "update", many) => "too_large: nodes[0]:");
    let refusal = refused(
        &mut pipe,
        "add_edges",
        json!({ "edges": [{ "source": "n1", "target": "n1", "type": "x", "valid_from": "tomorrow" }] }),
    );
    assert_contains!(refusal => "'tomorrow' is not a time");
    let listed = call!(pipe, "list", {});
    assert_eq!(listed["total"], 1);
}

#[test]
fn few_matches_are_followed_by_parts_of_them_which_is_told() {
    let (_folder, mut pipe) = pipe();
    let labels = [
        "Compressed files",
        "File formats",
        "Who wrote the C++ reader?",
        "Compression of pictures",
    ];
    let nodes = labels.map(|label| json!({ "label": label, "types": "note" }));
    call!(pipe, "add_nodes", { "nodes": nodes });
    let mut search = |query: &str, exact: bool| {
        let found = call!(pipe, "search_nodes", { "query": query, "exact": exact });
        let first = found["nodes"][0]["label"].clone();
        json!([first, found["total"], found["complete"], found["relaxed"]])
    };
    let nothing = Json::Null;
    assert_eq!(
        search("compress file", false),
        json!([labels[0], 3, 1, true])
    );
    assert_eq!(
        search("compressed files", true),
        json!([labels[0], 1, nothing, nothing])
    );
    assert_eq!(
        search("c++", false),
        json!([labels[2], 1, nothing, nothing])
    );
    let question = search("Which person wrote the reader in C++?", false);
    assert_eq!(question, json!([labels[2], 1, 0, true]));
}

#[test]
fn declared_synonyms_are_searched_which_is_told() {
    let (_folder, mut pipe) = pipe();
    let nodes = ["A defect of the seal", "Two faults of the pump", "The pump"];
    let nodes = nodes.map(|label| json!({ "label": label, "types": "note" }));
    call!(pipe, "add_nodes", { "nodes": nodes });
    let found = |pipe: &mut Pipe, arguments: &Json| {
        let found = call!(pipe, "search_nodes", arguments);
        let labels = found["nodes"].as_array().into_iter().flatten();
        let ids: Vec<&Json> = labels.map(|node| &node["id"]).collect();
        json!([ids, found["synonyms"]])
    };
    let query = json!({ "query": "defects" });
    assert_eq!(found(&mut pipe, &query), json!([["n1"], null]));
    call!(pipe, "set_schema", { "synonyms": [["Defect", "fault"], ["rotor", "stator"]] });
    assert_eq!(found(&mut pipe, &query), json!([["n1", "n2"], ["fault"]]));
    let exact = json!({ "query": "defect", "exact": true });
    assert_eq!(found(&mut pipe, &exact), json!([["n1"], null]));
    // What was asked for is none of its synonyms.
    let both = json!({ "query": "fault defect" });
    assert_eq!(found(&mut pipe, &both), json!([["n1", "n2"], null]));
    // No node has them.
    assert_eq!(
        found(&mut pipe, &json!({ "query": "rotor" })),
        json!([[], null])
    );
    let schema = call!(pipe, "get_schema", {});
    assert_eq!(schema["synonyms"][1], json!(["rotor", "stator"]));
    for (wrong, told) in [
        (json!([["defect"]]), "the group 'defect' has no synonyms"),
        (
            json!([["fix", "Fixes"]]),
            "the group 'fix, Fixes' has no synonyms",
        ),
        (json!([[]]), "has no synonyms"),
        (json!([["front-end", "ui"]]), "'front-end' is not one word"),
        (json!([["", "ui"]]), "'' is not one word"),
    ] {
        let refusal = refusal!(pipe, "set_schema", { "synonyms": wrong });
        assert_contains!(refusal => told);
    }
    let many: Vec<[String; 2]> = (0..501)
        .map(|number| [format!("a{number}"), format!("b{number}")])
        .collect();
    assert_starts!(refusal!(pipe, "set_schema", { "synonyms": many }) => "too_large");
    // They are in files.
    let written = call!(pipe, "export_graph", { "format": "json" });
    call!(pipe, "create_project", { "project": "copy" });
    for _ in 0..2 {
        let content = &written["content"];
        call!(pipe, "import_graph", { "project": "copy", "content": content, "on_conflict": "skip" });
    }
    let copy = call!(pipe, "get_schema", { "project": "copy" });
    assert_eq!(copy["synonyms"], schema["synonyms"]);
    call!(pipe, "set_schema", { "node_types": [{ "key": "note" }] });
    assert_eq!(found(&mut pipe, &query), json!([["n1", "n2"], ["fault"]]));
    call!(pipe, "undo", {});
    call!(pipe, "undo", {});
    assert_eq!(found(&mut pipe, &query), json!([["n1"], null]));
}

#[test]
fn parallel_edges_differ_in_their_labels_which_are_shown() {
    let (_folder, mut pipe) = pipe();
    genes(&mut pipe);
    let edge = |label: &str| json!({ "source": "MDM2", "target": "TP53", "type": "binds", "label": label });
    let edges = [edge("at the N-terminus"), edge("at the core")];
    let added = call!(pipe, "add_edges", { "edges": edges, "on_conflict": "add" });
    assert_eq!(added["made"], 2);
    let ids = added["edges"].clone();
    call!(pipe, "update", { "edges": [{ "id": ids[1], "data": { "kd": 2 } }] });
    let same = json!({ "id": ids[1], "label": "at the N-terminus" });
    assert_starts!(refusal!(pipe, "update", { "edges": [same] }) => "duplicate_edge: ");
    // An equal edge that was added on purpose can be changed otherwise.
    let twin = call!(pipe, "add_edges", { "edges": [edge("at the core")], "on_conflict": "add" });
    let twin = json!({ "id": twin["edges"][0], "weight": 3 });
    call!(pipe, "update", { "edges": [twin] });
    let shown = call!(pipe, "get_nodes", { "nodes": ["TP53"] });
    assert_eq!(
        shown["nodes"][0]["incoming"][1]["edge_label"],
        "at the N-terminus"
    );
    let near = call!(pipe, "get_neighbors", { "node": "TP53", "edge_types": ["binds"] });
    let labels = near["edges"]
        .as_array()
        .expect("edges")
        .iter()
        .map(|edge| &edge[3]);
    assert_eq!(
        labels.collect::<Vec<_>>(),
        ["at the N-terminus", "at the core", "at the core"]
    );
    let path = json!({ "source": "MDM2", "target": "TP53", "edge_types": ["binds"] });
    let path = call!(pipe, "find_path", path);
    assert_eq!(
        path["paths"][0]["edges"][0]["edge_label"],
        "at the N-terminus"
    );
}
