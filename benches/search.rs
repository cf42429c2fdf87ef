//! Full-text search of 100 000 nodes with words in several forms.
//!
//! `cargo bench --bench search`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use fibula::knowledge::search::{Query, SearchIndex};
use fibula::knowledge::{Knowledge, Node, Observation};

const NODES: u64 = 100_000;
const STEMS: u32 = 20_000;
const ENDS: [&str; 5] = ["", "s", "ed", "ing", "ation"];

/// Random numbers below 1 (Knuth's linear congruential generator of 64 bits).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        const SUMMAND: u64 = 1_442_695_040_888_963_407;
        self.0 = self.0.wrapping_mul(FACTOR).wrapping_add(SUMMAND);
        (self.0 >> 33) as f64 / f64::from(1_u32 << 31)
    }

    /// A word; few are frequent.
    fn word(&mut self) -> String {
        let place = self.next().powi(3) * f64::from(STEMS);
        let end = ENDS[(self.next() * ENDS.len() as f64) as usize];
        stem(place as u32) + end
    }

    fn words(&mut self, count: usize) -> String {
        let words: Vec<String> = (0..count).map(|_| self.word()).collect();
        words.join(" ")
    }
}

/// Three syllables and an "n".
fn stem(number: u32) -> String {
    let mut rest = number.wrapping_mul(2_654_435_761);
    let mut take = |letters: &'static str| {
        let count = letters.len() as u32;
        let at = (rest % count) as usize;
        rest /= count;
        &letters[at..=at]
    };
    let letters = (0..3).flat_map(|_| [take("bcdfglmnprst"), take("aeiou")]);
    letters.collect::<String>() + "n"
}

fn graph() -> Knowledge {
    let mut random = Random(1);
    let mut graph = Knowledge::default();
    for order in 0..NODES {
        let observation = Observation {
            text: random.words(12),
            at: 0,
            by: "bench".to_owned(),
        };
        graph.put_node(Node {
            id: format!("n{order}"),
            label: random.words(3),
            types: vec!["note".to_owned()],
            observations: vec![observation],
            order,
            ..Node::default()
        });
    }
    graph
}

fn searches(criterion: &mut Criterion) {
    let graph = graph();
    let mut index = SearchIndex::default();
    index.update(&graph);
    let mut group = criterion.benchmark_group("search 100 000 nodes");
    let labels: Vec<&str> = graph.nodes().step_by(97).map(|node| node.label()).collect();
    let first = |label: &str, count: usize| {
        let words: Vec<&str> = label.split(' ').take(count).collect();
        words.join(" ")
    };
    let question = |place: usize| {
        let labels = labels.iter().cycle().skip(place).take(3);
        labels.copied().collect::<Vec<_>>().join(" ")
    };
    let texts = 0..labels.len();
    for (name, texts) in [
        (
            "one word",
            texts
                .clone()
                .map(|place| first(labels[place], 1))
                .collect::<Vec<_>>(),
        ),
        (
            "two words of a node",
            texts.clone().map(|place| first(labels[place], 2)).collect(),
        ),
        ("nine words of three nodes", texts.map(question).collect()),
    ] {
        let mut texts = texts.into_iter().cycle();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let query = Query {
                    text: texts.next().unwrap_or_default(),
                    ..Query::default()
                };
                let found = index.search(&query).expect("words");
                black_box(found.total)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, searches);
criterion_main!(benches);
