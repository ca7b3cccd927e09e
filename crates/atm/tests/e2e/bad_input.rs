//! What no agent should ever send, and what an attacker might.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::sealed::Sealed;
use crate::stage::with;

/// Every event of Claude Code 2.1.325.
const EVENTS: [&str; 33] = [
    "SessionStart",
    "SessionEnd",
    "Setup",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "PermissionRequest",
    "PermissionDenied",
    "Notification",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TeammateIdle",
    "PreCompact",
    "PostCompact",
    "Elicitation",
    "ElicitationResult",
    "PreModelSwitch",
    "PostModelSwitch",
    "CwdChanged",
    "TaskCreated",
    "TaskCompleted",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

/// Every field that any event has.
const FIELDS: [&str; 30] = [
    "session_id",
    "transcript_path",
    "cwd",
    "prompt_id",
    "permission_mode",
    "agent_id",
    "agent_type",
    "source",
    "model",
    "session_title",
    "reason",
    "prompt",
    "tool_name",
    "tool_input",
    "tool_response",
    "tool_use_id",
    "tool_calls",
    "notification_type",
    "message",
    "background_tasks",
    "session_crons",
    "error",
    "trigger",
    "mcp_server_name",
    "to_model",
    "new_cwd",
    "stop_hook_active",
    "last_assistant_message",
    "permission_suggestions",
    "worktree_path",
];

fn assert_silent(output: &Output, what: &str) {
    let told = (output.status.code(), output.stdout.as_slice(), output.stderr.as_slice());
    assert_eq!(told, (Some(0), &b""[..], &b""[..]), "{what}");
}

/// A daemon, and a good client by which it is seen whether all is well.
struct Target {
    sealed: Sealed,
    good: u32,
    bad: u32,
    count: u32,
}

impl Target {
    fn new() -> Target {
        let mut sealed = Sealed::new();
        let (good, bad) = (sealed.client(), sealed.client());
        let target = Target { sealed, good, bad, count: 0 };
        target.sealed.hook(good, "SessionStart", "good-session", json!({"source": "startup"}));
        target
    }

    /// The hook must bear it, and what comes after it must be seen.
    fn throw(&mut self, what: &str, payload: &[u8]) {
        assert_silent(&self.sealed.hook_raw(Some(self.bad), payload), what);
        self.assert_well(what);
    }

    fn assert_well(&mut self, what: &str) {
        self.count += 1;
        let prompt = format!("still there {}", self.count);
        self.sealed.hook(self.good, "UserPromptSubmit", "good-session", json!({"prompt": prompt}));
        let session = self.sealed.session_of(self.good);
        assert_eq!(session.unwrap()["last_prompt"], prompt.as_str(), "after {what}");
    }

    fn malformed(&self) -> u64 {
        let status = self.sealed.json(&["daemon", "status", "--json"]);
        assert_eq!(status["troubles"], json!([]));
        status["malformed"].as_u64().unwrap()
    }

    /// What the journal holds of payloads that were no events.
    fn raw_malformed(&self) -> Vec<String> {
        let all = self.sealed.json_lines(&["events", "--raw", "--json", "--limit", "10000"]);
        all.iter().filter_map(|event| event["malformed"].as_str().map(str::to_owned)).collect()
    }
}

#[test]
fn payload_that_is_no_json_object_is_kept_as_malformed_and_harms_nobody() {
    let mut target = Target::new();
    let cases: [(&str, &[u8], &str); 9] = [
        ("nothing", b"", ""),
        ("half a payload", br#"{"hook_event_name":"Stop","session"#, r#"{"hook_event_name""#),
        ("invalid UTF-8", b"{\"session_id\":\"\xff\xfe\xc3\"}", "{\"session_id\":\"\u{fffd}"),
        ("NUL bytes", b"{\"session_id\":\"a\0b\"}\0\0", "{\"session_id\":\"a\0b\"}\0\0"),
        ("an array", br#"[{"hook_event_name":"Stop"}]"#, "[{"),
        ("a number", b"7", "7"),
        ("a string", br#""SessionStart""#, r#""SessionStart""#),
        ("two payloads", br#"{"a":1}{"b":2}"#, r#"{"a":1}{"b":2}"#),
        ("a line break in a string", b"{\"a\":\"\n\"}", "{\"a\":\"\n\"}"),
    ];
    for (count, (what, payload, kept)) in (1..).zip(cases) {
        target.throw(what, payload);
        assert_eq!(target.malformed(), count, "{what}");
        let raw = target.raw_malformed();
        assert!(raw.last().is_some_and(|text| text.starts_with(kept)), "{what}: {raw:?}");
        assert_eq!(raw.len() as u64, count, "{what}");
    }
    assert_eq!(target.sealed.sessions().len(), 1, "only the good one");
}

#[test]
fn hook_with_standard_input_closed_is_silent() {
    let mut target = Target::new();
    let shell = |target: &Target, script: &str| -> Output {
        let mut command: Command = target.sealed.command("/bin/sh");
        command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_atm")]).output().unwrap()
    };
    assert_silent(&shell(&target, r#"exec "$1" hook <&-"#), "no standard input");
    target.assert_well("no standard input");
    assert_silent(&shell(&target, r#"exec "$1" hook <&- >&- 2>&-"#), "no descriptors at all");
    target.assert_well("no descriptors at all");
    assert_silent(&shell(&target, r#"exec "$1" hook </"#), "a directory");
    target.assert_well("a directory");
    assert_eq!(target.malformed(), 3);
}

#[test]
fn payload_of_a_hundred_megabytes_is_taken_to_its_end_and_kept_small() {
    const SIZE: usize = 100_000_000;
    let mut target = Target::new();
    target.throw("a flood", &vec![b'x'; SIZE]);
    assert_eq!(target.malformed(), 1);
    let mut payload = br#"{"hook_event_name":"Stop","session_id":"bad-session","x":""#.to_vec();
    payload.resize(SIZE - 2, b'y');
    payload.extend(b"\"}");
    target.throw("a giant string", &payload);
    let records = records(target.sealed.state());
    for of_flood in &records[1..] {
        assert!(of_flood.1 < 300 * 1024, "{} bytes in the journal", of_flood.1);
    }
    let floods: Vec<&Value> =
        records.iter().map(|(record, _)| record).filter(|r| r["bytes"] == SIZE).collect();
    assert_eq!(floods.len(), 2);
}

/// The records of the journal with their lengths.
fn records(state: &Path) -> Vec<(Value, usize)> {
    let journal = std::fs::read_to_string(state.join("journal/current.jsonl")).unwrap();
    let lines = journal.lines().filter(|line| !line.is_empty());
    lines.map(|line| (serde_json::from_str(line).unwrap(), line.len())).collect()
}

#[test]
fn giant_response_loses_nothing_that_comes_after_it() {
    let target = Target::new();
    let (sealed, pid) = (&target.sealed, target.bad);
    let prompt = json!({"prompt_id": "p1", "prompt": "go"});
    sealed.hook(pid, "UserPromptSubmit", "big-session", prompt);
    let call = json!({"prompt_id": "p1", "tool_name": "Write", "tool_use_id": "toolu_1",
        "tool_input": {"file_path": "/tmp/big"}});
    sealed.hook(pid, "PreToolUse", "big-session", call.clone());
    sealed.hook(pid, "PermissionRequest", "big-session", without(&call, "tool_use_id"));
    assert_eq!(sealed.session_of(pid).unwrap()["reason"], "Permission: Write");
    // Serialized by hand: the id must come last.
    let (content, response) = ("xy\\n".repeat(1_000_000), "a\\nb\u{e9}\\\"".repeat(2_500_000));
    let payload = format!(
        r#"{{"hook_event_name":"PostToolUse","session_id":"big-session","cwd":"/tmp","prompt_id":"p1",
        "tool_name":"Write","tool_input":{{"file_path":"/tmp/big","content":"{content}"}},
        "tool_response":{{"content":["",{{"deep":"{response}"}}]}},"tool_use_id":"toolu_1"}}"#
    );
    assert!(payload.len() > 20_000_000);
    assert_silent(&sealed.hook_raw(Some(pid), payload.as_bytes()), "a giant response");
    let session = sealed.session_of(pid).unwrap();
    assert_eq!((&session["status"], &session["detail"]), (&json!("working"), &json!("Thinking")));
    let (record, length) = records(sealed.state()).pop().unwrap();
    assert_eq!(record["bytes"], payload.len());
    assert_eq!(record["payload"]["tool_use_id"], "toolu_1");
    assert!(length < 300 * 1024, "{length}");
}

fn without(value: &Value, field: &str) -> Value {
    let mut value = value.clone();
    value.as_object_mut().unwrap().remove(field);
    value
}

#[test]
fn nesting_of_ten_thousand_levels_costs_only_what_is_nested() {
    let mut target = Target::new();
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let (deep, end) = (open.repeat(10_000), close.repeat(10_000));
        let payload = format!(
            r#"{{"hook_event_name":"UserPromptSubmit","tool_input":{deep}1{end},"prompt":"{open_}",
            "session_id":"deep-session"}}"#,
            open_ = open.len()
        );
        target.throw("nesting", payload.as_bytes());
        let session = target.sealed.session_of(target.bad).unwrap();
        assert_eq!(session["last_prompt"], open.len().to_string());
        target.throw("open ends", deep.as_bytes());
    }
    assert_eq!(target.malformed(), 3, "those without an end");
}

#[test]
fn session_id_of_any_shape_is_data() {
    let mut target = Target::new();
    let long = "0123456789".repeat(1000);
    let ids =
        ["../../../../etc/passwd", "a/b\\c", "$(touch x)`id`", "%0", "--help", "日本語 🦀", &long];
    for id in ids {
        let pid = target.sealed.client();
        target.sealed.hook(pid, "UserPromptSubmit", id, json!({"prompt": "p"}));
        target.assert_well(id);
        let shown = target.sealed.session_of(pid).unwrap()["id"].as_str().unwrap().to_owned();
        if id.len() < 200 {
            assert_eq!(shown, id);
        } else {
            assert!(shown.chars().count() <= 200, "{shown}");
        }
        if !id.starts_with('-') {
            assert_eq!(target.sealed.json(&["show", "--json", &shown])["session"]["pid"], pid);
        }
    }
    let listed = target.sealed.sessions().len();
    for id in [json!(""), json!(7), json!(null), json!(["x"]), json!("\u{1b}\u{7f}\u{9b}")] {
        let pid = target.sealed.client();
        let payload =
            json!({"hook_event_name": "UserPromptSubmit", "session_id": id, "prompt": "p"});
        let output = target.sealed.hook_raw(Some(pid), payload.to_string().as_bytes());
        assert_silent(&output, &id.to_string());
        target.assert_well(&id.to_string());
        assert_eq!(target.sealed.sessions().len(), listed, "no session without an id: {id}");
    }
    assert_eq!(target.malformed(), 0);
}

#[test]
fn duplicate_keys_count_by_the_last() {
    let mut target = Target::new();
    let payload =
        br#"{"hook_event_name":"Stop","session_id":"one","prompt":"first","session_id":"two",
        "prompt":"second","hook_event_name":"UserPromptSubmit"}"#;
    target.throw("duplicate keys", payload);
    let session = target.sealed.session_of(target.bad).unwrap();
    assert_eq!((&session["id"], &session["last_prompt"]), (&json!("two"), &json!("second")));
}

#[test]
fn event_without_a_name_or_with_a_new_one_is_kept_and_changes_nothing() {
    let mut target = Target::new();
    let (sealed, pid) = (&target.sealed, target.bad);
    sealed.hook(pid, "UserPromptSubmit", "s-1", json!({"prompt": "go"}));
    let before = sealed.session_of(pid).unwrap();
    for name in [json!(null), json!(7), json!(""), json!("BrandNew"), json!("stop"), json!({})] {
        let payload = json!({"hook_event_name": name, "session_id": "s-1", "shiny": [1, 2]});
        target.throw(&name.to_string(), payload.to_string().as_bytes());
    }
    target.throw("nothing but an object", b"{}");
    let after = target.sealed.session_of(target.bad).unwrap();
    for field in ["status", "detail", "since", "id", "unseen"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    let raw = target.sealed.json_lines(&["events", "--raw", "--json", "--limit", "10000"]);
    assert!(raw.iter().any(|e| e["event"] == "BrandNew" && e["payload"]["shiny"][1] == 2));
    assert_eq!(target.malformed(), 0);
}

#[test]
fn every_event_with_only_the_common_fields_is_borne() {
    let mut target = Target::new();
    for event in EVENTS {
        let payload = json!({"hook_event_name": event, "session_id": "bad-session", "cwd": "/tmp",
            "transcript_path": "/nonexistent/t.jsonl", "permission_mode": "default"});
        target.throw(event, payload.to_string().as_bytes());
    }
    assert_eq!(target.malformed(), 0);
    let known = target.sealed.json_lines(&["events", "--json", "--limit", "1000"]);
    for event in EVENTS {
        assert!(known.iter().any(|e| e["event"] == event && e["session"] == "bad-session"));
    }
}

#[test]
fn every_event_with_every_field_of_a_wrong_type_is_borne() {
    let mut target = Target::new();
    let wrong = [json!(-7.5e300), json!({"a": [null]}), json!([{"id": 1}, "x", [[]]]), json!(true)];
    for (event, value) in EVENTS.iter().zip(wrong.iter().cycle()) {
        let mut payload = json!({"hook_event_name": event});
        for field in FIELDS {
            payload[field] = value.clone();
        }
        target.throw(&format!("{event}: {value}"), payload.to_string().as_bytes());
        // With an id there is a session for all of it to be wrong about.
        let payload = with(payload, json!({"session_id": format!("bad-{event}")}));
        let pid = target.sealed.client();
        let output = target.sealed.hook_raw(Some(pid), payload.to_string().as_bytes());
        assert_silent(&output, event);
        target.assert_well(event);
        target.sealed.kill_client(pid);
    }
    assert_eq!(target.malformed(), 0);
}

/// Text that would move the cursor, set the title, ring, recolour, run a command in tmux; `word`
/// says whether it was shown at all.
fn evil(word: &str) -> String {
    format!("{word}\u{1b}]0;t\u{7}\u{1b}[31m\u{9b}2J\u{7f}\u{8}\r\n\t\u{90}\u{0}#(id)#{{pane_id}}")
}

fn assert_harmless(text: &str, what: &str) {
    let bad = text.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(bad, None, "{what}: {text:?}");
}

/// Sessions in every state, with evil text in every field of it. Returns the words of all.
fn act_evil(sealed: &mut Sealed) -> Vec<&'static str> {
    let ask = sealed.client();
    let base = json!({"session_id": evil("w-session"), "cwd": evil("/w-cwd"),
        "transcript_path": evil("/w-transcript"), "permission_mode": evil("w-permission")});
    let say = |pid: u32, event: &str, more: Value| {
        let payload = with(with(base.clone(), json!({"hook_event_name": event})), more);
        let env = [
            ("CLAUDE_SESSION_ID", "w-managed\u{1b}[31m\u{9b}".to_owned()),
            ("CLAUDE_SESSION_ROLE", "w-role\u{1b}[31m\u{9b}".to_owned()),
            ("CLAUDE_SESSION_MODE", "w-mode\u{1b}[31m\u{9b}".to_owned()),
        ];
        sealed.hook_from(pid, &env, &payload);
    };
    let start =
        json!({"source": "startup", "model": evil("w-model"), "session_title": evil("w-title")});
    say(ask, "SessionStart", start);
    say(ask, "UserPromptSubmit", json!({"prompt": evil("w-prompt")}));
    say(ask, "SubagentStart", json!({"agent_id": evil("w-agent"), "agent_type": evil("w-type")}));
    let tool = json!({"tool_name": evil("w-tool"), "tool_input": {"command": evil("w-command")}});
    say(ask, "PermissionRequest", tool);
    say(ask, "Notification", json!({"notification_type": "x", "message": evil("w-notice")}));
    say(ask, &evil("w-event"), json!({}));
    let (question, ended) = (sealed.client(), sealed.client());
    let elicit = json!({"mcp_server_name": evil("w-server"), "message": evil("w-message"),
        "session_id": "w-elicit"});
    let say_to = |pid: u32, event: &str, id: &str, more: Value| {
        sealed.hook(pid, event, id, more);
    };
    say_to(question, "Elicitation", "w-elicit", elicit);
    say_to(ended, "SessionEnd", "w-ended", json!({"reason": evil("w-reason")}));
    let (failed, tasks) = (sealed.client(), sealed.client());
    sealed.hook(failed, "StopFailure", "w-failed", json!({"error": evil("w-error")}));
    let task = json!({"id": evil("w-taskid"), "type": evil("w-kind"), "status": "running",
        "description": evil("w-task")});
    sealed.hook(tasks, "Stop", "w-tasks", json!({"background_tasks": [task]}));
    let (file, broken) = (sealed.client(), sealed.client());
    let content = json!({"status": "waiting", "waitingFor": evil("w-waits"), "name": evil("w-name"),
        "cwd": evil("/w-filecwd"), "kind": evil("w-filekind")});
    sealed.write_session(file, "w-file", content);
    sealed.wait("the file", |sealed| sealed.session_of(file));
    sealed.hook_raw(Some(broken), evil("w-malformed").as_bytes());
    vec![
        "w-session",
        "/w-cwd",
        "/w-transcript",
        "w-permission",
        "w-managed",
        "w-role",
        "w-mode",
        "w-model",
        "w-title",
        "w-prompt",
        "w-agent",
        "w-type",
        "w-tool",
        "w-command",
        "w-notice",
        "w-event",
        "w-server",
        "w-message",
        "w-reason",
        "w-error",
        "w-task",
        "w-kind",
        "w-waits",
        "w-name",
        "/w-filecwd",
        "w-malformed",
    ]
}

#[test]
fn escape_sequences_of_any_field_reach_no_terminal() {
    let mut sealed = Sealed::new();
    let watch = sealed.stream(&["watch"]);
    let words = act_evil(&mut sealed);
    let mut seen = String::new();
    let all = sealed.json(&["list", "--all", "--json"]);
    let keys: Vec<String> = all["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| session["key"].as_str().unwrap().to_owned())
        .collect();
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["list"],
        vec!["list", "--all"],
        vec!["events"],
        vec!["events", "--raw"],
        vec!["status"],
        vec!["status", "--format", "tmux"],
        vec!["daemon", "status"],
    ];
    for key in &keys {
        commands.push(vec!["show", key]);
        commands.push(vec!["explain", key]);
    }
    for command in &commands {
        let text = sealed.ok(command);
        assert_harmless(&text, &format!("{command:?}"));
        seen += &text;
    }
    for word in words {
        assert!(seen.contains(word), "{word} is shown nowhere");
    }
    let watched = watch.until(|line| line.contains("-waits"));
    watched.iter().for_each(|line| assert_harmless(line, "watch"));
    let tmux = sealed.ok(&["status", "--format", "tmux"]).replace("##", "");
    assert!(!tmux.contains("#(") && !tmux.contains("#{"), "{tmux}");
    let (_, error) = sealed.fails(&["show", "no\u{1b}[31m\u{9b}such"]);
    assert_harmless(&error, "an error");
}

#[test]
fn escape_sequences_of_any_field_are_escaped_in_json() {
    let mut sealed = Sealed::new();
    let watch = sealed.stream(&["watch", "--json"]);
    act_evil(&mut sealed);
    let watched = watch.until(|line| line.contains("-waits"));
    let mut texts = vec![("watch".to_owned(), watched.join("\n"))];
    let all = sealed.json(&["list", "--all", "--json"]);
    let sessions = all["sessions"].as_array().unwrap();
    let keys: Vec<&str> = sessions.iter().map(|s| s["key"].as_str().unwrap()).collect();
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["list", "--json"],
        vec!["list", "--all", "--json"],
        vec!["events", "--json"],
        vec!["events", "--raw", "--json"],
        vec!["status", "--json"],
        vec!["daemon", "status", "--json"],
    ];
    for key in &keys {
        commands.push(vec!["show", "--json", key]);
        commands.push(vec!["explain", "--json", key]);
    }
    for command in &commands {
        texts.push((format!("{command:?}"), sealed.ok(command)));
    }
    for (what, text) in &texts {
        assert_harmless(text, what);
        for line in text.lines() {
            let parsed: Result<Value, _> = serde_json::from_str(line);
            assert_eq!(parsed.unwrap_or_else(|e| panic!("{what}: {e}: {line}"))["schema"], 1);
        }
    }
    // Nothing is lost either: the payload is as it was sent.
    let events = sealed.json_lines(&["events", "--json"]);
    assert!(events.iter().any(|event| event["payload"]["prompt"] == evil("w-prompt")));
}
