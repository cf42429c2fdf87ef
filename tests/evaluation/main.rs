//! Values of functions: backends, oracles, sampling, slices and masks.

#[macro_use]
#[path = "../check/mod.rs"]
mod check;
#[path = "../calls/mod.rs"]
#[expect(dead_code, reason = "other programs use the rest")]
mod calls;
#[path = "../space/mod.rs"]
mod space;
#[path = "../world/mod.rs"]
mod world;

mod evaluation;
mod masks;
mod oracles;
mod sampling;
mod sampling_files;
mod slicing;
mod solid;
mod vm;
