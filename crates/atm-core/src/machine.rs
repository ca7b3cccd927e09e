//! The state machine: `handle(Event, now) -> Vec<Effect>`. Pure: no IO, no clock, no failure.
//! Identity is decided here (which session does this speak of?), status in `session::derive`.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use crate::effect::Effect;
use crate::event::{Event, Heard, Pane, SeenFile};
use crate::hook::HookKind;
use crate::hook::event::StartSource;
use crate::ids::ConversationId;
use crate::record::Process;
use crate::session::derive::{self, Source};
use crate::session::spoken::Id;
use crate::session::status::{Class, Life, Status, Why};
use crate::session::{FileLife, Found, Key, Place, Session, Transition, hear};
use crate::session_file::FileStatus;
use crate::stamp::Stamp;
use crate::statusline::Feed;
use crate::transcript::Note;

/// A clock that goes back by more than this was set; less is jitter between processors.
const CLOCK_STEP: Duration = Duration::from_secs(2);
/// Ended sessions held in memory; the store holds the rest.
const MAX_ENDED: usize = 200;

#[derive(Debug, Default)]
pub struct Machine {
    sessions: BTreeMap<Key, Session>,
    /// The newest session of each process number.
    by_pid: HashMap<i32, Key>,
    ended: usize,
    /// The latest time we were told; a clock that is set back far is noticed by it.
    latest: Stamp,
}

impl Machine {
    /// Starts from sessions that were stored; `restore(store(m)) == m` for all that bears on
    /// status.
    pub fn restore(sessions: impl IntoIterator<Item = Session>) -> Machine {
        let mut machine = Machine::default();
        let mut all: Vec<Session> = sessions.into_iter().collect();
        all.sort_by_key(|session| session.started);
        for session in all {
            machine.ended += usize::from(!session.is_live());
            if let Some(process) = &session.process {
                machine.by_pid.insert(process.pid, session.key.clone());
            }
            machine.sessions.insert(session.key.clone(), session);
        }
        machine
    }

    pub fn sessions(&self) -> impl Iterator<Item = &Session> {
        self.sessions.values()
    }

    pub fn get(&self, key: &Key) -> Option<&Session> {
        self.sessions.get(key)
    }

    /// When a `Tick` is due, if nothing else happens before.
    pub fn deadline(&self) -> Option<Stamp> {
        self.sessions.values().filter(|s| s.is_live()).filter_map(|s| s.verdict.until).min()
    }

    #[must_use = "effects do nothing unless they are applied"]
    pub fn handle(&mut self, event: Event, now: Stamp) -> Vec<Effect> {
        let mut effects = Vec::new();
        self.keep_time(now, &mut effects);
        match event {
            Event::Hook(heard) => self.hear(*heard, now, &mut effects),
            Event::SessionFile(seen) => self.see_file(*seen, now, &mut effects),
            Event::SessionFileGone { pid } => self.miss_file(pid, now, &mut effects),
            Event::ProcessGone { key } => self.process_gone(&key, now, &mut effects),
            Event::Transcript { key, note } => self.read_note(&key, note, now, &mut effects),
            Event::StatusLine(feed) => self.read_feed(*feed, now, &mut effects),
            Event::Panes { socket, server, panes } => {
                self.see_panes(&socket, server, &panes, &mut effects);
            }
            Event::Seen { key } => self.seen(&key, &mut effects),
            Event::Tick => self.tick(now, &mut effects),
        }
        effects
    }

    /// Stamps are the wall clock's: after it was set back, nothing may seem to come from the
    /// future, or it would outrank all that happens until then.
    fn keep_time(&mut self, now: Stamp, effects: &mut Vec<Effect>) {
        if self.latest.since(now) > CLOCK_STEP {
            // Just before what is about to be handled.
            let before = Stamp(now.0 - 1);
            for session in self.sessions.values_mut().filter(|session| session.is_live()) {
                session.clamp(before);
                effects.push(Effect::Changed(session.key.clone()));
            }
            self.latest = now;
        }
        self.latest = self.latest.max(now);
    }

    fn hear(&mut self, mut heard: Heard, now: Stamp, effects: &mut Vec<Effect>) {
        heard.ts = heard.ts.min(now);
        let Some(key) = self.session_of_hook(&heard, effects) else { return };
        let Some(session) = self.sessions.get_mut(&key) else { return };
        if !session.is_live() {
            return self.hear_ended(&key, &heard, effects);
        }
        let Heard { ts, name, origin, hook } = heard;
        if let Some(dir) = &origin.config_dir
            && session.about.config_dir.as_deref() != Some(dir)
        {
            effects.push(Effect::WatchConfig(dir.clone()));
        }
        session.introduce(&origin, effects);
        let before = session.conversation.clone();
        session.learn(&hook, ts);
        let id = if session.conversation == before { Id::Same } else { Id::Changed };
        session.spoken.hear(&name, &hook, id, ts);
        session.facts.hear(&hook, ts);
        session.last_activity = session.last_activity.max(ts);
        if hear::is_human(&hook) {
            session.unseen = None;
        }
        if let HookKind::SessionEnd { reason } = &hook.kind
            && !matches!(reason.as_str(), "clear" | "resume")
        {
            let reason = if reason.is_empty() { "other" } else { reason }.to_owned();
            return self.end(&key, Life::Ended { at: ts, reason }, &name, effects);
        }
        self.settle(&key, &name, now, effects);
        effects.push(Effect::Changed(key));
    }

    /// After its end only two things can still be news: the reason, or a start after all.
    fn hear_ended(&mut self, key: &Key, heard: &Heard, effects: &mut Vec<Effect>) {
        let Some(session) = self.sessions.get_mut(key) else { return };
        let Heard { ts, name, hook, .. } = heard;
        if let (HookKind::SessionEnd { reason }, Life::Lost { .. }) = (&hook.kind, &session.life) {
            session.life = Life::Ended { at: *ts, reason: reason.clone() };
            session.spoken.hear(name, hook, Id::Same, *ts);
            session.unseen = None;
            effects.push(Effect::Changed(key.clone()));
        }
    }

    /// The session that a hook event speaks of; made if it is new.
    fn session_of_hook(&mut self, heard: &Heard, effects: &mut Vec<Effect>) -> Option<Key> {
        let conversation = heard.hook.conversation.clone()?;
        let process = heard.origin.process.as_ref();
        let is_start = matches!(
            heard.hook.kind,
            HookKind::SessionStart { source, .. } if source != StartSource::Compact
        );
        let known = match process {
            Some(process) => self.by_process(process),
            None => self.by_conversation(&conversation),
        };
        if let Some(key) = known {
            let session = self.sessions.get_mut(&key)?;
            let ended = session.ended_at();
            if ended.is_none_or(|at| !(is_start && heard.ts > at)) {
                return Some(key);
            }
            // The same process starts again: it never was at its end.
            session.life = Life::Live;
            self.ended = self.ended.saturating_sub(1);
            return Some(key);
        }
        Some(self.add(conversation, process.cloned(), heard.ts, effects))
    }

    fn add(
        &mut self,
        conversation: ConversationId,
        process: Option<Process>,
        at: Stamp,
        effects: &mut Vec<Effect>,
    ) -> Key {
        let key = Key::of(process.as_ref(), &conversation);
        let mut session = Session::new(key.clone(), conversation, at);
        if let Some(process) = process {
            self.by_pid.insert(process.pid, key.clone());
            effects.push(Effect::WatchProcess(key.clone(), process.clone()));
            session.process = Some(process);
        }
        self.sessions.insert(key.clone(), session);
        key
    }

    fn by_process(&self, process: &Process) -> Option<Key> {
        let key = self.by_pid.get(&process.pid)?;
        let known = self.sessions.get(key)?.process.as_ref()?;
        let is_same = match (known.start, process.start) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        };
        is_same.then(|| key.clone())
    }

    fn by_conversation(&self, conversation: &ConversationId) -> Option<Key> {
        let known = self.sessions.values().filter(|s| s.is_known_as(conversation));
        known.max_by_key(|s| (s.is_live(), s.started)).map(|s| s.key.clone())
    }

    fn see_file(&mut self, seen: SeenFile, now: Stamp, effects: &mut Vec<Effect>) {
        let SeenFile { file, tmux, config_dir } = seen;
        let process = Process { pid: file.pid, start: file.start };
        let key = match self.by_process(&process) {
            Some(key) => key,
            None => {
                let at = file.started_at.unwrap_or(now);
                self.add(file.conversation.clone(), Some(process), at, effects)
            }
        };
        let Some(session) = self.sessions.get_mut(&key) else { return };
        // A file that comes back for a moment at the end wakes nobody (h_kill9.jsonl).
        if !session.is_live() {
            return;
        }
        let before = session.clone();
        session.learn_file(&file, config_dir, now);
        if session.place.is_none()
            && let (Some(tmux), Some(pane)) = (&tmux, &file.pane)
            && let Some(place) = Place::parse(tmux, pane.as_str())
        {
            effects.push(Effect::LookAtPanes(place.socket.clone()));
            session.place = Some(place);
        }
        self.settle(&key, "session file", now, effects);
        if self.sessions.get(&key) != Some(&before) {
            effects.push(Effect::Changed(key));
        }
    }

    fn miss_file(&mut self, pid: i32, now: Stamp, effects: &mut Vec<Effect>) {
        let Some(key) = self.by_pid.get(&pid).cloned() else { return };
        let Some(session) = self.sessions.get_mut(&key) else { return };
        if session.is_live() && session.file == FileLife::There {
            session.file = FileLife::Removed;
            session.facts.file = None;
            self.settle(&key, "session file removed", now, effects);
            effects.push(Effect::Changed(key));
        }
    }

    fn process_gone(&mut self, key: &Key, now: Stamp, effects: &mut Vec<Effect>) {
        let Some(session) = self.sessions.get(key) else { return };
        if !session.is_live() {
            return;
        }
        let life = match session.file {
            FileLife::Removed => Life::Ended { at: now, reason: "exit".to_owned() },
            FileLife::There | FileLife::Unseen => Life::Lost { at: now },
        };
        self.end(key, life, "process exit", effects);
    }

    fn end(&mut self, key: &Key, life: Life, cause: &str, effects: &mut Vec<Effect>) {
        let Some(session) = self.sessions.get_mut(key) else { return };
        let from = session.summary();
        let is_lost = matches!(life, Life::Lost { .. });
        session.life = life;
        let at = session.ended_at().unwrap_or(session.last_activity);
        session.unseen = is_lost.then_some(at);
        session.since = at;
        let transition = Transition {
            at,
            from,
            to: session.summary(),
            cause: cause.to_owned(),
            source: if is_lost { Source::Process } else { Source::Hook },
            overruled: None,
        };
        session.remember(transition.clone());
        effects.push(Effect::Moved(key.clone(), transition));
        effects.push(Effect::LeaveTranscript(key.clone()));
        effects.push(Effect::Changed(key.clone()));
        self.ended += 1;
        self.forget_oldest(key, effects);
    }

    /// Never `newest`, whose end is still to be stored.
    fn forget_oldest(&mut self, newest: &Key, effects: &mut Vec<Effect>) {
        while self.ended > MAX_ENDED {
            let ended = self.sessions.values().filter(|s| !s.is_live() && s.key != *newest);
            let Some(key) = ended.min_by_key(|s| s.ended_at()).map(|s| s.key.clone()) else {
                return;
            };
            self.sessions.remove(&key);
            self.by_pid.retain(|_, known| *known != key);
            self.ended -= 1;
            effects.push(Effect::Forgotten(key));
        }
    }

    fn read_note(&mut self, key: &Key, note: Note, now: Stamp, effects: &mut Vec<Effect>) {
        let Some(session) = self.sessions.get_mut(key).filter(|s| s.is_live()) else { return };
        let before = session.clone();
        match note {
            Note::Interrupted { at } => session.facts.turn_broke(Why::Interrupted, at),
            Note::Failed { at, why } => session.facts.turn_broke(why, at),
            Note::Title { title } => session.about.title = Some(title),
            Note::Answer { model, context_tokens } => {
                session.learn_model(model);
                session.about.context_tokens = Some(context_tokens);
            }
        }
        self.settle(key, "transcript", now, effects);
        if self.sessions.get(key) != Some(&before) {
            effects.push(Effect::Changed(key.clone()));
        }
    }

    /// Adds no session and moves none: what is shown beside the status may change.
    fn read_feed(&mut self, feed: Feed, now: Stamp, effects: &mut Vec<Effect>) {
        let known = match &feed.process {
            Some(process) => self.by_process(process),
            None => self.by_conversation(&feed.line.session),
        };
        let Some(session) = known.and_then(|key| self.sessions.get_mut(&key)) else { return };
        if !session.is_live() {
            return;
        }
        let before = (session.about.clone(), session.reading().cloned());
        session.learn_feed(feed, now);
        if (&session.about, session.reading()) != (&before.0, before.1.as_ref()) {
            effects.push(Effect::Changed(session.key.clone()));
        }
    }

    fn see_panes(
        &mut self,
        socket: &str,
        server: Option<i32>,
        panes: &[Pane],
        effects: &mut Vec<Effect>,
    ) {
        // Ended ones too: their pane may be there still, to resume them in.
        for session in self.sessions.values_mut() {
            let Some(place) = session.place.as_mut().filter(|p| p.socket == socket) else {
                continue;
            };
            let is_same_run =
                server.is_some() && (place.server.is_none() || place.server == server);
            let pane = panes.iter().find(|pane| is_same_run && pane.id == place.pane);
            let found = pane.map_or(Found::Gone, |pane| Found::In {
                window: pane.window.clone(),
                session: pane.session.clone(),
            });
            if place.found != found {
                place.found = found;
                effects.push(Effect::Changed(session.key.clone()));
            }
        }
    }

    fn seen(&mut self, key: &Key, effects: &mut Vec<Effect>) {
        if let Some(session) = self.sessions.get_mut(key)
            && session.unseen.take().is_some()
        {
            effects.push(Effect::Changed(key.clone()));
        }
    }

    fn tick(&mut self, now: Stamp, effects: &mut Vec<Effect>) {
        let is_due = |s: &Session| s.is_live() && s.verdict.until.is_some_and(|at| at <= now);
        let due: Vec<Key> =
            self.sessions.values().filter(|s| is_due(s)).map(|s| s.key.clone()).collect();
        for key in due {
            self.settle(&key, "no sign to the contrary", now, effects);
            effects.push(Effect::Changed(key));
        }
    }

    /// Derives the status anew and records the step if it is another one.
    fn settle(&mut self, key: &Key, cause: &str, now: Stamp, effects: &mut Vec<Effect>) {
        let Some(session) = self.sessions.get_mut(key) else { return };
        let mut verdict = derive::derive(&session.facts, now);
        if let Some(file) = session.facts.trusted_file().cloned() {
            let is_rest = matches!(file.status, FileStatus::Idle | FileStatus::Shell);
            let decides = verdict.source == Source::SessionFile && verdict.until.is_none();
            if is_rest && decides && matches!(verdict.status, Status::Idle { .. }) {
                session.facts.rest(file.at, Source::SessionFile);
                let kept = verdict.overruled.take();
                verdict =
                    derive::Verdict { overruled: kept, ..derive::derive(&session.facts, now) };
            } else if file.status == FileStatus::Busy && decides {
                session.facts.answered = session.facts.answered.max(file.at);
                session.facts.busy_by_file(file.at);
            }
        }
        let moved = !same_step(&session.verdict.status, &verdict.status);
        let (from, then) = (session.summary(), session.since);
        let was = std::mem::replace(&mut session.verdict, verdict).status;
        if !moved {
            return;
        }
        session.since = session.verdict.at.max(session.since);
        session.mark_unseen(&was, then);
        let transition = Transition {
            at: session.since,
            from,
            to: session.summary(),
            cause: cause.to_owned(),
            source: session.verdict.source,
            overruled: session.verdict.overruled.as_ref().map(|o| o.says.clone()),
        };
        session.remember(transition.clone());
        effects.push(Effect::Moved(key.clone(), transition));
        effects.push(match session.class() {
            Class::Idle => Effect::LeaveTranscript(key.clone()),
            Class::Working | Class::Attention => Effect::FollowTranscript(key.clone()),
        });
    }
}

/// Whether two statuses differ in their details at most: a session that goes from one tool to
/// the next has not moved.
fn same_step(a: &Status, b: &Status) -> bool {
    match (a, b) {
        (Status::Working { .. }, Status::Working { .. }) => true,
        (a, b) => a == b,
    }
}
