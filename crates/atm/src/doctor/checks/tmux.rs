//! tmux: recent enough, and our hooks alive in every server.

use super::super::dump::{Dump, HookProgram, Identity, Place, Server, Tmux};
use super::super::finding::{Finding, Fix};

const BASELINE: (u32, u32) = (3, 2);

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
    match tmux.version.as_deref().map(|text| (text, parse(text))) {
        None => Finding::warning("tmux.mute", format!("{program} does not tell its version"))
            .means("It may be no tmux, or it hangs.")
            .remedy("check it with `tmux -V`"),
        Some((text, Some(number))) if number < BASELINE => {
            Finding::warning("tmux.old", format!("{text} at {program} is too old"))
                .means("Below 3.2 it has no pop-ups and no messages to one client; listing, marks and visits work.")
                .remedy("install tmux 3.2 or later")
        }
        // A build from source has a name instead of a number, and is new.
        Some((text, _)) => Finding::ok("tmux.version", format!("{text} at {program}{place}")),
    }
}

/// `tmux 3.3a`, `tmux next-3.6`, `tmux openbsd-7.5`.
fn parse(text: &str) -> Option<(u32, u32)> {
    let word = text.split_whitespace().last()?;
    if word.starts_with("openbsd") {
        return None;
    }
    let (major, rest) = word.strip_prefix("next-").unwrap_or(word).split_once('.')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, digits.parse().ok()?))
}

fn server_findings(dump: &Dump, server: &Server) -> Vec<Finding> {
    let socket = &server.socket;
    let mut findings: Vec<Finding> =
        server.programs.iter().filter_map(|program| wrong_program(dump, server, program)).collect();
    let is_configured = !dump.tmux.configured_in.is_empty();
    if server.hooks.is_empty() && is_configured {
        findings.push(hooks_gone(dump, server));
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

fn hooks_gone(dump: &Dump, server: &Server) -> Finding {
    let socket = &server.socket;
    let finding = Finding::warning("tmux.hooks-gone", format!("the server at {socket} has none of atm's hooks"))
        .means("Your tmux configuration loads them, but this server has lost them or was started before: it does not tell when you look at a session.");
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

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn version_of_releases_and_of_builds_from_source() {
        assert_eq!(parse("tmux 3.3a"), Some((3, 3)));
        assert_eq!(parse("tmux 2.8"), Some((2, 8)));
        assert_eq!(parse("tmux next-3.6"), Some((3, 6)));
        assert_eq!(parse("tmux master"), None);
        assert_eq!(parse("tmux openbsd-7.5"), None);
    }
}
