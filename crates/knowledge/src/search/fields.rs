//! The fields of a node: what is read of it, and how much a word in each says.

use std::fmt;

use super::data;
use crate::graph::NodeRef;

/// How many fields there are.
pub(super) const FIELDS: usize = 5;

/// A part of a node in which words are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    Label,
    Id,
    Types,
    Observations,
    Data,
}

impl Field {
    pub(super) const ALL: [Field; FIELDS] = [
        Field::Label,
        Field::Id,
        Field::Types,
        Field::Observations,
        Field::Data,
    ];

    /// How much more a word here says than one in an observation.
    pub(super) fn weight(self) -> f64 {
        match self {
            Field::Label => 5.0,
            Field::Id => 3.0,
            Field::Types => 2.0,
            Field::Observations => 1.0,
            Field::Data => 0.5,
        }
    }

    /// The bits of [`Counts`] that count here: the first, and how many.
    const fn bits(self) -> (u32, u32) {
        match self {
            Field::Label => (0, 5),
            Field::Id => (5, 4),
            Field::Types => (9, 5),
            Field::Observations => (14, 10),
            Field::Data => (24, 8),
        }
    }
}

/// How often a word is in each field of a node, in 32 bits: up to 31, 15, 31, 1023 and 255 times. What is more often there
/// counts as that often, which changes scores by less than a hundredth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts(u32);

impl Counts {
    pub(super) fn get(self, field: Field) -> u32 {
        let (first, count) = field.bits();
        self.0 >> first & ((1 << count) - 1)
    }

    pub(super) fn set(&mut self, field: Field, count: u32) {
        let (first, bits) = field.bits();
        let most = (1 << bits) - 1;
        self.0 = self.0 & !(most << first) | count.min(most) << first;
    }

    /// All of it in the lowest bits.
    pub(super) fn spread(self) -> u32 {
        self.0.wrapping_mul(0x9e37_79b9) >> 16
    }

    /// Whether it is nowhere.
    pub(super) fn is_nothing(self) -> bool {
        self.0 == 0
    }
}

/// Where a text of a node is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Where<'a> {
    Label,
    Id,
    Types,
    /// By its place, from 0 on.
    Observation(usize),
    /// By its path, "a.b.0".
    Data(&'a str),
}

impl fmt::Display for Where<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Where::Label => f.write_str("label"),
            Where::Id => f.write_str("id"),
            Where::Types => f.write_str("types"),
            Where::Observation(place) => write!(f, "observation {place}"),
            Where::Data(path) => write!(f, "data.{path}"),
        }
    }
}

/// Tells every text of a field, each with where it is.
pub(super) fn texts(node: &NodeRef<'_>, field: Field, each: &mut dyn FnMut(Where<'_>, &str)) {
    match field {
        Field::Label => each(Where::Label, node.label()),
        Field::Id => each(Where::Id, node.id()),
        Field::Types => node.types().for_each(|ty| each(Where::Types, ty)),
        Field::Observations => {
            for (place, observation) in node.observations().iter().enumerate() {
                each(Where::Observation(place), &observation.text);
            }
        }
        Field::Data => {
            if let Some(text) = node.data() {
                data::leaves(text, &mut |path, text| each(Where::Data(path), text));
            }
        }
    }
}

/// Whether two nodes have the same texts in a field.
pub(super) fn is_same(field: Field, one: &NodeRef<'_>, two: &NodeRef<'_>) -> bool {
    match field {
        Field::Label => one.label() == two.label(),
        Field::Id => one.id() == two.id(),
        Field::Types => one.types().eq(two.types()),
        Field::Observations => {
            let (one, two) = (one.observations(), two.observations());
            std::ptr::eq(one, two)
                || one.len() == two.len() && one.iter().zip(two).all(|(a, b)| a.text == b.text)
        }
        Field::Data => one.data() == two.data(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_end_at_what_their_bits_hold_and_do_not_touch_each_other() {
        let mut counts = Counts::default();
        for (field, most) in Field::ALL.into_iter().zip([31, 15, 31, 1023, 255]) {
            for count in [most + 1, 2_000, u32::MAX] {
                counts.set(field, count);
                assert_eq!(counts.get(field), most);
            }
        }
        assert_eq!(counts, Counts(u32::MAX));
        counts.set(Field::Types, 3);
        assert_eq!((counts.get(Field::Id), counts.get(Field::Types)), (15, 3));
        for field in Field::ALL {
            counts.set(field, 0);
        }
        assert!(counts.is_nothing());
    }
}
