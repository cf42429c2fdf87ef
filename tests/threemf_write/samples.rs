//! The sample files.
