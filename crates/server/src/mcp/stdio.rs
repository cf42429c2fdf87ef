//! MCP over standard input and output, for a client that starts the server itself.

use std::io;

use rmcp::service::serve_directly;
use rmcp::transport::io::stdio_pipes;

use super::lines::Lines;
use super::server::Server;

/// The longest message that is read.
const LONGEST: usize = 16 << 20;

/// Serves until standard input ends. Runs on this thread, where it answers fastest; long work has threads of its own.
///
/// # Errors
/// When there is no runtime to be had. A client that goes away is not an error.
pub fn run(server: Server) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (from, to) = stdio_pipes();
        // There is no handshake to wait for: `initialize` is a request like any other.
        let running = serve_directly(server, Lines::new(from, to, LONGEST), None);
        if let Err(error) = running.waiting().await {
            tracing::error!(%error, "the server broke off");
        }
    });
    // Neither long work nor a read of standard input that never returns is waited for.
    runtime.shutdown_background();
    Ok(())
}
