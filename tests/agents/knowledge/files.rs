//! Graphs from files, to files, and as pictures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value as Json, json};

use super::tools::{ok, pipe, refused};
use crate::talk::Pipe;

/// A graph with everything in it that a graph can have.
fn full(pipe: &mut Pipe) {
    call!(pipe, "add_nodes", {
        "nodes": [
            { "id": "a:1", "label": "Ärger \"x\" <b>", "types": ["Gene", "Thing"], "data": { "n": [1, { "x": null }], "s": "" },
              "observations": ["one", "two\nlines"], "position": [1.5, -2], "creator": "Ada" },
            { "id": "b", "label": "中文", "types": "Disease" },
        ],
        "edges": [
            { "source": "a:1", "target": "b", "type": "causes", "weight": 0.25, "label": "l", "data": { "p": 1 },
              "valid_from": "2001-02-03", "valid_to": "2004-05-06T07:08:09Z" },
            { "source": "a:1", "target": "b", "type": "treats" },
            { "source": "b", "target": "b", "type": "self" },
        ],
    });
    let types = json!({ "node_types": [{ "key": "Gene", "label": "gene", "description": "d" }],
                        "edge_types": [{ "key": "causes", "domain": ["Gene"] }], "strict": "warn" });
    call!(pipe, "set_schema", types);
}

/// Contents of a graph, without the fields about the answer.
fn exported(pipe: &mut Pipe, project: &str) -> Json {
    let written = call!(pipe, "export_graph", { "project": project, "format": "json" });
    serde_json::from_str(written["content"].as_str().expect("text")).expect("JSON")
}

#[test]
fn formats_that_carry_everything_bring_it_back() {
    let (_folder, mut pipe) = pipe();
    full(&mut pipe);
    let before = exported(&mut pipe, "default");
    for format in ["json", "node-link", "graphml", "cytoscape", "json-ld"] {
        let written = call!(pipe, "export_graph", { "format": format });
        assert_eq!(written.get("left_out"), None, "{format}: {written}");
        call!(pipe, "create_project", { "project": format });
        let brought = ok(
            &mut pipe,
            "import_graph",
            json!({ "project": format, "content": written["content"], "format": format }),
        );
        assert_fields!(brought, { "node_count": 2, "edge_count": 3 }, "{format}");
        assert_eq!(brought.get("repairs"), None, "{format}: {brought}");
        let mut after = exported(&mut pipe, format);
        // Files are called as their projects are.
        if let (Some(title), Some(own)) = (before.get("title"), after.get_mut("title")) {
            own.clone_from(title);
        }
        assert_eq!(after, before, "{format}");
    }
    // What others have no place for is told.
    let written = call!(pipe, "export_graph", { "format": "mermaid" });
    let left_out = written["left_out"].as_array();
    assert!(left_out.is_some_and(|left| !left.is_empty()), "{written}");
    call!(pipe, "create_project", { "project": "mermaid" });
    let brought =
        call!(pipe, "import_graph", { "project": "mermaid", "content": written["content"] });
    assert_fields!(brought, { "node_count": 2, "edge_count": 3 });
    let brought =
        call!(pipe, "import_graph", { "content": exported(&mut pipe, "default").to_string() });
    assert_fields!(brought, { "made": 0, "skipped": 5 });
}

#[test]
fn files_are_read_and_written_below_the_folders_only() {
    let (folder, mut pipe) = pipe();
    let lines = concat!(
        "{\"type\":\"entity\",\"name\":\"TP53\",\"entityType\":\"gene\",\"observations\":[\"on 17p13\"]}\n",
        "{\"type\":\"relation\",\"from\":\"TP53\",\"to\":\"MDM2\",\"relationType\":\"activates\"}\n",
    );
    std::fs::write(folder.path().join("memory.jsonl"), lines).expect("a file");
    let brought = call!(pipe, "import_graph", { "path": "memory.jsonl" });
    assert_fields!(brought, { "format": "memory-jsonl", "made": 3 });
    assert_eq!(brought["repairs"][0]["code"], "dangling_end", "{brought}");
    let written = call!(pipe, "export_graph", { "format": "graphml", "path": "graph.graphml" });
    let length = std::fs::metadata(folder.path().join("graph.graphml"))
        .expect("it is there")
        .len();
    assert_eq!(written["bytes"], length);
    refusal!(pipe, "export_graph", { "format": "graphml", "path": "graph.graphml" });
    assert_starts!(refusal!(pipe, "export_graph", { "format": "json", "path": "../graph.json" }) => "forbidden_path");
    for (content, code) in [
        ("no graph at all", "unknown_format"),
        ("{\"nodes\": [", "invalid_content"),
    ] {
        let refusal = refused(
            &mut pipe,
            "import_graph",
            json!({ "content": content, "format": if code == "invalid_content" { json!("node-link") } else { Json::Null } }),
        );
        assert!(refusal.starts_with(code), "{content}: {refusal}");
    }
    call!(pipe, "undo", {});
    assert_eq!(call!(pipe, "search_nodes", {})["total"], 0);
}

#[test]
fn graphs_are_laid_out_and_drawn() {
    let (folder, mut pipe) = pipe();
    full(&mut pipe);
    let laid_out = call!(pipe, "layout", { "method": "layered", "write": true });
    assert_fields!(laid_out, { "total": 2, "written": true });
    let node = call!(pipe, "get_nodes", { "nodes": ["b"] });
    let position = &laid_out["positions"][1]["position"];
    assert_eq!(&node["nodes"][0]["position"], position);
    assert_eq!(node["nodes"][0]["version"], 1, "places are no versions");
    let mut draw = |arguments: Json| {
        let params = json!({ "name": "render_graph", "arguments": arguments });
        pipe.ask("tools/call", &params)["result"]["content"].clone()
    };
    let drawn = draw(json!({}));
    assert_eq!(drawn[0]["mimeType"], "image/png");
    let png = BASE64
        .decode(drawn[0]["data"].as_str().expect("base64"))
        .expect("base64");
    assert!(png.starts_with(b"\x89PNG"));
    std::fs::write(folder.path().join("graph.png"), png).expect("a file");
    let svg = draw(json!({ "format": "svg", "node": "b", "depth": 1, "dark": true }));
    let svg = svg[0]["text"].as_str().expect("text");
    assert!(svg.starts_with("<svg") && !svg.contains("<b>"), "{svg}");
    assert!(svg.contains("&lt;b&gt;"), "{svg}");
    let html = draw(json!({ "format": "html" }));
    let text = html[0]["text"].as_str().expect("text");
    assert!(!text.contains("\"x\" <b>"));
    for format in ["mermaid", "dot"] {
        assert!(
            draw(json!({ "format": format }))[0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("Ärger")),
            "{format}"
        );
    }
}

/// What a file does not name is not taken for other nodes with the generated ids.
#[test]
fn nodes_without_ids_are_not_those_of_other_files() {
    let (_folder, mut pipe) = pipe();
    let pair = |names: [&str; 2]| {
        let nodes = names.map(|name| json!({ "name": name }));
        let links = [json!({ "source": 0, "target": 1, "type": "r" })];
        json!({ "nodes": nodes, "links": links }).to_string()
    };
    for (content, made) in [
        (pair(["A", "B"]), 3),
        (pair(["C", "D"]), 3),
        // The same file again is what is there.
        (pair(["A", "B"]), 0),
        ("label,type\nx,t\nx,t\n".to_owned(), 2),
        ("label,type\ny,t\ny,t\ny,t\n".to_owned(), 3),
    ] {
        let done = call!(pipe, "import_graph", { "content": content });
        assert_eq!(done["made"], made, "{content}: {done}");
    }
    let path = call!(pipe, "find_path", { "source": "C", "target": "D" });
    assert_eq!(path["found"], true, "{path}");
    let path = call!(pipe, "find_path", { "source": "A", "target": "D" });
    assert_eq!(path["found"], false, "{path}");
}
