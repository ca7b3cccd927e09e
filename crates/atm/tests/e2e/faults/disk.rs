//! A disk that is full, and has room again.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::{is_root, skip};
use crate::ledger::{self, MARK};
use crate::sealed::Sealed;
use crate::wire::Daemon;

/// A disk of 1 MiB under the state directory.
pub(crate) struct Disk<'a>(&'a Sealed);

impl Disk<'_> {
    pub(crate) fn mount(sealed: &Sealed) -> Option<Disk<'_>> {
        if !is_root() {
            skip("only root can mount a small disk");
            return None;
        }
        fs::create_dir(sealed.state()).unwrap();
        let mut mount = sealed.command("mount");
        mount.args(["-t", "tmpfs", "-o", "size=1m,mode=0700", "atm-e2e"]).arg(sealed.state());
        let output = mount.output().unwrap();
        if !output.status.success() {
            skip(&format!("cannot mount: {}", String::from_utf8_lossy(&output.stderr)));
            return None;
        }
        fs::set_permissions(sealed.state(), fs::Permissions::from_mode(0o700)).unwrap();
        Some(Disk(sealed))
    }

    /// Leaves no byte free.
    pub(crate) fn fill(&self) {
        let mut file = File::create(self.0.state().join("ballast")).unwrap();
        for size in [4096, 1] {
            loop {
                match file.write_all(&vec![b'x'; size]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
    }

    pub(crate) fn free(&self) {
        fs::remove_file(self.0.state().join("ballast")).unwrap();
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        self.0.atm(&["daemon", "stop"]);
        self.0.command("umount").arg("-l").arg(self.0.state()).output().unwrap();
    }
}

#[test]
fn full_disk_hurts_no_hook_and_is_forgotten_once_there_is_room() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let Some(disk) = Disk::mount(&sealed) else { return };
    let event = |name: &str, mark: &str| {
        sealed.hook(pid, name, "abab-0001", json!({"prompt_id": mark, MARK: mark}));
    };
    event("UserPromptSubmit", "before");
    assert_eq!(ledger::stored_marks(&sealed).len(), 1);
    let daemon = Daemon::of(&sealed);

    disk.fill();
    // Until the journal takes no more: a file's last block has room still.
    for mark in 0..40 {
        event("UserPromptSubmit", &format!("full {mark}"));
    }
    assert!(ledger::journal_marks(&sealed).len() < 41, "the disk was not full");
    // It answers from memory, and says what is wrong if it could not store something.
    assert_eq!(sealed.sessions()[0]["status"], "working");
    assert!(daemon.is_alive());

    disk.free();
    event("Stop", "after");
    sealed.wait("the session's end of turn", |sealed| {
        (sealed.sessions()[0]["why"] == "done").then_some(())
    });
    // Whatever got into the journal whole is in the database too.
    let stored = ledger::stored_marks(&sealed);
    assert_eq!(stored, ledger::journal_marks(&sealed));
    assert!(stored.values().any(|mark| mark == "after"));
    assert_eq!(Daemon::of(&sealed).pid(), daemon.pid());
    let status = sealed.json(&["daemon", "status", "--json"]);
    assert_eq!(status["troubles"], json!([]), "{status}");
}

#[test]
fn daemon_started_on_a_full_disk_says_so_or_serves_and_loses_nothing() {
    let mut sealed = Sealed::new();
    let pid = sealed.client();
    let Some(disk) = Disk::mount(&sealed) else { return };
    sealed.hook(pid, "UserPromptSubmit", "abab-0002", json!({"prompt_id": "p", MARK: "one"}));
    assert_eq!(ledger::stored_marks(&sealed).len(), 1);
    Daemon::of(&sealed).kill();
    disk.fill();
    let output = sealed.atm(&["list", "--json"]);
    if !output.status.success() {
        super::assert_told(&output, 3);
    }
    disk.free();
    sealed.hook(pid, "Stop", "abab-0002", json!({"prompt_id": "p", MARK: "two"}));
    assert_eq!(sealed.sessions()[0]["why"], "done");
    sealed.ok(&["daemon", "stop"]);
    assert_eq!(sealed.sessions()[0]["why"], "done");
    assert_eq!(ledger::stored_marks(&sealed), ledger::journal_marks(&sealed));
}
