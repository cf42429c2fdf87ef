//! Regula falsi (false position) with bisection, in the Illinois variant: the root of a function on an edge.

/// Values at the ends that differ by no more than this factor are comparable.
const MODERATE: f64 = 1e3;

/// An end of a bracket.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    /// Position, as a fraction of the edge.
    pub(super) part: f64,
    pub(super) value: f64,
}

/// An interval with one end inside, where the value is below 0, and one outside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bracket {
    pub(super) inside: End,
    /// Its value may be NaN.
    pub(super) outside: End,
    /// True if the end inside moved last.
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

    /// Difference of the values at the ends, as far as they are finite; 0 if neither is, so that no value is small
    /// compared to it.
    pub(super) fn difference(&self) -> f64 {
        let (inside, outside) = (self.inside.value, self.outside.value);
        let known = [outside - inside, -inside, outside];
        known
            .into_iter()
            .find(|part| part.is_finite())
            .unwrap_or(0.0)
    }

    /// Scale for small values: the difference of the ends, limited to a moderate multiple of the smaller one. Where an
    /// end is huge, all values about the crossing are small compared to the difference.
    pub(super) fn scale(&self) -> f64 {
        let smaller = self.outside.value.min(-self.inside.value);
        self.difference().min(MODERATE * smaller)
    }

    pub(super) fn length(&self) -> f64 {
        (self.inside.part - self.outside.part).abs()
    }

    /// True if a position is between the ends.
    pub(super) fn holds(&self, part: f64) -> bool {
        let (a, b) = (self.inside.part, self.outside.part);
        a.min(b) < part && part < a.max(b)
    }

    /// Returns the next position: the root of the secant, or the middle.
    pub(super) fn next(&self, middle: bool) -> f64 {
        let (a, b) = (self.inside, self.outside);
        let part = a.part + (b.part - a.part) * (a.value / (a.value - b.value));
        if !middle && self.holds(part) {
            part
        } else {
            f64::midpoint(a.part, b.part)
        }
    }

    /// Replaces an end; halves the value of one that stays again (Illinois variant).
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
