//! Location of the store, from options and the environment.

use std::ffi::OsString;
use std::fmt;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use directories::ProjectDirs;
use fibula_service::{Options, Refusal, Service};
use fibula_store::{Memory, Sqlite, Store, StoreError, sqlite};

use super::output::{Failure, warn, with_commands};

/// Name of the file in a folder.
pub(super) const FILE: &str = "fibula.db";
/// Value of `--data` for a store in memory.
const MEMORY: &str = ":memory:";

/// Where projects are kept.
#[derive(Debug, Clone, Args)]
pub(super) struct Data {
    /// Where projects are kept: a file, or a folder in which fibula.db lies; :memory: keeps nothing. Left out, it is
    /// the folder that the platform has for programs' data.
    #[arg(
        long,
        value_name = "PATH",
        env = "FIBULA_DATA",
        global = true,
        help_heading = "Data"
    )]
    data: Option<OsString>,
    /// When a change counts as done.
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        global = true,
        help_heading = "Data"
    )]
    durability: Durability,
}

/// When a change counts as done.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
pub(super) enum Durability {
    /// When it is durable across a power failure.
    #[default]
    Full,
    /// When it survives the end of the process; a power failure may lose the last moments.
    Normal,
}

/// Access of a command to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreAccess {
    /// Creates it if it does not exist.
    Make,
    /// Changes an existing one.
    Change,
    /// Reads an existing one, and changes nothing at all.
    Read,
}

/// Location of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum StoreLocation {
    /// Memory: projects end with the process.
    Memory,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for StoreLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreLocation::Memory => f.write_str("memory, and are lost when this process ends"),
            StoreLocation::File(path) => path.display().fmt(f),
        }
    }
}

/// An open store.
#[derive(Debug)]
pub(super) enum OpenStore {
    Memory(Arc<Memory>),
    File(Arc<Sqlite>),
}

impl OpenStore {
    pub(super) fn store(&self) -> Arc<dyn Store> {
        match self {
            OpenStore::Memory(store) => store.clone(),
            OpenStore::File(store) => store.clone(),
        }
    }

    /// Returns the problems of the store's file itself.
    pub(super) fn integrity(&self) -> Result<Vec<String>, StoreError> {
        match self {
            OpenStore::Memory(_) => Ok(Vec::new()),
            OpenStore::File(store) => store.integrity(),
        }
    }
}

impl Data {
    /// Returns the location of the store.
    pub(super) fn place(&self) -> Result<StoreLocation, Failure> {
        let given = self.data.as_ref().filter(|given| !given.is_empty());
        let Some(given) = given else {
            return Ok(StoreLocation::File(default_folder()?.join(FILE)));
        };
        if given == MEMORY {
            return Ok(StoreLocation::Memory);
        }
        let text = given.to_string_lossy();
        if text.starts_with("postgres:") || text.starts_with("postgresql:") {
            let message = "PostgreSQL is not supported";
            return Err(Refusal::new("not_a_store", message)
                .hint("give a file or a folder with --data")
                .into());
        }
        let path = Path::new(given);
        let is_folder = path.is_dir() || text.ends_with(std::path::is_separator);
        Ok(StoreLocation::File(if is_folder {
            path.join(FILE)
        } else {
            path.to_path_buf()
        }))
    }

    /// Opens the store.
    pub(super) fn open(&self, access: StoreAccess) -> Result<OpenStore, Failure> {
        self.open_with(access, false)
    }

    /// Opens a damaged store to read what it still has.
    pub(super) fn open_damaged(&self) -> Result<OpenStore, Failure> {
        self.open_with(StoreAccess::Read, true)
    }

    fn open_with(&self, access: StoreAccess, salvage: bool) -> Result<OpenStore, Failure> {
        let path = match self.place()? {
            StoreLocation::Memory => return Ok(OpenStore::Memory(Arc::default())),
            StoreLocation::File(path) => path,
        };
        let is_there = path.try_exists().or_else(|error| match error.kind() {
            ErrorKind::PermissionDenied => Err(StoreError::Denied(path.display().to_string())),
            _ => Ok(false),
        });
        if access != StoreAccess::Make && !is_there.map_err(Refusal::from)? {
            let message = format!("there is no store at {}", path.display());
            return Err(Refusal::new("not_a_store", message)
                .hint(
                    "`fibula serve`, `mcp` and `import` create one; --data selects another location",
                )
                .into());
        }
        let options = sqlite::Options {
            durability: match self.durability {
                Durability::Full => sqlite::Durability::Full,
                Durability::Normal => sqlite::Durability::Normal,
            },
            read_only: access == StoreAccess::Read,
            salvage,
            ..sqlite::Options::default()
        };
        let store = Sqlite::open(&path, &options).map_err(Refusal::from)?;
        Ok(OpenStore::File(Arc::new(store)))
    }

    /// Opens the store and creates a service on it.
    pub(super) fn service(&self, access: StoreAccess) -> Result<Service, Failure> {
        let store = self.open(access)?.store();
        Ok(Service::with_store(store, &Options::default()))
    }

    /// Opens the store to read a project. Warns on standard error if the project is damaged.
    pub(super) fn reader(&self, project: Option<&str>) -> Result<Service, Failure> {
        let service = self.service(StoreAccess::Read)?;
        if let Some(found) = service.damage(project)? {
            warn(&[with_commands(&format!("warning: {found}"))]);
        }
        Ok(service)
    }

    /// Returns these options, with a store beside a file if they name none.
    pub(super) fn or_beside(&self, file: &Path) -> Data {
        let mut data = self.clone();
        if data.data.as_ref().is_none_or(|given| given.is_empty()) {
            let mut beside = file.as_os_str().to_owned();
            beside.push(".fibula");
            data.data = Some(beside);
        }
        data
    }

    /// Returns the option for another command on the same store.
    pub(super) fn as_option(&self) -> String {
        let given = self.data.as_ref().filter(|given| !given.is_empty());
        given.map_or_else(String::new, |given| {
            format!(" --data {}", quoted(&given.to_string_lossy()))
        })
    }
}

/// Quotes a word for a shell.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Location of the store that commands use without `--data`: `FIBULA_DATA`, or in the platform's folder for the data of
/// programs.
///
/// # Errors
/// A [`Refusal`] if the user has no home folder.
pub fn default_store() -> Result<PathBuf, Refusal> {
    match std::env::var_os("FIBULA_DATA").filter(|given| !given.is_empty()) {
        Some(given) => Ok(given.into()),
        None => Ok(default_folder()?.join(FILE)),
    }
}

fn default_folder() -> Result<PathBuf, Refusal> {
    let folders = ProjectDirs::from("", "", "fibula");
    let folders = folders.ok_or_else(|| {
        Refusal::new(
            "not_a_store",
            "this user has no home folder for the projects",
        )
        .hint("give a file or a folder with --data")
    })?;
    Ok(folders.data_local_dir().to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_files() {
        let folder = tempfile::tempdir().unwrap();
        let check = |given: &Path, expected: StoreLocation| {
            let data = Data {
                data: Some(given.into()),
                durability: Durability::Full,
            };
            assert_eq!(data.place().unwrap(), expected, "{}", given.display());
        };
        check(Path::new(":memory:"), StoreLocation::Memory);
        let file = StoreLocation::File(folder.path().join("fibula.db"));
        check(folder.path(), file);
        let file = folder.path().join("parts");
        check(&file, StoreLocation::File(file.clone()));
        let file = StoreLocation::File(folder.path().join("new/fibula.db"));
        check(&folder.path().join("new/"), file);
        let none = Data {
            data: Some(OsString::new()),
            durability: Durability::Full,
        };
        let StoreLocation::File(path) = none.place().unwrap() else {
            panic!("it is kept somewhere");
        };
        assert!(
            path.ends_with("fibula/fibula.db") || cfg!(not(target_os = "linux")),
            "{path:?}"
        );
        let team = Data {
            data: Some("postgres://localhost/parts".into()),
            durability: Durability::Full,
        };
        assert!(team.place().is_err());
    }

    #[test]
    fn words_are_quoted_as_shells_take_them() {
        for (word, expected) in [
            ("bracket", "bracket"),
            ("Größe-5", "Größe-5"),
            ("my part", "'my part'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
