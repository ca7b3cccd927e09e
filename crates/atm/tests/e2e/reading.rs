//! The reading commands, as a person or a script uses them.

use serde_json::json;

use crate::sealed::Sealed;

#[test]
fn list_follows_a_session_from_start_to_end() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", "23e30f82-0001", json!({"source": "startup"}));
    let session = &sealed.sessions()[0];
    assert_eq!((&session["status"], &session["why"]), (&json!("idle"), &json!("fresh")));
    sealed.hook(
        pid,
        "UserPromptSubmit",
        "23e30f82-0001",
        json!({"prompt_id": "p1", "prompt": "go"}),
    );
    assert_eq!(sealed.sessions()[0]["status"], "working");
    let ask = json!({"prompt_id": "p1", "tool_name": "Bash", "tool_input": {"command": "touch x"}});
    sealed.hook(pid, "PermissionRequest", "23e30f82-0001", ask);
    let session = &sealed.sessions()[0];
    assert_eq!(session["status"], "attention");
    assert_eq!(session["reason"], "Permission: Bash");
    assert_eq!(session["unseen"], true);
    sealed.hook(pid, "Stop", "23e30f82-0001", json!({"prompt_id": "p1"}));
    assert_eq!(sealed.sessions()[0]["why"], "done");
    sealed.hook(pid, "SessionEnd", "23e30f82-0001", json!({"reason": "prompt_input_exit"}));
    assert!(sealed.sessions().is_empty());
    let all = sealed.json(&["list", "--all", "--json"]);
    assert_eq!(all["sessions"][0]["ended"]["reason"], "prompt_input_exit");
    assert_eq!(all["sessions"][0]["ended"]["lost"], false);
}

#[test]
fn process_killed_without_a_word_is_lost() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "UserPromptSubmit", "23e30f82-0002", json!({"prompt_id": "p1"}));
    assert_eq!(sealed.sessions().len(), 1);
    sealed.kill_client(pid);
    sealed.wait("the loss", |s| s.sessions().is_empty().then_some(()));
    let all = sealed.json(&["list", "--all", "--json"]);
    assert_eq!(all["sessions"][0]["ended"]["lost"], true);
}
