//! Which hooks `atm setup` registers, and how the client runs them.

use atm_core::settings::{Form, HookEntry, Run, quote};
use serde::{Serialize, Serializer};

use super::claude::{Installed, Version};
use crate::error::CliError;
use crate::exit::Exit;

/// Seconds; the hook needs milliseconds. Without one of its own, SessionEnd would get 1.5 s for all
/// hooks together.
const TIMEOUT: u32 = 10;

/// The first client that starts hooks without a shell (`args`).
pub(crate) const EXEC_FORM: Version = Version(2, 1, 139);
/// Of a client that knows all of them.
pub(crate) const COUNT: usize = EVENTS.len();
/// As long as nothing is installed, what will be installed is expected to know everything.
const NEWEST: Version = Version(u32::MAX, 0, 0);

/// Every event of client 2.1.325 but four: a hook on `WorktreeCreate` replaces git's own work,
/// `MessageDisplay` fires for each streamed line and holds up rendering, `FileChanged` does nothing
/// without the names of files, and `PostToolBatch` is a process more at every call that tells nothing
/// that `PostToolUse` does not.
///
/// The client waits for hooks that are not async. Those that it waits for are few: the ends of a
/// session and of a turn, which must come in order and survive the end of print mode (async hooks are
/// killed there), and the two that can be answered. A client that does not know `async` waits.
///
/// Each with the first client that knows it: up to 2.1.96 at least, one event that is not known made
/// the client skip the whole file. Where the version is not documented, a later one stands here.
const EVENTS: [(&str, Run, Version); 29] = [
    ("SessionStart", Run::Wait, Version(1, 0, 62)),
    ("SessionEnd", Run::Wait, Version(1, 0, 85)),
    ("UserPromptSubmit", Run::Wait, Version(1, 0, 54)),
    ("Stop", Run::Wait, Version(1, 0, 38)),
    ("PreToolUse", Run::Wait, Version(1, 0, 38)),
    ("PermissionRequest", Run::Wait, Version(2, 0, 45)),
    ("PostToolUse", Run::Async, Version(1, 0, 38)),
    ("PostToolUseFailure", Run::Async, Version(2, 1, 33)),
    ("PermissionDenied", Run::Async, Version(2, 1, 89)),
    ("Notification", Run::Async, Version(1, 0, 41)),
    ("StopFailure", Run::Async, Version(2, 1, 78)),
    ("UserPromptExpansion", Run::Async, EXEC_FORM),
    ("SubagentStart", Run::Async, Version(2, 0, 43)),
    ("SubagentStop", Run::Async, Version(1, 0, 41)),
    ("TeammateIdle", Run::Async, Version(2, 1, 33)),
    ("TaskCreated", Run::Async, Version(2, 1, 84)),
    ("TaskCompleted", Run::Async, Version(2, 1, 33)),
    ("PreCompact", Run::Async, Version(1, 0, 48)),
    ("PostCompact", Run::Async, Version(2, 1, 76)),
    ("PreModelSwitch", Run::Async, Version(2, 1, 251)),
    ("PostModelSwitch", Run::Async, Version(2, 1, 251)),
    ("Elicitation", Run::Async, Version(2, 1, 76)),
    ("ElicitationResult", Run::Async, Version(2, 1, 76)),
    ("Setup", Run::Async, Version(2, 1, 10)),
    ("ConfigChange", Run::Async, Version(2, 1, 49)),
    ("InstructionsLoaded", Run::Async, Version(2, 1, 69)),
    ("CwdChanged", Run::Async, Version(2, 1, 83)),
    ("DirectoryAdded", Run::Async, Version(2, 1, 219)),
    ("WorktreeRemove", Run::Async, Version(2, 1, 50)),
];

/// What suits the installed client. One that does not tell its version is taken for the first with
/// the exec form: of that age, an event that is not known costs no more than itself.
pub(crate) fn wanted(program: &str, client: Installed) -> Vec<HookEntry> {
    let version = match client {
        Installed::None => NEWEST,
        Installed::Version(version) => version,
        Installed::Unknown => EXEC_FORM,
    };
    let (command, form) = if version < EXEC_FORM {
        (format!("{} hook", quote(program)), Form::Shell)
    } else {
        (program.to_owned(), Form::Exec { args: vec!["hook".to_owned()] })
    };
    let entry = |(event, run, _): &(&str, Run, Version)| HookEntry {
        event: (*event).to_owned(),
        matcher: None,
        command: command.clone(),
        form: form.clone(),
        run: *run,
        timeout: Some(TIMEOUT),
    };
    EVENTS.iter().filter(|(_, _, since)| *since <= version).map(entry).collect()
}

/// `hooks/hooks.json` of the plugin: the same hooks for whoever installs it as one.
#[derive(Serialize)]
struct Plugin {
    description: &'static str,
    hooks: PluginHooks,
}

struct PluginHooks;

#[derive(Serialize)]
struct PluginHook {
    hooks: [PluginCommand; 1],
}

#[derive(Serialize)]
struct PluginCommand {
    r#type: &'static str,
    command: &'static str,
    args: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    r#async: Option<bool>,
    timeout: u32,
}

impl Serialize for PluginHooks {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(EVENTS.iter().map(|(event, run, _)| {
            let hook = PluginCommand {
                r#type: "command",
                command: "${CLAUDE_PLUGIN_ROOT}/hooks/atm-hook",
                args: [event],
                r#async: (*run == Run::Async).then_some(true),
                timeout: TIMEOUT,
            };
            (event, [PluginHook { hooks: [hook] }])
        }))
    }
}

pub(crate) fn plugin() -> serde_json::Result<String> {
    let plugin =
        Plugin { description: "Tells atm what happens in this session", hooks: PluginHooks };
    Ok(serde_json::to_string_pretty(&plugin)? + "\n")
}

/// The absolute path of this very program, without links: one that is turned elsewhere later must
/// not change what the client runs.
pub(crate) fn this_program() -> Result<String, CliError> {
    let path = std::env::current_exe().and_then(|path| path.canonicalize()).map_err(|error| {
        CliError::failed("cannot find out where this atm is", &error)
            .hint("if atm was updated just now, run the command again")
    })?;
    path.into_os_string().into_string().map_err(|path| {
        CliError::new(
            Exit::Failed,
            format!("{} cannot be written into JSON: it is not UTF-8", path.display()),
        )
        .hint("put atm into a directory with a plain name")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(client: Installed) -> Vec<String> {
        wanted("/a/atm", client).into_iter().map(|entry| entry.event).collect()
    }

    #[test]
    fn hooks_of_an_older_client_are_those_it_knows() {
        let of = |a, b, c| events(Installed::Version(Version(a, b, c)));
        assert_eq!((of(2, 1, 325).len(), events(Installed::None).len()), (29, 29));
        assert_eq!(events(Installed::Unknown), of(2, 1, 139));
        assert_eq!(of(2, 1, 250).len(), 27);
        assert!(of(2, 1, 78).contains(&"StopFailure".to_owned()));
        assert!(!of(2, 1, 77).contains(&"StopFailure".to_owned()));
        let basic = ["UserPromptSubmit", "Stop", "PreToolUse", "PostToolUse", "Notification"];
        let basic = [&basic[..], &["SubagentStop", "PreCompact"]].concat();
        assert_eq!(of(1, 0, 60), basic);
    }

    #[test]
    fn plugin_has_the_same_hooks() {
        let committed = include_str!("../../../../hooks/hooks.json");
        let wanted = plugin().unwrap();
        assert_eq!(committed, wanted, "run `atm generate plugin hooks` at the root");
    }

    #[test]
    fn hooks_of_a_client_without_exec_form_go_through_a_shell() {
        let entry = |version| wanted("/it's/atm", Installed::Version(version)).remove(0);
        let old = entry(Version(2, 1, 138));
        assert_eq!((old.command.as_str(), old.form), (r"'/it'\''s/atm' hook", Form::Shell));
        let new = entry(EXEC_FORM);
        assert_eq!(new.command, "/it's/atm");
        assert_eq!(new.form, Form::Exec { args: vec!["hook".to_owned()] });
    }
}
