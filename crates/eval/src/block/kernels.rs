//! The loops that compute steps, compiled for every instruction set, and how one of them is chosen at run time.
//!
//! Each code has a function of its own for each set and number type: a loop over its formula, which the compiler turns
//! into vector instructions. A small function is compiled fast and keeps its values in registers.

use fibula_nodes::Unary;

use super::step::{self, StepCode};
use crate::cpu::{InstructionSet, PerSet};
use crate::lane::{Float, table_of};
use crate::meaning;

/// Blocks are a multiple of this many numbers long, so that whole vectors fit on every processor.
pub(crate) const LANES: usize = 64;

/// No code has more constants.
pub(crate) const CONSTANTS: usize = 6;

/// Computes a step; one that is compiled for a set needs a processor that has it.
pub(super) type Kernel<T> = unsafe fn(out: &mut [T], a: &[T], b: &[T], c: &[T], constants: &[T]);

/// Functions that compute steps, by code.
pub(super) type Steps<T> = [Kernel<T>; StepCode::ALL.len()];

/// The functions that compute steps on one instruction set.
#[derive(Clone, Copy)]
pub(crate) struct Kernels<T: 'static> {
    /// They belong to a set that the processor has.
    steps: &'static Steps<T>,
}

/// The functions of every instruction set.
type StepTables<T> = PerSet<Steps<T>>;

impl<T: Float> StepTables<T> {
    const STEPS: StepTables<T> = PerSet {
        portable: step::portable::steps(),
        #[cfg(target_arch = "x86_64")]
        avx2: step::avx2::steps(),
        #[cfg(target_arch = "x86_64")]
        avx512: step::avx512::steps(),
    };
}

impl<T: Float> Kernels<T> {
    /// The functions for an instruction set.
    ///
    /// # Panics
    /// If the processor does not have it.
    pub(crate) fn new(set: InstructionSet) -> Kernels<T> {
        let steps = table_of!(StepTables<T> = StepTables::STEPS).get(set);
        Kernels { steps }
    }

    /// Computes a step. Of `out` whole [`LANES`] are written. Operands and constants beyond those of the code do not
    /// count.
    ///
    /// # Panics
    /// If an operand is shorter than `out`, or there are fewer constants than the code has.
    #[inline(always)]
    #[expect(unsafe_code, reason = "the functions need what their processor has")]
    pub(crate) fn step(self, code: StepCode, out: &mut [T], operands: [&[T]; 3], constants: &[T]) {
        debug_assert_eq!(out.len() % LANES, 0, "blocks are whole");
        // SAFETY: `PerSet::get` made sure that the processor has the instruction set for which they are compiled.
        unsafe { self.steps[code as usize](out, operands[0], operands[1], operands[2], constants) }
    }
}

/// Declares the codes and the loops that compute them. `Name(operands; constants) = formula;` is one code; with
/// `, far operation` numbers beyond the reduction limit are computed one by one.
macro_rules! steps {
    (@codes $($(#[$about:meta])* $code:ident($($operand:ident),*$(; $($constant:ident),*)?) = $formula:expr $(, far $far:expr)?;)*) => {
        /// Formula of a step, on blocks a, b, c and constants k to p.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub(crate) enum StepCode {
            $($(#[$about])* $code,)*
        }

        impl StepCode {
            pub(crate) const ALL: [StepCode; [$(stringify!($code)),*].len()] = [$(StepCode::$code),*];

            #[inline]
            pub(crate) fn operands(self) -> usize {
                match self {
                    $(StepCode::$code => <[&str]>::len(&[$(stringify!($operand)),*]),)*
                }
            }

            /// Evaluates the formula for one number of each block.
            #[cfg(test)]
            pub(crate) fn number<T: Float>(self, operands: [T; 3], constants: &[T]) -> T {
                match self {
                    $(StepCode::$code => {
                        let ([$($operand,)* ..], [$($($constant),*)?]) = (operands, *first(constants));
                        $(if meaning::exceeds_reduction_limit(operands[0]) {
                            return meaning::evaluate_large($far, operands[0]);
                        })?
                        $formula
                    })*
                }
            }
        }
    };
    (@loops $set:ident $features:tt $($(#[$about:meta])* $code:ident($($operand:ident),*$(; $($constant:ident),*)?) = $formula:expr $(, far $far:expr)?;)*) => {
        pub(super) mod $set {
            use super::*;

            /// By code, the loops for this instruction set.
            pub(in super::super) const fn steps<T: Float>() -> Steps<T> {
                [$({
                    #$features
                    fn step<T: Float>(out: &mut [T], a: &[T], b: &[T], c: &[T], constants: &[T]) {
                        let operands = [a, b, c];
                        let ([$($operand,)* ..], [$($($constant),*)?]) = (operands, *first(constants));
                        let length = out.len() / LANES * LANES;
                        let numbers = &mut out[..length];
                        $(let $operand = &$operand[..length];)*
                        for index in 0..length {
                            $(let $operand = $operand[index];)*
                            numbers[index] = $formula;
                        }
                        $(far_numbers($far, numbers, operands[0]);)?
                    }
                    step::<T>
                },)*]
            }
        }
    };
    ($($list:tt)*) => {
        steps! { @codes $($list)* }
        steps! { @loops portable [inline(never)] $($list)* }
        #[cfg(target_arch = "x86_64")]
        steps! { @loops avx2 [target_feature(enable = "avx2,fma,bmi1,bmi2,popcnt,lzcnt")] $($list)* }
        #[cfg(target_arch = "x86_64")]
        steps! { @loops avx512 [target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,popcnt,lzcnt")] $($list)* }
    };
}

/// Recomputes the results of an operation where its operand is beyond the reduction limit.
#[inline(always)]
pub(super) fn far_numbers<T: Float>(operation: Unary, results: &mut [T], operand: &[T]) {
    let mut any = false;
    for &number in operand {
        any |= meaning::exceeds_reduction_limit(number);
    }
    if any {
        each_far(operation, results, operand);
    }
}

#[cold]
#[inline(never)]
fn each_far<T: Float>(operation: Unary, results: &mut [T], operand: &[T]) {
    for (result, &number) in results.iter_mut().zip(operand) {
        if meaning::exceeds_reduction_limit(number) {
            *result = meaning::evaluate_large(operation, number);
        }
    }
}

/// The constants that count.
#[inline(always)]
pub(super) fn first<T, const N: usize>(constants: &[T]) -> &[T; N] {
    constants.first_chunk().expect("a step has its constants")
}

pub(super) use steps;
