//! Files that projects are read from and written to.
//!
//! A format turns bytes into the written-out form of the graph and back; it opens no files itself.

pub mod threemf;
pub mod vm;
