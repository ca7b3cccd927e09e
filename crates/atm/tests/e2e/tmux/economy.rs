//! Every write redraws every client: tmux is called only if there is something to say, and then
//! once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::desk::Desk;
use super::eye::{BLUE, RED};
use crate::sealed::Sealed;

/// A world whose daemon runs a `tmux` that notes each call.
fn counted() -> (Sealed, PathBuf) {
    let sealed = Sealed::new();
    let (bin, calls) = (sealed.path().join("bin"), sealed.path().join("calls"));
    fs::create_dir(&bin).unwrap();
    let script = "#!/bin/sh\nprintf '%s\\n' \"$*\" >> \"$CALLS\"\nexec /usr/bin/env PATH=\"$REAL\" tmux \"$@\"\n";
    fs::write(bin.join("tmux"), script).unwrap();
    fs::set_permissions(bin.join("tmux"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = "/usr/local/bin:/usr/bin:/bin";
    let started = sealed
        .command(env!("CARGO_BIN_EXE_atm"))
        .arg("daemon")
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("REAL", path)
        .env("CALLS", &calls)
        .output()
        .unwrap();
    assert!(started.status.success());
    (sealed, calls)
}

fn calls(path: &PathBuf) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter(|line| line.contains("tmux") || line.contains("-S"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn ten_rapid_tool_calls_cause_no_call_of_tmux_at_all() {
    let (sealed, log) = counted();
    let mut desk = Desk::in_world(sealed, &[]);
    let pane = desk.window("one");
    desk.start(&pane);
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.expect_pane(&pane, "status", "running");
    let before = calls(&log);
    for call in 0..10 {
        desk.tool(&pane, "PreToolUse", &call.to_string());
        desk.tool(&pane, "PostToolUse", &call.to_string());
    }
    // The daemon has heard them all when it answers, and what it wants written is ordered by then.
    desk.sealed.ok(&["daemon", "status"]);
    desk.stop(&pane);
    desk.expect("one", RED);
    let after = calls(&log);
    let new = &after[before.len()..];
    assert_eq!(new.len(), 1, "the Stop alone: {new:?}");
    assert!(new[0].contains("set-option") && new[0].contains("@claude-state"), "{new:?}");
    desk.expect_pane(&pane, "latest_hook_event", "Stop");
}

#[test]
fn change_of_state_is_one_process_whatever_it_changes() {
    let (sealed, log) = counted();
    let mut desk = Desk::in_world(sealed, &[]);
    let pane = desk.window("one");
    desk.start(&pane);
    desk.expect_pane(&pane, "status", "stopped");
    let before = calls(&log).len();
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    let new = calls(&log).split_off(before);
    assert_eq!(new.len(), 1, "{new:?}");
    for name in ["@claude-state", "window-status-style", "@meta.claude.status"] {
        assert!(new[0].contains(name), "{name}: {new:?}");
    }
}

#[test]
fn daemon_that_starts_again_writes_nothing_that_is_there() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.sealed.ok(&["daemon", "stop"]);
    let drawn = desk.eye.bytes().len();
    desk.sealed.ok(&["list"]);
    desk.settle();
    assert_eq!(desk.eye.bytes().len(), drawn, "the terminal was drawn anew");
}
