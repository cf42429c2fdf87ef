//! Looking for damage, and copies that are made while others write.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::connection::Site;
use super::fault::{self, Failed};
use super::{place, schema};
use crate::StoreError;

/// How many pages are copied at once.
const PAGES: i32 = 1024;
/// How many faults are told.
const FAULTS: usize = 100;

/// What SQLite finds wrong with the file.
pub(super) fn integrity(connection: &Connection) -> Result<Vec<String>, Failed> {
    let mut statement = connection.prepare(&format!("PRAGMA integrity_check({FAULTS})"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    let lines: Vec<String> = lines.collect::<rusqlite::Result<_>>()?;
    if lines == ["ok"] {
        return Ok(Vec::new());
    }
    Ok(lines)
}

/// Copies the store as it is now into a single file that is not there yet.
pub(super) fn backup(site: &Site, to: &Path) -> Result<(), StoreError> {
    let taken = || fault::system(to, &io::Error::from(ErrorKind::AlreadyExists));
    if to.symlink_metadata().is_ok() {
        return Err(taken());
    }
    let part = place::beside(to, "part");
    let outcome = copy(site, &part, to).and_then(|()| publish(&part, to));
    // The whole file has another name by now.
    let _ = fs::remove_file(&part);
    outcome
}

fn copy(site: &Site, part: &Path, to: &Path) -> Result<(), StoreError> {
    let file = place::private_file()
        .write(true)
        .create_new(true)
        .open(part)
        .map_err(|error| fault::system(to, &error))?;
    let from = site
        .reader()
        .map_err(|failed| failed.said(&site.path))?
        .connection;
    // While the state that was there is held, others' writing does not make it begin again.
    from.execute_batch("BEGIN")
        .and_then(|()| schema::look(&from))
        .map_err(|error| fault::said(&site.path, &error))?;
    let there = |error: rusqlite::Error| fault::said(part, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut into = Connection::open_with_flags(part, flags).map_err(there)?;
    into.execute_batch("PRAGMA synchronous = OFF")
        .map_err(there)?;
    steps(&from, &mut into, site)?;
    drop(from);
    let sql = "PRAGMA journal_mode = DELETE";
    let mode: String = into.query_row(sql, [], |row| row.get(0)).map_err(there)?;
    into.close().map_err(|(_, error)| there(error))?;
    if mode != "delete" {
        let message = format!("the copy's journal stays '{mode}'");
        let place = part.display().to_string();
        return Err(StoreError::Io { place, message });
    }
    file.sync_all().map_err(|error| fault::system(part, &error))
}

fn steps(from: &Connection, into: &mut Connection, site: &Site) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| fault::said(&site.path, &error);
    let deadline = Instant::now() + site.options.busy;
    let backup = Backup::new(from, into).map_err(failed)?;
    loop {
        match backup.step(PAGES).map_err(failed)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ if Instant::now() >= deadline => return Err(StoreError::Busy(site.name())),
            _ => thread::sleep(Duration::from_millis(1)),
        }
    }
}

/// Gives the file its name, unless there is another one with it by now.
fn publish(part: &Path, to: &Path) -> Result<(), StoreError> {
    let named = match fs::hard_link(part, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            // Where there are no links, an empty file holds the name.
            File::create_new(to).and_then(|_| fs::rename(part, to))
        }
        outcome => outcome,
    };
    named.map_err(|error| fault::system(to, &error))?;
    if cfg!(unix)
        && let Some(folder) = to.parent()
    {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| fault::system(folder, &error))?;
    }
    Ok(())
}
