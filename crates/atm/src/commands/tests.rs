//! Commands against a daemon that plays a script.

use std::time::Duration;

use atm_core::proto::message::{DaemonStatus, EventView, Refusal, RefusalKind, Reply, Request};
use atm_core::session::status::Class;
use atm_core::stamp::Stamp;
use atm_core::view::{EndedView, SessionView};
use clap::Parser;
use serde_json::Value;

use crate::cli::{Cli, run};
use crate::client::fake::{Fake, Script, answer};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::sample::{
    HOME, HOSTILE, asking, assert_harmless, explanation, fleet, hostile, screen, view, working,
};

struct Ran {
    exit: Exit,
    out: String,
    error: Option<CliError>,
}

/// Runs `atm line` against a daemon that plays one script per connection.
fn atm(line: &str, scripts: Vec<Script>) -> Ran {
    let fake = Fake::new();
    let places = fake.places();
    let daemon = fake.play(scripts);
    let ran = atm_at(line, places);
    drop(daemon.join().unwrap());
    ran
}

fn atm_at(line: &str, places: atm_core::places::Places) -> Ran {
    let mut out = Vec::new();
    let mut context = Context {
        places,
        screen: screen(None),
        home: Some(HOME.into()),
        out: &mut out,
        patience: Duration::from_secs(10),
        start: |_| Err(std::io::Error::other("nobody starts a daemon here")),
    };
    let cli = Cli::try_parse_from(std::iter::once("atm").chain(line.split(' '))).unwrap();
    let (exit, error) = match run(cli, &mut context) {
        Ok(exit) => (exit, None),
        Err(error) => (error.kind, Some(error)),
    };
    Ran { exit, out: String::from_utf8(out).unwrap(), error }
}

fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn refused(kind: RefusalKind, candidates: Vec<String>) -> Reply {
    Reply::Refused(Refusal { kind, message: "no".into(), candidates })
}

fn snapshot(sessions: Vec<SessionView>) -> Reply {
    Reply::Snapshot { sessions }
}

fn changed(session: SessionView) -> Reply {
    Reply::Changed { session: Box::new(session) }
}

fn event(seq: u64, payload: &str) -> EventView {
    EventView {
        schema: 1,
        seq,
        ts: Stamp(1_794_769_560_123),
        event: "PreToolUse".into(),
        session: Some("abcdef1234".into()),
        pid: Some(7),
        pane: Some("%3".into()),
        payload: serde_json::from_str(payload).unwrap(),
        malformed: None,
    }
}

#[test]
fn list_json_carries_the_schema_and_the_most_urgent_first() {
    let ran = atm("list --json", vec![answer(vec![Reply::Sessions { sessions: fleet() }])]);
    let list = &json_lines(&ran.out)[0];
    assert_eq!((ran.exit, &list["schema"]), (Exit::Ok, &Value::from(1)));
    assert_eq!(list["sessions"][0]["status"], "attention");
    assert_eq!(list["sessions"].as_array().unwrap().len(), 5);
}

#[test]
fn list_of_nothing_says_why_and_what_to_do() {
    let empty = |status: DaemonStatus| {
        let script: Script = Box::new(move |peer| {
            assert_eq!(peer.request(), Request::List { all: false });
            peer.reply(&Reply::Sessions { sessions: vec![] });
            assert_eq!(peer.request(), Request::Status);
            peer.reply(&Reply::Status(status));
        });
        atm("list", vec![script]).out
    };
    let first = "no live sessions found: start `claude` in a tmux pane and it shows up here\n";
    let never = empty(DaemonStatus::default());
    assert!(never.starts_with(first) && never.contains("hooks are not installed yet"), "{never}");
    assert_eq!(empty(DaemonStatus { stored: 9, ..DaemonStatus::default() }), first);
}

#[test]
fn show_and_explain_json_hold_the_session() {
    let session = Reply::Session { session: Box::new(asking()) };
    let shown = atm("show %3 --json", vec![answer(vec![session])]);
    assert_eq!(json_lines(&shown.out)[0]["session"]["name"], "login");
    let why = Reply::Explanation(Box::new(explanation(asking(), "Permission: Bash")));
    let explained = atm("explain %3 --json", vec![answer(vec![why])]);
    let json = &json_lines(&explained.out)[0];
    assert_eq!((&json["schema"], &json["session"]["name"]), (&1.into(), &"login".into()));
    assert_eq!(json["because"], "hooks say attention: Permission: Bash");
}

#[test]
fn show_of_unknown_and_ambiguous_sessions_has_its_exit_code() {
    let ran = atm("show nobody", vec![answer(vec![refused(RefusalKind::NotFound, vec![])])]);
    assert_eq!(ran.exit, Exit::NotFound);
    let candidates = vec!["aaaa %1 /a".to_owned(), "aaab %2 /b".to_owned()];
    let reply = refused(RefusalKind::Ambiguous, candidates.clone());
    let ran = atm("show aaa", vec![answer(vec![reply])]);
    assert_eq!((ran.exit, ran.error.unwrap().notes), (Exit::Failed, candidates));
}

#[test]
fn status_prints_each_format() {
    let sessions = || answer(vec![Reply::Sessions { sessions: fleet() }]);
    let plain = atm("status", vec![sessions()]).out;
    assert!(plain.contains("1 needs you (longest ") && plain.ends_with("1 idle\n"), "{plain}");
    for line in ["status --json", "status --format json"] {
        let json = &json_lines(&atm(line, vec![sessions()]).out)[0];
        assert_eq!((&json["schema"], &json["attention"]), (&1.into(), &1.into()));
    }
    let none = answer(vec![Reply::Sessions { sessions: vec![] }]);
    assert_eq!(atm("status --format tmux", vec![none]).out, "\n");
}

#[test]
fn watch_json_prints_a_line_for_each_change_until_the_daemon_is_stopped() {
    let removed = Reply::Removed { id: "i".into(), key: "k".into() };
    let script = answer(vec![snapshot(fleet()), changed(working()), removed, Reply::Done]);
    let ran = atm("watch --json", vec![script]);
    let lines = json_lines(&ran.out);
    assert!(lines.iter().all(|line| line["schema"] == 1));
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["snapshot", "changed", "removed"]);
    assert_eq!(lines[1]["session"]["detail"], "Task");
    assert_eq!(lines[2]["id"], "i");
    assert_eq!(ran.error.unwrap().message, "the daemon was stopped");
}

#[test]
fn watch_outlives_a_daemon_that_crashed() {
    let scripts =
        vec![answer(vec![snapshot(vec![])]), answer(vec![snapshot(fleet()), Reply::Done])];
    assert_eq!(json_lines(&atm("watch --json", scripts).out).len(), 2);
}

#[test]
fn watch_and_follow_end_with_a_daemon_that_was_stopped() {
    for (line, first) in [
        ("watch --json", snapshot(vec![])),
        ("events --follow --limit 0", Reply::Status(DaemonStatus::default())),
    ] {
        let fake = Fake::new();
        let places = fake.places();
        let socket = places.socket();
        let script: Script = Box::new(move |peer| {
            peer.request();
            peer.reply(&first);
            std::fs::remove_file(socket).unwrap();
        });
        let daemon = fake.play(vec![script]);
        let ran = atm_at(line, places);
        drop(daemon.join().unwrap());
        assert_eq!(ran.exit, Exit::Unreachable);
        assert_eq!(ran.error.unwrap().message, "the daemon was stopped", "{line}");
    }
}

#[test]
fn watch_for_people_shows_a_change_once() {
    let script = answer(vec![snapshot(vec![]), changed(asking()), changed(asking()), Reply::Done]);
    let ran = atm("watch", vec![script]);
    assert_eq!(ran.out.matches("▲ attention").count(), 1, "{}", ran.out);
}

#[test]
fn wait_returns_at_once_if_the_state_is_there() {
    let script = answer(vec![snapshot(fleet())]);
    let ran = atm("wait aaaa --until attention --json", vec![script]);
    let json = &json_lines(&ran.out)[0];
    assert_eq!((ran.exit, &json["reached"]), (Exit::Ok, &"attention".into()));
}

#[test]
fn wait_follows_its_session_through_changes_of_id() {
    let other = view("99999999", Class::Idle, 0);
    let idle = SessionView { key: asking().key, ..view("12121212", Class::Idle, 0) };
    let script = answer(vec![snapshot(fleet()), changed(other), changed(idle)]);
    let ran = atm("wait aaaa --until idle --json", vec![script]);
    let id = json_lines(&ran.out)[0]["session"]["id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("12121212"));
}

#[test]
fn wait_for_a_session_that_ends_first_is_not_found() {
    let ended = EndedView { at: Stamp(1), reason: "logout".into(), lost: false };
    let gone = SessionView { ended: Some(ended), ..asking() };
    let removed = || Reply::Removed { id: asking().id, key: asking().key };
    let ends = [vec![changed(gone.clone())], vec![removed()], vec![snapshot(vec![])]];
    for end in ends {
        let replies = std::iter::once(snapshot(fleet())).chain(end).collect();
        let ran = atm("wait aaaa --until idle", vec![answer(replies)]);
        assert_eq!(ran.exit, Exit::NotFound);
        assert!(ran.error.unwrap().message.starts_with("session aaaaaaaa ended ("));
    }
    let replies = vec![snapshot(fleet()), changed(gone)];
    assert_eq!(atm("wait aaaa --until ended", vec![answer(replies)]).exit, Exit::Ok);
}

#[test]
fn wait_times_out_with_its_own_exit_code() {
    let (over, is_over) = std::sync::mpsc::channel::<()>();
    let script: Script = Box::new(move |peer| {
        peer.request();
        peer.reply(&snapshot(fleet()));
        // Says no more, and stays until the client has gone.
        assert!(is_over.recv().is_err());
    });
    let fake = Fake::new();
    let places = fake.places();
    let daemon = fake.play(vec![script]);
    let ran = atm_at("wait aaaa --until idle --timeout 20ms", places);
    drop(over);
    drop(daemon.join().unwrap());
    assert_eq!(ran.exit, Exit::TimedOut);
    assert_eq!(ran.error.unwrap().message, "aaaa was not idle within 20ms");
}

#[test]
fn wait_for_nobody_and_for_several_is_told_apart() {
    let unknown = refused(RefusalKind::NotFound, vec![]);
    let scripts = vec![answer(vec![snapshot(fleet())]), answer(vec![unknown])];
    assert_eq!(atm("wait zzzz --until idle", scripts).exit, Exit::NotFound);
    let ran = atm("wait %3 --until idle", vec![answer(vec![snapshot(fleet())])]);
    let error = ran.error.unwrap();
    assert_eq!(ran.exit, Exit::Failed);
    assert!(error.notes.contains(&"aaaaaaaa  main:@1.%3  ~/src/web".to_owned()), "{error:?}");
}

#[test]
fn events_print_one_a_line_and_follow_from_the_last() {
    let payload = "{\n \"hook_event_name\": \"PreToolUse\", \"tool_name\": \"Bash\" }";
    let first: Script = Box::new(move |peer| {
        assert_eq!(peer.request(), Request::Events { who: None, after: None, limit: 100 });
        peer.reply(&Reply::Events { events: vec![event(17, payload), event(18, payload)] });
    });
    let status = || Reply::Status(DaemonStatus::default());
    let second: Script = Box::new(move |peer| {
        peer.request();
        peer.reply(&status());
        assert_eq!(peer.request(), Request::Follow { who: None, after: Some(18) });
        peer.reply(&Reply::Events { events: vec![event(21, payload)] });
    });
    let third: Script = Box::new(move |peer| {
        peer.request();
        peer.reply(&status());
        assert_eq!(peer.request(), Request::Follow { who: None, after: Some(21) });
        peer.reply(&Reply::Done);
    });
    let ran = atm("events --json --follow", vec![first, second, third]);
    let seqs: Vec<_> = json_lines(&ran.out).iter().map(|e| e["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, [17, 18, 21]);
    assert_eq!(ran.exit, Exit::Unreachable);
}

#[test]
fn events_for_people_are_one_line_each_and_harmless() {
    let payload = r#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"a\u001b[2J\nb"}}"#;
    let bad = EventView {
        event: HOSTILE.into(),
        session: Some(HOSTILE.into()),
        pane: Some(HOSTILE.into()),
        malformed: Some(HOSTILE.into()),
        ..event(19, "null")
    };
    let events = vec![event(17, payload), bad];
    let ran = atm("events", vec![answer(vec![Reply::Events { events }])]);
    let expected = "\
2026-11-15T19:06:00.123Z  abcdef12  %3    PreToolUse          Bash: a[2J b
";
    assert!(ran.out.starts_with(expected), "{}", ran.out);
    assert_eq!(ran.out.lines().count(), 2);
    assert_harmless(&ran.out);
}

#[test]
fn events_raw_need_no_daemon() {
    let dir = tempfile::tempdir().unwrap();
    let places = atm_core::places::Places { state: dir.path().into(), config: dir.path().into() };
    assert_eq!(atm_at("events --raw", places.clone()).out, "");
    std::fs::create_dir(places.journal_dir()).unwrap();
    let record = r#"{"v":1,"ts":1,"mono":1,"origin":{"agent":"claude"},"bytes":2,"payload":{"hook_event_name":"Stop"}}"#;
    std::fs::write(places.journal(), format!("\n{record}\n\njunk\x1b\n\n{record}\n")).unwrap();
    let ran = atm_at("events --raw --json --limit 2", places);
    let lines = json_lines(&ran.out);
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["malformed"], "not a journal record: junk\u{1b}");
    assert_eq!(lines[1]["event"], "Stop");
    assert_harmless(&ran.out);
}

#[test]
fn dismiss_names_its_session_or_all() {
    for (line, who) in [("dismiss aaaa", Some("aaaa".to_owned())), ("dismiss", None)] {
        let script: Script = Box::new(move |peer| {
            assert_eq!(peer.request(), Request::Dismiss { who });
            peer.reply(&Reply::Done);
        });
        assert_eq!(atm(line, vec![script]).exit, Exit::Ok);
    }
}

#[test]
fn daemon_status_tells_a_running_one_from_none_and_starts_nothing() {
    let status = DaemonStatus { pid: 7, version: "0.1.0".into(), ..DaemonStatus::default() };
    let script = answer(vec![Reply::Status(status)]);
    let json = &json_lines(&atm("daemon status --json", vec![script]).out)[0];
    assert_eq!((&json["running"], &json["pid"]), (&true.into(), &7.into()));
    let dir = tempfile::tempdir().unwrap();
    let places = atm_core::places::Places { state: dir.path().into(), config: dir.path().into() };
    let ran = atm_at("daemon status --json", places.clone());
    assert_eq!(ran.out, "{\"schema\":1,\"running\":false}\n");
    assert_eq!(ran.exit, Exit::Unreachable);
    assert_eq!(atm_at("daemon stop", places).exit, Exit::Ok);
}

#[test]
fn no_command_lets_a_hostile_session_through() {
    let sessions = || answer(vec![Reply::Sessions { sessions: vec![hostile()] }]);
    let session = || Reply::Session { session: Box::new(hostile()) };
    let why = || Reply::Explanation(Box::new(explanation(hostile(), HOSTILE)));
    let stream = || answer(vec![snapshot(vec![hostile()]), changed(asking()), Reply::Done]);
    let cases: Vec<(&str, Script)> = vec![
        ("list", sessions()),
        ("list --json", sessions()),
        ("show %3", answer(vec![session()])),
        ("show %3 --json", answer(vec![session()])),
        ("explain %3", answer(vec![why()])),
        ("explain %3 --json", answer(vec![why()])),
        ("watch", stream()),
        ("wait key-aaaaaaaa --until attention", answer(vec![snapshot(vec![hostile(), asking()])])),
    ];
    for (line, script) in cases {
        let shown = atm(line, vec![script]).out;
        let acts = |c: char| c.is_control() && c != '\n';
        assert!(!shown.is_empty() && !shown.chars().any(acts), "{line}: {shown:?}");
    }
}
