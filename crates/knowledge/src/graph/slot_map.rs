//! Persistent slot map: items with stable places, and a free list.

use rayon::prelude::*;

use super::paged_vec::PagedVec;

/// Null place.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
enum Slot<T> {
    Full(T),
    /// Next slot of the free list, or [`NONE`].
    Empty(u32),
}

/// Items by place; free places are reused. Clones are as cheap as those of [`PagedVec`].
#[derive(Debug, Clone)]
pub(super) struct SlotMap<T> {
    all: PagedVec<Slot<T>>,
    empty: u32,
    count: usize,
}

impl<T> Default for SlotMap<T> {
    fn default() -> Self {
        let (all, empty, count) = (PagedVec::default(), NONE, 0);
        SlotMap { all, empty, count }
    }
}

impl<T: Clone + Send + Sync> SlotMap<T> {
    /// Collects items in parallel at places 0, 1, ..., or returns the first error.
    pub(super) fn from_par_iter<E: Send>(
        items: impl IndexedParallelIterator<Item = Result<T, E>>,
    ) -> Result<SlotMap<T>, E> {
        let (count, empty) = (items.len(), NONE);
        let all = PagedVec::from_par_iter(items.map(|item| item.map(Slot::Full)))?;
        Ok(SlotMap { all, empty, count })
    }
}

impl<T: Clone> SlotMap<T> {
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the end of all places.
    pub(super) fn end(&self) -> u32 {
        self.all.len() as u32
    }

    /// True if both share all pages, and thus are equal.
    pub(super) fn is_shared(&self, other: &SlotMap<T>) -> bool {
        self.all.is_shared(&other.all)
    }

    /// Returns the places whose items may differ between two copies, in order.
    pub(super) fn unshared<'a>(&'a self, other: &'a SlotMap<T>) -> impl Iterator<Item = u32> + 'a {
        self.all.unshared(&other.all).map(|place| place as u32)
    }

    pub(super) fn get(&self, place: u32) -> Option<&T> {
        match self.all.get(place as usize) {
            Some(Slot::Full(item)) => Some(item),
            Some(Slot::Empty(_)) | None => None,
        }
    }

    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        match self.all.get_mut(place as usize) {
            Some(Slot::Full(item)) => Some(item),
            Some(Slot::Empty(_)) | None => None,
        }
    }

    /// Inserts an item and returns its place.
    pub(super) fn insert(&mut self, item: T) -> u32 {
        self.count += 1;
        if self.empty == NONE {
            return self.all.push(Slot::Full(item)) as u32;
        }
        let place = self.empty;
        let slot = self.all.get_mut(place as usize);
        if let Some(slot) = slot {
            if let Slot::Empty(next) = slot {
                self.empty = *next;
            }
            *slot = Slot::Full(item);
        }
        place
    }

    pub(super) fn remove(&mut self, place: u32) -> Option<T> {
        self.get(place)?;
        let slot = self.all.get_mut(place as usize)?;
        let Slot::Full(item) = std::mem::replace(slot, Slot::Empty(self.empty)) else {
            return None;
        };
        self.empty = place;
        self.count -= 1;
        Some(item)
    }

    /// Iterates over the items with their places, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let slots = (0..).zip(self.all.iter());
        slots.filter_map(|(place, slot)| match slot {
            Slot::Full(item) => Some((place, item)),
            Slot::Empty(_) => None,
        })
    }
}
