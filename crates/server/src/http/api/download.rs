//! Answers that are files, sent while they are made.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use fibula_service::Refusal;
use futures_util::stream;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};

use super::job::{Watch, guarded};

/// Bytes that are sent at a time.
const PART: usize = 256 << 10;
/// How many parts wait for whoever reads.
const WAITING: usize = 4;
/// Who reads nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(30);

/// Writes a file.
type Make = dyn FnOnce(&mut (dyn Write + Send), &mut Watch<'_>) -> Result<(), Refusal> + Send;

/// A file that is about to be made.
pub(super) struct Download {
    pub(super) media: &'static str,
    /// What whoever keeps it may call it.
    pub(super) name: String,
    /// What is told beside it.
    pub(super) told: Told,
    pub(super) make: Box<Make>,
}

/// What is told beside a file, in headers.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The revision that it shows, in `fibula-revision`.
    pub(super) revision: Option<u64>,
    /// What should be known of it, in `fibula-warnings`: a JSON list of texts.
    pub(super) warnings: Vec<String>,
}

impl Told {
    fn headers(&self) -> HeaderMap {
        /// Texts, and characters of each: more than this many servers and clients do not take.
        const MOST: usize = 20;
        const LONGEST: usize = 200;
        let mut headers = HeaderMap::new();
        if let Some(revision) = self.revision {
            headers.insert("fibula-revision", revision.into());
        }
        let warnings = self.warnings.iter().take(MOST);
        let warnings: Vec<String> = warnings
            .map(|warning| warning.chars().take(LONGEST).collect())
            .collect();
        if !warnings.is_empty() {
            // A JSON text of ASCII alone has nothing that a header may not have.
            if let Ok(value) = HeaderValue::from_str(&ascii(&json!(warnings).to_string())) {
                headers.insert("fibula-warnings", value);
            }
        }
        headers
    }
}

/// JSON with everything but ASCII escaped.
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
    /// The answer. The file is made on a thread of its own, at most as many at once as `slots` has places; memory does
    /// not grow with it. If it cannot be made to its end, the answer breaks off.
    pub(super) async fn respond(self, slots: &Arc<Semaphore>) -> Result<Response, Refusal> {
        let slot = slots.clone().acquire_owned().await;
        let slot = slot.map_err(|_| Refusal::cancelled())?;
        let (send, parts) = mpsc::channel(WAITING);
        let Download {
            media,
            name,
            told,
            make,
        } = self;
        let runtime = Handle::current();
        tokio::task::spawn_blocking(move || {
            // Held until the work has really ended.
            let _slot = slot;
            let gone = send.clone();
            let mut parts = Parts {
                send,
                runtime,
                bytes: Vec::with_capacity(PART),
            };
            let made = guarded(|| {
                make(&mut parts, &mut |_, _| {
                    if gone.is_closed() {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                })
            });
            let whole = made.map_err(io::Error::other).and_then(|()| parts.flush());
            if let Err(error) = whole {
                parts.end(error);
            }
        });
        let parts = stream::unfold(parts, |mut parts| async {
            let part = parts.recv().await?;
            Some((part, parts))
        });
        let head = [
            (header::CONTENT_TYPE, media.to_owned()),
            (
                header::CONTENT_DISPOSITION,
                format!("attachment; filename=\"{name}\""),
            ),
        ];
        Ok((told.headers(), head, Body::from_stream(parts)).into_response())
    }
}

/// What is written goes to whoever reads, who may be slower.
struct Parts {
    send: mpsc::Sender<io::Result<Bytes>>,
    runtime: Handle,
    bytes: Vec<u8>,
}

impl Parts {
    fn send(&self, part: io::Result<Bytes>) -> io::Result<()> {
        let sent = self
            .runtime
            .block_on(async { tokio::time::timeout(PATIENCE, self.send.send(part)).await });
        match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    /// Breaks off, so that nobody takes what there is for the whole.
    fn end(&self, error: io::Error) {
        // Who is gone needs not be told.
        drop(self.send(Err(error)));
    }
}

impl Write for Parts {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= PART {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let whole = Bytes::from(std::mem::replace(&mut self.bytes, Vec::with_capacity(PART)));
        self.send(Ok(whole))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    fn download(make: Box<Make>) -> Download {
        Download {
            media: "text/csv",
            name: "values.csv".to_owned(),
            told: Told::default(),
            make,
        }
    }

    #[test]
    fn what_is_told_fits_into_headers() {
        assert!(Told::default().headers().is_empty());
        let warnings = vec!["größe \u{1f600}\n".to_owned(); 30];
        let told = Told {
            revision: Some(7),
            warnings: warnings.clone(),
        };
        let headers = told.headers();
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
        let slots = Arc::new(Semaphore::new(1));
        let whole = download(Box::new(|to, _| {
            for _ in 0..100 {
                to.write_all(&[7; 10_000])
                    .map_err(|_| Refusal::cancelled())?;
            }
            Ok(())
        }));
        let answer = whole.respond(&slots).await.unwrap();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body.len(), 1_000_000);
        for broken in [true, false] {
            let half = download(Box::new(move |to, _| {
                to.write_all(&vec![7; PART])
                    .map_err(|_| Refusal::cancelled())?;
                assert!(broken, "as it must");
                Err(Refusal::cancelled())
            }));
            let answer = half.respond(&slots).await.unwrap();
            assert!(answer.into_body().collect().await.is_err());
        }
    }

    #[tokio::test]
    async fn work_ends_when_nobody_reads() {
        let slots = Arc::new(Semaphore::new(1));
        let endless = download(Box::new(|to, watch| {
            while watch(0, 1).is_continue() {
                to.write_all(&[7; 1000]).map_err(|_| Refusal::cancelled())?;
            }
            Ok(())
        }));
        drop(endless.respond(&slots).await.unwrap());
        // Its place is free again.
        drop(slots.acquire().await.unwrap());
    }
}
