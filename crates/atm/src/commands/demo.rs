//! `atm demo`: simulated agents to look at, in a tmux of their own.

use std::fs;
use std::io::{ErrorKind, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::daemon;
use crate::context::Context;
use crate::demo::agent::Agent;
use crate::demo::board::{self, Manner};
use crate::demo::cast::{Actor, CAST};
use crate::demo::stage::{self, Stage};
use crate::error::CliError;
use crate::exit::Exit;

/// Seconds that the demonstration takes where nobody can leave it.
const LENGTH: u64 = 45;
/// How long the last agents may take to leave.
const SWEEPING: Duration = Duration::from_secs(10);

/// Watch simulated agents, in a tmux server and a state directory of their own
///
/// Plays recordings of real sessions at a pace that can be followed: tabs change colour, the list
/// moves, an agent waits for a permission that you can give. Nothing of yours is read or changed, and
/// nothing is left when it ends. Without a terminal, or with --plain, the list is printed whenever it
/// changes.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  atm demo\n  atm demo --plain --seconds 20"
)]
pub(crate) struct Args {
    #[command(subcommand)]
    part: Option<Part>,
    /// Print the list below itself instead of opening tmux
    #[arg(long)]
    plain: bool,
    /// End after this time; with --plain 45 s if not given
    #[arg(long, value_name = "N")]
    seconds: Option<u64>,
    /// How long everything takes; 0.5 is twice as fast
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = pace, hide = true)]
    pace: f64,
}

/// The parts that the demonstration starts itself.
#[derive(Debug, clap::Subcommand)]
enum Part {
    #[command(hide = true)]
    Agent {
        name: String,
        #[arg(long, value_parser = pace)]
        pace: f64,
        /// Not its first time
        #[arg(long)]
        again: bool,
    },
    #[command(hide = true)]
    Board,
    #[command(hide = true)]
    Sweep { dir: PathBuf },
}

fn pace(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(pace) if (0.0..=10.0).contains(&pace) => Ok(pace),
        _ => Err("a number from 0 to 10".to_owned()),
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match &args.part {
        None => show(args, context),
        Some(Part::Agent { name, pace, again }) => play(name, *pace, *again, context),
        Some(Part::Board) => board::run(Manner::InPlace, None, context).map(|()| Exit::Ok),
        Some(Part::Sweep { dir }) => sweep(dir, context),
    }
}

fn show(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let cannot = |error| CliError::failed("cannot set the stage for the demonstration", &error);
    let program = std::env::current_exe().map_err(cannot)?;
    let stage = Stage::build().map_err(cannot)?;
    let sweeper = stage.hire_sweeper(&program).map_err(cannot)?;
    let shown = perform(args, &stage, context);
    sweeper.finish().map_err(|error| CliError::failed("cannot clean up", &error))?;
    shown?;
    writeln!(context.out, "the demonstration is over and has left nothing behind")?;
    writeln!(context.out, "for your own agents: `atm setup`, then `atm list`")?;
    Ok(Exit::Ok)
}

fn perform(args: &Args, stage: &Stage, context: &mut Context<'_>) -> Result<(), CliError> {
    let program = std::env::current_exe()
        .map_err(|error| CliError::failed("cannot find out where this atm is", &error))?;
    stage
        .start_daemon(&program)
        .map_err(|error| CliError::failed("cannot start a daemon for the demonstration", &error))?;
    let opened = stage.open(&program, args.pace);
    let is_plain = args.plain || !std::io::stdout().is_terminal() || opened.is_err();
    if !is_plain {
        let failed = |error| CliError::failed("cannot show the demonstration", &error);
        return stage.attach().map(drop).map_err(failed);
    }
    let mut agents = Vec::new();
    if let Err(error) = opened {
        writeln!(context.out, "without tmux ({error}); the agents have no panes")?;
        agents = stage
            .open_without_tmux(&program, args.pace)
            .map_err(|error| CliError::failed("cannot start the agents", &error))?;
    }
    let names: Vec<&str> = CAST.iter().map(|actor| actor.name).collect();
    writeln!(context.out, "simulated agents: {}\n", names.join(", "))?;
    let length = Duration::from_secs(args.seconds.unwrap_or(LENGTH));
    let mut on_stage = Context {
        places: atm_core::places::Places { state: stage.state(), config: stage.config() },
        screen: context.screen,
        home: Some(stage.home().to_string_lossy().into_owned()),
        out: &mut *context.out,
        patience: context.patience,
        start: context.start,
    };
    let shown = board::run(Manner::Scroll, Some(Instant::now() + length), &mut on_stage);
    for mut agent in agents {
        // One that has ended by itself is as good.
        agent.kill().and_then(|()| agent.wait()).ok();
    }
    shown
}

fn play(name: &str, pace: f64, again: bool, context: &mut Context<'_>) -> Result<Exit, CliError> {
    let unknown = || CliError::new(Exit::NotFound, format!("no agent is called {name:?}"));
    let actor = Actor::named(name).ok_or_else(unknown)?;
    let config = std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    let (Some(config), Some(home)) = (config, &context.home) else { return Err(unknown()) };
    let dir = PathBuf::from(home).join("src").join(name);
    // A pause for those who watch: the next round does not follow at once.
    let wait = if again { 12.0 } else { actor.entrance };
    std::thread::sleep(Duration::from_secs_f64(wait * pace));
    let agent = Agent { actor, config, dir, pace, screen: context.screen };
    agent
        .play(context.out)
        .map_err(|error| CliError::failed("the simulated agent cannot go on", &error))?;
    Ok(Exit::Ok)
}

fn sweep(dir: &std::path::Path, context: &mut Context<'_>) -> Result<Exit, CliError> {
    stage::wait_for_the_end();
    if !stage::is_stage(dir) {
        return Err(CliError::new(Exit::Usage, "this is no stage"));
    }
    let stage = Stage { dir: dir.to_owned() };
    let limit = Instant::now() + SWEEPING;
    // What was just being started when the end came may build anew what is gone already.
    let mut looks_without_a_trace = 0;
    while looks_without_a_trace < 3 {
        stage.tmux().arg("kill-server").output().ok();
        daemon::stop(context).ok();
        match fs::remove_dir_all(dir) {
            Err(error) if error.kind() == ErrorKind::NotFound => looks_without_a_trace += 1,
            Err(error) if Instant::now() > limit => {
                return Err(CliError::failed("cannot remove the stage", &error));
            }
            Ok(()) | Err(_) => looks_without_a_trace = 0,
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(Exit::Ok)
}
