//! `atm statusline` between a client and the user's own command: seen by neither, heard by the
//! daemon.

use std::fs;
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, test_kill_process};
use serde_json::{Value, json};

use crate::sealed::{LIMIT, Sealed};
use crate::stage::signal;

const ID: &str = "23e30f82-5d1c-4c64-9c3b-0d8f7a61e001";

fn status(percent: u64, cost: f64) -> Value {
    json!({"session_id": ID, "cwd": "/srv/web", "version": "2.1.325",
        "model": {"id": "claude-opus-5-5", "display_name": "Opus 5.5"},
        "cost": {"total_cost_usd": cost, "total_duration_ms": 10, "total_api_duration_ms": 5,
            "total_lines_added": 3, "total_lines_removed": 1},
        "context_window": {"context_window_size": 200_000, "used_percentage": percent,
            "current_usage": {"input_tokens": percent * 2000, "output_tokens": 1}},
        "rate_limits": {"five_hour": {"used_percentage": 23.5, "resets_at": 1_794_772_243}}})
}

fn statusline(sealed: &Sealed, command: Option<&str>) -> Command {
    let mut line = sealed.command(env!("CARGO_BIN_EXE_atm"));
    line.arg("statusline").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if let Some(command) = command {
        line.args(["--", command]);
    }
    line
}

/// Runs it with `input` on standard input, as the client does.
fn fed(mut command: Command, input: &[u8]) -> Output {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A command that does not read may be gone before all is written.
        scope.spawn(move || drop(stdin.write_all(input)));
        Sealed::finish(child)
    })
}

/// The command with and without us in between.
#[track_caller]
fn assert_unchanged(sealed: &Sealed, command: &str, input: &[u8]) {
    let mut alone = sealed.command("/bin/sh");
    alone.args(["-c", command]);
    alone.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let (alone, through) = (fed(alone, input), fed(statusline(sealed, Some(command)), input));
    assert_eq!(through.status, alone.status, "{command}");
    assert!(through.stdout == alone.stdout, "{command}: {} bytes", through.stdout.len());
    assert_eq!(through.stderr, alone.stderr, "{command}");
}

/// For commands whose output takes a moment to fit into a pipe, they count what they read.
const COMMANDS: [&str; 9] = [
    "cat | cksum",
    "cat >/dev/null; printf 'no newline \\033[31mred\\033[0m\\n\\n two'",
    "exit 3",
    "echo oops >&2; exit 255",
    "echo ignores its input",
    "exec 0<&-; echo closes it",
    "head -c 10; echo",
    "cat; no-such-program-anywhere",
    "kill -TERM $$",
];

#[test]
fn command_answers_as_if_nobody_stood_between() {
    let sealed = Sealed::new();
    let status = status(45, 0.35).to_string();
    for command in COMMANDS {
        assert_unchanged(&sealed, command, status.as_bytes());
    }
    assert!(!sealed.state().exists(), "nothing was started or made");
}

#[test]
fn input_of_any_size_and_kind_reaches_the_command_whole() {
    let sealed = Sealed::new();
    let large = json!({"session_id": ID, "more": "x".repeat(1_000_000)}).to_string();
    let edges = [65_535, 65_536, 65_537].map(|length| vec![b'y'; length]);
    let inputs = [b"".as_slice(), b"\xff\0{\n", b"{", b"no newline", large.as_bytes()];
    for input in inputs.into_iter().chain(edges.iter().map(Vec::as_slice)) {
        assert_unchanged(&sealed, "cksum", input);
        assert_unchanged(&sealed, "echo ignores its input", input);
    }
    let output = fed(statusline(&sealed, Some("wc -c")), large.as_bytes());
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), large.len().to_string());
}

#[test]
fn command_runs_without_home_and_with_a_broken_state_directory() {
    let status = status(45, 0.35).to_string();
    let sealed = Sealed::new();
    let mut homeless = statusline(&sealed, Some("cat >/dev/null; echo mine"));
    homeless.env_clear();
    assert_eq!(fed(homeless, status.as_bytes()).stdout, b"mine\n");
    let mut homeless = statusline(&sealed, None);
    homeless.env_clear().env("NO_COLOR", "1");
    let line = String::from_utf8(fed(homeless, status.as_bytes()).stdout).unwrap();
    assert!(line.starts_with("Opus 5.5  /srv/web  ▰"), "{line}");
    fs::write(sealed.state(), "a file").unwrap();
    for command in COMMANDS {
        assert_unchanged(&sealed, command, status.as_bytes());
    }
    // Somebody listens at the place of our socket, but does not read.
    let sealed = Sealed::new();
    fs::create_dir(sealed.state()).unwrap();
    let deaf = std::os::unix::net::UnixDatagram::bind(sealed.state().join("poke.sock")).unwrap();
    for _ in 0..40 {
        let output = fed(statusline(&sealed, Some("echo mine")), status.as_bytes());
        assert_eq!(output.stdout, b"mine\n");
    }
    drop(deaf);
}

#[test]
fn command_that_hangs_dies_with_us() {
    let sealed = Sealed::new();
    let mark = sealed.path().join("pid");
    let script = format!("echo $$ > '{0}.new'; mv '{0}.new' '{0}'; sleep 600", mark.display());
    let mut child = statusline(&sealed, Some(&script)).spawn().unwrap();
    drop(child.stdin.take());
    let limit = Instant::now() + LIMIT;
    while !mark.exists() {
        assert!(Instant::now() < limit);
        std::thread::sleep(Duration::from_millis(5));
    }
    let shell: i32 = fs::read_to_string(&mark).unwrap().trim().parse().unwrap();
    assert_eq!(u32::try_from(shell).unwrap(), child.id(), "no process of ours in between");
    signal(child.id(), Signal::TERM);
    child.wait().unwrap();
    assert!(test_kill_process(Pid::from_raw(shell).unwrap()).is_err());
}

#[test]
fn line_of_our_own_is_clean_and_honours_no_color() {
    let sealed = Sealed::new();
    let mut hostile = status(45, 0.35);
    hostile["model"]["display_name"] = json!("Op\u{1b}]0;x\u{7}us\n5");
    hostile["cwd"] = json!(sealed.home().join("src\u{9b}31m").to_str().unwrap());
    let mut plain = statusline(&sealed, None);
    plain.env("NO_COLOR", "1");
    let output = fed(plain, hostile.to_string().as_bytes());
    let line = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(line.starts_with("Op]0;xus 5  ~/src31m  ▰▰▰▰▱▱▱▱ 45%  $0.35  5h 24%"), "{line:?}");
    assert!(line.ends_with('\n') && !line.trim_end().chars().any(char::is_control), "{line:?}");
    let painted = fed(statusline(&sealed, None), hostile.to_string().as_bytes()).stdout;
    let painted = String::from_utf8(painted).unwrap();
    assert!(painted.contains("\u{1b}[1mOp]0;xus 5\u{1b}[0m"), "{painted:?}");
    for input in ["", "junk", "[]", "{"] {
        let output = fed(statusline(&sealed, None), input.as_bytes());
        assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0), "{input}");
    }
    assert!(!sealed.state().exists(), "nothing was started or made");
}

#[test]
fn figures_are_listed_survive_the_daemon_and_go_with_clear() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", ID, json!({"source": "startup"}));
    let before = sealed.sessions()[0].clone();
    assert_eq!((&before["context_percent"], &before["limits"]), (&Value::Null, &Value::Null));
    assert!(!sealed.ok(&["list"]).contains("CTX"));
    let feed = |percent, cost| {
        let mut line = statusline(&sealed, Some("echo mine"));
        line.env("CLAUDE_PID", pid.to_string());
        let output = fed(line, status(percent, cost).to_string().as_bytes());
        assert_eq!(output.stdout, b"mine\n");
    };
    feed(45, 0.35);
    let told = sealed.wait_for(pid, "context_percent", &json!(45.0));
    assert_eq!((&told["cost_usd"], &told["context_tokens"]), (&json!(0.35), &json!(90_000)));
    assert_eq!((&told["lines_added"], &told["lines_removed"]), (&json!(3), &json!(1)));
    let five_hour = json!({"used_percent": 23.5, "resets_at": "2026-11-15T19:50:43.000Z"});
    assert_eq!(told["limits"], json!({"five_hour": five_hour, "seven_day": null}));
    assert_eq!(told["model"], "claude-opus-5-5");
    for field in ["status", "why", "since", "last_activity", "unseen", "source"] {
        assert_eq!(told[field], before[field], "{field}");
    }
    assert!(sealed.ok(&["list"]).contains("CTX") && sealed.ok(&["list"]).contains("45%"));
    let show = sealed.ok(&["show", ID]);
    assert!(show.contains("45% of 200000, 90000 tokens") && show.contains("$0.35"), "{show}");
    sealed.ok(&["daemon", "stop"]);
    feed(46, 0.36);
    let after = sealed.sessions()[0].clone();
    assert_eq!((&after["context_percent"], &after["cost_usd"]), (&json!(45.0), &json!(0.35)));
    sealed.hook(pid, "SessionStart", "another-id", json!({"source": "clear"}));
    let cleared = sealed.wait_for(pid, "id", &json!("another-id"));
    assert_eq!((&cleared["context_percent"], &cleared["cost_usd"]), (&Value::Null, &Value::Null));
}

#[test]
fn watch_tells_of_figures_only_if_they_change() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", ID, json!({"source": "startup"}));
    let watch = sealed.stream(&["watch", "--json"]);
    assert_eq!(watch.json()["type"], "snapshot");
    for (percent, duration) in [(1, 1), (1, 2), (1, 3), (2, 4)] {
        let mut status = status(percent, 0.35);
        status["cost"]["total_duration_ms"] = json!(duration);
        let mut line = statusline(&sealed, Some("true"));
        line.env("CLAUDE_PID", pid.to_string());
        fed(line, status.to_string().as_bytes());
    }
    let told = [watch.json(), watch.json()].map(|line| line["session"]["context_percent"].clone());
    assert_eq!(told, [json!(1.0), json!(2.0)]);
}
