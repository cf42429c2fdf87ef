//! Register files: the value of each register, and the one to spill, whose next use is furthest away
//! (L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966).

use super::live_ranges::NEVER;

/// Registers of one kind, at most 32.
pub(super) struct RegisterFile {
    /// Entity in each register, and its next use.
    holds: [u32; 32],
    needed: [u32; 32],
    free: u32,
    occupied: u32,
}

impl RegisterFile {
    /// The registers with numbers in `which`, as bits.
    pub(super) fn new(which: u32) -> RegisterFile {
        RegisterFile {
            holds: [0; 32],
            needed: [NEVER; 32],
            free: which,
            occupied: 0,
        }
    }

    /// A free one, if there is one.
    #[inline]
    pub(super) fn free(&self) -> Option<u8> {
        (self.free != 0).then(|| self.free.trailing_zeros() as u8)
    }

    /// True if at least two are free.
    #[inline]
    pub(super) fn has_two_free(&self) -> bool {
        self.free & self.free.wrapping_sub(1) != 0
    }

    /// Returns the register whose entity has the furthest next use, and that entity. It is no operand of the current
    /// step, since there are more registers than a step has operands.
    pub(super) fn furthest_use(&self) -> (u8, u32) {
        let mut rest = self.occupied;
        let (mut best, mut when) = (0, 0);
        while rest != 0 {
            let register = rest.trailing_zeros();
            rest &= rest - 1;
            let needed = self.needed[register as usize];
            if needed >= when {
                (best, when) = (register as u8, needed);
            }
        }
        (best, self.holds[usize::from(best)])
    }

    /// Puts a value into a register.
    #[inline]
    pub(super) fn put(&mut self, register: u8, value: u32, needed: u32) {
        self.free &= !(1 << register);
        self.occupied |= 1 << register;
        self.holds[usize::from(register)] = value;
        self.needed[usize::from(register)] = needed;
    }

    /// Sets the next use of the entity in a register.
    #[inline]
    pub(super) fn set_next_use(&mut self, register: u8, needed: u32) {
        self.needed[usize::from(register)] = needed;
    }

    /// Marks a register as free.
    #[inline]
    pub(super) fn release(&mut self, register: u8) {
        self.occupied &= !(1 << register);
        self.free |= 1 << register;
    }
}
