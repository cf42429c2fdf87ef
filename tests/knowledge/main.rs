//! The knowledge graph through the program, as agents and other servers' clients use it.

#[path = "../talk/mod.rs"]
mod talk;

mod command;
mod files;
mod memory;
mod open;
mod systems;
mod tools;
mod walks;
