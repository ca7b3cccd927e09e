//! `atm generate`: manual pages, shell completions and the hooks of the plugin, for packagers.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::setup::hooks::plugin;

/// Write manual pages, shell completions or the plugin's hooks into a directory
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum)]
    what: What,
    #[arg(value_name = "DIR")]
    dir: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    Man,
    Completions,
    /// The hooks of the plugin
    Plugin,
}

pub(crate) fn run(args: &Args, _: &mut Context<'_>) -> Result<Exit, CliError> {
    let written = fs::create_dir_all(&args.dir).and_then(|()| match args.what {
        What::Man => clap_mangen::generate_to(Cli::command(), &args.dir),
        What::Completions => completions(&args.dir),
        What::Plugin => fs::write(args.dir.join("hooks.json"), plugin()?),
    });
    match written {
        Ok(()) => Ok(Exit::Ok),
        Err(error) => {
            Err(CliError::failed(&format!("cannot write to {}", args.dir.display()), &error))
        }
    }
}

fn completions(dir: &Path) -> std::io::Result<()> {
    for shell in Shell::value_variants() {
        clap_complete::generate_to(*shell, &mut Cli::command(), "atm", dir)?;
    }
    Ok(())
}
