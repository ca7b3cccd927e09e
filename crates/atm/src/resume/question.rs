//! Questions at the terminal, one line each.

use std::io::{self, Read, Write};

use crate::error::CliError;
use crate::exit::Exit;

/// Asks and reads a line; a byte at a time, so that the rest is left for the client.
pub(crate) fn ask(question: &str, out: &mut dyn Write) -> Result<String, CliError> {
    write!(out, "{question} ")?;
    out.flush()?;
    let line = read_line(&mut io::stdin().lock());
    line.ok_or_else(|| {
        CliError::new(Exit::Usage, "nothing was resumed: nobody answered the question")
            .hint("add -y to go there, -n to stay in the current directory, or --print to only see")
    })
}

/// None at the end of the input.
fn read_line(input: &mut impl Read) -> Option<String> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        match input.read(&mut byte) {
            Ok(0) | Err(_) if line.is_empty() => return None,
            Ok(1) if byte != *b"\n" => line.push(byte[0]),
            _ => return Some(String::from_utf8_lossy(&line).trim().to_lowercase()),
        }
    }
}

pub(crate) fn is_yes(answer: &str) -> bool {
    matches!(answer, "" | "y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_read_is_one_line_and_leaves_the_rest() {
        let mut input = &b"Yes \r\nnext"[..];
        assert_eq!(read_line(&mut input).as_deref(), Some("yes"));
        assert_eq!(read_line(&mut input).as_deref(), Some("next"));
        assert_eq!(read_line(&mut input), None);
        assert_eq!(read_line(&mut &b"\n"[..]).as_deref(), Some(""));
    }
}
