//! The whole journal from outside: for commands that run without a daemon. Changes nothing.

use std::collections::VecDeque;
use std::path::Path;

use atm_core::record::lines;

use super::cursor::{Cursor, Step};
use super::tape::Tape;
use super::{Chunk, JournalError};

const READ: usize = 256 << 10;

/// Every whole line with its position, oldest first; a missing directory holds none.
pub fn read_all(dir: &Path) -> AllLines {
    match settled(dir) {
        Ok(tape) => {
            AllLines { cursor: Cursor::at(tape.start()), tape: Some(tape), ready: VecDeque::new() }
        }
        Err(error) => {
            AllLines { cursor: Cursor::at(0), tape: None, ready: VecDeque::from([Err(error)]) }
        }
    }
}

type Item = Result<(u64, Vec<u8>), JournalError>;

#[derive(Debug)]
pub struct AllLines {
    cursor: Cursor,
    /// Gone after an error.
    tape: Option<Tape>,
    ready: VecDeque<Item>,
}

impl Iterator for AllLines {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        while self.ready.is_empty() {
            match self.cursor.step(self.tape.as_mut()?, READ) {
                Ok(Step::Lines(chunk)) => self.ready.extend(split(&chunk)),
                Ok(Step::End) => return None,
                Err(error) => {
                    self.tape = None;
                    return Some(Err(error));
                }
            }
        }
        self.ready.pop_front()
    }
}

fn split(chunk: &Chunk) -> impl Iterator<Item = Item> + '_ {
    let place = |offset| chunk.start + offset as u64;
    lines(&chunk.bytes).map(move |line| Ok((place(line.offset), line.bytes.to_vec())))
}

/// The current segment must be the one that follows the closed ones: a daemon may rotate between
/// the two looks.
fn settled(dir: &Path) -> Result<Tape, JournalError> {
    let mut tape = Tape::load(dir)?;
    loop {
        tape.current()?;
        let again = Tape::load(dir)?;
        if again.has_same_segments(&tape) {
            return Ok(tape);
        }
        tape = again;
    }
}
