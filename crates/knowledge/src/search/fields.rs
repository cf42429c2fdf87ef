//! Indexed fields of a node and their weights.

use std::fmt;

use super::data;
use crate::graph::NodeRef;

pub(super) const FIELDS: usize = 5;

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

    /// Weight of a term in this field, relative to an observation.
    pub(super) fn weight(self) -> f64 {
        match self {
            Field::Label => 5.0,
            Field::Id => 3.0,
            Field::Types => 2.0,
            Field::Observations => 1.0,
            Field::Data => 0.5,
        }
    }

    /// Bits of [`Counts`] of this field: first bit and number.
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

/// Term frequencies by field, packed in 32 bits: up to 31, 15, 31, 1023 and 255. Saturation changes scores by less than
/// a hundredth.
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

    /// Hashes the frequencies.
    pub(super) fn spread(self) -> u32 {
        self.0.wrapping_mul(0x9e37_79b9) >> 16
    }

    pub(super) fn is_zero(self) -> bool {
        self.0 == 0
    }
}

/// Location of a text in a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextLocation<'a> {
    Label,
    Id,
    Types,
    /// By index from 0.
    Observation(usize),
    /// By path: "a.b.0".
    Data(&'a str),
}

impl fmt::Display for TextLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextLocation::Label => f.write_str("label"),
            TextLocation::Id => f.write_str("id"),
            TextLocation::Types => f.write_str("types"),
            TextLocation::Observation(place) => write!(f, "observation {place}"),
            TextLocation::Data(path) => write!(f, "data.{path}"),
        }
    }
}

/// Calls `each` with every text of a field and its location.
pub(super) fn texts(
    node: &NodeRef<'_>,
    field: Field,
    each: &mut dyn FnMut(TextLocation<'_>, &str),
) {
    match field {
        Field::Label => each(TextLocation::Label, node.label()),
        Field::Id => each(TextLocation::Id, node.id()),
        Field::Types => node.types().for_each(|ty| each(TextLocation::Types, ty)),
        Field::Observations => {
            for (place, observation) in node.observations().iter().enumerate() {
                each(TextLocation::Observation(place), &observation.text);
            }
        }
        Field::Data => {
            if let Some(text) = node.data() {
                data::leaves(text, &mut |path, text| each(TextLocation::Data(path), text));
            }
        }
    }
}

/// True if two nodes have equal texts in a field.
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
        assert!(counts.is_zero());
    }
}
