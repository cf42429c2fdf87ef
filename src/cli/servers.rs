//! `fibula serve` and `fibula mcp`.

use clap::Args;

use super::output::Failure;

#[derive(Debug, Args)]
pub(super) struct Serve {}

#[derive(Debug, Args)]
pub(super) struct Mcp {}

impl Serve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        Err(Failure::Server("pending".to_owned()))
    }
}

impl Mcp {
    pub(super) fn run(&self) -> Result<(), Failure> {
        Err(Failure::Server("pending".to_owned()))
    }
}
