//! Lowering: from instructions to steps, with constants and uniforms inside the steps that take them.

use fibula_nodes::{Binary, Unary};
use rustc_hash::FxHashMap;

use super::select::{BlockStep, Selection, StepNode, UniformNumber};
use super::step::StepCode;
use crate::code::{Arg, ArgSource, Code, Fused, Instruction, binary_variant, unary_variant};

/// The steps of `code`, whose inputs from `varying` on are uniforms.
pub(super) fn lower(code: &Code, varying: usize) -> Selection {
    let mut writer = StepBuilder {
        code,
        varying,
        sources: Vec::with_capacity(code.instructions().len()),
        nodes: Vec::with_capacity(code.instructions().len()),
        loaded: FxHashMap::default(),
    };
    for &instruction in code.instructions() {
        let source = writer.instruction(instruction);
        writer.sources.push(source);
    }
    let outputs = code.outputs().iter();
    let outputs = outputs.map(|&arg| {
        let source = writer.source(arg);
        writer.load(source)
    });
    Selection {
        outputs: outputs.collect(),
        nodes: writer.nodes,
    }
}

/// Source of a number.
#[derive(Clone, Copy)]
enum Source {
    /// It is this value.
    Value(u32),
    /// It is the same at all points.
    Number(UniformNumber),
}

use Source::Value;

impl Source {
    /// The negative of a number; values stay as they are.
    fn with_negated_number(self) -> Source {
        match self {
            Value(_) => self,
            Source::Number(number) => Source::Number(number.negated()),
        }
    }
}

struct StepBuilder<'a> {
    code: &'a Code,
    varying: usize,
    /// Source of each instruction.
    sources: Vec<Source>,
    nodes: Vec<StepNode>,
    /// Numbers that are broadcast to a block.
    loaded: FxHashMap<UniformNumber, u32>,
}

impl StepBuilder<'_> {
    fn source(&self, arg: Arg) -> Source {
        match arg.source() {
            ArgSource::Value(index) => self.sources[index],
            ArgSource::Constant(index) => Source::Number(UniformNumber::Constant(
                self.code.constants()[index].to_bits(),
            )),
        }
    }

    /// The value that is at `source`.
    fn load(&mut self, source: Source) -> u32 {
        match source {
            Value(value) => value,
            Source::Number(number) => {
                if let Some(&value) = self.loaded.get(&number) {
                    return value;
                }
                let value = self.push(StepCode::Set, &[], &[number]);
                self.loaded.insert(number, value);
                value
            }
        }
    }

    fn node(&mut self, node: StepNode) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn push(&mut self, code: StepCode, taken: &[u32], numbers: &[UniformNumber]) -> u32 {
        self.node(StepNode::Step(BlockStep::new(code, taken, numbers)))
    }

    fn instruction(&mut self, instruction: Instruction) -> Source {
        Value(match instruction {
            Instruction::Input(index) if index as usize >= self.varying => {
                return Source::Number(UniformNumber::Uniform(index - self.varying as u32));
            }
            Instruction::Input(index) => self.node(StepNode::Input(index)),
            Instruction::Unary(operation, a) => {
                let a = self.load(self.source(a));
                self.push(unary_variant!(operation, StepCode), &[a], &[])
            }
            Instruction::Binary(operation, a, b) => {
                self.binary(operation, self.source(a), self.source(b))
            }
            Instruction::Fused(operation, a, b, c) => {
                self.fused(operation, [a, b, c].map(|arg| self.source(arg)))
            }
            Instruction::Select(args) => self.select(args.map(|arg| self.source(arg))),
            Instruction::Oracle {
                oracle,
                channel,
                at,
            } => {
                let at = at.map(|arg| self.load(self.source(arg)));
                self.node(StepNode::Oracle {
                    oracle,
                    channel,
                    at,
                })
            }
        })
    }

    fn binary(&mut self, operation: Binary, a: Source, b: Source) -> u32 {
        match (a, b) {
            (Value(a), Value(b)) if operation == Binary::Mul && a == b => {
                self.push(StepCode::Square, &[a], &[])
            }
            (Value(a), Value(b)) => self.push(binary_variant!(operation, StepCode), &[a, b], &[]),
            (Value(a), Source::Number(number)) if operation == Binary::Sub => {
                self.push(StepCode::AddConstant, &[a], &[number.negated()])
            }
            (Value(a), Source::Number(number)) => {
                if let Some(code) = by_constant(operation) {
                    return self.push(code, &[a], &[number]);
                }
                let b = self.load(b);
                self.push(binary_variant!(operation, StepCode), &[a, b], &[])
            }
            (Source::Number(number), Value(b)) => {
                if let Some(code) = of_constant(operation) {
                    return self.push(code, &[b], &[number]);
                }
                let a = self.load(a);
                self.push(binary_variant!(operation, StepCode), &[a, b], &[])
            }
            (Source::Number(_), Source::Number(_)) => {
                let a = self.load(a);
                self.binary(operation, Value(a), b)
            }
        }
    }

    fn fused(&mut self, operation: Fused, [a, b, c]: [Source; 3]) -> u32 {
        let (a, b) = match (a, b) {
            (Value(a), b) => (a, b),
            (a, Value(b)) => (b, a),
            (a, b) => (self.load(a), b),
        };
        // a k - l is a k + (-l), and l - a k is a (-k) + l: a sign is no matter of rounding.
        let (b, c) = match operation {
            Fused::MulAdd => (b, c),
            Fused::MulSub => (b, c.with_negated_number()),
            Fused::NegMulAdd => (b.with_negated_number(), c),
        };
        match (operation, b, c) {
            (Fused::MulAdd, Value(b), Value(c)) if a == b => {
                self.push(StepCode::SquareAdd, &[a, c], &[])
            }
            (Fused::MulAdd, Value(b), Value(c)) => self.push(StepCode::MulAdd, &[a, b, c], &[]),
            (Fused::MulSub, Value(b), Value(c)) => self.push(StepCode::MulSub, &[a, b, c], &[]),
            (Fused::NegMulAdd, Value(b), Value(c)) => {
                self.push(StepCode::NegMulAdd, &[a, b, c], &[])
            }
            (Fused::MulAdd | Fused::MulSub, Value(b), Source::Number(c)) => {
                self.push(StepCode::MulAddConstant, &[a, b], &[c])
            }
            (Fused::NegMulAdd, Value(b), Source::Number(c)) => {
                self.push(StepCode::ConstantSubMul, &[a, b], &[c])
            }
            (Fused::MulAdd | Fused::NegMulAdd, Source::Number(b), Value(c)) => {
                self.push(StepCode::MulConstantAdd, &[a, c], &[b])
            }
            (Fused::MulSub, Source::Number(b), Value(c)) => {
                self.push(StepCode::MulConstantSub, &[a, c], &[b])
            }
            (_, Source::Number(b), Source::Number(c)) => {
                self.push(StepCode::MulConstantAddConstant, &[a], &[b, c])
            }
        }
    }

    fn select(&mut self, [a, b, then, otherwise]: [Source; 4]) -> u32 {
        let less = match (a, b, then, otherwise) {
            (Value(a), Source::Number(b), Value(then), Value(otherwise)) => {
                return self.push(StepCode::PickBelow, &[a, then, otherwise], &[b]);
            }
            (Source::Number(a), Value(b), Value(then), Value(otherwise)) => {
                return self.push(StepCode::PickAbove, &[b, then, otherwise], &[a]);
            }
            (Value(a), Value(b), ..) => self.push(StepCode::Less, &[a, b], &[]),
            (Source::Number(a), Value(b), ..) => self.push(StepCode::ConstantLess, &[b], &[a]),
            (a, Source::Number(b), ..) => {
                let a = self.load(a);
                self.push(StepCode::LessConstant, &[a], &[b])
            }
        };
        match (then, otherwise) {
            (Value(then), Value(otherwise)) => {
                self.push(StepCode::Pick, &[less, then, otherwise], &[])
            }
            (Source::Number(then), Value(otherwise)) => {
                self.push(StepCode::PickConstantFirst, &[less, otherwise], &[then])
            }
            (Value(then), Source::Number(otherwise)) => {
                self.push(StepCode::PickConstantSecond, &[less, then], &[otherwise])
            }
            (Source::Number(then), Source::Number(otherwise)) => {
                self.push(StepCode::PickConstants, &[less], &[then, otherwise])
            }
        }
    }
}

/// The step of an operation on a value and a constant, if there is one.
fn by_constant(operation: Binary) -> Option<StepCode> {
    match operation {
        Binary::Add => Some(StepCode::AddConstant),
        Binary::Mul => Some(StepCode::MulConstant),
        Binary::Div => Some(StepCode::DivConstant),
        Binary::Min => Some(StepCode::MinConstant),
        Binary::Max => Some(StepCode::MaxConstant),
        Binary::Mod => Some(StepCode::ModConstant),
        Binary::Fmod => Some(StepCode::FmodConstant),
        Binary::Pow => Some(StepCode::PowConstant),
        Binary::Sub | Binary::Atan2 => None,
    }
}

/// The step of an operation on a constant and a value, if there is one.
fn of_constant(operation: Binary) -> Option<StepCode> {
    match operation {
        Binary::Add => Some(StepCode::AddConstant),
        Binary::Sub => Some(StepCode::ConstantSub),
        Binary::Mul => Some(StepCode::MulConstant),
        Binary::Div => Some(StepCode::ConstantDiv),
        Binary::Min => Some(StepCode::ConstantMin),
        Binary::Max => Some(StepCode::ConstantMax),
        Binary::Pow => Some(StepCode::ConstantPow),
        Binary::Mod | Binary::Fmod | Binary::Atan2 => None,
    }
}
