//! Seed 002's integration tests and scenarios, by the colours that a client displays.

use serde_json::json;

use super::desk::Desk;
use super::eye::{BLUE, RED, WHITE};

#[test]
fn single_turn_is_blue_then_red_and_white_once_visited() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.start(&pane);
    desk.expect("one", WHITE);
    desk.expect_option("w", &pane.window, "@claude-state", "idle");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.expect_option("w", &pane.window, "@claude-state", "running");
    desk.stop(&pane);
    desk.expect("one", RED);
    desk.expect_option("w", &pane.window, "@claude-state", "waiting");
    desk.go("one");
    desk.expect("one", WHITE);
    desk.expect_option("w", &pane.window, "@claude-state", "idle");
    desk.expect_option("g", "main", "@last-focused-window", "1");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.expect_option("w", &pane.window, "window-status-style", "fg=#6699cc");
    desk.expect_option("w", &pane.window, "window-status-current-style", "fg=#6699cc");
}

#[test]
fn many_tool_calls_stay_blue_until_the_turn_is_over() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    for call in ["a", "b", "c"] {
        desk.tool(&pane, "PreToolUse", call);
        desk.settle();
        assert_eq!(desk.colour("one"), Some(BLUE));
        desk.tool(&pane, "PostToolUse", call);
        desk.settle();
        assert_eq!(desk.colour("one"), Some(BLUE));
    }
    desk.stop(&pane);
    desk.expect("one", RED);
}

#[test]
fn permission_is_red_until_it_is_given_and_red_again_at_the_end() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.ask(&pane, "a");
    desk.expect("one", RED);
    desk.go("one");
    desk.expect("one", WHITE);
    desk.expect_pane(&pane, "status", "stopped");
    let row = desk.sealed.session_of(pane.pid).unwrap();
    assert_eq!((&row["status"], &row["unseen"]), (&json!("attention"), &json!(false)));
    desk.tool(&pane, "PostToolUse", "a");
    desk.expect("one", BLUE);
    desk.stop(&pane);
    desk.expect("one", RED);
}

#[test]
fn sessions_in_two_windows_have_colours_of_their_own() {
    let mut desk = Desk::new();
    let (one, two) = (desk.window("one"), desk.window("two"));
    desk.prompt(&one);
    desk.prompt(&two);
    desk.expect("one", BLUE);
    desk.expect("two", BLUE);
    desk.stop(&two);
    desk.expect("two", RED);
    desk.stop(&one);
    desk.expect("one", RED);
    desk.go("two");
    desk.expect("two", WHITE);
    assert_eq!(desk.colour("one"), Some(RED), "nobody looked at it");
}

#[test]
fn session_that_ends_leaves_a_white_tab_and_its_id() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    desk.end(&pane);
    desk.expect("one", WHITE);
    desk.expect_option("w", &pane.window, "@claude-state", "idle");
    desk.expect_pane(&pane, "status", "");
    desk.expect_pane(&pane, "session_id", &super::desk::id(&pane));
    desk.expect_pane(&pane, "session_id_set_on", "SessionEnd");
}

#[test]
fn panes_of_one_window_share_its_tab_the_most_urgent_first() {
    let mut desk = Desk::new();
    let one = desk.window("one");
    let two = desk.beside(&one);
    desk.prompt(&one);
    desk.prompt(&two);
    desk.expect("one", BLUE);
    desk.stop(&one);
    desk.expect("one", RED);
    desk.go("one");
    // The other still works.
    desk.expect("one", BLUE);
    desk.stop(&two);
    desk.expect("one", RED);
    desk.end(&two);
    desk.expect("one", WHITE);
}

#[test]
fn nested_session_does_not_take_the_pane_over() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect("one", BLUE);
    let nested = desk.sealed.client();
    let mut env = pane.env();
    env.push(("CLAUDE_CODE_ENTRYPOINT", "sdk-cli".to_owned()));
    env.push(("CLAUDE_CODE_SESSION_ATTENDED", "0".to_owned()));
    for event in ["SessionStart", "UserPromptSubmit", "Stop"] {
        let payload = json!({"hook_event_name": event, "session_id": "aaaaaaaa-1", "prompt": "x"});
        desk.sealed.hook_from(nested, &env, &payload);
    }
    desk.settle();
    assert_eq!(desk.colour("one"), Some(BLUE));
    desk.expect_pane(&pane, "session_id", &super::desk::id(&pane));
    desk.expect_pane(&pane, "status", "running");
}

#[test]
fn session_known_by_its_file_alone_is_shown_too() {
    let mut desk = Desk::new();
    let pane = desk.window("one");
    let place = format!("main:{}.{}", pane.window, pane.id);
    let file = json!({"tmux": place, "status": "busy"});
    desk.sealed.write_session(pane.pid, "ffffffff-1", file);
    desk.sealed.wait_for(pane.pid, "status", &json!("working"));
    desk.expect("one", BLUE);
    desk.expect_pane(&pane, "session_id_set_on", "session-file");
    desk.expect_pane(&pane, "session_dir", "");
}
