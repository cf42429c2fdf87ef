//! Files of other programs.

use serde_json::json;

use super::*;

fn edges(given: &ImportedGraph) -> Vec<(&str, &str, &str)> {
    let edge = |edge: &'_ ImportedEdge| (edge.source.clone(), edge.ty.clone(), edge.target.clone());
    let all = given.edges.iter().map(edge).collect::<Vec<_>>().leak();
    all.iter()
        .map(|(source, ty, target)| (&**source, &**ty, &**target))
        .collect()
}

#[test]
fn node_link_of_networkx_and_d3() {
    let networkx = r#"{"directed": false, "multigraph": false, "graph": {"created": "x"}, "nodes": [{"club": "a", "id": 0}, {"id": [1, 2]}],
        "edges": [{"weight": 4, "source": 0, "target": [1, 2]}]}"#;
    let given = read_all(Format::NodeLink, networkx).unwrap();
    assert_eq!(edges(&given), [("0", "related_to", "[1,2]")]);
    assert_eq!(given.edges[0].weight, Some(4.0));
    assert_eq!(given.nodes[0].data["club"], "a");
    check_repairs(
        &given,
        "missing_edge_type 1, undirected 1, graph_attribute 1, missing_type 2",
    );
    // Before ids, ends were places in the list; while it is drawn, they are the nodes themselves.
    let d3 = r#"{"nodes": [{"name": "Myriel", "group": 1}, {"name": "Napoleon", "group": 1}],
        "links": [{"source": 1, "target": 0, "value": 8}, {"source": {"id": "0", "x": 1}, "target": {"id": "1"}, "label": "knows"}]}"#;
    let given = read_all(Format::NodeLink, d3).unwrap();
    let expected = [("1", "related_to", "0"), ("0", "knows", "1")];
    assert_eq!(edges(&given), expected);
    assert_eq!(&*given.nodes[0].label, "Myriel");
    assert_eq!(given.edges[0].weight, Some(8.0));
    assert_eq!(given.nodes.len(), 2);
}

#[test]
fn cytoscape_in_both_forms() {
    let flat = r#"[{"group": "nodes", "data": {"id": "a", "name": "A", "parent": "p"}, "position": {"x": 1, "y": 2}, "classes": "big"},
        {"data": {"id": "ab", "source": "a", "target": "b", "interaction": "pp"}}]"#;
    let nested = r#"{"format_version": "1.0", "data": {"shared_name": "net"}, "elements": {"nodes":
        [{"data": {"id": "a", "name": "A", "parent": "p", "classes": "big"}, "position": {"x": 1, "y": 2}, "selected": false}],
        "edges": [{"data": {"id": "ab", "source": "a", "target": "b", "interaction": "pp"}}]}}"#;
    for (file, left_out) in [(flat, 0), (nested, 2)] {
        assert_eq!(detect(None, file.as_bytes()), Some(Format::Cytoscape));
        let given = read_all(Format::Cytoscape, file).unwrap();
        assert_eq!(edges(&given), [("a", "pp", "b")]);
        let node = &given.nodes[0];
        assert_eq!((&*node.label, node.position), ("A", Some([1.0, 2.0])));
        assert_eq!(node.data["classes"], "big");
        assert_eq!(node.data["parent"], "p");
        let found = given
            .repairs
            .iter()
            .find(|repair| repair.what == "graph_attribute");
        assert_eq!(found.map_or(0, |repair| repair.count), left_out);
    }
}

#[test]
fn graphml_of_yed_and_igraph() {
    let file = r#"<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE graphml>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
  <key for="node" id="d6" yfiles.type="nodegraphics"/>
  <key for="node" id="v" attr.name="age" attr.type="int"><default>7</default></key>
  <key for="edge" id="w" attr.name="weight" attr.type="double"/>
  <key for="graph" id="g" attr.name="Description" attr.type="string"/>
  <graph edgedefault="directed" id="G">
    <data key="g"/>
    <node id="n0"><data key="d6"><y:ShapeNode><y:Geometry x="1"/><y:NodeLabel align="center">First &amp; only<y:LabelModel/></y:NodeLabel></y:ShapeNode></data></node>
    <node id="n1"><data key="v">8</data><graph id="n1:"><node id="n1::n0"/></graph></node>
    <edge id="e0" source="n0" target="n1"><data key="w">0.5</data></edge>
    <edge source="n1::n0" target="n1" directed="false"/>
    <hyperedge><endpoint node="n0"/></hyperedge>
  </graph>
</graphml>"#;
    let found = detect(Some("a.xml"), file.as_bytes());
    assert_eq!(found, Some(Format::GraphMl));
    let given = read_all(Format::GraphMl, file).unwrap();
    let nodes = given.nodes.iter();
    let found = nodes.map(|node| (&*node.id, &*node.label, node.data["age"].as_i64()));
    let found: Vec<_> = found.collect();
    let expected = [
        ("n0", "First & only", Some(7)),
        ("n1::n0", "n1::n0", Some(7)),
        ("n1", "n1", Some(8)),
    ];
    assert_eq!(found, expected);
    assert_eq!(given.edges[0].id.as_deref(), Some("e0"));
    assert_eq!(given.edges[0].weight, Some(0.5));
    check_repairs(
        &given,
        "nested_graph 1, missing_edge_type 2, undirected 1, left_out_element 1, graph_attribute 1, missing_type 3",
    );
}

#[test]
fn gexf_of_gephi() {
    let file = r#"<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2" xmlns:viz="http://www.gexf.net/1.2draft/viz">
  <graph defaultedgetype="directed" mode="static">
    <attributes class="node" mode="static">
      <attribute id="modularity_class" title="Class" type="integer"><default>0</default></attribute>
    </attributes>
    <nodes count="2">
      <node id="0" label="Hello"><attvalues><attvalue for="modularity_class" value="3"/></attvalues>
        <viz:size value="10.0"/><viz:position x="1.5" y="-2" z="0"/><viz:color r="1" g="2" b="3"/></node>
      <node id="1" label="Word" start="2009-03-01"><nodes><node id="2" pid="1"/></nodes></node>
    </nodes>
    <edges><edge id="0" source="0" target="1" weight="2.0" kind="says"/><edge source="1" target="2" type="mutual" label="has"/>
      <edge source="2" target="0" type="ends"/></edges>
  </graph>
</gexf>"#;
    assert_eq!(detect(None, file.as_bytes()), Some(Format::Gexf));
    let given = read_all(Format::Gexf, file).unwrap();
    let expected = [("0", "says", "1"), ("1", "has", "2"), ("2", "ends", "0")];
    assert_eq!(edges(&given), expected);
    let first = &given.nodes[0];
    assert_eq!(&*first.label, "Hello");
    assert_eq!(first.position, Some([1.5, -2.0]));
    assert_eq!(first.data["Class"], 3);
    let word = given.nodes.iter().find(|node| node.id == "1").unwrap();
    assert_eq!(word.data["start"], "2009-03-01");
    assert_eq!(word.data["Class"], 0);
    assert_eq!(given.edges[0].weight, Some(2.0));
    check_repairs(&given, "undirected 1, missing_type 3");
}

#[test]
fn tables_of_neo4j() {
    let nodes = "personId:ID(Person);name;age:int;:LABEL\n1;Ann;28;Person;\n";
    let nodes = nodes.replace("Person;\n", "\"Person;Author\"\n");
    let edges_file = ":START_ID(Person);since:int;:END_ID(Person);:TYPE\n1;1999;1;KNOWS\n";
    let given = read_all(Format::Csv, format!("{nodes}\n{edges_file}")).unwrap();
    let node = &given.nodes[0];
    assert_eq!((&*node.id, &*node.label), ("Person:1", "Ann"));
    assert_eq!(node.types, ["Person", "Author"]);
    assert_eq!(node.data["age"], 28);
    assert_eq!(edges(&given), [("Person:1", "KNOWS", "Person:1")]);
    assert_eq!(given.edges[0].data["since"], 1999);
    check_repairs(&given, "");
    // Ids of two spaces, tables without empty lines, properties with the names of fields, lists and ignored columns.
    let all = ":ID(Person),name,source,scores:float[],x:IGNORE,:LABEL\n1,Ann,web,1.5;2,y,foaf:Person\n\
        :ID(Movie),title,:LABEL\n1,Ma,Movie\n:START_ID(Person),:END_ID(Movie),:TYPE,type,ok:boolean\n1,1,SAW,x,true\n";
    let given = read_all(Format::Csv, all).unwrap();
    assert_eq!(given.nodes.len(), 2);
    assert_eq!(given.nodes[0].types, ["foaf:Person"]);
    assert_eq!(given.nodes[0].data["source"], "web");
    assert_eq!(given.nodes[0].data["scores"], json!([1.5, 2.0]));
    assert_eq!(edges(&given), [("Person:1", "SAW", "Movie:1")]);
    assert_eq!(
        (&given.edges[0].data["type"], &given.edges[0].data["ok"]),
        (&json!("x"), &json!(true))
    );
    check_repairs(&given, "ignored_column 1");
    let odd = "id,dc:date,_labels\n1,2024,a\n";
    assert_eq!(
        read_all(Format::Csv, odd).unwrap().nodes[0].data["dc:date"],
        "2024"
    );
    let export = "_id,_labels,name,source,_start,_end,_type,since\n0,:Person:Author,Ann,web,,,,\n\
        1,:Person,Ben,,,,,\n,,,book,0,1,KNOWS,1999\n";
    let given = read_all(Format::Csv, export).unwrap();
    assert_eq!(given.nodes[0].types, ["Person", "Author"]);
    assert_eq!(given.nodes[1].label, "Ben");
    assert_eq!(edges(&given), [("0", "KNOWS", "1")]);
    assert_eq!(given.edges[0].data["source"], "book");
    check_repairs(&given, "");
    let on = |_, _| ControlFlow::Continue(());
    let [nodes, links] = ["id\na\n", "source,target\na,a\n"].map(str::as_bytes);
    assert!(read_tables(Some(nodes), Some(links), &on).is_ok());
    for [first, second] in [[links, links], [nodes, nodes]] {
        let refused = read_tables(Some(first), Some(second), &on).unwrap_err();
        assert!(
            refused.to_string().contains("this is a table of"),
            "{refused}"
        );
    }
}

#[test]
fn adjacencies_of_networkx() {
    let nodes = json!([{ "id": "a", "type": "t" }, { "id": "b", "type": "t" }]);
    let file = |directed: bool, adjacency: &serde_json::Value| {
        json!({ "directed": directed, "multigraph": false, "graph": [], "nodes": nodes, "adjacency": adjacency }).to_string()
    };
    let ab = json!([[{ "id": "b", "type": "r", "weight": 2 }], [{ "id": "a", "type": "r", "weight": 2 }]]);
    let given = read_all(Format::NodeLink, file(true, &ab)).unwrap();
    assert_eq!(edges(&given), [("a", "r", "b"), ("b", "r", "a")]);
    assert_eq!(given.edges[0].weight, Some(2.0));
    let given = read_all(Format::NodeLink, file(false, &ab)).unwrap();
    assert_eq!(edges(&given), [("a", "r", "b")]);
    check_repairs(&given, "undirected 1");
    let at_one_end =
        json!([[], [{ "id": "a", "type": "r", "key": 0 }, { "id": "a", "type": "r", "key": 1 }]]);
    let given = read_all(Format::NodeLink, file(false, &at_one_end)).unwrap();
    assert_eq!(edges(&given), [("b", "r", "a"), ("b", "r", "a")]);
    for wrong in [json!([[]]), json!([1, []]), json!([[2], []]), json!(3)] {
        assert!(
            read_all(Format::NodeLink, file(true, &wrong)).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn tables_of_gephi_and_spreadsheets() {
    let nodes = "Id;Label;Type;Age\r\na;\"Ann; \"\"the\"\" first\";Person;28\r\n\r\nb;;;\r\n";
    let given = read_all(Format::Csv, nodes).unwrap();
    assert_eq!(&*given.nodes[0].label, "Ann; \"the\" first");
    assert_eq!(&given.nodes[0].types[0], &"Person".to_owned());
    assert_eq!(given.nodes[0].data["Age"], "28");
    assert_eq!((&*given.nodes[1].id, &*given.nodes[1].label), ("b", "b"));
    check_repairs(&given, "missing_type 1");
    let edges_of_gephi =
        "Source,Target,Type,Weight,Label\na,b,Undirected,2,knows\nb,a,Directed,,\n";
    let given = read_tables(
        Some(nodes.as_bytes()),
        Some(edges_of_gephi.as_bytes()),
        &|_, _| ControlFlow::Continue(()),
    )
    .unwrap();
    let expected = [("a", "knows", "b"), ("b", "related_to", "a")];
    assert_eq!(edges(&given), expected);
    check_repairs(&given, "undirected 1, missing_edge_type 1, missing_type 1");
    let both = "id,type,created\na,x,2024-01-10\n\nfrom\tto,x\n\nfrom,relation,to\na,likes,b\n";
    let given = read_all(Format::Csv, both).unwrap();
    assert_eq!(edges(&given), [("a", "likes", "b")]);
    assert_eq!(given.nodes[0].created, Some(1_704_844_800_000));
    assert_eq!(
        given.nodes[1].label, "from\tto",
        "only a first row of edges begins another table"
    );
    let given = read_all(Format::Csv, "source\ttarget\r\na\tb\r\n").unwrap();
    assert_eq!(edges(&given), [("a", "related_to", "b")]);
}

#[test]
fn dot_as_people_write_it() {
    let file = r#"# a remark
strict digraph "my graph" { // another
  graph [rankdir=LR]; node [shape=box, label="<\N>"] edge [color="red"];
  label = "title";
  a [label="First\nnode", type=Person]; a [weight_of=3]
  "b c" -> a:port:n -> { d; e [label=<<b>bold</b><br/>E &amp; F>] } [label="has"];
  subgraph cluster_0 { node [shape=circle]; f; subgraph { g } -> h }
  1.5 -> "joined" + " name" [weight=2, type=likes pos="1,2"]
}"#;
    assert_eq!(detect(None, file.as_bytes()), Some(Format::Dot));
    let given = read_all(Format::Dot, file).unwrap();
    let expected = [
        ("b c", "has", "a"),
        ("a", "has", "d"),
        ("a", "has", "e"),
        ("g", "related_to", "h"),
        ("1.5", "likes", "joined name"),
    ];
    assert_eq!(edges(&given), expected);
    let node = |id: &str| given.nodes.iter().find(|node| node.id == id).unwrap();
    let a = node("a");
    assert_eq!(&*a.label, "First\nnode");
    assert_eq!(&*a.types[0], "Person");
    assert_eq!(a.data["shape"], "box");
    assert_eq!(a.data["weight_of"], "3");
    assert_eq!(&*node("b c").label, "<b c>");
    assert_eq!(&*node("e").label, "bold\nE & F");
    assert_eq!(node("f").data["shape"], "circle");
    assert_eq!(node("g").data["subgraph"], "cluster_0");
    assert_eq!(given.edges[0].data["headport"], "port:n");
    assert_eq!(given.edges[1].data["tailport"], "port:n");
    assert!(!given.edges[0].data.contains_key("tailport"));
    assert_eq!(given.edges[4].weight, Some(2.0));
    assert_eq!(given.edges[4].data["color"], "red");
    assert_eq!(repairs(&given)[0], ("graph_attribute", 1));
    let undirected = read_all(Format::Dot, "graph { a -- {b c} -- d }").unwrap();
    assert_eq!(undirected.edges.len(), 4);
    assert_eq!(undirected.repairs[0].what, "undirected");
}

#[test]
fn memories_in_both_dialects() {
    let file = "{\"type\":\"relation\",\"from\":\"Ann\",\"to\":\"Fibula\",\"relationType\":\"uses\"}\n\n\
        {\"type\":\"entity\",\"name\":\"Ann\",\"entityType\":\"person\",\"observations\":[\"likes maps\"]}\r\n\
        {\"name\":\"Fibula\",\"entityType\":\"tool\",\"observations\":[],\"createdAt\":1700000000,\"createdBy\":\"bob\"}\n\
        {\"from\":\"Fibula\",\"to\":\"Ann\",\"relationType\":\"helps\",\"validFrom\":1700000000,\"validTo\":\"2024-01-10\"}\n";
    let found = detect(Some("memory.json"), file.as_bytes());
    assert_eq!(found, Some(Format::MemoryJsonl));
    let given = read_all(Format::MemoryJsonl, file).unwrap();
    let expected = [("Ann", "uses", "Fibula"), ("Fibula", "helps", "Ann")];
    assert_eq!(edges(&given), expected);
    assert_eq!(
        given.nodes[0].observations[0],
        ImportedObservation {
            text: "likes maps".to_owned(),
            at: None,
            by: None
        }
    );
    let fibula = &given.nodes[1];
    assert_eq!(fibula.creator.as_deref(), Some("bob"));
    assert_eq!(fibula.created, Some(1_700_000_000_000));
    let helps = &given.edges[1];
    assert_eq!(helps.valid_from, Some(1_700_000_000_000));
    assert_eq!(helps.valid_to, Some(1_704_844_800_000));
    assert_eq!(given.repairs, []);
}

/// File names, or "-"; beginnings of files; detected formats, or "-".
const DETECTED: &str = r#"
- ¦  ¦ -
- ¦ hello ¦ -
a.json ¦ 3 ¦ -
- ¦ {"@context":{ ¦ json-ld
- ¦ [{"@id":"a" ¦ json-ld
- ¦ {"format":"fibula-graph" ¦ json
- ¦ {"nodes":[{"data":{"id":"a ¦ cytoscape
- ¦ {"nodes":[{"id":"a","data":{ ¦ node-link
- ¦ {"links":[ ¦ node-link
- ¦ {"\ ¦ -
- ¦ flowchart LR\n a --> b ¦ mermaid
- ¦ %% remark\ngraph TD\n a --> b ¦ mermaid
- ¦ graph LR;a-->b ¦ mermaid
- ¦ graph LR;a{Is it?}-->b ¦ mermaid
- ¦ graph  LR\n a --> b ¦ mermaid
- ¦ graph > %% remark\n a --> b ¦ mermaid
- ¦ graph;a-->b ¦ mermaid
- ¦ graph %% remark\n a --> b ¦ mermaid
- ¦ gantt\n title a ¦ mermaid
- ¦ source,target,Diagram\na,b,c ¦ csv
- ¦ graph LR\n{ a -- b } ¦ dot
- ¦ graph G { a -- b } ¦ dot
- ¦ graph\n a --> b ¦ mermaid
- ¦ ---\ntitle: a\n---\nflowchart ¦ mermaid
- ¦ %%{init: {\n} }%%\ngraph TD ¦ mermaid
- ¦ sequenceDiagram\n A->>B: hi ¦ mermaid
- ¦ graph\n\n{ a -- b } ¦ dot
- ¦ graph TD { a -- b } ¦ dot
- ¦ graph{ ¦ dot
- ¦ "Source";"Target"\n ¦ csv
table.TSV ¦  ¦ csv
a.jsonl ¦ {"from":"a","to":"b","relationType":"c"} ¦ memory-jsonl
"#;

#[test]
fn formats_are_detected() {
    for [name, start, format] in rows(DETECTED) {
        let name = Some(&*name).filter(|name| *name != "-");
        let detected = detect(name, start.as_bytes());
        assert_eq!(detected.map_or("-", Format::name), format, "{start}");
    }
}
