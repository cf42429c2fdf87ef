//! Names that many nodes and edges share: types and creators, each of them once.

use std::sync::Arc;

use super::index::Index;
use super::slots::{NONE, Slots};

/// A name and how many use it.
#[derive(Debug, Clone)]
struct Name {
    text: Arc<str>,
    uses: usize,
}

/// Names by number, for as long as they are used.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    names: Slots<Name>,
    index: Index,
}

impl Names {
    fn read<'a>(names: &'a Slots<Name>) -> impl Fn(u32) -> &'a str {
        |place| names.get(place).map_or("", |name| &*name.text)
    }

    /// The text of a number that is used.
    pub(super) fn text(&self, number: u32) -> &str {
        self.names.get(number).map_or("", |name| &*name.text)
    }

    /// The number of a name that is used.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        self.index.get(text, Self::read(&self.names))
    }

    /// The number of a name, which is used once more.
    pub(super) fn take(&mut self, text: &str) -> u32 {
        self.take_often(text, 1)
    }

    /// The number of a name, which is used so many times more; [`NONE`] if that is never.
    pub(super) fn take_often(&mut self, text: &str, uses: usize) -> u32 {
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

    /// A name is used once less.
    pub(super) fn give(&mut self, number: u32) {
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

    /// All that are used, with how many use them, by name.
    pub(super) fn all(&self) -> Vec<(&str, usize)> {
        let names = self.names.iter();
        let mut all: Vec<_> = names.map(|(_, name)| (&*name.text, name.uses)).collect();
        all.sort_unstable();
        all
    }
}
