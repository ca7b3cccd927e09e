//! `atm statusline` as its help tells it. It runs before the command line is parsed:
//! `atm_hook::statusline`.

/// Print Claude Code's status line and tell the daemon (agents call this, not people)
///
/// Reads the status that Claude Code writes to the standard input of its status line command,
/// passes context, cost and limits on to the daemon if one runs, then becomes your own command: it
/// gets the same input, and what it prints and its exit code are the line's. Without a command it
/// prints model, directory, branch, context, cost and limits.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples, as \"command\" of \"statusLine\" in Claude Code's settings.json:
  atm statusline
  atm statusline -- '~/.claude/statusline.sh'")]
pub(crate) struct Args {
    /// Your own status line command, a command line for sh
    #[arg(last = true, value_name = "COMMAND LINE")]
    _command: Vec<std::ffi::OsString>,
}
