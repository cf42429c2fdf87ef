//! From a [`Program`] to machine code: one pass forward gives every value a register, as long as there is one, and
//! writes the instructions. What each operation needs is in [`select`](super::select).
//!
//! The code is a function in the manner of System V, on every platform. It takes, in this order: in `rdi` what the
//! [frame's](super::frame) numbers lie around, in `rsi` the pointers to arguments and outputs, in `rdx` the bytes before
//! the last pass of the loop, in `rcx` what the values lie around that wait.

use super::encode::{Address, Assembler, Opcode, Place, RAX, RBP, RBX, RCX, RDI, RSI};
use super::frame::{CALLERS_MODES, FAR, HEAD, Layout, MODES, MODES_AFTER};
use super::opcode::DIFFERENCE;
use super::operation::{Leaf, Operand, Operation, Program, Unit};
use super::registers::{NEVER, NOWHERE, Registers};

/// The registers that hold pointers to arguments and outputs; the last is lent to those that have none.
const POINTERS: [u8; 10] = [8, 9, 10, 11, RBX, RBP, 12, 13, 14, 15];
/// How many of them need not be kept for the caller.
const FREELY_USED: usize = 4;

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
pub(super) fn write(program: &Program, varying: usize, is_spread: bool) -> Written {
    let mut writer = Writer::new(program, varying, is_spread);
    let stride = program.copies * program.target.vector();
    let pushed = writer.prologue();
    writer.assembler.begin_loop();
    let top = writer.assembler.len();
    for (index, step) in program.steps.iter().enumerate() {
        writer.position = index as u32;
        writer.step(index, step);
        writer.vectors.unlock_all();
        writer.masks.unlock_all();
        writer.free_slots.append(&mut writer.slots_to_free);
    }
    writer.assembler.end_loop(top, stride as u32);
    writer.epilogue(pushed);
    writer.layout.waiting = writer.slots as usize * program.target.vector();
    Written {
        bytes: writer.assembler.bytes(),
        layout: writer.layout,
        stride,
        has_far: writer.far.is_some(),
    }
}

/// What is known while a program is written.
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) assembler: Assembler,
    layout: Layout,
    /// For each leaf that is a number, its place among them.
    numbers: Vec<u32>,
    /// The pointers that have registers, and how many arguments come before the outputs.
    resident: Vec<u32>,
    varying: usize,
    pub(super) vectors: Registers,
    pub(super) masks: Registers,
    /// The register of the farthest values.
    pub(super) far: Option<u8>,
    /// The register of 1, if sums are to be written as products with it.
    pub(super) one: Option<u8>,
    /// How much more the adders have to do than the multipliers, of late.
    pub(super) balance: i32,
    /// The steps that take each entity (a value, or behind them a leaf), entity by entity, and the place of the next
    /// one and of the last one.
    uses: Vec<u32>,
    next: Vec<u32>,
    last: Vec<u32>,
    /// The register of each entity.
    home: Vec<u8>,
    /// The slot of each value that was put out of its register, or `NEVER`.
    slot: Vec<u32>,
    slots: u32,
    free_slots: Vec<u32>,
    slots_to_free: Vec<u32>,
    /// The step that is written.
    position: u32,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, varying: usize, is_spread: bool) -> Writer<'a> {
        let target = program.target;
        let has_far = program
            .steps
            .iter()
            .any(|step| step.operation == Operation::Far);
        let last_register = if target.is_wide { 31 } else { 15 };
        let all = u32::MAX >> (31 - last_register);
        let far = has_far.then_some(last_register as u8);
        let one = adders_are_busy(program).then_some(last_register as u8 - u8::from(has_far));
        let reserved = [far, one].into_iter().flatten();
        let vectors = reserved.fold(all, |rest, register| rest & !(1 << register));
        let masks = if target.is_wide { 0xFE } else { 0 };
        let mut numbers = Vec::with_capacity(program.leaves.len());
        let mut layout = Layout {
            target,
            numbers: Vec::new(),
            is_spread,
            waiting: 0,
        };
        for &leaf in &program.leaves {
            numbers.push(layout.numbers.len() as u32);
            if !matches!(leaf, Leaf::Input { .. }) {
                layout.numbers.push(leaf);
            }
        }
        if one.is_some() {
            layout.numbers.push(Leaf::Constant(program.one));
        }
        let entities = program.steps.len() + program.leaves.len();
        let mut writer = Writer {
            program,
            assembler: Assembler::new(target.is_wide, target.number(), 256 + 8 * entities),
            layout,
            numbers,
            resident: Vec::new(),
            varying,
            vectors: Registers::new(vectors),
            masks: Registers::new(masks),
            far,
            one,
            balance: 0,
            uses: Vec::new(),
            next: vec![0; entities],
            last: vec![NEVER; entities],
            home: vec![NOWHERE; entities],
            slot: vec![NEVER; program.steps.len()],
            slots: 0,
            free_slots: Vec::new(),
            slots_to_free: Vec::new(),
            position: 0,
        };
        writer.find_uses();
        writer.choose_pointers();
        writer
    }

    fn find_uses(&mut self) {
        let steps = &self.program.steps;
        let values = steps.len();
        // Counts, then the ends of each entity's part, then going backwards its beginning.
        for step in steps {
            for &operand in step.taken() {
                self.next[entity(values, operand)] += 1;
            }
        }
        let mut end = 0;
        for next in &mut self.next {
            end += *next;
            *next = end;
        }
        self.uses = vec![NEVER; end as usize];
        for (index, step) in steps.iter().enumerate().rev() {
            for &operand in step.taken() {
                let entity = entity(values, operand);
                self.next[entity] -= 1;
                self.uses[self.next[entity] as usize] = index as u32;
                if self.last[entity] == NEVER {
                    self.last[entity] = index as u32;
                }
            }
        }
    }

    /// Gives registers to the pointers that are used.
    fn choose_pointers(&mut self) {
        let mut pointers: Vec<u32> = Vec::new();
        let outputs = self
            .program
            .steps
            .iter()
            .filter_map(|step| match step.operation {
                Operation::Output(index) => Some(self.varying as u32 + u32::from(index)),
                _ => None,
            });
        let inputs = self.program.leaves.iter().filter_map(|leaf| match *leaf {
            Leaf::Input { index, .. } => Some(index),
            Leaf::Constant(_) | Leaf::Uniform(_) => None,
        });
        for pointer in inputs.chain(outputs) {
            if !pointers.contains(&pointer) {
                pointers.push(pointer);
            }
            if pointers.len() > POINTERS.len() {
                break;
            }
        }
        if pointers.len() > POINTERS.len() {
            pointers.truncate(POINTERS.len() - 1);
        }
        self.resident = pointers;
    }

    /// Everything before the loop; gives how many registers were kept for the caller.
    fn prologue(&mut self) -> usize {
        // With a pointer for each register, the last one is lent.
        let used = self.resident.len() + 1;
        let pushed = &POINTERS[FREELY_USED.min(used)..used.min(POINTERS.len())];
        for &register in pushed {
            self.assembler.push(register);
        }
        let modes = self.head(CALLERS_MODES);
        self.assembler.get_modes(modes);
        let modes = self.head(MODES);
        self.assembler.set_modes(modes);
        for (&register, &pointer) in POINTERS.iter().zip(&self.resident) {
            self.assembler.load(register, pointer_at(pointer));
        }
        if let Some(far) = self.far {
            self.assembler
                .vector(DIFFERENCE, far, far, Place::Register(far), None, 0);
        }
        if let Some(one) = self.one {
            let address = self.number_at(self.layout.numbers.len() - 1);
            let (opcode, place) = self.loading(address);
            self.assembler.vector(opcode, one, 0, place, None, 0);
        }
        pushed.len()
    }

    fn epilogue(&mut self, pushed: usize) {
        if let Some(far) = self.far {
            let place = Place::Memory(self.head(FAR));
            let opcode = self.program.target.store();
            self.assembler.vector(opcode, far, 0, place, None, 0);
        }
        let modes = self.head(MODES_AFTER);
        self.assembler.get_modes(modes);
        let modes = self.head(CALLERS_MODES);
        self.assembler.set_modes(modes);
        self.assembler.leave_vectors();
        for &register in POINTERS[FREELY_USED..][..pushed].iter().rev() {
            self.assembler.pop(register);
        }
        self.assembler.finish();
    }

    /// A place in the head of the frame.
    fn head(&self, at: usize) -> Address {
        Address {
            base: RDI,
            index: None,
            displacement: at as i32 - self.layout.numbers_bias() as i32,
        }
    }

    /// Where a value waits outside of registers.
    fn slot(&self, slot: u32) -> Address {
        let at = self.layout.wait_at() + slot as usize * self.program.target.vector();
        Address {
            base: RCX,
            index: None,
            displacement: at as i32 - self.layout.wait_bias() as i32,
        }
    }

    /// Where the numbers of an argument or output are.
    fn points(&mut self, pointer: u32, copy: u32) -> Address {
        let resident = self.resident.iter().position(|&known| known == pointer);
        let base = if let Some(index) = resident {
            POINTERS[index]
        } else {
            let lent = POINTERS[POINTERS.len() - 1];
            self.assembler.load(lent, pointer_at(pointer));
            lent
        };
        Address {
            base,
            index: Some(RAX),
            displacement: copy as i32 * self.program.target.vector() as i32,
        }
    }

    /// Where the numbers of an output go.
    pub(super) fn output(&mut self, index: u16, step: usize) -> Address {
        // Each step is there once for each copy.
        let copy = step % self.program.copies;
        self.points(self.varying as u32 + u32::from(index), copy as u32)
    }

    fn entity(&self, operand: Operand) -> usize {
        entity(self.program.steps.len(), operand)
    }

    /// The register that holds an operand.
    #[inline]
    pub(super) fn home(&self, operand: Operand) -> Option<u8> {
        let home = self.home[self.entity(operand)];
        (home != NOWHERE).then_some(home)
    }

    /// Whether nothing takes an operand after this step.
    #[inline]
    pub(super) fn is_last(&self, operand: Operand) -> bool {
        self.last[self.entity(operand)] == self.position
    }

    /// Whether an operand that is in memory, and is needed again, finds a register without another one leaving it.
    pub(super) fn has_room(&self, operand: Operand) -> bool {
        !self.is_last(operand) && self.vectors.has_two_free()
    }

    /// Whether an operand is one number for all lanes.
    pub(super) fn is_number(&self, operand: Operand) -> bool {
        operand
            .as_leaf()
            .is_some_and(|leaf| !matches!(self.program.leaves[leaf], Leaf::Input { .. }))
    }

    /// Whether a register is better used for `a` than for `b`, if one of them may be in memory: it is in one already,
    /// or it is a whole vector and not a number, or needed again sooner.
    pub(super) fn is_better_in_register(&self, a: Operand, b: Operand) -> bool {
        let rank = |operand| {
            let is_elsewhere = self.home(operand).is_none();
            (
                is_elsewhere,
                self.is_number(operand),
                self.needed_after(operand),
            )
        };
        rank(a) <= rank(b)
    }

    /// The next step that takes an operand after this one.
    fn needed_after(&self, operand: Operand) -> u32 {
        if self.is_last(operand) {
            return NEVER;
        }
        let mut uses = self.uses[self.next[self.entity(operand)] as usize..].iter();
        let later = uses.find(|&&step| step != self.position);
        later.copied().unwrap_or(NEVER)
    }

    /// Where an operand is in memory, for an instruction that takes vectors.
    fn memory(&mut self, operand: Operand) -> Place {
        let Some(leaf) = operand.as_leaf() else {
            let slot = self.slot[self.entity(operand)];
            debug_assert!(slot != NEVER, "a value is in a register or in its slot");
            return Place::Memory(self.slot(slot));
        };
        match self.program.leaves[leaf] {
            Leaf::Input { index, copy } => Place::Memory(self.points(index, copy)),
            Leaf::Constant(_) | Leaf::Uniform(_) => {
                let address = self.number_at(self.numbers[leaf] as usize);
                if self.layout.is_spread {
                    Place::Memory(address)
                } else {
                    Place::Broadcast(address)
                }
            }
        }
    }

    /// How a number is loaded for all lanes.
    fn loading(&self, address: Address) -> (Opcode, Place) {
        let target = self.program.target;
        if self.layout.is_spread {
            (target.load(), Place::Memory(address))
        } else {
            (target.broadcast(), Place::Single(address))
        }
    }

    fn number_at(&self, index: usize) -> Address {
        let at = HEAD + index * self.layout.pitch();
        Address {
            base: RDI,
            index: None,
            displacement: at as i32 - self.layout.numbers_bias() as i32,
        }
    }

    /// Where an instruction finds its last operand; it stays there until the instruction.
    pub(super) fn place(&mut self, operand: Operand) -> Place {
        if let Some(register) = self.home(operand) {
            self.vectors.lock(register);
            return Place::Register(register);
        }
        if !self.is_number(operand) && self.has_room(operand) {
            return Place::Register(self.register(operand));
        }
        match self.memory(operand) {
            Place::Broadcast(_) if !self.program.target.is_wide => {
                Place::Register(self.register(operand))
            }
            place => place,
        }
    }

    /// The register of an operand, which is put into one if it is in none, and stays there until the instruction.
    pub(super) fn register(&mut self, operand: Operand) -> u8 {
        if let Some(register) = self.home(operand) {
            self.vectors.lock(register);
            return register;
        }
        let register = self.free_register();
        self.copy_to(register, operand);
        let entity = self.entity(operand);
        self.home[entity] = register;
        let needed = self.uses[self.next[entity] as usize];
        self.vectors.put(register, entity as u32, needed);
        self.vectors.lock(register);
        register
    }

    /// Keeps an operand where it is until the instruction, if it is in a register.
    pub(super) fn keep(&mut self, operand: Operand) {
        if let Some(register) = self.home(operand) {
            self.vectors.lock(register);
        }
    }

    /// Keeps a register that was free for the value of this step.
    pub(super) fn hold(&mut self, register: u8) {
        self.vectors.put(register, self.position, self.position);
        self.vectors.lock(register);
    }

    /// The mask register of an operand; it stays there until the instruction.
    pub(super) fn mask(&mut self, operand: Operand) -> u8 {
        if let Some(register) = self.home(operand) {
            self.masks.lock(register);
            return register;
        }
        let register = self.free_mask();
        let entity = self.entity(operand);
        let place = Place::Memory(self.slot(self.slot[entity]));
        self.assembler.load_mask(register, place);
        self.home[entity] = register;
        let needed = self.uses[self.next[entity] as usize];
        self.masks.put(register, entity as u32, needed);
        self.masks.lock(register);
        register
    }

    /// Copies an operand to a register.
    pub(super) fn copy_to(&mut self, register: u8, operand: Operand) {
        let target = self.program.target;
        let (opcode, place) = if let Some(home) = self.home(operand) {
            (target.copy(), Place::Register(home))
        } else if let Some(leaf) = operand.as_leaf()
            && self.program.leaves[leaf] == Leaf::Constant(0)
        {
            let place = Place::Register(register);
            self.assembler
                .vector(DIFFERENCE, register, register, place, None, 0);
            return;
        } else {
            match self.memory(operand) {
                Place::Broadcast(address) => (target.broadcast(), Place::Single(address)),
                place => (target.load(), place),
            }
        };
        self.assembler.vector(opcode, register, 0, place, None, 0);
    }

    /// A register without value; what was in it is put into its slot if need be.
    pub(super) fn free_register(&mut self) -> u8 {
        if let Some(register) = self.vectors.free() {
            return register;
        }
        let (register, entity) = self.vectors.farthest();
        if let Some(slot) = self.new_slot(entity) {
            let place = Place::Memory(self.slot(slot));
            let opcode = self.program.target.store();
            self.assembler.vector(opcode, register, 0, place, None, 0);
        }
        self.home[entity as usize] = NOWHERE;
        self.vectors.give_back(register);
        register
    }

    /// A mask register without value.
    pub(super) fn free_mask(&mut self) -> u8 {
        if let Some(register) = self.masks.free() {
            return register;
        }
        let (register, entity) = self.masks.farthest();
        if let Some(slot) = self.new_slot(entity) {
            let address = self.slot(slot);
            self.assembler.store_mask(register, address);
        }
        self.home[entity as usize] = NOWHERE;
        self.masks.give_back(register);
        register
    }

    /// A slot for what has none yet and is no leaf.
    fn new_slot(&mut self, entity: u32) -> Option<u32> {
        let slot = self.slot.get_mut(entity as usize)?;
        if *slot != NEVER {
            return None;
        }
        *slot = self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        Some(*slot)
    }

    /// Says that the step has taken its operands: registers become free of what nothing takes any more.
    pub(super) fn release(&mut self, operands: &[Operand]) {
        for &operand in operands {
            let entity = self.entity(operand);
            self.next[entity] += 1;
            let is_mask = operand.as_value().is_some_and(|value| self.is_mask(value));
            let registers = if is_mask {
                &mut self.masks
            } else {
                &mut self.vectors
            };
            let home = self.home[entity];
            if self.last[entity] == self.position {
                if home != NOWHERE {
                    registers.give_back(home);
                    self.home[entity] = NOWHERE;
                }
                if let Some(slot) = self.slot.get_mut(entity)
                    && *slot != NEVER
                {
                    self.slots_to_free.push(*slot);
                    *slot = NEVER;
                }
            } else if home != NOWHERE {
                registers.set_needed(home, self.uses[self.next[entity] as usize]);
            }
        }
    }

    /// Whether a value is in a mask register.
    pub(super) fn is_mask(&self, value: usize) -> bool {
        self.program.target.is_wide && self.program.steps[value].operation.is_mask()
    }

    /// Says that a register has the value of a step.
    pub(super) fn define(&mut self, value: usize, register: u8) {
        let needed = self.uses[self.next[value] as usize];
        self.home[value] = register;
        if self.is_mask(value) {
            self.masks.put(register, value as u32, needed);
        } else {
            self.vectors.put(register, value as u32, needed);
        }
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

/// Values and leaves in one row.
#[inline]
fn entity(values: usize, operand: Operand) -> usize {
    match operand.as_value() {
        Some(value) => value,
        None => values + operand.as_leaf().expect("what is no value is a leaf"),
    }
}

/// Where a pointer is among all.
fn pointer_at(pointer: u32) -> Address {
    Address {
        base: RSI,
        index: None,
        displacement: 8 * pointer as i32,
    }
}
