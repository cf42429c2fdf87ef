//! What SQLite says when something fails, in the words of stores.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::Path;

use rusqlite::{ErrorCode, ffi};

use super::place;
use crate::{Damage, StoreError};

/// Why something was not done.
#[derive(Debug)]
pub(super) enum Failed {
    /// The store says no; the file is fine.
    Refused(StoreError),
    /// SQLite, or the system under it, failed.
    Broken(rusqlite::Error),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Failed::Refused(error)
    }
}

impl From<rusqlite::Error> for Failed {
    fn from(error: rusqlite::Error) -> Self {
        Failed::Broken(error)
    }
}

impl Failed {
    /// Whether others hold what is needed.
    pub(super) fn is_busy(&self) -> bool {
        matches!(self, Failed::Broken(error) if is_busy(error))
    }

    /// In the words of stores.
    pub(super) fn said(self, path: &Path) -> StoreError {
        match self {
            Failed::Refused(error) => error,
            Failed::Broken(error) => said(path, &error),
        }
    }
}

/// Whether others hold what is needed.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// What SQLite said, in the words of stores.
pub(super) fn said(path: &Path, error: &rusqlite::Error) -> StoreError {
    let (place, message) = (path.display().to_string(), error.to_string());
    let Some(failure) = error.sqlite_error() else {
        // A value is not what was put in its place.
        return Damage::File { place, message }.into();
    };
    match failure.extended_code {
        ffi::SQLITE_IOERR_SHORT_READ | ffi::SQLITE_IOERR_CORRUPTFS | ffi::SQLITE_IOERR_DATA => {
            return Damage::File { place, message }.into();
        }
        // SQLite does not know of quotas and of limits of a file's size.
        ffi::SQLITE_IOERR_WRITE
        | ffi::SQLITE_IOERR_FSYNC
        | ffi::SQLITE_IOERR_SHMSIZE
        | ffi::SQLITE_IOERR_TRUNCATE
            if no_room(path) =>
        {
            return StoreError::Full(place);
        }
        // The file is not where it was.
        ffi::SQLITE_READONLY_DBMOVED => return StoreError::Io { place, message },
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

/// Whether the system refuses to let files there grow: tried out.
fn no_room(path: &Path) -> bool {
    static PAGES: [u8; 1 << 16] = [0x55; 1 << 16];
    let long = [path.to_owned(), place::wal(path)]
        .iter()
        .filter_map(|path| fs::metadata(path).ok())
        .map(|found| found.len())
        .max();
    let trial = place::beside(path, "trial");
    let tried = (|| {
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&trial)?;
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

/// What the system said, in the words of stores.
pub(super) fn system(path: &Path, error: &std::io::Error) -> StoreError {
    let place = path.display().to_string();
    match error.kind() {
        kind if is_full(kind) => StoreError::Full(place),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly(place),
        _ => StoreError::Io {
            place,
            message: error.to_string(),
        },
    }
}
