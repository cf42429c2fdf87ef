//! String interner with reference counts, for types and creators.

use std::sync::Arc;

use super::hash_index::HashIndex;
use super::slot_map::{NONE, SlotMap};

/// A name and its number of uses.
#[derive(Debug, Clone)]
struct Name {
    text: Arc<str>,
    uses: usize,
}

/// Interned names by number, as long as they are used.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    names: SlotMap<Name>,
    index: HashIndex,
}

impl Interner {
    fn read<'a>(names: &'a SlotMap<Name>) -> impl Fn(u32) -> &'a str {
        |place| names.get(place).map_or("", |name| &*name.text)
    }

    pub(super) fn text(&self, number: u32) -> &str {
        Self::read(&self.names)(number)
    }

    /// Returns the number of a name.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.index.get(text, Self::read(&self.names))
    }

    /// Interns a name, with one more use.
    pub(super) fn intern(&mut self, text: &str) -> u32 {
        self.intern_many(text, 1)
    }

    /// Interns a name, with `uses` more uses; [`NONE`] for 0.
    pub(super) fn intern_many(&mut self, text: &str, uses: usize) -> u32 {
        if uses == 0 {
            return NONE;
        }
        if let Some(number) = self.find(text) {
            if let Some(name) = self.names.get_mut(number) {
                name.uses += uses;
            }
            return number;
        }
        let number = self.names.insert(Name {
            text: text.into(),
            uses,
        });
        self.index.insert(number, text);
        number
    }

    /// Releases one use of a name.
    pub(super) fn release(&mut self, number: u32) {
        let Some(name) = self.names.get_mut(number) else {
            return;
        };
        name.uses -= 1;
        if name.uses == 0 {
            let text = name.text.clone();
            self.index.remove(number, &text);
            self.names.remove(number);
        }
    }

    /// Returns all names with their numbers of uses, sorted.
    pub(super) fn all(&self) -> Vec<(&str, usize)> {
        let names = self.names.iter();
        let mut all: Vec<_> = names.map(|(_, name)| (&*name.text, name.uses)).collect();
        all.sort_unstable();
        all
    }
}
