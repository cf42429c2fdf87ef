//! Database schema and migrations.
//!
//! The `application_id` identifies a file as a store, and its `user_version` is the version of the schema. Each migration
//! leads from one version to the next; released migrations never change.

use rusqlite::{Connection, TransactionBehavior};

use super::error::SqliteError;
use crate::StoreError;

/// The `application_id`: "Fibu".
pub(super) const APPLICATION: i32 = 0x4669_6275;
/// Current schema version.
pub(super) const FORMAT: u32 = STEPS.len() as u32;

/// Migrations, beginning with an empty file.
const STEPS: [&str; 1] = [FIRST];

/// Unsigned 64-bit numbers are stored as signed ones with the same bits. Bodies are the last column, since SQLite reads
/// the columns before a large value without its overflow pages. Positions are never reused: `store.last_place` records
/// the last position when records are removed, whereas AUTOINCREMENT would write another page in each commit.
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

/// The last revision of each log, apart from the log and its index: a log that lost entries through damage would
/// otherwise look older, or empty. It is no migration: a file without the table is valid, and earlier programs do not
/// write to it. So a log may end after its recorded end, but never before it.
const HEADS: &str = "
CREATE TABLE head (
    project INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL
) STRICT;
INSERT INTO head SELECT project, max(revision) FROM log GROUP BY project;
";

/// Kind of a database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// An empty file.
    Empty,
    /// A store with this schema version.
    Store(u32),
    /// A database of another program.
    Other,
}

/// Determines the kind of a file without changing it.
pub(super) fn inspect(connection: &Connection) -> rusqlite::Result<FileKind> {
    // One read transaction, since another process may be creating the store.
    let alone = connection.is_autocommit();
    let _moment = alone
        .then(|| connection.unchecked_transaction())
        .transpose()?;
    let number = |sql| connection.query_row(sql, [], |row| row.get::<_, i32>(0));
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    Ok(match (application, version, tables) {
        (0, 0, 0) => FileKind::Empty,
        (APPLICATION, version, _) => FileKind::Store(version as u32),
        (_, _, _) => FileKind::Other,
    })
}

/// Returns the schema version of a store if it is supported; 0 for an empty file.
pub(super) fn supported_format(found: FileKind, place: &str) -> Result<u32, StoreError> {
    match found {
        FileKind::Empty => Ok(0),
        FileKind::Store(version) if version <= FORMAT => Ok(version),
        FileKind::Store(version) => Err(newer(place, version)),
        FileKind::Other => Err(StoreError::NoStore(place.to_owned())),
    }
}

/// Error for a file with a later schema version.
pub(super) fn newer(place: &str, found: u32) -> StoreError {
    StoreError::Newer {
        place: place.to_owned(),
        found,
        known: FORMAT,
    }
}

/// Creates or migrates the schema atomically; safe if several processes do so concurrently.
pub(super) fn prepare(connection: &mut Connection, place: &str) -> Result<(), SqliteError> {
    let version = supported_format(inspect(connection)?, place)?;
    // Files of other programs were rejected above, and so remain unchanged.
    let mode = "PRAGMA journal_mode = WAL";
    let mode: String = connection.query_row(mode, [], |row| row.get(0))?;
    if mode != "wal" {
        let message = format!("processes cannot share it there: its journal mode is '{mode}'");
        let place = place.to_owned();
        return Err(StoreError::Io { place, message }.into());
    }
    if version < FORMAT {
        migrate(connection, place, &STEPS)?;
    }
    if !has_heads(connection)? {
        // A file that is damaged, or on a full disk, can still be read.
        let _ = add_heads(connection);
    }
    Ok(())
}

fn has_heads(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = 'head'";
    connection.query_row(sql, [], |row| row.get(0))
}

fn add_heads(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !has_heads(&transaction)? {
        transaction.execute_batch(HEADS)?;
    }
    transaction.commit()
}

/// Substitutes an empty temporary table for the recorded ends of logs in a file that lacks them.
pub(super) fn substitute_heads(connection: &Connection) -> rusqlite::Result<()> {
    if has_heads(connection)? {
        return Ok(());
    }
    let sql = "PRAGMA temp_store = MEMORY;
         CREATE TEMP TABLE head (project INTEGER PRIMARY KEY, revision INTEGER NOT NULL) STRICT;";
    connection.execute_batch(sql)
}

fn migrate(connection: &mut Connection, place: &str, steps: &[&str]) -> Result<(), SqliteError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have migrated it meanwhile.
    let version = match inspect(&transaction)? {
        FileKind::Store(version) if version as usize > steps.len() => {
            return Err(newer(place, version).into());
        }
        FileKind::Store(version) => version,
        found @ (FileKind::Empty | FileKind::Other) => supported_format(found, place)?,
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
    fn migrations_run_once_and_keep_data() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
        fs::copy(fixtures.join("store-1.db"), &path).unwrap();
        let mut connection = Connection::open(&path).unwrap();
        let steps = [FIRST, "ALTER TABLE project ADD COLUMN colour TEXT"];
        for _ in 0..2 {
            migrate(&mut connection, "here", &steps).unwrap();
            assert_eq!(inspect(&connection).unwrap(), FileKind::Store(2));
        }
        let count = "SELECT count(*) FROM project WHERE colour IS NULL";
        let count: i64 = connection.query_row(count, [], |row| row.get(0)).unwrap();
        assert!(count > 0);
        let refused = prepare(&mut connection, "here");
        assert!(matches!(
            refused,
            Err(SqliteError::Rejected(StoreError::Newer {
                found: 2,
                known: 1,
                ..
            }))
        ));
    }

    #[test]
    fn failed_migrations_are_rolled_back() {
        let mut connection = Connection::open_in_memory().unwrap();
        migrate(&mut connection, "here", &STEPS).unwrap();
        let steps = [FIRST, "CREATE TABLE more (a); CREATE TABLE more (b)"];
        assert!(migrate(&mut connection, "here", &steps).is_err());
        assert_eq!(inspect(&connection).unwrap(), FileKind::Store(1));
        assert!(connection.prepare("SELECT a FROM more").is_err());
    }
}
