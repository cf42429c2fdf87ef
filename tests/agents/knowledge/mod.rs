//! The knowledge graph through the program, as agents and other servers' clients use it.

mod analysis;
mod coming_from;
mod command;
mod ends;
mod files;
mod memory;
mod open;
mod pages;
mod replaced;
mod samples;
mod systems;
mod tied;
mod tools;
mod walks;
