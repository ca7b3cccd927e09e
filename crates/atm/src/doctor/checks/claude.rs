//! The client: where it is, and which signals its version offers.

use super::super::dump::{Dump, Install};
use super::super::finding::Finding;

/// Hooks in exec form.
pub(super) const EXEC_SINCE: [u32; 3] = [2, 1, 139];
/// The version whose behaviour atm was made for.
const SEEN: [u32; 3] = [2, 1, 325];

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let Some(first) = dump.claude.first() else {
        return vec![
            Finding::warning("claude.missing", "Claude Code was not found")
                .means("Neither on the PATH nor where its installer puts it. Without it there are no sessions to watch.")
                .remedy("install Claude Code, or put `claude` on the PATH"),
        ];
    };
    let mut findings = vec![found(first)];
    if dump.claude.len() > 1 {
        findings.push(several(&dump.claude));
    }
    findings
}

fn found(install: &Install) -> Finding {
    let path = &install.path;
    let Some(version) = &install.version else {
        return Finding::note("claude.version", format!("{path} does not tell its version"))
            .means("Which signals it offers is not known; older clients write no session files.");
    };
    let Some(number) = parse(version) else {
        return Finding::ok("claude.found", format!("{version} at {path}"));
    };
    if number < EXEC_SINCE {
        return Finding::warning("claude.old", format!("{version} at {path} is old"))
            .means("It cannot start hooks without a shell (2.1.139 and later do) and may write no session files: approvals and interrupts are noticed late.")
            .remedy("run `claude update`");
    }
    let signals = "hooks without a shell, session files";
    let newer = if number > SEEN { " (newer than the newest that atm was tried with)" } else { "" };
    Finding::ok("claude.found", format!("{version} at {path}: {signals}{newer}"))
}

fn several(installs: &[Install]) -> Finding {
    let words = |install: &Install| {
        let version = install.version.as_deref().unwrap_or("version unknown");
        format!("{} ({version})", install.path)
    };
    let list = installs.iter().map(words).collect::<Vec<_>>().join(", ");
    Finding::note("claude.several", format!("several are installed: {list}"))
        .means("`claude` starts the first. Hooks are the same for all of them.")
}

/// The three numbers of a version.
pub(super) fn parse(version: &str) -> Option<[u32; 3]> {
    let mut numbers = version.split(['-', '+']).next()?.split('.').map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some([next()?, next()?, next()?])
}
