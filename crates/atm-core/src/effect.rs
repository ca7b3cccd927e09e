//! Everything the machine can ask for: a closed list, applied in one place of the daemon.

use crate::record::Process;
use crate::session::{Key, Transition};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The session is new or different: store it, tell subscribers.
    Changed(Key),
    /// Its status is another one, details aside.
    Moved(Key, Transition),
    /// Tell us when this process ends.
    WatchProcess(Key, Process),
    /// Session files may appear below this directory of a client's configuration.
    WatchConfig(String),
    /// The session needs its transcript read from now on, or no longer.
    FollowTranscript(Key),
    LeaveTranscript(Key),
    /// Find out where the panes of this server are.
    LookAtPanes(String),
    /// Ended long ago: no longer held in memory.
    Forgotten(Key),
}
