//! A writer that counts bytes, and stops when it is cancelled, its time is over, or there are too many of them.

use std::io::{self, Seek, SeekFrom, Write};
use std::time::Instant;

use crate::background::ProgressFn;

/// Reason why a writer accepts no more bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteStop {
    Cancelled,
    TimedOut,
    Full,
}

/// Writes through to `to`, until it stops.
pub(crate) struct WatchedWriter<'a, W> {
    to: W,
    watch: ProgressFn<'a>,
    deadline: Option<Instant>,
    /// Maximum number of bytes.
    most: u64,
    /// Number of bytes so far; bytes that are written again after a seek count again.
    count: u64,
    /// Number of bytes at which the watcher and the clock are asked next.
    next_check: u64,
    stop: Option<WriteStop>,
}

impl<'a, W> WatchedWriter<'a, W> {
    /// Bytes between two checks.
    const INTERVAL: u64 = 64 << 10;

    pub(crate) fn new(
        to: W,
        watch: ProgressFn<'a>,
        deadline: Option<Instant>,
        most: Option<u64>,
    ) -> Self {
        WatchedWriter {
            to,
            watch,
            deadline,
            most: most.unwrap_or(u64::MAX),
            count: 0,
            next_check: 0,
            stop: None,
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The reason, if the writer has stopped.
    pub(crate) fn stop(&self) -> Option<WriteStop> {
        self.stop
    }

    fn check(&mut self, more: usize) -> Option<WriteStop> {
        if self.count.saturating_add(more as u64) > self.most {
            return Some(WriteStop::Full);
        }
        if self.count < self.next_check {
            return None;
        }
        self.next_check = self.count + Self::INTERVAL;
        if (self.watch)(1, 1).is_break() {
            return Some(WriteStop::Cancelled);
        }
        let is_late = self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then_some(WriteStop::TimedOut)
    }
}

impl<W: Write> Write for WatchedWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.stop.is_some() {
            // A write failed before; the end of an archive that follows is discarded.
            return Ok(bytes.len());
        }
        self.stop = self.check(bytes.len());
        if self.stop.is_some() {
            return Err(io::Error::other("the writer has stopped"));
        }
        let count = self.to.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<W: Seek> Seek for WatchedWriter<'_, W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.to.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::time::Duration;

    use super::*;

    #[test]
    fn writer_stops_and_discards_the_rest() {
        let check = |deadline, most, is_cancelled: bool, expected: Option<WriteStop>| {
            let mut watch = |_, _| {
                if is_cancelled {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            };
            let mut bytes = Vec::new();
            let mut writer = WatchedWriter::new(&mut bytes, &mut watch, deadline, most);
            assert_eq!(writer.write_all(&[1; 8]).is_err(), expected.is_some());
            assert_eq!(writer.stop(), expected);
            assert!(writer.write_all(&[2; 1]).is_ok());
            let count = writer.count();
            assert_eq!(count, bytes.len() as u64);
            assert_eq!(count, if expected.is_none() { 9 } else { 0 });
        };
        let later = Instant::now() + Duration::from_secs(600);
        check(Some(later), Some(9), false, None);
        check(None, None, false, None);
        check(None, Some(7), false, Some(WriteStop::Full));
        check(None, None, true, Some(WriteStop::Cancelled));
        check(Some(Instant::now()), None, false, Some(WriteStop::TimedOut));
    }
}
