//! Programs, the intermediate representation of the JIT: straight-line steps in static single assignment form, each
//! about one vector instruction; constants and arguments are apart, since instructions read them from memory.

/// Vectors that code is generated for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    /// Vectors of 512 bits with mask registers (AVX-512), not of 256 bits (AVX2).
    pub(super) is_wide: bool,
    /// Numbers of 64 bits, not of 32.
    pub(super) is_double: bool,
}

impl Target {
    pub(super) fn vector(self) -> usize {
        if self.is_wide { 64 } else { 32 }
    }

    pub(super) fn number(self) -> usize {
        if self.is_double { 8 } else { 4 }
    }

    pub(super) fn lanes(self) -> usize {
        self.vector() / self.number()
    }
}

/// Operand of a step: the value of an earlier step, or an operand in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Operand(u32);

impl Operand {
    const LEAF: u32 = 1 << 31;
    /// Marks the absence of an operand.
    pub(super) const NONE: Operand = Operand(u32::MAX);

    pub(super) fn value(index: usize) -> Operand {
        Operand(index as u32)
    }

    pub(super) fn leaf(index: usize) -> Operand {
        Operand(index as u32 | Operand::LEAF)
    }

    pub(super) fn bits(self) -> u32 {
        self.0
    }

    /// Index of the step whose value it is.
    #[inline]
    pub(super) fn as_value(self) -> Option<usize> {
        (self.0 & Operand::LEAF == 0).then_some(self.0 as usize)
    }

    /// Index of the operand in memory that it is.
    #[inline]
    pub(super) fn as_leaf(self) -> Option<usize> {
        (self.0 & Operand::LEAF != 0).then_some((self.0 & !Operand::LEAF) as usize)
    }
}

/// Operand that is in memory before the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MemoryOperand {
    /// The number with these bits, in every lane.
    Constant(u64),
    /// The uniform with this index, in every lane.
    Uniform(u32),
    /// The numbers of an argument.
    Input {
        index: u32,
        /// Index of the vector within one pass of the loop.
        copy: u32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Nearest = 0,
    Down = 1,
    Up = 2,
    ToZero = 3,
}

/// Operation of a step: in each lane that of the [`Lane`](crate::Lane) method of the same name. `0`, `1` and `2` are
/// its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum VectorOp {
    Add,
    Sub,
    Mul,
    Div,
    /// `0 < 1 ? 0 : 1`
    Lesser,
    /// `0 > 1 ? 0 : 1`
    Greater,
    And,
    Or,
    Xor,
    IntAdd,
    IntSub,
    /// `0` times 2 to the power of the largest whole number not above 1, rounded once. Long vectors only.
    Scale,
    /// `0 1 + 2`
    MulAdd,
    /// `0 1 - 2`
    MulSub,
    /// `2 - 0 1`
    NegMulAdd,
    /// Function of the bits of three values by its truth table: bit 4 a + 2 b + c.
    Logic(u8),
    Sqrt,
    Whole(Direction),
    ShiftUp(u8),
    ShiftDown(u8),
    /// Mask of the lanes in which 0 is less than 1. A mask, like all that follow until [`Pick`](VectorOp::Pick).
    Less,
    /// Mask of the lanes in which 0 equals 1.
    Equal,
    /// Mask of the lanes in which 0 is NaN.
    Nan,
    /// Mask of the lanes in which the sign bit is set. (256-bit instructions take any number for such a mask.)
    Negative,
    /// `0 ? 1 : 2`, of which 0 is a mask.
    Pick,
    /// Stores 0 as the output with this index; it has no value.
    Output(u16),
    /// Updates the running maximum with 0; it has no value.
    TrackLargest,
}

impl VectorOp {
    /// Number of operands, and the unit of the processor that executes the operation.
    #[inline]
    fn shape(self) -> (usize, Unit) {
        match self {
            Self::Add | Self::Sub | Self::Lesser | Self::Greater => (2, Unit::Adder),
            Self::Whole(_) | Self::ShiftUp(_) | Self::ShiftDown(_) => (1, Unit::Adder),
            Self::Sqrt | Self::Nan | Self::Negative => (1, Unit::Multiplier),
            Self::Mul | Self::Div | Self::Scale | Self::Less | Self::Equal => (2, Unit::Multiplier),
            Self::MulAdd | Self::MulSub | Self::NegMulAdd => (3, Unit::Multiplier),
            Self::Output(_) | Self::TrackLargest => (1, Unit::Any),
            Self::And | Self::Or | Self::Xor | Self::IntAdd | Self::IntSub => (2, Unit::Any),
            Self::Logic(_) | Self::Pick => (3, Unit::Any),
        }
    }

    #[inline]
    pub(super) fn arity(self) -> usize {
        self.shape().0
    }

    /// Unit of the processor that executes the operation.
    #[inline]
    pub(super) fn unit(self) -> Unit {
        self.shape().1
    }

    /// True if the first two operands may change places.
    #[inline]
    pub(super) fn is_commutative(self) -> bool {
        matches!(
            self,
            VectorOp::Add
                | VectorOp::Mul
                | VectorOp::And
                | VectorOp::Or
                | VectorOp::Xor
                | VectorOp::IntAdd
                | VectorOp::Equal
                | VectorOp::MulAdd
                | VectorOp::MulSub
                | VectorOp::NegMulAdd
        )
    }

    /// True if the value is a mask.
    #[inline]
    pub(super) fn is_mask(self) -> bool {
        matches!(
            self,
            VectorOp::Less | VectorOp::Equal | VectorOp::Nan | VectorOp::Negative
        )
    }
}

/// Execution unit of a processor, as far as AMD's newer ones distinguish them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Adder,
    Multiplier,
    Any,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorStep {
    pub(super) operation: VectorOp,
    pub(super) operands: [Operand; 3],
}

impl VectorStep {
    #[inline]
    pub(super) fn used_operands(&self) -> &[Operand] {
        &self.operands[..self.operation.arity()]
    }

    /// Steps whose values are operands.
    #[inline]
    pub(super) fn values(&self) -> impl Iterator<Item = usize> {
        // `NONE` is no value either.
        self.operands.into_iter().filter_map(Operand::as_value)
    }
}

/// Intermediate representation of a routine.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) target: Target,
    /// The steps, each after its operands.
    pub(super) steps: Vec<VectorStep>,
    pub(super) leaves: Vec<MemoryOperand>,
    /// Unrolling factor: vectors per pass of the loop. Each step stands as often, once for each vector in order.
    pub(super) copies: usize,
    /// The bits of 1.
    pub(super) one: u64,
}
