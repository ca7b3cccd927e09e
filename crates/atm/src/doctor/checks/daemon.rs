//! The daemon: whether it is up, answers, and is of this version.

use std::time::Duration;

use atm_core::proto::message::DaemonStatus;
use atm_core::text::clean;

use super::super::dump::{Answer, Dump};
use super::super::finding::{Finding, Fix};
use crate::render::age::age;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let mut findings = match &dump.daemon.now {
        None => Vec::new(),
        // A directory that is not ours is told as such; nobody was asked there.
        Some(Answer::Bad { .. }) if is_refused(dump) => Vec::new(),
        Some(Answer::Up(status)) => up(dump, status),
        Some(Answer::Nobody) => down(dump),
        Some(Answer::Bad { why }) => vec![
            Finding::problem(
                "daemon.silent",
                format!("the daemon does not answer: {}", clean(why, 500)),
            )
            .means("Commands cannot show anything; hooks are kept in the journal meanwhile.")
            .remedy("run `atm daemon stop`; the next command starts a new one")
            .fix(Fix::RestartDaemon),
        ],
    };
    findings.extend(killed(dump));
    findings
}

fn is_refused(dump: &Dump) -> bool {
    dump.state.as_ref().is_some_and(|state| state.refused.is_some())
}

fn up(dump: &Dump, status: &DaemonStatus) -> Vec<Finding> {
    let uptime = age(Duration::from_millis(status.uptime_ms));
    let (version, pid) = (clean(&status.version, 80), status.pid);
    let mut findings = Vec::new();
    if status.version != dump.version {
        findings
            .push(stale(format!("the daemon is version {version}, this atm is {}", dump.version)));
    } else if dump.daemon.is_replaced {
        let what = format!("the daemon (pid {pid}) runs a program that was replaced since");
        findings.push(stale(what));
    } else {
        findings.push(Finding::ok(
            "daemon.up",
            format!("running for {uptime} (pid {pid}, version {version})"),
        ));
    }
    findings.extend(status.troubles.iter().map(|trouble| {
        Finding::problem("daemon.trouble", format!("it reports: {}", clean(trouble, 500)))
            .means("It goes on as well as it can; what it says it cannot do is missing.")
            .remedy("mend the cause; its log may say more: `atm daemon status`")
    }));
    findings
}

fn stale(what: String) -> Finding {
    Finding::warning("daemon.stale", what)
        .means("It was started before atm was updated and still works the old way. Nothing is lost by a restart.")
        .remedy("run `atm daemon stop`; the next command starts the right one")
        .fix(Fix::RestartDaemon)
}

fn down(dump: &Dump) -> Vec<Finding> {
    if let Some(why) = &dump.daemon.start_failure {
        return vec![
            Finding::problem("daemon.start-failed", format!("the daemon did not come up: {}", clean(why, 500)))
                .means("Commands cannot show anything; hooks are kept in the journal if the disk takes them.")
                .remedy("mend that, then run `atm daemon`; `atm daemon --foreground` shows more"),
        ];
    }
    if !dump.daemon.leftovers.is_empty() {
        let paths = dump.daemon.leftovers.iter().map(ToString::to_string).collect::<Vec<_>>();
        return vec![
            Finding::warning("daemon.leftover", format!("no daemon runs, but its sockets are there: {}", paths.join(", ")))
                .means("The last one was killed or crashed. Nothing is lost; the next one takes their place.")
                .remedy("run `atm daemon`")
                .fix(Fix::RemoveSockets(dump.daemon.leftovers.iter().map(|p| p.0.clone()).collect())),
        ];
    }
    vec![Finding::note("daemon.down", "no daemon runs; any command that needs it starts it")]
}

/// The self-test has started one in the meantime.
fn killed(dump: &Dump) -> Option<Finding> {
    let is_restarted = matches!(
        (&dump.daemon.before, &dump.daemon.now),
        (Some(Answer::Nobody), Some(Answer::Up(_)))
    );
    is_restarted
        .then(|| Finding::ok("daemon.started", "it was not running; the self-test has started it"))
}
