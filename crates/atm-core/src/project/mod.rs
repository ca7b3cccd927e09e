//! What atm shows in tmux, decided without tmux: `wanted` says what should be there, `survey` how
//! to read what is, `diff` what to change, `commands` how to say it. The daemon only carries it out.
//!
//! Texts of others are data here: they are cleaned, and reach tmux as values of user options alone.

mod command;
mod hooks;
mod label;
mod look;
mod options;
mod paint;
mod painted;
mod style;
mod survey;
mod visit;

pub use command::commands;
pub use hooks::{HOOK_INDEX, Hook, hooks};
pub use label::{pane_label, pane_suffix, window_label, window_suffix};
pub use look::{Look, Part};
pub use options::{Change, Options, Target};
pub use paint::{Face, LastFocused, Paint, State, Tab, Window, wanted};
pub use painted::{Changes, Painted, diff};
pub use survey::survey;
pub use visit::{LIST_CLIENTS, Told, View, Viewers, parse_clients, window_id};

#[cfg(test)]
mod tests;
