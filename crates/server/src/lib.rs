//! Fibula over MCP and HTTP.
//!
//! This crate turns a [`Service`](fibula_service::Service) into servers:
//!
//! - [`mcp`]: tools, resources and prompts for agents, over standard input and output or streamable HTTP;
//! - [`http`]: a REST API with its `OpenAPI` document, server-sent events, GraphQL queries, and access control;
//! - [`in_process`]: the same operations as calls within a process, for bindings of other languages;
//! - [`operation`]: the operations that all of them offer. An operation is declared once, with its tool, its route, or both.
//!
//! It is not the service: it holds no state of a project, validates no edits, and stores nothing. It knows no other
//! system's tools either: those are toolsets that the program passes in [`mcp::Options`].
//!
//! # A server in a program
//! ```
//! use std::sync::Arc;
//!
//! use fibula_server::mcp::{Options, Server, Toolset};
//! use fibula_server::{http, mcp};
//! use fibula_service::Service;
//! use tokio_util::sync::CancellationToken;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let service = Arc::new(Service::default());
//! let options = Options { toolsets: vec![Toolset::FUNCTION], ..Options::default() };
//! let server = Server::new(service.clone(), &options);
//! assert!(server.tool("create_function_from_expression").is_some());
//!
//! let address = "127.0.0.1:0".parse()?;
//! let listener = http::listen(http::Options { listen: address, ..http::Options::default() }).await?;
//! let stop = CancellationToken::new();
//! let routes = mcp::streamable::routes(
//!     "/mcp",
//!     server,
//!     mcp::streamable::Options {
//!         hosts: listener.hosts().to_vec(),
//!         origins: listener.origins(),
//!         body_limit: listener.body_limit(),
//!         sessions: mcp::streamable::Sessions::None,
//!         stop: stop.child_token(),
//!     },
//! );
//! stop.cancel(); // here: at once
//! listener.serve(service, routes, stop).await;
//! # Ok(())
//! # }
//! ```
//!
//! # Invariants
//! - A tool and a route of the same operation take the same request, return the same answer and fail with the same
//!   refusals; a refused call changes nothing.
//! - Schemas of tools have no `$ref`, no unions with null and no machine formats, and every tool has all four hints.
//! - Every HTTP request passes the guard: host, origin, token, size.
//! - A panic in a call is answered with the refusal `internal`; other calls go on.
//!
//! # Cost
//! Quick calls run on the thread that read them, without a copy of their answer beside its JSON. Long work runs on threads
//! that may block, at most one per core at a time, and can be cancelled. Memory is bounded for each connection: message
//! size, requests in flight, backlog of answers.

mod address;
mod json_memory;
mod request_id;
mod slots;

pub mod metrics;
pub mod operation;

mod operations;

pub use operations::graph_picture;

pub mod http;
pub mod mcp;

pub mod in_process;
