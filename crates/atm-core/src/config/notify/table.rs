//! The rows of `[notify]`.

use std::time::Duration;

use super::super::kind::{Kind, Opt};
use crate::notify::{CHANNELS, OCCASIONS};

const CHANNEL: Kind = Kind::Choice { default: "tmux-message", of: CHANNELS };
const OCCASION: Kind = Kind::Choice { default: "attention", of: OCCASIONS };

const fn channels(default: &'static [&'static str]) -> Kind {
    Kind::List { default, of: &CHANNEL }
}

const fn span(default: u64, min: u64, max: u64) -> Kind {
    Kind::Span {
        default: Duration::from_millis(default),
        min: Duration::from_millis(min),
        max: Duration::from_millis(max),
    }
}

const DAY: u64 = 86_400_000;

pub(in super::super) const NOTIFY: &[Opt] = &[
    Opt::new("enable", Kind::Bool(true), "Whether atm tells you anything by itself."),
    Opt::new(
        "attention",
        channels(&["tmux-message"]),
        "How you are told that an agent waits for your answer. Channels: tmux-message, tmux-popup,\n\
         bell, osc9, osc777, osc99, notify-send, terminal-notifier, osascript, sound, command, webhook.",
    ),
    Opt::new("finish", channels(&["tmux-message"]), "How you are told that an agent has finished."),
    Opt::new("error", channels(&["tmux-message"]), "How you are told that an agent has failed."),
    Opt::new("lost", channels(&["tmux-message"]), "How you are told that an agent's process died."),
    Opt::new(
        "escalate",
        channels(&["tmux-message", "bell"]),
        "How you are told once more if an agent still waits for your answer; [] for never.",
    ),
    Opt::new(
        "escalate_after",
        span(120_000, 1_000, DAY),
        "How long an agent waits before you are told once more.",
    ),
    Opt::new(
        "finish_after",
        span(10_000, 0, DAY),
        "Turns shorter than this end without a word; 0s tells of every one.",
    ),
    Opt::new(
        "gather",
        span(250, 0, 10_000),
        "How long news are gathered, so that several at once come as one.",
    ),
    Opt::new(
        "together",
        Kind::Integer { default: 2, min: 2, max: 1_000 },
        "From so many at once on they are told as one: \"4 sessions need you\".",
    ),
    Opt::new(
        "repeat_after",
        span(30_000, 0, DAY),
        "The same of the same session is told again only after this time, if it is still so.",
    ),
    Opt::new(
        "per_minute",
        Kind::Integer { default: 10, min: 1, max: 1_000 },
        "So many in a minute at most; more are gathered until there is room.",
    ),
    Opt::new(
        "quiet",
        Kind::List { default: &[], of: &Kind::Text("") },
        "When to be silent, by local time, such as [\"22:00-07:00\"]; who still waits is told after.",
    ),
    Opt::new(
        "quiet_except",
        Kind::List { default: &[], of: &OCCASION },
        "What is told in quiet hours all the same: attention, finish, error, lost.",
    ),
    Opt::new(
        "while_looking",
        Kind::Bool(false),
        "Tell you also of the window that you are looking at.",
    ),
    Opt::new("background", Kind::Bool(true), "Tell of background sessions too."),
    Opt::new(
        "title",
        Kind::Text(""),
        "Template (Jinja) of the title, such as \"{{ name }}: {{ reason }}\"; \"\" for the usual text.\n\
         There are event, name, project, directory, status, reason, detail, age, id, id8, pane,\n\
         window, role, mode, model, prompt, host. Several at once come in the usual words.",
    ),
    Opt::new("body", Kind::Text(""), "Template of the text below it; \"\" for the usual one."),
    Opt::new("message_time", span(5_000, 500, 600_000), "How long a tmux-message stays."),
    Opt::new("popup", Kind::Table(POPUP), "The channel tmux-popup."),
    Opt::new("sound", Kind::Table(SOUND), "The channel sound."),
    Opt::new("command", Kind::Table(COMMAND), "The channel command."),
    Opt::new("webhook", Kind::Table(WEBHOOK), "The channel webhook."),
    Opt::new("rule", Kind::Array(RULE), "Exceptions; the first that matches decides."),
];

const POPUP: &[Opt] = &[
    Opt::new("width", Kind::Integer { default: 60, min: 20, max: 300 }, "Columns."),
    Opt::new("height", Kind::Integer { default: 8, min: 4, max: 100 }, "Lines."),
    Opt::new("time", span(10_000, 1_000, 600_000), "How long it stays, unless a key is pressed."),
];

const SOUND: &[Opt] = &[
    Opt::new("file", Kind::Text(""), "What is played."),
    Opt::new(
        "player",
        Kind::List { default: &[], of: &Kind::Text("") },
        "Program and arguments before the file; [] for the first of paplay, pw-play, aplay, afplay.",
    ),
];

const COMMAND: &[Opt] = &[
    Opt::new(
        "argv",
        Kind::List { default: &[], of: &Kind::Text("") },
        "Program and arguments, run without a shell. {title}, {body}, {event}, {name}, {project},\n\
         {directory}, {reason}, {id}, {pane} stand for what they say; the same is in ATM_TITLE …\n\
         and, as JSON, on standard input.",
    ),
    Opt::new("timeout", span(10_000, 100, 600_000), "It is ended after this time."),
];

const WEBHOOK: &[Opt] = &[
    Opt::new("url", Kind::Text(""), "Where JSON is sent (POST): https, or http to this machine."),
    Opt::new("header", Kind::Text(""), "Name of a header to add, such as \"Authorization\"."),
    Opt::new("header_env", Kind::Text(""), "The variable of the environment that holds its value."),
    Opt::new("timeout", span(5_000, 100, 60_000), "How long the other side may take."),
];

const RULE: &[Opt] = &[
    Opt::new("event", Kind::List { default: &[], of: &OCCASION }, "Which events; [] for all."),
    Opt::new("project", Kind::Text(""), "Directory, with * for anything, ~ for home."),
    Opt::new("role", Kind::Text(""), "Role, with * for anything."),
    Opt::new("mode", Kind::Text(""), "Mode, with * for anything."),
    Opt::new("name", Kind::Text(""), "Name or title, with * for anything."),
    Opt::new("channels", channels(&[]), "How to tell instead; [] for as usual."),
    Opt::new("escalate", channels(&[]), "How to tell once more instead; [] for as usual."),
    Opt::new("mute", Kind::Bool(false), "Say nothing at all."),
];
