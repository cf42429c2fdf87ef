//! Findings about the configurations of MCP clients: programs that do not start, arguments that are refused, servers that do not run,
//! and clients that have different stores, so that one does not see what another has built.

use std::net::ToSocketAddrs;
use std::path::Path;

use axum::http::Uri;
use clap::Parser as _;

use super::configuration::{ClientFile, Entry, client_files};
use super::probe::{Server, ask};
use super::programs::{is_program, on_path};
use super::{Finding, Level};
use crate::cli::data::{Data, StoreLocation};
use crate::cli::{Arguments, Command};

/// Programs that start others, with Fibula among their arguments.
const STARTERS: [&str; 7] = ["npx", "uvx", "uv", "pipx", "docker", "podman", "cargo"];

/// Returns the findings about all clients that have a configuration here.
pub(super) fn findings(data: &Data) -> Vec<Finding> {
    let own = data.place().ok();
    let mut findings = Vec::new();
    for file in client_files() {
        let about = |level, text: String| {
            let text = format!("{}: {text}", file.path.display());
            Finding::new(level, file.client, text)
        };
        match file.entries() {
            None => {}
            Some(Err(fault)) => findings.push(about(Level::Error, fault)),
            Some(Ok(entries)) if entries.is_empty() => {
                let text = format!("does not name Fibula; {}", advice(&file));
                findings.push(about(Level::Note, text));
            }
            Some(Ok(entries)) => findings.extend(entries.iter().map(|(name, entry)| {
                let (level, text) = check(entry, own.as_ref());
                about(level, format!("{name:?} {text}"))
            })),
        }
    }
    if findings.is_empty() {
        let text = "no configuration of a client is here; docs/install.md has the lines for each";
        findings.push(Finding::new(Level::Note, "clients", text));
    }
    findings
}

/// The command that adds Fibula to a client.
fn advice(file: &ClientFile) -> &'static str {
    match file.client {
        "Claude Code" => "`claude mcp add fibula -- fibula mcp` does",
        "Codex" => "`codex mcp add fibula -- fibula mcp` does",
        "Gemini CLI" => "`gemini mcp add fibula fibula mcp` does",
        _ => "docs/install.md has the lines",
    }
}

/// Checks an entry; `own` is the store of this command.
fn check(entry: &Entry, own: Option<&StoreLocation>) -> (Level, String) {
    match entry {
        Entry::Address { address, token } => check_address(address, token.as_deref()),
        Entry::Program {
            command,
            arguments,
            store,
        } => check_program(command, arguments, store.as_deref(), own),
    }
}

fn check_program(
    command: &str,
    arguments: &[String],
    store: Option<&str>,
    own: Option<&StoreLocation>,
) -> (Level, String) {
    let path = Path::new(command);
    let stem = path.file_stem().and_then(|stem| stem.to_str());
    let stem = stem.unwrap_or(command).to_ascii_lowercase();
    if command.contains('$') || command.starts_with('~') {
        let text = format!("starts {command}, where only the client knows what it stands for");
        return (Level::Note, text);
    }
    if let Some(fault) = fault_of(command) {
        return (Level::Error, format!("starts {command}, {fault}"));
    }
    if let ("cmd", [first, next, rest @ ..]) = (&*stem, arguments)
        && first.eq_ignore_ascii_case("/c")
    {
        return check_program(next, rest, store, own);
    }
    let words = if STARTERS.contains(&&*stem) {
        // What is before its name is for the other program.
        let is_name = |word: &String| word.trim_end_matches(".git").ends_with("fibula");
        arguments
            .iter()
            .position(is_name)
            .map(|start| &arguments[start + 1..])
    } else {
        stem.contains("fibula").then_some(arguments)
    };
    let Some(words) = words else {
        let text =
            format!("starts {command}, which is another program; its arguments are not checked");
        return (Level::Note, text);
    };
    let is_image = stem == "docker" || stem == "podman";
    check_words(command, words, store, own.filter(|_| !is_image))
}

/// The reason why a command does not start.
fn fault_of(command: &str) -> Option<String> {
    let path = Path::new(command);
    let is_path = path.components().count() > 1;
    match is_path {
        true if !path.is_file() => {
            Some("which does not exist; name a program that does".to_owned())
        }
        true if !is_program(path) => Some("which is no program; change its permissions".to_owned()),
        false if on_path(command).is_none() => Some(if command.contains("fibula") {
            let own = std::env::current_exe().unwrap_or_default();
            format!(
                "which is not on the path; name all of the path, such as {}",
                own.display()
            )
        } else {
            "which is not on the path; install it, or name all of its path".to_owned()
        }),
        _ => None,
    }
}

/// Checks the arguments of Fibula. They are not shown, since some are secret.
fn check_words(
    command: &str,
    words: &[String],
    store: Option<&str>,
    own: Option<&StoreLocation>,
) -> (Level, String) {
    let is_mcp = words.first().is_some_and(|word| word == "mcp");
    if !is_mcp {
        let text = format!(
            "starts {command}, but not with the argument `mcp` first: nothing answers the client"
        );
        return (Level::Error, text);
    }
    let shown = format!("starts {command} with `mcp`");
    let store = store.filter(|_| !words.iter().any(|word| word.starts_with("--data")));
    let store = store.into_iter().flat_map(|store| ["--data", store]);
    let words = words.iter().map(String::as_str).chain(store);
    let parsed = Arguments::try_parse_from(std::iter::once("fibula").chain(words));
    let place = match parsed.map(|arguments| arguments.command) {
        Ok(Command::Mcp(mcp)) => mcp.place(),
        Ok(_) => return (Level::Ok, shown),
        Err(error) => {
            let error = error.to_string();
            let first = error.lines().next().unwrap_or_default();
            return (
                Level::Error,
                format!("{shown} and more, which is refused: {first}"),
            );
        }
    };
    match (place, own) {
        (Ok(place), Some(own)) if place != *own => {
            let text = format!(
                "{shown}, whose projects are in {place}, and not where those of this command are"
            );
            (Level::Note, text)
        }
        _ => (Level::Ok, shown),
    }
}

fn check_address(address: &str, token: Option<&str>) -> (Level, String) {
    let uri = address.parse::<Uri>().ok();
    let Some((uri, host)) = uri.and_then(|uri| Some((uri.clone(), uri.host()?.to_owned()))) else {
        return (Level::Error, "has an address that is none".to_owned());
    };
    // A user, a password and a query are secret.
    let is_secure = uri.scheme_str() == Some("https");
    let scheme = if is_secure { "https" } else { "http" };
    let port = uri.port_u16();
    let shown_port = port.map_or_else(String::new, |port| format!(":{port}"));
    let shown = format!("is at {scheme}://{host}{shown_port}{}", uri.path());
    if uri.path() != "/mcp" && !uri.path().starts_with("/mcp/") {
        return (
            Level::Error,
            format!("{shown}, where Fibula has no MCP; the path is /mcp"),
        );
    }
    let bare = host.trim_matches(['[', ']']);
    let port = port.unwrap_or(if is_secure { 443 } else { 80 });
    let sockets = (bare, port).to_socket_addrs();
    let Some(sockets) = sockets.ok().filter(|sockets| sockets.len() > 0) else {
        return (
            Level::Error,
            format!("{shown}, and there is no machine {bare}"),
        );
    };
    let mut sockets: Vec<_> = sockets.collect();
    if is_secure || sockets.iter().any(|socket| !socket.ip().is_loopback()) {
        return (
            Level::Note,
            format!("{shown}, which this command does not ask"),
        );
    }
    // `localhost` may have several addresses.
    sockets.dedup();
    let servers: Vec<Server> = sockets
        .into_iter()
        .map(|socket| ask(socket, token))
        .collect();
    if let Some(Server::Fibula(version)) = servers
        .iter()
        .find(|server| matches!(server, Server::Fibula(_)))
    {
        return (Level::Ok, format!("{shown}, where Fibula {version} serves"));
    }
    if servers.contains(&Server::AsksForToken) {
        return (
            Level::Warning,
            format!("{shown}, where a server asks for a token that the client does not have"),
        );
    }
    (
        Level::Warning,
        format!("{shown}, where no Fibula serves; start `fibula serve`"),
    )
}
