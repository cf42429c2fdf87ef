//! Where a function is 0 between two places of an edge: false position, with halving where that is slow.

/// The ends of an edge whose values differ by no more than this factor are comparable.
const MODERATE: f64 = 1e3;

/// An end of what is left of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Where it is, as a part of the edge's length.
    pub(super) part: f64,
    /// The value there.
    pub(super) value: f64,
}

/// What is left of an edge with one end inside, where the value is below 0, and one that is not.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bracket {
    pub(super) inside: End,
    /// Its value may be no number.
    pub(super) outside: End,
    /// Which end was moved last: whether it is the one inside.
    moved: Option<bool>,
}

impl Bracket {
    pub(super) fn new(inside: End, outside: End) -> Bracket {
        Bracket {
            inside,
            outside,
            moved: None,
        }
    }

    /// By how much the values of its ends differ, as far as they are finite; 0 if neither is, so that no value is small
    /// beside it.
    pub(super) fn difference(&self) -> f64 {
        let (inside, outside) = (self.inside.value, self.outside.value);
        let known = [outside - inside, -inside, outside];
        known
            .into_iter()
            .find(|part| part.is_finite())
            .unwrap_or(0.0)
    }

    /// What values are compared with to tell whether they are small: the difference of the ends, but no more than a
    /// moderate multiple of the smaller one. Where an end is huge, all values about the crossing are small beside it.
    pub(super) fn scale(&self) -> f64 {
        let smaller = self.outside.value.min(-self.inside.value);
        self.difference().min(MODERATE * smaller)
    }

    /// How long it is.
    pub(super) fn length(&self) -> f64 {
        (self.inside.part - self.outside.part).abs()
    }

    /// Whether a place is between the ends.
    pub(super) fn holds(&self, part: f64) -> bool {
        let (a, b) = (self.inside.part, self.outside.part);
        a.min(b) < part && part < a.max(b)
    }

    /// Where to look next: where a line between the ends is 0, or in the middle.
    pub(super) fn next(&self, middle: bool) -> f64 {
        let (a, b) = (self.inside, self.outside);
        let part = a.part + (b.part - a.part) * (a.value / (a.value - b.value));
        if !middle && self.holds(part) {
            part
        } else {
            f64::midpoint(a.part, b.part)
        }
    }

    /// Takes a place between the ends for one of them; the value of an end that stays again is halved (the Illinois
    /// variant).
    pub(super) fn narrow(&mut self, end: End) {
        let is_inside = end.value < 0.0;
        let (moving, staying) = if is_inside {
            (&mut self.inside, &mut self.outside)
        } else {
            (&mut self.outside, &mut self.inside)
        };
        *moving = end;
        if self.moved == Some(is_inside) {
            staying.value /= 2.0;
        }
        self.moved = Some(is_inside);
    }
}
