//! Pure judgement over the dump, one file per subject: `check(&Dump) -> Vec<Finding>`.

mod claude;
mod config;
mod daemon;
mod fired;
mod hooks;
mod programs;
mod registered;
mod self_test;
mod settings;
mod state;
mod tmux;
mod trust;

use super::dump::Dump;
use super::finding::{Finding, Level};

/// All findings, group by group, the worst of each group first.
pub(crate) fn check(dump: &Dump) -> Vec<Finding> {
    let checks = [
        claude::check,
        settings::check,
        hooks::check,
        registered::check,
        trust::check,
        fired::check,
        daemon::check,
        state::check,
        tmux::check,
        programs::check,
        config::check,
        self_test::check,
    ];
    let mut findings: Vec<Finding> = checks.iter().flat_map(|check| check(dump)).collect();
    findings.extend(dump.failures.iter().map(|failure| {
        Finding::problem(
            "doctor.blind",
            format!("cannot look at {}: {}", failure.what, failure.why),
        )
        .means("What hangs on it was not checked.")
        .remedy("mend that, then run `atm doctor` again")
    }));
    findings.sort_by_key(|finding| (finding.group, std::cmp::Reverse(finding.level)));
    findings
}

pub(crate) fn worst(findings: &[Finding]) -> Level {
    findings.iter().map(|finding| finding.level).max().unwrap_or(Level::Ok)
}

#[cfg(test)]
mod tests;
