//! Supplements: functions for operations that GLSL lacks or leaves open.
//!
//! They have no branches: `mix` with a truth value selects, where `?:`, `||` and `return` around a call become control
//! flow. Drivers take time that may be exponential in the number of branches that they inline: without a graphics
//! processor a union of 20 balls took 18 s to compile, and one of 25 more than 70 s.

use fibula_nodes::{Binary, Unary};

use super::NanHandling;

/// Text of each function that supplements GLSL, with `$` for the prefix; each stands after those that it calls.
pub(super) const SUPPLEMENTS: [&str; 17] = [
    "bool $_is_nan(float a) {
    return (floatBitsToUint(a) & 0x7fffffffu) > 0x7f800000u;
}
",
    "float $_nan() {
    return uintBitsToFloat(0x7fc00000u);
}
",
    "float $_infinity() {
    return uintBitsToFloat(0x7f800000u);
}
",
    // `b` with the sign of `a`; `b` is not negative.
    "float $_with_sign(float a, float b) {
    return uintBitsToFloat((floatBitsToUint(a) & 0x80000000u) | floatBitsToUint(b));
}
",
    "float $_min(float a, float b) {
    return mix(mix(b, a, a < b), a, $_is_nan(b));
}
",
    "float $_max(float a, float b) {
    return mix(mix(b, a, a > b), a, $_is_nan(b));
}
",
    "float $_sign(float a) {
    return mix(mix(a, 1.0, a > 0.0), -1.0, a < 0.0);
}
",
    "float $_sqrt(float a) {
    return mix(sqrt(a), $_nan(), a < 0.0);
}
",
    // Ties go away from zero: what is less than a half away is added, and the rest cut off.
    "float $_round(float a) {
    return trunc(a + $_with_sign(a, 0.49999997));
}
",
    "float $_asin(float a) {
    return mix($_nan(), asin(a), abs(a) <= 1.0);
}
",
    "float $_acos(float a) {
    return mix($_nan(), acos(a), abs(a) <= 1.0);
}
",
    // Close to 0 the difference of two powers would lose its digits.
    "float $_sinh(float a) {
    float s = a * a;
    float near = a + a * s * (0.16666667 + s * (0.0083333333 + s * 0.0001984127));
    return mix(0.5 * (exp(a) - exp(-a)), near, abs(a) < 0.5);
}
",
    // Drivers divide powers of e, which is NaN where these are infinite.
    "float $_tanh(float a) {
    float s = a * a;
    float near = a - a * s * (0.33333333 - s * (0.13333333 - s * (0.053968254 - s * 0.021869489)));
    float power = exp(-2.0 * abs(a));
    return mix($_with_sign(a, (1.0 - power) / (1.0 + power)), near, abs(a) < 0.25);
}
",
    "float $_log(float a) {
    return mix(mix($_nan(), -$_infinity(), a == 0.0), log(a), a > 0.0);
}
",
    "float $_log2(float a) {
    return mix(mix($_nan(), -$_infinity(), a == 0.0), log2(a), a > 0.0);
}
",
    // GLSL has no power of what is not positive; the special cases are those of C.
    "float $_pow(float a, float b) {
    float base = abs(a);
    bool is_whole = floor(b) == b;
    bool is_odd = is_whole && floor(0.5 * b) != 0.5 * b;
    bool is_below = (floatBitsToUint(a) & 0x80000000u) != 0u;
    float power = mix(pow(base, b), 1.0, base == 1.0);
    power = mix(power, mix($_infinity(), 0.0, b > 0.0), base == 0.0);
    bool is_infinite = base == $_infinity();
    power = mix(power, mix(0.0, base, b > 0.0), is_infinite);
    power = mix(power, $_nan(), a < 0.0 && !is_whole && !is_infinite);
    power = mix(power, -power, is_below && is_odd);
    power = mix(mix(power, $_nan(), $_is_nan(a)), $_nan(), $_is_nan(b));
    return mix(power, 1.0, b == 0.0 || a == 1.0);
}
",
    // GLSL leaves the axes and infinity open.
    "float $_atan2(float y, float x) {
    float low = min(abs(x), abs(y));
    float high = max(abs(x), abs(y));
    float angle = mix(atan(low / high), mix(0.78539816, 0.0, high == 0.0), low == high);
    angle = mix(angle, 1.5707963 - angle, abs(y) > abs(x));
    angle = mix(angle, 3.1415927 - angle, (floatBitsToUint(x) & 0x80000000u) != 0u);
    angle = $_with_sign(y, angle);
    return mix(mix(angle, $_nan(), $_is_nan(x)), $_nan(), $_is_nan(y));
}
",
];

/// Names of the supplements that a text defines and calls, in order.
pub(super) fn names(text: &str) -> impl Iterator<Item = &str> {
    let rest = text.split("$_").skip(1);
    rest.map(|rest| rest.split('(').next().unwrap_or_default())
}

/// Index of the supplement with this name.
///
/// # Panics
/// If there is none.
pub(super) fn index(name: &str) -> usize {
    let defined = |text: &&str| names(text).next() == Some(name);
    let index = SUPPLEMENTS.iter().position(defined);
    index.expect("patterns and supplements name supplements")
}

/// Pattern of an operation on one scalar: `#` stands for the scalar, a name, and `$` for the prefix.
pub(super) fn unary(operation: Unary, undefined: NanHandling) -> &'static str {
    let is_kept = undefined == NanHandling::Kept;
    match operation {
        Unary::Neg => "-#",
        Unary::Abs => "abs(#)",
        Unary::Sign => "$_sign(#)",
        Unary::Sqrt if is_kept => "$_sqrt(#)",
        Unary::Sqrt => "sqrt(#)",
        Unary::Floor => "floor(#)",
        Unary::Ceil => "ceil(#)",
        Unary::Round => "$_round(#)",
        Unary::Fract => "# - floor(#)",
        Unary::Sin => "sin(#)",
        Unary::Cos => "cos(#)",
        Unary::Tan => "tan(#)",
        Unary::Asin if is_kept => "$_asin(#)",
        Unary::Asin => "asin(#)",
        Unary::Acos if is_kept => "$_acos(#)",
        Unary::Acos => "acos(#)",
        Unary::Atan => "atan(#)",
        Unary::Sinh => "$_sinh(#)",
        Unary::Cosh => "0.5 * (exp(#) + exp(-#))",
        Unary::Tanh => "$_tanh(#)",
        Unary::Exp => "exp(#)",
        Unary::Log if is_kept => "$_log(#)",
        Unary::Log => "log(#)",
        Unary::Log2 if is_kept => "$_log2(#)",
        Unary::Log2 => "log2(#)",
        Unary::Log10 if is_kept => "0.30103 * $_log2(#)",
        Unary::Log10 => "0.30103 * log2(#)",
    }
}

/// Pattern of an operation on two scalars: `#` and `%` stand for them, names, and `$` for the prefix.
pub(super) fn binary(operation: Binary, undefined: NanHandling) -> &'static str {
    let is_kept = undefined == NanHandling::Kept;
    match operation {
        Binary::Add => "# + %",
        Binary::Sub => "# - %",
        Binary::Mul => "# * %",
        Binary::Div => "# / %",
        Binary::Min if is_kept => "$_min(#, %)",
        Binary::Min => "min(#, %)",
        Binary::Max if is_kept => "$_max(#, %)",
        Binary::Max => "max(#, %)",
        Binary::Mod => "# - % * floor(# / %)",
        Binary::Fmod => "# - % * trunc(# / %)",
        Binary::Pow => "$_pow(#, %)",
        Binary::Atan2 => "$_atan2(#, %)",
    }
}
