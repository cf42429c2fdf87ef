//! Numbers, ordinary and special.

use proptest::prelude::*;

/// Numbers at which something is different, in `f64` or as `f32`: those at which functions are told apart, those that
/// are infinite or none, and then large and small ones.
pub(crate) const SPECIAL: [f64; 38] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    -4.0,
    0.1,
    1.5,
    -2.5,
    3.25,
    std::f64::consts::FRAC_PI_2,
    std::f64::consts::PI,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1e5,
    12_345.678,
    16_777_216.0,
    1e9,
    1e10,
    -1e20,
    1e30,
    -1e38,
    -1e300,
    f32::MAX as f64,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    1e-30,
    1e-40,
    -1e-42,
    -1e-310,
    -5e-324,
];

/// Number of special numbers that are neither large nor small.
const MODERATE: usize = 20;

/// Special numbers, the large and small ones less often.
pub(crate) fn special() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        prop::sample::select(&SPECIAL[..MODERATE]),
        prop::sample::select(&SPECIAL[..]),
    ]
}

/// Numbers near 0 that are the same in `f32`.
pub(crate) fn ordinary() -> impl Strategy<Value = f64> + Clone {
    (-1_000_000_i32..1_000_000).prop_map(|whole| f64::from(whole) / 65_536.0)
}

pub(crate) fn numbers() -> impl Strategy<Value = f64> + Clone {
    prop_oneof![
        3 => ordinary(),
        5 => special(),
        1 => -5.0..5.0_f64,
        1 => -1000.0..1000.0_f64,
        1 => any::<u64>().prop_map(f64::from_bits),
    ]
}
