//! The user's own styles: under the colours, and back when they are no longer needed.

use atm_core::proto::message::{Reply, Request};

use super::desk::Desk;
use super::eye::{BLUE, RED, WHITE};
use crate::stage::Pane;
use crate::wire::{Daemon, Wire};

const THEME: [&[&str]; 2] = [
    &["set", "-g", "window-status-style", "bg=colour236,fg=colour250,bold"],
    &["set", "-g", "window-status-current-style", "bg=colour25"],
];

pub(crate) fn styles(desk: &mut Desk, pane: &Pane) -> (String, String) {
    let style = desk.option("w", &pane.window, "window-status-style");
    (style, desk.option("w", &pane.window, "window-status-current-style"))
}

pub(crate) fn ours(desk: &mut Desk) -> Vec<String> {
    let mut all = desk.sealed.tmux(&["show-options", "-g"]);
    for pane in desk.sealed.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]).lines() {
        all += &desk.sealed.tmux(&["show-options", "-p", "-t", pane]);
        all += "\n";
        all += &desk.sealed.tmux(&["show-options", "-w", "-t", pane]);
        all += "\n";
    }
    let is_ours = |line: &&str| {
        // Setup's own stay as long as it does.
        let is_setup = ["@atm_setup", "@atm_pane_label", "@atm_window_label"];
        let is_setup = is_setup.iter().any(|name| line.contains(name));
        let names = ["@meta.claude", "@claude-state", "@atm", "@last-focused"];
        names.iter().any(|name| line.contains(name)) && !is_setup
            || line.starts_with("window-status") && line.contains("fg=#")
    };
    all.lines().filter(is_ours).map(str::to_owned).collect()
}

pub(crate) fn ask(desk: &Desk, request: &Request) {
    let mut wire = Wire::open(&desk.sealed).unwrap();
    wire.send(request);
    assert!(matches!(wire.hear(), Some(Reply::Done)));
}

#[test]
fn theme_stays_under_the_colour_and_comes_back_at_the_end() {
    let mut desk = Desk::with(&THEME);
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    let painted = ("bg=colour236,bold,fg=#6699cc".into(), "bg=colour25,fg=#6699cc".into());
    assert_eq!(styles(&mut desk, &pane), painted);
    desk.end(&pane);
    desk.expect("one", vt100::Color::Idx(250));
    assert_eq!(styles(&mut desk, &pane), (String::new(), String::new()), "as it was: not set");
    desk.expect_option("w", &pane.window, "@claude-state", "idle");
}

#[test]
fn style_of_a_single_window_is_restored_although_the_daemon_was_killed() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.sealed.tmux(&["set", "-w", "-t", &pane.window, "window-status-style", "fg=yellow,bold"]);
    desk.sealed.tmux(&["set", "-w", "-t", &pane.window, "window-status-current-style", ""]);
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    assert_eq!(styles(&mut desk, &pane), ("bold,fg=#6699cc".into(), "fg=#6699cc".into()));
    Daemon::of(&desk.sealed).kill();
    desk.stop(&pane);
    desk.expect("one", RED);
    assert_eq!(styles(&mut desk, &pane).0, "bold,fg=#EC5f67", "painted once, not twice");
    desk.end(&pane);
    desk.expect("one", vt100::Color::Idx(3));
    assert_eq!(styles(&mut desk, &pane), ("fg=yellow,bold".into(), String::new()));
    let local = desk.sealed.tmux(&["show-options", "-w", "-t", &pane.window]);
    assert!(local.contains("window-status-current-style"), "empty is not unset: {local}");
}

#[test]
fn unpaint_takes_everything_out_and_repaint_brings_it_back() {
    let mut desk = Desk::with(&THEME);
    let (one, two) = (desk.window("one"), desk.window("two"));
    desk.sealed.tmux(&["set", "-w", "-t", &two.window, "window-status-style", "fg=yellow"]);
    desk.prompt(&one);
    desk.prompt(&two);
    desk.end(&two);
    desk.go("one");
    desk.expect_option("g", "main", "@last-focused-window", "1");
    desk.expect("one", BLUE);
    assert_ne!(ours(&mut desk), Vec::<String>::new());
    ask(&desk, &Request::Unpaint);
    assert_eq!(ours(&mut desk), Vec::<String>::new());
    assert_eq!(styles(&mut desk, &one), (String::new(), String::new()));
    assert_eq!(styles(&mut desk, &two).0, "fg=yellow");
    desk.stop(&one);
    desk.sealed.wait_for(one.pid, "status", &serde_json::json!("idle"));
    assert_eq!(ours(&mut desk), Vec::<String>::new(), "it stays out");
    ask(&desk, &Request::Repaint);
    desk.expect("one", RED);
    desk.expect_pane(&two, "session_id", &super::desk::id(&two));
}

#[test]
fn repaint_mends_what_somebody_else_has_broken() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.sealed.tmux(&["set", "-wu", "-t", &pane.window, "window-status-style"]);
    desk.sealed.tmux(&["set", "-pu", "-t", &pane.id, "@meta.claude.status"]);
    ask(&desk, &Request::Repaint);
    desk.expect("one", BLUE);
    desk.expect_pane(&pane, "status", "running");
}

#[test]
fn pane_that_closes_leaves_nothing_of_ours_in_its_window() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.beside(&pane);
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.end(&pane);
    desk.expect("one", WHITE);
    desk.sealed.tmux(&["kill-pane", "-t", &pane.id]);
    desk.expect_option("w", &pane.window, "@claude-state", "");
    desk.expect_option("w", &pane.window, "window-status-style", "");
    assert_eq!(ours(&mut desk), Vec::<String>::new());
}
