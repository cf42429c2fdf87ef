//! The form of a store's file, and how older forms become newer ones.
//!
//! A file tells what it is by its `application_id` and which form it has by its `user_version`. Each step leads from
//! one form to the next; steps that were released stay as they are.

use rusqlite::{Connection, TransactionBehavior};

use super::fault::Failed;
use crate::StoreError;

/// What marks a file as ours: "Fibu".
pub(super) const APPLICATION: i32 = 0x4669_6275;
/// The form that is written.
pub(super) const FORMAT: u32 = STEPS.len() as u32;

/// What leads from each form to the next, beginning with an empty file.
const STEPS: [&str; 1] = [FIRST];

/// Numbers of 64 bits without a sign are kept as the signed ones with the same bits. Bodies come last, since what
/// stands before a large value is read without it. A place is not given again, even after the newest record went:
/// `store.last_place` knows what went, and costs no page of each commit, as AUTOINCREMENT would.
const FIRST: &str = "
CREATE TABLE store (
    last_place INTEGER NOT NULL,
    unwiped INTEGER NOT NULL
) STRICT;
INSERT INTO store VALUES (0, 0);
CREATE TABLE project (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    created INTEGER NOT NULL,
    deleted INTEGER,
    base_revision INTEGER NOT NULL DEFAULT 0,
    base_hash INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX project_name ON project (name) WHERE deleted IS NULL;
CREATE TABLE log (
    place INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    format INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    check_sum INTEGER NOT NULL,
    heading BLOB NOT NULL,
    body BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX log_revision ON log (project, revision);
CREATE TABLE snapshot (
    id INTEGER PRIMARY KEY,
    project INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    hash INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT;
CREATE UNIQUE INDEX snapshot_revision ON snapshot (project, revision);
CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    bytes BLOB NOT NULL
) STRICT;
CREATE TABLE kept (
    content INTEGER NOT NULL,
    project INTEGER NOT NULL,
    PRIMARY KEY (content, project)
) STRICT, WITHOUT ROWID;
";

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    /// Nothing yet.
    New,
    /// A store with this form.
    Store(u32),
    /// A database of another program.
    Other,
}

/// Looks what a file is; changes nothing.
pub(super) fn look(connection: &Connection) -> rusqlite::Result<Found> {
    // All of it is seen as of one moment: another process may be making the store.
    let alone = connection.is_autocommit();
    let _moment = alone
        .then(|| connection.unchecked_transaction())
        .transpose()?;
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(match (application, version, tables) {
        (0, 0, 0) => Found::New,
        (APPLICATION, version, _) => Found::Store(version as u32),
        (_, _, _) => Found::Other,
    })
}

/// The form of the file, if it is a store that this program can read.
pub(super) fn known(found: Found, place: &str) -> Result<u32, StoreError> {
    match found {
        Found::New => Ok(0),
        Found::Store(version) if version <= FORMAT => Ok(version),
        Found::Store(version) => Err(newer(place, version)),
        Found::Other => Err(StoreError::NoStore(place.to_owned())),
    }
}

/// A file that was written by a later version.
pub(super) fn newer(place: &str, found: u32) -> StoreError {
    StoreError::Newer {
        place: place.to_owned(),
        found,
        known: FORMAT,
    }
}

/// Gives a file the form that is written, in one step; several processes may do so at the same time.
pub(super) fn prepare(connection: &mut Connection, place: &str) -> Result<(), Failed> {
    let version = known(look(connection)?, place)?;
    // Only now that it is known to be ours or empty; others' files stay as they are.
    let mode = "PRAGMA journal_mode = WAL";
    let mode: String = connection.query_row(mode, [], |row| row.get(0))?;
    if mode != "wal" {
        let message = format!("it cannot be shared by processes there: its journal is '{mode}'");
        let place = place.to_owned();
        return Err(StoreError::Io { place, message }.into());
    }
    if version < FORMAT {
        migrate(connection, place, &STEPS)?;
    }
    Ok(())
}

fn migrate(connection: &mut Connection, place: &str, steps: &[&str]) -> Result<(), Failed> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been faster.
    let version = match look(&transaction)? {
        Found::Store(version) if version as usize > steps.len() => {
            return Err(newer(place, version).into());
        }
        Found::Store(version) => version,
        found @ (Found::New | Found::Other) => known(found, place)?,
    };
    for step in &steps[version as usize..] {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", steps.len() as u32)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    #[test]
    fn a_step_more_is_done_once_and_keeps_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
        fs::copy(fixtures.join("store-1.db"), &path).unwrap();
        let mut connection = Connection::open(&path).unwrap();
        let steps = [FIRST, "ALTER TABLE project ADD COLUMN colour TEXT"];
        for _ in 0..2 {
            migrate(&mut connection, "here", &steps).unwrap();
            assert_eq!(look(&connection).unwrap(), Found::Store(2));
        }
        let count = "SELECT count(*) FROM project WHERE colour IS NULL";
        let count: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
        assert!(count > 0);
        let refused = prepare(&mut connection, "here");
        assert!(matches!(
            refused,
            Err(Failed::Refused(StoreError::Newer {
                found: 2,
                known: 1,
                ..
            }))
        ));
    }

    #[test]
    fn a_step_that_fails_leaves_the_form_as_it_was() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, "here", &STEPS).unwrap();
        let steps = [FIRST, "CREATE TABLE more (a); CREATE TABLE more (b)"];
        assert!(migrate(&mut connection, "here", &steps).is_err());
        assert_eq!(look(&connection).unwrap(), Found::Store(1));
        assert!(connection.prepare("SELECT a FROM more").is_err());
    }
}
