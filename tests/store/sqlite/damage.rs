//! Damage is found and reported, and loses nothing else.

use std::fs;
use std::path::{Path, PathBuf};

use fibula::edit::State;
use fibula::store::{
    CheckedHeading, Damage, LogRange, Memory, ProjectId, Record, Store, StoreError, load,
    renew_snapshot,
};

use super::{append, file, open, put};
use crate::logs::{self, create, log, real, real_of_nodes};

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
        loaded.skipped[..],
        [Damage::Snapshot { revision: 2, .. }]
    ));
    let damage = Damage::Content(hash.to_string());
    assert_eq!(store.content(hash), Err(StoreError::Damaged(damage)));
    // The right bytes put it right.
    store.put_content(id, b"the bytes of a file").unwrap();
    let bytes = store.content(hash).unwrap().unwrap();
    assert_eq!(bytes, b"the bytes of a file");
    drop(store);
    put(&path, br#""Three""#, br#""Throe""#);
    let store = open(&path).unwrap();
    let loaded = load(&store, id, None).unwrap();
    assert_eq!(loaded.damage, Some(Damage::Record(3)));
    assert_eq!(loaded.state.revision(), 2);
}

/// Headings are checked with their bodies, small ones and ones that are read in pieces, as in memory.
#[test]
fn headings_are_checked_with_their_bodies() {
    let (_folder, path) = file();
    let (store, memory) = (open(&path).unwrap(), Memory::default());
    let ids = [create(&store, "a"), create(&memory, "a")];
    let mut state = State::default();
    for (name, nodes) in [("One", 0), ("Two", 10_000), ("Three", 2_000), ("Four", 1)] {
        let before = state.head();
        let record = real_of_nodes(&mut state, name, nodes);
        store.append(ids[0], before, record.clone()).wait().unwrap();
        memory.append(ids[1], before, record).wait().unwrap();
    }
    let headings = |store: &dyn Store, id, reading, limit| -> Vec<(u64, Result<String, Damage>)> {
        let headings = store.headings(id, reading, limit).unwrap().into_iter();
        let label = |checked: CheckedHeading| checked.heading.map(|heading| heading.label);
        headings
            .map(|checked| (checked.revision, label(checked)))
            .collect()
    };
    for reading in [LogRange::After(0), LogRange::After(2), LogRange::Before(4)] {
        for limit in [1, 2, 9] {
            let found = headings(&store, ids[0], reading, limit);
            assert_eq!(found, headings(&memory, ids[1], reading, limit));
            assert!(found.iter().all(|(_, label)| label.is_ok()), "{found:?}");
        }
    }
    assert_eq!(headings(&store, ids[0], LogRange::Before(9), 9).len(), 4);
    assert_eq!(headings(&store, ids[0], LogRange::After(4), 9), []);
    drop(store);
    // In the last piece of a large body.
    put(&path, br#"{"node_id":9999,"#, br#"{"node_id":9998,"#);
    let store = open(&path).unwrap();
    let found = headings(&store, ids[0], LogRange::After(0), 9);
    let damaged = found.iter().filter(|(_, label)| label.is_err());
    let damaged: Vec<_> = damaged.cloned().collect();
    assert_eq!(damaged, [(2, Err(Damage::Record(2)))]);
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
    match logs::read(
        &store,
        ProjectId(1),
        fibula::store::LogRange::After(0),
        true,
    ) {
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

/// Swaps the root pages of two tables or indexes.
fn swap(path: &Path, one: &str, other: &str) {
    let connection = rusqlite::Connection::open(path).unwrap();
    let root = |name: &str| {
        let sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?1";
        let root: u32 = connection.query_row(sql, [name], |row| row.get(0)).unwrap();
        (root as usize - 1) * 4096
    };
    let (one, other) = (root(one), root(other));
    drop(connection);
    let mut bytes = fs::read(path).unwrap();
    let first = bytes[one..one + 4096].to_vec();
    bytes.copy_within(other..other + 4096, one);
    bytes[other..other + 4096].copy_from_slice(&first);
    fs::write(path, bytes).unwrap();
}

/// Each of these alone would be a valid file, in which a project is empty, missing or older.
#[test]
fn a_log_or_a_list_that_is_empty_by_damage_contradicts_the_rest() {
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    let mut state = State::default();
    for count in 0..5 {
        let before = state.head();
        let record = real(&mut state, &format!("F{count}"));
        store.append(id, before, record).wait().unwrap();
    }
    drop(store);
    let sound = fs::read(&path).unwrap();
    let empty_index = "sqlite_autoindex_content_1";
    for (one, other) in [
        ("log_revision", empty_index),
        ("project_name", empty_index),
        ("log_revision", "project_name"),
        ("project", "content"),
        ("log", "content"),
        ("log", "snapshot"),
        ("head", "project"),
    ] {
        fs::write(&path, &sound).unwrap();
        swap(&path, one, other);
        let store = open(&path).unwrap();
        let listed = store.projects().map(|rows| {
            let damaged = rows.iter().filter(|row| row.damage.is_some());
            (rows.len(), damaged.count())
        });
        assert!(
            matches!(listed, Ok((1, 1)) | Err(StoreError::Damaged(_))),
            "{one} {other}: {listed:?}"
        );
        let found = store.find("a").and_then(|id| {
            let loaded = load(&store, id.expect("a name that is known"), None)?;
            Ok((loaded.state.revision(), loaded.damage))
        });
        assert!(
            matches!(found, Ok((_, Some(_))) | Err(StoreError::Damaged(_))),
            "{one} {other}: {found:?}"
        );
    }
}

/// Without the index of the log, a later commit shows that an earlier one was durable.
#[test]
fn a_write_ahead_log_that_lost_commits_is_refused() {
    let (folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    append(&store, id, 6, 100).unwrap();
    let copy = folder.path().join("copy.db");
    let with = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    let (database, log) = (fs::read(&path).unwrap(), fs::read(with(&path)).unwrap());
    let frames = (log.len() - 32) / 4120;
    assert!(frames > 20, "{frames}");
    for damaged in 0..frames {
        let mut log = log.clone();
        log[32 + damaged * 4120 + 1000] ^= 1;
        fs::write(&copy, &database).unwrap();
        fs::write(with(&copy), &log).unwrap();
        match open(&copy) {
            // Such a log is what a power failure within the last commit leaves.
            Ok(store) => {
                assert!(damaged + 6 > frames, "frame {damaged} of {frames}");
                assert_eq!(logs::log(&store, id).len(), 5);
            }
            Err(error) => {
                assert!(matches!(error, StoreError::Damaged(_)), "{error:?}");
                assert_eq!(fs::read(with(&copy)).unwrap(), log, "it was changed");
            }
        }
        drop(fs::remove_file(format!("{}-shm", copy.display())));
    }
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
