//! Connections to a store's file: for its writer, and a few for its readers.

use std::fmt::Write as _;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::fault::{self, Failed};
use super::schema;
use super::{Durability, Options, place};
use crate::StoreError;

/// How many connections wait for readers; more than that are made when they are needed, and closed again.
const POOLED: usize = 4;
/// How many statements each connection keeps ready.
const STATEMENTS: usize = 48;

/// A store's file, and how it is used.
#[derive(Debug)]
pub(super) struct Site {
    /// Where it is.
    pub(super) path: PathBuf,
    /// How it is used.
    pub(super) options: Options,
}

/// How long a connection waits for others, in microseconds; it may be changed while it is used.
pub(super) type Patience = Arc<AtomicU64>;

impl Site {
    /// What the user knows it by.
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// How long others are waited for.
    pub(super) fn patience(&self) -> Patience {
        Arc::new(AtomicU64::new(micros(self.options.busy)))
    }

    fn connect(&self, flags: OpenFlags, patience: Patience) -> rusqlite::Result<Connection> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&self.path, flags)?;
        connection.busy_handler(Some(waiting(patience)))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // Nothing that somebody put into the file is run.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.execute_batch("PRAGMA cell_size_check = ON")?;
        Ok(connection)
    }

    /// A connection that may write; it makes a store of an empty file.
    pub(super) fn writer(&self, patience: Patience) -> Result<Connection, Failed> {
        let deadline = Instant::now() + self.options.busy;
        let mut connection = self.connect(OpenFlags::SQLITE_OPEN_READ_WRITE, patience)?;
        if connection.is_readonly("main")? {
            return Err(StoreError::ReadOnly(self.name()).into());
        }
        // A change of the journal does not wait for others by itself.
        while let Err(failed) = schema::prepare(&mut connection, &self.name()) {
            if !failed.is_busy() || Instant::now() >= deadline {
                return Err(failed);
            }
            thread::sleep(Duration::from_millis(1));
        }
        // Checkpoints are made when nobody waits for them; a log that had to grow is cut back.
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

    /// A connection that only reads.
    pub(super) fn reader(&self) -> Result<Reader, Failed> {
        if !self.options.read_only {
            // It may have to repair what a process left that was killed.
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
            let connection = self.connect(flags, self.patience())?;
            connection.execute_batch("PRAGMA query_only = ON")?;
            let frozen = false;
            return Ok(Reader { connection, frozen });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let opened = self.connect(flags, self.patience()).and_then(tried);
        match opened {
            Ok(connection) => Ok(Reader {
                connection,
                frozen: false,
            }),
            // Where no file may be made, SQLite cannot follow other processes. There is none if there is no log.
            Err(error) if !fault::is_busy(&error) && place::is_settled(&self.path) => {
                let site = Site {
                    path: frozen(&self.path),
                    options: self.options,
                };
                let flags = flags | OpenFlags::SQLITE_OPEN_URI;
                // What was wrong before is more to the point.
                let opened = site.connect(flags, self.patience()).and_then(tried);
                let connection = opened.map_err(|_| error)?;
                let frozen = true;
                Ok(Reader { connection, frozen })
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// A connection that only reads.
#[derive(Debug)]
pub(super) struct Reader {
    /// The connection.
    pub(super) connection: Connection,
    /// Whether it does not see what others write from now on.
    pub(super) frozen: bool,
}

/// The connection, if the file can be read with it.
fn tried(connection: Connection) -> rusqlite::Result<Connection> {
    schema::look(&connection)?;
    Ok(connection)
}

/// The name under which SQLite takes a file for one that nobody changes.
fn frozen(path: &Path) -> PathBuf {
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

/// Waits for others in short steps that are a little random, so that two that wait do not meet again and again.
fn waiting(patience: Patience) -> impl FnMut(i32) -> bool {
    const SHORTEST: u64 = 50;
    const LONGEST: u64 = 3000;
    let mut seed = RandomState::new().hash_one(thread::current().id()) | 1;
    let mut since = Instant::now();
    move |count| {
        if count == 0 {
            since = Instant::now();
        }
        if micros(since.elapsed()) >= patience.load(Ordering::Relaxed) {
            return false;
        }
        // Marsaglia, Xorshift RNGs, 2003.
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        // Steps of 50 to 300 us, ten times longer after forty of them.
        let most = (300 + 68 * count.clamp(0, 40) as u64).min(LONGEST);
        thread::sleep(Duration::from_micros(SHORTEST + seed % (most - SHORTEST)));
        true
    }
}

/// The connections of readers.
#[derive(Debug)]
pub(super) struct Pool {
    site: Arc<Site>,
    waiting: Mutex<Vec<Reader>>,
}

impl Pool {
    pub(super) fn new(site: Arc<Site>) -> Self {
        Pool {
            site,
            waiting: Mutex::default(),
        }
    }

    /// Reads with one of them. One that failed is not used again.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, Failed>,
    ) -> Result<T, StoreError> {
        let waiting = || self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let pooled = waiting().pop();
        let outcome = pooled
            .map_or_else(|| self.site.reader(), Ok)
            .map(|reader| (read(&reader.connection), reader));
        let (outcome, reader) = outcome.map_err(|failed| failed.said(&self.site.path))?;
        match outcome {
            Err(Failed::Broken(error)) => Err(fault::said(&self.site.path, &error)),
            outcome => {
                let mut waiting = waiting();
                if waiting.len() < POOLED && !reader.frozen {
                    waiting.push(reader);
                }
                outcome.map_err(|failed| failed.said(&self.site.path))
            }
        }
    }

    /// Closes those that wait.
    pub(super) fn clear(&self) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.clear();
    }
}
