//! Paths against all that there are.

use proptest::prelude::*;

use super::plain::{Plain, Trail, filter, plain};
use super::*;

const MANY: PathLimits = PathLimits {
    paths: 100_000,
    steps: 10_000_000,
};

/// A query for paths between two vertices by number, modulo the number of vertices.
fn query(
    plain: &Plain,
    ends: [usize; 2],
    weighted: bool,
    filter: &Filter,
) -> (PathQuery, [usize; 2]) {
    let ends = ends.map(|end| end % plain.vertices());
    let [source, target] = ends.map(|end| plain.ids[end].as_str());
    (between(source, target, weighted, filter.clone()), ends)
}

/// The edges, if the path is one.
fn trail(plain: &Plain, path: &Path, between: &PathQuery, ends: [usize; 2]) -> Trail {
    assert_eq!(path.vertices.len(), path.edges.len() + 1);
    assert_eq!(path.vertices[0] as usize, ends[0]);
    assert_eq!(path.vertices[path.edges.len()] as usize, ends[1]);
    for (pair, &edge) in path.vertices.windows(2).zip(&path.edges) {
        let steps = plain.steps(pair[0] as usize, between.filter.direction);
        assert!(steps.contains(&(edge as usize, pair[1] as usize)));
    }
    let trail: Trail = path.edges.iter().map(|&edge| edge as usize).collect();
    assert_eq!(path.length, plain.trail_length(&trail, between.weighted));
    trail
}

proptest! {
    #[test]
    fn shortest_paths_are_as_short_as_any(
        plain in plain(20),
        filter in filter(),
        ends in [0..10_usize, 0..10_usize],
        weighted in any::<bool>(),
        most in prop::option::of(0..4_u32),
    ) {
        let network = Network::new(&plain.knowledge());
        let (between, ends) = query(&plain, ends, weighted, &filter);
        let path = network.shortest_path(&between, most, &on).unwrap();
        let all = plain.simple_paths(ends[0], ends[1], &filter);
        let all = all.iter().filter(|trail| most.is_none_or(|most| trail.len() <= most as usize));
        let lengths = all.map(|trail| plain.trail_length(trail, weighted));
        let shortest = lengths.min_by(f64::total_cmp);
        prop_assert_eq!(path.as_ref().map(|path| path.length), shortest);
        if let Some(path) = path {
            let trail = trail(&plain, &path, &between, ends);
            prop_assert!(trail.iter().all(|&edge| plain.passes_edge(edge, &filter)));
        }
    }

    #[test]
    fn lengths_are_those_of_floyd_and_warshall(plain in plain(25), weighted in any::<bool>()) {
        let network = Network::new(&plain.knowledge());
        for direction in DIRECTIONS {
            let far = plain.lengths(direction, weighted);
            for (one, far) in far.iter().enumerate() {
                for (other, &far) in far.iter().enumerate() {
                    let (between, _) = query(&plain, [one, other], weighted, &towards(direction));
                    let path = network.shortest_path(&between, None, &on).unwrap();
                    if let Some(path) = &path {
                        trail(&plain, path, &between, [one, other]);
                    }
                    prop_assert_eq!(path.map_or(f64::INFINITY, |path| path.length), far);
                }
            }
        }
    }

    #[test]
    fn the_shortest_paths_are_the_first_of_all(
        plain in plain(14),
        filter in filter(),
        ends in [0..10_usize, 0..10_usize],
        weighted in any::<bool>(),
        count in 1..40_usize,
    ) {
        let network = Network::new(&plain.knowledge());
        let (between, ends) = query(&plain, ends, weighted, &filter);
        let paths = network.k_shortest_paths(&between, count, &on).unwrap();
        let mut all = plain.simple_paths(ends[0], ends[1], &filter);
        all.sort_by(|one, other| {
            let [long, longer] = [one, other].map(|trail| plain.trail_length(trail, weighted));
            long.total_cmp(&longer).then(one.len().cmp(&other.len())).then(one.cmp(other))
        });
        all.truncate(count);
        let found: Vec<Trail> = paths.iter().map(|path| trail(&plain, path, &between, ends)).collect();
        prop_assert_eq!(found, all);
    }

    #[test]
    fn all_paths_are_all_by_number_of_edges(
        plain in plain(14),
        filter in filter(),
        ends in [0..10_usize, 0..10_usize],
        most in 0..6_u32,
        limit in 0..5_usize,
    ) {
        let network = Network::new(&plain.knowledge());
        let (between, ends) = query(&plain, ends, false, &filter);
        let paths = network.all_paths(&between, most, MANY, &on).unwrap();
        prop_assert_eq!(paths.truncation, None);
        let found: Vec<Trail> = paths.paths.iter().map(|path| trail(&plain, path, &between, ends)).collect();
        prop_assert!(found.is_sorted_by_key(Vec::len));
        let mut sorted = found.clone();
        sorted.sort_unstable();
        let mut all = plain.simple_paths(ends[0], ends[1], &filter);
        all.retain(|trail| trail.len() <= most as usize);
        all.sort_unstable();
        prop_assert_eq!(sorted, all);

        let few = network.all_paths(&between, most, PathLimits { paths: limit, ..MANY }, &on).unwrap();
        prop_assert_eq!(&few.paths[..], &paths.paths[..found.len().min(limit)]);
        prop_assert_eq!(few.truncation, (found.len() > limit).then_some(Truncation::Limit));
    }

    #[test]
    fn patterns_are_followed_by_all_trails_that_match(
        plain in plain(10),
        filter in filter(),
        start in 0..10_usize,
        pattern in prop::collection::vec(hop(), 0..4),
        limit in 0..5_usize,
    ) {
        let network = Network::new(&plain.knowledge());
        let start = start % plain.vertices();
        let paths = network.traverse(&plain.ids[start], &pattern, &filter, MANY, &on).unwrap();
        prop_assert_eq!(paths.truncation, None);
        let numbers = |path: &Path| path.edges.iter().map(|&edge| edge as usize).collect();
        let found: Vec<Trail> = paths.paths.iter().map(numbers).collect();
        let mut sorted = found.clone();
        sorted.sort_unstable();
        let mut all = Vec::new();
        match_rest(&plain, &filter, start, &pattern, 0, &mut Vec::new(), &mut all);
        all.sort_unstable();
        all.dedup();
        prop_assert_eq!(sorted, all);

        let few = network.traverse(&plain.ids[start], &pattern, &filter, PathLimits { paths: limit, ..MANY }, &on).unwrap();
        prop_assert_eq!(&few.paths[..], &paths.paths[..found.len().min(limit)]);
        prop_assert_eq!(few.truncation, (found.len() > limit).then_some(Truncation::Limit));
    }
}

fn hop() -> impl Strategy<Value = Hop> {
    let relation_type = prop::option::of(prop::sample::select(&["CAUSES", "part of"][..]));
    let target_type = prop::option::of(prop::sample::select(&["Gene", "DISEASE"][..]));
    let direction = prop::sample::select(&DIRECTIONS[..]);
    (relation_type, direction, target_type, 0..3_u32, 0..3_u32).prop_map(
        |(relation_type, direction, target_type, least, more)| Hop {
            relation_type: relation_type.map(str::to_owned),
            direction,
            target_type: target_type.map(str::to_owned),
            least,
            most: (least + more).max(1),
        },
    )
}

/// Tries, hop by hop, to stop and to go on.
fn match_rest(
    plain: &Plain,
    filter: &Filter,
    at: usize,
    pattern: &[Hop],
    made: u32,
    trail: &mut Trail,
    all: &mut Vec<Trail>,
) {
    let Some((hop, rest)) = pattern.split_first() else {
        all.push(trail.clone());
        return;
    };
    if made >= hop.least {
        match_rest(plain, filter, at, rest, 0, trail, all);
    }
    if made == hop.most {
        return;
    }
    let wanted = Filter {
        edge_types: hop.relation_type.iter().cloned().collect(),
        node_types: hop.target_type.iter().cloned().collect(),
        ..Filter::default()
    };
    for (edge, to) in plain.steps(at, hop.direction) {
        // Where the trail begins may be anything, also if it comes back to it.
        let passes =
            |filter: &Filter| plain.passes_edge(edge, filter) && plain.passes_vertex(to, filter);
        if !trail.contains(&edge) && passes(&wanted) && passes(filter) {
            trail.push(edge);
            match_rest(plain, filter, to, pattern, made + 1, trail, all);
            trail.pop();
        }
    }
}

/// The edges of the shortest path by weights from the first to the last of so many nodes, with at most so many edges.
fn dearer(nodes: usize, edges: &[(usize, usize, f64)], most: Option<u32>) -> Option<Vec<u32>> {
    let network = Network::new(&weighted_graph(nodes, edges));
    let last = format!("n{}", nodes - 1);
    let query = between("n0", &last, true, towards(Direction::Outgoing));
    let path = network.shortest_path(&query, most, &on).unwrap();
    path.map(|path| path.edges)
}

#[test]
fn few_edges_have_their_price() {
    let path = [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)];
    let edges = [&path[..], &[(0, 2, 5.0), (0, 3, 9.0)]].concat();
    assert_eq!(dearer(4, &edges, None), Some(vec![0, 1, 2]));
    assert_eq!(dearer(4, &edges, Some(2)), Some(vec![3, 2]));
    assert_eq!(dearer(4, &edges, Some(1)), Some(vec![4]));
    assert_eq!(dearer(4, &edges, Some(0)), None);
    // The way of fewer edges to n3 is found after the cheap one was followed.
    let edges = [&path[..], &[(3, 5, 1.0), (0, 4, 5.0), (4, 3, 1.0)]].concat();
    assert_eq!(dearer(6, &edges, Some(4)), Some(vec![0, 1, 2, 3]));
    assert_eq!(dearer(6, &edges, Some(3)), Some(vec![4, 5, 3]));
}

#[test]
fn what_would_never_end_is_cut() {
    // A ladder of diamonds has 2^40 paths.
    let network = Network::new(&graph(121, diamonds(40)));
    let between = between("n0", "n120", false, towards(Direction::Outgoing));
    let (paths, steps) = (usize::MAX, 50_000);
    let bounds = PathLimits { paths, steps };
    let paths = network.all_paths(&between, 100, bounds, &on).unwrap();
    assert_eq!(paths.truncation, Some(Truncation::Steps));
    assert!(paths.paths.iter().all(|path| path.edges.len() == 80));
    let hop = with(|hop: &mut Hop| (hop.direction, hop.most) = (Direction::Outgoing, 60));
    let open = Filter::default();
    let paths = network.traverse("n0", &[hop], &open, bounds, &on).unwrap();
    assert_eq!(paths.truncation, Some(Truncation::Steps));
    let shortest = network.k_shortest_paths(&between, MAX_PATHS, &on).unwrap();
    assert_eq!(shortest.len(), MAX_PATHS);
    assert!(shortest.is_sorted_by(|one, other| one.edges < other.edges));
}
