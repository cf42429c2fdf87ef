//! Which instructions an operation becomes, by where its operands are.

use super::encode::Place;
use super::logic::renamed;
use super::opcode::{EQUAL, GREATER, LESS, Order, UNORDERED};
use super::operation::{Operand, Operation, Step, Unit};
use super::write::Writer;

impl Writer<'_> {
    /// Writes the instructions of a step.
    pub(super) fn step(&mut self, index: usize, step: &Step) {
        let target = self.program.target;
        let [a, b, c] = step.operands;
        if let Some(one) = self.one
            && matches!(step.operation, Operation::Add | Operation::Sub)
            && self.is_better_as_product(step.operation, a, b)
        {
            self.count(Unit::Multiplier);
            let register = self.sum_as_product(step.operation, one, a, b);
            self.define(index, register);
            return;
        }
        self.count(step.operation.unit());
        let register = match step.operation {
            Operation::Add
            | Operation::Sub
            | Operation::Mul
            | Operation::Div
            | Operation::Lesser
            | Operation::Greater
            | Operation::And
            | Operation::Or
            | Operation::Xor
            | Operation::IntAdd
            | Operation::IntSub
            | Operation::Scale => self.two(step.operation, a, b),
            Operation::MulAdd | Operation::MulSub | Operation::NegMulAdd => {
                self.fused(step.operation, a, b, c)
            }
            Operation::Logic(table) => self.logic(table, step.operands),
            Operation::Sqrt => self.one(step.operation, a, None),
            Operation::Whole(direction) => self.one(step.operation, a, Some(direction.immediate())),
            Operation::ShiftUp(by) => self.shift(6, by, a),
            Operation::ShiftDown(by) => self.shift(2, by, a),
            Operation::Less => self.compare(LESS, GREATER, a, b),
            Operation::Equal => self.compare(EQUAL, EQUAL, a, b),
            Operation::Nan => self.is_nan(a),
            Operation::Negative => {
                let last = Place::Register(self.register(a));
                self.release(&[a]);
                let mask = self.free_mask();
                self.assembler.emit(target.signs(), mask, 0, last);
                mask
            }
            Operation::Pick => self.pick(a, b, c),
            Operation::Output(output) => {
                let register = self.register(a);
                let place =
                    Place::Memory(self.addresses.output(&mut self.assembler, output, index));
                self.assembler.emit(target.store(), register, 0, place);
                self.release(&[a]);
                return;
            }
            Operation::Far => {
                let far = self.far.expect("there is one if there are such steps");
                let last = self.place(a);
                self.assembler.emit(target.farther(), far, far, last);
                self.release(&[a]);
                return;
            }
        };
        self.define(index, register);
    }

    fn one(&mut self, operation: Operation, a: Operand, immediate: Option<u8>) -> u8 {
        let opcode = self.program.target.plain(operation);
        let opcode = opcode.expect("every such operation has one");
        let last = self.place(a);
        self.release(&[a]);
        let to = self.free_register();
        self.assembler.vector(opcode, to, 0, last, immediate, 0);
        to
    }

    fn two(&mut self, operation: Operation, a: Operand, b: Operand) -> u8 {
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
        let to = self.free_register();
        self.assembler.emit(opcode, to, second, last);
        to
    }

    /// Whether the multipliers have less to do, or a copy is saved.
    fn is_better_as_product(&self, operation: Operation, a: Operand, b: Operand) -> bool {
        let is_wide = self.program.target.is_wide;
        let loads = operation == Operation::Sub && self.is_number(a) && self.home(a).is_none();
        let copies = !(self.is_done(a) || self.is_done(b));
        (is_wide || !copies) && (loads || self.are_adders_behind())
    }

    /// `1 a + b` or `1 a - b`, which is the same, and done by multipliers.
    fn sum_as_product(&mut self, operation: Operation, one: u8, a: Operand, b: Operand) -> u8 {
        let is_second = !self.is_done(a) && (self.is_done(b) || self.home(a).is_none());
        let (over, last) = if is_second { (b, a) } else { (a, b) };
        let product = match (operation, is_second) {
            (Operation::Add, _) => Operation::MulAdd,
            (_, false) => Operation::MulSub,
            (_, true) => Operation::NegMulAdd,
        };
        let to = self.overwritten(over);
        let last = self.place(last);
        self.release(&[a, b]);
        let opcode = self.program.target.fused(product, Order::SecondFirstThird);
        self.assembler.emit(opcode, to, one, last);
        to
    }

    fn shift(&mut self, kind: u8, by: u8, a: Operand) -> u8 {
        let last = Place::Register(self.register(a));
        self.release(&[a]);
        let to = self.free_register();
        let opcode = self.program.target.shift();
        self.assembler.vector(opcode, kind, to, last, Some(by), 0);
        to
    }

    /// A comparison, or `swapped` on swapped operands.
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
        self.mask_of(UNORDERED, second, Place::Register(second))
    }

    fn mask_of(&mut self, comparison: u8, second: u8, last: Place) -> u8 {
        let target = self.program.target;
        let to = if target.is_wide {
            self.free_mask()
        } else {
            self.free_register()
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
        let to = self.free_register();
        let opcode = target.pick();
        if target.is_wide {
            self.assembler.vector(opcode, to, second, last, None, by);
        } else {
            self.assembler
                .vector(opcode, to, second, last, Some(by << 4), 0);
        }
        to
    }

    /// A product with a sum; one operand is overwritten, one may be in memory.
    fn fused(&mut self, operation: Operation, a: Operand, b: Operand, c: Operand) -> u8 {
        // The operand that is overwritten, the one that has to be in a register, the last.
        let (order, over, second, last) = if self.is_done(c) {
            let (a, b) = self.register_first(a, b);
            (Order::SecondThirdFirst, c, a, b)
        } else {
            let (a, b) = if self.is_done(b) && !self.is_done(a) {
                (b, a)
            } else {
                (a, b)
            };
            if self.is_done(a) {
                self.product_over(a, b, c)
            } else if self.home(c).is_none() {
                let (a, b) = self.register_first(a, b);
                (Order::SecondThirdFirst, c, a, b)
            } else if self.home(b).is_none() {
                (Order::SecondFirstThird, b, a, c)
            } else if self.home(a).is_none() {
                (Order::SecondFirstThird, a, b, c)
            } else {
                (Order::SecondThirdFirst, c, a, b)
            }
        };
        let second_register = self.register(second);
        let to = self.overwritten(over);
        let last_place = self.place(last);
        self.release(&[a, b, c]);
        let opcode = self.program.target.fused(operation, order);
        self.assembler.emit(opcode, to, second_register, last_place);
        to
    }

    /// How a product with `c` is written over the factor `a`.
    fn product_over(
        &self,
        a: Operand,
        b: Operand,
        c: Operand,
    ) -> (Order, Operand, Operand, Operand) {
        if self.home(b).is_none() && self.home(c).is_some() {
            (Order::FirstThirdSecond, a, c, b)
        } else {
            (Order::SecondFirstThird, a, b, c)
        }
    }

    /// Bits of three values by a table; the first is overwritten, the last may be in memory.
    fn logic(&mut self, table: u8, operands: [Operand; 3]) -> u8 {
        let mut order = [0, 1, 2];
        // First what may be overwritten, else what would have to be copied anyway; last what is in memory.
        order.sort_by_key(|&place| {
            let operand: Operand = operands[place];
            match (self.home(operand).is_some(), self.is_last(operand)) {
                (true, true) => 0,
                (true, false) => 1,
                (false, _) => 2,
            }
        });
        if !self.is_done(operands[order[0]]) && self.home(operands[order[1]]).is_none() {
            // Two are in memory: one of them is copied.
            order.swap(0, 1);
        }
        let mut places = [0; 3];
        for (place, &operand) in order.iter().enumerate() {
            places[operand] = place;
        }
        let [over, second, last] = order.map(|place| operands[place]);
        let second = self.register(second);
        let to = self.overwritten(over);
        let last = self.place(last);
        self.release(&operands);
        let opcode = self.program.target.logic();
        let table = renamed(table, places);
        self.assembler
            .vector(opcode, to, second, last, Some(table), 0);
        to
    }
}
