//! Faults around atm: daemon, state directory, disk, tmux, PATH, home.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::{ATM, Report, assert_mended, atm, examine, healthy, other_version, program};
use crate::faults::disk::Disk;
use crate::sealed::Sealed;
use crate::wire::Daemon;

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn daemon_of_another_version_is_replaced_by_this_one() {
    let sealed = healthy();
    sealed.ok(&["daemon", "stop"]);
    let old = sealed.path().join("old/atm");
    let version = other_version(&sealed, &old);
    assert!(sealed.command(&old).arg("daemon").output().unwrap().status.success());
    let what = examine(&sealed, &[]).expect("daemon.stale", "warning", "atm daemon stop");
    assert!(what.contains(&version), "{what}");
    assert_mended(&sealed, "daemon.stale", &[]);
    let status = sealed.json(&["daemon", "status", "--json"]);
    assert_eq!(status["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn daemon_whose_program_was_replaced_is_restarted() {
    let sealed = healthy();
    sealed.ok(&["daemon", "stop"]);
    let moved = sealed.path().join("moved/atm");
    other_version(&sealed, &moved);
    let mut copy = sealed.command("/bin/cp");
    assert!(copy.args(["-f", ATM]).arg(&moved).status().unwrap().success());
    assert!(sealed.command(&moved).arg("daemon").output().unwrap().status.success());
    fs::remove_file(&moved).unwrap();
    let what = examine(&sealed, &[]).expect("daemon.stale", "warning", "atm daemon stop");
    assert!(what.contains("replaced"), "{what}");
    assert_mended(&sealed, "daemon.stale", &[]);
}

#[test]
fn daemon_that_hangs_is_told_and_replaced() {
    let sealed = healthy();
    let daemon = Daemon::of(&sealed);
    daemon.freeze();
    let report = examine(&sealed, &["--no-self-test"]);
    report.expect("daemon.silent", "problem", "atm daemon stop");
    assert_eq!(report.code, 1);
    assert_mended(&sealed, "daemon.silent", &["--no-self-test"]);
    assert!(!daemon.is_alive());
}

#[test]
fn state_directory_open_to_others_is_closed() {
    let sealed = healthy();
    sealed.ok(&["daemon"]);
    chmod(sealed.state(), 0o755);
    let report = examine(&sealed, &[]);
    report.expect("state.mode", "warning", "chmod 700");
    chmod(sealed.state(), 0o777);
    let report = examine(&sealed, &[]);
    report.expect("state.mode", "problem", "chmod 700");
    assert_eq!(report.code, 1);
    assert_mended(&sealed, "state.mode", &[]);
    assert_eq!(fs::metadata(sealed.state()).unwrap().permissions().mode() & 0o7777, 0o700);
}

#[test]
fn state_file_open_to_others_is_closed() {
    let sealed = healthy();
    sealed.ok(&["daemon"]);
    let database = sealed.state().join("atm.db");
    chmod(&database, 0o644);
    let what = examine(&sealed, &[]).expect("state.file-mode", "warning", "chmod");
    assert!(what.contains("atm.db"), "{what}");
    assert_mended(&sealed, "state.file-mode", &[]);
    assert_eq!(fs::metadata(&database).unwrap().permissions().mode() & 0o7777, 0o600);
}

#[test]
fn state_directory_that_is_a_link_is_told() {
    let sealed = healthy();
    sealed.ok(&["daemon", "stop"]);
    let real = sealed.path().join("real");
    fs::rename(sealed.state(), &real).unwrap();
    symlink(&real, sealed.state()).unwrap();
    let report = examine(&sealed, &[]);
    let what = report.expect("state.refused", "problem", "ATM_STATE_DIR");
    assert!(what.contains("symbolic link"), "{what}");
    assert!(report.find("daemon.silent").is_none());
    fs::remove_file(sealed.state()).unwrap();
    fs::rename(&real, sealed.state()).unwrap();
}

#[test]
fn socket_left_by_a_killed_daemon_is_removed() {
    let sealed = healthy();
    Daemon::of(&sealed).kill();
    let what =
        examine(&sealed, &["--no-self-test"]).expect("daemon.leftover", "warning", "atm daemon");
    assert!(what.contains("atm.sock") && what.contains("poke.sock"), "{what}");
    assert_mended(&sealed, "daemon.leftover", &["--no-self-test"]);
    assert!(!sealed.state().join("atm.sock").exists());
    // The self-test brings up a daemon, which takes the place of a killed one by itself.
    Daemon::of(&sealed).kill();
    let report = examine(&sealed, &[]);
    assert!(report.find("daemon.leftover").is_none());
    assert_eq!(report.find("daemon.started").unwrap()["level"], "ok");
}

#[test]
fn foreign_atm_first_on_the_path_is_told() {
    let sealed = healthy();
    let other = sealed.path().join("foreign/atm");
    program(&other, "echo Atmosphere 3");
    let own = Path::new(ATM).parent().unwrap().display();
    let path = |first: &Path| format!("{}:{own}:/usr/bin:/bin", first.parent().unwrap().display());
    let with = |path: &str| Report::of(atm(&sealed, &["doctor", "--json"]).env("PATH", path));
    let what = with(&path(&other)).expect("path.foreign", "warning", "PATH");
    assert!(what.contains(other.to_str().unwrap()), "{what}");
    let old = sealed.path().join("old/atm");
    let version = other_version(&sealed, &old);
    let what = with(&path(&old)).expect("path.other", "warning", "PATH");
    assert!(what.contains(&version), "{what}");
    with("/usr/bin:/bin").expect("path.absent", "warning", &own.to_string());
}

#[test]
fn tmux_hooks_gone_from_a_running_server_are_sourced_again() {
    let mut sealed = healthy();
    sealed.ok(&["setup", "--yes", "--only", "tmux"]);
    sealed.tmux(&["new-session", "-d", "sleep 600"]);
    let what = examine(&sealed, &[]).expect("tmux.hooks-gone", "warning", "source-file");
    assert!(what.contains("/e2e"), "{what}");
    assert_mended(&sealed, "tmux.hooks-gone", &[]);
    let report = examine(&sealed, &[]);
    let server = &report.json["dump"]["tmux"]["servers"][0];
    assert_eq!(server["hooks"].as_array().unwrap().len(), atm_core::project::hooks().len());
    assert_eq!(server["programs"][0]["identity"], "same", "{server:#}");
    sealed.tmux(&["set-hook", "-gu", "pane-exited[8731]"]);
    examine(&sealed, &[]).expect("tmux.stale", "warning", "source-file");
    assert_mended(&sealed, "tmux.stale", &[]);
    sealed.tmux(&["set-option", "-g", "@atm_setup", "of before"]);
    assert_mended(&sealed, "tmux.stale", &[]);
    sealed.tmux(&[
        "set-hook",
        "-g",
        "session-window-changed[8731]",
        "run-shell -b \"'/nowhere/atm' visit x\"",
    ]);
    let what = examine(&sealed, &[]).expect("tmux.program-gone", "warning", "atm setup");
    assert!(what.contains("/nowhere/atm"), "{what}");
}

#[test]
fn tmux_too_old_or_missing_or_hanging_is_told() {
    let sealed = healthy();
    let folder = sealed.path().join("fake");
    let with = |script: Option<&str>| {
        fs::remove_dir_all(&folder).ok();
        fs::create_dir(&folder).unwrap();
        if let Some(script) = script {
            program(&folder.join("tmux"), script);
        }
        Report::of(atm(&sealed, &["doctor", "--json"]).env("PATH", &folder))
    };
    with(None).expect("tmux.missing", "warning", "install tmux");
    let what = with(Some("echo tmux 3.1c")).expect("tmux.old", "warning", "3.2");
    assert!(what.contains("3.1c"), "{what}");
    with(Some("exec /bin/sleep 600")).expect("tmux.mute", "warning", "tmux -V");
}

#[test]
fn full_disk_is_told_at_every_stage_that_it_breaks() {
    let sealed = Sealed::new();
    fs::create_dir(super::project(&sealed)).unwrap();
    let Some(disk) = Disk::mount(&sealed) else { return };
    disk.fill();
    let report = examine(&sealed, &[]);
    report.expect("disk.full", "problem", "make room");
    report.expect("self-test.journal", "problem", "state directory");
    assert_eq!(report.code, 1);
    disk.free();
}

#[test]
fn client_that_hangs_holds_nobody_up() {
    let sealed = healthy();
    let fake = sealed.path().join("fake/claude");
    program(&fake, "exec sleep 600");
    let path = format!("{}:/usr/bin:/bin", fake.parent().unwrap().display());
    let report = Report::of(atm(&sealed, &["doctor", "--json"]).env("PATH", path));
    assert_eq!(report.find("claude.version").unwrap()["level"], "note");
    assert!(report.find("claude.several").is_some());
}

#[test]
fn home_unset_is_a_finding_and_no_crash() {
    let sealed = healthy();
    let mut doctor = atm(&sealed, &["doctor", "--json"]);
    let report = Report::of(doctor.env_remove("HOME").env_remove("ATM_STATE_DIR"));
    report.expect("doctor.blind", "problem", "mend that");
    assert_eq!(report.code, 1);
}

#[test]
fn strange_places_are_no_crash_and_no_terminal_sees_their_bytes() {
    let sealed = Sealed::with_state(|path| path.join("st\x1b[2Jate #1 'q'\n"));
    fs::create_dir(super::project(&sealed)).unwrap();
    let report = examine(&sealed, &[]);
    assert_eq!(report.find("self-test.passed").unwrap()["level"], "ok");
    let text = atm(&sealed, &["doctor"]).output().unwrap().stdout;
    assert!(!text.contains(&0x1b), "{}", String::from_utf8_lossy(&text));
}
