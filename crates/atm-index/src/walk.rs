//! Finds transcripts: `projects/<folder>/<session>.jsonl` below each configuration directory, and
//! those of subagents in `<session>/subagents/`. Goes to fixed depths, so that no loop of links
//! holds it; what cannot be read is told of and passed over.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Subagents of a workflow have folders of their own below `subagents`.
const AGENT_DEPTH: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) config: String,
    /// From the path; old clients put a subagent's file where it does not tell.
    pub(crate) session: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) stat: Stat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) size: u64,
    /// Nanoseconds.
    pub(crate) modified: i64,
    /// Milliseconds; when it was made, where the file system tells.
    pub(crate) born: i64,
}

#[derive(Debug, Default)]
pub(crate) struct Walk {
    pub(crate) found: Vec<Found>,
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
    seen: HashSet<(u64, u64)>,
}

impl Stat {
    pub(crate) fn of(meta: &Metadata) -> Stat {
        let nanos = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        let born = meta.created().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let born = born.and_then(|since| i64::try_from(since.as_millis()).ok());
        Stat {
            device: meta.dev(),
            inode: meta.ino(),
            size: meta.len(),
            modified: nanos,
            born: born.unwrap_or(nanos / 1_000_000),
        }
    }
}

impl Walk {
    pub(crate) fn config(&mut self, config: &Path) {
        let name = config.to_string_lossy().into_owned();
        for project in self.folder(&config.join("projects")) {
            for entry in self.folder(&project) {
                match name_of(&entry) {
                    Some((stem, "jsonl")) => self.transcript(&name, &entry, stem),
                    Some((session, "")) => {
                        let (session, folder) = (session.to_owned(), entry.join("subagents"));
                        self.agents(&name, &session, &folder, AGENT_DEPTH);
                    }
                    _ => {}
                }
            }
        }
    }

    fn transcript(&mut self, config: &str, path: &Path, stem: &str) {
        let agent = stem.strip_prefix("agent-").map(str::to_owned);
        let session = agent.is_none().then(|| stem.to_owned());
        self.add(config, path, session, agent);
    }

    fn agents(&mut self, config: &str, session: &str, folder: &Path, depth: usize) {
        // Most sessions have none.
        let Ok(entries) = fs::read_dir(folder) else { return };
        for path in entries.filter_map(|entry| entry.ok().map(|entry| entry.path())) {
            match name_of(&path) {
                Some((stem, "jsonl")) if stem.starts_with("agent-") => {
                    let agent = stem.strip_prefix("agent-").map(str::to_owned);
                    self.add(config, &path, Some(session.to_owned()), agent);
                }
                Some((_, "")) if depth > 1 => self.agents(config, session, &path, depth - 1),
                _ => {}
            }
        }
    }

    fn add(&mut self, config: &str, path: &Path, session: Option<String>, agent: Option<String>) {
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => {
                let stat = Stat::of(&meta);
                // The same file by another way is the same transcript.
                if self.seen.insert((stat.device, stat.inode)) {
                    let (config, path) = (config.to_owned(), path.to_owned());
                    self.found.push(Found { path, config, session, agent, stat });
                }
            }
            // A folder or a pipe that is named like a transcript.
            Ok(_) => {}
            Err(error) => self.note(path, error),
        }
    }

    fn folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        match fs::read_dir(folder) {
            Ok(entries) => {
                let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
                let mut paths: Vec<PathBuf> = paths.collect();
                paths.sort_unstable();
                paths
            }
            Err(error) => {
                self.note(folder, error);
                Vec::new()
            }
        }
    }

    fn note(&mut self, path: &Path, error: io::Error) {
        if !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) {
            self.unreadable.push((path.to_owned(), error));
        }
    }
}

/// Name and ending of a file; ours are plain ASCII.
fn name_of(path: &Path) -> Option<(&str, &str)> {
    let name = std::str::from_utf8(path.file_name()?.as_bytes()).ok()?;
    Some(name.rsplit_once('.').unwrap_or((name, "")))
}
