//! File system checks before SQLite opens a file: creation, file header, network file systems.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf, Prefix};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::error;
use crate::{Damage, StoreError};

/// First bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Length of the magic and of the page size that follows.
const HEAD: usize = MAGIC.len() + 2;
/// Smallest page size.
const SHORTEST: u64 = 512;

/// Path of the write-ahead log of a file.
pub(super) fn wal(path: &Path) -> PathBuf {
    with(path, "-wal")
}

/// Path of the rollback journal, which SQLite uses until a new database has its write-ahead log.
fn journal(path: &Path) -> PathBuf {
    with(path, "-journal")
}

/// True if an interrupted first write must be rolled back. SQLite does so when it opens the file.
fn is_interrupted(path: &Path) -> bool {
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    let mut start = [0; MAGIC.len()];
    let journal = File::open(journal(path));
    journal.is_ok_and(|mut file| file.read_exact(&mut start).is_ok() && start == MAGIC)
}

/// Files that SQLite makes beside a database.
pub(super) fn beside_database(path: &Path) -> [PathBuf; 3] {
    [wal(path), shm(path), journal(path)]
}

/// Identity of a file: device and inode.
pub(super) type FileId = (u64, u64);

/// Returns the identity of the file that has this path now; `None` where files that are open cannot be moved.
pub(super) fn identity(path: &Path) -> io::Result<Option<FileId>> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let found = fs::metadata(path)?;
        Ok(Some((found.dev(), found.ino())))
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        Ok(None)
    }
}

/// A file that this process has open as a store.
///
/// POSIX drops the locks of a process when it closes a file, whichever descriptor had them. So a file is read past SQLite
/// only while SQLite has not opened it.
#[derive(Debug)]
pub(super) struct OpenFile(Option<FileId>);

/// Files that this process has open as stores; several times if several stores share one.
static OPEN_FILES: Mutex<Vec<FileId>> = Mutex::new(Vec::new());

impl OpenFile {
    /// Notes that SQLite opens a file; before, `check` reads it, unless it is open already.
    pub(super) fn new(
        path: &Path,
        check: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<Self, StoreError> {
        let mut open = OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        let id = identity(path).map_err(|error| error::from_io(path, &error))?;
        if !id.is_some_and(|id| open.contains(&id)) {
            check(path)?;
        }
        open.extend(id);
        Ok(OpenFile(id))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        let mut open = OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = open.iter().position(|id| Some(*id) == self.0) {
            open.swap_remove(place);
        }
    }
}

/// Rejects what is there and is no file, such as a named pipe, which could not be opened without waiting.
pub(super) fn check_kind(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => Err(StoreError::NoStore(path.display().to_string())),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error::from_io(path, &error)),
    }
}

/// Path of the shared-memory file, the index of the write-ahead log.
pub(super) fn shm(path: &Path) -> PathBuf {
    with(path, "-shm")
}

/// Unique path of a temporary file in the same folder.
pub(super) fn beside(path: &Path, what: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let process = std::process::id();
    with(
        path,
        &format!(".{process}-{count}-{}.{what}", now.as_nanos()),
    )
}

fn with(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// True if the write-ahead log is missing or empty.
pub(super) fn is_checkpointed(path: &Path) -> bool {
    fs::metadata(wal(path)).map_or(true, |found| found.len() == 0)
}

/// Resolves all symbolic links, since SQLite puts its auxiliary files next to the target.
pub(super) fn resolved(path: &Path) -> io::Result<PathBuf> {
    if cfg!(unix) {
        path.canonicalize()
    } else {
        std::path::absolute(path)
    }
}

/// Creates the file and its folders if missing, accessible to the user only.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent()
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        let made = private_folder().create(folder);
        made.map_err(|error| error::from_io(folder, &error))?;
    }
    match private_file().write(true).create_new(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        // An existing file can perhaps be opened read-only.
        Err(_) if path.is_file() => Ok(()),
        Err(error) => Err(error::from_io(path, &error)),
    }
}

fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Options for a file that is accessible to the user only.
pub(super) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Rejects files that are no SQLite database, and truncated ones that SQLite would take for a new database; with
/// `salvage` only those without a first page.
pub(super) fn check_header(path: &Path, salvage: bool) -> Result<(), StoreError> {
    let place = path.display().to_string();
    let failed = |error: io::Error| {
        let (place, message) = (place.clone(), error.to_string());
        match error.kind() {
            ErrorKind::IsADirectory => StoreError::NoStore(place),
            ErrorKind::PermissionDenied => StoreError::Denied(place),
            _ => StoreError::Io { place, message },
        }
    };
    let mut start = Vec::new();
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let read = file.take(HEAD as u64).read_to_end(&mut start);
    read.map_err(failed)?;
    if is_interrupted(path) {
        return Ok(());
    }
    if !MAGIC.starts_with(&start[..start.len().min(MAGIC.len())]) {
        return Err(StoreError::NoStore(place));
    }
    let page = match start[MAGIC.len().min(start.len())..] {
        [0, 1] => 1 << 16,
        [high, low] => u64::from(high) << 8 | u64::from(low),
        _ => 0,
    };
    let message = match length {
        0 if is_checkpointed(path) => return Ok(()),
        0 => "it is empty, but its write-ahead log is not",
        _ if length < SHORTEST => "it is truncated",
        // While there is a log, another process may be running a checkpoint.
        _ if page > 0 && length % page > 0 && is_checkpointed(path) && !salvage => {
            "it ends within a page"
        }
        _ => return Ok(()),
    };
    // Another process may have created the database between the two checks.
    if length == 0 && fs::metadata(path).is_ok_and(|found| found.len() > 0) {
        return Ok(());
    }
    let message = message.to_owned();
    Err(Damage::File { place, message }.into())
}

/// Rejects file systems on which processes cannot share a write-ahead log.
pub(super) fn check_file_system(path: &Path) -> Result<(), StoreError> {
    if is_remote_path(path) || is_on_remote_mount(path) {
        return Err(StoreError::Network(path.display().to_string()));
    }
    Ok(())
}

/// True for the UNC paths of Windows.
fn is_remote_path(path: &Path) -> bool {
    let Some(Component::Prefix(prefix)) = path.components().next() else {
        return false;
    };
    matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..))
}

#[cfg(target_os = "linux")]
fn is_on_remote_mount(path: &Path) -> bool {
    use std::os::linux::fs::MetadataExt;

    // For a missing file, the nearest existing folder decides.
    let Some(there) = path.ancestors().map(or_here).find(|path| path.exists()) else {
        return false;
    };
    let Ok(found) = rustix::fs::statfs(there) else {
        return false;
    };
    let kind = || {
        let device = there.metadata().ok()?.st_dev();
        let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
        let device = format!("{major}:{minor}");
        mount_type(&fs::read_to_string("/proc/self/mountinfo").ok()?, &device)
    };
    magic::is_remote(found.f_type as u32, kind)
}

#[cfg(target_os = "linux")]
fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    }
}

#[cfg(not(target_os = "linux"))]
fn is_on_remote_mount(_: &Path) -> bool {
    false
}

/// Finds the file system type of a mounted device in mountinfo; see proc(5).
#[cfg(target_os = "linux")]
fn mount_type(mounts: &str, device: &str) -> Option<String> {
    let line = mounts
        .lines()
        .find(|line| line.split(' ').nth(2) == Some(device))?;
    let (_, after) = line.split_once(" - ")?;
    after.split(' ').next().map(str::to_owned)
}

#[cfg(target_os = "linux")]
mod magic {
    //! File systems by their magic numbers; see statfs(2).

    /// Network file systems, and shared folders of virtual machines.
    const REMOTE: [u32; 20] = [
        0x6969,      // NFS
        0x517b,      // SMB
        0xfe53_4d42, // SMB 2
        0xff53_4d42, // CIFS
        0x5346_414f, // AFS (OpenAFS)
        0x6b41_4653, // AFS (the kernel's)
        0x7375_7245, // Coda
        0x564c,      // NCP
        0x00c3_6400, // Ceph
        0x0102_1997, // 9P
        0x0bd0_0bd0, // Lustre
        0x4750_4653, // GPFS
        0x0116_1970, // GFS2
        0x7461_636f, // OCFS2
        0xaad7_aaea, // PanFS
        0x2003_0528, // OrangeFS
        0x1983_0326, // BeeGFS
        0xbacb_acbc, // folders of a VMware host
        0x7c7c_6673, // folders of a Parallels host
        0x786f_4256, // folders of a VirtualBox host
    ];
    /// FUSE: the mount type decides.
    const FUSE: u32 = 0x6573_5546;
    /// FUSE mount types of remote file systems.
    const REMOTE_FUSE: &str = "\
        sshfs rclone s3fs goofys gcsfuse blobfuse davfs curlftpfs smbnetfs gvfsd-fuse glusterfs ceph juicefs moosefs \
        mfs seaweedfs grpcfuse google-drive-ocamlfuse";

    /// True for remote file systems; `kind` returns the mount type.
    pub(super) fn is_remote(magic: u32, kind: impl FnOnce() -> Option<String>) -> bool {
        if magic != FUSE {
            return REMOTE.contains(&magic);
        }
        kind().is_some_and(|kind| {
            let name = kind.strip_prefix("fuse.").unwrap_or(&kind);
            REMOTE_FUSE.split(' ').any(|remote| remote == name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn remote_file_systems_are_detected() {
        let check = |magic, kind: Option<&str>, expected| {
            let remote = magic::is_remote(magic, || kind.map(str::to_owned));
            assert_eq!(remote, expected, "{magic:x} {kind:?}");
        };
        for magic in [
            0x6969,
            0xff53_4d42,
            0xfe53_4d42,
            0x5346_414f,
            0x00c3_6400,
            0x0102_1997,
        ] {
            check(magic, None, true);
        }
        // ext4, btrfs, xfs, tmpfs, overlayfs, ZFS
        for magic in [
            0xef53,
            0x9123_683e,
            0x5846_5342,
            0x0102_1994,
            0x794c_7630,
            0x2fc1_2fc1,
        ] {
            check(magic, None, false);
        }
        check(0x6573_5546, Some("fuse.sshfs"), true);
        check(0x6573_5546, Some("fuse.rclone"), true);
        check(0x6573_5546, Some("fuse.gocryptfs"), false);
        check(0x6573_5546, Some("fuseblk"), false);
        check(0x6573_5546, None, false);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn mount_types_are_found() {
        let mounts = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
            90 22 0:47 / /home/a\\040b rw,nosuid shared:3 - fuse.sshfs host:/a rw,user_id=0\n";
        assert_eq!(mount_type(mounts, "0:47").as_deref(), Some("fuse.sshfs"));
        assert_eq!(mount_type(mounts, "254:0").as_deref(), Some("ext4"));
        assert_eq!(mount_type(mounts, "0:4"), None);
        let here = tempfile::tempdir().unwrap();
        let missing = here.path().join("no/such/store.db");
        assert_eq!(check_file_system(&missing), Ok(()));
    }

    #[test]
    fn temporary_names_are_unique() {
        let path = Path::new("a/store.db");
        assert_ne!(beside(path, "part"), beside(path, "part"));
        assert_eq!(beside(path, "part").parent(), path.parent());
    }
}
