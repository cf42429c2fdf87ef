//! Results of networkx for some graphs; `tests/networks/make.py` writes them.

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
        Network::new(&weighted_graph(self.nodes, &self.edges))
    }

    fn filter(&self) -> Filter {
        towards(DIRECTIONS[if self.directed { 0 } else { 2 }])
    }

    fn number(&self, name: &str) -> f64 {
        self.figures[name].as_f64().unwrap()
    }

    fn list<T: for<'a> Deserialize<'a>>(&self, name: &str) -> Vec<T> {
        Vec::deserialize(&self.figures[name]).unwrap()
    }

    /// Within 1e-9 of what is written.
    fn check(&self, name: &str, found: &[f64]) {
        let expected: Vec<f64> = self.list(name);
        assert_eq!(found.len(), expected.len(), "{name}");
        for (place, (&found, expected)) in found.iter().zip(expected).enumerate() {
            let bound = 1e-9 * expected.abs().max(1.0);
            let is_close = (found - expected).abs() <= bound;
            assert!(is_close, "{name} of {place}: {found}, not {expected}");
        }
    }

    fn check_number(&self, name: &str, found: f64) {
        let expected = self.number(name);
        let is_close = (found - expected).abs() <= 1e-9;
        assert!(is_close, "{name}: {found}, not {expected}");
    }

    fn check_all(&self) {
        let network = self.network();
        let part = network.subgraph(&self.filter());
        self.check_centralities(&part);
        self.check_structure(&network, &part);
        self.check_paths(&network);
    }

    fn check_centralities(&self, part: &Subgraph<'_>) {
        // networkx measures the distances to a vertex.
        let incoming = towards(Direction::Incoming);
        let to = part.network.subgraph(&incoming);
        let to = if self.directed { &to } else { part };
        let closeness = to.closeness(None, &on).unwrap();
        self.check("closeness", &closeness.closeness.values);
        self.check("harmonic", &closeness.harmonic.values);
        for (name, weighted) in [("betweenness", false), ("betweenness_weighted", true)] {
            self.check(name, &part.betweenness(weighted, None, &on).unwrap().values);
        }
        let ranks = |options: &PageRankOptions| part.pagerank(options, &on).unwrap().values;
        let mut options = PageRankOptions::default();
        self.check("pagerank", &ranks(&options));
        options.weighted = true;
        self.check("pagerank_weighted", &ranks(&options));
        options.weighted = false;
        options.starts = vec![("n0".to_owned(), 1.0), ("n3".to_owned(), 2.0)];
        self.check("pagerank_from_0_and_3", &ranks(&options));
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
            let expected: Vec<usize> = self.list("strong_components");
            assert_eq!(structure.strong.sizes, expected);
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
        // One run of Louvain is compared with the best of five.
        for (method, worst) in [
            (CommunityMethod::Leiden, 0.99),
            (CommunityMethod::Louvain, 0.95),
        ] {
            let least = worst * self.number("louvain");
            for seed in 0..5 {
                let options = with(|options: &mut CommunityOptions| {
                    (options.method, options.seed) = (method, seed);
                });
                // The other program's view is without several edges between two; see `simple` there.
                let network = self.once();
                let part = network.subgraph(&Filter::default());
                let modularity = part.communities(&options, &on).unwrap().modularity;
                assert!(modularity >= least, "{method:?}: {modularity}");
            }
        }
        self.check_similarities(part);
    }

    /// Each edge once, and none from a node to itself.
    fn once(&self) -> Network {
        let edges = self.edges.iter();
        let edges = edges.map(|&(one, other, _)| [one.min(other), one.max(other)]);
        let mut edges: Vec<[usize; 2]> = edges.filter(|ends| ends[0] != ends[1]).collect();
        edges.sort_unstable();
        edges.dedup();
        Network::new(&graph(self.nodes, edges))
    }

    fn check_similarities(&self, part: &Subgraph<'_>) {
        let ids: Vec<String> = (0..self.nodes).map(|number| format!("n{number}")).collect();
        let last = self.nodes.min(40);
        let others = |one: usize| (0..last).step_by(3).filter(move |&other| one < other);
        let pairs = (0..6).flat_map(|one| others(one).map(move |other| (one, other)));
        let pairs = pairs.map(|(one, other)| (&*ids[one], &*ids[other]));
        let pairs: Vec<(&str, &str)> = pairs.collect();
        let found = |measure| part.similarities(&pairs, measure).unwrap();
        self.check("jaccard", &found(SimilarityMeasure::Jaccard));
        self.check("adamic_adar", &found(SimilarityMeasure::AdamicAdar));
    }

    fn check_paths(&self, network: &Network) {
        let query =
            |target: usize, weighted| between("n0", &format!("n{target}"), weighted, self.filter());
        for (name, weighted) in [("distances_from_0", false), ("lengths_from_0", true)] {
            let expected: Vec<Option<f64>> = self.list(name);
            for (target, expected) in expected.into_iter().enumerate() {
                let path = network
                    .shortest_path(&query(target, weighted), None, &on)
                    .unwrap();
                // Weights are parts of eight, so that sums are exact.
                assert_eq!(path.map(|path| path.length), expected, "{name} of {target}");
            }
        }
        if !self.directed {
            let expected: Vec<f64> = self.list("paths_0_to_last");
            let query = query(self.nodes - 1, false);
            let found = network
                .k_shortest_paths(&query, expected.len(), &on)
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
    let sample = Some(sample(200, 4));
    let closeness = part.closeness(sample, &on).unwrap();
    let betweenness = part.betweenness(false, sample, &on).unwrap();
    for (name, scores) in [
        ("closeness", closeness.closeness),
        ("harmonic", closeness.harmonic),
        ("betweenness", betweenness),
    ] {
        let errors = scores.errors.unwrap();
        let exact = peer.list::<f64>(name).into_iter();
        let pairs = scores.values.iter().zip(exact);
        let off = pairs.map(|(found, exact)| (found - exact).powi(2));
        let said = errors.iter().map(|error| error.powi(2));
        let ratio = (off.sum::<f64>() / said.sum::<f64>()).sqrt();
        // Those of all vertices come from the same searches, and are off together.
        assert!((0.7..1.4).contains(&ratio), "{name}: {ratio}");
    }
}
