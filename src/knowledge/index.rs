//! Places by what is at them: tables that hold no keys of their own.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};

/// A table of this many places is divided.
const FULL: usize = 1024;
/// Which bits of a hash choose a table: the lowest and the highest ones are those that the tables themselves use.
const SHIFT: u32 = 24;
/// There are no more ends of hashes than so many for each table: what has the same text cannot be divided.
const SPARSE: usize = 8;

/// A table of the places whose hashes end alike.
#[derive(Debug, Clone, Default)]
struct Table {
    places: HashTable<u32>,
    /// How many bits of the hash all of them share.
    depth: u32,
}

/// Places by a text that is found at each; few may have the same. What is asked is told how to read the text of a
/// place, so that it is there only once.
///
/// Tables are divided one by one (extendible hashing: Fagin, Nievergelt, Pippenger and Strong, 1979), so that no
/// addition takes long, and a copy shares all of them.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// The number of the table for each end of a hash.
    ends: Arc<Vec<u32>>,
    tables: Arc<Vec<Arc<Table>>>,
    hasher: DefaultHashBuilder,
}

impl Default for Index {
    fn default() -> Self {
        Index {
            ends: Arc::new(vec![0]),
            tables: Arc::new(vec![Arc::default()]),
            hasher: DefaultHashBuilder::default(),
        }
    }
}

impl Index {
    fn hash(&self, text: &str) -> u64 {
        self.hasher.hash_one(text)
    }

    /// Which table has a hash.
    fn table(&self, hash: u64) -> usize {
        self.ends[(hash >> SHIFT) as usize & (self.ends.len() - 1)] as usize
    }

    /// The places with a text, of those whose hashes are like its.
    pub(super) fn find<'a>(&'a self, text: &str) -> impl Iterator<Item = u32> + use<'a> {
        let hash = self.hash(text);
        let table = &self.tables[self.table(hash)];
        table.places.iter_hash(hash).copied()
    }

    /// The place with a text, where there is one at most.
    pub(super) fn get<T: AsRef<str>>(&self, text: &str, read: impl Fn(u32) -> T) -> Option<u32> {
        self.find(text).find(|&place| read(place).as_ref() == text)
    }

    /// Adds a place that is not there.
    pub(super) fn insert<T: AsRef<str>>(
        &mut self,
        place: u32,
        text: &str,
        read: impl Fn(u32) -> T,
    ) {
        let hash = self.hash(text);
        loop {
            let number = self.table(hash);
            let table = &self.tables[number];
            let is_deepest = 1 << table.depth == self.ends.len();
            let is_sparse = self.ends.len() >= SPARSE * self.tables.len();
            if table.places.len() < FULL || is_deepest && is_sparse {
                break;
            }
            self.divide(number, &read);
        }
        let number = self.table(hash);
        let Index { tables, hasher, .. } = self;
        let table = Arc::make_mut(&mut Arc::make_mut(tables)[number]);
        table
            .places
            .insert_unique(hash, place, |&place| hasher.hash_one(read(place).as_ref()));
    }

    /// Takes away a place that has a text.
    pub(super) fn remove(&mut self, place: u32, text: &str) {
        let hash = self.hash(text);
        let number = self.table(hash);
        let table = Arc::make_mut(&mut Arc::make_mut(&mut self.tables)[number]);
        if let Ok(found) = table.places.find_entry(hash, |&other| other == place) {
            found.remove();
        }
    }

    /// Divides a table by one more bit.
    fn divide<T: AsRef<str>>(&mut self, number: usize, read: impl Fn(u32) -> T) {
        let Index {
            ends,
            tables,
            hasher,
        } = self;
        let (ends, tables) = (Arc::make_mut(ends), Arc::make_mut(tables));
        let depth = tables[number].depth;
        if ends.len() == 1 << depth {
            ends.extend_from_within(..);
        }
        let mut halves = [(); 2].map(|()| Table {
            places: HashTable::with_capacity(FULL / 2),
            depth: depth + 1,
        });
        let hash = |place: &u32| hasher.hash_one(read(*place).as_ref());
        for &place in &tables[number].places {
            let own = hash(&place);
            let half = (own >> SHIFT >> depth) as usize & 1;
            halves[half].places.insert_unique(own, place, hash);
        }
        let [low, high] = halves.map(Arc::new);
        let new = tables.len() as u32;
        tables[number] = low;
        tables.push(high);
        for (end, table) in ends.iter_mut().enumerate() {
            if *table == number as u32 && end >> depth & 1 == 1 {
                *table = new;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_as_they_come_and_go_and_copies_stay_as_they_are() {
        let texts: Vec<String> = (0..20_000)
            .map(|number| format!("t{}", number / 2))
            .collect();
        let read = |place: u32| texts[place as usize].as_str();
        let found = |index: &Index, text: &str| {
            let mut found: Vec<u32> = index.find(text).filter(|&at| read(at) == text).collect();
            found.sort_unstable();
            found
        };
        let mut index = Index::default();
        for place in 0..20_000 {
            index.insert(place, read(place), read);
        }
        assert!(index.tables.len() >= 16);
        let copy = index.clone();
        for place in (0..20_000).filter(|place| place % 2 == 0 || place % 3 == 0) {
            index.remove(place, read(place));
        }
        for pair in (0..20_000).step_by(2) {
            let text = read(pair);
            assert_eq!(found(&copy, text), [pair, pair + 1]);
            let left = (pair + 1).checked_rem(3) != Some(0);
            assert_eq!(
                found(&index, text),
                if left { vec![pair + 1] } else { vec![] }
            );
        }
        assert_eq!(index.get("t-1", read), None);
        assert_eq!(index.get("t0", read), Some(1));
    }
}
