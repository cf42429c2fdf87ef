//! How much more of a file may be kept.

use super::Limits;
use super::error::Problem;

/// What is left of the limits on what is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    things: usize,
    most_things: usize,
    bytes: u64,
    most_bytes: u64,
}

impl Kept {
    pub(super) fn new(limits: &Limits) -> Kept {
        Kept {
            things: limits.things,
            most_things: limits.things,
            bytes: limits.kept,
            most_bytes: limits.kept,
        }
    }

    /// Takes so many things off.
    pub(super) fn things(&mut self, count: usize) -> Result<(), Problem> {
        let too_large = || Problem::TooLarge {
            what: "the number of objects, components, items, sheets, and attributes and elements that are kept",
            limit: self.most_things as u64,
        };
        self.things = self.things.checked_sub(count).ok_or_else(too_large)?;
        Ok(())
    }

    /// Takes so many bytes off.
    pub(super) fn bytes(&mut self, count: usize) -> Result<(), Problem> {
        let too_large = || Problem::TooLarge {
            what: "what is kept of the file in bytes",
            limit: self.most_bytes,
        };
        self.bytes = self.bytes.checked_sub(count as u64).ok_or_else(too_large)?;
        Ok(())
    }
}
