//! Finds and runs programs of the user's machine: without a terminal, never longer than a limit, and
//! gone with all their children when it is over.

use std::ffi::{OsStr, OsString};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Long enough for a runtime to start, short enough for a person who waits.
pub(crate) const LIMIT: Duration = Duration::from_secs(3);
/// What a program must not know if it is to speak for itself and not for our pane.
pub(crate) const TMUX_VARIABLES: [&str; 2] = ["TMUX", "TMUX_PANE"];
/// Of what a program says, this much is kept.
const OUTPUT_MAX: u64 = 4 * 1024 * 1024;
const PAUSE: Duration = Duration::from_millis(2);

/// What a program said, as text.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) pid: Option<i32>,
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) took: Duration,
}

/// Every program of this name on `path`, in the order in which a shell looks.
pub(crate) fn on_path(path: Option<OsString>, name: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(&path.unwrap_or_default()) {
        let path = folder.join(name);
        // An empty or relative entry would depend on where we stand.
        if folder.is_absolute() && is_program(&path) && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// The one that a shell would start.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    on_path(std::env::var_os("PATH"), name).into_iter().next()
}

pub(crate) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Without input, and for itself: see [`TMUX_VARIABLES`].
pub(crate) fn run<A: AsRef<OsStr>>(
    program: &Path,
    args: &[A],
    limit: Duration,
) -> io::Result<Said> {
    let args: Vec<&OsStr> = args.iter().map(AsRef::as_ref).collect();
    converse(command(program.as_os_str(), &args, &TMUX_VARIABLES), b"", limit)
}

/// `without`: variables that it must not see.
pub(crate) fn run_with(
    program: &OsStr,
    args: &[&OsStr],
    stdin: &[u8],
    without: &[&str],
) -> io::Result<Said> {
    converse(command(program, args, without), stdin, LIMIT)
}

#[expect(clippy::disallowed_methods, reason = "the one place where commands start programs")]
fn command(program: &OsStr, args: &[&OsStr], without: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(args)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in without {
        command.env_remove(name);
    }
    command
}

fn converse(mut command: Command, stdin: &[u8], limit: Duration) -> io::Result<Said> {
    let began = Instant::now();
    let mut child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok();
    let (out, err) = (drain(child.stdout.take()), drain(child.stderr.take()));
    if let Some(mut pipe) = child.stdin.take() {
        // Short enough for the pipe; one that does not read it is fine.
        pipe.write_all(stdin).ok();
    }
    let status = wait(&mut child, began, limit)?;
    let took = began.elapsed();
    // A child of the program may hold the pipe open.
    let text = |from: &Receiver<Vec<u8>>| {
        let left = limit.saturating_sub(began.elapsed()).max(PAUSE);
        let bytes = from.recv_timeout(left).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Said { pid, status, out: text(&out), err: text(&err), took })
}

fn wait(child: &mut Child, began: Instant, limit: Duration) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if began.elapsed() >= limit {
            end(child);
            let message = format!("still running after {limit:?}, so it was ended");
            return Err(io::Error::new(io::ErrorKind::TimedOut, message));
        }
        thread::sleep(PAUSE);
    }
}

fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // Gone already is as good.
        kill_process_group(group, Signal::KILL).ok();
    }
    child.wait().ok();
}

fn drain(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (to, from) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(pipe) = pipe {
            pipe.take(OUTPUT_MAX).read_to_end(&mut bytes).ok();
        }
        // Whoever asked may have given up.
        to.send(bytes).ok();
    });
    from
}

/// What `program --version` says in its first line.
pub(crate) fn version(program: &OsStr) -> io::Result<String> {
    let said = run_with(program, &[OsStr::new("--version")], b"", &[])?;
    Ok(said.out.lines().next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENT: Duration = Duration::from_secs(20);

    fn sh(script: &str, limit: Duration) -> io::Result<Said> {
        let args = [OsStr::new("-c"), OsStr::new(script)];
        converse(command(OsStr::new("/bin/sh"), &args, &["HOME"]), b"in\n", limit)
    }

    #[test]
    fn program_gets_its_input_and_its_words_come_back() {
        let ran = sh("read x; echo $x${HOME-none}; echo bad >&2; exit 3", PATIENT).unwrap();
        assert_eq!(
            (ran.status.code(), ran.out.as_str(), ran.err.as_str()),
            (Some(3), "innone\n", "bad\n")
        );
    }

    #[test]
    fn program_that_says_much_is_heard_whole() {
        let said = sh("cat; head -c 300000 /dev/zero; echo no >&2", PATIENT).unwrap();
        assert_eq!((said.out.len(), said.err.as_str()), (300_003, "no\n"));
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn program_that_hangs_is_ended_with_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pid");
        let script = format!("sleep 600 & echo $! > {}; sleep 600", file.display());
        let error = sh(&script, Duration::from_millis(500));
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
        let pid = std::fs::read_to_string(file).unwrap();
        let state = || {
            let stat = std::fs::read(format!("/proc/{}/stat", pid.trim())).ok()?;
            Some(atm_core::process::Stat::parse(&stat)?.state)
        };
        let limit = Instant::now() + Duration::from_secs(20);
        while !matches!(state(), None | Some(b'Z')) {
            assert!(Instant::now() < limit, "its child lives on");
            thread::sleep(PAUSE);
        }
    }

    #[test]
    fn program_that_is_not_there_is_an_error() {
        assert!(run_with(OsStr::new("/nowhere/atm"), &[], b"", &[]).is_err());
    }
}
