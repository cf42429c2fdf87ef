//! A file that is there whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::refusal::Refusal;

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 20;

/// A file that is written beside the place where it will be, and moved there when it is whole.
#[derive(Debug)]
pub struct Whole {
    file: BufWriter<File>,
    /// Where it is while it is not whole; none if what is there is no file, such as a pipe.
    part: Option<PathBuf>,
    path: PathBuf,
}

impl Whole {
    /// Begins a file. What is there is overwritten only if that is wanted, and only when the new one is whole.
    ///
    /// # Errors
    /// `unwritable_file`: something is there, or the folder is not or may not be written.
    pub fn begin(path: &Path, overwrite: bool) -> Result<Self, Refusal> {
        let unwritable = |error: &io::Error| {
            Refusal::new("unwritable_file", unwritten(path, error))
                .hint("give a folder that is there and may be written")
        };
        let there = path.symlink_metadata().is_ok();
        if there && !path.is_file() && !path.is_dir() {
            let file = File::options().write(true).open(path);
            let file = file.map_err(|error| unwritable(&error))?;
            return Ok(Whole {
                file: BufWriter::with_capacity(BUFFER, file),
                part: None,
                path: path.to_path_buf(),
            });
        }
        if there && !overwrite {
            return Err(Whole::taken(path).hint("--overwrite replaces it; or give another name"));
        }
        let name = path
            .file_name()
            .ok_or_else(|| unwritable(&io::ErrorKind::IsADirectory.into()))?;
        if path.is_dir() {
            return Err(unwritable(&io::ErrorKind::IsADirectory.into()));
        }
        let name = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        let part = path.with_file_name(name);
        let file = File::create(&part).map_err(|error| unwritable(&error))?;
        Ok(Whole {
            file: BufWriter::with_capacity(BUFFER, file),
            part: Some(part),
            path: path.to_path_buf(),
        })
    }

    /// Begins a file where none is, for who overwrites nothing.
    ///
    /// # Errors
    /// As [`begin`](Self::begin).
    pub fn begin_new(path: &Path) -> Result<Self, Refusal> {
        if path.is_file() {
            return Err(Whole::taken(path));
        }
        Whole::begin(path, false)
    }

    /// The refusal to overwrite a file.
    pub fn taken(path: &Path) -> Refusal {
        let message = format!("{} is there already", path.display());
        Refusal::new("unwritable_file", message).hint("nothing is overwritten; give another name")
    }

    /// Puts the file where it belongs.
    ///
    /// # Errors
    /// `unwritable_file`: the disk is full, or the folder is gone.
    pub fn finish(mut self) -> Result<(), Refusal> {
        let placed = self.place();
        placed.map_err(|error| Refusal::new("unwritable_file", unwritten(&self.path, &error)))
    }

    fn place(&mut self) -> io::Result<()> {
        self.file.flush()?;
        if let Some(part) = self.part.as_deref() {
            self.file.get_ref().sync_all()?;
            fs::rename(part, &self.path)?;
            self.part = None;
        }
        Ok(())
    }
}

fn unwritten(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {error}", path.display())
}

impl Seek for Whole {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Write for Whole {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Whole {
    fn drop(&mut self) {
        if let Some(part) = &self.part {
            // What is not whole is of no use to anybody.
            drop(fs::remove_file(part));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect()
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values.csv");
        let mut broken_off = Whole::begin(&path, false).unwrap();
        broken_off.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(broken_off);
        assert!(names(folder.path()).is_empty());
        let mut whole = Whole::begin(&path, false).unwrap();
        whole.write_all(b"whole").unwrap();
        whole.finish().unwrap();
        assert_eq!(names(folder.path()), ["values.csv"]);
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(Whole::begin(&path, false).is_err(), "it is there");
        let mut other = Whole::begin(&path, true).unwrap();
        other.write_all(b"other").unwrap();
        assert_eq!(
            fs::read(&path).unwrap(),
            b"whole",
            "the old one stays until then"
        );
        other.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"other");
        assert!(
            Whole::begin(folder.path(), true).is_err(),
            "a folder is no file"
        );
        assert!(Whole::begin(&folder.path().join("no/values.csv"), true).is_err());
    }
}
