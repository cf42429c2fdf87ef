//! Projects as files, and what is found of damaged ones.

use std::io::{BufReader, Read};
use std::ops::ControlFlow;
use std::sync::Arc;

use crate::calls::replace_record;
use crate::random::{Seed, edit, seeds};
use fibula::edit::{CommitInfo, EntryKind, Origin, State, check};
use fibula::service::{
    Compact, CreateProject, Export, ExportResult, ImportProject, ListProjects, Options,
    ProjectImported, Refusal, Service, Undo,
};
use fibula::store::{
    Damage, LogRange, Memory, ProjectId, Record, Registration, Store, StoredSnapshot, load,
    snapshot, verify,
};
use proptest::prelude::*;

const NAME: &str = "bracket";

/// A service on a store of its own.
fn service() -> (Arc<Memory>, Service) {
    let store = Arc::new(Memory::default());
    let service = Service::with_store(store.clone(), &Options::default());
    (store, service)
}

/// A project whose log has what these seeds mean, and a checkpoint now and then.
fn project(store: &Memory, seeds: &[Seed]) -> ProjectId {
    let create = Registration::Create {
        name: NAME.to_owned(),
        at: 1,
    };
    let id = store.register(create).unwrap();
    // Some of the files that the seeds mean have lost their bytes.
    for byte in (0..=255).step_by(2) {
        store.put_content(id, &[byte]).unwrap();
    }
    let mut state = State::default();
    for (place, seed) in seeds.iter().enumerate() {
        let Ok(checked) = check(state.document(), &edit(state.document(), seed)) else {
            continue;
        };
        let client = ["one", "two"][place % 2];
        let mut said = CommitInfo::edit(Origin::program(client, "test"), 1_000 + place as u64);
        if place % 7 == 3 {
            said.kind = EntryKind::Checkpoint(format!("checkpoint {place}"));
        }
        let before = state.head();
        let (entry, _) = state.commit(checked, said);
        store
            .append(id, before, Record::new(&entry))
            .wait()
            .unwrap();
    }
    id
}

fn export(service: &Service, request: Export) -> Result<(ExportResult, Vec<u8>), Refusal> {
    let mut bytes = Vec::new();
    let project = request.project.or(Some(NAME.to_owned()));
    let exported = service.export(&Export { project, ..request }, &mut bytes)?;
    Ok((exported, bytes))
}

fn import(service: &Service, mut bytes: &[u8]) -> Result<ProjectImported, Refusal> {
    service.import_project(&ImportProject::default(), &mut bytes)
}

fn records(store: &dyn Store, id: ProjectId) -> Vec<Record> {
    let mut records = Vec::new();
    store
        .read(id, LogRange::After(0), true, &mut |record| {
            records.push(record);
            ControlFlow::Continue(())
        })
        .unwrap();
    records
}

fn state(store: &dyn Store, id: ProjectId) -> State {
    let loaded = load(store, id, None).unwrap();
    assert_eq!(loaded.damage, None);
    loaded.state
}

/// Nothing that was not there before.
fn assert_nothing_is_left(store: &Memory, before: usize) {
    assert_eq!(store.projects().unwrap().len(), before);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 5_000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_imported_is_what_was_exported(seeds in seeds(40), compacted in 0_u64..60) {
        let (store, service) = service();
        let id = project(&store, &seeds);
        let request = Compact {
            project: Some(NAME.to_owned()),
            revision: Some(compacted),
            expected_revision: None,
            dry_run: false,
        };
        // There may be no such revision.
        let _ = service.compact(&request);
        let (exported, bytes) = export(&service, Export::default()).unwrap();
        let (there, other) = self::service();
        let imported = import(&other, &bytes).unwrap();
        prop_assert_eq!(imported.revision, exported.revision);
        prop_assert_eq!(imported.first_revision, exported.first_revision);
        prop_assert_eq!(imported.entries, exported.entries);
        let new = there.find(NAME).unwrap().unwrap();
        prop_assert_eq!(there.head(new), store.head(id));
        prop_assert_eq!(there.base(new), store.base(id));
        prop_assert_eq!(records(&*there, new), records(&*store, id));
        let (one, two) = (state(&*store, id), state(&*there, new));
        prop_assert_eq!(one.document().data(), two.document().data());
        prop_assert_eq!(one.checkpoints(), two.checkpoints());
        let (again, the_same) = export(&other, Export::default()).unwrap();
        prop_assert_eq!(&again, &exported);
        prop_assert_eq!(the_same, bytes);
        let verified = verify(&*there, new).unwrap();
        let lost = |damage: &Damage| match damage {
            Damage::Lost(hash) => hash.clone(),
            other => panic!("{other}"),
        };
        let lost: Vec<String> = verified.damages.iter().map(lost).collect();
        prop_assert_eq!(&lost, &exported.missing);
        prop_assert_eq!(lost, imported.missing);
        prop_assert_eq!(verified.contents, exported.contents);
        // Undo goes on as it would have.
        let undo = Undo { project: Some(NAME.to_owned()), anyone: true, ..Undo::default() };
        for _ in 0..4 {
            let origin = Origin::program("three", "test");
            let undone = service.undo(&origin, &undo).map(|undone| undone.label);
            prop_assert_eq!(other.undo(&origin, &undo).map(|undone| undone.label), undone);
            prop_assert_eq!(there.head(new), store.head(id));
        }
    }

    #[test]
    fn a_part_is_what_the_project_was(seeds in seeds(40), revision in 0_u64..40, without_history in any::<bool>()) {
        let (store, service) = service();
        let id = project(&store, &seeds);
        let head = store.head(id).unwrap();
        let request = Export { revision: Some(revision), without_history, ..Export::default() };
        let part = export(&service, request);
        if revision > head.revision {
            prop_assert_eq!(part.unwrap_err().code, "unknown_revision");
            return Ok(());
        }
        let (there, other) = self::service();
        let imported = import(&other, &part.unwrap().1).unwrap();
        prop_assert_eq!(imported.revision, revision);
        let new = there.find(NAME).unwrap().unwrap();
        let then = load(&*store, id, Some(revision)).unwrap().state;
        let came = state(&*there, new);
        prop_assert_eq!(came.head(), then.head());
        prop_assert_eq!(came.checkpoints(), then.checkpoints());
        let kept = if without_history { 0 } else { revision as usize };
        prop_assert_eq!(records(&*there, new), &records(&*store, id)[..kept]);
    }

    #[test]
    fn bytes_that_changed_do_no_harm(seeds in seeds(12), changes in prop::collection::vec((any::<u16>(), any::<u8>()), 1..4)) {
        let (store, service) = service();
        project(&store, &seeds);
        let (_, mut bytes) = export(&service, Export::default()).unwrap();
        for (place, byte) in changes {
            let place = place as usize % bytes.len();
            bytes[place] = byte;
        }
        let (there, other) = self::service();
        if import(&other, &bytes).is_err() {
            assert_nothing_is_left(&there, 0);
        }
    }
}

/// A project with a base and five entries, exported.
fn file() -> String {
    let (_, service) = service();
    let origin = crate::calls::origin();
    let named = Some(NAME.to_owned());
    let create = CreateProject {
        project: NAME.to_owned(),
    };
    service.create_project(create).unwrap();
    for number in 0..8 {
        let request = fibula::service::CreateFunctionFromExpression {
            project: named.clone(),
            ..fibula::service::CreateFunctionFromExpression::new(
                format!("f{number}"),
                "length(pos) - 5",
            )
        };
        service
            .create_function_from_expression(&origin, request)
            .unwrap();
    }
    let request = Compact {
        project: named,
        revision: Some(3),
        expected_revision: None,
        dry_run: false,
    };
    service.compact(&request).unwrap();
    let (_, bytes) = export(&service, Export::default()).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Refused with this code, at this line if one is given, and without a trace.
fn refused(bytes: &[u8], code: &str, line: Option<usize>, says: &str) {
    let (store, service) = service();
    let refusal = import(&service, bytes).expect_err(says);
    assert_eq!(refusal.code, code, "{refusal}");
    assert!(refusal.message.contains(says), "{says}: {refusal}");
    if let Some(line) = line {
        let start = format!("line {line}: ");
        assert!(refusal.message.starts_with(&start), "{start}{refusal}");
    }
    assert_nothing_is_left(&store, 0);
}

fn text(lines: &[&str]) -> Vec<u8> {
    lines.join("\n").into_bytes()
}

/// The lines with another in this place.
fn with(lines: &[&str], place: usize, line: &str) -> Vec<u8> {
    let mut lines = lines.to_vec();
    lines[place] = line;
    text(&lines)
}

#[test]
fn files_that_are_none_or_not_whole_leave_nothing() {
    let file = file();
    let lines: Vec<&str> = file.lines().collect();
    assert_eq!(lines.len(), 8, "{file}");
    let with = |place, line: &str| with(&lines, place, line);

    refused(b"", "unknown_format", None, "the file is empty");
    refused(b"\n \r\n", "unknown_format", None, "the file is empty");
    refused(b"solid cube", "unknown_format", Some(1), "solid cube");
    refused(b"{}", "unknown_format", Some(1), "not a project file");
    refused(
        b"\xff\xfe{",
        "unknown_format",
        Some(1),
        "not a project file",
    );
    let newer = with(0, r#"{"fibula_project":2,"whatever":[]}"#);
    refused(&newer, "newer_format", Some(1), "format 2");
    let mut named = lines[0].replace(NAME, "a/b");
    refused(&with(0, &named), "invalid_name", None, "a/b");
    named = lines[0].replace(r#""revision":8"#, r#""revision":18446744073709551615"#);
    refused(
        &with(0, &named),
        "damaged",
        Some(1),
        "revision 18446744073709551615 is missing",
    );

    // A line is missing, there twice, or has changed places with the next.
    for place in 1..lines.len() - 1 {
        let mut fewer = lines.clone();
        fewer.remove(place);
        let (at, says) = match place {
            1 => (2, "found revision 4 instead of 1"),
            6 => (7, "had 4"),
            _ => (place + 1, "found revision"),
        };
        refused(&text(&fewer), "damaged", Some(at), says);
        let mut more = lines.clone();
        more.insert(place, lines[place]);
        let says = if place == 1 {
            "a base must occur once"
        } else {
            "found revision"
        };
        refused(&text(&more), "damaged", Some(place + 2), says);
        let mut swapped = lines.clone();
        swapped.swap(place, place + 1);
        refused(&text(&swapped), "damaged", Some(place + 1), "");
    }
    // It ends too early, wherever that is.
    for length in (0..file.trim_end().len()).step_by(37) {
        let (store, service) = service();
        let refusal = import(&service, &file.as_bytes()[..length]).unwrap_err();
        let known = ["unknown_format", "damaged", "truncated"];
        assert!(known.contains(&refusal.code), "{length}: {refusal}");
        assert_nothing_is_left(&store, 0);
    }
    refused(&text(&lines[..7]), "truncated", None, "ends after line 7");
    let mut more = lines.clone();
    more.push("{}");
    refused(&text(&more), "damaged", Some(9), "after the last line");

    // What editors do to files does no harm.
    let (_, service) = service();
    let edited = format!("\u{feff}{}\r\n\r\n", lines.join("\r\n"));
    assert_eq!(import(&service, edited.as_bytes()).unwrap().revision, 8);
}

#[test]
fn lines_that_are_wrong_are_named_and_leave_nothing() {
    let file = file();
    let lines: Vec<&str> = file.lines().collect();
    let with = |place, line: &str| with(&lines, place, line);
    // A hash is another.
    for place in [0, 1, 2, 7] {
        let start = lines[place].rfind(r#""hash":""#).unwrap() + 8;
        let mut line = lines[place].to_owned();
        line.replace_range(start..start + 16, "0123456789abcdef");
        let at = if place == 0 { 8 } else { place + 1 };
        refused(&with(place, &line), "damaged", Some(at), "0123456789abcdef");
        line.replace_range(start..start + 16, "no hash at all!!");
        refused(
            &with(place, &line),
            "damaged",
            Some(place + 1),
            "16 hexadecimal",
        );
    }
    // A line is something else.
    let deep = format!(r#"{{"entry":{{"edit":{}"#, r#"{"batch":["#.repeat(100_000));
    for (line, says) in cases![
        deep.as_str() => "recursion limit";
        "null" => "";
        "[]" => "";
        r#"{"entry":{}}"# => "missing field";
        r#"{"entry":{"surprise":1}}"# => "unknown field";
        r#"{"surprise":{}}"# => "unknown variant";
        r#"{"base":{"revision":0,"hash":"0000000000000000","checkpoints":{},"document":{}}}"# => "revision 0";
        r#"{"content":{"hash":"00","bytes":""}}"# => "64 hexadecimal";
        r#"{"content":{"hash":"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","bytes":"?"}}"#
            => "not valid base64";
        r#"{"content":{"hash":"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","bytes":"aGVsbG8="}}"#
            => "the content has the hash ea8f163d";
    ] {
        refused(&with(3, line), "damaged", Some(4), says);
    }
    let mut bytes = text(&lines);
    let place = file.find("library").unwrap();
    bytes[place] = 0xff;
    refused(&bytes, "damaged", Some(3), "not UTF-8");
    let later = lines[3].replace(r#""turn":"edit""#, r#""turn":{"undo":5}"#);
    refused(&with(3, &later), "damaged", Some(4), "does not precede");
    let unused = [
        lines[2],
        r#"{"content":{"hash":"af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262","bytes":""}}"#,
    ];
    let end = lines[7].replace(r#""contents":0"#, r#""contents":1"#);
    let mut more = lines.clone();
    more.splice(2..3, unused);
    more[8] = &end;
    refused(
        &text(&more),
        "damaged",
        Some(9),
        "nothing refers to the content",
    );
}

/// Gives bytes, and does something between the first half and the second.
struct Halves<'a, F: FnMut()> {
    halves: Vec<&'a [u8]>,
    between: F,
}

impl<F: FnMut()> Read for Halves<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while let Some(half) = self.halves.first_mut() {
            let read = half.read(buffer)?;
            if read > 0 {
                return Ok(read);
            }
            self.halves.remove(0);
            (self.between)();
        }
        Ok(0)
    }
}

#[test]
fn nobody_sees_a_project_before_all_of_it_is_there() {
    let file = file();
    let (store, service) = service();
    let mut events = service.events(None, None).unwrap();
    let mut told = 0;
    let names = || {
        let listed = service.list_projects(&ListProjects::default()).unwrap();
        let names = listed.projects.into_iter().map(|info| info.project);
        names.collect::<Vec<_>>()
    };
    let mut seen = Vec::new();
    let (one, two) = file.as_bytes().split_at(file.len() / 2);
    let halves = Halves {
        halves: vec![one, two],
        between: || {
            seen.push((names(), store.projects().unwrap().len()));
            told += usize::from(events.ready().unwrap().is_some());
        },
    };
    let imported = service.import_project(
        &ImportProject::default(),
        &mut BufReader::with_capacity(16, halves),
    );
    assert_eq!(imported.unwrap().revision, 8);
    // The default project was made by the first look.
    assert_eq!(seen[0], (vec!["default".to_owned()], 2));
    assert_eq!(names(), [NAME, "default"]);
    assert_eq!(told, 0);

    // Somebody else takes the name meanwhile.
    let halves = Halves {
        halves: vec![one, two],
        between: || {
            let create = CreateProject {
                project: "other".to_owned(),
            };
            let _ = service.create_project(create);
        },
    };
    let request = ImportProject {
        project: Some("other".to_owned()),
    };
    let refusal = service
        .import_project(&request, &mut BufReader::with_capacity(16, halves))
        .unwrap_err();
    assert_eq!(refusal.code, "duplicate_id");
    assert_nothing_is_left(&store, 3);
    // It is refused at once if the name is taken before.
    let refusal = import(&service, b"{\"fibula_project\":1,\"project\":\"bracket\",\"revision\":0,\"hash\":\"0000000000000000\"}");
    assert_eq!(refusal.unwrap_err().code, "duplicate_id");
}

/// Files of the first version are read forever, and written the same by this one.
#[test]
fn files_of_the_first_version_are_read() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/project-1.jsonl"
    );
    if std::env::var_os("FIBULA_BLESS").is_some() && !std::path::Path::new(path).exists() {
        std::fs::write(path, file()).unwrap();
    }
    let file = std::fs::read(path).unwrap();
    let (store, service) = service();
    let imported = import(&service, &file).unwrap();
    assert_eq!((imported.revision, imported.first_revision), (8, 3));
    let id = store.find(NAME).unwrap().unwrap();
    assert!(verify(&*store, id).unwrap().is_sound());
    let (_, again) = export(&service, Export::default()).unwrap();
    assert_eq!(String::from_utf8(again), String::from_utf8(file));
}

#[test]
fn damage_is_found_and_the_rest_can_be_saved() {
    let (store, service) = service();
    import(&service, file().as_bytes()).unwrap();
    let id = store.find(NAME).unwrap().unwrap();
    let sound = verify(&*store, id).unwrap();
    assert!(sound.is_sound(), "{sound:?}");
    assert_eq!((sound.base, sound.entries, sound.snapshots), (3, 5, 1));
    assert_eq!((sound.history_to, sound.state_to), (Some(8), Some(8)));

    let mut record = records(&*store, id)[2].clone();
    assert_eq!(record.revision, 6);
    record.body.push(b' ');
    replace_record(&*store, id, record);
    let damaged = verify(&*store, id).unwrap();
    assert_eq!(damaged.damages, [Damage::Record(6)]);
    assert_eq!((damaged.history_to, damaged.state_to), (Some(5), Some(5)));
    let refusal = export(&service, Export::default()).unwrap_err();
    assert_eq!(refusal.code, "damaged_store");
    let hint = refusal.hint.as_ref().unwrap();
    assert!(hint.contains("revision: 5"), "{refusal}");
    let part = with_defaults!(Export, revision: Some(5));
    let (exported, bytes) = export(&service, part).unwrap();
    assert_eq!(exported.entries, 2);
    let (_, other) = self::service();
    assert_eq!(import(&other, &bytes).unwrap().revision, 5);

    // A snapshot that is none, and one of another state.
    let (whole, other) = self::service();
    import(&other, file().as_bytes()).unwrap();
    let whole_id = whole.find(NAME).unwrap().unwrap();
    let at_seven = load(&*whole, whole_id, Some(7)).unwrap().state;
    let none = StoredSnapshot {
        revision: 8,
        hash: 0,
        bytes: b"no snapshot".to_vec(),
    };
    store.put_snapshot(id, none).unwrap();
    let checkpoints = at_seven.checkpoints().clone();
    let false_five = State::new(at_seven.document().clone(), 5, checkpoints);
    store
        .put_snapshot(id, snapshot::encode(&false_five))
        .unwrap();
    let damaged = verify(&*store, id).unwrap();
    let texts: Vec<String> = damaged.damages.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "the snapshot of revision 8 is damaged: it lacks the header of a snapshot",
            "the snapshot of revision 5 is damaged: it does not match the state that the log results in",
            "revision 6 is damaged: its checksum does not match",
        ]
    );
    assert_eq!((damaged.history_to, damaged.state_to), (Some(5), Some(5)));

    // One behind the damage saves the state.
    store.put_snapshot(id, snapshot::encode(&at_seven)).unwrap();
    let damaged = verify(&*store, id).unwrap();
    assert_eq!(damaged.damage_count, 3);
    assert_eq!((damaged.history_to, damaged.state_to), (Some(5), Some(8)));
    let now = with_defaults!(Export, without_history: true);
    assert_eq!(export(&service, now).unwrap().0.revision, 8);
}
