//! Addresses of what is in memory: arguments and outputs, numbers, spilled values.

use super::encoder::{Address, Assembler, RAX, RBP, RBX, RCX, RDI, RSI};
use super::frame::{HEAD, Layout};
use super::program::{MemoryOperand, Program, VectorOp};

/// Registers that hold pointers to arguments and outputs. If they are too few, the last is shared by the pointers
/// without one; if they are too many, the rest points to numbers.
const POINTERS: [u8; 10] = [8, 9, 10, 11, RBX, RBP, 13, 14, 15, 12];
/// Numbers that one register reaches with short displacements.
const NEAR: usize = 256;

/// Addresses relative to the registers that point to memory.
pub(super) struct Addresses {
    pub(super) layout: Layout,
    /// For each operand that is a number, its index among them.
    numbers: Vec<u32>,
    /// The pointers that have registers, and the number of arguments before the outputs.
    resident: Vec<u32>,
    varying: usize,
    /// The registers that point to numbers: the first to 256, each of the others to 256 more.
    anchors: Vec<u8>,
    copies: usize,
}

impl Addresses {
    /// The addresses of a program whose arguments are the first `varying` pointers; its numbers are those
    /// of its operands in memory, then `more`.
    pub(super) fn new(program: &Program, varying: usize, more: Option<MemoryOperand>) -> Addresses {
        let mut numbers = Vec::with_capacity(program.leaves.len());
        let mut leaves: Vec<MemoryOperand> = Vec::with_capacity(program.leaves.len() + 1);
        for &leaf in &program.leaves {
            numbers.push(leaves.len() as u32);
            if !matches!(leaf, MemoryOperand::Input { .. }) {
                leaves.push(leaf);
            }
        }
        leaves.extend(more);
        let mut resident = pointers(program, varying);
        let mut anchors = vec![RDI];
        if resident.len() > POINTERS.len() {
            resident.truncate(POINTERS.len() - 1);
        } else if program.target.is_wide {
            let more = leaves.len().div_ceil(NEAR).saturating_sub(1);
            anchors.extend(POINTERS[resident.len()..].iter().take(more));
        }
        Addresses {
            layout: Layout::new(program.target, leaves),
            numbers,
            resident,
            varying,
            anchors,
            copies: program.copies,
        }
    }

    pub(super) fn begin(&self, assembler: &mut Assembler) {
        for (&register, &pointer) in POINTERS.iter().zip(&self.resident) {
            assembler.load(register, pointer_at(pointer));
        }
        for (index, &register) in self.anchors.iter().enumerate().skip(1) {
            let displacement = (index * NEAR * self.layout.number_stride()) as i32;
            assembler.load_address(register, at(RDI, displacement));
        }
    }

    /// Address in the head of the frame.
    pub(super) fn head(&self, place: usize) -> Address {
        at(RDI, place as i32 - self.layout.numbers_bias() as i32)
    }

    pub(super) fn slot(&self, slot: u32) -> Address {
        let place = self.layout.spill_offset() + slot as usize * self.layout.target.vector();
        at(RCX, place as i32 - self.layout.spill_bias() as i32)
    }

    /// Address of a constant or uniform.
    pub(super) fn leaf(&self, leaf: usize) -> Address {
        self.number(self.numbers[leaf] as usize)
    }

    /// Address of the last number.
    pub(super) fn last_number(&self) -> Address {
        self.number(self.layout.numbers.len() - 1)
    }

    fn number(&self, index: usize) -> Address {
        let anchor = (index / NEAR).min(self.anchors.len() - 1);
        let place = HEAD + (index - anchor * NEAR) * self.layout.number_stride();
        let displacement = place as i32 - self.layout.numbers_bias() as i32;
        at(self.anchors[anchor], displacement)
    }

    /// Address of an argument; emits the load of its pointer into the shared register if it has no register.
    pub(super) fn input(&self, assembler: &mut Assembler, index: u32, copy: u32) -> Address {
        self.points(assembler, index, copy as usize)
    }

    /// Address of an output that a step stores.
    pub(super) fn output(&self, assembler: &mut Assembler, index: u16, step: usize) -> Address {
        // Each step stands once for each copy.
        let pointer = self.varying as u32 + u32::from(index);
        self.points(assembler, pointer, step % self.copies)
    }

    fn points(&self, assembler: &mut Assembler, pointer: u32, copy: usize) -> Address {
        let resident = self.resident.iter().position(|&known| known == pointer);
        let base = resident.map_or(POINTERS[POINTERS.len() - 1], |index| POINTERS[index]);
        if resident.is_none() {
            assembler.load(base, pointer_at(pointer));
        }
        Address {
            index: Some(RAX),
            ..at(base, (copy * self.layout.target.vector()) as i32)
        }
    }
}

/// Pointers in the order of their first use; truncated if there are more than registers.
fn pointers(program: &Program, varying: usize) -> Vec<u32> {
    let inputs = program.leaves.iter().filter_map(|leaf| match *leaf {
        MemoryOperand::Input { index, .. } => Some(index),
        MemoryOperand::Constant(_) | MemoryOperand::Uniform(_) => None,
    });
    let outputs = program.steps.iter().filter_map(|step| {
        if let VectorOp::Output(index) = step.operation {
            Some(varying as u32 + u32::from(index))
        } else {
            None
        }
    });
    let mut pointers: Vec<u32> = Vec::new();
    for pointer in inputs.chain(outputs) {
        if !pointers.contains(&pointer) {
            pointers.push(pointer);
        }
        if pointers.len() > POINTERS.len() {
            break;
        }
    }
    pointers
}

/// Address of a pointer in the table.
fn pointer_at(pointer: u32) -> Address {
    at(RSI, 8 * pointer as i32)
}

fn at(base: u8, displacement: i32) -> Address {
    Address {
        base,
        index: None,
        displacement,
    }
}
