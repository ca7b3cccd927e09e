//! The `atm` binary: `hook` and `statusline`, which agents run, go their own short way, everything
//! else through the command line.
//! The `atm` binary: `hook` and `visit` go their own short way, everything else through the command line.

#![forbid(unsafe_code)]

mod cld;
mod cli;
mod client;
mod commands;
mod context;
mod demo;
mod doctor;
mod error;
mod exit;
mod json;
mod past;
mod program;
mod render;
mod resume;
mod screen;
mod setup;
mod tmux;
mod transcripts;
mod travel;
mod tree;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(words) = cld::passed_on(std::env::args_os()) {
        return cld::run(&words);
    }
    let words = || std::env::args_os().skip(1);
    if is_for_agents("hook", words()) {
        return atm_hook::run();
    }
    if is_for_agents("statusline", words()) {
        return atm_hook::statusline::run(words().skip(1));
    }
    // Run by tmux at every change of window: quick as the hook, and as quiet, for tmux would show
    // what it says.
    if is_for_agents("visit", words()) {
        return atm_hook::visit(words().skip(1));
    }
    cli::main().into()
}

/// Whatever follows `hook`, it is the hook: a usage error would exit with 2, which tells the agent
/// to block the tool, and make a status line go blank. Only a plea for help is for people.
fn is_for_agents(command: &str, mut words: impl Iterator<Item = OsString>) -> bool {
    let is_it = words.next().is_some_and(|word| word == command);
    is_it && words.next().is_none_or(|word| word != "--help" && word != "-h")
}

#[cfg(test)]
mod tests {
    use super::is_for_agents;

    #[test]
    fn hook_with_any_argument_but_help_is_the_hook() {
        let cases: [(&[&str], bool); 6] = [
            (&["hook"], true),
            (&["hook", "--new-flag"], true),
            (&["hook", "--help"], false),
            (&["list"], false),
            (&["list", "hook"], false),
            (&[], false),
        ];
        for (words, expected) in cases {
            assert_eq!(is_for_agents("hook", words.iter().map(Into::into)), expected, "{words:?}");
        }
    }
}
