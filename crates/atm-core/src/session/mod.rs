//! One session: who it is, where it is, what is known of it, and the status that follows.

pub mod child;
pub mod derive;
pub mod facts;
pub mod hear;
mod learn;
pub mod spoken;
pub mod status;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::ids::{ConversationId, PaneId, WindowId};
use crate::record::Process;
use crate::stamp::Stamp;
use crate::statusline::{Reading, Told};
use derive::{Source, Verdict};
use facts::Facts;
use spoken::Spoken;
use status::{Class, Life, Status};

/// No sign of activity for this long makes a session stale.
pub const STALE_AFTER: Duration = Duration::from_secs(8 * 3600);
/// Transitions kept with the session; the store keeps them all.
const MAX_HISTORY: usize = 30;
const MAX_LINEAGE: usize = 50;

/// Names a session for good, whatever becomes of its conversation id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    pub fn of(process: Option<&Process>, conversation: &ConversationId) -> Key {
        match process {
            Some(Process { pid, start: Some(start) }) => Key(format!("{pid}-{start}")),
            Some(Process { pid, start: None }) => Key(format!("{pid}-{conversation}")),
            None => Key(format!("c-{conversation}")),
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A key as the store gives it back.
    pub fn stored(text: String) -> Key {
        Key(text)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub key: Key,
    pub agent: String,
    pub process: Option<Process>,
    pub conversation: ConversationId,
    /// Earlier conversations of this process, oldest first.
    pub lineage: Vec<ConversationId>,
    /// The id a spawner gave (`CLAUDE_SESSION_ID`).
    pub managed: Option<String>,
    pub about: About,
    pub place: Option<Place>,
    pub life: Life,
    pub facts: Facts,
    pub verdict: Verdict,
    /// Since when the status is what it is, details aside.
    pub since: Stamp,
    pub started: Stamp,
    pub last_activity: Stamp,
    /// When something happened here that the user has not looked at.
    pub unseen: Option<Stamp>,
    pub history: Vec<Transition>,
    /// Whether the client keeps a session file, as far as we saw.
    pub file: FileLife,
    /// The latest from the status line; may be of a conversation that we have yet to hear of.
    #[serde(default)]
    pub told: Option<Told>,
    #[serde(default)]
    pub spoken: Spoken,
}

/// What does not bear on the status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub cwd: Option<String>,
    /// The directory of the conversation's start, from SessionStart only.
    pub session_dir: Option<String>,
    pub name: Option<String>,
    pub title: Option<String>,
    pub transcript: Option<String>,
    pub config_dir: Option<String>,
    pub model: Option<String>,
    pub permission_mode: Option<String>,
    pub entrypoint: Option<String>,
    pub attended: Option<bool>,
    pub kind: Option<String>,
    pub version: Option<String>,
    pub role: Option<String>,
    pub mode: Option<String>,
    pub mission: Option<String>,
    pub last_prompt: Option<String>,
    pub context_tokens: Option<u64>,
}

/// Where in tmux.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub socket: String,
    /// Pane ids repeat after a restart of the server: only this run of it counts.
    pub server: Option<i32>,
    pub pane: PaneId,
    pub found: Found,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "kebab-case")]
pub enum Found {
    NotYet,
    In { window: WindowId, session: String },
    Gone,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileLife {
    Unseen,
    There,
    /// The client takes it away when it ends cleanly.
    Removed,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    pub at: Stamp,
    pub from: String,
    pub to: String,
    pub cause: String,
    pub source: Source,
    pub overruled: Option<String>,
}

impl Place {
    /// From `$TMUX` (`socket,server pid,session`) and `$TMUX_PANE`.
    pub fn parse(tmux: &str, pane: &str) -> Option<Place> {
        let mut parts = tmux.rsplitn(3, ',');
        let (_session, server, socket) = (parts.next()?, parts.next()?, parts.next()?);
        let is_pane = pane.len() > 1
            && pane.starts_with('%')
            && pane[1..].bytes().all(|byte| byte.is_ascii_digit());
        (socket.starts_with('/') && is_pane).then(|| Place {
            socket: socket.to_owned(),
            server: server.parse().ok(),
            pane: PaneId::new(pane),
            found: Found::NotYet,
        })
    }

    pub fn is_same_pane(&self, other: &Place) -> bool {
        (&self.socket, self.server, &self.pane) == (&other.socket, other.server, &other.pane)
    }
}

impl Session {
    pub fn new(key: Key, conversation: ConversationId, at: Stamp) -> Session {
        let facts = Facts::new(at);
        let verdict = derive::derive(&facts, at);
        Session {
            key,
            agent: "claude".to_owned(),
            process: None,
            conversation,
            lineage: Vec::new(),
            managed: None,
            about: About::default(),
            place: None,
            life: Life::Live,
            facts,
            verdict,
            since: at,
            started: at,
            last_activity: at,
            unseen: None,
            history: Vec::new(),
            file: FileLife::Unseen,
            told: None,
            spoken: Spoken::default(),
        }
    }

    pub fn status(&self) -> &Status {
        &self.verdict.status
    }

    pub fn is_live(&self) -> bool {
        self.life == Life::Live
    }

    /// Whether a person sits at it: not so a `claude -p` that another session started.
    pub fn is_attended(&self) -> bool {
        let is_program = self.about.entrypoint.as_deref().is_some_and(|e| e.starts_with("sdk"));
        self.about.attended.unwrap_or(!is_program)
    }

    pub fn ended_at(&self) -> Option<Stamp> {
        match &self.life {
            Life::Live => None,
            Life::Ended { at, .. } | Life::Lost { at } => Some(*at),
        }
    }

    pub fn is_stale(&self, now: Stamp) -> bool {
        self.is_live() && now.since(self.last_activity) > STALE_AFTER
    }

    /// Whether any hook of this session was ever heard.
    pub fn has_hooks(&self) -> bool {
        self.facts.heard > Stamp::default()
    }

    /// Another conversation in the same process: `/clear`, `/resume`.
    pub fn rename(&mut self, conversation: ConversationId) {
        if conversation == self.conversation || conversation.is_empty() {
            return;
        }
        let old = std::mem::replace(&mut self.conversation, conversation);
        self.lineage.retain(|id| *id != self.conversation && *id != old);
        if self.lineage.len() >= MAX_LINEAGE {
            self.lineage.remove(0);
        }
        self.lineage.push(old);
        self.about.title = None;
        self.about.context_tokens = self.reading().and_then(|reading| reading.context_tokens);
    }

    /// What the status line told of this very conversation.
    pub fn reading(&self) -> Option<&Reading> {
        self.told.as_ref().filter(|told| told.session == self.conversation).map(|t| &t.reading)
    }

    pub fn is_known_as(&self, conversation: &ConversationId) -> bool {
        self.conversation == *conversation || self.lineage.contains(conversation)
    }

    pub(crate) fn remember(&mut self, transition: Transition) {
        if self.history.len() >= MAX_HISTORY {
            self.history.remove(0);
        }
        self.history.push(transition);
    }

    /// Status, or how it ended, in one line.
    pub fn summary(&self) -> String {
        match &self.life {
            Life::Live => self.verdict.status.to_string(),
            Life::Ended { reason, .. } => format!("ended: {reason}"),
            Life::Lost { .. } => "lost".to_owned(),
        }
    }

    pub fn class(&self) -> Class {
        self.verdict.status.class()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_read_from_the_environment_of_a_pane() {
        let place = Place::parse("/tmp/tmux-1000/de,fault,812,0", "%3").unwrap();
        assert_eq!((place.socket.as_str(), place.server), ("/tmp/tmux-1000/de,fault", Some(812)));
        for (tmux, pane) in [("", "%1"), ("/s,1,0", "1"), ("/s,1,0", "%x"), ("rel,1,0", "%1")] {
            assert_eq!(Place::parse(tmux, pane), None, "{tmux} {pane}");
        }
    }

    #[test]
    fn session_renamed_back_keeps_each_conversation_once() {
        let id = ConversationId::new;
        let mut session = Session::new(Key("k".into()), id("a"), Stamp(1));
        for next in ["b", "a", "a", ""] {
            session.rename(id(next));
        }
        assert_eq!((session.conversation, session.lineage), (id("a"), vec![id("b")]));
    }
}
