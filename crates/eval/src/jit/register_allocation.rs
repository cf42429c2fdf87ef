//! Register allocation: a linear scan over the steps (after Poletto and Sarkar, Linear scan register allocation, 1999)
//! that spills the value whose next use is furthest away ([`register_file`](super::register_file)) to a slot of the
//! frame.
//!
//! Arguments, constants and uniforms are in memory anyway: they lose their register without a store, and an
//! instruction may read one of them from memory, as it may read a spilled value. The operands of a step stay where
//! they are until the step [releases](CodeGenerator::release) them.

use super::codegen::CodeGenerator;
use super::encoder::RmOperand;
use super::live_ranges::NEVER;
use super::opcode::DIFFERENCE;
use super::program::{MemoryOperand, Operand};
use super::register_file::RegisterFile;

/// Marks an entity without register.
const NOWHERE: u8 = u8::MAX;

/// Registers and spill slots of the entities.
pub(super) struct RegisterAllocator {
    /// Register of each entity.
    registers: Vec<u8>,
    /// Slot of each spilled value, or `NEVER`.
    slots: Vec<u32>,
    /// Number of slots, the free ones, and those that become free at the end of the step.
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

    /// Maximal number of spilled values.
    pub(super) fn slots(&self) -> usize {
        self.count as usize
    }

    /// Assigns a slot to a value that has none; `None` for others, which are in memory already.
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
    /// Register that holds an operand.
    #[inline]
    pub(super) fn register_of(&self, operand: Operand) -> Option<u8> {
        let register = self.allocator.registers[self.ranges.entity(operand)];
        (register != NOWHERE).then_some(register)
    }

    /// True if the live range of an operand ends at this step.
    #[inline]
    pub(super) fn is_last_use(&self, operand: Operand) -> bool {
        self.ranges.last(self.ranges.entity(operand)) == self.position
    }

    /// True if an operand has a register and its live range ends at this step, so that it may be overwritten.
    #[inline]
    pub(super) fn is_killed(&self, operand: Operand) -> bool {
        self.is_last_use(operand) && self.register_of(operand).is_some()
    }

    /// True if an operand is one number for all lanes.
    #[inline]
    pub(super) fn is_number(&self, operand: Operand) -> bool {
        let leaf = operand.as_leaf().map(|leaf| self.program.leaves[leaf]);
        matches!(
            leaf,
            Some(MemoryOperand::Constant(_) | MemoryOperand::Uniform(_))
        )
    }

    /// Orders two operands by how well a register is used for them: one that is in a register already, is a whole
    /// vector and not a number, or has the nearer next use comes first.
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

    /// The last operand of an instruction, in a register or in memory.
    pub(super) fn place(&mut self, operand: Operand) -> RmOperand {
        if let Some(register) = self.register_of(operand) {
            return RmOperand::Register(register);
        }
        if !self.is_number(operand) && self.has_room(operand) {
            return RmOperand::Register(self.register(operand));
        }
        self.memory(operand)
    }

    /// Register of an operand; loads it if it has none.
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

    /// Mask register of an operand; reloads it if it is spilled.
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

    /// A register to be overwritten that holds an operand: its own at its last use, or one with a copy.
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

    /// Allocates a vector register; spills the value with the furthest next use if none is free.
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

    /// Allocates a mask register; spills likewise.
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

    /// Marks the operands of the step as read: the registers and slots of those whose live ranges end become free.
    pub(super) fn release(&mut self, operands: &[Operand]) {
        for &operand in operands {
            let entity = self.ranges.entity(operand);
            self.ranges.advance(entity);
            let register = self.allocator.registers[entity];
            let is_last = self.ranges.last(entity) == self.position;
            if register != NOWHERE {
                if is_last {
                    self.registers_of(operand).release(register);
                    self.allocator.registers[entity] = NOWHERE;
                } else {
                    let next = self.ranges.next(entity);
                    self.registers_of(operand).set_next_use(register, next);
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

    /// Assigns the register that holds the value of a step.
    pub(super) fn define(&mut self, value: usize, register: u8) {
        self.allocator.registers[value] = register;
        let needed = self.ranges.next(value);
        self.registers_of(Operand::value(value))
            .put(register, value as u32, needed);
    }

    pub(super) fn end_step(&mut self) {
        // Not before: a slot may be read after another value was spilled within the step.
        self.allocator.free.append(&mut self.allocator.freed);
    }

    /// Register file of an operand: vectors or masks.
    fn registers_of(&mut self, operand: Operand) -> &mut RegisterFile {
        let step = operand.as_value().map(|value| self.program.steps[value]);
        let is_mask = step.is_some_and(|step| step.operation.is_mask());
        if is_mask && self.program.target.is_wide {
            &mut self.masks
        } else {
            &mut self.vectors
        }
    }

    /// True if an operand in memory that has another use finds a register without a spill.
    fn has_room(&self, operand: Operand) -> bool {
        !self.is_last_use(operand) && self.vectors.has_two_free()
    }

    /// Address of an operand in memory, for an instruction that takes vectors.
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

    /// Emits the copy of an operand to a register.
    fn copy_to(&mut self, register: u8, operand: Operand) {
        let target = self.program.target;
        let leaf = operand.as_leaf().map(|leaf| self.program.leaves[leaf]);
        if let Some(source) = self.register_of(operand) {
            let place = RmOperand::Register(source);
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
