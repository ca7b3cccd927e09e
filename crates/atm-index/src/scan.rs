//! Reads one transcript on from where it was left, or anew if it is no longer the same one.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::PathBuf;

use atm_core::transcript::facts::{Facts, Whose};
use atm_core::transcript::glance::{Glance, glance};
use atm_core::transcript::line::Line;
use atm_core::transcript::usage::hash;

use crate::lines::{self, Take};
use crate::walk::{Found, Stat};

/// Opening never waits for somebody at the other end.
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
/// Bytes at the beginning and before the offset that tell whether it is the same file.
const SAMPLE: usize = 512;

/// What is known of a file from before.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) id: i64,
    pub(crate) stat: Stat,
    pub(crate) offset: u64,
    pub(crate) print: u64,
}

/// A file that has changed, with what was learnt from it before.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) found: Found,
    pub(crate) known: Option<(Known, Facts, Vec<u8>)>,
}

#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) found: Found,
    /// What was known before no longer holds.
    pub(crate) is_anew: bool,
    pub(crate) offset: u64,
    pub(crate) print: u64,
    pub(crate) facts: Facts,
    pub(crate) records: Vec<u8>,
    pub(crate) bytes: u64,
}

pub(crate) fn open(found: &Found) -> io::Result<(File, Stat)> {
    let file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(&found.path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    Ok((file, Stat::of(&meta)))
}

/// The path with the error.
pub(crate) fn scan(job: Job, buffer: &mut Vec<u8>) -> Result<Scanned, (PathBuf, io::Error)> {
    let path = job.found.path.clone();
    try_scan(job, buffer).map_err(|error| (path, error))
}

fn try_scan(job: Job, buffer: &mut Vec<u8>) -> io::Result<Scanned> {
    let Job { mut found, known } = job;
    let (file, stat) = open(&found)?;
    found.stat = stat;
    let mut known = known;
    if let Some((from, _, _)) = &known
        && !is_continued(&file, stat, from)?
    {
        known = None;
    }
    let is_anew = known.is_none();
    let (start, facts, records) = match known {
        Some((from, facts, records)) => (from.offset, facts, records),
        None => (0, Facts::default(), Vec::new()),
    };
    let whose = if found.agent.is_some() { Whose::Subagent } else { Whose::Session };
    let place = hash(&[found.path.as_os_str().as_encoded_bytes()]);
    let mut taker = Taker { facts, records, whose, place, last: None };
    let reached = lines::read(&file, start..stat.size, buffer, &mut taker)?;
    taker.facts.unread += reached.too_long;
    taker.facts.lines += reached.too_long;
    Ok(Scanned {
        is_anew,
        offset: reached.offset,
        print: print(&file, reached.offset)?,
        facts: taker.facts,
        records: taker.records,
        bytes: stat.size - start.min(stat.size),
        found,
    })
}

/// Whether the file is what it was, with something appended at most.
fn is_continued(file: &File, stat: Stat, known: &Known) -> io::Result<bool> {
    let is_same = (stat.device, stat.inode) == (known.stat.device, known.stat.inode);
    Ok(is_same && stat.size >= known.offset && print(file, known.offset)? == known.print)
}

fn print(file: &File, offset: u64) -> io::Result<u64> {
    let mut bytes = [0; 2 * SAMPLE];
    let length = usize::try_from(offset).unwrap_or(SAMPLE).min(SAMPLE);
    let (head, tail) = bytes.split_at_mut(SAMPLE);
    file.read_exact_at(&mut head[..length], 0)?;
    file.read_exact_at(&mut tail[..length], offset - length as u64)?;
    Ok(hash(&[&head[..length], &tail[..length]]))
}

struct Taker {
    facts: Facts,
    records: Vec<u8>,
    whose: Whose,
    place: u64,
    /// The last line so far that tells only when and where.
    last: Option<(u64, usize)>,
}

impl Taker {
    fn parse(&mut self, place: u64, line: &[u8]) {
        let place = self.place ^ place;
        if let Some(parsed) = Line::parse(line) {
            self.facts.take(&parsed, self.whose, place, &mut self.records);
            return;
        }
        let text = String::from_utf8_lossy(line);
        match Line::parse(text.as_bytes()) {
            Some(parsed) => self.facts.take(&parsed, self.whose, place, &mut self.records),
            None => self.facts.unread += 1,
        }
    }
}

impl Take for Taker {
    fn take(&mut self, place: u64, line: &[u8]) {
        self.facts.lines += 1;
        match glance(line) {
            Glance::Skip => {}
            Glance::Place => self.last = Some((place, line.len())),
            Glance::Parse => {
                self.last = None;
                self.parse(place, line);
            }
        }
    }

    fn rest(&mut self, from: u64, piece: &[u8]) {
        let Some((place, length)) = self.last.take() else { return };
        let start = usize::try_from(place - from).unwrap_or(usize::MAX);
        if let Some(parsed) = piece.get(start..start + length).and_then(Line::parse) {
            self.facts.take_place(&parsed);
        }
    }
}
