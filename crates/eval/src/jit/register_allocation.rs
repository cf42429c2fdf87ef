//! Where values are while a program is written: in registers as long as there are enough, else in slots of the frame.
//!
//! Arguments, constants and uniforms are in memory anyway: they lose their register without being stored, and an
//! instruction may take one of them from memory, as it may take a value that waits in its slot. What a step takes stays
//! where it is until the step [releases](CodeGenerator::release) it: it is needed now, and what is needed last has to go.

use super::codegen::CodeGenerator;
use super::encoder::RmOperand;
use super::live_ranges::NEVER;
use super::opcode::DIFFERENCE;
use super::program::{MemoryOperand, Operand};
use super::register_file::RegisterFile;

/// Stands where there is no register.
const NOWHERE: u8 = u8::MAX;

/// Where the entities are.
pub(super) struct RegisterAllocator {
    /// The register of each.
    registers: Vec<u8>,
    /// The slot of each value that was put out of its register, or `NEVER`.
    slots: Vec<u32>,
    /// How many slots there are, those that are free, and those that will be when the step is written.
    count: u32,
    free: Vec<u32>,
    freed: Vec<u32>,
}

impl RegisterAllocator {
    pub(super) fn new(values: usize, leaves: usize) -> RegisterAllocator {
        RegisterAllocator {
            registers: vec![NOWHERE; values + leaves],
            slots: vec![NEVER; values],
            count: 0,
            free: Vec::new(),
            freed: Vec::new(),
        }
    }

    /// How many values wait in slots at most.
    pub(super) fn slots(&self) -> usize {
        self.count as usize
    }

    /// A slot for what has none yet and is no leaf.
    fn new_slot(&mut self, entity: u32) -> Option<u32> {
        let slot = self.slots.get_mut(entity as usize)?;
        if *slot != NEVER {
            return None;
        }
        *slot = self.free.pop().unwrap_or_else(|| {
            self.count += 1;
            self.count - 1
        });
        Some(*slot)
    }
}

impl CodeGenerator<'_> {
    /// The register that holds an operand.
    #[inline]
    pub(super) fn register_of(&self, operand: Operand) -> Option<u8> {
        let register = self.allocator.registers[self.ranges.entity(operand)];
        (register != NOWHERE).then_some(register)
    }

    /// Whether nothing takes an operand after this step.
    #[inline]
    pub(super) fn is_last_use(&self, operand: Operand) -> bool {
        self.ranges.last(self.ranges.entity(operand)) == self.position
    }

    /// Whether an operand's register may be overwritten.
    #[inline]
    pub(super) fn is_killed(&self, operand: Operand) -> bool {
        self.is_last_use(operand) && self.register_of(operand).is_some()
    }

    /// Whether an operand is one number for all lanes.
    #[inline]
    pub(super) fn is_number(&self, operand: Operand) -> bool {
        let leaf = operand.as_leaf().map(|leaf| self.program.leaves[leaf]);
        matches!(
            leaf,
            Some(MemoryOperand::Constant(_) | MemoryOperand::Uniform(_))
        )
    }

    /// Both operands, first the one for which a register is better used: because it is in one already, is a whole
    /// vector and not a number, or is needed again sooner.
    pub(super) fn register_first(&self, a: Operand, b: Operand) -> (Operand, Operand) {
        let rank = |operand| {
            let is_elsewhere = self.register_of(operand).is_none();
            let after = self
                .ranges
                .after(self.ranges.entity(operand), self.position);
            (is_elsewhere, self.is_number(operand), after)
        };
        if rank(a) <= rank(b) { (a, b) } else { (b, a) }
    }

    /// Where an instruction finds its last operand.
    pub(super) fn place(&mut self, operand: Operand) -> RmOperand {
        if let Some(register) = self.register_of(operand) {
            return RmOperand::Register(register);
        }
        if !self.is_number(operand) && self.has_room(operand) {
            return RmOperand::Register(self.register(operand));
        }
        self.memory(operand)
    }

    /// The register of an operand, which is put into one if it is in none.
    pub(super) fn register(&mut self, operand: Operand) -> u8 {
        if let Some(register) = self.register_of(operand) {
            return register;
        }
        let register = self.allocate_register();
        self.copy_to(register, operand);
        let entity = self.ranges.entity(operand);
        self.allocator.registers[entity] = register;
        self.vectors
            .put(register, entity as u32, self.ranges.next(entity));
        register
    }

    /// The mask register of an operand.
    pub(super) fn mask(&mut self, operand: Operand) -> u8 {
        if let Some(register) = self.register_of(operand) {
            return register;
        }
        let register = self.allocate_mask();
        let entity = self.ranges.entity(operand);
        let slot = self.addresses.slot(self.allocator.slots[entity]);
        self.assembler.load_mask(register, slot);
        self.allocator.registers[entity] = register;
        self.masks
            .put(register, entity as u32, self.ranges.next(entity));
        register
    }

    /// The register of an operand that nothing takes any more, or a register with a copy of it, to be overwritten.
    pub(super) fn overwritable_copy(&mut self, operand: Operand) -> u8 {
        if self.is_last_use(operand)
            && let Some(register) = self.register_of(operand)
        {
            return register;
        }
        if self.register_of(operand).is_none() && self.has_room(operand) {
            self.register(operand);
        }
        let to = self.allocate_register();
        self.copy_to(to, operand);
        self.vectors.put(to, self.position, self.position);
        to
    }

    /// A register without value; what was in it is put into its slot if need be.
    pub(super) fn allocate_register(&mut self) -> u8 {
        if let Some(register) = self.vectors.free() {
            return register;
        }
        let (register, entity) = self.vectors.furthest_use();
        if let Some(slot) = self.allocator.new_slot(entity) {
            let place = RmOperand::Memory(self.addresses.slot(slot));
            let opcode = self.program.target.store();
            self.assembler.emit(opcode, register, 0, place);
        }
        self.allocator.registers[entity as usize] = NOWHERE;
        self.vectors.release(register);
        register
    }

    /// A mask register without value.
    pub(super) fn allocate_mask(&mut self) -> u8 {
        if let Some(register) = self.masks.free() {
            return register;
        }
        let (register, entity) = self.masks.furthest_use();
        if let Some(slot) = self.allocator.new_slot(entity) {
            let address = self.addresses.slot(slot);
            self.assembler.store_mask(register, address);
        }
        self.allocator.registers[entity as usize] = NOWHERE;
        self.masks.release(register);
        register
    }

    /// Says that the step has taken its operands: registers become free of what nothing takes any more.
    pub(super) fn release(&mut self, operands: &[Operand]) {
        for &operand in operands {
            let entity = self.ranges.entity(operand);
            self.ranges.take(entity);
            let register = self.allocator.registers[entity];
            let is_last = self.ranges.last(entity) == self.position;
            if register != NOWHERE {
                let needed = if is_last {
                    NEVER
                } else {
                    self.ranges.next(entity)
                };
                let registers = self.registers_of(operand);
                if is_last {
                    registers.release(register);
                    self.allocator.registers[entity] = NOWHERE;
                } else {
                    registers.set_needed(register, needed);
                }
            }
            if is_last
                && let Some(slot) = self.allocator.slots.get_mut(entity)
                && *slot != NEVER
            {
                self.allocator.freed.push(*slot);
                *slot = NEVER;
            }
        }
    }

    /// Says that a register has the value of a step.
    pub(super) fn define(&mut self, value: usize, register: u8) {
        self.allocator.registers[value] = register;
        let needed = self.ranges.next(value);
        self.registers_of(Operand::value(value))
            .put(register, value as u32, needed);
    }

    /// Says that the step is written.
    pub(super) fn end_step(&mut self) {
        // Not before, since what was in a slot may have been read behind what was put out of a register.
        self.allocator.free.append(&mut self.allocator.freed);
    }

    /// The registers of an operand's kind.
    fn registers_of(&mut self, operand: Operand) -> &mut RegisterFile {
        let step = operand.as_value().map(|value| self.program.steps[value]);
        let is_mask = step.is_some_and(|step| step.operation.is_mask());
        if is_mask && self.program.target.is_wide {
            &mut self.masks
        } else {
            &mut self.vectors
        }
    }

    /// Whether an operand that is in memory, and is needed again, finds a register without another one leaving it.
    fn has_room(&self, operand: Operand) -> bool {
        !self.is_last_use(operand) && self.vectors.has_two_free()
    }

    /// Where an operand is in memory, for an instruction that takes vectors.
    fn memory(&mut self, operand: Operand) -> RmOperand {
        let Some(leaf) = operand.as_leaf() else {
            let slot = self.allocator.slots[self.ranges.entity(operand)];
            debug_assert!(slot != NEVER, "a value is in a register or in its slot");
            return RmOperand::Memory(self.addresses.slot(slot));
        };
        match self.program.leaves[leaf] {
            MemoryOperand::Input { index, copy } => {
                RmOperand::Memory(self.addresses.input(&mut self.assembler, index, copy))
            }
            MemoryOperand::Constant(_) | MemoryOperand::Uniform(_) => {
                self.number(self.addresses.leaf(leaf))
            }
        }
    }

    /// Copies an operand to a register.
    fn copy_to(&mut self, register: u8, operand: Operand) {
        let target = self.program.target;
        let leaf = operand.as_leaf().map(|leaf| self.program.leaves[leaf]);
        if let Some(register) = self.register_of(operand) {
            let place = RmOperand::Register(register);
            self.assembler.emit(target.copy(), register, 0, place);
        } else if leaf == Some(MemoryOperand::Constant(0)) {
            let place = RmOperand::Register(register);
            self.assembler.emit(DIFFERENCE, register, register, place);
        } else {
            let place = self.memory(operand);
            self.load(register, place);
        }
    }
}
