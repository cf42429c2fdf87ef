//! Typed function graphs: documents, checked edits, expressions, and their evaluation.

pub mod colour;
pub mod escape;
pub mod quote;
pub mod vector;

pub use fibula_knowledge::progress;

pub mod graph;

pub mod edit;
pub mod eval;
pub mod expression;
pub mod oracle;
pub mod refactor;

pub mod library;
