//! The client's session files: every `<config>/sessions/<pid>.json` of every configuration
//! directory that is known, by inotify, with a look at everything when events were lost.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use atm_core::event::{Event, SeenFile};
use atm_core::record::Process;
use atm_core::session_file::SessionFile;
use notify::{RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::{Report, Reports, process};

/// A session file is some 700 bytes; anything much larger is something else.
const MAX_BYTES: u64 = 64 * 1024;
/// Of a path that changes under our eyes we are told again.
const WATCH_TRIES: usize = 8;

pub(crate) struct Files {
    reports: Reports,
    watcher: Option<RecommendedWatcher>,
    configs: BTreeSet<PathBuf>,
    /// Those for which not even a folder above exists to be watched.
    unwatched: BTreeSet<PathBuf>,
    namespace: Option<String>,
}

/// What the watcher saw, in our words.
#[derive(Debug)]
pub(crate) enum Change {
    Paths(Vec<PathBuf>),
    /// Events were lost: look at everything.
    Lost,
}

impl Change {
    /// Together with all that wait in line: what changed often is looked at once.
    pub(crate) fn with_waiting(self, line: &mut UnboundedReceiver<Change>) -> Change {
        let mut all = BTreeSet::new();
        let mut next = Some(self);
        let mut is_lost = false;
        while let Some(change) = next {
            match change {
                Change::Paths(paths) => all.extend(paths),
                Change::Lost => is_lost = true,
            }
            next = line.try_recv().ok();
        }
        if is_lost { Change::Lost } else { Change::Paths(all.into_iter().collect()) }
    }
}

impl Files {
    pub(crate) fn new(reports: Reports, changes: UnboundedSender<Change>) -> Files {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let change = match event {
                Ok(event) if event.need_rescan() => Change::Lost,
                Ok(event) if event.kind.is_access() && !is_close_write(&event) => return,
                Ok(event) => Change::Paths(event.paths),
                Err(_) => Change::Lost,
            };
            // Fails only if the daemon is going down.
            drop(changes.send(change));
        });
        let watcher = watcher
            .inspect_err(|error| {
                let text = format!("cannot watch files: {error}");
                drop(reports.send(Report::Trouble(text)));
            })
            .ok();
        let namespace = process::pid_namespace();
        Files { reports, watcher, configs: BTreeSet::new(), unwatched: BTreeSet::new(), namespace }
    }

    pub(crate) fn add(&mut self, config: &Path) {
        if config.is_absolute() && self.configs.insert(config.to_owned()) {
            self.watch(config);
            self.scan(config);
        }
    }

    pub(crate) fn scan_all(&mut self) {
        for config in self.configs.clone() {
            self.watch(&config);
            self.scan(&config);
        }
    }

    /// Looks again for what did not exist the last time.
    pub(crate) fn scan_unwatched(&mut self) {
        for config in std::mem::take(&mut self.unwatched) {
            self.watch(&config);
            self.scan(&config);
        }
    }

    /// Tells of a change when the daemon's lock is removed, and its directory with it.
    pub(crate) fn watch_lock(&mut self, lock: &Path) {
        if let Some(watcher) = &mut self.watcher {
            // Without it an abandoned daemon stays, which harms nobody.
            watcher.watch(lock, RecursiveMode::NonRecursive).ok();
        }
    }

    /// Tells of changes of a file that may not be there yet, nor the folders above it.
    pub(crate) fn watch_file(&mut self, file: &Path) {
        self.watch_nearest(|| file.ancestors().skip(1).find(|folder| folder.is_dir()));
        if let Some(watcher) = &mut self.watcher
            && file.is_symlink()
        {
            // What it points to is in another folder. Gone again already: then that was told.
            watcher.watch(file, RecursiveMode::NonRecursive).ok();
        }
    }

    pub(crate) fn handle(&mut self, change: Change) {
        match change {
            Change::Lost => self.scan_all(),
            Change::Paths(paths) => paths.iter().for_each(|path| self.look(path)),
        }
    }

    /// Paths whose change matters to the transcripts come here too and are passed over.
    fn look(&mut self, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let config = folder.parent().filter(|config| {
            folder.file_name().is_some_and(|name| name == "sessions")
                && self.configs.contains(*config)
        });
        if config.is_some() {
            self.report(path, config);
            return;
        }
        // A folder on the way to a sessions folder came or went.
        let above: Vec<PathBuf> =
            self.configs.iter().filter(|c| c.join("sessions").starts_with(path)).cloned().collect();
        for config in above {
            self.watch(&config);
            self.scan(&config);
        }
    }

    /// Watches the sessions folder, or the nearest folder above it that exists.
    fn watch(&mut self, config: &Path) {
        let sessions = config.join("sessions");
        let nearest = || sessions.ancestors().take(3).find(|folder| folder.is_dir());
        if !self.watch_nearest(nearest) {
            self.unwatched.insert(config.to_owned());
        }
    }

    /// False if there is no folder to watch.
    fn watch_nearest<'p>(&mut self, nearest: impl Fn() -> Option<&'p Path>) -> bool {
        let Some(watcher) = &mut self.watcher else { return true };
        let mut watched = None;
        // A folder that came just before its parent was watched told nobody.
        for _ in 0..WATCH_TRIES {
            let Some(folder) = nearest() else { return false };
            if watched == Some(folder) {
                return true;
            }
            // Watched anew even if it was before: it may be another folder of the same name.
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive)
                && folder.is_dir()
            {
                let text = format!("cannot watch {}: {error}", folder.display());
                drop(self.reports.send(Report::Trouble(text)));
            }
            watched = Some(folder);
        }
        true
    }

    fn scan(&mut self, config: &Path) {
        let Ok(entries) = fs::read_dir(config.join("sessions")) else { return };
        for entry in entries.flatten() {
            self.report(&entry.path(), Some(config));
        }
    }

    fn report(&self, path: &Path, config: Option<&Path>) {
        let stem = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".json"));
        let Some(pid) = stem.and_then(|stem| stem.parse::<i32>().ok()) else { return };
        let event = match self.read(path) {
            Reading::Session(file) => seen(*file, config),
            Reading::Gone => Event::SessionFileGone { pid },
            Reading::Nothing => return,
        };
        drop(self.reports.send(Report::Event(event)));
    }

    fn read(&self, path: &Path) -> Reading {
        let Ok(meta) = fs::symlink_metadata(path) else { return Reading::Gone };
        if !meta.is_file() || meta.len() > MAX_BYTES {
            return Reading::Nothing;
        }
        let Ok(text) = fs::read_to_string(path) else { return Reading::Nothing };
        match SessionFile::parse(&text) {
            // After SIGKILL the file stays behind, and the number may be somebody else's now.
            Some(file) if self.is_ours(&file) && is_alive(&file) => {
                Reading::Session(Box::new(file))
            }
            _ => Reading::Nothing,
        }
    }

    /// A configuration directory may be shared with a container or another host.
    fn is_ours(&self, file: &SessionFile) -> bool {
        match (&file.pid_domain, &self.namespace) {
            (Some(domain), Some(own)) => {
                !domain.contains("pid:[") || domain.ends_with(own.as_str())
            }
            _ => true,
        }
    }
}

/// Where the client `pid` keeps its session file.
pub(crate) fn path(config: &Path, pid: i32) -> PathBuf {
    config.join("sessions").join(format!("{pid}.json"))
}

enum Reading {
    Session(Box<SessionFile>),
    Gone,
    /// Half-written, not a session, or of a process that is no more.
    Nothing,
}

fn is_close_write(event: &notify::Event) -> bool {
    use notify::event::{AccessKind, AccessMode, EventKind};
    event.kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
}

fn is_alive(file: &SessionFile) -> bool {
    process::is_alive(&Process { pid: file.pid, start: file.start })
}

fn seen(file: SessionFile, config: Option<&Path>) -> Event {
    let tmux = file.pane.as_ref().and_then(|_| process::env_of(file.pid, "TMUX"));
    let config_dir = config.and_then(|path| path.to_str()).map(str::to_owned);
    Event::SessionFile(Box::new(SeenFile { file, tmux, config_dir }))
}
