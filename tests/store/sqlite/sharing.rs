//! No room, several on one file, copies and wiping.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use fibula::edit::Head;
use fibula::store::sqlite::{Durability, Options};
use fibula::store::{
    LogRewrite, ProjectId, Record, Registration, Sqlite, Store, StoreError, StoredSnapshot,
};

use super::{
    add, append, beside, child, ends_well, file, given, limited, open, open_to_read, within,
};
use crate::logs::{create, head, log, made};

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_and_is_left_behind() {
    if let Some(path) = given() {
        return fills(&path);
    }
    let (_folder, path) = file();
    let test = child(
        "sharing::a_full_disk_loses_nothing_and_is_left_behind",
        &path,
    );
    limited(&test, &path);
}

#[cfg(unix)]
fn fills(path: &Path) {
    let store = open(path).unwrap();
    let id = create(&store, "a");
    let full = |error| matches!(error, StoreError::Full(_));
    let refused = append(&store, id, 1000, 3000).unwrap_err();
    assert!(full(refused.clone()), "{refused:?}");
    let head = store.head(id).unwrap();
    assert!(head.revision > 40);
    // Nothing of a group is written if not all of it is.
    let other = create_if_there_is_room(&store);
    assert!(other.is_none_or(|other| store.head(other) == Ok(Head::default())));
    assert!(full(append(&store, id, 1000, 3000).unwrap_err()));
    let before = log(&store, id);
    let last = before.last().map(|record| record.revision);
    assert_eq!(last, Some(store.head(id).unwrap().revision));
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
    within(|| two.foreign_writes() > 0);
    let (before, own) = (two.foreign_writes(), one.foreign_writes());
    let watch = two.watch();
    append(&one, id, 1, 1).unwrap();
    within(|| two.foreign_writes() > before);
    assert!(watch.has_changed().unwrap());
    let found = one.foreign_writes();
    assert_eq!(found, own, "its own writing is foreign to it");
    // Who writes itself has noticed by the time that it is told.
    let before = two.foreign_writes();
    append(&one, id, 1, 1).unwrap();
    let stale = two.append(id, head(1, 0), made(head(1, 0), 0, 1)).wait();
    assert!(matches!(stale, Err(StoreError::Conflict { .. })));
    assert!(two.foreign_writes() > before);
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
    let test = "sharing::processes_make_and_fill_a_store_together";
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
    let options =
        with_defaults!(Options, busy: Duration::from_millis(30), durability: Durability::Normal);
    let store = Sqlite::open(&path, &options).unwrap();
    let id = create(&store, "a");
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let refused = append(&store, id, 1, 1).unwrap_err();
    assert!(matches!(refused, StoreError::Busy(_)), "{refused:?}");
    let found = store.head(id);
    assert_eq!(found, Ok(Head::default()), "reading waits for nobody");
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
                    StoredSnapshot {
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
    let rewriting = LogRewrite {
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
