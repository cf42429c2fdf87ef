//! Laws over random changes and random queries.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::graph::{Edge, ObservationChange, Schema};
use crate::search::parse::ParsedQuery;
use crate::search::tokenizer::Tokenizer;
use crate::search::trigram_index::trigrams;
use crate::search::{DataFilter, DataTest, OrderBy, SimilarLabel, TimeRange};

/// The words of nodes and queries; the first are more frequent.
const WORDS: &str = "protein proteins protien kinase Kinasse receptor Ärger arger tumor a 東京 東京都 getNodeInfo \
    get_node_info TP53 TP-53 NCBIGene:7157 7157 3.14 Straße l'homme wall walls the C++ walled";

#[derive(Debug, Clone)]
pub(super) enum Change {
    Put(u16, Box<Written>),
    Observe(u16, Vec<u8>),
    Remove(u16),
    Edge(u16, u16),
    /// Groups of synonyms.
    Mean(Vec<Vec<u8>>),
    Follow,
}

/// Texts of a node, as numbers of words.
#[derive(Debug, Clone)]
pub(super) struct Written {
    label: Vec<u8>,
    noted: Vec<Vec<u8>>,
    data: Option<Vec<u8>>,
    ty: u8,
    order: u64,
}

pub(super) fn words(most: usize) -> impl Strategy<Value = Vec<u8>> {
    let word = (0..26_u8, 0..26_u8).prop_map(|(one, two)| one.min(two));
    prop::collection::vec(word, 0..most)
}

pub(super) fn text(words: &[u8]) -> String {
    let all: Vec<&str> = WORDS.split(' ').collect();
    let words = words.iter().map(|&word| all[usize::from(word)]);
    words.collect::<Vec<_>>().join(" ")
}

fn written() -> impl Strategy<Value = Written> {
    let noted = prop::collection::vec(words(7), 0..3);
    let data = prop::option::of(words(4));
    let all = (words(4), noted, data, 0..4_u8, 0..6_u64);
    all.prop_map(|(label, noted, data, ty, order)| Written {
        label,
        noted,
        data,
        ty,
        order,
    })
}

pub(super) fn change(ids: u16) -> impl Strategy<Value = Change> {
    prop_oneof![
        8 => (0..ids, written()).prop_map(|(id, written)| Change::Put(id, Box::new(written))),
        2 => (0..ids, words(5)).prop_map(|(id, words)| Change::Observe(id, words)),
        2 => (0..ids).prop_map(Change::Remove),
        1 => (0..ids, 0..ids).prop_map(|(one, two)| Change::Edge(one, two)),
        1 => prop::collection::vec(words(4), 0..3).prop_map(Change::Mean),
        2 => Just(Change::Follow),
    ]
}

/// A few of the ids are words themselves.
fn id(number: u16) -> String {
    match number {
        0 => "NCBIGene:7157".to_owned(),
        1 => "tumor".to_owned(),
        number => format!("n{number}"),
    }
}

pub(super) fn make(knowledge: &mut Knowledge, change: &Change) {
    match change {
        Change::Put(number, written) => {
            let noted: Vec<String> = written.noted.iter().map(|words| text(words)).collect();
            let noted: Vec<&str> = noted.iter().map(String::as_str).collect();
            let types = ["Gene x", "gene gene", "Disease Tumor", "note y"];
            let types = types[usize::from(written.ty)].split(' ');
            let types: Vec<&str> = types.take(1 + usize::from(*number) % 2).collect();
            let about = |words: &Vec<u8>| json!({ "about": text(words), "n": [words.len()] });
            let data = written.data.as_ref().map_or(json!({}), about);
            let (id, label) = (id(*number), text(&written.label));
            let mut node = node(&id, &label, &types, &noted, &data, written.order);
            node.creator = ["Ann", "bob"][usize::from(*number) % 2].to_owned();
            knowledge.put_node(node);
        }
        Change::Observe(number, words) => {
            let (text, by) = (text(words), "bob".to_owned());
            let observation = Observation { text, at: 1, by };
            // It is nothing where there is no such node.
            _ = knowledge.observe(&ObservationChange {
                id: id(*number),
                remove: Vec::new(),
                insert: vec![(0, observation)],
                modified: 7,
                version: 2,
            });
        }
        Change::Remove(number) => {
            _ = knowledge.remove_node(&id(*number));
        }
        Change::Edge(one, two) => {
            let edge = Edge {
                id: format!("e{one}"),
                source: id(*one),
                target: id(*two),
                ty: "knows".to_owned(),
                creator: "Ann".to_owned(),
                ..Edge::default()
            };
            if knowledge.check_edge(&edge).is_ok() {
                knowledge.put_edge(edge);
            }
        }
        Change::Mean(groups) => {
            let word = |number: &u8| text(&[*number]);
            let group = |words: &Vec<u8>| words.iter().map(word).collect();
            knowledge.set_schema(Schema {
                synonyms: groups.iter().map(group).collect(),
                ..Schema::default()
            });
        }
        Change::Follow => {}
    }
}

fn query() -> impl Strategy<Value = Query> {
    let form = prop_oneof![6 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(3), 2 => Just(4)];
    let piece = (form, words(3)).prop_map(|(form, words)| {
        let text = text(&words);
        match form {
            0 => text,
            1 => format!("\"{text}\""),
            2 if !text.is_empty() => format!("-{text}"),
            3 => format!("-\"{text}\""),
            // The begin of a word.
            _ => text.chars().take(4).collect(),
        }
    });
    let text = prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.join(" "));
    let span = || {
        prop_oneof![4 => Just(TimeRange::default()), 1 => (-4..4_i64, 0..4_i64).prop_map(|(from, long)| {
            TimeRange { from: Some(from), until: (long > 0).then_some(from + long) }
        })]
    };
    let types = || {
        let types = prop::sample::select(vec!["GENE", "note", "tumor", "none"]);
        prop::collection::vec(types.prop_map(str::to_owned), 0..3)
    };
    let data = prop::sample::select(vec![
        ("n", DataTest::Exists),
        ("about", DataTest::Contains("ARG".to_owned())),
        ("about", DataTest::Equals(json!("protein"))),
    ]);
    let data = data.prop_map(|(path, test)| DataFilter {
        path: path.to_owned(),
        test,
    });
    let order = prop_oneof![
        3 => Just(OrderBy::Relevance),
        1 => Just(OrderBy::Label),
        1 => Just(OrderBy::Created),
        1 => Just(OrderBy::Modified),
        1 => Just(OrderBy::Order),
        1 => Just(OrderBy::Degree),
    ];
    let filters = (
        types(),
        types(),
        any::<bool>(),
        prop::option::of(data),
        span(),
        span(),
    );
    let minimum = prop_oneof![Just(0_usize), Just(2), Just(10)];
    let page = (0..6_usize, prop_oneof![Just(3_usize), Just(20)], minimum);
    let all = (text, filters, order, page, any::<[bool; 3]>(), 0..3_u8);
    all.prop_map(
        |(text, filters, order_by, (offset, limit, minimum), flags, few)| {
            let (types, exclude_types, by_bob, filter, created, modified) = filters;
            let [descending, exact, prefix] = flags;
            let offset = usize::from(offset > 3);
            let mut query = Query {
                text,
                order_by,
                descending,
                limit,
                offset,
                prefix,
                minimum,
                ..Query::default()
            };
            if few == 0 {
                (query.types, query.exclude_types) = (types, exclude_types);
                query.creators = by_bob.then(|| "BOB".to_owned()).into_iter().collect();
                query.data = filter.into_iter().collect();
                (query.created, query.modified, query.exact) = (created, modified, exact);
            }
            query
        },
    )
}

/// The most similar labels, from all pairs of sets.
fn plain_similar(knowledge: &Knowledge, id: &str) -> Vec<(String, f64)> {
    let set = |label: &str| trigrams(&mut Tokenizer::default(), label);
    let own = set(knowledge.find(id).unwrap().label());
    let others = knowledge.sorted_nodes().into_iter();
    let scored = others.filter(|node| node.id() != id).filter_map(|node| {
        let other = set(node.label());
        let shared = own.iter().filter(|trigram| other.contains(trigram)).count() as f64;
        let all = (own.len() + other.len()) as f64 - shared;
        (shared > 0.0).then(|| (node.id().to_owned(), shared / all))
    });
    let mut scored: Vec<_> = scored.collect();
    scored.sort_by(|one, two| two.1.total_cmp(&one.1));
    scored
}

/// Checks that a result is that of the model, to the last bit of its scores.
fn agrees(index: &SearchIndex, knowledge: &Knowledge, query: &Query) -> Result<(), TestCaseError> {
    if ParsedQuery::parse(&query.text).is_err() {
        prop_assert_eq!(index.search(query).unwrap_err().code(), "invalid_value");
        return Ok(());
    }
    let expected = model::search(knowledge, query);
    let found = index.search(query).unwrap();
    prop_assert_eq!(model::Plain::of(&found), expected, "{:?}", query);
    for hit in &found.hits {
        prop_assert_eq!(hit.score > 0.0, hit.snippet.is_some());
        if let Some(snippet) = &hit.snippet {
            let mut matched = snippet.matched.iter();
            prop_assert!(!snippet.matched.is_empty());
            prop_assert!(matched.all(|range| snippet.text.get(range.clone()).is_some()));
        }
    }
    Ok(())
}

/// Nodes that have the same words in other fields: their exact scores are equal, but rounded sums are not.
#[test]
fn scores_that_differ_by_rounding_alone_are_in_the_order_of_the_definition() {
    let terms = ["protein", "proteins", "protien"];
    let orders = [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ];
    let mut rounded = 0;
    for padding in 1..20 {
        let mut knowledge = labelled(&[("x", "x"), ("y", "y"), ("z", "z"), ("w", "w")]);
        for (order, places) in (4..).zip(orders) {
            let long =
                places.map(|place: usize| format!("{}{}", terms[place], " a".repeat(padding)));
            let [label, ty, noted] = long.each_ref().map(String::as_str);
            knowledge.put_node(node(
                &format!("n{order}"),
                label,
                &[ty],
                &[noted],
                &json!({}),
                order,
            ));
        }
        let (index, query) = (indexed(&knowledge), asking("prot"));
        let found = index.search(&query).unwrap();
        assert!(found.hits[0].score - found.hits[5].score < 1e-12);
        rounded += usize::from(!ids(&found).is_sorted());
        agrees(&index, &knowledge, &query).unwrap();
    }
    assert!(rounded > 0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_the_definition_whatever_the_way_to_the_graph(
        changes in prop::collection::vec(change(12), 0..40),
        queries in prop::collection::vec(query(), 6),
    ) {
        let (mut knowledge, mut index) = (Knowledge::default(), SearchIndex::default());
        for change in &changes {
            make(&mut knowledge, change);
            if matches!(change, Change::Follow) {
                index.update(&knowledge);
            }
        }
        index.update(&knowledge);
        let anew = indexed(&knowledge);
        prop_assert_eq!(index.tables.vocabulary.count(), anew.tables.vocabulary.count());
        prop_assert_eq!(index.tables.totals, anew.tables.totals);
        for query in &queries {
            for index in [&index, &anew] {
                agrees(index, &knowledge, query)?;
            }
        }
        for node in knowledge.nodes() {
            let expected = plain_similar(&knowledge, node.id());
            let found = index.similar_labels(node.id(), 100).unwrap();
            let found = found.iter().map(|SimilarLabel { node, score }| (node.id().to_owned(), *score));
            prop_assert_eq!(found.collect::<Vec<_>>(), expected);
        }
        // Nothing stays behind when all has gone.
        index.update(&Knowledge::default());
        prop_assert_eq!(index.tables.vocabulary.count(), 0);
        prop_assert_eq!(index.tables.totals, [0; 5]);
        prop_assert_eq!(index.search(&Query::default()).unwrap().total, 0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 6, max_shrink_iters: 64, ..ProptestConfig::default() })]

    #[test]
    fn answers_among_many_nodes_are_those_of_the_definition(
        puts in prop::collection::vec((0..1_500_u16, written()), 1_500),
        changes in prop::collection::vec(change(1_500), 300),
        queries in prop::collection::vec(query(), 12),
    ) {
        let (mut knowledge, mut index) = (Knowledge::default(), SearchIndex::default());
        for (number, written) in puts {
            make(&mut knowledge, &Change::Put(number, Box::new(written)));
        }
        index.update(&knowledge);
        for change in &changes {
            make(&mut knowledge, change);
        }
        index.update(&knowledge);
        for query in &queries {
            agrees(&index, &knowledge, query)?;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_query_does_harm(text in "\\PC{0,40}|[\\x00-\\x20\"*-]{0,40}|(.|\n){0,40}", prefix in any::<bool>()) {
        let index = indexed(&labelled(&[("a", "Ärger über 東京 \"x\" -y"), ("b", &text)]));
        let query = Query { text, prefix, ..Query::default() };
        if let Ok(found) = index.search(&query) {
            for hit in &found.hits {
                prop_assert!(hit.score.is_finite());
            }
        }
    }
}
