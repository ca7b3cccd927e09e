//! Databases and journals that somebody else had their hands on.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::assert_told;
use crate::ledger::{self, MARK};
use crate::sealed::Sealed;
use crate::wire::Daemon;

/// Three sessions, one of each status; the daemon is stopped.
fn three_sessions() -> (Sealed, [u32; 3]) {
    let mut sealed = Sealed::new();
    let pids = [(); 3].map(|()| sealed.client());
    for (index, pid) in pids.into_iter().enumerate() {
        let id = format!("ffff-000{index}");
        let more = json!({"prompt_id": "p", "prompt": "go", MARK: format!("prompt {index}")});
        sealed.hook(pid, "UserPromptSubmit", &id, more);
    }
    let bash = json!({"prompt_id": "p", "tool_name": "Bash", MARK: "ask"});
    sealed.hook(pids[1], "PermissionRequest", "ffff-0001", bash);
    sealed.hook(pids[2], "Stop", "ffff-0002", json!({"prompt_id": "p", MARK: "stop"}));
    assert_eq!(ledger::stored_marks(&sealed).len(), 5);
    assert_as_made(&sealed, pids);
    sealed.ok(&["daemon", "stop"]);
    (sealed, pids)
}

fn assert_as_made(sealed: &Sealed, pids: [u32; 3]) {
    let sessions = sealed.sessions();
    let status = |pid: u32| {
        let session = sessions.iter().find(|session| session["pid"] == pid);
        session.map_or(Value::Null, |session| session["status"].clone())
    };
    assert_eq!(pids.map(status), ["working", "attention", "idle"].map(Value::from));
    assert_eq!(sessions.len(), 3);
}

fn database_file(sealed: &Sealed) -> PathBuf {
    sealed.state().join("atm.db")
}

fn set_version(sealed: &Sealed, version: i64) {
    let database = Connection::open(database_file(sealed)).unwrap();
    database.pragma_update(None, "user_version", version).unwrap();
    database.close().unwrap();
}

#[test]
fn database_of_a_newer_atm_is_named_and_left_as_it_is() {
    let (sealed, pids) = three_sessions();
    let version: i64 =
        ledger::database(&sealed).query_row("PRAGMA user_version", [], |r| r.get(0)).unwrap();
    set_version(&sealed, 99);
    let before = fs::read(database_file(&sealed)).unwrap();

    for args in [&["list"][..], &["status"], &["watch"], &["daemon"]] {
        let error = assert_told(&sealed.atm(args), 3);
        for words in ["newer atm", database_file(&sealed).to_str().unwrap(), "99"] {
            assert!(error.contains(words), "{args:?}: {words} is not in {error}");
        }
        let hint = error.lines().find(|line| line.starts_with("hint: ")).unwrap();
        assert!(hint.contains("update atm"), "{args:?}: {error}");
    }
    sealed.hook(pids[0], "Stop", "ffff-0000", json!({"prompt_id": "p", MARK: "while newer"}));
    assert!(ledger::journal_marks(&sealed).values().any(|mark| mark == "while newer"));
    assert_eq!(fs::read(database_file(&sealed)).unwrap(), before);
    assert_eq!(set_aside(&sealed), Vec::<PathBuf>::new());

    // The right atm finds all of it.
    set_version(&sealed, version);
    assert_eq!(ledger::stored_marks(&sealed), ledger::journal_marks(&sealed));
    let statuses = sealed.sessions().iter().filter(|s| s["status"] == "idle").count();
    assert_eq!(statuses, 2);
}

/// Databases that were found damaged.
fn set_aside(sealed: &Sealed) -> Vec<PathBuf> {
    let is_one = |path: &PathBuf| {
        let name = path.to_str().unwrap();
        name.contains("atm.db.corrupt") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    let all = fs::read_dir(sealed.state()).unwrap().map(|entry| entry.unwrap().path());
    all.filter(is_one).collect()
}

/// Damages the database by `damage`, and sees that nothing is missing afterwards.
fn check_rebuilt(damage: impl FnOnce(&fs::File)) {
    let (sealed, pids) = three_sessions();
    let before = ledger::journal_marks(&sealed);
    let file = OpenOptions::new().read(true).write(true).open(database_file(&sealed)).unwrap();
    damage(&file);
    let damaged = fs::read(database_file(&sealed)).unwrap();
    assert_as_made(&sealed, pids);
    let aside = set_aside(&sealed);
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert_eq!(fs::read(&aside[0]).unwrap(), damaged);
    assert_eq!(ledger::stored_marks(&sealed), before);
    let status = sealed.json(&["daemon", "status", "--json"]);
    let troubles = status["troubles"].as_array().unwrap();
    let named = |t: &Value| t.as_str().unwrap().contains(aside[0].to_str().unwrap());
    assert!(troubles.iter().any(named), "{status}");
    // Once is enough: the new one is sound.
    sealed.ok(&["daemon", "stop"]);
    assert_as_made(&sealed, pids);
    assert_eq!(set_aside(&sealed), aside);
}

#[test]
fn database_of_garbage_is_set_aside_and_rebuilt_from_the_journal() {
    check_rebuilt(|file| {
        file.set_len(0).unwrap();
        file.write_all_at(&b"garbage ".repeat(4096), 0).unwrap();
    });
}

#[test]
fn database_with_a_hole_is_set_aside_and_rebuilt_from_the_journal() {
    check_rebuilt(|file| {
        let middle = file.metadata().unwrap().len() / 8192 * 4096;
        file.write_all_at(&[0x5a; 3 * 4096], middle - 4096).unwrap();
    });
}

#[test]
fn database_cut_short_is_set_aside_and_rebuilt_from_the_journal() {
    check_rebuilt(|file| file.set_len(file.metadata().unwrap().len() / 2).unwrap());
}

#[test]
fn database_deleted_is_rebuilt_from_the_journal() {
    let (sealed, pids) = three_sessions();
    fs::remove_file(database_file(&sealed)).unwrap();
    assert_as_made(&sealed, pids);
    assert_eq!(ledger::stored_marks(&sealed), ledger::journal_marks(&sealed));
}

#[test]
fn journal_with_garbage_gives_all_good_records_and_counts_the_rest() {
    let (sealed, pids) = three_sessions();
    let path = sealed.state().join("journal/current.jsonl");
    let spoil = |bytes: &[u8]| {
        OpenOptions::new().append(true).open(&path).unwrap().write_all(bytes).unwrap();
    };
    let event = |mark: &str| {
        let more = json!({"prompt_id": "q", "prompt": "more", MARK: mark});
        sealed.hook(pids[2], "UserPromptSubmit", "ffff-0002", more);
    };
    let whole = fs::read(&path).unwrap();
    let half = &whole[..whole.iter().rposition(|byte| *byte == b'{').unwrap() + 20];
    let half = &half[half.iter().rposition(|byte| *byte == b'\n').unwrap() + 1..];
    // While nobody reads, and while the daemon does.
    for round in ["down", "up"] {
        spoil(b"\0\0\0\0\0\0\0\0\n");
        event(&format!("{round} 1"));
        spoil(b"\xff\xfe\xc3\x28 not text\n\n\n");
        event(&format!("{round} 2"));
        // Its end never came; the next record begins right behind it.
        spoil(half);
        event(&format!("{round} 3"));
        spoil(b"{}\n[1,2]\n{\"v\":2,\"ts\":1,\"mono\":1,\"origin\":{},\"bytes\":0}\n");
        event(&format!("{round} 4"));
        let hook = sealed.hook_raw(Some(pids[2]), b"this is no JSON");
        super::assert_quiet(&hook);
        sealed.ok(&["list"]);
    }
    let marks: Vec<String> = ledger::stored_marks(&sealed).into_values().collect();
    let good = ["down", "up"].map(|round| (1..=4).map(move |n| format!("{round} {n}")));
    assert_eq!(marks[5..], good.into_iter().flatten().collect::<Vec<_>>());
    let status = sealed.json(&["daemon", "status", "--json"]);
    // Per round: NULs, no text, half a record, {}, [1,2], a newer version, no JSON on stdin.
    assert_eq!(status["malformed"], 14, "{status}");
    let session = sealed.sessions().into_iter().find(|s| s["pid"] == pids[2]).unwrap();
    assert_eq!((&session["status"], &session["last_prompt"]), (&json!("working"), &json!("more")));
    let pid = Daemon::of(&sealed).pid();
    assert_eq!(status["pid"], pid);
}
