//! A zip writer that can lie, and hostile contents.

/// An entry as it is written, true or not.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) crc: u32,
    /// The declared size of the entry unpacked.
    pub(super) size: u32,
    pub(super) data: Vec<u8>,
}

impl Entry {
    /// An honest entry, stored.
    pub(super) fn stored(name: &str, data: &[u8]) -> Entry {
        Entry {
            name: name.as_bytes().to_vec(),
            flags: 0,
            method: 0,
            crc: crc(data),
            size: data.len() as u32,
            data: data.to_vec(),
        }
    }

    fn header(&self, extended: bool) -> Vec<u8> {
        let mut header = Vec::new();
        header.extend(if extended {
            b"PK\x01\x02\x14\x00\x14\x00" as &[u8]
        } else {
            b"PK\x03\x04\x14\x00"
        });
        for number in [self.flags, self.method, 0, 0x21] {
            header.extend(number.to_le_bytes());
        }
        for number in [self.crc, self.data.len() as u32, self.size] {
            header.extend(number.to_le_bytes());
        }
        header.extend((self.name.len() as u16).to_le_bytes());
        header.extend([0; 2]);
        header
    }
}

/// The archive of these entries.
pub(super) fn archive(entries: &[Entry]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let start = bytes.len() as u32;
        directory.extend(entry.header(true));
        directory.extend([0; 10]);
        directory.extend(start.to_le_bytes());
        directory.extend(&entry.name);
        bytes.extend(entry.header(false));
        bytes.extend(&entry.name);
        bytes.extend(&entry.data);
    }
    let (start, size) = (bytes.len() as u32, directory.len() as u32);
    bytes.extend(directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        bytes.extend((entries.len() as u16).to_le_bytes());
    }
    bytes.extend(size.to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0; 2]);
    bytes
}

/// The CRC-32 of zip.
pub(super) fn crc(data: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in data {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                crc >> 1 ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    !crc
}

/// A deflate stream of about `size` spaces, 158 times smaller: one literal, then matches of 258 bytes at
/// distance 1 (RFC 1951, block type 1), which repeat every 13 bytes.
pub(super) fn spaces(size: usize) -> Vec<u8> {
    let mut bits = vec![true, true, false]; // the last block, fixed codes
    bits.extend((0..8).rev().map(|bit| (0x30 + 32) >> bit & 1 == 1)); // the literal 32
    let one: Vec<bool> = [true, true, false, false, false, true, false, true]
        .into_iter()
        .chain([false; 5])
        .collect();
    let end = [false; 7];
    let count = size / 258;
    // Eight matches fill 13 bytes, from any bit on.
    let pack = |bits: &[bool]| -> Vec<u8> {
        bits.chunks(8)
            .map(|byte| {
                byte.iter()
                    .enumerate()
                    .map(|(at, &bit)| u8::from(bit) << at)
                    .sum()
            })
            .collect()
    };
    while bits.len() % 8 != 0 || bits.len() < 16 {
        bits.extend(&one);
    }
    let before = (bits.len() - 11) / one.len();
    let mut bytes = pack(&bits);
    let eight: Vec<bool> = one.iter().copied().cycle().take(one.len() * 8).collect();
    let eight = pack(&eight);
    for _ in 0..count.saturating_sub(before) / 8 {
        bytes.extend(&eight);
    }
    bytes.extend(pack(&end));
    bytes
}
