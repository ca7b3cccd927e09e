//! The exit codes of every command but `atm hook`, whose codes belong to the agent.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Ok = 0,
    /// Tried and failed, or the request was ambiguous.
    Failed = 1,
    /// The command line made no sense.
    Usage = 2,
    /// No daemon answers and none could be started.
    Unreachable = 3,
    /// No such session, or it is gone.
    NotFound = 4,
    #[expect(dead_code, reason = "part of the contract; the guard will use it")]
    Refused = 5,
    TimedOut = 6,
}

/// For `--help` and the manual.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0 ok   1 failed   2 usage   3 daemon unreachable   4 not found   5 refused by policy   6 timed out";

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
