//! The command line, and what the documentation says.

mod cli;
mod documentation;
mod floors;
