//! Persistent hash index from texts to places, by extendible hashing.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{DefaultHashBuilder, HashTable};
use rayon::prelude::*;

use super::hash_entry::HashEntry;

/// Number of entries at which a bucket is split.
const MAX_BUCKET: usize = 1024;
/// Maximum ratio of directory size to buckets: equal texts cannot be split.
const MAX_DIRECTORY_RATIO: usize = 8;

/// A bucket: the entries whose hashes share their lowest `depth` bits.
#[derive(Debug, Clone, Default)]
struct Table {
    entries: HashTable<HashEntry>,
    /// Local depth.
    depth: u32,
}

/// Index of places by text, with few duplicates. The text of a place is read through a callback, so that it is not
/// stored twice.
///
/// Buckets are split one by one (extendible hashing: Fagin, Nievergelt, Pippenger and Strong, 1979), so that no
/// insertion is slow, and copies share all buckets (copy on write).
#[derive(Debug, Clone)]
pub(super) struct HashIndex {
    /// Directory: bucket of each hash suffix.
    ends: Arc<Vec<u32>>,
    tables: Arc<Vec<Arc<Table>>>,
    hasher: DefaultHashBuilder,
}

impl Default for HashIndex {
    fn default() -> Self {
        HashIndex {
            ends: Arc::new(vec![0]),
            tables: Arc::new(vec![Arc::default()]),
            hasher: DefaultHashBuilder::default(),
        }
    }
}

impl HashIndex {
    /// Builds the index of all places below `places`, in parallel. Returns also the places with the text of an earlier
    /// one, which are not indexed, each with that one before it.
    pub(super) fn build<T: AsRef<str>>(
        places: u32,
        read: impl Fn(u32) -> T + Sync,
    ) -> (HashIndex, Vec<[u32; 2]>) {
        let mut index = HashIndex::default();
        let entries = (0..places).into_par_iter();
        let entries = entries.map(|place| index.entry(place, read(place).as_ref()));
        let entries: Vec<HashEntry> = entries.collect();
        // Half full, as after a split.
        let count = entries.len().div_ceil(MAX_BUCKET / 2).next_power_of_two();
        let mut parts = vec![Vec::new(); count];
        for entry in entries {
            parts[entry.hash as usize & (count - 1)].push(entry);
        }
        let tables = parts.into_par_iter().map(|part| {
            let mut table = Table {
                entries: HashTable::with_capacity(part.len()),
                depth: count.ilog2(),
            };
            let mut same = Vec::new();
            for entry in part {
                let is_same = |other: &HashEntry| {
                    other.hash == entry.hash
                        && read(other.number).as_ref() == read(entry.number).as_ref()
                };
                let hash = entry.table_hash();
                if let Some(first) = table.entries.find(hash, is_same) {
                    same.push([first.number, entry.number]);
                } else {
                    let entries = &mut table.entries;
                    entries.insert_unique(hash, entry, |entry| entry.table_hash());
                }
            }
            (Arc::new(table), same)
        });
        let (tables, same): (Vec<_>, Vec<_>) = tables.unzip();
        index.ends = Arc::new((0..count as u32).collect());
        index.tables = Arc::new(tables);
        (index, same.concat())
    }

    fn entry(&self, number: u32, text: &str) -> HashEntry {
        let hash = self.hasher.hash_one(text) as u32;
        HashEntry { hash, number }
    }

    /// Bucket of an entry.
    fn table(&self, entry: HashEntry) -> usize {
        self.ends[entry.hash as usize & (self.ends.len() - 1)] as usize
    }

    fn table_mut(&mut self, number: usize) -> &mut Table {
        Arc::make_mut(&mut Arc::make_mut(&mut self.tables)[number])
    }

    /// Returns the place with a text; `read` returns the text of a place.
    pub(super) fn get<T: AsRef<str>>(&self, text: &str, read: impl Fn(u32) -> T) -> Option<u32> {
        let wanted = self.entry(0, text);
        let table = &self.tables[self.table(wanted)];
        let is_it =
            |entry: &HashEntry| entry.hash == wanted.hash && read(entry.number).as_ref() == text;
        let found = table.entries.find(wanted.table_hash(), is_it);
        found.map(|entry| entry.number)
    }

    pub(super) fn insert(&mut self, place: u32, text: &str) {
        let entry = self.entry(place, text);
        loop {
            let number = self.table(entry);
            let table = &self.tables[number];
            let is_deepest = 1 << table.depth == self.ends.len();
            let is_sparse = self.ends.len() >= MAX_DIRECTORY_RATIO * self.tables.len();
            if table.entries.len() < MAX_BUCKET || is_deepest && is_sparse {
                let entries = &mut self.table_mut(number).entries;
                entries.insert_unique(entry.table_hash(), entry, |entry| entry.table_hash());
                return;
            }
            self.split(number);
        }
    }

    pub(super) fn remove(&mut self, place: u32, text: &str) {
        let entry = self.entry(place, text);
        let table = self.table_mut(self.table(entry));
        let is_it = |other: &HashEntry| other.number == place;
        if let Ok(found) = table.entries.find_entry(entry.table_hash(), is_it) {
            found.remove();
        }
    }

    /// Splits a bucket by one more bit.
    fn split(&mut self, number: usize) {
        let ends = Arc::make_mut(&mut self.ends);
        let tables = Arc::make_mut(&mut self.tables);
        let depth = tables[number].depth;
        if ends.len() == 1 << depth {
            ends.extend_from_within(..);
        }
        let mut halves = [(); 2].map(|()| Table {
            entries: HashTable::with_capacity(MAX_BUCKET / 2),
            depth: depth + 1,
        });
        for &entry in &tables[number].entries {
            let half = &mut halves[(entry.hash >> depth) as usize & 1].entries;
            half.insert_unique(entry.table_hash(), entry, |entry| entry.table_hash());
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
        let texts: Vec<String> = (0..20_000).map(|number| format!("t{number}")).collect();
        let read = |place: u32| texts[place as usize].as_str();
        let mut index = HashIndex::default();
        for place in 0..20_000 {
            index.insert(place, read(place));
        }
        assert!(index.tables.len() >= 16);
        let copy = index.clone();
        let goes = |place: u32| place.is_multiple_of(2) || place.is_multiple_of(3);
        for place in (0..20_000).filter(|&place| goes(place)) {
            index.remove(place, read(place));
        }
        for place in 0..20_000 {
            assert_eq!(copy.get(read(place), read), Some(place));
            let expected = Some(place).filter(|_| !goes(place));
            assert_eq!(index.get(read(place), read), expected);
        }
        assert_eq!(index.get("t-1", read), None);
    }

    #[test]
    fn an_index_that_is_made_at_once_is_as_one_that_grew() {
        let text = |place: u32| format!("t{}", place % 18_000);
        let texts: Vec<String> = (0..20_000).map(text).collect();
        let read = |place: u32| texts[place as usize].as_str();
        for places in [0, 1, 5_000, 20_000] {
            let (mut index, same) = HashIndex::build(places, read);
            let again = (18_000..places).map(|place| [place - 18_000, place]);
            let mut found = same.clone();
            found.sort_unstable();
            assert!(found.into_iter().eq(again));
            for place in places..18_000 {
                index.insert(place, read(place));
            }
            assert!((16..=64).contains(&index.tables.len()));
            for place in 0..18_000 {
                assert_eq!(index.get(read(place), read), Some(place));
                index.remove(place, read(place));
                assert_eq!(index.get(read(place), read), None);
            }
        }
    }

    #[test]
    fn what_has_the_same_text_takes_no_room() {
        let mut index = HashIndex::default();
        for place in 0..5_000 {
            index.insert(place, "same");
        }
        let (ends, tables) = (index.ends.len(), index.tables.len());
        assert!(ends <= 16 * tables, "{ends}");
        for place in 0..5_000 {
            index.remove(place, "same");
        }
        assert_eq!(index.get("same", |_| "same"), None);
    }
}
