//! The order of a program's steps. What no output needs is left out; where values would not all fit into registers, an
//! order may be found in which fewer of them wait.
//!
//! The other order is depth first, of two operands the one that needs more registers first, which is best for trees
//! (R. Sethi, J. D. Ullman, "The generation of optimal code for arithmetic expressions", JACM 17, 1970). Each pass takes
//! time in proportion to the steps.

use super::lowering::Lowered;
use super::operation::{Leaf, Operand, Operation, Program, Step};

impl Lowered {
    /// The program, in the order in which fewer values wait, if in the given one more than `registers` do. Its loop
    /// takes `copies` vectors in one pass.
    pub(super) fn arranged(
        &self,
        registers: usize,
        copies: impl FnOnce(usize) -> usize,
    ) -> Program {
        let sinks = Sinks::new(&self.steps);
        let given = self.given(&sinks);
        let waiting = self.most_waiting(&given);
        let (order, waiting) = if waiting > registers {
            let other = self.depth_first(&sinks);
            let waiting_then = self.most_waiting(&other);
            if waiting_then < waiting {
                (other, waiting_then)
            } else {
                (given, waiting)
            }
        } else {
            (given, waiting)
        };
        let copies = copies(waiting);
        self.in_order(&order, copies)
    }

    /// The steps that are needed, as they come; those without value right behind what they take.
    fn given(&self, sinks: &Sinks) -> Vec<u32> {
        let mut needed = vec![false; self.steps.len()];
        for &(operand, _) in &sinks.sinks {
            if let Some(value) = operand.as_value() {
                needed[value] = true;
            }
        }
        for (index, step) in self.steps.iter().enumerate().rev() {
            if needed[index] {
                for taken in step.taken().iter().filter_map(|operand| operand.as_value()) {
                    needed[taken] = true;
                }
            }
        }
        let mut order = Vec::with_capacity(self.steps.len());
        let values = (0..self.steps.len()).filter(|&index| needed[index]);
        for index in values {
            order.push(index as u32);
            order.extend(sinks.of(Operand::value(index)));
        }
        order.extend(sinks.of_leaves());
        order
    }

    fn depth_first(&self, sinks: &Sinks) -> Vec<u32> {
        let weights = self.weights();
        let mut order = Vec::with_capacity(self.steps.len());
        let mut is_done = vec![false; self.steps.len()];
        // With each value, whether what it takes is done.
        let mut stack: Vec<(u32, bool)> = Vec::new();
        for root in sinks.sinks_in_order().filter_map(Operand::as_value) {
            stack.push((root as u32, false));
            while let Some((value, is_ready)) = stack.pop() {
                let index = value as usize;
                if is_done[index] {
                    continue;
                }
                if is_ready {
                    is_done[index] = true;
                    order.push(value);
                    order.extend(sinks.of(Operand::value(index)));
                    continue;
                }
                stack.push((value, true));
                let first = stack.len();
                let taken = self.steps[index].taken().iter();
                stack.extend(
                    taken
                        .filter_map(|operand| operand.as_value())
                        .map(|taken| (taken as u32, false)),
                );
                // The heaviest comes to lie on top.
                stack[first..].sort_by_key(|&(taken, _)| weights[taken as usize]);
            }
        }
        order.extend(sinks.of_leaves());
        order
    }

    /// For each value, how many registers its computation needs, if it is a tree.
    fn weights(&self) -> Vec<u32> {
        let mut weights: Vec<u32> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let mut of_taken = [0; 3];
            for (weight, operand) in of_taken.iter_mut().zip(step.taken()) {
                *weight = operand.as_value().map_or(0, |value| weights[value]);
            }
            of_taken.sort_unstable_by(|a, b| b.cmp(a));
            let [a, b, c] = of_taken;
            let beside = |weight: u32, others| if weight == 0 { 0 } else { weight + others };
            weights.push(a.max(beside(b, 1)).max(beside(c, 2)).max(1));
        }
        weights
    }

    /// How many values wait at most to be taken.
    fn most_waiting(&self, order: &[u32]) -> usize {
        let mut is_waiting = vec![false; self.steps.len()];
        let (mut waiting, mut most) = (0_usize, 0);
        for &index in order.iter().rev() {
            let step = &self.steps[index as usize];
            if is_waiting[index as usize] {
                waiting -= 1;
            }
            for taken in step.taken().iter().filter_map(|operand| operand.as_value()) {
                if !is_waiting[taken] {
                    is_waiting[taken] = true;
                    waiting += 1;
                }
            }
            most = most.max(waiting);
        }
        most
    }

    /// The steps of `order`, each for `copies` vectors.
    fn in_order(&self, order: &[u32], copies: usize) -> Program {
        let mut program = Program {
            target: self.target,
            steps: Vec::with_capacity(order.len() * copies),
            leaves: Vec::new(),
            copies,
        };
        let mut values = vec![0_usize; self.steps.len()];
        let mut leaves: Vec<Option<usize>> = vec![None; self.leaves.len() * copies];
        for &index in order {
            let step = self.steps[index as usize];
            values[index as usize] = program.steps.len();
            for copy in 0..copies {
                let mut operands = [Operand::NONE; 3];
                for (renamed, operand) in operands.iter_mut().zip(step.taken()) {
                    *renamed = match (operand.as_value(), operand.as_leaf()) {
                        (Some(value), _) => Operand::value(values[value] + copy),
                        (None, Some(leaf)) => self.leaf(&mut program, &mut leaves, leaf, copy),
                        (None, None) => Operand::NONE,
                    };
                }
                let operation = match step.operation {
                    Operation::Output { index, .. } => Operation::Output {
                        index,
                        copy: copy as u32,
                    },
                    operation => operation,
                };
                program.steps.push(Step {
                    operation,
                    operands,
                });
            }
        }
        program
    }

    /// The leaf in the program that is written.
    fn leaf(
        &self,
        program: &mut Program,
        places: &mut [Option<usize>],
        leaf: usize,
        copy: usize,
    ) -> Operand {
        let (leaf, place) = match self.leaves[leaf] {
            Leaf::Input { index, .. } => {
                let place = leaf * program.copies + copy;
                let copy = copy as u32;
                (Leaf::Input { index, copy }, place)
            }
            shared @ (Leaf::Constant(_) | Leaf::Uniform(_)) => (shared, leaf * program.copies),
        };
        let place = places[place].get_or_insert_with(|| {
            program.leaves.push(leaf);
            program.leaves.len() - 1
        });
        Operand::leaf(*place)
    }
}

/// The steps without value, with what each takes, by the latter.
struct Sinks {
    sinks: Vec<(Operand, u32)>,
}

impl Sinks {
    fn new(steps: &[Step]) -> Sinks {
        let mut sinks: Vec<(Operand, u32)> = steps
            .iter()
            .enumerate()
            .filter(|(_, step)| is_sink(step.operation))
            .map(|(index, step)| (step.operands[0], index as u32))
            .collect();
        sinks.sort_unstable();
        Sinks { sinks }
    }

    /// Those that take `operand`.
    fn of(&self, operand: Operand) -> impl Iterator<Item = u32> {
        let first = self.sinks.partition_point(|&(taken, _)| taken < operand);
        self.sinks[first..]
            .iter()
            .take_while(move |&&(taken, _)| taken == operand)
            .map(|&(_, sink)| sink)
    }

    /// Those that take no value of a step.
    fn of_leaves(&self) -> impl Iterator<Item = u32> {
        self.sinks
            .iter()
            .filter(|(taken, _)| taken.as_leaf().is_some())
            .map(|&(_, sink)| sink)
    }

    /// What they take, in the order of the sinks.
    fn sinks_in_order(&self) -> impl Iterator<Item = Operand> {
        let mut sinks = self.sinks.clone();
        sinks.sort_unstable_by_key(|&(_, sink)| sink);
        sinks.into_iter().map(|(taken, _)| taken)
    }
}

fn is_sink(operation: Operation) -> bool {
    matches!(operation, Operation::Output { .. } | Operation::Far)
}
