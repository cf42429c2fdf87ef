//! The store in a file: what its file may be, what happens to it, and several that share it.

mod logs;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use fibula::edit::{Head, State};
use fibula::graph::ContentHash;
use fibula::store::sqlite::{Durability, Options};
use fibula::store::{
    Damage, Memory, ProjectId, Record, Registration, Rewriting, Sqlite, Store, StoreError, Stored,
    load, renew_snapshot, snapshot,
};
use logs::{create, head, log, made, real, view};
use tempfile::TempDir;

/// What a child of this program finds in its environment: the store that it is to use.
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
    let options = Options {
        read_only: true,
        ..Options::default()
    };
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
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, path);
    command
}

/// The store that this process is the child for.
fn given() -> Option<PathBuf> {
    std::env::var_os(CHILD).map(PathBuf::from)
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
    let rewriting = Rewriting {
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
        let hash = ContentHash::of(b"a file");
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

/// What must hold of a store with a project of five records that can only be read.
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
    let before = reader.foreign();
    append(&writer, id, 1, 100).unwrap();
    assert_eq!(log(&reader, id).len(), 6);
    within(|| reader.foreign() > before);
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
        if !as_stranger(child(name, path), folder.path()) {
            return;
        }
    }
    only_reads(&path, &open_to_read(&path).unwrap());
}

/// Runs it as one who may only read what is there; root may do everything, and becomes nobody.
#[cfg(unix)]
fn as_stranger(mut command: Command, folder: &Path) -> bool {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;

    const NOBODY: u32 = 65534;
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    let entries = fs::read_dir(folder).unwrap();
    entries.for_each(|entry| mode(&entry.unwrap().path(), 0o444));
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
fn as_stranger(_: Command, _: &Path) -> bool {
    println!("skipped: there are no permission bits here");
    false
}

// Damage.

#[test]
fn flipped_bytes_are_found() {
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    let mut state = State::default();
    for name in ["One", "Two", "Three", "Four"] {
        let before = state.head();
        let record = real(&mut state, name);
        store.append(id, before, record).wait().unwrap();
        if name == "Two" {
            renew_snapshot(&store, id).unwrap();
        }
    }
    let snapshot = store.snapshot(id, 2).unwrap().unwrap();
    let hash = store.put_content(id, b"the bytes of a file").unwrap();
    drop(store);
    put(&path, &snapshot.bytes[60..], &[!snapshot.bytes[60]]);
    put(&path, b"the bytes of a file", b"The");
    let store = open(&path).unwrap();
    let loaded = load(&store, id, None).unwrap();
    assert_eq!((loaded.state.head(), loaded.damage), (state.head(), None));
    assert!(matches!(
        loaded.passed[..],
        [Damage::Snapshot { revision: 2, .. }]
    ));
    let damage = Damage::Content(hash.to_string());
    assert_eq!(store.content(hash), Err(StoreError::Damaged(damage)));
    // The right bytes put it right.
    store.put_content(id, b"the bytes of a file").unwrap();
    assert_eq!(
        store.content(hash).unwrap().unwrap(),
        b"the bytes of a file"
    );
    drop(store);
    put(&path, br#""Three""#, br#""Throe""#);
    let store = open(&path).unwrap();
    let loaded = load(&store, id, None).unwrap();
    assert_eq!(loaded.damage, Some(Damage::Record(3)));
    assert_eq!(loaded.state.revision(), 2);
}

/// A store with a project of so many records, closed.
fn filled(path: &Path, count: u64) -> Vec<Record> {
    let store = open(path).unwrap();
    let id = create(&store, "a");
    append(&store, id, count, 900).unwrap();
    log(&store, id)
}

/// Reads and writes a damaged file; tells whether it said so. Whatever is read is what was written.
fn says_so(path: &Path, written: &[Record]) -> bool {
    let damaged = |error: StoreError| match error {
        StoreError::Damaged(Damage::File { place, .. }) => assert!(place.contains("store.db")),
        other => panic!("{other:?}"),
    };
    let store = match open(path) {
        Ok(store) => store,
        Err(error) => {
            damaged(error);
            return true;
        }
    };
    let mut found = false;
    match store.integrity() {
        Ok(lines) => found |= !lines.is_empty(),
        Err(error) => {
            damaged(error);
            found = true;
        }
    }
    match logs::read(&store, ProjectId(1), fibula::store::Reading::After(0), true) {
        Ok(records) => assert!(
            found || records == written,
            "less was read, and nothing said"
        ),
        Err(StoreError::UnknownProject(_)) => assert!(found),
        Err(error) => {
            damaged(error);
            found = true;
        }
    }
    match append(&store, ProjectId(1), 1, 10) {
        Ok(()) => {}
        Err(StoreError::UnknownProject(_) | StoreError::Conflict { .. }) => assert!(found),
        Err(error) => {
            damaged(error);
            found = true;
        }
    }
    found
}

#[test]
fn a_file_that_ends_too_early_is_damaged() {
    let (_folder, path) = file();
    let written = filled(&path, 60);
    let bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 12 * 4096);
    for length in [
        1,
        15,
        16,
        100,
        511,
        512,
        600,
        4095,
        4096,
        5000,
        9 * 4096,
        bytes.len() - 1,
    ] {
        fs::write(&path, &bytes[..length]).unwrap();
        assert!(
            says_so(&path, &written),
            "{length} of {} bytes",
            bytes.len()
        );
    }
    fs::write(&path, &bytes).unwrap();
    assert!(!says_so(&path, &written));
}

#[test]
fn damaged_pages_are_told() {
    let (_folder, path) = file();
    let written = filled(&path, 60);
    let bytes = fs::read(&path).unwrap();
    for page in 1..bytes.len() / 4096 {
        let mut bytes = bytes.clone();
        // The page's kind, and how many cells it has and where.
        bytes[page * 4096..][..40].fill(0x5a);
        fs::write(&path, &bytes).unwrap();
        assert!(says_so(&path, &written), "page {page}");
    }
}

/// Behind a damaged page nothing can be read; what is before it can.
#[test]
fn a_log_is_loaded_up_to_a_damaged_page() {
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    let mut state = State::default();
    for count in 0..100 {
        let before = state.head();
        let record = real(&mut state, &format!("F{count}"));
        store.append(id, before, record).wait().unwrap();
    }
    drop(store);
    let bytes = fs::read(&path).unwrap();
    let mut saved = 0;
    for page in 1..bytes.len() / 4096 {
        let mut bytes = bytes.clone();
        bytes[page * 4096..][..40].fill(0x5a);
        fs::write(&path, &bytes).unwrap();
        let loaded = open(&path).and_then(|store| load(&store, id, None));
        if let Ok(loaded) = loaded
            && loaded.state.revision() < 100
        {
            assert!(matches!(loaded.damage, Some(Damage::File { .. })));
            saved = saved.max(loaded.state.revision());
        }
    }
    assert!(saved > 50, "at most {saved} entries were read");
}

#[test]
fn the_log_of_a_file_that_is_gone_is_not_thrown_away() {
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    create(&store, "a");
    let wal = PathBuf::from(format!("{}-wal", path.display()));
    let bytes = fs::read(&wal).unwrap();
    drop(store);
    fs::write(&path, b"").unwrap();
    fs::write(&wal, &bytes).unwrap();
    let refused = open(&path).unwrap_err();
    assert!(matches!(refused, StoreError::Damaged(_)), "{refused:?}");
    assert_eq!(fs::read(&wal).unwrap(), bytes);
}

// No room.

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_and_is_left_behind() {
    if let Some(path) = given() {
        return fills(&path);
    }
    let (_folder, path) = file();
    let test = child("a_full_disk_loses_nothing_and_is_left_behind", &path);
    // No file may grow beyond a mebibyte, and who tries is told instead of ended.
    let mut limited = Command::new("bash");
    limited
        .arg("-c")
        .arg("trap '' XFSZ; ulimit -f 1024; exec \"$0\" \"$@\"");
    limited
        .arg(test.get_program())
        .args(test.get_args())
        .env(CHILD, &path);
    match limited.spawn() {
        Ok(child) => ends_well(child),
        Err(error) => println!("skipped: there is no bash: {error}"),
    }
}

#[cfg(unix)]
fn fills(path: &Path) {
    let store = open(path).unwrap();
    let id = create(&store, "a");
    let full = |error| matches!(error, StoreError::Full(_));
    let refused = append(&store, id, 1000, 3000).unwrap_err();
    assert!(full(refused.clone()), "{refused:?}");
    let head = store.head(id).unwrap();
    assert!(head.revision > 50);
    // Nothing of a group is written if not all of it is.
    let other = create_if_there_is_room(&store);
    assert!(other.is_none_or(|other| store.head(other) == Ok(Head::default())));
    assert!(full(append(&store, id, 1000, 3000).unwrap_err()));
    let before = log(&store, id);
    assert_eq!(
        before.last().map(|record| record.revision),
        Some(store.head(id).unwrap().revision)
    );
    // The log is copied back into the file, and has room again.
    let connection = rusqlite::Connection::open(path).unwrap();
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
    assert_eq!(busy, Ok(0));
    drop(connection);
    append(&store, id, 3, 3000).unwrap();
    assert_eq!(log(&store, id)[..before.len()], before);
    assert_eq!(log(&store, id).len(), before.len() + 3);
    assert!(beside(path).len() <= 3, "{:?}", beside(path));
}

#[cfg(unix)]
fn create_if_there_is_room(store: &Sqlite) -> Option<ProjectId> {
    let create = Registration::Create {
        name: "b".to_owned(),
        at: 0,
    };
    store.register(create).ok()
}

// Sharing.

/// Waits until it holds.
fn within(holds: impl Fn() -> bool) {
    let since = Instant::now();
    while !holds() {
        assert!(since.elapsed() < Duration::from_secs(10), "it never holds");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn two_on_one_file_lose_nothing() {
    const EACH: u64 = 200;
    let (_folder, path) = file();
    let stores = [open(&path).unwrap(), open(&path).unwrap()];
    let id = create(&stores[0], "a");
    thread::scope(|scope| {
        for salt in 0..4 {
            let store = &stores[salt as usize % 2];
            scope.spawn(move || (0..EACH).for_each(|_| add(store, id, salt)));
        }
    });
    let records = log(&stores[0], id);
    assert_eq!(records, log(&stores[1], id));
    let revisions: Vec<u64> = records.iter().map(|record| record.revision).collect();
    assert_eq!(revisions, (1..=4 * EACH).collect::<Vec<_>>());
    for salt in 0..4 {
        let mut own = 0;
        for record in &records {
            own += u64::from(record.heading().unwrap().at == salt);
        }
        assert_eq!(own, EACH);
    }
    assert_eq!(stores[0].integrity().unwrap(), Vec::<String>::new());
}

#[test]
fn who_shares_a_file_is_noticed_and_who_does_not_is_not() {
    let (_folder, path) = file();
    let (one, two) = (open(&path).unwrap(), open(&path).unwrap());
    let id = create(&one, "a");
    within(|| two.foreign() > 0);
    let (before, own) = (two.foreign(), one.foreign());
    let watch = two.watch();
    append(&one, id, 1, 1).unwrap();
    within(|| two.foreign() > before);
    assert!(watch.has_changed().unwrap());
    assert_eq!(one.foreign(), own, "its own writing is foreign to it");
    // Who writes itself has noticed by the time that it is told.
    let before = two.foreign();
    append(&one, id, 1, 1).unwrap();
    let stale = two.append(id, head(1, 0), made(head(1, 0), 0, 1)).wait();
    assert!(matches!(stale, Err(StoreError::Conflict { .. })));
    assert!(two.foreign() > before);
}

#[test]
fn processes_make_and_fill_a_store_together() {
    const EACH: u64 = 40;
    if let Some(path) = given() {
        let store = open(&path).unwrap();
        let create = Registration::Create {
            name: "a".to_owned(),
            at: 0,
        };
        match store.register(create) {
            Ok(_) | Err(StoreError::NameTaken(_)) => {}
            Err(error) => panic!("{error}"),
        }
        let id = store.find("a").unwrap().unwrap();
        return (0..EACH).for_each(|_| add(&store, id, u64::from(std::process::id())));
    }
    let (_folder, path) = file();
    let test = "processes_make_and_fill_a_store_together";
    let children = [0; 4].map(|_| child(test, &path).spawn().unwrap());
    children.into_iter().for_each(ends_well);
    let store = open(&path).unwrap();
    let id = store.find("a").unwrap().unwrap();
    let revisions: Vec<u64> = log(&store, id)
        .iter()
        .map(|record| record.revision)
        .collect();
    assert_eq!(revisions, (1..=4 * EACH).collect::<Vec<_>>());
    drop(store);
    // Who closes last leaves a single file.
    assert_eq!(beside(&path), [path]);
}

#[test]
fn many_may_make_a_store_at_once() {
    for _ in 0..200 {
        let (_folder, path) = file();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| open(&path).unwrap());
            }
        });
    }
}

#[test]
fn what_was_handed_over_is_written_before_the_end() {
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    let mut last = Head::default();
    let tickets: Vec<_> = (0..500)
        .map(|_| {
            let record = made(last, 0, 300);
            let expected = std::mem::replace(&mut last, head(record.revision, 0));
            store.append(id, expected, record)
        })
        .collect();
    drop(store);
    for ticket in tickets {
        ticket.wait().unwrap();
    }
    assert_eq!(log(&open(&path).unwrap(), id).len(), 500);
}

#[test]
fn others_are_waited_for_and_not_for_ever() {
    let (_folder, path) = file();
    let options = Options {
        busy: Duration::from_millis(30),
        durability: Durability::Normal,
        ..Options::default()
    };
    let store = Sqlite::open(&path, &options).unwrap();
    let id = create(&store, "a");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = append(&store, id, 1, 1).unwrap_err();
    assert!(matches!(refused, StoreError::Busy(_)), "{refused:?}");
    assert_eq!(
        store.head(id),
        Ok(Head::default()),
        "reading waits for nobody"
    );
    other.execute_batch("ROLLBACK").unwrap();
    append(&store, id, 1, 1).unwrap();
}

// Copies, and wiping.

#[test]
fn a_copy_is_made_while_others_write() {
    let (folder, path) = file();
    let (store, other) = (open(&path).unwrap(), open(&path).unwrap());
    let id = create(&store, "a");
    append(&store, id, 300, 5000).unwrap();
    let copy = folder.path().join("copy.db");
    let count = thread::scope(|scope| {
        let (sender, done) = std::sync::mpsc::channel::<()>();
        let writer = scope.spawn(move || {
            let mut count = 300;
            while done.try_recv() == Err(std::sync::mpsc::TryRecvError::Empty) {
                add(&other, id, 0);
                count += 1;
            }
            count
        });
        store.backup(&copy).unwrap();
        drop(sender);
        writer.join().unwrap()
    });
    let bytes = fs::read(&copy).unwrap();
    let taken = store.backup(&copy).unwrap_err();
    assert!(matches!(taken, StoreError::Io { .. }), "{taken:?}");
    assert_eq!(fs::read(&copy).unwrap(), bytes);
    drop(store);
    assert_eq!(beside(&path), [copy.clone(), path]);
    let store = open_to_read(&copy).unwrap();
    let records = log(&store, id);
    assert!((300..=count).contains(&records.len()));
    assert_eq!(store.head(id).unwrap().revision, records.len() as u64);
    assert_eq!(store.integrity().unwrap(), Vec::<String>::new());
    assert_eq!(fs::read(&copy).unwrap(), bytes);
    drop(store);
    // It is a store as any other.
    append(&open(&copy).unwrap(), id, 1, 1).unwrap();
}

#[test]
fn what_is_wiped_is_in_no_file() {
    const SECRET: &[u8] = b"Erika Mustermann";
    let (_folder, path) = file();
    let (store, other) = (open(&path).unwrap(), open(&path).unwrap());
    let (id, neighbour) = (create(&store, "a"), create(&store, "b"));
    let with = |record: Record, text: &[u8]| {
        let body = [&record.body[..], text, &record.body[..]].concat();
        Record { body, ..record }
    };
    let there = || {
        let held = |path: PathBuf| {
            let bytes = fs::read(path).unwrap();
            bytes.windows(SECRET.len()).any(|part| part == SECRET)
        };
        beside(&path).into_iter().any(held)
    };
    let mut last = Head::default();
    for count in 0..120_u64 {
        let record = made(last, 0, 40 + (count as usize * 37) % 900);
        let expected = std::mem::replace(&mut last, head(record.revision, 0));
        store
            .append(id, expected, with(record, SECRET))
            .wait()
            .unwrap();
        append(&other, neighbour, 1, (count as usize * 91) % 5000).unwrap();
        if count % 10 == 0 {
            let bytes = SECRET.repeat(1 + count as usize * 9);
            let hash = 5;
            let revision = count + 1;
            store
                .put_snapshot(
                    id,
                    Stored {
                        revision,
                        hash,
                        bytes,
                    },
                )
                .unwrap();
        }
    }
    let aside = log(&other, neighbour);
    assert!(there());
    let clean = |record: Record| Record {
        body: b"redacted".repeat(1 + record.revision as usize % 40),
        ..record
    };
    let records: Vec<Record> = log(&store, id).into_iter().map(clean).collect();
    let rewriting = Rewriting {
        expected: last,
        base: None,
        records: records.clone(),
        wipe: true,
    };
    store.rewrite(id, rewriting).unwrap();
    assert!(!there());
    assert_eq!(log(&other, id), records);
    assert_eq!(log(&store, neighbour), aside);
    append(&other, id, 1, 10).unwrap();
    assert_eq!(store.integrity().unwrap(), Vec::<String>::new());
    assert!(!there());
}
