//! Atomic replacement of a file: a temporary file beside it, renamed once it is complete.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::refusal::{Refusal, Result, quoted};

/// Bytes of the write buffer.
const BUFFER: usize = 1 << 20;

/// A file that appears under its name only when it is complete.
#[derive(Debug)]
pub struct AtomicFile {
    file: BufWriter<File>,
    /// The temporary file; `None` if the target is not a regular file, such as a pipe, which is written directly.
    part: Option<TempPath>,
    path: PathBuf,
    overwrite: bool,
}

impl AtomicFile {
    /// Starts a file. An existing file is replaced only with `overwrite`, and only by [`finish`](Self::finish).
    ///
    /// # Errors
    /// `unwritable_file` if the file exists, or the folder is missing or not writable.
    pub fn create(path: &Path, overwrite: bool) -> Result<Self> {
        let unwritable = |error: &io::Error| {
            Refusal::new("unwritable_file", unwritten(path, error))
                .hint("the folder must exist and be writable")
        };
        check_name(path)?;
        let there = path.symlink_metadata().is_ok();
        if path.is_dir() {
            return Err(unwritable(&io::ErrorKind::IsADirectory.into()));
        }
        if there && !path.is_file() {
            let file = File::options().write(true).open(path);
            let file = file.map_err(|error| unwritable(&error))?;
            return Ok(AtomicFile {
                file: BufWriter::with_capacity(BUFFER, file),
                part: None,
                path: path.to_path_buf(),
                overwrite,
            });
        }
        if there && !overwrite {
            return Err(AtomicFile::already_exists(path)
                .hint("--overwrite replaces it; or use another name"));
        }
        let name = path
            .file_name()
            .ok_or_else(|| unwritable(&io::ErrorKind::IsADirectory.into()))?;
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        let name = format!(".{}.", name.to_string_lossy());
        let mut part = tempfile::Builder::new();
        part.prefix(&name).suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // The same permissions as any new file: what the umask leaves.
            part.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let part = part.tempfile_in(folder);
        let (file, part) = part.map_err(|error| unwritable(&error))?.into_parts();
        Ok(AtomicFile {
            file: BufWriter::with_capacity(BUFFER, file),
            part: Some(part),
            path: path.to_path_buf(),
            overwrite,
        })
    }

    /// Starts a file where none exists; the refusal does not mention overwriting.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub fn create_new(path: &Path) -> Result<Self> {
        if path.is_file() {
            return Err(AtomicFile::already_exists(path));
        }
        AtomicFile::create(path, false)
    }

    /// Returns the refusal to overwrite a file.
    pub fn already_exists(path: &Path) -> Refusal {
        let message = format!("{} exists already", path.display());
        Refusal::new("unwritable_file", message).hint(
            "existing files are not overwritten; use \
            another name",
        )
    }

    /// Flushes, syncs and renames the file.
    ///
    /// # Errors
    /// `unwritable_file` if the disk is full, the folder is gone, or a file appeared meanwhile that must not be
    /// overwritten.
    pub fn finish(mut self) -> Result<()> {
        self.place().map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return AtomicFile::already_exists(&self.path);
            }
            Refusal::new("unwritable_file", unwritten(&self.path, &error))
        })
    }

    fn place(&mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some(part) = self.part.take() {
            self.file.get_ref().sync_all()?;
            if self.overwrite {
                part.persist(&self.path)?;
            } else {
                part.persist_noclobber(&self.path)?;
            }
        }
        Ok(())
    }
}

fn unwritten(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}", path.display())
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Refuses the path of a folder that does not exist, and names that no list of files shows as they are.
pub(super) fn check_name(path: &Path) -> Result<()> {
    let text = path.to_string_lossy();
    let problem = if text.ends_with(std::path::is_separator) {
        "ends in a separator, so it names a folder"
    } else if text.contains(char::is_control) {
        "contains a line break or another control character"
    } else {
        return Ok(());
    };
    let message = format!("{} {problem}", quoted(&text));
    Err(Refusal::new("unwritable_file", message).hint("pass the path of a file"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn file_appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values.csv");
        let mut broken_off = AtomicFile::create(&path, false).unwrap();
        broken_off.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(broken_off);
        assert!(names(folder.path()).is_empty());
        let mut whole = AtomicFile::create(&path, false).unwrap();
        whole.write_all(b"whole").unwrap();
        whole.finish().unwrap();
        assert_eq!(names(folder.path()), ["values.csv"]);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(AtomicFile::create(&path, false).is_err(), "it is there");
        let mut other = AtomicFile::create(&path, true).unwrap();
        other.write_all(b"other").unwrap();
        assert_eq!(
            fs::read(&path).unwrap(),
            b"whole",
            "the old one stays until then"
        );
        other.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert!(
            AtomicFile::create(folder.path(), true).is_err(),
            "a folder is no file"
        );
        assert!(AtomicFile::create(&folder.path().join("no/values.csv"), true).is_err());
    }

    #[test]
    fn concurrent_writers_do_not_interfere() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.stl");
        let mut first = AtomicFile::create(&path, false).unwrap();
        let mut second = AtomicFile::create(&path, false).unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        drop(AtomicFile::create(&path, false).unwrap());
        first.finish().unwrap();
        let taken = second.finish().unwrap_err();
        assert!(taken.message.ends_with("exists already"), "{taken:?}");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["part.stl"]);
    }

    #[test]
    fn names_are_those_of_files() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["part.stl/", "part\n.stl", "part.stl\0", "folder/"] {
            let refused = AtomicFile::create(&folder.path().join(name), true).unwrap_err();
            assert_eq!(refused.code, "unwritable_file", "{name:?}: {refused:?}");
        }
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_follow_the_umask() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let usual = folder.path().join("usual");
        fs::write(&usual, "").unwrap();
        let whole = folder.path().join("whole");
        AtomicFile::create(&whole, false).unwrap().finish().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&whole), mode(&usual));
    }
}
