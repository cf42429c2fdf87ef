//! Registers: which value each holds, and which one has to make room: the one that is not needed for the longest time
//! (L. A. Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5, 1966).

use super::live_ranges::NEVER;

/// The registers of one kind, of which there are 32 at most.
pub(super) struct RegisterFile {
    /// For each register, what it holds and when that is needed next.
    holds: [u32; 32],
    needed: [u32; 32],
    free: u32,
    taken: u32,
}

impl RegisterFile {
    /// The registers with numbers in `which`, as bits.
    pub(super) fn new(which: u32) -> RegisterFile {
        RegisterFile {
            holds: [0; 32],
            needed: [NEVER; 32],
            free: which,
            taken: 0,
        }
    }

    /// A free one, if there is one.
    #[inline]
    pub(super) fn free(&self) -> Option<u8> {
        (self.free != 0).then(|| self.free.trailing_zeros() as u8)
    }

    /// Whether one would be left if one were taken.
    #[inline]
    pub(super) fn has_two_free(&self) -> bool {
        self.free & self.free.wrapping_sub(1) != 0
    }

    /// The one whose value is not needed for the longest time, and its value. It is none that the step needs which is
    /// written now, since there are more registers than a step has operands.
    pub(super) fn furthest_use(&self) -> (u8, u32) {
        let mut rest = self.taken;
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
        self.taken |= 1 << register;
        self.holds[usize::from(register)] = value;
        self.needed[usize::from(register)] = needed;
    }

    /// Says when the value of a register is needed next.
    #[inline]
    pub(super) fn set_needed(&mut self, register: u8, needed: u32) {
        self.needed[usize::from(register)] = needed;
    }

    /// Gives a register back.
    #[inline]
    pub(super) fn release(&mut self, register: u8) {
        self.taken &= !(1 << register);
        self.free |= 1 << register;
    }
}
