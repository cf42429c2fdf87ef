//! Files that projects are read from and written to.
//!
//! A format turns bytes into the written-out form of the graph and back; it opens no files itself. Values, points,
//! contours, masks and meshes, which are no part of a project, have formats, too.

pub mod contours;
pub mod diagram;
mod escape;
pub mod masks;
pub mod mesh;
pub mod network;
pub mod points;
pub mod sketch;
pub mod threemf;
pub mod values;
pub mod vm;
