//! The text of the file that tmux loads: hooks that tell atm of visits, labels that show what atm
//! writes into panes. Pure; the same text for the same atm.

use super::quote::{program, word};
use super::version::Version;

/// Of the arrays of hooks, this one entry is ours; the user's are never touched.
pub(crate) const INDEX: u32 = 8731;
/// Begins the file, and tells it from one of the user's.
pub(crate) const HEAD: &str = "# Made by `atm setup`";
/// Set when all of the file has been loaded.
pub(crate) const MARK: &str = "@atm_setup";

struct Hook {
    /// Also the event that `atm visit` is told.
    name: &'static str,
    /// The first tmux that has it.
    since: Version,
    /// A format: if it is empty or 0 there is nothing to tell and no process to start.
    condition: Option<&'static str>,
}

/// Who looks where, and that panes have moved.
const HOOKS: [Hook; 8] = [
    Hook::always("session-window-changed"),
    Hook::always("client-session-changed"),
    Hook::always("client-attached"),
    Hook::always("window-pane-changed"),
    Hook::always("pane-focus-in"),
    Hook::always("window-linked"),
    Hook::always("window-unlinked"),
    // Fires at every step of a border that is dragged: only if panes came or went.
    Hook { condition: Some(OTHER_PANES), ..Hook::always("window-layout-changed") },
];
const OTHER_PANES: &str = "#{&&:#{@atm_panes},#{!=:#{@atm_panes},#{P:#{pane_id} }}}";

impl Hook {
    const fn always(name: &'static str) -> Hook {
        Hook { name, since: Version::new(2, 8), condition: None }
    }

    /// Says nothing and always succeeds: tmux would show whatever comes back over the user's work.
    fn line(&self, atm: &str) -> String {
        let Hook { name, condition, .. } = self;
        let visit = format!("visit {name} '#{{window_id}}' '#{{session_id}}'");
        let shell = format!("{} {visit} >/dev/null 2>&1 || true", program(atm));
        let run = format!("run-shell -b {}", word(&shell));
        let command = match condition {
            Some(condition) => format!("if-shell -F {} {}", word(condition), word(&run)),
            None => run,
        };
        format!("set-hook -g {} {}", word(&format!("{name}[{INDEX}]")), word(&command))
    }
}

/// A format of tmux that gets something of ours at its end.
pub(crate) struct Label {
    /// The option with the user's format.
    pub(crate) format: &'static str,
    /// The option with our label. The format only names it: it can change without a change there, and
    /// once it is unset, nothing is shown.
    pub(crate) option: &'static str,
    text: &'static str,
}

pub(crate) const LABELS: [Label; 3] = [
    Label { format: "window-status-format", option: WINDOW_LABEL, text: STOPPED },
    Label { format: "window-status-current-format", option: WINDOW_LABEL, text: STOPPED },
    Label { format: "pane-border-format", option: "@atm_pane_label", text: PANE },
];
const WINDOW_LABEL: &str = "@atm_window_label";
const STOPPED: &str = "#{?#{P:#{?#{==:#{@meta.claude.status},stopped},x,}}, (⏸),}";
/// The id is a text of others: `#` in it is doubled, so that no style in it is obeyed.
const PANE: &str = "#{?#{!=:#{@meta.claude.session_id},}, \
    #{=8:#{q/h:@meta.claude.session_id}} \
    #{?#{==:#{@meta.claude.status},running},[▶],\
    #{?#{==:#{@meta.claude.status},stopped},[⏸],\
    #{?#{==:#{@meta.claude.status},},[■],[?]}}},}";

impl Label {
    /// What stands at the end of the user's format.
    pub(crate) fn suffix(&self) -> String {
        format!("#{{E:{}}}", self.option)
    }
}

pub(crate) fn text(atm: &str, version: Version) -> String {
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
    let hooks = HOOKS.iter().filter(|hook| hook.since <= version);
    lines.extend(hooks.map(|hook| hook.line(atm)));
    lines.extend([
        String::new(),
        "# What is shown of the agents in a window, and in a pane.".to_owned(),
    ]);
    let mut labels: Vec<String> = LABELS.iter().map(set_label).collect();
    labels.dedup();
    lines.extend(labels);
    lines.extend(LABELS.iter().map(append_label));
    let body = lines.join("\n");
    format!("{body}\n\nset-option -g {MARK} {}\n", fingerprint(&body))
}

/// The value of `MARK` in a server that has loaded this text.
pub(crate) fn mark_of(text: &str) -> &str {
    text.trim_end().rsplit(' ').next().unwrap_or_default()
}

fn set_label(label: &Label) -> String {
    format!("set-option -g {} {}", label.option, word(label.text))
}

/// Only once, however often the file is loaded.
fn append_label(label: &Label) -> String {
    let Label { format, option, .. } = label;
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

    #[test]
    fn text_holds_hooks_at_our_index_only_and_never_sets_a_status_line() {
        let text = text("/usr/bin/atm", Version::new(3, 3));
        for line in text.lines().filter(|line| line.starts_with("set-hook")) {
            assert!(line.contains("[8731]' ") && line.starts_with("set-hook -g '"), "{line}");
        }
        assert_eq!(text.matches("\nset-hook ").count(), 8);
        assert!(text.contains(
            "set-hook -g 'client-attached[8731]' \"run-shell -b \\\"'/usr/bin/atm' visit \
             client-attached '#{window_id}' '#{session_id}' >/dev/null 2>&1 || true\\\"\"\n"
        ));
        let is_set = |line: &str| line.contains("status-right") || line.contains("status-left");
        assert!(!text.lines().any(|line| !line.starts_with('#') && is_set(line)));
    }

    #[test]
    fn mark_changes_with_the_text() {
        let of = |atm| text(atm, Version::new(3, 3));
        assert_eq!(mark_of(&of("/a")), mark_of(&of("/a")));
        assert_ne!(mark_of(&of("/a")), mark_of(&of("/b")));
        assert_eq!(fingerprint("a"), "af63dc4c8601ec8c");
    }
}
