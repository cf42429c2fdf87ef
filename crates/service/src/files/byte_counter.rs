//! A writer that counts bytes.

use std::io::{self, Write};

/// Counts the bytes written through it.
#[derive(Debug)]
pub(crate) struct ByteCounter<W> {
    to: W,
    /// Number of bytes so far.
    pub(crate) count: u64,
}

impl<W: Write> ByteCounter<W> {
    pub(crate) fn new(to: W) -> Self {
        ByteCounter { to, count: 0 }
    }
}

impl<W: Write> Write for ByteCounter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.count += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
