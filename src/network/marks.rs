//! Marks on vertices, which searches lend to each other.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use super::adjacency::Step;

/// As many as this are kept for later.
const KEPT: usize = 16;

/// A set of vertices: a bit for each, and while these are few in which words bits are set, so that it is emptied
/// quickly.
#[derive(Debug)]
pub(super) struct Marks {
    words: Vec<u64>,
    /// All words that are not zero, or more than [`few`](Self::few).
    used: Vec<u32>,
}

impl Marks {
    /// None of so many.
    pub(super) fn new(vertices: usize) -> Marks {
        Marks {
            words: vec![0; vertices.div_ceil(64)],
            used: Vec::new(),
        }
    }

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
        let added = &mut new[first..];
        let mut count = 0;
        for &step in steps {
            let word = &mut self.words[step.to as usize / 64];
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

    fn clear(&mut self) {
        if self.used.len() > self.few() {
            self.words.fill(0);
        }
        for word in self.used.drain(..) {
            self.words[word as usize] = 0;
        }
    }
}

/// Empty sets of vertices of one network.
#[derive(Debug)]
pub(super) struct Pool {
    vertices: usize,
    kept: Mutex<Vec<Marks>>,
}

impl Pool {
    pub(super) fn new(vertices: usize) -> Pool {
        Pool {
            vertices,
            kept: Mutex::default(),
        }
    }

    /// An empty set.
    pub(super) fn lend(&self) -> Lent<'_> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let marks = kept.pop().unwrap_or_else(|| Marks::new(self.vertices));
        Lent { pool: self, marks }
    }
}

/// A set that is given back, empty, when it is dropped.
pub(super) struct Lent<'a> {
    pool: &'a Pool,
    marks: Marks,
}

impl Deref for Lent<'_> {
    type Target = Marks;

    fn deref(&self) -> &Marks {
        &self.marks
    }
}

impl DerefMut for Lent<'_> {
    fn deref_mut(&mut self) -> &mut Marks {
        &mut self.marks
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.marks.clear();
        let mut kept = self
            .pool
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if kept.len() < KEPT {
            let empty = Marks::new(0);
            kept.push(std::mem::replace(&mut self.marks, empty));
        }
    }
}
