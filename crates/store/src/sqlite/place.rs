//! Where a store's file lies: its folder, what is beside it, and file systems that cannot be trusted with it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf, Prefix};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::fault;
use crate::{Damage, StoreError};

/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// What comes then is the size of a page.
const HEAD: usize = MAGIC.len() + 2;
/// The size of the smallest page.
const SHORTEST: u64 = 512;

/// The write-ahead log of a file.
pub(super) fn wal(path: &Path) -> PathBuf {
    with(path, "-wal")
}

/// A name beside a file that nobody else uses.
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

/// Whether there is no write-ahead log, or nothing in it.
pub(super) fn is_settled(path: &Path) -> bool {
    fs::metadata(wal(path)).map_or(true, |found| found.len() == 0)
}

/// The file that a path leads to, with all links followed: SQLite puts its other files beside that one.
pub(super) fn resolved(path: &Path) -> io::Result<PathBuf> {
    if cfg!(unix) {
        path.canonicalize()
    } else {
        std::path::absolute(path)
    }
}

/// Makes the folders and an empty file where there are none; only the user may look into them.
pub(super) fn make(path: &Path) -> Result<(), StoreError> {
    if let Some(folder) = path.parent()
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        let made = private_folder().create(folder);
        made.map_err(|error| fault::system(folder, &error))?;
    }
    match private_file().write(true).create_new(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        // A file that is there can perhaps be read.
        Err(_) if path.is_file() => Ok(()),
        Err(error) => Err(fault::system(path, &error)),
    }
}

fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

/// Options for a file that only the user may look into.
pub(super) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Finds what SQLite would take for a new store though it is the rest of one, and what is none at all.
pub(super) fn check_beginning(path: &Path) -> Result<(), StoreError> {
    let place = path.display().to_string();
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::IsADirectory => StoreError::NoStore(place.clone()),
        _ => StoreError::Io {
            place: place.clone(),
            message: error.to_string(),
        },
    };
    let mut start = Vec::new();
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let read = file.take(HEAD as u64).read_to_end(&mut start);
    read.map_err(failed)?;
    if !MAGIC.starts_with(&start[..start.len().min(MAGIC.len())]) {
        return Err(StoreError::NoStore(place));
    }
    let page = match start[MAGIC.len().min(start.len())..] {
        [0, 1] => 1 << 16,
        [high, low] => u64::from(high) << 8 | u64::from(low),
        _ => 0,
    };
    let message = match length {
        0 if is_settled(path) => return Ok(()),
        0 => "it is empty, but there is a log of what was written to it",
        _ if length < SHORTEST => "it ends too early",
        // While there is a log, others may be copying it back.
        _ if page > 0 && length % page > 0 && is_settled(path) => "it ends within a page",
        _ => return Ok(()),
    };
    // Between the look at the length and that at the log another process may have begun the file.
    if length == 0 && fs::metadata(path).is_ok_and(|found| found.len() > 0) {
        return Ok(());
    }
    let message = message.to_owned();
    Err(Damage::File { place, message }.into())
}

/// Refuses file systems on which several processes cannot share a file.
pub(super) fn check_file_system(path: &Path) -> Result<(), StoreError> {
    if is_remote_path(path) || lies_remote(path) {
        return Err(StoreError::Network(path.display().to_string()));
    }
    Ok(())
}

/// Whether the path itself says that it leads to another machine, as on Windows.
fn is_remote_path(path: &Path) -> bool {
    let Some(Component::Prefix(prefix)) = path.components().next() else {
        return false;
    };
    matches!(prefix.kind(), Prefix::UNC(..) | Prefix::VerbatimUNC(..))
}

#[cfg(target_os = "linux")]
fn lies_remote(path: &Path) -> bool {
    use std::os::linux::fs::MetadataExt;

    // Of what is not there yet, the folder that it will be in tells.
    let Some(there) = path.ancestors().map(or_here).find(|path| path.exists()) else {
        return false;
    };
    let Ok(found) = rustix::fs::statfs(there) else {
        return false;
    };
    let kind = || {
        let device = there.metadata().ok()?.st_dev();
        let device = format!(
            "{}:{}",
            rustix::fs::major(device),
            rustix::fs::minor(device)
        );
        mounted_as(&fs::read_to_string("/proc/self/mountinfo").ok()?, &device)
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
fn lies_remote(_: &Path) -> bool {
    false
}

/// The type of the file system that a device is mounted as; see proc(5).
#[cfg(target_os = "linux")]
fn mounted_as(mounts: &str, device: &str) -> Option<String> {
    let line = mounts
        .lines()
        .find(|line| line.split(' ').nth(2) == Some(device))?;
    let (_, after) = line.split_once(" - ")?;
    after.split(' ').next().map(str::to_owned)
}

#[cfg(target_os = "linux")]
mod magic {
    //! File systems by the numbers that statfs(2) gives.

    /// Those that lie on another machine, or that a host lends to its guest.
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
    /// Whatever a program serves; what it is, the type of the mount tells.
    const FUSE: u32 = 0x6573_5546;
    /// The remote ones among them.
    const SERVED: [&str; 18] = [
        "sshfs",
        "rclone",
        "s3fs",
        "goofys",
        "gcsfuse",
        "blobfuse",
        "davfs",
        "curlftpfs",
        "smbnetfs",
        "gvfsd-fuse",
        "glusterfs",
        "ceph",
        "juicefs",
        "moosefs",
        "mfs",
        "seaweedfs",
        "grpcfuse",
        "google-drive-ocamlfuse",
    ];

    /// Whether a file system is one of them; `kind` gives the type of the mount.
    pub(super) fn is_remote(magic: u32, kind: impl FnOnce() -> Option<String>) -> bool {
        if magic != FUSE {
            return REMOTE.contains(&magic);
        }
        kind().is_some_and(|kind| {
            let name = kind.strip_prefix("fuse.").unwrap_or(&kind);
            SERVED.contains(&name)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn file_systems_of_other_machines_are_known() {
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
    fn the_type_of_a_mount_is_found() {
        let mounts = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
            90 22 0:47 / /home/a\\040b rw,nosuid shared:3 - fuse.sshfs host:/a rw,user_id=0\n";
        assert_eq!(mounted_as(mounts, "0:47").as_deref(), Some("fuse.sshfs"));
        assert_eq!(mounted_as(mounts, "254:0").as_deref(), Some("ext4"));
        assert_eq!(mounted_as(mounts, "0:4"), None);
        let here = tempfile::tempdir().unwrap();
        assert_eq!(
            check_file_system(&here.path().join("no/such/store.db")),
            Ok(())
        );
    }

    #[test]
    fn a_name_beside_is_used_once() {
        let path = Path::new("a/store.db");
        assert_ne!(beside(path, "part"), beside(path, "part"));
        assert_eq!(beside(path, "part").parent(), path.parent());
    }
}
