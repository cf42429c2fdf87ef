//! Properties of whole networks, against models.

use std::cmp::Reverse;

use proptest::prelude::*;

use super::plain::{Plain, filter, plain};
use super::random::Random;
use super::*;

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-12 * one.abs().max(other.abs()).max(1.0)
}

fn all_close(found: &[f64], expected: &[f64]) -> bool {
    let mut pairs = found.iter().zip(expected);
    found.len() == expected.len() && pairs.all(|(one, other)| close(*one, *other))
}

/// Groups of vertices, from which two are in one group.
fn groups(plain: &Plain, together: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for vertex in 0..plain.vertices() {
        match groups.iter_mut().find(|group| together(group[0], vertex)) {
            Some(group) => group.push(vertex),
            None => groups.push(vec![vertex]),
        }
    }
    groups.sort_by_key(|group| Reverse(group.len()));
    groups
}

fn listed(components: &Components) -> Vec<Vec<usize>> {
    let mut groups = vec![Vec::new(); components.sizes.len()];
    for (vertex, &group) in components.labels.iter().enumerate() {
        groups[group as usize].push(vertex);
    }
    groups
}

proptest! {
    #[test]
    fn components_are_what_can_be_reached(plain in plain(16)) {
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&Filter::default());
        let weak = plain.lengths(Direction::Both, false);
        let strong = plain.lengths(Direction::Outgoing, false);
        let found = part.weak_components(&on).unwrap();
        prop_assert_eq!(listed(&found), groups(&plain, |one, other| weak[one][other].is_finite()));
        let found = part.strong_components(&on).unwrap();
        let both = |one: usize, other: usize| strong[one][other].is_finite() && strong[other][one].is_finite();
        let circles = groups(&plain, both);
        prop_assert_eq!(listed(&found), circles.clone());
        let has_loops = plain.edges.iter().any(|edge| edge.ends[0] == edge.ends[1]);
        let is_acyclic = circles.len() == plain.vertices() && !has_loops;
        match part.order(&on).unwrap() {
            TopologicalOrder::Acyclic(order) => {
                prop_assert!(is_acyclic);
                let place = |end: usize| order.iter().position(|&vertex| vertex as usize == end).unwrap();
                prop_assert!(plain.edges.iter().all(|edge| place(edge.ends[0]) < place(edge.ends[1])));
            }
            TopologicalOrder::Cycle(cycle) => {
                prop_assert!(!is_acyclic);
                for (place, &edge) in cycle.iter().enumerate() {
                    let next = cycle[(place + 1) % cycle.len()];
                    prop_assert_eq!(network.ends(edge)[1], network.ends(next)[0]);
                }
            }
        }
        let structure = part.structure(&on).unwrap();
        prop_assert_eq!(structure.is_acyclic, is_acyclic);
        prop_assert_eq!(structure.loops, plain.edges.iter().filter(|edge| edge.ends[0] == edge.ends[1]).count());
        let earlier = |place: usize| plain.edges[..place].iter().any(|edge| edge.ends == plain.edges[place].ends);
        prop_assert_eq!(structure.repeated, (0..plain.edges.len()).filter(|&place| earlier(place)).count());
        let isolated = (0..plain.vertices()).filter(|&vertex| plain.neighbours(vertex, Direction::Both).is_empty());
        prop_assert_eq!(structure.isolated, isolated.map(|vertex| vertex as u32).collect::<Vec<_>>());
        let mut degrees: Vec<usize> = (0..plain.vertices()).map(|vertex| {
            plain.edges.iter().flat_map(|edge| edge.ends).filter(|&end| end == vertex).count()
        }).collect();
        degrees.sort_unstable();
        let [low, high] = [(degrees.len() - 1) / 2, degrees.len() / 2].map(|place| degrees[place]);
        prop_assert_eq!(structure.degrees.median, (low + high) as f64 / 2.0);
        prop_assert_eq!(structure.degrees.most, *degrees.last().unwrap());
        let counted = structure.degrees.counts.iter().map(|(degree, count)| degree * count);
        prop_assert_eq!(counted.sum::<usize>(), 2 * plain.edges.len());
    }

    #[test]
    fn bridges_and_cores_are_found_by_taking_away(plain in plain(16)) {
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&Filter::default());
        let bridges = part.bridges(&on).unwrap();
        let holds = |&edge: &usize| {
            let [one, other] = plain.edges[edge].ends;
            !plain.joined(one, other, (Some(edge), None))
        };
        let expected = (0..plain.edges.len()).filter(holds).map(|edge| edge as u32);
        prop_assert_eq!(bridges.edges, expected.collect::<Vec<_>>());
        let holds = |&vertex: &usize| {
            let others = plain.neighbours(vertex, Direction::Both);
            others.iter().any(|&other| !plain.joined(others[0], other, (None, Some(vertex))))
        };
        let expected = (0..plain.vertices()).filter(holds).map(|vertex| vertex as u32);
        prop_assert_eq!(bridges.vertices, expected.collect::<Vec<_>>());

        let mut cores = vec![0; plain.vertices()];
        for k in 1.. {
            let mut left: Vec<usize> = (0..plain.vertices()).collect();
            loop {
                let few = |&vertex: &usize| {
                    plain.neighbours(vertex, Direction::Both).iter().filter(|other| left.contains(other)).count() < k
                };
                let Some(place) = left.iter().position(few) else { break };
                left.remove(place);
            }
            if left.is_empty() {
                break;
            }
            for vertex in left {
                cores[vertex] = k as u32;
            }
        }
        prop_assert_eq!(part.cores().numbers, cores);
    }

    #[test]
    fn distances_are_those_of_floyd_and_warshall(plain in plain(20), work in prop::sample::select(&[0, u64::MAX][..])) {
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&Filter::default());
        let found = part.distances(work, &on).unwrap();
        let far = plain.lengths(Direction::Both, false);
        let largest = groups(&plain, |one, other| far[one][other].is_finite()).remove(0);
        let furthest = |&one: &usize| largest.iter().map(|&other| far[one][other] as u32).max().unwrap();
        let furthest: Vec<u32> = largest.iter().map(furthest).collect();
        let (diameter, radius) = (*furthest.iter().max().unwrap(), *furthest.iter().min().unwrap());
        prop_assert_eq!(found.vertices, largest.len());
        prop_assert!(found.diameter.least <= diameter && diameter <= found.diameter.most);
        prop_assert!(found.radius.least <= radius && radius <= found.radius.most);
        let sum: f64 = largest.iter().map(|&one| largest.iter().map(|&other| far[one][other]).sum::<f64>()).sum();
        let pairs = largest.len() * (largest.len() - 1);
        // With no work at all they are from sixteen vertices, of which there are fewer here.
        prop_assert!(close(found.mean, sum / pairs.max(1) as f64));
        if work > 0 {
            prop_assert!(found.diameter.is_exact() && found.radius.is_exact() && found.error.is_none());
        }
    }

    #[test]
    fn centralities_are_what_their_definitions_say(
        plain in plain(16),
        direction in prop::sample::select(&DIRECTIONS[..]),
    ) {
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&towards(direction));
        let far = plain.lengths(direction, false);
        let others = (plain.vertices() - 1) as f64;
        let to = |vertex: usize| far[vertex].iter().copied().filter(|far| *far > 0.0 && far.is_finite());
        let closeness = (0..plain.vertices()).map(|vertex| {
            let (count, sum) = (to(vertex).count() as f64, to(vertex).sum::<f64>());
            if count == 0.0 { 0.0 } else { count / sum * count / others }
        });
        let found = part.closeness(None, &on).unwrap();
        prop_assert!(all_close(&found.closeness.values, &closeness.collect::<Vec<_>>()));
        let harmonic = (0..plain.vertices()).map(|vertex| to(vertex).map(f64::recip).sum());
        prop_assert!(all_close(&found.harmonic.values, &harmonic.collect::<Vec<f64>>()));
        for weighted in [false, true] {
            let found = part.betweenness(weighted, None, &on).unwrap();
            prop_assert!(all_close(&found.values, &betweenness(&plain, direction, weighted)));
        }
    }

    #[test]
    fn ranks_are_at_rest(
        plain in plain(16),
        direction in prop::sample::select(&DIRECTIONS[..]),
        weighted in any::<bool>(),
    ) {
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&towards(direction));
        let surfing = PageRankOptions { weighted, ..PageRankOptions::default() };
        let ranks = part.pagerank(&surfing, &on).unwrap().values;
        let count = plain.vertices();
        let mut next = vec![0.0; count];
        let mut rest = 0.15;
        for (vertex, rank) in ranks.iter().enumerate() {
            let steps = plain.steps(vertex, direction);
            let all: f64 = steps.iter().map(|step| plain.length(step.0, weighted)).sum();
            for (edge, to) in &steps {
                next[*to] += 0.85 * rank * plain.length(*edge, weighted) / all;
            }
            if steps.is_empty() {
                rest += 0.85 * rank;
            }
        }
        let missed: f64 = next.iter().zip(&ranks).map(|(next, rank)| (next + rest / count as f64 - rank).abs()).sum();
        prop_assert!(missed <= RANK_ERROR, "{missed}");
        prop_assert!(close(ranks.iter().sum(), 1.0));
    }

    #[test]
    fn communities_hang_together_and_are_better_than_none(
        plain in plain(24),
        resolution in 0.3..3.0_f64,
        weighted in any::<bool>(),
        seed in 0..4_u64,
    ) {
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&Filter::default());
        for method in [CommunityMethod::Leiden, CommunityMethod::Louvain] {
            let grouping = CommunityOptions { method, resolution, weighted, seed };
            let found = part.communities(&grouping, &on).unwrap();
            let groups = listed(&found.groups);
            prop_assert!(close(found.modularity, modularity(&plain, &found.groups.labels, &grouping)));
            let alone: Vec<u32> = (0..plain.vertices() as u32).collect();
            prop_assert!(found.modularity >= modularity(&plain, &alone, &grouping) - 1e-12);
            if method == CommunityMethod::Leiden {
                for group in &groups {
                    let mut inner = plain.clone();
                    inner.edges.retain(|edge| edge.ends.iter().all(|end| group.contains(end)));
                    prop_assert!(group.iter().all(|&vertex| inner.joined(group[0], vertex, (None, None))));
                }
            }
            prop_assert_eq!(&part.communities(&grouping, &on).unwrap(), &found);
        }
    }

    #[test]
    fn similarity_and_clustering_count_common_neighbours(plain in plain(20)) {
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&Filter::default());
        let near = |vertex: usize| plain.neighbours(vertex, Direction::Both);
        let common = |one: usize, other: usize| {
            near(one).into_iter().filter(|third| near(other).contains(third)).collect::<Vec<_>>()
        };
        for one in 0..plain.vertices() {
            let mut expected = Vec::new();
            for other in (0..plain.vertices()).filter(|&other| other != one) {
                let common = common(one, other);
                let either = near(one).len() + near(other).len() - common.len();
                let jaccard = common.len() as f64 / either.max(1) as f64;
                let rare: f64 = common.iter().map(|&third| (near(third).len() as f64).ln().recip()).sum();
                let pair = [(plain.ids[one].as_str(), plain.ids[other].as_str())];
                prop_assert!(all_close(&part.similarities(&pair, SimilarityMeasure::Jaccard).unwrap(), &[jaccard]));
                prop_assert!(all_close(&part.similarities(&pair, SimilarityMeasure::AdamicAdar).unwrap(), &[rare]));
                if !common.is_empty() {
                    expected.push((other as u32, jaccard));
                }
            }
            expected.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0)));
            let (alike, total) = part.similar(&plain.ids[one], SimilarityMeasure::Jaccard, 3).unwrap();
            prop_assert_eq!(total, expected.len());
            expected.truncate(3);
            let alike: Vec<(u32, f64)> = alike.iter().map(|alike| (alike.vertex, alike.similarity)).collect();
            prop_assert_eq!(alike, expected);
        }
        let clustering = part.clustering(&on).unwrap();
        let (mut closed, mut open) = (0, 0);
        for vertex in 0..plain.vertices() {
            let others = near(vertex);
            let thirds = others.iter().flat_map(|&one| near(one));
            let pairs = thirds.filter(|third| others.contains(third)).count();
            let all = others.len() * others.len().saturating_sub(1);
            prop_assert!(close(clustering.coefficients[vertex], pairs as f64 / all.max(1) as f64));
            (closed, open) = (closed + pairs, open + all);
        }
        prop_assert!(close(clustering.transitivity, closed as f64 / open.max(1) as f64));
        prop_assert_eq!(clustering.triangles, closed as u64 / 6);
    }

    #[test]
    fn a_part_is_the_network_of_what_passes(plain in plain(20), filter in filter()) {
        let members = (0..plain.vertices()).filter(|&vertex| plain.passes_vertex(vertex, &filter));
        let members: Vec<usize> = members.collect();
        let inner = |edge: &usize| plain.edges[*edge].ends.iter().all(|end| members.contains(end));
        let passing = (0..plain.edges.len()).filter(|&edge| plain.passes_edge(edge, &filter));
        let edges: Vec<usize> = passing.filter(inner).collect();
        let mut smaller = plain.knowledge();
        for (edge, _) in plain.edges.iter().enumerate().filter(|(edge, _)| !edges.contains(edge)) {
            smaller.remove_edge(&format!("e{edge}")).unwrap();
        }
        let network = Network::new(&plain.knowledge());
        let part = network.subgraph(&filter);
        let numbers: Vec<usize> = part.vertices().iter().map(|&vertex| vertex as usize).collect();
        prop_assert_eq!(&numbers, &members);
        prop_assert_eq!(part.edge_count(), edges.len());
        let bridges = part.bridges(&on).unwrap().edges;
        let names: Vec<&str> = bridges.iter().map(|&edge| network.edge(edge).id()).collect();
        let other = Network::new(&smaller);
        let expected = other.subgraph(&Filter::default()).bridges(&on).unwrap().edges;
        let expected: Vec<&str> = expected.iter().map(|&edge| other.edge(edge).id()).collect();
        prop_assert_eq!(names, expected);
    }
}

#[test]
fn the_highest_scores_are_told_page_by_page() {
    let edges = (0..40).map(|number| [number, number * number % 11]);
    let network = Network::new(&graph(40, edges));
    let part = network.subgraph(&Filter::default());
    let scores = part.degree();
    let all = part.ranked(&scores, 0, usize::MAX);
    assert_eq!(all.len(), 40);
    let key = |one: &RankedVertex| (Reverse((one.score * 39.0).round() as u32), one.vertex);
    assert!(all.is_sorted_by_key(key));
    let is_own = |one: &RankedVertex| one.score == scores.values[one.vertex as usize];
    assert!(all.iter().all(is_own));
    for (offset, limit) in [(0, 3), (3, 5), (38, 9), (50, 2), (7, 0)] {
        let page = part.ranked(&scores, offset, limit);
        let expected = all.iter().skip(offset).take(limit).copied();
        assert_eq!(page, expected.collect::<Vec<_>>());
    }
}

#[test]
fn who_never_follows_an_edge_is_everywhere_alike() {
    let network = Network::new(&graph(4, [[0, 1], [1, 2], [2, 0], [2, 2], [2, 3]]));
    let options = with(|options: &mut PageRankOptions| options.damping = 0.0);
    let part = network.subgraph(&towards(Direction::Outgoing));
    let ranks = part.pagerank(&options, &on).unwrap();
    assert!(all_close(&ranks.values, &[0.25; 4]));
}

#[test]
fn what_has_two_sides_does_not_swing() {
    let network = Network::new(&graph(5, (1..5).map(|tip| [0, tip])));
    let part = network.subgraph(&Filter::default());
    let found = part.eigenvector(false, &on).unwrap();
    let half = 0.5_f64.sqrt();
    assert!(found.change < 1e-9);
    let tip = half / 2.0;
    assert!(all_close(&found.scores.values, &[half, tip, tip, tip, tip]));
}

#[test]
fn searches_that_all_say_the_same_leave_no_doubt() {
    // A star, of which only tips are chosen: from each of them all others are behind the middle.
    let network = Network::new(&graph(51, (1..51).map(|tip| [0, tip])));
    let part = network.subgraph(&Filter::default());
    let found = part.betweenness(false, Some(sample(10, 1)), &on).unwrap();
    assert!(close(found.values[0], 51.0 / 50.0));
    assert!(found.errors.unwrap()[0] < 1e-7);
}

#[test]
fn a_diameter_that_is_narrowed_is_in_between() {
    let mut random = Random::new(3);
    for _ in 0..300 {
        let mut below = || random.below(36) as usize;
        let edges: Vec<[usize; 2]> = (0..44).map(|_| [below(), below()]).collect();
        let network = Network::new(&graph(36, edges));
        let part = network.subgraph(&Filter::default());
        let exact = part.distances(u64::MAX, &on).unwrap();
        for work in [0, 100, 1000] {
            let found = part.distances(work, &on).unwrap();
            let holds = |span: DistanceBounds, exact: DistanceBounds| {
                span.least <= exact.least && exact.least <= span.most
            };
            assert!(holds(found.diameter, exact.diameter) && holds(found.radius, exact.radius));
        }
    }
}

/// Of all shortest paths between two others the part that leads through each vertex, by counting them.
fn betweenness(plain: &Plain, direction: Direction, weighted: bool) -> Vec<f64> {
    let count = plain.vertices();
    let mut sums = vec![0.0; count];
    for source in 0..count {
        for target in (0..count).filter(|&target| target != source) {
            let paths = plain.simple_paths(source, target, &towards(direction));
            let length = |trail: &Vec<usize>| plain.trail_length(trail, weighted);
            let Some(shortest) = paths.iter().map(length).min_by(f64::total_cmp) else {
                continue;
            };
            let shortest = paths.iter().filter(|trail| length(trail) <= shortest);
            let mut shortest: Vec<Vec<usize>> =
                shortest.map(|trail| passed(plain, source, trail)).collect();
            // By vertices: several edges between two are one way.
            shortest.sort_unstable();
            shortest.dedup();
            for (vertex, sum) in sums.iter_mut().enumerate() {
                if vertex != source && vertex != target {
                    let through = shortest.iter().filter(|path| path.contains(&vertex));
                    *sum += through.count() as f64 / shortest.len() as f64;
                }
            }
        }
    }
    let pairs = (count as f64 - 1.0) * (count as f64 - 2.0);
    let share = |sum| if count > 2 { sum / pairs } else { 0.0 };
    sums.into_iter().map(share).collect()
}

fn passed(plain: &Plain, source: usize, trail: &[usize]) -> Vec<usize> {
    let mut at = source;
    let mut passed = vec![at];
    for &edge in trail {
        let [one, other] = plain.edges[edge].ends;
        at = if one == at { other } else { one };
        passed.push(at);
    }
    passed
}

fn modularity(plain: &Plain, of: &[u32], grouping: &CommunityOptions) -> f64 {
    let weight = |edge: usize| plain.length(edge, grouping.weighted);
    let all: f64 = (0..plain.edges.len()).map(weight).sum();
    if all == 0.0 {
        return 0.0;
    }
    let mut sum = 0.0;
    for group in 0..plain.vertices() as u32 {
        let (mut inner, mut mass) = (0.0, 0.0);
        for (number, edge) in plain.edges.iter().enumerate() {
            let ends = edge.ends.iter().filter(|end| of[**end] == group).count();
            inner += if ends == 2 { weight(number) } else { 0.0 };
            mass += ends as f64 * weight(number);
        }
        sum += inner / all - grouping.resolution * (mass / (2.0 * all)).powi(2);
    }
    sum
}
