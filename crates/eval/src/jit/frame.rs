//! The frame: the memory of one thread for machine code. It holds constants and uniforms, spill slots, MXCSR and the
//! largest angles.

use super::program::{MemoryOperand, Target};

/// Bytes before the constants: 64 for copies of MXCSR, 64 for the largest angles.
pub(super) const HEAD: usize = 128;
pub(super) const CALLER_MXCSR: usize = 0;
/// Offset of the MXCSR for the run.
pub(super) const RUN_MXCSR: usize = 4;
/// Offset of the MXCSR after the run, with the exception flags that it raised.
pub(super) const RESULT_MXCSR: usize = 8;
pub(super) const LARGEST_ANGLES: usize = 64;

/// MXCSR: round to nearest, keep subnormal numbers, mask all exceptions, no flag raised.
const DEFAULT_MXCSR: u32 = 0x1F80;
/// MXCSR's flag for invalid operations.
const INVALID: u32 = 1;

#[derive(Debug, Clone)]
pub(super) struct Layout {
    pub(super) target: Target,
    pub(super) numbers: Vec<MemoryOperand>,
    /// For each uniform, its index among the numbers, and which uniform it is.
    uniforms: Vec<(u32, u32)>,
    pub(super) spill_bytes: usize,
}

impl Layout {
    pub(super) fn new(target: Target, numbers: Vec<MemoryOperand>) -> Layout {
        let uniforms = numbers.iter().enumerate().filter_map(|(place, number)| {
            if let MemoryOperand::Uniform(uniform) = *number {
                Some((place as u32, uniform))
            } else {
                None
            }
        });
        Layout {
            target,
            uniforms: uniforms.collect(),
            numbers,
            spill_bytes: 0,
        }
    }

    /// Bytes from one number to the next. Instructions on 256-bit vectors cannot broadcast: for them each number is
    /// stored in all lanes.
    pub(super) fn number_stride(&self) -> usize {
        if self.target.is_wide {
            self.target.number()
        } else {
            self.target.vector()
        }
    }

    /// Offset of the spill slots.
    pub(super) fn spill_offset(&self) -> usize {
        (HEAD + self.numbers.len() * self.number_stride()).next_multiple_of(64)
    }

    /// Offset to which the register for numbers points, so that short displacements reach more of them.
    pub(super) fn numbers_bias(&self) -> usize {
        HEAD + if self.target.is_wide {
            128 * self.target.number()
        } else {
            128
        }
    }

    /// Offset to which the register for spill slots points.
    pub(super) fn spill_bias(&self) -> usize {
        self.spill_offset() + if self.target.is_wide { 128 * 64 } else { 128 }
    }
}

/// 64 bytes at an address that is a multiple of 64.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// The memory of one thread for one piece of machine code.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    lines: Vec<Line>,
}

impl Frame {
    /// A frame with all constants.
    pub(super) fn new(layout: &Layout) -> Frame {
        let bytes = layout.spill_offset() + layout.spill_bytes;
        let mut frame = Frame {
            lines: vec![Line([0; 64]); bytes.div_ceil(64)],
        };
        frame.write(RUN_MXCSR, DEFAULT_MXCSR.to_le_bytes());
        for (index, &number) in layout.numbers.iter().enumerate() {
            if let MemoryOperand::Constant(bits) = number {
                frame.set_number(layout, index, bits);
            }
        }
        frame
    }

    #[inline]
    pub(super) fn set_uniforms(&mut self, layout: &Layout, bits: impl Fn(usize) -> u64) {
        for &(place, uniform) in &layout.uniforms {
            self.set_number(layout, place as usize, bits(uniform as usize));
        }
    }

    /// True if the run raised the flag for invalid operations.
    pub(super) fn was_invalid(&self) -> bool {
        let modes = self.read(RESULT_MXCSR, 4) as u32;
        modes & INVALID != 0
    }

    /// Bits of the largest angle of each lane.
    pub(super) fn largest_angles(&self, target: Target) -> impl Iterator<Item = u64> {
        let size = target.number();
        (0..target.lanes()).map(move |lane| self.read(LARGEST_ANGLES + lane * size, size))
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len() * 64
    }

    pub(super) fn start(&mut self) -> *mut u8 {
        self.lines.as_mut_ptr().cast()
    }

    #[inline]
    fn set_number(&mut self, layout: &Layout, index: usize, bits: u64) {
        let number_stride = layout.number_stride();
        let at = HEAD + index * number_stride;
        // By the size, so that each is one store and no call to copy some bytes.
        if layout.target.is_double {
            for lane in 0..number_stride / 8 {
                self.write(at + lane * 8, bits.to_le_bytes());
            }
        } else {
            for lane in 0..number_stride / 4 {
                self.write(at + lane * 4, (bits as u32).to_le_bytes());
            }
        }
    }

    /// Writes bytes that lie in one line.
    #[inline]
    fn write<const SIZE: usize>(&mut self, at: usize, bytes: [u8; SIZE]) {
        self.lines[at / 64].0[at % 64..][..SIZE].copy_from_slice(&bytes);
    }

    /// The number with up to 8 bytes in one line.
    fn read(&self, at: usize, size: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(&self.lines[at / 64].0[at % 64..][..size]);
        u64::from_le_bytes(bytes)
    }
}
