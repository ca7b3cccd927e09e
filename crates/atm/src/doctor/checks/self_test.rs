//! One event through the real path: the first stage that failed is the finding.

use super::super::dump::{Dump, HookRun, Reached, SelfTest};
use super::super::finding::Finding;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let Some(test) = &dump.self_test else {
        return vec![Finding::note("self-test.skipped", "the self-test was not run")];
    };
    vec![hook(test).unwrap_or_else(|| stages(test))]
}

fn hook(test: &SelfTest) -> Option<Finding> {
    let HookRun { code, stdout_bytes, stderr, fault, .. } = &test.hook;
    let program = &test.program;
    let failed = |what: String| {
        Some(
            Finding::problem("self-test.hook", format!("`{program} hook` {what}"))
                .means("Claude Code runs this at every event: it would show an error, or take what is printed as context.")
                .remedy("run `atm setup` with an atm that works, then `atm doctor` again"),
        )
    };
    match (fault, code) {
        (Some(fault), _) => failed(format!("cannot be run: {fault}")),
        (None, Some(0)) if *stdout_bytes > 0 => failed(format!("printed {stdout_bytes} bytes")),
        (None, Some(0)) => None,
        (None, Some(code)) => failed(format!("ended with {code}: {stderr}")),
        (None, None) => failed("was ended by a signal".to_owned()),
    }
}

fn stages(test: &SelfTest) -> Finding {
    let took = test.hook.millis;
    let way = format!("hook ran in {took} ms");
    if let Reached::No { why } = &test.in_journal {
        return Finding::problem(
            "self-test.journal",
            format!("{way}, but did not reach the journal: {why}"),
        )
        .means("Events of your sessions are lost.")
        .remedy("look at what is said about the state directory, and at atm.log in it");
    }
    if let Reached::No { why } = &test.in_daemon {
        return Finding::problem(
            "self-test.daemon",
            format!("{way}, is in the journal, but not with the daemon: {why}"),
        )
        .means("Events are kept, but nobody shows them.")
        .remedy("run `atm daemon stop`, then `atm doctor` again");
    }
    if let Reached::No { why } = &test.hidden {
        return Finding::problem("self-test.list", format!("{way} and arrived, but {why}"))
            .means("The daemon takes a self-test for a session: it is another version.")
            .remedy("run `atm daemon stop`, then `atm doctor` again");
    }
    Finding::ok(
        "self-test.passed",
        format!("{way}, reached journal and daemon, and shows in no list"),
    )
}
