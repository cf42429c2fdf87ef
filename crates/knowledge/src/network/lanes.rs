//! Sums that threads share, and that are the same however many there are.
//!
//! Sums of floating-point numbers hang on their order. So jobs are divided into lanes, by how many jobs and vertices
//! there are and by nothing else; each lane does its jobs one after the other, and lanes are joined in their order.

use rayon::prelude::*;

/// The most lanes.
const MOST: usize = 16;
/// The most vertices in all lanes together, for each of which a lane keeps some numbers, unless there is only one lane.
const ROOM: usize = 1 << 23;

/// Does all jobs, each in the state of its lane, and joins these states. `work` tells whether the next job is wanted.
pub(super) fn lanes<S: Send>(
    jobs: usize,
    vertices: usize,
    make: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> bool + Sync,
    join: impl Fn(&mut S, S),
) -> S {
    let count = (ROOM / vertices.max(1)).clamp(1, MOST).min(jobs.max(1));
    let lane = |first: usize| {
        let mut state = make();
        for job in (first..jobs).step_by(count) {
            if !work(&mut state, job) {
                break;
            }
        }
        state
    };
    let states: Vec<S> = (0..count).into_par_iter().map(lane).collect();
    let joined = states.into_iter().reduce(|mut all, state| {
        join(&mut all, state);
        all
    });
    joined.unwrap_or_else(make)
}
