//! One undertaking of setup: files to change, servers to tell, and what is said of each part.

use std::io::Write;

use super::diff::visible;
use super::plan::Plan;
use super::tmux::server::Server;
use crate::context::Context;
use crate::error::CliError;
use crate::screen::Screen;

#[derive(Default)]
pub(crate) struct Task {
    pub(crate) plans: Vec<Plan>,
    pub(crate) loads: Vec<Load>,
    pub(crate) shares: Vec<Share>,
    /// What the user should know, whether anything is to be done or not.
    pub(crate) notes: Vec<String>,
    /// Whether it bears on what tmux shows.
    pub(crate) painted: Option<Painted>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Painted {
    Servers,
    /// None runs at the moment.
    Nowhere,
}

impl Painted {
    pub(crate) fn of(servers: usize) -> Painted {
        if servers == 0 { Painted::Nowhere } else { Painted::Servers }
    }
}

/// A running server that has yet to load a file.
pub(crate) struct Load {
    pub(crate) server: Server,
    pub(crate) file: String,
}

/// What a part comes to, in one line.
pub(crate) struct Share {
    pub(crate) what: String,
    pub(crate) state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Done,
    Open,
}

/// Why a part is left out.
pub(crate) enum Hindrance {
    /// Something is not there: no failure unless this part was asked for.
    Missing(CliError),
    Failed(CliError),
}

impl From<CliError> for Hindrance {
    fn from(error: CliError) -> Hindrance {
        Hindrance::Failed(error)
    }
}

impl Task {
    pub(crate) fn is_change(&self) -> bool {
        !self.loads.is_empty() || self.plans.iter().any(Plan::is_change)
    }

    pub(crate) fn show(&self, screen: &Screen, out: &mut dyn Write) -> Result<(), CliError> {
        for plan in self.plans.iter().filter(|plan| plan.is_change()) {
            plan.write_diff(screen, out)?;
        }
        for Load { server, file } in &self.loads {
            writeln!(
                out,
                "to be loaded by the running tmux at {}: {}",
                server.name(),
                visible(file)
            )?;
        }
        Ok(())
    }

    pub(crate) fn check_unchanged(&self) -> Result<(), CliError> {
        self.plans.iter().filter(|plan| plan.is_change()).try_for_each(|p| p.file.check_unchanged())
    }

    /// The ledger must know of all files already.
    pub(crate) fn apply(&self, context: &mut Context<'_>) -> Result<(), CliError> {
        for plan in &self.plans {
            plan.apply()?;
        }
        let told: Vec<_> =
            self.loads.iter().map(|Load { server, file }| server.load(file)).collect();
        self.say(context.out)?;
        for backup in self.plans.iter().filter_map(Plan::backup) {
            writeln!(context.out, "the file as it was: {}", visible(&backup.to_string_lossy()))?;
        }
        told.into_iter().collect()
    }

    pub(crate) fn say(&self, out: &mut dyn Write) -> Result<(), CliError> {
        for Share { what, state } in &self.shares {
            let said = if *state == State::Done { "already set up" } else { "set up" };
            writeln!(out, "{said}: {what}")?;
        }
        Ok(())
    }
}
