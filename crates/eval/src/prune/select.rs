//! From a code to the steps of a tape: which kinds compute it, in which order.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use fibula_nodes::{Binary, Unary};
use rustc_hash::FxHasher;

use crate::code::{Arg, ArgSource, Code, Fused, Instruction, binary_variant, unary_variant};
use crate::lane::{Float, Lane};
use crate::prune::kind::Kind;
use crate::prune::tape::OracleChannel;
use crate::sethi_ullman::schedule;

/// No node.
pub(crate) const NONE: u32 = u32::MAX;

/// A value, and how it is computed from those of nodes before it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TapeNode<T> {
    /// An argument.
    Input(u32),
    Step {
        kind: Kind,
        operands: [u32; 3],
        constants: [T; 3],
    },
    /// Sample of an oracle at a point.
    Oracle { asked: u32, at: [u32; 3] },
}

/// The values of a code.
#[derive(Debug)]
pub(crate) struct Nodes<T> {
    pub(crate) list: Vec<TapeNode<T>>,
    pub(crate) outputs: Vec<u32>,
    pub(crate) oracle_channels: Vec<OracleChannel>,
}

/// The nodes of a code. Each output is a step that no other output is.
pub(crate) fn nodes<T: Float>(code: &Code) -> Nodes<T> {
    let mut writer = NodeBuilder {
        code,
        list: Vec::with_capacity(code.instructions().len()),
        values: Vec::with_capacity(code.instructions().len()),
        constants: HashMap::default(),
        oracle_channels: Vec::new(),
    };
    for instruction in code.instructions() {
        let node = writer.instruction(*instruction);
        writer.values.push(node);
    }
    let mut outputs: Vec<u32> = Vec::with_capacity(code.outputs().len());
    for &output in code.outputs() {
        let mut node = writer.value(output);
        if matches!(writer.list[node as usize], TapeNode::Input(_)) || outputs.contains(&node) {
            node = writer.step(Kind::Copy, [node, NONE, NONE], []);
        }
        outputs.push(node);
    }
    let mut nodes = Nodes {
        list: writer.list,
        outputs,
        oracle_channels: writer.oracle_channels,
    };
    nodes.fuse_steps();
    nodes
}

/// The nodes that `outputs` need, each after its operands, in Sethi and Ullman's order, so that few values are live.
/// Inputs are there before.
pub(crate) fn order<T>(nodes: &[TapeNode<T>], outputs: &[u32]) -> Vec<u32> {
    let own = |node: u32| match nodes[node as usize] {
        TapeNode::Input(_) => 0,
        TapeNode::Step { .. } | TapeNode::Oracle { .. } => 1,
    };
    let operands = |node: u32| {
        let operands = operands(&nodes[node as usize]).into_iter();
        operands.filter(|&operand| operand != NONE)
    };
    schedule(nodes.len(), outputs.iter().copied(), own, operands)
}

fn operands<T>(node: &TapeNode<T>) -> [u32; 3] {
    match *node {
        TapeNode::Input(_) => [NONE; 3],
        TapeNode::Step { operands, .. } => operands,
        TapeNode::Oracle { at, .. } => at,
    }
}

/// For each node, true if its value never is -0.
pub(crate) fn unsigned<T: Float>(nodes: &[TapeNode<T>]) -> Vec<bool> {
    let mut unsigned: Vec<bool> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let is = match *node {
            TapeNode::Input(_) | TapeNode::Oracle { .. } => false,
            TapeNode::Step {
                kind,
                operands,
                constants,
            } => {
                let is = |place: usize| unsigned[operands[place] as usize];
                is_unsigned(kind, is, constants)
            }
        };
        unsigned.push(is);
    }
    unsigned
}

/// True if a step never yields -0; `is` is the same for its operands.
fn is_unsigned<T: Float>(kind: Kind, is: impl Fn(usize) -> bool, [k, l, _]: [T; 3]) -> bool {
    let is_plus = |number: T| Float::to_bits(number) != T::SIGN;
    match kind {
        Kind::Set
        | Kind::AddConstant
        | Kind::ConstantSub
        | Kind::AbsAddConstant
        | Kind::SqrtAddConstant => is_plus(k),
        Kind::Abs
        | Kind::Square
        | Kind::AddConstantSquare
        | Kind::SumOfSquares
        | Kind::Length
        | Kind::Fract
        | Kind::Exp
        | Kind::Cosh
        | Kind::Less
        | Kind::SubSame => true,
        Kind::Add | Kind::AddUneven => is(0) || is(1),
        Kind::Copy | Kind::Sub | Kind::Sqrt | Kind::Floor | Kind::Sign => is(0),
        Kind::Min | Kind::Max => is(0) && is(1),
        Kind::MinConstant => k == T::ZERO && is_plus(k) || k != T::ZERO && (is(0) || k < T::ZERO),
        Kind::MaxConstant => k == T::ZERO && is_plus(k) || k != T::ZERO && (is(0) || k > T::ZERO),
        Kind::AddOfSums => is(0) || is(1) || is_plus(k) || is_plus(l),
        Kind::SubOfSums => is(0) || is_plus(k),
        Kind::MaxOfSums | Kind::MinOfSums => (is(0) || is_plus(k)) && (is(1) || is_plus(l)),
        Kind::Pick => is(1) && is(2),
        // Far from the smallest numbers no sum of a product is rounded to -0.
        Kind::MulConstantAddConstant => Lane::abs(l) > T::from_f64(1e-15),
        Kind::Neg
        | Kind::Ceil
        | Kind::Round
        | Kind::Sin
        | Kind::Cos
        | Kind::Tan
        | Kind::Asin
        | Kind::Acos
        | Kind::Atan
        | Kind::Sinh
        | Kind::Tanh
        | Kind::Log
        | Kind::Log2
        | Kind::Log10
        | Kind::Mul
        | Kind::Div
        | Kind::Mod
        | Kind::Fmod
        | Kind::Pow
        | Kind::Atan2
        | Kind::MulConstant
        | Kind::DivConstant
        | Kind::ConstantDiv
        | Kind::MulAdd
        | Kind::MulConstantAdd
        | Kind::MulAddConstant
        | Kind::MulSub
        | Kind::MulConstantSub
        | Kind::NegMulAdd
        | Kind::ConstantSubMul
        | Kind::SquareAdd
        | Kind::SquareAddConstant
        | Kind::SquareSub
        | Kind::NegSquareAdd
        | Kind::ConstantSubSquare
        | Kind::AddConstantSquareAdd
        | Kind::Oracle => false,
    }
}

struct NodeBuilder<'a, T> {
    code: &'a Code,
    list: Vec<TapeNode<T>>,
    /// The node of each instruction.
    values: Vec<u32>,
    /// The nodes of constants that are operands, by their place.
    constants: HashMap<usize, u32, BuildHasherDefault<FxHasher>>,
    oracle_channels: Vec<OracleChannel>,
}

impl<T: Float> NodeBuilder<'_, T> {
    fn push(&mut self, node: TapeNode<T>) -> u32 {
        self.list.push(node);
        self.list.len() as u32 - 1
    }

    fn step<const N: usize>(&mut self, kind: Kind, operands: [u32; 3], numbers: [T; N]) -> u32 {
        let mut constants = [T::ZERO; 3];
        constants[..N].copy_from_slice(&numbers);
        self.push(TapeNode::Step {
            kind,
            operands,
            constants,
        })
    }

    /// The node of an operand.
    fn value(&mut self, arg: Arg) -> u32 {
        match arg.source() {
            ArgSource::Value(index) => self.values[index],
            ArgSource::Constant(index) => {
                if let Some(&node) = self.constants.get(&index) {
                    return node;
                }
                let number = T::from_f64(self.code.constants()[index]);
                let node = self.step(Kind::Set, [NONE; 3], [number]);
                self.constants.insert(index, node);
                node
            }
        }
    }

    /// The finite constant that an operand is, if it is one.
    fn constant(&self, arg: Arg) -> Option<T> {
        let number = T::from_f64(self.code.constant(arg)?);
        (Lane::abs(number) <= T::MAX).then_some(number)
    }

    fn instruction(&mut self, instruction: Instruction) -> u32 {
        match instruction {
            Instruction::Input(index) => self.push(TapeNode::Input(index)),
            Instruction::Unary(operation, a) => {
                let a = self.value(a);
                self.step(unary_variant!(operation, Kind), [a, NONE, NONE], [])
            }
            Instruction::Binary(operation, a, b) => self.binary(operation, a, b),
            Instruction::Fused(operation, a, b, c) => self.fused(operation, a, b, c),
            Instruction::Select([a, b, then, otherwise]) => {
                let less = [self.value(a), self.value(b), NONE];
                let less = self.step(Kind::Less, less, []);
                let picked = [less, self.value(then), self.value(otherwise)];
                self.step(Kind::Pick, picked, [])
            }
            Instruction::Oracle {
                oracle,
                channel,
                at,
            } => {
                let at = at.map(|arg| self.value(arg));
                let asked = self.oracle_channels.len() as u32;
                let oracle = self.code.oracles()[oracle as usize].clone();
                self.oracle_channels.push(OracleChannel { oracle, channel });
                self.push(TapeNode::Oracle { asked, at })
            }
        }
    }

    fn binary(&mut self, operation: Binary, a: Arg, b: Arg) -> u32 {
        let (left, right) = (self.constant(a), self.constant(b));
        let of_constant = match operation {
            Binary::Add => right.map(|k| (Kind::AddConstant, a, k)),
            Binary::Sub => left.map(|k| (Kind::ConstantSub, b, k)),
            Binary::Mul => right.map(|k| (Kind::MulConstant, a, k)),
            Binary::Div => match (left, right) {
                (_, Some(k)) => Some((Kind::DivConstant, a, k)),
                (Some(k), None) => Some((Kind::ConstantDiv, b, k)),
                (None, None) => None,
            },
            Binary::Min => right.map(|k| (Kind::MinConstant, a, k)),
            Binary::Max => right.map(|k| (Kind::MaxConstant, a, k)),
            Binary::Mod | Binary::Fmod | Binary::Pow | Binary::Atan2 => None,
        };
        if let Some((kind, operand, number)) = of_constant {
            let operand = self.value(operand);
            return self.step(kind, [operand, NONE, NONE], [number]);
        }
        let same = a == b;
        let (a, b) = (self.value(a), self.value(b));
        let kind = match operation {
            Binary::Mul if same => return self.step(Kind::Square, [a, NONE, NONE], []),
            Binary::Sub if same => Kind::SubSame,
            _ => binary_variant!(operation, Kind),
        };
        self.step(kind, [a, b, NONE], [])
    }

    fn fused(&mut self, operation: Fused, a: Arg, b: Arg, c: Arg) -> u32 {
        let same = a == b;
        let (factor, term) = (self.constant(b), self.constant(c));
        let first = self.value(a);
        // a k - c is a k + (-c), and c - a k is a (-k) + c: a sign is no matter of rounding.
        let (factor, term) = match operation {
            Fused::MulAdd => (factor, term),
            Fused::MulSub => (factor, term.map(Lane::neg)),
            Fused::NegMulAdd => (factor.map(Lane::neg), term),
        };
        match (factor, term) {
            (Some(k), Some(l)) => {
                return self.step(Kind::MulConstantAddConstant, [first, NONE, NONE], [k, l]);
            }
            (Some(k), None) => {
                let kind = match operation {
                    Fused::MulAdd | Fused::NegMulAdd => Kind::MulConstantAdd,
                    Fused::MulSub => Kind::MulConstantSub,
                };
                let third = self.value(c);
                return self.step(kind, [first, third, NONE], [k]);
            }
            (None, Some(l)) => {
                let second = self.value(b);
                let kind = match (operation, same) {
                    (Fused::MulAdd | Fused::MulSub, false) => Kind::MulAddConstant,
                    (Fused::MulAdd | Fused::MulSub, true) => Kind::SquareAddConstant,
                    (Fused::NegMulAdd, false) => Kind::ConstantSubMul,
                    (Fused::NegMulAdd, true) => Kind::ConstantSubSquare,
                };
                return self.step(kind, [first, second, NONE], [l]);
            }
            (None, None) => {}
        }
        let (second, third) = (self.value(b), self.value(c));
        let kind = match (operation, same) {
            (Fused::MulAdd, true) => return self.step(Kind::SquareAdd, [first, third, NONE], []),
            (Fused::MulAdd, false) => Kind::MulAdd,
            (Fused::MulSub, true) => Kind::SquareSub,
            (Fused::MulSub, false) => Kind::MulSub,
            (Fused::NegMulAdd, true) => Kind::NegSquareAdd,
            (Fused::NegMulAdd, false) => Kind::NegMulAdd,
        };
        self.step(kind, [first, second, third], [])
    }
}

/// The kind that adds constants to its operands first.
fn of_sums(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::Add => Some(Kind::AddOfSums),
        Kind::Sub => Some(Kind::SubOfSums),
        Kind::Max => Some(Kind::MaxOfSums),
        Kind::Min => Some(Kind::MinOfSums),
        _ => None,
    }
}

impl<T: Float> Nodes<T> {
    /// Fuses steps where the result holds no choice within: steps with one use, and sums with constants whose only
    /// users can add them. Marks sums that may be uneven. What is no longer needed stays, and is in no order.
    fn fuse_steps(&mut self) {
        self.mark_uneven_sums();
        let (mut uses, mut takers) = (vec![0_u32; self.list.len()], vec![0_u32; self.list.len()]);
        for node in &self.list {
            let can_add = matches!(node, TapeNode::Step { kind, .. } if of_sums(*kind).is_some());
            for operand in operands(node) {
                if operand != NONE {
                    uses[operand as usize] += 1;
                    takers[operand as usize] += u32::from(can_add);
                }
            }
        }
        for &output in &self.outputs {
            uses[output as usize] += 2;
        }
        for index in 0..self.list.len() {
            if let Some(joined) = self.fuse(index, &uses) {
                self.list[index] = joined;
            } else if let Some(joined) = self.fuse_sums(index, &uses, &takers) {
                self.list[index] = joined;
            }
        }
    }

    /// Marks sums of which one operand may be lost beside the other: those of what grows fast.
    fn mark_uneven_sums(&mut self) {
        let mut is_uneven: Vec<bool> = Vec::with_capacity(self.list.len());
        for node in &mut self.list {
            let is = |&operand: &u32| operand != NONE && is_uneven[operand as usize];
            let inherited = operands(node).iter().any(is);
            is_uneven.push(match node {
                TapeNode::Input(_) | TapeNode::Oracle { .. } => false,
                TapeNode::Step { kind, .. } => {
                    if *kind == Kind::Add && inherited {
                        *kind = Kind::AddUneven;
                    }
                    inherited || matches!(kind, Kind::Exp | Kind::Pow | Kind::Sinh | Kind::Cosh)
                }
            });
        }
    }

    /// Fuses a step with its operands that are sums with constants.
    fn fuse_sums(&self, index: usize, uses: &[u32], takers: &[u32]) -> Option<TapeNode<T>> {
        let TapeNode::Step { kind, operands, .. } = self.list[index] else {
            return None;
        };
        let joined = of_sums(kind)?;
        // To add -0 changes nothing.
        let nothing = T::ZERO.neg();
        let sum = |operand: u32| match self.list[operand as usize] {
            TapeNode::Step {
                kind: Kind::AddConstant,
                operands: [inner, ..],
                constants: [number, ..],
            } if uses[operand as usize] == takers[operand as usize]
                || matches!(self.list[inner as usize], TapeNode::Input(_)) =>
            {
                (inner, number)
            }
            _ => (operand, nothing),
        };
        let ((a, k), (b, l)) = (sum(operands[0]), sum(operands[1]));
        ([a, b] != operands[..2]).then_some(TapeNode::Step {
            kind: joined,
            operands: [a, b, NONE],
            constants: [k, l, T::ZERO],
        })
    }

    /// Fuses a step with an operand.
    fn fuse(&self, index: usize, uses: &[u32]) -> Option<TapeNode<T>> {
        let TapeNode::Step {
            kind,
            operands,
            constants,
        } = self.list[index]
        else {
            return None;
        };
        let before = |place: usize| {
            let operand = operands[place];
            match self.list.get(operand as usize) {
                Some(&TapeNode::Step {
                    kind,
                    operands,
                    constants,
                }) if uses[operand as usize] == 1 => Some((kind, operands, constants)),
                _ => None,
            }
        };
        let (joined, operands, constants) = match (kind, before(0), before(1)) {
            // a a + b b is first b b, then the sum.
            (Kind::SquareAdd, _, Some((Kind::Square, [a, ..], _))) => {
                (Kind::SumOfSquares, [a, operands[0], NONE], constants)
            }
            (Kind::SquareAdd, Some((Kind::AddConstant, [a, ..], numbers)), _) => {
                (Kind::AddConstantSquareAdd, [a, operands[1], NONE], numbers)
            }
            (Kind::Square, Some((Kind::AddConstant, inner, numbers)), _) => {
                (Kind::AddConstantSquare, inner, numbers)
            }
            (Kind::AddConstant, Some((Kind::Abs, inner, _)), _) => {
                (Kind::AbsAddConstant, inner, constants)
            }
            (Kind::AddConstant, Some((Kind::Sqrt, inner, _)), _) => {
                (Kind::SqrtAddConstant, inner, constants)
            }
            (Kind::Sqrt, Some((Kind::SumOfSquares, inner, _)), _) => {
                (Kind::Length, inner, constants)
            }
            _ => return None,
        };
        Some(TapeNode::Step {
            kind: joined,
            operands,
            constants,
        })
    }
}
