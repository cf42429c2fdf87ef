//! Access to the files that requests name: only below the configured folders, after resolving links and `..`, and to none
//! whose name, or that of a folder on the way from there, begins with a dot: programs keep settings and secrets in these.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::files::atomic_file::{self, AtomicFile};
use crate::refusal::{Refusal, Result, quoted};

/// Maximum size in bytes of a file that is read.
pub(crate) const LARGEST: u64 = 256 << 20;

/// Folders from which files may be read and below which they may be written.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileRoots {
    /// Each folder as configured, made absolute, and its canonical path.
    roots: Vec<(PathBuf, PathBuf)>,
}

impl FileRoots {
    /// Folders that do not exist are ignored.
    pub(crate) fn new(roots: &[PathBuf]) -> Self {
        let real =
            |root: &PathBuf| Some((std::path::absolute(root).ok()?, root.canonicalize().ok()?));
        FileRoots {
            roots: roots.iter().filter_map(real).collect(),
        }
    }

    /// Reads a file.
    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>> {
        let real = self.find(path)?;
        let unreadable = |error: std::io::Error| {
            let message = format!("{} cannot be read: {error}", quoted(path));
            Refusal::new("unreadable_file", message)
        };
        let meta = real.metadata().map_err(unreadable)?;
        if !meta.is_file() {
            let message = format!("{} is not a file", quoted(path));
            return Err(Refusal::new("unreadable_file", message));
        }
        if meta.len() > LARGEST {
            let message = format!(
                "{} has {} bytes, more than the limit of {LARGEST}",
                quoted(path),
                meta.len()
            );
            return Err(Refusal::new("too_large", message));
        }
        let mut bytes = Vec::new();
        // The file may grow while it is read.
        let mut file = File::open(&real).map_err(unreadable)?.take(LARGEST);
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(bytes)
    }

    /// Returns the canonical path, which lies below a root.
    fn find(&self, text: &str) -> Result<PathBuf> {
        let path = Path::new(text);
        let outside = || {
            let message = format!("{} is not below a folder that may be read", quoted(text));
            Refusal::new("forbidden_path", message).hint(self.roots_text())
        };
        if text.contains('\0') || path.components().any(|part| part == Component::ParentDir) {
            return Err(outside());
        }
        if path.is_absolute()
            && !self
                .roots
                .iter()
                .any(|(configured, real)| path.starts_with(configured) || path.starts_with(real))
        {
            return Err(outside());
        }
        let real = self
            .roots
            .iter()
            .find_map(|(_, root)| root.join(path).canonicalize().ok());
        let Some(real) = real else {
            let message = format!("there is no file {}", quoted(text));
            return Err(Refusal::new("unreadable_file", message).hint(self.roots_text()));
        };
        self.check_place(&real, text, outside)?;
        Ok(real)
    }

    /// Checks that a canonical path, named by a text, lies below a root and is not hidden from there.
    fn check_place(&self, real: &Path, text: &str, outside: impl Fn() -> Refusal) -> Result<()> {
        let roots = self.roots.iter();
        let mut ways = roots
            .filter_map(|(_, root)| real.strip_prefix(root).ok())
            .peekable();
        if ways.peek().is_none() {
            return Err(outside());
        }
        if ways.all(is_hidden) {
            return Err(hidden(text));
        }
        Ok(())
    }

    /// Starts a file with this extension in an existing folder below a root. Returns its canonical path, too.
    pub(crate) fn create(
        &self,
        text: &str,
        ending: &str,
        overwrite: bool,
    ) -> Result<(PathBuf, AtomicFile)> {
        let path = Path::new(text);
        let is_so = path
            .extension()
            .is_some_and(|own| own.eq_ignore_ascii_case(ending));
        if !is_so {
            let message = format!("{} does not end in .{ending}", quoted(text));
            return Err(Refusal::new("unknown_format", message)
                .hint("the extension of the path must match the format"));
        }
        let outside = || {
            let message = format!("{} is not below a folder that may be written", quoted(text));
            Refusal::new("forbidden_path", message).hint(self.written_text())
        };
        let is_plain = path.components().all(|part| {
            matches!(
                part,
                Component::Normal(_)
                    | Component::CurDir
                    | Component::RootDir
                    | Component::Prefix(_)
            )
        });
        let Some(name) = path
            .file_name()
            .filter(|_| is_plain && !text.contains('\0'))
        else {
            return Err(outside());
        };
        atomic_file::check_name(path)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let is_below = |(configured, real): &(PathBuf, PathBuf)| {
            folder.starts_with(configured) || folder.starts_with(real)
        };
        if path.is_absolute() && !self.roots.iter().any(is_below) {
            return Err(outside());
        }
        let mut real = self
            .roots
            .iter()
            .filter_map(|(_, root)| root.join(folder).canonicalize().ok());
        let Some(real) = real.next() else {
            let message = format!("there is no folder {}", quoted(&folder.to_string_lossy()));
            return Err(Refusal::new("unwritable_file", message).hint(self.written_text()));
        };
        let place = real.join(name);
        // A link may lead anywhere, and what is no regular file may be a pipe.
        let there = place.symlink_metadata();
        self.check_place(&place, text, outside)?;
        if there.is_ok_and(|meta| !meta.is_file()) {
            let message = format!("{} exists, and is not a file", quoted(text));
            return Err(Refusal::new("forbidden_path", message)
                .hint("folders, links and pipes are not written; use another name"));
        }
        if place.is_file() && !overwrite {
            let refusal = AtomicFile::already_exists(&place);
            return Err(refusal.hint("overwrite: true replaces it; or use another name"));
        }
        let file = AtomicFile::create(&place, overwrite)?;
        Ok((place, file))
    }

    fn written_text(&self) -> String {
        match self.folder_list() {
            None => {
                "this server writes no files; omit path to get the file as a resource".to_owned()
            }
            Some(roots) => format!("files are written below {roots}, in existing folders"),
        }
    }

    fn roots_text(&self) -> String {
        match self.folder_list() {
            None => "this server reads no files; send the content as base64 instead".to_owned(),
            Some(roots) => format!("files are read below {roots}; or send the content as base64"),
        }
    }

    /// The folders as text, or `None` if there are none.
    fn folder_list(&self) -> Option<String> {
        let roots = self.roots.iter();
        let roots: Vec<String> = roots.map(|(_, root)| root.display().to_string()).collect();
        (!roots.is_empty()).then(|| roots.join(", "))
    }
}

/// True if a name on a way begins with a dot.
fn is_hidden(way: &Path) -> bool {
    let mut parts = way.components();
    parts.any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}

fn hidden(text: &str) -> Refusal {
    let message = format!(
        "{} is hidden, since a name in it begins with a dot",
        quoted(text)
    );
    Refusal::new("forbidden_path", message)
        .hint("hidden files are neither read nor written; use another name, or copy the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_outside_the_roots_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(root.join("sub/in.txt"), "in").unwrap();
        std::fs::write(folder.path().join("out.txt"), "out").unwrap();
        std::fs::create_dir_all(root.join(".config")).unwrap();
        std::fs::write(root.join(".config/key.txt"), "secret").unwrap();
        std::fs::write(root.join(".secret.txt"), "secret").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(folder.path().join("out.txt"), root.join("link.txt")).unwrap();
            symlink(root.join(".secret.txt"), root.join("plain.txt")).unwrap();
        }
        let files = FileRoots::new(std::slice::from_ref(&root));
        let check = |path: &str, expected: Result<&str, &str>| {
            let read = files
                .read(path)
                .map(|bytes| String::from_utf8(bytes).unwrap());
            let read = read.as_deref().map_err(|refusal| refusal.code);
            assert_eq!(read, expected, "{path}");
        };
        check("sub/in.txt", Ok("in"));
        check(root.join("sub/in.txt").to_str().unwrap(), Ok("in"));
        check("sub/../sub/in.txt", Err("forbidden_path"));
        check("../out.txt", Err("forbidden_path"));
        let outside = folder.path().join("out.txt");
        check(outside.to_str().unwrap(), Err("forbidden_path"));
        check("/etc/passwd", Err("forbidden_path"));
        #[cfg(unix)]
        check("link.txt", Err("forbidden_path"));
        for path in [".secret.txt", ".config/key.txt", "./.secret.txt"] {
            check(path, Err("forbidden_path"));
        }
        #[cfg(unix)]
        check("plain.txt", Err("forbidden_path"));
        for path in [".secret.txt", ".new.txt", ".config/new.txt"] {
            let made = files.create(path, "txt", true).map(drop);
            assert_eq!(
                made.map_err(|refusal| refusal.code),
                Err("forbidden_path"),
                "{path}"
            );
        }
        // A root may be hidden itself, and a file.
        for own in [root.join(".config"), root.join(".config/key.txt")] {
            let files = FileRoots::new(&[root.clone(), own]);
            let path = root.join(".config/key.txt");
            assert!(files.read(path.to_str().unwrap()).is_ok());
        }
        check("sub", Err("unreadable_file"));
        check("none.txt", Err("unreadable_file"));
        check("a\0b", Err("forbidden_path"));
    }
}
