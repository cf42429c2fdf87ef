//! Sparse column: an attribute that only some of many elements have, such as the paint of single triangles. A million of
//! them take little more than their text.

use serde::{Deserialize, Serialize};

/// Values of one attribute, of the elements that have it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Namespace of the attribute's name; empty if it has no prefix.
    pub namespace: String,
    /// Name of the attribute without a prefix.
    pub name: String,
    /// Indexes of the elements that have it, ascending.
    at: Vec<u32>,
    /// All values, concatenated.
    text: String,
    /// End of each value in the text.
    ends: Vec<u32>,
}

impl Column {
    /// Returns a column without values.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Column {
            namespace: namespace.into(),
            name: name.into(),
            ..Column::default()
        }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.at.len()
    }

    /// True if there are no values.
    pub fn is_empty(&self) -> bool {
        self.at.is_empty()
    }

    /// Appends the value of an element; `false` if the index is not above the last one, or the text would exceed 4 GiB.
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

    /// Returns the indexes and values, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        let starts = std::iter::once(0).chain(self.ends.iter().map(|&end| end as usize));
        let ends = self.ends.iter().map(|&end| end as usize);
        let values = starts.zip(ends).map(|(start, end)| &self.text[start..end]);
        self.at.iter().copied().zip(values)
    }

    /// True if a decoded column is consistent and fits this number of elements.
    pub(crate) fn is_valid(&self, count: usize) -> bool {
        let rising = self.at.is_sorted_by(|one, next| one < next);
        let inside = self.at.last().is_none_or(|&last| (last as usize) < count);
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
    fn values_round_trip() {
        let mut column = Column::new("urn:x", "paint");
        for (at, value) in [(0, "4"), (3, ""), (900, "äö")] {
            assert!(column.push(at, value));
        }
        assert!(!column.push(900, "again"));
        let values: Vec<_> = column.iter().collect();
        assert_eq!(values, [(0, "4"), (3, ""), (900, "äö")]);
        assert!(column.is_valid(901));
        assert!(!column.is_valid(900));
        let mut cut = column.clone();
        cut.ends[2] = 2;
        assert!(!cut.is_valid(901));
        let mut short = column.clone();
        short.ends.pop();
        assert!(!short.is_valid(901));
        column.at.swap(0, 1);
        assert!(!column.is_valid(901));
    }
}
