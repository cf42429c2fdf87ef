//! Memory that holds machine code, and the one call into it: all that the compiler cannot check.
//!
//! Memory is written while it may not be executed, and executed when it can no longer be written. What makes the call
//! sound: [`codegen`](super::codegen) is the only source of what is executed. Its code reads and writes, at the
//! offsets 0 to `last + stride` of its loop, the arguments and outputs that it names, and the frame that its layout
//! describes; [`Executable::run`] checks that all of them are there and long enough before it calls. It preserves the
//! callee-saved registers and the caller's MXCSR. Settings with an instruction set that the processor lacks get no
//! code ([`Machine::write`](super::Machine::write)).

use memmap2::{Mmap, MmapMut};
use smallvec::SmallVec;

use super::codegen::MachineCode;
use super::frame::Frame;
use crate::Float;

/// Machine code that can be run.
#[derive(Debug)]
pub(super) struct Executable {
    code: Mmap,
    /// Minimal size of a frame, and the offsets of its two biased pointers.
    frame: usize,
    numbers: usize,
    wait: usize,
    /// Points of one pass of the loop.
    pass: usize,
    /// Number of arguments and of outputs.
    inputs: usize,
    outputs: usize,
}

/// The generated function; [`codegen`](super::codegen) lists its parameters.
type Function = unsafe extern "sysv64" fn(*mut u8, *const *mut u8, usize, *mut u8);

impl Executable {
    /// Maps code into memory; `None` if the system has no memory.
    pub(super) fn new(
        machine_code: &MachineCode,
        inputs: usize,
        outputs: usize,
    ) -> Option<Executable> {
        let mut memory = MmapMut::map_anon(machine_code.bytes.len()).ok()?;
        memory.copy_from_slice(&machine_code.bytes);
        let layout = &machine_code.layout;
        Some(Executable {
            code: memory.make_exec().ok()?,
            frame: layout.spill_offset() + layout.spill_bytes,
            numbers: layout.numbers_bias(),
            wait: layout.spill_bias(),
            pass: machine_code.stride / layout.target.number(),
            inputs,
            outputs,
        })
    }

    /// Minimal number of points of a run.
    pub(super) fn pass(&self) -> usize {
        self.pass
    }

    /// Runs over all points of the arguments.
    ///
    /// # Panics
    /// If there are fewer points than in a [`pass`](Executable::pass), or fewer arguments or outputs than the code has,
    /// if one has another length than the first output, or the frame is another code's.
    #[expect(unsafe_code, reason = "machine code is called")]
    pub(super) fn run<T: Float>(
        &self,
        frame: &mut Frame,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) {
        assert_eq!(
            inputs.len(),
            self.inputs,
            "as many arguments as the code has"
        );
        assert_eq!(
            outputs.len(),
            self.outputs,
            "as many outputs as the code has"
        );
        let points = outputs.first().map_or(0, |output| output.len());
        assert!(points >= self.pass, "a pass takes that many points");
        assert!(
            inputs.iter().all(|input| input.len() == points)
                && outputs.iter().all(|output| output.len() == points),
            "all have one length"
        );
        assert!(frame.len() >= self.frame, "the frame is this code's");
        let table: SmallVec<[*mut u8; 16]> = inputs
            .iter()
            .map(|input| input.as_ptr().cast_mut().cast())
            .chain(outputs.iter_mut().map(|output| output.as_mut_ptr().cast()))
            .collect();
        let last = (points - self.pass) * size_of::<T>();
        let start = frame.start();
        let (numbers, wait) = (
            start.wrapping_add(self.numbers),
            start.wrapping_add(self.wait),
        );
        // SAFETY: the memory begins with a function of this type, and stays while `self` does. What it reads and
        // writes is there, as checked above; it writes to no argument, and no output is another one, since they are
        // borrowed so.
        unsafe {
            let function: Function = std::mem::transmute(self.code.as_ptr());
            function(numbers, table.as_ptr(), last, wait);
        }
    }
}
