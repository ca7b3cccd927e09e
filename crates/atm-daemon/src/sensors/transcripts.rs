//! Follows the transcripts of sessions that work: the mark of a silent interrupt, the title, the
//! model and how full its context is. Only appended bytes are read.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use atm_core::event::Event;
use atm_core::record::{lines, whole_len};
use atm_core::session::Key;
use atm_core::transcript;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::UnboundedSender;

use super::files::Change;
use super::{Report, Reports};

/// Of a transcript that is met for the first time only the end matters.
const TAIL: u64 = 256 * 1024;
/// Bytes taken at once; the rest comes with the next look.
const CHUNK: u64 = 4 * 1024 * 1024;
/// Opening never waits for somebody at the other end.
const NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
/// The file does not exist yet at the first prompt.
const RETRY: Duration = Duration::from_millis(250);
const RETRIES: u32 = 40;

pub(crate) struct Transcripts {
    reports: Reports,
    changes: UnboundedSender<Change>,
    watcher: Option<RecommendedWatcher>,
    followed: HashMap<PathBuf, Followed>,
    /// How far each was read when it was left.
    left: HashMap<PathBuf, (Key, u64)>,
}

struct Followed {
    key: Key,
    offset: Option<u64>,
    is_watched: bool,
    retries: u32,
}

impl Transcripts {
    pub(crate) fn new(reports: Reports, changes: UnboundedSender<Change>) -> Transcripts {
        let to = changes.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let change = match event {
                Ok(event) if event.need_rescan() => Change::Lost,
                Ok(event) if event.kind.is_access() => return,
                Ok(event) => Change::Paths(event.paths),
                Err(_) => return,
            };
            // Fails only if the daemon is going down.
            drop(to.send(change));
        });
        let (followed, left) = (HashMap::new(), HashMap::new());
        Transcripts { reports, changes, watcher: watcher.ok(), followed, left }
    }

    pub(crate) fn follow(&mut self, key: Key, path: &Path) {
        if !path.is_absolute() || self.followed.contains_key(path) {
            return;
        }
        let offset = self.left.remove(path).map(|(_, offset)| offset);
        let followed = Followed { key, offset, is_watched: false, retries: 0 };
        self.followed.insert(path.to_owned(), followed);
        self.look(path);
    }

    pub(crate) fn leave(&mut self, key: &Key) {
        let paths: Vec<PathBuf> =
            self.followed.iter().filter(|(_, f)| f.key == *key).map(|(p, _)| p.clone()).collect();
        for path in paths {
            self.look(&path);
            let Some(followed) = self.followed.remove(&path) else { continue };
            if followed.is_watched
                && let Some(watcher) = &mut self.watcher
            {
                // Gone with its file, if it cannot be removed.
                drop(watcher.unwatch(&path));
            }
            if let Some(offset) = followed.offset {
                self.left.insert(path, (followed.key, offset));
            }
        }
    }

    pub(crate) fn forget(&mut self, key: &Key) {
        self.leave(key);
        self.left.retain(|_, (left, _)| left != key);
    }

    pub(crate) fn handle(&mut self, change: &Change) {
        match change {
            Change::Paths(paths) => paths.iter().for_each(|path| self.look(path)),
            Change::Lost => {
                let all: Vec<PathBuf> = self.followed.keys().cloned().collect();
                all.iter().for_each(|path| self.look(path));
            }
        }
    }

    fn look(&mut self, path: &Path) {
        let Some(followed) = self.followed.get_mut(path) else { return };
        if !followed.is_watched
            && let Some(watcher) = &mut self.watcher
        {
            followed.is_watched = watcher.watch(path, RecursiveMode::NonRecursive).is_ok();
        }
        match read_on(path, followed.offset) {
            Ok(piece) => {
                followed.offset = Some(piece.end);
                for note in lines(&piece.bytes).filter_map(|line| transcript::read(line.bytes)) {
                    let event = Event::Transcript { key: followed.key.clone(), note };
                    drop(self.reports.send(Report::Event(event)));
                }
                if piece.has_more {
                    drop(self.changes.send(Change::Paths(vec![path.to_owned()])));
                }
            }
            Err(_) if followed.retries < RETRIES => {
                followed.retries += 1;
                followed.is_watched = false;
                let (changes, path) = (self.changes.clone(), path.to_owned());
                tokio::spawn(async move {
                    tokio::time::sleep(RETRY).await;
                    drop(changes.send(Change::Paths(vec![path])));
                });
            }
            Err(_) => {}
        }
    }
}

/// Whole lines of a transcript, and where they end.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    end: u64,
    bytes: Vec<u8>,
    has_more: bool,
}

/// What follows `offset`. A file that has shrunk is read anew; a line longer than [`CHUNK`] tells
/// nothing and is passed over in pieces.
fn read_on(path: &Path, offset: Option<u64>) -> io::Result<Piece> {
    // A hook names the path: it could be a pipe that nobody writes to.
    let mut file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let length = meta.len();
    let start = match offset {
        Some(offset) if offset <= length => offset,
        _ => length.saturating_sub(TAIL),
    };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(CHUNK).read_to_end(&mut bytes)?;
    let has_more = bytes.len() as u64 == CHUNK;
    let whole = whole_len(&bytes);
    let taken = if has_more && whole == 0 { bytes.len() } else { whole };
    bytes.truncate(whole);
    Ok(Piece { end: start + taken as u64, bytes, has_more })
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Write;

    use super::*;

    #[test]
    fn transcript_read_on_gives_each_whole_line_once_and_survives_truncation() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntwo\nhal").unwrap();
        let read = |offset| {
            let piece = read_on(&path, Some(offset)).unwrap();
            (piece.end, piece.bytes)
        };
        assert_eq!(read(0), (8, b"one\ntwo\n".to_vec()));
        file.write_all(b"f\n").unwrap();
        assert_eq!(read(8), (13, b"half\n".to_vec()));
        std::fs::write(&path, "new\n").unwrap();
        assert_eq!(read(13), (4, b"new\n".to_vec()));
    }
}
