//! Which hooks `atm setup` registers, and how the client runs them.

use atm_core::settings::{Form, HookEntry, Run};

use crate::error::CliError;
use crate::exit::Exit;

/// Seconds; the hook needs milliseconds. Without one of its own, SessionEnd would get 1.5 s for all
/// hooks together.
const TIMEOUT: u32 = 10;

/// Every event of client 2.1.325 but three: a hook on `WorktreeCreate` replaces git's own work,
/// `MessageDisplay` fires for each streamed line and holds up rendering, and `FileChanged` does
/// nothing without the names of files.
///
/// The client waits for hooks that are not async. Those that it waits for are few: the ends of a
/// session and of a turn, which must come in order and survive the end of print mode (async hooks are
/// killed there), and the two that can be answered.
const EVENTS: [(&str, Run); 30] = [
    ("SessionStart", Run::Wait),
    ("SessionEnd", Run::Wait),
    ("UserPromptSubmit", Run::Wait),
    ("Stop", Run::Wait),
    ("PreToolUse", Run::Wait),
    ("PermissionRequest", Run::Wait),
    ("PostToolUse", Run::Async),
    ("PostToolUseFailure", Run::Async),
    ("PostToolBatch", Run::Async),
    ("PermissionDenied", Run::Async),
    ("Notification", Run::Async),
    ("StopFailure", Run::Async),
    ("UserPromptExpansion", Run::Async),
    ("SubagentStart", Run::Async),
    ("SubagentStop", Run::Async),
    ("TeammateIdle", Run::Async),
    ("TaskCreated", Run::Async),
    ("TaskCompleted", Run::Async),
    ("PreCompact", Run::Async),
    ("PostCompact", Run::Async),
    ("PreModelSwitch", Run::Async),
    ("PostModelSwitch", Run::Async),
    ("Elicitation", Run::Async),
    ("ElicitationResult", Run::Async),
    ("Setup", Run::Async),
    ("ConfigChange", Run::Async),
    ("InstructionsLoaded", Run::Async),
    ("CwdChanged", Run::Async),
    ("DirectoryAdded", Run::Async),
    ("WorktreeRemove", Run::Async),
];

pub(crate) fn wanted(program: &str) -> Vec<HookEntry> {
    let entry = |(event, run): &(&str, Run)| HookEntry {
        event: (*event).to_owned(),
        matcher: None,
        command: program.to_owned(),
        form: Form::Exec { args: vec!["hook".to_owned()] },
        run: *run,
        timeout: Some(TIMEOUT),
    };
    EVENTS.iter().map(entry).collect()
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
