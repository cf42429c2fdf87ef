//! Machine code for x86-64: a [`Code`] as one loop over vectors, without calls, with values in registers.
//!
//! The passes: [`lowering`] runs the meaning of each instruction on virtual registers, with [`value_numbering`];
//! [`ternary_logic`] combines bit operations; [`scheduling`] orders the steps and eliminates dead code; [`codegen`]
//! scans them once for [`register_allocation`] over [`live_ranges`], [`instruction_selection`] and the [`encoder`];
//! [`executable`] holds and calls the result. Its results have the bits of the other backends.
//!
//! Two cases are left to the other backends. Sine, cosine and tangent are valid up to the reduction limit: a run with
//! a larger angle is rejected. Minimum and maximum are one instruction each, which yields the wrong operand if one is
//! NaN; but then it raises the processor's flag for invalid operations, as does every operation that makes a NaN of
//! numbers. If the flag is up, the run is rejected, or repeated by code that handles NaN, which is generated when that
//! happens often.

mod addressing;
mod codegen;
mod encoder;
mod executable;
mod frame;
mod instruction_selection;
#[cfg(test)]
mod laws;
mod live_ranges;
mod lowering;
mod opcode;
mod program;
mod register_allocation;
mod register_file;
mod scheduling;
mod ternary_logic;
mod value_numbering;

use std::marker::PhantomData;
use std::sync::OnceLock;

use crate::code::Code;
use crate::cpu::InstructionSet;
use crate::lane::Float;

use executable::Executable;
use frame::{Frame, Layout};
use lowering::{LoweredProgram, NanHandling};
use program::{MemoryOperand, Target};

/// Number of runs for which a slower path is used before the fast code is retried.
const FALLBACK_RUNS: u32 = 64;
/// Score from which failures are frequent: a failure adds 2, a success subtracts 1.
const FAILURE_LIMIT: u32 = 4;

/// Machine code of a [`Code`], for one number type and instruction set. It is immutable and shared between threads.
#[derive(Debug)]
pub(crate) struct Machine<T: Float> {
    fast: Routine,
    /// Code that handles NaN; `None` if the fast one does.
    nan_exact: Option<NanExact>,
    number: PhantomData<fn(T)>,
}

/// The memory of one thread for a [`Machine`].
#[derive(Debug)]
pub(crate) struct Scratch<T: Float> {
    fast: Frame,
    nan_exact: Option<Frame>,
    /// Arguments and outputs of less than a pass, padded, one after the other.
    padded: Vec<T>,
    /// Score of runs that raised the flag, and the number of runs left for the code that handles NaN.
    failures: u32,
    nan_exact_runs: u32,
    /// Score of runs with large angles, and the number of runs left to skip.
    large_angles: u32,
    skipped_runs: u32,
}

#[derive(Debug)]
struct NanExact {
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
    has_reduction_limit: bool,
    assumes_no_nan: bool,
}

/// Outcome of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RunOutcome {
    /// The outputs are valid.
    Valid,
    /// An angle was beyond the reduction limit.
    LargeAngle,
    /// A minimum or maximum may have met a NaN.
    Invalid,
}

impl<T: Float> Machine<T> {
    /// Generates the machine code of `code`, whose inputs before `varying` are one number for each point; the others
    /// are uniforms.
    ///
    /// Returns `None` if the instruction set is portable or not available, the code samples oracles, or the system has
    /// no memory. Takes time in proportion to the code.
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
        let fast = Routine::new::<T>(code, varying, target, NanHandling::Flagged)?;
        let nan_exact = fast.assumes_no_nan.then(|| NanExact {
            code: code.clone(),
            varying,
            target,
            routine: OnceLock::new(),
        });
        Some(Machine {
            fast,
            nan_exact,
            number: PhantomData,
        })
    }

    pub(crate) fn scratch(&self) -> Scratch<T> {
        Scratch {
            fast: Frame::new(&self.fast.layout),
            nan_exact: None,
            padded: Vec::new(),
            failures: 0,
            nan_exact_runs: 0,
            large_angles: 0,
            skipped_runs: 0,
        }
    }

    /// Runs over points: `inputs` and `outputs` have one number for each. Returns true if the outputs are
    /// valid; if not, they hold anything, and another backend has to compute them.
    ///
    /// A run is valid or not as a whole, so some thousand points at a time are best. `scratch` has to be this
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
        if scratch.nan_exact_runs == 0 {
            let padded = &mut scratch.padded;
            match self
                .fast
                .run(&mut scratch.fast, padded, inputs, uniforms, outputs)
            {
                RunOutcome::Valid => {
                    scratch.failures = scratch.failures.saturating_sub(1);
                    scratch.large_angles = scratch.large_angles.saturating_sub(1);
                    return true;
                }
                RunOutcome::LargeAngle => {
                    scratch.large_angles = (scratch.large_angles + 2).min(FAILURE_LIMIT);
                    if scratch.large_angles == FAILURE_LIMIT {
                        scratch.skipped_runs = FALLBACK_RUNS;
                    }
                    return false;
                }
                RunOutcome::Invalid => {
                    scratch.failures = (scratch.failures + 2).min(FAILURE_LIMIT);
                    if scratch.failures < FAILURE_LIMIT {
                        return false;
                    }
                    scratch.nan_exact_runs = FALLBACK_RUNS;
                }
            }
        }
        scratch.nan_exact_runs -= 1;
        let Some(routine) = self.nan_exact.as_ref().and_then(NanExact::routine::<T>) else {
            return false;
        };
        let frame = scratch
            .nan_exact
            .get_or_insert_with(|| Frame::new(&routine.layout));
        routine.run(frame, &mut scratch.padded, inputs, uniforms, outputs) == RunOutcome::Valid
    }
}

impl NanExact {
    fn routine<T: Float>(&self) -> Option<&Routine> {
        let write = || Routine::new::<T>(&self.code, self.varying, self.target, NanHandling::Exact);
        self.routine.get_or_init(write).as_ref()
    }
}

impl Routine {
    fn new<T: Float>(
        code: &Code,
        varying: usize,
        target: Target,
        nan_handling: NanHandling,
    ) -> Option<Routine> {
        let lowered = lowering::lower::<T>(code, varying, target, nan_handling)?;
        Routine::of(lowered, varying, code.outputs().len())
    }

    /// Generates the code of some steps.
    fn of(mut lowered: LoweredProgram, varying: usize, outputs: usize) -> Option<Routine> {
        lowered.combine_ternary_logic();
        let target = lowered.target;
        let registers = if target.is_wide { 31 } else { 15 };
        let program = lowered.schedule(registers, |waiting| copies(&lowered, waiting));
        let machine_code = codegen::generate(&program, varying);
        Some(Routine {
            executable: Executable::new(&machine_code, varying, outputs)?,
            layout: machine_code.layout,
            has_reduction_limit: machine_code.has_reduction_limit,
            assumes_no_nan: lowered.assumes_no_nan,
        })
    }

    fn run<T: Float>(
        &self,
        frame: &mut Frame,
        padded: &mut Vec<T>,
        inputs: &[&[T]],
        uniforms: &[T],
        outputs: &mut [&mut [T]],
    ) -> RunOutcome {
        frame.set_uniforms(&self.layout, |index| uniforms[index].to_bits());
        let points = outputs[0].len();
        if points >= self.executable.pass() {
            self.executable.run(frame, inputs, outputs);
        } else {
            self.run_padded(frame, padded, inputs, outputs);
        }
        let is_near = |bits: u64| {
            let number = crate::Lane::bits(T::ZERO, bits);
            number <= T::REDUCTION_LIMIT
        };
        if self.assumes_no_nan && frame.was_invalid() {
            RunOutcome::Invalid
        } else if self.has_reduction_limit && !frame.largest_angles(self.layout.target).all(is_near)
        {
            RunOutcome::LargeAngle
        } else {
            RunOutcome::Valid
        }
    }

    /// Runs over less than a pass, in copies that are padded with the first point.
    fn run_padded<T: Float>(
        &self,
        frame: &mut Frame,
        padded: &mut Vec<T>,
        inputs: &[&[T]],
        outputs: &mut [&mut [T]],
    ) {
        let pass = self.executable.pass();
        padded.clear();
        for input in inputs {
            padded.extend_from_slice(input);
            padded.resize(padded.len() + pass - input.len(), input[0]);
        }
        padded.resize(padded.len() + outputs.len() * pass, T::ZERO);
        let (full_inputs, full_outputs) = padded.split_at_mut(inputs.len() * pass);
        let full_inputs: Vec<&[T]> = full_inputs.chunks(pass).collect();
        let mut full_outputs: Vec<&mut [T]> = full_outputs.chunks_mut(pass).collect();
        self.executable.run(frame, &full_inputs, &mut full_outputs);
        for (output, full) in outputs.iter_mut().zip(full_outputs) {
            output.copy_from_slice(&full[..output.len()]);
        }
    }
}

/// Unrolling factor of the loop: independent vectors hide the latency of each other. Measured on the functions of
/// `benches`: beyond 16 registers spills cost more than the latency, with 32 registers too.
fn copies(lowered: &LoweredProgram, waiting: usize) -> usize {
    let inputs = lowered
        .leaves
        .iter()
        .filter(|leaf| matches!(leaf, MemoryOperand::Input { .. }));
    let registers = (waiting + inputs.count()).max(1);
    16_usize.div_ceil(registers).min(4)
}
