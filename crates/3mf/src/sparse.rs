//! Attributes that only some of many things have, such as the paint of single triangles: kept by column, so that a
//! million of them take little more than their text.

use serde::{Deserialize, Serialize};

/// The values of one attribute, of the things that have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The namespace of the attribute's name; empty if it has no prefix.
    pub namespace: String,
    /// The attribute's name without a prefix.
    pub name: String,
    /// Which things have it, from 0 on; rising.
    at: Vec<u32>,
    /// All values, one after the other.
    text: String,
    /// Where each value ends in the text.
    ends: Vec<u32>,
}

impl Column {
    /// An attribute that nothing has.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Column {
            namespace: namespace.into(),
            name: name.into(),
            ..Column::default()
        }
    }

    /// How many things have it.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// Whether nothing has it.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Whether the next value was taken: it is one of a later thing than those before, and there is room for its text.
    #[must_use]
    pub fn push(&mut self, at: u32, value: &str) -> bool {
        let Ok(end) = u32::try_from(self.text.len() + value.len()) else {
            return false;
        };
        if self.at.last().is_some_and(|&last| last >= at) {
            return false;
        }
        self.at.push(at);
        self.text.push_str(value);
        self.ends.push(end);
        true
    }

    /// Which things have it, and what it says there; rising.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|&end| end as usize));
        let ends = self.ends.iter().map(|&end| end as usize);
        let values = starts.zip(ends).map(|(start, end)| &self.text[start..end]);
        self.at.iter().copied().zip(values)
    }

    /// Whether what was read is a column of so many things.
    pub(super) fn is_sound(&self, things: usize) -> bool {
        let rising = self.at.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = self.at.last().is_none_or(|&last| (last as usize) < things);
        let mut start = 0;
        let cut = self.ends.iter().all(|&end| {
            let end = end as usize;
            let sound = start <= end && self.text.is_char_boundary(end);
            start = end;
            sound
        });
        rising && inside && cut && start == self.text.len() && self.at.len() == self.ends.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_as_they_went() {
        let mut column = Column::new("urn:x", "paint");
        for (at, value) in [(0, "4"), (3, ""), (900, "äö")] {
            assert!(column.push(at, value));
        }
        assert!(!column.push(900, "again"));
        assert_eq!(
            column.iter().collect::<Vec<_>>(),
            [(0, "4"), (3, ""), (900, "äö")]
        );
        assert!(column.is_sound(901));
        assert!(!column.is_sound(900));
        let mut cut = column.clone();
        cut.ends[2] = 2;
        assert!(!cut.is_sound(901));
        let mut short = column.clone();
        short.ends.pop();
        assert!(!short.is_sound(901));
        column.at.swap(0, 1);
        assert!(!column.is_sound(901));
    }
}
