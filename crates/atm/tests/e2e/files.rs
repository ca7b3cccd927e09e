//! What is known without hooks, or beside them: session files and transcripts.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use atm_core::stamp::Stamp;
use serde_json::{Value, json};

use crate::sealed::Sealed;
use crate::stage::{now, with};
use crate::wire::Daemon;

const ID: &str = "7c1e4b20-0001";

fn status(status: &str) -> Value {
    json!({"status": status, "updatedAt": now(), "statusUpdatedAt": now()})
}

#[test]
fn session_without_any_hook_is_in_the_first_answer() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.write_session(pid, ID, json!({"name": "web api", "cwd": "/srv/web"}));
    // The daemon starts for this question.
    let session = sealed.session_of(pid).expect("the session");
    assert_eq!((&session["id"], &session["name"]), (&json!(ID), &json!("web api")));
    assert_eq!((&session["status"], &session["cwd"]), (&json!("idle"), &json!("/srv/web")));
    assert_eq!((&session["source"], &session["hooks"]), (&json!("session-file"), &json!(false)));
    assert_eq!((&session["pane"], &session["mode"]), (&json!(null), &json!("interactive")));
}

#[test]
fn session_that_starts_while_the_daemon_runs_is_followed_through_its_states() {
    let mut sealed = Sealed::new();
    assert!(sealed.sessions().is_empty());
    let pid = sealed.client();
    // At first the client writes no status.
    let first = Sealed::session_json(pid, ID, json!({}));
    let mut first = first.as_object().unwrap().clone();
    for field in ["status", "updatedAt", "statusUpdatedAt"] {
        first.remove(field);
    }
    Sealed::write_session_in(&sealed.claude_dir(), pid, &Value::Object(first));
    assert_eq!(sealed.wait_for(pid, "id", &json!(ID))["status"], "idle");
    for _ in 0..2 {
        sealed.write_session(pid, ID, status("busy"));
        let working = sealed.wait_for(pid, "status", &json!("working"));
        assert_eq!(working["source"], "session-file");
        let waits = json!({"waitingFor": "permission prompt"});
        sealed.write_session(pid, ID, with(status("waiting"), waits));
        let attention = sealed.wait_for(pid, "status", &json!("attention"));
        assert_eq!(
            (&attention["reason"], &attention["unseen"]),
            (&json!("Permission prompt"), &json!(true))
        );
        sealed.write_session(pid, ID, status("idle"));
        let idle = sealed.wait_for(pid, "status", &json!("idle"));
        assert_eq!((&idle["why"], &idle["reason"]), (&json!("done"), &json!(null)));
    }
}

#[test]
fn session_that_removes_its_file_and_exits_has_ended() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.write_session(pid, ID, json!({}));
    sealed.wait_for(pid, "id", &json!(ID));
    fs::remove_file(sealed.claude_dir().join(format!("sessions/{pid}.json"))).unwrap();
    sealed.wait_for_files();
    assert!(sealed.session_of(pid).is_some(), "the process is there");
    sealed.kill_client(pid);
    sealed.wait("the end", |sealed| sealed.session_of(pid).is_none().then_some(()));
    assert_eq!(sealed.any_session_of(pid).unwrap()["ended"]["lost"], false);
}

#[test]
fn session_that_removes_its_file_and_exits_at_once_has_ended() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.write_session(pid, ID, json!({}));
    sealed.wait_for(pid, "id", &json!(ID));
    // The daemon learns of both in the same moment.
    let daemon = Daemon::of(&sealed);
    daemon.freeze();
    fs::remove_file(sealed.claude_dir().join(format!("sessions/{pid}.json"))).unwrap();
    sealed.kill_client(pid);
    daemon.thaw();
    sealed.wait("the end", |sealed| sealed.session_of(pid).is_none().then_some(()));
    assert_eq!(sealed.any_session_of(pid).unwrap()["ended"]["lost"], false);
}

#[test]
fn session_that_ended_while_no_daemon_ran_has_ended() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.write_session(pid, ID, json!({}));
    sealed.wait_for(pid, "id", &json!(ID));
    sealed.ok(&["daemon", "stop"]);
    fs::remove_file(sealed.claude_dir().join(format!("sessions/{pid}.json"))).unwrap();
    sealed.kill_client(pid);
    sealed.wait("the end", |sealed| sealed.session_of(pid).is_none().then_some(()));
    assert_eq!(sealed.any_session_of(pid).unwrap()["ended"]["lost"], false);
}

#[test]
fn session_that_says_goodbye_and_exits_at_once_is_never_shown_as_lost() {
    let mut sealed = Sealed::new();
    let (early, late) = (sealed.client(), sealed.client());
    for (pid, id) in [(early, "early-1"), (late, "late-1")] {
        sealed.hook(pid, "SessionStart", id, json!({"source": "startup"}));
    }
    let watch = sealed.stream(&["watch", "--json"]);
    assert_eq!(watch.json()["type"], "snapshot");
    // The daemon learns of the goodbyes and the exits in the same moment.
    let daemon = Daemon::of(&sealed);
    daemon.freeze();
    sealed.hook(early, "SessionEnd", "early-1", json!({"reason": "logout"}));
    sealed.kill_client(early);
    // A hook may outlive the client that started it.
    sealed.kill_client(late);
    sealed.hook(late, "SessionEnd", "late-1", json!({"reason": "logout"}));
    daemon.thaw();
    for _ in [early, late] {
        let told = watch.until(|line| line.contains("logout"));
        assert!(!told.iter().any(|line| line.contains(r#""lost":true"#)), "{told:?}");
    }
}

#[test]
fn process_killed_with_its_file_left_behind_is_lost_and_stays_so() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.write_session(pid, ID, status("busy"));
    sealed.wait_for(pid, "status", &json!("working"));
    sealed.kill_client(pid);
    sealed.wait("the loss", |sealed| sealed.session_of(pid).is_none().then_some(()));
    let ended = sealed.any_session_of(pid).unwrap();
    assert_eq!((&ended["ended"]["lost"], &ended["source"]), (&json!(true), &json!("process")));
    // The file of the dead is neither news nor a session.
    sealed.ok(&["daemon", "stop"]);
    sealed.wait_for_files();
    assert!(sealed.sessions().is_empty());
    assert_eq!(sealed.any_session_of(pid).unwrap()["ended"]["lost"], true);
}

/// None of these may be listed, whether the daemon meets them at its start or later.
#[test]
fn file_that_speaks_of_no_live_session_of_ours_is_passed_over() {
    let mut sealed = Sealed::new();
    let write_all = |sealed: &mut Sealed| {
        let dead = sealed.client();
        let of_dead = Sealed::session_json(dead, "dead-1", json!({}));
        sealed.kill_client(dead);
        Sealed::write_session_in(&sealed.claude_dir(), dead, &of_dead);
        let foreign = format!("linux:{}:pid:[1]", "0".repeat(32));
        let others = [
            ("reused-1", json!({"procStart": "1"})),
            ("foreign-1", json!({"pidDomain": foreign})),
            ("daemon-1", json!({"kind": "daemon"})),
            ("worker-1", json!({"kind": "daemon-worker"})),
            ("", json!({})),
            ("\u{1b}", json!({})),
        ];
        for (id, more) in others {
            let pid = sealed.client();
            sealed.write_session(pid, id, more);
        }
        let folder = sealed.claude_dir().join("sessions");
        let pid = sealed.client();
        let good = Sealed::session_json(pid, "misnamed-1", json!({})).to_string();
        for name in [format!("{pid}.tmp"), format!("{pid}.0f.key"), "x.json".into()] {
            fs::write(folder.join(name), &good).unwrap();
        }
        fs::create_dir_all(folder.join(format!("{pid}.json"))).unwrap();
    };
    write_all(&mut sealed);
    assert_eq!(sealed.sessions(), Vec::<Value>::new(), "at the start");
    write_all(&mut sealed);
    sealed.wait_for_files();
    assert_eq!(sealed.sessions(), Vec::<Value>::new(), "later");
}

#[test]
fn background_session_is_listed_without_a_pane() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.write_session(pid, ID, json!({"kind": "bg", "name": "do it in background"}));
    let session = sealed.session_of(pid).expect("the session");
    assert_eq!((&session["pane"], &session["tmux"]), (&json!(null), &json!(null)));
    assert_eq!((&session["kind"], &session["mode"]), (&json!("bg"), &json!("background")));
}

#[test]
fn teammate_without_a_session_file_is_listed_by_its_hooks() {
    let mut sealed = Sealed::new();
    let (lead, mate) = (sealed.client(), sealed.client());
    sealed.write_session(lead, "lead-1", json!({}));
    let unattended = [("CLAUDE_CODE_SESSION_ATTENDED", "0".to_owned())];
    let say = |event: &str, more: Value| {
        let payload = json!({"hook_event_name": event, "session_id": ID, "agent_type": "matey"});
        sealed.hook_from(mate, &unattended, &with(payload, more));
    };
    say("SessionStart", json!({"source": "startup"}));
    say("UserPromptSubmit", json!({"prompt": "<teammate-message>", "prompt_id": "p1"}));
    let session = sealed.session_of(mate).expect("the teammate");
    assert_eq!((&session["status"], &session["attended"]), (&json!("working"), &json!(false)));
    say("Stop", json!({"prompt_id": "p1"}));
    assert_eq!(sealed.session_of(mate).unwrap()["status"], "idle");
    sealed.wait_for(lead, "id", &json!("lead-1"));
    assert_eq!(sealed.sessions().len(), 2);
}

#[test]
fn file_written_in_two_halves_is_read_when_it_is_whole() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let content = Sealed::session_json(pid, ID, json!({})).to_string();
    let (half, rest) = content.split_at(content.len() / 2);
    let folder = sealed.claude_dir().join("sessions");
    fs::create_dir_all(&folder).unwrap();
    let mut file = fs::File::create(folder.join(format!("{pid}.json"))).unwrap();
    file.write_all(half.as_bytes()).unwrap();
    assert!(sealed.session_of(pid).is_none(), "at the start");
    sealed.wait_for_files();
    assert!(sealed.session_of(pid).is_none(), "half of it");
    file.write_all(rest.as_bytes()).unwrap();
    drop(file);
    sealed.wait_for(pid, "id", &json!(ID));
    // A rewrite begins with an empty file: the session stays what it was meanwhile.
    let file = fs::File::create(folder.join(format!("{pid}.json"))).unwrap();
    sealed.wait_for_files();
    assert_eq!(sealed.session_of(pid).unwrap()["id"], ID);
    drop(file);
}

#[test]
fn configuration_directory_that_comes_after_the_daemon_is_watched() {
    let mut sealed = Sealed::new();
    assert!(sealed.sessions().is_empty());
    assert!(!sealed.claude_dir().exists());
    let watch = sealed.stream(&["watch", "--json"]);
    assert_eq!(watch.json()["type"], "snapshot");
    fs::create_dir(sealed.claude_dir()).unwrap();
    // Again and again: it may come while the daemon is about to watch the folder above.
    for round in 0..40 {
        // The first may be found by a look, the second only by a watch. Both are told without
        // being asked: no question is what makes the daemon look.
        for file in ["a", "b"] {
            let (pid, id) = (sealed.client(), format!("{ID}-{round}-{file}"));
            sealed.write_session(pid, &id, json!({}));
            watch.until(|line| line.contains(&id));
        }
        fs::remove_dir_all(sealed.claude_dir()).unwrap();
    }
}

#[test]
fn configuration_directory_that_a_hook_names_is_watched() {
    let mut sealed = Sealed::new();
    let (hooked, silent) = (sealed.client(), sealed.client());
    assert!(sealed.sessions().is_empty(), "the daemon runs without knowing of it");
    let config = sealed.path().join("work config/claude");
    let env = [("CLAUDE_CONFIG_DIR", config.to_str().unwrap().to_owned())];
    let payload = json!({"hook_event_name": "SessionStart", "session_id": ID, "source": "startup"});
    sealed.hook_from(hooked, &env, &payload);
    sealed.wait_for(hooked, "id", &json!(ID));
    Sealed::write_session_in(&config, silent, &Sealed::session_json(silent, "other-1", json!({})));
    sealed.wait_for(silent, "id", &json!("other-1"));
    // The daemon that comes next knows of it without being told.
    sealed.ok(&["daemon", "stop"]);
    let late = sealed.client();
    Sealed::write_session_in(&config, late, &Sealed::session_json(late, "late-1", json!({})));
    assert_eq!(sealed.session_of(late).expect("the session")["id"], "late-1");
}

#[test]
fn thousands_of_rewrites_end_in_the_last_state() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.write_session(pid, ID, json!({}));
    sealed.wait_for(pid, "id", &json!(ID));
    for turn in ["busy", "idle"].into_iter().cycle().take(5_000) {
        sealed.write_session(pid, ID, status(turn));
    }
    sealed.write_session(pid, ID, status("busy"));
    sealed.wait_for(pid, "status", &json!("working"));
}

/// More changes of one file than the kernel keeps for a watcher that does not read them.
fn more_than_kept() -> usize {
    let kept = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    kept.trim().parse::<usize>().unwrap().clamp(5_000, 100_000)
}

#[test]
fn session_whose_file_came_when_the_kernel_dropped_events_is_found() {
    let mut sealed = Sealed::new();
    let (noisy, silent) = (sealed.client(), sealed.client());
    sealed.write_session(noisy, ID, json!({}));
    sealed.wait_for(noisy, "id", &json!(ID));
    let content = Sealed::session_json(noisy, ID, status("busy"));
    let daemon = Daemon::of(&sealed);
    daemon.freeze();
    for _ in 0..more_than_kept() {
        Sealed::write_session_in(&sealed.claude_dir(), noisy, &content);
    }
    sealed.write_session(silent, "silent-1", json!({}));
    daemon.thaw();
    sealed.wait_for(silent, "id", &json!("silent-1"));
    sealed.wait_for(noisy, "status", &json!("working"));
}

fn append(path: &Path, line: &Value) {
    let mut file = fs::File::options().append(true).create(true).open(path).unwrap();
    writeln!(file, "{line}").unwrap();
}

/// As the client writes it when the user presses Esc.
fn interrupt_line() -> Value {
    json!({"parentUuid": "5403fa74", "isSidechain": false, "promptId": "p1", "type": "user",
        "message": {"role": "user", "content": [
            {"type": "text", "text": "[Request interrupted by user]"}]},
        "uuid": "d7f362f9", "timestamp": Stamp(now()).to_string(), "session_id": ID,
        "userType": "external", "entrypoint": "cli", "cwd": "/tmp", "sessionId": ID,
        "version": "2.1.325", "gitBranch": "HEAD"})
}

fn chatter() -> Value {
    json!({"type": "assistant", "uuid": "x", "message": {"role": "assistant", "content": [
        {"type": "text", "text": "hello"}]}, "timestamp": Stamp(now()).to_string()})
}

/// A session of hooks only, at work, with its transcript.
fn at_work(sealed: &mut Sealed, id: &str) -> (u32, PathBuf) {
    let pid = sealed.client();
    let path = sealed.path().join(format!("{id}.jsonl"));
    append(&path, &chatter());
    for (event, more) in [
        ("SessionStart", json!({"source": "startup"})),
        ("UserPromptSubmit", json!({"prompt": "go", "prompt_id": "p1"})),
    ] {
        let place = json!({"transcript_path": path});
        sealed.hook(pid, event, id, with(place, more));
    }
    assert_eq!(sealed.session_of(pid).unwrap()["status"], "working");
    (pid, path)
}

#[test]
fn interrupt_that_only_the_transcript_tells_of_is_seen() {
    let mut sealed = Sealed::new();
    let (pid, path) = at_work(&mut sealed, ID);
    // Quoted, of a subagent, or older than the turn: no interrupts.
    let mut quoted = interrupt_line();
    quoted["message"]["content"] = json!("what is \"[Request interrupted by user]\"?");
    append(&path, &quoted);
    append(&path, &with(interrupt_line(), json!({"isSidechain": true})));
    append(&path, &with(interrupt_line(), json!({"timestamp": "2020-01-01T00:00:00.000Z"})));
    append(&path, &json!({"type": "ai-title", "aiTitle": "first title", "sessionId": ID}));
    let session = sealed.wait_for(pid, "title", &json!("first title"));
    assert_eq!(session["status"], "working", "none of these was one");
    append(&path, &interrupt_line());
    let session = sealed.wait_for(pid, "status", &json!("idle"));
    assert_eq!(
        (&session["why"], &session["source"]),
        (&json!("interrupted"), &json!("transcript"))
    );
    assert_eq!(session["unseen"], false, "the user did it himself");
    // It works again, and the old mark is not taken for a new one.
    let more = json!({"transcript_path": path, "prompt": "go on", "prompt_id": "p2"});
    sealed.hook(pid, "UserPromptSubmit", ID, more);
    append(&path, &json!({"type": "custom-title", "customTitle": "second", "sessionId": ID}));
    assert_eq!(sealed.wait_for(pid, "title", &json!("second"))["status"], "working");
    assert!(sealed.ok(&["list"]).contains("second"));
}

#[test]
fn transcript_that_does_not_exist_yet_is_followed_when_it_comes() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let path = sealed.path().join("later/transcript.jsonl");
    let more = json!({"transcript_path": path, "prompt": "go", "prompt_id": "p1"});
    sealed.hook(pid, "UserPromptSubmit", ID, more);
    assert_eq!(sealed.session_of(pid).unwrap()["status"], "working");
    fs::create_dir(path.parent().unwrap()).unwrap();
    append(&path, &interrupt_line());
    assert_eq!(sealed.wait_for(pid, "status", &json!("idle"))["why"], "interrupted");
}

#[test]
fn interrupt_told_when_the_kernel_dropped_events_is_seen() {
    let mut sealed = Sealed::new();
    let (_, noisy) = at_work(&mut sealed, "noisy-1");
    let (pid, path) = at_work(&mut sealed, ID);
    let daemon = Daemon::of(&sealed);
    daemon.freeze();
    for _ in 0..more_than_kept() {
        append(&noisy, &json!({}));
    }
    append(&path, &interrupt_line());
    daemon.thaw();
    assert_eq!(sealed.wait_for(pid, "status", &json!("idle"))["why"], "interrupted");
}

#[test]
fn interrupt_behind_a_giant_line_is_seen() {
    let mut sealed = Sealed::new();
    let (pid, path) = at_work(&mut sealed, ID);
    // A picture, say: one line of more than is read at once.
    let mut picture = chatter();
    picture["message"]["content"][0]["text"] = json!("x".repeat(9_000_000));
    append(&path, &picture);
    append(&path, &interrupt_line());
    assert_eq!(sealed.wait_for(pid, "status", &json!("idle"))["why"], "interrupted");
}
