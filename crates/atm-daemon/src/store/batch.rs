//! What is written at once.

use std::collections::HashSet;

use atm_core::ids::ConversationId;
use atm_core::notify::{Mute, Record};
use atm_core::session::{Key, Session, Transition};
use atm_core::stamp::Stamp;

/// One record of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventRow {
    /// Its position in the journal.
    pub seq: u64,
    pub ts: Stamp,
    pub event: String,
    pub session: Option<String>,
    pub key: Option<Key>,
    pub pid: Option<i32>,
    pub pane: Option<String>,
    /// JSON, as the record holds it.
    pub payload: Option<String>,
    pub malformed: Option<String>,
}

/// About telling the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    Told(Record),
    /// The session was muted, or is no longer.
    Muted(Key, Option<Mute>),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    pub events: Vec<EventRow>,
    /// Those that changed, as they are after the last event.
    pub sessions: Vec<Session>,
    pub transitions: Vec<(Key, ConversationId, Transition)>,
    pub notices: Vec<Notice>,
    /// Where to go on in the journal after this. A lower one than is stored has no effect.
    pub position: u64,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        let is_still = self.sessions.is_empty() && self.transitions.is_empty();
        self.events.is_empty() && is_still && self.notices.is_empty()
    }

    /// Adds what happened later; of a session only the newer state stays.
    pub fn append(&mut self, later: Batch) {
        let newer: HashSet<&Key> = later.sessions.iter().map(|session| &session.key).collect();
        self.sessions.retain(|session| !newer.contains(&session.key));
        self.sessions.extend(later.sessions);
        self.events.extend(later.events);
        self.transitions.extend(later.transitions);
        self.notices.extend(later.notices);
        self.position = self.position.max(later.position);
    }
}
