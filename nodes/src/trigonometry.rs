//! Trigonometric and hyperbolic functions, componentwise; angles are radians.

use crate::example::{s, v};
use crate::port::EACH;

node! {
    /// Sine of each component of `A`, in radians.
    Sine, "sin" | "sinus", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(0.479_425_538_604_203)), (v(0.0, 0.5, -0.5)) -> (v(0.0, 0.479_425_538_604_203, -0.479_425_538_604_203))],
    |x, k| x[0].each(|a| k.sin(a))
}

node! {
    /// Cosine of each component of `A`, in radians.
    Cosine, "cos" | "cosinus", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(0.877_582_561_890_372_8))],
    |x, k| x[0].each(|a| k.cos(a))
}

node! {
    /// Tangent of each component of `A`, in radians.
    Tangent, "tan", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(0.546_302_489_843_790_5))],
    |x, k| x[0].each(|a| k.tan(a))
}

node! {
    /// Arcsine of each component of `A`, in [-pi/2, pi/2]. NaN outside of [-1, 1].
    ArcSin, "asin" | "arcsin", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(std::f64::consts::FRAC_PI_6)), (s(2.0)) -> (s(f64::NAN))],
    |x, k| x[0].each(|a| k.asin(a))
}

node! {
    /// Arccosine of each component of `A`, in [0, pi]. NaN outside of [-1, 1].
    ArcCos, "acos" | "arccos", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(1.047_197_551_196_597_6))],
    |x, k| x[0].each(|a| k.acos(a))
}

node! {
    /// Arctangent of each component of `A`, in (-pi/2, pi/2).
    ArcTan, "atan" | "arctan", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(0.463_647_609_000_806_1))],
    |x, k| x[0].each(|a| k.atan(a))
}

node! {
    /// Four-quadrant arctangent in (-pi, pi]: the angle of the point with y coordinate `A` and x coordinate `B`.
    ArcTan2, "atan2" | "arctan2", Trigonometry, (A | y, B | x) -> (result), EACH,
    [(s(1.0), s(-1.0)) -> (s(2.356_194_490_192_345)), (s(0.0), s(1.0)) -> (s(0.0))],
    |x, k| x[0].each_at(|place, a| k.atan2(a, x[1].scalars()[place]))
}

node! {
    /// Hyperbolic sine of each component of `A`.
    SinH, "sinh", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(0.521_095_305_493_747_4))],
    |x, k| x[0].each(|a| k.sinh(a))
}

node! {
    /// Hyperbolic cosine of each component of `A`.
    CosH, "cosh", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(1.127_625_965_206_380_7))],
    |x, k| x[0].each(|a| k.cosh(a))
}

node! {
    /// Hyperbolic tangent of each component of `A`.
    TanH, "tanh", Trigonometry, (A) -> (result), EACH,
    [(s(0.5)) -> (s(0.462_117_157_260_009_8))],
    |x, k| x[0].each(|a| k.tanh(a))
}
