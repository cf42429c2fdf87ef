//! MCP over standard input and output, for a client that starts the server itself.

use std::io;

use rmcp::service::serve_directly;
use rmcp::transport::io::stdio_pipes;

use super::line_transport::LineTransport;
use super::server::Server;

/// Maximum length of a message in bytes.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// Serves until standard input ends. Calls run on this thread, which has the lowest latency; long work has threads that
/// may block.
///
/// # Errors
/// If the runtime cannot be created. A client that disconnects is not an error.
pub fn run(mut server: Server) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (from, to) = stdio_pipes();
        // `initialize` is a request like any other, so there is no handshake.
        let transport = LineTransport::new(from, to, MAX_MESSAGE_BYTES);
        server.connection.questions.input_ended = transport.end_of_input();
        let running = serve_directly(server, transport, None);
        if let Err(error) = running.waiting().await {
            tracing::error!(%error, "the connection failed");
        }
    });
    // Does not wait for long work, nor for a blocked read of standard input.
    runtime.shutdown_background();
    Ok(())
}
