//! Sorted lists that change anywhere in little time.
//!
//! A list is kept in blocks, as in a B-tree of two levels: an item comes or goes by moving no more than one block, and
//! the first items of blocks are what searches skip by. Nothing is marked as gone and swept later, so that what a list
//! says is always so, and its room is bounded: any two neighbouring blocks have at least half a block of items.

use std::cmp::Ordering;

use smallvec::SmallVec;

/// The most items of a block.
const BLOCK: usize = 512;

/// What is sorted by the place of a node.
pub(super) trait Placed {
    /// The place.
    fn place(&self) -> u32;
}

impl Placed for u32 {
    fn place(&self) -> u32 {
        *self
    }
}

/// Items in order. Who changes it says how they compare with the one that is meant.
#[derive(Debug, Clone)]
pub(super) enum List<T> {
    Short(SmallVec<[T; 2]>),
    Long(Box<Long<T>>),
}

/// Blocks of items; none is empty.
#[derive(Debug, Clone)]
pub(super) struct Long<T> {
    blocks: Vec<Vec<T>>,
    len: usize,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        List::Short(SmallVec::new())
    }
}

/// Where an item is, or would be: the block, and the place there.
type Spot = (usize, usize);

impl<T: Copy> List<T> {
    /// A list of items that are in order.
    pub(super) fn new(sorted: &[T]) -> List<T> {
        if sorted.len() <= BLOCK {
            return List::Short(sorted.into());
        }
        List::Long(Box::new(Long {
            blocks: sorted.chunks(BLOCK).map(<[T]>::to_vec).collect(),
            len: sorted.len(),
        }))
    }

    /// How many items there are.
    pub(super) fn len(&self) -> usize {
        match self {
            List::Short(items) => items.len(),
            List::Long(long) => long.len,
        }
    }

    fn blocks(&self) -> (&[T], &[Vec<T>]) {
        match self {
            List::Short(items) => (items, &[]),
            List::Long(long) => (&[], &long.blocks),
        }
    }

    /// All items, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let (first, rest) = self.blocks();
        first.iter().chain(rest.iter().flatten())
    }

    /// The items from the first one on that is not below.
    pub(super) fn from(&self, is_below: impl Fn(&T) -> bool) -> impl Iterator<Item = &T> {
        let (first, rest) = self.blocks();
        let first = &first[first.partition_point(&is_below)..];
        let is_block_below = |block: &Vec<T>| block.last().is_none_or(&is_below);
        let rest = &rest[rest.partition_point(is_block_below)..];
        let inner = rest.first();
        let inner = inner.map_or(0, |block| block.partition_point(&is_below));
        first.iter().chain(rest.iter().flatten().skip(inner))
    }

    /// Where the item is, or where it would be.
    fn find(&self, compare: impl Fn(&T) -> Ordering) -> Result<Spot, Spot> {
        let (block, items) = match self {
            List::Short(items) => (0, &items[..]),
            List::Long(long) => {
                let last = long.blocks.len() - 1;
                let before = &long.blocks[..last];
                let is_below = |block: &Vec<T>| {
                    let end = block.last();
                    end.is_none_or(|end| compare(end) == Ordering::Less)
                };
                // What is added is most often the last.
                let is_last = before.last().is_none_or(&is_below);
                let block = if is_last {
                    last
                } else {
                    before.partition_point(is_below)
                };
                (block, &long.blocks[block][..])
            }
        };
        if items
            .last()
            .is_none_or(|last| compare(last) == Ordering::Less)
        {
            return Err((block, items.len()));
        }
        let found = items.binary_search_by(compare);
        found.map(|at| (block, at)).map_err(|at| (block, at))
    }

    /// The item that is meant, if it is there.
    pub(super) fn get_mut(&mut self, compare: impl Fn(&T) -> Ordering) -> Option<&mut T> {
        let (block, at) = self.find(compare).ok()?;
        match self {
            List::Short(items) => items.get_mut(at),
            List::Long(long) => long.blocks[block].get_mut(at),
        }
    }

    /// Adds an item, unless it is there.
    pub(super) fn insert(&mut self, item: T, compare: impl Fn(&T) -> Ordering) {
        let Err((block, at)) = self.find(compare) else {
            return;
        };
        match self {
            List::Short(items) if items.len() < BLOCK => items.insert(at, item),
            List::Short(items) => {
                let blocks = vec![items.to_vec()];
                let mut long = Box::new(Long { blocks, len: BLOCK });
                long.insert((block, at), item);
                *self = List::Long(long);
            }
            List::Long(long) => long.insert((block, at), item),
        }
    }

    /// Adds a list of items that all come after these.
    pub(super) fn append(&mut self, later: List<T>) {
        let len = self.len() + later.len();
        match (&mut *self, &later) {
            (List::Short(items), List::Short(later)) if len <= BLOCK => {
                items.extend_from_slice(later);
            }
            (List::Short(_) | List::Long(_), List::Short(_) | List::Long(_)) => {
                let mut blocks = std::mem::take(self).into_blocks();
                let joint = blocks.len();
                blocks.extend(later.into_blocks());
                let mut long = Long { blocks, len };
                if joint > 0 && long.len_at(joint - 1) + long.len_at(joint) <= BLOCK / 2 {
                    long.join(joint - 1);
                }
                *self = List::Long(Box::new(long));
            }
        }
    }

    fn into_blocks(self) -> Vec<Vec<T>> {
        match self {
            List::Short(items) if items.is_empty() => Vec::new(),
            List::Short(items) => vec![items.into_vec()],
            List::Long(long) => long.blocks,
        }
    }

    /// Takes an item away, if it is there.
    pub(super) fn remove(&mut self, compare: impl Fn(&T) -> Ordering) {
        let Ok((block, at)) = self.find(compare) else {
            return;
        };
        match self {
            List::Short(items) => {
                items.remove(at);
                if items.spilled() && items.len() * 4 <= items.capacity() {
                    items.shrink_to_fit();
                }
            }
            List::Long(long) => {
                long.remove((block, at));
                if long.len <= BLOCK / 4 {
                    *self = List::Short(long.blocks.concat().into());
                }
            }
        }
    }
}

impl<T> Long<T> {
    fn insert(&mut self, (mut block, mut at): Spot, item: T) {
        self.len += 1;
        if self.blocks[block].len() == BLOCK {
            // Blocks stay full where items come in order.
            let is_end = at == BLOCK && block + 1 == self.blocks.len();
            let half = if is_end { BLOCK } else { BLOCK / 2 };
            let upper = self.blocks[block].split_off(half);
            self.blocks.insert(block + 1, upper);
            if at > half || is_end {
                (block, at) = (block + 1, at - half);
            }
        }
        self.blocks[block].insert(at, item);
    }

    fn remove(&mut self, (block, at): Spot) {
        self.len -= 1;
        self.blocks[block].remove(at);
        if self.len_at(block) == 0 {
            self.blocks.remove(block);
        } else if self.len_at(block) + self.len_at(block + 1) <= BLOCK / 2 {
            self.join(block);
        } else if block > 0 && self.len_at(block - 1) + self.len_at(block) <= BLOCK / 2 {
            self.join(block - 1);
        }
    }

    /// How many items a block has; one that is not there is as good as full.
    fn len_at(&self, block: usize) -> usize {
        self.blocks.get(block).map_or(BLOCK, Vec::len)
    }

    /// Makes one of a block and the next.
    fn join(&mut self, block: usize) {
        let mut next = self.blocks.remove(block + 1);
        let items = &mut self.blocks[block];
        items.append(&mut next);
        items.shrink_to(BLOCK / 2);
    }
}

/// A set of places, a bit for each.
pub(super) struct PlaceSet(Vec<u64>);

impl PlaceSet {
    /// For places below this.
    pub(super) fn new(places: usize) -> PlaceSet {
        PlaceSet(vec![0; places.div_ceil(64)])
    }

    pub(super) fn insert(&mut self, place: u32) {
        self.0[place as usize / 64] |= 1 << (place % 64);
    }

    pub(super) fn has(&self, place: u32) -> bool {
        self.0[place as usize / 64] >> (place % 64) & 1 == 1
    }

    /// Takes away what another set lacks.
    pub(super) fn retain(&mut self, other: &PlaceSet) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own &= other;
        }
    }

    /// All of them, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> {
        (0..).step_by(64).zip(&self.0).flat_map(|(first, &bits)| {
            let rest = |&bits: &u64| Some(bits & (bits - 1)).filter(|&bits| bits != 0);
            let bits = std::iter::successors(Some(bits).filter(|&bits| bits != 0), rest);
            bits.map(move |bits| first + bits.trailing_zeros())
        })
    }
}

/// Reads a list by places that grow.
#[derive(Debug)]
pub(super) struct Cursor<'a, T> {
    current: &'a [T],
    rest: &'a [Vec<T>],
}

impl<'a, T: Placed + Copy> Cursor<'a, T> {
    /// At the begin of a list.
    pub(super) fn new(list: &'a List<T>) -> Cursor<'a, T> {
        let (current, rest) = list.blocks();
        Cursor { current, rest }
    }

    /// At the begin of a slice in order.
    pub(super) fn of(current: &'a [T]) -> Cursor<'a, T> {
        Cursor { current, rest: &[] }
    }

    /// The item at a place that is not before those that were asked for.
    pub(super) fn at(&mut self, place: u32) -> Option<&'a T> {
        let is_below = |item: &T| item.place() < place;
        if self.current.last().is_none_or(is_below) {
            let skipped = gallop(self.rest, |block| block.last().is_none_or(is_below));
            let (next, rest) = self.rest[skipped..].split_first()?;
            (self.current, self.rest) = (next, rest);
        }
        // Next to each other is what is asked for most often.
        if self.current.first().is_some_and(is_below) {
            self.current = &self.current[1..];
            if self.current.first().is_some_and(is_below) {
                self.current = &self.current[gallop(self.current, is_below)..];
            }
        }
        self.current.first().filter(|item| item.place() == place)
    }
}

/// How many items of a slice are below, found in steps that double.
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
            let (mut list, mut plain) = (List::default(), BTreeSet::new());
            for item in 0..full {
                list.insert(item, |other| other.cmp(&item));
                plain.insert(item);
            }
            if let List::Long(long) = &list {
                prop_assert_eq!(long.blocks.len(), (full as usize).div_ceil(BLOCK));
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
                if let List::Long(long) = &list {
                    let pairs = long.blocks.windows(2);
                    let is_full = |pair: &[Vec<u32>]| pair[0].len() + pair[1].len() > BLOCK / 2;
                    prop_assert!(pairs.clone().all(is_full) && long.blocks.iter().all(|block| block.len() <= BLOCK));
                }
            }
            let sorted: Vec<u32> = plain.iter().copied().collect();
            let whole = List::new(&sorted);
            let mut cursors = [Cursor::new(&list), Cursor::new(&whole), Cursor::of(&sorted)];
            let cut = sorted.partition_point(|&item| item < 2_000);
            let [mut first, later] = [&sorted[..cut], &sorted[cut..]].map(List::new);
            first.append(later);
            prop_assert!(first.iter().eq(&sorted) && first.len() == sorted.len());
            first.insert(20_000, |other| other.cmp(&20_000));
            prop_assert_eq!(first.iter().last(), Some(&20_000));
            for place in asked {
                prop_assert!(list.from(|&item| item < place).eq(plain.range(place..)));
                for cursor in &mut cursors {
                    prop_assert_eq!(cursor.at(place), plain.get(&place));
                }
                let mut list = list.clone();
                prop_assert_eq!(list.get_mut(|item| item.cmp(&place)).is_some(), plain.contains(&place));
            }
        }
    }
}
