//! Probes of addresses: what serves there.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};

use fibula_nodes::names;
use fibula_server::http;

use super::TIMEOUT;

/// What serves at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Server {
    /// Fibula, of this version.
    Fibula(String),
    /// A server that asks for a token, and not for the one that it was given.
    AsksForToken,
    /// Another program.
    Other,
    /// Nothing.
    None,
}

/// Asks the server at an address what it is.
pub(super) fn ask(address: SocketAddr, token: Option<&str>) -> Server {
    let mut address = address;
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let Ok(stream) = TcpStream::connect_timeout(&address, TIMEOUT) else {
        return Server::None;
    };
    match exchange(stream, address, token) {
        Ok(answer) => parse(&answer).unwrap_or(Server::Other),
        Err(_) => Server::Other,
    }
}

/// Sends a request for the health of a server, and returns the start of its answer.
fn exchange(mut stream: TcpStream, address: SocketAddr, token: Option<&str>) -> io::Result<String> {
    stream.set_read_timeout(Some(TIMEOUT))?;
    let port = address.port();
    write!(
        stream,
        "GET /health HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n"
    )?;
    if let Some(token) = token.filter(|token| http::is_secret(token)) {
        write!(stream, "Authorization: Bearer {token}\r\n")?;
    }
    stream.write_all(b"\r\n")?;
    let mut answer = Vec::new();
    stream.take(4096).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

fn parse(answer: &str) -> Option<Server> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    if head.split_whitespace().nth(1) == Some("401") {
        return Some(Server::AsksForToken);
    }
    let health: serde_json::Value = serde_json::from_str(body).ok()?;
    let version = health.get("version")?.as_str()?;
    (health.get("name")? == "fibula").then(|| Server::Fibula(names::visible(version, 40)))
}
