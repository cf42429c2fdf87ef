//! The sample files of other systems, which lie beside the repository where they are, brought into projects.

use std::path::Path;

use serde_json::json;

use crate::talk::Pipe;

#[test]
fn every_sample_is_brought_in() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/knowledge");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there are no samples at {}", folder.display());
        return;
    };
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    let expected = [
        ("charm_exampleNodedata", "node-link", 1, 0),
        ("charm_sample-knowledge-graph", "node-link", 10, 12),
        ("charm_translator", "node-link", 51, 65),
        ("dg_context", "json-ld", 0, 0),
        ("matsulab_evd1", "json-ld", 16, 15),
        ("matsulab_evd5", "json-ld", 18, 17),
        ("memory-graph", "memory-jsonl", 68, 91),
        ("synthetic_discourse", "json-ld", 121, 217),
    ];
    assert_eq!(names.len(), expected.len(), "{names:?}");
    // The folder in which the server starts is the one that it may read.
    let mut pipe = Pipe::new(
        &["--toolsets", "project,knowledge,knowledge-extra"],
        &folder,
    );
    for (name, (start, format, nodes, edges)) in names.iter().zip(expected) {
        assert!(name.starts_with(start), "{name} is not {start}");
        call!(pipe, "create_project", { "project": start });
        let file = json!({ "project": start, "path": name });
        let brought = call!(pipe, "import_graph", file.clone());
        let told = ["format", "node_count", "edge_count", "made"].map(|fact| &brought[fact]);
        assert_eq!(
            told,
            [
                &json!(format),
                &json!(nodes),
                &json!(edges),
                &json!(nodes + edges)
            ],
            "{name}: {brought}"
        );
        let there = call!(pipe, "summarize", { "project": start });
        assert_fields!(there, { "node_count": nodes, "edge_count": edges }, "{name}");
        // The second time it is all there.
        let again = call!(pipe, "import_graph", file);
        assert_eq!(
            (&again["made"], again["skipped"].as_u64().unwrap_or(0)),
            (&json!(0), nodes + edges),
            "{name}: {again}"
        );
    }
}
