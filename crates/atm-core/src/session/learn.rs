//! What a session learns about itself from a hook or from its session file, apart from work.

use super::status::{Status, Why};
use super::{FileLife, Found, Place, Session, spoken};
use crate::effect::Effect;
use crate::hook::event::{Author, StartSource};
use crate::hook::{Hook, HookKind};
use crate::record::Origin;
use crate::session::facts::FileFact;
use crate::session_file::{FileStatus, SessionFile};
use crate::stamp::Stamp;
use crate::statusline::{Feed, Told};

/// Sets `slot` if there is something to set it to.
fn fill<T>(slot: &mut Option<T>, value: Option<T>) {
    if value.is_some() {
        *slot = value;
    }
}

impl Session {
    /// Who speaks: the circumstances of the hook.
    pub(crate) fn introduce(&mut self, origin: &Origin, effects: &mut Vec<Effect>) {
        if !origin.agent.is_empty() {
            origin.agent.clone_into(&mut self.agent);
        }
        if let (Some(own), Some(seen)) = (&mut self.process, &origin.process) {
            own.start = own.start.or(seen.start);
        }
        fill(&mut self.managed, origin.managed.clone());
        fill(&mut self.about.entrypoint, origin.entrypoint.clone());
        fill(&mut self.about.attended, origin.attended);
        fill(&mut self.about.config_dir, origin.config_dir.clone());
        fill(&mut self.about.role, origin.role.clone());
        fill(&mut self.about.mode, origin.mode.clone());
        fill(&mut self.about.mission, origin.mission.clone());
        let place = match (&origin.tmux, &origin.pane) {
            (Some(tmux), Some(pane)) => Place::parse(tmux, pane),
            _ => None,
        };
        let Some(place) = place else { return };
        let is_known = self.place.as_ref().is_some_and(|known| {
            known.is_same_pane(&place) && !matches!(known.found, Found::NotYet)
        });
        if !is_known {
            effects.push(Effect::LookAtPanes(place.socket.clone()));
            self.place = Some(place);
        }
    }

    /// What the payload says beside the work. `SessionEnd` names the conversation that ends, so
    /// it never renames the session.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "`hear` is the match that a new event breaks"
    )]
    pub(crate) fn learn(&mut self, hook: &Hook, at: Stamp) {
        let is_late = at < self.facts.heard;
        if let Some(conversation) = &hook.conversation
            && !is_late
            && hook.agent.is_none()
            && !matches!(hook.kind, HookKind::SessionEnd { .. })
        {
            self.rename(conversation.clone());
        }
        if !is_late && hook.agent.is_none() {
            fill(&mut self.about.cwd, hook.cwd.clone());
            fill(&mut self.about.transcript, hook.transcript.clone());
            fill(&mut self.about.permission_mode, hook.permission_mode.clone());
        }
        match &hook.kind {
            HookKind::SessionStart { source, model, title } => {
                fill(&mut self.about.model, model.clone());
                fill(&mut self.about.title, title.clone());
                if *source != StartSource::Compact {
                    fill(&mut self.about.session_dir, hook.cwd.clone());
                }
            }
            HookKind::UserPromptSubmit { prompt, author: Author::Human } => {
                self.about.last_prompt = Some(prompt.clone());
            }
            HookKind::PostModelSwitch { model } => fill(&mut self.about.model, model.clone()),
            HookKind::CwdChanged { cwd } => fill(&mut self.about.cwd, cwd.clone()),
            _ => {}
        }
    }

    pub(crate) fn learn_file(
        &mut self,
        file: &SessionFile,
        config_dir: Option<String>,
        now: Stamp,
    ) {
        self.file = FileLife::There;
        fill(&mut self.about.name, file.name.clone());
        fill(&mut self.about.version, file.version.clone());
        fill(&mut self.about.entrypoint, file.entrypoint.clone());
        fill(&mut self.about.kind, Some(file.kind.clone()).filter(|kind| !kind.is_empty()));
        fill(&mut self.about.config_dir, config_dir);
        if self.about.cwd.is_none() {
            self.about.cwd.clone_from(&file.cwd);
        }
        self.learn_conversation(file);
        let Some(status) = file.status else { return };
        let at = file.status_at.or(file.updated_at).unwrap_or(self.started).min(now);
        if self.facts.file.as_ref().is_some_and(|known| known.at > at) {
            return;
        }
        self.last_activity = self.last_activity.max(at);
        let waiting_for = file.waiting_for.clone().filter(|_| status == FileStatus::Waiting);
        self.facts.file = Some(FileFact { status, waiting_for, at });
    }

    /// Takes in what the status line told, unless it is older than what is known.
    pub(crate) fn learn_feed(&mut self, feed: Feed, now: Stamp) {
        let Feed { ts, line, .. } = feed;
        let told = Told { at: ts.min(now), session: line.session, reading: line.reading };
        let is_past = told.session.is_empty() || self.lineage.contains(&told.session);
        if is_past || self.told.as_ref().is_some_and(|known| !told.is_newer_than(known)) {
            return;
        }
        if told.session == self.conversation {
            fill(&mut self.about.model, line.model);
            fill(&mut self.about.version, line.version);
            // It is the custom name or the title, whichever there is.
            let title = line.name.filter(|name| self.about.name.as_ref() != Some(name));
            fill(&mut self.about.title, title);
            if self.about.cwd.is_none() {
                self.about.cwd = line.cwd;
            }
            self.about.context_tokens = told.reading.context_tokens;
        }
        self.told = Some(told);
    }

    /// The model of an answer. Its name lacks the variant that the client was asked for (`[1m]`).
    pub(crate) fn learn_model(&mut self, model: String) {
        let is_variant = |known: &String| {
            known.strip_prefix(model.as_str()).is_some_and(|rest| rest.starts_with('['))
        };
        if !self.about.model.as_ref().is_some_and(is_variant) {
            self.about.model = Some(model);
        }
    }

    /// Until a hook has spoken the file's id may be provisional (i_resume.jsonl).
    fn learn_conversation(&mut self, file: &SessionFile) {
        let before = self.conversation.clone();
        if !self.has_hooks() && file.status.is_none() {
            self.conversation = file.conversation.clone();
        } else if file.updated_at.is_some_and(|at| at > self.facts.heard) {
            self.rename(file.conversation.clone());
        }
        if self.conversation != before || self.spoken.set_on.is_none() {
            self.spoken.set_on = Some(spoken::BY_FILE.to_owned());
        }
    }

    /// Sets or clears the mark after a step from `was`, which had begun at `then`. What the user
    /// did himself is no news.
    pub(crate) fn mark_unseen(&mut self, was: &Status, then: Stamp) {
        let news = Some(self.since);
        self.unseen = match (was, self.status()) {
            (_, Status::Attention { .. }) => news,
            (Status::Attention { .. }, Status::Working { .. }) => None,
            (_, Status::Working { .. }) => self.unseen,
            (_, Status::Idle { why: Why::Fresh | Why::Interrupted | Why::Compacted }) => None,
            // A dialog that the user opened and closed again, such as /model.
            (Status::Attention { .. }, Status::Idle { .. }) if self.facts.last.at < then => None,
            (Status::Attention { .. } | Status::Working { .. }, Status::Idle { .. }) => news,
            // The file told of the end before the Stop did.
            (Status::Idle { why: Why::Interrupted }, Status::Idle { .. }) => news,
            (Status::Idle { .. }, Status::Idle { .. }) => self.unseen,
        };
    }

    /// The clock was set back: nothing can have happened after `now`.
    pub(crate) fn clamp(&mut self, now: Stamp) {
        let stamps = [&mut self.since, &mut self.started, &mut self.last_activity];
        let stamps = stamps.into_iter().chain(&mut self.unseen).chain([&mut self.verdict.at]);
        let stamps = stamps.chain(self.told.as_mut().map(|told| &mut told.at));
        for stamp in stamps {
            *stamp = (*stamp).min(now);
        }
        self.spoken.at = self.spoken.at.min(now);
        self.facts.clamp(now);
    }
}
