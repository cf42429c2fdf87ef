//! Progress reports of a reader, with cancellation.

use std::io::{self, Read};
use std::ops::ControlFlow;

use crate::error::Problem;

/// Number of bytes between two progress reports.
const STEP: u64 = 1 << 18;

/// Reader that reports its progress.
pub(crate) struct ProgressReader<'w, R> {
    inner: R,
    done: u64,
    reported: u64,
    total: u64,
    watch: &'w mut dyn FnMut(u64, u64) -> ControlFlow<()>,
}

impl<'w, R: Read> ProgressReader<'w, R> {
    pub(crate) fn new(
        inner: R,
        total: u64,
        watch: &'w mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Self {
        ProgressReader {
            inner,
            done: 0,
            reported: 0,
            total,
            watch,
        }
    }
}

impl<R: Read> Read for ProgressReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.done += count as u64;
        let end = count == 0 && self.reported < self.done;
        if end || self.reported == 0 || self.done - self.reported >= STEP {
            self.reported = self.done;
            if (self.watch)(self.done, self.total.max(self.done)).is_break() {
                return Err(io::Error::other(Problem::Cancelled));
            }
        }
        Ok(count)
    }
}
