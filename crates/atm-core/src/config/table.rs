//! Every option there is. A new one is a row here and a field in `types`.

use std::time::Duration;

use super::kind::{Kind, Opt};

pub static OPTIONS: &[Opt] = &[
    Opt::new("tmux", Kind::Table(TMUX), "What atm shows in tmux."),
    Opt::new(
        "themes",
        Kind::Named(COLOURS),
        "Colours under a name of yours, for tmux.theme; what is left out comes from the theme\n\
         that comes with atm under this name, else from \"default\".",
    ),
    Opt::new("notify", Kind::Table(super::notify::NOTIFY), "When and how you are told."),
    Opt::new("statusline", Kind::Table(STATUSLINE), "The status line inside Claude Code."),
    Opt::new("history", Kind::Table(HISTORY), "How much is kept of what happened."),
];

const TMUX: &[Opt] = &[
    Opt::new("enable", Kind::Bool(true), "Whether atm changes anything in tmux at all."),
    Opt::new(
        "pane_options",
        Kind::Bool(true),
        "Set pane options @meta.claude.* (session, status, directory).",
    ),
    Opt::new("tab_colours", Kind::Bool(true), "Set @claude-state and the colour of window tabs."),
    Opt::new("pane_label", Kind::Bool(true), "Offer a label for each pane: session and state."),
    Opt::new(
        "window_label",
        Kind::Bool(true),
        "Offer a label for each window: whether an agent in it has stopped.",
    ),
    Opt::new(
        "last_focused_window",
        Kind::Bool(true),
        "Set @last-focused-window to the window that was visited last.",
    ),
    Opt::new("status_summary", Kind::Bool(true), "Offer a one-line summary for the status line."),
    Opt::new(
        "debug_options",
        Kind::Bool(false),
        "Set pane options at every hook event, not only with other changes;\n\
         CLAUDE_TMUX_DEBUG=1 does the same.",
    )
    .env("CLAUDE_TMUX_DEBUG"),
    Opt::new(
        "dwell",
        Kind::Span {
            default: Duration::from_millis(400),
            min: Duration::ZERO,
            max: Duration::from_secs(10),
        },
        "How long a window must be visited before its news count as seen; passing through does not.",
    ),
    Opt::new(
        "coalesce",
        Kind::Span {
            default: Duration::from_millis(50),
            min: Duration::ZERO,
            max: Duration::from_secs(10),
        },
        "How long changes are gathered before tmux is told of all of them in one go.",
    ),
    Opt::new(
        "theme",
        Kind::Text(super::theme::DEFAULT),
        "The colours: default, catppuccin, nord, gruvbox, plain, or one of your [themes].",
    ),
    Opt::new(
        "glyphs",
        Kind::Choice { default: "unicode", of: &["unicode", "ascii"] },
        "Which characters labels are made of.",
    ),
    Opt::new("key_bindings", Kind::Bool(true), "Offer key bindings of atm in tmux."),
    Opt::new("colours", Kind::Table(COLOURS), "Colours that win over those of the theme."),
];

const COLOURS: &[Opt] = &[
    Opt::new("running", Kind::Colour(""), "An agent works; \"\" takes the theme's."),
    Opt::new("waiting", Kind::Colour(""), "An agent needs you; \"\" takes the theme's."),
    Opt::new("idle", Kind::Colour(""), "An agent has nothing to do; \"\" takes the theme's."),
];

const STATUSLINE: &[Opt] =
    &[Opt::new("enable", Kind::Bool(true), "Whether `atm statusline` adds something of its own.")];

const HISTORY: &[Opt] = &[
    Opt::new(
        "keep_journal",
        Kind::Size { default: 256 << 20, min: 32 << 20, max: 1 << 40 },
        "Size of the journal above which its oldest parts go; looked at every 16MiB.",
    ),
    Opt::new(
        "keep_events",
        Kind::Integer { default: 200_000, min: 1_000, max: 100_000_000 },
        "Hook events, and changes of state, that stay in the database; the oldest go first.",
    ),
    Opt::new(
        "keep_sessions",
        Kind::Integer { default: 10_000, min: 10, max: 10_000_000 },
        "Ended sessions that stay in the database; the oldest go first.",
    ),
];
