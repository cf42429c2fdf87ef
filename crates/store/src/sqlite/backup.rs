//! Integrity check of the file, and online backup.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::connection::DatabaseFile;
use super::error::{self, SqliteError};
use super::{filesystem, schema};
use crate::StoreError;

/// Number of pages copied per step.
const PAGES: i32 = 1024;
/// Maximum number of reported faults.
const FAULTS: usize = 100;

/// Runs SQLite's integrity check and returns its complaints; empty if the file is sound.
pub(super) fn integrity(connection: &Connection) -> Result<Vec<String>, SqliteError> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({FAULTS})"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = lines.collect::<rusqlite::Result<_>>()?;
    if lines == ["ok"] {
        return Ok(Vec::new());
    }
    Ok(lines)
}

/// Copies a consistent state of the store to a new file: first to a temporary file, which is then renamed.
pub(super) fn backup(source: &DatabaseFile, to: &Path) -> Result<(), StoreError> {
    let taken = || error::from_io(to, &io::Error::from(ErrorKind::AlreadyExists));
    if to.symlink_metadata().is_ok() {
        return Err(taken());
    }
    let part = filesystem::beside(to, "part");
    let outcome = copy(source, &part, to).and_then(|()| publish(&part, to));
    // On success, the complete file has another link by now.
    for path in filesystem::beside_database(&part).iter().chain([&part]) {
        let _ = fs::remove_file(path);
    }
    outcome
}

fn copy(source: &DatabaseFile, part: &Path, to: &Path) -> Result<(), StoreError> {
    let file = filesystem::private_file()
        .write(true)
        .create_new(true)
        .open(part)
        .map_err(|error| error::from_io(to, &error))?;
    let from = source
        .reader()
        .map_err(|failed| failed.into_store_error(&source.path))?
        .connection;
    // An open read transaction prevents that concurrent writes restart the backup.
    from.execute_batch("BEGIN")
        .and_then(|()| schema::inspect(&from))
        .map_err(|error| error::from_sqlite(&source.path, &error))?;
    let there = |error: rusqlite::Error| error::from_sqlite_at(part, to, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut into = Connection::open_with_flags(part, flags).map_err(there)?;
    into.execute_batch("PRAGMA synchronous = OFF")
        .map_err(there)?;
    steps(&from, &mut into, source, &there)?;
    drop(from);
    let sql = "PRAGMA journal_mode = DELETE";
    let mode: String = into.query_row(sql, [], |row| row.get(0)).map_err(there)?;
    into.close().map_err(|(_, error)| there(error))?;
    if mode != "delete" {
        let message = format!("the journal mode of the copy stays '{mode}'");
        let place = to.display().to_string();
        return Err(StoreError::Io { place, message });
    }
    file.sync_all().map_err(|error| error::from_io(to, &error))
}

fn steps(
    from: &Connection,
    into: &mut Connection,
    source: &DatabaseFile,
    there: &dyn Fn(rusqlite::Error) -> StoreError,
) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| {
        // Only the copy is written.
        if error::is_write_failure(&error) {
            there(error)
        } else {
            error::from_sqlite(&source.path, &error)
        }
    };
    let deadline = Instant::now() + source.options.busy;
    let backup = Backup::new(from, into).map_err(failed)?;
    loop {
        match backup.step(PAGES).map_err(failed)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ if Instant::now() >= deadline => return Err(StoreError::Busy(source.name())),
            _ => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Gives the temporary file its name, unless a file with that name has been created meanwhile.
fn publish(part: &Path, to: &Path) -> Result<(), StoreError> {
    let named = match fs::hard_link(part, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            // On file systems without hard links, an empty file reserves the name.
            File::create_new(to).and_then(|_| fs::rename(part, to))
        }
        outcome => outcome,
    };
    named.map_err(|error| error::from_io(to, &error))?;
    if cfg!(unix)
        && let Some(folder) = to.parent()
    {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| error::from_io(folder, &error))?;
    }
    Ok(())
}
