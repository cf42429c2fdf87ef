//! Laws over random graphs, files of others, hostile files, and the samples.

mod flowcharts;
mod foreign;
mod hostile;
mod laws;
mod linked;
mod replay;
mod samples;
mod written;

use std::ops::ControlFlow;

use fibula_knowledge::{Knowledge, KnowledgeData};

use super::*;

/// Reads a file to its end.
fn read_all(format: Format, file: impl AsRef<[u8]>) -> Result<ImportedGraph, FormatError> {
    read(format, file.as_ref(), &|_, _| ControlFlow::Continue(()))
}

/// Writes a graph as a file.
fn file_of(format: Format, knowledge: &Knowledge) -> (String, WriteReport) {
    let (nodes, edges) = (knowledge.sorted_nodes(), knowledge.sorted_edges());
    let graph = Graph::new(knowledge, &nodes, &edges, "a <title>");
    let mut file = Vec::new();
    let written = write(format, &graph, &mut file).expect("a list takes everything");
    (String::from_utf8(file).expect("files are texts"), written)
}

/// The graph of two nodes and three edges that the golden tests show.
fn example() -> Knowledge {
    let data: KnowledgeData = serde_json::from_str(
        r#"{
            "nodes": [
                { "id": "NCBIGene:7157", "label": "TP53", "types": ["Gene", "Protein"],
                  "data": { "status": "known", "score": 0.5, "type": "x" },
                  "observations": [{ "text": "guards the genome", "at": 5000, "by": "ann" }],
                  "position": [1.5, -2.0], "creator": "ann", "created": 1704880800000,
                  "modified": 1704880800001, "version": 2, "order": 0 },
                { "id": "n2", "label": "a \"quoted\" & <strange>\nlabel", "types": ["Note"],
                  "creator": "", "created": -1, "modified": 0, "version": 1, "order": 1 }
            ],
            "edges": [
                { "id": "e1", "source": "NCBIGene:7157", "target": "n2", "type": "explains", "label": "tells",
                  "weight": 0.25, "valid_from": 1000, "valid_to": 1704880800001, "creator": "ann",
                  "created": 1, "modified": 2, "order": 0 },
                { "id": "e2", "source": "n2", "target": "n2", "type": "part of", "creator": "bob",
                  "created": 1000, "modified": 2000, "order": 1 },
                { "id": "e3", "source": "n2", "target": "fn:3/7", "type": "constrains",
                  "data": { "least": 2 }, "creator": "bob", "created": 1000, "modified": 2000, "order": 2 }
            ],
            "schema": { "node_types": [{ "key": "Gene" }], "edge_types": [{ "key": "explains", "domain": ["Gene"] }] }
        }"#,
    )
    .expect("it is written as everywhere");
    data.knowledge().expect("it is a graph")
}

/// Codes and counts of repairs.
fn repairs(given: &ImportedGraph) -> Vec<(&'static str, usize)> {
    given
        .repairs
        .iter()
        .map(|repair| (repair.what, repair.count))
        .collect()
}

/// Compares the codes and counts of repairs with "code count, ...".
fn check_repairs(given: &ImportedGraph, expected: &str) {
    let repairs = repairs(given).into_iter();
    let repairs: Vec<String> = repairs
        .map(|(what, count)| format!("{what} {count}"))
        .collect();
    assert_eq!(repairs.join(", "), expected);
}

/// Rows of a table, whose cells are separated by ` ¦ `; "\\n" is a new line.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [String; N]> {
    let rows = table.trim_matches('\n').split('\n');
    rows.map(|row| {
        let cells = row.split(" ¦ ").map(|cell| cell.replace("\\n", "\n"));
        let cells: Vec<String> = cells.collect();
        cells.try_into().expect("every row has the same columns")
    })
}

/// Format with a name.
fn named(name: &str) -> Format {
    Format::parse(name).unwrap_or_else(|| panic!("there is no format {name}"))
}
