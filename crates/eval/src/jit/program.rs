//! Programs: what machine code is written of. Straight-line steps in single static assignment, each about one vector
//! instruction; constants and arguments apart, since instructions take them from memory.

/// The vectors that a program is written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Target {
    /// Vectors of 512 bits with mask registers (AVX-512), not of 256 bits (AVX2).
    pub(super) is_wide: bool,
    /// Numbers of 64 bits, not of 32.
    pub(super) is_double: bool,
}

impl Target {
    /// The bytes of a vector.
    pub(super) fn vector(self) -> usize {
        if self.is_wide { 64 } else { 32 }
    }

    /// The bytes of a number.
    pub(super) fn number(self) -> usize {
        if self.is_double { 8 } else { 4 }
    }

    /// The numbers of a vector.
    pub(super) fn lanes(self) -> usize {
        self.vector() / self.number()
    }
}

/// What a step takes: the value of a step before it, or a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Operand(u32);

impl Operand {
    const LEAF: u32 = 1 << 31;
    /// Stands where a step takes nothing.
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

    /// The index of the step whose value it is, if it is no leaf.
    #[inline]
    pub(super) fn as_value(self) -> Option<usize> {
        (self.0 & Operand::LEAF == 0).then_some(self.0 as usize)
    }

    /// The index of the leaf that it is, if it is one.
    #[inline]
    pub(super) fn as_leaf(self) -> Option<usize> {
        (self.0 & Operand::LEAF != 0).then_some((self.0 & !Operand::LEAF) as usize)
    }
}

/// What is in memory before the first step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum MemoryOperand {
    /// The number with these bits, in every lane.
    Constant(u64),
    /// The number that the run gives for the uniform with this index, in every lane.
    Uniform(u32),
    /// The numbers of an argument.
    Input {
        /// Which argument.
        index: u32,
        /// Which of the vectors that one pass of the loop takes.
        copy: u32,
    },
}

/// How a whole number is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Direction {
    Nearest = 0,
    Down = 1,
    Up = 2,
    ToZero = 3,
}

/// What a step does. Lane by lane it is what the method of [`Lane`](crate::Lane) of like name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum VectorOperation {
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
    /// Bits of three values: the bit of the table at place 4 a + 2 b + c.
    Logic(u8),
    Sqrt,
    Whole(Direction),
    ShiftUp(u8),
    ShiftDown(u8),
    /// Where 0 is less than 1. A mask, like all that follow until [`Pick`](VectorOperation::Pick).
    Less,
    /// Where 0 equals 1.
    Equal,
    /// Where 0 is NaN.
    Nan,
    /// Where the sign bit is set. (256-bit instructions take any number for such a mask.)
    Negative,
    /// `0 ? 1 : 2`, of which 0 is a mask.
    Pick,
    /// Yields 0 as the output of the code with this index; it has no value.
    Output(u16),
    /// Remembers the largest 0; it has no value.
    TrackLargest,
}

impl VectorOperation {
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

    /// Number of operands.
    #[inline]
    pub(super) fn arity(self) -> usize {
        self.shape().0
    }

    /// Unit of the processor that executes the operation.
    #[inline]
    pub(super) fn unit(self) -> Unit {
        self.shape().1
    }

    /// Whether the first two operands may change places.
    #[inline]
    pub(super) fn is_commutative(self) -> bool {
        matches!(
            self,
            VectorOperation::Add
                | VectorOperation::Mul
                | VectorOperation::And
                | VectorOperation::Or
                | VectorOperation::Xor
                | VectorOperation::IntAdd
                | VectorOperation::Equal
                | VectorOperation::MulAdd
                | VectorOperation::MulSub
                | VectorOperation::NegMulAdd
        )
    }

    /// Whether its value is a mask.
    #[inline]
    pub(super) fn is_mask(self) -> bool {
        matches!(
            self,
            VectorOperation::Less
                | VectorOperation::Equal
                | VectorOperation::Nan
                | VectorOperation::Negative
        )
    }
}

/// The part of a processor that does an operation, as far as AMD's newer ones tell them apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Adder,
    Multiplier,
    Any,
}

/// One step of a [`Program`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorStep {
    pub(super) operation: VectorOperation,
    pub(super) operands: [Operand; 3],
}

impl VectorStep {
    /// What it takes, in order.
    #[inline]
    pub(super) fn taken(&self) -> &[Operand] {
        &self.operands[..self.operation.arity()]
    }

    /// The steps whose values it takes.
    #[inline]
    pub(super) fn values(&self) -> impl Iterator<Item = usize> {
        // Where nothing is taken stands no value either.
        self.operands.into_iter().filter_map(Operand::as_value)
    }
}

/// What machine code is written of.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) target: Target,
    /// The steps, each after what it takes.
    pub(super) steps: Vec<VectorStep>,
    pub(super) leaves: Vec<MemoryOperand>,
    /// How many vectors one pass of the loop takes. Each step is there as often, one for each vector in order.
    pub(super) copies: usize,
    /// The bits of 1.
    pub(super) one: u64,
}
