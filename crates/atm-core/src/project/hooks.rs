//! The hooks by which tmux tells us who looks where, and that panes have moved. They sit at a
//! private index of each hook's array: the user's own stay.

/// Where in the arrays; uninstall unsets the same.
pub const HOOK_INDEX: u32 = 8731;

/// A layout changes at every step of a border that is dragged: only if panes came or went since the
/// window was painted, or one with a session came to a window that never was. tmux speaks of
/// another window than the one that the active pane has left, so both ends have to be told.
const PANES_DIFFER: &str = "#{||:#{&&:#{@atm_panes},#{!=:#{@atm_panes},#{P:#{pane_id} }}},\
    #{&&:#{==:#{@atm_panes},},#{P:#{@meta.claude.session_id}}}}";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The name of the hook, and the event that `atm visit` is told.
    pub name: &'static str,
    /// What comes after the program, for a shell, with formats.
    pub tail: String,
    /// A format: if it is empty or 0 there is nothing to tell and no process to start.
    pub condition: Option<&'static str>,
}

/// In the order in which they matter. A session is named rather than a client: all clients of a
/// session look at the same window.
pub fn hooks() -> Vec<Hook> {
    let visits = [
        "session-window-changed",
        "client-session-changed",
        "client-attached",
        "window-pane-changed",
        "pane-focus-in",
    ];
    let moves = ["window-linked", "window-unlinked", "pane-exited", "after-kill-pane"];
    let all = visits.into_iter().chain(moves).map(|name| hook(name, None));
    all.chain([hook("window-layout-changed", Some(PANES_DIFFER))]).collect()
}

fn hook(name: &'static str, condition: Option<&'static str>) -> Hook {
    let tail = format!("visit {name} '#{{window_id}}' '#{{session_id}}'");
    Hook { name, tail, condition }
}

impl Hook {
    /// `session-window-changed[8731]`, for `set-hook -g` and `set-hook -gu`.
    pub fn slot(&self) -> String {
        format!("{}[{HOOK_INDEX}]", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::WindowId;
    use crate::project::{Told, Viewers};

    #[test]
    fn every_hook_is_understood_when_it_speaks() {
        for hook in hooks() {
            let mut viewers = Viewers::default();
            viewers.hear("client-attached", "$0", &WindowId::new("@1"));
            let told = viewers.hear(hook.name, "$0", &WindowId::new("@2"));
            assert_ne!(told, Told::Nothing, "{}", hook.name);
            assert!(hook.tail.starts_with(&format!("visit {} ", hook.name)));
            assert_eq!(hook.slot(), format!("{}[8731]", hook.name));
        }
    }
}
