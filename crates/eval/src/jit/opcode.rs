//! Opcodes of the operations, for both lengths of vectors and both sizes of numbers.

use super::encoder::Opcode;
use super::program::{Direction, Target, VectorOp};

/// Comparison predicate: less, quiet on NaN.
pub(super) const LESS: u8 = 0x11;
/// Comparison predicate: greater, quiet on NaN.
pub(super) const GREATER: u8 = 0x1E;
/// Comparison predicate: equal, quiet on NaN.
pub(super) const EQUAL: u8 = 0x00;
/// Comparison predicate: unordered.
pub(super) const UNORDERED: u8 = 0x03;

/// `vpxor`, which clears a register that is both operands.
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

    /// Opcode of an operation with two operands, or with one that stands last.
    pub(super) fn plain(self, operation: VectorOp) -> Option<Opcode> {
        Some(match operation {
            VectorOp::Add => self.float(0x58),
            VectorOp::Mul => self.float(0x59),
            VectorOp::Sub => self.float(0x5C),
            VectorOp::Lesser => self.float(0x5D),
            VectorOp::Div => self.float(0x5E),
            VectorOp::Greater => self.float(0x5F),
            VectorOp::Sqrt => self.float(0x51),
            VectorOp::And => self.float(0x54),
            VectorOp::Or => self.float(0x56),
            VectorOp::Xor => self.float(0x57),
            VectorOp::IntAdd => self.paired(1, 0xFE, 0xD4),
            VectorOp::IntSub => self.paired(1, 0xFA, 0xFB),
            VectorOp::Scale => self.sized(2, 0x2C),
            VectorOp::Whole(_) => self.paired(3, 0x08, 0x09),
            VectorOp::MulAdd
            | VectorOp::MulSub
            | VectorOp::NegMulAdd
            | VectorOp::Logic(_)
            | VectorOp::ShiftUp(_)
            | VectorOp::ShiftDown(_)
            | VectorOp::Less
            | VectorOp::Equal
            | VectorOp::Nan
            | VectorOp::Negative
            | VectorOp::Pick
            | VectorOp::Output { .. }
            | VectorOp::TrackLargest => return None,
        })
    }

    /// Opcode of a fused multiply-add, which overwrites its first operand, in the form 132, 213 or 231.
    pub(super) fn fused(self, operation: VectorOp, order: FusedOrder) -> Opcode {
        let kind = if operation == VectorOp::MulAdd {
            0x08
        } else if operation == VectorOp::MulSub {
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

    /// Blend of two vectors by a mask.
    pub(super) const fn pick(self) -> Opcode {
        if self.is_wide {
            self.sized(2, 0x65)
        } else {
            Opcode::new(3, 1, false, if self.is_double { 0x4B } else { 0x4A })
        }
    }

    /// `vpternlog`: any function of the bits of three values, by its truth table; long vectors only.
    pub(super) const fn logic(self) -> Opcode {
        self.sized(3, 0x25)
    }

    /// Maximum of unsigned integers: of 64 bits in long vectors of such numbers, else of 32 bits.
    pub(super) const fn unsigned_max(self) -> Opcode {
        Opcode::new(2, 1, self.is_double && self.is_wide, 0x3F)
    }
}

/// Form of a fused multiply-add: its operands in the order factor, factor, term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FusedOrder {
    FirstThirdSecond,
    SecondFirstThird,
    SecondThirdFirst,
}

impl Direction {
    /// Immediate operand of the rounding instruction, which suppresses the inexact flag.
    pub(super) fn immediate(self) -> u8 {
        8 | self as u8
    }
}
