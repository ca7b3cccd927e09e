//! tmux: the program, the servers that run, and what of ours they know.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use atm_core::places::Places;

use super::super::dump::{HookProgram, Place, Server, Tmux};
use super::Env;
use super::identity::Ask;
use super::settings::program_of;
use crate::program;
use crate::program::on_path;
use crate::setup::tmux::server::Server as Running;
use crate::setup::tmux::version::Version;
use crate::setup::tmux::{generated_file, line, made_mark, user_file};

/// A larger file is no configuration.
const CONF_MAX: u64 = 1 << 20;

pub(super) fn collect(env: Env<'_>, places: Option<&Places>, own: Option<&Place>) -> Tmux {
    let mut tmux = Tmux {
        program: on_path(env("PATH"), "tmux").into_iter().next().map(Place),
        is_inside: env("TMUX").is_some_and(|value| !value.is_empty()),
        our_file: places.map(|places| Place(generated_file(places))),
        our_mark: places.and_then(made_mark),
        ..Tmux::default()
    };
    tmux.our_file_exists = tmux.our_file.as_ref().is_some_and(|file| file.0.is_file());
    let mut confs: BTreeSet<PathBuf> = user_file::usual(env, Version::NEWEST).into_iter().collect();
    confs.insert(PathBuf::from("/etc/tmux.conf"));
    tmux.version = tmux.program.as_ref().and_then(|program| version(&program.0));
    // One that hangs is not asked for more.
    if let Some(places) = places.filter(|_| tmux.version.is_some()) {
        for running in Running::all(places) {
            tmux.servers.push(server(&running, &|word| program_of(word, env, own, Ask::Yes)));
            confs.extend(running.config_files().into_iter().filter(|path| path.is_absolute()));
        }
    }
    let is_ours = |path: &PathBuf| is_configured(path, tmux.our_file.as_ref());
    tmux.configured_in = confs.into_iter().filter(is_ours).map(Place).collect();
    tmux
}

fn version(program: &Path) -> Option<String> {
    let ran = program::run(program, &["-V"], program::LIMIT).ok()?;
    let word = ran.out.lines().next()?.trim().to_owned();
    (!word.is_empty()).then_some(word)
}

type ProgramOf<'a> = &'a dyn Fn(&str) -> HookProgram;

fn server(running: &Running, of: ProgramOf<'_>) -> Server {
    let ours = running.hooks();
    let programs: BTreeSet<String> =
        ours.iter().filter_map(|hook| program_in(&hook.command)).collect();
    let names: BTreeSet<&str> = ours.iter().map(|hook| hook.name.as_str()).collect();
    let option = |args: &[&str]| {
        let value = running.ask(args).ok()?.trim().to_owned();
        (!value.is_empty()).then_some(value)
    };
    Server {
        socket: Place::of(running.socket()),
        version: option(&["display-message", "-p", "#{version}"]).unwrap_or_default(),
        mark: running.mark(),
        hooks: names.into_iter().map(str::to_owned).collect(),
        programs: programs.iter().map(|program| of(program)).collect(),
        focus_events: option(&["show-options", "-sqv", "focus-events"]),
        exit_empty: option(&["show-options", "-sqv", "exit-empty"]),
        allow_passthrough: option(&["show-options", "-gwqv", "allow-passthrough"]),
    }
}

/// The quoted word before ` visit` in `run-shell -b "'/x/atm' visit …"`, which may itself stand in the
/// quotes of an `if-shell`. tmux doubles a `#` that stands for itself.
fn program_in(command: &str) -> Option<String> {
    let before = command.split(" visit ").next()?.trim_end();
    let word = match before.strip_suffix('\'') {
        Some(quoted) => quoted.rsplit_once("\"'")?.1,
        None => before.rsplit([' ', '"']).next()?,
    };
    let quotes = [r"'\\\\''", r"'\\''", r"'\''"];
    let word = quotes.iter().fold(word.to_owned(), |word, quote| word.replace(quote, "'"));
    let word = word.replace("##''[", "#[").replace("##", "#").replace(r"\$", "$");
    word.ends_with("atm").then_some(word)
}

fn is_configured(conf: &Path, our_file: Option<&Place>) -> bool {
    let is_small = conf.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= CONF_MAX);
    if !is_small {
        return false;
    }
    let text = fs::read(conf).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let ours = our_file.map(|file| file.0.to_string_lossy().into_owned());
    let is_of_file = |line: &str| {
        line.trim().starts_with("source") && ours.as_ref().is_some_and(|ours| line.contains(ours))
    };
    line::has(&text) || text.lines().any(is_of_file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_of_a_hook_is_found_however_it_is_quoted() {
        for (command, program) in [
            ("run-shell -b \"/x/atm visit a\"", "/x/atm"),
            (
                r#"run-shell -b "'/a b/it'\\''s ##1/\$x/atm' visit client-attached""#,
                "/a b/it's #1/$x/atm",
            ),
            (
                r##"if-shell -F "#{&&:#{@p},1}" "run-shell -b \"'/a b/it'\\\\''s ##1/atm' visit x '#{window_id}'\"""##,
                "/a b/it's #1/atm",
            ),
        ] {
            assert_eq!(program_in(command).as_deref(), Some(program), "{command}");
        }
    }

    #[test]
    fn configuration_has_our_line_by_mark_or_by_file() {
        let dir = tempfile::tempdir().unwrap();
        let conf = dir.path().join("c");
        let ours = Place::of("/cfg/atm/tmux.conf");
        for (text, expected) in [
            ("set -g mouse on\nsource-file -q '/x/tmux.conf' # mine\n", false),
            ("source-file -q '/x/tmux.conf' # added by atm setup\r\n", true),
            ("source-file /cfg/atm/tmux.conf\n", true),
            ("# source-file /cfg/atm/tmux.conf\n", false),
            ("set -g status-right x # atm\n", false),
        ] {
            fs::write(&conf, text).unwrap();
            assert_eq!(is_configured(&conf, Some(&ours)), expected, "{text}");
        }
    }
}
