//! What is to be done to one settings file. Nothing is changed here.

use std::io::{self, Write};
use std::path::Path;

use atm_core::settings::{HookEntry, SettingsError, hooks_in, register, unregister};
use atm_core::stamp::Stamp;

use super::diff;
use super::files::{TextFile, folder};
use super::ledger::{Entry, Origin};
use crate::error::CliError;
use crate::exit::Exit;
use crate::screen::Screen;

pub(crate) struct Plan {
    pub(crate) file: TextFile,
    pub(crate) after: After,
    /// What the ledger is to say of the file.
    pub(crate) entry: Entry,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Same,
    Text(String),
    Gone,
}

impl Plan {
    /// Our hooks in; `known` is what the ledger says of the file.
    pub(crate) fn setup(
        file: TextFile,
        wanted: &[HookEntry],
        known: Option<&Entry>,
    ) -> Result<Plan, CliError> {
        let refused = |error| refused(&file.path, &error);
        let before = file.text.as_deref().unwrap_or_default();
        let is_ours = hooks_in(before).map_err(refused)?.hooks.iter().any(|hook| hook.is_ours);
        let mut entry = known.cloned().unwrap_or_default();
        entry.origin = match (&file.text, entry.origin) {
            (Some(_), origin) if is_ours => origin,
            (Some(_), _) => Origin::Found,
            // Made by a setup that did not get further.
            (None, Origin::MadeFileAndFolder) => Origin::MadeFileAndFolder,
            (None, _) if folder(&file.target).is_dir() => Origin::MadeFile,
            (None, _) => Origin::MadeFileAndFolder,
        };
        let edited = register(before, wanted, &entry.memo).map_err(refused)?;
        entry.memo = edited.memo;
        let after = if edited.changed { After::Text(edited.text) } else { After::Same };
        if edited.changed {
            file.check_writable()?;
        }
        Ok(Plan { file, after, entry })
    }

    /// Our hooks out.
    pub(crate) fn uninstall(file: TextFile, known: Option<&Entry>) -> Result<Plan, CliError> {
        let entry = known.cloned().unwrap_or_default();
        let Some(before) = &file.text else { return Ok(Plan { file, after: After::Same, entry }) };
        let edited =
            unregister(before, &entry.memo).map_err(|error| refused(&file.path, &error))?;
        let after = match entry.origin {
            _ if !edited.changed => After::Same,
            Origin::MadeFile | Origin::MadeFileAndFolder if is_bare(&edited.text) => After::Gone,
            _ => After::Text(edited.text),
        };
        if edited.changed {
            file.check_writable()?;
        }
        Ok(Plan { file, after, entry })
    }

    pub(crate) fn is_change(&self) -> bool {
        self.after != After::Same
    }

    /// The file's text once the plan is applied.
    pub(crate) fn text_after(&self) -> Option<&str> {
        match &self.after {
            After::Same => self.file.text.as_deref(),
            After::Text(text) => Some(text),
            After::Gone => None,
        }
    }

    pub(crate) fn write_diff(&self, screen: &Screen, out: &mut dyn Write) -> io::Result<()> {
        let name = self.file.path.to_string_lossy();
        diff::write(&name, [self.file.text.as_deref(), self.text_after()], screen, out)
    }

    /// Names the backup in the entry; none is needed of a file that is not there.
    pub(crate) fn with_backup(mut self, now: Stamp) -> Plan {
        if self.is_change() && self.file.text.is_some() {
            let time = now.to_string().replace(['-', ':'], "");
            let name = self.file.path.file_name().unwrap_or_default().to_string_lossy();
            let backup = self.file.path.with_file_name(format!("{name}.atm-{time}"));
            self.entry.backups.push(backup);
        }
        self
    }

    /// Whether a backup says nothing that the file does not say once our hooks are out of both.
    pub(crate) fn covers(&self, backup: &str) -> bool {
        let after = self.text_after().unwrap_or_default();
        let bare = unregister(backup, &self.entry.memo);
        backup == after || bare.is_ok_and(|bare| bare.text == after)
    }
}

fn is_bare(text: &str) -> bool {
    let words: String = text.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').collect();
    matches!(words.as_str(), "" | "{}")
}

fn refused(path: &Path, error: &SettingsError) -> CliError {
    let hint = match error {
        SettingsError::Unparsable { .. } | SettingsError::NotAnObject { .. } => {
            "the file was left as it is; mend it there, then run the command again"
        }
        SettingsError::Unrecognisable { .. } => "the program must be called `atm`: rename it",
    };
    CliError::new(Exit::Failed, format!("{}: {error}", path.display())).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_bare_only_without_any_word() {
        for bare in ["", "{}", " {\r\n}\n", "\u{feff}{ }"] {
            assert!(is_bare(bare), "{bare:?}");
        }
        for full in ["{\"a\":1}", "// mine\n{}", "[]"] {
            assert!(!is_bare(full), "{full:?}");
        }
    }
}
