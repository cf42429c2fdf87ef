//! The server that the official MCP conformance suite is run against: Fibula's HTTP stack with the tools, resources
//! and prompts that the suite wants to find, instead of Fibula's own.
//!
//! `@modelcontextprotocol/conformance` requires everything here to the letter; names and texts are the suite's.
//! It is no model for a server's tools: those are in `fibula::mcp`. One process serves both eras of the protocol,
//! 2025-11-25 and 2026-07-28. `.ci/conformance/run fixtures` starts it and runs the suite.

#![expect(
    deprecated,
    reason = "the suite wants sampling, roots and logging, which the protocol is about to give up"
)]

mod samples;

mod asking;
mod input_required;
mod prompts;
mod resources;
mod tools;

mod server;

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use clap::Parser;
use fibula::mcp::streamable::{self, Sessions};
use fibula::service::{self, Service};
use fibula::{http, mcp};
use tokio_util::sync::CancellationToken;

use server::Fixtures;

#[derive(Debug, Parser)]
struct Arguments {
    /// The address to serve /mcp on; port 0 takes any that is free.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { listen } = Arguments::parse();
    let listener = http::listen(http::Options {
        listen,
        ..http::Options::default()
    })
    .await?;
    println!("http://{}/mcp", listener.address());
    let stop = CancellationToken::new();
    let routes = mcp::streamable::routes(
        "/mcp",
        Fixtures::new(),
        streamable::Options {
            hosts: listener.hosts().to_vec(),
            origins: listener.origins(),
            body_limit: listener.body_limit(),
            // Without a session a client of 2025-11-25 cannot answer what it was asked.
            sessions: Sessions::Legacy,
            stop: stop.child_token(),
        },
    );
    let service = Arc::new(Service::new(&service::Options::default()));
    listener.serve(service, routes, stop).await;
    Ok(())
}
