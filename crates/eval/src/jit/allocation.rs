//! Where values are while a program is written: in registers as long as there are enough, else in slots of the frame.
//!
//! Arguments, constants and uniforms are in memory anyway: they lose their register without being stored, and an
//! instruction may take one of them from memory, as it may take a value that waits in its slot. What a step takes stays
//! where it is until the step [releases](Writer::release) it: it is needed now, and what is needed last has to go.

use super::encode::Place;
use super::opcode::DIFFERENCE;
use super::operation::{Leaf, Operand};
use super::registers::Registers;
use super::uses::NEVER;
use super::write::Writer;

/// Stands where there is no register.
const NOWHERE: u8 = u8::MAX;

/// Where the entities are.
pub(super) struct Homes {
    /// The register of each.
    registers: Vec<u8>,
    /// The slot of each value that was put out of its register, or `NEVER`.
    slots: Vec<u32>,
    /// How many slots there are, those that are free, and those that will be when the step is written.
    count: u32,
    free: Vec<u32>,
    freed: Vec<u32>,
}

impl Homes {
    pub(super) fn new(values: usize, leaves: usize) -> Homes {
        Homes {
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

impl Writer<'_> {
    /// The register that holds an operand.
    #[inline]
    pub(super) fn home(&self, operand: Operand) -> Option<u8> {
        let home = self.homes.registers[self.uses.entity(operand)];
        (home != NOWHERE).then_some(home)
    }

    /// Whether nothing takes an operand after this step.
    #[inline]
    pub(super) fn is_last(&self, operand: Operand) -> bool {
        self.uses.last(self.uses.entity(operand)) == self.position
    }

    /// Whether an operand's register may be overwritten.
    #[inline]
    pub(super) fn is_done(&self, operand: Operand) -> bool {
        self.is_last(operand) && self.home(operand).is_some()
    }

    /// Whether an operand is one number for all lanes.
    #[inline]
    pub(super) fn is_number(&self, operand: Operand) -> bool {
        let leaf = operand.as_leaf().map(|leaf| self.program.leaves[leaf]);
        matches!(leaf, Some(Leaf::Constant(_) | Leaf::Uniform(_)))
    }

    /// Both operands, first the one for which a register is better used: because it is in one already, is a whole
    /// vector and not a number, or is needed again sooner.
    pub(super) fn register_first(&self, a: Operand, b: Operand) -> (Operand, Operand) {
        let rank = |operand| {
            let is_elsewhere = self.home(operand).is_none();
            let after = self.uses.after(self.uses.entity(operand), self.position);
            (is_elsewhere, self.is_number(operand), after)
        };
        if rank(a) <= rank(b) { (a, b) } else { (b, a) }
    }

    /// Where an instruction finds its last operand.
    pub(super) fn place(&mut self, operand: Operand) -> Place {
        if let Some(register) = self.home(operand) {
            return Place::Register(register);
        }
        if !self.is_number(operand) && self.has_room(operand) {
            return Place::Register(self.register(operand));
        }
        self.memory(operand)
    }

    /// The register of an operand, which is put into one if it is in none.
    pub(super) fn register(&mut self, operand: Operand) -> u8 {
        if let Some(register) = self.home(operand) {
            return register;
        }
        let register = self.free_register();
        self.copy_to(register, operand);
        let entity = self.uses.entity(operand);
        self.homes.registers[entity] = register;
        self.vectors
            .put(register, entity as u32, self.uses.next(entity));
        register
    }

    /// The mask register of an operand.
    pub(super) fn mask(&mut self, operand: Operand) -> u8 {
        if let Some(register) = self.home(operand) {
            return register;
        }
        let register = self.free_mask();
        let entity = self.uses.entity(operand);
        let slot = self.addresses.slot(self.homes.slots[entity]);
        self.assembler.load_mask(register, slot);
        self.homes.registers[entity] = register;
        self.masks
            .put(register, entity as u32, self.uses.next(entity));
        register
    }

    /// The register of an operand that nothing takes any more, or a register with a copy of it, to be overwritten.
    pub(super) fn overwritten(&mut self, operand: Operand) -> u8 {
        if self.is_last(operand)
            && let Some(register) = self.home(operand)
        {
            return register;
        }
        if self.home(operand).is_none() && self.has_room(operand) {
            self.register(operand);
        }
        let to = self.free_register();
        self.copy_to(to, operand);
        self.vectors.put(to, self.position, self.position);
        to
    }

    /// A register without value; what was in it is put into its slot if need be.
    pub(super) fn free_register(&mut self) -> u8 {
        if let Some(register) = self.vectors.free() {
            return register;
        }
        let (register, entity) = self.vectors.farthest();
        if let Some(slot) = self.homes.new_slot(entity) {
            let place = Place::Memory(self.addresses.slot(slot));
            let opcode = self.program.target.store();
            self.assembler.emit(opcode, register, 0, place);
        }
        self.homes.registers[entity as usize] = NOWHERE;
        self.vectors.give_back(register);
        register
    }

    /// A mask register without value.
    pub(super) fn free_mask(&mut self) -> u8 {
        if let Some(register) = self.masks.free() {
            return register;
        }
        let (register, entity) = self.masks.farthest();
        if let Some(slot) = self.homes.new_slot(entity) {
            let address = self.addresses.slot(slot);
            self.assembler.store_mask(register, address);
        }
        self.homes.registers[entity as usize] = NOWHERE;
        self.masks.give_back(register);
        register
    }

    /// Says that the step has taken its operands: registers become free of what nothing takes any more.
    pub(super) fn release(&mut self, operands: &[Operand]) {
        for &operand in operands {
            let entity = self.uses.entity(operand);
            self.uses.take(entity);
            let home = self.homes.registers[entity];
            let is_last = self.uses.last(entity) == self.position;
            if home != NOWHERE {
                let needed = if is_last {
                    NEVER
                } else {
                    self.uses.next(entity)
                };
                let registers = self.registers_of(operand);
                if is_last {
                    registers.give_back(home);
                    self.homes.registers[entity] = NOWHERE;
                } else {
                    registers.set_needed(home, needed);
                }
            }
            if is_last
                && let Some(slot) = self.homes.slots.get_mut(entity)
                && *slot != NEVER
            {
                self.homes.freed.push(*slot);
                *slot = NEVER;
            }
        }
    }

    /// Says that a register has the value of a step.
    pub(super) fn define(&mut self, value: usize, register: u8) {
        self.homes.registers[value] = register;
        let needed = self.uses.next(value);
        self.registers_of(Operand::value(value))
            .put(register, value as u32, needed);
    }

    /// Says that the step is written.
    pub(super) fn end_step(&mut self) {
        // Not before, since what was in a slot may have been read behind what was put out of a register.
        self.homes.free.append(&mut self.homes.freed);
    }

    /// The registers of an operand's kind.
    fn registers_of(&mut self, operand: Operand) -> &mut Registers {
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
        !self.is_last(operand) && self.vectors.has_two_free()
    }

    /// Where an operand is in memory, for an instruction that takes vectors.
    fn memory(&mut self, operand: Operand) -> Place {
        let Some(leaf) = operand.as_leaf() else {
            let slot = self.homes.slots[self.uses.entity(operand)];
            debug_assert!(slot != NEVER, "a value is in a register or in its slot");
            return Place::Memory(self.addresses.slot(slot));
        };
        match self.program.leaves[leaf] {
            Leaf::Input { index, copy } => {
                Place::Memory(self.addresses.input(&mut self.assembler, index, copy))
            }
            Leaf::Constant(_) | Leaf::Uniform(_) => self.number(self.addresses.leaf(leaf)),
        }
    }

    /// Copies an operand to a register.
    fn copy_to(&mut self, register: u8, operand: Operand) {
        let target = self.program.target;
        let leaf = operand.as_leaf().map(|leaf| self.program.leaves[leaf]);
        if let Some(home) = self.home(operand) {
            let place = Place::Register(home);
            self.assembler.emit(target.copy(), register, 0, place);
        } else if leaf == Some(Leaf::Constant(0)) {
            let place = Place::Register(register);
            self.assembler.emit(DIFFERENCE, register, register, place);
        } else {
            let place = self.memory(operand);
            self.load(register, place);
        }
    }
}
