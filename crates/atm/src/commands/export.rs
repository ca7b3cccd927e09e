//! `atm export`
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    session: String,
    #[arg(long)]
    format: Option<String>,
    #[arg(long)]
    output: Option<String>,
    #[arg(long)]
    no_redact: bool,
    #[arg(long)]
    tools: bool,
}

pub(crate) fn run(_: &Args, _: &mut Context<'_>) -> Result<Exit, CliError> {
    Ok(Exit::Ok)
}
