//! Mapping of SQLite and I/O errors to [`StoreError`].

use std::fs::{self, File};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use super::filesystem;
use crate::{Damage, StoreError};

/// Error of a database operation.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum SqliteError {
    /// The operation is rejected; the database works.
    Rejected(#[from] StoreError),
    /// SQLite or the operating system failed.
    Database(#[from] rusqlite::Error),
}

impl SqliteError {
    /// True if another connection holds a needed lock.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self, SqliteError::Database(error) if is_busy(error))
    }

    /// Converts to the error of a store at `path`.
    pub(super) fn into_store_error(self, path: &Path) -> StoreError {
        match self {
            SqliteError::Rejected(error) => error,
            SqliteError::Database(error) => from_sqlite(path, &error),
        }
    }
}

/// True if another connection holds a needed lock.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// True if a file could not be written.
pub(super) fn is_write_failure(error: &rusqlite::Error) -> bool {
    let Some(failure) = error.sqlite_error() else {
        return false;
    };
    let code = failure.extended_code;
    matches!(failure.code, ErrorCode::DiskFull | ErrorCode::ReadOnly)
        || matches!(
            code,
            ffi::SQLITE_IOERR_WRITE
                | ffi::SQLITE_IOERR_FSYNC
                | ffi::SQLITE_IOERR_TRUNCATE
                | ffi::SQLITE_IOERR_SHMSIZE
                | ffi::SQLITE_IOERR_SHMOPEN
                | ffi::SQLITE_IOERR_SHMMAP
        )
}

/// Maps a SQLite error.
pub(super) fn from_sqlite(path: &Path, error: &rusqlite::Error) -> StoreError {
    from_sqlite_at(path, path, error)
}

/// Maps a SQLite error about a file that messages give another path.
pub(super) fn from_sqlite_at(path: &Path, place: &Path, error: &rusqlite::Error) -> StoreError {
    let (place, message) = (place.display().to_string(), error.to_string());
    let Some(failure) = error.sqlite_error() else {
        // A column has a value of an unexpected type or range.
        return Damage::File { place, message }.into();
    };
    match failure.extended_code {
        // Statements are constant: one that does not compile means that the schema is damaged.
        ffi::SQLITE_IOERR_SHORT_READ
        | ffi::SQLITE_IOERR_CORRUPTFS
        | ffi::SQLITE_IOERR_DATA
        | ffi::SQLITE_ERROR => {
            return Damage::File { place, message }.into();
        }
        // SQLite does not distinguish exhausted quotas and file size limits from other I/O errors.
        ffi::SQLITE_IOERR_WRITE
        | ffi::SQLITE_IOERR_FSYNC
        | ffi::SQLITE_IOERR_SHMSIZE
        | ffi::SQLITE_IOERR_TRUNCATE
            if no_room(path) =>
        {
            return StoreError::Full(place);
        }
        ffi::SQLITE_READONLY_DBMOVED => return StoreError::Moved(place),
        ffi::SQLITE_READONLY_ROLLBACK => {
            let message = "its first write was interrupted, as by a power failure; opening it for writing rolls it \
                           back"
                .to_owned();
            return StoreError::Io { place, message };
        }
        _ => {}
    }
    match failure.code {
        ErrorCode::DiskFull => StoreError::Full(place),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreError::ReadOnly(place),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy(place),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Damage::File { place, message }.into()
        }
        _ => StoreError::Io { place, message },
    }
}

/// Tests whether files in that folder can grow, by writing to a temporary file.
fn no_room(path: &Path) -> bool {
    static PAGES: [u8; 1 << 16] = [0x55; 1 << 16];
    let long = [path.to_owned(), filesystem::wal(path)]
        .iter()
        .filter_map(|path| fs::metadata(path).ok())
        .map(|found| found.len())
        .max();
    let trial = filesystem::beside(path, "trial");
    let tried = (|| {
        let mut file = File::create_new(&trial)?;
        file.seek(SeekFrom::Start(long.unwrap_or(0)))?;
        file.write_all(&PAGES)?;
        file.sync_all()
    })();
    let _ = fs::remove_file(&trial);
    tried.is_err_and(|error| is_full(error.kind()))
}

fn is_full(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// Maps an I/O error.
pub(super) fn from_io(path: &Path, error: &std::io::Error) -> StoreError {
    let place = path.display().to_string();
    match error.kind() {
        kind if is_full(kind) => StoreError::Full(place),
        ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly(place),
        ErrorKind::PermissionDenied => StoreError::Denied(place),
        _ => StoreError::Io {
            place,
            message: error.to_string(),
        },
    }
}
