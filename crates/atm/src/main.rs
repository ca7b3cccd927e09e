//! The `atm` binary: `hook` goes its own short way, everything else through the command line.

#![forbid(unsafe_code)]

mod cli;
mod client;
mod commands;
mod context;
mod demo;
mod error;
mod exit;
mod json;
mod past;
mod render;
mod screen;
mod setup;

use std::process::ExitCode;

fn main() -> ExitCode {
    if is_hook(std::env::args_os().skip(1).take(2)) {
        return atm_hook::run();
    }
    cli::main().into()
}

/// Whatever follows `hook`, it is the hook: a usage error would exit with 2, which tells the agent
/// to block the tool. Only a plea for help is for people.
fn is_hook(mut words: impl Iterator<Item = std::ffi::OsString>) -> bool {
    let is_hook = words.next().is_some_and(|word| word == "hook");
    is_hook && words.next().is_none_or(|word| word != "--help" && word != "-h")
}

#[cfg(test)]
mod tests {
    use super::is_hook;

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
            assert_eq!(is_hook(words.iter().map(Into::into)), expected, "{words:?}");
        }
    }
}
