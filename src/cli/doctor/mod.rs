//! `fibula doctor`: faults of a set-up: the program, the store, the port, and the configurations of MCP clients.

mod clients;
mod configuration;
mod probe;
mod programs;

use std::fmt::Write as _;
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::time::Duration;

use clap::Args;
use fibula_server::http;
use serde::Serialize;

use super::data::{Data, StoreAccess, StoreLocation};
use super::output::{Failure, OutputArgs};
use super::servers::ListenArgs;
use probe::{Server, ask};

/// Time that another program has to answer.
const TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// Those of `serve`.
    #[command(flatten)]
    address: ListenArgs,
    #[command(flatten)]
    data: Data,
    #[command(flatten)]
    output: OutputArgs,
}

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Level {
    Ok,
    /// Nothing is wrong, but it may be a surprise.
    Note,
    /// It works, but not as one may expect.
    Warning,
    /// It does not work.
    Error,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Level::Ok => "ok",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        }
    }
}

/// A fact about a part of the set-up, with what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Finding {
    level: Level,
    subject: String,
    text: String,
}

impl Finding {
    fn new(level: Level, subject: &str, text: impl Into<String>) -> Self {
        Finding {
            level,
            subject: subject.to_owned(),
            text: text.into(),
        }
    }
}

impl Doctor {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let mut findings = vec![programs::finding()];
        findings.push(self.store());
        findings.extend(self.token());
        findings.push(self.port());
        findings.extend(clients::findings(&self.data));
        self.output.print(&findings[..], report)?;
        let is_faulty = findings.iter().any(|one| one.level == Level::Error);
        if is_faulty {
            Err(Failure::Found)
        } else {
            Ok(())
        }
    }

    /// Opens the store as a reader does, and tries its folder.
    fn store(&self) -> Finding {
        let found = |level, text: String| Finding::new(level, "store", text);
        let path = match self.data.place() {
            Ok(StoreLocation::Memory) => {
                return found(
                    Level::Note,
                    "projects are in memory, and are lost when a server ends".to_owned(),
                );
            }
            Ok(StoreLocation::File(path)) => path,
            Err(failure) => return found(Level::Error, failure.to_string()),
        };
        let shown = path.display();
        if !path.exists() {
            return match nearest_folder(&path) {
                Some(folder) if is_writable(folder) => found(
                    Level::Ok,
                    format!("{shown} does not exist yet; the first server or import creates it"),
                ),
                _ => found(
                    Level::Error,
                    format!(
                        "{shown} does not exist and cannot be created there; name another place with --data or FIBULA_DATA"
                    ),
                ),
            };
        }
        let opened = self.data.open(StoreAccess::Read);
        let projects = opened.and_then(|store| {
            let rows = store
                .store()
                .projects()
                .map_err(fibula_service::Refusal::from)?;
            Ok(rows.iter().filter(|row| row.deleted.is_none()).count())
        });
        match projects {
            Err(failure) => found(Level::Error, failure.to_string()),
            Ok(_) if !path.parent().is_some_and(is_writable) => found(
                Level::Error,
                format!(
                    "{shown} can be read, but nothing can be written beside it, which every edit needs; change the permissions, or name another place with --data"
                ),
            ),
            Ok(count) => {
                let plural = if count == 1 { "" } else { "s" };
                let size = path.metadata().map_or(0, |data| data.len());
                found(
                    Level::Ok,
                    format!(
                        "{shown} has {count} project{plural}, {} KB; `fibula verify` reads all of it",
                        size.div_ceil(1000)
                    ),
                )
            }
        }
    }

    fn token(&self) -> Option<Finding> {
        let (level, text) = match self.address.token.as_deref() {
            None => return None,
            Some(token) if !http::is_secret(token) => {
                (Level::Error, http::ListenError::WeakToken.to_string())
            }
            Some(_) => {
                let text =
                    "`serve` asks every request for it; clients send `Authorization: Bearer TOKEN`";
                (Level::Note, text.to_owned())
            }
        };
        Some(Finding::new(level, "token", text))
    }

    /// Tries to listen, and asks who else does.
    fn port(&self) -> Finding {
        let address = self.address.listen;
        let found = |level, text: String| Finding::new(level, "port", text);
        if !address.ip().is_loopback() && self.address.token.is_none() {
            return found(
                Level::Error,
                format!(
                    "other machines can reach {address}, which `serve` refuses without a token; set FIBULA_TOKEN"
                ),
            );
        }
        let Err(error) = TcpListener::bind(address) else {
            return found(Level::Ok, format!("{address} is free for `serve`"));
        };
        match error.kind() {
            ErrorKind::AddrInUse => match ask(address, self.address.token.as_deref()) {
                Server::Fibula(version) if version == env!("CARGO_PKG_VERSION") => {
                    found(Level::Ok, format!("Fibula {version} serves on {address}"))
                }
                Server::Fibula(version) => found(
                    Level::Warning,
                    format!(
                        "Fibula {version} serves on {address}, and this is {}; stop it and start this one",
                        env!("CARGO_PKG_VERSION")
                    ),
                ),
                Server::AsksForToken => found(
                    Level::Note,
                    format!(
                        "a server on {address} asks for another token; set FIBULA_TOKEN to ask it"
                    ),
                ),
                Server::Other | Server::None => found(
                    Level::Warning,
                    format!(
                        "another program has {address}; `fibula serve --listen {}` takes a free port",
                        SocketAddr::new(address.ip(), 0)
                    ),
                ),
            },
            _ => found(
                Level::Error,
                format!("`serve` cannot listen on {address}: {error}"),
            ),
        }
    }
}

/// The nearest folder above a path that exists.
fn nearest_folder(path: &Path) -> Option<&Path> {
    let mut above = path.ancestors().skip(1).map(or_here);
    above.find(|folder| folder.exists())
}

/// The folder that an empty path means.
fn or_here(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

fn is_writable(folder: &Path) -> bool {
    tempfile::tempfile_in(or_here(folder)).is_ok()
}

fn report(findings: &[Finding]) -> String {
    let width = findings.iter().map(|one| one.subject.chars().count()).max();
    let mut text = String::new();
    for Finding {
        level,
        subject,
        text: own,
    } in findings
    {
        let _ = writeln!(
            text,
            "{:<8} {subject:<width$}  {own}",
            level.name(),
            width = width.unwrap_or(0)
        );
    }
    text
}
