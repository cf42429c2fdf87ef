//! Sets of visited vertices, pooled across searches.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use super::adjacency::Step;

/// Maximum number of pooled items.
const MAX_POOLED: usize = 16;

/// Maximum capacity that a pooled list keeps.
const MAX_KEPT_CAPACITY: usize = 1 << 16;

/// Number of entries per unrolled loop.
const UNROLLED: usize = 4;

/// Working memory that is reused, so that searches do not allocate.
pub(super) trait Reusable {
    /// Creates an empty one for `vertices` vertices.
    fn new(vertices: usize) -> Self;

    fn clear(&mut self);
}

/// Clears a list that is pooled, and bounds its capacity.
pub(super) fn clear_and_shrink<T>(list: &mut Vec<T>) {
    list.clear();
    list.shrink_to(MAX_KEPT_CAPACITY);
}

/// Bit set of vertices, for searches that visit hundreds: small enough for the cache, and with a list of the words in
/// use, so that it is cleared quickly.
#[derive(Debug)]
pub(super) struct VisitedBits {
    words: Vec<u64>,
    /// Words that are not zero, or more of them than [`few`](Self::few).
    used: Vec<u32>,
}

/// Set of vertices by epoch, for searches that visit thousands, where insertion dominates: a byte per vertex holds the
/// epoch of its insertion. Clearing increments the epoch, so that the bytes are zeroed once in 255 times.
#[derive(Debug)]
pub(super) struct VisitedEpochs {
    bytes: Vec<u8>,
    /// Current epoch; nothing is inserted in epoch 0.
    round: u8,
}

impl VisitedBits {
    pub(super) fn has(&self, vertex: u32) -> bool {
        self.words[vertex as usize / 64] >> (vertex % 64) & 1 == 1
    }

    /// Inserts a vertex; returns true if it is new.
    pub(super) fn insert(&mut self, vertex: u32) -> bool {
        let number = vertex / 64;
        let word = &mut self.words[number as usize];
        let bit = 1 << (vertex % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        if is_new && self.used.len() <= self.few() {
            self.used.push(number);
        }
        is_new
    }

    /// Inserts the ends of entries that pass, and appends the entries with new ends to a list. Branch-free, as new
    /// vertices are unpredictable.
    pub(super) fn follow(
        &mut self,
        steps: &[Step],
        passes: impl Fn(Step) -> bool,
        new: &mut Vec<Step>,
    ) {
        let first = new.len();
        new.extend_from_slice(steps);
        let (words, added) = (&mut *self.words, &mut new[first..]);
        let mut count = 0;
        for &step in steps {
            let word = &mut words[step.to as usize / 64];
            let bit = u64::from(passes(step)) << (step.to % 64);
            let is_new = bit & !*word != 0;
            *word |= bit;
            added[count] = step;
            count += usize::from(is_new);
        }
        new.truncate(first + count);
        if self.used.len() <= self.few() {
            self.used
                .extend(new[first..].iter().map(|step| step.to / 64));
        }
    }

    /// Number of words above which all are zeroed.
    fn few(&self) -> usize {
        self.words.len() / 8
    }
}

impl Reusable for VisitedBits {
    fn new(vertices: usize) -> VisitedBits {
        let (words, used) = (vec![0; vertices.div_ceil(64)], Vec::new());
        VisitedBits { words, used }
    }

    fn clear(&mut self) {
        if self.used.len() > self.few() {
            self.words.fill(0);
        }
        for word in self.used.drain(..) {
            self.words[word as usize] = 0;
        }
    }
}

impl VisitedEpochs {
    /// Inserts a vertex; returns true if it is new.
    pub(super) fn insert(&mut self, vertex: u32) -> bool {
        let before = std::mem::replace(&mut self.bytes[vertex as usize], self.round);
        before != self.round
    }

    /// Inserts the ends of entries that pass, and appends the entries with new ends to a list.
    pub(super) fn follow(
        &mut self,
        steps: &[Step],
        passes: impl Fn(Step) -> bool,
        new: &mut Vec<Step>,
    ) {
        let mut count = new.len();
        new.extend_from_slice(steps);
        self.each(steps, passes, |step, is_new| {
            new[count] = step;
            count += usize::from(is_new);
        });
        new.truncate(count);
    }

    /// Inserts the ends of entries that pass, and returns the number of new ones.
    pub(super) fn count(&mut self, steps: &[Step], passes: impl Fn(Step) -> bool) -> usize {
        let mut count = 0;
        self.each(steps, passes, |_, is_new| count += usize::from(is_new));
        count
    }

    /// Inserts the ends of entries that pass, and calls `tell` with each entry and whether its end is new. Branch-free,
    /// as new vertices are unpredictable.
    #[inline]
    fn each(
        &mut self,
        steps: &[Step],
        passes: impl Fn(Step) -> bool,
        mut tell: impl FnMut(Step, bool),
    ) {
        let (bytes, round) = (&mut *self.bytes, self.round);
        let mut one = |step: Step| {
            let byte = &mut bytes[step.to as usize];
            let (passes, is_new) = (passes(step), *byte != round);
            tell(step, passes && is_new);
            *byte = if passes { round } else { *byte };
        };
        let (chunks, rest) = steps.as_chunks::<UNROLLED>();
        chunks.iter().flatten().copied().for_each(&mut one);
        rest.iter().copied().for_each(one);
    }
}

impl Reusable for VisitedEpochs {
    fn new(vertices: usize) -> VisitedEpochs {
        let (bytes, round) = (vec![0; vertices], 1);
        VisitedEpochs { bytes, round }
    }

    fn clear(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.bytes.fill(0);
            1
        });
    }
}

/// Pool of the working memory of the searches of one network.
#[derive(Debug)]
pub(super) struct Pool<T> {
    vertices: usize,
    kept: Mutex<Vec<T>>,
}

impl<T: Reusable> Pool<T> {
    pub(super) fn new(vertices: usize) -> Pool<T> {
        let kept = Mutex::default();
        Pool { vertices, kept }
    }

    /// Takes an empty item from the pool, or creates one.
    pub(super) fn acquire(&self) -> PoolGuard<'_, T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let set = kept.pop().unwrap_or_else(|| T::new(self.vertices));
        PoolGuard { pool: self, set }
    }
}

/// Guard that clears its item and returns it to the pool when dropped.
pub(super) struct PoolGuard<'a, T: Reusable> {
    pool: &'a Pool<T>,
    set: T,
}

impl<T: Reusable> Deref for PoolGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.set
    }
}

impl<T: Reusable> DerefMut for PoolGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.set
    }
}

impl<T: Reusable> Drop for PoolGuard<'_, T> {
    fn drop(&mut self) {
        self.set.clear();
        let kept = self.pool.kept.lock();
        let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
        if kept.len() < MAX_POOLED {
            let empty = T::new(0);
            kept.push(std::mem::replace(&mut self.set, empty));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_that_are_lent_again_are_empty_however_often() {
        let pools = (
            Pool::<VisitedBits>::new(1000),
            Pool::<VisitedEpochs>::new(1000),
        );
        for round in 0..1000 {
            let to = |edge| (round + edge) % 1000;
            let step = |edge| Step { to: to(edge), edge };
            let (mut marks, mut rounds) = (pools.0.acquire(), pools.1.acquire());
            assert!((0..1000).all(|vertex| !marks.has(vertex)), "{round}");
            assert!(marks.insert(step(0).to) && !marks.insert(step(0).to));
            assert!(rounds.insert(step(0).to) && !rounds.insert(step(0).to));
            let (mut found, mut same) = (vec![step(5)], vec![step(5)]);
            let passes = |step: Step| step.edge != 2;
            marks.follow(&[0, 1, 1, 2].map(step), passes, &mut found);
            rounds.follow(&[0, 1, 1, 2].map(step), passes, &mut same);
            assert_eq!(found, [step(5), step(1)]);
            assert_eq!(found, same);
            let steps = [0, 1, 2, 2, 3, 4, 5].map(step);
            assert_eq!(rounds.count(&steps, |step| step.edge != 3), 3, "{round}");
            assert_eq!(rounds.count(&steps, |_| true), 1);
            // Full sets are empty when they are acquired again.
            let all: Vec<Step> = (0..1000).map(|to| Step { to, edge: 0 }).collect();
            let (mut marks, mut rounds) = (pools.0.acquire(), pools.1.acquire());
            let mut found = Vec::new();
            marks.follow(&all, |_| true, &mut found);
            assert_eq!((found.len(), rounds.count(&all, |_| true)), (1000, 1000));
        }
    }
}
