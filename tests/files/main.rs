//! Files of projects: 3MF packages, imports, exports, and damaged ones.

#[path = "../random/mod.rs"]
mod random;
#[path = "../samples/mod.rs"]
mod samples;

mod faulty;
mod import;
mod packages;
mod portable;
mod schema;
mod threemf;
mod threemf_write;
