//! Every check over dumps made by hand: the good one is clean, and each fault has its finding.

use atm_core::proto::message::DaemonStatus;

use super::*;
use crate::doctor::dump::{
    Answer, Content, Failure, HookProgram, Identity, Place, Reached, Scope, Settings,
};
use crate::doctor::finding::Fix;
use crate::doctor::sample::*;

/// The dump with this fault has this finding, with a meaning and a remedy that holds `remedy`; every
/// other finding that is not ok is a failure of the test.
#[track_caller]
fn fault(id: &str, level: Level, remedy: &str, plant: impl FnOnce(&mut Dump)) -> Finding {
    let mut dump = good();
    plant(&mut dump);
    let findings = check(&dump);
    let bad: Vec<&Finding> = findings.iter().filter(|f| f.level != Level::Ok).collect();
    let [finding] = bad[..] else { panic!("{id}: {bad:#?}") };
    assert_eq!((finding.id, finding.level), (id, level), "{finding:?}");
    assert!(finding.means.is_some(), "{finding:?}");
    assert!(finding.remedy.as_deref().unwrap_or_default().contains(remedy), "{finding:?}");
    finding.clone()
}

const USER: usize = 1;

fn user_settings() -> std::path::PathBuf {
    "/home/dev/.claude/settings.json".into()
}

fn read_of(settings: &mut Settings) -> &mut crate::doctor::dump::Read {
    match &mut settings.content {
        Content::Read(read) => read,
        other => panic!("{other:?}"),
    }
}

#[test]
fn good_dump_has_no_finding_but_ok_and_one_in_each_group() {
    let findings = check(&good());
    let bad: Vec<&Finding> = findings.iter().filter(|f| f.level != Level::Ok).collect();
    assert!(bad.is_empty(), "{bad:#?}");
    let mut groups: Vec<_> = findings.iter().map(|finding| finding.group).collect();
    groups.dedup();
    assert_eq!(groups.len(), 7, "{groups:?}");
    assert!(findings.iter().all(|finding| finding.fix.is_none()));
    let heard = findings.iter().find(|finding| finding.id == "hooks.fired").unwrap();
    assert_eq!(heard.what, "last heard 1m ago: Stop from session abcdef12, pid 42");
}

#[test]
fn client_faults_are_found() {
    fault("claude.missing", Level::Warning, "install", |dump| dump.claude.clear());
    let old = fault("claude.old", Level::Warning, "claude update", |dump| {
        dump.claude = vec![install("/c", "2.1.138")];
        let read = read_of(&mut dump.settings[USER]);
        read.ours.iter_mut().for_each(|hook| hook.is_exec = false);
    });
    assert!(old.what.contains("2.1.138"));
    let mut dump = good();
    dump.claude.push(install("/usr/bin/claude", "1.0.0"));
    dump.claude[0].version = None;
    let ids: Vec<&str> = check(&dump).iter().map(|finding| finding.id).collect();
    assert!(ids.contains(&"claude.several") && ids.contains(&"claude.version"), "{ids:?}");
}

#[test]
fn hooks_missing_or_incomplete_are_registered_by_fix() {
    let found = fault("hooks.missing", Level::Problem, "atm setup", |dump| {
        dump.settings[USER].content = Content::Absent;
        dump.programs.clear();
        dump.sessions = Some(vec![]);
    });
    assert_eq!(found.fix, Some(Fix::Register));
    let found = fault("hooks.incomplete", Level::Warning, "atm setup", |dump| {
        read_of(&mut dump.settings[USER]).ours.retain(|hook| hook.event != "Elicitation");
    });
    assert!(found.what.contains("lacks 1 of our hooks: Elicitation"), "{}", found.what);
    assert_eq!(found.fix, Some(Fix::Register));
}

#[test]
fn hooks_in_two_places_are_named_both_and_the_surplus_can_go() {
    let found = fault("hooks.double", Level::Warning, "--fix", |dump| {
        dump.settings[2] = in_folder(Scope::Project, HERE, Some(ours()));
    });
    assert!(found.what.contains("/home/dev/.claude/settings.json"), "{}", found.what);
    let project = format!("{HERE}/.claude/settings.json");
    assert!(found.what.contains(&project), "{}", found.what);
    assert_eq!(found.fix, Some(Fix::TakeOut(project.into())));
    let found = fault("hooks.double", Level::Warning, "claude plugin disable atm@here", |dump| {
        dump.settings.push(plugin("atm@here"));
    });
    assert_eq!(found.fix, Some(Fix::TakeOut(user_settings())));
    fault("hooks.double", Level::Warning, "--fix", |dump| {
        dump.settings.push(in_folder(Scope::Local, "/elsewhere", Some(ours())));
    });
    let found = fault("hooks.double", Level::Warning, "--fix", |dump| {
        dump.settings[0] = settings(Scope::Managed, "/etc/m.json", Some(ours()));
    });
    assert_eq!(found.fix, Some(Fix::TakeOut(user_settings())));
    let found = fault("hooks.repeated", Level::Warning, "atm setup", |dump| {
        let read = read_of(&mut dump.settings[USER]);
        let mut again = read.ours[0].clone();
        again.line = 77;
        read.ours.push(again);
    });
    assert!(found.what.contains("SessionStart hook twice (lines 1 and 77)"), "{}", found.what);
}

#[test]
fn hooks_of_one_folder_alone_are_fine() {
    let mut dump = good();
    dump.settings[USER].content = Content::Absent;
    dump.settings[2] = in_folder(Scope::Project, HERE, Some(ours()));
    assert_eq!(worst(&check(&dump)), Level::Ok);
}

#[test]
fn settings_that_switch_hooks_off_or_cannot_be_read_are_problems() {
    fault("hooks.disabled", Level::Problem, "disableAllHooks", |dump| {
        read_of(&mut dump.settings[2]).is_disabled = true;
    });
    fault("hooks.managed-only", Level::Problem, "managed settings", |dump| {
        let read = crate::doctor::dump::Read { is_managed_only: true, ..Default::default() };
        dump.settings[0] = settings(Scope::Managed, "/etc/m.json", Some(read));
    });
    let broken = fault("settings.unparsable", Level::Problem, "mend", |dump| {
        let why = "line 3, column 4: oops".to_owned();
        dump.settings[2].content = Content::Unparsable { why };
    });
    assert!(broken.what.contains("line 3, column 4"));
    fault("settings.unreadable", Level::Problem, "readable", |dump| {
        dump.settings[3].content = Content::Unreadable { why: "is a directory".to_owned() };
    });
}

#[test]
fn settings_of_the_user_that_are_unknown_are_not_said_to_lack_hooks() {
    fault("settings.unparsable", Level::Problem, "mend", |dump| {
        dump.settings[USER].content = Content::Unparsable { why: "line 1, column 1: x".to_owned() };
    });
    let mut dump = good();
    dump.settings.clear();
    assert!(!check(&dump).iter().any(|finding| finding.id == "hooks.missing"));
}

#[test]
fn hook_program_that_is_gone_closed_or_another_is_told() {
    let program = |plant: fn(&mut HookProgram)| move |dump: &mut Dump| plant(&mut dump.programs[0]);
    let found =
        fault("hooks.program-gone", Level::Problem, "atm setup", program(|p| p.found = None));
    assert_eq!(found.fix, Some(Fix::Register));
    let closed = program(|program| program.is_executable = false);
    fault("hooks.program-not-executable", Level::Problem, "atm setup", closed);
    let other = |version: &str| Identity::Other { version: Some(version.to_owned()) };
    let set = |identity: Identity| move |dump: &mut Dump| dump.programs[0].identity = identity;
    fault("hooks.program-other", Level::Warning, "atm setup", set(other("0.0.9")));
    fault("hooks.program-other", Level::Note, "atm setup", set(other("0.1.0")));
    fault("hooks.program-other", Level::Note, "atm setup", set(Identity::Unasked));
    let foreign = Identity::Other { version: None };
    fault("hooks.program-foreign", Level::Problem, "atm setup", set(foreign));
}

#[test]
fn hook_form_fits_the_client() {
    let shell = |dump: &mut Dump| {
        read_of(&mut dump.settings[USER]).ours.iter_mut().for_each(|hook| hook.is_exec = false);
    };
    fault("hooks.shell", Level::Note, "atm setup", shell);
    let mut dump = good();
    dump.claude = vec![install("/c", "2.1.100")];
    let ids: Vec<&str> = check(&dump).iter().map(|finding| finding.id).collect();
    assert!(ids.contains(&"hooks.exec-unsupported"), "{ids:?}");
}

#[test]
fn untrusted_folder_is_a_warning_where_a_session_runs_unheard() {
    let untrust = |dump: &mut Dump| {
        dump.trust.folders.as_mut().unwrap()[0].is_trusted = false;
    };
    fault("trust.missing", Level::Note, "start `claude` here", |dump| {
        untrust(dump);
        dump.sessions = Some(vec![]);
    });
    let mut dump = good();
    untrust(&mut dump);
    assert_eq!(worst(&check(&dump)), Level::Ok, "hooks that arrive prove more");
    dump.sessions = Some(vec![session("s", false)]);
    let findings = check(&dump);
    let found = findings.iter().find(|finding| finding.id == "trust.missing").unwrap();
    assert_eq!(found.level, Level::Warning);
    dump.trust.folders = None;
    assert!(!check(&dump).iter().any(|finding| finding.id == "trust.missing"));
}

#[test]
fn hooks_that_never_arrived_are_told_with_their_sessions() {
    fault("hooks.never-fired", Level::Note, "start `claude`", |dump| {
        dump.journal.last_hook = None;
        dump.sessions = Some(vec![]);
    });
    let found = fault("hooks.never-fired", Level::Warning, "send a prompt", |dump| {
        dump.journal.last_hook = None;
        dump.sessions = Some(vec![session("abcdef12-0001", false)]);
    });
    assert!(found.what.contains("abcdef12 in %3"), "{}", found.what);
    let found = fault("hooks.silent-session", Level::Warning, "send a prompt", |dump| {
        let many = (0..7).map(|n| session(&format!("silent{n}-x"), false));
        dump.sessions.as_mut().unwrap().extend(many);
    });
    assert!(found.what.contains("silent4- in %3 and 2 more"), "{}", found.what);
}

#[test]
fn daemon_faults_are_found() {
    let with = |status: DaemonStatus| {
        move |dump: &mut Dump| dump.daemon.now = Some(Answer::Up(Box::new(status)))
    };
    let old = DaemonStatus { version: "0.0.9".into(), ..DaemonStatus::default() };
    let found = fault("daemon.stale", Level::Warning, "atm daemon stop", with(old));
    assert_eq!(found.fix, Some(Fix::RestartDaemon));
    fault("daemon.stale", Level::Warning, "daemon stop", |dump| dump.daemon.is_replaced = true);
    let troubled = DaemonStatus {
        version: "0.1.0".into(),
        troubles: vec!["no room".into()],
        ..DaemonStatus::default()
    };
    let found = fault("daemon.trouble", Level::Problem, "mend the cause", with(troubled));
    assert!(found.what.contains("no room"));
    let found = fault("daemon.silent", Level::Problem, "atm daemon stop", |dump| {
        dump.daemon.now = Some(Answer::Bad { why: "it hangs".into() });
    });
    assert!(found.what.contains("it hangs") && found.fix == Some(Fix::RestartDaemon));
    let found = fault("daemon.leftover", Level::Warning, "atm daemon", |dump| {
        dump.daemon.now = Some(Answer::Nobody);
        dump.daemon.leftovers = vec![Place::of("/s/atm.sock")];
    });
    assert_eq!(found.fix, Some(Fix::RemoveSockets(vec!["/s/atm.sock".into()])));
    fault("daemon.start-failed", Level::Problem, "--foreground", |dump| {
        dump.daemon.now = Some(Answer::Nobody);
        dump.daemon.start_failure = Some("the disk is full".into());
    });
    let mut dump = good();
    dump.daemon.now = Some(Answer::Nobody);
    assert_eq!(worst(&check(&dump)), Level::Note);
}

#[test]
fn state_faults_are_found() {
    let state = |plant: fn(&mut crate::doctor::dump::State)| {
        move |dump: &mut Dump| plant(dump.state.as_mut().unwrap())
    };
    let private = Some(Fix::MakePrivate(vec![STATE.into()]));
    let chmod = format!("chmod 700 {STATE}");
    let found = fault("state.mode", Level::Warning, &chmod, state(|s| s.mode = Some(0o755)));
    assert_eq!(found.fix, private);
    let found = fault("state.mode", Level::Problem, &chmod, state(|s| s.mode = Some(0o777)));
    assert_eq!(found.fix, private);
    fault(
        "state.refused",
        Level::Problem,
        "ATM_STATE_DIR",
        state(|s| s.refused = Some("a link".into())),
    );
    fault("state.read-only", Level::Problem, "ATM_STATE_DIR", state(|s| s.is_read_only = true));
    fault("state.not-writable", Level::Problem, "chmod", state(|s| s.is_writable = Some(false)));
    let found = fault(
        "state.file-mode",
        Level::Warning,
        "chmod -R go=",
        state(|s| {
            s.open_files = vec![Place::of("/s/atm.db"), Place::of("/s/atm.log")];
        }),
    );
    assert_eq!(found.fix, Some(Fix::MakePrivate(vec!["/s/atm.db".into(), "/s/atm.log".into()])));
    fault("disk.low", Level::Warning, "make room", state(|s| s.free_bytes = Some(99 << 20)));
    fault("disk.full", Level::Problem, "make room", state(|s| s.free_bytes = Some(9 << 20)));
    fault("disk.full", Level::Problem, "make room", state(|s| s.free_inodes = Some(3)));
    fault(
        "state.database",
        Level::Problem,
        "daemon stop",
        state(|s| s.database_fault = Some("x".into())),
    );
    fault("clock.files", Level::Warning, "local disk", state(|s| s.file_clock_off = Some(-2500)));
    fault("state.inotify", Level::Warning, "sysctl", state(|s| s.inotify_fault = Some("x".into())));
    let level = if cfg!(target_os = "linux") { Level::Note } else { Level::Problem };
    fault("state.long-path", level, "shorter", state(|s| s.socket_length = 104));
    fault("state.journal", Level::Problem, "readable", |dump| {
        dump.journal.fault = Some("x".into());
    });
    fault("clock.future", Level::Warning, "date", |dump| {
        dump.journal.last_hook = Some(last_hook(1_002_001));
    });
}

#[test]
fn tmux_faults_are_found() {
    fault("tmux.missing", Level::Warning, "install tmux", |dump| dump.tmux.program = None);
    fault("tmux.old", Level::Warning, "3.2", |dump| dump.tmux.version = Some("tmux 3.1c".into()));
    fault("tmux.mute", Level::Warning, "tmux -V", |dump| dump.tmux.version = None);
    let found = fault("tmux.hooks-gone", Level::Warning, "source-file", |dump| {
        dump.tmux.servers[0].hooks.clear();
        dump.tmux.servers[0].programs.clear();
    });
    let file = "/home/dev/.config/atm/tmux.conf".into();
    let socket = "/tmp/tmux-0/default".into();
    assert_eq!(found.fix, Some(Fix::SourceTmux { socket, file }));
    let found = fault("tmux.hooks-gone", Level::Warning, "atm setup", |dump| {
        dump.tmux.servers[0].hooks.clear();
        dump.tmux.our_file_exists = false;
    });
    assert_eq!(found.fix, None);
    let found = fault("tmux.stale", Level::Warning, "source-file", |dump| {
        dump.tmux.servers[0].mark = Some("of before".into());
    });
    assert!(found.fix.is_some());
    fault("tmux.stale", Level::Warning, "source-file", |dump| {
        dump.tmux.servers[0].hooks.pop();
    });
    fault("tmux.not-set-up", Level::Note, "atm setup", |dump| {
        dump.tmux.servers.clear();
        dump.tmux.configured_in.clear();
    });
    fault("tmux.program-gone", Level::Warning, "atm setup", |dump| {
        dump.tmux.servers[0].programs[0].found = None;
    });
    fault("tmux.program-other", Level::Warning, "atm setup", |dump| {
        dump.tmux.servers[0].programs[0].identity = Identity::Other { version: None };
    });
    fault("tmux.passthrough", Level::Note, "allow-passthrough", |dump| {
        dump.tmux.servers[0].allow_passthrough = Some("off".into());
    });
}

#[test]
fn path_faults_are_found() {
    let found =
        fault("path.absent", Level::Warning, "/home/dev/.local/bin", |dump| dump.path.clear());
    assert!(found.remedy.unwrap().contains("PATH"));
    let first = |identity: Identity| {
        move |dump: &mut Dump| dump.path.insert(0, on_path("atm", "/usr/bin/atm", identity))
    };
    let foreign = Identity::Other { version: None };
    let found = fault("path.foreign", Level::Warning, "PATH", first(foreign));
    assert!(found.what.contains("/usr/bin/atm"));
    let other = |version: &str| Identity::Other { version: Some(version.into()) };
    fault("path.other", Level::Warning, "PATH", first(other("0.0.9")));
    let mut dump = good();
    first(other("0.1.0"))(&mut dump);
    assert_eq!(worst(&check(&dump)), Level::Note);
    dump.path = vec![
        on_path("atm", ATM, Identity::Same),
        on_path("cld", "/usr/bin/cld", Identity::Other { version: None }),
    ];
    assert!(check(&dump).iter().any(|finding| finding.id == "path.cld"));
}

#[test]
fn configuration_that_is_wrong_is_a_warning_for_each_problem() {
    fault("config.problem", Level::Warning, "mend it there", |dump| {
        let config = dump.config.as_mut().unwrap();
        config.is_there = true;
        config.problems = vec!["3:1: tmux.dwel: no such option".to_owned()];
    });
}

#[test]
fn self_test_tells_the_stage_that_failed() {
    let test = |plant: fn(&mut crate::doctor::dump::SelfTest)| {
        move |dump: &mut Dump| plant(dump.self_test.as_mut().unwrap())
    };
    fault("self-test.hook", Level::Problem, "setup", test(|t| t.hook.fault = Some("gone".into())));
    fault("self-test.hook", Level::Problem, "setup", test(|t| t.hook.code = Some(2)));
    fault("self-test.hook", Level::Problem, "setup", test(|t| t.hook.code = None));
    fault("self-test.hook", Level::Problem, "setup", test(|t| t.hook.stdout_bytes = 3));
    fault(
        "self-test.journal",
        Level::Problem,
        "atm.log",
        test(|t| {
            t.in_journal = Reached::No { why: "x".into() };
        }),
    );
    fault(
        "self-test.daemon",
        Level::Problem,
        "daemon stop",
        test(|t| {
            t.in_daemon = Reached::No { why: "x".into() };
        }),
    );
    fault(
        "self-test.list",
        Level::Problem,
        "daemon stop",
        test(|t| {
            t.hidden = Reached::No { why: "x".into() };
        }),
    );
    let mut dump = good();
    dump.self_test = None;
    assert_eq!(worst(&check(&dump)), Level::Note);
}

#[test]
fn what_could_not_be_looked_at_is_a_problem_of_its_own() {
    fault("doctor.blind", Level::Problem, "mend", |dump| {
        dump.failures.push(Failure { what: "the moon".into(), why: "it is day".into() });
    });
}
