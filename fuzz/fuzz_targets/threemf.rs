//! Any bytes as a 3MF file.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| fibula_fuzz::carry(bytes));
