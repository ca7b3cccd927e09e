//! When tmux is left alone: nothing was set up, or it was taken out.

use atm_core::proto::message::Request;
use serde_json::json;

use super::desk::Desk;
use super::eye::{BLUE, RED};
use super::styles::{ask, ours};
use crate::sealed::Sealed;

#[test]
fn tmux_of_somebody_who_only_lists_is_left_alone() {
    let mut sealed = Sealed::new();
    let pane = sealed.new_pane("main");
    let place = format!("main:{}.{}", pane.window, pane.id);
    sealed.write_session(pane.pid, "ffffffff-1", json!({"tmux": place, "status": "busy"}));
    sealed.wait_for(pane.pid, "status", &json!("working"));
    sealed.wait("its window", |sealed| sealed.session_of(pane.pid)?["window"].as_str().map(drop));
    let mut desk = Desk::without_setup(sealed);
    desk.settle();
    assert_eq!(ours(&mut desk), Vec::<String>::new());
    desk.sealed.tmux(&["set", "-g", "@atm_setup", "x"]);
    desk.settle();
    desk.expect_option("w", &pane.window, "@claude-state", "running");
    desk.sealed.tmux(&["set", "-gu", "@atm_setup"]);
    desk.settle();
    assert_eq!(ours(&mut desk), Vec::<String>::new());
    // Hooks are a set-up too.
    desk.start(&pane);
    desk.expect_option("w", &pane.window, "@claude-state", "idle");
}

#[test]
fn unpainted_stays_unpainted_when_the_daemon_starts_again() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    ask(&desk, &Request::Unpaint);
    assert_eq!(ours(&mut desk), Vec::<String>::new());
    desk.sealed.ok(&["daemon", "stop"]);
    desk.stop(&pane);
    desk.sealed.wait_for(pane.pid, "status", &json!("idle"));
    desk.sealed.ok(&["list"]);
    assert_eq!(ours(&mut desk), Vec::<String>::new());
    ask(&desk, &Request::Unpaint);
    assert_eq!(ours(&mut desk), Vec::<String>::new());
    ask(&desk, &Request::Repaint);
    desk.expect("one", RED);
    assert!(!desk.sealed.state().join("tmux.off").exists());
}
