//! Findings about the configurations of MCP clients: programs that do not start, arguments that are refused, servers that do not run,
//! and clients that have different stores, so that one does not see what another has built.

use std::net::ToSocketAddrs;
use std::path::Path;

use axum::http::Uri;
use clap::Parser as _;

use super::configuration::{ClientFile, Entry, client_files};
use super::{Finding, Level, on_path, serving};
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

/// How a client comes to name Fibula.
fn advice(file: &ClientFile) -> &'static str {
    match file.client {
        "Claude Code" => "`claude mcp add fibula -- fibula mcp` does",
        "Codex" => "`codex mcp add fibula -- fibula mcp` does",
        "Gemini CLI" => "`gemini mcp add fibula fibula mcp` does",
        _ => "docs/install.md has the lines",
    }
}

/// What is true of an entry; `own` is the store of this command.
fn check(entry: &Entry, own: Option<&StoreLocation>) -> (Level, String) {
    match entry {
        Entry::Address(address) => check_address(address),
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
    let is_path = path.components().count() > 1;
    if is_path && !path.is_file() {
        return (
            Level::Error,
            format!("starts {command}, which does not exist; name a program that does"),
        );
    }
    if !is_path && on_path(command).is_none() {
        let own = std::env::current_exe().unwrap_or_default();
        let text = format!(
            "starts {command}, which is not on the path; name all of the path, such as {}",
            own.display()
        );
        return (Level::Error, text);
    }
    let stem = path
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or(command);
    let words = if STARTERS.contains(&stem) {
        // What is before its name is for the other program.
        let start = arguments
            .iter()
            .position(|word| word.trim_end_matches(".git").ends_with("fibula"));
        start.map(|start| &arguments[start + 1..])
    } else {
        Some(arguments)
    };
    let shown = format!("starts {command} {}", arguments.join(" "));
    let Some(words) = words else {
        return (Level::Ok, shown);
    };
    let store = store.filter(|_| !words.iter().any(|word| word.starts_with("--data")));
    let store = store
        .into_iter()
        .flat_map(|store| ["--data".to_owned(), store.to_owned()]);
    let words: Vec<String> = std::iter::once("fibula".to_owned())
        .chain(words.iter().cloned())
        .chain(store)
        .collect();
    let place = match Arguments::try_parse_from(&words).map(|arguments| arguments.command) {
        Ok(Command::Mcp(mcp)) => mcp.place(),
        Ok(_) => {
            let text = format!("{shown}, which is not `fibula mcp`: nothing answers the client");
            return (Level::Error, text);
        }
        Err(error) => {
            let error = error.to_string();
            let first = error.lines().next().unwrap_or_default();
            return (Level::Error, format!("{shown}, which is refused: {first}"));
        }
    };
    match (place, own) {
        (Ok(place), Some(own)) if place != *own && stem != "docker" && stem != "podman" => {
            let text = format!(
                "{shown}, whose projects are in {place}, and not where those of this command are"
            );
            (Level::Note, text)
        }
        _ => (Level::Ok, shown),
    }
}

fn check_address(address: &str) -> (Level, String) {
    let Some((uri, host)) = address
        .parse::<Uri>()
        .ok()
        .and_then(|uri| Some((uri.clone(), uri.host()?.to_owned())))
    else {
        return (
            Level::Error,
            format!("is at {address}, which is no address"),
        );
    };
    let shown = format!("is at {address}");
    if uri.path() != "/mcp" && !uri.path().starts_with("/mcp/") {
        return (
            Level::Error,
            format!("{shown}, where Fibula has no MCP; the path is /mcp"),
        );
    }
    let bare = host.trim_matches(['[', ']']);
    let port = uri
        .port_u16()
        .unwrap_or(if uri.scheme_str() == Some("https") {
            443
        } else {
            80
        });
    let Some(socket) = (bare, port)
        .to_socket_addrs()
        .ok()
        .and_then(|mut all| all.next())
    else {
        return (
            Level::Error,
            format!("{shown}, and there is no machine {bare}"),
        );
    };
    if uri.scheme_str() == Some("https") || !socket.ip().is_loopback() {
        return (
            Level::Note,
            format!("{shown}, which this command does not ask"),
        );
    }
    match serving(socket) {
        Some(version) => (Level::Ok, format!("{shown}, where Fibula {version} serves")),
        None => (
            Level::Warning,
            format!("{shown}, where no Fibula serves; start `fibula serve`"),
        ),
    }
}
