//! The journal as the daemon sees it: one endless stream of bytes, kept in segments.
//!
//! Hooks append to the current segment under a shared lock; only the daemon renames it, under an
//! exclusive one, so a closed segment is final. A position counts bytes since the very first
//! segment. The names of closed segments say where they start, and the newest one (which is always
//! kept) says where the current one does. **No position is ever given to two records.** Whenever
//! the current segment turns out not to be the one that was read, an empty closed segment marks
//! the position at which the stream goes on.

mod all;
mod cursor;
mod dir;
mod segments;
mod tape;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

pub use all::{AllLines, read_all};
use cursor::{Cursor, Step};
use tape::Tape;

/// Size from which the current segment is closed.
pub const SEGMENT_MAX: u64 = 16 << 20;
/// A longer line is no record and is passed over.
pub const LINE_MAX: usize = 4 << 20;

#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{path} is a symbolic link; the journal must be a directory of its own")]
    Symlink { path: PathBuf },
    #[error("{path} is not a directory")]
    NotADirectory { path: PathBuf },
    #[error("{path} belongs to another user (uid {uid})")]
    Foreign { path: PathBuf, uid: u32 },
    #[error("cannot {action} {path}")]
    Io {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl JournalError {
    fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> JournalError {
        JournalError::Io { action, path: path.to_owned(), source: source.into() }
    }
}

/// Whole lines, and the position of the first one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Chunk {
    pub start: u64,
    pub bytes: Vec<u8>,
}

impl Chunk {
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// What was in the journal and could not be delivered, since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Lines longer than [`LINE_MAX`].
    pub overlong: u64,
    /// Ends of segments that nobody can complete any more, and closed segments that vanished.
    pub torn: u64,
    /// Times the current segment was deleted, replaced or truncated by somebody else.
    pub renewed: u64,
}

#[derive(Debug)]
pub struct Journal {
    tape: Tape,
    cursor: Cursor,
    renewed: u64,
    /// Bytes between the position asked for and the oldest segment that is left.
    pub skipped: u64,
}

impl Journal {
    /// Goes on at `position`, which must be one that [`Journal::position`] gave, or 0.
    pub fn open(dir: &Path, position: u64) -> Result<Journal, JournalError> {
        dir::prepare(dir)?;
        let mut tape = Tape::load(dir)?;
        let start = position.max(tape.start());
        // The journal was deleted or truncated while nobody looked: what is there now is read
        // from its beginning, at positions that were never used.
        if tape.end()? < position {
            tape.restart_at(position)?;
        }
        let skipped = start - position;
        Ok(Journal { tape, cursor: Cursor::at(start), renewed: 0, skipped })
    }

    /// The next whole lines, about `max` bytes of them, or a single longer one; empty if there is
    /// nothing new.
    pub fn read(&mut self, max: usize) -> Result<Chunk, JournalError> {
        loop {
            match self.cursor.step(&mut self.tape, max)? {
                Step::Lines(chunk) => return Ok(chunk),
                Step::End => {
                    if !self.renew()? {
                        return Ok(Chunk { start: self.position(), bytes: Vec::new() });
                    }
                }
            }
        }
    }

    pub fn position(&self) -> u64 {
        self.cursor.position
    }

    pub fn losses(&self) -> Losses {
        Losses { overlong: self.cursor.overlong, torn: self.cursor.torn, renewed: self.renewed }
    }

    /// Closes the current segment if it is larger than `limit`. `false` also if a hook is just
    /// writing: try again later.
    pub fn rotate(&mut self, limit: u64) -> Result<bool, JournalError> {
        match self.tape.current()? {
            Some(current) if current.len()? > limit => self.tape.close_current(),
            _ => Ok(false),
        }
    }

    /// Deletes the oldest closed segments that lie before `stored` while the whole journal is
    /// larger than `keep_bytes`; never the newest. Returns the number of bytes freed.
    pub fn retain(&mut self, stored: u64, keep_bytes: u64) -> Result<u64, JournalError> {
        self.tape.retain(stored.min(self.position()), keep_bytes)
    }

    /// Whether there is a new current segment, or new contents in it, to go on with.
    fn renew(&mut self) -> Result<bool, JournalError> {
        if !self.tape.is_replaced(self.position())? {
            return Ok(false);
        }
        let position = self.position();
        self.tape.restart_at(position)?;
        self.cursor.restart(position);
        self.renewed += 1;
        Ok(true)
    }
}
