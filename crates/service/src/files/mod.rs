//! Files on disk and in memory: atomic replacement, size limits, and the configured folders that requests may name.

pub(crate) mod atomic_file;
pub(crate) mod bounded_buffer;
pub(crate) mod byte_counter;
pub(crate) mod roots;
pub(crate) mod watched_writer;

pub use atomic_file::AtomicFile;
