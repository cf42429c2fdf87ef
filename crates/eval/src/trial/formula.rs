//! Kernels written like formulas.

use std::cell::RefCell;
use std::ops::{Add, Div, Mul, Neg, Sub};

use fibula_nodes::{Binary, Expr, Kernel, OracleUse, Unary};

/// A function of x, y and z.
pub(crate) type Formula = for<'a> fn([Term<'a>; 3]) -> Term<'a>;

/// Builds the kernel of a function of the first three variables; returns it with the function's value.
pub(crate) fn build(formula: impl for<'a> Fn([Term<'a>; 3]) -> Term<'a>) -> (Kernel, Expr) {
    let kernel = RefCell::new(Kernel::new());
    let variables = [0, 1, 2].map(|index| kernel.borrow_mut().variable(index));
    let Term(_, result) = formula(variables.map(|variable| Term(&kernel, variable)));
    (kernel.into_inner(), result)
}

#[derive(Clone, Copy)]
pub(crate) struct Term<'a>(&'a RefCell<Kernel>, Expr);

impl<'a> Term<'a> {
    pub(crate) fn unary(self, operation: Unary) -> Term<'a> {
        Term(self.0, self.0.borrow_mut().unary(operation, self.1))
    }

    pub(crate) fn binary(self, operation: Binary, other: Term) -> Term<'a> {
        Term(
            self.0,
            self.0.borrow_mut().binary(operation, self.1, other.1),
        )
    }

    pub(crate) fn constant(self, number: f64) -> Term<'a> {
        Term(self.0, self.0.borrow_mut().constant(number))
    }

    /// `self < other ? then : otherwise`.
    pub(crate) fn if_less(self, other: Term, then: Term, otherwise: Term) -> Term<'a> {
        let mut kernel = self.0.borrow_mut();
        Term(self.0, kernel.select(self.1, other.1, then.1, otherwise.1))
    }

    pub(crate) fn length<const N: usize>(vector: [Term<'a>; N]) -> Term<'a> {
        let Term(kernel, _) = vector[0];
        Term(
            kernel,
            kernel.borrow_mut().length(&vector.map(|term| term.1)),
        )
    }

    /// One channel of the answer of an oracle.
    pub(crate) fn oracle(oracle: &OracleUse, channel: u8, at: [Term<'a>; 3]) -> Term<'a> {
        let Term(kernel, _) = at[0];
        Term(
            kernel,
            kernel
                .borrow_mut()
                .oracle(oracle, channel, at.map(|term| term.1)),
        )
    }

    pub(crate) fn abs(self) -> Term<'a> {
        self.unary(Unary::Abs)
    }

    pub(crate) fn sqrt(self) -> Term<'a> {
        self.unary(Unary::Sqrt)
    }

    pub(crate) fn square(self) -> Term<'a> {
        self * self
    }

    pub(crate) fn min(self, other: Term) -> Term<'a> {
        self.binary(Binary::Min, other)
    }

    pub(crate) fn max(self, other: Term) -> Term<'a> {
        self.binary(Binary::Max, other)
    }

    /// max(., 1/4)
    pub(crate) fn above(self) -> Term<'a> {
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

operators! { Add add; Sub sub; Mul mul; Div div; }

impl<'a> Neg for Term<'a> {
    type Output = Term<'a>;

    fn neg(self) -> Term<'a> {
        self.unary(Unary::Neg)
    }
}
