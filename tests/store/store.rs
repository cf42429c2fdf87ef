//! Laws of all stores: whatever is done to them, they answer alike, and as they did before they were closed.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::logs::{create, head, log, made, read, real, view};
use fibula::edit::{CommitInfo, EntryKind, Head, Origin, State};
use fibula::graph::ContentHash;
use fibula::store::sqlite::{Durability, Options};
use fibula::store::{
    LogRange, LogRewrite, Memory, ProjectId, Record, Registration, Sqlite, Store, StoreError,
    StoredSnapshot, Ticket, load, renew_snapshot, snapshot,
};
use proptest::prelude::*;

/// Operation on a store; numbers are reduced to what there is.
#[derive(Debug, Clone)]
enum Step {
    Create(u8),
    Rename(u8, u8),
    Delete(u8),
    Restore(u8, u8),
    Purge(u8),
    /// Some records, one after the other, without waiting between.
    Append(u8, Vec<Size>),
    /// A record behind a head that is not, or with the wrong revision.
    Misplaced(u8, u8),
    Snapshot(u8, u8, u16),
    Rewrite {
        project: u8,
        base: Option<u8>,
        records: Vec<u8>,
        wipe: bool,
        stale: bool,
    },
    Content(u8, Vec<u8>),
    Reopen,
}

#[derive(Debug, Clone, Copy)]
struct Size(u16);

const PROJECTS: u8 = 6;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let id = || 0..PROJECTS;
    let name = || 0..4_u8;
    let size = prop_oneof![8 => 0..600_u16, 1 => 3000..9000_u16].prop_map(Size);
    let step = prop_oneof![
        4 => name().prop_map(Step::Create),
        1 => (id(), name()).prop_map(|(id, name)| Step::Rename(id, name)),
        1 => id().prop_map(Step::Delete),
        1 => (id(), name()).prop_map(|(id, name)| Step::Restore(id, name)),
        1 => id().prop_map(Step::Purge),
        12 => (id(), prop::collection::vec(size, 1..30)).prop_map(|(id, sizes)| Step::Append(id, sizes)),
        2 => (id(), any::<u8>()).prop_map(|(id, how)| Step::Misplaced(id, how)),
        4 => (id(), any::<u8>(), any::<u16>()).prop_map(|(id, at, size)| Step::Snapshot(id, at, size)),
        2 => (id(), any::<Option<u8>>(), prop::collection::vec(any::<u8>(), 0..5), 0..8_u8, 0..5_u8).prop_map(
            |(project, base, records, wipe, stale)| Step::Rewrite {
                project,
                base,
                records,
                wipe: wipe == 0,
                stale: stale == 0,
            }
        ),
        2 => (id(), prop::collection::vec(any::<u8>(), 0..3)).prop_map(|(project, bytes)| Step::Content(project, bytes)),
        2 => Just(Step::Reopen),
    ];
    prop::collection::vec(step, 1..40)
}

fn names() -> Vec<String> {
    (0..4).map(|name| format!("Größe '{name}'")).collect()
}

/// Outcome of a step.
#[derive(Debug, PartialEq)]
enum Outcome {
    Done(Vec<Result<(), StoreError>>),
    Project(Result<ProjectId, StoreError>),
    Content(Result<ContentHash, StoreError>, Option<Vec<u8>>),
}

fn stored(revision: u64, size: u16) -> StoredSnapshot {
    StoredSnapshot {
        revision,
        hash: head(revision, 9).hash,
        bytes: vec![size as u8; size.into()],
    }
}

#[expect(clippy::too_many_lines, reason = "one arm for each step")]
fn perform(store: &dyn Store, step: &Step, salt: u64) -> Outcome {
    let id = |number: u8| ProjectId(u64::from(number));
    let register = |change| Outcome::Project(store.register(change));
    let name = |name: u8| names()[usize::from(name)].clone();
    let ends = |id| store.head(id).unwrap_or_default();
    match step {
        Step::Create(called) => register(Registration::Create {
            name: name(*called),
            at: u64::MAX - salt,
        }),
        Step::Rename(project, called) => register(Registration::Rename {
            id: id(*project),
            name: name(*called),
        }),
        Step::Delete(project) => register(Registration::Delete {
            id: id(*project),
            at: salt,
        }),
        Step::Restore(project, called) => register(Registration::Restore {
            id: id(*project),
            name: name(*called),
        }),
        Step::Purge(project) => register(Registration::Purge { id: id(*project) }),
        Step::Append(project, sizes) => {
            let mut last = ends(id(*project));
            let tickets = sizes.iter().map(|size| {
                let record = made(last, salt, size.0.into());
                let expected = last;
                last = record.head();
                store.append(id(*project), expected, record)
            });
            let tickets: Vec<_> = tickets.collect();
            Outcome::Done(tickets.into_iter().map(Ticket::wait).collect())
        }
        Step::Misplaced(project, how) => {
            let last = ends(id(*project));
            let mut wrong = last;
            match how % 3 {
                0 => wrong.hash = !last.hash,
                1 => wrong.revision += 1,
                _ => wrong.revision = last.revision.saturating_sub(1),
            }
            // The ones around the refused one are as good as any.
            let good = made(last, salt, 7);
            let next = good.head();
            let gap = Record {
                revision: good.revision + 5,
                ..good.clone()
            };
            let tickets = [
                store.append(id(*project), wrong, made(wrong, salt, 3)),
                store.append(id(*project), last, gap),
                store.append(id(*project), last, good.clone()),
                store.append(id(*project), last, good),
                store.append(id(*project), next, made(next, salt, 11)),
            ];
            Outcome::Done(tickets.map(Ticket::wait).into())
        }
        Step::Snapshot(project, at, size) => {
            let last = ends(id(*project)).revision;
            let revision = u64::from(*at) % (last + 1);
            Outcome::Done(vec![
                store.put_snapshot(id(*project), stored(revision, *size)),
            ])
        }
        Step::Rewrite {
            project,
            base,
            records,
            wipe,
            stale,
        } => {
            let last = ends(id(*project));
            let first = store.base(id(*project)).unwrap_or_default();
            let among = |number: &u8| first + u64::from(*number) % (last.revision - first + 1);
            let records: Vec<Record> = records
                .iter()
                .map(|number| made(head(among(number), 0), salt, usize::from(*number) * 20))
                .filter(|record| record.revision <= last.revision || *stale)
                .collect();
            let base = base.as_ref().map(|number| {
                let base = stored(among(number), 100);
                let there =
                    read(store, id(*project), LogRange::After(0), false).unwrap_or_default();
                let mut led = records.iter().chain(&there);
                let led = led.find(|record| record.revision == base.revision);
                let hash = led.map_or(base.hash, |record| record.hash);
                StoredSnapshot { hash, ..base }
            });
            let mut expected = last;
            if *stale {
                expected.hash = !last.hash;
            }
            let rewriting = LogRewrite {
                expected,
                base,
                records,
                wipe: *wipe,
            };
            Outcome::Done(vec![store.rewrite(id(*project), rewriting)])
        }
        Step::Content(project, bytes) => {
            let kept = store.put_content(id(*project), bytes);
            Outcome::Content(kept, store.content(ContentHash::digest(bytes)).unwrap())
        }
        Step::Reopen => Outcome::Done(Vec::new()),
    }
}

fn open(path: &Path) -> Sqlite {
    let options = with_defaults!(Options, durability: Durability::Normal);
    Sqlite::open(path, &options).unwrap()
}

fn file() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    (folder, path)
}

/// Does it with every store.
fn with_each(law: impl Fn(&dyn Store)) {
    law(&Memory::default());
    let (_folder, path) = file();
    law(&open(&path));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn stores_answer_alike(steps in steps()) {
        let memory = Memory::default();
        let (_folder, path) = file();
        let mut sqlite = open(&path);
        let most = u64::from(PROJECTS);
        for (salt, step) in steps.iter().enumerate() {
            if matches!(step, Step::Reopen) {
                drop(sqlite);
                sqlite = open(&path);
            }
            let expected = perform(&memory, step, salt as u64);
            prop_assert_eq!(perform(&sqlite, step, salt as u64), expected, "{:?}", step);
            prop_assert_eq!(view(&sqlite, &names(), most), view(&memory, &names(), most), "after {:?}", step);
        }
        prop_assert_eq!(sqlite.integrity().unwrap(), Vec::<String>::new());
        drop(sqlite);
        let sqlite = open(&path);
        prop_assert_eq!(view(&sqlite, &names(), most), view(&memory, &names(), most));
    }
}

#[test]
fn an_append_that_is_refused_spoils_no_other() {
    with_each(|store| {
        let (a, b) = (create(store, "a"), create(store, "b"));
        let start = Head::default();
        let first = made(start, 1, 10);
        let second = head(1, 1);
        let tickets = [
            store.append(a, start, first.clone()),
            store.append(b, second, made(second, 1, 10)),
            store.append(a, start, first.clone()),
            store.append(ProjectId(99), start, first.clone()),
            store.append(a, second, made(second, 1, 10)),
            store.append(b, start, first.clone()),
        ];
        let conflict = |expected, found| Err(StoreError::Conflict { expected, found });
        let outcomes = tickets.map(fibula::store::Ticket::wait);
        assert_eq!(
            outcomes,
            [
                Ok(()),
                conflict(second, start),
                conflict(start, second),
                Err(StoreError::UnknownProject(99)),
                Ok(()),
                Ok(()),
            ]
        );
        assert_eq!(log(store, a).len(), 2);
        assert_eq!(log(store, b), [first]);
    });
}

#[test]
fn a_log_is_read_while_it_grows_and_by_who_is_read_to() {
    with_each(|store| {
        let id = create(store, "a");
        let add = |count: u64| {
            let first = store.head(id).unwrap();
            let mut tickets = Vec::new();
            let mut last = first;
            for _ in 0..count {
                let record = made(last, 0, 2000);
                tickets.push(store.append(id, last, record.clone()));
                last = record.head();
            }
            for ticket in tickets {
                ticket.wait().unwrap();
            }
        };
        add(1500);
        let mut seen = Vec::new();
        let outcome = store.read(id, LogRange::After(3), true, &mut |record| {
            if record.revision == 700 {
                add(10);
            }
            let position = store.place(id, record.revision).unwrap().unwrap();
            assert_eq!(position.0, record.revision);
            seen.push(record.revision);
            ControlFlow::Continue(())
        });
        outcome.unwrap();
        assert_eq!(seen, (4..=1510).collect::<Vec<_>>());
        let mut last = None;
        let outcome = store.read(id, LogRange::Before(1000), false, &mut |record| {
            assert_eq!(record.body, b"");
            last = Some(record.revision);
            crate::calls::stop_if(record.revision == 40)
        });
        outcome.unwrap();
        assert_eq!(last, Some(40));
        let missing = read(store, ProjectId(77), LogRange::After(0), true);
        assert_eq!(missing, Err(StoreError::UnknownProject(77)));
    });
}

#[test]
fn a_real_log_is_loaded_from_a_snapshot_and_its_tail() {
    with_each(|store| {
        let id = create(store, "a");
        let mut state = State::default();
        for count in 0..30 {
            let before = state.head();
            let record = real(&mut state, &format!("F{count}"));
            store.append(id, before, record).wait().unwrap();
            if count == 20 {
                renew_snapshot(store, id).unwrap();
            }
        }
        let loaded = load(store, id, None).unwrap();
        assert_eq!((loaded.state.head(), loaded.snapshot), (state.head(), 21));
        assert_eq!((loaded.damage, loaded.skipped.len()), (None, 0));
        // A log that begins later ends in the same state.
        let old = load(store, id, Some(25)).unwrap();
        let rewriting = LogRewrite {
            expected: state.head(),
            base: Some(snapshot::encode(&old.state)),
            records: Vec::new(),
            wipe: false,
        };
        store.rewrite(id, rewriting).unwrap();
        assert_eq!(store.base(id), Ok(25));
        assert_eq!(log(store, id).len(), 5);
        let loaded = load(store, id, None).unwrap();
        assert_eq!((loaded.state.head(), loaded.snapshot), (state.head(), 25));
    });
}

/// Of two rewritings that were put together from one log, the second finds out, though the log ends as before.
#[test]
fn a_log_is_not_rewritten_by_who_knows_another_one() {
    with_each(|store| {
        let id = create(store, "a");
        let mut last = Head::default();
        for _ in 0..6 {
            let record = made(last, 0, 10);
            let expected = std::mem::replace(&mut last, head(record.revision, 0));
            store.append(id, expected, record).wait().unwrap();
        }
        let old = log(store, id);
        let base = |revision, hash| StoredSnapshot {
            hash,
            ..stored(revision, 10)
        };
        let rewrite = |base: Option<StoredSnapshot>, records: &[Record], wipe: bool| {
            let before = (log(store, id), store.base(id));
            let rewriting = LogRewrite {
                expected: last,
                base,
                records: records.to_vec(),
                wipe,
            };
            let outcome = store.rewrite(id, rewriting);
            if outcome.is_err() {
                assert!(matches!(outcome, Err(StoreError::Conflict { .. })));
                assert_eq!((log(store, id), store.base(id)), before);
            }
            outcome.is_ok()
        };
        // A redaction, and then a forgetting that has not seen it.
        assert!(rewrite(None, &[made(head(1, 0), 7, 10)], true));
        assert!(!rewrite(Some(base(2, old[1].hash)), &[], false));
        // A forgetting, and then a redaction of all that was there.
        assert!(rewrite(Some(base(3, old[2].hash)), &[], false));
        assert!(!rewrite(None, &old, true));
        assert!(!rewrite(Some(base(1, old[0].hash)), &old[3..], true));
        assert!(rewrite(Some(base(3, 5)), &old[3..], true));
    });
}

/// One that was put together while the log was rewritten comes too late.
#[test]
fn a_snapshot_of_a_state_that_the_log_has_not_is_passed_over() {
    with_each(|store| {
        let id = create(store, "a");
        let (mut state, mut other) = (State::default(), State::default());
        for count in 0..5 {
            let before = state.head();
            let record = real(&mut state, &format!("F{count}"));
            real(&mut other, "Erika");
            store.append(id, before, record).wait().unwrap();
        }
        store.put_snapshot(id, snapshot::encode(&other)).unwrap();
        let loaded = load(store, id, None).unwrap();
        assert_eq!(loaded.state.head(), state.head());
        assert_eq!((loaded.damage, loaded.skipped.len()), (None, 1));
    });
}

#[test]
fn places_grow_whatever_goes() {
    with_each(|store| {
        let (a, b) = (create(store, "a"), create(store, "b"));
        let start = Head::default();
        store.append(a, start, made(start, 0, 1)).wait().unwrap();
        store.append(b, start, made(start, 0, 1)).wait().unwrap();
        let end = store.end().unwrap();
        store
            .register(Registration::Delete { id: b, at: 1 })
            .unwrap();
        store.register(Registration::Purge { id: b }).unwrap();
        assert_eq!(store.end().unwrap(), end);
        let last = head(1, 0);
        store.append(a, last, made(last, 0, 1)).wait().unwrap();
        assert!(store.place(a, 2).unwrap().unwrap() > end);
        assert_eq!(store.stream(end, 10).unwrap().len(), 1);
        // Neither is the id of a project.
        assert!(create(store, "c") > b);
    });
}

#[test]
fn bytes_go_with_the_last_project_that_keeps_them() {
    with_each(|store| {
        let (a, b) = (create(store, "a"), create(store, "b"));
        let hash = store.put_content(a, b"drawing").unwrap();
        store.put_content(b, b"drawing").unwrap();
        let own = store.put_content(b, b"secret").unwrap();
        let refused = store.register(Registration::Purge { id: b });
        assert_eq!(
            refused,
            Err(StoreError::UnknownProject(b.0)),
            "it is not deleted"
        );
        store
            .register(Registration::Delete { id: b, at: 1 })
            .unwrap();
        assert_eq!(store.content(own).unwrap().unwrap(), b"secret");
        store.register(Registration::Purge { id: b }).unwrap();
        assert_eq!(store.content(own).unwrap(), None);
        assert_eq!(store.content(hash).unwrap().unwrap(), b"drawing");
        let refused = store.put_content(b, b"more");
        assert_eq!(refused, Err(StoreError::UnknownProject(b.0)));
    });
}

#[test]
fn what_is_written_is_told() {
    with_each(|store| {
        let id = create(store, "a");
        let mut watch = store.watch();
        let start = Head::default();
        store.append(id, start, made(start, 0, 1)).wait().unwrap();
        assert!(watch.has_changed().unwrap());
        watch.mark_unchanged();
        let refused = store.append(id, start, made(start, 0, 1)).wait();
        assert!(refused.is_err());
        assert!(!watch.has_changed().unwrap());
    });
}

/// State of the snapshot of the second form: functions, resources, and a checkpoint.
fn second_form() -> State {
    let edits = serde_json::json!([
        { "set_function": { "function_id": 3, "name": "Größe",
            "inputs": [{ "name": "pos", "type": "float3" }], "outputs": [{ "name": "shape", "type": "float" }],
            "nodes": [
                { "node_id": 0, "node_type": "End", "parameters": { "shape": { "source": [2, "result"] } } },
                { "node_id": 1, "node_type": "Begin" },
                { "node_id": 2, "node_type": "Length", "position": [1.5, -2], "parameters": { "A": { "source": [1, "pos"] } } },
            ] } },
        { "model": { "set_metadata": { "name": "Title", "value": "a part" } } },
        { "model": { "set_part": { "name": "Metadata/thumbnail.png",
            "part": { "media_type": "image/png", "size": 4, "content": ContentHash::digest(b"PNG!").to_string() } } } },
        { "batch": [] },
    ]);
    let mut state = State::default();
    for (number, edit) in (0..).zip(edits.as_array().unwrap()) {
        let edit = serde_json::from_value(edit.clone()).unwrap();
        let checked = fibula::edit::check(state.document(), &edit).unwrap();
        let mut said = CommitInfo::edit(Origin::program("tests", "form"), number);
        if number == 3 {
            said.kind = EntryKind::Checkpoint("done".to_owned());
        }
        state.commit(checked, said);
    }
    state
}

#[test]
fn snapshots_of_the_second_form_are_read_for_ever() {
    let state = second_form();
    let stored = StoredSnapshot {
        revision: 4,
        hash: state.hash(),
        bytes: include_bytes!("../fixtures/snapshot-2.bin").to_vec(),
    };
    let read = snapshot::decode(&stored).unwrap();
    assert_eq!(read.head(), state.head());
    assert_eq!(read.document().data(), state.document().data());
    assert_eq!(read.checkpoints(), state.checkpoints());
}
