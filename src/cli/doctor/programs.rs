//! Programs on the path, and what they are.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use fibula_nodes::names;

use super::{Finding, Level, TIMEOUT};

/// The program itself, and the one that clients start by its name.
pub(super) fn finding() -> Finding {
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
pub(super) fn on_path(name: &str) -> Option<PathBuf> {
    const ENDINGS: &[&str] = if cfg!(windows) {
        &["", ".exe", ".cmd", ".bat"]
    } else {
        &[""]
    };
    let folders = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&folders).flat_map(|folder| {
        let files = ENDINGS.iter().map(|ending| format!("{name}{ending}"));
        files.map(move |file| folder.join(file)).collect::<Vec<_>>()
    });
    places.find(|path| is_program(path))
}

/// True for a file that can be started.
pub(super) fn is_program(path: &Path) -> bool {
    let Ok(data) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    let may_start = std::os::unix::fs::PermissionsExt::mode(&data.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_start = true;
    data.is_file() && may_start
}
