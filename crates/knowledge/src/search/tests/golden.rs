//! Queries of agents with their results.

use serde_json::json;

use super::*;
use crate::search::{MAX_QUERY_BYTES, OrderBy, SearchError, SimilarLabel, TimeRange};

/// Hits with all words, in order; if there are none, those with some.
fn found(knowledge: &Knowledge, text: &str) -> Vec<String> {
    let query = Query {
        minimum: 0,
        ..asking(text)
    };
    ids(&indexed(knowledge).search(&query).unwrap())
}

/// Some of the notes of a project about genes.
fn genes() -> Knowledge {
    let mut knowledge = Knowledge::default();
    let nothing = json!({});
    let nodes = [
        (
            "NCBIGene:7157",
            "TP53",
            &["Gene"][..],
            "Tumor protein p53 stops damaged cells.",
            &json!({ "status": "done" }),
        ),
        (
            "d1",
            "Li-Fraumeni syndrome",
            &["Disease"],
            "Caused by mutations of TP53.",
            &nothing,
        ),
        (
            "n3",
            "Tumor suppressor",
            &["Note", "Concept"],
            "Many tumor suppressor genes are known; TP53 is the best known.",
            &json!({ "about": { "gene": "TP53" } }),
        ),
        (
            "n4",
            "getNodeInfo",
            &["Function"],
            "Reads a node_info record.",
            &json!({ "lines": 42 }),
        ),
    ];
    for (order, (id, label, types, noted, data)) in (0..).zip(nodes) {
        knowledge.put_node(node(id, label, types, &[noted], data, order));
    }
    let noise = node("n5", "Straßenlärm in 東京都", &["Note"], &[], &nothing, 4);
    knowledge.put_node(noise);
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
        ("gene tumor", "NCBIGene:7157 n3"),
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
fn forms_of_a_word_are_found_after_the_word_itself() {
    let knowledge = labelled(&[
        ("a", "Compressed old files"),
        ("b", "Compress a file"),
        ("c", "Cities in compression"),
        ("d", "C++ and .NET"),
        ("e", "C and the net"),
    ]);
    for (text, expected) in [
        ("compress file", "b a"),
        ("old compressing file", "a"),
        ("city", "c"),
        ("\"compress file\"", ""),
        ("c++", "d"),
        (".NET", "d"),
        ("net", "d e"),
        ("-c++ net", "e"),
    ] {
        assert_eq!(found(&knowledge, text).join(" "), expected, "{text}");
    }
    let exact = Query {
        exact: true,
        prefix: false,
        ..asking("compress file")
    };
    assert_eq!(ids(&indexed(&knowledge).search(&exact).unwrap()), ["b"]);
}

#[test]
fn a_question_finds_its_answer_and_few_matches_are_followed_by_parts_of_them() {
    let knowledge = labelled(&[
        ("a", "Walls are at least 2 mm thick, for strength"),
        ("b", "The gyroid of the plate has a period of 8 mm"),
        ("c", "Thickness of plates"),
        ("d", "Who is the owner of the printer?"),
        ("e", "Gyroid"),
    ]);
    for (text, expected) in [
        ("How thick do the walls have to be?", ["a"]),
        ("what period does the gyroid in my plate have", ["b"]),
        ("who owns the printer", ["d"]),
    ] {
        assert_eq!(found(&knowledge, text)[..1], expected, "{text}");
    }
    let index = indexed(&knowledge);
    let look = |minimum: usize, order_by: OrderBy| {
        let query = Query {
            order_by,
            minimum,
            ..asking("plate gyroid")
        };
        let found = index.search(&query).unwrap();
        let first = ids(&found).join(" ");
        format!("{first}: {} of {}", found.complete, found.total)
    };
    assert_eq!(look(10, OrderBy::Relevance), "b e c: 1 of 3");
    assert_eq!(look(2, OrderBy::Relevance), "b e c: 1 of 3");
    assert_eq!(look(1, OrderBy::Relevance), "b: 1 of 1");
    assert_eq!(look(10, OrderBy::Label), "b: 1 of 1");
    // A frequent word alone is the lesser part.
    let knowledge = labelled(&[
        ("a", "the wall"),
        ("b", "wall"),
        ("c", "the"),
        ("d", "the rib"),
    ]);
    let found = indexed(&knowledge);
    let found = found.search(&asking("the wall")).unwrap();
    assert_eq!(ids(&found), ["a", "b"]);
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
    let phrase = asking("\"tumor protein\" getnodeinfo");
    assert_eq!(flags(&phrase), (1, false, true));
    let mut exact = asking("tumro");
    exact.exact = true;
    assert_eq!(flags(&exact), (0, false, false));
    (exact.text, exact.prefix) = ("supp".to_owned(), false);
    assert_eq!(flags(&exact), (0, false, false));
}

#[test]
fn the_label_that_was_asked_for_comes_first_then_the_id() {
    let mut knowledge = labelled(&[
        ("x", "Wall wall wall"),
        ("wall", "Other"),
        ("y", "The wall"),
        ("z", "WALL"),
    ]);
    let (types, data) = (&["wall", "Wall"], json!({ "wall": "wall" }));
    let loud = node("w", "walls", types, &["wall wall wall wall"], &data, 9);
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
        let (id, data) = (format!("k{order}"), json!({ "d": data }));
        node(&id, label, &[ty], &[noted], &data, order)
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
    let check = |change: &dyn Fn(&mut Query), expected: &str| {
        let mut query = Query::default();
        change(&mut query);
        let found = index.search(&query).unwrap();
        let text = format!("{}: {}", found.total, ids(&found).join(" "));
        assert_eq!(text, expected);
    };
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    checks! { check, query:
        query.offset = 0 => "5: NCBIGene:7157 d1 n3 n4 n5";
        query.types = owned(&["NOTE", "gene"]) => "3: NCBIGene:7157 n3 n5";
        query.exclude_types = owned(&["note"]) => "3: NCBIGene:7157 d1 n4";
        query.types = owned(&["none"]) => "0: ";
        query.text = "-tp53".to_owned() => "2: n4 n5";
        query.created = TimeRange { from: Some(2), until: Some(3) } => "2: n3 n4";
        (query.order_by, query.limit) = (OrderBy::Modified, 2) => "5: n5 n4";
        (query.order_by, query.descending, query.offset) = (OrderBy::Label, true, 2) => "5: n5 d1 n4";
        (query.offset, query.limit) = (usize::MAX, 10) => "5: ";
        query.limit = 0 => "5: ";
    }
}

#[test]
fn snippets_show_why() {
    let mut knowledge = genes();
    let (hay, straw) = ("hay ".repeat(100), "straw ".repeat(100));
    let noted = ["nothing", &format!("{hay}the needle lies here {straw}")];
    let data = json!({ "a": { "b": ["x", "pin"] } });
    knowledge.put_node(node("n6", "Haystack", &["Note"], &noted, &data, 5));
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
    for (text, expected) in [
        (
            "protein tumor",
            "observation 0: [Tumor] [protein] p53 stops damaged cells.",
        ),
        ("ncbi", "id: [NCBI]Gene:7157"),
        ("gene:7157", "id: NCBI[Gene]:[7157]"),
        ("京都", "label: Straßenlärm in 東[京都]"),
        ("strassenlarm", "label: [Straßenlärm] in 東京都"),
        ("concept", "types: [Concept]"),
        ("pin", "data.a.b.1: [pin]"),
    ] {
        assert_eq!(show(text), expected, "{text}");
    }
    let shown = show("needle");
    assert!(shown.starts_with("observation 1: …"), "{shown}");
    assert!(shown.contains("hay the [needle] lies"), "{shown}");
    assert!(shown.ends_with('…') && shown.chars().count() < 190);
}

#[test]
fn too_much_is_refused() {
    let index = indexed(&genes());
    let check = |change: &dyn Fn(&mut Query), (expected, code): (&str, &str)| {
        let mut query = Query::default();
        change(&mut query);
        let refused = index.search(&query).unwrap_err();
        assert!(refused.to_string().contains(expected), "{refused}");
        assert_eq!(refused.code(), code);
    };
    checks! { check, query:
        query.text = "x".repeat(1 << 20) => ("has 1048576 bytes, more than the limit of 4096", "too_large");
        query.text = "w ".repeat(MAX_QUERY_BYTES / 2) => ("words, more than the limit of 64", "too_large");
        query.limit = 1 << 30 => ("a page of an answer has 1073741824 nodes", "too_large");
        query.types = vec![String::new(); 2_000] => ("2000 types", "too_large");
        query.text = "(.*)+$".to_owned() => ("no letter or digit", "invalid_value");
        query.created = TimeRange { from: Some(2), until: Some(1) } => ("from 2 until 1", "invalid_value");
    }
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
    let similar = |index: &SearchIndex, id: &str, limit: usize| -> Vec<(String, f64)> {
        let similar = index.similar_labels(id, limit).unwrap();
        let pair = |one: &SimilarLabel<'_>| (one.node.id().to_owned(), one.score);
        similar.iter().map(pair).collect()
    };
    // Of 7 and 10 trigrams all; "of" has 3 more, "the" 2.
    let expected = [("c".to_owned(), 1.0), ("b".to_owned(), 17.0 / 22.0)];
    assert_eq!(similar(&index, "a", 2), expected);
    assert!(similar(&index, "e", 2).is_empty());
    // What comes before a trigram is no part of it.
    let index = indexed(&labelled(&[("a", "abcd"), ("x", "xbcd")]));
    assert_eq!(similar(&index, "a", 1), [("x".to_owned(), 2.0 / 8.0)]);
}
