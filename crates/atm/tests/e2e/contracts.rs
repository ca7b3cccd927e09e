//! What scripts and other programs rely on: exit codes, JSON, how a session is named.

use std::fs;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::sealed::Sealed;
use crate::stage::{signal, with};

const ID: &str = "23e30f82-5d1c-4c64-9c3b-0d8f7a61e001";
const OTHER: &str = "23e30f82-ffff-4c64-9c3b-0d8f7a61e002";

/// A session that has done a bit of everything, in a real pane.
fn rich(sealed: &mut Sealed) -> u32 {
    let pane = sealed.new_pane("main");
    let env = with_managed(pane.env());
    let say = |event: &str, more: Value| {
        let payload = json!({"hook_event_name": event, "session_id": ID, "prompt_id": "p1",
            "permission_mode": "default", "transcript_path": "/nonexistent/t.jsonl"});
        sealed.hook_from(pane.pid, &env, &with(payload, more));
    };
    let start = json!({"source": "startup", "model": "claude-x", "session_title": "fix login"});
    say("SessionStart", start);
    say("UserPromptSubmit", json!({"prompt": "go"}));
    let task = json!({"id": "b1", "type": "shell", "status": "running", "description": "make"});
    say("Stop", json!({"background_tasks": [task]}));
    say("UserPromptSubmit", json!({"prompt": "more", "prompt_id": "p2"}));
    say("SubagentStart", json!({"prompt_id": "p2", "agent_id": "a1", "agent_type": "Explore"}));
    let grep = json!({"prompt_id": "p2", "agent_id": "a1", "agent_type": "Explore",
        "tool_name": "Grep", "tool_use_id": "t1", "tool_input": {"pattern": "x"}});
    say("PreToolUse", grep);
    let ask = json!({"prompt_id": "p2", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    say("PermissionRequest", ask);
    let tmux = json!({"tmux": format!("main:{}.{}", pane.window, pane.id), "name": "web api"});
    sealed.write_session(pane.pid, ID, with(tmux, json!({"status": "waiting"})));
    sealed.wait_for(pane.pid, "name", &json!("web api"));
    sealed.wait_for(pane.pid, "window", &json!(pane.window));
    pane.pid
}

fn with_managed(mut env: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    env.push(("CLAUDE_SESSION_ID", "job-17".to_owned()));
    env
}

/// A time as the contract writes it: `2026-11-15T19:06:00.123Z`.
fn is_time(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00.000Z"
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// Every field of the documented example with its type.
fn assert_session(session: &Value) {
    type Test = fn(&Value) -> bool;
    let text: Test = |v| v.is_string();
    let text_or_none: Test = |v| v.is_string() || v.is_null();
    let number_or_none: Test = |v| v.is_number() || v.is_null();
    let truth: Test = Value::is_boolean;
    let fields: [(&str, Test); 30] = [
        ("id", text),
        ("agent", text),
        ("host", text),
        ("pid", number_or_none),
        ("pane", text_or_none),
        ("window", text_or_none),
        ("tmux", |v| v.is_null() || v["socket"].is_string() && v.get("session").is_some()),
        ("cwd", text_or_none),
        ("session_dir", text_or_none),
        ("name", text_or_none),
        ("title", text_or_none),
        ("status", |v| ["idle", "working", "attention"].map(Value::from).contains(v)),
        ("why", text_or_none),
        ("detail", text_or_none),
        ("reason", text_or_none),
        ("unseen", truth),
        ("since", is_time),
        ("last_activity", is_time),
        ("stale", truth),
        ("ended", |v| v.is_null() || is_time(&v["at"]) && v["reason"].is_string()),
        ("source", |v| {
            ["hook", "session-file", "transcript", "process"].map(Value::from).contains(v)
        }),
        ("mode", text),
        ("role", text_or_none),
        ("permission_mode", text_or_none),
        ("model", text_or_none),
        ("context_percent", number_or_none),
        ("cost_usd", number_or_none),
        ("background", |v| {
            let is_task =
                |t: &Value| ["id", "type", "description"].iter().all(|f| t[f].is_string());
            v.as_array().is_some_and(|all| all.iter().all(is_task))
        }),
        ("children", |v| {
            let is_child = |c: &Value| {
                ["agent_id", "agent_type", "status"].iter().all(|f| c[f].is_string())
                    && c.get("detail").is_some()
                    && is_time(&c["since"])
            };
            v.as_array().is_some_and(|all| all.iter().all(is_child))
        }),
        ("key", text),
    ];
    for (field, is_right) in fields {
        let value = session.get(field).unwrap_or_else(|| panic!("no {field}: {session}"));
        assert!(is_right(value), "{field}: {value}");
    }
}

#[test]
fn list_json_has_every_documented_field() {
    let mut sealed = Sealed::new();
    let pid = rich(&mut sealed);
    let plain = sealed.client();
    sealed.write_session(plain, "plain-1", json!({}));
    sealed.wait_for(plain, "id", &json!("plain-1"));
    let ended = sealed.client();
    sealed.hook(ended, "SessionEnd", "ended-1", json!({"reason": "logout"}));
    let list = sealed.json(&["list", "--json"]);
    assert_eq!(keys(&list), ["schema", "sessions"]);
    assert_eq!((&list["schema"], list["sessions"].as_array().unwrap().len()), (&json!(1), 2));
    let all = sealed.json(&["list", "--all", "--json"]);
    let sessions = all["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3);
    sessions.iter().for_each(assert_session);
    // Who needs the user comes first, who is gone last.
    assert_eq!((&sessions[0]["id"], &sessions[2]["id"]), (&json!(ID), &json!("ended-1")));
    assert_eq!(sessions[2]["ended"]["reason"], "logout");
    let rich = &sessions[0];
    let expected = json!({"id": ID, "agent": "claude", "pid": pid, "pane": "%0", "window": "@0",
        "cwd": "/tmp", "session_dir": "/tmp", "name": "web api", "title": "fix login",
        "status": "attention", "why": null, "detail": null, "reason": "Permission: Bash",
        "unseen": true, "stale": false, "ended": null, "mode": "interactive", "role": null,
        "permission_mode": "default", "model": "claude-x",
        "background": [{"id": "b1", "type": "shell", "description": "make"}]});
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(rich[field], *value, "{field}");
    }
    assert_eq!(rich["tmux"]["session"], "main");
    assert!(rich["tmux"]["socket"].as_str().unwrap().ends_with("/e2e"));
    let child = &rich["children"][0];
    assert_eq!((&child["agent_id"], &child["agent_type"]), (&json!("a1"), &json!("Explore")));
    assert_eq!((&child["status"], &child["detail"]), (&json!("working"), &json!("Grep")));
}

#[test]
fn show_explain_and_status_json_have_their_shapes() {
    let mut sealed = Sealed::new();
    rich(&mut sealed);
    let show = sealed.json(&["show", ID, "--json"]);
    assert_eq!(show["schema"], 1);
    assert_session(&show["session"]);
    let explain = sealed.json(&["explain", ID, "--json"]);
    assert_eq!(explain["schema"], 1);
    assert_session(&explain["session"]);
    assert!(explain["because"].as_str().is_some_and(|words| words.contains("Permission: Bash")));
    for fact in explain["facts"].as_array().unwrap() {
        assert!(fact["what"].is_string() && fact["source"].is_string() && is_time(&fact["at"]));
    }
    let steps = explain["history"].as_array().unwrap();
    assert!(steps.len() >= 3, "{steps:?}");
    for step in steps {
        let texts = ["from", "to", "cause", "source"];
        assert!(texts.iter().all(|field| step[field].is_string()) && is_time(&step["at"]));
    }
    let last = steps.last().unwrap();
    assert_eq!(
        (&last["to"], &last["cause"]),
        (&json!("attention: Permission: Bash"), &json!("PermissionRequest"))
    );
    let status = sealed.json(&["status", "--format", "json"]);
    assert_eq!(
        (&status["schema"], &status["attention"], &status["total"]),
        (&json!(1), &json!(1), &json!(1))
    );
    assert_eq!(
        status,
        with(
            sealed.json(&["status", "--json"]),
            json!({"longest_wait_ms": status["longest_wait_ms"]})
        )
    );
    assert_eq!(sealed.ok(&["status"]).lines().count(), 1);
    assert_eq!(sealed.ok(&["status", "--format", "tmux"]).lines().count(), 1);
}

#[test]
fn events_json_is_one_event_a_line_in_order() {
    let mut sealed = Sealed::new();
    let pid = rich(&mut sealed);
    let raw = sealed.json_lines(&["events", "--raw", "--json"]);
    let events = sealed.json_lines(&["events", "--json"]);
    assert_eq!(events, raw, "the daemon and the journal agree");
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "SessionStart",
            "UserPromptSubmit",
            "Stop",
            "UserPromptSubmit",
            "SubagentStart",
            "PreToolUse",
            "PermissionRequest"
        ]
    );
    for event in &events {
        assert_eq!((&event["schema"], &event["session"]), (&json!(1), &json!(ID)));
        assert_eq!((&event["pid"], &event["pane"]), (&json!(pid), &json!("%0")));
        assert!(is_time(&event["ts"]) && event["payload"]["session_id"] == ID);
    }
    let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(seqs.is_sorted_by(|a, b| a < b), "{seqs:?}");
    let two = sealed.json_lines(&["events", ID, "--json", "--limit", "2"]);
    assert_eq!(two, events[5..], "the newest, oldest first");
}

#[test]
fn events_follow_prints_what_comes_and_only_of_the_session_meant() {
    let mut sealed = Sealed::new();
    let (one, two) = (sealed.client(), sealed.client());
    sealed.hook(one, "SessionStart", ID, json!({"source": "startup"}));
    sealed.hook(two, "SessionStart", "other-session", json!({"source": "startup"}));
    let follow = sealed.stream(&["events", ID, "--follow", "--json"]);
    assert_eq!(follow.json()["event"], "SessionStart");
    for count in 0..5 {
        sealed.hook(two, "UserPromptSubmit", "other-session", json!({"prompt": "x"}));
        sealed.hook(one, "UserPromptSubmit", ID, json!({"prompt": count.to_string()}));
        let event = follow.json();
        let (session, prompt) = (&event["session"], &event["payload"]["prompt"]);
        assert_eq!((session, prompt), (&json!(ID), &json!(count.to_string())));
    }
}

#[test]
fn watch_json_is_a_snapshot_then_changes_then_the_end() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", ID, json!({"source": "startup"}));
    let watch = sealed.stream(&["watch", "--json"]);
    let snapshot = watch.json();
    assert_eq!((&snapshot["schema"], &snapshot["type"]), (&json!(1), &json!("snapshot")));
    assert_eq!(snapshot["sessions"][0]["id"], ID);
    assert_session(&snapshot["sessions"][0]);
    sealed.hook(pid, "UserPromptSubmit", ID, json!({"prompt": "go"}));
    let changed = watch.json();
    assert_eq!((&changed["schema"], &changed["type"]), (&json!(1), &json!("changed")));
    assert_session(&changed["session"]);
    assert_eq!(changed["session"]["status"], "working");
    sealed.hook(pid, "SessionEnd", ID, json!({"reason": "logout"}));
    let end = watch.until(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        match line["type"].as_str() {
            Some("removed") => line["id"] == ID,
            _ => line["session"]["ended"]["reason"] == "logout",
        }
    });
    assert!(end.len() <= 2, "{end:?}");
}

#[test]
fn session_is_found_by_id_prefix_managed_id_name_and_pane() {
    let mut sealed = Sealed::new();
    let pid = rich(&mut sealed);
    let twin = sealed.client();
    sealed.hook(twin, "SessionStart", OTHER, json!({"source": "startup"}));
    for who in [ID, "23e30f82-5", "job-17", "web api", "%0"] {
        let show = sealed.json(&["show", "--json", who]);
        assert_eq!(show["session"]["pid"], pid, "{who}");
    }
    let commands: [&[&str]; 5] = [
        &["show"],
        &["explain"],
        &["events"],
        &["dismiss"],
        &["wait", "--timeout", "100ms", "--until", "idle"],
    ];
    for command in commands {
        for who in ["nobody-knows", "23e", "%99", "e30f82-5", ""] {
            let (code, error) = sealed.fails(&[command, &[who]].concat());
            assert_eq!(code, 4, "{command:?} {who}: {error}");
            assert!(error.starts_with("error: "), "{command:?} {who}: {error}");
        }
        let (code, error) = sealed.fails(&[command, &["23e30f82"]].concat());
        assert!(code == 1, "{command:?}: {code}");
        assert!(error.contains("23e30f82"), "{error}");
    }
    let (_, error) = sealed.fails(&["show", "23e30f82-"]);
    assert!(error.contains(ID) && error.contains(OTHER), "candidates: {error}");
}

#[test]
fn session_cleared_is_one_session_under_both_ids() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let (old, new) = ("aaaa1111-0000", "bbbb2222-0000");
    sealed.hook(pid, "SessionStart", old, json!({"source": "startup"}));
    sealed.hook(pid, "UserPromptSubmit", old, json!({"prompt": "go", "prompt_id": "p1"}));
    sealed.hook(pid, "Stop", old, json!({"prompt_id": "p1"}));
    sealed.hook(pid, "SessionEnd", old, json!({"reason": "clear"}));
    assert_eq!(sealed.sessions().len(), 1, "it goes on");
    sealed.hook(pid, "SessionStart", new, json!({"source": "clear"}));
    let all = sealed.json(&["list", "--all", "--json"]);
    assert_eq!(all["sessions"].as_array().unwrap().len(), 1);
    let session = &all["sessions"][0];
    assert_eq!((&session["id"], &session["ended"]), (&json!(new), &json!(null)));
    assert_eq!((&session["status"], &session["why"]), (&json!("idle"), &json!("fresh")));
    for who in [new, "bbbb", old, "aaaa"] {
        assert_eq!(sealed.json(&["show", "--json", who])["session"]["id"], new, "{who}");
    }
    let events = sealed.json_lines(&["events", "aaaa", "--json"]);
    assert_eq!(events.len(), 5, "one history");
}

#[test]
fn wait_ends_when_the_state_is_reached_and_not_before() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "UserPromptSubmit", ID, json!({"prompt": "go", "prompt_id": "p1"}));
    sealed.ok(&["wait", ID, "--until", "working"]);
    let (code, error) = sealed.fails(&["wait", ID, "--until", "idle", "--timeout", "50ms"]);
    assert_eq!(code, 6, "{error}");
    let idle = sealed.stream(&["wait", "23e3", "--until", "idle", "--timeout", "60s", "--json"]);
    let ended = sealed.stream(&["wait", ID, "--until", "ended"]);
    let attention = sealed.stream(&["wait", ID, "--until", "attention", "--timeout", "1h"]);
    sealed.wait("all three waiting", |sealed| {
        let status = sealed.json(&["daemon", "status", "--json"]);
        (status["subscribers"] == 3).then_some(())
    });
    sealed.hook(pid, "Stop", ID, json!({"prompt_id": "p1"}));
    let reached = idle.json();
    assert_eq!((&reached["schema"], &reached["reached"]), (&json!(1), &json!("idle")));
    assert_eq!(reached["session"]["id"], ID);
    assert_eq!(idle.end(), Some(0));
    sealed.hook(pid, "SessionEnd", ID, json!({"reason": "logout"}));
    assert_eq!(ended.end(), Some(0));
    assert_eq!(attention.end(), Some(4), "it can never come to that now");
    assert_eq!(sealed.fails(&["wait", ID, "--until", "ended"]).0, 0);
}

#[test]
fn usage_errors_exit_with_two() {
    let sealed = Sealed::new();
    let wrong: [&[&str]; 8] = [
        &["list", "--no-such-flag"],
        &["dance"],
        &["show"],
        &["wait", "x"],
        &["wait", "x", "--until", "later"],
        &["wait", "x", "--until", "idle", "--timeout", "soon"],
        &["status", "--format", "xml"],
        &["events", "--raw", "--follow"],
    ];
    for args in wrong {
        let output = sealed.atm(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{args:?}");
    }
    assert!(!sealed.state().exists(), "nothing was started for it");
}

#[test]
fn state_directory_that_cannot_be_used_is_named_with_a_hint() {
    let places: [fn(&std::path::Path); 2] = [
        |path| fs::write(path, "a file").unwrap(),
        |path| std::os::unix::fs::symlink("/nonexistent", path).unwrap(),
    ];
    for spoil in places {
        let sealed = Sealed::new();
        spoil(sealed.state());
        for args in [&["list"][..], &["show", "abcd"], &["watch"], &["daemon"]] {
            let (code, error) = sealed.fails(args);
            assert!(matches!(code, 1 | 3), "{args:?}: {code}");
            let names_it = error.contains(sealed.state().to_str().unwrap());
            assert!(error.contains("hint: ") && names_it, "{args:?}: {error}");
        }
        // The hook never hurts the agent, not even here.
        let output = sealed.hook_raw(None, b"{\"hook_event_name\":\"Stop\",\"session_id\":\"s\"}");
        assert_eq!(
            (output.status.code(), output.stdout.len(), output.stderr.len()),
            (Some(0), 0, 0)
        );
    }
}

#[test]
fn journal_is_read_without_a_daemon_and_nothing_is_started() {
    let mut sealed = Sealed::new();
    assert_eq!(sealed.ok(&["events", "--raw", "--json"]), "");
    let not_running = |sealed: &Sealed| {
        let output = sealed.atm(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&status["schema"], &status["running"]), (&json!(1), &json!(false)));
        assert_eq!(output.status.code(), Some(3));
        assert!(!sealed.state().join("atm.sock").exists());
    };
    not_running(&sealed);
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", ID, json!({"source": "startup"}));
    sealed.ok(&["list"]);
    let status = sealed.json(&["daemon", "status", "--json"]);
    assert_eq!((&status["schema"], &status["running"]), (&json!(1), &json!(true)));
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(status["socket"], sealed.state().join("atm.sock").to_str().unwrap());
    let comm = fs::read_to_string(format!("/proc/{}/comm", status["pid"])).unwrap();
    assert_eq!(comm, "atm\n");
    sealed.ok(&["daemon", "stop"]);
    not_running(&sealed);
    let events = sealed.json_lines(&["events", "--raw", "--json"]);
    assert_eq!((events.len(), &events[0]["session"]), (1, &json!(ID)));
    not_running(&sealed);
    sealed.ok(&["daemon", "stop"]);
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let mut sealed = Sealed::new();
    rich(&mut sealed);
    let output =
        sealed.command(env!("CARGO_BIN_EXE_atm")).arg("list").env("TERM", "xterm").output();
    assert!(!output.unwrap().stdout.contains(&0x1b), "a pipe");
    // `; exec cat` keeps the pane; the mark says that the list is through.
    let atm = env!("CARGO_BIN_EXE_atm");
    let mut capture = |env: &str| {
        let script = format!("{env} {atm} list; echo through; exec cat");
        let args = ["new-window", "-P", "-F", "#{pane_id}", &script];
        let pane = sealed.tmux(&args);
        let limit = std::time::Instant::now() + crate::sealed::LIMIT;
        loop {
            let text = sealed.tmux(&["capture-pane", "-p", "-e", "-t", &pane]);
            if text.lines().any(|line| line.ends_with("through")) {
                return text;
            }
            assert!(std::time::Instant::now() < limit, "{text}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    let (plain, colour) = (capture("env NO_COLOR=1"), capture("env"));
    assert!(plain.contains("attention") && !plain.contains('\u{1b}'), "{plain:?}");
    assert!(colour.contains("attention") && colour.contains("\u{1b}["), "{colour:?}");
}

#[test]
fn output_that_nobody_reads_is_no_error() {
    let mut sealed = Sealed::new();
    rich(&mut sealed);
    let commands: [&[&str]; 8] = [
        &["list"],
        &["list", "--json"],
        &["show", ID],
        &["explain", ID],
        &["events"],
        &["events", "--raw"],
        &["watch"],
        &["--help"],
    ];
    for args in commands {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
        command.args(args).stdout(writer).stderr(Stdio::piped());
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), error.as_ref()), (Some(0), ""), "{args:?}");
    }
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
    let output = command.arg("list").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "a full disk is an error");
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: "));
}

#[test]
fn help_version_manual_and_completions_are_there() {
    let sealed = Sealed::new();
    let version = sealed.ok(&["--version"]);
    assert_eq!(version.trim(), format!("atm {}", env!("CARGO_PKG_VERSION")));
    let help = sealed.ok(&["--help"]);
    let commands = [
        "list",
        "show",
        "explain",
        "events",
        "watch",
        "wait",
        "status",
        "dismiss",
        "daemon",
        "hook",
        "statusline",
    ];
    for command in commands {
        assert!(help.contains(&format!("  {command}")), "{command}");
        let own = sealed.ok(&[command, "--help"]);
        assert!(own.contains("Usage: atm"), "{command}: {own}");
    }
    for command in [&["daemon", "stop", "--help"][..], &["daemon", "status", "--help"]] {
        assert!(sealed.ok(command).contains("Usage: atm daemon"));
    }
    let dir = sealed.path().join("generated");
    let dir = dir.to_str().unwrap();
    sealed.ok(&["generate", "man", dir]);
    sealed.ok(&["generate", "completions", dir]);
    let read = |name: &str| fs::read_to_string(format!("{dir}/{name}")).unwrap();
    assert!(read("atm.1").contains(".TH atm"));
    for command in commands {
        assert!(read(&format!("atm-{command}.1")).contains(".TH"), "{command}");
    }
    for name in ["atm.bash", "_atm", "atm.fish"] {
        assert!(read(name).contains("dismiss"), "{name}");
    }
    assert!(!sealed.state().exists(), "nothing was started for it");
}

#[test]
fn interrupted_watch_leaves_the_daemon_alone() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let watch = sealed.stream(&["watch", "--json"]);
    assert_eq!(watch.json()["type"], "snapshot");
    signal(watch.pid(), Signal::INT);
    watch.end();
    sealed.wait("no subscriber", |sealed| {
        let status = sealed.json(&["daemon", "status", "--json"]);
        (status["subscribers"] == 0).then_some(())
    });
    sealed.hook(pid, "SessionStart", ID, json!({"source": "startup"}));
    assert_eq!(sealed.sessions().len(), 1);
}
