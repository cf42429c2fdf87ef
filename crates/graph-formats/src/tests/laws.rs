//! Laws: written graphs are read back unchanged, and no file makes a reader panic.

use fibula_knowledge::{Edge, EdgeType, Node, NodeType, Observation, Schema, Strictness, is_name};
use proptest::prelude::*;
use serde_json::{Map, Value as Json};

use super::*;

/// A name of visible characters, with those that are special in formats.
fn name() -> impl Strategy<Value = String> {
    let visible = |name: &String| {
        let hidden = "\u{200b}\u{200e}\u{200f}\u{feff}";
        let turns = |c: char| {
            ('\u{202a}'..='\u{202e}').contains(&c) || ('\u{2060}'..='\u{2069}').contains(&c)
        };
        !name.is_empty()
            && !name
                .chars()
                .any(|c| c.is_control() || hidden.contains(c) || turns(c))
    };
    prop_oneof![
        3 => "[a-z]{1,4}",
        1 => "[ \"'\\\\<>&;,:#%{}()=_x0-9ä|-]{1,9}",
        1 => any::<String>().prop_filter("visible", visible),
        1 => prop::sample::select(vec!["unknown", "node", "true", "1", "-0.0", "null", "_x0041_", "undirected", "a\\"])
            .prop_map(str::to_owned),
    ]
}

/// A text, which may have new lines and tabs.
fn text() -> impl Strategy<Value = String> {
    let plain = |text: &String| {
        !text
            .chars()
            .any(|c| c.is_control() && !"\n\r\t".contains(c))
    };
    prop_oneof![
        2 => name(),
        1 => "[ \"\\\\<>&;,:\n\r\t\\[\\]{}()=_x0-9N-]{0,12}",
        1 => any::<String>().prop_filter("no controls", plain),
        1 => prop::sample::select(vec!["", "\\N", "&amp;", "]]>", "\\", " x ", "\r\n", "[[a]] ![](http://b/c.png)"])
            .prop_map(str::to_owned),
    ]
}

/// A key of data, which may be the name of a field.
fn key() -> impl Strategy<Value = String> {
    let known = "id key label name title type types entityType data x y position weight value source from \
                 content observations observed created createdAt json:a data:a data:id parent classes @id \
                 @type @context subgraph version Label kind group url images \u{1} _x0001_ updatedBy order";
    let known: Vec<&str> = known.split(' ').chain([""]).collect();
    prop_oneof![
        prop::sample::select(known).prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>().prop_filter("finite", |number| number.is_finite()),
        prop::sample::select(vec![
            0.0,
            -0.0,
            5.0,
            0.1,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            1e16
        ]),
    ]
}

fn time() -> impl Strategy<Value = i64> {
    prop_oneof![
        any::<i64>(),
        Just(i64::MIN),
        Just(i64::MAX),
        -5_000..5_000_i64,
        (0..2_000_000_000_i64).prop_map(|seconds| seconds * 1000),
    ]
}

/// A JSON value, which may have control characters.
fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        any::<u64>().prop_map(Json::from),
        number().prop_map(Json::from),
        text().prop_map(Json::from),
        any::<String>().prop_map(Json::from),
        "[\\x00-\\x1f\u{fffe}\u{ffff}\u{85}_x0-9A-F]{1,9}".prop_map(Json::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Json::from),
            prop::collection::btree_map(key(), inner, 0..3)
                .prop_map(|map| Json::Object(map.into_iter().collect())),
        ]
    })
}

fn data() -> impl Strategy<Value = Map<String, Json>> {
    let map = prop::collection::btree_map(key(), value(), 0..4);
    map.prop_map(|map| map.into_iter().collect())
}

fn observation() -> impl Strategy<Value = Observation> {
    (text(), time(), text()).prop_map(|(text, at, by)| Observation { text, at, by })
}

fn node() -> impl Strategy<Value = Node> {
    let known = (name(), text(), prop::collection::vec(name(), 1..3), data());
    let noted = (
        prop::collection::vec(observation(), 0..3),
        prop::option::of([number(), number()]),
    );
    (known, noted, (text(), time(), time(), any::<u32>())).prop_map(
        |(
            (id, label, types, data),
            (observations, position),
            (creator, created, modified, version),
        )| Node {
            id,
            label,
            types,
            data,
            observations,
            position,
            creator,
            created,
            modified,
            version,
            order: 0,
        },
    )
}

/// An edge, and the indices of the nodes at its ends.
fn edge() -> impl Strategy<Value = ([usize; 2], Edge)> {
    let ends = [0..9_usize, 0..9_usize];
    let known = (
        name(),
        prop::option::of(text()),
        data(),
        prop::option::of(number()),
    );
    let times = (
        prop::option::of(time()),
        prop::option::of(time()),
        time(),
        time(),
    );
    (ends, known, times, text()).prop_map(
        |(ends, (ty, label, data, weight), (valid_from, valid_to, created, modified), creator)| {
            let valid_to = valid_to.filter(|to| valid_from.is_none_or(|from| from <= *to));
            let edge = Edge {
                id: String::new(),
                source: String::new(),
                target: String::new(),
                ty,
                label,
                data,
                weight,
                valid_from,
                valid_to,
                creator,
                created,
                modified,
                order: 0,
            };
            (ends, edge)
        },
    )
}

fn schema() -> impl Strategy<Value = Schema> {
    let node_type = (name(), prop::option::of(text())).prop_map(|(key, label)| NodeType {
        key,
        label,
        description: None,
    });
    let edge_type = (
        name(),
        prop::option::of(text()),
        prop::collection::vec(name(), 0..2),
    );
    let edge_type = edge_type.prop_map(|(key, inverse, domain)| EdgeType {
        key,
        inverse,
        domain,
        ..EdgeType::default()
    });
    let strict = prop::sample::select(vec![Strictness::Off, Strictness::Warn, Strictness::Reject]);
    let types = (
        prop::option::of(node_type),
        prop::option::of(edge_type),
        strict,
        prop::collection::vec(prop::collection::vec(name(), 0..3), 0..2),
    );
    types.prop_map(|(node, edge, strict, synonyms)| Schema {
        node_types: node.into_iter().collect(),
        edge_types: edge.into_iter().collect(),
        strict,
        synonyms,
    })
}

fn graph() -> impl Strategy<Value = KnowledgeData> {
    let nodes = prop::collection::vec(node(), 0..4);
    let edges = prop::collection::vec(edge(), 0..5);
    (nodes, edges, schema()).prop_map(|(mut nodes, edges, schema)| {
        let mut ids = std::collections::BTreeSet::new();
        nodes.retain(|node| !node.id.starts_with("fn:") && ids.insert(node.id.clone()));
        for (order, node) in (0..).zip(&mut nodes) {
            node.order = order * 7;
        }
        let end = |at: usize| match nodes.get(at) {
            Some(node) => node.id.clone(),
            None => [
                "fn:3",
                "fn:3/7",
                "fn:0",
                "fn:3#wall thickness",
                "fn:3#a,%41\"<#",
            ][at % 5]
                .to_owned(),
        };
        let edges = (0..)
            .zip(edges)
            .map(|(order, ([source, target], edge))| Edge {
                id: if order == 1 {
                    "é \"1\"".to_owned()
                } else {
                    format!("e{order}")
                },
                source: end(source),
                target: end(target),
                order,
                ..edge
            });
        KnowledgeData {
            edges: edges.collect(),
            nodes,
            schema,
            ..KnowledgeData::default()
        }
    })
}

/// Expected result of reading a graph back.
fn expected(data: &KnowledgeData) -> ImportedGraph {
    ImportedGraph {
        nodes: data.nodes.iter().cloned().map(Into::into).collect(),
        edges: data.edges.iter().cloned().map(Into::into).collect(),
        ..ImportedGraph::default()
    }
}

/// Debug form of a graph, in which 0.0 and -0.0 differ.
fn shown(given: &ImportedGraph) -> String {
    format!("{:#?}\n{:#?}", given.nodes, given.edges)
}

fn comes_back(format: Format, data: &KnowledgeData) -> Result<(), TestCaseError> {
    let knowledge = data.knowledge().expect("it is a graph");
    let (file, written) = file_of(format, &knowledge);
    let given = read_all(format, &file);
    prop_assert!(given.is_ok(), "{:?}\n{file}", given.unwrap_err());
    let given = given.unwrap();
    prop_assert_eq!(shown(&given), shown(&expected(data)), "{}", file);
    prop_assert_eq!(&given.repairs, &[], "{}", file);
    let left: Vec<&str> = written.left_out.iter().map(|left| left.what).collect();
    let keeps_schema = !matches!(format, Format::Gexf | Format::Csv | Format::MemoryJsonl);
    if keeps_schema {
        prop_assert_eq!(given.schema.unwrap_or_default(), data.schema.clone());
        prop_assert_eq!(left, [""; 0]);
    } else {
        prop_assert_eq!(
            left.iter()
                .any(|what| what.contains("schema") || what.contains("declared")),
            !data.schema.is_empty()
        );
        prop_assert_eq!(given.schema, None);
    }
    Ok(())
}

/// Formats that represent every graph, some of them but for its schema.
const LOSSLESS: [Format; 8] = [
    Format::Json,
    Format::NodeLink,
    Format::Cytoscape,
    Format::GraphMl,
    Format::Gexf,
    Format::Csv,
    Format::MemoryJsonl,
    Format::JsonLd,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn lossless_formats(data in graph()) {
        for format in LOSSLESS {
            comes_back(format, &data)?;
        }
    }

    #[test]
    fn csv_in_two_files(data in graph()) {
        let knowledge = data.knowledge().expect("it is a graph");
        let (nodes, edges) = (knowledge.sorted_nodes(), knowledge.sorted_edges());
        let (mut node_table, mut edge_table) = (Vec::new(), Vec::new());
        write_tables(&Graph::new(&knowledge, &nodes, &edges, ""), &mut node_table, &mut edge_table).unwrap();
        let given = read_tables(Some(&node_table), Some(&edge_table), &|_, _| ControlFlow::Continue(())).unwrap();
        prop_assert_eq!(shown(&given), shown(&expected(&data)));
    }

    /// DOT represents a part of a graph, and omissions are reported.
    #[test]
    fn dot(data in graph()) {
        let knowledge = data.knowledge().expect("it is a graph");
        let (file, written) = file_of(Format::Dot, &knowledge);
        let given = read_all(Format::Dot, &file).map_err(|error| TestCaseError::fail(format!("{error}\n{file}")))?;
        let mut expected = expected(&data);
        let mut count = 0;
        for node in &mut expected.nodes {
            count += node.observations.len();
            *node = ImportedNode {
                id: node.id.clone(),
                label: node.label.clone(),
                types: vec![node.types[0].clone()],
                position: node.position,
                ..ImportedNode::default()
            };
        }
        for edge in &mut expected.edges {
            *edge = ImportedEdge {
                source: edge.source.clone(),
                target: edge.target.clone(),
                label: edge.label.take().filter(|label| *label != edge.ty),
                ty: edge.ty.clone(),
                weight: edge.weight,
                ..ImportedEdge::default()
            };
        }
        prop_assert_eq!(shown(&given), shown(&expected), "{}", file);
        let told = written.left_out.iter().find(|left| left.what == "observations");
        prop_assert_eq!(told.map_or(0, |left| left.count), count);
    }

    /// Mermaid represents labels and types, with ids by order.
    #[test]
    fn mermaid(data in graph()) {
        let knowledge = data.knowledge().expect("it is a graph");
        let (file, _) = file_of(Format::Mermaid, &knowledge);
        let given = read_all(Format::Mermaid, &file).map_err(|error| TestCaseError::fail(format!("{error}\n{file}")))?;
        let mut expected = expected(&data);
        let mut ids = std::collections::BTreeMap::new();
        for (at, node) in expected.nodes.iter_mut().enumerate() {
            let id = format!("n{at}");
            ids.insert(node.id.clone(), id.clone());
            *node = ImportedNode { id, label: node.label.clone(), types: node.types.clone(), ..ImportedNode::default() };
        }
        let mut labels = 0;
        for edge in &mut expected.edges {
            let [source, target] = [&edge.source, &edge.target].map(|end| ids.get(end).unwrap_or(end).clone());
            let text = edge.label.take().filter(|label| !label.is_empty()).unwrap_or(edge.ty.clone());
            let is_label = !is_name(&text);
            labels += usize::from(is_label);
            let (ty, label) = if is_label { ("related_to".to_owned(), Some(text)) } else { (text, None) };
            *edge = ImportedEdge { source, target, ty, label, ..ImportedEdge::default() };
        }
        prop_assert_eq!(shown(&given), shown(&expected), "{}", file);
        let told: Vec<_> = (labels > 0).then_some(("missing_edge_type", labels)).into_iter().collect();
        prop_assert_eq!(repairs(&given), told, "{}", file);
    }

    /// Any file is read or rejected without a panic.
    #[test]
    fn every_file_is_read_or_rejected(
        file in prop_oneof![any::<String>(), "[\\[\\]{}\"a,:<>/=;\n!-]{0,60}", "[\\[\\](){}\"ox,:<>/\\\\=.~|&#%@;é\n -]{0,60}"],
        prefix in prop::sample::select(vec!["", "{\"nodes\":[", "<graphml><graph><node ", "<gexf><graph>", "digraph {", "a,b\n", "{\"@graph\":[", "graph LR\n", "graph LR\na", "graph LR\na[", "graph LR\na--", "graph LR\na@{"]),
    ) {
        let file = format!("{prefix}{file}");
        let _ = detect(None, file.as_bytes());
        for format in Format::ALL {
            let _ = read_all(format, &file);
        }
    }

    /// A damaged file is read or rejected, too.
    #[test]
    fn damaged_files_are_read_or_rejected(cut in 0.0..1.0_f64, byte in any::<u8>()) {
        let knowledge = example();
        for format in Format::ALL {
            let mut file = file_of(format, &knowledge).0.into_bytes();
            let at = (cut * file.len() as f64) as usize;
            file[at] = byte;
            let _ = detect(None, &file);
            let _ = read_all(format, &file);
            file.truncate(at);
            let _ = detect(None, &file);
            let _ = read_all(format, &file);
        }
    }
}

#[test]
fn written_files_are_detected() {
    let knowledge = example();
    for format in Format::ALL {
        let (file, _) = file_of(format, &knowledge);
        assert_eq!(detect(None, file.as_bytes()), Some(format), "{file}");
        let name = format!("a.{}", format.extension());
        assert_eq!(detect(Some(&name), file.as_bytes()), Some(format), "{name}");
        assert_eq!(Format::parse(&format.name().to_uppercase()), Some(format));
        let told = serde_json::to_value(format).unwrap();
        assert_eq!(told, format.name(), "one name everywhere");
    }
}

#[test]
fn many_keys_of_data_are_one_column() {
    let mut data = example().data();
    for number in 0..300 {
        data.nodes[0]
            .data
            .insert(format!("key {number}"), Json::from(number));
    }
    for format in [Format::Csv, Format::GraphMl, Format::Gexf] {
        comes_back(format, &data).unwrap();
        let (file, _) = file_of(format, &data.knowledge().unwrap());
        assert!(file.contains("json:data"), "{file}");
    }
}
