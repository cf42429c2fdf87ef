//! Parts of texts, beside reading every node.

use proptest::prelude::*;

use super::laws::{Change, change, make, text, words};
use super::*;
use crate::search::SubstringIndex;

/// The ids of the nodes of which a text holds this one.
fn plain<'a>(nodes: impl IntoIterator<Item = NodeRef<'a>>, sought: &str) -> Vec<&'a str> {
    let sought = sought.to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&sought);
    let nodes = nodes.into_iter().filter(|node| {
        let mut texts = node.observations().iter().map(|one| one.text.as_str());
        holds(node.label()) || node.types().any(holds) || texts.any(holds)
    });
    let mut ids: Vec<&str> = nodes.map(|node| node.id()).collect();
    ids.sort_unstable();
    ids
}

/// A part of what nodes may say, in whatever case, or anything.
fn sought() -> impl Strategy<Value = String> {
    let part = (words(6), 0..12_usize, 0..16_usize, any::<bool>());
    let part = part.prop_map(|(words, begin, count, is_upper)| {
        let part: String = text(&words).chars().skip(begin).take(count).collect();
        if is_upper { part.to_uppercase() } else { part }
    });
    prop_oneof![6 => part, 1 => "\\PC{0,3}"]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_a_text_is_found_whatever_the_way_to_the_graph(
        changes in prop::collection::vec(change(12), 0..60),
        sought in prop::collection::vec(sought(), 6),
    ) {
        let (mut knowledge, mut index) = (Knowledge::default(), SubstringIndex::default());
        let mut before = Knowledge::default();
        for change in &changes {
            make(&mut knowledge, change);
            if matches!(change, Change::Follow) {
                index.candidates(&knowledge, "");
                before = knowledge.clone();
            }
        }
        // That of an earlier graph too, for whoever asks late.
        for graph in [&knowledge, &before, &knowledge] {
            for sought in &sought {
                let found = index.candidates(graph, sought);
                let held = plain(found.iter().copied(), sought);
                prop_assert_eq!(&held, &plain(graph.nodes(), sought), "{:?}", sought);
                if !sought.is_empty() && sought.to_lowercase().chars().all(char::is_alphanumeric) {
                    prop_assert_eq!(held.len(), found.len(), "{:?}", sought);
                }
            }
        }
    }
}

#[test]
fn only_nodes_that_have_every_word_are_read() {
    let knowledge = labelled(&[
        ("a", "iron cast in a mould"),
        ("b", "cast iron"),
        ("c", "casting irons"),
        ("d", "gold"),
    ]);
    let mut index = SubstringIndex::default();
    let mut check = |sought: &str, expected: &str| {
        let found = index.candidates(&knowledge, sought);
        let ids: String = found.iter().map(NodeRef::id).collect();
        assert_eq!(ids, expected, "{sought}");
    };
    check("ast iro", "abc");
    check("in cast i", "a");
    check("gold cast iron", "");
    check("OLD", "d");
    check("T", "abcd");
    check("gold!", "d");
    check(" ", "abcd");
    check("tin", "c");
    // More words than are asked for, and the same again and again.
    check("a b c d e f g h i j k l m n o p q r s t u", "");
    check(&"cast ".repeat(100_000), "ab");
    check(&format!("{}iro", "cast ".repeat(100_000)), "ab");
}
