//! Check of a write-ahead log before SQLite recovers it.
//!
//! SQLite's recovery ends at the first frame whose checksum is wrong, and so rolls back what a power failure left
//! incomplete. It cannot tell that from damage to commits that were durable, and would read an older state. Two witnesses
//! tell them apart: the shared-memory file of processes that were killed, which has the number of committed frames, and
//! frames of later commits, since a commit is durable before the next one begins.
//!
//! Format: <https://www.sqlite.org/walformat.html>. Time: reads the log once, unless all of it is in the database.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
use std::path::Path;

use super::filesystem;
use crate::{Damage, StoreError};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// Version in the headers of both files.
const VERSION: u32 = 3_007_000;
/// Length of the two copies of the header of the shared-memory file, and of the checkpoint information.
const INDEX_HEADER: usize = 48;
const INDEX: usize = 2 * INDEX_HEADER + 4;
/// Number of attempts if other processes write meanwhile.
const ATTEMPTS: usize = 5;

/// The start of the shared-memory file.
#[derive(Clone, Copy, PartialEq)]
struct Index([u8; INDEX]);

impl Index {
    /// Reads it; `None` if there is none, or it was being written.
    fn read(path: &Path) -> Option<Self> {
        let mut bytes = [0; INDEX];
        let mut file = File::open(filesystem::shm(path)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        let index = Index(bytes);
        let (first, second) = bytes[..2 * INDEX_HEADER].split_at(INDEX_HEADER);
        let is_valid = first == second && index.number(0) == VERSION && bytes[12] == 1;
        is_valid.then_some(index)
    }

    fn number(&self, at: usize) -> u32 {
        let bytes = &self.0[at..at + 4];
        u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
    }

    /// Number of committed frames.
    fn frames(&self) -> u32 {
        self.number(16)
    }

    /// Number of frames that are copied to the database.
    fn copied(&self) -> u32 {
        self.number(2 * INDEX_HEADER)
    }

    fn salts(&self) -> &[u8] {
        &self.0[32..40]
    }
}

/// Valid frames of a log.
#[derive(Default)]
struct Frames {
    /// Salts of the log; empty if its header is invalid.
    salts: Vec<u8>,
    /// Number of frames before the first invalid one.
    valid: u32,
    /// Number of commits of the same log at and after the first invalid frame.
    later_commits: u32,
}

/// Rejects a log that lost durable commits.
pub(super) fn check(path: &Path) -> Result<(), StoreError> {
    let failed = |error: io::Error| super::error::from_io(&filesystem::wal(path), &error);
    for _ in 0..ATTEMPTS {
        let index = Index::read(path);
        if index.is_some_and(|index| index.frames() == index.copied()) {
            return Ok(());
        }
        let frames = read(path).map_err(failed)?;
        let problem = match index {
            // The log was begun anew.
            Some(index) if !frames.salts.is_empty() && frames.salts != index.salts() => None,
            Some(index) if frames.valid < index.frames() => Some(format!(
                "its write-ahead log is damaged after {} of {} pages",
                frames.valid,
                index.frames()
            )),
            // A power failure may leave one commit incomplete.
            None if frames.later_commits > 1 => Some(format!(
                "its write-ahead log is damaged after {} pages, and {} commits follow",
                frames.valid, frames.later_commits
            )),
            Some(_) | None => None,
        };
        let Some(problem) = problem else {
            return Ok(());
        };
        if Index::read(path) == index {
            let message = format!(
                "{problem}. If it was written with --durability normal, which permits a power failure to lose commits, open it \
                 once with that"
            );
            let place = path.display().to_string();
            return Err(Damage::File { place, message }.into());
        }
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<Frames> {
    let file = match File::open(filesystem::wal(path)) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Frames::default()),
        file => file?,
    };
    let mut file = BufReader::with_capacity(1 << 18, file);
    let mut header = [0; HEADER];
    if !fill(&mut file, &mut header)? {
        return Ok(Frames::default());
    }
    let magic = big_endian(&header, 0);
    let is_big_endian = magic & 1 == 1;
    let mut sum = Checksum::default();
    sum.add(&header[..24], is_big_endian);
    let page = big_endian(&header, 8) as usize;
    let is_valid = magic & !1 == 0x377f_0682
        && big_endian(&header, 4) == VERSION
        && sum.is(&header[24..])
        && page.is_power_of_two()
        && (512..=1 << 16).contains(&page);
    if !is_valid {
        return Ok(Frames::default());
    }
    let mut frames = Frames {
        salts: header[16..24].to_vec(),
        ..Frames::default()
    };
    let mut frame = vec![0; FRAME_HEADER + page];
    let mut is_intact = true;
    while fill(&mut file, &mut frame)? {
        let (header, data) = frame.split_at(FRAME_HEADER);
        let is_own = header[8..16] == frames.salts[..];
        if is_intact {
            sum.add(&header[..8], is_big_endian);
            sum.add(data, is_big_endian);
            is_intact = is_own && sum.is(&header[16..]);
        }
        if is_intact {
            frames.valid += 1;
        } else if is_own && big_endian(header, 4) > 0 {
            frames.later_commits += 1;
        }
    }
    Ok(frames)
}

/// Fills a buffer; returns false if the file ends before.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn big_endian(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The cumulative checksum of a log.
#[derive(Default)]
struct Checksum(u32, u32);

impl Checksum {
    /// Adds bytes, whose number is a multiple of 8.
    fn add(&mut self, bytes: &[u8], is_big_endian: bool) {
        for pair in bytes.chunks_exact(8) {
            let word = |at: usize| {
                let word = [pair[at], pair[at + 1], pair[at + 2], pair[at + 3]];
                if is_big_endian {
                    u32::from_be_bytes(word)
                } else {
                    u32::from_le_bytes(word)
                }
            };
            self.0 = self.0.wrapping_add(word(0)).wrapping_add(self.1);
            self.1 = self.1.wrapping_add(word(4)).wrapping_add(self.0);
        }
    }

    /// True if these stored bytes are the checksum.
    fn is(&self, stored: &[u8]) -> bool {
        (self.0, self.1) == (big_endian(stored, 0), big_endian(stored, 4))
    }
}
