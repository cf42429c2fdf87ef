//! The kernel: the closed set of scalar operations in which every node kind is written.
//!
//! A [`Kernel`] is a growing list of operations, each after its operands. Equal operations are held once and
//! operations on constants are computed when they are added, so the list is free of common subexpressions.
//! Every `match` on an operation is without `_`: a new one stops the build at each backend that owes it an arm.
//!
//! [`Unary::apply`], [`Binary::apply`] and [`select`] are the one definition, in f64, of what an operation
//! means; every other backend is tested against them.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::oracle::OracleUse;

/// A scalar in a [`Kernel`]: the result of one of its operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Expr(u32);

impl Expr {
    /// The operation's place in [`Kernel::operations`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Declares the operations of one arity: the enum, the definition of each operation, and a method of [`Kernel`] for each.
macro_rules! operations {
    (
        $(#[$about:meta])*
        $enum:ident $operands:tt $count:literal $push:ident $(#[$apply:meta])*;
        $($variant:ident $method:ident = $definition:expr;)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each is the mathematical function of its name; see `apply`")]
        pub enum $enum {
            $($variant,)*
        }

        impl $enum {
            /// Every operation.
            pub const ALL: [$enum; $count] = [$($enum::$variant),*];

            operations! { @apply $operands $(#[$apply])* $($enum::$variant = $definition;)* }
        }

        #[expect(missing_docs, reason = "each is the operation of its name")]
        impl Kernel {
            $(operations! { @method $operands $method $push $enum::$variant })*
        }
    };
    (@apply ($($operand:ident),+) $(#[$apply:meta])* $($enum:ident::$variant:ident = $definition:expr;)*) => {
        $(#[$apply])*
        #[inline]
        pub fn apply(self, $($operand: f64),+) -> f64 {
            match self {
                $($enum::$variant => $definition,)*
            }
        }
    };
    (@method ($($operand:ident),+) $method:ident $push:ident $enum:ident::$variant:ident) => {
        pub fn $method(&mut self, $($operand: Expr),+) -> Expr {
            self.$push($enum::$variant, $($operand),+)
        }
    };
}

operations! {
    /// Operations on one scalar. Angles are radians.
    Unary(a) 21 unary
    /// Definition of the operation. Ties of `Round` go away from zero; the sign of 0 is 0 and of NaN is NaN;
    /// `Fract` is a - floor(a).
    ;
    Neg neg = -a;
    Abs abs = a.abs();
    Sign sign = if a == 0.0 || a.is_nan() { a } else { a.signum() };
    Sqrt sqrt = a.sqrt();
    Floor floor = a.floor();
    Ceil ceil = a.ceil();
    Round round = a.round();
    Fract fract = a - a.floor();
    Sin sin = a.sin();
    Cos cos = a.cos();
    Tan tan = a.tan();
    Asin asin = a.asin();
    Acos acos = a.acos();
    Atan atan = a.atan();
    Sinh sinh = a.sinh();
    Cosh cosh = a.cosh();
    Tanh tanh = a.tanh();
    Exp exp = a.exp();
    Log log = a.ln();
    Log2 log2 = a.log2();
    Log10 log10 = a.log10();
}

operations! {
    /// Operations on two scalars.
    Binary(a, b) 10 binary
    /// Definition of the operation. `Min` and `Max` yield the other operand when one is NaN, and the second when both
    /// are equal (which matters for zeros of different signs); `Mod` is a - b floor(a / b), `Fmod` is a - b trunc(a / b);
    /// a division by zero follows IEEE 754.
    ;
    Add add = a + b;
    Sub sub = a - b;
    Mul mul = a * b;
    Div div = a / b;
    Min min = if a < b || b.is_nan() { a } else { b };
    Max max = if a > b || b.is_nan() { a } else { b };
    Mod modulo = a - b * (a / b).floor();
    Fmod fmod = a - b * (a / b).trunc();
    Pow pow = a.powf(b);
    Atan2 atan2 = a.atan2(b);
}

/// `a < b ? then : otherwise`; a comparison with NaN is false.
#[inline]
pub fn select(a: f64, b: f64, then: f64, otherwise: f64) -> f64 {
    if a < b { then } else { otherwise }
}

/// One operation of a [`Kernel`]; its operands come before it.
#[derive(Debug, Clone, Copy)]
pub enum Operation {
    /// A number.
    Constant(f64),
    /// The scalar argument with this index.
    Variable(u32),
    /// An operation on one scalar.
    Unary(Unary, Expr),
    /// An operation on two scalars.
    Binary(Binary, Expr, Expr),
    /// `less.0 < less.1 ? then : otherwise`.
    Select {
        /// The two scalars that are compared.
        less: (Expr, Expr),
        /// The result when the first is less.
        then: Expr,
        /// The result otherwise.
        otherwise: Expr,
    },
    /// One channel of what an oracle answers at a point.
    Oracle {
        /// The oracle's place in [`Kernel::oracles`].
        oracle: u32,
        /// The channel, below [`Query::channels`](crate::oracle::Query::channels).
        channel: u8,
        /// The point.
        at: [Expr; 3],
    },
}

impl Operation {
    /// The operation's value, given the values of the operations before it and the scalar arguments.
    ///
    /// # Panics
    /// If `values` or `arguments` is too short for the operation's operands.
    #[inline]
    pub fn apply(self, values: &[f64], arguments: &[f64], oracles: &[OracleUse]) -> f64 {
        let value = |expr: Expr| values[expr.index()];
        match self {
            Operation::Constant(number) => number,
            Operation::Variable(index) => arguments[index as usize],
            Operation::Unary(operation, a) => operation.apply(value(a)),
            Operation::Binary(operation, a, b) => operation.apply(value(a), value(b)),
            Operation::Select {
                less: (a, b),
                then,
                otherwise,
            } => select(value(a), value(b), value(then), value(otherwise)),
            Operation::Oracle {
                oracle,
                channel,
                at,
            } => oracles[oracle as usize]
                .answers
                .sample(at.map(value), channel),
        }
    }

    /// The operation with every operand renamed.
    #[must_use]
    pub fn map(self, mut rename: impl FnMut(Expr) -> Expr) -> Operation {
        match self {
            Operation::Constant(_) | Operation::Variable(_) => self,
            Operation::Unary(operation, a) => Operation::Unary(operation, rename(a)),
            Operation::Binary(operation, a, b) => {
                Operation::Binary(operation, rename(a), rename(b))
            }
            Operation::Select {
                less: (a, b),
                then,
                otherwise,
            } => Operation::Select {
                less: (rename(a), rename(b)),
                then: rename(then),
                otherwise: rename(otherwise),
            },
            Operation::Oracle {
                oracle,
                channel,
                at,
            } => Operation::Oracle {
                oracle,
                channel,
                at: at.map(rename),
            },
        }
    }

    /// Calls `visit` with every operand.
    pub fn operands(self, mut visit: impl FnMut(Expr)) {
        let _ = self.map(|expr| {
            visit(expr);
            expr
        });
    }

    /// Key under which equal operations are held once; numbers are compared bit by bit.
    fn identity(self) -> Identity {
        match self {
            Operation::Constant(number) => Identity::Constant(number.to_bits()),
            Operation::Variable(index) => Identity::Variable(index),
            Operation::Unary(operation, a) => Identity::Unary(operation, a),
            Operation::Binary(operation, a, b) => Identity::Binary(operation, a, b),
            Operation::Select {
                less: (a, b),
                then,
                otherwise,
            } => Identity::Select([a, b, then, otherwise]),
            Operation::Oracle {
                oracle,
                channel,
                at,
            } => Identity::Oracle(oracle, channel, at),
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Constant(u64),
    Variable(u32),
    Unary(Unary, Expr),
    Binary(Binary, Expr, Expr),
    Select([Expr; 4]),
    Oracle(u32, u8, [Expr; 3]),
}

/// A growing list of operations without repetition; see the [module](self).
#[derive(Default)]
pub struct Kernel {
    operations: Vec<Operation>,
    known: FxHashMap<Identity, Expr>,
    oracles: Vec<OracleUse>,
}

impl Kernel {
    /// A kernel without operations.
    pub fn new() -> Self {
        Kernel::default()
    }

    /// Every operation, each after its operands.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The value of every operation, in their order.
    pub fn all(&self) -> Vec<Expr> {
        (0..self.operations.len() as u32).map(Expr).collect()
    }

    /// The oracles that [`Operation::Oracle`] names.
    pub fn oracles(&self) -> &[OracleUse] {
        &self.oracles
    }

    /// The operations that `roots` need, in their order, and the roots' places among them.
    pub fn reachable(&self, roots: &[Expr]) -> (Vec<Operation>, Vec<Expr>) {
        let mut live = vec![false; self.operations.len()];
        for root in roots {
            live[root.index()] = true;
        }
        for (index, operation) in self.operations.iter().enumerate().rev() {
            if live[index] {
                operation.operands(|operand| live[operand.index()] = true);
            }
        }
        let mut places = vec![Expr(u32::MAX); live.len()];
        let mut operations = Vec::with_capacity(live.iter().filter(|&&live| live).count());
        for (index, operation) in self
            .operations
            .iter()
            .enumerate()
            .filter(|&(index, _)| live[index])
        {
            places[index] = Expr(operations.len() as u32);
            operations.push(operation.map(|operand| places[operand.index()]));
        }
        (
            operations,
            roots.iter().map(|root| places[root.index()]).collect(),
        )
    }

    /// The number that `expr` always is, if it is a constant.
    pub fn constant_of(&self, expr: Expr) -> Option<f64> {
        match self.operations[expr.index()] {
            Operation::Constant(number) => Some(number),
            Operation::Variable(_)
            | Operation::Unary(..)
            | Operation::Binary(..)
            | Operation::Select { .. }
            | Operation::Oracle { .. } => None,
        }
    }

    fn push(&mut self, operation: Operation) -> Expr {
        match self.known.entry(operation.identity()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                let index = u32::try_from(self.operations.len())
                    .expect("flattening is limited far below 2^32 operations");
                self.operations.push(operation);
                *place.insert(Expr(index))
            }
        }
    }

    /// The number `value`.
    pub fn constant(&mut self, value: f64) -> Expr {
        self.push(Operation::Constant(value))
    }

    /// The scalar argument with this index.
    pub fn variable(&mut self, index: u32) -> Expr {
        self.push(Operation::Variable(index))
    }

    /// `operation` of `a`; computed at once when `a` is a constant.
    pub fn unary(&mut self, operation: Unary, a: Expr) -> Expr {
        match self.constant_of(a) {
            Some(number) => self.constant(operation.apply(number)),
            None => self.push(Operation::Unary(operation, a)),
        }
    }

    /// `operation` of `a` and `b`; computed at once when both are constants.
    pub fn binary(&mut self, operation: Binary, a: Expr, b: Expr) -> Expr {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(left), Some(right)) => self.constant(operation.apply(left, right)),
            _ => self.push(Operation::Binary(operation, a, b)),
        }
    }

    /// `a < b ? then : otherwise`; decided at once when `a` and `b` are constants.
    pub fn select(&mut self, a: Expr, b: Expr, then: Expr, otherwise: Expr) -> Expr {
        match (self.constant_of(a), self.constant_of(b)) {
            (Some(left), Some(right)) if left < right => then,
            (Some(_), Some(_)) => otherwise,
            _ if then == otherwise => then,
            _ => self.push(Operation::Select {
                less: (a, b),
                then,
                otherwise,
            }),
        }
    }

    /// One channel of what an oracle answers at a point.
    pub fn oracle(&mut self, oracle_use: &OracleUse, channel: u8, at: [Expr; 3]) -> Expr {
        let same = |known: &OracleUse| {
            known.resource == oracle_use.resource && known.query == oracle_use.query
        };
        let oracle = self.oracles.iter().position(same).unwrap_or_else(|| {
            self.oracles.push(oracle_use.clone());
            self.oracles.len() - 1
        });
        self.push(Operation::Oracle {
            oracle: oracle as u32,
            channel,
            at,
        })
    }
}

impl Kernel {
    /// The scalar product of two lists of equal length.
    ///
    /// # Panics
    /// If the lists are empty.
    pub fn dot(&mut self, a: &[Expr], b: &[Expr]) -> Expr {
        let mut sum = None;
        for (&a, &b) in a.iter().zip(b) {
            let term = self.mul(a, b);
            sum = Some(match sum {
                None => term,
                Some(before) => self.add(before, term),
            });
        }
        sum.expect("a vector has components")
    }

    /// The Euclidean length of a vector: sqrt(x x + y y + z z).
    pub fn length(&mut self, a: &[Expr]) -> Expr {
        let square = self.dot(a, a);
        self.sqrt(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_operations_are_held_once_and_constants_are_folded() {
        let mut kernel = Kernel::new();
        let x = kernel.variable(0);
        let first = kernel.sin(x);
        let again = kernel.sin(x);
        assert_eq!(first, again);
        let two = kernel.constant(2.0);
        let three = kernel.constant(3.0);
        let six = kernel.mul(two, three);
        assert_eq!(kernel.constant_of(six), Some(6.0));
        let zero = kernel.constant(0.0);
        let negative = kernel.constant(-0.0);
        assert_ne!(zero, negative, "the sign of zero is kept");
        let picked = kernel.select(two, three, x, first);
        assert_eq!(picked, x);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "there is one exact answer")]
    fn undefined_values_follow_the_specification() {
        let cases = [
            (Binary::Min.apply(f64::NAN, 1.0), 1.0),
            (Binary::Max.apply(1.0, f64::NAN), 1.0),
            (Unary::Round.apply(-2.5), -3.0),
            (Unary::Round.apply(0.5), 1.0),
            (Unary::Sign.apply(0.0), 0.0),
            (Unary::Sign.apply(-3.0), -1.0),
            (Binary::Mod.apply(-1.0, 3.0), 2.0),
            (Binary::Fmod.apply(-1.0, 3.0), -1.0),
            (Binary::Div.apply(1.0, 0.0), f64::INFINITY),
            (select(f64::NAN, 1.0, 2.0, 3.0), 3.0),
        ];
        for (index, (got, expected)) in cases.into_iter().enumerate() {
            assert_eq!(got, expected, "case {index}");
        }
        assert!(Unary::Sign.apply(f64::NAN).is_nan());
    }
}
