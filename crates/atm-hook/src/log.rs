//! Lines for the user who asks what the hook did. Failures to log are ignored: there is nobody
//! left to tell.

use std::ffi::OsStr;
use std::fmt;

use rustix::fs::OFlags;

use crate::Env;
use crate::clock::Moment;
use crate::state::{StateDir, may_grow_to, open_to_append};

/// Name of [`Places::log`](atm_core::places::Places::log) in the state directory.
const LOG: &str = "atm.log";

const LOG_MAX: u64 = 1024 * 1024;

pub(crate) struct Log<'a> {
    state: &'a StateDir,
    level: Level,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Failures,
    All,
}

impl<'a> Log<'a> {
    /// Details are wanted with `ATM_LOG` or `CLAUDE_TMUX_DEBUG`, unless they are empty or `0`.
    pub(crate) fn new(state: &'a StateDir, env: Env<'_>) -> Log<'a> {
        let is_set = |name| env(name).is_some_and(|v| !v.is_empty() && v != OsStr::new("0"));
        let is_wanted = is_set("ATM_LOG") || is_set("CLAUDE_TMUX_DEBUG");
        Log { state, level: if is_wanted { Level::All } else { Level::Failures } }
    }

    pub(crate) fn failure(&self, message: fmt::Arguments<'_>) {
        self.write(message);
    }

    pub(crate) fn detail(&self, message: fmt::Arguments<'_>) {
        if self.level == Level::All {
            self.write(message);
        }
    }

    fn write(&self, message: fmt::Arguments<'_>) {
        let Ok((file, stat)) = open_to_append(self.state, LOG, OFlags::CREATE) else { return };
        let line = format!("{} hook[{}]: {message}\n", Moment::now().stamp, std::process::id());
        let size =
            u64::try_from(stat.st_size).unwrap_or(u64::MAX).saturating_add(line.len() as u64);
        if size <= LOG_MAX && may_grow_to(size) {
            rustix::io::write(&file, line.as_bytes()).ok();
        }
    }
}
