//! The display tables of seeds 000 and 001, by what tmux makes of the formats and what a client
//! displays.

use atm_core::project::{pane_label, window_label};
use atm_core::words::Charset;
use serde_json::json;

use super::desk::Desk;
use crate::sealed::Sealed;

fn expand(sealed: &mut Sealed, pane: &str, format: &str) -> String {
    sealed.tmux(&["display-message", "-p", "-t", pane, &format!("<{format}>")])
}

#[test]
fn labels_follow_the_display_tables() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main").id;
    let other = sealed.tmux(&["split-window", "-P", "-F", "#{pane_id}", "exec sleep 600"]);
    let table = [
        (None, None, "<>", "<>", "<>"),
        (Some("23e30f82-1f"), None, "<23e30f82 [■]>", "<23e30f82 [#]>", "<>"),
        (Some("23e30f82-1f"), Some("running"), "<23e30f82 [▶]>", "<23e30f82 [>]>", "<>"),
        (Some("23e30f82-1f"), Some("stopped"), "<23e30f82 [⏸]>", "<23e30f82 [=]>", "<(⏸)>"),
        (Some("23e30f82-1f"), Some("odd"), "<23e30f82 [?]>", "<23e30f82 [?]>", "<>"),
        (Some("23e30f82-1f"), Some("0"), "<23e30f82 [?]>", "<23e30f82 [?]>", "<>"),
        (Some("#[fg=red]x"), Some("stopped"), "<##[fg=red [⏸]>", "<##[fg=red [=]>", "<(⏸)>"),
    ];
    for (id, status, fancy, ascii, window) in table {
        for (name, value) in [("session_id", id), ("status", status)] {
            let name = format!("@meta.claude.{name}");
            match value {
                Some(value) => sealed.tmux(&["set", "-p", "-t", &pane, &name, value]),
                None => sealed.tmux(&["set", "-pu", "-t", &pane, &name]),
            };
        }
        assert_eq!(expand(&mut sealed, &pane, &pane_label(Charset::Utf8)), fancy);
        assert_eq!(expand(&mut sealed, &pane, &pane_label(Charset::Ascii)), ascii);
        assert_eq!(expand(&mut sealed, &other, &pane_label(Charset::Utf8)), "<>");
        // Of the window, whichever pane is active.
        assert_eq!(expand(&mut sealed, &other, &window_label(Charset::Utf8)), window);
    }
    assert_eq!(expand(&mut sealed, &other, &window_label(Charset::Ascii)), "<(=)>");
}

#[test]
fn client_displays_id_and_status_of_each_pane_and_the_mark_of_the_window() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.go("one");
    let shows = |desk: &Desk, label: &str, mark: &str| {
        desk.sealed.wait(&format!("{label:?} and {mark:?}"), |_| {
            let (border, tabs) = (desk.eye.row(0), desk.eye.status_line());
            (border.contains(label) && tabs.contains(mark)).then_some(())
        });
    };
    let tabs = desk.eye.status_line();
    assert!(!desk.eye.row(0).contains('[') && !tabs.contains("(="), "no session ever ran");
    desk.start(&pane);
    shows(&desk, "23e30f82 [=]", "1:one* (=)");
    desk.prompt(&pane);
    shows(&desk, "23e30f82 [>]", "1:one*");
    desk.sealed.wait("no mark", |_| (!desk.eye.status_line().contains("(=)")).then_some(()));
    desk.ask(&pane, "a");
    shows(&desk, "23e30f82 [=]", "1:one* (=)");
    desk.end(&pane);
    shows(&desk, "23e30f82 [#]", "1:one*");
    desk.sealed.wait("no mark", |_| (!desk.eye.status_line().contains("(=)")).then_some(()));
}

#[test]
fn pane_options_say_which_hook_spoke_and_which_set_the_id() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.say(&pane, "SessionStart", json!({"source": "startup", "cwd": "/home/dev/my  project"}));
    desk.expect_pane(&pane, "session_id_set_on", "SessionStart");
    desk.expect_pane(&pane, "session_dir", "/home/dev/my  project");
    desk.expect_pane(&pane, "status", "stopped");
    desk.expect_pane(&pane, "latest_hook_event", "SessionStart");
    desk.say(&pane, "UserPromptSubmit", json!({"prompt": "go", "cwd": "/elsewhere"}));
    desk.expect_pane(&pane, "session_id_set_on", "UserPromptSubmit");
    desk.expect_pane(&pane, "status", "running");
    desk.ask(&pane, "a");
    desk.expect_pane(&pane, "status", "stopped");
    desk.expect_pane(&pane, "latest_hook_event", "PermissionRequest");
    desk.say(&pane, "Notification", json!({"notification_type": "permission_prompt"}));
    desk.tool(&pane, "PostToolUse", "a");
    desk.expect_pane(&pane, "status", "running");
    desk.say(&pane, "SubagentStop", json!({"agent_id": "x", "agent_type": "Explore"}));
    desk.expect_pane(&pane, "session_id_set_on", "SubagentStop");
    desk.expect_pane(&pane, "status", "running");
    desk.stop(&pane);
    desk.expect_pane(&pane, "session_id_set_on", "Stop");
    desk.expect_pane(&pane, "session_dir", "/home/dev/my  project");
    let time: i64 = desk.option("p", &pane.id, "@meta.claude.latest_hook_time").parse().unwrap();
    assert!((crate::stage::now() / 1000 - time).abs() < 60, "seconds since the epoch: {time}");
}
