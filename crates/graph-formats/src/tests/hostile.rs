//! Malformed, oversized and malicious files: each is rejected with an error, or read with a repair.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use fibula_knowledge::Node;

use super::*;

fn rejected(format: Format, file: impl AsRef<[u8]>, code: &str, told: &str) {
    let error = read_all(format, file).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
    assert!(error.to_string().contains(told), "{error}");
}

fn repaired(format: Format, file: &str, what: &str, count: usize) -> ImportedGraph {
    let given = read_all(format, file).unwrap();
    let repair = given.repairs.iter().find(|repair| repair.what == what);
    let repair = repair.unwrap_or_else(|| panic!("no {what}: {:?}", given.repairs));
    assert_eq!(repair.count, count, "{repair:?}");
    given
}

#[test]
fn only_utf8_is_read() {
    for format in Format::ALL {
        for mark in [b"\xff\xfe", b"\xfe\xff"] {
            rejected(
                format,
                [mark, &b"{\0"[..]].concat(),
                "unknown_format",
                "UTF-16",
            );
        }
        rejected(
            format,
            b"{}\n\"\xe4\"",
            "invalid_content",
            "line 2: invalid UTF-8",
        );
    }
    let marked = "\u{feff}{\"nodes\":[{\"id\":\"a\",\"type\":\"b\"}]}";
    assert_eq!(read_all(Format::NodeLink, marked).unwrap().nodes.len(), 1);
    let given = read_all(Format::Csv, "\u{feff}id,type\na,b").unwrap();
    assert_eq!(given.nodes[0].id, "a");
}

/// Files that are cut off, and parts of the error messages.
const CUT_OFF: &str = r#"
json ¦ {"format":"fibula-graph",\n"nodes":[{"id" ¦ line 2
node-link ¦ {"nodes":[ ¦ line 1
cytoscape ¦ {"elements":{"nodes":[{"data": ¦ line 1
json-ld ¦ {"@graph":[{"@id":"a"} ¦ line 1
graphml ¦ <graphml><graph><node id="a"/>\n ¦ line 2
gexf ¦ <gexf><graph>\n\n<nodes> ¦ line 3
dot ¦ digraph {\n a ->  ¦ line 2: expected
dot ¦ digraph {\n a [label="b ¦ line 2: unclosed quote
dot ¦ digraph {\n a [label=<b< ¦ line 2: unclosed HTML text
dot ¦ digraph { /* a ¦ unclosed comment
"#;

#[test]
fn files_that_are_cut_off_are_rejected() {
    for [format, file, told] in rows(CUT_OFF) {
        rejected(named(&format), file, "invalid_content", &told);
    }
    repaired(Format::Csv, "id,label\na,\"b", "open_quote", 1);
    let torn = "{\"name\":\"a\",\"entityType\":\"t\"}\n{\"name\":";
    repaired(Format::MemoryJsonl, torn, "torn_line", 1);
    rejected(
        Format::MemoryJsonl,
        "{\"name\":",
        "invalid_content",
        "line 1",
    );
}

/// Files that violate their formats, and parts of the error messages.
const WRONG: &str = r#"
json ¦ {} ¦ "format": "fibula-graph" is missing
json ¦ {"format":"other"} ¦ the format is "other"
json ¦ {"format":"fibula-graph","nodes":[{"id":"a","colour":1}]} ¦ node 1: unknown field `colour`
json ¦ {"format":"fibula-graph","edges":[{"source":"a","target":"b"}]} ¦ edge 1: missing field `type`
json ¦ {"format":"fibula-graph","notes":1} ¦ unknown key 'notes'
node-link ¦ {"a":1} ¦ there is no list of "nodes"
node-link ¦ {"nodes":{}} ¦ expected a list of nodes
node-link ¦ {"nodes":[1]} ¦ node 1: expected an object
node-link ¦ {"links":[{"source":"a"}]} ¦ edge 1: the edge has no target
node-link ¦ {"nodes":[],"schema":3} ¦ the schema: invalid type
cytoscape ¦ [{"id":"a"}] ¦ no "data" object
memory-jsonl ¦ {"a":1} ¦ line 1: {\"a\":1} is neither an entity
memory-jsonl ¦ {"type":"entity"} ¦ line 1: the entity has no name
graphml ¦ <svg/> ¦ it has no <graph>
graphml ¦ <graphml><graph><node id="a"><data key="k">1</data></node></graph></graphml> ¦ undeclared key 'k'
graphml ¦ <graphml><!DOCTYPE a [<!ENTITY lol "ha">]><graph/></graphml> ¦ entity declarations are not supported
gexf ¦ <gexf/> ¦ it has no <graph>
gexf ¦ <gexf><graph><nodes><node id="a"><attvalues><attvalue for="0" value="1"/></attvalues></node></nodes></graph></gexf> ¦ undeclared attribute '0'
csv ¦ \n\n ¦ the file is empty
csv ¦ id,label\na,b,c\n ¦ line 2: 'c' is in column 3, but the first row names only 2
csv ¦ source,target\na,\n ¦ line 2: the edge has no target
dot ¦ graph { a -> b } ¦ expected '--'
dot ¦ digraph { a -- b } ¦ expected '->'
dot ¦ digraph { a -> ; } ¦ expected the node or subgraph at which the edge ends
dot ¦ digraph { a [b c=] } ¦ expected the value of 'c', but found ']'
dot ¦ mindmap ¦ expected 'graph' or 'digraph'
dot ¦ digraph {\n@ } ¦ line 2: expected
json-ld ¦ {"@graph":[1],"@context":{"fibula":"urn:fibula:graph#"}} ¦ element 1: 1 is not an element
"#;

#[test]
fn files_that_violate_their_formats_are_rejected() {
    for [format, file, told] in rows(WRONG) {
        rejected(named(&format), file, "invalid_content", &told);
    }
    rejected(
        Format::Json,
        "{\"format\":\"fibula-graph\",\"version\":2}",
        "unknown_format",
        "versions up to 1",
    );
}

#[test]
fn nesting_is_limited() {
    let deep = |open: &str, count: usize| open.repeat(count);
    let json = deep("[", 100_000);
    let nodes = format!("{{\"nodes\":[{{\"id\":\"a\",\"b\":{json}");
    for (format, file) in [
        (Format::Json, nodes.clone()),
        (Format::NodeLink, nodes.clone()),
        (Format::Cytoscape, nodes),
        (Format::JsonLd, deep("{\"a\":", 100_000)),
        (Format::MemoryJsonl, format!("{{\"name\":{json}")),
        (Format::GraphMl, deep("<graph><node id=\"a\">", 100_000)),
        (Format::Gexf, deep("<nodes>", 100_000)),
        (Format::Dot, format!("digraph {}", deep("{", 100_000))),
        (
            Format::Dot,
            format!("digraph {{ a -> {}", deep("{ b -> ", 100_000)),
        ),
        (
            Format::Dot,
            format!("digraph {{ a [label={}", deep("<", 100_000)),
        ),
        (
            Format::Mermaid,
            format!("graph LR\n{}", deep("subgraph\n", 100_000)),
        ),
    ] {
        rejected(format, file, "too_large", "more than 128");
    }
}

/// Edges from each of many nodes to each of many others are counted before they are made.
#[test]
fn products_of_nodes_are_limited() {
    let group = |name: &str, count: usize, between: &str| {
        let all: Vec<String> = (0..count).map(|at| format!("{name}{at}")).collect();
        all.join(between)
    };
    let product = |count: usize| {
        let [a, b] = ["a", "b"].map(|name| group(name, count, " "));
        let dot = format!("digraph {{ {{{a}}} -> {{{b}}} }}");
        let [a, b] = ["a", "b"].map(|name| group(name, count, " & "));
        let mermaid = format!("graph LR\n{a} --> {b}");
        [(Format::Dot, dot), (Format::Mermaid, mermaid)]
    };
    for (format, file) in product(200) {
        let read = read_all(format, file);
        assert_eq!(read.expect("it is small").edges.len(), 40_000);
    }
    for (format, file) in product(2_000) {
        rejected(format, file, "too_large", "values that several");
    }
}

#[test]
fn small_files_do_not_exhaust_the_memory() {
    let nearly_full =
        |file: &str, read: fn(&str, &mut GraphBuilder<'_>) -> Result<(), FormatError>| {
            let mut to = GraphBuilder::new(0, &|_, _| ControlFlow::Continue(()));
            (to.limits, to.unfilled) = ([10_000; 2], 20);
            let error = read(file, &mut to).unwrap_err();
            assert_eq!(error.code(), "too_large");
            error.to_string()
        };
    let mut numbers = String::new();
    for at in 0..1000 {
        let _ = write!(numbers, " {at}");
    }
    let dot = format!("digraph {{ node [a=1 b=2]{numbers} }}");
    assert!(nearly_full(&dot, dot::read).contains("values that several"));
    let dot = format!("digraph {{ {{ {numbers} }} -> {{ {numbers} }} }}");
    assert!(nearly_full(&dot, dot::read).contains("values that several"));
    let all = numbers.trim().replace(' ', " & ");
    let mermaid = format!("graph LR\n{all} -->|{}| 1 & 2", "x".repeat(100));
    assert!(nearly_full(&mermaid, mermaid::read).contains("values that several"));
    let mermaid = format!("graph LR\nsubgraph {}\n{all}\nend", "x".repeat(100));
    assert!(nearly_full(&mermaid, mermaid::read).contains("values that several"));
    let mermaid = format!("graph LR\n{all}\nclass {} c", all.replace(" & ", ","));
    assert!(nearly_full(&mermaid, mermaid::read).contains("values that several"));
    for (file, told) in [
        ("graph LR\na & b & c", "more than 2 nodes"),
        ("graph LR\na & b --> a", "more than 1 edges"),
    ] {
        let mut to = GraphBuilder::new(0, &|_, _| ControlFlow::Continue(()));
        to.limits = [2, 1];
        let error = mermaid::read(file, &mut to).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
    }
    let node = "<node id=\"a\"/>".repeat(21);
    let graphml =
        format!("<graphml><key id=\"k\"><default>1</default></key><graph>{node}</graph></graphml>");
    assert!(nearly_full(&graphml, graphml::read).contains("values that several"));
    let gexf = format!(
        "<gexf><graph><attributes class=\"node\"><attribute id=\"k\"><default>1</default></attribute></attributes><nodes>{node}</nodes></graph></gexf>"
    );
    assert!(nearly_full(&gexf, gexf::read).contains("values that several"));
    let mut to = GraphBuilder::new(0, &|_, _| ControlFlow::Continue(()));
    to.limits = [2, 1];
    let error =
        node_link::read("{\"nodes\":[{\"id\":1},{\"id\":2},{\"id\":3}]}", &mut to).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the file has more than 2 nodes; split it and import the parts"
    );
    let mut to = GraphBuilder::new(0, &|_, _| ControlFlow::Continue(()));
    to.limits = [2, 1];
    csv::read("source,target\na,b\n", &mut to).unwrap();
    to.limits[0] = 1;
    assert_eq!(
        to.finish().unwrap_err().code(),
        "too_large",
        "nodes that are added count, too"
    );
    let large = vec![b' '; MAX_BYTES + 1];
    rejected(Format::Json, large, "too_large", "bytes");
}

#[test]
fn remote_contexts_are_rejected() {
    let context = |context: &str| {
        format!("{{\"@context\":{context},\"@graph\":[{{\"@id\":\"a\",\"b:c\":1}}]}}")
    };
    for (file, code, told) in [
        (
            context("{\"a\":\"b:x\",\"b\":\"a:y\"}"),
            "invalid_content",
            "'a' of the context is defined by itself",
        ),
        (
            context("[{\"a\":{\"@id\":\"b\"},\"b\":\"a\"}]"),
            "invalid_content",
            "is defined by itself",
        ),
        (
            context("\"https://example.com/context.jsonld\""),
            "unknown_format",
            "are not fetched",
        ),
        (
            context("{\"@import\":\"https://discoursegraphs.com/\"}"),
            "unknown_format",
            "are not fetched",
        ),
        (
            "[{\"a\":{\"@context\":\"http://b.c/\"}}]".to_owned(),
            "unknown_format",
            "(http://b.c/)",
        ),
        (
            format!("{{\"@context\":[{}{{}}]}}", "{},".repeat(1000)),
            "too_large",
            "contexts",
        ),
        (
            context(&format!("{{\"a\":\"{}\"}}", "b".repeat(600))),
            "too_large",
            "IRI",
        ),
    ] {
        rejected(Format::JsonLd, file, code, told);
    }
    let mut terms = String::new();
    for at in 0..3000 {
        let _ = write!(terms, "\"t{at}\":\"urn:t\",");
    }
    for (own, element) in [
        ("{\"@id\":\"urn:p\",\"@context\":{}}", "{\"p\":{}}"),
        ("\"urn:p\"", "{\"@context\":{}}"),
    ] {
        let elements = vec![element; 900].join(",");
        let file = format!("{{\"@context\":{{{terms}\"p\":{own}}},\"@graph\":[{elements}]}}");
        rejected(Format::JsonLd, file, "too_large", "copied terms");
    }
    let mut chain = "{".to_owned();
    for at in 0..9000 {
        let _ = write!(chain, "\"t{at}\":\"t{}:\",", at + 1);
    }
    rejected(
        Format::JsonLd,
        context(&(chain + "\"z\":\"y\"}")),
        "invalid_content",
        "through more than 128 other terms",
    );
    let known =
        context("[\"https://discoursegraphs.com/schema/context.jsonld\",{\"b\":\"urn:b:\"}]");
    let given = read_all(Format::JsonLd, known).unwrap();
    assert_eq!(given.nodes[0].data["b:c"], 1);
    // A cyclic list ends.
    let rdf = "{\"rdf\":\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"}";
    let list = "{\"@id\":\"_:l\",\"rdf:first\":1,\"rdf:rest\":{\"@id\":\"_:l\"}},{\"@id\":\"a\",\"b\":{\"@id\":\"_:l\"}}";
    let given = read_all(
        Format::JsonLd,
        format!("{{\"@context\":{rdf},\"@graph\":[{list}]}}"),
    )
    .unwrap();
    assert_eq!(given.nodes[0].data["b"], 1);
}

#[test]
fn invalid_numbers_are_kept_as_texts() {
    let graphml = "<graphml><key id=\"w\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/><graph edgedefault=\"directed\"><node id=\"a\"/>\
        <edge source=\"a\" target=\"a\"><data key=\"w\">NaN</data></edge></graph></graphml>";
    let gexf = "<gexf><graph defaultedgetype=\"directed\"><nodes><node id=\"a\"/></nodes><edges><edge source=\"a\" target=\"a\" weight=\"NaN\"/></edges></graph></gexf>";
    for (format, file, count) in [
        (Format::GraphMl, graphml, 2),
        (Format::Gexf, gexf, 1),
        (Format::Csv, "source,target,weight\na,a,NaN\n", 1),
        (Format::Dot, "digraph { a -> a [weight=NaN] }", 1),
        (
            Format::NodeLink,
            "{\"links\":[{\"source\":\"a\",\"target\":\"a\",\"weight\":\"NaN\"}]}",
            1,
        ),
    ] {
        let given = repaired(format, file, "no_number", count);
        assert_eq!(given.edges[0].weight, None, "{format:?}");
        assert_eq!(given.edges[0].data["weight"], "NaN", "{format:?}");
    }
    rejected(
        Format::NodeLink,
        "{\"links\":[{\"weight\":NaN}]}",
        "invalid_content",
        "line 1",
    );
    rejected(
        Format::NodeLink,
        "{\"links\":[{\"weight\":1e999}]}",
        "invalid_content",
        "number out of range",
    );
}

#[test]
fn ids_are_repaired() {
    let file = "{\"nodes\":[{\"id\":\"n1\",\"type\":\"a\",\"b\":1},{\"name\":\"second\",\"type\":\"a\"},{\"id\":\"\",\"type\":\"a\"},\
        {\"id\":\"n1\",\"name\":\"first\",\"type\":\"c\",\"b\":2,\"d\":3},{\"id\":\"fn:3\",\"type\":\"a\"}],\
        \"edges\":[{\"id\":\"e\",\"source\":\"n1\",\"target\":\"fn:3\",\"type\":\"x\"},{\"id\":\"e\",\"source\":\"n1\",\"target\":\"fn:3\",\"type\":\"x\",\"label\":\"y\"},\
        {\"id\":\"e\",\"source\":\"n1\",\"target\":\"other\"}]}";
    let given = read_all(Format::NodeLink, file).unwrap();
    let ids: Vec<&str> = given.nodes.iter().map(|node| &*node.id).collect();
    assert_eq!(ids, ["n1", "n2", "n3", "other"]);
    assert_eq!(&*given.nodes[0].label, "first");
    assert_eq!(&*given.nodes[1].label, "second");
    assert_eq!(&*given.nodes[2].label, "n3");
    assert_eq!(given.nodes[0].types, ["a", "c"]);
    assert_eq!(given.nodes[0].data["b"], 1);
    assert_eq!(given.nodes[0].data["d"], 3);
    assert_eq!(given.edges.len(), 2);
    assert_eq!(given.edges[0].label.as_deref(), Some("y"));
    assert_eq!(&given.edges[1].id, &None);
    check_repairs(
        &given,
        "missing_id 2, duplicate_id 1, function_node 1, duplicate_edge_id 1, missing_edge_type 1, reused_edge_id 1, dangling_end 1",
    );
}

#[test]
fn the_later_of_two_declarations_is_in_force() {
    let file = r#"<graphml>
        <key id="k" for="node" attr.name="a" attr.type="string"><default>1</default></key>
        <key id="k" for="node" attr.name="b" attr.type="long"><default>2</default></key>
        <graph edgedefault="directed"><node id="x"/></graph></graphml>"#;
    let graph = repaired(Format::GraphMl, file, "duplicate_declaration", 1);
    assert_eq!(graph.nodes[0].data["b"], 2);
    assert!(!graph.nodes[0].data.contains_key("a"));
}

/// Reading does not limit texts; nodes and edges check themselves.
#[test]
fn nodes_check_themselves() {
    let label = "x".repeat(1 << 20);
    let file =
        format!("{{\"nodes\":[{{\"id\":\"a\\u0000\",\"label\":\"{label}\",\"type\":\"b\"}}]}}");
    let given = read_all(Format::NodeLink, file).unwrap().nodes.remove(0);
    let mut node = Node {
        id: given.id,
        label: given.label,
        types: given.types,
        data: given.data,
        observations: Vec::new(),
        position: None,
        creator: String::new(),
        created: 0,
        modified: 0,
        version: 1,
        order: 0,
    };
    assert_eq!(node.id, "a\u{2400}");
    node.id = "a\0".to_owned();
    assert!(node.check().unwrap_err().to_string().contains("U+0000"));
    node.id = "a".to_owned();
    let error = node.check().unwrap_err().to_string();
    assert!(error.contains("1048576 bytes"));
}

#[test]
fn reading_can_be_cancelled() {
    let mut dot = "digraph {".to_owned();
    let mut csv = "id\n".to_owned();
    let mut mermaid = "graph LR\n".to_owned();
    for at in 0..1000 {
        let _ = write!(dot, " {at}");
        let _ = writeln!(csv, "{at}");
        let _ = writeln!(mermaid, "{at}");
    }
    for (format, file) in [
        (Format::Dot, dot + "}"),
        (Format::Csv, csv),
        (Format::Mermaid, mermaid),
        (Format::JsonLd, "{}".to_owned()),
    ] {
        let error = read(format, file.as_bytes(), &|_, _| ControlFlow::Break(())).unwrap_err();
        assert_eq!(error.code(), "cancelled");
    }
}
