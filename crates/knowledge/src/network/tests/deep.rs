//! Deep graphs on a small stack, counts that overflow `f64`, and ranks that converge slowly.

use super::random::Random;
use super::*;

/// Stack of each thread that runs an analysis, and of the pool's workers: enough for the deepest call chain that does not
/// depend on the graph.
const STACK: usize = 128 << 10;

/// Vertices of the chains and cycles. A call takes 16 bytes of stack at least (its return address, and the alignment that
/// the conventions of x86-64 and `AArch64` demand), so a function that recursed once per vertex would need more than twice
/// [`STACK`].
const LONG: usize = 20_000;

const _: () = assert!(LONG * 16 > 2 * STACK);

/// Runs `work`, and the parallel parts of it, on threads with small stacks.
fn on_small_stack(work: impl FnOnce() + Send) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(2)
        .stack_size(STACK);
    pool.build().unwrap().install(work);
}

/// Runs every analysis on a chain, with its edges followed in a direction.
fn analyse_chain(direction: Direction) {
    let vertices = LONG;
    let knowledge = graph(vertices, (1..vertices).map(|number| [number - 1, number]));
    on_small_stack(move || {
        let network = Network::new(&knowledge);
        let few = Some(sample(2, 0));
        let part = network.subgraph(&towards(direction));
        let structure = part.structure(&on).unwrap();
        assert_eq!(structure.weak.sizes.len(), 1);
        assert_eq!(structure.strong.sizes.len(), vertices);
        let order = part.order(&on).unwrap();
        assert!(matches!(order, TopologicalOrder::Acyclic(order) if order.is_sorted()));
        let bridges = part.bridges(&on).unwrap();
        let counts = (bridges.edges.len(), bridges.vertices.len());
        assert_eq!(counts, (vertices - 1, vertices - 2));
        assert_eq!(part.cores().most, 1);
        assert_eq!(part.clustering(&on).unwrap().triangles, 0);
        let ranks = part.pagerank(&PageRankOptions::default(), &on).unwrap();
        assert!((ranks.values.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        part.closeness(few, &on).unwrap();
        part.betweenness(false, few, &on).unwrap();
        part.betweenness(true, few, &on).unwrap();
        for method in [CommunityMethod::Leiden, CommunityMethod::Louvain] {
            let options = with(|options: &mut CommunityOptions| options.method = method);
            assert!(part.communities(&options, &on).unwrap().modularity > 0.95);
        }
        for weighted in [false, true] {
            let last = format!("n{}", vertices - 1);
            let query = between("n0", &last, weighted, towards(direction));
            let path = network.shortest_path(&query, None, &on).unwrap().unwrap();
            assert_eq!(path.edges.len(), vertices - 1);
            assert_eq!(network.k_shortest_paths(&query, 3, &on).unwrap(), [path]);
        }
    });
}

#[test]
fn a_long_chain_needs_no_deep_stack() {
    analyse_chain(Direction::Outgoing);
}

#[test]
fn a_long_chain_needs_no_deep_stack_in_both_directions() {
    analyse_chain(Direction::Both);
}

#[test]
fn distances_of_a_long_chain_need_no_deep_stack() {
    let knowledge = graph(LONG, (1..LONG).map(|number| [number - 1, number]));
    on_small_stack(move || {
        let network = Network::new(&knowledge);
        let part = network.subgraph(&Filter::default());
        let found = part.distances(10 * LONG as u64, &on).unwrap();
        let long = LONG as u32;
        assert_eq!(found.diameter, DistanceBounds::exact(long - 1));
        assert_eq!(found.radius, DistanceBounds::exact(long / 2));
    });
}

#[test]
fn a_long_cycle_is_one_strong_component() {
    let knowledge = graph(LONG, (0..LONG).map(|number| [number, (number + 1) % LONG]));
    on_small_stack(move || {
        let network = Network::new(&knowledge);
        let part = network.subgraph(&towards(Direction::Outgoing));
        assert_eq!(part.strong_components(&on).unwrap().sizes, [LONG]);
        let order = part.order(&on).unwrap();
        assert!(matches!(order, TopologicalOrder::Cycle(edges) if edges.len() == LONG));
        assert!(part.bridges(&on).unwrap().edges.is_empty());
        let ranks = part.pagerank(&PageRankOptions::default(), &on).unwrap();
        let is_even = |rank: &f64| (rank * LONG as f64 - 1.0).abs() < 1e-6;
        assert!(ranks.values.iter().all(is_even));
    });
}

#[test]
fn more_paths_than_an_f64_can_count_are_counted() {
    // 1100 diamonds, one behind the other: there are 2^1100 shortest paths.
    const DIAMONDS: usize = 1100;
    let edges = diamonds(DIAMONDS);
    let vertices = 3 * DIAMONDS + 1;
    let network = Network::new(&graph(vertices, edges));
    let part = network.subgraph(&towards(Direction::Outgoing));
    let pairs = (vertices as f64 - 1.0) * (vertices as f64 - 2.0);
    for weighted in [false, true] {
        let found = part.betweenness(weighted, None, &on).unwrap().values;
        for diamond in [1, 500, 1098] {
            // All that come before lead to all that come behind; at the sides half of that.
            let (before, behind) = (3 * diamond, 3 * (DIAMONDS - diamond));
            let middle = (before * behind) as f64 / pairs;
            assert!((found[3 * diamond] - middle).abs() < 1e-12, "{diamond}");
            let side = 0.5 * ((before + 1) * (behind - 2)) as f64 / pairs;
            assert!((found[3 * diamond + 1] - side).abs() < 1e-12, "{diamond}");
        }
    }
}

#[test]
fn ranks_converge_though_steps_hardly_change_them() {
    const DAMPING: f64 = 0.9999;
    let mut random = Random::new(7);
    for number in 0..12 {
        // A circle with some ways across.
        let nodes = [3, 8, 20][number % 3];
        let circle = (0..nodes).map(|node| [node, (node + 1) % nodes]);
        let across =
            (0..nodes / 2).map(|_| [0; 2].map(|_: usize| random.below(nodes as u32) as usize));
        let edges: Vec<[usize; 2]> = circle.chain(across).collect();
        let network = Network::new(&graph(nodes, edges.iter().copied()));
        let options = with(|options: &mut PageRankOptions| options.damping = DAMPING);
        // The steps alone need less than nine tenths of the rounds that there may be.
        let watch = |done: u64, total: u64| {
            if done < total / 10 * 9 {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        };
        let part = network.subgraph(&towards(Direction::Outgoing));
        let ranks = part.pagerank(&options, &watch).unwrap().values;
        let mut next = vec![(1.0 - DAMPING) / nodes as f64; nodes];
        for [source, target] in &edges {
            let ways = edges.iter().filter(|[from, _]| from == source).count();
            next[*target] += DAMPING * ranks[*source] / ways as f64;
        }
        let missed: f64 = next.iter().zip(&ranks).map(|(a, b)| (a - b).abs()).sum();
        assert!(missed <= RANK_ERROR, "{number}: {missed}");
    }
}
