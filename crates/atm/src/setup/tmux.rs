//! The tmux part: a generated file, one line in the user's configuration that loads it, and the
//! servers that run already.

pub(crate) mod generated;
mod keys;
pub(crate) mod line;
mod quote;
pub(crate) mod server;
pub(crate) mod user_file;
pub(crate) mod version;

use std::path::{Path, PathBuf};
use std::time::Duration;

use atm_core::config::Config;
use atm_core::places::Places;

use self::server::Server;
use self::version::Version;
use super::content::Wanted;
use super::diff::visible;
use super::files::{TextFile, plain};
use super::ledger::{Kind, Ledger};
use super::plan::Plan;
use super::task::{Hindrance, Load, Painted, Share, State, Task};
use crate::error::CliError;
use crate::exit::Exit;
use crate::program::{find, run};

const PATIENCE: Duration = Duration::from_secs(3);
const GENERATED: &str = "tmux.conf";

pub(crate) fn task(
    program: &str,
    places: &Places,
    config: &Config,
    ledger: &Ledger,
) -> Result<Task, Hindrance> {
    let mut notes = Vec::new();
    let version = installed(&mut notes)?;
    let servers = Server::all(places);
    let usual = user_file::usual(&env, version);
    let users = user_file::choose(&usual, &servers).ok_or_else(|| {
        CliError::new(Exit::Failed, "there is no place for a tmux configuration: HOME is not set")
            .hint("set HOME to an absolute path")
    })?;
    let generated = generated_file(places);
    if plain(&generated) == plain(&users) {
        let message = format!("{} cannot be both yours and atm's", users.display());
        let error = CliError::new(Exit::Failed, message);
        return Err(error.hint("set ATM_CONFIG_DIR to a directory of its own").into());
    }
    let name = utf8(&generated)?;
    let text = generated::text(program, version, &config.tmux);
    let plan = |path: &Path, wanted: &Wanted<'_>| plan(path, wanted, ledger);
    // The line comes last: it must not name a file that is not there.
    let plans =
        vec![plan(&generated, &Wanted::Generated(&text))?, plan(&users, &Wanted::TmuxLine(name))?];
    let servers_there = servers.len();
    let mark = generated::mark_of(&text);
    let stale = servers.into_iter().filter(|server| server.mark().as_deref() != Some(mark));
    let loads: Vec<Load> = stale.map(|server| Load { server, file: name.to_owned() }).collect();
    let is_done = loads.is_empty() && !plans.iter().any(Plan::is_change);
    let state = if is_done { State::Done } else { State::Open };
    let running = match loads.len() {
        0 => String::new(),
        1 => ", and in the running tmux".to_owned(),
        more => format!(", and in {more} running tmux servers"),
    };
    let what = format!("tmux, by a line in {}{running}", plans[1].file.name());
    let painted = Some(Painted::of(servers_there));
    Ok(Task { plans, loads, shares: vec![Share { what, state }], notes, painted })
}

/// For plugin managers of tmux, which load the plugin themselves: the server of this terminal alone,
/// and no line in the user's configuration.
pub(crate) fn task_here(
    program: &str,
    places: &Places,
    config: &Config,
    ledger: &Ledger,
) -> Result<Task, Hindrance> {
    let version = installed(&mut Vec::new())?;
    let server = Server::own().ok_or_else(|| {
        CliError::new(Exit::Failed, "this is no pane of a tmux server that answers")
            .hint("run it inside tmux, or leave --here out")
    })?;
    let generated = generated_file(places);
    let text = generated::text(program, version, &config.tmux);
    let plans = vec![plan(&generated, &Wanted::Generated(&text), ledger)?];
    // Also if it has the text: somebody may have taken a part of it out.
    let loads = vec![Load { server, file: utf8(&generated)?.to_owned() }];
    Ok(Task { plans, loads, painted: Some(Painted::Servers), ..Task::default() })
}

/// What setup would make of it for the tmux that is installed, with nothing configured.
pub(crate) fn default_text(program: &str) -> Option<String> {
    let version = installed(&mut Vec::new()).ok()?;
    Some(generated::text(program, version, &Config::default().tmux))
}

fn plan(path: &Path, wanted: &Wanted<'_>, ledger: &Ledger) -> Result<Plan, CliError> {
    let file = TextFile::load(&plain(path))?;
    let known = ledger.files.get(&file.path);
    Plan::setup(file, wanted, known)
}

/// The mark of a server that has loaded the file that setup made, if it did.
pub(crate) fn made_mark(places: &Places) -> Option<String> {
    let text = std::fs::read_to_string(generated_file(places)).ok()?;
    text.starts_with(generated::HEAD).then(|| generated::mark_of(&text).to_owned())
}

/// Every file that may have something of ours in it, ledger aside.
pub(crate) fn possible_files(places: &Places, servers: &[Server]) -> Vec<(PathBuf, Kind)> {
    let usual = user_file::usual(&env, Version::NEWEST);
    let lines = user_file::possible(&usual, servers).into_iter();
    let lines = lines.filter(|path| path.is_file()).map(|path| (plain(&path), Kind::TmuxLine));
    lines.chain([(plain(&generated_file(places)), Kind::Generated)]).collect()
}

pub(crate) fn generated_file(places: &Places) -> PathBuf {
    places.config.join(GENERATED)
}

fn installed(notes: &mut Vec<String>) -> Result<Version, Hindrance> {
    let missing = |message: String| {
        let error = CliError::new(Exit::Failed, message);
        Hindrance::Missing(error.hint("install tmux 3.2 or later, then run the command again"))
    };
    let tmux = find("tmux").ok_or_else(|| missing("no tmux was found on the PATH".into()))?;
    let said = run(&tmux, &["-V"], PATIENCE).map_err(|error| {
        let what = format!("cannot ask {} for its version", tmux.display());
        Hindrance::Missing(CliError::failed(&what, &error))
    })?;
    let name = visible(said.out.trim());
    let Some(version) = Version::parse(&said.out) else {
        notes.push(format!("{} says it is `{name}`; taken for tmux 3.2", tmux.display()));
        return Ok(Version::new(3, 2));
    };
    if !version.is_usable() {
        return Err(missing(format!("{name} is too old: options of panes came with tmux 3.0")));
    }
    notes.extend(version.shortcomings().map(|short| format!("this is {name}: {short}")));
    Ok(version)
}

fn utf8(path: &Path) -> Result<&str, CliError> {
    path.to_str().ok_or_else(|| {
        let message = format!("tmux cannot be told of {}: it is not UTF-8", path.display());
        CliError::new(Exit::Failed, message)
            .hint("set ATM_CONFIG_DIR to a directory with a plain name")
    })
}

fn env(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}
