//! Code generation from a [`Program`]: one pass forward allocates registers
//! ([`register_allocation`](super::register_allocation)), selects instructions
//! ([`instruction_selection`](super::instruction_selection)) and encodes them ([`encoder`](super::encoder)).
//!
//! The generated function has the System V calling convention on every platform. Its parameters are: in `rdi` the
//! biased address of the numbers in the [frame](super::frame), in `rsi` the table of pointers to arguments and
//! outputs, in `rdx` the byte offset of the last pass of the loop, in `rcx` the biased address of the spill slots.

use super::addressing::Addresses;
use super::encoder::{Address, Assembler, RBP, RBX, RmOperand};
use super::frame::{CALLER_MXCSR, LARGEST_ANGLES, Layout, RESULT_MXCSR, RUN_MXCSR};
use super::live_ranges::LiveRanges;
use super::opcode::DIFFERENCE;
use super::program::{MemoryOperand, Program, Unit, VectorOp};
use super::register_allocation::RegisterAllocator;
use super::register_file::RegisterFile;

const CALLEE_SAVED: [u8; 6] = [RBX, RBP, 12, 13, 14, 15];
/// Limit of the balance of adders and multipliers: about the number of steps that a processor looks ahead.
const BALANCE: i32 = 32;

/// Machine code and the layout of its frame.
pub(super) struct MachineCode {
    pub(super) bytes: Vec<u8>,
    pub(super) layout: Layout,
    /// Bytes of each argument that one pass of the loop reads.
    pub(super) stride: usize,
    /// True if it stores the largest angles.
    pub(super) has_reduction_limit: bool,
}

/// Generates the code of a program whose arguments are the first `varying` pointers.
pub(super) fn generate(program: &Program, varying: usize) -> MachineCode {
    let mut generator = CodeGenerator::new(program, varying);
    let stride = program.copies * program.target.vector();
    generator.prologue();
    generator.assembler.begin_loop();
    let top = generator.assembler.len();
    for (index, step) in program.steps.iter().enumerate() {
        generator.position = index as u32;
        generator.step(index, step);
        generator.end_step();
    }
    generator.assembler.end_loop(top, stride as u32);
    generator.epilogue();
    let mut layout = generator.addresses.layout;
    layout.spill_bytes = generator.allocator.slots() * program.target.vector();
    MachineCode {
        bytes: generator.assembler.bytes(),
        layout,
        stride,
        has_reduction_limit: generator.largest_angles.is_some(),
    }
}

pub(super) struct CodeGenerator<'a> {
    pub(super) program: &'a Program,
    pub(super) assembler: Assembler,
    pub(super) addresses: Addresses,
    pub(super) ranges: LiveRanges,
    pub(super) allocator: RegisterAllocator,
    pub(super) vectors: RegisterFile,
    pub(super) masks: RegisterFile,
    pub(super) largest_angles: Option<u8>,
    /// Register of the constant 1, if sums may be selected as multiply-adds with it.
    pub(super) one: Option<u8>,
    pub(super) position: u32,
    /// Recent steps of the adders less those of the multipliers.
    balance: i32,
}

impl<'a> CodeGenerator<'a> {
    fn new(program: &'a Program, varying: usize) -> CodeGenerator<'a> {
        let target = program.target;
        let (values, leaves) = (program.steps.len(), program.leaves.len());
        let has_reduction_limit = program
            .steps
            .iter()
            .any(|step| step.operation == VectorOp::TrackLargest);
        let mut registers = if target.is_wide { 32 } else { 16 };
        let mut reserve = |is_needed: bool| {
            registers -= u8::from(is_needed);
            is_needed.then_some(registers)
        };
        let largest_angles = reserve(has_reduction_limit);
        let one = reserve(adders_are_busy(program));
        let more = one.map(|_| MemoryOperand::Constant(program.one));
        CodeGenerator {
            program,
            assembler: Assembler::new(target.is_wide, target.number(), 512 + 8 * (values + leaves)),
            addresses: Addresses::new(program, varying, more),
            ranges: LiveRanges::new(program),
            allocator: RegisterAllocator::new(values, leaves),
            vectors: RegisterFile::new(u32::MAX >> (32 - registers)),
            // As a write mask k0 means that there is none.
            masks: RegisterFile::new(if target.is_wide { 0xFE } else { 0 }),
            largest_angles,
            one,
            position: 0,
            balance: 0,
        }
    }

    /// Emits everything before the loop.
    fn prologue(&mut self) {
        for register in CALLEE_SAVED {
            self.assembler.push(register);
        }
        self.assembler
            .store_mxcsr(self.addresses.head(CALLER_MXCSR));
        self.assembler.load_mxcsr(self.addresses.head(RUN_MXCSR));
        self.addresses.begin(&mut self.assembler);
        if let Some(far) = self.largest_angles {
            self.assembler
                .emit(DIFFERENCE, far, far, RmOperand::Register(far));
        }
        if let Some(one) = self.one {
            let place = self.number(self.addresses.last_number());
            self.load(one, place);
        }
    }

    fn epilogue(&mut self) {
        if let Some(far) = self.largest_angles {
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

    /// Operand for a number in memory: a broadcast, or a whole vector.
    pub(super) fn number(&self, address: Address) -> RmOperand {
        if self.program.target.is_wide {
            RmOperand::Broadcast(address)
        } else {
            RmOperand::Memory(address)
        }
    }

    /// Emits the load of a vector, or of a number into all lanes.
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

    /// True if the adders had more recent steps than the multipliers.
    pub(super) fn are_adders_behind(&self) -> bool {
        self.balance > 0
    }

    /// Counts a step of a unit.
    pub(super) fn count(&mut self, unit: Unit) {
        let more = match unit {
            Unit::Adder => 1,
            Unit::Multiplier => -1,
            Unit::Any => 0,
        };
        self.balance = (self.balance + more).clamp(-BALANCE, BALANCE);
    }
}

/// True if the adders of a processor have more steps than its multipliers, if each operation has a unit of its own.
fn adders_are_busy(program: &Program) -> bool {
    let (mut adders, mut multipliers, mut sums) = (0_usize, 0_usize, 0_usize);
    for step in &program.steps {
        match step.operation.unit() {
            Unit::Adder => adders += 1,
            Unit::Multiplier => multipliers += 1,
            Unit::Any => {}
        }
        sums += usize::from(matches!(step.operation, VectorOp::Add | VectorOp::Sub));
    }
    sums >= 8 && adders * 8 > multipliers * 9
}
