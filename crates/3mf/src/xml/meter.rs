//! Buffered reader that counts lines and limits the length of tokens.

use std::io::{self, BufRead, Read};

use crate::error::Problem;

/// Size of the buffer, and maximum look-ahead.
const BUFFER: usize = 1 << 16;

/// Buffered reader that counts lines, and fails when a token is too long.
pub(crate) struct MeteredReader<R> {
    inner: R,
    buffer: Box<[u8]>,
    /// Unread range of the buffer.
    start: usize,
    end: usize,
    left: usize,
    limit: usize,
    line: u64,
    /// Last two bytes that were consumed.
    last: [u8; 2],
}

impl<R: Read> MeteredReader<R> {
    /// Returns a reader that limits tokens to this number of bytes.
    pub(crate) fn new(part: R, limit: usize) -> Self {
        MeteredReader {
            inner: part,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            start: 0,
            end: 0,
            left: 0,
            limit,
            line: 1,
            last: [0; 2],
        }
    }

    /// Starts the next token, and returns its line.
    pub(crate) fn start_token(&mut self) -> u64 {
        self.left = self.limit;
        self.line
    }

    /// Current line.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// True if the consumed bytes end with `/>`.
    pub(crate) fn ends_self_closing_tag(&self) -> bool {
        self.last == *b"/>"
    }

    /// Unread bytes in the buffer.
    pub(crate) fn buffered(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Reads more into the buffer; `false` at the end of the input, or if the buffer is full.
    pub(crate) fn fill_more(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let count = read(&mut self.inner, &mut self.buffer[self.end..])?;
        self.end += count;
        Ok(count > 0)
    }

    /// Consumes buffered bytes, without counting them to a token.
    pub(crate) fn skip(&mut self, count: usize) {
        #[expect(clippy::naive_bytecount, reason = "unpacking takes far longer")]
        let lines = self.buffered()[..count]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        self.line += lines as u64;
        match self.buffered()[..count] {
            [] => {}
            [only] => self.last = [self.last[1], only],
            [.., one, last] => self.last = [one, last],
        }
        self.start += count;
    }
}

fn read(part: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match part.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

impl<R: Read> Read for MeteredReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for MeteredReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end {
            self.fill_more()?;
        }
        if self.start < self.end && self.left == 0 {
            return Err(io::Error::other(token_too_long(self.limit)));
        }
        let available = self.buffered();
        Ok(&available[..available.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        self.skip(count);
        self.left -= count;
    }
}

/// Problem of a token that is longer than the limit.
pub(crate) fn token_too_long(limit: usize) -> Problem {
    Problem::too_large("one tag or text in bytes", limit as u64)
}
