//! Power cuts: of what a program wrote and did not synchronise, any sectors may be lost. What it answered is there, nothing is
//! half there, and the store opens.
//!
//! `file_calls.c` records the file calls of a program. At random places of the record the power is cut: everything up to
//! the last synchronisation of a file is there, and of later writes any subset of the sectors, of later creations and
//! removals any first ones. `FIBULA_POWER_CUTS=1000 cargo test --test store power` cuts more often.
#![cfg(target_os = "linux")]

mod disk;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use fibula::edit::{Entry, Head, State};
use fibula::store::sqlite::{Durability, Options, Sqlite};
use fibula::store::{LogRange, ProjectId, Store, load};
use serde_json::{Value as Json, json};

use crate::talk::call;
use disk::{Disk, Event, Files, Random, events};

/// Number of power cuts of all rounds.
const CUTS: usize = 64;
/// Numbers of edits and lengths of their three texts in the rounds, each of which starts from a cut of the round before. In the third
/// one the write-ahead log is copied to the database and begun anew.
const ROUNDS: [(u64, usize); 4] = [(30, 10), (40, 4_000), (150, LONGEST), (40, 4_000)];
/// Length of the texts of the third round.
const LONGEST: usize = 60_000;
/// Maximum number of further records of the third round, until the log begins anew.
const ATTEMPTS: usize = 8;

/// Compiles the recorder.
fn recorder(folder: &Path) -> PathBuf {
    let library = folder.join("file_calls.so");
    let source = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/store/power/file_calls.c"
    );
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .args([&library, Path::new(source)])
        .arg("-ldl")
        .status();
    assert!(compiled.expect("a C compiler").success());
    library
}

/// An edit that stores texts of some length, which cannot be compressed much.
fn edit(number: u64, length: usize, random: &mut Random) -> Json {
    let mut text = || -> String {
        let letter = |_| char::from(b'0' + random.below(75) as u8);
        (0..length).map(letter).collect()
    };
    let texts = [text(), text(), text()];
    let label = format!("node {number}");
    let node = json!({ "label": label, "types": "fact", "observations": texts });
    call(
        number,
        "add_nodes",
        &json!({ "nodes": [node], "on_conflict": "add" }),
    )
}

/// Lets a program answer some edits, and returns what it did.
fn recorded(data: &Path, library: &Path, edits: Vec<Json>, durability: &str) -> Vec<Event> {
    let record = data.with_extension("record");
    let count = edits.len();
    let mut child = Command::new(env!("CARGO_BIN_EXE_fibula"))
        .args(["mcp", "--durability", durability, "--data"])
        .arg(data)
        .env("LD_PRELOAD", library)
        .env("FIBULA_POWER_STORE", data)
        .env("FIBULA_POWER_RECORD", &record)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    let writer = thread::spawn(move || {
        for edit in edits {
            writeln!(input, "{edit}").expect("it reads");
        }
    });
    let answers: Vec<String> = output.lines().map(|line| line.expect("a line")).collect();
    writer.join().expect("no panic");
    assert!(child.wait().expect("it ends").success());
    assert_eq!(answers.len(), count);
    let bytes = fs::read(&record).expect("a record");
    fs::remove_file(&record).expect("it is removed");
    events(&bytes)
}

/// True if the write-ahead log was begun anew.
fn begins_anew(events: &[Event]) -> bool {
    events.iter().filter(|event| event.begins_log()).count() > 1
}

/// What the log of the project has, and the head of each of its states.
fn history(store: &Sqlite) -> Vec<(Entry, Head)> {
    let mut state = State::default();
    let mut all = Vec::new();
    if store.find("default").expect("it can be read").is_none() {
        return all;
    }
    store
        .read(ProjectId(1), LogRange::After(0), true, &mut |record| {
            let entry = record.entry().expect("an entry is whole");
            state.replay(&entry).expect("it follows the one before");
            all.push((entry, state.head()));
            ControlFlow::Continue(())
        })
        .expect("the log can be read");
    all
}

/// Number of revisions in some files.
fn revisions(files: &Files, place: &Path, options: &Options) -> usize {
    let data = place.join("fibula.db");
    files.write(place, &data);
    let count = history(&Sqlite::open(&data, options).expect("the store opens")).len();
    fs::remove_dir_all(place).expect("it is removed");
    count
}

/// Opens what a cut left; returns the number of revisions.
fn recovered(data: &Path, answered: usize, complete: &[(Entry, Head)], options: &Options) -> usize {
    if let (Durability::Normal, Err(refused)) =
        (options.durability, Sqlite::open(data, &Options::default()))
    {
        // Commits may be lost, which is no damage where it is permitted.
        assert_contains!(&refused.to_string() => "--durability normal");
    }
    let store = Sqlite::open(data, options).expect("the store opens");
    let left = history(&store);
    assert!(
        left.len() >= answered,
        "{answered} answered, {} there",
        left.len()
    );
    for (is, was) in left.iter().zip(complete) {
        assert_eq!(is.1, was.1);
    }
    assert!(left.len() <= complete.len());
    if let Some((_, head)) = left.last() {
        let loaded = load(&store, ProjectId(1), None).expect("the state can be read");
        assert_eq!((loaded.damage, loaded.skipped), (None, Vec::new()));
        assert_eq!(loaded.state.head(), *head);
    }
    left.len()
}

fn cut_often(durability: Durability, name: &str) {
    let cuts = std::env::var("FIBULA_POWER_CUTS")
        .map_or(CUTS, |text| text.parse().expect("a number"))
        .div_ceil(2 * ROUNDS.len());
    let folder = tempfile::tempdir().expect("a folder");
    let library = recorder(folder.path());
    let options = with_defaults!(Options, durability);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut start, mut number) = (Files::default(), 0);
    let (mut lost, mut kept, mut begun_anew) = (0, 0, false);
    for (round, (edits, length)) in ROUNDS.into_iter().enumerate() {
        let place = folder.path().join(format!("round {round}"));
        let data = place.join("fibula.db");
        start.write(&place, &data);
        let before = revisions(&start, &folder.path().join("before"), &options);
        let edits: Vec<Json> = (0..edits)
            .map(|_| {
                number += 1;
                edit(number, length, &mut random)
            })
            .collect();
        let mut events = recorded(&data, &library, edits.clone(), name);
        if length == LONGEST {
            // A reader at the wrong moment, or one commit of all edits, keeps the log from beginning anew.
            for _ in 0..ATTEMPTS {
                if begins_anew(&events) {
                    break;
                }
                fs::remove_dir_all(&place).expect("it is removed");
                start.write(&place, &data);
                events = recorded(&data, &library, edits.clone(), name);
            }
        }
        begun_anew |= begins_anew(&events);
        let mut disk = Disk::new(&start);
        let mut places: Vec<usize> = (0..cuts).map(|_| random.below(events.len())).collect();
        places.sort_unstable();
        let mut cut = Vec::new();
        let mut at = 0;
        for place in places {
            while at < place {
                disk.apply(&events[at]);
                at += 1;
            }
            let answered = disk.answered().unwrap_or(before);
            cut.push((answered, disk.cut(&mut random)));
        }
        for event in &events[at..] {
            disk.apply(event);
        }
        // The record is complete.
        disk.assert_is(&place);
        assert!(disk.answered() > Some(before), "no answer is recorded");
        let complete = history(&Sqlite::open(&data, &options).expect("the store opens"));
        for (number, (answered, files)) in cut.iter().enumerate() {
            let place = folder.path().join(format!("cut {round} {number}"));
            let data = place.join("fibula.db");
            files.write(&place, &data);
            let least = match durability {
                Durability::Full => *answered,
                Durability::Normal => 0,
            };
            let left = recovered(&data, least, &complete, &options);
            lost += complete.len() - left;
            kept += left.saturating_sub(before);
            fs::remove_dir_all(&place).expect("it is removed");
        }
        let (_, files) = cut.swap_remove(random.below(cut.len()));
        start = files;
    }
    println!("{name}: {kept} edits were kept, {lost} not yet answered ones lost");
    assert!(kept > 0 && lost > 0 && begun_anew);
}

#[test]
fn what_was_answered_survives_every_power_cut() {
    cut_often(Durability::Full, "full");
}

#[test]
fn a_power_cut_loses_only_the_last_edits_where_that_is_permitted() {
    cut_often(Durability::Normal, "normal");
}
