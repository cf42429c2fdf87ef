//! Code, the intermediate representation of the evaluators: straight-line instructions in static single assignment
//! form, with constants apart.

use fibula_nodes::{Binary, OracleUse, Unary};

/// Argument of an instruction: the value of an earlier instruction, or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arg(u32);

/// Source of an [`Arg`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgSource {
    /// The value of the instruction with this index.
    Value(usize),
    /// The constant with this index.
    Constant(usize),
}

impl Arg {
    const CONSTANT: u32 = 1 << 31;

    /// The value of the instruction with this index.
    pub(crate) fn value(index: usize) -> Arg {
        debug_assert!(
            index < Arg::CONSTANT as usize,
            "flattening is limited far below"
        );
        Arg(index as u32)
    }

    pub(crate) fn constant(index: usize) -> Arg {
        Arg(index as u32 | Arg::CONSTANT)
    }

    /// Source of the argument.
    #[inline]
    pub fn source(self) -> ArgSource {
        let index = (self.0 & !Arg::CONSTANT) as usize;
        if self.0 & Arg::CONSTANT == 0 {
            ArgSource::Value(index)
        } else {
            ArgSource::Constant(index)
        }
    }

    /// The index of the instruction, if it is no constant.
    #[inline]
    pub fn index(self) -> Option<usize> {
        match self.source() {
            ArgSource::Value(index) => Some(index),
            ArgSource::Constant(_) => None,
        }
    }
}

/// Maps a `Unary` to the variant of the same name in another enum.
macro_rules! unary_variant {
    ($operation:expr, $enum:ident) => {
        $crate::code::variant! { $operation, Unary => $enum
            Neg Abs Sign Sqrt Floor Ceil Round Fract Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Exp Log Log2 Log10 }
    };
}

/// Maps a `Binary` to the variant of the same name in another enum.
macro_rules! binary_variant {
    ($operation:expr, $enum:ident) => {
        $crate::code::variant! { $operation, Binary => $enum Add Sub Mul Div Min Max Mod Fmod Pow Atan2 }
    };
}

macro_rules! variant {
    ($operation:expr, $from:ident => $to:ident $($name:ident)*) => {
        match $operation { $($from::$name => $to::$name,)* }
    };
}

pub(crate) use {binary_variant, unary_variant, variant};

/// Products with a sum, rounded once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fused {
    /// a b + c
    MulAdd,
    /// a b - c
    MulSub,
    /// c - a b
    NegMulAdd,
}

impl Fused {
    /// Every fused operation.
    pub const ALL: [Fused; 3] = [Fused::MulAdd, Fused::MulSub, Fused::NegMulAdd];
}

/// One instruction of a [`Code`]; its arguments are values of earlier instructions and constants.
///
/// Constants stand second in sums, products, and, if they are neither 0 nor NaN, in minimum and maximum; in fused
/// operations the first factor is no constant. A difference with a constant subtrahend is a sum. Only an oracle may be
/// sampled at constants alone; of the arguments of another instruction, at least one is a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Instruction {
    /// The scalar argument with this index.
    Input(u32),
    /// An operation on one scalar.
    Unary(Unary, Arg),
    /// An operation on two scalars.
    Binary(Binary, Arg, Arg),
    /// A product with a sum.
    Fused(Fused, Arg, Arg, Arg),
    /// `0 < 1 ? 2 : 3`.
    Select([Arg; 4]),
    /// One channel of what the oracle with this index answers at a point.
    Oracle {
        /// The oracle's place in [`Code::oracles`].
        oracle: u32,
        /// The channel.
        channel: u8,
        /// The point.
        at: [Arg; 3],
    },
}

impl Instruction {
    /// Arguments, in order.
    #[inline]
    pub fn args(&self) -> Args {
        let (args, count) = match *self {
            Instruction::Input(_) => ([Arg(0); 4], 0),
            Instruction::Unary(_, a) => ([a; 4], 1),
            Instruction::Binary(_, a, b) => ([a, b, b, b], 2),
            Instruction::Fused(_, a, b, c) => ([a, b, c, c], 3),
            Instruction::Select(args) => (args, 4),
            Instruction::Oracle { at: [x, y, z], .. } => ([x, y, z, z], 3),
        };
        Args {
            all: args,
            next: 0,
            count,
        }
    }

    /// Index of the input that it is, if it is one.
    pub(crate) fn input(&self) -> Option<u32> {
        match *self {
            Instruction::Input(index) => Some(index),
            Instruction::Unary(..)
            | Instruction::Binary(..)
            | Instruction::Fused(..)
            | Instruction::Select(_)
            | Instruction::Oracle { .. } => None,
        }
    }

    /// The same instruction on other arguments.
    #[must_use]
    pub fn map(self, mut rename: impl FnMut(Arg) -> Arg) -> Instruction {
        match self {
            Instruction::Input(_) => self,
            Instruction::Unary(operation, a) => Instruction::Unary(operation, rename(a)),
            Instruction::Binary(operation, a, b) => {
                Instruction::Binary(operation, rename(a), rename(b))
            }
            Instruction::Fused(operation, a, b, c) => {
                Instruction::Fused(operation, rename(a), rename(b), rename(c))
            }
            Instruction::Select(args) => Instruction::Select(args.map(rename)),
            Instruction::Oracle {
                oracle,
                channel,
                at,
            } => Instruction::Oracle {
                oracle,
                channel,
                at: at.map(rename),
            },
        }
    }
}

/// Arguments of an instruction, in order.
#[derive(Debug, Clone)]
pub struct Args {
    all: [Arg; 4],
    next: u8,
    count: u8,
}

impl Iterator for Args {
    type Item = Arg;

    #[inline]
    fn next(&mut self) -> Option<Arg> {
        let arg = (self.next < self.count).then(|| self.all[usize::from(self.next)]);
        self.next += 1;
        arg
    }
}

/// Permission to contract products and sums; see [`Code::new`](crate::Code::new).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// As the operations say: each result is rounded once, to a number of its own.
    Exact,
    /// As is fastest for sampling: see [the list](crate::Code::new).
    Fast,
}

/// Instructions, each after its arguments, and outputs: the input of every evaluator.
///
/// A code is immutable and shared between threads.
#[derive(Debug, Clone)]
pub struct Code {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) constants: Vec<f64>,
    pub(crate) outputs: Vec<Arg>,
    pub(crate) inputs: usize,
    pub(crate) oracles: Vec<OracleUse>,
    pub(crate) rounding: Rounding,
}

impl Code {
    /// The instructions, each after its arguments; each is needed by an output, and no two are equal.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// The constants; no two have the same bits.
    pub fn constants(&self) -> &[f64] {
        &self.constants
    }

    /// Outputs, each the value of an instruction or a constant.
    pub fn outputs(&self) -> &[Arg] {
        &self.outputs
    }

    /// Number of scalar arguments, needed or not.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Oracles that the instructions sample.
    pub fn oracles(&self) -> &[OracleUse] {
        &self.oracles
    }

    /// Rounding that the optimiser was allowed.
    pub fn rounding(&self) -> Rounding {
        self.rounding
    }

    /// The constant that `arg` is, if it is one.
    #[inline]
    pub fn constant(&self, arg: Arg) -> Option<f64> {
        match arg.source() {
            ArgSource::Constant(index) => Some(self.constants[index]),
            ArgSource::Value(_) => None,
        }
    }

    /// Number of uses of each instruction, by arguments and outputs.
    pub(crate) fn uses(&self) -> Vec<u32> {
        let mut uses = vec![0; self.instructions.len()];
        let args = self.instructions.iter().flat_map(Instruction::args);
        for index in args
            .chain(self.outputs.iter().copied())
            .filter_map(Arg::index)
        {
            uses[index] += 1;
        }
        uses
    }
}
