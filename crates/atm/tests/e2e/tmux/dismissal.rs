//! Seed 002 on focus: what a visit clears, and what is none.

use super::desk::{Desk, set_up};
use super::eye::{BLUE, Eye, RED, WHITE};
use crate::stage::Pane;

/// A window whose session has finished while the user was elsewhere.
fn finished(desk: &mut Desk, name: &str) -> Pane {
    let pane = desk.window(name);
    desk.prompt(&pane);
    desk.stop(&pane);
    desk.expect(name, RED);
    pane
}

#[test]
fn passing_through_a_window_does_not_clear_it() {
    let mut desk = Desk::new();
    finished(&mut desk, "one");
    finished(&mut desk, "two");
    // In tmux itself, so that a busy machine does not make a stay of it.
    let pass = ["select-window", "-t", "=main:=one", ";", "run-shell", "-d", "0.1", ";"];
    desk.sealed.tmux(&[&pass[..], &["select-window", "-t", "=main:=two"]].concat());
    desk.expect("two", WHITE);
    desk.stay();
    assert_eq!(desk.colour("one"), Some(RED));
}

#[test]
fn running_stays_blue_when_it_is_visited() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.go("one");
    desk.expect_option("g", "main", "@last-focused-window", "1");
    assert_eq!(desk.colour("one"), Some(BLUE));
}

fn check_clicks(configuration: &[&[&str]]) {
    let mut desk = Desk::with(configuration);
    let pane = desk.window("one");
    let editor = desk.beside(&pane);
    desk.prompt(&pane);
    desk.go("one");
    desk.expect_option("g", "main", "@last-focused-window", "1");
    // It finishes while the user sits there.
    desk.stop(&pane);
    desk.expect("one", RED);
    for target in [&editor, &pane, &editor] {
        desk.sealed.tmux(&["select-pane", "-t", &target.id]);
        desk.stay();
        assert_eq!(desk.colour("one"), Some(RED), "a click is no visit");
    }
    desk.go("home");
    desk.stay();
    assert_eq!(desk.colour("one"), Some(RED), "leaving is no visit");
    desk.go("one");
    desk.expect("one", WHITE);
}

#[test]
fn clicks_inside_the_window_do_nothing_and_coming_back_does() {
    check_clicks(&[]);
}

#[test]
fn clicks_with_focus_events_on_do_nothing_either() {
    check_clicks(&[&["set", "-g", "focus-events", "on"]]);
}

#[test]
fn client_that_attaches_straight_into_the_window_has_seen_it() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.go("one");
    desk.expect_option("g", "main", "@last-focused-window", "1");
    desk.stop(&pane);
    desk.expect("one", RED);
    desk.sealed.tmux(&["detach-client", "-s", "main"]);
    desk.eye = Eye::attach(&desk.sealed, "e2e", "main");
    desk.expect("one", WHITE);
}

#[test]
fn two_clients_on_one_session_see_together() {
    let mut desk = Desk::new();
    let second = Eye::attach(&desk.sealed, "e2e", "main");
    desk.sealed.wait("the second client", |_| second.colour("0:home").map(drop));
    finished(&mut desk, "one");
    desk.sealed.wait("red on both", |_| (second.colour(":one") == Some(RED)).then_some(()));
    desk.go("one");
    desk.expect("one", WHITE);
    desk.sealed.wait("white on both", |_| (second.colour(":one") == Some(WHITE)).then_some(()));
}

#[test]
fn window_of_another_session_is_seen_when_a_client_switches_to_it() {
    let mut desk = Desk::new();
    let other = desk.sealed.new_pane("other");
    desk.prompt(&other);
    desk.stop(&other);
    desk.expect_option("w", &other.window, "@claude-state", "waiting");
    desk.stay();
    desk.expect_option("w", &other.window, "@claude-state", "waiting");
    let client = desk.sealed.tmux(&["list-clients", "-F", "#{client_name}"]);
    desk.sealed.tmux(&["switch-client", "-c", &client, "-t", "=other"]);
    desk.expect_option("w", &other.window, "@claude-state", "idle");
}

#[test]
fn window_chosen_in_a_session_without_a_client_is_not_seen() {
    let mut desk = Desk::new();
    let other = desk.sealed.new_pane("other");
    desk.sealed.tmux(&["new-window", "-t", "=other:", "exec sleep 600"]);
    desk.prompt(&other);
    desk.stop(&other);
    desk.expect_option("w", &other.window, "@claude-state", "waiting");
    desk.sealed.tmux(&["select-window", "-t", &other.window]);
    desk.stay();
    desk.expect_option("w", &other.window, "@claude-state", "waiting");
}

#[test]
fn visit_without_a_daemon_says_nothing_and_starts_nothing() {
    let mut sealed = crate::sealed::Sealed::new();
    let pane = sealed.new_pane("main");
    set_up(&mut sealed);
    sealed.ok(&["daemon", "stop"]);
    for args in [&["visit"][..], &["visit", "x"], &["visit", "client-attached", "@0", "$0"]] {
        let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
        let output = command.args(args).envs(pane.env()).output().unwrap();
        let told = (output.status.code(), output.stdout.len(), output.stderr.len());
        assert_eq!(told, (Some(0), 0, 0), "{args:?}");
    }
    assert!(crate::wire::daemons(&sealed).is_empty());
}

#[test]
fn colour_changes_are_logged_with_their_cause() {
    let mut desk = Desk::in_world(debugging(), &[]);
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.stop(&pane);
    desk.expect("one", RED);
    desk.go("one");
    desk.expect("one", WHITE);
    let log = std::fs::read_to_string(desk.sealed.state().join("atm.log")).unwrap();
    let window = &pane.window;
    let id = super::desk::id(&pane);
    for (step, cause) in [
        ("none -> running", "UserPromptSubmit"),
        ("running -> waiting", "Stop"),
        ("waiting -> idle", "visit (session-window-changed)"),
    ] {
        let line = log
            .lines()
            .find(|line| line.contains(&format!("window {window} of ")) && line.contains(step));
        let line = line.unwrap_or_else(|| panic!("{step} is not in {log}"));
        assert!(line.contains(cause) && line.contains(&id), "{line}");
        assert!(line.starts_with("20"), "begins with the time: {line}");
    }
    desk.expect_pane(&pane, "latest_hook_event", "Stop");
}

/// A world whose daemon tells everything.
fn debugging() -> crate::sealed::Sealed {
    let sealed = crate::sealed::Sealed::new();
    let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
    let started = command.arg("daemon").env("CLAUDE_TMUX_DEBUG", "1").output().unwrap();
    assert!(started.status.success());
    sealed
}
