//! Any bytes as the model of a package that is sound otherwise, so that they reach the reader of XML.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|model: &[u8]| fibula_fuzz::carry(&fibula_fuzz::package(model)));
