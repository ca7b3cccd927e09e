//! The one place where the daemon acts on what the machine asks for.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use atm_core::config::Config;
use atm_core::effect::Effect;
use atm_core::event::Event;
use atm_core::machine::Machine;
use atm_core::paths;
use atm_core::proto::message::Reply;
use atm_core::session::{Key, Session};
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;

use crate::notify::Notifier;
use crate::projector::Projector;
use crate::sensors::config::ConfigFile;
use crate::sensors::files::Files;
use crate::sensors::panes::Panes;
use crate::sensors::transcripts::Transcripts;
use crate::sensors::visits::Visits;
use crate::sensors::{Report, Reports, process};
use crate::store::Batch;
use crate::subscribers::Subscribers;

/// Everything that effects act upon.
pub(crate) struct World {
    pub(crate) reports: Reports,
    pub(crate) files: Files,
    pub(crate) panes: Panes,
    pub(crate) visits: Visits,
    pub(crate) projector: Projector,
    pub(crate) transcripts: Transcripts,
    pub(crate) subscribers: Subscribers,
    pub(crate) notify: Notifier,
    /// Rows for the next transaction.
    pub(crate) batch: Batch,
    /// Sessions that differ from what was last stored and sent.
    changed: BTreeSet<Key>,
    /// The id under which each live session was last announced.
    announced: HashMap<Key, String>,
    pub(crate) host: String,
    /// What the user wants, as it is now.
    pub(crate) config: Config,
    pub(crate) config_file: ConfigFile,
}

impl World {
    pub(crate) fn new(
        reports: Reports,
        files: Files,
        transcripts: Transcripts,
        config_file: ConfigFile,
        projector: Projector,
    ) -> World {
        World {
            panes: Panes::new(reports.clone()),
            visits: Visits::new(reports.clone()),
            projector,
            notify: Notifier::new(reports.clone()),
            reports,
            files,
            transcripts,
            subscribers: Subscribers::default(),
            batch: Batch::default(),
            changed: BTreeSet::new(),
            announced: HashMap::new(),
            host: host(),
            config: Config::default(),
            config_file,
        }
    }

    pub(crate) fn apply(&mut self, effects: Vec<Effect>, machine: &Machine) {
        for effect in effects {
            match effect {
                Effect::Changed(key) => drop(self.changed.insert(key)),
                Effect::Moved(key, transition) => {
                    self.projector.because(&key, &transition.cause);
                    if let Some(session) = machine.get(&key) {
                        self.notify.moved(session, &self.config.notify);
                        let row = (key, session.conversation.clone(), transition);
                        self.batch.transitions.push(row);
                    }
                }
                Effect::WatchProcess(key, of) => {
                    let gone = Report::Event(Event::ProcessGone { key });
                    process::watch(of, gone, self.reports.clone());
                }
                Effect::WatchConfig(dir) => self.files.add(Path::new(&dir)),
                Effect::FollowTranscript(key) => {
                    if let Some(path) = machine.get(&key).and_then(transcript_of) {
                        self.transcripts.follow(key, &path);
                    }
                }
                Effect::LeaveTranscript(key) => self.transcripts.leave(&key),
                Effect::LookAtPanes(socket) => self.panes.look(&socket),
                Effect::Forgotten(key) => {
                    self.transcripts.forget(&key);
                    self.projector.forget(&key);
                    self.notify.desk.forget(&key);
                    self.changed.remove(&key);
                }
            }
        }
    }

    /// Tells subscribers and tmux what changed and puts it into the batch: once per session, however often
    /// it changed since the last time.
    pub(crate) fn publish(&mut self, machine: &Machine, now: Stamp) {
        for key in std::mem::take(&mut self.changed) {
            let Some(session) = machine.get(&key) else { continue };
            self.announce(session, now);
            self.projector.touch(session);
            match self.batch.sessions.iter_mut().find(|row| row.key == key) {
                Some(row) => session.clone_into(row),
                None => self.batch.sessions.push(session.clone()),
            }
        }
        self.projector.project(machine, now);
    }

    /// Subscribers know sessions by their ids: one that a session no longer has is gone.
    fn announce(&mut self, session: &Session, now: Stamp) {
        let id = session.conversation.to_string();
        let removed = |id: String| Reply::Removed { id, key: session.key.to_string() };
        let old = self.announced.insert(session.key.clone(), id.clone());
        if self.subscribers.is_empty() {
            if !session.is_live() {
                self.announced.remove(&session.key);
            }
            return;
        }
        if let Some(old) = old.filter(|old| *old != id) {
            self.subscribers.send(&removed(old));
        }
        let view = SessionView::of(session, &self.host, now);
        self.subscribers.send(&Reply::Changed { session: Box::new(view) });
        if !session.is_live() {
            self.announced.remove(&session.key);
            self.subscribers.send(&removed(id));
        }
    }
}

fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// Where the transcript is: as a hook said, else where the client keeps it by its own rule.
fn transcript_of(session: &Session) -> Option<PathBuf> {
    let about = &session.about;
    if let Some(path) = &about.transcript {
        return Some(PathBuf::from(path));
    }
    let (config, cwd) = (about.config_dir.as_ref()?, about.cwd.as_ref()?);
    let id = session.conversation.as_str();
    let is_name = !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let folder = Path::new(config).join("projects").join(paths::encode(cwd));
    is_name.then(|| folder.join(format!("{id}.jsonl")))
}
