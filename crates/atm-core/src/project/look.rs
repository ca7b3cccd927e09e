//! Which parts are shown, in which colours, how fast: what a user may choose.

use std::collections::BTreeSet;
use std::time::Duration;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Empty: nothing of ours is in tmux.
    pub shows: BTreeSet<Part>,
    pub colours: Colours,
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
    /// `latest_hook_*` at every event: each write redraws every client.
    DebugOptions,
}

/// Colours as tmux reads them: `#rrggbb`, `colour25`, `red`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colours {
    pub running: String,
    pub waiting: String,
    pub idle: String,
}

impl Default for Look {
    fn default() -> Look {
        let shows =
            [Part::PaneOptions, Part::WindowState, Part::TabColours, Part::LastFocusedWindow];
        Look {
            shows: shows.into(),
            colours: Colours::default(),
            dwell: Duration::from_millis(400),
            coalesce: Duration::from_millis(50),
        }
    }
}

/// The colours of seed 002.
impl Default for Colours {
    fn default() -> Colours {
        Colours {
            running: "#6699cc".to_owned(),
            waiting: "#EC5f67".to_owned(),
            idle: "#cdd3de".to_owned(),
        }
    }
}

impl Look {
    pub fn has(&self, part: Part) -> bool {
        self.shows.contains(&part)
    }
}
