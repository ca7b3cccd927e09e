//! Notifications against real receivers: an attached client, programs on the PATH, a server.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::screen::Screen;
use crate::sealed::Sealed;
use crate::stage::Pane;

const ID: &str = "7a6b5c4d-0001";
const EVIL: &str =
    "#(touch M) $(touch M) `touch M`; \u{1b}]52;c;eA==\u{7}\u{9b}2J\u{202e}\n%H --help";

fn configure(sealed: &Sealed, text: &str) {
    let folder = sealed.home().join(".config/atm");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), format!("[notify]\ngather = '0s'\n{text}")).unwrap();
}

/// A folder of programs that note their arguments, one a line, in `NAME.said`.
fn stand_ins(sealed: &Sealed, names: &[&str]) -> PathBuf {
    let folder = sealed.path().join("bin");
    fs::create_dir_all(&folder).unwrap();
    for name in names {
        let path = folder.join(name);
        let said = folder.join(format!("{name}.said"));
        let text = format!(
            "#!/bin/sh\nfor a in \"$@\"; do printf '<%s>\\n' \"$a\"; done > '{0}.tmp'\n\
             env | grep ^ATM_ | sort > '{0}.env'\n[ -t 0 ] || cat > '{0}.in'\nmv '{0}.tmp' '{0}'\n",
            said.display()
        );
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

fn start_daemon(sealed: &Sealed, programs: Option<&PathBuf>) {
    let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
    command.arg("daemon").current_dir(sealed.path()).env("SECRET", "s3cret");
    if let Some(folder) = programs {
        command.env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display()));
    }
    assert!(command.output().unwrap().status.success());
}

fn said(sealed: &Sealed, name: &str) -> String {
    let path = sealed.path().join("bin").join(format!("{name}.said"));
    sealed.wait(&format!("word of {name}"), |_| fs::read_to_string(&path).ok())
}

fn start(sealed: &Sealed, pane: &Pane) {
    let payload = json!({"hook_event_name": "SessionStart", "session_id": ID, "source": "startup",
        "cwd": format!("/tmp/{EVIL}"), "model": EVIL, "session_title": EVIL});
    sealed.hook_from(pane.pid, &pane.env(), &payload);
    let payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": ID,
        "cwd": format!("/tmp/{EVIL}"), "prompt": EVIL});
    sealed.hook_from(pane.pid, &pane.env(), &payload);
    sealed.wait_for(pane.pid, "window", &json!(pane.window));
}

fn ask(sealed: &Sealed, pane: &Pane) {
    let payload = json!({"hook_event_name": "PreToolUse", "session_id": ID, "tool_use_id": "t1",
        "cwd": format!("/tmp/{EVIL}"), "tool_name": "Bash", "tool_input": {"command": EVIL}});
    sealed.hook_from(pane.pid, &pane.env(), &payload);
    let payload = json!({"hook_event_name": "PermissionRequest", "session_id": ID,
        "cwd": format!("/tmp/{EVIL}"), "tool_name": "Bash", "tool_input": {"command": EVIL}});
    sealed.hook_from(pane.pid, &pane.env(), &payload);
}

fn answer(sealed: &Sealed, pane: &Pane) {
    let payload = json!({"hook_event_name": "PostToolUse", "session_id": ID, "cwd": "/tmp",
        "tool_use_id": "t1", "tool_name": "Bash", "tool_input": {"command": EVIL},
        "tool_response": {}});
    sealed.hook_from(pane.pid, &pane.env(), &payload);
}

fn log(sealed: &Sealed) -> Vec<Value> {
    let log = sealed.json(&["notify", "log", "--json"]);
    log["notifications"].as_array().unwrap().clone()
}

/// Waits for so many records.
fn records(sealed: &Sealed, count: usize) -> Vec<Value> {
    sealed.wait(&format!("{count} notifications"), |sealed| {
        Some(log(sealed)).filter(|log| log.len() >= count)
    })
}

/// A pane with a session, and a window beside it.
fn stage(sealed: &mut Sealed) -> Pane {
    let pane = sealed.new_pane("main");
    sealed.tmux(&["new-window", "-t", "main", "exec sleep 600"]);
    pane
}

#[track_caller]
fn check_nothing_was_run(sealed: &Sealed) {
    let own = std::env::current_dir().unwrap();
    for folder in [own, sealed.path().to_owned(), sealed.home(), PathBuf::from("/tmp")] {
        assert!(!folder.join("M").exists(), "something was executed in {}", folder.display());
    }
}

#[test]
fn message_and_terminal_sequences_reach_the_client_and_run_nothing() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let screen = Screen::attach(&mut sealed, "main");
    configure(&sealed, "attention = ['tmux-message', 'bell', 'osc9', 'osc777', 'osc99']");
    start_daemon(&sealed, None);
    start(&sealed, &pane);
    ask(&sealed, &pane);
    let record = records(&sealed, 1).remove(0);
    assert_eq!((&record["verdict"], &record["event"]), (&json!("sent"), &json!("attention")));
    let failed =
        record["channels"].as_array().unwrap().iter().any(|told| told["outcome"] != "sent");
    assert!(!failed, "{record}");
    screen.wait(&sealed, "\u{1b}]9;");
    screen.wait(&sealed, "\u{1b}]777;notify;");
    screen.wait(&sealed, "\u{1b}]99;i=atm:d=0;");
    // Drawn by tmux, as text: neither expanded nor doubled.
    screen.wait(&sealed, "needs you: Permission: Bash: #(touch M) $(touch M) `touch M`;");
    let text = screen.text();
    assert!(!text.contains("]52;c") || text.contains(" ]52,c,eA=="), "{text:?}");
    assert!(!text.contains("\u{1b}]52") && !text.contains('\u{202e}') && !text.contains('\u{9b}'));
    check_nothing_was_run(&sealed);
}

#[test]
fn message_goes_when_what_it_says_is_no_longer_so() {
    let mut sealed = Sealed::new();
    configure(&sealed, "attention = ['tmux-message']\nmessage_time = '10m'\n");
    let pane = stage(&mut sealed);
    let screen = Screen::attach(&mut sealed, "main");
    start_daemon(&sealed, None);
    start(&sealed, &pane);
    ask(&sealed, &pane);
    screen.wait(&sealed, "needs you");
    let before = screen.text().len();
    answer(&sealed, &pane);
    // The name of the tmux session stands at the left of the status line.
    sealed.wait("the status line again", |_| {
        screen.text()[before..].contains("[main]").then_some(())
    });
}

#[test]
fn window_in_view_is_not_told_of_and_another_one_is() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let screen = Screen::attach(&mut sealed, "main");
    sealed.tmux(&["select-window", "-t", &pane.window]);
    configure(&sealed, "escalate = []");
    start(&sealed, &pane);
    ask(&sealed, &pane);
    let record = records(&sealed, 1).remove(0);
    assert_eq!(record["verdict"], "withheld");
    assert!(record["why"].as_str().unwrap().starts_with("you are looking at its window"));
    assert!(!screen.text().contains("needs you"));
    answer(&sealed, &pane);
    sealed.tmux(&["last-window", "-t", "main"]);
    ask(&sealed, &pane);
    assert_eq!(records(&sealed, 2)[1]["verdict"], "sent");
    screen.wait(&sealed, "needs you");
}

#[test]
fn popup_shows_the_text_and_closes_by_a_key() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let mut screen = Screen::attach(&mut sealed, "main");
    configure(&sealed, "attention = ['tmux-popup']\npopup.time = '60s'\npopup.width = 150");
    start_daemon(&sealed, None);
    start(&sealed, &pane);
    ask(&sealed, &pane);
    screen.wait(&sealed, "press a key");
    screen.wait(&sealed, "needs you");
    screen.wait(&sealed, "Permission: Bash: #(touch M)");
    let shows = || {
        let name = format!("{}\0notify\0show\0", env!("CARGO_BIN_EXE_atm"));
        let all = fs::read_dir("/proc").unwrap().flatten();
        let state = sealed.path().to_str().unwrap().to_owned();
        all.filter(|entry| {
            fs::read_to_string(entry.path().join("cmdline")).is_ok_and(|c| c.starts_with(&name))
        })
        .filter(|entry| {
            fs::read(entry.path().join("environ"))
                .is_ok_and(|e| String::from_utf8_lossy(&e).contains(&state))
        })
        .count()
    };
    assert_eq!(shows(), 1);
    screen.press("x");
    sealed.wait("the popup's end", |_| (shows() == 0).then_some(()));
    assert_eq!(records(&sealed, 1)[0]["channels"][0]["outcome"], "sent");
    check_nothing_was_run(&sealed);
}

#[test]
fn programs_get_texts_as_single_arguments_and_run_nothing() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let names = ["notify-send", "terminal-notifier", "osascript", "paplay", "mine"];
    let programs = stand_ins(&sealed, &names);
    configure(
        &sealed,
        "attention = ['notify-send', 'terminal-notifier', 'osascript', 'sound', 'command']\n\
         sound.file = '/a b.wav'\ncommand.argv = ['mine', '--t={title}', '{reason}', '{nobody}']",
    );
    start_daemon(&sealed, Some(&programs));
    start(&sealed, &pane);
    ask(&sealed, &pane);
    let clean = "#(touch M) $(touch M) `touch M`; ]52;c;eA==2J %H --help";
    let body = format!("Permission: Bash: {clean}");
    let lines = said(&sealed, "notify-send");
    assert_eq!(lines.lines().nth(2).unwrap(), format!("<{clean} needs you>"));
    assert_eq!(lines.lines().count(), 4, "{lines}");
    assert_eq!(lines.lines().take(2).collect::<Vec<_>>(), ["<--app-name=atm>", "<-->"]);
    assert_eq!(lines.lines().nth(3).unwrap(), format!("<{body}>"));
    let lines = said(&sealed, "terminal-notifier");
    assert_eq!(lines.lines().nth(3).unwrap(), format!("<{body}>"));
    let lines = said(&sealed, "osascript");
    assert_eq!(lines.lines().count(), 9, "{lines}");
    assert_eq!(lines.lines().nth(8).unwrap(), format!("<{body}>"));
    assert!(!lines.lines().take(6).any(|line| line.contains("touch")), "{lines}");
    assert_eq!(said(&sealed, "paplay"), "</a b.wav>\n");
    let lines = said(&sealed, "mine");
    assert_eq!(lines.lines().skip(1).collect::<Vec<_>>(), ["<Permission: Bash>", "<{nobody}>"]);
    let beside = |end: &str| fs::read_to_string(programs.join(format!("mine.said.{end}"))).unwrap();
    assert!(beside("env").contains("ATM_EVENT=attention\n"), "{}", beside("env"));
    let input: Value = serde_json::from_str(&beside("in")).unwrap();
    assert_eq!(
        (&input["schema"], &input["id"], &input["body"]),
        (&json!(1), &json!(ID), &json!(body))
    );
    check_nothing_was_run(&sealed);
}

#[test]
fn programs_that_fail_or_hang_are_told_of_and_not_tried_again() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let programs = sealed.path().join("bin");
    fs::create_dir_all(&programs).unwrap();
    let hang = programs.join("hang");
    fs::write(&hang, "#!/bin/sh\necho $$ > hang.pid\nsleep 600 & sleep 600\n").unwrap();
    fs::set_permissions(&hang, fs::Permissions::from_mode(0o755)).unwrap();
    configure(
        &sealed,
        "attention = ['terminal-notifier', 'command']\nescalate = []\n\
         command.argv = ['hang']\ncommand.timeout = '300ms'",
    );
    start_daemon(&sealed, Some(&programs));
    start(&sealed, &pane);
    ask(&sealed, &pane);
    let record = records(&sealed, 1).remove(0);
    assert_eq!(record["verdict"], "failed");
    let status = sealed.json(&["daemon", "status", "--json"])["troubles"].to_string();
    assert!(status.contains("notification by terminal-notifier"), "{status}");
    assert!(status.contains("did not end within 300ms"), "{status}");
    assert_eq!(log(&sealed).len(), 1);
}

#[test]
fn webhook_gets_json_and_the_header_from_the_environment() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    configure(
        &sealed,
        &format!(
            "attention = ['webhook']\nwebhook.url = 'http://{address}/hook'\n\
             webhook.header = 'Authorization'\nwebhook.header_env = 'SECRET'"
        ),
    );
    start_daemon(&sealed, None);
    start(&sealed, &pane);
    ask(&sealed, &pane);
    let (stream, _) = server.accept().unwrap();
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            break;
        }
        head.push(line.trim().to_ascii_lowercase());
    }
    let length = head.iter().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    reader.get_mut().write_all(b"HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n").unwrap();
    assert_eq!(head[0], "post /hook http/1.1");
    assert!(head.contains(&"authorization: s3cret".to_owned()), "{head:?}");
    assert!(head.contains(&"content-type: application/json".to_owned()), "{head:?}");
    let json: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!((&json["event"], &json["id"]), (&json!("attention"), &json!(ID)));
    let record = records(&sealed, 1).remove(0);
    assert_eq!(record["channels"][0]["what"], "posted");
    let shown = sealed.ok(&["config", "show"]);
    assert!(!shown.contains("s3cret"));
}

#[test]
fn unanswered_wait_goes_to_the_next_channel_and_an_answered_one_does_not() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let programs = stand_ins(&sealed, &["notify-send"]);
    configure(&sealed, "attention = []\nescalate = ['notify-send']\nescalate_after = '1s'");
    start_daemon(&sealed, Some(&programs));
    start(&sealed, &pane);
    ask(&sealed, &pane);
    answer(&sealed, &pane);
    ask(&sealed, &pane);
    let lines = said(&sealed, "notify-send");
    assert!(lines.contains("still needs you"), "{lines}");
    let record = records(&sealed, 1);
    assert_eq!((record.len(), &record[0]["step"]), (1, &json!("again")));
    let since = sealed.session_of(pane.pid).unwrap()["since"].clone();
    assert_eq!(record[0]["since"], since, "it is about the second question");
}

#[test]
fn muted_session_is_silent_and_the_log_says_why() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let programs = stand_ins(&sealed, &["notify-send"]);
    configure(&sealed, "attention = ['notify-send']\nescalate = []");
    start_daemon(&sealed, Some(&programs));
    start(&sealed, &pane);
    assert!(sealed.ok(&["notify", "mute", ID]).contains("is muted"));
    ask(&sealed, &pane);
    let record = records(&sealed, 1).remove(0);
    assert_eq!(
        (&record["verdict"], &record["why"]),
        (&json!("withheld"), &json!("the session is muted"))
    );
    // A mute outlives the daemon.
    sealed.ok(&["daemon", "stop"]);
    start_daemon(&sealed, Some(&programs));
    sealed.wait("another look at it", |sealed| (log(sealed).len() >= 2).then_some(()));
    assert!(!programs.join("notify-send.said").exists());
    sealed.ok(&["notify", "unmute", ID]);
    assert!(said(&sealed, "notify-send").contains("needs you"));
    let text = sealed.wait("the record of it", |sealed| {
        Some(sealed.ok(&["notify", "log"])).filter(|text| text.contains("notify-send shown"))
    });
    assert!(text.contains("the session is muted"), "{text}");
    assert_eq!(sealed.fails(&["notify", "mute", "nobody"]).0, 4);
}

#[test]
fn channels_are_tried_out_one_by_one() {
    let sealed = Sealed::new();
    let programs = stand_ins(&sealed, &["notify-send"]);
    start_daemon(&sealed, Some(&programs));
    let text = sealed.ok(&["notify", "test", "--channel", "notify-send"]);
    assert!(text.starts_with("notify-send        sent"), "{text}");
    assert!(said(&sealed, "notify-send").contains("<atm: a test>"));
    let output = sealed.atm(&["notify", "test", "--json"]);
    assert_eq!(output.status.code(), Some(1), "nobody is attached");
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let first = &json["channels"][0];
    assert_eq!((&first["channel"], &first["outcome"]), (&json!("tmux-message"), &json!("nobody")));
}

#[test]
fn broken_template_is_a_problem_and_a_good_one_is_used() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let programs = stand_ins(&sealed, &["notify-send"]);
    configure(
        &sealed,
        "attention = ['notify-send']\ntitle = '{{ nme }}'\nbody = '{{ event|upper }}'",
    );
    let check = sealed.atm(&["config", "check"]);
    let text = String::from_utf8(check.stdout).unwrap();
    assert_eq!(check.status.code(), Some(1));
    assert!(text.contains("notify.title: the template does not work"), "{text}");
    start_daemon(&sealed, Some(&programs));
    let status = sealed.json(&["daemon", "status", "--json"])["troubles"].to_string();
    assert!(status.contains("notify.title"), "{status}");
    start(&sealed, &pane);
    ask(&sealed, &pane);
    let lines = said(&sealed, "notify-send");
    assert!(lines.contains("needs you>") && lines.ends_with("<ATTENTION>\n"), "{lines}");
}

#[test]
fn stats_count_what_was_told_and_how_long_was_waited() {
    let mut sealed = Sealed::new();
    let pane = stage(&mut sealed);
    let programs = stand_ins(&sealed, &["notify-send"]);
    configure(&sealed, "attention = ['notify-send']");
    start_daemon(&sealed, Some(&programs));
    start(&sealed, &pane);
    ask(&sealed, &pane);
    said(&sealed, "notify-send");
    records(&sealed, 1);
    answer(&sealed, &pane);
    sealed.wait_for(pane.pid, "status", &json!("working"));
    let stats = sealed.wait("the answer", |sealed| {
        let stats = sealed.json(&["stats", "--json"]);
        (stats["responses"]["count"] == 1).then_some(stats)
    });
    assert_eq!((&stats["schema"], &stats["notifications"]["sent"]), (&json!(1), &json!(1)));
    assert_eq!(stats["longest"][0]["end"], "answered");
    assert_eq!(stats["days"].as_array().unwrap().len(), 1);
    let text = sealed.ok(&["stats", "--since", "24h"]);
    assert!(text.contains("Permission: Bash") && text.contains("answered"), "{text}");
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
}
