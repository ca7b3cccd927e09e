//! The log file: troubles always, everything else only if `ATM_LOG` or `CLAUDE_TMUX_DEBUG` is
//! set. A log that cannot be written is no reason to stop.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::rc::Rc;

use atm_core::text::clean;

use crate::clock;

/// A log larger than this is begun anew when the daemon starts.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Clone)]
pub(crate) struct Log {
    file: Rc<RefCell<Option<File>>>,
    level: Level,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Troubles,
    Everything,
}

impl Log {
    pub(crate) fn open(path: &Path) -> Log {
        let is_set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty() && v != "0");
        let wants_all = is_set("ATM_LOG") || is_set("CLAUDE_TMUX_DEBUG");
        let is_large = std::fs::metadata(path).is_ok_and(|meta| meta.len() > MAX_BYTES);
        let mut options = OpenOptions::new();
        options.create(true).mode(0o600);
        if is_large {
            options.write(true).truncate(true)
        } else {
            options.append(true)
        };
        Log {
            file: Rc::new(RefCell::new(options.open(path).ok())),
            level: if wants_all { Level::Everything } else { Level::Troubles },
        }
    }

    pub(crate) fn debug(&self, text: impl FnOnce() -> String) {
        if self.level == Level::Everything {
            self.write("debug", &text());
        }
    }

    pub(crate) fn debug_all(&self, texts: impl FnOnce() -> Vec<String>) {
        if self.level == Level::Everything {
            texts().iter().for_each(|text| self.write("debug", text));
        }
    }

    pub(crate) fn trouble(&self, text: &str) {
        self.write("error", text);
    }

    fn write(&self, level: &str, text: &str) {
        let line = format!("{} {level} {}\n", clock::now(), clean(text, 2_000));
        if let Some(file) = self.file.borrow_mut().as_mut() {
            // Nobody is left to tell that the log itself fails.
            drop(file.write_all(line.as_bytes()));
        }
    }
}
