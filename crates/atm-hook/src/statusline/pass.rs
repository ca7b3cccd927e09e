//! Becomes the user's command: no process of ours is left to wait for it, to be killed with it or
//! to leave it behind.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::platform;

/// Where the client itself finds its shell, then wherever there is one.
const SHELLS: [&str; 2] = ["/bin/sh", "sh"];

/// Runs `command` in a shell with `input` on standard input, ours without. Returns only if there is
/// no shell.
pub(super) fn become_command(command: &OsStr, input: Option<&[u8]>) {
    for shell in SHELLS {
        let mut shell = shell_with(shell, command);
        if let Some(input) = input {
            shell.stdin(stdin_of(input));
        }
        // Standard output and error are inherited, so what it prints goes straight to the client.
        drop(shell.exec());
    }
}

#[expect(clippy::disallowed_methods, reason = "the user's own command, in our place")]
fn shell_with(shell: &str, command: &OsStr) -> Command {
    let mut shell_command = Command::new(shell);
    shell_command.arg("-c").arg(command);
    shell_command
}

fn stdin_of(input: &[u8]) -> Stdio {
    filled_pipe(input)
        .map(Stdio::from)
        .or_else(|_| filled_file(platform::nameless_file()?, input).map(Stdio::from))
        .or_else(|_| filled_file(unlinked_file()?, input).map(Stdio::from))
        .unwrap_or_else(|_| Stdio::null())
}

/// A pipe that holds all of `input` and its end. An error if it has no room for that.
fn filled_pipe(input: &[u8]) -> io::Result<OwnedFd> {
    let (reader, writer) = pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&writer, true)?;
    let mut rest = input;
    while !rest.is_empty() {
        match rustix::io::write(&writer, rest) {
            Ok(written) => rest = &rest[written..],
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(reader)
}

fn filled_file(mut file: File, input: &[u8]) -> io::Result<File> {
    file.write_all(input)?;
    file.rewind()?;
    Ok(file)
}

/// Where there are no files in memory.
fn unlinked_file() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("atm-statusline-{}", std::process::id()));
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)?;
    std::fs::remove_file(&path)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn pipe_takes_what_fits_and_refuses_the_rest_without_waiting() {
        let mut read = Vec::new();
        File::from(filled_pipe(b"{}").unwrap()).read_to_end(&mut read).unwrap();
        assert_eq!(read, b"{}");
        assert!(filled_pipe(&vec![b'x'; 10_000_000]).is_err());
    }

    #[test]
    fn file_without_a_name_is_read_from_its_beginning() {
        let input = vec![b'x'; 1_000_000];
        for file in [platform::nameless_file(), unlinked_file()] {
            let mut read = Vec::new();
            filled_file(file.unwrap(), &input).unwrap().read_to_end(&mut read).unwrap();
            assert!(read == input);
        }
    }
}
