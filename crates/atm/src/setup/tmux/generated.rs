//! The text of the file that tmux loads: hooks that tell atm of visits, labels that show what atm
//! writes into panes. Pure; the same text for the same atm.

use atm_core::config::Tmux;
use atm_core::project::{Hook, hooks, pane_suffix, window_suffix};
use atm_core::tmux::SETUP_MARK;
use atm_core::words::Charset;

use super::keys;
use super::quote::{program, word};
use super::version::Version;

/// Begins the file, and tells it from one of the user's.
pub(crate) const HEAD: &str = "# Made by `atm setup`";

/// Says nothing and always succeeds: tmux would show whatever comes back over the user's work.
fn set_hook(hook: &Hook, atm: &str) -> String {
    let shell = format!("{} {} >/dev/null 2>&1 || true", program(atm), hook.tail);
    let run = format!("run-shell -b {}", word(&shell));
    let command = match hook.condition {
        Some(condition) => format!("if-shell -F {} {}", word(condition), word(&run)),
        None => run,
    };
    format!("set-hook -g {} {}", word(&hook.slot()), word(&command))
}

/// A format of tmux that gets something of ours at its end.
pub(crate) struct Label {
    /// The option with the user's format.
    pub(crate) format: &'static str,
    /// The option with our label. The format only names it: it can change without a change there, and
    /// once it is unset, nothing is shown.
    pub(crate) option: &'static str,
}

pub(crate) const LABELS: [Label; 3] = [
    Label { format: "window-status-format", option: WINDOW_LABEL },
    Label { format: "window-status-current-format", option: WINDOW_LABEL },
    Label { format: "pane-border-format", option: PANE_LABEL },
];
const WINDOW_LABEL: &str = "@atm_window_label";
const PANE_LABEL: &str = "@atm_pane_label";

impl Label {
    /// What stands at the end of the user's format.
    pub(crate) fn suffix(&self) -> String {
        format!("#{{E:{}}}", self.option)
    }
}

/// `wanted` is what the user has configured.
pub(crate) fn text(atm: &str, version: Version, wanted: &Tmux) -> String {
    let mut lines = vec![
        format!("{HEAD}; it is written anew by each, so change nothing here."),
        "# Your own settings belong into your own tmux configuration, where one line loads this file."
            .to_owned(),
        "# `atm uninstall` removes this file and that line.".to_owned(),
        "#".to_owned(),
        "# The summary of all agents is in `@atm_status`. To show it, place it where you like, as in:"
            .to_owned(),
        "#   set-option -ag status-right ' #{@atm_status}'".to_owned(),
        String::new(),
        "# Tells atm which window you look at. Hooks of yours on the same events stay.".to_owned(),
    ];
    lines.extend(hooks().iter().map(|hook| set_hook(hook, atm)));
    lines.extend([
        String::new(),
        "# What is shown of the agents in a window, and in a pane.".to_owned(),
    ]);
    let charset: Charset = wanted.glyphs.into();
    let labels = [
        (WINDOW_LABEL, wanted.window_label, window_suffix(charset)),
        (PANE_LABEL, wanted.pane_label, pane_suffix(charset)),
    ];
    for (option, is_wanted, text) in labels {
        if wanted.enable && is_wanted {
            lines.push(format!("set-option -g {option} {}", word(&text)));
            let formats = LABELS.iter().filter(|label| label.option == option);
            lines.extend(formats.map(append_label));
        } else {
            lines.push(format!("set-option -gqu {option}"));
        }
    }
    if version.has_popups() {
        lines.extend([
            String::new(),
            "# Keys, after the prefix; one that you have bound stays yours.".to_owned(),
        ]);
        let is_wanted = wanted.enable && wanted.key_bindings;
        lines.extend(
            keys::KEYS.iter().map(|key| if is_wanted { key.bind(atm) } else { key.unbind() }),
        );
    }
    let body = lines.join("\n");
    format!("{body}\n\nset-option -g {SETUP_MARK} {}\n", fingerprint(&body))
}

/// The value of `SETUP_MARK` in a server that has loaded this text.
pub(crate) fn mark_of(text: &str) -> &str {
    text.trim_end().rsplit(' ').next().unwrap_or_default()
}

/// Only once, however often the file is loaded.
fn append_label(label: &Label) -> String {
    let Label { format, option } = label;
    let append = format!("set-option -ga {format} {}", word(&label.suffix()));
    format!("if-shell -F '#{{m:*{option}*,#{{{format}}}}}' '' {}", word(&append))
}

/// FNV-1a: the same in every build of atm.
fn fingerprint(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Tmux {
        atm_core::config::Config::default().tmux
    }

    #[test]
    fn text_holds_hooks_at_our_index_only_and_never_sets_a_status_line() {
        let text = text("/usr/bin/atm", Version::new(3, 3), &plain());
        for line in text.lines().filter(|line| line.starts_with("set-hook")) {
            assert!(line.contains("[8731]' ") && line.starts_with("set-hook -g '"), "{line}");
        }
        assert_eq!(text.matches("\nset-hook ").count(), hooks().len());
        assert!(text.contains(
            "set-hook -g 'client-attached[8731]' \"run-shell -b \\\"'/usr/bin/atm' visit \
             client-attached '#{window_id}' '#{session_id}' >/dev/null 2>&1 || true\\\"\"\n"
        ));
        let is_set = |line: &str| line.contains("status-right") || line.contains("status-left");
        assert!(!text.lines().any(|line| !line.starts_with('#') && is_set(line)));
    }

    #[test]
    fn text_is_as_the_user_has_configured() {
        let of = |change: fn(&mut Tmux), version| {
            let mut wanted = plain();
            change(&mut wanted);
            text("/a/atm", version, &wanted)
        };
        let now = Version::new(3, 3);
        let all = of(|_| {}, now);
        assert!(
            all.contains("(⏸)") && all.contains("[▶]") && all.contains("bind-key -T prefix -N")
        );
        let ascii = of(|wanted| wanted.glyphs = atm_core::config::Glyphs::Ascii, now);
        assert!(ascii.is_ascii() && ascii.contains("(=)"), "{ascii}");
        let bare = of(
            |wanted| {
                wanted.pane_label = false;
                wanted.window_label = false;
                wanted.key_bindings = false;
            },
            now,
        );
        assert!(bare.contains("set-option -gqu @atm_pane_label\n"), "{bare}");
        assert!(!bare.contains("window-status-format") && !bare.contains("bind-key -T prefix -N"));
        assert_eq!(bare.matches("unbind-key").count(), keys::KEYS.len());
        assert!(!of(|_| {}, Version::new(3, 1)).contains("bind-key"), "no popups there");
    }

    #[test]
    fn mark_changes_with_the_text() {
        let of = |atm| text(atm, Version::new(3, 3), &plain());
        assert_eq!(mark_of(&of("/a")), mark_of(&of("/a")));
        assert_ne!(mark_of(&of("/a")), mark_of(&of("/b")));
        assert_eq!(fingerprint("a"), "af63dc4c8601ec8c");
    }
}
