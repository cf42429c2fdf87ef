//! What the file of a store may meet: pipes, permissions, an interrupted first write, moving, a full disk for a copy.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use fibula::store::{Store, StoreError};

use super::{append, as_stranger, beside, child, file, given, limited, open, open_to_read};
use crate::logs::{create, log};

#[cfg(unix)]
#[test]
fn a_named_pipe_is_no_store() {
    let (_folder, path) = file();
    match Command::new("mkfifo").arg(&path).status() {
        Ok(status) => assert!(status.success()),
        Err(error) => return println!("skipped: there is no mkfifo: {error}"),
    }
    let refused = Err(StoreError::NoStore(path.display().to_string()));
    assert_eq!(open(&path).map(drop), refused);
    assert_eq!(open_to_read(&path).map(drop), refused);
}

#[test]
fn a_file_that_may_not_be_read_is_called_so() {
    if let Some(path) = given() {
        let denied = Err(StoreError::Denied(path.display().to_string()));
        assert_eq!(open(&path).map(drop), denied);
        assert_eq!(open_to_read(&path).map(drop), denied);
        return;
    }
    let (folder, path) = file();
    create(&open(&path).unwrap(), "a");
    let name = "files::a_file_that_may_not_be_read_is_called_so";
    as_stranger(child(name, &path), folder.path(), 0o000);
}

/// SQLite writes a rollback journal before the first page of a new database; a power failure may leave any part of it.
#[test]
fn an_interrupted_first_write_is_rolled_back() {
    let (_folder, path) = file();
    create(&open(&path).unwrap(), "a");
    let page = fs::read(&path).unwrap()[..4096].to_vec();
    // No pages to restore, of a database of no pages: sector size 512, page size 4096.
    let mut journal = vec![0; 512];
    journal[..8].copy_from_slice(&[0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    journal[20..28].copy_from_slice(&[0, 0, 2, 0, 0, 0, 0x10, 0]);
    let beside = PathBuf::from(format!("{}-journal", path.display()));
    let zeroed = [vec![0; 512], page[512..].to_vec()].concat();
    for torn in [&page[..100], &page[..600], &page[..], &zeroed[..]] {
        fs::write(&path, torn).unwrap();
        fs::write(&beside, &journal).unwrap();
        let store = open(&path).unwrap();
        assert_eq!(store.projects().unwrap(), []);
        create(&store, "a");
        assert!(!beside.exists());
    }
    // Without a journal it is damage.
    fs::write(&path, &page[..600]).unwrap();
    assert!(matches!(open(&path), Err(StoreError::Damaged(_))));
}

#[cfg(unix)]
#[test]
fn nothing_is_acknowledged_by_a_file_that_was_moved() {
    let (folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    append(&store, id, 3, 100).unwrap();
    let place = path.canonicalize().unwrap().display().to_string();
    let refused = || {
        for _ in 0..2 {
            let moved = Err(StoreError::Moved(place.clone()));
            assert_eq!(append(&store, id, 1, 100), moved);
            assert_eq!(store.put_content(id, b"x").map(drop), moved);
        }
    };
    let away = folder.path().join("away.db");
    fs::rename(&path, &away).unwrap();
    refused();
    // A copy has taken its place.
    fs::write(&path, fs::read(&away).unwrap()).unwrap();
    refused();
    fs::remove_file(&path).unwrap();
    refused();
    fs::rename(&away, &path).unwrap();
    append(&store, id, 2, 100).unwrap();
    assert_eq!(log(&store, id).len(), 5);
}

#[cfg(unix)]
#[test]
fn a_copy_without_room_is_named_and_removed() {
    let copy = |path: &Path| path.with_file_name("copy.db");
    if let Some(path) = given() {
        let full = StoreError::Full(copy(&path).display().to_string());
        assert_eq!(open(&path).unwrap().backup(&copy(&path)), Err(full));
        return;
    }
    let (_folder, path) = file();
    let store = open(&path).unwrap();
    let id = create(&store, "a");
    append(&store, id, 400, 6000).unwrap();
    drop(store);
    limited(
        &child("files::a_copy_without_room_is_named_and_removed", &path),
        &path,
    );
    assert_eq!(beside(&path), [path]);
}
