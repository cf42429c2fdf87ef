//! Any bytes to the reader that the environment variable FIBULA_READER names.

#![no_main]

use std::sync::LazyLock;

use fibula_fuzz::readers::{self, Reader};
use libfuzzer_sys::fuzz_target;

static READER: LazyLock<Reader> = LazyLock::new(|| {
    let name = std::env::var("FIBULA_READER").unwrap_or_default();
    let names: Vec<&str> = readers::all().iter().map(|reader| reader.name).collect();
    let named = readers::all()
        .into_iter()
        .find(|reader| reader.name == name);
    named.unwrap_or_else(|| panic!("FIBULA_READER is '{name}'; there are {}", names.join(", ")))
});

fuzz_target!(|bytes: &[u8]| drop(READER.read(bytes)));
