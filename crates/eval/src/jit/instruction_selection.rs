//! Instruction selection: the instructions of each operation, by where its operands are.

use super::codegen::CodeGenerator;
use super::encoder::RmOperand;
use super::opcode::{EQUAL, FusedOrder, GREATER, LESS, UNORDERED};
use super::program::{Operand, Unit, VectorOp, VectorStep};
use super::ternary_logic::renamed;

impl CodeGenerator<'_> {
    pub(super) fn step(&mut self, index: usize, step: &VectorStep) {
        let target = self.program.target;
        let [a, b, c] = step.operands;
        if let Some(one) = self.one
            && matches!(step.operation, VectorOp::Add | VectorOp::Sub)
            && self.is_better_as_product(step.operation, a, b)
        {
            self.count(Unit::Multiplier);
            let register = self.sum_as_product(step.operation, one, a, b);
            self.define(index, register);
            return;
        }
        self.count(step.operation.unit());
        let register = match step.operation {
            VectorOp::Add
            | VectorOp::Sub
            | VectorOp::Mul
            | VectorOp::Div
            | VectorOp::Lesser
            | VectorOp::Greater
            | VectorOp::And
            | VectorOp::Or
            | VectorOp::Xor
            | VectorOp::IntAdd
            | VectorOp::IntSub
            | VectorOp::Scale => self.two(step.operation, a, b),
            VectorOp::MulAdd | VectorOp::MulSub | VectorOp::NegMulAdd => {
                self.fused(step.operation, a, b, c)
            }
            VectorOp::Logic(table) => self.logic(table, step.operands),
            VectorOp::Sqrt => self.one(step.operation, a, None),
            VectorOp::Whole(direction) => self.one(step.operation, a, Some(direction.immediate())),
            VectorOp::ShiftUp(by) => self.shift(6, by, a),
            VectorOp::ShiftDown(by) => self.shift(2, by, a),
            VectorOp::Less => self.compare(LESS, GREATER, a, b),
            VectorOp::Equal => self.compare(EQUAL, EQUAL, a, b),
            VectorOp::Nan => self.is_nan(a),
            VectorOp::Negative => {
                let last = RmOperand::Register(self.register(a));
                self.release(&[a]);
                let mask = self.allocate_mask();
                self.assembler.emit(target.signs(), mask, 0, last);
                mask
            }
            VectorOp::Pick => self.pick(a, b, c),
            VectorOp::Output(output) => {
                let register = self.register(a);
                let place =
                    RmOperand::Memory(self.addresses.output(&mut self.assembler, output, index));
                self.assembler.emit(target.store(), register, 0, place);
                self.release(&[a]);
                return;
            }
            VectorOp::TrackLargest => {
                let far = self
                    .largest_angles
                    .expect("there is one if there are such steps");
                let last = self.place(a);
                self.assembler.emit(target.unsigned_max(), far, far, last);
                self.release(&[a]);
                return;
            }
        };
        self.define(index, register);
    }

    fn one(&mut self, operation: VectorOp, a: Operand, immediate: Option<u8>) -> u8 {
        let opcode = self.program.target.plain(operation);
        let opcode = opcode.expect("every such operation has one");
        let last = self.place(a);
        self.release(&[a]);
        let to = self.allocate_register();
        self.assembler.vector(opcode, to, 0, last, immediate, 0);
        to
    }

    fn two(&mut self, operation: VectorOp, a: Operand, b: Operand) -> u8 {
        let opcode = self.program.target.plain(operation);
        let opcode = opcode.expect("every such operation has one");
        let (a, b) = if operation.is_commutative() {
            self.register_first(a, b)
        } else {
            (a, b)
        };
        let second = self.register(a);
        let last = self.place(b);
        self.release(&[a, b]);
        let to = self.allocate_register();
        self.assembler.emit(opcode, to, second, last);
        to
    }

    /// True if a sum is better selected as a multiply-add: the multipliers have less to do, or a load is saved.
    fn is_better_as_product(&self, operation: VectorOp, a: Operand, b: Operand) -> bool {
        let is_wide = self.program.target.is_wide;
        let loads =
            operation == VectorOp::Sub && self.is_number(a) && self.register_of(a).is_none();
        let copies = !(self.is_killed(a) || self.is_killed(b));
        (is_wide || !copies) && (loads || self.are_adders_behind())
    }

    /// Emits `1 a + b` or `1 a - b`, which have the bits of the sum and are executed by multipliers.
    fn sum_as_product(&mut self, operation: VectorOp, one: u8, a: Operand, b: Operand) -> u8 {
        let is_second = !self.is_killed(a) && (self.is_killed(b) || self.register_of(a).is_none());
        let (over, last) = if is_second { (b, a) } else { (a, b) };
        let product = match (operation, is_second) {
            (VectorOp::Add, _) => VectorOp::MulAdd,
            (_, false) => VectorOp::MulSub,
            (_, true) => VectorOp::NegMulAdd,
        };
        let to = self.overwritable_copy(over);
        let last = self.place(last);
        self.release(&[a, b]);
        let opcode = self
            .program
            .target
            .fused(product, FusedOrder::SecondFirstThird);
        self.assembler.emit(opcode, to, one, last);
        to
    }

    fn shift(&mut self, kind: u8, by: u8, a: Operand) -> u8 {
        let last = RmOperand::Register(self.register(a));
        self.release(&[a]);
        let to = self.allocate_register();
        let opcode = self.program.target.shift();
        self.assembler.vector(opcode, kind, to, last, Some(by), 0);
        to
    }

    /// Emits a comparison, or `swapped` on swapped operands.
    fn compare(&mut self, comparison: u8, swapped: u8, a: Operand, b: Operand) -> u8 {
        let (first, other) = self.register_first(a, b);
        let comparison = if first == a { comparison } else { swapped };
        let second = self.register(first);
        let last = self.place(other);
        self.release(&[a, b]);
        self.mask_of(comparison, second, last)
    }

    fn is_nan(&mut self, a: Operand) -> u8 {
        let second = self.register(a);
        self.release(&[a]);
        self.mask_of(UNORDERED, second, RmOperand::Register(second))
    }

    fn mask_of(&mut self, comparison: u8, second: u8, last: RmOperand) -> u8 {
        let target = self.program.target;
        let to = if target.is_wide {
            self.allocate_mask()
        } else {
            self.allocate_register()
        };
        let opcode = target.compare();
        self.assembler
            .vector(opcode, to, second, last, Some(comparison), 0);
        to
    }

    fn pick(&mut self, mask: Operand, then: Operand, otherwise: Operand) -> u8 {
        let target = self.program.target;
        let by = if target.is_wide {
            self.mask(mask)
        } else {
            self.register(mask)
        };
        let second = self.register(otherwise);
        let last = self.place(then);
        self.release(&[mask, then, otherwise]);
        let to = self.allocate_register();
        let opcode = target.pick();
        if target.is_wide {
            self.assembler.vector(opcode, to, second, last, None, by);
        } else {
            self.assembler
                .vector(opcode, to, second, last, Some(by << 4), 0);
        }
        to
    }

    /// Emits a fused multiply-add; one operand is overwritten, one may be in memory.
    fn fused(&mut self, operation: VectorOp, a: Operand, b: Operand, c: Operand) -> u8 {
        // The operand that is overwritten, the one that has to be in a register, the last.
        let (order, over, second, last) = if self.is_killed(c) {
            let (a, b) = self.register_first(a, b);
            (FusedOrder::SecondThirdFirst, c, a, b)
        } else {
            let (a, b) = if self.is_killed(b) && !self.is_killed(a) {
                (b, a)
            } else {
                (a, b)
            };
            if self.is_killed(a) {
                self.product_over(a, b, c)
            } else if self.register_of(c).is_none() {
                let (a, b) = self.register_first(a, b);
                (FusedOrder::SecondThirdFirst, c, a, b)
            } else if self.register_of(b).is_none() {
                (FusedOrder::SecondFirstThird, b, a, c)
            } else if self.register_of(a).is_none() {
                (FusedOrder::SecondFirstThird, a, b, c)
            } else {
                (FusedOrder::SecondThirdFirst, c, a, b)
            }
        };
        let second_register = self.register(second);
        let to = self.overwritable_copy(over);
        let last_place = self.place(last);
        self.release(&[a, b, c]);
        let opcode = self.program.target.fused(operation, order);
        self.assembler.emit(opcode, to, second_register, last_place);
        to
    }

    /// Form and operands of a multiply-add with the term `c` that overwrites the factor `a`.
    fn product_over(
        &self,
        a: Operand,
        b: Operand,
        c: Operand,
    ) -> (FusedOrder, Operand, Operand, Operand) {
        if self.register_of(b).is_none() && self.register_of(c).is_some() {
            (FusedOrder::FirstThirdSecond, a, c, b)
        } else {
            (FusedOrder::SecondFirstThird, a, b, c)
        }
    }

    /// Emits a function of the bits of three values; the first is overwritten, the last may be in memory.
    fn logic(&mut self, table: u8, operands: [Operand; 3]) -> u8 {
        let mut order = [0, 1, 2];
        // First what may be overwritten, else what would have to be copied anyway; last what is in memory.
        order.sort_by_key(|&place| {
            let operand: Operand = operands[place];
            match (
                self.register_of(operand).is_some(),
                self.is_last_use(operand),
            ) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            }
        });
        if !self.is_killed(operands[order[0]]) && self.register_of(operands[order[1]]).is_none() {
            // Two are in memory: one of them is copied.
            order.swap(0, 1);
        }
        let mut places = [0; 3];
        for (place, &operand) in order.iter().enumerate() {
            places[operand] = place;
        }
        let [over, second, last] = order.map(|place| operands[place]);
        let second = self.register(second);
        let to = self.overwritable_copy(over);
        let last = self.place(last);
        self.release(&operands);
        let opcode = self.program.target.logic();
        let table = renamed(table, places);
        self.assembler
            .vector(opcode, to, second, last, Some(table), 0);
        to
    }
}
