//! Daemons that are dead, frozen or mute.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::PathBuf;
use std::thread;

use serde_json::json;

use super::{assert_told, finish, hook_with};
use crate::ledger::{self, MARK};
use crate::sealed::Sealed;
use crate::wire::{Daemon, Wire};

#[test]
fn sockets_of_a_dead_daemon_do_not_stand_in_the_way() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "UserPromptSubmit", "eeee-0001", json!({"prompt_id": "p"}));
    for _ in 0..2 {
        // Found dead by a command.
        Daemon::of(&sealed).kill();
        assert!(sealed.state().join("atm.sock").exists() && Wire::open(&sealed).is_err());
        assert_eq!(sealed.sessions().len(), 1);
        // Found dead by a hook.
        Daemon::of(&sealed).kill();
        assert!(sealed.state().join("poke.sock").exists() && Wire::open(&sealed).is_err());
        sealed.hook(pid, "Stop", "eeee-0001", json!({"prompt_id": "p"}));
        sealed.wait("a daemon started by the hook", |sealed| Wire::open(sealed).ok());
    }
}

/// Holds the places of a daemon, takes every call and answers none.
struct Mute {
    sockets: [PathBuf; 2],
    _lock: File,
    _poke: UnixDatagram,
}

impl Mute {
    fn new(sealed: &Sealed) -> Mute {
        DirBuilder::new().mode(0o700).create(sealed.state()).unwrap();
        let lock = File::create(sealed.state().join("daemon.lock")).unwrap();
        lock.lock().unwrap();
        let sockets = ["atm.sock", "poke.sock"].map(|name| sealed.state().join(name));
        let listener = UnixListener::bind(&sockets[0]).unwrap();
        thread::spawn(move || {
            let mut calls = Vec::new();
            while let Ok(call) = listener.accept() {
                calls.push(call);
            }
        });
        let poke = UnixDatagram::bind(&sockets[1]).unwrap();
        fill(sealed);
        Mute { sockets, _lock: lock, _poke: poke }
    }
}

impl Drop for Mute {
    /// Before the sealed world ends: `daemon stop` would end whoever listens here, and that is us.
    fn drop(&mut self) {
        for socket in &self.sockets {
            fs::remove_file(socket).unwrap();
        }
    }
}

/// Pokes until no more fit into the queue.
fn fill(sealed: &Sealed) {
    let socket = UnixDatagram::unbound().unwrap();
    socket.set_nonblocking(true).unwrap();
    loop {
        match socket.send_to(b"!", sealed.state().join("poke.sock")) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Hooks that must end by themselves, whatever the daemon does.
fn fire(sealed: &Sealed, pid: u32, session: &str, count: usize) {
    for mark in 0..count {
        let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
        command.env("CLAUDE_PID", pid.to_string());
        let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": session,
            "prompt_id": "p", MARK: mark.to_string()});
        hook_with(command, event.to_string().as_bytes());
    }
}

#[test]
fn mute_daemon_costs_commands_their_patience_and_hooks_nothing() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let mute = Mute::new(&sealed);
    for args in [&["list"][..], &["status"], &["daemon", "status"]] {
        let mut command = sealed.command(env!("CARGO_BIN_EXE_atm"));
        let error = assert_told(&finish(command.args(args)), 3);
        assert!(error.contains("did not answer"), "{args:?}: {error}");
        assert!(error.contains("atm daemon stop"), "{args:?}: {error}");
    }
    fire(&sealed, pid, "eeee-0002", 20);
    drop(mute);
    assert_eq!(ledger::stored_marks(&sealed).len(), 20);
}

#[test]
fn frozen_daemon_holds_up_no_hook_and_misses_nothing() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    sealed.hook(pid, "SessionStart", "eeee-0003", json!({"source": "startup", MARK: "first"}));
    let daemon = Daemon::of(&sealed);
    daemon.freeze();
    fill(&sealed);
    fire(&sealed, pid, "eeee-0003", 40);
    daemon.thaw();
    // No poke came after the queue was full, and none is needed: this reads the database without
    // asking the daemon anything.
    sealed.wait("the events of the frozen time", |sealed| {
        let count = "SELECT count(*) FROM events";
        let stored: i64 = ledger::database(sealed).query_row(count, [], |r| r.get(0)).ok()?;
        (stored == 41).then_some(())
    });
    assert_eq!(sealed.sessions()[0]["status"], "working");
    assert_eq!(Daemon::of(&sealed).pid(), daemon.pid());
    assert_eq!(ledger::stored_marks(&sealed), ledger::journal_marks(&sealed));
}
