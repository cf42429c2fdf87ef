//! The optimiser: from kernel operations to [`Code`].
//!
//! One pass forward simplifies each operation, with constant folding, strength reduction and common subexpression
//! elimination ([`builder`]); one pass backward marks live instructions for dead code elimination; one forward
//! contracts products into sums (FMA); one renumbers what is left. Each takes time in proportion to the operations.

mod builder;

use fibula_nodes::{Binary, Expr, Operation, OracleUse};

pub(crate) use self::builder::CodeBuilder;
use crate::code::{Arg, ArgSource, Code, Fused, Instruction, Rounding};

impl Code {
    /// The code of `outputs`, of a function with `inputs` scalar arguments.
    ///
    /// Always allowed, because no bit of a result changes (the payload of a NaN aside): x * 1, x / 1, x - 0 and
    /// x + (-0) are x; a division by a power of two is a product; -(-x), |-x|, a - (-b), (-a) (-b) and their kin
    /// lose their signs; min(x, x) is x; x^0 is 1, x^1 is x and x^-1 is 1 / x. Whole powers up to 4 are products,
    /// which lie within an ulp of the power.
    ///
    /// Allowed with [`Rounding::Fast`], for sampling in `f32` and `f64` and never in `evaluate`: a product that only
    /// one sum uses is contracted into it (rounded once instead of twice), unless a difference of two products
    /// might so lose its exact 0; x / c is x (1 / c); x + 0 is x, 0 - x is -x, -(x - y) is y - x and -(x + c) is
    /// -c - x, which differ in the sign of a zero; x^(1/2) is sqrt(x), which differs at -0 and minus infinity; x^-2,
    /// x^-3 and x^-4 are 1 over a product.
    ///
    /// # Panics
    /// If `operations` take values after them, or `inputs` and `oracles` are fewer than they name.
    pub fn new(
        operations: &[Operation],
        outputs: &[Expr],
        inputs: usize,
        oracles: &[OracleUse],
        rounding: Rounding,
    ) -> Code {
        let mut builder = CodeBuilder::new(operations.len(), rounding);
        let mut places: Vec<Arg> = Vec::with_capacity(operations.len());
        for operation in operations {
            let place = |expr: Expr| places[expr.index()];
            let arg = match *operation {
                Operation::Constant(number) => builder.constant(number),
                Operation::Variable(index) => {
                    assert!((index as usize) < inputs, "an input of the function");
                    builder.push(Instruction::Input(index))
                }
                Operation::Unary(operation, a) => builder.unary(operation, place(a)),
                Operation::Binary(operation, a, b) => builder.binary(operation, place(a), place(b)),
                Operation::Select {
                    less: (a, b),
                    then,
                    otherwise,
                } => builder.select([a, b, then, otherwise].map(place)),
                Operation::Oracle {
                    oracle,
                    channel,
                    at,
                } => {
                    assert!((oracle as usize) < oracles.len(), "an oracle of the kernel");
                    builder.push(Instruction::Oracle {
                        oracle,
                        channel,
                        at: at.map(place),
                    })
                }
            };
            places.push(arg);
        }
        let outputs: Vec<Arg> = outputs.iter().map(|expr| places[expr.index()]).collect();
        let written = Code {
            instructions: builder.instructions,
            constants: builder.constants,
            outputs,
            inputs,
            oracles: oracles.to_vec(),
            rounding,
        };
        written.eliminate_dead_code().contract().renumber()
    }

    /// The code of some values of this one, with `inputs` arguments; a value that `input_of` names is the argument
    /// with that index instead, and no other argument may be needed.
    ///
    /// # Panics
    /// If an output needs an argument that `input_of` does not name.
    pub(crate) fn extract(
        &self,
        outputs: &[Arg],
        inputs: usize,
        input_of: impl Fn(usize) -> Option<u32>,
    ) -> Code {
        let mut part = self.clone();
        part.outputs = outputs.to_vec();
        part.inputs = inputs;
        for (index, instruction) in part.instructions.iter_mut().enumerate() {
            *instruction = match (input_of(index), *instruction) {
                (Some(input), _) => Instruction::Input(input),
                // One that is not given is not needed: else the check below finds it.
                (None, Instruction::Input(_)) => Instruction::Input(u32::MAX),
                (None, kept) => kept,
            };
        }
        let part = part.renumber();
        let mut needed = part.instructions.iter().filter_map(Instruction::input);
        assert!(
            needed.all(|input| (input as usize) < inputs),
            "every argument that the outputs need is given"
        );
        part
    }

    /// Eliminates dead code: instructions that no output needs become unused inputs, so that indexes stay valid.
    fn eliminate_dead_code(mut self) -> Code {
        let needed = self.live();
        for (instruction, needed) in self.instructions.iter_mut().zip(needed) {
            if !needed {
                *instruction = Instruction::Input(u32::MAX);
            }
        }
        self
    }

    /// Marks the live instructions: those that the outputs need.
    fn live(&self) -> Vec<bool> {
        let mut needed = vec![false; self.instructions.len()];
        for index in self.outputs.iter().copied().filter_map(Arg::index) {
            needed[index] = true;
        }
        for (index, instruction) in self.instructions.iter().enumerate().rev() {
            if needed[index] {
                for taken in instruction.args().filter_map(Arg::index) {
                    needed[taken] = true;
                }
            }
        }
        needed
    }

    /// Contracts products into the sums that are their only uses (fused multiply-add).
    fn contract(mut self) -> Code {
        if self.rounding == Rounding::Exact {
            return self;
        }
        let uses = self.uses();
        let products: Vec<bool> = self
            .instructions
            .iter()
            .map(|one| matches!(one, Instruction::Binary(Binary::Mul, ..)))
            .collect();
        let is_product = |arg: Arg| arg.index().is_some_and(|index| products[index]);
        for index in 0..self.instructions.len() {
            let Instruction::Binary(operation @ (Binary::Add | Binary::Sub), a, b) =
                self.instructions[index]
            else {
                continue;
            };
            // a a - b b is 0 where a is b, and its root a number: contracted it may be less than 0.
            if operation == Binary::Sub && is_product(a) && is_product(b) {
                continue;
            }
            let product = |arg: Arg| {
                let taken = arg.index().filter(|&taken| uses[taken] == 1)?;
                match self.instructions[taken] {
                    Instruction::Binary(Binary::Mul, x, y) => Some((x, y)),
                    _ => None,
                }
            };
            let fused = match (operation, product(a), product(b)) {
                (_, None, None) => continue,
                (Binary::Sub, Some((x, y)), _) => Instruction::Fused(Fused::MulSub, x, y, b),
                (Binary::Sub, None, Some((x, y))) => Instruction::Fused(Fused::NegMulAdd, x, y, a),
                (_, _, Some((x, y))) => Instruction::Fused(Fused::MulAdd, x, y, a),
                (_, Some((x, y)), None) => Instruction::Fused(Fused::MulAdd, x, y, b),
            };
            self.instructions[index] = fused;
        }
        self
    }

    /// Drops dead instructions and constants, and renumbers the others.
    pub(crate) fn renumber(self) -> Code {
        let needed = self.live();
        let mut builder = Code {
            instructions: Vec::with_capacity(needed.iter().filter(|&&needed| needed).count()),
            constants: Vec::new(),
            outputs: Vec::new(),
            ..self
        };
        let unset = Arg::value(0);
        let mut places = vec![unset; self.instructions.len()];
        let mut constants: Vec<Option<Arg>> = vec![None; self.constants.len()];
        let mut rename = |arg: Arg, places: &[Arg]| match arg.source() {
            ArgSource::Value(index) => places[index],
            ArgSource::Constant(index) => *constants[index].get_or_insert_with(|| {
                builder.constants.push(self.constants[index]);
                Arg::constant(builder.constants.len() - 1)
            }),
        };
        for (index, instruction) in self.instructions.iter().enumerate() {
            if needed[index] {
                let renamed = instruction.map(|arg| rename(arg, &places));
                builder.instructions.push(renamed);
                places[index] = Arg::value(builder.instructions.len() - 1);
            }
        }
        builder.outputs = self
            .outputs
            .iter()
            .map(|&arg| rename(arg, &places))
            .collect();
        builder
    }
}

#[cfg(test)]
mod tests {
    use fibula_nodes::Unary;

    use super::*;
    use crate::trial::{Formula, SPECIAL, Term, build, definition, same, values};

    /// The code of a formula of x and y, which yields the bits of the definitions.
    fn code(rounding: Rounding, formula: impl for<'a> Fn([Term<'a>; 3]) -> Term<'a>) -> Code {
        let (kernel, root) = build(&formula);
        code_for(rounding, &formula, |x, y| {
            definition(&kernel, &[root], &[x, y, 0.0])[0]
        })
    }

    /// The code of a formula of x and y, which yields the bits of what that may become.
    fn code_for(
        rounding: Rounding,
        formula: impl for<'a> Fn([Term<'a>; 3]) -> Term<'a>,
        expected: impl Fn(f64, f64) -> f64,
    ) -> Code {
        let (kernel, root) = build(formula);
        let code = Code::new(kernel.operations(), &[root], 3, &[], rounding);
        for x in SPECIAL {
            for y in SPECIAL {
                let (found, expected) = (values(&code, &[x, y, 0.0])[0], expected(x, y));
                assert!(
                    same(found, expected),
                    "{found:e} and not {expected:e} of {x:e} and {y:e} by {code:?}"
                );
            }
        }
        code
    }

    /// Number of instructions beside the inputs.
    fn length(code: &Code) -> usize {
        let inputs = |instruction: &&Instruction| !matches!(instruction, Instruction::Input(_));
        code.instructions().iter().filter(inputs).count()
    }

    #[test]
    fn simplifications_that_change_no_bit_are_always_made() {
        let cases: [(&str, Formula, usize); 11] = [
            ("x * 1", |[x, ..]| x * 1.0, 0),
            ("x / 1", |[x, ..]| x / 1.0, 0),
            ("x - 0", |[x, ..]| x - 0.0, 0),
            ("x + 0 keeps its sum", |[x, ..]| x + 0.0, 1),
            (
                "0 - x keeps its difference",
                |[x, ..]| x.constant(0.0) - x,
                1,
            ),
            ("-(-x)", |[x, ..]| -(-x), 0),
            ("|-x|", |[x, ..]| (-x).abs(), 1),
            ("x - (-y)", |[x, y, _]| x - (-y), 1),
            ("min(x, x)", |[x, ..]| x.min(x), 0),
            (
                "pow(x, 1)",
                |[x, ..]| x.binary(Binary::Pow, x.constant(1.0)),
                0,
            ),
            ("x * y + y * x is shared", |[x, y, _]| x * y + y * x, 2),
        ];
        for (name, formula, expected) in cases {
            assert_eq!(length(&code(Rounding::Exact, formula)), expected, "{name}");
        }
        let square: Formula = |[x, ..]| x.binary(Binary::Pow, x.constant(2.0));
        let square = code_for(Rounding::Exact, square, |x, _| x * x);
        assert_eq!(length(&square), 1, "pow(x, 2)");
    }

    fn divided(number: f64) -> impl for<'a> Fn([Term<'a>; 3]) -> Term<'a> {
        move |[x, ..]| x / number
    }

    #[test]
    fn a_division_by_a_power_of_two_is_a_product_and_by_another_number_only_if_fast() {
        let is_product = |code: &Code| {
            let is_product =
                |one: &Instruction| matches!(one, Instruction::Binary(Binary::Mul, ..));
            code.instructions().iter().any(is_product)
        };
        assert!(is_product(&code(Rounding::Exact, divided(-8.0))));
        assert!(!is_product(&code(Rounding::Exact, divided(3.0))));
        let multiplied = code_for(Rounding::Fast, divided(3.0), |x, _| x * (1.0 / 3.0));
        assert!(is_product(&multiplied));
        let (tiny, huge) = (2f64.powi(-140), 2f64.powi(140));
        for number in [0.0, f64::INFINITY, f64::NAN, 1e-310, f64::MAX, tiny, huge] {
            let code = code(Rounding::Fast, divided(number));
            assert!(!is_product(&code), "{number}");
        }
    }

    #[test]
    fn products_are_contracted_into_sums_only_if_fast_and_never_into_a_difference_of_products() {
        let sum: Formula = |[x, y, _]| x * y + x;
        assert_eq!(length(&code(Rounding::Exact, sum)), 2);
        let contracted = code_for(Rounding::Fast, sum, |x, y| x.mul_add(y, x));
        assert!(matches!(
            contracted.instructions().last(),
            Some(Instruction::Fused(Fused::MulAdd, ..))
        ));
        assert_eq!(length(&contracted), 1);
        let squares: Formula = |[x, y, _]| x.square() - y.square();
        assert_eq!(length(&code(Rounding::Fast, squares)), 3);
        let shared: Formula = |[x, y, _]| (x.square() - y.square()).sqrt().max(x.square());
        let is_fused = |one: &Instruction| matches!(one, Instruction::Fused(..));
        let shared = code(Rounding::Fast, shared);
        assert!(!shared.instructions().iter().any(is_fused));
    }

    #[test]
    fn dead_code_is_eliminated() {
        let unused: Formula = |[x, y, _]| {
            let _ = y.unary(Unary::Sin);
            x.abs()
        };
        let code = code(Rounding::Exact, unused);
        assert_eq!(code.instructions().len(), 2);
        assert_eq!(code.inputs(), 3);
    }
}
