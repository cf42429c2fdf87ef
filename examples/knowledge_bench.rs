//! Runs the queries of `benches/knowledge.py` on the network of a knowledge graph, and prints seconds and answers as JSON.

use std::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use fibula::knowledge::{Direction, KnowledgeData};
use fibula::network::{
    CommunityOptions, DEFAULT_WORK, Filter, NeighbourhoodQuery, Network, NetworkError,
    PageRankOptions, PathQuery, Sample, Subgraph,
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// An answer of the network.
type Found<T> = Result<T, NetworkError>;

/// Questions to a graph whose nodes are "n0", "n1" and so on; without starts, every analysis is made instead.
#[derive(Deserialize)]
struct Request {
    graph: PathBuf,
    starts: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    repeats: usize,
    seeds: Vec<u64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(path) = std::env::args_os().nth(1) else {
        println!("usage: knowledge_bench REQUEST.json, which benches/knowledge.py writes");
        return Ok(());
    };
    let request: Request = serde_json::from_slice(&std::fs::read(path)?)?;
    let data: KnowledgeData = serde_json::from_slice(&std::fs::read(&request.graph)?)?;
    let network = Network::new(&data.knowledge()?);
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let work = thread.spawn(move || times(&network, &request))?;
    println!("{}", work.join().expect("nothing panics")?);
    Ok(())
}

/// Nobody ends the work.
fn on(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The whole network, with edges followed so.
fn part(network: &Network, direction: Direction) -> Subgraph<'_> {
    network.subgraph(&Filter {
        direction,
        ..Filter::default()
    })
}

/// The question how many nodes are near; so many of them are listed.
fn around(start: u32, depth: u32, limit: usize) -> NeighbourhoodQuery {
    NeighbourhoodQuery {
        starts: vec![format!("n{start}")],
        depth,
        filter: Filter::default(),
        cut: false,
        edges: 0,
        offset: 0,
        limit,
    }
}

/// The question for a shortest path.
fn between([source, target]: [u32; 2]) -> PathQuery {
    PathQuery {
        source: format!("n{source}"),
        target: format!("n{target}"),
        weighted: false,
        filter: Filter::default(),
    }
}

/// Number of edges of a shortest path; `None` if there is none.
fn path(network: &Network, between: &PathQuery) -> Found<Option<usize>> {
    let path = network.shortest_path(between, None, &on)?;
    Ok(path.map(|path| path.edges.len()))
}

/// The median time of a query in seconds, after one run to warm up, and its answer.
fn timed<T>(repeats: usize, ask: impl Fn() -> Found<T>) -> Found<(f64, T)> {
    let answer = ask()?;
    let mut seconds = vec![0.0; repeats];
    for seconds in &mut seconds {
        let begun = Instant::now();
        ask()?;
        *seconds = begun.elapsed().as_secs_f64();
    }
    seconds.sort_by(f64::total_cmp);
    Ok((seconds[repeats / 2], answer))
}

/// Asks everything; the seconds and the answers of each question.
fn times(network: &Network, asked: &Request) -> Found<Json> {
    if asked.starts.is_empty() {
        return analyses(network);
    }
    let n = asked.repeats;
    let near = |depth, limit| {
        let starts = asked.starts.iter();
        let walks = starts.map(|&start| around(start, depth, limit));
        let times = walks.map(|walk| timed(n, || Ok(network.neighbours(&walk)?.total)));
        times.collect::<Found<Vec<_>>>()
    };
    let paths = asked.pairs.iter().map(|&pair| between(pair));
    let paths = paths.map(|between| timed(n, || path(network, &between)));
    let [whole, directed] = [Direction::Both, Direction::Outgoing].map(|way| part(network, way));
    let modularity = |seed| {
        let grouping = CommunityOptions {
            seed,
            ..CommunityOptions::default()
        };
        Ok(whole.communities(&grouping, &on)?.modularity)
    };
    let seeds = asked.seeds.iter();
    let groupings = seeds.map(|&seed| timed(1, || modularity(seed)));
    let ranks = || Ok(directed.pagerank(&PageRankOptions::default(), &on)?.values);
    Ok(json!({
        "two_hops": near(2, 0)?,
        "two_hops_listed": near(2, usize::MAX)?,
        "three_hops": near(3, 0)?,
        "three_hops_listed": near(3, usize::MAX)?,
        "path": paths.collect::<Found<Vec<_>>>()?,
        "pagerank": [timed(n, ranks)?],
        "leiden": groupings.collect::<Found<Vec<_>>>()?,
    }))
}

/// Makes every analysis, along edges and whatever their direction; as all is, on the usual stack of threads.
fn analyses(network: &Network) -> Found<Json> {
    let few = Some(Sample { pivots: 2, seed: 0 });
    for direction in [Direction::Outgoing, Direction::Both] {
        let part = part(network, direction);
        drop((part.degree(), part.cores()));
        part.structure(&on)?;
        part.strong_components(&on)?;
        part.order(&on)?;
        part.bridges(&on)?;
        part.clustering(&on)?;
        part.distances(DEFAULT_WORK, &on)?;
        part.closeness(few, &on)?;
        part.betweenness(false, few, &on)?;
        part.pagerank(&PageRankOptions::default(), &on)?;
        part.eigenvector(false, &on)?;
        part.communities(&CommunityOptions::default(), &on)?;
    }
    let last = network.vertex_count() as u32 - 1;
    Ok(json!([
        network.neighbours(&around(0, last, 0))?.total,
        path(network, &between([0, last]))?
    ]))
}
