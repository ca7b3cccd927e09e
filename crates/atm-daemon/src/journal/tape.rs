//! The bytes of all segments by position. Knows nothing of lines.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use atm_core::places::JOURNAL_CURRENT;
use rustix::fs::{FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

use super::JournalError;
use super::segments::{self, Closed};

#[derive(Debug)]
pub(super) struct Tape {
    dir: PathBuf,
    current_path: PathBuf,
    /// By position.
    closed: Vec<Closed>,
    /// Position at which the current segment starts.
    base: u64,
    current: Option<Current>,
    /// The closed segment that is being read, by its base.
    reading: Option<(u64, File)>,
}

/// Device and inode.
type FileId = (u64, u64);

#[derive(Debug)]
pub(super) struct Current {
    file: File,
    id: FileId,
    path: PathBuf,
}

/// Why [`Tape::fill`] gave no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// As much as was asked for.
    Full,
    /// There is no more yet.
    End,
    /// Nothing was ever stored before this position.
    Gap(u64),
    /// What was stored before this position is gone.
    Lost(u64),
}

enum Spot {
    Closed { segment: Closed, left: u64 },
    Gap(u64),
    Current { offset: u64 },
}

impl Tape {
    pub(super) fn load(dir: &Path) -> Result<Tape, JournalError> {
        let closed = segments::list(dir)?;
        Ok(Tape {
            dir: dir.to_owned(),
            current_path: dir.join(JOURNAL_CURRENT),
            base: segments::end(&closed),
            closed,
            current: None,
            reading: None,
        })
    }

    /// The oldest position that is left.
    pub(super) fn start(&self) -> u64 {
        self.closed.first().map_or(self.base, |oldest| oldest.base)
    }

    pub(super) fn has_same_segments(&self, other: &Tape) -> bool {
        self.closed == other.closed
    }

    pub(super) fn end(&mut self) -> Result<u64, JournalError> {
        let len = self.current()?.map_or(Ok(0), |current| current.len())?;
        Ok(self.base + len)
    }

    /// The current segment, if there is one.
    pub(super) fn current(&mut self) -> Result<Option<&Current>, JournalError> {
        if self.current.is_none() {
            self.current = Current::open(&self.current_path)?;
        }
        Ok(self.current.as_ref())
    }

    /// Puts the bytes from `position` on into `into`, up to `want` of them.
    pub(super) fn fill(
        &mut self,
        position: u64,
        want: usize,
        into: &mut Vec<u8>,
    ) -> Result<Stop, JournalError> {
        into.clear();
        while into.len() < want {
            let room = want - into.len();
            match self.spot(position + into.len() as u64) {
                Spot::Gap(next) => return Ok(Stop::Gap(next)),
                Spot::Closed { segment, left } => {
                    let room = usize::try_from(left).map_or(room, |left| room.min(left));
                    if self.read_closed(segment, segment.len - left, room, into)? == 0 {
                        return Ok(Stop::Lost(segment.end()));
                    }
                }
                Spot::Current { offset } => {
                    if self.read_current(offset, room, into)? == 0 {
                        return Ok(Stop::End);
                    }
                }
            }
        }
        Ok(Stop::Full)
    }

    fn spot(&self, at: u64) -> Spot {
        if at >= self.base {
            return Spot::Current { offset: at - self.base };
        }
        let after = self.closed.partition_point(|segment| segment.base <= at);
        let next = self.closed.get(after).map_or(self.base, |segment| segment.base);
        let held = after.checked_sub(1).map(|index| self.closed[index]);
        match held.map(|segment| (segment, segment.end().min(next))) {
            Some((segment, end)) if at < end => {
                let len = end - segment.base;
                Spot::Closed { segment: Closed { len, ..segment }, left: end - at }
            }
            _ => Spot::Gap(next),
        }
    }

    /// 0 also if the segment is gone or shorter than it was.
    fn read_closed(
        &mut self,
        segment: Closed,
        offset: u64,
        room: usize,
        into: &mut Vec<u8>,
    ) -> Result<usize, JournalError> {
        let path = segments::path(&self.dir, segment.base);
        let file = match self.reading.take() {
            Some((base, file)) if base == segment.base => file,
            _ => match open_to_read(&path)? {
                Some(file) => file,
                None => return Ok(0),
            },
        };
        let read = append_at(&file, offset, room, into);
        self.reading = Some((segment.base, file));
        read.map_err(|error| JournalError::io("read", &path, error))
    }

    fn read_current(
        &mut self,
        offset: u64,
        room: usize,
        into: &mut Vec<u8>,
    ) -> Result<usize, JournalError> {
        self.reading = None;
        let Some(current) = self.current()? else { return Ok(0) };
        append_at(&current.file, offset, room, into)
            .map_err(|error| JournalError::io("read", &current.path, error))
    }

    /// Whether the file under the current name is another one than was read up to `position`, or
    /// shorter than that.
    pub(super) fn is_replaced(&self, position: u64) -> Result<bool, JournalError> {
        let Some(current) = &self.current else { return Ok(false) };
        let offset = position.saturating_sub(self.base);
        match current.named()? {
            Some((id, len)) => Ok(id != current.id || len < offset),
            None => Ok(false),
        }
    }

    /// Makes `position` the start of whatever is in the current segment now, for good.
    pub(super) fn restart_at(&mut self, position: u64) -> Result<(), JournalError> {
        if position > self.base {
            let path = segments::path(&self.dir, position);
            File::options()
                .append(true)
                .create(true)
                .mode(0o600)
                .open(&path)
                .map_err(|error| JournalError::io("create", &path, error))?;
            self.closed.push(Closed { base: position, len: 0 });
            self.base = position;
        }
        self.current = None;
        Ok(())
    }

    /// `false` if a hook is just writing, or the name means another file by now.
    pub(super) fn close_current(&mut self) -> Result<bool, JournalError> {
        let Some(current) = &self.current else { return Ok(false) };
        if !current.lock()? {
            return Ok(false);
        }
        let closed = self.rename_current(current);
        match &closed {
            Ok(Some(segment)) => {
                self.closed.retain(|marker| marker.base != segment.base);
                self.closed.push(*segment);
                self.base = segment.end();
                // Closing the file frees the lock.
                self.current = None;
            }
            Ok(None) | Err(_) => current.unlock(),
        }
        Ok(closed?.is_some())
    }

    fn rename_current(&self, current: &Current) -> Result<Option<Closed>, JournalError> {
        if current.named()?.is_none_or(|(id, _)| id != current.id) {
            return Ok(None);
        }
        // Takes the place of the empty segment that may mark this position.
        fs::rename(&current.path, segments::path(&self.dir, self.base))
            .map_err(|error| JournalError::io("rename", &current.path, error))?;
        // Asked only now: a hook that got no lock for too long writes without one.
        Ok(Some(Closed { base: self.base, len: current.len()? }))
    }

    pub(super) fn retain(&mut self, before: u64, keep: u64) -> Result<u64, JournalError> {
        let current = self.current()?.map_or(Ok(0), |current| current.len())?;
        let mut total = current + self.closed.iter().map(|segment| segment.len).sum::<u64>();
        let mut freed = 0;
        while self.closed.len() > 1 && total > keep && self.closed[0].end() <= before {
            let oldest = self.closed[0];
            let path = segments::path(&self.dir, oldest.base);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(JournalError::io("delete", &path, error));
                }
                Ok(()) | Err(_) => {}
            }
            self.closed.remove(0);
            total -= oldest.len;
            freed += oldest.len;
        }
        Ok(freed)
    }
}

impl Current {
    fn open(path: &Path) -> Result<Option<Current>, JournalError> {
        let Some(file) = open_to_read(path)? else { return Ok(None) };
        let meta = file.metadata().map_err(|error| JournalError::io("look at", path, error))?;
        Ok(Some(Current { file, id: (meta.dev(), meta.ino()), path: path.to_owned() }))
    }

    pub(super) fn len(&self) -> Result<u64, JournalError> {
        let meta = self.file.metadata();
        Ok(meta.map_err(|error| JournalError::io("look at", &self.path, error))?.len())
    }

    /// Whether nobody else holds a lock.
    fn lock(&self) -> Result<bool, JournalError> {
        match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK | Errno::INTR) => Ok(false),
            Err(error) => Err(JournalError::io("lock", &self.path, error)),
        }
    }

    fn unlock(&self) {
        // Cannot fail on an open file; the lock ends with the file at the latest.
        flock(&self.file, FlockOperation::Unlock).ok();
    }

    /// Identity and length of the file that bears the name now.
    fn named(&self) -> Result<Option<(FileId, u64)>, JournalError> {
        match fs::symlink_metadata(&self.path) {
            Ok(meta) => Ok(Some(((meta.dev(), meta.ino()), meta.len()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(JournalError::io("look at", &self.path, error)),
        }
    }
}

fn open_to_read(path: &Path) -> Result<Option<File>, JournalError> {
    // NONBLOCK has no effect on files; it keeps a planted FIFO from holding the daemon.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(Some(file.into())),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(JournalError::io("open", path, error)),
    }
}

/// Appends up to `room` bytes of the file from `offset` on.
fn append_at(file: &File, offset: u64, room: usize, into: &mut Vec<u8>) -> io::Result<usize> {
    let there = file.metadata()?.len().saturating_sub(offset);
    let room = usize::try_from(there).map_or(room, |there| room.min(there));
    let start = into.len();
    into.resize(start + room, 0);
    let read = loop {
        match file.read_at(&mut into[start..], offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    into.truncate(start + read.as_ref().map_or(0, |read| *read));
    read
}
