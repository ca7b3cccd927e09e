//! Clients of the socket that are slow, foreign, mad or too many: each costs its own connection.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Stdio;
use std::thread;

use atm_core::proto::frame::{self, MAX_REQUEST};
use atm_core::proto::message::{RefusalKind, Reply, Request};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};
use serde_json::json;

use super::{NOBODY, as_nobody, assert_told, finish};
use crate::ledger::{self, MARK};
use crate::sealed::Sealed;
use crate::wire::{Daemon, Wire};

const EVENTS: usize = 3_000;
const ROUND: usize = 500;
const SESSIONS: usize = 8;
/// Background tasks make every message large: some 20 KiB.
const TASKS: usize = 100;
/// A subscriber may have 256 messages waiting, and its socket holds some.
const ENOUGH: usize = 1_500;
/// What waits for each of two subscribers is 5 MiB at most; all messages would be over 30.
const GROWTH_KIB: u64 = 24 * 1024;

fn crowd_of(sealed: &mut Sealed) -> Vec<u32> {
    let task = |n| {
        json!({"id": format!("t{n}"), "type": "shell", "status": "running",
        "description": "d".repeat(150)})
    };
    let tasks: Vec<_> = (0..TASKS).map(task).collect();
    let clients: Vec<u32> = (0..SESSIONS).map(|_| sealed.client()).collect();
    for pid in &clients {
        let more = json!({"prompt_id": "first", "background_tasks": tasks});
        sealed.hook(*pid, "Stop", &format!("acac-{pid}"), more);
    }
    clients
}

/// One round of events, in the name of all clients; the last one asks.
fn fire(sealed: &Sealed, clients: &[u32], round: usize) {
    thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for event in (writer..ROUND).step_by(4) {
                    let pid = clients[event % clients.len()];
                    let more = json!({"prompt_id": format!("{round}-{event}"), MARK: "x"});
                    sealed.hook(pid, "UserPromptSubmit", &format!("acac-{pid}"), more);
                }
            });
        }
    });
    let ask = json!({"tool_name": "Bash", "tool_use_id": format!("ask-{round}")});
    sealed.hook(clients[0], "PermissionRequest", &format!("acac-{}", clients[0]), ask);
}

#[test]
fn subscriber_that_never_reads_holds_up_nobody() {
    let mut sealed = Sealed::in_memory();
    let clients = crowd_of(&mut sealed);
    let daemon = Daemon::of(&sealed);
    let mut slow = Wire::open(&sealed).unwrap();
    slow.send(&Request::Subscribe);
    let Some(Reply::Snapshot { sessions }) = slow.hear() else { panic!("no snapshot") };
    assert!(sessions.iter().all(|view| view.background.len() == TASKS));
    let watch = sealed.stream(&["watch", "--json"]);
    watch.until(|line| line.contains("\"snapshot\""));
    let before = daemon.resident();

    let (mut rounds, mut seen) = (0, 0);
    while rounds * ROUND < EVENTS || seen < ENOUGH {
        fire(&sealed, &clients, rounds);
        // Who reads is kept up to date, while the other one stands still.
        let lines = watch.until(|line| line.contains("\"attention\""));
        seen += lines.len();
        rounds += 1;
        let growth = daemon.resident().saturating_sub(before);
        assert!(growth < GROWTH_KIB, "grew by {growth} KiB after {seen} changes");
    }

    // Cut, or told anew; not kept waiting with everything it missed.
    let mut changes = 0;
    while let Some(Reply::Changed { .. }) = slow.hear() {
        changes += 1;
        assert!(changes < seen, "all {changes} changes were kept for it");
    }
    assert_eq!(ledger::stored_marks(&sealed).len(), rounds * ROUND);
    assert_eq!(Daemon::of(&sealed).pid(), daemon.pid());
}

#[test]
fn other_user_is_refused_by_the_daemon_itself() {
    let mut sealed = Sealed::new();
    let Some(mut list) = as_nobody(&sealed) else { return };
    let pid = sealed.client();
    sealed.hook(pid, "UserPromptSubmit", "acac-0002", json!({"prompt_id": "p"}));
    let daemon = Daemon::of(&sealed);
    // All that keeps others out before the daemon has a say is taken away.
    chown(sealed.state(), Some(NOBODY), None).unwrap();
    for socket in ["atm.sock", "poke.sock"] {
        let path = sealed.state().join(socket);
        fs::set_permissions(path, fs::Permissions::from_mode(0o666)).unwrap();
    }
    let output = finish(list.args(["list", "--json"]));
    chown(sealed.state(), Some(0), None).unwrap();
    let error = assert_told(&output, 3);
    assert!(error.contains("closed the connection"), "{error}");
    assert!(daemon.is_alive());
    assert_eq!(sealed.sessions()[0]["id"], "acac-0002");
}

#[test]
fn garbage_on_the_socket_costs_the_connection_and_nothing_else() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "UserPromptSubmit", "acac-0003", json!({"prompt_id": "p"}));
    let daemon = Daemon::of(&sealed);
    let framed = |body: &[u8]| frame::encode(body).unwrap();

    // Whole messages that make no sense are refused, and the next one is heard.
    let mut wire = Wire::open(&sealed).unwrap();
    let nonsense: [(&[u8], RefusalKind); 6] = [
        (b"", RefusalKind::BadRequest),
        (b"\0\xff\xfe", RefusalKind::BadRequest),
        (b"{\"v\":1,\"req\":\"dance\"}", RefusalKind::BadRequest),
        (b"{\"v\":1}", RefusalKind::BadRequest),
        (b"[[[[[[[[", RefusalKind::BadRequest),
        (b"{\"v\":2,\"req\":\"status\"}", RefusalKind::Version),
    ];
    for (body, kind) in nonsense {
        wire.send_bytes(&framed(body));
        match wire.hear() {
            Some(Reply::Refused(refusal)) => assert_eq!(refusal.kind, kind, "{body:?}"),
            other => panic!("{body:?}: {other:?}"),
        }
    }
    assert_eq!(wire.ask_status().pid.cast_signed(), daemon.pid());

    // After a message beyond the limit nobody knows where the next one starts.
    let too_long = u32::try_from(MAX_REQUEST + 1).unwrap().to_be_bytes();
    for bytes in [&too_long[..], b"\xff\xff\xff\xff", b"GET / HTTP/1.1\r\n\r\n"] {
        let mut wire = Wire::open(&sealed).unwrap();
        wire.send_bytes(bytes);
        match wire.hear() {
            Some(Reply::Refused(refusal)) => assert_eq!(refusal.kind, RefusalKind::BadRequest),
            other => panic!("{bytes:?}: {other:?}"),
        }
        assert!(wire.hear().is_none(), "{bytes:?}: still open");
    }

    // Half a message, and gone.
    for cut in [1, 4, 10] {
        let mut wire = Wire::open(&sealed).unwrap();
        wire.send_bytes(&framed(b"{\"v\":1,\"req\":\"status\"}")[..cut]);
    }
    assert_eq!(sealed.sessions().len(), 1);
    assert_eq!(Daemon::of(&sealed).pid(), daemon.pid());
}

#[test]
fn daemon_out_of_descriptors_survives_and_serves_afterwards() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let mut shell = sealed.command("/bin/sh");
    let script = r#"ulimit -n 64 && exec "$0" daemon --foreground"#;
    shell.args(["-c", script, env!("CARGO_BIN_EXE_atm")]);
    let mut process = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let daemon = sealed.wait("the daemon", |sealed| Wire::open(sealed).ok()).daemon();
    assert_eq!(daemon.pid(), process.id().cast_signed());

    let address = SocketAddrUnix::new(sealed.state().join("atm.sock")).unwrap();
    let crowd: Vec<_> = (0..200)
        .map(|_| {
            let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
            let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).unwrap();
            // The queue of callers may be full too.
            connect(&socket, &address).ok();
            socket
        })
        .collect();
    let fds = format!("/proc/{}/fd", daemon.pid());
    sealed
        .wait("the last descriptor", |_| (fs::read_dir(&fds).unwrap().count() >= 64).then_some(()));
    sealed.hook(pid, "UserPromptSubmit", "acac-0004", json!({"prompt_id": "p", MARK: "crowd"}));
    assert!(daemon.is_alive());
    drop(crowd);

    // The journal could not be opened; nobody has to poke the daemon to try again.
    sealed.wait("the event", |sealed| {
        (ledger::database(sealed).query_row("SELECT 1 FROM events", [], |_| Ok(()))).ok()
    });
    assert_eq!(sealed.sessions()[0]["status"], "working");
    assert_eq!(Daemon::of(&sealed).pid(), daemon.pid());
    sealed.ok(&["daemon", "stop"]);
    assert!(process.wait().unwrap().success());
}
