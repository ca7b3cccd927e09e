//! Where the hook runs: the agent's process, the pane, and what its spawner said about it. All of
//! it comes from the environment and is cleaned before it is written down.

use std::ffi::OsString;

use atm_core::places::claude_dir;
use atm_core::record::{Origin, Process};

use crate::{Env, platform};

const VALUE_MAX: usize = 4096;

pub(crate) fn origin(env: Env<'_>) -> Origin {
    let var = |name: &str| env(name).and_then(clean);
    Origin {
        agent: "claude".into(),
        process: process(env),
        tmux: var("TMUX"),
        pane: var("TMUX_PANE"),
        session: var("CLAUDE_CODE_SESSION_ID"),
        managed: var("CLAUDE_SESSION_ID"),
        entrypoint: var("CLAUDE_CODE_ENTRYPOINT"),
        attended: attended(env),
        config_dir: claude_dir(env).map(OsString::from).and_then(clean),
        role: var("CLAUDE_SESSION_ROLE"),
        mode: var("CLAUDE_SESSION_MODE"),
        mission: var("MISSION_EXECUTION_ID"),
    }
}

/// The agent that we run for.
pub(crate) fn process(env: Env<'_>) -> Option<Process> {
    named_process(env).or_else(platform::agent_above)
}

/// The process that the client itself names.
fn named_process(env: Env<'_>) -> Option<Process> {
    let pid = env("CLAUDE_PID")?.to_str()?.parse().ok().filter(|pid| *pid > 0)?;
    Some(Process { pid, start: platform::process_start(pid) })
}

fn attended(env: Env<'_>) -> Option<bool> {
    match env("CLAUDE_CODE_SESSION_ATTENDED")?.to_str()? {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

/// The text without control characters; `None` if it is empty, too long or not UTF-8.
fn clean(value: OsString) -> Option<String> {
    let mut text = value.into_string().ok().filter(|text| text.len() <= VALUE_MAX)?;
    text.retain(|c| !c.is_control());
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn origin_of(vars: &[(&str, &str)]) -> Origin {
        origin(&|name| vars.iter().find(|(k, _)| *k == name).map(|(_, v)| v.into()))
    }

    #[test]
    fn origin_takes_every_value_from_its_variable() {
        let own = std::process::id().to_string();
        let found = origin_of(&[
            ("CLAUDE_PID", &own),
            ("TMUX", "/tmp/tmux-0/default,12,3"),
            ("TMUX_PANE", "%3"),
            ("CLAUDE_CODE_SESSION_ID", "sid"),
            ("CLAUDE_SESSION_ID", "managed"),
            ("CLAUDE_CODE_ENTRYPOINT", "sdk-cli"),
            ("CLAUDE_CODE_SESSION_ATTENDED", "0"),
            ("CLAUDE_CONFIG_DIR", "/conf"),
            ("CLAUDE_SESSION_ROLE", "reviewer"),
            ("CLAUDE_SESSION_MODE", "plan"),
            ("MISSION_EXECUTION_ID", "m1"),
        ]);
        let start = found.process.as_ref().and_then(|p| p.start);
        assert_eq!(start.is_some(), cfg!(target_os = "linux"));
        let text = |text: &str| Some(text.to_owned());
        let expected = Origin {
            agent: "claude".into(),
            process: Some(Process { pid: own.parse().unwrap(), start }),
            tmux: text("/tmp/tmux-0/default,12,3"),
            pane: text("%3"),
            session: text("sid"),
            managed: text("managed"),
            entrypoint: text("sdk-cli"),
            attended: Some(false),
            config_dir: text("/conf"),
            role: text("reviewer"),
            mode: text("plan"),
            mission: text("m1"),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn process_named_by_no_number_is_passed_over() {
        for pid in ["", "0", "-1", "12x", "99999999999"] {
            assert_eq!(named_process(&|_| Some(pid.into())), None, "{pid}");
        }
    }

    #[test]
    fn process_that_is_gone_has_no_start() {
        let gone = named_process(&|_| Some(i32::MAX.to_string().into()));
        assert_eq!(gone, Some(Process { pid: i32::MAX, start: None }));
    }

    #[test]
    fn value_is_cleaned_or_left_out() {
        assert_eq!(clean("a\x1b[31m\n\u{9b}b".into()), Some("a[31mb".into()));
        assert_eq!(clean("\x07".into()), None);
        assert_eq!(clean("x".repeat(4096).into()).map(|v| v.len()), Some(4096));
        assert_eq!(clean("x".repeat(4097).into()), None);
        assert_eq!(clean(OsString::from_vec(vec![0xff])), None);
    }
}
