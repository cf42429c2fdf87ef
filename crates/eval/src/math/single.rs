//! The elementary functions of `f32`.

use std::f32::consts;

use super::constants::Constants;
use super::elementary;
use crate::lane::Lane;

elementary!(f32, 131_072.0);

#[expect(
    clippy::unreadable_literal,
    reason = "nobody reads the digits of a coefficient"
)]
impl Constants for f32 {
    const MAGIC: f32 = 12_582_912.0;
    const HALF: f32 = 0.5;
    const TWO: f32 = 2.0;
    const MINUS_ONE: f32 = -1.0;
    const LEAST: f32 = f32::MIN;
    const MINUS_INFINITY: f32 = f32::NEG_INFINITY;

    const FRAC_1_PI: f32 = consts::FRAC_1_PI;
    const FRAC_2_PI: f32 = consts::FRAC_2_PI;
    const PI: [f32; 3] = [consts::PI.next_down(), 1.5099579e-7, 1.0780606e-14];
    const FRAC_PI_2: [f32; 3] = [consts::FRAC_PI_2.next_down(), 7.5497894e-8, 5.390303e-15];
    const RIGHT_ANGLE: [f32; 2] = [consts::FRAC_PI_2, -4.371139e-8];
    const RIGHT_ANGLE_RATIO: f32 = -4.371139e-8 / consts::FRAC_PI_2;
    const STRAIGHT_ANGLE: f32 = consts::PI;
    const SIN_FIRST: f32 = -0.1666666;
    const SIN: &'static [f32] = &[8.333063e-3, -1.9809186e-4, 2.6047385e-6];
    const TAN: &'static [f32] = &[
        3.3333138e-01,
        1.3339314e-01,
        5.336772e-02,
        2.4588346e-02,
        2.8624213e-03,
        9.539754e-03,
    ];
    const ASIN: &'static [f32] = &[
        1.6666752e-01,
        7.4953094e-02,
        4.5469154e-02,
        2.4184741e-02,
        4.21584e-02,
    ];
    const ATAN: &'static [f32] = &[
        -3.33333e-01,
        1.999853e-01,
        -1.4264016e-01,
        1.09508775e-01,
        -8.399278e-02,
        5.7880387e-02,
        -3.1095307e-02,
        1.0867341e-02,
        -1.7824059e-03,
    ];

    const LOG2_E: [f32; 2] = [consts::LOG2_E, 1.925963e-8];
    const LN_2: [f32; 2] = [consts::LN_2, -1.9046542e-9];
    const LN_2_SHORT: [f32; 2] = [6.9314575e-1, 1.4286068e-6];
    const LOG10_E: [f32; 2] = [consts::LOG10_E, -1.010305e-8];
    const LOG10_2: [f32; 2] = [consts::LOG10_2, -1.4320989e-8];

    const EXP_LOWEST: f32 = -105.0;
    const EXP_HIGHEST: f32 = 89.0;
    const EXP_MAGIC_UP: f32 = f32::MAGIC + 127.0 + 64.0;
    const EXP_MAGIC_DOWN: f32 = f32::MAGIC + 127.0 - 64.0;
    const EXP_UP: f32 = f32::from_bits((127 + 64) << 23);
    const EXP_DOWN: f32 = f32::EXP_UP.recip();
    const EXP: &'static [f32] = &[
        4.9999994e-1,
        1.6666517e-1,
        4.1668195e-2,
        8.369247e-3,
        1.3832232e-3,
    ];

    const SINH_HIGHEST: f32 = 89.5;
    const TANH_HIGHEST: f32 = 10.0;
    const TANH_SMALL: f32 = 0.55;
    const TANH_MAGIC: f32 = f32::MAGIC + 127.0;
    const TANH: &'static [f32] = &[
        -3.3333316e-1,
        1.3332544e-1,
        -5.3847548e-2,
        2.1050714e-2,
        -6.2428494e-3,
    ];
    const SINH_MAGIC: f32 = f32::MAGIC + 125.0;
    const SINH_PAIR: u64 = 250 << 23;
    const SINH_LARGE: f32 = f32::from_bits((127 + 40) << 23);
    const SINH: &'static [f32] = &[1.6666542e-01, 8.366735e-03];
    const COSH: &'static [f32] = &[1.0e+00, 8.333252e-02, 2.7893052e-03];

    const MIN_NORMAL: f32 = f32::MIN_POSITIVE;
    const LIFT: f32 = 8_388_608.0;
    const LOG_OFFSET: u64 = 0x3f80_0000 - 0x3f35_04f3;
    const LOG_CENTRE: u64 = 0x3f35_04f3;
    const FRACTION: u64 = (1 << 23) - 1;
    const LOG_MAGIC: u64 = 0x4b00_0000;
    const LOG_BIAS: f32 = f32::LIFT + 127.0;
    const LOG_BIAS_LIFTED: f32 = f32::LIFT + 150.0;
    const LOG: &'static [f32] = &[6.6666776e-01, 3.9977583e-01, 2.9870796e-01];
    const FRAC_1_12: [f32; 2] = [8.3333336e-2, -2.483527e-9];
    const POW: &'static [f32] = &[1.2500048e-02, 2.2302414e-03, 4.5741472e-04];
    const POW_FAR: f32 = 1024.0;

    #[inline(always)]
    fn to_exponent<L: Lane<Number = f32>>(x: L) -> L {
        x.shift_up::<23>()
    }
    #[inline(always)]
    fn from_exponent<L: Lane<Number = f32>>(x: L) -> L {
        x.shift_down::<23>()
    }
    #[inline(always)]
    fn odd_to_sign<L: Lane<Number = f32>>(x: L) -> L {
        x.shift_up::<31>()
    }
}
