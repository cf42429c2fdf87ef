//! Progress reports of a reader, with cancellation.

use std::io::{self, Read};
use std::ops::ControlFlow;

use super::error::Problem;

/// How many bytes are read between two tellings.
const STEP: u64 = 1 << 18;

/// Reads, and tells how far it is.
pub(super) struct ProgressReader<'w, R> {
    inner: R,
    done: u64,
    told: u64,
    total: u64,
    watch: &'w mut dyn FnMut(u64, u64) -> ControlFlow<()>,
}

impl<'w, R: Read> ProgressReader<'w, R> {
    pub(super) fn new(
        inner: R,
        total: u64,
        watch: &'w mut dyn FnMut(u64, u64) -> ControlFlow<()>,
    ) -> Self {
        ProgressReader {
            inner,
            done: 0,
            told: 0,
            total,
            watch,
        }
    }
}

impl<R: Read> Read for ProgressReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.done += count as u64;
        let end = count == 0 && self.told < self.done;
        if end || self.told == 0 || self.done - self.told >= STEP {
            self.told = self.done;
            if (self.watch)(self.done, self.total.max(self.done)).is_break() {
                return Err(io::Error::other(Problem::Cancelled));
            }
        }
        Ok(count)
    }
}
