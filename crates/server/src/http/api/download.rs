//! Responses that are files, streamed while they are written.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fibula_service::Refusal;
use futures_util::stream;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::job::guarded;
use super::progress::Reporter;
use crate::http::CallPermit;
use crate::operation::{Download, DownloadHeaders, break_if};
use crate::slots::Slots;

/// Bytes of a frame of the body.
const FRAME: usize = 256 << 10;
/// Frames that are buffered for a slow client.
const BUFFERED_FRAMES: usize = 4;
/// Time without a read after which a client counts as gone.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

impl DownloadHeaders {
    fn to_map(&self) -> HeaderMap {
        /// Limits of servers and clients on headers.
        const MAX_WARNINGS: usize = 20;
        const MAX_CHARS: usize = 200;
        let mut headers = HeaderMap::new();
        if let Some(revision) = self.revision {
            headers.insert("fibula-revision", revision.into());
        }
        let warnings = self.warnings.iter().take(MAX_WARNINGS);
        let warnings: Vec<String> = warnings
            .map(|warning| warning.chars().take(MAX_CHARS).collect())
            .collect();
        if !warnings.is_empty() {
            // JSON in ASCII has only characters that a header may have.
            if let Ok(value) = HeaderValue::from_str(&ascii(&json!(warnings).to_string())) {
                headers.insert("fibula-warnings", value);
            }
        }
        headers
    }
}

/// JSON with all non-ASCII characters escaped.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

impl Download {
    /// Starts the response. The file is written on a thread that may block, as soon as `slots` has a permit; memory does
    /// not grow with its size. An error after the start truncates the body. The progress goes to `reporter`.
    pub(super) async fn respond(
        self,
        slots: &Slots,
        permit: Option<Arc<CallPermit>>,
        reporter: Option<Reporter>,
    ) -> Result<Response, Refusal> {
        let slot = slots.acquire().await?;
        let (sender, frames) = mpsc::channel(BUFFERED_FRAMES);
        let Download {
            media,
            name,
            headers,
            write,
        } = self;
        let runtime = Handle::current();
        tokio::task::spawn_blocking(move || {
            // Held until the work ends, which may be after the client has gone.
            let _held = (slot, permit);
            let client = sender.clone();
            let mut body = BodyWriter {
                sender,
                runtime,
                bytes: Vec::with_capacity(FRAME),
            };
            let written = guarded(|| {
                write(&mut body, &mut |done, total| {
                    if let Some(reporter) = &reporter {
                        reporter.report(done, total);
                    }
                    break_if(client.is_closed())
                })
            });
            let written = written.map_err(io::Error::other);
            if let Err(error) = written.and_then(|()| body.flush()) {
                body.abort(error);
            }
        });
        let frames = stream::unfold(frames, |mut frames| async {
            let frame = frames.recv().await?;
            Some((frame, frames))
        });
        let head = [
            (header::CONTENT_TYPE, media.to_owned()),
            (
                header::CONTENT_DISPOSITION,
                format!("attachment; filename=\"{name}\""),
            ),
        ];
        Ok((headers.to_map(), head, Body::from_stream(frames)).into_response())
    }
}

/// Writer of a body: it blocks while the client is slower.
struct BodyWriter {
    sender: mpsc::Sender<io::Result<Bytes>>,
    runtime: Handle,
    bytes: Vec<u8>,
}

impl BodyWriter {
    fn send(&self, frame: io::Result<Bytes>) -> io::Result<()> {
        let sent = self
            .runtime
            .block_on(async { tokio::time::timeout(READ_TIMEOUT, self.sender.send(frame)).await });
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Truncates the body with an error, so that no client takes it for complete.
    fn abort(&self, error: io::Error) {
        // It fails only if the client has gone.
        drop(self.send(Err(error)));
    }
}

impl Write for BodyWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= FRAME {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let frame = std::mem::replace(&mut self.bytes, Vec::with_capacity(FRAME));
        self.send(Ok(Bytes::from(frame)))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;
    use crate::operation::answer::WriteFile;

    fn download(write: Box<WriteFile>) -> Download {
        Download {
            media: "text/csv",
            name: "values.csv".to_owned(),
            headers: DownloadHeaders::default(),
            write,
        }
    }

    #[test]
    fn what_is_told_fits_into_headers() {
        assert!(DownloadHeaders::default().to_map().is_empty());
        let warnings = vec!["größe \u{1f600}\n".to_owned(); 30];
        let headers = DownloadHeaders {
            revision: Some(7),
            warnings: warnings.clone(),
        };
        let headers = headers.to_map();
        assert_eq!(headers["fibula-revision"], "7");
        let text = headers["fibula-warnings"].to_str().unwrap();
        assert!(
            text.starts_with(r#"["gr\u00f6\u00dfe \ud83d\ude00\n","#),
            "{text}"
        );
        let read: Vec<String> = serde_json::from_str(text).unwrap();
        assert_eq!(read, warnings[..20]);
    }

    #[tokio::test]
    async fn a_file_comes_whole_or_breaks_off() {
        let slots = Slots::new(1);
        let whole = download(Box::new(|to, _| {
            for _ in 0..100 {
                to.write_all(&[7; 10_000])
                    .map_err(|_| Refusal::cancelled())?;
            }
            Ok(())
        }));
        let answer = whole.respond(&slots, None, None).await.unwrap();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.len(), 1_000_000);
        for broken in [true, false] {
            let half = download(Box::new(move |to, _| {
                to.write_all(&vec![7; FRAME])
                    .map_err(|_| Refusal::cancelled())?;
                assert!(broken, "as it must");
                Err(Refusal::cancelled())
            }));
            let answer = half.respond(&slots, None, None).await.unwrap();
            assert!(answer.into_body().collect().await.is_err());
        }
    }

    #[tokio::test]
    async fn work_ends_when_nobody_reads() {
        let slots = Slots::new(1);
        let endless = download(Box::new(|to, watch| {
            while watch(0, 1).is_continue() {
                to.write_all(&[7; 1000]).map_err(|_| Refusal::cancelled())?;
            }
            Ok(())
        }));
        drop(endless.respond(&slots, None, None).await.unwrap());
        // Its place is free again.
        drop(slots.acquire().await.unwrap());
    }
}
