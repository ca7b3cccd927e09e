//! Whether the user agrees to what was shown.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::error::CliError;
use crate::exit::Exit;

#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Consent {
    /// Apply without asking
    #[arg(long)]
    yes: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
}

impl Consent {
    /// For commands that ask for it in another way; `--yes` was given or not.
    pub(crate) fn of(yes: bool) -> Consent {
        Consent { yes, dry_run: false }
    }

    pub(crate) fn is_given(&self) -> bool {
        self.yes
    }

    /// To be called when all is shown. Without a terminal there is nobody to ask.
    pub(crate) fn seek(&self, out: &mut dyn Write) -> Result<Answer, CliError> {
        if self.dry_run {
            writeln!(out, "dry run: nothing was changed")?;
            return Ok(Answer::No);
        }
        if self.yes {
            return Ok(Answer::Yes);
        }
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return Err(CliError::new(
                Exit::Usage,
                "nothing was changed: standard input is no terminal, so nobody can be asked",
            )
            .hint("add --yes to apply this, or --dry-run to only see it"));
        }
        write!(out, "Apply? [Yn] ")?;
        out.flush()?;
        let mut line = String::new();
        let read = stdin.lock().read_line(&mut line);
        let answer = match read {
            Ok(1..) => meaning(&line),
            Ok(0) | Err(_) => Answer::No,
        };
        if answer == Answer::No {
            writeln!(out, "nothing was changed")?;
        }
        Ok(answer)
    }
}

fn meaning(line: &str) -> Answer {
    match line.trim().to_ascii_lowercase().as_str() {
        "" | "y" | "yes" => Answer::Yes,
        _ => Answer::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_is_yes_only_for_enter_and_yes() {
        for yes in ["\n", "y\n", "Y\n", " yes \r\n"] {
            assert_eq!(meaning(yes), Answer::Yes, "{yes:?}");
        }
        for no in ["n\n", "no\n", "yep\n", "q"] {
            assert_eq!(meaning(no), Answer::No, "{no:?}");
        }
    }
}
