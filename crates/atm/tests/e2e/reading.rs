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

#[test]
fn configuration_directory_of_the_asker_counts_although_the_daemon_runs_already() {
    let mut sealed = Sealed::new();
    assert!(sealed.sessions().is_empty());
    let other = sealed.path().join("other-claude");
    let pid = sealed.client();
    Sealed::write_session_in(&other, pid, &Sealed::session_json(pid, "5ca1ab1e-0001", json!({})));
    let mut ask = sealed.command(env!("CARGO_BIN_EXE_atm"));
    let output = ask.args(["list", "--json"]).env("CLAUDE_CONFIG_DIR", &other).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["sessions"][0]["id"], "5ca1ab1e-0001");
}

#[test]
fn daemon_whose_state_directory_was_removed_ends() {
    let sealed = Sealed::new();
    sealed.ok(&["list"]);
    let pid = sealed.daemon_pid().unwrap();
    std::fs::remove_dir_all(sealed.state()).unwrap();
    let proc = std::path::PathBuf::from(format!("/proc/{pid}"));
    let limit = std::time::Instant::now() + crate::sealed::LIMIT;
    while proc.exists() {
        assert!(std::time::Instant::now() < limit, "the daemon runs on");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn pane_that_was_killed_is_not_shown_for_its_ended_session() {
    let mut sealed = Sealed::new();
    sealed.tmux(&["new-session", "-d", "-x", "80", "-y", "24", "exec sleep 600"]);
    sealed.tmux(&["new-window", "-d", "exec sleep 600"]);
    let pane =
        sealed.tmux(&["list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{socket_path},#{pid},0"]);
    let (id, rest) = pane.lines().next().unwrap().split_once(' ').unwrap();
    let (pid, tmux) = rest.split_once(' ').unwrap();
    let mut hook = sealed.command(env!("CARGO_BIN_EXE_atm"));
    hook.arg("hook").env("CLAUDE_PID", pid).env("TMUX", tmux).env("TMUX_PANE", id);
    let payload = sealed.path().join("payload");
    let start = json!({"hook_event_name": "SessionStart", "session_id": "5ca1ab1e-0002"});
    std::fs::write(&payload, start.to_string()).unwrap();
    hook.stdin(std::fs::File::open(&payload).unwrap());
    assert!(hook.status().unwrap().success());
    sealed.wait("the pane", |s| (s.sessions().first()?["window"] != json!(null)).then_some(()));
    sealed.tmux(&["kill-pane", "-t", id]);
    sealed.wait("the end", |s| s.sessions().is_empty().then_some(()));
    sealed.wait("the pane to go", |s| {
        let all = s.json(&["list", "--all", "--json"]);
        (all["sessions"][0]["pane"] == json!(null)).then_some(())
    });
}
