//! Sorted lists with fast insertion and removal anywhere (posting lists).
//!
//! A list consists of blocks, like a B-tree of two levels: a change moves no more than one block, and searches skip by
//! the last items of blocks. Removal is immediate, without tombstones, and space is bounded: two neighbouring blocks
//! together are at least half full.

use std::cmp::Ordering;

use smallvec::SmallVec;

/// Maximum number of items of a block.
const BLOCK_LEN: usize = 512;

/// An item of a list sorted by place of node.
pub(super) trait HasPlace {
    /// Returns the place of the node.
    fn place(&self) -> u32;
}

impl HasPlace for u32 {
    fn place(&self) -> u32 {
        *self
    }
}

/// A sorted list. Changes take a comparison of an item with the searched one.
#[derive(Debug, Clone)]
pub(super) enum SortedList<T> {
    Short(SmallVec<[T; 2]>),
    Long(Box<BlockList<T>>),
}

/// Blocks of items, none of which is empty.
#[derive(Debug, Clone)]
pub(super) struct BlockList<T> {
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for SortedList<T> {
    fn default() -> Self {
        SortedList::Short(SmallVec::new())
    }
}

/// Position of an item, or of its insertion: block, and index within.
type Position = (usize, usize);

impl<T: Copy> SortedList<T> {
    /// Creates a list of sorted items.
    pub(super) fn new(sorted: &[T]) -> SortedList<T> {
        if sorted.len() <= BLOCK_LEN {
            return SortedList::Short(sorted.into());
        }
        SortedList::Long(Box::new(BlockList {
            blocks: sorted.chunks(BLOCK_LEN).map(<[T]>::to_vec).collect(),
            len: sorted.len(),
        }))
    }

    pub(super) fn len(&self) -> usize {
        match self {
            SortedList::Short(items) => items.len(),
            SortedList::Long(long) => long.len,
        }
    }

    fn blocks(&self) -> (&[T], &[Vec<T>]) {
        match self {
            SortedList::Short(items) => (items, &[]),
            SortedList::Long(long) => (&[], &long.blocks),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let (first, rest) = self.blocks();
        first.iter().chain(rest.iter().flatten())
    }

    /// Iterates over the items from the first one that is not below.
    pub(super) fn lower_bound(&self, is_below: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> {
        let (first, rest) = self.blocks();
        let first = &first[first.partition_point(&is_below)..];
        let is_block_below = |block: &Vec<T>| block.last().is_none_or(&is_below);
        let rest = &rest[rest.partition_point(is_block_below)..];
        let inner = rest.first();
        let inner = inner.map_or(0, |block| block.partition_point(&is_below));
        first.iter().chain(rest.iter().flatten().skip(inner))
    }

    /// Finds the position of an item, or of its insertion.
    fn find(&self, compare: impl Fn(&T) -> Ordering) -> Result<Position, Position> {
        let (block, items) = match self {
            SortedList::Short(items) => (0, &items[..]),
            SortedList::Long(long) => {
                let last = long.blocks.len() - 1;
                let before = &long.blocks[..last];
                let is_below = |block: &Vec<T>| {
                    let end = block.last();
                    end.is_none_or(|end| compare(end).is_lt())
                };
                // Appending is the most frequent insertion.
                let is_last = before.last().is_none_or(&is_below);
                let block = if is_last {
                    last
                } else {
                    before.partition_point(is_below)
                };
                (block, &long.blocks[block][..])
            }
        };
        if items.last().is_none_or(|last| compare(last).is_lt()) {
            return Err((block, items.len()));
        }
        let found = items.binary_search_by(compare);
        found.map(|at| (block, at)).map_err(|at| (block, at))
    }

    /// Returns the searched item.
    pub(super) fn get_mut(&mut self, compare: impl Fn(&T) -> Ordering) -> Option<&mut T> {
        let (block, at) = self.find(compare).ok()?;
        match self {
            SortedList::Short(items) => items.get_mut(at),
            SortedList::Long(long) => long.blocks[block].get_mut(at),
        }
    }

    /// Inserts an item, unless it exists.
    pub(super) fn insert(&mut self, item: T, compare: impl Fn(&T) -> Ordering) {
        let Err((block, at)) = self.find(compare) else {
            return;
        };
        match self {
            SortedList::Short(items) if items.len() < BLOCK_LEN => items.insert(at, item),
            SortedList::Short(items) => {
                let (blocks, len) = (vec![items.to_vec()], BLOCK_LEN);
                let mut long = Box::new(BlockList { blocks, len });
                long.insert((block, at), item);
                *self = SortedList::Long(long);
            }
            SortedList::Long(long) => long.insert((block, at), item),
        }
    }

    /// Appends a list whose items all follow these.
    pub(super) fn append(&mut self, later: SortedList<T>) {
        let len = self.len() + later.len();
        if let (SortedList::Short(items), SortedList::Short(later)) = (&mut *self, &later)
            && len <= BLOCK_LEN
        {
            return items.extend_from_slice(later);
        }
        let mut blocks = std::mem::take(self).into_blocks();
        let joint = blocks.len();
        blocks.extend(later.into_blocks());
        let mut long = BlockList { blocks, len };
        if joint > 0 && long.len_at(joint - 1) + long.len_at(joint) <= BLOCK_LEN / 2 {
            long.join(joint - 1);
        }
        *self = SortedList::Long(Box::new(long));
    }

    fn into_blocks(self) -> Vec<Vec<T>> {
        match self {
            SortedList::Short(items) if items.is_empty() => Vec::new(),
            SortedList::Short(items) => vec![items.into_vec()],
            SortedList::Long(long) => long.blocks,
        }
    }

    /// Removes an item, if it exists.
    pub(super) fn remove(&mut self, compare: impl Fn(&T) -> Ordering) {
        let Ok((block, at)) = self.find(compare) else {
            return;
        };
        match self {
            SortedList::Short(items) => {
                items.remove(at);
                if items.spilled() && items.len() * 4 <= items.capacity() {
                    items.shrink_to_fit();
                }
            }
            SortedList::Long(long) => {
                long.remove((block, at));
                if long.len <= BLOCK_LEN / 4 {
                    *self = SortedList::Short(long.blocks.concat().into());
                }
            }
        }
    }
}

impl<T> BlockList<T> {
    fn insert(&mut self, (mut block, mut at): Position, item: T) {
        self.len += 1;
        if self.blocks[block].len() == BLOCK_LEN {
            // Blocks stay full if items are appended in order.
            let is_end = at == BLOCK_LEN && block + 1 == self.blocks.len();
            let half = if is_end { BLOCK_LEN } else { BLOCK_LEN / 2 };
            let upper = self.blocks[block].split_off(half);
            self.blocks.insert(block + 1, upper);
            if at > half || is_end {
                (block, at) = (block + 1, at - half);
            }
        }
        self.blocks[block].insert(at, item);
    }

    fn remove(&mut self, (block, at): Position) {
        self.len -= 1;
        self.blocks[block].remove(at);
        if self.len_at(block) == 0 {
            self.blocks.remove(block);
        } else if self.len_at(block) + self.len_at(block + 1) <= BLOCK_LEN / 2 {
            self.join(block);
        } else if block > 0 && self.len_at(block - 1) + self.len_at(block) <= BLOCK_LEN / 2 {
            self.join(block - 1);
        }
    }

    /// Number of items of a block; a missing one counts as full.
    fn len_at(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(BLOCK_LEN, Vec::len)
    }

    /// Merges a block and the next one.
    fn join(&mut self, block: usize) {
        let mut next = self.blocks.remove(block + 1);
        let items = &mut self.blocks[block];
        items.append(&mut next);
        items.shrink_to(BLOCK_LEN / 2);
    }
}

/// A bit set of places.
pub(super) struct PlaceSet(Vec<u64>);

impl PlaceSet {
    /// Creates an empty set of places below `places`.
    pub(super) fn new(places: usize) -> PlaceSet {
        PlaceSet(vec![0; places.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, place: u32) {
        self.0[place as usize / 64] |= 1 << (place % 64);
    }

    pub(super) fn has(&self, place: u32) -> bool {
        self.0[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// Intersects with another set.
    pub(super) fn retain(&mut self, other: &PlaceSet) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own &= other;
        }
    }

    /// Iterates over the places in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).step_by(64).zip(&self.0).flat_map(|(first, &bits)| {
            let rest = |&bits: &u64| Some(bits & (bits - 1)).filter(|&bits| bits != 0);
            let bits = std::iter::successors(Some(bits).filter(|&bits| bits != 0), rest);
            bits.map(move |bits| first + bits.trailing_zeros())
        })
    }
}

/// Cursor over a list, by ascending places.
#[derive(Debug)]
pub(super) struct Cursor<'a, T> {
    current: &'a [T],
    rest: &'a [Vec<T>],
}

impl<'a, T: HasPlace + Copy> Cursor<'a, T> {
    /// Starts at the beginning of a list.
    pub(super) fn new(list: &'a SortedList<T>) -> Cursor<'a, T> {
        let (current, rest) = list.blocks();
        Cursor { current, rest }
    }

    /// Starts at the beginning of a sorted slice.
    pub(super) fn from_slice(current: &'a [T]) -> Cursor<'a, T> {
        Cursor { current, rest: &[] }
    }

    /// Returns the item at a place; places of successive calls must ascend.
    pub(super) fn at(&mut self, place: u32) -> Option<&'a T> {
        let is_below = |item: &T| item.place() < place;
        if self.current.last().is_none_or(is_below) {
            let skipped = gallop(self.rest, |block| block.last().is_none_or(is_below));
            let (next, rest) = self.rest[skipped..].split_first()?;
            (self.current, self.rest) = (next, rest);
        }
        // Neighbouring items are the most frequent case.
        if self.current.first().is_some_and(is_below) {
            self.current = &self.current[1..];
            if self.current.first().is_some_and(is_below) {
                self.current = &self.current[gallop(self.current, is_below)..];
            }
        }
        self.current.first().filter(|item| item.place() == place)
    }
}

/// Number of items that are below, by galloping search.
fn gallop<T>(items: &[T], is_below: impl Fn(&T) -> bool) -> usize {
    let (mut low, mut step) = (0, 1);
    while let Some(item) = items.get(low + step - 1)
        && is_below(item)
    {
        low += step;
        step *= 2;
    }
    let high = (low + step - 1).min(items.len());
    low + items[low..high].partition_point(is_below)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn lists_are_sets_in_order(
            full in 0..4_000_u32,
            runs in prop::collection::vec((any::<bool>(), 0..4_000_u32, 1..1_500_u32, 1..7_u32), 0..12),
            asked in prop::collection::btree_set(0..16_000_u32, 0..40),
        ) {
            let (mut list, mut plain) = (SortedList::default(), BTreeSet::new());
            for item in 0..full {
                list.insert(item, |other| other.cmp(&item));
                plain.insert(item);
            }
            if let SortedList::Long(long) = &list {
                prop_assert_eq!(long.blocks.len(), (full as usize).div_ceil(BLOCK_LEN));
            }
            for (adds, first, count, step) in runs {
                for item in (first..).step_by(step as usize).take(count as usize) {
                    if adds {
                        list.insert(item, |other| other.cmp(&item));
                        plain.insert(item);
                    } else {
                        list.remove(|other| other.cmp(&item));
                        plain.remove(&item);
                    }
                }
                prop_assert!(list.iter().eq(&plain) && list.len() == plain.len());
                if let SortedList::Long(long) = &list {
                    let pairs = long.blocks.windows(2);
                    let is_full = |pair: &[Vec<u32>]| pair[0].len() + pair[1].len() > BLOCK_LEN / 2;
                    prop_assert!(pairs.clone().all(is_full) && long.blocks.iter().all(|block| block.len() <= BLOCK_LEN));
                }
            }
            let sorted: Vec<u32> = plain.iter().copied().collect();
            let whole = SortedList::new(&sorted);
            let mut cursors = [Cursor::new(&list), Cursor::new(&whole), Cursor::from_slice(&sorted)];
            let cut = sorted.partition_point(|&item| item < 2_000);
            let [mut first, later] = [&sorted[..cut], &sorted[cut..]].map(SortedList::new);
            first.append(later);
            prop_assert!(first.iter().eq(&sorted) && first.len() == sorted.len());
            first.insert(20_000, |other| other.cmp(&20_000));
            prop_assert_eq!(first.iter().last(), Some(&20_000));
            for place in asked {
                prop_assert!(list.lower_bound(|&item| item < place).eq(plain.range(place..)));
                for cursor in &mut cursors {
                    prop_assert_eq!(cursor.at(place), plain.get(&place));
                }
                let mut list = list.clone();
                prop_assert_eq!(list.get_mut(|item| item.cmp(&place)).is_some(), plain.contains(&place));
            }
        }
    }
}
