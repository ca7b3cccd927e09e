//! tmux: the program, the servers that run, and what of ours they know.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use atm_core::places::Places;

use super::super::dump::{HookProgram, Place, Server, Tmux};
use super::Env;
use super::identity::Ask;
use super::settings::program_of;
use crate::program;
use crate::program::on_path;

/// Where setup puts its entries in the arrays of hooks.
const OUR_INDEX: &str = "[8731]";
/// The file that setup generates, in our configuration directory.
const OUR_FILE: &str = "tmux.conf";
const OUR_MARKS: [&str; 2] = ["# atm", "# added by atm setup"];
/// A larger file is no configuration.
const CONF_MAX: u64 = 1 << 20;
const FACTS: &str = "#{version}\t#{config_files}";

pub(super) fn collect(env: Env<'_>, places: Option<&Places>, own: Option<&Place>) -> Tmux {
    let mut tmux = Tmux {
        program: on_path(env("PATH"), "tmux").into_iter().next().map(Place),
        is_inside: env("TMUX").is_some_and(|value| !value.is_empty()),
        our_file: places.map(|places| Place(places.config.join(OUR_FILE))),
        ..Tmux::default()
    };
    tmux.our_file_exists = tmux.our_file.as_ref().is_some_and(|file| file.0.is_file());
    let mut confs = usual_confs(env);
    if let Some(path) = tmux.program.as_ref().map(|program| program.0.clone()) {
        tmux.version = version(&path);
        for socket in sockets(env) {
            if let Some((server, read)) =
                server(&path, &socket, &|word| program_of(word, env, own, Ask::Yes))
            {
                tmux.servers.push(server);
                confs.extend(read);
            }
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

fn sockets(env: Env<'_>) -> BTreeSet<PathBuf> {
    let base =
        env("TMUX_TMPDIR").filter(|dir| !dir.is_empty()).map_or("/tmp".into(), PathBuf::from);
    let folder = base.join(format!("tmux-{}", rustix::process::geteuid().as_raw()));
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_socket = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_socket());
    let mut found: BTreeSet<PathBuf> =
        entries.filter(is_socket).map(|entry| entry.path()).collect();
    let inside = env("TMUX").and_then(|value| value.into_string().ok());
    found.extend(inside.and_then(|value| value.split(',').next().map(PathBuf::from)));
    found
}

type ProgramOf<'a> = &'a dyn Fn(&str) -> HookProgram;

/// `None` if nobody serves there. None of these questions starts a server.
fn server(tmux: &Path, socket: &Path, of: ProgramOf<'_>) -> Option<(Server, Vec<PathBuf>)> {
    let ask = |args: &[&str]| {
        let mut all = vec![OsStr::new("-u"), OsStr::new("-S"), socket.as_os_str()];
        all.extend(args.iter().map(OsStr::new));
        let ran = program::run(tmux, &all, program::LIMIT).ok()?;
        ran.status.success().then_some(ran.out)
    };
    let facts = ask(&["display-message", "-p", FACTS])?;
    let (version, files) = facts.trim_end().split_once('\t').unwrap_or((facts.trim_end(), ""));
    let files = files.split(',').map(PathBuf::from).filter(|path| path.is_absolute());
    // Those of sessions, then those of windows and panes.
    let hooks = [ask(&["show-hooks", "-g"]), ask(&["show-hooks", "-gw"])];
    let hooks = hooks.into_iter().flatten().collect::<String>();
    let ours: Vec<(&str, &str)> = hooks.lines().filter_map(our_hook).collect();
    let programs: BTreeSet<String> =
        ours.iter().filter_map(|(_, command)| program_in(command)).collect();
    let names: BTreeSet<&str> = ours.iter().map(|(name, _)| *name).collect();
    let option = |args: &[&str]| {
        ask(args).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    let server = Server {
        socket: Place::of(socket),
        version: version.to_owned(),
        hooks: names.into_iter().map(str::to_owned).collect(),
        programs: programs.iter().map(|program| of(program)).collect(),
        focus_events: option(&["show-options", "-sqv", "focus-events"]),
        exit_empty: option(&["show-options", "-sqv", "exit-empty"]),
        allow_passthrough: option(&["show-options", "-gwqv", "allow-passthrough"]),
    };
    Some((server, files.collect()))
}

/// Name and command of our entry in one line of `show-hooks`.
fn our_hook(line: &str) -> Option<(&str, &str)> {
    let (name, command) = line.split_once(' ')?;
    let name = name.strip_suffix(OUR_INDEX)?;
    command.contains(" visit ").then_some((name, command))
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

fn usual_confs(env: Env<'_>) -> BTreeSet<PathBuf> {
    let absolute = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = absolute("HOME");
    let xdg = absolute("XDG_CONFIG_HOME").map(|folder| folder.join("tmux/tmux.conf"));
    let in_home = [".tmux.conf", ".config/tmux/tmux.conf"];
    let in_home = home.into_iter().flat_map(|home| in_home.map(|name| home.join(name)));
    in_home.chain(xdg).chain([PathBuf::from("/etc/tmux.conf")]).collect()
}

fn is_configured(conf: &Path, our_file: Option<&Place>) -> bool {
    let is_small = conf.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= CONF_MAX);
    if !is_small {
        return false;
    }
    let text = fs::read(conf).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let ours = our_file.map(|file| file.0.to_string_lossy().into_owned());
    text.lines().map(str::trim).any(|line| {
        let is_source = line.starts_with("source");
        is_source
            && (OUR_MARKS.iter().any(|mark| line.ends_with(mark))
                || ours.as_ref().is_some_and(|o| line.contains(o)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_hooks_are_those_at_our_index_that_run_visit() {
        let line =
            r#"session-window-changed[8731] run-shell -b "'/a b/atm' visit --pane '#{pane_id}'""#;
        let (name, command) = our_hook(line).unwrap();
        assert_eq!(name, "session-window-changed");
        assert_eq!(program_in(command).as_deref(), Some("/a b/atm"));
        assert_eq!(our_hook("session-window-changed[0] run-shell x visit"), None);
        assert_eq!(our_hook("pane-focus-in[8731] display-message hi"), None);
        assert_eq!(our_hook("pane-focus-in"), None);
    }

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
            ("set -g mouse on\nsource-file -q '/x/tmux.conf' # atm\n", true),
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
