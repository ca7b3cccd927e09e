//! `atm config`: what can be configured, what is, and what is wrong with it. Needs no daemon.

mod check;
mod show;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use atm_core::config::{self, Loaded};
use atm_daemon::config_file::{self, ConfigFileError};
use atm_daemon::notify::template;

use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;

/// Show and check the configuration
///
/// It is one file, config.toml, in $ATM_CONFIG_DIR, else in the folder atm of $XDG_CONFIG_HOME,
/// else in ~/.config/atm. It need not exist. What is wrong in it falls back to its default, and
/// the daemon takes changes in at once.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  atm config show --origin         every option, and where its value comes from
  atm config check                 what is wrong in the file
  atm config default               a file to begin with, for the place that `path` names")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Print the values in effect, as a file that would bring them about
    Show(show::Args),
    /// Print where the file is, or would be
    Path,
    /// Print a JSON Schema (2020-12) of the file, for editors
    Schema,
    /// Print a file with every option, its help and its default, commented out
    Default,
    /// Say what is wrong in the file; exit code 1 if something is
    Check,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<Exit, CliError> {
    match &args.command {
        Command::Show(args) => return show::run(args, context),
        Command::Check => return check::run(context),
        Command::Path => {
            let path = context.places.config_file();
            context.out.write_all(path.as_os_str().as_bytes())?;
            writeln!(context.out)?;
        }
        Command::Schema => writeln!(context.out, "{:#}", config::schema())?,
        Command::Default => write!(context.out, "{}", config::default_document())?,
    }
    Ok(Exit::Ok)
}

/// A file that cannot be read is an error here; elsewhere the defaults stand in.
fn load(path: &Path) -> Result<(Loaded, Presence), CliError> {
    let text = config_file::read(path).map_err(|error| unreadable(&error))?;
    let presence = if text.is_some() { Presence::There } else { Presence::Missing };
    let mut loaded =
        config::load(text.as_deref().unwrap_or_default(), &|name| std::env::var_os(name));
    loaded.problems.extend(template::problems(&loaded));
    Ok((loaded, presence))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    There,
    Missing,
}

fn unreadable(error: &ConfigFileError) -> CliError {
    let what = CliError::failed("the configuration is not used", error);
    what.hint(match error {
        ConfigFileError::NoFile { .. } | ConfigFileError::TooLarge { .. } => {
            "move it away; `atm config default` prints a file to begin with"
        }
        ConfigFileError::NoText { .. } => "save it as UTF-8",
        ConfigFileError::Io { .. } => {
            "make it readable, or set ATM_CONFIG_DIR to another directory"
        }
    })
}
