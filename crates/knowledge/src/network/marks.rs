//! Marks on vertices, which searches lend to each other.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use super::adjacency::Step;

/// As many as this are kept for later.
const KEPT: usize = 16;

/// Of a list that is kept for later there is place for no more items.
const MOST_KEPT: usize = 1 << 16;

/// Steps that are taken one after the other without asking whether there are more.
const UNROLLED: usize = 4;

/// What is lent again and again, so that searches need not ask for memory.
pub(super) trait Reused {
    /// With none of so many vertices.
    fn new(vertices: usize) -> Self;

    /// Takes all out.
    fn clear(&mut self);
}

/// Takes all out of a list that is kept for later.
pub(super) fn emptied<T>(list: &mut Vec<T>) {
    list.clear();
    list.shrink_to(MOST_KEPT);
}

/// A set of vertices, for searches that see hundreds: a bit for each, so that all of it is near, and while these are few
/// in which words bits are set, so that it is emptied quickly.
#[derive(Debug)]
pub(super) struct Marks {
    words: Vec<u64>,
    /// All words that are not zero, or more than [`few`](Self::few).
    used: Vec<u32>,
}

/// A set of vertices, for searches that see thousands, where marking each takes the time: a byte for each, which is the
/// number of the round in which it was put in. Whoever borrows it next begins a round, so that the bytes are made zero
/// once in 255 rounds.
#[derive(Debug)]
pub(super) struct Rounds {
    bytes: Vec<u8>,
    /// The round that it is; nothing is put in in round 0.
    round: u8,
}

impl Marks {
    pub(super) fn has(&self, vertex: u32) -> bool {
        self.words[vertex as usize / 64] >> (vertex % 64) & 1 == 1
    }

    /// Whether it is new.
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

    /// Inserts where steps lead that pass, and adds those that lead to what is new to a list. Nothing is jumped over,
    /// as what is new cannot be foreseen.
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

    /// From more words on all are made zero.
    fn few(&self) -> usize {
        self.words.len() / 8
    }
}

impl Reused for Marks {
    fn new(vertices: usize) -> Marks {
        Marks {
            words: vec![0; vertices.div_ceil(64)],
            used: Vec::new(),
        }
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

impl Rounds {
    /// Whether it is new.
    pub(super) fn insert(&mut self, vertex: u32) -> bool {
        let before = std::mem::replace(&mut self.bytes[vertex as usize], self.round);
        before != self.round
    }

    /// Inserts where steps lead that pass, and adds those that lead to what is new to a list.
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

    /// Inserts where steps lead that pass, and says how much of it is new.
    pub(super) fn count(&mut self, steps: &[Step], passes: impl Fn(Step) -> bool) -> usize {
        let mut count = 0;
        self.each(steps, passes, |_, is_new| count += usize::from(is_new));
        count
    }

    /// Inserts where steps lead that pass, and tells of each step whether that is new. Nothing is jumped over, as what
    /// is new cannot be foreseen.
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

impl Reused for Rounds {
    fn new(vertices: usize) -> Rounds {
        Rounds {
            bytes: vec![0; vertices],
            round: 1,
        }
    }

    fn clear(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.bytes.fill(0);
            1
        });
    }
}

/// Empty sets of vertices of one network, or what else is lent to its searches.
#[derive(Debug)]
pub(super) struct Pool<T> {
    vertices: usize,
    kept: Mutex<Vec<T>>,
}

impl<T: Reused> Pool<T> {
    pub(super) fn new(vertices: usize) -> Pool<T> {
        Pool {
            vertices,
            kept: Mutex::default(),
        }
    }

    /// An empty set.
    pub(super) fn lend(&self) -> Lent<'_, T> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let set = kept.pop().unwrap_or_else(|| T::new(self.vertices));
        Lent { pool: self, set }
    }
}

/// A set that is given back, empty, when it is dropped.
pub(super) struct Lent<'a, T: Reused> {
    pool: &'a Pool<T>,
    set: T,
}

impl<T: Reused> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.set
    }
}

impl<T: Reused> DerefMut for Lent<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.set
    }
}

impl<T: Reused> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        self.set.clear();
        let kept = self.pool.kept.lock();
        let mut kept = kept.unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT {
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
        let pools = (Pool::<Marks>::new(1000), Pool::<Rounds>::new(1000));
        for round in 0..1000 {
            let step = |edge| Step {
                to: (round + edge) % 1000,
                edge,
            };
            let (mut marks, mut rounds) = (pools.0.lend(), pools.1.lend());
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
            // Full sets are empty, too, when they are lent again.
            let all: Vec<Step> = (0..1000).map(|to| Step { to, edge: 0 }).collect();
            let (mut marks, mut rounds) = (pools.0.lend(), pools.1.lend());
            let mut found = Vec::new();
            marks.follow(&all, |_| true, &mut found);
            assert_eq!((found.len(), rounds.count(&all, |_| true)), (1000, 1000));
        }
    }
}
