//! Sessions move with their pane; servers come and go.

use serde_json::json;

use super::desk::{Desk, id, set_up};
use super::eye::{BLUE, RED};

#[test]
fn colour_follows_a_pane_that_is_broken_out_joined_and_swapped() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    let stays = desk.beside(&pane);
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    let args = ["break-pane", "-d", "-s", &pane.id, "-n", "broken", "-P", "-F", "#{window_id}"];
    let broken = desk.sealed.tmux(&args);
    desk.expect("broken", BLUE);
    desk.expect_option("w", &pane.window, "window-status-style", "");
    desk.expect_option("w", &pane.window, "@claude-state", "");
    let two = desk.window("two");
    desk.sealed.tmux(&["join-pane", "-d", "-s", &pane.id, "-t", &two.id]);
    desk.expect("two", BLUE);
    assert!(!desk.sealed.tmux(&["list-windows", "-F", "#{window_id}"]).contains(&broken));
    desk.sealed.tmux(&["swap-pane", "-d", "-s", &pane.id, "-t", &stays.id]);
    desk.expect("one", BLUE);
    desk.expect_option("w", &two.window, "@claude-state", "");
    desk.expect_option("w", &two.window, "window-status-style", "");
    desk.stop(&pane);
    desk.expect("one", RED);
}

#[test]
fn active_pane_joined_to_a_window_that_was_never_painted_takes_its_colour_along() {
    let mut desk = Desk::new();
    let (one, two) = (desk.window("one"), desk.window("two"));
    desk.beside(&one);
    desk.beside(&two);
    desk.prompt(&one);
    desk.expect("one", BLUE);
    desk.sealed.tmux(&["select-pane", "-t", &one.id]);
    desk.sealed.tmux(&["join-pane", "-d", "-s", &one.id, "-t", &two.id]);
    desk.expect("two", BLUE);
    desk.expect_option("w", &one.window, "window-status-style", "");
}

#[test]
fn two_servers_show_what_is_theirs() {
    let mut desk = Desk::new();
    let one = desk.window("one");
    let (_server, two) = desk.sealed.new_server("second");
    desk.prompt(&one);
    desk.prompt(&two);
    desk.stop(&two);
    desk.expect("one", BLUE);
    let show = |desk: &Desk| {
        let args = ["-S", &two.socket, "show-options", "-wqv", "-t", &two.window, "@claude-state"];
        let output = desk.sealed.command("tmux").args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    desk.sealed.wait("waiting", |_| (show(&desk) == "waiting").then_some(()));
    // The same ids mean other things there.
    assert_eq!(desk.colour("one"), Some(BLUE));
}

#[test]
fn server_that_restarts_shows_the_state_at_the_next_event() {
    let mut desk = Desk::new();
    let old = desk.window("one");
    desk.prompt(&old);
    desk.expect("one", BLUE);
    desk.sealed.tmux(&["kill-server"]);
    desk.sealed.wait("the end of the server", |_| {
        let stat = std::fs::read(format!("/proc/{}/stat", old.server)).unwrap_or_default();
        atm_core::process::Stat::parse(&stat).is_none_or(|stat| stat.state == b'Z').then_some(())
    });
    let mut desk = Desk::in_world(desk.sealed, &[]);
    let new = desk.window("one");
    assert_eq!((&new.id, &new.socket), (&old.id, &old.socket));
    let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": "99999999-1"});
    desk.sealed.hook_from(new.pid, &new.env(), &payload);
    desk.expect("one", BLUE);
    desk.expect_pane(&new, "session_id", "99999999-1");
}

#[test]
fn pane_killed_in_the_middle_of_it_all_keeps_no_other_from_its_colour() {
    let mut desk = Desk::new();
    let (one, two) = (desk.window("one"), desk.window("two"));
    desk.prompt(&one);
    desk.prompt(&two);
    desk.expect("two", BLUE);
    // Without its hooks tmux does not tell.
    for hook in atm_core::project::hooks() {
        desk.sealed.tmux(&["set-hook", "-gu", &hook.slot()]);
    }
    desk.sealed.tmux(&["kill-window", "-t", &one.window]);
    desk.stop(&one);
    desk.stop(&two);
    desk.expect("two", RED);
    set_up(&mut desk.sealed);
    desk.expect_pane(&two, "session_id", &id(&two));
}
