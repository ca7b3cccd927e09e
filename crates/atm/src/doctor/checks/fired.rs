//! Whether hooks really arrive: a line in the settings proves nothing.

use super::super::dump::{Dump, LastHook, Session};
use super::super::finding::Finding;
use crate::render::age::age;

/// More sessions than these are counted, not named.
const NAMED: usize = 5;

pub(super) fn check(dump: &Dump) -> Vec<Finding> {
    let is_registered = dump.read().any(|(_, read)| !read.ours.is_empty());
    let silent: Vec<&Session> =
        dump.sessions.iter().flatten().filter(|session| !session.hooks).collect();
    let mut findings = Vec::new();
    match &dump.journal.last_hook {
        Some(last) => findings.push(fired(dump, last)),
        None if is_registered && silent.is_empty() => findings.push(
            Finding::note("hooks.never-fired", "no hook has fired yet")
                .means("Nothing is wrong: no session has said anything since atm was set up.")
                .remedy("start `claude`, send a prompt, then run `atm doctor` again"),
        ),
        None => {}
    }
    if is_registered && !silent.is_empty() {
        findings.push(unheard(dump, &silent));
    }
    findings
}

fn fired(dump: &Dump, last: &LastHook) -> Finding {
    let session = last.session.as_deref().unwrap_or("?").chars().take(8).collect::<String>();
    let pid = last.pid.map(|pid| format!(", pid {pid}")).unwrap_or_default();
    let ago = age(dump.now.since(last.ts));
    let event = &last.event;
    Finding::ok("hooks.fired", format!("last heard {ago} ago: {event} from session {session}{pid}"))
}

fn unheard(dump: &Dump, silent: &[&Session]) -> Finding {
    let name = |session: &&Session| {
        let id: String = session.id.chars().take(8).collect();
        let at = session.pane.as_deref().map(|pane| format!(" in {pane}")).unwrap_or_default();
        format!("{}{at}", atm_core::text::clean(&id, 8))
    };
    let mut names = silent.iter().take(NAMED).map(name).collect::<Vec<_>>().join(", ");
    if silent.len() > NAMED {
        names = format!("{names} and {} more", silent.len() - NAMED);
    }
    if dump.journal.last_hook.is_none() {
        return Finding::warning(
            "hooks.never-fired",
            format!("no hook has ever fired, though sessions run: {names}"),
        )
        .means("Their statuses come from session files alone. A session that has done nothing since setup is normal; one that works is not.")
        .remedy("send a prompt in one of them; if nothing arrives, restart it and look at `/hooks` there");
    }
    Finding::warning("hooks.silent-session", format!("known by session file only: {names}"))
        .means("No hook of theirs has arrived: they did nothing since setup, their folder is not trusted, or they run without hooks.")
        .remedy("send a prompt there; if nothing arrives, restart that session")
}
