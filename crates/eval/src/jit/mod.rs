//! Machine code for x86-64: a [`Code`] as one loop over vectors, without calls, with values in registers.
//!
//! The way: [`lowering`] runs each instruction's meaning on virtual registers, [`order`] and [`logic`] improve what comes
//! of it, [`write`](mod@write) gives registers and writes bytes, [`memory`] holds and calls them. The bits of the results are
//! those of the other backends.
//!
//! Two things are left to others. Sine and its kin have their near part only: if a number was beyond it, the run says
//! that it does not count. And minimum and maximum are one instruction each, which gives the wrong operand if one is
//! NaN; but then it raises the processor's flag for invalid operations, as does every operation that makes a NaN of
//! numbers. If the flag is up, the run does not count, or is repeated by careful code, which is written when that
//! happens more often.

mod addresses;
mod allocation;
mod encode;
mod frame;
mod known;
#[cfg(test)]
mod laws;
mod logic;
mod lowering;
mod memory;
mod opcode;
mod operation;
mod order;
mod registers;
mod select;
mod uses;
mod write;

use std::marker::PhantomData;
use std::sync::OnceLock;

use crate::code::Code;
use crate::cpu::InstructionSet;
use crate::lane::Float;

use frame::{Frame, Layout};
use lowering::{Lowered, Nans};
use memory::Executable;
use operation::{Leaf, Target};

/// For how many runs in a row something slower is used before the fast code is tried again.
const CAREFUL_RUNS: u32 = 64;
/// What counts as often, where a failure counts 2 and a success takes 1 away.
const OFTEN: u32 = 4;

/// Machine code of a [`Code`], for one number type and instruction set. It is immutable and shared between threads.
#[derive(Debug)]
pub(crate) struct Machine<T: Float> {
    fast: Routine,
    /// Code that minds NaN, and what it is written from; none if the fast one does.
    careful: Option<Careful>,
    number: PhantomData<fn(T)>,
}

/// The memory of one thread for a [`Machine`].
#[derive(Debug)]
pub(crate) struct Scratch<T: Float> {
    fast: Frame,
    careful: Option<Frame>,
    /// Arguments and outputs of less than a pass, one after the other.
    few: Vec<T>,
    /// How often the flag was up of late, and how many runs the careful code does without asking.
    failures: u32,
    careful_runs: u32,
    /// How often angles were too far of late, and how many runs are left to others without trying.
    far: u32,
    skipped_runs: u32,
}

#[derive(Debug)]
struct Careful {
    code: Code,
    varying: usize,
    target: Target,
    routine: OnceLock<Option<Routine>>,
}

/// One piece of machine code.
#[derive(Debug)]
struct Routine {
    executable: Executable,
    layout: Layout,
    has_far: bool,
    relies_on_numbers: bool,
}

/// What became of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// The outputs are right.
    Good,
    /// A number was too far for the functions of angles.
    Far,
    /// There may have been a NaN.
    Invalid,
}

impl<T: Float> Machine<T> {
    /// Machine code of `code`, whose inputs before `varying` are one number for each point; the others are uniforms.
    ///
    /// None if the instruction set has none, the processor does not have it, the code asks oracles, or the system gives
    /// no memory for it. Takes time in proportion to the code.
    pub(crate) fn write(code: &Code, varying: usize, set: InstructionSet) -> Option<Machine<T>> {
        let is_wide = match set {
            InstructionSet::Portable => return None,
            InstructionSet::Avx2 => false,
            InstructionSet::Avx512 => true,
        };
        if !set.is_available() {
            return None;
        }
        let target = Target {
            is_wide,
            is_double: size_of::<T>() == 8,
        };
        let fast = Routine::new::<T>(code, varying, target, Nans::Told)?;
        let careful = fast.relies_on_numbers.then(|| Careful {
            code: code.clone(),
            varying,
            target,
            routine: OnceLock::new(),
        });
        Some(Machine {
            fast,
            careful,
            number: PhantomData,
        })
    }

    /// Memory for one thread.
    pub(crate) fn scratch(&self) -> Scratch<T> {
        Scratch {
            fast: Frame::new(&self.fast.layout),
            careful: None,
            few: Vec::new(),
            failures: 0,
            careful_runs: 0,
            far: 0,
            skipped_runs: 0,
        }
    }

    /// Runs over points: `inputs` and `outputs` have one number for each. Says whether the outputs count; if not, they
    /// hold anything, and another backend has to compute them.
    ///
    /// It counts or not as a whole, so it is best run over some thousand points at a time. `scratch` has to be this
    /// machine's.
    ///
    /// # Panics
    /// If there are not as many inputs, uniforms and outputs as the code has, or they differ in length.
    #[must_use]
    pub(crate) fn run(
        &self,
        scratch: &mut Scratch<T>,
        inputs: &[&[T]],
        uniforms: &[T],
        outputs: &mut [&mut [T]],
    ) -> bool {
        if outputs.first().is_none_or(|output| output.is_empty()) {
            return true;
        }
        if scratch.skipped_runs > 0 {
            scratch.skipped_runs -= 1;
            return false;
        }
        if scratch.careful_runs == 0 {
            let few = &mut scratch.few;
            match self
                .fast
                .run(&mut scratch.fast, few, inputs, uniforms, outputs)
            {
                End::Good => {
                    scratch.failures = scratch.failures.saturating_sub(1);
                    scratch.far = scratch.far.saturating_sub(1);
                    return true;
                }
                End::Far => {
                    scratch.far = (scratch.far + 2).min(OFTEN);
                    if scratch.far == OFTEN {
                        scratch.skipped_runs = CAREFUL_RUNS;
                    }
                    return false;
                }
                End::Invalid => {
                    scratch.failures = (scratch.failures + 2).min(OFTEN);
                    if scratch.failures < OFTEN {
                        return false;
                    }
                    scratch.careful_runs = CAREFUL_RUNS;
                }
            }
        }
        scratch.careful_runs -= 1;
        let Some(routine) = self.careful.as_ref().and_then(Careful::routine::<T>) else {
            return false;
        };
        let frame = scratch
            .careful
            .get_or_insert_with(|| Frame::new(&routine.layout));
        routine.run(frame, &mut scratch.few, inputs, uniforms, outputs) == End::Good
    }
}

impl Careful {
    fn routine<T: Float>(&self) -> Option<&Routine> {
        let write = || Routine::new::<T>(&self.code, self.varying, self.target, Nans::Minded);
        self.routine.get_or_init(write).as_ref()
    }
}

impl Routine {
    fn new<T: Float>(code: &Code, varying: usize, target: Target, nans: Nans) -> Option<Routine> {
        let lowered = lowering::lower::<T>(code, varying, target, nans)?;
        Routine::of(lowered, varying, code.outputs().len())
    }

    /// The code of some steps.
    fn of(mut lowered: Lowered, varying: usize, outputs: usize) -> Option<Routine> {
        lowered.join_logic();
        let target = lowered.target;
        let registers = if target.is_wide { 31 } else { 15 };
        let program = lowered.arranged(registers, |waiting| copies(&lowered, waiting));
        let written = write::write(&program, varying);
        Some(Routine {
            executable: Executable::new(&written, varying, outputs)?,
            layout: written.layout,
            has_far: written.has_far,
            relies_on_numbers: lowered.relies_on_numbers,
        })
    }

    fn run<T: Float>(
        &self,
        frame: &mut Frame,
        few: &mut Vec<T>,
        inputs: &[&[T]],
        uniforms: &[T],
        outputs: &mut [&mut [T]],
    ) -> End {
        frame.set_uniforms(&self.layout, |index| uniforms[index].to_bits());
        let points = outputs[0].len();
        if points >= self.executable.pass() {
            self.executable.run(frame, inputs, outputs);
        } else {
            self.run_few(frame, few, inputs, outputs);
        }
        let is_near = |bits: u64| {
            let number = crate::Lane::bits(T::ZERO, bits);
            number <= T::FAR
        };
        if self.relies_on_numbers && frame.was_invalid() {
            End::Invalid
        } else if self.has_far && !frame.farthest(self.layout.target).all(is_near) {
            End::Far
        } else {
            End::Good
        }
    }

    /// Runs over less than a pass, in copies that are filled up with the first point.
    fn run_few<T: Float>(
        &self,
        frame: &mut Frame,
        few: &mut Vec<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) {
        let pass = self.executable.pass();
        few.clear();
        for input in inputs {
            few.extend_from_slice(input);
            few.resize(few.len() + pass - input.len(), input[0]);
        }
        few.resize(few.len() + outputs.len() * pass, T::ZERO);
        let (full_inputs, full_outputs) = few.split_at_mut(inputs.len() * pass);
        let full_inputs: Vec<&[T]> = full_inputs.chunks(pass).collect();
        let mut full_outputs: Vec<&mut [T]> = full_outputs.chunks_mut(pass).collect();
        self.executable.run(frame, &full_inputs, &mut full_outputs);
        for (output, full) in outputs.iter_mut().zip(full_outputs) {
            output.copy_from_slice(&full[..output.len()]);
        }
    }
}

/// How many vectors one pass of the loop takes: where the results of one have to be waited for, those of another are
/// computed. Measured on the functions of `benches`: beyond 16 registers the values that have to leave theirs cost more
/// than the waiting, with 32 registers too.
fn copies(lowered: &Lowered, waiting: usize) -> usize {
    let inputs = lowered
        .leaves
        .iter()
        .filter(|leaf| matches!(leaf, Leaf::Input { .. }));
    let registers = (waiting + inputs.count()).max(1);
    16_usize.div_ceil(registers).min(4)
}
