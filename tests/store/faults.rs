//! A store that is slow and fails: what is in flight is taken back, what was answered lasts, what is read lasts.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use fibula::edit::Head;
use fibula::graph::{ContentHash, FunctionId};
use fibula::http;
use fibula::mcp::{self, Server};
use fibula::service::{CreateNode, ListFunctions, Options, Refusal, Service};
use fibula::store::{
    LogPosition, LogRange, LogRewrite, Memory, ProjectId, ProjectRow, Promise, Record,
    Registration, Store, StoreError, StoredSnapshot, StreamRecord, Ticket, load, ticket,
};
use serde_json::json;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::calls::{add, apply, graph, origin};

/// Appends after a while, on a thread of its own, and fails every so many times or always.
#[derive(Debug)]
struct Faulty {
    memory: Arc<Memory>,
    queue: Mutex<Sender<Waiting>>,
    fault: Arc<Fault>,
}

#[derive(Debug, Default)]
struct Fault {
    every: AtomicU64,
    full: AtomicBool,
    appended: AtomicU64,
    /// True while reads of snapshots wait.
    held: Mutex<bool>,
    released: Condvar,
    /// True while appends wait, as for the lock of another process.
    locked: Mutex<bool>,
    unlocked: Condvar,
}

impl Fault {
    fn hold(&self, held: bool) {
        *self.held.lock().expect("a gate") = held;
        self.released.notify_all();
    }

    fn wait(&self) {
        let held = self.held.lock().expect("a gate");
        drop(
            self.released
                .wait_while(held, |held| *held)
                .expect("a gate"),
        );
    }

    fn lock(&self, locked: bool) {
        *self.locked.lock().expect("a gate") = locked;
        self.unlocked.notify_all();
    }

    fn wait_for_lock(&self) {
        let locked = self.locked.lock().expect("a gate");
        let unlocked = self.unlocked.wait_while(locked, |locked| *locked);
        drop(unlocked.expect("a gate"));
    }
}

type Waiting = (ProjectId, Head, Record, Promise);

impl Faulty {
    fn new(delay: Duration) -> Self {
        let (memory, fault) = (Arc::new(Memory::default()), Arc::new(Fault::default()));
        let (queue, waiting) = channel::<Waiting>();
        let (store, faults) = (memory.clone(), fault.clone());
        thread::spawn(move || {
            for (project, expected, record, promise) in waiting {
                thread::sleep(delay);
                faults.wait_for_lock();
                let every = faults.every.load(Relaxed);
                let count = faults.appended.fetch_add(1, Relaxed);
                let outcome = if faults.full.load(Relaxed) {
                    Err(StoreError::Full("the test".to_owned()))
                } else if every > 0 && count % every == every - 1 {
                    Err(StoreError::Io {
                        place: "the test".to_owned(),
                        message: "it failed".to_owned(),
                    })
                } else {
                    store.append(project, expected, record).wait()
                };
                promise.complete(outcome);
            }
        });
        Faulty {
            memory,
            queue: Mutex::new(queue),
            fault,
        }
    }
}

impl Store for Faulty {
    fn append(&self, project: ProjectId, expected: Head, record: Record) -> Ticket {
        let (promise, ticket) = ticket();
        let queue = self.queue.lock().expect("a queue");
        queue
            .send((project, expected, record, promise))
            .expect("a thread");
        ticket
    }
    fn projects(&self) -> Result<Vec<ProjectRow>, StoreError> {
        self.memory.projects()
    }
    fn find(&self, name: &str) -> Result<Option<ProjectId>, StoreError> {
        self.memory.find(name)
    }
    fn register(&self, change: Registration) -> Result<ProjectId, StoreError> {
        self.memory.register(change)
    }
    fn head(&self, project: ProjectId) -> Result<Head, StoreError> {
        self.memory.head(project)
    }
    fn read(
        &self,
        project: ProjectId,
        reading: LogRange,
        bodies: bool,
        each: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.memory.read(project, reading, bodies, each)
    }
    fn stream(&self, after: LogPosition, limit: usize) -> Result<Vec<StreamRecord>, StoreError> {
        self.memory.stream(after, limit)
    }
    fn place(&self, project: ProjectId, revision: u64) -> Result<Option<LogPosition>, StoreError> {
        self.memory.place(project, revision)
    }
    fn end(&self) -> Result<LogPosition, StoreError> {
        self.memory.end()
    }
    fn snapshot(
        &self,
        project: ProjectId,
        at_most: u64,
    ) -> Result<Option<StoredSnapshot>, StoreError> {
        self.fault.wait();
        self.memory.snapshot(project, at_most)
    }
    fn put_snapshot(&self, project: ProjectId, snapshot: StoredSnapshot) -> Result<(), StoreError> {
        self.memory.put_snapshot(project, snapshot)
    }
    fn base(&self, project: ProjectId) -> Result<u64, StoreError> {
        self.memory.base(project)
    }
    fn rewrite(&self, project: ProjectId, rewriting: LogRewrite) -> Result<(), StoreError> {
        self.memory.rewrite(project, rewriting)
    }
    fn put_content(&self, project: ProjectId, bytes: &[u8]) -> Result<ContentHash, StoreError> {
        self.memory.put_content(project, bytes)
    }
    fn content(&self, hash: ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
        self.memory.content(hash)
    }
    // What others write is not noticed, so that conflicts are found when appending.
    fn foreign_writes(&self) -> u64 {
        0
    }
    fn watch(&self) -> watch::Receiver<u64> {
        self.memory.watch()
    }
}

fn node() -> CreateNode {
    serde_json::from_value(json!({ "function_id": 1, "node_type": "Addition" })).expect("a request")
}

/// A node made by what works on a snapshot first; its revision and id.
fn together(service: &Service) -> Result<(u64, u32), Refusal> {
    let edit = json!({ "create_node":
        { "function_id": 1, "node_type": "Addition", "node_id": "$sum" } });
    let applied = apply(service, json!([edit]))?;
    Ok((applied.revision, applied.ids["$sum"]))
}

/// The revision and the ids of function 1's nodes.
fn nodes(service: &Service) -> (u64, BTreeSet<u32>) {
    let shown = graph(service, FunctionId(1), None).expect("a function");
    assert_eq!(shown.truncated, None);
    let ids = shown.nodes.expect("nodes").into_iter();
    let ids = ids.filter_map(|node| node.node_id).map(|id| id.0);
    (shown.revision, ids.collect())
}

#[test]
fn what_was_answered_lasts_and_what_failed_left_nothing() {
    const THREADS: usize = 8;
    const EACH: usize = 30;
    let store = Arc::new(Faulty::new(Duration::from_micros(300)));
    // Two services, neither of which notices the other before it appends.
    let services = [0, 1].map(|_| Service::with_store(store.clone(), &Options::default()));
    add(&services[0], "F", "0");
    store.fault.every.store(7, Relaxed);
    let (made, refused) = (Mutex::new(Vec::new()), AtomicU64::new(0));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..THREADS)
            .map(|place| {
                let (service, made, refused) = (&services[place % 2], &made, &refused);
                scope.spawn(move || {
                    for _ in 0..EACH {
                        let answer = if place < 2 {
                            together(service)
                        } else {
                            let made = service.create_node(&origin(), node());
                            made.map(|made| (made.revision, made.node_id.0))
                        };
                        match answer {
                            Ok(answer) => made.lock().expect("a list").push(answer),
                            Err(refusal) => {
                                assert_eq!(refusal.code, "store_failed", "{refusal}");
                                refused.fetch_add(1, Relaxed);
                            }
                        }
                    }
                })
            })
            .collect();
        // What is read is in the log, and stays there.
        for service in &services {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                while !done.load(Relaxed) {
                    let (revision, ids) = nodes(service);
                    let loaded = load(&**store, ProjectId(1), Some(revision)).expect("a state");
                    let read = loaded.state.revision();
                    assert_eq!(read, revision, "it was read before it lasted");
                    let function = loaded
                        .state
                        .document()
                        .function(FunctionId(1))
                        .expect("it is there");
                    let lasting: BTreeSet<u32> =
                        function.node_ids().into_iter().map(|id| id.0).collect();
                    assert_eq!(ids, lasting, "at revision {revision}");
                }
            });
        }
        for writer in writers {
            writer.join().expect("no panic");
        }
        done.store(true, Relaxed);
    });
    let made = made.into_inner().expect("a list");
    let refused = refused.load(Relaxed) as usize;
    assert_eq!(made.len() + refused, THREADS * EACH);
    assert!(refused > 10, "only {refused} failed");
    store.fault.every.store(0, Relaxed);
    let loaded = load(&*store, ProjectId(1), None).expect("a state");
    assert_eq!(loaded.damage, None);
    assert_eq!(loaded.state.revision(), made.len() as u64 + 1);
    let revisions: BTreeSet<u64> = made.iter().map(|(revision, _)| *revision).collect();
    assert_eq!(revisions.len(), made.len(), "two edits have one revision");
    for service in &services {
        // An edit brings what the other did.
        service
            .create_node(&origin(), node())
            .expect("it works again");
    }
    let (_, ids) = nodes(&services[1]);
    for (revision, id) in made {
        assert!(
            ids.contains(&id),
            "node {id} of revision {revision} is lost"
        );
    }
}

#[test]
fn a_full_disk_refuses_edits_and_goes_on_reading() {
    let store = Arc::new(Faulty::new(Duration::ZERO));
    let service = Service::with_store(store.clone(), &Options::default());
    add(&service, "F", "0");
    let before = nodes(&service);
    store.fault.full.store(true, Relaxed);
    for _ in 0..3 {
        let refused = service.create_node(&origin(), node()).expect_err("no room");
        assert_each_eq! {
            refused.code => "disk_full";
            nodes(&service) => before;
            service.list_functions(&ListFunctions::default()).expect("a list").total => 1;
        }
    }
    store.fault.full.store(false, Relaxed);
    let made = service.create_node(&origin(), node()).expect("room");
    assert_eq!(made.revision, 2);
}

/// Sends a request, and returns its connection.
fn send(address: SocketAddr, method: &str, path: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let timeout = Some(Duration::from_secs(60));
    stream.set_read_timeout(timeout).expect("a timeout");
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).expect("it is sent");
    stream
}

fn received(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer in time");
    text
}

/// Reading earlier states waits for the store on threads that may block: the only worker of the server answers others.
#[test]
fn reads_of_earlier_states_leave_the_server_to_others() {
    const READS: usize = 3;
    let store = Arc::new(Faulty::new(Duration::ZERO));
    let service = Arc::new(Service::with_store(store.clone(), &Options::default()));
    add(&service, "F", "0");
    for _ in 0..2 * READS {
        service.create_node(&origin(), node()).expect("a node");
    }
    let server = Server::new(service.clone(), &mcp::Options::default());
    let stop = CancellationToken::new();
    let (told, address) = channel();
    let stopping = stop.clone();
    let running = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime").block_on(async {
            let options = http::Options {
                listen: SocketAddr::from(([127, 0, 0, 1], 0)),
                ..http::Options::default()
            };
            let listener = http::listen(options).await.expect("a port");
            let routes = mcp::streamable::routes(
                "/mcp",
                server,
                mcp::streamable::Options {
                    hosts: listener.hosts().to_vec(),
                    origins: listener.origins(),
                    body_limit: listener.body_limit(),
                    sessions: mcp::streamable::Sessions::None,
                    stop: stopping.child_token(),
                },
            );
            told.send(listener.address()).expect("the test waits");
            listener.serve(service, routes, stopping).await;
        });
    });
    let address = address.recv().expect("an address");
    store.fault.hold(true);
    let mut reading = Vec::new();
    for revision in 1..=READS {
        let path = format!("/api/projects/default/functions/F?revision={revision}");
        reading.push(send(address, "GET", &path, ""));
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "get_function",
            "arguments": { "function_id": "F", "revision": READS + revision } } });
        reading.push(send(address, "POST", "/mcp", &call.to_string()));
    }
    for _ in 0..2 {
        let health = received(send(address, "GET", "/health", ""));
        assert!(health.contains("\"ok\""), "{health}");
    }
    store.fault.hold(false);
    for stream in reading {
        let answer = received(stream);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        assert!(answer.contains("\"success\":true"), "{answer}");
    }
    stop.cancel();
    running.join().expect("no panic");
}

/// While edits wait for the lock of another process, reads answer the last state that was stored.
#[test]
fn reads_do_not_wait_for_a_locked_store() {
    let store = Arc::new(Faulty::new(Duration::ZERO));
    let service = Service::with_store(store.clone(), &Options::default());
    add(&service, "F", "0");
    let (before, ids) = nodes(&service);
    store.fault.lock(true);
    thread::scope(|scope| {
        let edits: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| service.create_node(&origin(), node())))
            .collect();
        // Until the edits are in flight, and after.
        for _ in 0..3 {
            assert_eq!(nodes(&service), (before, ids.clone()));
        }
        assert!(edits.iter().all(|edit| !edit.is_finished()));
        store.fault.lock(false);
        for edit in edits {
            edit.join().expect("no panic").expect("it is stored");
        }
    });
    let (after, now) = nodes(&service);
    assert_eq!((after, now.len()), (before + 3, ids.len() + 3));
}
