//! What a command tells the user when it cannot do its work: what happened, and what to do.

use std::io::{self, Write};
use std::path::Path;

use atm_core::proto::message::{Refusal, RefusalKind};
use atm_core::text::clean;

use crate::exit::Exit;

/// Longest line of foreign text in an error.
const MAX_LINE: usize = 1000;

#[derive(Debug)]
pub(crate) struct CliError {
    /// `Exit::Ok` means that nobody reads our output any more, which is no failure.
    pub(crate) kind: Exit,
    pub(crate) message: String,
    /// What belongs to the message, one line each.
    pub(crate) notes: Vec<String>,
    pub(crate) hint: Option<String>,
}

impl CliError {
    pub(crate) fn new(kind: Exit, message: impl Into<String>) -> CliError {
        CliError { kind, message: message.into(), notes: Vec::new(), hint: None }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> CliError {
        CliError { hint: Some(hint.into()), ..self }
    }

    /// With all causes of `error`.
    pub(crate) fn failed(what: &str, error: &dyn std::error::Error) -> CliError {
        let causes = std::iter::successors(Some(error), |error| error.source());
        let words = causes.map(|cause| format!(": {cause}")).collect::<String>();
        CliError::new(Exit::Failed, format!("{what}{words}"))
    }

    /// The first, with the others as notes.
    pub(crate) fn first_of(failures: Vec<CliError>) -> Option<CliError> {
        let mut failures = failures.into_iter();
        let mut first = failures.next()?;
        first.notes.extend(failures.map(|failure| failure.message));
        Some(first)
    }

    pub(crate) fn ambiguous(message: String, candidates: Vec<String>) -> CliError {
        CliError {
            notes: candidates,
            ..CliError::new(Exit::Failed, message).hint("say more of the id, or name the pane")
        }
    }

    /// The daemon understood and said no.
    pub(crate) fn refused(refusal: Refusal, log: &Path) -> CliError {
        match refusal.kind {
            RefusalKind::NotFound => CliError::new(Exit::NotFound, refusal.message)
                .hint("run `atm list --all` to see what there is"),
            RefusalKind::Ambiguous => CliError::ambiguous(refusal.message, refusal.candidates),
            RefusalKind::Nowhere => CliError::new(Exit::NotFound, refusal.message),
            RefusalKind::Version => CliError::version(&refusal.message),
            RefusalKind::BadRequest => CliError::new(Exit::Failed, refusal.message)
                .hint("if atm was updated just now, run `atm daemon stop` and try again"),
            RefusalKind::Failed => CliError::new(Exit::Failed, refusal.message)
                .hint(format!("the daemon's log is {}", log.display())),
        }
    }

    pub(crate) fn version(message: &str) -> CliError {
        CliError::new(
            Exit::Unreachable,
            format!("the running daemon is another version: {message}"),
        )
        .hint("run `atm daemon stop`; the next command starts the right one")
    }

    /// Writes `error: …` and `hint: …`; nothing a terminal would act on gets through.
    pub(crate) fn report(&self, err: &mut dyn Write) -> io::Result<()> {
        if self.kind == Exit::Ok {
            return Ok(());
        }
        writeln!(err, "error: {}", clean(&self.message, MAX_LINE))?;
        for note in &self.notes {
            writeln!(err, "  {}", clean(note, MAX_LINE))?;
        }
        match &self.hint {
            Some(hint) => writeln!(err, "hint: {}", clean(hint, MAX_LINE)),
            None => Ok(()),
        }
    }
}

/// For writing to standard output, and only for that.
impl From<io::Error> for CliError {
    fn from(error: io::Error) -> CliError {
        match error.kind() {
            io::ErrorKind::BrokenPipe => CliError::new(Exit::Ok, "nobody reads the output"),
            _ => CliError::failed("cannot write the output", &error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(error: &CliError) -> String {
        let mut out = Vec::new();
        error.report(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn error_shown_has_message_candidates_and_hint_without_control_bytes() {
        let error = CliError::ambiguous(
            "`ab\x1b[31m` means several sessions".into(),
            vec!["abcd1 %3 /a\nb".into()],
        );
        assert_eq!(
            shown(&error),
            "error: `ab[31m` means several sessions\n  abcd1 %3 /a b\n\
             hint: say more of the id, or name the pane\n"
        );
    }

    #[test]
    fn broken_pipe_is_success_and_silent() {
        let error = CliError::from(io::Error::from(io::ErrorKind::BrokenPipe));
        assert_eq!((error.kind, shown(&error).as_str()), (Exit::Ok, ""));
    }

    #[test]
    fn refusals_map_to_their_exit_codes() {
        let exit = |kind| {
            let refusal = Refusal { kind, message: "m".into(), candidates: vec![] };
            CliError::refused(refusal, Path::new("/log")).kind
        };
        assert_eq!(exit(RefusalKind::NotFound), Exit::NotFound);
        assert_eq!(exit(RefusalKind::Ambiguous), Exit::Failed);
        assert_eq!(exit(RefusalKind::BadRequest), Exit::Failed);
        assert_eq!(exit(RefusalKind::Version), Exit::Unreachable);
        assert_eq!(exit(RefusalKind::Failed), Exit::Failed);
    }
}
