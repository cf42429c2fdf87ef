//! What agents ask, and what they get.

use serde_json::json;

use super::*;
use crate::search::{MAX_QUERY_BYTES, OrderBy, SearchError, TimeRange};

/// What is found, in order.
fn found(knowledge: &Knowledge, text: &str) -> Vec<String> {
    ids(&indexed(knowledge).search(&asking(text)).unwrap())
}

/// Some of the notes of a project about genes.
fn genes() -> Knowledge {
    let mut knowledge = Knowledge::default();
    let nodes = [
        node(
            "NCBIGene:7157",
            "TP53",
            &["Gene"],
            &["Tumor protein p53 stops damaged cells."],
            &json!({ "status": "done" }),
            0,
        ),
        node(
            "d1",
            "Li-Fraumeni syndrome",
            &["Disease"],
            &["Caused by mutations of TP53."],
            &json!({}),
            1,
        ),
        node(
            "n3",
            "Tumor suppressor",
            &["Note", "Concept"],
            &["Many tumor suppressor genes are known; TP53 is the best known."],
            &json!({ "about": { "gene": "TP53" } }),
            2,
        ),
        node(
            "n4",
            "getNodeInfo",
            &["Function"],
            &["Reads a node_info record."],
            &json!({ "lines": 42 }),
            3,
        ),
        node("n5", "Straßenlärm in 東京都", &["Note"], &[], &json!({}), 4),
    ];
    for node in nodes {
        knowledge.put_node(node);
    }
    knowledge
}

#[test]
fn words_are_found_whatever_their_form() {
    let genes = genes();
    for (text, expected) in [
        ("tp53", "NCBIGene:7157 d1 n3"),
        ("NCBIGene:7157", "NCBIGene:7157"),
        ("ncbigene 7157", "NCBIGene:7157"),
        ("7157", "NCBIGene:7157"),
        ("ncbi", "NCBIGene:7157"),
        ("gene tumor", "NCBIGene:7157"),
        ("tumor gene", "NCBIGene:7157 n3"),
        ("protein tumor", "NCBIGene:7157"),
        ("suppr", "n3"),
        ("\"tumor suppressor\"", "n3"),
        ("\"suppressor tumor\"", ""),
        ("tumor -protein", "n3"),
        ("tp53 -\"best known\"", "NCBIGene:7157 d1"),
        ("get_node_info", "n4"),
        ("getnodeinfo", "n4"),
        ("node info", "n4"),
        ("STRASSENLARM", "n5"),
        ("京都", "n5"),
        ("京", "n5"),
        ("京東", ""),
        ("42", "n4"),
        ("li-fraumeni", "d1"),
        // Misspelt.
        ("tumro", "n3 NCBIGene:7157"),
        ("supressor", "n3"),
        ("suppersor", "n3"),
        ("mutatons tp53", "d1"),
        // Numbers are not.
        ("7158", ""),
        // Not all in one node.
        ("fraumeni getnodeinfo", "n4 d1"),
    ] {
        let ids = found(&genes, text);
        assert_eq!(ids.join(" "), expected, "{text}");
    }
}

#[test]
fn an_answer_says_how_words_were_taken() {
    let genes = genes();
    let index = indexed(&genes);
    let flags = |query: &Query| {
        let found = index.search(query).unwrap();
        (found.total, found.corrected, found.relaxed)
    };
    assert_eq!(flags(&asking("tumor")), (2, false, false));
    assert_eq!(flags(&asking("tumro")), (2, true, false));
    assert_eq!(flags(&asking("42 syndrome")), (2, false, true));
    assert_eq!(
        flags(&asking("\"tumor protein\" getnodeinfo")),
        (1, false, true)
    );
    let exact = Query {
        exact: true,
        ..asking("tumro")
    };
    assert_eq!(flags(&exact), (0, false, false));
    let whole = Query {
        prefix: false,
        exact: true,
        ..asking("supp")
    };
    assert_eq!(flags(&whole), (0, false, false));
}

#[test]
fn the_label_that_was_asked_for_comes_first_then_the_id() {
    let mut knowledge = labelled(&[
        ("x", "Wall wall wall"),
        ("wall", "Other"),
        ("y", "The wall"),
        ("z", "WALL"),
    ]);
    let mut loud = node(
        "w",
        "walls",
        &["wall"],
        &["wall wall wall wall"],
        &json!({ "wall": "wall" }),
        9,
    );
    loud.types.push("Wall".to_owned());
    knowledge.put_node(loud);
    let ids = found(&knowledge, "wall");
    assert_eq!(ids[..2], ["z", "wall"]);
    assert_eq!(ids.len(), 5);
    assert_eq!(found(&knowledge, "the wall")[0], "y");
}

#[test]
fn exact_words_come_before_begun_ones_and_fields_count_by_their_order() {
    let mut knowledge = labelled(&[("a1", "cells"), ("a2", "cell")]);
    assert_eq!(found(&knowledge, "cell"), ["a2", "a1"]);
    knowledge = Knowledge::default();
    let say = |ty: &str, label: &str, noted: &str, data: &str, order: u64| {
        node(
            &format!("k{order}"),
            label,
            &[ty],
            &[noted],
            &json!({ "d": data }),
            order,
        )
    };
    knowledge.put_node(say("t", "l", "n", "flow", 0));
    knowledge.put_node(say("t", "l", "flow", "d", 1));
    knowledge.put_node(say("flow", "l", "n", "d", 2));
    knowledge.put_node(say("t", "flow now", "n", "d", 3));
    assert_eq!(found(&knowledge, "flow"), ["k3", "k2", "k1", "k0"]);
}

#[test]
fn nodes_are_filtered_sorted_and_paged() {
    let genes = genes();
    let index = indexed(&genes);
    let ask = |change: &dyn Fn(&mut Query)| {
        let mut query = Query::default();
        change(&mut query);
        let found = index.search(&query).unwrap();
        format!("{}: {}", found.total, ids(&found).join(" "))
    };
    assert_eq!(ask(&|_| {}), "5: NCBIGene:7157 d1 n3 n4 n5");
    assert_eq!(
        ask(&|query| query.types = vec!["NOTE".to_owned(), "gene".to_owned()]),
        "3: NCBIGene:7157 n3 n5"
    );
    assert_eq!(
        ask(&|query| query.exclude_types = vec!["note".to_owned()]),
        "3: NCBIGene:7157 d1 n4"
    );
    assert_eq!(ask(&|query| query.types = vec!["none".to_owned()]), "0: ");
    assert_eq!(ask(&|query| query.text = "-tp53".to_owned()), "2: n4 n5");
    assert_eq!(
        ask(&|query| query.created = TimeRange {
            from: Some(2),
            until: Some(3)
        }),
        "2: n3 n4"
    );
    assert_eq!(
        ask(&|query| (query.order_by, query.limit) = (OrderBy::Modified, 2)),
        "5: n5 n4"
    );
    assert_eq!(
        ask(&|query| (query.order_by, query.descending, query.offset) = (OrderBy::Label, true, 2)),
        "5: n5 d1 n4"
    );
    assert_eq!(
        ask(&|query| (query.offset, query.limit) = (usize::MAX, 10)),
        "5: "
    );
    assert_eq!(ask(&|query| query.limit = 0), "5: ");
}

#[test]
fn snippets_show_why() {
    let mut knowledge = genes();
    let long = format!(
        "{}the needle lies here {}",
        "hay ".repeat(100),
        "straw ".repeat(100)
    );
    knowledge.put_node(node(
        "n6",
        "Haystack",
        &["Note"],
        &["nothing", &long],
        &json!({ "a": { "b": ["x", "pin"] } }),
        5,
    ));
    let index = indexed(&knowledge);
    let show = |text: &str| {
        let found = index.search(&asking(text)).unwrap();
        let snippet = found.hits[0].snippet.clone().unwrap();
        let mut shown = snippet.text;
        for range in snippet.matched.into_iter().rev() {
            shown.insert(range.end, ']');
            shown.insert(range.start, '[');
        }
        format!("{}: {shown}", snippet.field)
    };
    assert_eq!(
        show("protein tumor"),
        "observation 0: [Tumor] [protein] p53 stops damaged cells."
    );
    assert_eq!(show("ncbi"), "id: [NCBI]Gene:7157");
    assert_eq!(show("gene:7157"), "id: NCBI[Gene]:[7157]");
    assert_eq!(show("京都"), "label: Straßenlärm in 東[京都]");
    assert_eq!(show("strassenlarm"), "label: [Straßenlärm] in 東京都");
    assert_eq!(show("concept"), "types: [Concept]");
    assert_eq!(show("pin"), "data.a.b.1: [pin]");
    let shown = show("needle");
    assert!(
        shown.starts_with("observation 1: …") && shown.ends_with('…'),
        "{shown}"
    );
    assert!(
        shown.contains("hay the [needle] lies") && shown.chars().count() < 190,
        "{shown}"
    );
}

#[test]
fn too_much_is_refused() {
    let index = indexed(&genes());
    let refuse = |change: &dyn Fn(&mut Query), expected: &str| {
        let mut query = Query::default();
        change(&mut query);
        let refused = index.search(&query).unwrap_err();
        assert!(refused.to_string().contains(expected), "{refused}");
        refused.code()
    };
    let code = refuse(
        &|query| query.text = "x".repeat(1 << 20),
        "has 1048576 bytes, and 4096 is the most",
    );
    assert_eq!(code, "too_large");
    refuse(
        &|query| query.text = "w ".repeat(MAX_QUERY_BYTES / 2),
        "words, and 64 is the most",
    );
    refuse(
        &|query| query.limit = 1 << 30,
        "a page of an answer has 1073741824 nodes",
    );
    refuse(
        &|query| query.types = vec![String::new(); 2_000],
        "2000 types",
    );
    refuse(
        &|query| query.text = "(.*)+$".to_owned(),
        "no letter and no digit",
    );
    let code = refuse(
        &|query| {
            query.created = TimeRange {
                from: Some(2),
                until: Some(1),
            }
        },
        "from 2 until 1",
    );
    assert_eq!(code, "invalid_value");
    let refused = index.similar_labels("none", 3).unwrap_err();
    assert!(matches!(refused, SearchError::Knowledge(_)) && refused.code() == "unknown_node");
}

#[test]
fn similar_labels_are_found() {
    let knowledge = labelled(&[
        ("a", "Gyroid thickness"),
        ("b", "Thickness of the gyroid"),
        ("c", "gyroid  Thickness!"),
        ("d", "Other"),
        ("e", "?"),
    ]);
    let index = indexed(&knowledge);
    let similar = index.similar_labels("a", 2).unwrap();
    let similar: Vec<_> = similar
        .iter()
        .map(|similar| (similar.node.id(), similar.score))
        .collect();
    assert_eq!(similar[0], ("c", 1.0));
    // Of 7 and 10 trigrams all; "of" has 3 more, "the" 2.
    assert_eq!(similar[1], ("b", 17.0 / 22.0));
    assert!(index.similar_labels("e", 2).unwrap().is_empty());
    // What comes before a trigram is no part of it.
    let index = indexed(&labelled(&[("a", "abcd"), ("x", "xbcd")]));
    let similar = index.similar_labels("a", 1).unwrap();
    let similar = similar
        .iter()
        .map(|similar| (similar.node.id(), similar.score));
    assert_eq!(similar.collect::<Vec<_>>(), [("x", 2.0 / 8.0)]);
}
