//! Mutations of samples: what is between a valid file and noise.

use proptest::prelude::Rng as _;
use proptest::test_runner::TestRng;

/// Maximum number of bytes of a mutated file.
pub(crate) const MAX_BYTES: usize = 16 << 10;

/// Numbers at which readers and their sums are at an end.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1e999",
    "-0.0",
    "nan",
    "65536",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e-320",
    "0x10",
];

fn below(rng: &mut TestRng, end: usize) -> usize {
    (rng.next_u64() % end.max(1) as u64) as usize
}

/// Returns a range of `bytes`, mostly a short one.
fn range(rng: &mut TestRng, bytes: &[u8]) -> std::ops::Range<usize> {
    let start = below(rng, bytes.len());
    let longest = [4, 32, 256, MAX_BYTES][below(rng, 4)];
    start..(start + 1 + below(rng, longest)).min(bytes.len())
}

/// Returns the range of the number at or after a random place, if there is one.
fn number(rng: &mut TestRng, bytes: &[u8]) -> Option<std::ops::Range<usize>> {
    let from = below(rng, bytes.len());
    let start = from + bytes[from..].iter().position(u8::is_ascii_digit)?;
    let length = bytes[start..]
        .iter()
        .position(|byte| !byte.is_ascii_digit());
    Some(start..length.map_or(bytes.len(), |length| start + length))
}

/// Changes a sample at a few places; `others` are samples that pieces may come from.
pub(crate) fn mutated(rng: &mut TestRng, sample: &[u8], others: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    for _ in 0..=below(rng, 4) {
        if bytes.is_empty() {
            break;
        }
        let at = below(rng, bytes.len());
        match below(rng, 9) {
            0 => bytes[at] ^= 1 << below(rng, 8),
            1 => bytes[at] = rng.next_u32().to_le_bytes()[0],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(range(rng, &bytes))),
            4 => {
                let other = &others[below(rng, others.len())];
                let piece = other[range(rng, other)].to_vec();
                bytes.splice(at..at, piece);
            }
            5 => {
                let place = range(rng, &bytes);
                let piece = bytes[place.clone()].to_vec();
                bytes.splice(at..at, piece);
            }
            // A piece many times: what is read for each of them is what multiplies.
            6 => {
                let place = range(rng, &bytes);
                let piece = &bytes[place.clone()];
                let times = 1 + below(rng, MAX_BYTES / piece.len());
                let repeated = piece.repeat(times);
                bytes.splice(place, repeated);
            }
            7 => {
                if let Some(place) = number(rng, &bytes) {
                    let number = NUMBERS[below(rng, NUMBERS.len())];
                    bytes.splice(place, number.bytes());
                }
            }
            // Numbers of binary formats.
            _ => {
                let number = [u64::MAX, 1 << 31, 1 << 16, 0][below(rng, 4)].to_le_bytes();
                let end = (at + [1, 2, 4, 8][below(rng, 4)]).min(bytes.len());
                bytes[at..end].copy_from_slice(&number[..end - at]);
            }
        }
    }
    bytes.truncate(MAX_BYTES);
    bytes
}
