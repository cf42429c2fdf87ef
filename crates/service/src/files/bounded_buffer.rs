//! A file in memory with a limit on its size.

use std::io::{self, Cursor, Seek, SeekFrom, Write};

/// A file in memory that fails once it would exceed a number of bytes.
pub(crate) struct BoundedBuffer {
    file: Cursor<Vec<u8>>,
    most: u64,
    /// True if a write was refused.
    is_full: bool,
}

impl BoundedBuffer {
    pub(crate) fn new(most: u64) -> Self {
        BoundedBuffer {
            file: Cursor::new(Vec::new()),
            most,
            is_full: false,
        }
    }

    /// Returns the bytes, or `None` if a write was refused.
    pub(crate) fn into_bytes(self) -> Option<Vec<u8>> {
        (!self.is_full).then(|| self.file.into_inner())
    }
}

impl Write for BoundedBuffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_full {
            // A write was refused before; the end of the archive that follows is discarded.
            return Ok(bytes.len());
        }
        let end = self.file.position().saturating_add(bytes.len() as u64);
        if end > self.most {
            self.is_full = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for BoundedBuffer {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
