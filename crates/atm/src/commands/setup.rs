//! `atm setup`: lets the agent and tmux tell atm what happens.

use std::path::PathBuf;

use atm_core::places::claude_dir;
use atm_core::proto::message::Request;
use clap::ValueEnum;

use crate::client::Client;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::setup::consent::{Answer, Consent};
use crate::setup::files::{cannot, plain, remove_if_there};
use crate::setup::hooks::this_program;
use crate::setup::ledger::{self, Ledger};
use crate::setup::settings::Choice;
use crate::setup::task::{Hindrance, Painted, Task};
use crate::setup::tmux;

/// Set up Claude Code and tmux to work with atm
///
/// Three parts: the hooks of Claude Code, a status line around yours, and a line in your tmux
/// configuration. Shows all changes as a diff and asks. Everything else in the files stays byte for
/// byte, and a backup is put beside them. Can be run again, also to follow an atm that has moved;
/// `atm uninstall` takes it all back.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  atm setup --dry-run\n  atm setup --only claude,tmux\n  atm setup --scope local"
)]
pub(crate) struct Args {
    #[command(flatten)]
    consent: Consent,
    /// Set up only these, separated by commas
    #[arg(long, value_enum, value_name = "PART", value_delimiter = ',')]
    only: Vec<Part>,
    /// Whose hooks: those of all your sessions, or of those in the current directory
    #[arg(long, value_enum, default_value_t = Scope::User)]
    scope: Scope,
    /// Only in the tmux server of this terminal, at once and without a word; your tmux configuration
    /// stays as it is. For plugin managers, with `--only tmux`
    #[arg(long, conflicts_with_all = ["dry_run", "scope"])]
    here: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The hooks of Claude Code
    Claude,
    /// Marks on tabs and panes, and which window you look at
    Tmux,
    /// The status line of Claude Code (in user scope only); yours goes on being shown
    Statusline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Scope {
    /// ~/.claude/settings.json, or that in CLAUDE_CONFIG_DIR
    User,
    /// .claude/settings.json here, which is shared with others
    Project,
    /// .claude/settings.local.json here
    Local,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    if args.here {
        return here(args, context);
    }
    let mut failures = Vec::new();
    let tasks = tasks(args, context, &mut failures)?;
    for task in &tasks {
        task.show(&context.screen, context.out)?;
    }
    let is_change = tasks.iter().any(Task::is_change);
    if is_change && args.consent.seek(context.out)? == Answer::No {
        return conclude(&tasks, failures, context);
    }
    if args.consent.dry_run {
        for task in &tasks {
            task.say(context.out)?;
        }
    } else {
        apply(&tasks, context, &mut failures)?;
        failures.extend(repaint(&tasks, context).err());
    }
    if is_change && failures.is_empty() {
        writeln!(
            context.out,
            "running sessions take it up by themselves; `atm uninstall` takes it out"
        )?;
    }
    conclude(&tasks, failures, context)
}

/// tmux would show whatever is said over the user's work.
fn here(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    if args.only != [Part::Tmux] {
        return Err(CliError::new(Exit::Usage, "--here is for tmux alone")
            .hint("run `atm setup --only tmux --here`"));
    }
    let ledger = Ledger::load(&context.places)?;
    let config = context.config();
    let task = tmux::task_here(&this_program()?, &context.places, &config, &ledger);
    let task = task.map_err(|hindrance| match hindrance {
        Hindrance::Missing(error) | Hindrance::Failed(error) => error,
    })?;
    let mut silence = std::io::sink();
    let mut silent = Context {
        places: context.places.clone(),
        screen: context.screen,
        home: context.home.clone(),
        out: &mut silence,
        patience: context.patience,
        start: context.start,
    };
    let mut failures = Vec::new();
    apply(&[task], &mut silent, &mut failures)?;
    CliError::first_of(failures).map_or(Ok(()), Err)?;
    silent.ask(&Request::Repaint).map(|_| Exit::Ok)
}

/// What tmux shows is there at once, also what an earlier uninstall has taken out.
fn repaint(tasks: &[Task], context: &Context<'_>) -> Result<(), CliError> {
    let Some(painted) = tasks.iter().find_map(|task| task.painted) else { return Ok(()) };
    let is_off = context.places.tmux_off().exists();
    match painted {
        Painted::Servers => context.ask(&Request::Repaint).map(drop),
        // A daemon is not started for it.
        Painted::Nowhere if is_off => match Client::connect(&context.places, context.patience) {
            Ok(mut client) => client.ask(&Request::Repaint).map(drop),
            Err(_) => remove_if_there(&context.places.tmux_off())
                .map_err(|error| cannot("remove", &context.places.tmux_off(), &error)),
        },
        Painted::Nowhere => Ok(()),
    }
}

/// `atm setup` for the hooks in the user's settings, for other commands.
pub(crate) fn register(consent: &Consent, context: &mut Context<'_>) -> Result<(), CliError> {
    let args = Args {
        consent: consent.clone(),
        only: vec![Part::Claude],
        scope: Scope::User,
        here: false,
    };
    run(&args, context).map(drop)
}

/// A part that cannot be planned does not keep the others from it.
fn tasks(
    args: &Args,
    context: &mut Context<'_>,
    failures: &mut Vec<CliError>,
) -> Result<Vec<Task>, CliError> {
    let ledger = Ledger::load(&context.places)?;
    let program = this_program()?;
    let mut tasks = Vec::new();
    if let Some(choice) = args.choice(&program).transpose() {
        match choice.and_then(|choice| choice.task(&ledger)) {
            Ok(task) => tasks.push(task),
            Err(error) => failures.push(error),
        }
    }
    if args.wants(Part::Tmux) {
        match tmux::task(&program, &context.places, &context.config(), &ledger) {
            Ok(task) => tasks.push(task),
            Err(Hindrance::Missing(error)) if args.only.is_empty() => {
                writeln!(context.out, "note: tmux is left out: {}", error.message)?;
            }
            Err(Hindrance::Missing(error) | Hindrance::Failed(error)) => failures.push(error),
        }
    }
    let now = Context::now();
    for task in &mut tasks {
        task.plans = task.plans.drain(..).map(|plan| plan.with_backup(now)).collect();
    }
    Ok(tasks)
}

/// The ledger first: whatever happens after it can be taken back.
fn apply(
    tasks: &[Task],
    context: &mut Context<'_>,
    failures: &mut Vec<CliError>,
) -> Result<(), CliError> {
    if tasks.is_empty() {
        return Ok(());
    }
    ledger::prepare(&context.places)?;
    let _held = ledger::hold(&context.places)?;
    let mut good = Vec::new();
    for task in tasks {
        match task.check_unchanged() {
            Ok(()) => good.push(task),
            Err(error) => failures.push(error),
        }
    }
    let mut ledger = Ledger::load(&context.places)?;
    for plan in good.iter().flat_map(|task| &task.plans) {
        ledger.files.insert(plan.file.path.clone(), plan.entry.clone());
    }
    ledger.save(&context.places)?;
    for task in good {
        match task.apply(context) {
            // Nobody reads on; what is not done is not begun.
            Err(error) if error.kind == Exit::Ok => return Err(error),
            Err(error) => failures.push(error),
            Ok(()) => {}
        }
    }
    Ok(())
}

fn conclude(
    tasks: &[Task],
    failures: Vec<CliError>,
    context: &mut Context<'_>,
) -> Result<Exit, CliError> {
    for note in tasks.iter().flat_map(|task| &task.notes) {
        writeln!(context.out, "note: {note}")?;
    }
    CliError::first_of(failures).map_or(Ok(Exit::Ok), Err)
}

impl Args {
    /// In a project only what belongs to it, and tmux.
    fn wants(&self, part: Part) -> bool {
        if self.only.is_empty() {
            self.scope == Scope::User || part != Part::Statusline
        } else {
            self.only.contains(&part)
        }
    }

    /// What of the settings file is wanted; `None` for nothing.
    fn choice(&self, program: &str) -> Result<Option<Choice>, CliError> {
        let (hooks, status_line) = (self.wants(Part::Claude), self.wants(Part::Statusline));
        if status_line && self.scope != Scope::User {
            let message = "the status line is set up in user scope only";
            return Err(CliError::new(Exit::Usage, message).hint("leave --scope out for it"));
        }
        if !hooks && !status_line {
            return Ok(None);
        }
        let mut choice = Choice::none(self.scope.settings()?);
        if hooks {
            choice = choice.with_hooks(program);
        }
        if status_line {
            choice = choice.with_status_line(program);
        }
        Ok(Some(choice))
    }
}

impl Scope {
    fn settings(self) -> Result<PathBuf, CliError> {
        let here = || {
            std::env::current_dir()
                .map(|here| here.join(".claude"))
                .map_err(|error| CliError::failed("cannot find the current directory", &error))
        };
        match self {
            Scope::User => user_settings(),
            Scope::Project => Ok(plain(&here()?.join("settings.json"))),
            Scope::Local => Ok(plain(&here()?.join("settings.local.json"))),
        }
    }
}

pub(crate) fn user_settings() -> Result<PathBuf, CliError> {
    let folder = claude_dir(&|name| std::env::var_os(name)).ok_or_else(|| {
        CliError::new(Exit::Failed, "neither CLAUDE_CONFIG_DIR nor HOME is set to an absolute path")
            .hint("set HOME, or choose --scope project or local")
    })?;
    Ok(plain(&folder.join("settings.json")))
}
