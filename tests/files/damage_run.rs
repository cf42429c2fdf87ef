//! Damage at random places of a store's files: an answer is as before, or an error, or carries a warning.
//!
//! `FIBULA_DAMAGE_PLACES=1000` tries as many places.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fibula::service::{
    AddFile, Compact, CreateNode, CreateProject, DeleteProject, Evaluate, Export, GetFunction,
    GetHistory, ListFunctions, ListProjects, Options, Refusal, Service, WritePackage,
};
use fibula::store::sqlite::Options as StoreOptions;
use fibula::store::{Damage, Memory, Sqlite, Store, recover, renew_snapshot, verify};
use serde_json::{Value as Json, json};

use crate::calls::origin;

const PAGE: usize = 4096;
/// Id of the file of each project.
const FILE: u32 = 2;
/// Projects, and their numbers of nodes.
const PROJECTS: [(&str, usize); 4] = [("bracket", 21), ("plate", 60), ("cut", 12), ("old", 3)];

/// Answers by request; those with a warning end with it, and a refusal with a warning is an answer.
type Answers = BTreeMap<String, Result<String, Refusal>>;

/// The files of a store: the database, its write-ahead log, and the index of the log.
#[derive(Clone)]
struct Files([Vec<u8>; 3]);

const ENDS: [&str; 3] = ["", "-wal", "-shm"];

impl Files {
    fn read(path: &Path) -> Self {
        Files(ENDS.map(|end| fs::read(with(path, end)).unwrap_or_default()))
    }

    fn write(&self, path: &Path) {
        for (bytes, end) in self.0.iter().zip(ENDS) {
            let path = with(path, end);
            if bytes.is_empty() {
                drop(fs::remove_file(path));
            } else {
                fs::write(path, bytes).unwrap();
            }
        }
    }
}

fn with(path: &Path, end: &str) -> PathBuf {
    format!("{}{end}", path.display()).into()
}

fn open(path: &Path, read_only: bool) -> Result<Arc<Sqlite>, Refusal> {
    let options = with_defaults!(StoreOptions, read_only);
    Ok(Arc::new(Sqlite::open(path, &options)?))
}

fn request<T: serde::de::DeserializeOwned>(json: Json) -> T {
    serde_json::from_value(json).unwrap()
}

/// Fills a store with projects; one has a snapshot and one a compacted history, one is deleted.
fn fill(store: &Arc<Sqlite>) {
    let service = Service::with_store(store.clone(), &Options::default());
    service.list_projects(&ListProjects::default()).unwrap();
    for (project, nodes) in PROJECTS {
        let create = request::<CreateProject>(json!({ "project": project }));
        service.create_project(create).unwrap();
        let expression = format!("length(pos) - {nodes}");
        let create = json!({ "project": project, "name": "body", "expression": expression });
        let made = service.create_function_from_expression(&origin(), request(create));
        let function_id = made.unwrap().function_id;
        for _ in 0..nodes {
            let node =
                json!({ "project": project, "function_id": function_id, "node_type": "Addition" });
            service
                .create_node(&origin(), request::<CreateNode>(node))
                .unwrap();
        }
        let name = json!({ "project": project, "name": "filled" });
        service.checkpoint(&origin(), &request(name)).unwrap();
        let file = AddFile {
            project: Some(project.to_owned()),
            name: "drawing".to_owned(),
            media_type: "text/plain".to_owned(),
            bytes: project.repeat(3000).into_bytes(),
            expected_revision: None,
            dry_run: false,
        };
        service.add_file(&origin(), file).unwrap();
    }
    let id = store.find("plate").unwrap().unwrap();
    renew_snapshot(&**store, id).unwrap();
    let compact = json!({ "project": "cut", "revision": 5 });
    service.compact(&request::<Compact>(compact)).unwrap();
    service
        .delete_project(&request::<DeleteProject>(json!({ "project": "old" })))
        .unwrap();
    for (project, _) in &PROJECTS[..3] {
        let node = json!({ "project": project, "function_id": 1, "node_type": "Addition" });
        service
            .create_node(&origin(), request::<CreateNode>(node))
            .unwrap();
    }
}

fn text(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).unwrap()
}

/// Makes every request. The second answers say whether `verify` found damage.
fn ask(path: &Path, read_only: bool) -> (Answers, Result<bool, Refusal>) {
    let mut answers = Answers::new();
    let store = match open(path, read_only) {
        Ok(store) => store,
        Err(refusal) => return (answers, Err(refusal)),
    };
    let service = Service::with_store(store.clone(), &Options::default());
    for (project, _) in &PROJECTS[..3] {
        ask_project(&service, project, &mut answers);
    }
    for deleted in [false, true] {
        let listed = service.list_projects(&with_defaults!(ListProjects, deleted));
        let listed = listed.map(|listed| {
            let damaged = listed
                .projects
                .iter()
                .any(|project| project.damage.is_some());
            text(&listed) + if damaged { " WARNED" } else { "" }
        });
        answers.insert(format!("projects {deleted}"), listed);
    }
    let verified = (|| {
        let mut is_sound = store.integrity()?.is_empty();
        for row in store.projects()? {
            is_sound &= row.damage.is_none() && verify(&*store, row.id)?.is_sound();
        }
        Ok::<_, Refusal>(is_sound)
    })();
    (answers, verified)
}

fn ask_project(service: &Service, project: &str, answers: &mut Answers) {
    let name = Some(project.to_owned());
    let mut insert = |what: &str, answer: Result<String, Refusal>| {
        let found = service.found_damage(Some(project));
        let warned = if found.is_empty() { "" } else { " WARNED" };
        let answer = answer.map(|answer| answer + warned);
        let answer = answer.or_else(|refusal| match warned {
            "" => Err(refusal),
            warned => Ok(format!("REFUSED {refusal}{warned}")),
        });
        answers.insert(format!("{what} {project}"), answer);
    };
    for checkpoints in [false, true] {
        let history = GetHistory {
            project: name.clone(),
            limit: Some(1000),
            changes: true,
            checkpoints,
            ..GetHistory::default()
        };
        let shown = service.get_history(&history).map(|shown| {
            let warned = if shown.warnings.is_empty() {
                ""
            } else {
                " WARNED"
            };
            text(&shown) + warned
        });
        insert(&format!("history {checkpoints}"), shown);
    }
    let list = with_defaults!(ListFunctions, project: name.clone());
    insert(
        "functions",
        service.list_functions(&list).map(|it| text(&it)),
    );
    let get = request::<GetFunction>(json!({ "project": project, "function_id": 1 }));
    insert("function", service.get_function(&get).map(|it| text(&it)));
    let early = json!({ "project": project, "function_id": 1, "revision": 9 });
    let early = service.get_function(&request(early));
    insert("early", early.map(|it| text(&it)));
    let point = json!({ "project": project, "function_id": 1, "arguments": { "pos": [3, 4, 0] } });
    let value = service.evaluate(request::<Evaluate>(point));
    insert("value", value.map(|it| text(&it)));
    let file = service.get_file(Some(project), FILE, None);
    insert(
        "file",
        file.map(|(_, bytes)| String::from_utf8(bytes).unwrap()),
    );
    for without_history in [false, true] {
        let export = Export {
            project: name.clone(),
            without_history,
            ..Export::default()
        };
        let mut bytes = Vec::new();
        let exported = service.export(&export, &mut bytes);
        let warned = |missing: &Vec<String>| if missing.is_empty() { "" } else { " WARNED" };
        insert(
            &format!("export {without_history}"),
            exported.map(|it| String::from_utf8(bytes).unwrap() + warned(&it.missing)),
        );
    }
    let package = with_defaults!(WritePackage, project: name.clone());
    let mut bytes = Cursor::new(Vec::new());
    let written = service.write_package(&package, &mut bytes);
    insert("package", written.map(|it| text(&it)));
}

/// Damages one of the files; returns a description.
fn damage(files: &mut Files, random: &mut impl FnMut(usize) -> usize) -> String {
    let which = if files.0[1].is_empty() { 0 } else { random(2) };
    let bytes = &mut files.0[which];
    // Frames of the log have a header, and so has the log.
    let (start, size) = [(0, PAGE), (32, PAGE + 24)][which];
    let pages = (bytes.len() - start) / size;
    let page = |number: usize| start + number * size..start + (number + 1) * size;
    let mut text = format!("{}: ", ["database", "log"][which]);
    let _ = match random(4) {
        0 => {
            let (at, bit) = (random(bytes.len()), random(8));
            bytes[at] ^= 1 << bit;
            write!(text, "bit {bit} of byte {at} of {} is flipped", bytes.len())
        }
        1 => {
            let number = random(pages);
            bytes[page(number)].fill(0);
            write!(text, "page {number} of {pages} is zero")
        }
        2 => {
            let (one, other) = (random(pages), random(pages));
            let first = bytes[page(one)].to_vec();
            bytes.copy_within(page(other), page(one).start);
            bytes[page(other)].copy_from_slice(&first);
            write!(text, "pages {one} and {other} of {pages} are swapped")
        }
        _ => {
            let length = random(bytes.len());
            bytes.truncate(length);
            write!(text, "only {length} bytes are left")
        }
    };
    text
}

/// Recovers a damaged store into one in memory. Returns the former revision to which each project is as it was, and the
/// number of changes that were lost; `None` if the file cannot be opened at all.
fn recovered(path: &Path) -> Option<(BTreeMap<String, u64>, u64)> {
    let options = with_defaults!(StoreOptions, read_only: true, salvage: true);
    let from = Sqlite::open(path, &options).ok()?;
    let to = Memory::default();
    let projects = recover(&from, &to, 1).ok()?;
    for row in to.projects().unwrap() {
        let verified = verify(&to, row.id).unwrap();
        let is_sound = |damage: &Damage| matches!(damage, Damage::Lost(_));
        assert!(verified.damages.iter().all(is_sound), "{verified:?}");
    }
    let lost = projects.iter().map(|project| project.lost_count).sum();
    let unchanged = projects.into_iter();
    Some((
        unchanged.map(|it| (it.name, it.unchanged_to)).collect(),
        lost,
    ))
}

/// Compares the answers with those of the undamaged store; returns what is wrong.
fn wrong(before: &Answers, after: &Answers, verified: &Result<bool, Refusal>) -> Vec<String> {
    const CODES: [&str; 3] = ["damaged_store", "not_a_store", "newer_format"];
    let mut wrong = Vec::new();
    let refusals = after
        .iter()
        .filter_map(|(what, answer)| Some((what.as_str(), answer.as_ref().err()?)));
    let opened = verified.as_ref().err().map(|refusal| ("verify", refusal));
    for (what, refusal) in refusals.chain(opened) {
        if !CODES.contains(&refusal.code) {
            wrong.push(format!("{what}: {refusal}"));
        }
    }
    let mut differs = false;
    for (what, answer) in after {
        let Ok(answer) = answer else {
            differs = true;
            continue;
        };
        let expected = before[what].as_ref().unwrap();
        if answer == expected {
            continue;
        }
        differs = true;
        // Another format cannot carry a warning.
        let is_written = what.starts_with("package") && !answer.starts_with("REFUSED ");
        if !answer.ends_with(" WARNED") || is_written {
            let short: String = answer.chars().take(300).collect();
            wrong.push(format!("{what} is another: {short}"));
        }
    }
    if differs && matches!(verified, Ok(true)) {
        wrong.push("verify found nothing".to_owned());
    }
    wrong
}

#[test]
fn a_damaged_store_never_reads_as_an_older_or_an_empty_one() {
    let places = std::env::var("FIBULA_DAMAGE_PLACES");
    let places = places.map_or(60, |places| places.parse().unwrap());
    let seed = std::env::var("FIBULA_DAMAGE_SEED");
    let mut seed: u64 = seed.map_or(0x5eed, |seed| seed.parse().unwrap());
    let mut random = move |below: usize| {
        // Splitmix: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (seed ^ (seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % below as u64) as usize
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("filled.db");
    let store = open(&path, false).unwrap();
    fill(&store);
    // Once as after the end of the process, and once as after it was killed.
    let open_files = Files::read(&path);
    drop(store);
    let closed_files = Files::read(&path);
    assert!(closed_files.0[1].is_empty() && !open_files.0[1].is_empty());
    let mut failures = Vec::new();
    let mut sound = BTreeMap::new();
    let (mut counts, mut saved_projects) = ([0; 3], 0);
    for place in 0..places {
        let path = folder.path().join("damaged.db");
        let mut files = if place % 2 == 0 {
            &open_files
        } else {
            &closed_files
        }
        .clone();
        files.write(&path);
        let read_only = place % 3 == 0;
        let key = (place % 2, read_only);
        let (before, whole) = sound.entry(key).or_insert_with(|| {
            let (answers, verified) = ask(&path, read_only);
            assert_eq!(verified, Ok(true));
            files.write(&path);
            let whole = recovered(&path).unwrap();
            assert_eq!(whole.1, 0);
            (answers, whole)
        });
        let text = damage(&mut files, &mut random);
        files.write(&path);
        let (after, verified) = ask(&path, read_only);
        files.write(&path);
        let saved = recovered(&path);
        if verified == Ok(true) {
            assert_eq!(saved.as_ref(), Some(&*whole), "{text}");
        }
        let names = saved.iter().flat_map(|(revisions, _)| revisions.keys());
        saved_projects += names.filter(|name| whole.0.contains_key(*name)).count();
        let same = verified.is_ok() && *before == after;
        let kind = if same {
            0
        } else if after.is_empty() {
            2
        } else {
            1
        };
        counts[kind] += 1;
        for wrong in wrong(before, &after, &verified) {
            failures.push(format!("place {place} ({text}): {wrong}"));
        }
    }
    let [same, partly, refused] = counts;
    println!(
        "{saved_projects} of {} projects are recovered in part at least",
        places * 5
    );
    println!(
        "{places} places: {same} as before, {partly} partly refused or with warnings, {refused} not opened"
    );
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures.join("\n")
    );
}
