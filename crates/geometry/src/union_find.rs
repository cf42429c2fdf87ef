//! Union-find (disjoint-set forest) with path halving.

/// Disjoint sets of the numbers below a count; the least number of a set represents it.
pub(super) struct UnionFind {
    parents: Vec<u32>,
    pub(super) sets: usize,
}

impl UnionFind {
    pub(super) fn new(count: usize) -> UnionFind {
        UnionFind {
            parents: (0..count as u32).collect(),
            sets: count,
        }
    }

    /// Returns the representative of a number's set.
    pub(super) fn find(&mut self, mut number: u32) -> u32 {
        let parents = &mut self.parents;
        while parents[number as usize] != number {
            parents[number as usize] = parents[parents[number as usize] as usize];
            number = parents[number as usize];
        }
        number
    }

    /// Merges the sets of two numbers.
    pub(super) fn union(&mut self, one: u32, other: u32) {
        let (one, other) = (self.find(one), self.find(other));
        if one != other {
            self.parents[one.max(other) as usize] = one.min(other);
            self.sets -= 1;
        }
    }
}
