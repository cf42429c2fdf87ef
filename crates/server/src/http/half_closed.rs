//! Streams of clients that close their writing side once they have sent a request, and wait for the answer.
//!
//! The end of such a stream looks like that of a client that is gone, whose work hyper cancels. So it is held back for a
//! few seconds while a request is in progress or its answer waits for the client: what is quick is answered, and long
//! work of clients that are gone still ends.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream whose end is held back, for at most `grace`, while `is_owed` returns true or bytes cannot be written.
#[derive(Debug)]
pub(super) struct HalfClosed<S, F> {
    stream: S,
    is_owed: F,
    grace: Duration,
    held: Option<Pin<Box<Sleep>>>,
    /// True while the client does not take more bytes.
    is_blocked: bool,
}

impl<S, F: Fn() -> bool> HalfClosed<S, F> {
    pub(super) fn new(stream: S, grace: Duration, is_owed: F) -> Self {
        HalfClosed {
            stream,
            is_owed,
            grace,
            held: None,
            is_blocked: false,
        }
    }
}

impl<S: AsyncRead + Unpin, F: Fn() -> bool + Unpin> AsyncRead for HalfClosed<S, F> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(task, buffer))?;
        let is_end = buffer.filled().len() == before;
        if !is_end || !(self.is_blocked || (self.is_owed)()) {
            return Poll::Ready(Ok(()));
        }
        let grace = self.grace;
        let held = self.held.get_or_insert_with(|| Box::pin(sleep(grace)));
        held.as_mut().poll(task).map(Ok)
    }
}

impl<S: AsyncWrite + Unpin, F: Unpin> AsyncWrite for HalfClosed<S, F> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(task, bytes);
        self.is_blocked = written.is_pending();
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(task, parts);
        self.is_blocked = written.is_pending();
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
