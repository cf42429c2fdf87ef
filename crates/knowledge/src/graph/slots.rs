//! Items that come and go, each at a place of its own while it is there.

use rayon::prelude::*;

use super::pages::Pages;

/// No place.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone)]
enum Slot<T> {
    Full(T),
    /// With the next empty one, or [`NONE`].
    Empty(u32),
}

/// Items at places, of which those that are left are taken again; copies are as cheap as those of [`Pages`].
#[derive(Debug, Clone)]
pub(super) struct Slots<T> {
    all: Pages<Slot<T>>,
    empty: u32,
    count: usize,
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots {
            all: Pages::default(),
            empty: NONE,
            count: 0,
        }
    }
}

impl<T: Clone + Send + Sync> Slots<T> {
    /// All of some items, at places in their order from 0 on, unless one is a mistake.
    pub(super) fn gather<E: Send>(
        items: impl IndexedParallelIterator<Item = Result<T, E>>,
    ) -> Result<Slots<T>, E> {
        let (count, empty) = (items.len(), NONE);
        let all = Pages::gather(items.map(|item| item.map(Slot::Full)))?;
        Ok(Slots { all, empty, count })
    }
}

impl<T: Clone> Slots<T> {
    /// How many items there are.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// All places are below this one.
    pub(super) fn end(&self) -> u32 {
        self.all.len() as u32
    }

    /// Whether it shares everything with others, so that both are the same for certain.
    pub(super) fn is_shared(&self, other: &Slots<T>) -> bool {
        self.all.is_shared(&other.all)
    }

    /// The places whose items may differ from those of others, in order.
    pub(super) fn unshared<'a>(&'a self, other: &'a Slots<T>) -> impl Iterator<Item = u32> + 'a {
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

    /// Puts an item at an empty place, which is told.
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

    /// Takes an item away.
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

    /// The items with their places, in the order of these.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        (0..)
            .zip(self.all.iter())
            .filter_map(|(place, slot)| match slot {
                Slot::Full(item) => Some((place, item)),
                Slot::Empty(_) => None,
            })
    }
}
