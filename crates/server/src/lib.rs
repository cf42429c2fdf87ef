//! Fibula over MCP and HTTP.

pub mod http;
pub mod mcp;
