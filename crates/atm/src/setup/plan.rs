//! What is to be done to one file. Nothing is changed here.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use atm_core::stamp::Stamp;

use super::content::{self, Wanted};
use super::diff;
use super::files::{TextFile, folder};
use super::ledger::{Entry, Kind, Origin};
use crate::error::CliError;
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
    /// Ours in; `known` is what the ledger says of the file.
    pub(crate) fn setup(
        file: TextFile,
        wanted: &Wanted<'_>,
        known: Option<&Entry>,
    ) -> Result<Plan, CliError> {
        let before = file.text.as_deref().unwrap_or_default();
        let kind = wanted.kind();
        let mut entry = known.filter(|entry| entry.kind == kind).cloned().unwrap_or_default();
        entry.kind = kind;
        entry.origin = match (&file.text, entry.origin) {
            (Some(text), origin) if content::is_in(kind, &file.path, text)? => origin,
            (Some(_), _) => Origin::Found,
            // Made by a setup that did not get further.
            (None, Origin::MadeFileAndFolder) => Origin::MadeFileAndFolder,
            (None, _) if folder(&file.target).is_dir() => Origin::MadeFile,
            (None, _) => Origin::MadeFileAndFolder,
        };
        if entry.origin == Origin::MadeFileAndFolder && entry.folders.is_empty() {
            entry.folders = missing_folders(&file.target);
        }
        let text = content::put(&file.path, before, wanted, &mut entry)?;
        let is_change = text != before;
        let after = if is_change { After::Text(text) } else { After::Same };
        if is_change {
            file.check_writable()?;
        }
        Ok(Plan { file, after, entry })
    }

    /// Ours out.
    pub(crate) fn uninstall(
        file: TextFile,
        kind: Kind,
        known: Option<&Entry>,
    ) -> Result<Plan, CliError> {
        let entry = known.cloned().unwrap_or(Entry { kind, ..Entry::default() });
        let Some(before) = &file.text else { return Ok(Plan { file, after: After::Same, entry }) };
        let text = content::take(&file.path, before, &entry)?;
        let is_change = text.as_ref() != Some(before);
        let is_made = entry.origin != Origin::Found;
        let after = match text {
            _ if !is_change => After::Same,
            Some(text) if !(is_made && content::is_bare(&text)) => After::Text(text),
            _ => After::Gone,
        };
        if is_change {
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

    /// Names the backup in the entry; none is needed of a file that is not there, or all ours.
    pub(crate) fn with_backup(mut self, now: Stamp) -> Plan {
        let is_needed = self.entry.kind != Kind::Generated && self.file.text.is_some();
        if self.is_change() && is_needed {
            let time = now.to_string().replace(['-', ':'], "");
            let name = self.file.path.file_name().unwrap_or_default().to_string_lossy();
            let backup = self.file.path.with_file_name(format!("{name}.atm-{time}"));
            self.entry.backups.push(backup);
        }
        self
    }

    /// The backup that applying the plan writes.
    pub(crate) fn backup(&self) -> Option<&Path> {
        let is_made = self.is_change() && self.file.text.is_some();
        self.entry.backups.last().filter(|_| is_made).map(PathBuf::as_path)
    }

    /// Writes the file; the ledger must know of it already.
    pub(crate) fn apply(&self) -> Result<(), CliError> {
        if let Some(backup) = self.backup() {
            self.file.copy_to(backup)?;
        }
        match &self.after {
            After::Same => Ok(()),
            After::Text(text) => self.file.save(text),
            After::Gone => self.file.remove(),
        }
    }

    /// Whether a backup says nothing that the file does not say once ours is out of both.
    pub(crate) fn covers(&self, backup: &str) -> bool {
        let after = self.text_after().unwrap_or_default();
        let bare = content::take(&self.file.path, backup, &self.entry);
        backup == after || bare.is_ok_and(|bare| bare.as_deref() == Some(after))
    }
}

fn missing_folders(target: &Path) -> Vec<PathBuf> {
    let above = target.ancestors().skip(1);
    above.take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}
