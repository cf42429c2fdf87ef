//! The transport of stdio: one message to a line.
//!
//! Beside what rmcp's own does, it answers lines that it cannot read, takes a last line without an end, ignores what
//! comes before `initialize`, and bounds memory: the length of a line, the requests that are worked on at once, and
//! the answers that wait to be read. News of resources wait while too many answers do, which they can.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::unreadable::diagnose;

/// Bytes of answers that may wait to be read before no further request is.
const BACKLOG: usize = 4 << 20;

/// Requests worked on at once. rmcp's channel for answers holds 64: with more, answers overtake each other.
const IN_FLIGHT: usize = 60;

/// How long a message waits for a place; then it is read nevertheless, since it may cancel a request.
const PATIENCE: Duration = Duration::from_millis(20);

/// Buffers that have grown beyond this are given back.
const ROOMY: usize = 1 << 20;

/// How much of a line that is too long is kept, to find its id.
const HEAD: usize = 4096;

/// Bytes on their way out; one task writes them, so a burst of answers is one system call.
#[derive(Debug, Default)]
struct Out {
    bytes: Mutex<Vec<u8>>,
    length: AtomicUsize,
    wake: Notify,
    room: Notify,
    /// Told whenever bytes have gone, to all who wait.
    gone: Notify,
    closed: AtomicBool,
}

impl Out {
    fn bytes(&self) -> MutexGuard<'_, Vec<u8>> {
        self.bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
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
        self.length.load(SeqCst) > BACKLOG && !self.closed.load(SeqCst)
    }

    /// Sends what can wait once there is room.
    async fn push_late(&self, message: &ServerJsonRpcMessage) -> io::Result<()> {
        loop {
            let mut gone = std::pin::pin!(self.gone.notified());
            gone.as_mut().enable();
            if !self.is_full() {
                return self.push(message);
            }
            gone.await;
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
                self.gone.notify_waiters();
                return Err(error);
            }
            self.gone.notify_waiters();
            buffer.clear();
            if buffer.capacity() > ROOMY {
                buffer = Vec::new();
            }
        }
    }
}

/// Messages in lines.
#[derive(Debug)]
pub(super) struct Lines<R> {
    from: BufReader<R>,
    /// What was read of the line.
    line: Vec<u8>,
    longest: usize,
    /// Whether the line is too long, and the rest of it skipped.
    skipping: bool,
    ended: bool,
    hold: Option<Instant>,
    /// Requests that are not answered.
    open: HashSet<RequestId>,
    /// Those of them that are streams of news: nobody waits for their answers.
    streams: HashSet<RequestId>,
    out: Arc<Out>,
    writer: Option<JoinHandle<io::Result<()>>>,
}

/// What the next bytes were.
enum Read {
    Line,
    TooLong,
    More,
    End,
}

impl<R: AsyncRead + Unpin + Send> Lines<R> {
    /// Reads `from` lines of at most `longest` bytes and writes `to`.
    pub(super) fn new(
        from: R,
        to: impl AsyncWrite + Unpin + Send + 'static,
        longest: usize,
    ) -> Self {
        let out = Arc::new(Out::default());
        let theirs = out.clone();
        let writer = tokio::spawn(async move { theirs.write(to).await });
        Lines {
            from: BufReader::with_capacity(64 << 10, from),
            line: Vec::new(),
            longest,
            skipping: false,
            ended: false,
            hold: None,
            open: HashSet::new(),
            streams: HashSet::new(),
            out,
            writer: Some(writer),
        }
    }

    /// Answers in place of a handler. Who has gone needs no answer.
    fn refuse(&self, id: Option<RequestId>, error: ErrorData) {
        let _ = self.out.push(&ServerJsonRpcMessage::error(error, id));
    }

    /// Waits until there is room for another request.
    async fn room(&mut self) {
        // A client that does not read its answers is not served further ones.
        while self.out.is_full() {
            self.out.room.notified().await;
        }
        while self.open.len() - self.streams.len() >= IN_FLIGHT && !self.out.closed.load(SeqCst) {
            let until = *self.hold.get_or_insert_with(|| Instant::now() + PATIENCE);
            if timeout_at(until, self.out.room.notified()).await.is_err() {
                break;
            }
        }
        self.hold = None;
    }

    /// Takes what has been read, up to the end of the line. May be dropped while it waits, and has taken nothing then.
    async fn read(&mut self) -> io::Result<Read> {
        let got = self.from.fill_buf().await?;
        if got.is_empty() {
            self.ended = true;
            return Ok(Read::End);
        }
        let end = got.iter().position(|byte| *byte == b'\n');
        let take = end.map_or(got.len(), |end| end + 1);
        if !self.skipping {
            self.line.extend_from_slice(&got[..take]);
            if self.line.len() > self.longest {
                self.skipping = true;
                self.line.truncate(HEAD);
            }
        }
        self.from.consume(take);
        Ok(match (end, self.skipping) {
            (Some(_), true) => Read::TooLong,
            (Some(_), false) => Read::Line,
            (None, _) => Read::More,
        })
    }

    /// The message in the line that was read, unless it is answered here.
    fn message(&mut self) -> Option<ClientJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        let text = line
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(&line)
            .trim_ascii();
        let message = if text.is_empty() {
            None
        } else if let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(text) {
            self.admitted(message)
        } else {
            let (id, error) = diagnose(text);
            self.refuse(id, error);
            None
        };
        if line.capacity() <= ROOMY {
            self.line = line;
            self.line.clear();
        }
        message
    }

    fn done(&mut self, id: &RequestId) {
        self.open.remove(id);
        self.streams.remove(id);
    }

    /// Who has gone listens to nothing any more: its streams are cancelled one by one, or they would be waited for.
    fn last(&mut self) -> Option<ClientJsonRpcMessage> {
        let id = self.streams.iter().next()?.clone();
        self.done(&id);
        let cancelled = CancelledNotification::new(CancelledNotificationParam::new(Some(id), None));
        Some(JsonRpcMessage::notification(
            ClientNotification::CancelledNotification(cancelled),
        ))
    }

    fn admitted(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.open.insert(request.id.clone()) {
                    // rmcp would let one of the two answers get lost.
                    let error = "a request with this id is still being worked on";
                    self.refuse(
                        Some(request.id.clone()),
                        ErrorData::invalid_request(error, None),
                    );
                    return None;
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
                    self.done(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        Some(message)
    }
}

/// Whether it tells that resources changed, which nothing waits for.
fn is_news(message: &ServerJsonRpcMessage) -> bool {
    let JsonRpcMessage::Notification(message) = message else {
        return false;
    };
    matches!(
        message.notification,
        ServerNotification::ResourceUpdatedNotification(_)
            | ServerNotification::ResourceListChangedNotification(_)
    )
}

impl<R: AsyncRead + Unpin + Send> Transport<RoleServer> for Lines<R> {
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
        if let Some(id) = done {
            let id = id.clone();
            self.done(&id);
        }
        let late = is_news(&message) && self.out.is_full();
        // Everything else in its order: progress must not come after the answer.
        let sent = (!late).then(|| self.out.push(&message));
        let out = self.out.clone();
        async move {
            match sent {
                Some(sent) => sent,
                None => out.push_late(&message).await,
            }
        }
    }

    /// Runs inside a select, so it may be dropped wherever it waits; nothing is lost then.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        // What was read before is worked on first, so that its answer goes out before the next is begun.
        if !self.open.is_empty() {
            tokio::task::yield_now().await;
        }
        loop {
            self.room().await;
            if self.ended || self.out.closed.load(SeqCst) {
                return self.last();
            }
            match self.read().await.ok()? {
                Read::More => {}
                Read::TooLong => {
                    let id = diagnose(self.line.trim_ascii()).0;
                    let error = format!("the message has more than {} bytes", self.longest);
                    self.refuse(id, ErrorData::invalid_request(error, None));
                    self.skipping = false;
                    self.line = Vec::new();
                }
                Read::Line | Read::End => {
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
        self.out.gone.notify_waiters();
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
    async fn news_wait_for_a_client_that_does_not_read_and_answers_do_not() {
        let (ours, mut theirs) = duplex(1 << 16);
        let mut lines = Lines::new(empty(), ours, 1 << 10);
        let answer = |id: i64, bytes: usize| {
            let result = serde_json::json!({ "text": "x".repeat(bytes) });
            let result = rmcp::model::CustomResult::new(result);
            JsonRpcMessage::response(ServerResult::CustomResult(result), RequestId::Number(id))
        };
        let update = ResourceUpdatedNotificationParam::new("fibula://projects");
        let update = ResourceUpdatedNotification::new(update);
        let update =
            JsonRpcMessage::notification(ServerNotification::ResourceUpdatedNotification(update));
        lines.send(answer(1, BACKLOG)).await.expect("it is open");
        let mut told = pin!(lines.send(update));
        let soon = Duration::from_millis(50);
        assert!(timeout(soon, told.as_mut()).await.is_err(), "it is full");
        lines.send(answer(2, 1)).await.expect("it is open");
        let mut read = vec![0; BACKLOG + 4096];
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
