//! Time limit of an export, which includes the writing, and refusal of files that could not be imported again.

use std::io::Cursor;
use std::time::Instant;

use fibula_3mf as threemf;

use crate::background::ProgressFn;
use crate::files::watched_writer::{WatchedWriter, WriteStop};
use crate::refusal::{Refusal, Result};
use crate::shapes::limits::Limits;

/// Time limit of an export: of making and writing the file together.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExportTime {
    seconds: Option<f64>,
    deadline: Option<Instant>,
}

impl ExportTime {
    /// Starts now.
    pub(super) fn start(limits: Limits) -> Result<Self> {
        Ok(ExportTime {
            seconds: limits.time,
            deadline: limits.deadline(Instant::now())?,
        })
    }

    /// Writes until the time is over, `watch` cancels it, or there are more than `most` bytes. Returns the result of
    /// `write` and the number of bytes.
    pub(super) fn write<W, T>(
        self,
        to: W,
        most: Option<u64>,
        watch: ProgressFn<'_>,
        write: impl FnOnce(&mut WatchedWriter<'_, W>) -> Result<T>,
    ) -> Result<(T, u64)> {
        let mut to = WatchedWriter::new(to, watch, self.deadline, most);
        let outcome = write(&mut to);
        let Some(stop) = to.stop() else {
            return Ok((outcome?, to.count()));
        };
        Err(match stop {
            WriteStop::Cancelled => Refusal::cancelled(),
            WriteStop::TimedOut => {
                let message = format!(
                    "time limit of {} s reached after {} bytes of the file were written",
                    self.seconds.unwrap_or_default(),
                    to.count()
                );
                let hint = "increase time_limit, or write a smaller file: with larger cells, or a simplified mesh";
                Refusal::new("timed_out", message).hint(hint)
            }
            WriteStop::Full => not_importable(&format!(
                "the file exceeds the {} bytes that import reads",
                most.unwrap_or_default()
            )),
        })
    }
}

/// Returns the bytes of a package.
///
/// # Errors
/// `too_large` if import would refuse its size.
pub(super) fn importable_package(file: Cursor<Vec<u8>>) -> Result<Vec<u8>> {
    let bytes = file.into_inner();
    match threemf::check_size(&bytes, &threemf::Limits::default()) {
        Ok(()) => Ok(bytes),
        Err(error) => Err(not_importable(&error.to_string())),
    }
}

/// Refusal of a file that could not be imported again.
fn not_importable(why: &str) -> Refusal {
    let message = format!("Fibula could not import the file again: {why}");
    Refusal::new("too_large", message)
        .hint("use larger cells, simplify the mesh, or export objects one by one, by object_id")
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::ops::ControlFlow;

    use super::*;
    use crate::exchange::WritePackage;
    use crate::service::Service;

    #[test]
    fn writing_stops_at_its_limits() {
        let check = |seconds, most, step: ControlFlow<()>, expected: &str| {
            let limits = Limits {
                time: Some(seconds),
                memory: None,
            };
            let time = ExportTime::start(limits).unwrap();
            let mut watch = |_, _| step;
            let mut file = Vec::new();
            let written = time.write(&mut file, most, &mut watch, |to| {
                to.write_all(&[0; 100])
                    .map_err(|error| Refusal::unwritable("the file", &error))
            });
            let code = written.map_or_else(
                |refusal| refusal.code,
                |((), bytes)| {
                    assert_eq!(bytes, 100);
                    "written"
                },
            );
            assert_eq!(code, expected);
        };
        check(60.0, Some(100), ControlFlow::Continue(()), "written");
        check(60.0, Some(99), ControlFlow::Continue(()), "too_large");
        check(1e-9, None, ControlFlow::Continue(()), "timed_out");
        check(60.0, None, ControlFlow::Break(()), "cancelled");
    }

    #[test]
    fn packages_beyond_the_limits_are_not_importable() {
        let mut zip = Cursor::new(Vec::new());
        Service::default()
            .write_package(&WritePackage::default(), &mut zip)
            .unwrap();
        assert!(importable_package(zip).is_ok());
        let refusal = importable_package(Cursor::new(b"PK".to_vec())).unwrap_err();
        assert_eq!(refusal.code, "too_large");
    }
}
