//! Where a reader is, and how long a token may be: a buffered reader that counts.

use std::io::{self, BufRead, BufReader, Read};

use super::error::Problem;

/// Counts lines, and ends the reading of a token that is too long.
pub(super) struct Meter<R> {
    inner: BufReader<R>,
    left: usize,
    limit: usize,
    line: u64,
}

impl<R: Read> Meter<R> {
    /// A meter that lets tokens of so many bytes pass.
    pub(super) fn new(part: R, limit: usize) -> Self {
        Meter {
            inner: BufReader::new(part),
            left: 0,
            limit,
            line: 1,
        }
    }

    /// Lets the next token pass; gives the line where it starts.
    pub(super) fn start_token(&mut self) -> u64 {
        self.left = self.limit;
        self.line
    }
}

impl<R: Read> Read for Meter<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for Meter<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let available = self.inner.fill_buf()?;
        if !available.is_empty() && self.left == 0 {
            return Err(io::Error::other(too_long(self.limit)));
        }
        Ok(&available[..available.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        #[expect(clippy::naive_bytecount, reason = "reading XML takes far longer")]
        let lines = self.inner.buffer()[..count]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        self.line += lines as u64;
        self.left -= count;
        self.inner.consume(count);
    }
}

/// A token is longer than the limit.
pub(super) fn too_long(limit: usize) -> Problem {
    Problem::TooLarge {
        what: "one tag or text in bytes",
        limit: limit as u64,
    }
}
