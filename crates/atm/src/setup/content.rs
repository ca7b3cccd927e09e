//! What is ours in a text, by the kind of its file: put in, found, taken out.

use std::path::Path;

use atm_core::settings::{
    HookEntry, SettingsError, hooks_in, put_status_line, register, unregister, unwrap_status_line,
};

use super::ledger::{Entry, Kind};
use super::tmux::{generated, line};
use crate::error::CliError;
use crate::exit::Exit;

pub(crate) enum Wanted<'w> {
    Settings {
        /// `None`: those that are there stay as they are.
        hooks: Option<&'w [HookEntry]>,
        /// The program of our status line; `None` as above.
        status_line: Option<&'w str>,
    },
    /// The file that the line is to load.
    TmuxLine(&'w str),
    Generated(&'w str),
}

impl Wanted<'_> {
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Wanted::Settings { .. } => Kind::Settings,
            Wanted::TmuxLine(_) => Kind::TmuxLine,
            Wanted::Generated(_) => Kind::Generated,
        }
    }
}

/// Whether anything of ours is in it.
pub(crate) fn is_in(kind: Kind, path: &Path, text: &str) -> Result<bool, CliError> {
    Ok(match kind {
        Kind::Settings => {
            let found = hooks_in(text).map_err(|error| refused(path, &error))?;
            found.hooks.iter().any(|hook| hook.is_ours)
                || found.status_line.is_some_and(|status_line| status_line.is_ours)
        }
        Kind::TmuxLine => line::has(text),
        Kind::Generated => text.starts_with(generated::HEAD),
    })
}

/// The text with ours in it; the entry learns how to take it out.
pub(crate) fn put(
    path: &Path,
    before: &str,
    wanted: &Wanted<'_>,
    entry: &mut Entry,
) -> Result<String, CliError> {
    let refused = |error| refused(path, &error);
    match wanted {
        Wanted::Settings { hooks, status_line } => {
            let mut text = before.to_owned();
            if let Some(hooks) = hooks {
                let edited = register(&text, hooks, &entry.memo).map_err(refused)?;
                (text, entry.memo) = (edited.text, edited.memo);
            }
            if let Some(program) = status_line {
                let edited = put_status_line(&text, program, &entry.memo).map_err(refused)?;
                (text, entry.memo) = (edited.text, edited.memo);
            }
            Ok(text)
        }
        Wanted::TmuxLine(file) => {
            let added = line::add(before, file);
            let tail = entry.tail.take();
            let head = tail.and_then(|tail| before.strip_suffix(&tail).map(str::len));
            let amended = head.and_then(|head| added.text.get(head..).map(str::to_owned));
            entry.tail = added.tail.or(amended);
            Ok(added.text)
        }
        Wanted::Generated(text) => {
            if !before.is_empty() && !is_in(Kind::Generated, path, before)? {
                let message = format!("{} was not made by atm", path.display());
                return Err(CliError::new(Exit::Failed, message)
                    .hint("move it away, then run the command again"));
            }
            Ok((*text).to_owned())
        }
    }
}

/// The text without ours; `None` if the file was ours altogether.
pub(crate) fn take(path: &Path, before: &str, entry: &Entry) -> Result<Option<String>, CliError> {
    let refused = |error| refused(path, &error);
    match entry.kind {
        Kind::Settings => {
            let edited = unregister(before, &entry.memo).map_err(refused)?;
            let edited = unwrap_status_line(&edited.text, &edited.memo).map_err(refused)?;
            Ok(Some(edited.text))
        }
        Kind::TmuxLine => Ok(Some(line::remove(before, entry.tail.as_deref()))),
        Kind::Generated => {
            let is_ours = is_in(Kind::Generated, path, before)?;
            Ok((!is_ours).then(|| before.to_owned()))
        }
    }
}

/// Whether nothing is left of a file that we made.
pub(crate) fn is_bare(text: &str) -> bool {
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
