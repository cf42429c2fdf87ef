//! Drawings of function graphs and knowledge graphs.

pub mod image;
mod strokes;

pub mod diagram;
pub mod sketch;
