//! Whom to tell what, when and how: decided here from transitions, the configuration, the time
//! and what the user is looking at. Sending is the daemon's.

pub mod argv;
pub mod client;
mod desk;
pub mod glob;
pub mod quiet;
pub mod record;
mod rule;
pub mod terminal;
#[cfg(test)]
mod tests;
pub mod webhook;
pub mod words;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::session::Session;
use crate::session::status::{Class, Life, Status, Why};
use crate::stamp::Stamp;

pub use desk::{Decision, Desk, Mute, Order, Scene};
pub use record::{Outcome, Record, Step, Told, Verdict};

/// The names of all channels, in the order of `Channel`.
pub const CHANNELS: &[&str] = &[
    "tmux-message",
    "tmux-popup",
    "bell",
    "osc9",
    "osc777",
    "osc99",
    "notify-send",
    "terminal-notifier",
    "osascript",
    "sound",
    "command",
    "webhook",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    TmuxMessage,
    TmuxPopup,
    Bell,
    Osc9,
    Osc777,
    Osc99,
    NotifySend,
    TerminalNotifier,
    Osascript,
    Sound,
    Command,
    Webhook,
}

pub const OCCASIONS: &[&str] = &["attention", "finish", "error", "lost"];

/// What the user may want to hear of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Occasion {
    Attention,
    Finish,
    Error,
    Lost,
}

impl Channel {
    pub const ALL: [Channel; 12] = [
        Channel::TmuxMessage,
        Channel::TmuxPopup,
        Channel::Bell,
        Channel::Osc9,
        Channel::Osc777,
        Channel::Osc99,
        Channel::NotifySend,
        Channel::TerminalNotifier,
        Channel::Osascript,
        Channel::Sound,
        Channel::Command,
        Channel::Webhook,
    ];

    pub fn word(self) -> &'static str {
        CHANNELS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Channel> {
        Channel::ALL.into_iter().find(|channel| channel.word() == word)
    }

    /// Whether it needs a client of tmux.
    pub fn is_in_tmux(self) -> bool {
        match self {
            Channel::TmuxMessage | Channel::TmuxPopup | Channel::Bell => true,
            Channel::Osc9 | Channel::Osc777 | Channel::Osc99 => true,
            Channel::NotifySend | Channel::TerminalNotifier | Channel::Osascript => false,
            Channel::Sound | Channel::Command | Channel::Webhook => false,
        }
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Occasion {
    pub fn word(self) -> &'static str {
        OCCASIONS[self as usize]
    }

    /// What there is to tell of a session in its present state.
    pub fn of(session: &Session) -> Option<Occasion> {
        match &session.life {
            Life::Ended { .. } => return None,
            Life::Lost { .. } => return Some(Occasion::Lost),
            Life::Live => {}
        }
        match session.status() {
            Status::Working { .. } => None,
            Status::Attention { .. } => Some(Occasion::Attention),
            Status::Idle { why: Why::Error { .. } | Why::Limited } => Some(Occasion::Error),
            Status::Idle { why: Why::Done | Why::Scheduled } => Some(Occasion::Finish),
            Status::Idle { why: Why::Fresh | Why::Interrupted | Why::Compacted } => None,
        }
    }
}

impl fmt::Display for Occasion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// When the turn that has just ended began, as far as the session remembers.
fn turn_began(session: &Session) -> Option<Stamp> {
    let is_idle = |words: &str| Class::of_words(words) == Some(Class::Idle);
    let begun = session.history.iter().rev().find(|step| is_idle(&step.from) && !is_idle(&step.to));
    begun.map(|step| step.at)
}
