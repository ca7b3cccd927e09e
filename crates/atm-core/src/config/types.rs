//! The configuration as the program reads it. Defaults and bounds are in `table`.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::colour::{self, Colour};
use super::notify::Notify;
use super::{node::Node, read::Reader, size, table::OPTIONS};
use crate::span;
use crate::words::Charset;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub tmux: Tmux,
    pub themes: BTreeMap<String, Overrides>,
    pub notify: Notify,
    pub statusline: StatusLine,
    pub history: History,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the user's")]
pub struct Tmux {
    pub enable: bool,
    pub pane_options: bool,
    pub tab_colours: bool,
    pub pane_label: bool,
    pub window_label: bool,
    pub last_focused_window: bool,
    pub status_summary: bool,
    pub debug_options: bool,
    #[serde(with = "span::text")]
    pub dwell: Duration,
    #[serde(with = "span::text")]
    pub coalesce: Duration,
    /// One that exists.
    pub theme: String,
    pub glyphs: Glyphs,
    pub key_bindings: bool,
    pub colours: Overrides,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    Unicode,
    Ascii,
}

impl From<Glyphs> for Charset {
    fn from(glyphs: Glyphs) -> Charset {
        match glyphs {
            Glyphs::Unicode => Charset::Utf8,
            Glyphs::Ascii => Charset::Ascii,
        }
    }
}

/// Colours of which some may be left to somebody else.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overrides {
    #[serde(with = "colour::optional")]
    pub running: Option<Colour>,
    #[serde(with = "colour::optional")]
    pub waiting: Option<Colour>,
    #[serde(with = "colour::optional")]
    pub idle: Option<Colour>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StatusLine {
    pub enable: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// Bytes.
    #[serde(with = "size::text")]
    pub keep_journal: u64,
    pub keep_events: u64,
    pub keep_sessions: u64,
}

impl Config {
    pub(super) fn of(root: &Node) -> Config {
        serde_json::from_value(root.to_json())
            .expect("the table lets only through what the types take, as its tests show")
    }
}

impl Default for Config {
    fn default() -> Config {
        let mut reader =
            Reader { options: OPTIONS, env: &|_| None, text: "", problems: Vec::new() };
        Config::of(&reader.read())
    }
}
