//! Many points at once: the front of the block evaluators.

use crate::block::{Blocks, Scratch};
use crate::code::Code;
use crate::cpu::Settings;
use crate::lane::Float;

/// A code that is evaluated at many points; immutable and shared between threads.
///
/// The first inputs vary: they are arrays with a number per point. The others are uniform: one number for all points.
#[derive(Debug)]
pub struct Batch<T: Float> {
    inputs: usize,
    varying: usize,
    settings: Settings,
    blocks: Blocks<T>,
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
            inputs: code.inputs,
            varying,
            settings,
            blocks: Blocks::new(code, varying),
        }
    }

    /// An evaluator with scratch of its own, for one thread.
    pub fn evaluator(&self) -> BatchEvaluator<'_, T> {
        BatchEvaluator {
            batch: self,
            scratch: self.blocks.scratch(),
        }
    }
}

/// Evaluates a [`Batch`]; belongs to one thread.
#[derive(Debug)]
pub struct BatchEvaluator<'a, T: Float> {
    batch: &'a Batch<T>,
    scratch: Scratch<T>,
}

impl<T: Float> BatchEvaluator<'_, T> {
    /// Computes the outputs at all points: `outputs[o][i]` from `inputs[v][i]` and the uniform inputs. Takes time in
    /// proportion to points times instructions.
    ///
    /// # Panics
    /// If there are not as many inputs, uniforms or outputs as the code takes, or they have different lengths.
    pub fn run(&mut self, inputs: &[&[T]], uniforms: &[T], outputs: &mut [&mut [T]]) {
        let batch = self.batch;
        assert_eq!(inputs.len(), batch.varying, "one slice per varying input");
        assert_eq!(
            uniforms.len(),
            batch.inputs - batch.varying,
            "one number per uniform input"
        );
        let set = batch.settings.instructions;
        batch
            .blocks
            .run(set, &mut self.scratch, inputs, uniforms, outputs);
    }
}
