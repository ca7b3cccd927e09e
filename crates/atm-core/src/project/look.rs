//! Which parts are shown, in which colours, how fast: what a user may choose.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::config::Config;
use crate::config::theme::Colours;
use crate::words::Charset;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Empty: nothing of ours is in tmux.
    pub shows: BTreeSet<Part>,
    pub colours: Colours,
    pub charset: Charset,
    /// How long a window has to be looked at before it counts as seen.
    pub dwell: Duration,
    /// Least time between two writes to one server.
    pub coalesce: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// `@meta.claude.*` of each pane; the labels are made of them.
    PaneOptions,
    /// `@claude-state` of each window.
    WindowState,
    TabColours,
    LastFocusedWindow,
    /// `@atm_status` of each server.
    StatusSummary,
    /// `latest_hook_*` at every event: each write redraws every client.
    DebugOptions,
}

impl Default for Look {
    fn default() -> Look {
        Look::of(&Config::default())
    }
}

impl Look {
    /// As the user wants it.
    pub fn of(config: &Config) -> Look {
        let tmux = &config.tmux;
        let switches = [
            (Part::PaneOptions, tmux.pane_options),
            (Part::WindowState, tmux.tab_colours),
            (Part::TabColours, tmux.tab_colours),
            (Part::LastFocusedWindow, tmux.last_focused_window),
            (Part::StatusSummary, tmux.status_summary),
            (Part::DebugOptions, tmux.debug_options),
        ];
        let shows = switches.into_iter().filter(|(_, is_on)| tmux.enable && *is_on);
        Look {
            shows: shows.map(|(part, _)| part).collect(),
            colours: Colours::of(config),
            charset: tmux.glyphs.into(),
            dwell: tmux.dwell,
            coalesce: tmux.coalesce,
        }
    }

    /// Nothing of ours in tmux.
    pub fn off(self) -> Look {
        Look { shows: BTreeSet::new(), ..self }
    }

    pub fn has(&self, part: Part) -> bool {
        self.shows.contains(&part)
    }
}
