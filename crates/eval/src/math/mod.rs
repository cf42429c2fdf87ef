//! Elementary functions, each written once in [`Lane`](crate::Lane) operations and shared by every backend.
//!
//! There are no branches, tables or loops: reduction of the argument, a polynomial by Horner's rule, and choices for
//! what is special. Few operations matter more than short chains of them, as there are always other lanes to work at.
//! Each file is one family, for both number types; [`constants`] has what these do not share.
//! [`Elementary`](crate::Elementary) states the error bounds.

mod constants;
mod double;
mod exponential;
mod hyperbolic;
mod inverse;
mod logarithm;
mod power;
mod single;
mod trigonometric;

/// Implements the elementary functions for a number type.
macro_rules! elementary {
    ($float:ident, $far:expr) => {
        impl $crate::lane::Elementary for $float {
            const REDUCTION_LIMIT: $float = $far;

            $crate::math::elementary! { @functions $float
                trigonometric: sin(x), cos(x), tan(x);
                inverse: asin(x), acos(x), atan(x), atan2(y, x);
                hyperbolic: sinh(x), cosh(x), tanh(x);
                exponential: exp(x);
                logarithm: log(x), log2(x), log10(x);
                power: pow(x, y);
            }

            fn sin_large(self) -> $float {
                libm::sin(f64::from(self)) as $float
            }
            fn cos_large(self) -> $float {
                libm::cos(f64::from(self)) as $float
            }
            fn tan_large(self) -> $float {
                libm::tan(f64::from(self)) as $float
            }
        }
    };
    (@functions $float:ident $($family:ident: $($name:ident($($argument:ident),*)),*;)*) => {$($(
        #[inline(always)]
        fn $name<L: Lane<Number = $float>>($($argument: L),*) -> L {
            $crate::math::$family::$name($($argument),*)
        }
    )*)*};
}
use elementary;
