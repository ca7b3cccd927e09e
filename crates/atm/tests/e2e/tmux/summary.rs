//! All sessions in one line of tmux: pushed when it changes, and only then.

use atm_core::proto::message::Request;
use serde_json::json;

use super::desk::Desk;
use super::eye::{BLUE, RED};
use super::styles::ask;

const RIGHT: &[&str] = &["set", "-g", "status-right", "#{@atm_status}"];
const WORKING: &str = "#[fg=#6699cc]> 1#[default]";
const ASKS: &str = "#[fg=#EC5f67]! 1#[default]";

#[test]
fn summary_counts_all_sessions_and_a_client_displays_it() {
    let mut desk = Desk::with(&[RIGHT]);
    let pane = desk.window("one");
    desk.prompt(&pane);
    desk.expect_option("g", "main", "@atm_status", WORKING);
    desk.sealed.wait("it in blue", |_| (desk.eye.colour("> 1") == Some(BLUE)).then_some(()));
    // One without a pane counts too.
    let other = desk.sealed.client();
    desk.sealed.hook(other, "UserPromptSubmit", "s-other", json!({"prompt": "x"}));
    let call = json!({"tool_name": "Bash", "tool_use_id": "1", "tool_input": {"command": "x"}});
    desk.sealed.hook(other, "PermissionRequest", "s-other", call);
    desk.expect_option("g", "main", "@atm_status", &format!("{ASKS} {WORKING}"));
    desk.sealed.wait("it in red", |_| (desk.eye.colour("! 1") == Some(RED)).then_some(()));
    desk.sealed.hook(other, "SessionEnd", "s-other", json!({"reason": "exit"}));
    desk.expect_option("g", "main", "@atm_status", WORKING);
    ask(&desk, &Request::Unpaint);
    assert_eq!(desk.option("g", "main", "@atm_status"), "");
    ask(&desk, &Request::Repaint);
    assert_eq!(desk.option("g", "main", "@atm_status"), WORKING);
    desk.end(&pane);
    desk.expect_option("g", "main", "@atm_status", "");
}

#[test]
fn summary_is_in_a_server_without_agents_once_somebody_moves_there() {
    let mut desk = Desk::new();
    let client = desk.sealed.client();
    desk.sealed.hook(client, "UserPromptSubmit", "s-far", json!({"prompt": "x"}));
    desk.sealed.wait_for(client, "status", &json!("working"));
    desk.window("empty");
    desk.go("empty");
    desk.expect_option("g", "main", "@atm_status", WORKING);
}
