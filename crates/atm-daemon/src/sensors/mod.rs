//! Sensors: each watches one part of the world and reports to the dispatcher. None of them knows
//! the state machine.

pub(crate) mod config;
pub(crate) mod files;
pub(crate) mod panes;
pub(crate) mod process;
pub(crate) mod transcripts;
pub(crate) mod visits;

use atm_core::event::Event;
use atm_core::notify::Record;
use atm_core::notify::client::Client;
use atm_core::session::Key;
use tokio::sync::mpsc::UnboundedSender;

/// Where sensors report. Unbounded, because the watcher's thread must never wait; the amount is
/// bounded by what there is to watch.
pub(crate) type Reports = UnboundedSender<Report>;

#[derive(Debug)]
pub(crate) enum Report {
    Event(Event),
    /// A tmux server was asked for its panes.
    Looked {
        socket: String,
        answer: crate::tmux::Answer,
    },
    /// The process of a tmux server is gone.
    ServerGone {
        socket: String,
    },
    /// The tmux clients, asked for because something is to be told of these sessions.
    Clients {
        asked: Vec<Key>,
        clients: Vec<Client>,
    },
    /// Messages went out, or failed.
    Notified {
        records: Vec<Record>,
    },
    /// The configuration file may be another one now.
    Configured,
    /// A visit to a window has lasted long enough.
    Dwelt(visits::Dwelt),
    /// What a server should show could not be written.
    NotPainted {
        socket: String,
        why: String,
    },
    Trouble(String),
}

impl Report {
    /// Whether it tells of a client what its hooks may have told before.
    pub(crate) fn is_about_session(&self) -> bool {
        matches!(self, Report::Event(_))
    }
}
