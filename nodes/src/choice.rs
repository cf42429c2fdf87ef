//! Choosing between values, componentwise: minimum, maximum, clamp and select.

use crate::example::{s, v};
use crate::port::EACH;

node! {
    /// Minimum of `A` and `B`, component by component. The union of two signed distances.
    Min, "min" | "minimum", Choice, (A, B) -> (result), EACH,
    [(s(1.0), s(2.0)) -> (s(1.0)), (s(f64::NAN), s(2.0)) -> (s(2.0)),
     (v(1.0, 5.0, 3.0), v(2.0, 2.0, 2.0)) -> (v(1.0, 2.0, 2.0))],
    |x, k| x[0].each_at(|place, a| k.min(a, x[1].scalars()[place]))
}

node! {
    /// Maximum of `A` and `B`, component by component. The intersection of two signed distances.
    Max, "max" | "maximum", Choice, (A, B) -> (result), EACH,
    [(s(1.0), s(2.0)) -> (s(2.0)), (s(1.0), s(f64::NAN)) -> (s(1.0)),
     (v(1.0, 5.0, 3.0), v(2.0, 2.0, 2.0)) -> (v(2.0, 5.0, 3.0))],
    |x, k| x[0].each_at(|place, a| k.max(a, x[1].scalars()[place]))
}

node! {
    /// `A` clamped to the range from `min` to `max`, component by component: max(min, min(A, max)).
    Clamp, "clamp", Choice, (A, min, max) -> (result), EACH,
    [(s(5.0), s(0.0), s(1.0)) -> (s(1.0)), (v(-1.0, 0.5, 2.0), v(0.0, 0.0, 0.0), v(1.0, 1.0, 1.0)) -> (v(0.0, 0.5, 1.0))],
    |x, k| x[0].each_at(|place, a| {
        let below = k.min(a, x[2].scalars()[place]);
        k.max(x[1].scalars()[place], below)
    })
}

node! {
    /// `C` where `A` is less than `B`, else `D`, component by component. A comparison with NaN is false.
    Select, "select", Choice, (A, B, C, D) -> (result), EACH,
    [(s(1.0), s(2.0), s(10.0), s(20.0)) -> (s(10.0)), (s(f64::NAN), s(2.0), s(10.0), s(20.0)) -> (s(20.0)),
     (v(1.0, 2.0, 3.0), v(2.0, 2.0, 2.0), v(1.0, 1.0, 1.0), v(0.0, 0.0, 0.0)) -> (v(1.0, 0.0, 0.0))],
    |x, k| x[0].each_at(|place, a| {
        let other = |parameter: usize| x[parameter].scalars()[place];
        k.select(a, other(1), other(2), other(3))
    })
}
