//! tmux: recent enough, and our hooks alive in every server.

use atm_core::project::{Hook, hooks};

use super::super::dump::{Dump, HookProgram, Identity, Place, Server, Tmux};
use super::super::finding::{Finding, Fix};
use crate::setup::tmux::version::Version;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let tmux = &dump.tmux;
    let Some(program) = &tmux.program else {
        return vec![
            Finding::warning("tmux.missing", "tmux was not found on the PATH")
                .means("Sessions are listed all the same, but not where they are, and there are no marks on tabs.")
                .remedy("install tmux 3.2 or later"),
        ];
    };
    let mut findings = vec![version(program, tmux)];
    findings.extend(tmux.servers.iter().flat_map(|server| server_findings(dump, server)));
    if tmux.servers.is_empty() {
        findings.push(Finding::ok("tmux.servers", "no server runs at the moment"));
    }
    if tmux.configured_in.is_empty() && tmux.servers.iter().all(|server| server.hooks.is_empty()) {
        findings.push(
            Finding::note("tmux.not-set-up", "atm is not set up in tmux")
                .means("A finished session keeps its mark until you dismiss it: tmux does not tell when you look at it.")
                .remedy("run `atm setup`"),
        );
    }
    findings
}

fn version(program: &Place, tmux: &Tmux) -> Finding {
    let place = if tmux.is_inside { "; you are inside it" } else { "" };
    match tmux.version.as_deref().map(|text| (text, Version::parse(text))) {
        None => Finding::warning("tmux.mute", format!("{program} does not tell its version"))
            .means("It may be no tmux, or it hangs.")
            .remedy("check it with `tmux -V`"),
        Some((text, Some(version))) if !version.has_popups() => {
            Finding::warning("tmux.old", format!("{text} at {program} is too old"))
                .means("Below 3.2 it has no pop-ups and no messages to one client; listing, marks and visits work.")
                .remedy("install tmux 3.2 or later")
        }
        // A build from source has a name instead of a number, and is new.
        Some((text, _)) => Finding::ok("tmux.version", format!("{text} at {program}{place}")),
    }
}

fn server_findings(dump: &Dump, server: &Server) -> Vec<Finding> {
    let socket = &server.socket;
    let mut findings: Vec<Finding> =
        server.programs.iter().filter_map(|program| wrong_program(dump, server, program)).collect();
    let is_configured = !dump.tmux.configured_in.is_empty();
    if server.hooks.is_empty() && is_configured {
        let what = format!("the server at {socket} has none of atm's hooks");
        let means = "Your tmux configuration loads them, but this server has lost them or was started before: it does not tell when you look at a session.";
        findings.push(to_be_loaded(dump, server, "tmux.hooks-gone", what, means));
    } else if !server.hooks.is_empty() && is_stale(dump, server) {
        let what = format!("the server at {socket} has not loaded what `atm setup` made last");
        let means = "Some hooks, labels or keys are missing there, or are those of another atm.";
        findings.push(to_be_loaded(dump, server, "tmux.stale", what, means));
    } else if findings.is_empty() {
        let hooks = match server.hooks.len() {
            0 => String::new(),
            count => format!(", {count} hooks of atm alive"),
        };
        findings.push(Finding::ok(
            "tmux.server",
            format!("server {} at {socket}{hooks}", server.version),
        ));
    }
    if server.allow_passthrough.as_deref() == Some("off") {
        findings.push(
            Finding::note("tmux.passthrough", format!("`allow-passthrough` is off at {socket}"))
                .means("Desktop notifications of Claude Code itself do not get through tmux; atm does not need it.")
                .remedy("add `set -g allow-passthrough on` to your tmux configuration if you want them"),
        );
    }
    findings
}

/// A program that is wrong is told of by itself.
fn is_stale(dump: &Dump, server: &Server) -> bool {
    let is_missing = |hook: &Hook| !server.hooks.iter().any(|name| name == hook.name);
    server.mark != dump.tmux.our_mark || hooks().iter().any(is_missing)
}

fn to_be_loaded(
    dump: &Dump,
    server: &Server,
    id: &'static str,
    what: String,
    means: &str,
) -> Finding {
    let socket = &server.socket;
    let finding = Finding::warning(id, what).means(means);
    match (&dump.tmux.our_file, dump.tmux.our_file_exists) {
        (Some(file), true) => finding
            .remedy(format!("run `tmux -S {} source-file {}`", socket.as_word(), file.as_word()))
            .fix(Fix::SourceTmux { socket: socket.0.clone(), file: file.0.clone() }),
        _ => finding.remedy("run `atm setup`: the file that it loads is not there"),
    }
}

fn wrong_program(dump: &Dump, server: &Server, program: &HookProgram) -> Option<Finding> {
    let name = crate::setup::diff::visible(&program.program);
    let socket = &server.socket;
    let finding = match &program.identity {
        _ if program.found.is_none() => Finding::warning("tmux.program-gone", format!("hooks at {socket} run {name}, which is not there"))
            .means("tmux shows an error when you switch windows, and atm does not learn what you looked at."),
        Identity::Same | Identity::Copy => return None,
        Identity::Other { version: Some(version) } if *version == dump.version => return None,
        Identity::Other { .. } | Identity::Unasked => Finding::warning("tmux.program-other", format!("hooks at {socket} run {name}, which is another atm"))
            .means("What you look at is told to another program."),
    };
    Some(finding.remedy("run `atm setup` with the atm you want"))
}
