//! Transport over standard input and output: newline-delimited JSON-RPC messages with backpressure.
//!
//! In addition to rmcp's own transport it answers malformed lines, accepts a last line without a line break, ignores
//! messages before `initialize`, and bounds memory: the length of a line, the requests in flight, and the backlog of
//! answers. Notifications of resources wait while the backlog is full; answers do not.

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Duration, Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::batches::{self, Batches};
use super::parse_errors::diagnose;
use crate::json_memory::{self, Costs};

/// Backlog of answers in bytes above which no further request is read.
const MAX_BACKLOG_BYTES: usize = 4 << 20;

/// Maximum number of requests in flight. rmcp's channel for answers holds 64: with more, answers are reordered.
const MAX_IN_FLIGHT: usize = 60;

/// Time that a message waits for a request to finish; then it is read anyway, since it may cancel one.
const MAX_HOLD: Duration = Duration::from_millis(20);

/// Capacity above which an empty buffer is freed.
const MAX_IDLE_CAPACITY: usize = 1 << 20;

/// Time after the end of input until work in progress is given up: the longest time limit that a call may have.
const LONGEST_WORK: Duration = Duration::from_secs(3600);

/// Prefix of an oversized line that is kept to find its id.
const KEPT_PREFIX_BYTES: usize = 4096;

/// Queue of output; one task writes it, so a burst of answers is one system call.
#[derive(Debug, Default)]
struct OutputQueue {
    bytes: Mutex<Vec<u8>>,
    length: AtomicUsize,
    wake: Notify,
    room: Notify,
    /// Notifies all waiters whenever bytes are written.
    drained: Notify,
    closed: AtomicBool,
}

impl OutputQueue {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pushes a message, or the answers of a batch.
    fn push(&self, message: &impl Serialize) -> io::Result<()> {
        if self.closed.load(SeqCst) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let mut bytes = self.bytes();
        let start = bytes.len();
        if let Err(error) = serde_json::to_writer(&mut *bytes, message) {
            bytes.truncate(start);
            return Err(error.into());
        }
        bytes.push(b'\n');
        self.length.fetch_add(bytes.len() - start, SeqCst);
        drop(bytes);
        self.wake.notify_one();
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.length.load(SeqCst) > MAX_BACKLOG_BYTES && !self.closed.load(SeqCst)
    }

    /// Pushes a message once the backlog is not full.
    async fn push_when_drained(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        loop {
            let mut drained = std::pin::pin!(self.drained.notified());
            drained.as_mut().enable();
            if !self.is_full() {
                return self.push(message);
            }
            drained.await;
        }
    }

    async fn write(&self, mut to: impl AsyncWrite + Unpin) -> io::Result<()> {
        let mut buffer = Vec::new();
        loop {
            std::mem::swap(&mut buffer, &mut *self.bytes());
            if buffer.is_empty() {
                if self.closed.load(SeqCst) {
                    return Ok(());
                }
                self.wake.notified().await;
                continue;
            }
            let written = match to.write_all(&buffer).await {
                Ok(()) => to.flush().await,
                Err(error) => Err(error),
            };
            self.length.fetch_sub(buffer.len(), SeqCst);
            self.room.notify_one();
            if let Err(error) = written {
                self.closed.store(true, SeqCst);
                self.drained.notify_waiters();
                return Err(error);
            }
            self.drained.notify_waiters();
            buffer.clear();
            if buffer.capacity() > MAX_IDLE_CAPACITY {
                buffer = Vec::new();
            }
        }
    }
}

/// The transport.
#[derive(Debug)]
pub(super) struct LineTransport<R> {
    from: BufReader<R>,
    /// The part of the line that is read.
    line: Vec<u8>,
    max_bytes: usize,
    /// True if the line is too long and its rest is skipped.
    skipping: bool,
    ended: bool,
    /// Cancelled at the end of input, if a request is still open.
    end_of_input: CancellationToken,
    /// Time at which work in progress is given up, after the end of input.
    ends: Option<Instant>,
    hold: Option<Instant>,
    /// Requests without an answer yet.
    open: HashSet<RequestId>,
    /// Those of them that are streams of notifications, which do not count as in flight.
    streams: HashSet<RequestId>,
    /// Estimates of the memory of the large ones.
    memory: HashMap<RequestId, usize>,
    /// True if the client speaks a version of MCP that has batches.
    has_batches: bool,
    batches: Batches,
    out: Arc<OutputQueue>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

/// Result of a read.
enum ReadOutcome {
    Line,
    TooLong,
    More,
    End,
}

impl<R: AsyncRead + Unpin + Send> LineTransport<R> {
    /// Creates a transport for lines of at most `max_bytes` bytes.
    pub(super) fn new(
        from: R,
        to: impl AsyncWrite + Unpin + Send + 'static,
        max_bytes: usize,
    ) -> Self {
        let out = Arc::new(OutputQueue::default());
        let queue = out.clone();
        let writer = tokio::spawn(async move { queue.write(to).await });
        LineTransport {
            from: BufReader::with_capacity(64 << 10, from),
            line: Vec::new(),
            max_bytes,
            skipping: false,
            ended: false,
            end_of_input: CancellationToken::new(),
            ends: None,
            hold: None,
            open: HashSet::new(),
            streams: HashSet::new(),
            memory: HashMap::new(),
            has_batches: false,
            batches: Batches::default(),
            out,
            writer: Some(writer),
        }
    }

    /// Returns what is cancelled when nothing more can come from the client.
    pub(super) fn end_of_input(&self) -> CancellationToken {
        self.end_of_input.clone()
    }

    /// Answers a message with an error.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        let error = ServerJsonRpcMessage::error(error, id);
        if let Some(error) = self.batches.refuse(error) {
            let _ = self.out.push(&error);
        }
    }

    /// Answers the batches that are complete.
    fn answer_batches(&mut self) -> io::Result<()> {
        while let Some(answers) = self.batches.complete() {
            if !answers.is_empty() {
                self.out.push(&answers)?;
            }
        }
        Ok(())
    }

    /// Waits until another request may be read.
    async fn room(&mut self) {
        // A client that does not read its answers gets no further ones.
        while self.out.is_full() {
            self.out.room.notified().await;
        }
        while self.open.len() - self.streams.len() >= MAX_IN_FLIGHT && !self.out.closed.load(SeqCst)
        {
            let until = *self.hold.get_or_insert_with(|| Instant::now() + MAX_HOLD);
            if timeout_at(until, self.out.room.notified()).await.is_err() {
                break;
            }
        }
        self.hold = None;
    }

    /// Reads up to the end of the line. Cancel-safe: if dropped while it waits, nothing is consumed.
    async fn read(&mut self) -> io::Result<ReadOutcome> {
        let got = self.from.fill_buf().await?;
        if got.is_empty() {
            self.ended = true;
            return Ok(ReadOutcome::End);
        }
        let end = got.iter().position(|byte| *byte == b'\n');
        let take = end.map_or(got.len(), |end| end + 1);
        if !self.skipping {
            self.line.extend_from_slice(&got[..take]);
            if self.line.len() > self.max_bytes {
                self.skipping = true;
                self.line.truncate(KEPT_PREFIX_BYTES);
            }
        }
        self.from.consume(take);
        Ok(match (end, self.skipping) {
            (Some(_), true) => ReadOutcome::TooLong,
            (Some(_), false) => ReadOutcome::Line,
            (None, _) => ReadOutcome::More,
        })
    }

    /// Parses the line, or begins the batch that it is; answers it here if it is malformed.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        let text = text.trim_ascii();
        let message = if self.has_batches && batches::is_batch(text) {
            match batches::split(text) {
                Ok(messages) => self.batches.begin(messages),
                Err(error) => self.refuse(None, error),
            }
            None
        } else {
            self.parse(text)
        };
        if line.capacity() <= MAX_IDLE_CAPACITY {
            self.line = line;
            self.line.clear();
        }
        message
    }

    fn parse(&mut self, text: &[u8]) -> Option<ClientJsonRpcMessage> {
        let estimate = if text.len() > json_memory::SMALL {
            Costs::MESSAGE.estimate(text)
        } else {
            0
        };
        if text.is_empty() {
            None
        } else if let Some(error) = self.lack_of_memory(estimate) {
            let prefix = &text[..text.len().min(KEPT_PREFIX_BYTES)];
            self.refuse(diagnose(prefix).0, ErrorData::invalid_request(error, None));
            None
        } else if let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(text) {
            let message = self.admit(message);
            if let (Some(JsonRpcMessage::Request(request)), 1..) = (&message, estimate) {
                self.memory.insert(request.id.clone(), estimate);
            }
            message
        } else {
            let (id, error) = diagnose(text);
            self.refuse(id, error);
            None
        }
    }

    /// Error for a message that takes more memory than a message may, or than is left beside those in progress.
    fn lack_of_memory(&self, estimate: usize) -> Option<String> {
        if estimate > json_memory::MAX_MESSAGE {
            return Some(json_memory::too_large(estimate));
        }
        let taken: usize = self.memory.values().sum();
        (estimate > 0 && taken + estimate > json_memory::MAX_TOTAL).then(|| {
            format!(
                "requests in progress take about {} MB, so there is no memory for one of {} MB; send it again when they \
                 are answered",
                taken >> 20,
                estimate >> 20
            )
        })
    }

    fn finish_request(&mut self, id: &RequestId) {
        self.open.remove(id);
        self.streams.remove(id);
        self.memory.remove(id);
        self.batches.forget(id);
    }

    /// After the end of input: cancels the next open stream, which rmcp would wait for.
    fn cancel_stream(&mut self) -> Option<ClientJsonRpcMessage> {
        let id = self.streams.iter().next()?.clone();
        self.finish_request(&id);
        let cancelled = CancelledNotification::new(CancelledNotificationParam::new(Some(id), None));
        Some(JsonRpcMessage::notification(
            ClientNotification::CancelledNotification(cancelled),
        ))
    }

    fn admit(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.open.insert(request.id.clone()) {
                    // rmcp would lose one of the two answers.
                    let error = "a request with this id is still in progress";
                    let error = ErrorData::invalid_request(error, None);
                    self.refuse(Some(request.id.clone()), error);
                    return None;
                }
                self.batches.expect(&request.id);
                if let ClientRequest::InitializeRequest(initialize) = &request.request {
                    let version = &initialize.params.protocol_version;
                    self.has_batches = version.as_str() == batches::VERSION;
                }
                if let ClientRequest::SubscriptionsListenRequest(_) = &request.request {
                    self.streams.insert(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.finish_request(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }
}

/// Returns true for notifications of changed resources.
fn is_resource_notification(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Notification(message) = message else {
        return false;
    };
    matches!(
        message.notification,
        ServerNotification::ResourceUpdatedNotification(_)
            | ServerNotification::ResourceListChangedNotification(_)
    )
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for LineTransport<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let done = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let done = done.cloned();
        let late = is_resource_notification(&message) && self.out.is_full();
        let alone = self.batches.keep(message);
        if let Some(id) = done {
            self.finish_request(&id);
        }
        // Everything else stays in order: progress must not follow the answer.
        let sent = match &alone {
            Some(message) if !late => self.out.push(message),
            Some(_) | None => self.answer_batches(),
        };
        let out = self.out.clone();
        async move {
            match alone {
                Some(message) if late => out.push_when_drained(&message).await,
                Some(_) | None => sent,
            }
        }
    }

    /// Cancel-safe: rmcp calls it inside a select.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        // Lets requests that were read before run first, so that quick answers stay in order.
        if !self.open.is_empty() {
            tokio::task::yield_now().await;
        }
        loop {
            self.room().await;
            if let Some(part) = self.batches.read() {
                let message = self.parse(part.get().as_bytes());
                self.batches.done_reading();
                if message.is_some() {
                    return message;
                }
                continue;
            }
            let _ = self.answer_batches();
            let is_closed = self.out.closed.load(SeqCst);
            if self.ended || is_closed {
                if self.open.is_empty() || is_closed || !self.streams.is_empty() {
                    return self.cancel_stream();
                }
                self.end_of_input.cancel();
                // rmcp ends soon after the input. Each answer calls this again.
                let until = *self
                    .ends
                    .get_or_insert_with(|| Instant::now() + LONGEST_WORK);
                tokio::time::sleep_until(until).await;
                return None;
            }
            match self.read().await.ok()? {
                ReadOutcome::More => {}
                ReadOutcome::TooLong => {
                    let id = diagnose(self.line.trim_ascii()).0;
                    let error = format!("the message has more than {} bytes", self.max_bytes);
                    self.refuse(id, ErrorData::invalid_request(error, None));
                    self.skipping = false;
                    self.line = Vec::new();
                }
                ReadOutcome::Line | ReadOutcome::End => {
                    if let Some(message) = self.message() {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.out.closed.store(true, SeqCst);
        self.out.wake.notify_one();
        self.out.drained.notify_waiters();
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        // A client that has stopped reading must not keep the process alive.
        match timeout(Duration::from_secs(2), writer).await {
            Ok(written) => written.unwrap_or(Ok(())),
            Err(_) => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use rmcp::model::{
        ResourceUpdatedNotification, ResourceUpdatedNotificationParam, ServerResult,
    };
    use tokio::io::{AsyncReadExt, duplex, empty};

    use super::*;

    #[tokio::test]
    async fn the_end_of_input_waits_for_answers() {
        let (ours, _theirs) = duplex(1 << 16);
        let request = br#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
        let mut lines = LineTransport::new(&request[..], ours, 1 << 10);
        assert!(lines.receive().await.is_some(), "a request");
        let soon = Duration::from_millis(50);
        assert!(timeout(soon, lines.receive()).await.is_err(), "it is open");
        let error = ErrorData::internal_error("done", None);
        let answer = ServerJsonRpcMessage::error(error, Some(RequestId::Number(7)));
        lines.send(answer).await.expect("it is open");
        assert!(lines.receive().await.is_none(), "the end");
    }

    #[tokio::test]
    async fn news_wait_for_a_client_that_does_not_read_and_answers_do_not() {
        let (ours, mut theirs) = duplex(1 << 16);
        let mut lines = LineTransport::new(empty(), ours, 1 << 10);
        let answer = |id: i64, bytes: usize| {
            let result = serde_json::json!({ "text": "x".repeat(bytes) });
            let result = rmcp::model::CustomResult::new(result);
            JsonRpcMessage::response(ServerResult::CustomResult(result), RequestId::Number(id))
        };
        let update = ResourceUpdatedNotificationParam::new("fibula://projects");
        let update = ResourceUpdatedNotification::new(update);
        let update =
            JsonRpcMessage::notification(ServerNotification::ResourceUpdatedNotification(update));
        lines
            .send(answer(1, MAX_BACKLOG_BYTES))
            .await
            .expect("it is open");
        let mut told = pin!(lines.send(update));
        let soon = Duration::from_millis(50);
        assert!(timeout(soon, told.as_mut()).await.is_err(), "it is full");
        lines.send(answer(2, 1)).await.expect("it is open");
        let mut read = vec![0; MAX_BACKLOG_BYTES + 4096];
        let (mut length, mut sent) = (0, false);
        while !read[..length].ends_with(b"projects\"}}\n") {
            tokio::select! {
                more = theirs.read(&mut read[length..]) => length += more.expect("bytes"),
                done = told.as_mut(), if !sent => sent = done.is_ok(),
            }
        }
        let text = String::from_utf8_lossy(&read[..length]);
        let place = |part: &str| text.find(part).expect(part);
        assert!(place("\"id\":1") < place("\"id\":2"));
        assert!(place("\"id\":2") < place("resources/updated"));
    }
}
