//! Names of the options we write, and a change of one.

use std::collections::BTreeMap;

use crate::ids::{PaneId, WindowId};

pub(super) const SESSION_ID: &str = "@meta.claude.session_id";
pub(super) const SET_ON: &str = "@meta.claude.session_id_set_on";
pub(super) const SESSION_DIR: &str = "@meta.claude.session_dir";
pub(super) const STATUS: &str = "@meta.claude.status";
pub(super) const HOOK_EVENT: &str = "@meta.claude.latest_hook_event";
pub(super) const HOOK_TIME: &str = "@meta.claude.latest_hook_time";

pub(super) const PANE_OPTIONS: [&str; 6] =
    [SESSION_ID, SET_ON, SESSION_DIR, STATUS, HOOK_EVENT, HOOK_TIME];

pub(super) const STATE: &str = "@claude-state";
/// The panes of the window when it was last looked at; a hook compares it with what is there.
pub(super) const PANES: &str = "@atm_panes";
/// What the user had in the option of the same place in [`STYLES`].
pub(super) const SAVED: [&str; 2] = ["@atm_saved_style", "@atm_saved_current_style"];

pub(super) const WINDOW_OPTIONS: [&str; 4] = [STATE, PANES, SAVED[0], SAVED[1]];

/// The user's own, which we only borrow.
pub(super) const STYLES: [&str; 2] = ["window-status-style", "window-status-current-style"];

pub(super) const LAST_FOCUSED: &str = "@last-focused-window";

/// All sessions in a line, for the user's status line.
pub(super) const SUMMARY: &str = "@atm_status";

pub type Options = BTreeMap<&'static str, String>;

/// Where an option is set. Panes and windows by their ids only: names are others' texts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    Global,
    Window(WindowId),
    Pane(PaneId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub target: Target,
    pub option: &'static str,
    /// `None` unsets it.
    pub value: Option<String>,
}
