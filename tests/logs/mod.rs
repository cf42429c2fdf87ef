//! Logs for tests: entries that are what they say, and everything that can be read from a store.

use std::ops::ControlFlow;

use fibula::edit::{Caller, CommitInfo, Edit, EntryKind, Head, Heading, Origin, State, check};
use fibula::store::{
    LogPosition, LogRange, ProjectId, ProjectRow, Record, Registration, Store, StoreError,
    StoredSnapshot, StreamRecord,
};
use serde_json::{Value as Json, json};

/// Adds an empty project.
pub(crate) fn create(store: &dyn Store, name: &str) -> ProjectId {
    let create = Registration::Create {
        name: name.to_owned(),
        at: 1_700_000_000_000,
    };
    store.register(create).unwrap()
}

/// The record of a real edit, and the state after it.
pub(crate) fn real(state: &mut State, text: &str) -> Record {
    real_of_nodes(state, text, 0)
}

/// As [`real`], with so many nodes in its function.
pub(crate) fn real_of_nodes(state: &mut State, text: &str, count: usize) -> Record {
    let more = (2..count + 2).map(|id| json!({"node_id": id, "node_type": "Addition"}));
    let ends = [
        json!({"node_id": 0, "node_type": "End"}),
        json!({"node_id": 1, "node_type": "Begin"}),
    ];
    let nodes: Vec<Json> = ends.into_iter().chain(more).collect();
    let edit: Edit = serde_json::from_value(json!({"set_function": {
        "function_id": state.revision() + 1, "name": text,
        "inputs": [{"name": "pos", "type": "float3"}], "outputs": [{"name": "shape", "type": "float"}],
        "nodes": nodes,
    }}))
    .unwrap();
    let checked = check(state.document(), &edit).unwrap();
    let origin = Origin::program("tests", "real");
    let (entry, _) = state.commit(checked, CommitInfo::edit(origin, 1_700_000_000_000));
    Record::new(&entry)
}

/// A head that no other revision has.
pub(crate) fn head(revision: u64, salt: u64) -> Head {
    let hash = (revision ^ (salt << 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    Head { revision, hash }
}

/// A record that no state made: its heading can be read, and its body is of that size.
pub(crate) fn made(after: Head, salt: u64, size: usize) -> Record {
    let Head { revision, hash } = head(after.revision + 1, salt);
    let heading = Heading {
        revision,
        at: salt,
        origin: Origin {
            kind: Caller::Agent,
            client: "tests".to_owned(),
            tool: "made".to_owned(),
        },
        label: format!("{salt}"),
        kind: EntryKind::Edit,
        functions: size,
    };
    Record {
        revision,
        format: 1,
        hash,
        heading: serde_json::to_vec(&heading).unwrap(),
        body: (0..size).map(|at| (at as u64 ^ salt) as u8).collect(),
        check: hash.rotate_left(7),
    }
}

/// A part of a log.
pub(crate) fn read(
    store: &dyn Store,
    project: ProjectId,
    reading: LogRange,
    bodies: bool,
) -> Result<Vec<Record>, StoreError> {
    let mut records = Vec::new();
    store.read(project, reading, bodies, &mut |record| {
        records.push(record);
        ControlFlow::Continue(())
    })?;
    Ok(records)
}

/// A whole log.
pub(crate) fn log(store: &dyn Store, project: ProjectId) -> Vec<Record> {
    read(store, project, LogRange::After(0), true).unwrap()
}

/// Everything that can be read from a store.
#[derive(Debug, PartialEq)]
pub(crate) struct View {
    rows: Vec<ProjectRow>,
    names: Vec<Option<ProjectId>>,
    pub(crate) projects: Vec<Result<ProjectView, StoreError>>,
    stream: Vec<StreamRecord>,
    part: Vec<StreamRecord>,
    end: LogPosition,
}

#[derive(Debug, PartialEq)]
pub(crate) struct ProjectView {
    head: Head,
    base: u64,
    log: Vec<Record>,
    backwards: Vec<Record>,
    headings: Vec<Record>,
    middle: Vec<Record>,
    places: Vec<Option<LogPosition>>,
    pub(crate) snapshots: Vec<Option<StoredSnapshot>>,
}

/// Everything that can be read of these.
pub(crate) fn view(store: &dyn Store, names: &[String], most: u64) -> View {
    let project = |id| {
        let head = store.head(id)?;
        let half = head.revision / 2;
        let first = head.revision.saturating_sub(3);
        let revisions = (first..head.revision + 2).chain([0, half, u64::MAX]);
        let snapshots = revisions.clone().map(|at| store.snapshot(id, at));
        let places = revisions.map(|at| store.place(id, at));
        Ok(ProjectView {
            head,
            base: store.base(id)?,
            log: read(store, id, LogRange::After(0), true)?,
            backwards: read(store, id, LogRange::Before(u64::MAX), true)?,
            headings: read(store, id, LogRange::Before(half), false)?,
            middle: read(store, id, LogRange::After(half), false)?,
            places: places.collect::<Result<_, _>>()?,
            snapshots: snapshots.collect::<Result<_, _>>()?,
        })
    };
    let end = store.end().unwrap();
    View {
        rows: store.projects().unwrap(),
        names: names.iter().map(|name| store.find(name).unwrap()).collect(),
        projects: (0..=most).map(ProjectId).map(project).collect(),
        stream: store.stream(LogPosition(0), usize::MAX).unwrap(),
        part: store.stream(LogPosition(end.0 / 2), 3).unwrap(),
        end,
    }
}
