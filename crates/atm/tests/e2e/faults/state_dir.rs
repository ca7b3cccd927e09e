//! State directories that cannot be used, and one that only looks so.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::process::Stdio;

use serde_json::json;

use super::{NOBODY, as_mortal, as_nobody, assert_told, finish, hook_quietly};
use crate::sealed::Sealed;
use crate::wire::{Daemon, Wire, daemons};

/// Commands say what is wrong with which directory, and the hook keeps quiet.
fn assert_refused(sealed: &Sealed, words: &str) {
    hook_quietly(sealed.command(env!("CARGO_BIN_EXE_atm")));
    for args in [&["list"][..], &["status"], &["daemon"]] {
        let error = assert_told(&sealed.atm(args), 3);
        assert!(error.contains(words), "{args:?}: {error}");
        assert!(error.contains(sealed.state().to_str().unwrap()), "{args:?}: {error}");
    }
    let mut daemon = sealed.command(env!("CARGO_BIN_EXE_atm"));
    let error = assert_told(&finish(daemon.args(["daemon", "--foreground"])), 1);
    assert!(error.contains(words), "{error}");
    assert!(daemons(sealed).is_empty());
}

#[test]
fn state_dir_that_is_a_link_is_refused_and_not_followed() {
    let sealed = Sealed::new();
    let real = sealed.path().join("elsewhere");
    fs::create_dir(&real).unwrap();
    symlink(&real, sealed.state()).unwrap();
    assert_refused(&sealed, "symbolic link");
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
}

#[test]
fn state_dir_that_is_a_file_is_refused_and_left_alone() {
    let sealed = Sealed::new();
    fs::write(sealed.state(), "mine").unwrap();
    assert_refused(&sealed, "no directory");
    assert_eq!(fs::read(sealed.state()).unwrap(), b"mine");
}

#[test]
fn state_dir_of_another_user_is_refused_and_left_alone() {
    let sealed = Sealed::new();
    if as_nobody(&sealed).is_none() {
        return;
    }
    fs::create_dir(sealed.state()).unwrap();
    chown(sealed.state(), Some(NOBODY), Some(NOBODY)).unwrap();
    assert_refused(&sealed, &format!("user {NOBODY}"));
    assert_eq!(fs::read_dir(sealed.state()).unwrap().count(), 0);
}

/// Who can put a directory where ours should be can also put a daemon into it.
#[test]
fn daemon_of_another_user_is_not_believed() {
    let sealed = Sealed::new();
    let Some(mut foreign) = as_nobody(&sealed) else { return };
    fs::create_dir(sealed.state()).unwrap();
    chown(sealed.state(), Some(NOBODY), Some(NOBODY)).unwrap();
    foreign.args(["daemon", "--foreground"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut foreign = foreign.spawn().unwrap();
    sealed.wait("the other user's daemon", |sealed| Wire::open(sealed).ok());
    for args in [&["list"][..], &["watch"], &["daemon", "status"], &["daemon", "stop"]] {
        let error = assert_told(&sealed.atm(args), 3);
        assert!(error.contains(&format!("user {NOBODY}")), "{args:?}: {error}");
    }
    assert!(foreign.try_wait().unwrap().is_none(), "it is not ours to stop");
    foreign.kill().unwrap();
    foreign.wait().unwrap();
}

#[test]
fn state_dir_that_cannot_be_written_is_told_by_commands_only() {
    let sealed = Sealed::new();
    let Some(mut list) = as_mortal(&sealed) else { return };
    fs::create_dir(sealed.state()).unwrap();
    if super::is_root() {
        chown(sealed.state(), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    fs::set_permissions(sealed.state(), fs::Permissions::from_mode(0o500)).unwrap();
    hook_quietly(as_mortal(&sealed).unwrap());
    let error = assert_told(&list.arg("list").output().unwrap(), 3);
    assert!(error.contains("Permission denied"), "{error}");
    assert!(error.contains(sealed.state().to_str().unwrap()), "{error}");
    assert_eq!(fs::read_dir(sealed.state()).unwrap().count(), 0);
    fs::set_permissions(sealed.state(), fs::Permissions::from_mode(0o700)).unwrap();
}

/// A socket's address holds 107 bytes.
#[test]
fn state_dir_with_a_path_of_150_bytes_works() {
    let mut sealed = Sealed::with_state(|dir| {
        let missing = 150 - dir.as_os_str().len() - "//state".len();
        dir.join("d".repeat(missing)).join("state")
    });
    assert_eq!(sealed.state().as_os_str().len(), 150);
    let pid = sealed.client();
    // Each of the two has to start the daemon once, and to reach it once.
    for round in 0..2 {
        sealed.hook(pid, "UserPromptSubmit", "dddd-0150", json!({"prompt_id": round}));
        sealed.wait("the daemon", |sealed| (!daemons(sealed).is_empty()).then_some(()));
        assert_eq!(sealed.sessions()[0]["status"], "working");
        sealed.hook(pid, "Stop", "dddd-0150", json!({"prompt_id": round}));
        assert_eq!(sealed.sessions()[0]["why"], "done");
        sealed.ok(&["daemon", "stop"]);
        assert_eq!(sealed.sessions()[0]["why"], "done");
        sealed.ok(&["daemon", "stop"]);
    }
    assert!(daemons(&sealed).is_empty());
}

/// Its mode is put right, and so are those of the files in it.
#[test]
fn state_dir_open_to_all_becomes_private() {
    let sealed = Sealed::new();
    fs::create_dir(sealed.state()).unwrap();
    fs::set_permissions(sealed.state(), fs::Permissions::from_mode(0o777)).unwrap();
    hook_quietly(sealed.command(env!("CARGO_BIN_EXE_atm")));
    sealed.ok(&["list"]);
    Daemon::of(&sealed);
    let mode = |path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(sealed.state().to_owned()), 0o700);
    assert_eq!(mode(sealed.state().join("journal")), 0o700);
    for name in ["atm.sock", "poke.sock", "atm.db", "daemon.lock", "journal/current.jsonl"] {
        assert_eq!(mode(sealed.state().join(name)), 0o600, "{name}");
    }
}
