//! Which instruction does what, for both lengths of vectors and both sizes of numbers.

use super::encoder::Opcode;
use super::program::{Direction, Target, VectorOperation};

/// Compare: less, and quiet about NaN.
pub(super) const LESS: u8 = 0x11;
/// Compare: greater, and quiet about NaN.
pub(super) const GREATER: u8 = 0x1E;
/// Compare: equal, and quiet about NaN.
pub(super) const EQUAL: u8 = 0x00;
/// Compare: one is NaN.
pub(super) const UNORDERED: u8 = 0x03;

/// Where two registers differ: no bits of one that is compared with itself.
pub(super) const DIFFERENCE: Opcode = Opcode {
    map: 1,
    prefix: 1,
    w: false,
    byte: 0xEF,
};

impl Target {
    /// `vaddps` and its kin.
    const fn float(self, byte: u8) -> Opcode {
        Opcode::new(
            1,
            self.is_double as u8,
            self.is_double && self.is_wide,
            byte,
        )
    }

    /// Instructions of a number's size by the bit W, also in the short vectors.
    const fn sized(self, map: u8, byte: u8) -> Opcode {
        Opcode::new(map, 1, self.is_double, byte)
    }

    /// Instructions of a number's size by their byte, and in the long vectors by the bit W too.
    const fn paired(self, map: u8, single: u8, double: u8) -> Opcode {
        let byte = if self.is_double { double } else { single };
        Opcode::new(map, 1, self.is_double && self.is_wide, byte)
    }

    /// The instruction of an operation that takes two values, or one that stands last.
    pub(super) fn plain(self, operation: VectorOperation) -> Option<Opcode> {
        Some(match operation {
            VectorOperation::Add => self.float(0x58),
            VectorOperation::Mul => self.float(0x59),
            VectorOperation::Sub => self.float(0x5C),
            VectorOperation::Lesser => self.float(0x5D),
            VectorOperation::Div => self.float(0x5E),
            VectorOperation::Greater => self.float(0x5F),
            VectorOperation::Sqrt => self.float(0x51),
            VectorOperation::And => self.float(0x54),
            VectorOperation::Or => self.float(0x56),
            VectorOperation::Xor => self.float(0x57),
            VectorOperation::IntAdd => self.paired(1, 0xFE, 0xD4),
            VectorOperation::IntSub => self.paired(1, 0xFA, 0xFB),
            VectorOperation::Scale => self.sized(2, 0x2C),
            VectorOperation::Whole(_) => self.paired(3, 0x08, 0x09),
            VectorOperation::MulAdd
            | VectorOperation::MulSub
            | VectorOperation::NegMulAdd
            | VectorOperation::Logic(_)
            | VectorOperation::ShiftUp(_)
            | VectorOperation::ShiftDown(_)
            | VectorOperation::Less
            | VectorOperation::Equal
            | VectorOperation::Nan
            | VectorOperation::Negative
            | VectorOperation::Pick
            | VectorOperation::Output { .. }
            | VectorOperation::TrackLargest => return None,
        })
    }

    /// Fused products and sums, of which the first operand is overwritten: in the order 132, 213 or 231 of what is
    /// multiplied, multiplied, added.
    pub(super) fn fused(self, operation: VectorOperation, order: FusedOrder) -> Opcode {
        let kind = if operation == VectorOperation::MulAdd {
            0x08
        } else if operation == VectorOperation::MulSub {
            0x0A
        } else {
            0x0C
        };
        let order = match order {
            FusedOrder::FirstThirdSecond => 0x90,
            FusedOrder::SecondFirstThird => 0xA0,
            FusedOrder::SecondThirdFirst => 0xB0,
        };
        self.sized(2, kind | order)
    }

    /// From a register, of a whole vector.
    pub(super) const fn copy(self) -> Opcode {
        self.float(0x28)
    }

    /// From memory, of a whole vector.
    pub(super) const fn load(self) -> Opcode {
        self.float(0x10)
    }

    /// To memory, of a whole vector.
    pub(super) const fn store(self) -> Opcode {
        self.float(0x11)
    }

    /// From memory, of one number for all lanes.
    pub(super) const fn broadcast(self) -> Opcode {
        self.paired(2, 0x18, 0x19)
    }

    /// Shifts by an immediate number.
    pub(super) const fn shift(self) -> Opcode {
        self.paired(1, 0x72, 0x73)
    }

    pub(super) const fn compare(self) -> Opcode {
        self.float(0xC2)
    }

    /// A mask of the sign bits; long vectors only.
    pub(super) const fn signs(self) -> Opcode {
        Opcode::new(2, 2, self.is_double, 0x39)
    }

    /// One or the other, by a mask.
    pub(super) const fn pick(self) -> Opcode {
        if self.is_wide {
            self.sized(2, 0x65)
        } else {
            Opcode::new(3, 1, false, if self.is_double { 0x4B } else { 0x4A })
        }
    }

    /// Bits of three values by a table; long vectors only.
    pub(super) const fn logic(self) -> Opcode {
        self.sized(3, 0x25)
    }

    /// The larger one of whole numbers without sign: of 64 bits in long vectors of such numbers, else of 32 bits.
    pub(super) const fn unsigned_max(self) -> Opcode {
        Opcode::new(2, 1, self.is_double && self.is_wide, 0x3F)
    }
}

/// In which order a fused instruction's operands are multiplied, multiplied and added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FusedOrder {
    FirstThirdSecond,
    SecondFirstThird,
    SecondThirdFirst,
}

impl Direction {
    /// How a rounding instruction is told it; it tells nobody that the number was no whole one.
    pub(super) fn immediate(self) -> u8 {
        8 | self as u8
    }
}
