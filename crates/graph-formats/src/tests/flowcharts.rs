//! Flowcharts of Mermaid by people and other programs, and invalid ones.

use super::*;

/// Reads a flowchart, given the lines after the first.
fn given(statements: &str) -> ImportedGraph {
    let given = read_all(Format::Mermaid, format!("flowchart TD\n{statements}"));
    given.unwrap_or_else(|error| panic!("{error}\n{statements}"))
}

/// The edges of a graph as "source type target", without the type if there is none.
fn edges(given: &ImportedGraph) -> Vec<String> {
    let edge = |edge: &ImportedEdge| format!("{} {} {}", edge.source, edge.ty, edge.target);
    let edges = given.edges.iter().map(edge);
    edges
        .map(|edge| edge.replace(" related_to ", " "))
        .collect()
}

fn node<'a>(given: &'a ImportedGraph, id: &str) -> &'a ImportedNode {
    let node = given.nodes.iter().find(|node| node.id == id);
    node.unwrap_or_else(|| panic!("no {id}: {:?}", given.nodes))
}

#[test]
fn a_flowchart_of_the_manual() {
    let file = r#"
---
title: Order flow
config:
  theme: forest
---
%%{init: {"flowchart": {
  "curve": "basis" } } }%%
%% how orders go
graph TD;
    accTitle: Orders # and; more
    accDescr {
      How an order goes --> from start
    }
    A([Start]) --> B{Is it in stock?}; %% a question
    B -->|Yes| C[Pack]
    B -- No, sorry --> D[("Order
        more")]:::wait
    C & D ==> E((Ship)) -.-> F["A #quot;box#quot;<br/>of <b>things</b>"]
    subgraph one [The "warehouse"]
        direction LR
        C
        G
        subgraph inner
            H
        end
    end
    one --o G
    classDef wait fill:#f9f,stroke:#333;
    class A,B big
    style A fill:#bbf
    linkStyle 0,1 stroke:red
    click A "https://example.com/?a;b" "tip" _blank
"#;
    assert_eq!(detect(None, file.as_bytes()), Some(Format::Mermaid));
    let given = read_all(Format::Mermaid, file).unwrap();
    let expected = [
        "A B",
        "B Yes C",
        "B No, sorry D",
        "C E",
        "D E",
        "E F",
        "one G",
    ];
    assert_eq!(edges(&given), expected);
    let found: Vec<_> = given
        .nodes
        .iter()
        .map(|node| {
            let data = serde_json::to_string(&node.data).unwrap();
            format!("{} {:?} {} {data}", node.id, node.label, node.types[0])
        })
        .collect();
    let expected = [
        r#"A "Start" node {"classes":"big","shape":"stadium"}"#,
        r#"B "Is it in stock?" node {"classes":"big","shape":"diam"}"#,
        r#"C "Pack" node {"subgraph":"The \"warehouse\""}"#,
        r#"D "Order\nmore" node {"classes":"wait","shape":"cyl"}"#,
        r#"E "Ship" node {"shape":"circle"}"#,
        r#"F "A \"box\"\nof things" node {}"#,
        r#"G "G" node {"subgraph":"The \"warehouse\""}"#,
        r#"H "H" node {"subgraph":"inner"}"#,
        r#"one "The \"warehouse\"" subgraph {}"#,
    ];
    assert_eq!(found, expected);
    let looks = |at: usize| serde_json::to_string(&given.edges[at].data).unwrap();
    assert_eq!(
        [looks(0), looks(3), looks(5), looks(6)],
        [
            "{}",
            r#"{"stroke":"thick"}"#,
            r#"{"stroke":"dotted"}"#,
            r#"{"arrow":"circle"}"#
        ]
    );
    check_repairs(
        &given,
        "graph_attribute 3, html_label 1, left_out_element 5, nested_subgraph 1, subgraph_node 1, missing_edge_type 5, missing_type 8",
    );
}

#[test]
fn every_shape_has_its_text() {
    for (written, label, shape) in [
        ("a", "a", None),
        ("a[text]", "text", None),
        ("a [ text ]", "text", None),
        ("a(text)", "text", Some("rounded")),
        ("a([text])", "text", Some("stadium")),
        ("a[[text]]", "text", Some("fr-rect")),
        ("a[(text)]", "text", Some("cyl")),
        ("a((text))", "text", Some("circle")),
        ("a(((text)))", "text", Some("dbl-circ")),
        ("a(-text-)", "text", Some("ellipse")),
        ("a(-5 degrees)", "-5 degrees", Some("rounded")),
        ("a>text]", "text", Some("odd")),
        ("a{text}", "text", Some("diam")),
        ("a{{text}}", "text", Some("hex")),
        ("a[/text/]", "text", Some("lean-r")),
        (r"a[\text\]", "text", Some("lean-l")),
        (r"a[/text\]", "text", Some("trap-b")),
        (r"a[\text/]", "text", Some("trap-t")),
        ("a[/var/log]", "/var/log", None),
        (r#"a[/"text] /"/]"#, "text] /", Some("lean-r")),
        (
            r#"a["one [two] {three} | --> #35;"]"#,
            "one [two] {three} | --> #",
            None,
        ),
        ("a[foo (bar) x--> b]", "foo (bar) x--> b", None),
        ("a[\"`The **text**`\"]", "The **text**", None),
        ("a[one\n  two]", "one\ntwo", None),
        ("a[no <i>types</i>]", "no types", None),
        ("a@{ shape: cyl, label: \"a text\" }", "a text", Some("cyl")),
        ("a@{\n  shape: rect\n  label: 'a text'\n}", "a text", None),
        ("a[first] --> b\na[text]", "text", None),
        ("a[text] --> b\na", "text", None),
    ] {
        let given = given(written);
        let node = node(&given, "a");
        assert_eq!(node.label, label, "{written}");
        let found = node.data.get("shape").and_then(|shape| shape.as_str());
        assert_eq!(found, shape, "{written}");
    }
    let html = given("a@{ label: \"a <b>text</b>\" }");
    assert_eq!(node(&html, "a").label, "a text");
    assert_eq!(repairs(&html)[0], ("html_label", 1));
    let icon = given("a@{ icon: \"fa:user\", \"w\": 60, label: x }");
    let data = serde_json::to_string(&icon.nodes[0].data).unwrap();
    assert_eq!(data, r#"{"icon":"fa:user","w":"60"}"#);
}

#[test]
fn every_link_is_an_edge() {
    for (written, expected) in [
        ("a-->b", &["a b"][..]),
        ("a --> b --> c", &["a b", "b c"]),
        ("a ----> b", &["a b"]),
        ("a -.-> b", &["a b"]),
        ("a -...-> b", &["a b"]),
        ("a ===> b", &["a b"]),
        ("a --o b", &["a b"]),
        ("a --x b", &["a b"]),
        ("a---ob", &["a b"]),
        ("a ~~~ b", &[]),
        ("a <--- b", &["b a"]),
        ("a & b --> c & d", &["a c", "a d", "b c", "b d"]),
        ("a --> b & c --> d", &["a b", "a c", "b d", "c d"]),
        ("a[x]-->|text|b", &["a text b"]),
        ("a --> |\"a | text\"| b", &["a a | text b"]),
        ("a -->|| b", &["a b"]),
        ("a -- text --> b", &["a text b"]),
        ("a -- a-b -c --> b", &["a a-b -c b"]),
        ("a -- two--three ---- b", &["a two--three b"]),
        ("a -- \"x --> y\" --> b", &["a x --> y b"]),
        ("a-- #quot;text#quot; -->b", &["a \"text\" b"]),
        ("a -. text .-> b", &["a text b"]),
        ("a -. v1.2 -.-> b", &["a v1.2 b"]),
        ("a -. \"v.-1\" .-> b", &["a v.-1 b"]),
        ("a == text ==> b", &["a text b"]),
        ("a == x=y === b", &["a x=y b"]),
        ("a x--x b", &["a b"]),
        ("a\n--> b", &["a b"]),
        ("a -->\n\n%% remark\n b", &["a b"]),
        ("a\nx--> b", &["x b"]),
        ("a-1 --> b_2.c/d", &["a-1 b_2.c/d"]),
        ("größe --> 长度", &["größe 长度"]),
        ("a&b --> c", &["a&b c"]),
        (
            "classA --> endpoint --> subgraphs",
            &["classA endpoint", "endpoint subgraphs"],
        ),
        ("a --> b;b --> c;;c --> d;", &["a b", "b c", "c d"]),
        ("a --> b %% remark\r\nb --> c\r\n", &["a b", "b c"]),
        ("a:::x --> b[text]:::y", &["a b"]),
        ("a --> a", &["a a"]),
    ] {
        assert_eq!(edges(&given(written)), expected, "{written}");
    }
    for (written, count) in [
        ("a --- b", 1),
        ("a <--> b", 1),
        ("a <-- text --> b", 1),
        ("a o--o b -.- c", 2),
        ("a --> b --x c", 0),
    ] {
        let given = given(written);
        let told = given.repairs.iter().find(|it| it.what == "undirected");
        assert_eq!(told.map_or(0, |told| told.count), count, "{written}");
    }
}

#[test]
fn links_have_ids_and_texts_that_may_be_no_types() {
    let given = given("a e1@-->|x| b\ne1@{ animate: true }\nb e2@== \"two<br/>lines\" ==> c");
    let found: Vec<_> = given
        .edges
        .iter()
        .map(|edge| (edge.id.as_deref(), &*edge.ty, edge.label.as_deref()))
        .collect();
    let expected = [
        (Some("e1"), "x", None),
        (Some("e2"), "related_to", Some("two\nlines")),
    ];
    assert_eq!(found, expected);
    assert_eq!(given.nodes.len(), 3);
    assert_eq!(repairs(&given)[0], ("left_out_element", 1));
}

#[test]
fn subgraphs_have_titles() {
    for (written, title) in [
        ("subgraph one", "one"),
        ("subgraph one two", "one two"),
        ("subgraph one[A title]", "A title"),
        ("subgraph one [\"A [title]; #35;\"]", "A [title]; #"),
        ("subgraph \"A title\"", "A title"),
        ("subgraph C#35; and F#35;", "C# and F#"),
    ] {
        let given = given(&format!("{written}\n a\nend\na --> b"));
        assert_eq!(node(&given, "a").data["subgraph"], title, "{written}");
        assert!(node(&given, "b").data.is_empty(), "{written}");
    }
    let given = given("a\nsubgraph; a; subgraph x; subgraph; b; end; end; end");
    assert!(node(&given, "a").data.is_empty());
    assert_eq!(node(&given, "b").data["subgraph"], "x");
}

#[test]
fn functions_come_back_as_ends() {
    let ours = "n0[\"a\"] -->|\"uses\"| n1\nn1([\"fn#58;3#47;7\"])\nn2[\"fn#58;3\"]";
    let given = given(ours);
    assert_eq!(edges(&given), ["n0 uses fn:3/7"]);
    let ids: Vec<&str> = given.nodes.iter().map(|node| &*node.id).collect();
    assert_eq!(ids, ["n0", "n2"]);
}

/// Files that are no valid flowcharts, and parts of the error messages.
const WRONG: &str = r#"
graph TD\n a -->\n ¦ line 3: expected a node, but found the end of the file
graph TD\n a["b ¦ line 2: unclosed quote
graph TD\n a[b\n c[d] ¦ line 2: the text that starts here after '[' is not closed with ']'
graph TD\n subgraph b\n a\n ¦ line 2: unclosed subgraph; write 'end'
graph TD\n a@{ shape: cyl ¦ expected the name of a property or '}'
%%{init: {} ¦ line 1: the directive that starts here
\n---\ntitle: a\n ¦ line 2: the front matter that starts here
graph TD\naccDescr { ¦ line 2: 'accDescr', which starts here
%% remark\nsequenceDiagram\n A->>B: hi ¦ line 2: expected 'flowchart' or 'graph', the only supported Mermaid diagrams, but found 'sequenceDiagram'
 ¦ line 1: expected 'flowchart'
graph sideways ¦ line 1: expected a direction (TB, TD, BT, LR or RL), but found 'sideways'
graph LR a --> b ¦ expected ';' or a new line after the direction, but found 'a'
graph LR\n a --> --> b ¦ line 2: expected a node, but found '-->'
graph LR\n a -- b\n b --> c ¦ line 2: the link text that starts here is not closed on this line
graph LR\n\n a b ¦ line 3: expected a link such as '-->'
graph LR\n a["b" c] ¦ line 2: expected ']' after the text in quotes, but found 'c]'
graph LR\n end ¦ line 2: 'end' without an open subgraph
graph LR\n a@{ shape } ¦ expected ':' after the property 'shape'
graph LR\n class a\n ¦ expected the name of a class
graph LR\n a::: --> b ¦ expected the name of a class
graph LR\n a -->|b\n c --> d[|] ¦ line 2: the text that starts here after '|'
"#;

#[test]
fn invalid_flowcharts_are_rejected() {
    for [file, told] in rows(WRONG) {
        let error = read_all(Format::Mermaid, file).unwrap_err();
        assert_eq!(error.code(), "invalid_content", "{error}");
        assert!(error.to_string().contains(&told), "{error}");
    }
}

/// Were the time in proportion to the square of the length, some of these would take minutes.
#[test]
fn long_flowcharts_take_time_in_proportion_to_their_length() {
    const MANY: usize = 100_000;
    for (begin, repeated, end) in [
        ("a[\"", "<b<b<b<b<b<b<b<b<b<b", "\"]"),
        ("a[\"", "#x&#", "\"]"),
        ("a[", " (", "]"),
        ("a[", "\n", "]"),
        ("a@{", " b: \"c\",", "}"),
        ("a -- ", "-- ", "--> b"),
        ("a -. ", ".. ", ".-> b"),
        ("a", " & a", " --> b"),
        ("a", "-->a", ""),
        ("", "a --- b <--> c\n", ""),
        ("a", "\n%% b", "\n--> b"),
        ("", "a\n%% b\n\n", ""),
        ("", "%%{ }%% a\n", ""),
        ("", "subgraph b\nb --> a:::c\nend\nclass a d\n", ""),
        ("", "e@--", ""),
        ("", "a&", ""),
        ("subgraph ", "#", "\nend"),
    ] {
        let file = format!("graph LR\n{begin}{}{end}", repeated.repeat(MANY));
        // All are read, but for ids of links without links.
        let read = read_all(Format::Mermaid, file);
        assert_eq!(read.is_ok(), repeated != "e@--", "{repeated}");
    }
}
