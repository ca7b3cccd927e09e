//! Everything the checks know. It holds nothing that a user would not show to a stranger who helps:
//! no prompts, and of the settings only our own hook commands and switches.

use std::fmt;
use std::path::{Path, PathBuf};

use atm_core::proto::message::DaemonStatus;
use atm_core::settings::quote;
use atm_core::stamp::{self, Stamp};
use serde::{Serialize, Serializer};

use crate::setup::diff::visible;

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Dump {
    pub(crate) version: String,
    #[serde(with = "stamp::text")]
    pub(crate) now: Stamp,
    /// This very program.
    pub(crate) program: Option<Place>,
    pub(crate) home: Option<Place>,
    pub(crate) here: Option<Place>,
    /// `None`: no state directory can be had, see `failures`.
    pub(crate) state: Option<State>,
    pub(crate) claude: Vec<Install>,
    pub(crate) settings: Vec<Settings>,
    /// Every program that our hooks name.
    pub(crate) programs: Vec<HookProgram>,
    pub(crate) trust: Trust,
    pub(crate) daemon: Daemon,
    pub(crate) journal: Journal,
    /// `None`: no daemon could be asked.
    pub(crate) sessions: Option<Vec<Session>>,
    pub(crate) tmux: Tmux,
    pub(crate) path: Vec<OnPath>,
    /// `None`: no directory for it can be had, see `failures`.
    pub(crate) config: Option<Config>,
    /// `None`: not asked for.
    pub(crate) self_test: Option<SelfTest>,
    /// What could not be looked at.
    pub(crate) failures: Vec<Failure>,
}

/// The configuration file, and what is wrong in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Config {
    pub(crate) path: Place,
    pub(crate) is_there: bool,
    pub(crate) problems: Vec<String>,
}

/// A path for people and for JSON, whatever its bytes are.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(pub(crate) PathBuf);

impl Place {
    pub(crate) fn of(path: impl AsRef<Path>) -> Place {
        Place(path.as_ref().to_owned())
    }

    /// For a command that the user may copy.
    pub(crate) fn as_word(&self) -> String {
        let word = self.to_string();
        let is_plain = |c: char| c.is_alphanumeric() || "/._-+@:,=%".contains(c);
        if word.chars().all(is_plain) { word } else { quote(&word) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.0.to_string_lossy()))
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&self.0.to_string_lossy())
    }
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    pub(crate) what: String,
    pub(crate) why: String,
}

/// One installed client.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Install {
    pub(crate) path: Place,
    /// Without links.
    pub(crate) target: Place,
    pub(crate) version: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Scope {
    Managed,
    User,
    Project,
    Local,
    Plugin,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Settings {
    pub(crate) scope: Scope,
    pub(crate) path: Place,
    /// For project and local ones the folder whose sessions they are for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) folder: Option<Place>,
    /// For hooks of a plugin: `name@marketplace`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plugin: Option<String>,
    pub(crate) content: Content,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Content {
    Absent,
    Unreadable { why: String },
    Unparsable { why: String },
    Read(Read),
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Read {
    pub(crate) ours: Vec<OurHook>,
    /// How many hooks of others there are.
    pub(crate) others: usize,
    pub(crate) is_disabled: bool,
    pub(crate) is_managed_only: bool,
    pub(crate) plugins: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct OurHook {
    pub(crate) event: String,
    pub(crate) program: String,
    pub(crate) is_exec: bool,
    pub(crate) line: usize,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct HookProgram {
    /// As written in the settings.
    pub(crate) program: String,
    /// Where it is; `None` if it is nowhere.
    pub(crate) found: Option<Place>,
    pub(crate) is_executable: bool,
    pub(crate) identity: Identity,
}

/// How a program compares to this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Identity {
    Same,
    /// Another file with the same bytes.
    Copy,
    Other {
        /// What it says to `--version`; `None` if it is no atm.
        version: Option<String>,
    },
    /// Another file, which was not run to ask it.
    Unasked,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Trust {
    pub(crate) file: Option<Place>,
    /// `None` if the file cannot be read: then nothing is known.
    pub(crate) folders: Option<Vec<Folder>>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Folder {
    pub(crate) path: Place,
    pub(crate) is_trusted: bool,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct State {
    pub(crate) dir: Place,
    pub(crate) config: Place,
    pub(crate) exists: bool,
    /// Why it cannot be used: a link, somebody else's, a file.
    pub(crate) refused: Option<String>,
    #[serde(serialize_with = "octal")]
    pub(crate) mode: Option<u32>,
    pub(crate) is_writable: Option<bool>,
    pub(crate) is_read_only: bool,
    /// Files that others may read or write.
    pub(crate) open_files: Vec<Place>,
    pub(crate) free_bytes: Option<u64>,
    pub(crate) free_inodes: Option<u64>,
    pub(crate) database_bytes: Option<u64>,
    /// What is wrong with the database.
    pub(crate) database_fault: Option<String>,
    pub(crate) socket_length: usize,
    /// How far the time of a file written just now is from our clock, in milliseconds.
    pub(crate) file_clock_off: Option<i64>,
    /// Why no directory can be watched.
    pub(crate) inotify_fault: Option<String>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Daemon {
    /// Before the self-test, which starts one.
    pub(crate) before: Option<Answer>,
    pub(crate) now: Option<Answer>,
    /// The file of the running daemon's program was replaced or removed since it started.
    pub(crate) is_replaced: bool,
    /// Sockets that are there although nobody listens.
    pub(crate) leftovers: Vec<Place>,
    /// Why the last one did not come up, as it said itself.
    pub(crate) start_failure: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Answer {
    Up(Box<DaemonStatus>),
    Nobody,
    /// There, but silent, foreign or of another protocol.
    Bad {
        why: String,
    },
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Journal {
    pub(crate) bytes: u64,
    pub(crate) fault: Option<String>,
    pub(crate) last_hook: Option<LastHook>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct LastHook {
    #[serde(with = "stamp::text")]
    pub(crate) ts: Stamp,
    pub(crate) event: String,
    pub(crate) session: Option<String>,
    pub(crate) pid: Option<i32>,
}

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) pid: Option<i32>,
    pub(crate) pane: Option<String>,
    pub(crate) folder: Option<Place>,
    /// Whether a hook of it was ever heard.
    pub(crate) hooks: bool,
    pub(crate) attended: Option<bool>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Tmux {
    pub(crate) program: Option<Place>,
    /// As it says itself: `tmux 3.3a`.
    pub(crate) version: Option<String>,
    pub(crate) is_inside: bool,
    /// The file that setup generates.
    pub(crate) our_file: Option<Place>,
    pub(crate) our_file_exists: bool,
    /// What a server is marked with that has loaded it.
    pub(crate) our_mark: Option<String>,
    /// Configuration files with our line in them.
    pub(crate) configured_in: Vec<Place>,
    pub(crate) servers: Vec<Server>,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Server {
    pub(crate) socket: Place,
    pub(crate) version: String,
    /// Which file of ours it has loaded.
    pub(crate) mark: Option<String>,
    /// Names of the tmux hooks that have our entry.
    pub(crate) hooks: Vec<String>,
    /// Programs that these entries run.
    pub(crate) programs: Vec<HookProgram>,
    pub(crate) focus_events: Option<String>,
    pub(crate) exit_empty: Option<String>,
    pub(crate) allow_passthrough: Option<String>,
}

/// A program of our name on the PATH, in its order.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct OnPath {
    pub(crate) name: String,
    pub(crate) path: Place,
    pub(crate) identity: Identity,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct SelfTest {
    pub(crate) program: Place,
    pub(crate) hook: HookRun,
    pub(crate) in_journal: Reached,
    pub(crate) in_daemon: Reached,
    /// Reached means: it is not shown as a session.
    pub(crate) hidden: Reached,
}

#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct HookRun {
    pub(crate) millis: u64,
    pub(crate) code: Option<i32>,
    pub(crate) stdout_bytes: usize,
    pub(crate) stderr: String,
    /// Why it could not be run, or was ended.
    pub(crate) fault: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reached {
    Yes,
    No {
        why: String,
    },
    /// An earlier stage failed.
    #[default]
    Untried,
}

#[expect(clippy::ref_option, reason = "the signature serde asks for")]
fn octal<S: Serializer>(mode: &Option<u32>, out: S) -> Result<S::Ok, S::Error> {
    mode.map(|mode| format!("{mode:04o}")).serialize(out)
}

impl Dump {
    pub(crate) fn fail(&mut self, what: &str, why: impl fmt::Display) {
        self.failures.push(Failure { what: what.to_owned(), why: why.to_string() });
    }

    pub(crate) fn read(&self) -> impl Iterator<Item = (&Settings, &Read)> {
        self.settings.iter().filter_map(|settings| match &settings.content {
            Content::Read(read) => Some((settings, read)),
            _ => None,
        })
    }

    pub(crate) fn is_here(&self, settings: &Settings) -> bool {
        settings.folder.is_none() || settings.folder == self.here
    }
}
