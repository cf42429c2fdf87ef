//! Axis-aligned grids of points: what depends on one coordinate, or is the same along a row, is computed once.
//!
//! A code is cut in three. Along a row only the first coordinate varies, so what does not depend on it is computed once
//! per row (for many rows at a time) and enters as uniform numbers; costly parts that depend on the first coordinate
//! alone are computed once per grid and enter as arrays; the rest is computed for each point. On a gyroid all six sines
//! and cosines leave the inner loop.

use fibula_nodes::{Binary, Unary};
use smallvec::SmallVec;

use crate::batch::{Batch, BatchEvaluator};
use crate::code::{Arg, Code, Instruction};
use crate::cpu::Settings;
use crate::lane::{Float, table_of};

/// Rows whose uniform numbers are computed at a time.
const ROWS_PER_BATCH: usize = 256;
/// Minimal cost of a function of the first coordinate to be tabulated, where loading a number costs 1.
const MIN_TABLE_COST: u32 = 5;
/// Cost of storing a coordinate of each point and loading it again.
const COORDINATE_COST: u32 = 3;

/// A code that is evaluated on axis-aligned grids; immutable and shared between threads.
#[derive(Debug)]
pub struct Grid<T: Float> {
    /// Inputs: the first coordinate, then the others that are the same everywhere. Outputs: the tables.
    table: Batch<T>,
    /// Inputs: the second and third coordinate, then the others. Outputs: the rows' numbers.
    row: Batch<T>,
    /// Inputs: the first coordinate and the tables; uniform: the rows' numbers.
    main: Batch<T>,
    tables: usize,
    numbers: usize,
    outputs: usize,
    others: usize,
    /// Cost that is saved at each point.
    saved: u32,
}

/// Coordinates that a value depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dependence {
    /// On none.
    Uniform,
    /// Not on the first.
    Row,
    /// On the first alone.
    First,
    /// On the first and others, or it would not pay to keep it apart.
    Point,
}

impl<T: Float> Grid<T> {
    /// Prepares `code` for grids whose coordinates are the inputs `axes`, one to three, the first of which varies
    /// fastest; the other inputs are the same everywhere.
    ///
    /// # Panics
    /// If `axes` are no one to three different inputs of the code, or the processor lacks the instructions of
    /// `settings`.
    pub fn new(code: &Code, axes: &[usize], settings: Settings) -> Grid<T> {
        let different = |place: usize| !axes[..place].contains(&axes[place]);
        assert!(
            matches!(axes.len(), 1..=3)
                && (0..axes.len()).all(different)
                && axes.iter().all(|&axis| axis < code.inputs),
            "the axes must be one to three different inputs of {}, but are {axes:?}",
            code.inputs
        );
        let (first, slower) = (axes[0], &axes[1..]);
        let depends = dependence(code, axes);
        let (tables, numbers) = frontier(code, &depends);

        // The numbers of inputs in the parts: coordinates first, then the others in their order.
        let others: Vec<usize> = (0..code.inputs)
            .filter(|input| !axes.contains(input))
            .collect();
        let input_of = |index: usize| Some(code.instructions[index].input()? as usize);
        let other = |input: usize| others.iter().position(|&other| other == input);
        let given_table = |index: usize| {
            let input = input_of(index)?;
            if input == first {
                return Some(0);
            }
            other(input).map(|place| 1 + place as u32)
        };
        let given_row = |index: usize| {
            let input = input_of(index)?;
            if let Some(place) = slower.iter().position(|&axis| axis == input) {
                return Some(place as u32);
            }
            other(input).map(|place| 2 + place as u32)
        };
        let mut given_main = vec![None; code.instructions.len()];
        for (index, given) in given_main.iter_mut().enumerate() {
            *given = (input_of(index) == Some(first)).then_some(0);
        }
        for (place, &index) in tables.iter().chain(&numbers).enumerate() {
            given_main[index] = Some(1 + place as u32);
        }
        let args = |indexes: &[usize]| -> Vec<Arg> {
            indexes.iter().map(|&index| Arg::value(index)).collect()
        };
        let table = code.extract(&args(&tables), 1 + others.len(), given_table);
        let row = code.extract(&args(&numbers), 2 + others.len(), given_row);
        let main = code.extract(&code.outputs, 1 + tables.len() + numbers.len(), |index| {
            given_main[index]
        });
        Grid {
            table: Batch::new(&table, 1, settings),
            row: Batch::new(&row, 2, settings),
            main: Batch::new(&main, 1 + tables.len(), settings),
            tables: tables.len(),
            numbers: numbers.len(),
            outputs: code.outputs.len(),
            others: others.len(),
            saved: total_cost(code)
                .saturating_add(axes.len() as u32 * COORDINATE_COST)
                .saturating_sub(total_cost(&main))
                .saturating_sub(reads(&main, 1 + tables.len())),
        }
    }

    /// True if rows of `width` points take less time than the same points with all coordinates written out.
    pub fn pays(&self, width: usize) -> bool {
        const ROW_COST: usize = 1_000;
        (self.saved as usize).saturating_mul(width) > ROW_COST
    }

    /// An evaluator with scratch of its own, for one thread, on grids whose first coordinates are `first`; `others`
    /// are the inputs that are no coordinates, in their order.
    ///
    /// # Panics
    /// If `others` are not as many as the code's inputs less the axes.
    pub fn evaluator(&self, first: &[T], others: &[T]) -> GridEvaluator<'_, T> {
        assert_eq!(
            others.len(),
            self.others,
            "one number per input that is no coordinate"
        );
        let mut tables = vec![vec![T::ZERO; first.len()]; self.tables];
        let mut outputs: Vec<&mut [T]> = tables.iter_mut().map(Vec::as_mut_slice).collect();
        self.table.evaluator().run(&[first], others, &mut outputs);
        GridEvaluator {
            grid: self,
            first: first.to_vec(),
            others: others.to_vec(),
            tables,
            row: self.row.evaluator(),
            main: self.main.evaluator(),
            numbers: vec![vec![T::ZERO; ROWS_PER_BATCH]; self.numbers],
            of_row: vec![T::ZERO; self.numbers],
        }
    }
}

/// Evaluates a [`Grid`]; belongs to one thread.
#[derive(Debug)]
pub struct GridEvaluator<'a, T: Float> {
    grid: &'a Grid<T>,
    first: Vec<T>,
    others: Vec<T>,
    tables: Vec<Vec<T>>,
    row: BatchEvaluator<'a, T>,
    main: BatchEvaluator<'a, T>,
    /// For each number of a row, that of each of some rows.
    numbers: Vec<Vec<T>>,
    of_row: Vec<T>,
}

impl<T: Float> GridEvaluator<'_, T> {
    /// Writes the outputs on rows: row `i` has the second coordinate `second[i]` and the third `third[i]`, and begins
    /// in each output at `i` times the number of first coordinates. What is no axis does not count.
    ///
    /// # Panics
    /// If `second` and `third` differ in length, there are not as many outputs as the code has, or one is not as long
    /// as the rows.
    pub fn run(&mut self, second: &[T], third: &[T], outputs: &mut [&mut [T]]) {
        let compiled = table_of!(Compiled<T> = Compiled::NEW);
        (compiled.run)(self, second, third, outputs);
    }

    fn evaluate(&mut self, second: &[T], third: &[T], outputs: &mut [&mut [T]]) {
        let width = self.first.len();
        assert_eq!(second.len(), third.len(), "a second and a third per row");
        assert_eq!(outputs.len(), self.grid.outputs, "one place per output");
        assert!(
            outputs
                .iter()
                .all(|output| output.len() == width * second.len()),
            "one place per point in each output"
        );
        let mut inputs: Vec<&[T]> = Vec::with_capacity(1 + self.tables.len());
        inputs.push(&self.first);
        inputs.extend(self.tables.iter().map(Vec::as_slice));
        for from in (0..second.len()).step_by(ROWS_PER_BATCH) {
            let to = second.len().min(from + ROWS_PER_BATCH);
            let mut numbers: Vec<&mut [T]> = self
                .numbers
                .iter_mut()
                .map(|numbers| &mut numbers[..to - from])
                .collect();
            self.row.run(
                &[&second[from..to], &third[from..to]],
                &self.others,
                &mut numbers,
            );
            for row in from..to {
                for (number, numbers) in self.of_row.iter_mut().zip(&self.numbers) {
                    *number = numbers[row - from];
                }
                let mut places: SmallVec<[&mut [T]; 4]> = outputs
                    .iter_mut()
                    .map(|output| &mut output[row * width..(row + 1) * width])
                    .collect();
                self.main.run(&inputs, &self.of_row, &mut places);
            }
        }
    }
}

/// The loop over rows, compiled in this crate for each number type.
struct Compiled<T: Float> {
    run: EvaluateRows<T>,
}

type EvaluateRows<T> = fn(&mut GridEvaluator<'_, T>, &[T], &[T], &mut [&mut [T]]);

impl<T: Float> Compiled<T> {
    const NEW: Compiled<T> = Compiled {
        run: |evaluator, second, third, outputs| evaluator.evaluate(second, third, outputs),
    };
}

fn dependence(code: &Code, axes: &[usize]) -> Vec<Dependence> {
    // By coordinates alone; then parts of the first coordinate that cost too little are computed for each point.
    let mut depends: Vec<Dependence> = Vec::with_capacity(code.instructions.len());
    let mut cost: Vec<u32> = Vec::with_capacity(code.instructions.len());
    for instruction in &code.instructions {
        let taken = instruction.args().filter_map(Arg::index);
        let own = if let Instruction::Input(input) = instruction {
            match axes.iter().position(|&axis| axis == *input as usize) {
                Some(0) => Dependence::First,
                Some(_) => Dependence::Row,
                None => Dependence::Uniform,
            }
        } else {
            let mut all = taken.clone().map(|index| depends[index]);
            let any = |what| all.clone().any(|one| one == what);
            if any(Dependence::Point) || any(Dependence::First) && any(Dependence::Row) {
                Dependence::Point
            } else {
                let other = all.find(|one| *one != Dependence::Uniform);
                other.unwrap_or(Dependence::Uniform)
            }
        };
        // A shared value counts once for each use: the sum only decides what is worth an array.
        let below = taken.map(|index| cost[index]).fold(0, u32::saturating_add);
        depends.push(own);
        cost.push(below.saturating_add(cost_of(instruction)));
    }
    let cheap: Vec<bool> = cost.iter().map(|&cost| cost < MIN_TABLE_COST).collect();
    for (own, cheap) in depends.iter_mut().zip(cheap) {
        if *own == Dependence::First && cheap {
            *own = Dependence::Point;
        }
    }
    depends
}

/// The values of the first coordinate and of the row that are needed at each point.
fn frontier(code: &Code, depends: &[Dependence]) -> (Vec<usize>, Vec<usize>) {
    let mut needed = vec![false; code.instructions.len()];
    let outputs = code.outputs.iter().copied().filter_map(Arg::index);
    for index in outputs {
        needed[index] = true;
    }
    for (index, instruction) in code.instructions.iter().enumerate().rev() {
        if needed[index] && depends[index] == Dependence::Point {
            for taken in instruction.args().filter_map(Arg::index) {
                needed[taken] = true;
            }
        }
    }
    let all = |what: &[Dependence]| {
        (0..needed.len())
            .filter(|&index| needed[index] && what.contains(&depends[index]))
            .collect()
    };
    (
        all(&[Dependence::First]),
        all(&[Dependence::Row, Dependence::Uniform]),
    )
}

fn total_cost(code: &Code) -> u32 {
    let prices = code.instructions.iter().map(cost_of);
    prices.fold(0, u32::saturating_add)
}

/// Number of uses of the row's numbers, the inputs from `first` on: each is a load, while arrays are loaded once and
/// stay in a register.
fn reads(main: &Code, first: usize) -> u32 {
    let is_number = |arg: &Arg| {
        let input = arg.index().map(|index| main.instructions[index]);
        matches!(input, Some(Instruction::Input(input)) if input as usize >= first)
    };
    let reads = |instruction: &Instruction| instruction.args().filter(is_number).count() as u32;
    let reads = main.instructions.iter().map(reads);
    reads.fold(0, u32::saturating_add)
}

/// Approximate cost of an instruction, where loading a number costs 1.
fn cost_of(instruction: &Instruction) -> u32 {
    match instruction {
        Instruction::Input(_) => 0,
        Instruction::Unary(operation, _) => match operation {
            Unary::Neg | Unary::Abs | Unary::Floor | Unary::Ceil => 1,
            Unary::Sign | Unary::Round | Unary::Fract => 3,
            Unary::Sqrt => 6,
            Unary::Sin
            | Unary::Cos
            | Unary::Tan
            | Unary::Asin
            | Unary::Acos
            | Unary::Atan
            | Unary::Sinh
            | Unary::Cosh
            | Unary::Tanh
            | Unary::Exp
            | Unary::Log
            | Unary::Log2
            | Unary::Log10 => 20,
        },
        Instruction::Binary(operation, ..) => match operation {
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Min | Binary::Max => 1,
            Binary::Div => 6,
            Binary::Mod | Binary::Fmod => 9,
            Binary::Pow | Binary::Atan2 => 40,
        },
        Instruction::Fused(..) => 1,
        Instruction::Select(_) => 2,
        Instruction::Oracle { .. } => 1_000,
    }
}

#[cfg(test)]
mod tests {
    use fibula_nodes::Kernel;

    use super::*;
    use crate::code::Rounding;

    #[test]
    fn sines_of_one_coordinate_leave_the_points() {
        let mut kernel = Kernel::new();
        let [x, y, frequency] = [0, 1, 2].map(|input| kernel.variable(input));
        let sines = [x, y].map(|axis| {
            let angle = kernel.mul(axis, frequency);
            kernel.sin(angle)
        });
        let product = kernel.mul(sines[0], sines[1]);
        let code = Code::new(kernel.operations(), &[product], 3, &[], Rounding::Exact);
        let grid = Grid::<f32>::new(&code, &[0, 1], Settings::default());
        assert_eq!((grid.tables, grid.numbers), (1, 1));
        assert!(grid.pays(256) && !grid.pays(16));
    }
}
