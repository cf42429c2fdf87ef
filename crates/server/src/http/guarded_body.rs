//! A body with what has to last, and to be told, while it is sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

/// Maximum number of bytes of a frame. The server buffers a frame as a whole, so that of a larger one nothing would be told
/// until it was sent.
const FRAME_BYTES: usize = 64 << 10;

/// A body that calls a closure for each of its frames, and keeps what the closure owns until it is dropped.
pub(super) struct GuardedBody<F> {
    body: Body,
    /// Bytes of a frame that are not sent yet.
    rest: Bytes,
    on_frame: F,
}

impl<F: FnMut() + Unpin> GuardedBody<F> {
    pub(super) fn new(body: Body, on_frame: F) -> Self {
        GuardedBody {
            body,
            rest: Bytes::new(),
            on_frame,
        }
    }
}

impl<F: FnMut() + Unpin> HttpBody for GuardedBody<F> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let mut data = std::mem::take(&mut self.rest);
        if data.is_empty() {
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(all) => data = all,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                polled => return polled,
            }
        }
        (self.on_frame)();
        if data.len() > FRAME_BYTES {
            self.rest = data.split_off(FRAME_BYTES);
        }
        Poll::Ready(Some(Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (mut hint, rest) = (self.body.size_hint(), self.rest.len() as u64);
        if let Some(upper) = hint.upper() {
            hint.set_upper(upper + rest);
        }
        hint.set_lower(hint.lower() + rest);
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn frames_are_small_and_told() {
        for length in [0, 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES + 7] {
            let bytes: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut count = 0;
            let mut body = GuardedBody::new(Body::from(bytes.clone()), || count += 1);
            assert_eq!(body.size_hint().exact(), Some(length as u64));
            let mut read = Vec::new();
            while let Some(frame) = body.frame().await {
                let data = frame.expect("a frame").into_data().expect("bytes");
                assert!(data.len() <= FRAME_BYTES);
                read.extend_from_slice(&data);
                let left = (length - read.len()) as u64;
                assert_eq!(body.size_hint().exact(), Some(left));
            }
            assert!(body.is_end_stream());
            assert_eq!(read, bytes);
            assert_eq!(count, length.div_ceil(FRAME_BYTES));
        }
    }
}
