//! Follows the transcripts of sessions that work: the mark of a silent interrupt, the title, the
//! model and how full its context is. Only appended bytes are read.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
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
            if let Ok(event) = event
                && !event.kind.is_access()
            {
                // Fails only if the daemon is going down.
                drop(to.send(Change::Paths(event.paths)));
            }
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
            Ok((offset, bytes)) => {
                followed.offset = Some(offset);
                for note in lines(&bytes).filter_map(|line| transcript::read(line.bytes)) {
                    let event = Event::Transcript { key: followed.key.clone(), note };
                    drop(self.reports.send(Report::Event(event)));
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

/// Whole lines from `offset` on, and where they end. A file that has shrunk is read anew.
fn read_on(path: &Path, offset: Option<u64>) -> io::Result<(u64, Vec<u8>)> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let start = match offset {
        Some(offset) if offset <= length => offset,
        _ => length.saturating_sub(TAIL),
    };
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(CHUNK).read_to_end(&mut bytes)?;
    let whole = whole_len(&bytes);
    bytes.truncate(whole);
    Ok((start + whole as u64, bytes))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn transcript_read_on_gives_each_whole_line_once_and_survives_truncation() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("t.jsonl");
        let mut file = File::create(&path).unwrap();
        file.write_all(b"one\ntwo\nhal").unwrap();
        let (offset, bytes) = read_on(&path, Some(0)).unwrap();
        assert_eq!((offset, bytes.as_slice()), (8, &b"one\ntwo\n"[..]));
        file.write_all(b"f\n").unwrap();
        let (offset, bytes) = read_on(&path, Some(offset)).unwrap();
        assert_eq!((offset, bytes.as_slice()), (13, &b"half\n"[..]));
        std::fs::write(&path, "new\n").unwrap();
        let (offset, bytes) = read_on(&path, Some(offset)).unwrap();
        assert_eq!((offset, bytes.as_slice()), (4, &b"new\n"[..]));
    }
}
