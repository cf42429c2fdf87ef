//! From a [`Program`] to machine code: one pass forward gives every value a register, as long as there is one
//! ([`allocation`](super::allocation)), and writes the instructions ([`select`](super::select)).
//!
//! The code is a function in the manner of System V, on every platform. It takes, in this order: in `rdi` what the
//! [frame's](super::frame) numbers lie around, in `rsi` the pointers to arguments and outputs, in `rdx` the bytes before
//! the last pass of the loop, in `rcx` what the values lie around that wait.

use super::addresses::Addresses;
use super::allocation::Homes;
use super::encode::{Address, Assembler, Place, RBP, RBX};
use super::frame::{CALLERS_MODES, FAR, Layout, MODES, MODES_AFTER};
use super::opcode::DIFFERENCE;
use super::operation::{Leaf, Operation, Program, Unit};
use super::registers::Registers;
use super::uses::Uses;

/// The general registers that have to be kept for the caller.
const KEPT: [u8; 6] = [RBX, RBP, 12, 13, 14, 15];
/// How far the balance of adders and multipliers goes: about as many steps as a processor looks ahead.
const BALANCE: i32 = 32;

/// Machine code, and what its frame has to look like.
pub(super) struct Written {
    pub(super) bytes: Vec<u8>,
    pub(super) layout: Layout,
    /// The bytes that one pass of the loop takes of each argument.
    pub(super) stride: usize,
    /// Whether it tells the farthest values.
    pub(super) has_far: bool,
}

/// Writes a program whose arguments are the first `varying` pointers.
pub(super) fn write(program: &Program, varying: usize) -> Written {
    let mut writer = Writer::new(program, varying);
    let stride = program.copies * program.target.vector();
    writer.prologue();
    writer.assembler.begin_loop();
    let top = writer.assembler.len();
    for (index, step) in program.steps.iter().enumerate() {
        writer.position = index as u32;
        writer.step(index, step);
        writer.end_step();
    }
    writer.assembler.end_loop(top, stride as u32);
    writer.epilogue();
    let mut layout = writer.addresses.layout;
    layout.waiting = writer.homes.slots() * program.target.vector();
    Written {
        bytes: writer.assembler.bytes(),
        layout,
        stride,
        has_far: writer.far.is_some(),
    }
}

/// What is known while a program is written.
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) assembler: Assembler,
    pub(super) addresses: Addresses,
    pub(super) uses: Uses,
    pub(super) homes: Homes,
    pub(super) vectors: Registers,
    pub(super) masks: Registers,
    /// The register of the farthest values.
    pub(super) far: Option<u8>,
    /// The register of 1, if sums may be written as products with it.
    pub(super) one: Option<u8>,
    /// The step that is written.
    pub(super) position: u32,
    /// How much more the adders have to do than the multipliers, of late.
    balance: i32,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, varying: usize) -> Writer<'a> {
        let target = program.target;
        let (values, leaves) = (program.steps.len(), program.leaves.len());
        let has_far = program
            .steps
            .iter()
            .any(|step| step.operation == Operation::Far);
        let mut registers = if target.is_wide { 32 } else { 16 };
        let mut reserve = |is_needed: bool| {
            registers -= u8::from(is_needed);
            is_needed.then_some(registers)
        };
        let far = reserve(has_far);
        let one = reserve(adders_are_busy(program));
        let more = one.map(|_| Leaf::Constant(program.one));
        Writer {
            program,
            assembler: Assembler::new(target.is_wide, target.number(), 512 + 8 * (values + leaves)),
            addresses: Addresses::new(program, varying, more),
            uses: Uses::new(program),
            homes: Homes::new(values, leaves),
            vectors: Registers::new(u32::MAX >> (32 - registers)),
            // The first one means that there is no mask.
            masks: Registers::new(if target.is_wide { 0xFE } else { 0 }),
            far,
            one,
            position: 0,
            balance: 0,
        }
    }

    /// Everything before the loop.
    fn prologue(&mut self) {
        for register in KEPT {
            self.assembler.push(register);
        }
        self.assembler.get_modes(self.addresses.head(CALLERS_MODES));
        self.assembler.set_modes(self.addresses.head(MODES));
        self.addresses.begin(&mut self.assembler);
        if let Some(far) = self.far {
            self.assembler
                .emit(DIFFERENCE, far, far, Place::Register(far));
        }
        if let Some(one) = self.one {
            let place = self.number(self.addresses.last_number());
            self.load(one, place);
        }
    }

    fn epilogue(&mut self) {
        if let Some(far) = self.far {
            let place = Place::Memory(self.addresses.head(FAR));
            let opcode = self.program.target.store();
            self.assembler.emit(opcode, far, 0, place);
        }
        self.assembler.get_modes(self.addresses.head(MODES_AFTER));
        self.assembler.set_modes(self.addresses.head(CALLERS_MODES));
        self.assembler.leave_vectors();
        for register in KEPT.into_iter().rev() {
            self.assembler.pop(register);
        }
        self.assembler.finish();
    }

    /// A number in memory, as instructions that take vectors find it.
    pub(super) fn number(&self, address: Address) -> Place {
        if self.program.target.is_wide {
            Place::Broadcast(address)
        } else {
            Place::Memory(address)
        }
    }

    /// Loads a vector, or a number for all lanes.
    pub(super) fn load(&mut self, register: u8, place: Place) {
        let target = self.program.target;
        let (opcode, place) = match place {
            Place::Broadcast(address) | Place::Single(address) => {
                (target.broadcast(), Place::Single(address))
            }
            Place::Register(_) | Place::Memory(_) => (target.load(), place),
        };
        self.assembler.emit(opcode, register, 0, place);
    }

    /// Whether the adders have more to do than the multipliers.
    pub(super) fn are_adders_behind(&self) -> bool {
        self.balance > 0
    }

    /// Counts what a unit has to do.
    pub(super) fn count(&mut self, unit: Unit) {
        let more = match unit {
            Unit::Adder => 1,
            Unit::Multiplier => -1,
            Unit::Any => 0,
        };
        self.balance = (self.balance + more).clamp(-BALANCE, BALANCE);
    }
}

/// Whether a processor's adders have more to do than its multipliers, if each has its own.
fn adders_are_busy(program: &Program) -> bool {
    let (mut adders, mut multipliers, mut sums) = (0_usize, 0_usize, 0_usize);
    for step in &program.steps {
        match step.operation.unit() {
            Unit::Adder => adders += 1,
            Unit::Multiplier => multipliers += 1,
            Unit::Any => {}
        }
        sums += usize::from(matches!(step.operation, Operation::Add | Operation::Sub));
    }
    sums >= 8 && adders * 8 > multipliers * 9
}
