//! Random changes against a plain model.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;

/// A change, of a few nodes and edges.
#[derive(Debug, Clone)]
enum Change {
    Node(u8, u8),
    Edge(u8, [u8; 2], u8),
    Observe(u8, Vec<u32>, Vec<(u32, u8)>),
    RemoveNode(u8),
    RemoveEdge(u8),
    Copy,
}

fn change() -> impl Strategy<Value = Change> {
    let id = || 0..12_u8;
    let places = prop::collection::btree_set(0..6_u32, 0..3);
    let noted = prop::collection::btree_map(0..6_u32, any::<u8>(), 0..3);
    prop_oneof![
        4 => (id(), any::<u8>()).prop_map(|(id, what)| Change::Node(id, what)),
        // From 12 on these are functions.
        6 => (id(), [0..15_u8, 0..15_u8], any::<u8>()).prop_map(|(id, ends, what)| Change::Edge(id, ends, what)),
        3 => (id(), places, noted).prop_map(|(id, remove, insert)| {
            Change::Observe(id, remove.into_iter().collect(), insert.into_iter().collect())
        }),
        1 => id().prop_map(Change::RemoveNode),
        2 => id().prop_map(Change::RemoveEdge),
        1 => Just(Change::Copy),
    ]
}

fn end(number: u8) -> String {
    match number {
        0..12 => format!("n{number}"),
        12 => "fn:1".to_owned(),
        13 => "fn:1/2".to_owned(),
        _ => "fn:1#2".to_owned(),
    }
}

fn node(id: u8, what: u8, order: u64) -> Node {
    let pick = |texts: [&str; 3]| texts[what as usize % 3].to_owned();
    let ty = ["Gene", "gene", "Disease", "Note"][what as usize % 4];
    let mut node = Node {
        id: end(id),
        label: format!("{} {}", pick(["Ärger", "ärger", "TP53"]), what / 64),
        types: vec![ty.to_owned()],
        position: what.is_multiple_of(3).then_some([f64::from(what), -0.0]),
        creator: pick(["ann", "bob", ""]),
        created: i64::from(what),
        modified: -i64::from(what),
        version: u32::from(what) + 1,
        order,
        ..Node::default()
    };
    if what.is_multiple_of(2) {
        node.types.push("Thing".to_owned());
        let data = json!([what, { "x": null }]);
        node.data.insert("what".to_owned(), data);
        let observation = |n: u8| noted(what.wrapping_add(n));
        node.observations = (0..what % 5).map(observation).collect();
    }
    node
}

fn noted(what: u8) -> Observation {
    let (text, by) = (format!("noted {what}"), "ann".to_owned());
    Observation {
        text,
        at: i64::from(what),
        by,
    }
}

fn edge(id: u8, ends: [u8; 2], what: u8, order: u64) -> Edge {
    let [source, target] = ends.map(end);
    let some = what.is_multiple_of(2);
    Edge {
        id: format!("e{id}"),
        source,
        target,
        ty: ["causes", "Causes", "part of"][what as usize % 3].to_owned(),
        label: some.then(|| format!("label {what}")),
        weight: what.is_multiple_of(5).then_some(f64::from(what) / 7.0),
        valid_from: some.then_some(i64::from(what)),
        valid_to: what.is_multiple_of(4).then_some(1000),
        creator: "bob".to_owned(),
        created: 5,
        modified: 6,
        order,
        ..Edge::default()
    }
}

/// Everything in plain lists.
#[derive(Debug, Clone, Default, PartialEq)]
struct Plain {
    nodes: BTreeMap<String, Node>,
    edges: BTreeMap<String, Edge>,
}

impl Plain {
    fn has(&self, end: &str) -> bool {
        end.starts_with(FUNCTION) || self.nodes.contains_key(end)
    }

    /// Does a change to both, and compares whether they refuse it.
    fn follow(&mut self, knowledge: &mut Knowledge, change: &Change) {
        match change {
            &Change::Node(id, what) => {
                let old = self.nodes.get(&end(id)).map(|node| node.order);
                let node = node(id, what, old.unwrap_or(knowledge.next_node()));
                assert_eq!(knowledge.check_node(&node), Ok(()));
                knowledge.put_node(node.clone());
                self.nodes.insert(node.id.clone(), node);
            }
            &Change::Edge(id, ends, what) => {
                let old = self.edges.get(&format!("e{id}")).map(|edge| edge.order);
                let edge = edge(id, ends, what, old.unwrap_or(knowledge.next_edge()));
                let may = self.has(&edge.source) && self.has(&edge.target);
                assert_eq!(knowledge.check_edge(&edge).is_ok(), may);
                if may {
                    knowledge.put_edge(edge.clone());
                    self.edges.insert(edge.id.clone(), edge);
                }
            }
            Change::Observe(id, remove, insert) => self.observe(knowledge, *id, remove, insert),
            &Change::RemoveNode(id) => {
                let id = end(id);
                assert_eq!(knowledge.remove_node(&id), self.nodes.remove(&id).map(drop));
                self.edges
                    .retain(|_, edge| edge.source != id && edge.target != id);
            }
            &Change::RemoveEdge(id) => {
                let id = format!("e{id}");
                assert_eq!(knowledge.remove_edge(&id), self.edges.remove(&id).map(drop));
            }
            Change::Copy => {}
        }
    }

    fn observe(&mut self, knowledge: &mut Knowledge, id: u8, remove: &[u32], insert: &[(u32, u8)]) {
        let insert = insert.iter().map(|&(place, what)| (place, noted(what)));
        let observing = ObservationChange {
            id: end(id),
            remove: remove.to_vec(),
            insert: insert.collect(),
            modified: 99,
            version: 100,
        };
        let Some(node) = self.nodes.get_mut(&observing.id) else {
            assert!(knowledge.check_observation_change(&observing).is_err());
            return;
        };
        let mut expected = node.observations.clone();
        let mut may = true;
        for &place in observing.remove.iter().rev() {
            may &= (place as usize) < expected.len();
            if may {
                expected.remove(place as usize);
            }
        }
        for (place, observation) in &observing.insert {
            may &= *place as usize <= expected.len();
            if may {
                expected.insert(*place as usize, observation.clone());
            }
        }
        let is_valid = knowledge.check_observation_change(&observing).is_ok();
        assert_eq!(is_valid, may, "{observing:?}");
        if !may {
            return;
        }
        let state = |knowledge: &Knowledge| {
            let node = knowledge.node(&observing.id).unwrap();
            (
                knowledge.hash(),
                node.written(),
                observing.inverse(node).unwrap(),
            )
        };
        let (hash, written, inverse) = state(knowledge);
        knowledge.observe(&observing).unwrap();
        assert_eq!(knowledge.check_observation_change(&inverse), Ok(()));
        let mut undone = knowledge.clone();
        undone.observe(&inverse).unwrap();
        let again = undone.node(&observing.id).unwrap().written();
        assert_eq!((undone.hash(), again), (hash, written));
        (node.observations, node.modified, node.version) = (expected, 99, 100);
    }

    /// Checks that a graph has these contents through every query.
    fn is(&self, knowledge: &Knowledge) {
        let counts = [knowledge.node_count(), knowledge.edge_count()];
        assert_eq!(counts, [self.nodes.len(), self.edges.len()]);
        let nodes = knowledge
            .nodes()
            .map(|node| (node.id().to_owned(), node.written()));
        assert_eq!(nodes.collect::<BTreeMap<_, _>>(), self.nodes);
        let edges = knowledge
            .edges()
            .map(|edge| (edge.id().to_owned(), edge.written()));
        assert_eq!(edges.collect::<BTreeMap<_, _>>(), self.edges);
        let ids = |edges: Vec<EdgeRef<'_>>| -> Vec<String> {
            edges.iter().map(|edge| edge.id().to_owned()).collect()
        };
        let those = |of: &dyn Fn(&Edge) -> bool| -> Vec<String> {
            let mut found: Vec<&Edge> = self.edges.values().filter(|edge| of(edge)).collect();
            found.sort_by_key(|edge| edge.order);
            found.into_iter().map(|edge| edge.id.clone()).collect()
        };
        for number in 0..15 {
            let id = end(number);
            let at = |direction| ids(knowledge.edges_at(&id, direction));
            assert_eq!(at(Direction::Outgoing), those(&|edge| edge.source == id));
            assert_eq!(at(Direction::Incoming), those(&|edge| edge.target == id));
            let both = those(&|edge| edge.source == id || edge.target == id);
            assert_eq!(at(Direction::Both), both);
            for other in 0..15 {
                let other = end(other);
                let between = those(&|edge| edge.source == id && edge.target == other);
                assert_eq!(ids(knowledge.edges_between(&id, &other)), between);
            }
            let (found, node) = (knowledge.find(&id), self.nodes.get(&id));
            assert_eq!(found.map(|node| node.written()).as_ref(), node);
            if let Some(node) = node {
                let degree = knowledge.node(&id).unwrap().degree(Direction::Outgoing);
                assert_eq!(degree, those(&|edge| edge.source == id).len());
                let label = node.label.to_uppercase();
                let mut same: Vec<&Node> = self.nodes.values().collect();
                same.retain(|other| other.label.to_lowercase() == label.to_lowercase());
                same.sort_by_key(|node| node.order);
                let found = knowledge.labelled(&label);
                let same = same.iter().map(|node| &*node.id);
                assert!(found.iter().map(NodeRef::id).eq(same));
            }
        }
        let has_edges = |id: &String| !knowledge.edges_at(id, Direction::Both).is_empty();
        let functions = (12..15).map(end).filter(has_edges);
        let ends = knowledge.function_ends().into_iter();
        assert!(ends.map(|end| end.to_string()).eq(functions));
        let mut types: BTreeMap<&str, usize> = BTreeMap::new();
        for ty in self.nodes.values().flat_map(|node| &node.types) {
            *types.entry(ty).or_default() += 1;
        }
        assert!(knowledge.node_type_counts().into_iter().eq(types));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn graphs_do_what_plain_lists_do(changes in prop::collection::vec(change(), 0..60)) {
        let (mut knowledge, mut plain) = (Knowledge::default(), Plain::default());
        let mut copies = vec![(knowledge.clone(), plain.clone())];
        for change in &changes {
            plain.follow(&mut knowledge, change);
            if matches!(change, Change::Copy) {
                copies.push((knowledge.clone(), plain.clone()));
            }
        }
        copies.push((knowledge.clone(), plain.clone()));
        for (knowledge, plain) in &copies {
            plain.is(knowledge);
        }
        // The same things in another order.
        let mut other = Knowledge::default();
        plain.nodes.values().rev().cloned().for_each(|node| other.put_node(node));
        plain.edges.values().rev().cloned().for_each(|edge| other.put_edge(edge));
        prop_assert_eq!(other.hash(), knowledge.hash());
        prop_assert_eq!(other.hash() == copies[0].0.hash(), plain == copies[0].1);
        // Written out and read.
        let compact = knowledge.compact();
        let bytes = postcard::to_stdvec(&compact).unwrap();
        let read: CompactKnowledge = postcard::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&read, &compact);
        let mut read = read.knowledge().unwrap();
        plain.is(&read);
        prop_assert_eq!(read.hash(), knowledge.hash());
        prop_assert_eq!(read.free_node_id(), knowledge.free_node_id());
        prop_assert_eq!(read.free_edge_id(), knowledge.free_edge_id());
        prop_assert_eq!((read.next_node(), read.next_edge()), (knowledge.next_node(), knowledge.next_edge()));
        prop_assert_eq!(read.creator_counts(), knowledge.creator_counts());
        prop_assert_eq!(read.edge_type_counts(), knowledge.edge_type_counts());
        // What was read changes like what was made.
        let mut changed = plain.clone();
        for change in &changes {
            changed.follow(&mut read, change);
        }
        changed.is(&read);
        // Nothing stays behind when all has gone.
        for id in plain.nodes.keys() {
            knowledge.remove_node(id).unwrap();
        }
        let left: Vec<String> = knowledge.edges().map(|edge| edge.id().to_owned()).collect();
        for id in left {
            knowledge.remove_edge(&id).unwrap();
        }
        prop_assert!(knowledge.is_empty() && knowledge.hash() == 0);
        prop_assert_eq!(knowledge.node_type_counts(), []);
        prop_assert_eq!(knowledge.creator_counts(), []);
    }
}

#[test]
fn graphs_of_many_pages_are_read_as_they_were_written() {
    let mut knowledge = Knowledge::default();
    let (nodes, edges) = (9_000_u32, 9_500_u32);
    let id = |number: u32| format!("n{}", number % nodes);
    for number in 0..nodes {
        knowledge.put_node(Node {
            id: id(number),
            label: format!("label {}", number / 2),
            ..node(0, number as u8, number.into())
        });
    }
    for number in 0..edges {
        knowledge.put_edge(Edge {
            id: format!("e{number}"),
            source: id(number * 7),
            target: id(number * 31),
            ..edge(0, [0, 0], number as u8, number.into())
        });
    }
    let mut compact = knowledge.compact();
    compact.used = UsedNumbers::default();
    let mut read = compact.knowledge().unwrap();
    assert_eq!([read.next_node(), read.next_edge()], [9_000, 9_500]);
    let free = [read.free_node_id(), read.free_edge_id()];
    assert_eq!(free, ["n9000", "e9500"]);
    let chain = |at: &Knowledge, number| -> Vec<u64> {
        let edges = at.edges_at(&id(number), Direction::Both);
        edges.iter().map(EdgeRef::hash).collect()
    };
    assert_eq!(read.hash(), knowledge.hash());
    for number in 0..nodes {
        assert_eq!(read.find(&id(number)).unwrap().order(), u64::from(number));
        assert_eq!(read.labelled(&format!("Label {}", number / 2)).len(), 2);
        assert_eq!(chain(&read, number), chain(&knowledge, number));
    }
    for graph in [&mut read, &mut knowledge] {
        graph.put_node(node(3, 1, nodes.into()));
        graph.remove_node(&id(4)).unwrap();
        graph.put_edge(edge(5, [3, 5], 2, edges.into()));
    }
    assert_eq!(read.hash(), knowledge.hash());
    assert!(read.find_edge("e9499").is_some() && read.find(&id(4)).is_none());
}

#[test]
fn what_was_not_written_by_us_is_refused() {
    let mut knowledge = Knowledge::default();
    knowledge.put_node(node(0, 0, 0));
    knowledge.put_node(node(1, 1, 1));
    knowledge.put_edge(edge(0, [0, 1], 0, 0));
    knowledge.put_edge(edge(1, [0, 12], 0, 1));
    let check = |spoil: &dyn Fn(&mut CompactKnowledge), expected: &str| {
        let mut compact = knowledge.compact();
        spoil(&mut compact);
        assert_eq!(compact.knowledge().unwrap_err().to_string(), expected);
    };
    let name = "the name with number 99 is referenced but missing";
    let twice = |what, id: &str| {
        let id = id.to_owned();
        KnowledgeError::Twice { what, id }.to_string()
    };
    checks! { check, graph:
        graph.nodes[0].types[0] = 99 => name;
        graph.nodes[1].creator = 99 => name;
        graph.nodes[0].observations = vec![("x".to_owned(), 0, 99)] => name;
        graph.edges[0].ty = 99 => name;
        graph.edges[1].ends[0] = compact::CompactEnd::Input(1, String::new()) => "the name of an input is empty; give it at least one character";
        graph.edges[1].ends[0] = compact::CompactEnd::Node(2) => "the node with number 2 is referenced but missing";
        graph.nodes[1].data = Some("[]".to_owned()) => "the data of 'n1' is not a JSON object";
        graph.nodes[1].id = "n0".to_owned() => &twice("node", "n0");
        graph.edges[1].id = "e0".to_owned() => &twice("edge", "e0");
    }
}

#[test]
fn what_cannot_be_a_node_or_an_edge_is_refused() {
    let mut knowledge = Knowledge::default();
    knowledge.put_node(node(0, 0, 0));
    let check = |change: &dyn Fn(&mut Node), expected: &str| {
        let mut wrong = node(1, 1, 1);
        change(&mut wrong);
        let refused = knowledge.check_node(&wrong).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    };
    let large = Observation {
        text: "x".repeat(64 << 10),
        ..noted(1)
    };
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    checks! { check, node:
        node.id.clear() => "the id of a node is empty";
        node.id = "fn:1".to_owned() => "begins with fn:";
        node.id = "a\u{202e}b".to_owned() => "invisible character U+202E";
        node.id = "x".repeat(513) => "has 513 bytes; at most 512";
        node.label = "x".repeat(1 << 20) => "the label of a node has 1048576 bytes";
        node.label.push('\0') => "control character U+0000";
        node.types.clear() => "has no type; give it at least one";
        node.types = vec!["t".to_owned(); 65] => "a node has 65 types";
        node.types.push(String::new()) => "a type of a node is empty";
        node.position = Some([0.0, f64::NAN]) => "a position must be a finite number, but is NaN";
        node.observations = vec![noted(1); 1_000_000] => "a node has 1000000 observations, more than the limit of 100000";
        node.observations = vec![large.clone(); 200] => "13107200 bytes of observations";
        node.data.insert("text".to_owned(), json!("x".repeat(1 << 20)))
            => "the data of a node has 1048587 bytes, more than the limit of 1048576 bytes";
        node.data.insert("deep".to_owned(), deep.clone()) => "has too many nested levels, more than the limit of 64 levels";
        node.order = u64::MAX => "an order has the index";
    }
    let check = |change: &dyn Fn(&mut Edge), expected: &str| {
        let mut wrong = edge(1, [0, 0], 1, 1);
        change(&mut wrong);
        let refused = knowledge.check_edge(&wrong).unwrap_err().to_string();
        assert!(refused.contains(expected), "{refused}");
    };
    checks! { check, edge:
        edge.target = "n1".to_owned() => "the target of edge 'e1' is the unknown node 'n1'";
        edge.source = "fn:01".to_owned() => "the source of edge 'e1' is the unknown node 'fn:01'";
        edge.ty.clear() => "the type of an edge is empty";
        edge.weight = Some(f64::INFINITY) => "a weight must be a finite number, but is inf";
        (edge.valid_from, edge.valid_to) = (Some(2), Some(1)) => "is before its valid_from";
    }
}

#[test]
fn what_is_not_there_is_told_with_what_is_near() {
    let mut knowledge = Knowledge::default();
    let mut gene = node(0, 2, 0);
    (gene.id, gene.label) = ("NCBIGene:7157".to_owned(), "TP53".to_owned());
    knowledge.put_node(gene);
    let told = |id: &str| knowledge.node(id).unwrap_err().to_string();
    assert!(told("NCBIGene:7175").ends_with("did you mean 'NCBIGene:7157'?"));
    assert!(told("tp53").ends_with("did you mean 'NCBIGene:7157'?"));
    assert!(told("else").ends_with("the knowledge graph has no node 'else'"));
}

#[test]
fn ids_that_were_given_are_not_generated_again() {
    let mut knowledge = Knowledge::default();
    assert_eq!(knowledge.free_node_id(), "n1");
    let mut put = |id: &str, next: &str| {
        let node = node(0, 0, knowledge.next_node());
        knowledge.put_node(Node {
            id: id.to_owned(),
            ..node
        });
        assert_eq!(knowledge.free_node_id(), next, "{id}");
    };
    put("n7", "n8");
    put("n3", "n8");
    put("n09", "n8");
    put("x9", "n8");
    put("n18446744073709551615", "n8");
    put("n9007199254740991", "n9007199254740992");
    put("n9007199254740992", "n9007199254740993");
    knowledge.remove_node("n7").unwrap();
    assert_eq!(knowledge.free_node_id(), "n9007199254740993");
    let used = json!({ "node_ids": u64::MAX, "edge_ids": 7, "nodes": u64::MAX, "edges": 1 });
    let used: UsedNumbers = serde_json::from_value(used).unwrap();
    let data = KnowledgeData {
        used,
        ..KnowledgeData::default()
    };
    let read = data.knowledge().unwrap();
    let free = [read.free_node_id(), read.free_edge_id()];
    assert_eq!(free, ["n9007199254740993", "e8"]);
    assert_eq!(read.check_node(&node(1, 1, read.next_node())), Ok(()));
}
