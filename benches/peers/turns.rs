//! Times that can be compared on a busy machine: those of runs that take turns.

use std::time::Duration;

/// The medians of the times of several, each run in turn, so many times; `now` is the clock.
pub(crate) fn medians(
    turns: usize,
    now: fn() -> Duration,
    runs: &mut [Box<dyn FnMut() + '_>],
) -> Vec<Duration> {
    let mut times = vec![Vec::with_capacity(turns); runs.len()];
    for _ in 0..turns {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            let begun = now();
            run();
            times.push(now().saturating_sub(begun));
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[turns / 2]
    };
    times.into_iter().map(median).collect()
}

/// A pool of some threads.
pub(crate) fn pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads can be started")
}
