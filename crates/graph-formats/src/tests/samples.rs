//! Sample files, which are not part of the repository.

use std::path::Path;

use super::*;

/// Reads the sample whose name begins with a text, in its detected format; `None`, with a note, if there are no samples.
fn sample(start: &str) -> Option<(Format, ImportedGraph)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/samples/knowledge");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        println!("skipped: there are no samples at {}", folder.display());
        return None;
    };
    let mut names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let name = names
        .find(|name| name.starts_with(start))
        .expect("the sample is there");
    let bytes = std::fs::read(folder.join(&name)).unwrap();
    let format = detect(Some(&name), &bytes).expect("it is in one of the formats");
    assert_eq!(detect(None, &bytes), Some(format), "{name}");
    Some((format, read_all(format, &bytes).unwrap()))
}

/// Beginnings of file names, formats, numbers of nodes and edges, and repairs.
const SAMPLES: &str = "
charm_exampleNodedata ¦ node-link ¦ 1 ¦ 0 ¦ single_node 1
charm_sample-knowledge-graph ¦ node-link ¦ 10 ¦ 12 ¦ missing_type 10
charm_translator ¦ node-link ¦ 51 ¦ 65 ¦ graph_attribute 2
dg_context ¦ json-ld ¦ 0 ¦ 0 ¦ -
matsulab_evd1 ¦ json-ld ¦ 16 ¦ 15 ¦ missing_type 5
matsulab_evd5 ¦ json-ld ¦ 18 ¦ 17 ¦ missing_type 6
memory-graph ¦ memory-jsonl ¦ 68 ¦ 91 ¦ -
synthetic_discourse ¦ json-ld ¦ 121 ¦ 217 ¦ duplicate_id 1, unknown_relation 1, dangling_end 1
";

#[test]
fn every_sample_is_read() {
    for [start, format, nodes, edges, expected] in rows(SAMPLES) {
        let Some((found, given)) = sample(&start) else {
            return;
        };
        assert_eq!(found, named(&format), "{start}");
        let counts = [given.nodes.len(), given.edges.len()];
        let counts = counts.map(|count| count.to_string());
        assert_eq!(counts, [nodes, edges], "{start}");
        check_repairs(&given, expected.trim_matches('-'));
    }
}

#[test]
fn a_discourse_graph_is_read() {
    let Some((_, given)) = sample("synthetic_discourse") else {
        return;
    };
    let node = |id: &str| given.nodes.iter().find(|node| node.id == id).unwrap();
    let first = node("n0000xyz");
    assert_eq!(
        first.label,
        "[[ISS]] - membrane tension changes membrane tension in run 0"
    );
    assert_eq!(first.types, ["Issue"]);
    assert_eq!(first.creator.as_deref(), Some("Ada Example"));
    assert_eq!(first.created, Some(1_704_880_800_000));
    assert_eq!(first.modified, Some(1_736_589_600_000));
    assert_eq!(
        first.data["url"],
        "https://roamresearch.com/#/app/example/page/n0000xyz"
    );
    let image =
        "https://firebasestorage.googleapis.com/v0/b/example/o/imgs%2Ffig0.png?alt=media&token=t0";
    assert_eq!(first.data["images"], serde_json::json!([image]));
    assert_eq!(node("n0009xyz").types, ["Result", "Evidence"]);
    assert_eq!(node("n0005xyz").modified, None);
    assert_eq!(node("n0006xyz").creator.as_deref(), None);
    assert_eq!(node("missing1").types, ["unknown"]);
    let count = |ty: &str| given.edges.iter().filter(|edge| edge.ty == ty).count();
    assert_eq!(
        count("refers_to"),
        166,
        "of the text, and what is listed, each once"
    );
    assert_eq!(count("Supports"), 26);
    assert_eq!(count("Opposes"), 12);
    assert_eq!(count("Informs"), 12);
    assert_eq!(count("nope"), 1);
    let schema = given.schema.as_ref().unwrap();
    let keys: Vec<&str> = schema.node_types.iter().map(|ty| &*ty.key).collect();
    assert_eq!(
        keys,
        [
            "Result",
            "Question",
            "Conclusion",
            "Evidence",
            "Claim",
            "Hypothesis",
            "Issue"
        ]
    );
    let supports = &schema.edge_types[0];
    assert_eq!(&*supports.key, "Supports");
    assert_eq!(supports.inverse.as_deref(), Some("Supported By"));
    assert_eq!(supports.domain, ["Evidence", "Result"]);
    assert_eq!(supports.range, ["Claim", "Conclusion"]);
    assert_eq!(schema.check(), Ok(()));
}

#[test]
fn a_memory_keeps_creators_and_times() {
    let Some((_, given)) = sample("memory-graph") else {
        return;
    };
    let mut nodes = given.nodes.iter();
    let server = nodes.find(|node| node.id == "Memory Graph MCP Server");
    let server = server.unwrap();
    assert_eq!(server.types, ["Project"]);
    assert_eq!(
        server.modified,
        Some(1_768_313_916_000),
        "it is told in seconds"
    );
    assert_eq!(server.data["updatedBy"], "Mai Thành Duy An");
    assert_eq!(
        server.observations[0].text,
        "Dự án giúp AI Agent quản lý dự án phần mềm tốt hơn"
    );
    let created = given.edges.iter().filter(|edge| edge.creator.is_some());
    assert!(created.count() > 40);
    let first = &given.edges[0];
    assert_eq!(&*first.source, "tiach");
    assert_eq!(&*first.ty, "develops");
    assert_eq!(&*first.target, &*server.id);
}

#[test]
fn a_drawn_graph_keeps_its_data() {
    let Some((_, given)) = sample("charm_translator") else {
        return;
    };
    let first = &given.nodes[0];
    assert_eq!((&*first.id, &*first.label), ("NCBIGene:7531", "YWHAE"));
    assert_eq!(&first.types[..], &["Gene".to_owned()][..]);
    assert_eq!(first.data["val"], 25);
    let last = given.edges.last().unwrap();
    assert_eq!(&*last.ty, "affects");
    assert_eq!(last.label.as_deref(), None);
    assert_eq!(last.weight, Some(3.974_358_974_358_974_5));
    let Some((_, given)) = sample("charm_exampleNodedata") else {
        return;
    };
    let only = &given.nodes[0];
    assert_eq!((&*only.id, &*only.label), ("NCBIGene:2353", "FOS"));
    assert_eq!(only.types, ["biolink:Gene", "biolink:NamedThing"]);
}
