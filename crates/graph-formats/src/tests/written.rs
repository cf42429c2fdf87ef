//! Snapshots of written files.

use super::*;

fn left(written: &WriteReport) -> Vec<(&'static str, usize)> {
    written
        .left_out
        .iter()
        .map(|left| (left.what, left.count))
        .collect()
}

#[test]
fn dot() {
    let (file, written) = file_of(Format::Dot, &example());
    let expected = r#"digraph "a <title>" {
  "NCBIGene:7157" [label="TP53", type="Gene", pos="1.5,-2!"];
  "n2" [label="a \"quoted\" &amp; <strange>\nlabel", type="Note"];
  "fn:3/7" [type=function, shape=box];
  "NCBIGene:7157" -> "n2" [type="explains", label="tells", weight="0.25"];
  "n2" -> "n2" [type="part of", label="part of"];
  "n2" -> "fn:3/7" [type="constrains", label="constrains"];
}
"#;
    assert_eq!(file, expected);
    let expected = [
        ("creators, dates, versions and orders", 5),
        ("data of nodes and edges", 2),
        ("declared types", 2),
        ("further types", 1),
        ("ids of edges", 3),
        ("observations", 1),
        ("validity intervals of edges", 1),
    ];
    assert_eq!(left(&written), expected);
}

#[test]
fn mermaid() {
    let (file, written) = file_of(Format::Mermaid, &example());
    let expected = r#"flowchart LR
  accTitle: a <title>
  n0["TP53<br/><i>Gene, Protein</i>"]
  n1["a #34;quoted#34; #38; #60;strange#62;<br/>label<br/><i>Note</i>"]
  n2(["fn#58;3#47;7"])
  n0 -->|"tells"| n1
  n1 -->|"part of"| n1
  n1 -->|"constrains"| n2
"#;
    assert_eq!(file, expected);
    let labelled = ("types of edges that have a label", 1);
    assert!(left(&written).contains(&labelled), "{written:?}");
}

#[test]
fn tables() {
    let (file, written) = file_of(Format::Csv, &example());
    let expected = r#"id,label,type,json:types,json:observations,json:creator,version,order,created,modified,x,y,json:score,status,data:type
NCBIGene:7157,TP53,Gene,"[""Gene"",""Protein""]","[{""at"":5000,""by"":""ann"",""text"":""guards the genome""}]","""ann""",2,0,1704880800000,1704880800001,1.5,-2.0,0.5,known,x
n2,"a ""quoted"" & <strange>
label",Note,,,"""""",1,1,-1,0,,,,,

id,source,target,type,label,weight,creator,order,created,modified,valid_from,valid_to,json:least
e1,NCBIGene:7157,n2,explains,tells,0.25,ann,0,1,2,1000,1704880800001,
e2,n2,n2,part of,,,bob,1,1000,2000,,,
e3,n2,fn:3/7,constrains,,,bob,2,1000,2000,,,2
"#;
    assert_eq!(file, expected);
    assert_eq!(left(&written), [("declared types", 2), ("title", 1)]);
}

#[test]
fn memories() {
    let (file, _) = file_of(Format::MemoryJsonl, &example());
    let mut lines = file.lines();
    assert_eq!(
        lines.next().unwrap(),
        r#"{"type":"entity","name":"TP53","entityType":"Gene","observations":["guards the genome"],"observed":[{"at":5000,"by":"ann"}],"createdBy":"ann","id":"NCBIGene:7157","types":["Gene","Protein"],"x":1.5,"y":-2.0,"createdAt":1704880800,"updatedAt":1704880800,"modified":1704880800001,"version":2,"order":0,"data":{"score":0.5,"status":"known","type":"x"}}"#
    );
    assert_eq!(
        lines.nth(1).unwrap(),
        r#"{"type":"relation","from":"TP53","to":"a \"quoted\" & <strange>\nlabel","relationType":"explains","createdBy":"ann","id":"e1","label":"tells","weight":0.25,"validFrom":1,"validTo":1704880800,"valid_to":1704880800001,"createdAt":0,"created":1,"updatedAt":0,"modified":2,"order":0}"#
    );
}

/// A label is a name where it is clear which node that is, and the id is elsewhere.
#[test]
fn names_of_memories_are_clear() {
    let mut data = example().data();
    for (id, label) in [
        ("a", "same"),
        ("b", "same"),
        ("c", "a"),
        ("d", "fn:3"),
        ("e", ""),
    ] {
        let mut node = data.nodes[1].clone();
        (node.id, node.label) = (id.to_owned(), label.to_owned());
        node.order = data.nodes.len() as u64;
        data.nodes.push(node);
    }
    data.edges[1].target = "b".to_owned();
    let (file, _) = file_of(Format::MemoryJsonl, &data.knowledge().unwrap());
    let name = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["name"].as_str().map(str::to_owned)
    };
    let names: Vec<String> = file.lines().filter_map(name).collect();
    assert_eq!(names[2..], ["a", "b", "c", "d", "e"]);
    let given = read_all(Format::MemoryJsonl, file).unwrap();
    assert_eq!(&*given.edges[1].target, "b");
    assert_eq!(&*given.nodes[3].label, "same");
    assert_eq!(given.repairs, []);
}

#[test]
fn node_link() {
    let (file, _) = file_of(Format::NodeLink, &example());
    let node = r#"{"id":"NCBIGene:7157","label":"TP53","type":"Gene","types":["Gene","Protein"],"observations":[{"at":5000,"by":"ann","text":"guards the genome"}],"x":1.5,"y":-2.0,"creator":"ann","created":1704880800000,"modified":1704880800001,"version":2,"order":0,"data":{"type":"x"},"score":0.5,"status":"known"}"#;
    let function = r#"{"id":"fn:3/7","label":"fn:3/7","type":"function"}"#;
    assert!(
        file.starts_with(
            r#"{"directed":true,"multigraph":true,"graph":{"name":"a <title>","schema":"#
        ),
        "{file}"
    );
    assert!(file.contains(node) && file.contains(function), "{file}");
    // The same with another name.
    let example = example();
    let (nodes, edges) = (example.sorted_nodes(), example.sorted_edges());
    let mut links = Vec::new();
    write_links(
        &Graph::new(&example, &nodes, &edges, "a <title>"),
        &mut links,
    )
    .unwrap();
    let links = String::from_utf8(links).unwrap();
    assert_eq!(links, file.replacen("\"edges\":[", "\"links\":[", 1));
    assert_ne!(links, file);
}

#[test]
fn graphml() {
    let (file, _) = file_of(Format::GraphMl, &example());
    let start = file.find("<node id=\"n2\">").unwrap();
    let node = &file[start..start + file[start..].find('\n').unwrap()];
    assert_eq!(
        node,
        "<node id=\"n2\"><data key=\"node1\">a &quot;quoted&quot; &amp; &lt;strange&gt;&#10;label</data><data key=\"node2\">Note</data>\
         <data key=\"node5\"></data><data key=\"node8\">-1</data><data key=\"node9\">0</data><data key=\"node6\">1</data>\
         <data key=\"node7\">1</data></node>"
    );
    assert!(
        file.contains("<key id=\"node12\" for=\"node\" attr.name=\"score\" attr.type=\"double\"/>"),
        "{file}"
    );
}

/// An output without space.
struct FullOutput;

impl Write for FullOutput {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::StorageFull.into())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_part_of_a_graph_is_written() {
    let knowledge = example();
    let (nodes, edges) = (knowledge.sorted_nodes(), knowledge.sorted_edges());
    let graph = Graph {
        nodes: &nodes[..1],
        ..Graph::new(&knowledge, &nodes, &edges, "")
    };
    for format in Format::ALL {
        let mut file = Vec::new();
        let written = write(format, &graph, &mut file).unwrap();
        if format == Format::Mermaid {
            assert!(left(&written).contains(&("edges to nodes outside of the selection", 3)));
            continue;
        }
        let given = read_all(format, &file).unwrap();
        let ids: Vec<&str> = given.nodes.iter().map(|node| &*node.id).collect();
        let other = if format == Format::MemoryJsonl {
            ids[1]
        } else {
            "n2"
        };
        assert_eq!(ids[0], "NCBIGene:7157", "{format:?}");
        assert_eq!(ids.len(), 2, "{format:?}");
        assert_eq!(ids[1], other, "{format:?}");
        let is_told = given
            .repairs
            .iter()
            .any(|repair| repair.what == "dangling_end");
        assert_eq!(is_told, format != Format::Dot, "{format:?}");
    }
    for format in Format::ALL {
        let error = write(format, &graph, &mut FullOutput).unwrap_err();
        assert_eq!(error.code(), "unwritable_file");
    }
}
