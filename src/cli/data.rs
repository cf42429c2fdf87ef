//! Where projects are kept, as the command line says it.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueEnum};
use directories::ProjectDirs;
use fibula_service::{Options, Refusal, Service};
use fibula_store::{Memory, Sqlite, Store, StoreError, sqlite};

use super::output::Failure;

/// The file of a folder that is given.
const FILE: &str = "fibula.db";
/// What is given to keep nothing.
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
    /// When it outlasts a power cut.
    #[default]
    Full,
    /// When it outlasts the end of the program; a power cut may take the last moments.
    Normal,
}

/// What a command does with the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// It makes one if there is none.
    Make,
    /// It changes what is there.
    Change,
    /// It reads what is there, and changes nothing at all.
    Read,
}

/// A place for projects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Place {
    /// They end with the process.
    Memory,
    /// A file.
    File(PathBuf),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Memory => f.write_str("memory, and end with this process"),
            Place::File(path) => path.display().fmt(f),
        }
    }
}

/// A store that is open.
#[derive(Debug)]
pub(super) enum Opened {
    Memory(Arc<Memory>),
    File(Arc<Sqlite>),
}

impl Opened {
    pub(super) fn store(&self) -> Arc<dyn Store> {
        match self {
            Opened::Memory(store) => store.clone(),
            Opened::File(store) => store.clone(),
        }
    }

    /// What is wrong with the store's file itself.
    pub(super) fn integrity(&self) -> Result<Vec<String>, StoreError> {
        match self {
            Opened::Memory(_) => Ok(Vec::new()),
            Opened::File(store) => store.integrity(),
        }
    }
}

impl Data {
    /// Where projects are kept.
    pub(super) fn place(&self) -> Result<Place, Failure> {
        let given = self.data.as_ref().filter(|given| !given.is_empty());
        let Some(given) = given else {
            return default_folder().map(|folder| Place::File(folder.join(FILE)));
        };
        if given == MEMORY {
            return Ok(Place::Memory);
        }
        let text = given.to_string_lossy();
        if text.starts_with("postgres:") || text.starts_with("postgresql:") {
            let message = "projects cannot be kept in PostgreSQL yet";
            return Err(Refusal::new("not_a_store", message)
                .hint("give a file or a folder with --data")
                .into());
        }
        let path = Path::new(given);
        let is_folder = path.is_dir() || text.ends_with(std::path::is_separator);
        Ok(Place::File(if is_folder {
            path.join(FILE)
        } else {
            path.to_path_buf()
        }))
    }

    /// Opens the store.
    pub(super) fn open(&self, how: Use) -> Result<Opened, Failure> {
        let path = match self.place()? {
            Place::Memory => return Ok(Opened::Memory(Arc::default())),
            Place::File(path) => path,
        };
        if how != Use::Make && !path.exists() {
            let message = format!("nothing is kept in {} yet", path.display());
            return Err(Refusal::new("not_a_store", message)
                .hint(
                    "`fibula serve`, `mcp` and `import` begin a store; --data names another place",
                )
                .into());
        }
        let options = sqlite::Options {
            durability: match self.durability {
                Durability::Full => sqlite::Durability::Full,
                Durability::Normal => sqlite::Durability::Normal,
            },
            read_only: how == Use::Read,
            ..sqlite::Options::default()
        };
        let store = Sqlite::open(&path, &options).map_err(Refusal::from)?;
        Ok(Opened::File(Arc::new(store)))
    }

    /// A service on the store.
    pub(super) fn service(&self, how: Use) -> Result<Service, Failure> {
        let store = self.open(how)?.store();
        Ok(Service::with_store(store, &Options::default()))
    }

    /// This, or a store beside a file if no place is given.
    pub(super) fn or_beside(&self, file: &Path) -> Data {
        let mut data = self.clone();
        if data.data.as_ref().is_none_or(|given| given.is_empty()) {
            let mut beside = file.as_os_str().to_owned();
            beside.push(".fibula");
            data.data = Some(beside);
        }
        data
    }

    /// What has to be said again in a command that means the same store.
    pub(super) fn again(&self) -> String {
        let given = self.data.as_ref().filter(|given| !given.is_empty());
        given.map_or_else(String::new, |given| {
            format!(" --data {}", quoted(&given.to_string_lossy()))
        })
    }
}

/// A word as a shell takes it.
pub(super) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn default_folder() -> Result<PathBuf, Failure> {
    let folders = ProjectDirs::from("", "", "fibula");
    let folders = folders.ok_or_else(|| {
        Refusal::new(
            "not_a_store",
            "this user has no home folder to keep projects in",
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
        let check = |given: &Path, expected: Place| {
            let data = Data {
                data: Some(given.into()),
                durability: Durability::Full,
            };
            assert_eq!(data.place().unwrap(), expected, "{}", given.display());
        };
        check(Path::new(":memory:"), Place::Memory);
        check(folder.path(), Place::File(folder.path().join("fibula.db")));
        let file = folder.path().join("parts");
        check(&file, Place::File(file.clone()));
        check(
            &folder.path().join("new/"),
            Place::File(folder.path().join("new/fibula.db")),
        );
        let none = Data {
            data: Some(OsString::new()),
            durability: Durability::Full,
        };
        let Place::File(path) = none.place().unwrap() else {
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
