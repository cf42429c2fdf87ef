//! `fibula doctor`: faults of a set-up: the program, the store, the port, and the configurations of MCP clients.

mod clients;
mod configuration;

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use fibula_nodes::names;
use fibula_server::http;
use serde::Serialize;

use super::data::{Data, StoreAccess, StoreLocation};
use super::output::{Failure, OutputArgs};
use super::servers::ListenArgs;

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
        let mut findings = vec![program()];
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
                Some(folder) if is_writable(&folder) => found(
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

/// The program itself, and the one that clients start by its name.
fn program() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    let own = std::env::current_exe().and_then(|path| path.canonicalize());
    let found = |level, text: String| Finding::new(level, "program", text);
    let Ok(own) = own else {
        return found(
            Level::Warning,
            format!("Fibula {version}; the place of the program is unknown"),
        );
    };
    let shown = own.display();
    match on_path("fibula") {
        None => found(
            Level::Note,
            format!(
                "{shown} (Fibula {version}) is not on the path: name all of it in clients, or run `cargo install --locked --path .`"
            ),
        ),
        Some(other) if other.canonicalize().is_ok_and(|other| other == own) => found(
            Level::Ok,
            format!("{shown} (Fibula {version}) is on the path"),
        ),
        Some(other) => {
            let text = format!(
                "this is {shown} (Fibula {version}), while `fibula` means {} ({})",
                other.display(),
                version_of(&other)
            );
            found(Level::Warning, text)
        }
    }
}

/// Asks a program for its version. It does not get the token, and has little time.
fn version_of(program: &Path) -> String {
    let mut command = Command::new(program);
    command.arg("--version").env_remove("FIBULA_TOKEN");
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return format!("which does not start: {error}"),
    };
    let end = Instant::now() + TIMEOUT;
    while matches!(child.try_wait(), Ok(None)) {
        if Instant::now() >= end {
            let _ = child.kill();
            let _ = child.wait();
            return "which does not tell its version".to_owned();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut output = String::new();
    let stdout = child.stdout.take().map(|stdout| stdout.take(200));
    if let Some(mut stdout) = stdout {
        let _ = stdout.read_to_string(&mut output);
    }
    names::visible(output.trim(), 80)
}

/// Returns the program that a name means on the path.
fn on_path(name: &str) -> Option<PathBuf> {
    const ENDINGS: &[&str] = if cfg!(windows) {
        &["", ".exe", ".cmd", ".bat"]
    } else {
        &[""]
    };
    let folders = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&folders).flat_map(|folder| {
        let names = ENDINGS.iter().map(|ending| format!("{name}{ending}"));
        names.map(move |name| folder.join(name)).collect::<Vec<_>>()
    });
    places.find(|path| is_program(path))
}

/// True for a file that can be started.
fn is_program(path: &Path) -> bool {
    let Ok(data) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let may_start = std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_start = true;
    data.is_file() && may_start
}

/// The nearest folder above a path that exists.
fn nearest_folder(path: &Path) -> Option<PathBuf> {
    let mut above = path.ancestors().skip(1);
    let found = above.find(|folder| folder.as_os_str().is_empty() || folder.exists())?;
    Some(if found.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        found.to_owned()
    })
}

fn is_writable(folder: impl AsRef<Path>) -> bool {
    let folder = folder.as_ref();
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    tempfile::tempfile_in(folder).is_ok()
}

/// What serves at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Server {
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
fn ask(address: SocketAddr, token: Option<&str>) -> Server {
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
