//! Files that requests name: only below configured folders, wherever links and dots lead.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::refusal::{Refusal, quoted};

/// The largest file that is read.
const LARGEST: u64 = 256 << 20;

/// The folders from which files may be read.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    /// As they were given, made absolute, and as they really are.
    roots: Vec<(PathBuf, PathBuf)>,
}

impl Files {
    /// Folders that do not exist are left out.
    pub(super) fn new(roots: &[PathBuf]) -> Self {
        let real =
            |root: &PathBuf| Some((std::path::absolute(root).ok()?, root.canonicalize().ok()?));
        Files {
            roots: roots.iter().filter_map(real).collect(),
        }
    }

    /// The contents of a file.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, Refusal> {
        let real = self.find(path)?;
        let unreadable = |error: std::io::Error| {
            Refusal::new(
                "unreadable_file",
                format!("{} cannot be read: {error}", quoted(path)),
            )
        };
        let meta = real.metadata().map_err(unreadable)?;
        if !meta.is_file() {
            return Err(Refusal::new(
                "unreadable_file",
                format!("{} is no file", quoted(path)),
            ));
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
        // It may grow while it is read.
        let mut file = File::open(&real).map_err(unreadable)?.take(LARGEST);
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        Ok(bytes)
    }

    /// The real place of a path, which lies below a root.
    fn find(&self, text: &str) -> Result<PathBuf, Refusal> {
        let path = Path::new(text);
        let outside = || {
            Refusal::new(
                "forbidden_path",
                format!("{} is not below a folder that may be read", quoted(text)),
            )
            .hint(self.roots_text())
        };
        if text.contains('\0') || path.components().any(|part| part == Component::ParentDir) {
            return Err(outside());
        }
        if path.is_absolute()
            && !self
                .roots
                .iter()
                .any(|(given, real)| path.starts_with(given) || path.starts_with(real))
        {
            return Err(outside());
        }
        let real = self
            .roots
            .iter()
            .find_map(|(_, root)| root.join(path).canonicalize().ok());
        let Some(real) = real else {
            return Err(Refusal::new(
                "unreadable_file",
                format!("there is no file {}", quoted(text)),
            )
            .hint(self.roots_text()));
        };
        if self.roots.iter().any(|(_, root)| real.starts_with(root)) {
            Ok(real)
        } else {
            Err(outside())
        }
    }

    fn roots_text(&self) -> String {
        let roots: Vec<String> = self
            .roots
            .iter()
            .map(|(_, root)| root.display().to_string())
            .collect();
        match &roots[..] {
            [] => "this server reads no files; send the content as base64 instead".to_owned(),
            roots => format!(
                "files are read below {}; or send the content as base64",
                roots.join(", ")
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_really_lies_below_a_root_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(root.join("sub/in.txt"), "in").unwrap();
        std::fs::write(folder.path().join("out.txt"), "out").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path().join("out.txt"), root.join("link.txt")).unwrap();
        let files = Files::new(std::slice::from_ref(&root));
        let check = |path: &str, expected: Result<&str, &str>| {
            let read = files
                .read(path)
                .map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(
                read.as_deref().map_err(|refusal| refusal.code),
                expected,
                "{path}"
            );
        };
        check("sub/in.txt", Ok("in"));
        check(root.join("sub/in.txt").to_str().unwrap(), Ok("in"));
        check("sub/../sub/in.txt", Err("forbidden_path"));
        check("../out.txt", Err("forbidden_path"));
        check(
            folder.path().join("out.txt").to_str().unwrap(),
            Err("forbidden_path"),
        );
        check("/etc/passwd", Err("forbidden_path"));
        #[cfg(unix)]
        check("link.txt", Err("forbidden_path"));
        check("sub", Err("unreadable_file"));
        check("none.txt", Err("unreadable_file"));
        check("a\0b", Err("forbidden_path"));
    }
}
