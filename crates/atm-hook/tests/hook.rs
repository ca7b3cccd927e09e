//! What one hook leaves behind, in good surroundings and in bad ones.

#[path = "common/mod.rs"]
mod common;

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::net::UnixDatagram;
use std::path::Path;

use common::{Ran, hook, journal, records};
use serde_json::json;
use tempfile::tempdir;

const EVENT: &[u8] = br#"{"session_id":"s","hook_event_name":"Stop"}"#;
const NOBODY: u32 = 65534;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").permissions().mode() & 0o7777
}

fn entries(dir: &Path) -> usize {
    fs::read_dir(dir).expect("a directory").count()
}

#[test]
fn hook_in_an_empty_home_creates_a_private_journal() {
    let dir = tempdir().unwrap();
    let state = dir.path().join("a/b");
    let vars = [("TMUX_PANE", "%7"), ("CLAUDE_PID", "1")];
    assert_eq!(hook(&state, &vars, EVENT), Ran { starts: 1 });
    assert_eq!([mode(&state), mode(&state.join("journal"))], [0o700; 2]);
    assert_eq!(mode(&journal(&state)), 0o600);
    assert_eq!(entries(&state), 1, "nothing but the journal");
    let records = records(&journal(&state));
    assert_eq!(records.len(), 1);
    assert_eq!(records[0]["v"], 1);
    assert_eq!(records[0]["bytes"], EVENT.len());
    assert_eq!(records[0]["origin"]["pane"], "%7");
    assert_eq!(records[0]["origin"]["process"]["pid"], 1);
    assert_eq!(records[0]["payload"], json!({"session_id": "s", "hook_event_name": "Stop"}));
}

#[test]
fn hook_with_a_daemon_pokes_it_and_starts_none() {
    let dir = tempdir().unwrap();
    let daemon = UnixDatagram::bind(dir.path().join("poke.sock")).unwrap();
    assert_eq!(hook(dir.path(), &[], EVENT), Ran { starts: 0 });
    daemon.set_nonblocking(true).unwrap();
    assert_eq!(daemon.recv(&mut [0; 8]).unwrap(), 1);
}

#[test]
fn hook_with_a_long_state_path_does_all_the_same() {
    let dir = tempdir().unwrap();
    let state = dir.path().join("d".repeat(150));
    assert_eq!(hook(&state, &[], EVENT), Ran { starts: 1 });
    assert_eq!(records(&journal(&state)).len(), 1);
}

#[test]
fn payload_that_is_no_object_is_kept_as_malformed() {
    let cases: [(&[u8], &str); 8] = [
        (b"", ""),
        (b"[1]", "[1]"),
        (b"{\"a\":1", "{\"a\":1"),
        (b"{\"a\":1} x", "{\"a\":1} x"),
        (b"{\"a\":\"\n\"}", "{\"a\":\"\n\"}"),
        (b"{\"a\":\"\xff\"}", "{\"a\":\"\u{fffd}\"}"),
        (b"\x1b]0;x\x07\n\n", "\x1b]0;x\x07\n\n"),
        (b"\0\0", "\0\0"),
    ];
    let dir = tempdir().unwrap();
    for (payload, _) in cases {
        hook(dir.path(), &[], payload);
    }
    let records = records(&journal(dir.path()));
    assert_eq!(records.len(), cases.len());
    for (record, (payload, expected)) in records.iter().zip(cases) {
        assert_eq!(record["malformed"], expected);
        assert_eq!(record["bytes"], payload.len());
        assert_eq!(record.get("payload"), None);
    }
}

#[test]
fn payload_on_many_lines_is_one_record() {
    let dir = tempdir().unwrap();
    hook(dir.path(), &[], b"\n{\r\n  \"a\": \"\\ud83e\"\n}\n");
    let records = records(&journal(dir.path()));
    assert_eq!((records.len(), &records[0]["payload"]), (1, &json!({"a": "\u{fffd}"})));
}

#[test]
fn state_dir_that_is_a_symlink_is_refused() {
    let dir = tempdir().unwrap();
    let (real, link) = (dir.path().join("real"), dir.path().join("link"));
    fs::create_dir(&real).unwrap();
    symlink(&real, &link).unwrap();
    assert_eq!(hook(&link, &[("ATM_LOG", "1")], EVENT), Ran { starts: 0 });
    assert_eq!(hook(&dir.path().join("link/"), &[], EVENT), Ran { starts: 0 });
    assert_eq!(entries(&real), 0);
    symlink(dir.path().join("missing"), dir.path().join("dangling")).unwrap();
    assert_eq!(hook(&dir.path().join("dangling"), &[], EVENT), Ran { starts: 0 });
    assert!(!dir.path().join("missing").exists());
}

#[test]
fn state_dir_of_another_user_is_refused() {
    let dir = tempdir().unwrap();
    if chown(dir.path(), Some(NOBODY), None).is_err() {
        return; // only root can give a directory away
    }
    assert_eq!(hook(dir.path(), &[("ATM_LOG", "1")], EVENT), Ran { starts: 0 });
    assert_eq!(entries(dir.path()), 0);
}

#[test]
#[cfg(target_os = "linux")]
fn state_dir_that_is_read_only_is_left_alone() {
    let dir = tempdir().unwrap();
    fs::set_permissions(dir.path(), Permissions::from_mode(0o500)).unwrap();
    let ran = std::thread::scope(|scope| {
        let as_user = || {
            // Root may write everywhere; the identity of a thread ends with it.
            if rustix::process::geteuid().is_root() {
                chown(dir.path(), Some(NOBODY), None).unwrap();
                rustix::thread::set_thread_uid(rustix::fs::Uid::from_raw(NOBODY)).unwrap();
            }
            hook(dir.path(), &[("ATM_LOG", "1")], EVENT)
        };
        scope.spawn(as_user).join().unwrap()
    });
    assert_eq!(ran, Ran { starts: 0 });
    assert_eq!(entries(dir.path()), 0);
}

#[test]
fn journal_that_is_no_file_is_logged_as_a_failure() {
    let dir = tempdir().unwrap();
    fs::create_dir_all(journal(dir.path())).unwrap();
    assert_eq!(hook(dir.path(), &[], EVENT), Ran { starts: 0 });
    let log = fs::read_to_string(dir.path().join("atm.log")).unwrap();
    assert!(log.contains("event lost: cannot open the journal"), "{log}");
    assert_eq!((log.lines().count(), mode(&dir.path().join("atm.log"))), (1, 0o600));
}

#[test]
fn journal_that_is_a_symlink_is_refused() {
    let dir = tempdir().unwrap();
    let target = dir.path().join("target");
    fs::create_dir(dir.path().join("journal")).unwrap();
    symlink(&target, journal(dir.path())).unwrap();
    hook(dir.path(), &[], EVENT);
    assert!(!target.exists());
}

#[test]
fn journal_beyond_all_measure_does_not_grow() {
    let dir = tempdir().unwrap();
    fs::create_dir(dir.path().join("journal")).unwrap();
    let file = File::create(journal(dir.path())).unwrap();
    file.set_len((1 << 30) + 1).unwrap();
    assert_eq!(hook(dir.path(), &[], EVENT), Ran { starts: 0 });
    assert_eq!(file.metadata().unwrap().len(), (1 << 30) + 1);
    let log = fs::read_to_string(dir.path().join("atm.log")).unwrap();
    assert!(log.contains("journal is full"), "{log}");
}

#[test]
fn log_tells_details_only_if_asked_and_stops_growing() {
    let dir = tempdir().unwrap();
    let log = dir.path().join("atm.log");
    hook(dir.path(), &[("ATM_LOG", "0"), ("CLAUDE_TMUX_DEBUG", "")], EVENT);
    assert!(!log.exists());
    hook(dir.path(), &[("CLAUDE_TMUX_DEBUG", "1")], EVENT);
    assert!(fs::read_to_string(&log).unwrap().contains("daemon started"));
    File::options().write(true).open(&log).unwrap().set_len(1024 * 1024).unwrap();
    hook(dir.path(), &[("ATM_LOG", "debug")], EVENT);
    assert_eq!(fs::metadata(&log).unwrap().len(), 1024 * 1024);
    assert_eq!(records(&journal(dir.path())).len(), 3);
}
