//! How much is written.

use std::io::{self, Write};

/// Counts the bytes on their way.
#[derive(Debug)]
pub(super) struct Counted<W> {
    to: W,
    /// How many there were.
    pub(super) count: u64,
}

impl<W: Write> Counted<W> {
    pub(super) fn new(to: W) -> Self {
        Counted { to, count: 0 }
    }
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
