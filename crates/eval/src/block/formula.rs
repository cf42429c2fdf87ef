//! Formulas for tests: kernels that read like them.

use std::cell::RefCell;
use std::ops::{Add, Mul, Sub};

use fibula_nodes::{Binary, Expr, Kernel, Unary};

use super::laws::{ARGUMENTS, check};
use super::select::Selection;
use super::step::StepCode;
use crate::code::{Code, Rounding};
use crate::cpu::InstructionSet;
use crate::trial::SPECIAL;

/// A function of x, y and z.
pub(super) type Formula = for<'a> fn([Term<'a>; 3]) -> Term<'a>;

/// Compares blocks with the meanings, and gives the steps that were selected.
pub(super) fn steps_of(formula: Formula) -> Vec<StepCode> {
    let eighths = (0..89).map(|index| f64::from(index) / 8.0 - 5.0);
    let numbers: Vec<f64> = SPECIAL.into_iter().chain(eighths).collect();
    let kernel = RefCell::new(Kernel::new());
    let variables = [0, 1, 2].map(|index| kernel.borrow_mut().variable(index));
    let Term(_, result) = formula(variables.map(|variable| Term(&kernel, variable)));
    let kernel = kernel.borrow();
    let code = Code::new(
        kernel.operations(),
        &[result],
        ARGUMENTS,
        &[],
        Rounding::Fast,
    );
    check::<f32>(&code, ARGUMENTS, 1030, &numbers);
    check::<f64>(&code, ARGUMENTS, 1030, &numbers);
    let nodes = Selection::new(&code, ARGUMENTS, InstructionSet::Avx2).nodes;
    let steps = nodes.iter().filter_map(|node| Some(node.step()?.code));
    steps.collect()
}

/// A scalar in a kernel.
#[derive(Clone, Copy)]
pub(super) struct Term<'a>(&'a RefCell<Kernel>, Expr);

impl<'a> Term<'a> {
    pub(super) fn unary(self, operation: Unary) -> Term<'a> {
        Term(self.0, self.0.borrow_mut().unary(operation, self.1))
    }

    pub(super) fn binary(self, operation: Binary, other: Term) -> Term<'a> {
        Term(
            self.0,
            self.0.borrow_mut().binary(operation, self.1, other.1),
        )
    }

    pub(super) fn constant(self, number: f64) -> Term<'a> {
        Term(self.0, self.0.borrow_mut().constant(number))
    }

    pub(super) fn abs(self) -> Term<'a> {
        self.unary(Unary::Abs)
    }

    pub(super) fn sqrt(self) -> Term<'a> {
        self.unary(Unary::Sqrt)
    }

    pub(super) fn square(self) -> Term<'a> {
        self * self
    }

    pub(super) fn min(self, other: Term) -> Term<'a> {
        self.binary(Binary::Min, other)
    }

    pub(super) fn max(self, other: Term) -> Term<'a> {
        self.binary(Binary::Max, other)
    }

    /// max(., 1/4)
    pub(super) fn above(self) -> Term<'a> {
        self.max(self.constant(0.25))
    }
}

macro_rules! operators {
    ($($operator:ident $method:ident;)*) => {$(
        impl<'a> $operator for Term<'a> {
            type Output = Term<'a>;

            fn $method(self, other: Term) -> Term<'a> {
                self.binary(Binary::$operator, other)
            }
        }

        impl<'a> $operator<f64> for Term<'a> {
            type Output = Term<'a>;

            fn $method(self, other: f64) -> Term<'a> {
                self.binary(Binary::$operator, self.constant(other))
            }
        }
    )*};
}

operators! { Add add; Sub sub; Mul mul; }
