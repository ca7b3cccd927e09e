//! Who looks where: what tmux's hooks tell, and what it answers when asked.

use std::collections::BTreeMap;

use crate::ids::WindowId;

/// Arguments that list what each attached client looks at.
pub const LIST_CLIENTS: [&str; 3] =
    ["list-clients", "-F", "#{client_control_mode} #{session_id} #{window_id} #{window_index}"];

/// What a client shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// The tmux session, `$1`.
    pub viewer: String,
    pub window: WindowId,
    pub index: String,
}

/// Control clients have no eyes.
pub fn parse_clients(text: &str) -> Vec<View> {
    let parse = |line: &str| {
        let mut parts = line.split(' ');
        let (control, viewer) = (parts.next()?, parts.next()?);
        let (window, index) = (window_id(parts.next()?)?, parts.next()?);
        let is_index = index.bytes().all(|byte| byte.is_ascii_digit());
        (control == "0" && is_index).then(|| View {
            viewer: viewer.to_owned(),
            window,
            index: index.to_owned(),
        })
    };
    text.lines().filter_map(parse).collect()
}

/// `@7`, and nothing else.
pub fn window_id(text: &str) -> Option<WindowId> {
    let number = text.strip_prefix('@')?;
    let is_id = (1..=10).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit());
    is_id.then(|| WindowId::new(text))
}

/// What an event of a hook means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// Somebody came to the window.
    Visit,
    /// Panes may be elsewhere now.
    Moved,
    /// Nothing that matters: a click, another pane of the same window.
    Nothing,
}

/// The window that each viewer was last known to look at. A viewer is a tmux session; the current
/// window is the session's, whichever client changed it.
#[derive(Debug, Default)]
pub struct Viewers(BTreeMap<String, WindowId>);

impl Viewers {
    pub fn hear(&mut self, event: &str, viewer: &str, window: &WindowId) -> Told {
        match event {
            // tmux tells of these only if there was a change.
            "session-window-changed" | "client-session-changed" | "client-attached" => {
                self.0.insert(viewer.to_owned(), window.clone());
                Told::Visit
            }
            "window-pane-changed" | "pane-focus-in" => {
                let before = self.0.insert(viewer.to_owned(), window.clone());
                let is_other = before.is_some_and(|before| before != *window);
                if is_other { Told::Visit } else { Told::Nothing }
            }
            "window-linked"
            | "window-unlinked"
            | "window-layout-changed"
            | "pane-exited"
            | "after-kill-pane" => Told::Moved,
            _ => Told::Nothing,
        }
    }

    /// What tmux itself says counts more than events, which may come in any order.
    pub fn see(&mut self, views: &[View]) {
        for view in views {
            self.0.insert(view.viewer.clone(), view.window.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visit_is_a_change_of_window_and_never_a_click() {
        let mut viewers = Viewers::default();
        let (one, two) = (WindowId::new("@1"), WindowId::new("@2"));
        let mut hear = |event, window: &WindowId| viewers.hear(event, "$0", window);
        assert_eq!(hear("window-pane-changed", &one), Told::Nothing, "the first we hear of it");
        assert_eq!(hear("session-window-changed", &two), Told::Visit);
        assert_eq!(hear("pane-focus-in", &two), Told::Nothing);
        assert_eq!(hear("window-pane-changed", &two), Told::Nothing);
        assert_eq!(hear("pane-focus-in", &one), Told::Visit);
        assert_eq!(hear("client-attached", &one), Told::Visit, "straight into the window");
        assert_eq!(hear("window-linked", &two), Told::Moved);
        assert_eq!(hear("future-hook", &two), Told::Nothing);
    }

    #[test]
    fn clients_are_read_and_control_clients_passed_over() {
        let views = parse_clients("0 $0 @3 2\n1 $1 @4 0\nnonsense\n0 $2 @x 1\n");
        let expected = View { viewer: "$0".into(), window: WindowId::new("@3"), index: "2".into() };
        assert_eq!(views, [expected]);
    }

    #[test]
    fn window_id_is_nothing_but_a_number() {
        for bad in ["", "@", "3", "@3;x", "@3 ", "@-1", "@12345678901"] {
            assert_eq!(window_id(bad), None, "{bad}");
        }
        assert_eq!(window_id("@30"), Some(WindowId::new("@30")));
    }
}
