//! A file that is there whole or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::refusal::Refusal;

/// Bytes that are written at a time.
const BUFFER: usize = 1 << 20;

/// A file that is written beside the place where it will be, and moved there when it is whole.
#[derive(Debug)]
pub struct Whole {
    file: BufWriter<File>,
    /// Where it is while it is not whole; none if what is there is no file, such as a pipe.
    part: Option<TempPath>,
    path: PathBuf,
    overwrite: bool,
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
        if path.is_dir() {
            return Err(unwritable(&io::ErrorKind::IsADirectory.into()));
        }
        if there && !path.is_file() {
            let file = File::options().write(true).open(path);
            let file = file.map_err(|error| unwritable(&error))?;
            return Ok(Whole {
                file: BufWriter::with_capacity(BUFFER, file),
                part: None,
                path: path.to_path_buf(),
                overwrite,
            });
        }
        if there && !overwrite {
            return Err(Whole::taken(path).hint("--overwrite replaces it; or give another name"));
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
            // As any file that is created: what the umask leaves of it.
            part.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let part = part.tempfile_in(folder);
        let (file, part) = part.map_err(|error| unwritable(&error))?.into_parts();
        Ok(Whole {
            file: BufWriter::with_capacity(BUFFER, file),
            part: Some(part),
            path: path.to_path_buf(),
            overwrite,
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
    /// `unwritable_file`: the disk is full, the folder is gone, or a file was put there meanwhile that is not to be
    /// overwritten.
    pub fn finish(mut self) -> Result<(), Refusal> {
        self.place().map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                return Whole::taken(&self.path);
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

    #[test]
    fn files_of_one_name_keep_out_of_each_others_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("part.stl");
        let mut first = Whole::begin(&path, false).unwrap();
        let mut second = Whole::begin(&path, false).unwrap();
        first.write_all(b"first").unwrap();
        second.write_all(b"second").unwrap();
        drop(Whole::begin(&path, false).unwrap());
        first.finish().unwrap();
        let taken = second.finish().unwrap_err();
        assert!(taken.message.ends_with("is there already"), "{taken:?}");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names(folder.path()), ["part.stl"]);
    }

    #[cfg(unix)]
    #[test]
    fn files_may_be_read_by_whom_the_umask_lets() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let usual = folder.path().join("usual");
        fs::write(&usual, "").unwrap();
        let whole = folder.path().join("whole");
        Whole::begin(&whole, false).unwrap().finish().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&whole), mode(&usual));
    }
}
