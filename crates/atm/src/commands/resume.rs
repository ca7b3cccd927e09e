//! `atm resume`: go on with a session where it was.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use atm_core::text::clean;
use atm_core::view::SessionView;

use crate::commands::path;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::place::{pane, short};
use crate::resume::known::Known;
use crate::resume::launch::{self, Config, Launch};
use crate::resume::moved;
use crate::resume::place::{Clues, Place, is_same};
use crate::resume::question::{ask, is_yes};
use crate::resume::world::{World, describe, note};
use crate::tree::Tree;

/// Sessions that are offered where none was named.
const MAX_OFFERED: usize = 15;
const MAX_PATH: usize = 5000;

/// Go on with a session, in the directory where it belongs
///
/// Finds the session among those that were tracked and among the transcripts on disk, asks, goes to
/// its directory and runs `claude --resume` there. `cld resume` is the same.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm resume 23e30f82
  atm resume -y 23e30f82 -- --model opus
  eval \"$(atm resume --print 23e30f82)\"")]
pub(crate) struct Args {
    /// Session: id, beginning of one, or name; offers the recent ones if left out
    #[arg(value_name = "ID")]
    session: Option<String>,
    /// Go to the session's directory without asking
    #[arg(long, short, conflicts_with = "no")]
    yes: bool,
    /// Stay in the current directory
    #[arg(long, short)]
    no: bool,
    /// Print what would be run, as a line for a shell
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    running: Running,
    /// Arguments for `claude`
    #[arg(last = true, value_name = "ARGS")]
    rest: Vec<OsString>,
}

/// What to do with a session that is still running.
#[derive(Debug, clap::Args)]
struct Running {
    /// Go on with a copy of the session, under a new id
    #[arg(long)]
    fork: bool,
    /// Resume it although it is still running elsewhere
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let world = World::look(context);
    let known = match &args.session {
        Some(who) => world.find(who, context)?,
        None => offer(&world, context)?,
    };
    if let Some(view) = known.live().filter(|_| !args.running.fork && !args.running.force) {
        return Err(still_running(view));
    }
    if known.transcript.is_none() {
        let id = short(&known.id);
        note(&format!("warning: no transcript of {id} was found; `claude` may not know it"));
    }
    let launch = Launch {
        dir: directory(args, known, &world, context)?,
        config: configuration(known, &world),
        words: words(args, known),
    };
    if args.print {
        writeln!(context.out, "{}", launch.line())?;
        return Ok(Exit::Ok);
    }
    context.out.flush()?;
    Err(launch.exec())
}

fn words(args: &Args, known: &Known) -> Vec<OsString> {
    let fork = args.running.fork.then(|| OsString::from("--fork-session"));
    let own = [OsString::from("--resume"), OsString::from(&known.id)];
    own.into_iter().chain(fork).chain(args.rest.iter().cloned()).collect()
}

fn configuration(known: &Known, world: &World) -> Config {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    known.transcript.as_ref().map_or(Config::AsItIs, |transcript| {
        launch::config(&transcript.config, world.effective.as_deref(), home.as_deref())
    })
}

fn still_running(view: &SessionView) -> CliError {
    let id = short(&view.id);
    let (place, hint) = match (&view.pane, view.kind.as_deref()) {
        (_, Some("bg")) => (
            "in the background".to_owned(),
            "`claude agents` shows it and `claude attach` goes there".to_owned(),
        ),
        (Some(_), _) => (format!("in pane {}", pane(view)), format!("`atm jump {id}` goes there")),
        (None, _) => (
            view.pid
                .map_or("elsewhere".to_owned(), |pid| format!("as process {pid}, outside tmux")),
            "go on with it there".to_owned(),
        ),
    };
    CliError::new(Exit::Failed, format!("session {id} is still running {place}"))
        .hint(format!("{hint}; --fork goes on with a copy here, --force with the session itself"))
}

/// The directory to go to; none to stay.
fn directory(
    args: &Args,
    known: &Known,
    world: &World,
    context: &mut Context<'_>,
) -> Result<Option<PathBuf>, CliError> {
    if args.no {
        return Ok(None);
    }
    let here = std::env::current_dir().ok();
    let is_here = |dir: &Path| here.as_deref().is_some_and(|here| is_same(dir, here));
    let dir = match clues(known).weigh(&|path| path.is_dir()) {
        Place::Sure(dir) if is_here(&dir) && !args.print => return Ok(None),
        Place::Sure(dir) => dir,
        Place::Doubtful(dir, words) => {
            note(&format!("warning: {words}"));
            dir
        }
        Place::Missing(gone) => substitute(&gone, known, world, here.as_deref())?,
        Place::Unknown => return Err(unknown_place(known)),
    };
    if args.yes || args.print {
        return Ok(Some(dir));
    }
    let shown = clean(&dir.to_string_lossy(), MAX_PATH);
    let question = format!("Resume session {} from {shown}? [Yn]", short(&known.id));
    if is_yes(&ask(&question, context.out)?) {
        return Ok(Some(dir));
    }
    let answer = ask("Resume it in the current directory? [yN]", context.out)?;
    if answer.is_empty() || !is_yes(&answer) {
        return Err(CliError::new(Exit::Failed, "nothing was resumed"));
    }
    Ok(None)
}

fn clues(known: &Known) -> Clues {
    let past = known.past();
    let path = |text: &Option<String>| text.as_ref().map(PathBuf::from);
    let folder = known.transcript.as_ref().filter(|_| past.home.is_none());
    Clues {
        tracked: known.view.as_ref().and_then(|view| path(&view.session_dir)),
        home: path(&past.home),
        first: path(&past.first_cwd),
        decoded: folder
            .map(|transcript| path::search(&transcript.folder, &Tree::whole()).candidates)
            .unwrap_or_default(),
    }
}

/// Where to go instead of a directory that is gone: the repository of a worktree, or the only clone
/// of the repository that was there.
fn substitute(
    gone: &Path,
    known: &Known,
    world: &World,
    here: Option<&Path>,
) -> Result<PathBuf, CliError> {
    let missing =
        format!("the directory of session {} is gone: {}", short(&known.id), gone.display());
    let repository = known.past().repository.as_ref().map(PathBuf::from);
    if let Some(dir) = repository.filter(|dir| dir.is_dir() && !is_same(dir, gone)) {
        note(&format!("warning: {missing}; it was a worktree of {}", dir.display()));
        return Ok(dir);
    }
    let found = moved::elsewhere(gone, here.unwrap_or(gone), &notes(world));
    if let [dir] = found.as_slice() {
        note(&format!("warning: {missing}; the same repository is in {}", dir.display()));
        return Ok(dir.clone());
    }
    let hint = "go where it is now and run `atm resume -n` with the same id: that stays in the current directory";
    Err(CliError {
        notes: found.iter().map(|dir| format!("the same repository: {}", dir.display())).collect(),
        ..CliError::new(Exit::Failed, missing).hint(hint)
    })
}

/// The files in which clients note the repositories they saw.
fn notes(world: &World) -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    home.iter().chain(&world.configs).map(|dir| dir.join(".claude.json")).collect()
}

fn unknown_place(known: &Known) -> CliError {
    let id = short(&known.id);
    CliError::new(Exit::Failed, format!("nothing tells in which directory session {id} was")).hint(
        "go there and run `atm resume -n` with the same id: that stays in the current directory",
    )
}

/// A numbered choice of the recent sessions.
fn offer<'w>(world: &'w World, context: &mut Context<'_>) -> Result<&'w Known, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::new(Exit::Usage, "which session? none was named")
            .hint("name one by its id; `atm list --all` shows them"));
    }
    let is_fit = |known: &&Known| known.transcript.is_some() && known.live().is_none();
    let recent: Vec<&Known> = world
        .sessions
        .iter()
        .filter(is_fit)
        .filter(|known| !known.past().is_sidechain && known.past().prompt.is_some())
        .take(MAX_OFFERED)
        .collect();
    if recent.is_empty() {
        return Err(CliError::new(Exit::NotFound, "there is no session to go on with"));
    }
    for (number, known) in recent.iter().enumerate() {
        writeln!(context.out, "{:>3}  {}", number + 1, describe(known, context))?;
    }
    let answer = ask("Which one? [1]", context.out)?;
    let number: usize = if answer.is_empty() { 1 } else { answer.parse().unwrap_or(0) };
    let chosen = number.checked_sub(1).and_then(|at| recent.get(at)).copied();
    chosen.ok_or_else(|| CliError::new(Exit::Failed, "nothing was resumed"))
}
