//! Everything that can happen to the machine: a closed list, fed by sensors and users.

use crate::hook::Hook;
use crate::ids::{PaneId, WindowId};
use crate::record::Origin;
use crate::session::Key;
use crate::session_file::SessionFile;
use crate::stamp::Stamp;
use crate::statusline::Feed;
use crate::transcript::Note;

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// From the journal, in its order.
    Hook(Box<Heard>),
    /// A session file that was found or has changed.
    SessionFile(Box<SeenFile>),
    SessionFileGone {
        pid: i32,
    },
    /// The kernel says that this session's process is no more.
    ProcessGone {
        key: Key,
    },
    Transcript {
        key: Key,
        note: Note,
    },
    /// Figures from the client's status line. No sign of activity: it may run by the clock.
    StatusLine(Box<Feed>),
    /// All panes of one tmux server; `server` is `None` if nobody answers there any more.
    Panes {
        socket: String,
        server: Option<i32>,
        panes: Vec<Pane>,
    },
    /// The user has looked.
    Seen {
        key: Key,
    },
    /// Time has passed; see `Machine::deadline`.
    Tick,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    pub ts: Stamp,
    pub name: String,
    pub origin: Origin,
    pub hook: Hook,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SeenFile {
    pub file: SessionFile,
    /// `$TMUX` of the process: the file names the pane but not the server.
    pub tmux: Option<String>,
    pub config_dir: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pane {
    pub id: PaneId,
    pub window: WindowId,
    pub session: String,
}
