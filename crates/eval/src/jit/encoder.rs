//! The instruction encoder: VEX for 256-bit vectors, EVEX for 512-bit ones, and the few others that a loop needs.
//!
//! Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2. A test reads the
//! bytes with an independent decoder.

/// Opcode of an instruction: its map (1: `0F`, 2: `0F38`, 3: `0F3A`), prefix (0: none, 1: `66`, 2: `F3`, 3: `F2`), bit
/// W, and byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Opcode {
    pub(super) map: u8,
    pub(super) prefix: u8,
    pub(super) w: bool,
    pub(super) byte: u8,
}

impl Opcode {
    pub(super) const fn new(map: u8, prefix: u8, w: bool, byte: u8) -> Opcode {
        Opcode {
            map,
            prefix,
            w,
            byte,
        }
    }
}

/// Memory operand: base register, optional index register, and displacement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) base: u8,
    pub(super) index: Option<u8>,
    pub(super) displacement: i32,
}

/// Last operand of an instruction (`ModRM.rm`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RmOperand {
    /// In the vector register with this number.
    Register(u8),
    /// A whole vector in memory.
    Memory(Address),
    /// One number in memory, for every lane: of an instruction that takes vectors (AVX-512).
    Broadcast(Address),
    /// One number in memory, of an instruction that takes one.
    Single(Address),
}

/// Numbers of general registers.
pub(super) const RAX: u8 = 0;
pub(super) const RCX: u8 = 1;
pub(super) const RBX: u8 = 3;
pub(super) const RSP: u8 = 4;
pub(super) const RBP: u8 = 5;
pub(super) const RSI: u8 = 6;
pub(super) const RDI: u8 = 7;

pub(super) struct Assembler {
    bytes: Vec<u8>,
    is_wide: bool,
    /// Bytes of a number, in which the displacement of a broadcast is measured.
    number: i32,
}

impl Assembler {
    pub(super) fn new(is_wide: bool, number: usize, capacity: usize) -> Assembler {
        Assembler {
            bytes: Vec::with_capacity(capacity),
            is_wide,
            number: number as i32,
        }
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Encodes a [`vector`](Self::vector) instruction without immediate and mask.
    #[inline]
    pub(super) fn emit(&mut self, opcode: Opcode, first: u8, second: u8, last: RmOperand) {
        self.vector(opcode, first, second, last, None, 0);
    }

    /// Encodes a vector instruction on `first`, `second` and `last`; one that takes less has 0 for the first or second.
    ///
    /// In the manual's terms `first` is ModRM.reg, `second` is vvvv and `last` is ModRM.rm; `mask` is a mask register,
    /// or 0.
    #[inline]
    pub(super) fn vector(
        &mut self,
        opcode: Opcode,
        first: u8,
        second: u8,
        last: RmOperand,
        immediate: Option<u8>,
        mask: u8,
    ) {
        let mut instruction = InstructionBytes::new();
        if self.is_wide {
            self.evex(&mut instruction, opcode, first, second, last, mask);
        } else {
            vex(&mut instruction, opcode, first, second, last, true);
        }
        if let Some(immediate) = immediate {
            instruction.push(immediate);
        }
        instruction.append_to(&mut self.bytes);
    }

    #[inline]
    fn evex(
        &self,
        to: &mut InstructionBytes,
        opcode: Opcode,
        first: u8,
        second: u8,
        last: RmOperand,
        mask: u8,
    ) {
        let (high, middle) = match last {
            RmOperand::Register(register) => (register >> 4 & 1, register >> 3 & 1),
            RmOperand::Memory(address)
            | RmOperand::Broadcast(address)
            | RmOperand::Single(address) => {
                (address.index.unwrap_or(0) >> 3 & 1, address.base >> 3 & 1)
            }
        };
        let (is_broadcast, unit) = match last {
            RmOperand::Register(_) | RmOperand::Memory(_) => (0, 64),
            RmOperand::Broadcast(_) => (1, self.number),
            RmOperand::Single(_) => (0, self.number),
        };
        to.push(0x62);
        to.push(
            (!first >> 3 & 1) << 7
                | (high ^ 1) << 6
                | (middle ^ 1) << 5
                | (!first >> 4 & 1) << 4
                | opcode.map,
        );
        to.push(u8::from(opcode.w) << 7 | (!second & 15) << 3 | 4 | opcode.prefix);
        to.push(2 << 5 | is_broadcast << 4 | (!second >> 4 & 1) << 3 | mask);
        to.push(opcode.byte);
        operands(to, first, last, unit);
    }

    /// `mov register, [address]`.
    pub(super) fn load(&mut self, register: u8, address: Address) {
        self.general(0x8B, register, address);
    }

    /// `lea register, [address]`: the address itself.
    pub(super) fn load_address(&mut self, register: u8, address: Address) {
        self.general(0x8D, register, address);
    }

    fn general(&mut self, byte: u8, register: u8, address: Address) {
        debug_assert!(address.index.is_none());
        let mut instruction = InstructionBytes::new();
        instruction.push(0x48 | (register >> 3) << 2 | address.base >> 3);
        instruction.push(byte);
        operands(&mut instruction, register, RmOperand::Memory(address), 1);
        instruction.append_to(&mut self.bytes);
    }

    /// `ldmxcsr [address]`: loads the rounding mode and the exception flags.
    pub(super) fn load_mxcsr(&mut self, address: Address) {
        self.mxcsr(2, address);
    }

    /// `stmxcsr [address]`.
    pub(super) fn store_mxcsr(&mut self, address: Address) {
        self.mxcsr(3, address);
    }

    fn mxcsr(&mut self, which: u8, address: Address) {
        let mut instruction = InstructionBytes::new();
        debug_assert!(address.base < 8 && address.index.is_none());
        instruction.push(0x0F);
        instruction.push(0xAE);
        operands(&mut instruction, which, RmOperand::Memory(address), 1);
        instruction.append_to(&mut self.bytes);
    }

    /// `kmovq [address], mask`.
    pub(super) fn store_mask(&mut self, mask: u8, address: Address) {
        self.mask(0x91, mask, RmOperand::Memory(address));
    }

    /// `kmovq mask, [address]`.
    pub(super) fn load_mask(&mut self, mask: u8, address: Address) {
        self.mask(0x90, mask, RmOperand::Memory(address));
    }

    fn mask(&mut self, byte: u8, mask: u8, place: RmOperand) {
        let opcode = Opcode {
            map: 1,
            prefix: 0,
            w: true,
            byte,
        };
        let mut instruction = InstructionBytes::new();
        vex(&mut instruction, opcode, mask, 0, place, false);
        instruction.append_to(&mut self.bytes);
    }

    pub(super) fn push(&mut self, register: u8) {
        self.on_stack(0x50, register);
    }

    pub(super) fn pop(&mut self, register: u8) {
        self.on_stack(0x58, register);
    }

    fn on_stack(&mut self, byte: u8, register: u8) {
        if register >= 8 {
            self.bytes.push(0x41);
        }
        self.bytes.push(byte | register & 7);
    }

    /// `xor eax, eax`, and padding up to a cache line, where the loop begins.
    pub(super) fn begin_loop(&mut self) {
        self.bytes.extend_from_slice(&[0x31, 0xC0]);
        while !self.bytes.len().is_multiple_of(64) {
            let gap = 64 - self.bytes.len() % 64;
            // The longest no-operation, so that few are decoded.
            match gap {
                1 => self.bytes.push(0x90),
                2 => self.bytes.extend_from_slice(&[0x66, 0x90]),
                3..7 => self.bytes.extend_from_slice(&[0x0F, 0x1F, 0x00]),
                _ => {
                    let nothing = [0x0F, 0x1F, 0x80, 0, 0, 0, 0];
                    self.bytes.extend_from_slice(&nothing);
                }
            }
        }
    }

    /// Closes the loop that begins at `top`: advances by `stride` bytes until the last pass, at `rdx`, is done. The
    /// last pass overlaps the one before it if less than a stride is left.
    pub(super) fn end_loop(&mut self, top: usize, stride: u32) {
        // add rax, stride
        self.bytes.extend_from_slice(&[0x48, 0x05]);
        self.bytes.extend_from_slice(&stride.to_le_bytes());
        // cmp rax, rdx; jbe top
        self.bytes.extend_from_slice(&[0x48, 0x39, 0xD0]);
        self.jump(&[0x0F, 0x86], top);
        // sub rax, stride; cmp rax, rdx; mov rax, rdx; jne top
        self.bytes.extend_from_slice(&[0x48, 0x2D]);
        self.bytes.extend_from_slice(&stride.to_le_bytes());
        self.bytes
            .extend_from_slice(&[0x48, 0x39, 0xD0, 0x48, 0x89, 0xD0]);
        self.jump(&[0x0F, 0x85], top);
    }

    fn jump(&mut self, jump: &[u8], to: usize) {
        self.bytes.extend_from_slice(jump);
        let behind = self.bytes.len() + 4;
        let distance = to as i64 - behind as i64;
        self.bytes
            .extend_from_slice(&(distance as i32).to_le_bytes());
    }

    /// `vzeroupper`: avoids the penalty for legacy SSE instructions that follow.
    pub(super) fn zero_upper(&mut self) {
        self.bytes.extend_from_slice(&[0xC5, 0xF8, 0x77]);
    }

    pub(super) fn ret(&mut self) {
        self.bytes.push(0xC3);
    }
}

fn vex(
    to: &mut InstructionBytes,
    opcode: Opcode,
    first: u8,
    second: u8,
    last: RmOperand,
    is_long: bool,
) {
    let (high, middle) = match last {
        RmOperand::Register(register) => (0, register >> 3),
        RmOperand::Memory(address) | RmOperand::Broadcast(address) | RmOperand::Single(address) => {
            (address.index.unwrap_or(0) >> 3, address.base >> 3)
        }
    };
    let rest = (!second & 15) << 3 | u8::from(is_long) << 2 | opcode.prefix;
    let first_bit = (first >> 3 ^ 1) << 7;
    if opcode.map == 1 && !opcode.w && high | middle == 0 {
        to.push(0xC5);
        to.push(first_bit | rest);
    } else {
        to.push(0xC4);
        to.push(first_bit | (high ^ 1) << 6 | (middle ^ 1) << 5 | opcode.map);
        to.push(u8::from(opcode.w) << 7 | rest);
    }
    to.push(opcode.byte);
    operands(to, first, last, 1);
}

/// Encodes the operands (`ModRM`, `SIB` and displacement); a displacement of one byte counts in `unit` bytes.
#[inline]
fn operands(to: &mut InstructionBytes, first: u8, last: RmOperand, unit: i32) {
    let first = (first & 7) << 3;
    let address = match last {
        RmOperand::Register(register) => {
            to.push(0xC0 | first | register & 7);
            return;
        }
        RmOperand::Memory(address) | RmOperand::Broadcast(address) | RmOperand::Single(address) => {
            address
        }
    };
    let displacement = address.displacement;
    let short = (displacement % unit == 0)
        .then(|| i8::try_from(displacement / unit).ok())
        .flatten();
    let base = address.base & 7;
    let mode = match short {
        Some(0) if base != RBP => 0,
        Some(_) => 1,
        None => 2,
    };
    match address.index {
        Some(index) => {
            to.push(mode << 6 | first | 4);
            to.push((index & 7) << 3 | base);
        }
        None if base == RSP => {
            to.push(mode << 6 | first | 4);
            to.push(4 << 3 | base);
        }
        None => to.push(mode << 6 | first | base),
    }
    match (mode, short) {
        (1, Some(short)) => to.push(short as u8),
        (2, _) => {
            for byte in displacement.to_le_bytes() {
                to.push(byte);
            }
        }
        (_, _) => {}
    }
}

/// Bytes of one instruction, at most 15.
struct InstructionBytes {
    bytes: [u8; 16],
    count: usize,
}

impl InstructionBytes {
    fn new() -> InstructionBytes {
        InstructionBytes {
            bytes: [0; 16],
            count: 0,
        }
    }

    #[inline]
    fn push(&mut self, byte: u8) {
        self.bytes[self.count & 15] = byte;
        self.count += 1;
    }

    /// Appends them to `bytes`: all 16 at once, which is faster, then truncates.
    #[inline]
    fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.bytes);
        bytes.truncate(bytes.len() - self.bytes.len() + self.count);
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions, Formatter, IntelFormatter};

    use super::*;

    const GENERAL: [&str; 16] = [
        "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
        "r13", "r14", "r15",
    ];
    const DISTANCES: [i32; 12] = [
        0, 4, 32, 64, 127, 128, -128, -512, 508, 8128, -8192, 100_000,
    ];

    /// Disassembly of what `write` encodes.
    fn read(is_wide: bool, number: usize, write: impl FnOnce(&mut Assembler)) -> Vec<String> {
        let mut assembler = Assembler::new(is_wide, number, 0);
        write(&mut assembler);
        let bytes = assembler.bytes();
        let mut formatter = IntelFormatter::new();
        formatter
            .options_mut()
            .set_space_after_operand_separator(true);
        let mut decoder = Decoder::with_ip(64, &bytes, 0, DecoderOptions::NONE);
        let mut lines = Vec::new();
        while decoder.can_decode() {
            let mut line = String::new();
            formatter.format(&decoder.decode(), &mut line);
            lines.push(line);
        }
        lines
    }

    fn distance(displacement: i32) -> String {
        let digits = format!("{:X}h", displacement.unsigned_abs());
        let zero = if digits.starts_with(|c: char| c.is_ascii_alphabetic()) {
            "0"
        } else {
            ""
        };
        match displacement {
            0 => String::new(),
            1..10 => format!("+{displacement}"),
            10.. => format!("+{zero}{digits}"),
            -9..0 => format!("{displacement}"),
            _ => format!("-{zero}{digits}"),
        }
    }

    fn addresses() -> impl Iterator<Item = (Address, String)> {
        let bases =
            (0..16_u8).flat_map(|base| [None, Some(RAX), Some(9)].map(|index| (base, index)));
        bases.flat_map(|(base, index)| {
            DISTANCES.map(|displacement| {
                let address = Address {
                    base,
                    index,
                    displacement,
                };
                let index = index.map_or(String::new(), |index| {
                    format!("+{}", GENERAL[usize::from(index)])
                });
                let base = GENERAL[usize::from(base)];
                (
                    address,
                    format!("[{base}{index}{}]", distance(displacement)),
                )
            })
        })
    }

    const ADD: Opcode = Opcode::new(1, 0, false, 0x58);
    const FUSED: Opcode = Opcode::new(2, 1, true, 0xB8);

    #[test]
    fn every_register_can_be_every_operand() {
        for (is_wide, name, count) in [(false, "ymm", 16), (true, "zmm", 32)] {
            for register in 0..count {
                let other = (register * 7 + 3) % count;
                let orders = [
                    (register, other, 1),
                    (1, register, other),
                    (other, 1, register),
                ];
                for (a, b, c) in orders {
                    let place = RmOperand::Register(c);
                    let operands = format!("{name}{a}, {name}{b}, {name}{c}");
                    let lines = read(is_wide, 4, |assembler| {
                        assembler.emit(ADD, a, b, place);
                        assembler.emit(FUSED, a, b, place);
                    });
                    let expected =
                        ["vaddps ", "vfmadd231pd "].map(|name| format!("{name}{operands}"));
                    assert_eq!(lines, expected);
                }
            }
        }
    }

    #[test]
    fn every_address_is_reached() {
        for (address, text) in addresses() {
            let whole = |assembler: &mut Assembler| {
                assembler.emit(ADD, 9, 12, RmOperand::Memory(address));
            };
            let eight = format!("vaddps ymm9, ymm12, {text}");
            assert_eq!(read(false, 4, whole), [eight]);
            let sixteen = format!("vaddps zmm9, zmm12, {text}");
            assert_eq!(read(true, 4, whole), [sixteen]);
            let broadcast = |assembler: &mut Assembler| {
                assembler.emit(ADD, 9, 30, RmOperand::Broadcast(address));
            };
            let expected = format!("vaddps zmm9, zmm30, {text}{{1to16}}");
            assert_eq!(read(true, 4, broadcast), [expected]);
        }
    }

    #[test]
    fn few_bytes_are_spent_on_near_addresses() {
        let length = |is_wide, place| {
            let mut assembler = Assembler::new(is_wide, 4, 0);
            assembler.emit(ADD, 1, 2, place);
            assembler.len()
        };
        let at = |displacement| Address {
            base: RDI,
            index: None,
            displacement,
        };
        assert_eq!(length(false, RmOperand::Memory(at(-128))), 5);
        assert_eq!(length(false, RmOperand::Memory(at(128))), 8);
        assert_eq!(length(true, RmOperand::Memory(at(127 * 64))), 7);
        assert_eq!(length(true, RmOperand::Memory(at(128 * 64))), 10);
        assert_eq!(length(true, RmOperand::Broadcast(at(127 * 4))), 7);
        assert_eq!(length(true, RmOperand::Broadcast(at(128 * 4))), 10);
    }

    #[test]
    fn instructions_outside_of_the_loop_are_encoded() {
        let near = |base| Address {
            base,
            index: None,
            displacement: 8,
        };
        let lines = read(true, 4, |assembler| {
            assembler.push(RBX);
            assembler.push(13);
            assembler.store_mxcsr(near(RDI));
            assembler.load_mxcsr(near(RDI));
            assembler.load(12, near(RSI));
            assembler.load(RBX, near(12));
            assembler.load_address(14, near(RDI));
            assembler.store_mask(3, near(RCX));
            assembler.load_mask(5, near(RCX));
            assembler.zero_upper();
            assembler.pop(13);
            assembler.ret();
        });
        let expected = [
            "push rbx",
            "push r13",
            "stmxcsr [rdi+8]",
            "ldmxcsr [rdi+8]",
            "mov r12, [rsi+8]",
            "mov rbx, [r12+8]",
            "lea r14, [rdi+8]",
            "kmovq [rcx+8], k3",
            "kmovq k5, [rcx+8]",
            "vzeroupper",
            "pop r13",
            "ret",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_loop_begins_at_a_line_and_ends_with_the_last_pass() {
        for before in 0..64 {
            let lines = read(true, 4, |assembler| {
                for _ in 0..before {
                    assembler.push(RAX);
                }
                assembler.begin_loop();
                assert_eq!(assembler.len() % 64, 0);
                let top = assembler.len();
                assembler.end_loop(top, 64);
            });
            assert_eq!(lines[before], "xor eax, eax");
            let nothing = lines.iter().filter(|line| line.contains("nop")).count();
            assert!(nothing <= 12, "few instructions do nothing: {nothing}");
            let top = if before <= 62 { "40h" } else { "80h" };
            let expected = [
                "add rax, 40h".to_owned(),
                "cmp rax, rdx".to_owned(),
                format!("jbe 00000000000000{top}"),
                "sub rax, 40h".to_owned(),
                "cmp rax, rdx".to_owned(),
                "mov rax, rdx".to_owned(),
                format!("jne 00000000000000{top}"),
            ];
            assert_eq!(lines[lines.len() - 7..], expected);
        }
    }
}
