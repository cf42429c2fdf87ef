//! The block evaluator: a [`Code`] as steps over blocks of numbers, for every processor.
//!
//! A block is as long as fits the first cache together with the others, so that memory does not grow with the number of
//! points and a step's cost is that of its numbers.

mod compose;
mod kernels;
#[cfg(test)]
mod laws;
mod linear;
mod lower;
mod run;
mod select;
mod slots;
pub(crate) mod step;

use fibula_nodes::OracleUse;

use self::kernels::{CONSTANTS, Kernels, LANES};
use self::run::BlockRun;
use self::select::{Selection, UniformNumber};
use self::slots::{Action, BlockPlan, plan};
use crate::code::Code;
use crate::cpu::InstructionSet;
use crate::lane::{Float, table_of};

/// Bytes of a block. With fewer, what each step costs besides its numbers shows; with more, few slots fit the
/// first cache.
const BYTES: usize = 3072;

/// Bytes of all slots together, if that leaves [`LANES`] for each: a part of the second cache.
const ALL_BYTES: usize = 1 << 19;

/// A [`Code`], ready to be run over blocks of points. It is immutable and shared between threads.
#[derive(Debug)]
pub(crate) struct Blocks<T> {
    set: InstructionSet,
    actions: Vec<Action>,
    /// Those of each action; uniforms are 0.
    constants: Vec<[T; CONSTANTS]>,
    uniforms: Vec<UniformUse>,
    slots: usize,
    lanes: usize,
    varying: usize,
    outputs: usize,
    oracles: Vec<OracleUse>,
}

/// A uniform that is a constant of an action.
#[derive(Debug)]
struct UniformUse {
    action: usize,
    constant: usize,
    uniform: usize,
    negated: bool,
}

/// Memory of one thread for [`Blocks`]; it grows to the largest that was needed.
#[derive(Debug, Default)]
pub(crate) struct Scratch<T> {
    /// The slots, one behind the other, from where the memory is aligned.
    slots: Vec<T>,
    constants: Vec<[T; CONSTANTS]>,
    /// The points and the answers of oracles.
    wide: [Vec<f64>; 4],
}

impl<T: Float> Blocks<T> {
    /// Prepares `code` for an instruction set. Of the inputs the first `varying` are one number per point and the
    /// others one number per run.
    pub(crate) fn new(code: &Code, varying: usize, set: InstructionSet) -> Blocks<T> {
        let BlockPlan {
            actions,
            numbers,
            slots,
        } = plan(&Selection::new(code, varying, set));
        let mut constants = vec![[T::ZERO; CONSTANTS]; actions.len()];
        let mut uniforms = Vec::new();
        for (index, numbers) in numbers.iter().enumerate() {
            for (constant, &number) in numbers.iter().enumerate() {
                let (uniform, negated) = match number {
                    UniformNumber::Constant(bits) => {
                        constants[index][constant] = T::from_f64(f64::from_bits(bits));
                        continue;
                    }
                    UniformNumber::Uniform(uniform) => (uniform as usize, false),
                    UniformNumber::Negated(uniform) => (uniform as usize, true),
                };
                uniforms.push(UniformUse {
                    action: index,
                    constant,
                    uniform,
                    negated,
                });
            }
        }
        Blocks {
            set,
            lanes: lanes::<T>(slots),
            actions,
            constants,
            uniforms,
            slots,
            varying,
            outputs: code.outputs().len(),
            oracles: code.oracles().to_vec(),
        }
    }

    /// Scratch of the size that is needed.
    pub(crate) fn scratch(&self) -> Scratch<T> {
        let mut scratch = Scratch::default();
        scratch.fit(self);
        scratch
    }

    /// Number of passes over the instructions for `points` points.
    pub(crate) fn passes(&self, points: usize) -> usize {
        points.div_ceil(self.lanes)
    }

    /// Computes the outputs at all points: `outputs[o][i]` from `inputs[v][i]`, for as many points as there is room
    /// for.
    ///
    /// Nothing is allocated if `scratch` was made for these blocks or has grown already, unless there are fewer points
    /// than 64.
    ///
    /// # Panics
    /// If the processor lacks the instruction set, if there are not as many inputs, uniforms or outputs as the code
    /// has, or if they have different lengths.
    pub(crate) fn run(
        &self,
        scratch: &mut Scratch<T>,
        inputs: &[&[T]],
        uniforms: &[T],
        outputs: &mut [&mut [T]],
    ) {
        let compiled = table_of!(Compiled<T> = Compiled::NEW);
        (compiled.run)(self, scratch, inputs, uniforms, outputs);
    }

    fn interpret(
        &self,
        scratch: &mut Scratch<T>,
        inputs: &[&[T]],
        uniforms: &[T],
        outputs: &mut [&mut [T]],
    ) {
        assert!(inputs.len() >= self.varying, "there are all inputs");
        assert_eq!(outputs.len(), self.outputs, "there are all outputs");
        let Some(points) = outputs.first().map(|output| output.len()) else {
            return;
        };
        let mut lengths = inputs.iter().map(|input| input.len());
        let mut rooms = outputs.iter().map(|output| output.len());
        let all = lengths.all(|length| length == points) && rooms.all(|room| room == points);
        assert!(all, "all inputs and outputs are equally long");
        if points == 0 {
            return;
        }
        scratch.fit(self);
        let constants = if self.uniforms.is_empty() {
            &self.constants
        } else {
            scratch.constants.clone_from(&self.constants);
            for taken in &self.uniforms {
                let number = uniforms[taken.uniform];
                scratch.constants[taken.action][taken.constant] =
                    if taken.negated { number.neg() } else { number };
            }
            &scratch.constants
        };
        let mut run = BlockRun {
            kernels: Kernels::new(self.set),
            actions: &self.actions,
            constants,
            oracles: &self.oracles,
            slots: aligned(&mut scratch.slots, self.slots * self.lanes)
                .chunks_exact_mut(self.lanes)
                .collect(),
            wide: &mut scratch.wide,
        };
        if points < LANES {
            run.run_padded(inputs, outputs, points);
            return;
        }
        let mut done = 0;
        while done < points {
            let left = (points - done).next_multiple_of(LANES);
            let lanes = left.min(self.lanes).min(points / LANES * LANES);
            // The last block is whole too: it begins among points that are done already.
            let start = done.min(points - lanes);
            run.block(inputs, outputs, start..start + lanes);
            done = start + lanes;
        }
    }
}

/// The interpreter, compiled in this crate for each number type.
struct Compiled<T: 'static> {
    run: Interpret<T>,
}

type Interpret<T> = fn(&Blocks<T>, &mut Scratch<T>, &[&[T]], &[T], &mut [&mut [T]]);

impl<T: Float> Compiled<T> {
    const NEW: Compiled<T> = Compiled {
        run: Blocks::interpret,
    };
}

fn lanes<T>(slots: usize) -> usize {
    let bytes = BYTES.min(ALL_BYTES / slots.max(1));
    (bytes / size_of::<T>() / LANES).max(1) * LANES
}

impl<T: Float> Scratch<T> {
    fn fit(&mut self, blocks: &Blocks<T>) {
        let needed = blocks.slots * blocks.lanes + LANES;
        if self.slots.len() < needed {
            self.slots.resize(needed, T::ZERO);
        }
        if !blocks.oracles.is_empty() {
            for list in &mut self.wide {
                list.resize(list.len().max(blocks.lanes), 0.0);
            }
        }
    }
}

/// The part of `numbers`, `length` long, that begins where a line of the cache does.
fn aligned<T>(numbers: &mut [T], length: usize) -> &mut [T] {
    const LINE: usize = 64;
    let offset = numbers.as_ptr().align_offset(LINE).min(LANES);
    &mut numbers[offset..offset + length]
}
