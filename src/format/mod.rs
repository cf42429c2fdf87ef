//! Files that projects are read from and written to.
//!
//! A format turns bytes into the written-out form of the graph and back; it opens no files itself. Values and points,
//! which are no part of a project, have formats, too.

pub mod contours;
pub mod diagram;
pub mod points;
pub mod threemf;
pub mod values;
pub mod vm;
