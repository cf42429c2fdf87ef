//! Where a reader is, and how long a token may be: a buffered reader that counts.

use std::io::{self, BufRead, Read};

use super::error::Problem;

/// How many bytes are read at once; what is looked at as a whole is no longer.
const BUFFER: usize = 1 << 16;

/// Counts lines, and ends the reading of a token that is too long.
pub(super) struct Meter<R> {
    inner: R,
    buffer: Box<[u8]>,
    /// What of the buffer is still to be read.
    start: usize,
    end: usize,
    left: usize,
    limit: usize,
    line: u64,
    /// The last two bytes that were passed.
    last: [u8; 2],
}

impl<R: Read> Meter<R> {
    /// A meter that lets tokens of so many bytes pass.
    pub(super) fn new(part: R, limit: usize) -> Self {
        Meter {
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

    /// Lets the next token pass; gives the line where it starts.
    pub(super) fn start_token(&mut self) -> u64 {
        self.left = self.limit;
        self.line
    }

    /// The line that comes next.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether what was passed ends as a tag does that closes itself.
    pub(super) fn is_after_closed(&self) -> bool {
        self.last == *b"/>"
    }

    /// What comes next, as far as it is here.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Whether more of what comes next was read; if not, there is no more, or what is here is as long as it may be.
    pub(super) fn look_further(&mut self) -> io::Result<bool> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        let count = read(&mut self.inner, &mut self.buffer[self.end..])?;
        self.end += count;
        Ok(count > 0)
    }

    /// Passes so many bytes of what is ahead, as tokens of their own.
    pub(super) fn pass(&mut self, count: usize) {
        #[expect(clippy::naive_bytecount, reason = "unpacking takes far longer")]
        let lines = self.ahead()[..count]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count();
        self.line += lines as u64;
        match self.ahead()[..count] {
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
        if self.start == self.end {
            self.look_further()?;
        }
        if self.start < self.end && self.left == 0 {
            return Err(io::Error::other(too_long(self.limit)));
        }
        let available = self.ahead();
        Ok(&available[..available.len().min(self.left)])
    }

    fn consume(&mut self, count: usize) {
        self.pass(count);
        self.left -= count;
    }
}

/// A token is longer than the limit.
pub(super) fn too_long(limit: usize) -> Problem {
    Problem::TooLarge {
        what: "one tag or text in bytes",
        limit: limit as u64,
    }
}
