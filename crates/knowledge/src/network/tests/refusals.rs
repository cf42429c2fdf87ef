//! Refused requests and their messages.

use super::*;

fn told<T>(result: Result<T, NetworkError>) -> (String, &'static str) {
    match result {
        Ok(_) => panic!("nothing was refused"),
        Err(error) => (error.to_string(), error.code()),
    }
}

fn network() -> Network {
    let mut knowledge = graph(4, [[0, 1], [1, 2], [2, 0]]);
    knowledge.put_node(node("n3", "Lender", 3));
    knowledge.put_edge(edge(3, ["n2", "n3"], "owes", Some(-2.5)));
    knowledge.put_edge(edge(4, ["n2", "n3"], "costs", Some(0.0)));
    Network::new(&knowledge)
}

fn query(weighted: bool, filter: Filter) -> PathQuery {
    between("n0", "n3", weighted, filter)
}

#[test]
fn unknown_ids_are_told_with_what_is_near() {
    let network = network();
    let (message, code) = told(network.vertex("n01"));
    assert_eq!(code, "unknown_node");
    assert!(message.ends_with("; did you mean 'n0'?"), "{message}");
    let (message, _) = told(network.vertex("fn:7"));
    assert!(message.contains("'fn:7'"), "{message}");
    let filter = with(|filter: &mut Filter| filter.node_types = vec!["Other".to_owned()]);
    let part = network.subgraph(&filter);
    let (message, code) = told(part.similar("n0", SimilarityMeasure::Jaccard, 1));
    assert_eq!(code, "invalid_value");
    let expected = "'n0', which the filter excludes";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn weights_below_0_are_refused_unless_they_are_left_out() {
    let network = network();
    let (message, code) = told(network.shortest_path(&query(true, Filter::default()), None, &on));
    assert_eq!(code, "invalid_value");
    let expected =
        "edge 'e3' of type 'owes' has weight -2.5, but a path by weights requires weights";
    assert!(message.starts_with(expected), "{message}");
    let filter = with(|filter: &mut Filter| filter.exclude_edge_types = vec!["OWES".to_owned()]);
    let free = query(true, filter.clone());
    let path = network.shortest_path(&free, None, &on).unwrap();
    assert_eq!(path.unwrap().edges, [2, 4]);
    // Of n3 neither edge is left.
    let things = with(|things: &mut Filter| things.exclude_node_types = vec!["lender".to_owned()]);
    let part = network.subgraph(&things);
    assert!(part.betweenness(true, None, &on).is_ok());
    let round = between("n0", "n2", true, things);
    assert!(network.shortest_path(&round, None, &on).is_ok());
    let all = network.subgraph(&Filter::default());
    let ranking = with(|ranking: &mut PageRankOptions| ranking.weighted = true);
    let grouping = with(|grouping: &mut CommunityOptions| grouping.weighted = true);
    for (message, code) in [
        told(network.k_shortest_paths(&query(true, Filter::default()), 2, &on)),
        told(all.betweenness(true, None, &on)),
        told(all.pagerank(&ranking, &on)),
        told(all.eigenvector(true, &on)),
        told(all.communities(&grouping, &on)),
    ] {
        assert!(message.contains("edge 'e3'"), "{message}");
        assert_eq!(code, "invalid_value");
    }
    let (message, _) = told(network.subgraph(&filter).betweenness(true, None, &on));
    let expected = "edge 'e4' of type 'costs' has weight 0, but betweenness by weights requires weights above 0";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn numbers_that_are_none_are_refused() {
    let network = network();
    let part = network.subgraph(&Filter::default());
    let ranks = |damping: f64, starts: &[(&str, f64)]| {
        let starts = starts.iter().map(|&(id, often)| (id.to_owned(), often));
        let options = PageRankOptions {
            damping,
            weighted: false,
            starts: starts.collect(),
        };
        told(part.pagerank(&options, &on)).0
    };
    let few = Some(sample(1, 0));
    let bounds = PathLimits { paths: 1, steps: 1 };
    let hops = |least, most| {
        let hop = with(|hop: &mut Hop| (hop.least, hop.most) = (least, most));
        told(network.traverse("n0", &[hop], &Filter::default(), bounds, &on)).0
    };
    let grouping = with(|grouping: &mut CommunityOptions| grouping.resolution = 0.0);
    let open = query(false, Filter::default());
    let refused = [
        ranks(1.0, &[]),
        ranks(f64::NAN, &[]),
        ranks(0.85, &[("n0", 0.0)]),
        ranks(0.85, &[("n0", 2.0), ("n1", -1.0)]),
        told(part.closeness(few, &on)).0,
        told(part.betweenness(false, few, &on)).0,
        told(part.communities(&grouping, &on)).0,
        told(network.k_shortest_paths(&open, 0, &on)).0,
        told(network.k_shortest_paths(&open, 101, &on)).0,
        told(network.all_paths(&open, 1001, bounds, &on)).0,
        hops(2, 1),
        hops(0, 0),
        hops(1, 65),
    ];
    assert_eq!(
        refused.join("\n"),
        "the damping is 1, but must be from 0 to below 1, such as 0.85
the damping is NaN, but must be from 0 to below 1, such as 0.85
the personalization is 'n0': 0, but must be numbers of 0 or more with a sum above 0
the personalization is 'n0': 2, 'n1': -1, but must be numbers of 0 or more with a sum above 0
the number of sampled source vertices is 1, but must be at least 2, so that the error can be estimated
the number of sampled source vertices is 1, but must be at least 2, so that the error can be estimated
the resolution is 0, but must be a number above 0, such as 1
the number of paths is 0, but must be from 1 to 100
the number of paths is 101, but must be from 1 to 100
the maximum number of edges of a path is 1001, but must be at most 1000
the repetition of a step of a pattern is from 2 to 1 times, but must be from a number to one that is not smaller, and not 0
the repetition of a step of a pattern is from 0 to 0 times, but must be from a number to one that is not smaller, and not 0
the number of edges of a pattern is 65, but must be at most 64, counting all repetitions"
    );
}

#[test]
fn nothing_is_a_network_too() {
    let network = Network::new(&Knowledge::default());
    for direction in DIRECTIONS {
        let part = network.subgraph(&towards(direction));
        assert_eq!(part.structure(&on).unwrap().vertices, 0);
        let distances = part.distances(DEFAULT_WORK, &on).unwrap();
        assert_eq!(distances, Distances::default());
        assert_eq!(part.clustering(&on).unwrap().average, 0.0);
        assert_eq!(part.cores().most, 0);
        assert_eq!(part.bridges(&on).unwrap(), Bridges::default());
        let order = part.order(&on).unwrap();
        assert_eq!(order, TopologicalOrder::Acyclic(Vec::new()));
        for scores in [
            part.pagerank(&PageRankOptions::default(), &on).unwrap(),
            part.eigenvector(true, &on).unwrap().scores,
            part.betweenness(true, None, &on).unwrap(),
            part.closeness(None, &on).unwrap().harmonic,
            part.degree(),
        ] {
            assert!(scores.values.is_empty());
        }
        let communities = part.communities(&CommunityOptions::default(), &on);
        assert_eq!(communities.unwrap().modularity, 0.0);
    }
}

#[test]
fn work_that_nobody_wants_ends() {
    const NODES: usize = 60_000;
    let edges = (0..NODES)
        .flat_map(|number| [number * 7 + 1, number * 3 + 2].map(|to| [number, to % NODES]));
    let network = Network::new(&graph(NODES, edges));
    let off = |_: u64, _: u64| ControlFlow::Break(());
    let part = network.subgraph(&towards(Direction::Outgoing));
    let both = network.subgraph(&Filter::default());
    let circle = (0..NODES).map(|number| [number, (number + 1) % NODES]);
    let circle = Network::new(&graph(NODES, circle));
    let question = |weighted| between("n0", "n30000", weighted, Filter::default());
    let near = between("n0", "n19608", false, Filter::default());
    let (paths, steps) = (usize::MAX, u64::MAX);
    let bounds = PathLimits { paths, steps };
    let hop = with(|hop: &mut Hop| hop.most = 30);
    let codes = [
        told(circle.shortest_path(&question(false), None, &off)).1,
        told(circle.shortest_path(&question(true), None, &off)).1,
        told(circle.k_shortest_paths(&question(false), 2, &off)).1,
        told(circle.k_shortest_paths(&question(true), 2, &off)).1,
        told(circle.shortest_path(&question(true), Some(20_000), &off)).1,
        told(network.all_paths(&near, 50, bounds, &off)).1,
        told(network.traverse("n0", &[hop], &Filter::default(), bounds, &off)).1,
        told(part.closeness(None, &off)).1,
        told(part.betweenness(false, None, &off)).1,
        told(part.betweenness(true, None, &off)).1,
        told(part.pagerank(&PageRankOptions::default(), &off)).1,
        told(part.eigenvector(false, &off)).1,
        told(both.communities(&CommunityOptions::default(), &off)).1,
    ];
    assert_eq!(codes, ["cancelled"; 13]);
    assert!(part.weak_components(&off).is_err());
    assert!(part.strong_components(&off).is_err());
    let chain = (1..NODES).map(|number| [number - 1, number]);
    let chain = Network::new(&graph(NODES, chain));
    assert!(chain.subgraph(&Filter::default()).order(&off).is_err());
    assert!(part.structure(&off).is_err());
    assert!(part.distances(DEFAULT_WORK, &off).is_err());
    assert!(part.clustering(&off).is_err());
    assert!(part.bridges(&off).is_err());
}
