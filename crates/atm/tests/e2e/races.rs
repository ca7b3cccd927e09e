//! Many at once: one daemon comes up, and it serves all.

use std::collections::BTreeSet;
use std::fs;
use std::process::{Output, Stdio};
use std::sync::Barrier;
use std::thread;

use serde_json::json;

use crate::ledger::{self, MARK};
use crate::sealed::Sealed;
use crate::wire::{Daemon, Wire, daemons};

const AT_ONCE: usize = 64;
const ROUNDS: usize = 5;

/// Runs `act` in as many threads, all of which begin at the same moment.
fn at_once<T: Send>(act: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(AT_ONCE);
    thread::scope(|scope| {
        let run = |index| {
            let (start, act) = (&start, &act);
            scope.spawn(move || {
                start.wait();
                act(index)
            })
        };
        let threads: Vec<_> = (0..AT_ONCE).map(run).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Losers of the race end by themselves; the one that serves is left.
fn assert_one_daemon(sealed: &Sealed) {
    let serving = Daemon::of(sealed).pid();
    sealed.wait("the end of all daemons but one", |sealed| {
        (daemons(sealed) == [serving]).then_some(())
    });
}

#[test]
fn hooks_at_once_start_one_daemon_and_lose_nothing() {
    for round in 0..ROUNDS {
        let mut sealed = Sealed::new();
        let pid = sealed.client();
        at_once(|index| {
            let mark = format!("{round}-{index}");
            sealed.hook(pid, "UserPromptSubmit", "cccc-0001", json!({MARK: mark, "prompt": "go"}));
        });
        let stored: Vec<String> = ledger::stored_marks(&sealed).into_values().collect();
        let expected: BTreeSet<String> = (0..AT_ONCE).map(|i| format!("{round}-{i}")).collect();
        assert_eq!(stored.len(), AT_ONCE);
        assert_eq!(stored.into_iter().collect::<BTreeSet<_>>(), expected);
        assert_one_daemon(&sealed);
    }
}

#[test]
fn commands_at_once_start_one_daemon_and_are_all_answered() {
    for _ in 0..ROUNDS {
        let sealed = Sealed::new();
        let outputs: Vec<Output> = at_once(|_| sealed.atm(&["list", "--json"]));
        for output in outputs {
            let error = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{error}");
            let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(listed["sessions"], json!([]));
        }
        assert_one_daemon(&sealed);
    }
}

#[test]
fn second_daemon_says_that_another_runs_and_exits_1() {
    let sealed = Sealed::new();
    let mut first = sealed
        .command(env!("CARGO_BIN_EXE_atm"))
        .args(["daemon", "--foreground"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    sealed.wait("the first daemon", |sealed| Wire::open(sealed).ok());
    let mut second = sealed.command(env!("CARGO_BIN_EXE_atm"));
    second.args(["daemon", "--foreground"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let second = Sealed::finish(second.spawn().unwrap());
    let error = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(1), "{error}");
    assert!(error.contains("another daemon"), "{error}");
    assert!(error.contains(sealed.state().to_str().unwrap()), "{error}");
    assert!(error.contains("hint:"), "{error}");
    assert_eq!(sealed.daemon_pid(), Some(first.id().cast_signed()));
    sealed.ok(&["daemon", "stop"]);
    assert!(first.wait().unwrap().success());
}

#[test]
fn daemon_started_by_a_hook_leaves_its_starter_behind() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let leak = sealed.path().join("leak");
    // As a careless client would: a descriptor that every child inherits.
    let script = format!(
        r#"exec 9>{}; printf '{{"hook_event_name":"Stop","session_id":"cccc-0002"}}' | "$0" hook"#,
        leak.display()
    );
    let mut shell = sealed.command("/bin/sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_atm")]).env("CLAUDE_PID", pid.to_string());
    let output = shell.current_dir(sealed.home()).output().unwrap();
    assert_eq!((output.status.code(), output.stdout, output.stderr), (Some(0), vec![], vec![]));
    assert!(leak.exists());

    // Found among the processes: no command has a hand in its start.
    let daemon = sealed.wait("the daemon", |sealed| daemons(sealed).first().copied());
    sealed.wait("its socket", |sealed| Wire::open(sealed).ok());
    assert_eq!(Daemon::of(&sealed).pid(), daemon);
    let stat = fs::read_to_string(format!("/proc/{daemon}/stat")).unwrap();
    let after_name = &stat[stat.rfind(')').unwrap() + 2..];
    // Fields 3 (state), 4, 5, 6 (session).
    assert_eq!(after_name.split(' ').nth(3), Some(daemon.to_string().as_str()), "{stat}");
    let open = |fd: &str| fs::read_link(format!("/proc/{daemon}/fd/{fd}")).unwrap();
    for standard in ["0", "1", "2"] {
        assert_eq!(open(standard).to_str(), Some("/dev/null"));
    }
    let links: Vec<_> = fs::read_dir(format!("/proc/{daemon}/fd"))
        .unwrap()
        .filter_map(|entry| fs::read_link(entry.unwrap().path()).ok())
        .collect();
    assert!(!links.contains(&leak), "{links:?}");
    assert_eq!(fs::read_link(format!("/proc/{daemon}/cwd")).unwrap().to_str(), Some("/"));
}
