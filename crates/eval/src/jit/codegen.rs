//! From a [`Program`] to machine code: one pass forward gives every value a register, as long as there is one
//! ([`allocation`](super::register_allocation)), and writes the instructions ([`select`](super::instruction_selection)).
//!
//! The code is a function in the manner of System V, on every platform. It takes, in this order: in `rdi` what the
//! [frame's](super::frame) numbers lie around, in `rsi` the pointers to arguments and outputs, in `rdx` the bytes before
//! the last pass of the loop, in `rcx` what the values lie around that wait.

use super::addressing::Addresses;
use super::encoder::{Address, Assembler, RBP, RBX, RmOperand};
use super::frame::{CALLER_MXCSR, LARGEST_ANGLES, Layout, RESULT_MXCSR, RUN_MXCSR};
use super::live_ranges::LiveRanges;
use super::opcode::DIFFERENCE;
use super::program::{MemoryOperand, Program, Unit, VectorOperation};
use super::register_allocation::RegisterAllocator;
use super::register_file::RegisterFile;

/// The general registers that have to be kept for the caller.
const CALLEE_SAVED: [u8; 6] = [RBX, RBP, 12, 13, 14, 15];
/// How far the balance of adders and multipliers goes: about as many steps as a processor looks ahead.
const BALANCE: i32 = 32;

/// Machine code, and what its frame has to look like.
pub(super) struct MachineCode {
    pub(super) bytes: Vec<u8>,
    pub(super) layout: Layout,
    /// The bytes that one pass of the loop takes of each argument.
    pub(super) stride: usize,
    /// Whether it tells the farthest values.
    pub(super) has_reduction_limit: bool,
}

/// Writes a program whose arguments are the first `varying` pointers.
pub(super) fn generate(program: &Program, varying: usize) -> MachineCode {
    let mut writer = CodeGenerator::new(program, varying);
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
    layout.spill_bytes = writer.allocator.slots() * program.target.vector();
    MachineCode {
        bytes: writer.assembler.bytes(),
        layout,
        stride,
        has_reduction_limit: writer.far.is_some(),
    }
}

/// What is known while a program is written.
pub(super) struct CodeGenerator<'a> {
    pub(super) program: &'a Program,
    pub(super) assembler: Assembler,
    pub(super) addresses: Addresses,
    pub(super) ranges: LiveRanges,
    pub(super) allocator: RegisterAllocator,
    pub(super) vectors: RegisterFile,
    pub(super) masks: RegisterFile,
    /// The register of the farthest values.
    pub(super) far: Option<u8>,
    /// The register of 1, if sums may be written as products with it.
    pub(super) one: Option<u8>,
    /// The step that is written.
    pub(super) position: u32,
    /// How much more the adders have to do than the multipliers, of late.
    balance: i32,
}

impl<'a> CodeGenerator<'a> {
    fn new(program: &'a Program, varying: usize) -> CodeGenerator<'a> {
        let target = program.target;
        let (values, leaves) = (program.steps.len(), program.leaves.len());
        let has_reduction_limit = program
            .steps
            .iter()
            .any(|step| step.operation == VectorOperation::TrackLargest);
        let mut registers = if target.is_wide { 32 } else { 16 };
        let mut reserve = |is_needed: bool| {
            registers -= u8::from(is_needed);
            is_needed.then_some(registers)
        };
        let far = reserve(has_reduction_limit);
        let one = reserve(adders_are_busy(program));
        let more = one.map(|_| MemoryOperand::Constant(program.one));
        CodeGenerator {
            program,
            assembler: Assembler::new(target.is_wide, target.number(), 512 + 8 * (values + leaves)),
            addresses: Addresses::new(program, varying, more),
            ranges: LiveRanges::new(program),
            allocator: RegisterAllocator::new(values, leaves),
            vectors: RegisterFile::new(u32::MAX >> (32 - registers)),
            // The first one means that there is no mask.
            masks: RegisterFile::new(if target.is_wide { 0xFE } else { 0 }),
            far,
            one,
            position: 0,
            balance: 0,
        }
    }

    /// Everything before the loop.
    fn prologue(&mut self) {
        for register in CALLEE_SAVED {
            self.assembler.push(register);
        }
        self.assembler
            .store_mxcsr(self.addresses.head(CALLER_MXCSR));
        self.assembler.load_mxcsr(self.addresses.head(RUN_MXCSR));
        self.addresses.begin(&mut self.assembler);
        if let Some(far) = self.far {
            self.assembler
                .emit(DIFFERENCE, far, far, RmOperand::Register(far));
        }
        if let Some(one) = self.one {
            let place = self.number(self.addresses.last_number());
            self.load(one, place);
        }
    }

    fn epilogue(&mut self) {
        if let Some(far) = self.far {
            let place = RmOperand::Memory(self.addresses.head(LARGEST_ANGLES));
            let opcode = self.program.target.store();
            self.assembler.emit(opcode, far, 0, place);
        }
        self.assembler
            .store_mxcsr(self.addresses.head(RESULT_MXCSR));
        self.assembler.load_mxcsr(self.addresses.head(CALLER_MXCSR));
        self.assembler.zero_upper();
        for register in CALLEE_SAVED.into_iter().rev() {
            self.assembler.pop(register);
        }
        self.assembler.ret();
    }

    /// A number in memory, as instructions that take vectors find it.
    pub(super) fn number(&self, address: Address) -> RmOperand {
        if self.program.target.is_wide {
            RmOperand::Broadcast(address)
        } else {
            RmOperand::Memory(address)
        }
    }

    /// Loads a vector, or a number for all lanes.
    pub(super) fn load(&mut self, register: u8, place: RmOperand) {
        let target = self.program.target;
        let (opcode, place) = match place {
            RmOperand::Broadcast(address) | RmOperand::Single(address) => {
                (target.broadcast(), RmOperand::Single(address))
            }
            RmOperand::Register(_) | RmOperand::Memory(_) => (target.load(), place),
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
        sums += usize::from(matches!(
            step.operation,
            VectorOperation::Add | VectorOperation::Sub
        ));
    }
    sums >= 8 && adders * 8 > multipliers * 9
}
