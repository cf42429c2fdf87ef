//! Linked data: exports of Discourse Graphs, and JSON-LD of other sorts.

use serde_json::json;

use super::*;

/// A small export with its context elsewhere, in the newer vocabulary.
fn export() -> String {
    json!({
        "@context": "https://discoursegraphs.com/schema/dg_core.jsonld",
        "@graph": [
            { "@id": "pages:ann", "@type": "UserAccount", "name": "Ann" },
            { "@id": "pages:clm", "@type": "NodeSchema", "label": "Claim", "content": "what is said" },
            { "@id": "pages:r", "@type": "RelationDef", "label": "Supports", "domain": "pages:evd", "range": ["pages:clm"] },
            { "@id": "pages:ri", "@type": "RelationDef", "label": "Supported By", "inverseOf": "pages:r" },
            { "@id": "pages:a", "@type": "pages:clm", "title": "[[CLM]] - first", "creator": "pages:ann", "created": "2024-01-10",
              "content": "see [[[[EVD]] - second]], https://x.org/page/c. and [[nowhere]] ![a](https://x.org/i.png)",
              "textRefersToNode": ["page:b", "gone"], "mood": "good" },
            { "@id": "pages:b", "@type": "Evidence", "title": "[[EVD]] - second", "supports": "pages:a", "opposes": ["pages:a", { "@id": "pages:c" }] },
            { "@id": "https://x.org/page/c", "@type": "Claim", "title": "third", "content": "[[third]]" },
            { "@id": "rel1", "@type": "RelationInstance", "predicate": "pages:ri", "source": "pages:a", "destination": "pages:b",
              "created": { "@value": "2024-01-10" } }
        ]
    })
    .to_string()
}

#[test]
fn a_discourse_export_is_read() {
    let given = read_all(Format::JsonLd, export()).unwrap();
    let edges = given.edges.iter();
    let edges = edges.map(|edge| (&*edge.source, &*edge.ty, &*edge.target));
    let edges: Vec<_> = edges.collect();
    let expected = [
        ("b", "opposes", "a"),
        ("b", "opposes", "c"),
        ("b", "supports", "a"),
        ("b", "Supports", "a"),
        ("a", "refers_to", "b"),
        ("a", "refers_to", "c"),
    ];
    assert_eq!(edges, expected, "the inverse is told from the other end");
    assert_eq!(given.edges[3].id.as_deref(), Some("rel1"));
    assert_eq!(given.edges[3].created, Some(1_704_844_800_000));
    let a = given.nodes.iter().find(|node| node.id == "a").unwrap();
    assert_eq!(&*a.label, "[[CLM]] - first");
    assert_eq!(&a.types[..], &["Claim".to_owned()][..]);
    assert_eq!(a.creator.as_deref(), Some("Ann"));
    assert_eq!(a.data["mood"], "good");
    assert_eq!(&a.data["images"], &json!(["https://x.org/i.png"]));
    assert!(a.data["content"].as_str().unwrap().starts_with("see [["));
    let schema = given.schema.unwrap();
    let description = schema.node_types[0].description.as_deref();
    assert_eq!(description, Some("what is said"));
    let inverse = schema.edge_types[0].inverse.as_deref();
    assert_eq!(inverse, Some("Supported By"));
    assert_eq!(&schema.edge_types[0].domain[..], &["evd".to_owned()][..]);
    assert_eq!(&schema.edge_types[0].range[..], &["Claim".to_owned()][..]);
    assert_eq!(schema.edge_types[1].key, "refers_to");
    assert_eq!(given.repairs, []);
}

#[test]
fn linked_data_is_nodes_and_edges() {
    let file = json!({
        "@context": { "schema": "https://schema.org/", "dct": "http://purl.org/dc/terms/", "knows": { "@id": "schema:knows", "@type": "@id" },
                      "parts": { "@id": "schema:parts", "@container": "@list" } },
        "@id": "http://example.org/ann",
        "@type": ["schema:Person", "Agent", "Being"],
        "schema:name": "Ann",
        "dct:created": "2024-01-10",
        "dct:creator": "bob",
        "knows": ["http://example.org/bob", "carl"],
        "schema:age": 28,
        "schema:height": 1.5,
        "schema:tall": true,
        "schema:motto": { "@value": "Hallo", "@language": "de" },
        "schema:code": { "@value": "x", "@type": "schema:Code" },
        "parts": [1, "two"],
        "nickname": ["a", "b"],
        "schema:address": { "schema:street": "Main" }
    });
    let given = read_all(Format::JsonLd, file.to_string()).unwrap();
    let ann = &given.nodes[0];
    assert_eq!(&*ann.id, "http://example.org/ann");
    assert_eq!(&*ann.label, "Ann");
    assert_eq!(ann.creator.as_deref(), Some("bob"));
    assert_eq!(ann.types, ["Agent", "Being", "schema:Person"]);
    assert_eq!(ann.created, Some(1_704_844_800_000));
    let expected = json!({
        "schema:age": 28,
        "schema:height": 1.5,
        "schema:tall": true,
        "schema:motto": { "@value": "Hallo", "@language": "de" },
        "schema:code": { "@value": "x", "@type": "https://schema.org/Code" },
        "schema:parts": [1, "two"],
        "nickname": ["a", "b"],
    });
    assert_eq!(serde_json::Value::Object(ann.data.clone()), expected);
    let edges = given.edges.iter().map(|edge| (&*edge.ty, &*edge.target));
    let edges: Vec<_> = edges.collect();
    assert_eq!(
        edges,
        [
            ("schema:knows", "http://example.org/bob"),
            ("schema:knows", "carl"),
            ("schema:address", "_:1")
        ]
    );
    check_repairs(&given, "missing_type 1, dangling_end 2");
    assert_eq!(given.schema, None);
    for _ in 0..3 {
        let again = read_all(Format::JsonLd, file.to_string()).unwrap();
        assert_eq!(again, given, "always in the same order");
    }
}

#[test]
fn values_where_nodes_are_expected_are_reported() {
    let ann = r#"{"@id":"urn:ann","@type":"Person","urn:name":"Ann"}"#;
    for (file, nodes, repairs) in [
        ("5".to_owned(), 0, "loose_value 1"),
        (r#"{"@graph":5}"#.to_owned(), 0, "loose_value 1"),
        (
            format!(r#"[{ann},"x",null,{{"@value":1}}]"#),
            1,
            "loose_value 2",
        ),
        (format!(r"[[{ann}],[[2]]]"), 1, "loose_value 1"),
        (format!(r#"{{"@graph":[{ann},5]}}"#), 1, "loose_value 1"),
        (format!(r#"{{"@graph":{ann}}}"#), 1, ""),
    ] {
        let given = read_all(Format::JsonLd, file.clone()).unwrap();
        assert_eq!(given.nodes.len(), nodes, "{file}");
        check_repairs(&given, repairs);
    }
}

#[test]
fn graphs_are_written_as_linked_data() {
    let (file, _) = file_of(Format::JsonLd, &example());
    // Another reader sees the same statements: the way by RDF, which our own does not take.
    let document = serde_json::from_str(&file).unwrap();
    let mut to = GraphBuilder::new(0, &|_, _| ControlFlow::Continue(()));
    json_ld::general::read(document, &mut to).unwrap();
    let given = to.finish().unwrap();
    let node = given
        .nodes
        .iter()
        .find(|node| node.id == "urn:fibula:node:NCBIGene%3A7157")
        .unwrap();
    assert_eq!(node.label, "TP53");
    assert_eq!(node.types, ["nodeType:Gene", "nodeType:Protein"]);
    let data = json!({ "score": 0.5, "status": "known", "type": "x" });
    assert_eq!(node.data["fibula:data"], data);
    let ends =
        |edge: &&ImportedEdge| edge.source == "urn:fibula:edge:e3" && edge.ty == "dgb:destination";
    let end = given.edges.iter().find(ends).unwrap();
    assert_eq!(end.target, "urn:fibula:function:3/7");
}
