//! Lowering from [`Code`] to steps: the meaning of each instruction runs once on virtual registers, whose methods
//! record steps.
//!
//! Value numbering records equal steps once (common subexpression elimination): the sine and cosine of one angle share
//! what they have in common.

use std::cell::RefCell;
use std::marker::PhantomData;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::code::{ArgSource, Code, Instruction};
use crate::lane::{Float, Lane};
use crate::meaning;

use super::program::{Direction, MemoryOperand, Operand, Target, VectorOp, VectorStep};
use super::value_numbering::ValueTable;

/// Handling of NaN by minimum and maximum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NanHandling {
    /// They yield the other operand.
    Exact,
    /// They do not handle it: the processor raises its flag for invalid operations when one of them meets a NaN.
    Flagged,
}

/// The steps of a code, in the code's order.
pub(super) struct LoweredProgram {
    pub(super) target: Target,
    /// The steps, each after its operands, needed or not; those without value stand where they were pushed.
    pub(super) steps: Vec<VectorStep>,
    pub(super) leaves: Vec<MemoryOperand>,
    /// True if results are valid only where the processor raised no flag for invalid operations; see
    /// [`NanHandling::Flagged`].
    pub(super) assumes_no_nan: bool,
    pub(super) one: u64,
}

/// Lowers `code`, whose inputs before `varying` are one number for each point; returns `None` if it samples oracles or
/// has more than 65 536 outputs.
pub(super) fn lower<T: Float>(
    code: &Code,
    varying: usize,
    target: Target,
    nan_handling: NanHandling,
) -> Option<LoweredProgram> {
    let builder = RefCell::new(Builder::new(target, nan_handling, code));
    let constants: Vec<Operand> = code
        .constants()
        .iter()
        .map(|&number| {
            let bits = T::from_f64(number).to_bits();
            builder.borrow_mut().leaf(MemoryOperand::Constant(bits))
        })
        .collect();
    let mut values: Vec<Operand> = Vec::with_capacity(code.instructions().len());
    let virtual_of = |operand| Virtual::<T> {
        builder: &builder,
        operand,
        number: PhantomData,
    };
    for instruction in code.instructions() {
        let of = |arg: crate::code::Arg| {
            virtual_of(match arg.source() {
                ArgSource::Value(index) => values[index],
                ArgSource::Constant(index) => constants[index],
            })
        };
        let value = match *instruction {
            Instruction::Input(index) => {
                let leaf = match (index as usize).checked_sub(varying) {
                    Some(uniform) => MemoryOperand::Uniform(uniform as u32),
                    None => MemoryOperand::Input { index, copy: 0 },
                };
                builder.borrow_mut().leaf(leaf)
            }
            Instruction::Unary(operation, a) => {
                let a = of(a);
                if meaning::has_reduction_limit(operation) {
                    let magnitude = a.abs().operand;
                    builder.borrow_mut().sink(VectorOp::TrackLargest, magnitude);
                }
                meaning::unary(operation, a).operand
            }
            Instruction::Binary(operation, a, b) => {
                meaning::binary(operation, of(a), of(b)).operand
            }
            Instruction::Fused(operation, a, b, c) => {
                meaning::fused(operation, of(a), of(b), of(c)).operand
            }
            Instruction::Select([a, b, then, otherwise]) => {
                of(a).if_less(of(b), of(then), of(otherwise)).operand
            }
            Instruction::Oracle { .. } => return None,
        };
        values.push(value);
    }
    let mut builder = builder.into_inner();
    for (index, output) in code.outputs().iter().enumerate() {
        let operand = match output.source() {
            ArgSource::Value(index) => values[index],
            ArgSource::Constant(index) => constants[index],
        };
        let index = u16::try_from(index).ok()?;
        builder.sink(VectorOp::Output(index), operand);
    }
    Some(LoweredProgram {
        target,
        steps: builder.steps,
        leaves: builder.leaves,
        assumes_no_nan: builder.assumes_no_nan,
        one: T::ONE.to_bits(),
    })
}

/// Steps and operands in memory while they are recorded.
struct Builder {
    target: Target,
    nan_handling: NanHandling,
    steps: Vec<VectorStep>,
    known: ValueTable,
    leaves: Vec<MemoryOperand>,
    known_leaves: FxHashMap<MemoryOperand, Operand>,
    assumes_no_nan: bool,
}

impl Builder {
    fn new(target: Target, nan_handling: NanHandling, code: &Code) -> Builder {
        let capacity = 2 * code.instructions().len();
        let numbers = 32 + code.constants().len();
        Builder {
            target,
            nan_handling,
            steps: Vec::with_capacity(capacity),
            known: ValueTable::new(capacity),
            leaves: Vec::with_capacity(numbers),
            known_leaves: FxHashMap::with_capacity_and_hasher(numbers, FxBuildHasher),
            assumes_no_nan: false,
        }
    }

    fn leaf(&mut self, leaf: MemoryOperand) -> Operand {
        *self.known_leaves.entry(leaf).or_insert_with(|| {
            self.leaves.push(leaf);
            Operand::leaf(self.leaves.len() - 1)
        })
    }

    fn push(&mut self, operation: VectorOp, mut operands: [Operand; 3]) -> Operand {
        // Operands in memory stand last, where an instruction reads them from memory.
        if operation.is_commutative() && operands[0] > operands[1] {
            operands.swap(0, 1);
        }
        let step = VectorStep {
            operation,
            operands,
        };
        Operand::value(self.known.place(&mut self.steps, step))
    }

    /// Records a step without value; equal ones are recorded once.
    fn sink(&mut self, operation: VectorOp, operand: Operand) {
        self.push(operation, [operand, Operand::NONE, Operand::NONE]);
    }

    /// Bits of a constant operand.
    fn constant(&self, operand: Operand) -> Option<u64> {
        match self.leaves[operand.as_leaf()?] {
            MemoryOperand::Constant(bits) => Some(bits),
            MemoryOperand::Uniform(_) | MemoryOperand::Input { .. } => None,
        }
    }
}

/// A virtual register: its methods record steps.
struct Virtual<'a, T> {
    builder: &'a RefCell<Builder>,
    operand: Operand,
    number: PhantomData<T>,
}

impl<T> Clone for Virtual<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Virtual<'_, T> {}

impl<T: Float> Virtual<'_, T> {
    fn at(self, operand: Operand) -> Self {
        Virtual { operand, ..self }
    }

    /// Value of a constant.
    fn number(self) -> Option<T> {
        let bits = self.builder.borrow().constant(self.operand)?;
        Some(T::ZERO.bits(bits))
    }

    fn step(self, operation: VectorOp, operands: [Operand; 3]) -> Self {
        self.at(self.builder.borrow_mut().push(operation, operands))
    }

    fn one(self, operation: VectorOp, fold: fn(T) -> T) -> Self {
        match self.number() {
            Some(number) => self.constant(fold(number)),
            None => self.step(operation, [self.operand, Operand::NONE, Operand::NONE]),
        }
    }

    fn two(self, operation: VectorOp, other: Self, fold: fn(T, T) -> T) -> Self {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) => self.constant(fold(a, b)),
            _ => self.step(operation, [self.operand, other.operand, Operand::NONE]),
        }
    }

    fn three(self, operation: VectorOp, b: Self, c: Self, fold: fn(T, T, T) -> T) -> Self {
        match (self.number(), b.number(), c.number()) {
            (Some(x), Some(y), Some(z)) => self.constant(fold(x, y, z)),
            _ => self.step(operation, [self.operand, b.operand, c.operand]),
        }
    }

    /// `then` where the mask is set.
    fn pick(self, mask: Operand, then: Self, otherwise: Self) -> Self {
        if then.operand == otherwise.operand {
            return then;
        }
        let operands = [mask, then.operand, otherwise.operand];
        self.step(VectorOp::Pick, operands)
    }

    fn mask(self, operation: VectorOp, other: Operand) -> Operand {
        self.step(operation, [self.operand, other, Operand::NONE])
            .operand
    }

    /// The kernel's minimum or maximum, of which `plain` is the single instruction that does not handle NaN.
    fn extreme(self, other: Self, plain: Self) -> Self {
        if other.number().is_some() {
            return other.if_nan(self, plain);
        }
        let nan_handling = self.builder.borrow().nan_handling;
        match nan_handling {
            NanHandling::Exact => other.if_nan(self, plain),
            NanHandling::Flagged => {
                self.builder.borrow_mut().assumes_no_nan = true;
                plain
            }
        }
    }
}

/// Methods that are one step each, or are folded where all operands are constants.
macro_rules! operations {
    ($($arity:ident($self:ident $(, $operand:ident)*) $($method:ident: $operation:ident$(($direction:expr))?),*;)*) => {$(
        operations! { @methods $arity $self ($($operand),*) $($method: VectorOp::$operation$(($direction))?),* }
    )*};
    (@methods $arity:ident $self:ident $operands:tt $($method:ident: $operation:expr),*) => {$(
        operations! { @method $arity $self $operands $method $operation }
    )*};
    (@method $arity:ident $self:ident ($($operand:ident),*) $method:ident $operation:expr) => {
        fn $method($self $(, $operand: Self)*) -> Self {
            $self.$arity($operation, $($operand,)* T::$method)
        }
    };
}

impl<T: Float> Lane for Virtual<'_, T> {
    type Number = T;

    fn constant(self, value: T) -> Self {
        self.bits(value.to_bits())
    }

    fn bits(self, bits: u64) -> Self {
        // Of an f32 the low half counts.
        let bits = T::ZERO.bits(bits).to_bits();
        let leaf = self
            .builder
            .borrow_mut()
            .leaf(MemoryOperand::Constant(bits));
        self.at(leaf)
    }

    operations! {
        one(self) sqrt: Sqrt, floor: Whole(Direction::Down), ceil: Whole(Direction::Up),
            trunc: Whole(Direction::ToZero), nearest: Whole(Direction::Nearest);
        two(self, other) add: Add, sub: Sub, mul: Mul, div: Div, lesser: Lesser, greater: Greater,
            and: And, or: Or, xor: Xor, int_add: IntAdd, int_sub: IntSub;
        three(self, factor, term) mul_add: MulAdd, mul_sub: MulSub, neg_mul_add: NegMulAdd;
    }

    fn if_less(self, other: Self, then: Self, otherwise: Self) -> Self {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) if a < b => then,
            (Some(_), Some(_)) => otherwise,
            _ => self.pick(self.mask(VectorOp::Less, other.operand), then, otherwise),
        }
    }

    fn if_equal(self, other: Self, then: Self, otherwise: Self) -> Self {
        match (self.number(), other.number()) {
            (Some(a), Some(b)) if a == b => then,
            (Some(_), Some(_)) => otherwise,
            _ => self.pick(self.mask(VectorOp::Equal, other.operand), then, otherwise),
        }
    }

    fn if_negative(self, then: Self, otherwise: Self) -> Self {
        let is_wide = self.builder.borrow().target.is_wide;
        match self.number() {
            Some(number) if number.to_bits() & T::SIGN != 0 => then,
            Some(_) => otherwise,
            None if is_wide => {
                let mask = self.mask(VectorOp::Negative, Operand::NONE);
                self.pick(mask, then, otherwise)
            }
            None => self.pick(self.operand, then, otherwise),
        }
    }

    fn if_nan(self, then: Self, otherwise: Self) -> Self {
        match self.number() {
            Some(number) if is_nan(number) => then,
            Some(_) => otherwise,
            None => self.pick(self.mask(VectorOp::Nan, Operand::NONE), then, otherwise),
        }
    }

    fn shift_up<const BY: u32>(self) -> Self {
        self.one(VectorOp::ShiftUp(BY as u8), T::shift_up::<BY>)
    }

    fn shift_down<const BY: u32>(self) -> Self {
        self.one(VectorOp::ShiftDown(BY as u8), T::shift_down::<BY>)
    }

    fn scaling(self) -> Option<fn(Self, Self) -> Self> {
        let is_wide = self.builder.borrow().target.is_wide;
        is_wide.then_some(|power, whole| {
            power.step(
                VectorOp::Scale,
                [power.operand, whole.operand, Operand::NONE],
            )
        })
    }

    fn min(self, other: Self) -> Self {
        self.extreme(other, self.lesser(other))
    }

    fn max(self, other: Self) -> Self {
        self.extreme(other, self.greater(other))
    }
}

fn is_nan<T: Float>(number: T) -> bool {
    number.partial_cmp(&number).is_none()
}
