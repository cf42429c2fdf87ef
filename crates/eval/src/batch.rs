//! Many points at once: a tiered evaluator that starts with the block interpreter and switches to machine code.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use smallvec::SmallVec;

use crate::block::{self, Blocks};
use crate::code::Code;
use crate::cpu::Settings;
use crate::jit::{self, Machine};
use crate::lane::Float;

/// Passes of the interpreter over its instructions after which machine code is generated, however many points each has.
/// Generation pays off after 5 passes of thousands of instructions and 150 of a few, which take little time.
const JIT_THRESHOLD: u64 = 32;
/// Points per run of the machine code, after which its validity is checked.
const POINTS_PER_RUN: usize = 4_096;

/// A code that is evaluated at many points; immutable and shared between threads.
///
/// The first inputs vary: they are arrays with a number per point. The others are uniform: one number for all points.
#[derive(Debug)]
pub struct Batch<T: Float> {
    code: Code,
    varying: usize,
    settings: Settings,
    blocks: Blocks<T>,
    machine: OnceLock<Option<Machine<T>>>,
    /// Passes so far, until there is machine code.
    passes: AtomicU64,
}

impl<T: Float> Batch<T> {
    /// Prepares a code whose inputs before `varying` vary. Takes time and memory in proportion to its instructions.
    ///
    /// # Panics
    /// If the code has fewer inputs, or the processor lacks the instructions of `settings`.
    pub fn new(code: &Code, varying: usize, settings: Settings) -> Batch<T> {
        settings.check();
        assert!(
            varying <= code.inputs,
            "{varying} of {} inputs cannot vary",
            code.inputs
        );
        Batch {
            code: code.clone(),
            varying,
            settings,
            blocks: Blocks::new(code, varying, settings.instructions),
            machine: OnceLock::new(),
            passes: AtomicU64::new(0),
        }
    }

    /// An evaluator with scratch of its own, for one thread.
    pub fn evaluator(&self) -> BatchEvaluator<'_, T> {
        BatchEvaluator {
            batch: self,
            blocks: self.blocks.scratch(),
            machine: None,
        }
    }

    /// The machine code, once the interpreter took long enough; `None` before, and where there can be none.
    fn machine(&self, points: usize) -> Option<&Machine<T>> {
        if !self.settings.machine_code {
            return None;
        }
        if let Some(machine) = self.machine.get() {
            return machine.as_ref();
        }
        let passes = self.blocks.passes(points) as u64;
        if self.passes.fetch_add(passes, Ordering::Relaxed) + passes < JIT_THRESHOLD {
            return None;
        }
        let write = || Machine::write(&self.code, self.varying, self.settings.instructions);
        self.machine.get_or_init(write).as_ref()
    }
}

/// Evaluates a [`Batch`]; belongs to one thread.
#[derive(Debug)]
pub struct BatchEvaluator<'a, T: Float> {
    batch: &'a Batch<T>,
    blocks: block::Scratch<T>,
    machine: Option<jit::Scratch<T>>,
}

impl<T: Float> BatchEvaluator<'_, T> {
    /// Computes the outputs at all points: `outputs[o][i]` from `inputs[v][i]` and the uniform inputs. Takes time in
    /// proportion to points times instructions.
    ///
    /// # Panics
    /// If there are not as many inputs, uniforms or outputs as the code has, or they have different lengths.
    pub fn run(&mut self, inputs: &[&[T]], uniforms: &[T], outputs: &mut [&mut [T]]) {
        let batch = self.batch;
        assert_eq!(inputs.len(), batch.varying, "one slice per varying input");
        assert_eq!(
            uniforms.len(),
            batch.code.inputs - batch.varying,
            "one number per uniform input"
        );
        let Some(points) = outputs.first().map(|output| output.len()) else {
            assert!(batch.code.outputs.is_empty(), "one slice per output");
            return;
        };
        assert!(
            outputs.len() == batch.code.outputs.len()
                && outputs.iter().all(|output| output.len() == points)
                && inputs.iter().all(|input| input.len() == points),
            "one slice per output, and one number per point in each slice"
        );
        let Some(machine) = batch.machine(points) else {
            return self.run_blocks(inputs, uniforms, outputs);
        };
        if points <= POINTS_PER_RUN {
            return self.run_machine(machine, inputs, uniforms, outputs);
        }
        for from in (0..points).step_by(POINTS_PER_RUN) {
            let to = points.min(from + POINTS_PER_RUN);
            let inputs: SmallVec<[&[T]; 4]> = inputs.iter().map(|input| &input[from..to]).collect();
            let cut = outputs.iter_mut().map(|output| &mut output[from..to]);
            let mut outputs: SmallVec<[&mut [T]; 4]> = cut.collect();
            self.run_machine(machine, &inputs, uniforms, &mut outputs);
        }
    }

    fn run_machine(
        &mut self,
        machine: &Machine<T>,
        inputs: &[&[T]],
        uniforms: &[T],
        outputs: &mut [&mut [T]],
    ) {
        let scratch = self.machine.get_or_insert_with(|| machine.scratch());
        if !machine.run(scratch, inputs, uniforms, outputs) {
            self.run_blocks(inputs, uniforms, outputs);
        }
    }

    fn run_blocks(&mut self, inputs: &[&[T]], uniforms: &[T], outputs: &mut [&mut [T]]) {
        let blocks = &self.batch.blocks;
        blocks.run(&mut self.blocks, inputs, uniforms, outputs);
    }
}
