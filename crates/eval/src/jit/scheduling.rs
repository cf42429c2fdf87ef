//! Scheduling with dead code elimination: steps that no output needs are left out; where the register pressure exceeds
//! the registers, an order with a lower one may be found.
//!
//! That order is [Sethi and Ullman's](crate::sethi_ullman). Each pass takes time in proportion to the steps.

use super::lowering::LoweredProgram;
use super::program::{MemoryOperand, Operand, Program, VectorOp, VectorStep};
use crate::sethi_ullman::schedule;

impl LoweredProgram {
    /// Schedules the program: in source order, or depth first if the register pressure exceeds `registers` and that
    /// lowers it. The loop is unrolled as often as `copies` returns for the register pressure.
    pub(super) fn schedule(
        &self,
        registers: usize,
        copies: impl FnOnce(usize) -> usize,
    ) -> Program {
        let sinks = Sinks::new(&self.steps);
        let (mut order, mut pressure) = self.source_order(&sinks);
        if pressure > registers {
            let other = self.depth_first_order(&sinks);
            let other_pressure = self.register_pressure(&other);
            if other_pressure < pressure {
                (order, pressure) = (other, other_pressure);
            }
        }
        self.in_order(&order, copies(pressure))
    }

    /// The needed steps in source order, sinks right behind their operands, and the register pressure.
    fn source_order(&self, sinks: &Sinks) -> (Vec<u32>, usize) {
        let mut needed = vec![false; self.steps.len()];
        let mut is_live = vec![false; self.steps.len()];
        for value in sinks.sinks.iter().filter_map(|(taken, _)| taken.as_value()) {
            needed[value] = true;
        }
        let (mut pressure, mut most) = (0_usize, 0);
        for (index, step) in self.steps.iter().enumerate().rev() {
            if needed[index] {
                pressure -= usize::from(is_live[index]);
                for taken in step.values() {
                    needed[taken] = true;
                    pressure += usize::from(!is_live[taken]);
                    is_live[taken] = true;
                }
                most = most.max(pressure);
            }
        }
        let mut order = Vec::with_capacity(self.steps.len());
        let mut rest = &sinks.sinks[..];
        for index in (0..self.steps.len()).filter(|&index| needed[index]) {
            order.push(index as u32);
            while let Some(&(taken, sink)) = rest.first()
                && taken == Operand::value(index)
            {
                order.push(sink);
                rest = &rest[1..];
            }
        }
        order.extend(rest.iter().map(|&(_, sink)| sink));
        (order, most)
    }

    /// The needed steps depth first, sinks right behind their operands.
    fn depth_first_order(&self, sinks: &Sinks) -> Vec<u32> {
        let roots = sinks.sinks_in_order().filter_map(Operand::as_value);
        let taken = |step: u32| self.steps[step as usize].values().map(|taken| taken as u32);
        let roots = roots.map(|root| root as u32);
        let mut order = Vec::with_capacity(self.steps.len());
        for value in schedule(self.steps.len(), roots, |_| 1, taken) {
            order.push(value);
            order.extend(sinks.of(Operand::value(value as usize)));
        }
        order.extend(sinks.of_leaves());
        order
    }

    /// Maximal number of values that are live at once.
    fn register_pressure(&self, order: &[u32]) -> usize {
        let mut is_live = vec![false; self.steps.len()];
        let (mut pressure, mut most) = (0_usize, 0);
        for &index in order.iter().rev() {
            pressure -= usize::from(is_live[index as usize]);
            for taken in self.steps[index as usize].values() {
                pressure += usize::from(!is_live[taken]);
                is_live[taken] = true;
            }
            most = most.max(pressure);
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
            one: self.one,
        };
        let mut values = vec![0; self.steps.len()];
        let mut leaves: Vec<Option<usize>> = vec![None; self.leaves.len() * copies];
        for &index in order {
            let step = self.steps[index as usize];
            values[index as usize] = program.steps.len();
            for copy in 0..copies {
                let mut operands = [Operand::NONE; 3];
                for (renamed, operand) in operands.iter_mut().zip(step.operands) {
                    *renamed = match operand.as_value() {
                        Some(value) => Operand::value(values[value] + copy),
                        None if operand == Operand::NONE => operand,
                        None => self.leaf(&mut program, &mut leaves, operand, copy),
                    };
                }
                program.steps.push(VectorStep { operands, ..step });
            }
        }
        program
    }

    /// Operand in memory of the scheduled program.
    fn leaf(
        &self,
        program: &mut Program,
        places: &mut [Option<usize>],
        leaf: Operand,
        copy: usize,
    ) -> Operand {
        let leaf = leaf.as_leaf().expect("what is no value is a leaf");
        let (leaf, place) = match self.leaves[leaf] {
            MemoryOperand::Input { index, .. } => {
                let place = leaf * program.copies + copy;
                let copy = copy as u32;
                (MemoryOperand::Input { index, copy }, place)
            }
            shared @ (MemoryOperand::Constant(_) | MemoryOperand::Uniform(_)) => {
                (shared, leaf * program.copies)
            }
        };
        let place = places[place].get_or_insert_with(|| {
            program.leaves.push(leaf);
            program.leaves.len() - 1
        });
        Operand::leaf(*place)
    }
}

/// Sinks: steps without value, sorted by their operands.
struct Sinks {
    sinks: Vec<(Operand, u32)>,
}

impl Sinks {
    fn new(steps: &[VectorStep]) -> Sinks {
        let mut sinks: Vec<(Operand, u32)> = steps
            .iter()
            .enumerate()
            .filter(|(_, step)| is_sink(step.operation))
            .map(|(index, step)| (step.operands[0], index as u32))
            .collect();
        sinks.sort_unstable();
        Sinks { sinks }
    }

    /// Sinks of `operand`.
    fn of(&self, operand: Operand) -> impl Iterator<Item = u32> {
        let first = self.sinks.partition_point(|&(taken, _)| taken < operand);
        self.sinks[first..]
            .iter()
            .take_while(move |&&(taken, _)| taken == operand)
            .map(|&(_, sink)| sink)
    }

    /// Sinks of operands in memory.
    fn of_leaves(&self) -> impl Iterator<Item = u32> {
        self.sinks
            .iter()
            .filter(|(taken, _)| taken.as_leaf().is_some())
            .map(|&(_, sink)| sink)
    }

    /// Operands of the sinks, in source order.
    fn sinks_in_order(&self) -> impl Iterator<Item = Operand> {
        let mut sinks = self.sinks.clone();
        sinks.sort_unstable_by_key(|&(_, sink)| sink);
        sinks.into_iter().map(|(taken, _)| taken)
    }
}

fn is_sink(operation: VectorOp) -> bool {
    matches!(operation, VectorOp::Output(_) | VectorOp::TrackLargest)
}

#[cfg(test)]
mod tests {
    use fibula_nodes::{Expr, Kernel};

    use super::super::lowering::{NanHandling, lower};
    use super::super::program::Target;
    use super::*;
    use crate::code::{Code, Rounding};

    const REGISTERS: usize = 10;

    /// Register pressure after scheduling a sum of 100 products, of which the products come first in source order.
    fn pressure_of(sum: impl Fn(&mut Kernel, &[Expr]) -> Expr) -> usize {
        let mut kernel = Kernel::new();
        let x = kernel.variable(0);
        let product = |number: u32| {
            let number = kernel.constant(f64::from(number) + 0.5);
            kernel.mul(x, number)
        };
        let products: Vec<Expr> = (1..=100).map(product).collect();
        let sum = sum(&mut kernel, &products);
        let code = Code::new(kernel.operations(), &[sum], 1, &[], Rounding::Exact);
        let target = Target {
            is_wide: false,
            is_double: true,
        };
        let lowered = lower::<f64>(&code, 1, target, NanHandling::Flagged).unwrap();
        let (given, most) = lowered.source_order(&Sinks::new(&lowered.steps));
        let counted = lowered.register_pressure(&given);
        assert_eq!(most, counted, "it is counted on the way");
        assert!(most >= 100, "all products wait: {most}");
        let mut pressure = 0;
        let program = lowered.schedule(REGISTERS, |most| {
            pressure = most;
            1
        });
        assert_eq!(program.steps.len(), 200, "nothing is lost");
        for (index, step) in program.steps.iter().enumerate() {
            assert!(step.values().all(|value| value < index));
        }
        pressure
    }

    #[test]
    fn values_are_computed_right_before_their_use() {
        let from_left = pressure_of(|kernel, products| {
            let rest = products.iter().skip(1);
            rest.fold(products[0], |sum, &product| kernel.add(sum, product))
        });
        assert_eq!(from_left, 2);
        let from_right = pressure_of(|kernel, products| {
            let rest = products.iter().rev().skip(1);
            rest.fold(products[99], |sum, &product| kernel.add(product, sum))
        });
        assert_eq!(from_right, 2);
    }

    #[test]
    fn the_larger_of_two_trees_comes_first() {
        // Of a balanced tree with 100 leaves 7 values are live at the end of a branch; with the larger branch first no
        // more.
        let pairs = pressure_of(|kernel, products| {
            let mut level = products.to_vec();
            while level.len() > 1 {
                let sums = level.chunks(2).map(|pair| match *pair {
                    [a, b] => kernel.add(b, a),
                    _ => pair[0],
                });
                level = sums.collect();
            }
            level[0]
        });
        assert_eq!(pairs, 7);
    }

    #[test]
    fn dead_code_is_eliminated() {
        let mut kernel = Kernel::new();
        let x = kernel.variable(0);
        let root = kernel.sqrt(x);
        let code = Code::new(kernel.operations(), &[root, root], 1, &[], Rounding::Exact);
        let target = Target {
            is_wide: true,
            is_double: true,
        };
        let mut lowered = lower::<f64>(&code, 1, target, NanHandling::Flagged).unwrap();
        let wasted = VectorStep {
            operation: VectorOp::Sqrt,
            operands: [Operand::value(0), Operand::NONE, Operand::NONE],
        };
        lowered.steps.push(wasted);
        let program = lowered.schedule(REGISTERS, |_| 3);
        // For each of three vectors a root and two outputs of it.
        assert_eq!(program.steps.len(), 9);
        assert_eq!(program.leaves.len(), 3);
    }
}
