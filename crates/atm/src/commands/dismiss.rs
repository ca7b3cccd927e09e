//! `atm dismiss`: the user has seen it.

use atm_core::proto::message::{Reply, Request};

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Mark a session, or all, as seen
///
/// Clears the mark only: a session that waits for an answer still does.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Session: id, beginning of one, name, or pane; all if left out
    #[arg(value_name = "S")]
    session: Option<String>,
}

pub(crate) fn run(args: Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match context.ask(&Request::Dismiss { who: args.session })? {
        Reply::Done => Ok(Exit::Ok),
        _ => Err(unexpected()),
    }
}
