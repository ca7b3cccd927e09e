//! Every write redraws every client: tmux is called only if there is something to say, and then
//! once.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::desk::Desk;
use super::eye::{BLUE, RED};
use crate::sealed::Sealed;

/// Notes each call; fails one that writes if there is a file `fail`, and takes that away.
const TMUX: &str = r#"#!/bin/sh
printf '%s\n' "$*" >> "$WATCH/calls"
case "$*" in *set-option*) if rm "$WATCH/fail" 2>/dev/null; then exit 1; fi ;; esac
PATH="$REAL" exec tmux "$@"
"#;

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The tmux that a daemon runs, watched.
struct Watched(PathBuf);

impl Watched {
    fn new(sealed: &Sealed) -> Watched {
        let folder = sealed.path().join("watch");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("tmux"), TMUX).unwrap();
        fs::set_permissions(folder.join("tmux"), fs::Permissions::from_mode(0o755)).unwrap();
        Watched(folder)
    }

    fn start_daemon(&self, sealed: &Sealed, env: &[(&str, &str)]) {
        let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
        command.arg("daemon").env("PATH", format!("{}:{PATH}", self.0.display()));
        command.env("REAL", PATH).env("WATCH", &self.0).envs(env.iter().copied());
        assert!(command.output().unwrap().status.success());
    }

    fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(self.0.join("calls")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn writes(&self) -> usize {
        self.calls().iter().filter(|call| call.contains("set-option")).count()
    }
}

/// A window with a session at work, on a desk whose daemon's calls of tmux are watched.
fn at_work(env: &[(&str, &str)]) -> (Desk, Watched, crate::stage::Pane) {
    let sealed = Sealed::new();
    let watched = Watched::new(&sealed);
    watched.start_daemon(&sealed, env);
    let mut desk = Desk::in_world(sealed, &[]);
    let pane = desk.window("one");
    desk.start(&pane);
    desk.expect_pane(&pane, "status", "stopped");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    (desk, watched, pane)
}

fn ten_tool_calls(desk: &Desk, pane: &crate::stage::Pane) {
    for call in 0..10 {
        desk.tool(pane, "PreToolUse", &call.to_string());
        desk.tool(pane, "PostToolUse", &call.to_string());
    }
    // The daemon has heard them all when it answers, and what it wants written is ordered by then.
    desk.sealed.ok(&["daemon", "status"]);
}

#[test]
fn ten_rapid_tool_calls_cause_no_call_of_tmux_and_the_next_change_exactly_one() {
    let (mut desk, watched, pane) = at_work(&[]);
    let before = watched.calls().len();
    ten_tool_calls(&desk, &pane);
    desk.stop(&pane);
    desk.expect("one", RED);
    let new = watched.calls().split_off(before);
    assert_eq!(new.len(), 1, "the Stop alone: {new:?}");
    for name in ["@claude-state", "window-status-style", "@meta.claude.status", "@atm_status"] {
        assert!(new[0].contains(name), "{name}: {new:?}");
    }
    desk.expect_pane(&pane, "latest_hook_event", "Stop");
}

#[test]
fn debug_options_tell_of_every_event_but_not_each_by_itself() {
    let (mut desk, watched, pane) = at_work(&[("CLAUDE_TMUX_DEBUG", "1")]);
    let before = watched.writes();
    ten_tool_calls(&desk, &pane);
    desk.expect_pane(&pane, "latest_hook_event", "PostToolUse");
    let new = watched.writes() - before;
    assert!((1..20).contains(&new), "{new} writes for 20 events");
}

#[test]
fn write_that_fails_is_tried_once_more_and_nothing_goes_round_in_circles() {
    let (desk, watched, pane) = at_work(&[]);
    let before = watched.writes();
    fs::write(watched.0.join("fail"), "").unwrap();
    desk.stop(&pane);
    desk.expect("one", RED);
    assert_eq!(watched.writes() - before, 2);
}

#[test]
fn daemon_that_starts_again_writes_nothing_that_is_there() {
    let (desk, watched, _) = at_work(&[]);
    desk.sealed.ok(&["daemon", "stop"]);
    let (writes, calls) = (watched.writes(), watched.calls().len());
    watched.start_daemon(&desk.sealed, &[]);
    desk.sealed.ok(&["list"]);
    desk.settle();
    assert_eq!(watched.writes(), writes, "{:?}", watched.calls());
    assert!(watched.calls().len() > calls, "it has looked");
}
