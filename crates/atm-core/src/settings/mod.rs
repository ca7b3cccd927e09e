//! Edits the text of a Claude Code `settings.json` by its syntax tree: every byte that is not ours
//! stays where it is. Text in, text out; reading and writing the file is the caller's.
//!
//! **The mark of our entries** is what they run: a command hook whose program has the file name
//! `atm` and whose first argument is `hook` (for the status line: `statusline`), in exec form or as
//! one plain shell command. Whether the client bears unknown keys is not known, so none is added.

mod document;
mod draft;
mod edit;
mod found;
mod hooks;
mod memo;
mod node;
mod ours;
mod root;
mod site;
mod status_line;
mod style;
#[cfg(test)]
mod tests;

pub use found::{Found, FoundHook, FoundStatusLine, hooks_in};
pub use hooks::{register, unregister};
pub use memo::Memo;
pub use ours::quote;
pub use status_line::{put_status_line, unwrap_status_line, wrap_status_line};

/// One hook that should stand in the settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookEntry {
    pub event: String,
    /// `None`, the empty text and `*` all mean: every one.
    pub matcher: Option<String>,
    /// The program's path in exec form, the whole command line in shell form.
    pub command: String,
    pub form: Form,
    pub run: Run,
    /// Seconds.
    pub timeout: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// Started without a shell (client 2.1.139 and later).
    Exec {
        args: Vec<String>,
    },
    Shell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    Wait,
    Async,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edited {
    pub text: String,
    pub changed: bool,
    /// To be kept beside the file and given to the next edit of it.
    pub memo: Memo,
}

/// Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("line {line}, column {column}: {message}")]
    Unparsable { line: usize, column: usize, message: String },
    #[error("line {line}, column {column}: {what}")]
    NotAnObject { line: usize, column: usize, what: String },
    /// Once written, it could neither be upgraded nor taken out.
    #[error("`{command}` would not be known again as a command of atm")]
    Unrecognisable { command: String },
}
