//! The store in a file: what its file may be, what happens to it, and several that share it.

mod damage;
mod files;
mod sharing;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use crate::logs::{create, head, log, made, real, view};
use fibula::edit::{Head, State};
use fibula::graph::ContentHash;
use fibula::store::sqlite::Options;
use fibula::store::{
    Damage, LogRewrite, Memory, ProjectId, Registration, Sqlite, Store, StoreError, load,
    renew_snapshot, snapshot,
};
use tempfile::TempDir;

/// Variable in the environment of a child of this program: the store that it is to use.
const CHILD: &str = "FIBULA_TEST_STORE";

fn file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    (folder, path)
}

fn open(path: &Path) -> Result<Sqlite, StoreError> {
    Sqlite::open(path, &Options::default())
}

fn open_to_read(path: &Path) -> Result<Sqlite, StoreError> {
    let options = with_defaults!(Options, read_only: true);
    Sqlite::open(path, &options)
}

/// Appends records of this size, one after the other; gives how it ended.
fn append(store: &dyn Store, id: ProjectId, count: u64, size: usize) -> Result<(), StoreError> {
    let mut last = store.head(id)?;
    for _ in 0..count {
        let record = made(last, 0, size);
        let next = head(record.revision, 0);
        store.append(id, last, record).wait()?;
        last = next;
    }
    Ok(())
}

/// Appends after whatever is there, again when others are faster.
fn add(store: &dyn Store, id: ProjectId, salt: u64) {
    loop {
        let last = store.head(id).unwrap();
        match store.append(id, last, made(last, salt, 50)).wait() {
            Ok(()) => return,
            Err(StoreError::Conflict { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

/// Runs one test of this program in a process of its own, which finds the store in its environment.
fn child(test: &str, path: &Path) -> Command {
    let (_, module) = module_path!().split_once("::").unwrap();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", &format!("{module}::{test}"), "--nocapture"])
        .env(CHILD, path);
    command
}

/// The store that this process is the child for.
fn given() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
}

/// Runs it where no file may grow beyond a mebibyte, and who tries is told instead of ended.
#[cfg(unix)]
fn limited(command: &Command, path: &Path) {
    let mut limited = Command::new("bash");
    limited
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\"");
    limited
        .arg(command.get_program())
        .args(command.get_args())
        .env(CHILD, path);
    match limited.spawn() {
        Ok(child) => ends_well(child),
        Err(error) => println!("skipped: there is no bash: {error}"),
    }
}

fn ends_well(mut child: Child) {
    assert!(child.wait().unwrap().success());
}

/// Puts other bytes where these are first.
fn put(path: &Path, old: &[u8], new: &[u8]) {
    let mut bytes = fs::read(path).unwrap();
    let at = bytes
        .windows(old.len())
        .position(|part| part == old)
        .unwrap();
    bytes[at..at + new.len()].copy_from_slice(new);
    fs::write(path, bytes).unwrap();
}

/// Waits until it holds.
fn within(holds: impl Fn() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(10), "it never holds");
        thread::sleep(Duration::from_millis(1));
    }
}

fn beside(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path.parent().unwrap()).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

// What the file may be.

#[test]
fn only_stores_are_opened() {
    let (folder, path) = file();
    let check = |bytes: &[u8], expected: &dyn Fn(&StoreError) -> bool| {
        fs::write(&path, bytes).unwrap();
        for opened in [open(&path), open_to_read(&path)] {
            let error = opened.unwrap_err();
            assert!(expected(&error), "{error:?}");
            assert_eq!(fs::read(&path).unwrap(), bytes, "it was changed");
        }
    };
    let none = |error: &StoreError| matches!(error, StoreError::NoStore(_));
    let damaged = |error: &StoreError| matches!(error, StoreError::Damaged(Damage::File { .. }));
    check(b"# Not a database\n", &none);
    check(&[0; 4096], &none);
    check(b"SQLite format", &damaged);
    check(b"SQLite format 3\0\x10\0\x02\x02", &damaged);
    let other = folder.path().join("other.db");
    let connection = rusqlite::Connection::open(&other).unwrap();
    connection.execute_batch("CREATE TABLE theirs (a)").unwrap();
    drop(connection);
    check(&fs::read(&other).unwrap(), &none);
    let error = open(folder.path()).unwrap_err();
    assert!(none(&error), "{error:?}");
    // Nothing is no store to read from, and a new one to write to.
    fs::write(&path, b"").unwrap();
    assert!(none(&open_to_read(&path).unwrap_err()));
    create(&open(&path).unwrap(), "a");
    let missing = open_to_read(&folder.path().join("missing.db"));
    assert!(matches!(missing, Err(StoreError::Io { .. })));
}

#[test]
fn a_newer_store_is_left_alone() {
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    let raise = |version: u32| {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .pragma_update(None, "user_version", version)
            .unwrap();
    };
    let newer = |error: &StoreError| {
        matches!(
            error,
            StoreError::Newer {
                found: 9,
                known: 1,
                ..
            }
        )
    };
    // Who has it open finds out too.
    raise(9);
    let refused = append(&store, id, 1, 1).unwrap_err();
    assert!(newer(&refused), "{refused:?}");
    assert!(newer(&store.projects().unwrap_err()));
    drop(store);
    assert!(newer(&open(&path).unwrap_err()));
    assert!(newer(&open_to_read(&path).unwrap_err()));
    raise(1);
    assert_eq!(open(&path).unwrap().head(id), Ok(Head::default()));
}

#[cfg(unix)]
#[test]
fn only_the_user_may_look_into_what_is_made() {
    use std::os::unix::fs::PermissionsExt;

    let (folder, _) = file();
    let path = folder.path().join("new/folder/store.db");
    let store = open(&path).unwrap();
    create(&store, "a");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    assert_eq!(mode(&folder.path().join("new")), 0o700);
    let files = beside(&path);
    assert_eq!(files.len(), 3, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

/// Everything that the first form has: the fixture is this.
fn fill(store: &dyn Store) {
    let (a, b) = (create(store, "first"), create(store, "aside"));
    create(store, "Größe");
    let mut state = State::default();
    for count in 0..12 {
        let before = state.head();
        let record = real(&mut state, &format!("F{count}"));
        store.append(a, before, record).wait().unwrap();
        if count == 4 || count == 8 {
            renew_snapshot(store, a).unwrap();
        }
        if count == 6 {
            append(store, b, 3, 6000).unwrap();
        }
    }
    let old = load(store, a, Some(2)).unwrap();
    let rewriting = LogRewrite {
        expected: state.head(),
        base: Some(snapshot::encode(&old.state)),
        records: Vec::new(),
        wipe: false,
    };
    store.rewrite(a, rewriting).unwrap();
    let at = 1_700_000_000_001;
    store.register(Registration::Delete { id: b, at }).unwrap();
    store.put_content(a, b"a file").unwrap();
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/store-1.db")
}

#[test]
fn the_first_form_is_read_for_ever() {
    let (_folder, path) = file();
    fs::copy(fixture(), &path).unwrap();
    let names = ["first", "aside", "Größe", "other"].map(str::to_owned);
    let memory = Memory::default();
    fill(&memory);
    for open in [open_to_read, open] {
        let store = open(&path).unwrap();
        // Snapshots may be written in another form later.
        let [read, made] = [&store as &dyn Store, &memory].map(|store| {
            let mut view = view(store, &names, 5);
            let projects = view.projects.iter_mut().flatten();
            projects.for_each(|project| project.snapshots.clear());
            view
        });
        assert_eq!(read, made);
        let id = store.find("first").unwrap().unwrap();
        for at in [2, 5, 9] {
            let [read, made] = [&store as &dyn Store, &memory].map(|store| {
                let stored = store.snapshot(id, at).unwrap().unwrap();
                snapshot::decode(&stored).unwrap().head()
            });
            assert_eq!((read, read.revision), (made, at));
        }
        let loaded = load(&store, id, None).unwrap();
        assert_eq!((loaded.damage, loaded.state.revision()), (None, 12));
        let hash = ContentHash::digest(b"a file");
        assert_eq!(store.content(hash).unwrap().unwrap(), b"a file");
    }
}

#[test]
#[ignore = "makes the fixture; one that is there stays as it is for ever"]
fn the_fixture_is_made() {
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    fill(&store);
    store.backup(&fixture()).unwrap();
}

// Reading only.

/// Asserts the laws of a store with a project of five records that can only be read.
fn only_reads(path: &Path, store: &Sqlite) {
    assert!(store.is_read_only());
    let id = store.find("a").unwrap().unwrap();
    assert_eq!(log(store, id).len(), 5);
    assert_eq!(store.integrity().unwrap(), Vec::<String>::new());
    let name = path.canonicalize().unwrap().display().to_string();
    let refused = StoreError::ReadOnly(name);
    assert_eq!(append(store, id, 1, 1), Err(refused.clone()));
    assert_eq!(store.put_content(id, b"x"), Err(refused.clone()));
    let purged = store.register(Registration::Purge { id });
    assert_eq!(purged, Err(refused));
    assert_eq!(log(store, id).len(), 5);
}

#[test]
fn who_only_reads_follows_who_writes() {
    let (_folder, path) = file();
    let writer = open(&path).unwrap();
    let id = create(&writer, "a");
    append(&writer, id, 5, 100).unwrap();
    let reader = open_to_read(&path).unwrap();
    only_reads(&path, &reader);
    let before = reader.foreign_writes();
    append(&writer, id, 1, 100).unwrap();
    assert_eq!(log(&reader, id).len(), 6);
    within(|| reader.foreign_writes() > before);
    // It can stay when the writer goes.
    drop(writer);
    assert_eq!(log(&reader, id).len(), 6);
}

#[test]
fn a_folder_that_cannot_be_written_can_be_read() {
    if let Some(path) = given() {
        return only_reads(&path, &open(&path).unwrap());
    }
    let (folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    append(&store, id, 5, 100).unwrap();
    let name = "a_folder_that_cannot_be_written_can_be_read";
    let killed = folder.path().join("killed.db");
    // A log that nobody could copy back is read too, if its index is there.
    let copied = |end: &str| {
        let with = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        fs::copy(with(&path), with(&killed)).unwrap();
    };
    ["", "-wal", "-shm"].into_iter().for_each(copied);
    drop(store);
    assert_eq!(beside(&path).len(), 4, "{:?}", beside(&path));
    for path in [&path, &killed] {
        if !as_stranger(child(name, path), folder.path(), 0o444) {
            return;
        }
    }
    only_reads(&path, &open_to_read(&path).unwrap());
}

/// Runs it as one who may do this with the files and not write to the folder; root may do everything, and becomes nobody.
#[cfg(unix)]
fn as_stranger(mut command: Command, folder: &Path, files: u32) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    const NOBODY: u32 = 65534;
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let entries = fs::read_dir(folder).unwrap();
    entries.for_each(|entry| mode(&entry.unwrap().path(), files));
    mode(folder, 0o555);
    if fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0) {
        command.uid(NOBODY).gid(NOBODY);
    }
    let started = command.spawn();
    let done = match started {
        Ok(child) => {
            ends_well(child);
            true
        }
        Err(error) => {
            println!("skipped: the test cannot be started as somebody else: {error}");
            false
        }
    };
    mode(folder, 0o755);
    done
}

#[cfg(not(unix))]
fn as_stranger(_: Command, _: &Path, _: u32) -> bool {
    println!("skipped: there are no permission bits here");
    false
}
