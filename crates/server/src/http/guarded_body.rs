//! A body with what has to last, or to be told, until it was sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// A body that calls a closure for each of its frames, and keeps what the closure owns until it is dropped.
pub(super) struct GuardedBody<F> {
    body: Body,
    on_frame: F,
}

impl<F: FnMut() + Unpin> GuardedBody<F> {
    pub(super) fn new(body: Body, on_frame: F) -> Self {
        GuardedBody { body, on_frame }
    }
}

impl<F: FnMut() + Unpin> HttpBody for GuardedBody<F> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if polled.is_ready() {
            (self.on_frame)();
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
