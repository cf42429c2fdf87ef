//! Deterministic parallel reduction.
//!
//! Floating-point sums depend on their order. Jobs are therefore divided into a number of lanes that depends on the
//! number of jobs and vertices only; each lane runs its jobs in order, and the lanes are merged in order.

use std::ops::AddAssign;

use rayon::prelude::*;

/// Maximum number of lanes.
const MOST: usize = 16;
/// Maximum of lanes times vertices, which bounds memory, unless there is one lane.
const ROOM: usize = 1 << 23;

/// Adds the items of a list to those of another.
pub(super) fn add_all<T: Copy + AddAssign>(all: &mut [T], one: &[T]) {
    for (all, &one) in all.iter_mut().zip(one) {
        *all += one;
    }
}

/// Runs all jobs, each with the state of its lane, and merges the states. A lane ends when `work` returns false.
pub(super) fn reduce_in_order<S: Send>(
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
