//! The functions under test, as data: what each is, how far it may be from the truth, and how it is called.

use std::fmt::LowerExp;

use fibula_eval::Float;
use fibula_nodes::kernel::{Binary, Unary};

use crate::reference::{self, Exact, Format};

/// A number type that is measured.
pub(crate) trait Type: Float + LowerExp {
    const FORMAT: Format;
    /// Index of the type's bound.
    const INDEX: usize;
    /// The number with these bits; of an `f32` the low 32 count.
    fn from_low_bits(bits: u64) -> Self;
}

impl Type for f32 {
    const FORMAT: Format = Format {
        fraction: 23,
        least: -149,
        most: 128,
    };
    const INDEX: usize = 0;
    fn from_low_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
}

impl Type for f64 {
    const FORMAT: Format = Format {
        fraction: 52,
        least: -1074,
        most: 1024,
    };
    const INDEX: usize = 1;
    fn from_low_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}

/// Domain on which a function is measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Domain {
    /// Up to this magnitude.
    To(f64),
    /// Up to [`Elementary::REDUCTION_LIMIT`].
    Far,
    /// Numbers above 0.
    Positive,
    /// A number above 0, and an exponent.
    Power,
    Plane,
}

/// A function of a number type. Functions of one number ignore the second.
pub(crate) struct Case<F> {
    pub(crate) name: &'static str,
    pub(crate) domain: Domain,
    /// The largest error, in units of the last place.
    pub(crate) bound: f64,
    pub(crate) evaluate: fn(F, F) -> F,
    pub(crate) exact: fn(f64, f64) -> Exact,
    pub(crate) kernel: fn(f64, f64) -> f64,
    /// The same function over many numbers, for every instruction set.
    pub(crate) blocks: [InBlocks<F>; 3],
}

/// A function over many numbers.
pub(crate) type InBlocks<F> = fn([&[F]; 2], &mut [F]);

impl<F> Case<F> {
    /// True if the second number counts.
    pub(crate) fn takes_two(&self) -> bool {
        matches!(self.domain, Domain::Power | Domain::Plane)
    }
}

/// A function of any number type: a type for each, so that blocks of them are compiled for each.
trait Function {
    fn evaluate<F: Float>(x: F, y: F) -> F;
}

/// Declares functions, and lists them as cases.
macro_rules! functions {
    ($($name:ident($x:ident, $y:ident) = $of:expr, $kernel:expr, $domain:expr, $bounds:expr;)*) => {
        $(
            #[expect(non_camel_case_types, reason = "it is the function of this name")]
            struct $name;

            impl Function for $name {
                #[inline(always)]
                fn evaluate<F: Float>($x: F, $y: F) -> F {
                    let _ = $y;
                    $of
                }
            }
        )*

        /// Every function of a number type.
        pub(crate) fn cases<F: Type>() -> Vec<Case<F>> {
            vec![$(Case {
                name: stringify!($name),
                domain: $domain,
                bound: $bounds[F::INDEX],
                evaluate: $name::evaluate::<F>,
                exact: |$x, $y| {
                    let _ = $y;
                    functions!(@exact $name $x $y)
                },
                kernel: |$x, $y| {
                    let _ = $y;
                    $kernel
                },
                blocks: [portable::<$name, F>, avx2::<$name, F>, avx512::<$name, F>],
            }),*]
        }
    };
    (@exact atan2 $y:ident $x:ident) => { reference::atan2($y, $x) };
    (@exact pow $x:ident $y:ident) => { reference::pow($x, $y) };
    (@exact $name:ident $x:ident $y:ident) => { reference::$name($x) };
}

// Bounds are given for `f32` and for `f64`.
functions! {
    sin(x, y) = F::sin(x), Unary::Sin.apply(x), Domain::Far, [1.6, 1.6];
    cos(x, y) = F::cos(x), Unary::Cos.apply(x), Domain::Far, [1.6, 1.6];
    tan(x, y) = F::tan(x), Unary::Tan.apply(x), Domain::Far, [2.2, 1.9];
    asin(x, y) = F::asin(x), Unary::Asin.apply(x), Domain::To(1.0), [1.3, 1.3];
    acos(x, y) = F::acos(x), Unary::Acos.apply(x), Domain::To(1.0), [1.3, 1.3];
    atan(x, y) = F::atan(x), Unary::Atan.apply(x), Domain::To(f64::MAX), [1.4, 1.6];
    sinh(x, y) = F::sinh(x), Unary::Sinh.apply(x), Domain::To(712.0), [1.6, 1.9];
    cosh(x, y) = F::cosh(x), Unary::Cosh.apply(x), Domain::To(712.0), [1.9, 1.7];
    tanh(x, y) = F::tanh(x), Unary::Tanh.apply(x), Domain::To(f64::MAX), [1.6, 1.6];
    exp(x, y) = F::exp(x), Unary::Exp.apply(x), Domain::To(750.0), [0.9, 1.0];
    log(x, y) = F::log(x), Unary::Log.apply(x), Domain::Positive, [1.0, 0.9];
    log2(x, y) = F::log2(x), Unary::Log2.apply(x), Domain::Positive, [1.1, 1.0];
    log10(x, y) = F::log10(x), Unary::Log10.apply(x), Domain::Positive, [1.0, 1.0];
    atan2(y, x) = F::atan2(y, x), Binary::Atan2.apply(y, x), Domain::Plane, [1.6, 1.7];
    pow(x, y) = F::pow(x, y), Binary::Pow.apply(x, y), Domain::Power, [1.0, 1.5];
}

/// The loop that becomes vectors.
#[inline(always)]
fn block<T: Function, F: Float>([xs, ys]: [&[F]; 2], out: &mut [F]) {
    for ((out, &x), &y) in out.iter_mut().zip(xs).zip(ys) {
        *out = T::evaluate(x, y);
    }
}

fn portable<T: Function, F: Float>(arguments: [&[F]; 2], out: &mut [F]) {
    block::<T, F>(arguments, out);
}

/// The loop for AVX2, where the processor has it.
fn avx2<T: Function, F: Float>(arguments: [&[F]; 2], out: &mut [F]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
        #[target_feature(enable = "avx2,fma")]
        fn vectors<T: Function, F: Float>(arguments: [&[F]; 2], out: &mut [F]) {
            block::<T, F>(arguments, out);
        }
        #[expect(unsafe_code, reason = "the call of a function for some processors")]
        // SAFETY: the processor was asked for these features.
        return unsafe { vectors::<T, F>(arguments, out) };
    }
    portable::<T, F>(arguments, out);
}

/// The loop for AVX-512, where the processor has it.
fn avx512<T: Function, F: Float>(arguments: [&[F]; 2], out: &mut [F]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("fma")
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
        fn vectors<T: Function, F: Float>(arguments: [&[F]; 2], out: &mut [F]) {
            block::<T, F>(arguments, out);
        }
        #[expect(unsafe_code, reason = "the call of a function for some processors")]
        // SAFETY: the processor was asked for these features.
        return unsafe { vectors::<T, F>(arguments, out) };
    }
    portable::<T, F>(arguments, out);
}
