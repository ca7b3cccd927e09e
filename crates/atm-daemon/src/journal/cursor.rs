//! Whole lines out of the stream of bytes.

use atm_core::record::whole_len;

use super::tape::{Stop, Tape};
use super::{Chunk, JournalError, LINE_MAX};

/// Step in which an overlong line is passed over.
const PASS: usize = 64 << 10;

#[derive(Debug)]
pub(super) struct Cursor {
    /// Position of the first byte not yet delivered or passed over.
    pub(super) position: u64,
    within: Within,
    pub(super) overlong: u64,
    pub(super) torn: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    Lines,
    /// A line too long to deliver: on to the next newline.
    Overlong,
}

#[derive(Debug)]
pub(super) enum Step {
    /// Never empty.
    Lines(Chunk),
    End,
}

impl Cursor {
    pub(super) fn at(position: u64) -> Cursor {
        Cursor { position, within: Within::Lines, overlong: 0, torn: 0 }
    }

    /// What was begun is not going on there.
    pub(super) fn restart(&mut self, position: u64) {
        self.position = position;
        self.within = Within::Lines;
    }

    pub(super) fn step(&mut self, tape: &mut Tape, max: usize) -> Result<Step, JournalError> {
        loop {
            if self.within == Within::Overlong && !self.pass_over(tape)? {
                return Ok(Step::End);
            }
            if let Some(step) = self.lines(tape, max.clamp(1, LINE_MAX))? {
                return Ok(step);
            }
        }
    }

    /// `None` if there was something else to pass over first.
    fn lines(&mut self, tape: &mut Tape, max: usize) -> Result<Option<Step>, JournalError> {
        let mut want = max;
        let mut bytes = Vec::new();
        loop {
            let stop = tape.fill(self.position, want, &mut bytes)?;
            let whole = if want > max { first_line(&bytes, max) } else { whole_len(&bytes) };
            if whole > 0 {
                return Ok(Some(self.deliver(bytes, whole)));
            }
            match stop {
                Stop::Full if want < LINE_MAX => want = want.saturating_mul(4).min(LINE_MAX),
                Stop::Full => {
                    self.overlong += 1;
                    self.within = Within::Overlong;
                    return Ok(None);
                }
                Stop::End => return Ok(Some(Step::End)),
                Stop::Gap(next) | Stop::Lost(next) => {
                    self.torn += u64::from(stop == Stop::Lost(next) || !bytes.is_empty());
                    self.restart(next);
                    return Ok(None);
                }
            }
        }
    }

    fn deliver(&mut self, mut bytes: Vec<u8>, whole: usize) -> Step {
        bytes.truncate(whole);
        let start = self.position;
        self.position += whole as u64;
        Step::Lines(Chunk { start, bytes })
    }

    /// Whether the end of the overlong line was found.
    fn pass_over(&mut self, tape: &mut Tape) -> Result<bool, JournalError> {
        let mut bytes = Vec::new();
        loop {
            let stop = tape.fill(self.position, PASS, &mut bytes)?;
            let newline = bytes.iter().position(|byte| *byte == b'\n');
            self.position += newline.map_or(bytes.len(), |at| at + 1) as u64;
            match (newline, stop) {
                (Some(_), _) => self.restart(self.position),
                (None, Stop::Gap(next) | Stop::Lost(next)) => self.restart(next),
                (None, Stop::Full) => continue,
                (None, Stop::End) => return Ok(false),
            }
            return Ok(true);
        }
    }
}

/// Length of the first line, whose newline is known not to be among the first `checked` bytes.
fn first_line(bytes: &[u8], checked: usize) -> usize {
    let rest = bytes.get(checked..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(0, |at| checked + at + 1)
}
