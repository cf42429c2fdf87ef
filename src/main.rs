//! The program: hands over to the command line.

use std::process::ExitCode;

use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    fibula::cli::run(std::env::args_os().skip(1))
}
