//! Connections: how many there may be, and for how long they may be silent.
//!
//! A connection is closed when the head of a request does not arrive in time, between requests as well. Where there are too
//! many, the one that has been silent the longest makes room for a new one; if all are busy, the new one is refused. So
//! neither silent clients nor one that opens connections without end keep others out.

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::http::header;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use prometheus_client::metrics::gauge::Gauge;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::clients::Peer;
use super::guarded_body::GuardedBody;
use super::half_closed::HalfClosed;

/// Answer to a connection that is refused.
const REFUSED: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 29\r\n\
    Connection: close\r\n\r\ntoo many connections are open\n";
/// Time until the next connection is accepted after the system refused one.
const PAUSE: Duration = Duration::from_millis(100);
/// Time that a first request has to begin once the server stops.
const LAST_CALL: Duration = Duration::from_millis(250);
/// Shortest time between two lines in the log.
const LOG_PERIOD: Duration = Duration::from_secs(10);
/// Media type of a stream of events.
const EVENTS: &[u8] = b"text/event-stream";

/// Limits of connections.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Maximum number of open connections. Beside them, a process with 1024 descriptors has room for its files.
    pub(super) all: usize,
    /// Maximum number from one address.
    pub(super) per_address: usize,
    /// Time for the head of a request to arrive, since the connection was opened or the last response ended.
    pub(super) head_timeout: Duration,
    /// Time without progress of a response, after which its connection may make room for others.
    pub(super) stalled: Duration,
    /// Time that clients that have closed their side may wait for an answer.
    pub(super) grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            all: 768,
            per_address: 512,
            head_timeout: Duration::from_secs(30),
            stalled: Duration::from_secs(60),
            grace: Duration::from_secs(5),
        }
    }
}

/// An open connection.
#[derive(Debug)]
struct Connection {
    address: IpAddr,
    /// Milliseconds from the start of the server to the last progress.
    active: AtomicU64,
    /// Number of requests whose handler runs.
    handled: AtomicUsize,
    /// Number of responses on their way.
    answered: AtomicUsize,
    /// Number of requests and responses in progress, without streams of events: while there are any, the end of the stream is
    /// held back.
    owed: AtomicUsize,
    close: CancellationToken,
}

/// The open connections.
#[derive(Debug)]
struct Connections {
    limits: Limits,
    started: Instant,
    open: Mutex<HashMap<u64, Arc<Connection>>>,
    log: Mutex<Log>,
}

/// Connections that were closed and refused since the last line in the log.
#[derive(Debug, Default)]
struct Log {
    written: Option<Instant>,
    closed: u64,
    refused: u64,
}

impl Connections {
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Arc<Connection>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a connection, if there is room or another one makes room for it.
    fn admit(&self, number: u64, address: IpAddr) -> Option<Arc<Connection>> {
        let mut open = self.lock();
        let own = open
            .values()
            .filter(|other| other.address == address)
            .count();
        let is_full = open.len() >= self.limits.all;
        let has_room = if own >= self.limits.per_address {
            self.make_room(&mut open, |other| other.address == address)
        } else {
            !is_full || self.make_room(&mut open, |_| true)
        };
        if !has_room {
            self.count(|log| log.refused += 1);
            return None;
        }
        let connection = Arc::new(Connection {
            address,
            active: AtomicU64::new(self.now()),
            handled: AtomicUsize::new(0),
            answered: AtomicUsize::new(0),
            owed: AtomicUsize::new(0),
            close: CancellationToken::new(),
        });
        open.insert(number, connection.clone());
        Some(connection)
    }

    /// Closes the connection among some that has been silent the longest; false if all are busy.
    fn make_room(
        &self,
        open: &mut HashMap<u64, Arc<Connection>>,
        is_candidate: impl Fn(&Connection) -> bool,
    ) -> bool {
        let now = self.now();
        let stalled = u64::try_from(self.limits.stalled.as_millis()).unwrap_or(u64::MAX);
        let is_silent = |other: &Connection| {
            other.handled.load(Relaxed) == 0
                && (other.answered.load(Relaxed) == 0
                    || now.saturating_sub(other.active.load(Relaxed)) >= stalled)
        };
        let silent = open
            .iter()
            .filter(|(_, other)| is_candidate(other) && is_silent(other));
        // Of those since the same millisecond, the one that was opened first.
        let longest = silent.min_by_key(|(number, other)| (other.active.load(Relaxed), **number));
        let number = longest.map(|(&number, _)| number);
        let Some(victim) = number.and_then(|number| open.remove(&number)) else {
            return false;
        };
        victim.close.cancel();
        self.count(|log| log.closed += 1);
        true
    }

    /// Counts a connection that was closed or refused; writes the counts to the log from time to time.
    fn count(&self, add: impl FnOnce(&mut Log)) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        add(&mut log);
        if log.written.is_none_or(|at| at.elapsed() >= LOG_PERIOD) {
            let Limits {
                all, per_address, ..
            } = self.limits;
            tracing::warn!(
                closed = log.closed,
                refused = log.refused,
                "too many connections, of at most {all}, and {per_address} from one address: silent ones were closed \
                 to make room, others refused"
            );
            *log = Log {
                written: Some(Instant::now()),
                ..Log::default()
            };
        }
    }
}

/// Accepts connections and serves them until `stop` is cancelled and all have ended.
///
/// The number of open ones is in `count`.
pub(super) async fn serve(
    tcp: TcpListener,
    app: Router,
    stop: CancellationToken,
    limits: Limits,
    count: Gauge,
) {
    let connections = Arc::new(Connections {
        limits,
        started: Instant::now(),
        open: Mutex::default(),
        log: Mutex::default(),
    });
    let mut running = JoinSet::new();
    let mut number = 0;
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = running.join_next() => continue,
            accepted = tcp.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                number += 1;
                let Some(connection) = connections.admit(number, peer.ip()) else {
                    // It is small enough for the buffer of the system; a client that is gone needs no answer.
                    let _ = stream.try_write(REFUSED);
                    continue;
                };
                let (connections, app, stop) = (connections.clone(), app.clone(), stop.clone());
                let count = count.clone();
                count.inc();
                running.spawn(async move {
                    run(&connections, connection, stream, app, stop).await;
                    connections.lock().remove(&number);
                    count.dec();
                });
            }
            Err(error) if is_of_client(&error) => {}
            Err(error) => {
                tracing::error!(%error, "a connection cannot be accepted");
                // Descriptors may have run out.
                connections.make_room(&mut connections.lock(), |_| true);
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
    while running.join_next().await.is_some() {}
}

/// True for an error of a connection that was gone before it was accepted.
fn is_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// Serves a connection until it ends, or is closed to make room.
async fn run(
    connections: &Arc<Connections>,
    connection: Arc<Connection>,
    stream: TcpStream,
    app: Router,
    stop: CancellationToken,
) {
    // Without this an event stream waits 45 ms for each answer. It fails only for a connection that is gone.
    drop(stream.set_nodelay(true));
    let app = TowerToHyperService::new(app);
    let has_begun = AtomicBool::new(false);
    let service = service_fn(|request: hyper::Request<Incoming>| {
        has_begun.store(true, Relaxed);
        let handled = Busy::new(connections, &connection, |connection| &connection.handled);
        let owed = Busy::new(connections, &connection, |connection| &connection.owed);
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(Peer(connection.address));
        let response = app.call(request);
        let (connections, connection) = (connections.clone(), connection.clone());
        async move {
            let response = response.await?;
            let busy = Busy::new(&connections, &connection, |connection| &connection.answered);
            drop(handled);
            let kind = response.headers().get(header::CONTENT_TYPE);
            let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(EVENTS));
            let held = (busy, Some(owed).filter(|_| !is_stream));
            let progress = move || {
                let (busy, _owed) = &held;
                busy.progress();
            };
            let answered = response.map(|body| GuardedBody::new(body, progress));
            Ok::<_, std::convert::Infallible>(answered)
        }
    });
    let in_progress = connection.clone();
    let is_owed = move || in_progress.owed.load(Relaxed) > 0;
    let stream = HalfClosed::new(stream, connections.limits.grace, is_owed);
    let mut served = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(connections.limits.head_timeout)
            .serve_connection(TokioIo::new(stream), service)
    );
    tokio::select! {
        // It ends with an error if the client breaks off or is silent, which is its right.
        _ = served.as_mut() => return,
        () = connection.close.cancelled() => return,
        () = stop.cancelled() => {}
    }
    served.as_mut().graceful_shutdown();
    // Hyper waits for the first request of a connection, which clients may open in advance.
    if timeout(LAST_CALL, served.as_mut()).await.is_err() && has_begun.load(Relaxed) {
        let _ = served.await;
    }
}

/// A request or response of a connection that is being worked on.
struct Busy {
    connections: Arc<Connections>,
    connection: Arc<Connection>,
    counter: fn(&Connection) -> &AtomicUsize,
}

impl Busy {
    fn new(
        connections: &Arc<Connections>,
        connection: &Arc<Connection>,
        counter: fn(&Connection) -> &AtomicUsize,
    ) -> Self {
        counter(connection).fetch_add(1, Relaxed);
        let busy = Busy {
            connections: connections.clone(),
            connection: connection.clone(),
            counter,
        };
        busy.progress();
        busy
    }

    fn progress(&self) {
        self.connection
            .active
            .store(self.connections.now(), Relaxed);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        (self.counter)(&self.connection).fetch_sub(1, Relaxed);
        self.progress();
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use futures_util::StreamExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Bytes of a large answer.
    const MUCH: usize = 64 << 20;

    const FEW: Limits = Limits {
        all: 4,
        per_address: 3,
        head_timeout: Duration::from_secs(600),
        stalled: Duration::from_secs(600),
        grace: Duration::from_secs(600),
    };

    /// Serves `/` at once, `/soon` after a moment, `/slowly` in parts, `/much` in a large one, `/events` without an end, and `/wait` when the server stops.
    async fn start(limits: Limits) -> (std::net::SocketAddr, CancellationToken) {
        let stop = CancellationToken::new();
        let waits = stop.clone();
        let soon = || async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            "soon"
        };
        let wait = move || async move {
            waits.cancelled().await;
            "late"
        };
        let part = |part: &'static str| async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            Ok::<_, std::convert::Infallible>(part)
        };
        let events = || async {
            let kind = [(header::CONTENT_TYPE, "text/event-stream")];
            let stream = futures_util::stream::pending::<Result<&str, std::convert::Infallible>>();
            (kind, Body::from_stream(stream))
        };
        let slowly = move || async move {
            Body::from_stream(futures_util::stream::iter(["slow", "ly"]).then(part))
        };
        let app = Router::new()
            .route("/", get(|| async { "here" }))
            .route("/slowly", get(slowly))
            .route("/much", get(|| async { "much".repeat(MUCH / 4) }))
            .route("/events", get(events))
            .route("/soon", get(soon))
            .route("/wait", get(wait));
        let tcp = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = tcp.local_addr().expect("an address");
        tokio::spawn(serve(tcp, app, stop.clone(), limits, Gauge::default()));
        (address, stop)
    }

    /// Opens a connection and sends some bytes.
    async fn open(address: std::net::SocketAddr, bytes: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.expect("a connection");
        stream
            .write_all(bytes.as_bytes())
            .await
            .expect("it is sent");
        stream
    }

    /// What a connection receives until it is closed.
    async fn received(stream: &mut TcpStream) -> String {
        let mut bytes = Vec::new();
        let read = timeout(Duration::from_secs(30), stream.read_to_end(&mut bytes)).await;
        // One that is closed with unread bytes is reset.
        drop(read.expect("it is closed"));
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn request(path: &str) -> String {
        format!("GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    }

    #[tokio::test]
    async fn heads_that_do_not_arrive_end_their_connection() {
        let limits = Limits {
            head_timeout: Duration::from_millis(50),
            ..FEW
        };
        let (address, _stop) = start(limits).await;
        for bytes in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"] {
            let mut stream = open(address, bytes).await;
            let answer = received(&mut stream).await;
            assert_eq!(answer.ends_with("here"), bytes.len() > 10, "{answer}");
        }
    }

    #[tokio::test]
    async fn silent_connections_do_not_keep_a_server_from_stopping() {
        let (address, stop) = start(FEW).await;
        let mut silent = Vec::new();
        for bytes in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"] {
            silent.push(open(address, bytes).await);
        }
        // The last is served, and idle.
        silent[2].readable().await.expect("it is open");
        stop.cancel();
        let mut answers = Vec::new();
        for stream in &mut silent {
            answers.push(received(stream).await);
        }
        assert_eq!(&answers[..2], ["", ""]);
        assert!(answers[2].ends_with("here"), "{answers:?}");
    }

    #[tokio::test]
    async fn clients_that_have_closed_their_side_are_answered() {
        let (address, _stop) = start(FEW).await;
        for (path, connection, expected) in [
            ("soon", "close", "soon"),
            ("soon", "keep-alive", "soon"),
            ("slowly", "close", "ly\r\n0\r\n\r\n"),
        ] {
            let head = format!("GET /{path} HTTP/1.1\r\nHost: a\r\nConnection: {connection}");
            let mut stream = open(address, &format!("{head}\r\n\r\n")).await;
            stream.shutdown().await.expect("it is open");
            let answer = received(&mut stream).await;
            assert!(answer.ends_with(expected), "{answer}");
        }
        // Without a request in progress the end is the end, and streams of events have none else.
        for bytes in ["GET / HT", "GET /events HTTP/1.1\r\nHost: a\r\n\r\n"] {
            let mut stream = open(address, bytes).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
            stream.shutdown().await.expect("it is open");
            let closed = timeout(Duration::from_secs(2), received(&mut stream)).await;
            assert!(closed.is_ok(), "it is held");
        }
        // An answer larger than what the system buffers, to a client that reads late.
        let mut stream = open(address, &request("/much")).await;
        stream.shutdown().await.expect("it is open");
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(received(&mut stream).await.len() > MUCH);
    }

    #[tokio::test]
    async fn long_work_of_clients_that_are_gone_ends() {
        let limits = Limits {
            grace: Duration::from_millis(200),
            ..FEW
        };
        let (address, _stop) = start(limits).await;
        let mut stream = open(address, &request("/wait")).await;
        stream.shutdown().await.expect("it is open");
        let closed = timeout(Duration::from_secs(5), received(&mut stream)).await;
        assert_eq!(closed.expect("it ends"), "");
    }

    #[tokio::test]
    async fn silent_connections_make_room() {
        let (address, _stop) = start(FEW).await;
        let mut silent = Vec::new();
        for _ in 0..20 {
            silent.push(open(address, "GET / HT").await);
            let mut honest = open(address, &request("/")).await;
            assert!(received(&mut honest).await.ends_with("here"));
        }
        // The first were closed, the last are open.
        assert_eq!(received(&mut silent[0]).await, "");
        let last = silent.last_mut().expect("some");
        last.write_all(b"TP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            .await
            .expect("it is open");
        assert!(received(last).await.ends_with("here"));
    }

    #[tokio::test]
    async fn busy_connections_stay() {
        let (address, stop) = start(FEW).await;
        let mut busy = Vec::new();
        while busy.len() < FEW.per_address {
            busy.push(open(address, &request("/wait")).await);
        }
        // The last handler may not have begun: then its connection is silent and makes room.
        let mut refused = 0;
        for _ in 0..10 {
            let mut one = open(address, &request("/wait")).await;
            if timeout(Duration::from_millis(200), one.readable())
                .await
                .is_ok()
            {
                let answer = received(&mut one).await;
                assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
                assert!(answer.ends_with("too many connections are open\n"));
                refused += 1;
            } else {
                busy.push(one);
            }
        }
        assert!(refused > 0);
        stop.cancel();
        let mut answers = Vec::new();
        for stream in &mut busy {
            answers.push(received(stream).await);
        }
        let late = answers.iter().filter(|answer| answer.ends_with("late"));
        assert_eq!(late.count(), FEW.per_address, "{answers:?}");
    }
}
