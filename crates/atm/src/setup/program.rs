//! Finds and runs programs of the user's machine: no input, and never longer than a limit.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

const PAUSE: Duration = Duration::from_millis(2);

/// What a program said, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// The first of this name on the PATH that can be run.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    all_on_path(name).into_iter().next()
}

pub(crate) fn all_on_path(name: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    // An empty or relative entry would depend on where we stand.
    let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    folders.map(|folder| folder.join(name)).filter(|path| is_program(path)).collect()
}

pub(crate) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// One that is not done within `limit` is ended, with all that it started.
#[expect(clippy::disallowed_methods, reason = "this is where setup starts programs")]
pub(crate) fn run<A: AsRef<OsStr>>(
    program: &Path,
    args: &[A],
    limit: Duration,
) -> io::Result<Said> {
    let deadline = Instant::now() + limit;
    let mut child = Command::new(program)
        .args(args)
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()?;
    let (out, err) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let said = hear(&mut child, [&out, &err], deadline);
    if said.is_err() {
        end(&mut child);
    }
    said
}

/// Somebody has to read while the program runs, or it would wait for a full pipe.
fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (to, from) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
        // Nobody listens if the limit came first.
        read.map(|_| to.send(bytes).ok());
    });
    from
}

fn hear(
    child: &mut Child,
    [out, err]: [&Receiver<Vec<u8>>; 2],
    deadline: Instant,
) -> io::Result<Said> {
    let text = |pipe: &Receiver<Vec<u8>>| {
        let left = deadline.saturating_duration_since(Instant::now());
        match pipe.recv_timeout(left) {
            Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Err(RecvTimeoutError::Disconnected) => Ok(String::new()),
            Err(RecvTimeoutError::Timeout) => Err(io::Error::from(io::ErrorKind::TimedOut)),
        }
    };
    let (out, err) = (text(out)?, text(err)?);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Said { status, out, err });
        }
        if Instant::now() >= deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        thread::sleep(PAUSE);
    }
}

/// Not waited for, so its number is still its own.
fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        kill_process_group(group, Signal::KILL).ok();
    }
    child.wait().ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, limit: Duration) -> io::Result<Said> {
        run(Path::new("/bin/sh"), &["-c", script], limit)
    }

    #[test]
    fn program_that_ends_is_heard_whole() {
        let said =
            sh("cat; head -c 300000 /dev/zero; echo no >&2; exit 3", Duration::from_secs(20));
        let said = said.unwrap();
        assert_eq!((said.status.code(), said.out.len()), (Some(3), 300_000));
        assert_eq!(said.err, "no\n");
    }

    #[test]
    fn program_that_hangs_is_ended_with_its_children() {
        let said = sh("sleep 600 & sleep 600", Duration::from_millis(50));
        assert_eq!(said.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
