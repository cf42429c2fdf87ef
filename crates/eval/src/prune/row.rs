//! Bounds of one value on 64 boxes.

use crate::interval::span::Span;
use crate::lane::Float;

/// Number of boxes that are bounded at once: the bits of a word.
pub(crate) const BOXES: usize = 64;

/// Bounds of one value on each box. Neither is NaN, and no lower one is above its upper one.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Row<T> {
    pub(crate) low: [T; BOXES],
    pub(crate) high: [T; BOXES],
    pub(crate) marks: Marks,
}

impl<T: Float> Row<T> {
    pub(crate) const ZERO: Row<T> = Row {
        low: [T::ZERO; BOXES],
        high: [T::ZERO; BOXES],
        marks: Marks {
            fixed: 0,
            zero: 0,
            undefined: 0,
        },
    };

    #[inline(always)]
    pub(crate) fn at(&self, lane: usize) -> Span<T> {
        Span::new(self.low[lane], self.high[lane])
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, lane: usize, span: Span<T>) {
        self.low[lane] = span.low;
        self.high[lane] = span.high;
    }
}

/// The lanes of which something is true, as bits.
#[inline(always)]
pub(crate) fn lanes(is_true: impl Fn(usize) -> bool) -> u64 {
    let mut bits = 0;
    for lane in 0..BOXES {
        bits |= u64::from(is_true(lane)) << lane;
    }
    bits
}

/// Facts about a value beside its bounds, by lane.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Marks {
    /// It has the bits of the bounds at every point of the box.
    pub(crate) fixed: u64,
    /// It is 0 or -0 at every point of the box.
    pub(crate) zero: u64,
    /// It may be NaN or infinite at some point. Elsewhere the bounds are finite.
    pub(crate) undefined: u64,
}

/// The lanes that may hold what is no finite number: those that already may, and those whose bounds are infinite or
/// none, which then become all numbers.
#[inline(always)]
pub(crate) fn unsure<T: Float>(row: &mut Row<T>, undefined: u64) -> u64 {
    let mut is_wide = false;
    for lane in 0..BOXES {
        is_wide |= !(row.high[lane].sub(row.low[lane]) < T::INFINITY);
    }
    if is_wide {
        undefined | wide_lanes(row)
    } else {
        undefined
    }
}

#[inline(never)]
fn wide_lanes<T: Float>(row: &mut Row<T>) -> u64 {
    let wide = lanes(|lane| !(row.high[lane].sub(row.low[lane]) < T::INFINITY));
    for lane in 0..BOXES {
        let span = row.at(lane);
        row.set(lane, span.or_if(!(span.low <= span.high), Span::entire()));
    }
    wide
}

/// The rows of a tape, of which one is written while others are read.
#[derive(Debug)]
pub(crate) struct Rows<R>(pub(crate) Vec<R>);

impl<R: Copy> Rows<R> {
    /// At least as many rows.
    pub(crate) fn grow(&mut self, count: usize, row: R) {
        if self.0.len() < count {
            self.0.resize(count, row);
        }
    }

    /// One row to write and three to read.
    ///
    /// # Panics
    /// If there is no such row, or the one to write is also read.
    #[inline(always)]
    #[expect(
        unsafe_code,
        reason = "rows that are read may be the same, as safe functions do not let them"
    )]
    pub(crate) fn split(&mut self, out: u16, operands: [u16; 3]) -> (&mut R, &R, &R, &R) {
        let [a, b, c] = operands.map(usize::from);
        let out = usize::from(out);
        let count = self.0.len();
        assert!(out < count && a < count && b < count && c < count);
        assert!(out != a && out != b && out != c);
        let rows = self.0.as_mut_ptr();
        // SAFETY: all are within the list, and what is written is none of those that are read.
        unsafe {
            (
                &mut *rows.add(out),
                &*rows.add(a),
                &*rows.add(b),
                &*rows.add(c),
            )
        }
    }
}
