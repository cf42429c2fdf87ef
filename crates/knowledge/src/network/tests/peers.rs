//! What networkx says of some graphs; see `tests/networks/make.py`, which writes it down.

use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::*;

macro_rules! written {
    ($name:literal) => {
        Peer::new(include_str!(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/networks/",
            $name,
            ".json"
        )))
    };
}

#[derive(Deserialize)]
struct Peer {
    directed: bool,
    nodes: usize,
    edges: Vec<(usize, usize, f64)>,
    figures: Map<String, Json>,
}

impl Peer {
    fn new(text: &str) -> Peer {
        serde_json::from_str(text).unwrap()
    }

    fn network(&self) -> Network {
        let mut knowledge = graph(self.nodes, []);
        for (order, &(source, target, weight)) in (0..).zip(&self.edges) {
            let [source, target] = [source, target].map(|end| format!("n{end}"));
            knowledge.put_edge(edge(order, [&source, &target], "to", Some(weight)));
        }
        Network::new(&knowledge)
    }

    fn filter(&self) -> Filter {
        towards(if self.directed {
            Direction::Outgoing
        } else {
            Direction::Both
        })
    }

    fn number(&self, name: &str) -> f64 {
        self.figures[name].as_f64().unwrap()
    }

    fn numbers(&self, name: &str) -> Vec<f64> {
        self.list(name)
    }

    fn list<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Vec<T> {
        Vec::deserialize(&self.figures[name]).unwrap()
    }

    /// Within 1e-9 of what is written.
    fn check(&self, name: &str, found: &[f64]) {
        let expected = self.numbers(name);
        assert_eq!(found.len(), expected.len(), "{name}");
        for (place, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let bound = 1e-9 * expected.abs().max(1.0);
            assert!(
                (found - expected).abs() <= bound,
                "{name} of {place}: {found}, not {expected}"
            );
        }
    }

    fn check_number(&self, name: &str, found: f64) {
        let expected = self.number(name);
        assert!(
            (found - expected).abs() <= 1e-9,
            "{name}: {found}, not {expected}"
        );
    }

    fn check_all(&self) {
        let network = self.network();
        let part = network.subgraph(&self.filter());
        self.check_centralities(&part);
        self.check_structure(&network, &part);
        self.check_paths(&network);
    }

    fn check_centralities(&self, part: &Subgraph<'_>) {
        let closeness = part.closeness(None, &on).unwrap();
        self.check("closeness", &closeness.closeness.values);
        self.check("harmonic", &closeness.harmonic.values);
        self.check(
            "betweenness",
            &part.betweenness(false, None, &on).unwrap().values,
        );
        self.check(
            "betweenness_weighted",
            &part.betweenness(true, None, &on).unwrap().values,
        );
        let ranks = |surfing: &PageRankOptions| part.pagerank(surfing, &on).unwrap().values;
        let mut surfing = PageRankOptions::default();
        self.check("pagerank", &ranks(&surfing));
        surfing.starts = vec![("n0".to_owned(), 1.0), ("n3".to_owned(), 2.0)];
        self.check("pagerank_from_0_and_3", &ranks(&surfing));
        surfing = PageRankOptions {
            weighted: true,
            ..PageRankOptions::default()
        };
        self.check("pagerank_weighted", &ranks(&surfing));
        if self.figures.contains_key("eigenvector") {
            let found = part.eigenvector(false, &on).unwrap();
            assert!(found.change < 1e-9);
            self.check("eigenvector", &found.scores.values);
        }
        let degree = |direction| part.network.subgraph(&towards(direction)).degree().values;
        self.check("degree", &degree(Direction::Both));
        if self.directed {
            self.check("out_degree", &degree(Direction::Outgoing));
            self.check("in_degree", &degree(Direction::Incoming));
        }
    }

    fn check_structure(&self, network: &Network, part: &Subgraph<'_>) {
        let structure = part.structure(&on).unwrap();
        self.check_number("density", structure.density);
        assert_eq!(structure.weak.sizes, self.list::<usize>("components"));
        if self.directed {
            assert_eq!(
                structure.strong.sizes,
                self.list::<usize>("strong_components")
            );
            self.check_number("reciprocity", structure.reciprocity);
        }
        let distances = part.distances(DEFAULT_WORK, &on).unwrap();
        assert!(distances.diameter.is_exact() && distances.radius.is_exact());
        self.check_number("diameter", f64::from(distances.diameter.least));
        self.check_number("radius", f64::from(distances.radius.least));
        self.check_number("mean_distance", distances.mean);
        let clustering = part.clustering(&on).unwrap();
        self.check_number("transitivity", clustering.transitivity);
        self.check_number("average_clustering", clustering.average);
        assert_eq!(part.cores().numbers, self.list::<u32>("core"));
        let bridges = part.bridges(&on).unwrap();
        let ends = |&edge: &u32| {
            let mut ends = network.ends(edge);
            ends.sort_unstable();
            ends
        };
        let mut ends: Vec<[u32; 2]> = bridges.edges.iter().map(ends).collect();
        ends.sort_unstable();
        assert_eq!(ends, self.list::<[u32; 2]>("bridges"));
        assert_eq!(bridges.vertices, self.list::<u32>("articulations"));
        for method in [CommunityMethod::Leiden, CommunityMethod::Louvain] {
            for seed in 0..5 {
                let grouping = CommunityOptions {
                    method,
                    seed,
                    ..CommunityOptions::default()
                };
                // The other program's view is without several edges between two; see `simple` there.
                let found = self
                    .once()
                    .subgraph(&Filter::default())
                    .communities(&grouping, &on)
                    .unwrap();
                let worst = match method {
                    CommunityMethod::Leiden => 0.99,
                    // One run of Louvain is compared with the best of five.
                    CommunityMethod::Louvain => 0.95,
                };
                assert!(
                    found.modularity >= worst * self.number("louvain"),
                    "{method:?}: {}",
                    found.modularity
                );
            }
        }
        self.check_similarities(part);
    }

    /// Each edge once, and none from a node to itself.
    fn once(&self) -> Network {
        let edges = self
            .edges
            .iter()
            .map(|&(one, other, _)| [one.min(other), one.max(other)]);
        let mut edges: Vec<[usize; 2]> = edges.filter(|ends| ends[0] != ends[1]).collect();
        edges.sort_unstable();
        edges.dedup();
        Network::new(&graph(self.nodes, edges))
    }

    fn check_similarities(&self, part: &Subgraph<'_>) {
        let ids: Vec<String> = (0..self.nodes).map(|number| format!("n{number}")).collect();
        let others = |one: usize| {
            (0..self.nodes.min(40))
                .step_by(3)
                .filter(move |other| one < *other)
        };
        let pairs = (0..6).flat_map(|one| others(one).map(move |other| (one, other)));
        let pairs: Vec<(&str, &str)> = pairs
            .map(|(one, other)| (&*ids[one], &*ids[other]))
            .collect();
        self.check(
            "jaccard",
            &part
                .similarities(&pairs, SimilarityMeasure::Jaccard)
                .unwrap(),
        );
        self.check(
            "adamic_adar",
            &part
                .similarities(&pairs, SimilarityMeasure::AdamicAdar)
                .unwrap(),
        );
    }

    fn check_paths(&self, network: &Network) {
        let between = |target: usize, weighted: bool| PathQuery {
            source: "n0".to_owned(),
            target: format!("n{target}"),
            weighted,
            filter: self.filter(),
        };
        for (name, weighted) in [("distances_from_0", false), ("lengths_from_0", true)] {
            let expected: Vec<Option<f64>> = self.list(name);
            for (target, expected) in expected.into_iter().enumerate() {
                let path = network
                    .shortest_path(&between(target, weighted), None, &on)
                    .unwrap();
                // Weights are parts of eight, so that sums are exact.
                assert_eq!(path.map(|path| path.length), expected, "{name} of {target}");
            }
        }
        if !self.directed {
            let expected: Vec<f64> = self.numbers("paths_0_to_last");
            let between = between(self.nodes - 1, false);
            let found = network
                .k_shortest_paths(&between, expected.len(), &on)
                .unwrap();
            let lengths: Vec<f64> = found.iter().map(|path| path.length).collect();
            assert_eq!(lengths, expected);
        }
    }
}

#[test]
fn the_karate_club_is_as_networkx_says() {
    written!("karate").check_all();
}

#[test]
fn a_directed_multigraph_is_as_networkx_says() {
    written!("directed").check_all();
}

#[test]
fn a_scale_free_graph_is_as_networkx_says() {
    written!("scale_free").check_all();
}

#[test]
fn a_grid_is_as_networkx_says() {
    written!("grid").check_all();
}

#[test]
fn estimates_are_as_far_off_as_they_say() {
    let peer = written!("scale_free");
    let network = peer.network();
    let part = network.subgraph(&peer.filter());
    let sample = Some(Sample {
        pivots: 200,
        seed: 4,
    });
    let closeness = part.closeness(sample, &on).unwrap();
    let betweenness = part.betweenness(false, sample, &on).unwrap();
    for (name, scores) in [
        ("closeness", closeness.closeness),
        ("harmonic", closeness.harmonic),
        ("betweenness", betweenness),
    ] {
        let errors = scores.errors.unwrap();
        let off = scores
            .values
            .iter()
            .zip(peer.numbers(name))
            .map(|(found, exact)| (found - exact).powi(2));
        let said = errors.iter().map(|error| error.powi(2));
        let ratio = (off.sum::<f64>() / said.sum::<f64>()).sqrt();
        // Those of all vertices come from the same searches, and are off together.
        assert!((0.7..1.4).contains(&ratio), "{name}: {ratio}");
    }
}
