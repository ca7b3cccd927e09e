//! Appends a record to the journal with one write.
//!
//! The daemon rotates the journal by taking an exclusive lock on the current segment, renaming it
//! and creating a new one. A hook holds a shared lock while it writes, and writes only into the
//! file that bears the name: so a segment is final once the daemon holds its lock.

use std::fmt;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::thread::sleep;
use std::time::Duration;

use atm_core::places::JOURNAL_CURRENT;
use rustix::fs::{AtFlags, FlockOperation, OFlags, Stat, flock, statat};
use rustix::io::Errno;

use crate::state::{StateDir, may_grow_to, open_to_append};

/// Size of a segment that says that nobody rotates; nothing is added then.
const SEGMENT_MAX: u64 = 1 << 30;

/// A rotation takes some 50 µs. After these tries something is wrong with the daemon, and a
/// record in a file about to be renamed is better than none.
const LOCK_TRIES: usize = 8;
const LOCK_PAUSE: Duration = Duration::from_micros(50);

const REOPEN_TRIES: usize = 4;

#[derive(Debug)]
pub(crate) enum AppendError {
    Open(Errno),
    /// The segment is beyond all measure, or the process may not write files this large.
    Full(u64),
    /// The rest is left out: readers go on at the next newline.
    Torn {
        written: usize,
        len: usize,
    },
    Write(Errno),
}

impl fmt::Display for AppendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AppendError::Open(error) => write!(f, "cannot open the journal: {error}"),
            AppendError::Full(size) => write!(f, "the journal is full at {size} bytes"),
            AppendError::Torn { written, len } => {
                write!(f, "only {written} of {len} bytes fit into the journal")
            }
            AppendError::Write(error) => write!(f, "cannot write the journal: {error}"),
        }
    }
}

pub(crate) fn append(state: &StateDir, record: &[u8]) -> Result<(), AppendError> {
    let dir = state.subdir("journal").map_err(AppendError::Open)?;
    let (file, stat) = open_current(dir.as_fd()).map_err(AppendError::Open)?;
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    if size > SEGMENT_MAX || !may_grow_to(size + record.len() as u64) {
        return Err(AppendError::Full(size));
    }
    let written = loop {
        match rustix::io::write(&file, record) {
            Err(Errno::INTR) => {}
            result => break result.map_err(AppendError::Write)?,
        }
    };
    if written < record.len() {
        return Err(AppendError::Torn { written, len: record.len() });
    }
    Ok(())
}

/// The current segment, locked; it stays current as long as the file is open.
fn open_current(dir: BorrowedFd<'_>) -> rustix::io::Result<(File, Stat)> {
    let mut opened = open_to_append(dir, JOURNAL_CURRENT, OFlags::CREATE)?;
    for _ in 0..REOPEN_TRIES {
        lock(&opened.0);
        if is_current(dir, &opened.1) {
            break;
        }
        opened = open_to_append(dir, JOURNAL_CURRENT, OFlags::CREATE)?;
    }
    Ok(opened)
}

fn lock(file: &File) {
    for _ in 0..LOCK_TRIES {
        match flock(file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => sleep(LOCK_PAUSE),
            Ok(()) | Err(_) => return,
        }
    }
}

fn is_current(dir: BorrowedFd<'_>, opened: &Stat) -> bool {
    statat(dir, JOURNAL_CURRENT, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|named| (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino))
}
