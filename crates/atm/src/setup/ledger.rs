//! What setup did to which file, kept so that uninstall can take it back byte for byte. Written
//! before the file itself is: one that is ahead of its file does no harm, one behind would.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use atm_core::places::Places;
use atm_core::settings::Memo;
use serde::{Deserialize, Serialize};

use super::files::{Rights, cannot, make_folder, remove_if_there, replace};
use crate::error::CliError;
use crate::exit::Exit;

const VERSION: u32 = 1;
pub(crate) const NAME: &str = "setup.json";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ledger {
    version: u32,
    /// By absolute path, as the user knows the file.
    pub(crate) files: BTreeMap<PathBuf, Entry>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    #[serde(default)]
    pub(crate) kind: Kind,
    pub(crate) origin: Origin,
    /// Of a settings file.
    pub(crate) memo: Memo,
    /// Of a tmux configuration: what our line added to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tail: Option<String>,
    /// Folders that setup made for the file, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) folders: Vec<PathBuf>,
    /// Some may never have come to be.
    pub(crate) backups: Vec<PathBuf>,
}

impl Entry {
    /// Whether setup wrote the file, and did not just find its hooks there.
    pub(crate) fn has_changed(&self) -> bool {
        self.origin != Origin::Found || !self.backups.is_empty()
    }
}

/// What is ours in a file, and so how it comes out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Hooks and status line in settings of Claude Code.
    #[default]
    Settings,
    /// One line in a tmux configuration.
    TmuxLine,
    /// All of it.
    Generated,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    #[default]
    Found,
    MadeFile,
    /// `folders` says which.
    MadeFileAndFolder,
}

/// Only to learn the version of a ledger that may have any shape.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

impl Ledger {
    /// An empty one if there is none.
    pub(crate) fn load(places: &Places) -> Result<Ledger, CliError> {
        vet(places)?;
        let path = path(places);
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Ledger { version: VERSION, files: BTreeMap::new() });
            }
            text => text.map_err(|error| cannot("read", &path, &error))?,
        };
        let damaged = |error: serde_json::Error| {
            CliError::failed(&format!("{} is damaged", path.display()), &error)
                .hint("move it away, then run the command again")
        };
        let Versioned { version } = serde_json::from_str(&text).map_err(damaged)?;
        if version != VERSION {
            let message = format!("{} is of another atm (version {version})", path.display());
            return Err(CliError::new(Exit::Failed, message).hint("run the newer atm"));
        }
        serde_json::from_str(&text).map_err(damaged)
    }

    /// An empty ledger is no file.
    pub(crate) fn save(&self, places: &Places) -> Result<(), CliError> {
        let path = path(places);
        let saved = if self.files.is_empty() {
            remove_if_there(&path)
        } else {
            serde_json::to_vec_pretty(self)
                .map_err(io::Error::from)
                .and_then(|text| replace(&path, &text, Rights::PRIVATE))
        };
        saved.map_err(|error| cannot("write", &path, &error))
    }
}

/// Makes the state directory if it is missing.
pub(crate) fn prepare(places: &Places) -> Result<(), CliError> {
    vet(places)?;
    make_folder(&places.state).map_err(|error| cannot("make", &places.state, &error))
}

/// Held by whoever changes the ledger and its files, as long as the result lives; `None` if there
/// is no state directory, and so no ledger.
pub(crate) fn hold(places: &Places) -> Result<Option<File>, CliError> {
    let held = match File::open(&places.state) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.and_then(|file| file.lock().map(|()| file)),
    };
    held.map(Some).map_err(|error| cannot("lock", &places.state, &error))
}

pub(crate) fn vet(places: &Places) -> Result<(), CliError> {
    atm_daemon::vet_state_dir(&places.state).map_err(|error| {
        CliError::failed("cannot keep what is set up", &error)
            .hint("set ATM_STATE_DIR to a directory of your own")
    })
}

fn path(places: &Places) -> PathBuf {
    Path::new(&places.state).join(NAME)
}
