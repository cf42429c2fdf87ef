//! Database connections: one for the writer, and a pool for readers.

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::error::{self, SqliteError};
use super::schema;
use super::{Durability, Options, filesystem};
use crate::StoreError;

/// Maximum number of idle connections in the pool; further ones are opened on demand and closed after use.
const POOLED: usize = 4;
/// Number of prepared statements cached per connection.
const STATEMENTS: usize = 48;

/// Path and options of a store's file.
#[derive(Debug)]
pub(super) struct DatabaseFile {
    /// Resolved path.
    pub(super) path: PathBuf,
    /// Options with which it was opened.
    pub(super) options: Options,
}

/// Timeout of a connection's busy handler in microseconds; it can be changed while the connection is in use.
pub(super) type BusyTimeout = Arc<AtomicU64>;

impl DatabaseFile {
    /// Path for messages.
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Creates a busy timeout with the configured value.
    pub(super) fn busy_timeout(&self) -> BusyTimeout {
        Arc::new(AtomicU64::new(micros(self.options.busy)))
    }

    fn connect(&self, flags: OpenFlags, busy_timeout: BusyTimeout) -> rusqlite::Result<Connection> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_handler(Some(busy_handler(busy_timeout)))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // Prevents triggers and views of a crafted file from running code.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        if self.options.salvage {
            // Reads truncated files, too.
            connection.execute_batch("PRAGMA writable_schema = ON")?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        } else {
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            connection.execute_batch("PRAGMA cell_size_check = ON")?;
        }
        Ok(connection)
    }

    /// Opens a read-write connection; creates the schema in an empty file.
    pub(super) fn writer(&self, busy_timeout: BusyTimeout) -> Result<Connection, SqliteError> {
        let deadline = Instant::now() + self.options.busy;
        let mut connection = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE, busy_timeout)?;
        if connection.is_readonly("main")? {
            return Err(StoreError::ReadOnly(self.name()).into());
        }
        // SQLite does not call the busy handler when the journal mode changes.
        while let Err(failed) = schema::prepare(&mut connection, &self.name()) {
            if !failed.is_busy() || Instant::now() >= deadline {
                return Err(failed);
            }
            thread::sleep(Duration::from_millis(1));
        }
        schema::substitute_heads(&connection)?;
        // Checkpoints run after commits; the size limit truncates a write-ahead log that had to grow.
        connection.execute_batch(
            "PRAGMA wal_autocheckpoint = 0;
             PRAGMA journal_size_limit = 67108864;
             PRAGMA fullfsync = ON;
             PRAGMA checkpoint_fullfsync = ON;",
        )?;
        connection.execute_batch(match self.options.durability {
            Durability::Full => "PRAGMA synchronous = FULL",
            Durability::Normal => "PRAGMA synchronous = NORMAL",
        })?;
        Ok(connection)
    }

    /// Opens a read-only connection.
    pub(super) fn reader(&self) -> Result<Reader, SqliteError> {
        if !self.options.read_only {
            // Read-write, since it may have to recover the write-ahead log of a killed process.
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
            let connection = self.connect(flags, self.busy_timeout())?;
            schema::substitute_heads(&connection)?;
            connection.execute_batch("PRAGMA query_only = ON")?;
            return Ok(Reader::new(connection, false));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let opened = self.connect(flags, self.busy_timeout()).and_then(test_read);
        match opened {
            Ok(connection) => Ok(Reader::new(connection, false)),
            // Without permission to create the shared-memory file, SQLite cannot detect other writers. Without a
            // write-ahead log there are none, so the file can be opened as immutable.
            Err(error) if !error::is_busy(&error) && filesystem::is_checkpointed(&self.path) => {
                let file = DatabaseFile {
                    path: immutable_uri(&self.path),
                    options: self.options,
                };
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                // The first error is the more informative one.
                let opened = file.connect(flags, self.busy_timeout()).and_then(test_read);
                Ok(Reader::new(opened.map_err(|_| error)?, true))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A read-only connection.
#[derive(Debug)]
pub(super) struct Reader {
    /// The connection.
    pub(super) connection: Connection,
    /// True if the file was opened as immutable, so that later writes of others are not visible.
    pub(super) immutable: bool,
}

impl Reader {
    fn new(connection: Connection, immutable: bool) -> Self {
        Reader {
            connection,
            immutable,
        }
    }
}

/// Returns the connection if it can read the file.
fn test_read(connection: Connection) -> rusqlite::Result<Connection> {
    schema::inspect(&connection)?;
    schema::substitute_heads(&connection)?;
    Ok(connection)
}

/// Returns the URI that opens a file as immutable.
fn immutable_uri(path: &Path) -> PathBuf {
    let mut uri = "file://".to_owned();
    if !path.has_root() || cfg!(windows) {
        uri.push('/');
    }
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
                uri.push(char::from(*byte));
            }
            byte => {
                let _ = write!(uri, "%{byte:02x}");
            }
        }
    }
    uri.push_str("?immutable=1");
    uri.into()
}

pub(super) fn micros(time: Duration) -> u64 {
    time.as_micros().try_into().unwrap_or(u64::MAX)
}

/// Busy handler: sleeps for short random times, so that two waiting processes do not collide repeatedly.
fn busy_handler(busy_timeout: BusyTimeout) -> impl FnMut(i32) -> bool {
    const SHORTEST: u64 = 50;
    const LONGEST: u64 = 3000;
    let mut seed = RandomState::new().hash_one(thread::current().id()) | 1;
    let mut since = Instant::now();
    move |count| {
        if count == 0 {
            since = Instant::now();
        }
        if micros(since.elapsed()) >= busy_timeout.load(Ordering::Relaxed) {
            return false;
        }
        // Xorshift: Marsaglia, Xorshift RNGs, 2003.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        // Sleeps 50 to 300 us at first, ten times as long after 40 calls.
        let most = (300 + 68 * count.clamp(0, 40) as u64).min(LONGEST);
        thread::sleep(Duration::from_micros(SHORTEST + seed % (most - SHORTEST)));
        true
    }
}

/// Connection pool of readers.
#[derive(Debug)]
pub(super) struct Pool {
    file: Arc<DatabaseFile>,
    waiting: Mutex<Vec<Reader>>,
}

impl Pool {
    pub(super) fn new(file: Arc<DatabaseFile>) -> Self {
        Pool {
            file,
            waiting: Mutex::default(),
        }
    }

    /// Runs a query on a pooled connection. Connections that fail are closed.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, SqliteError>,
    ) -> Result<T, StoreError> {
        let failed = |failed: SqliteError| failed.into_store_error(&self.file.path);
        let pooled = self.waiting().pop();
        let reader = pooled.map_or_else(|| self.file.reader(), Ok);
        let reader = reader.map_err(failed)?;
        let outcome = read(&reader.connection);
        if !matches!(outcome, Err(SqliteError::Database(_))) {
            let mut waiting = self.waiting();
            if waiting.len() < POOLED && !reader.immutable {
                waiting.push(reader);
            }
        }
        outcome.map_err(failed)
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Reader>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes all idle connections.
    pub(super) fn clear(&self) {
        self.waiting().clear();
    }
}
