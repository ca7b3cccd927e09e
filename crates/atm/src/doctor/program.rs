//! Runs other programs for the doctor: with a time limit, without a terminal, and gone with all their
//! children when the limit is over.

use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

pub(crate) const LIMIT: Duration = Duration::from_secs(3);
/// Of what a program says, this much is kept.
const OUTPUT_MAX: u64 = 256 * 1024;
const PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug, Default)]
pub(crate) struct Ran {
    pub(crate) pid: Option<i32>,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

/// `without`: variables that it must not see.
pub(crate) fn run(
    program: &OsStr,
    args: &[&OsStr],
    stdin: &[u8],
    without: &[&str],
) -> io::Result<Ran> {
    let began = Instant::now();
    let mut child = command(program, args, without).spawn()?;
    let pid = i32::try_from(child.id()).ok();
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    if let Some(mut pipe) = child.stdin.take() {
        // Short enough for the pipe; one that does not read it is fine.
        pipe.write_all(stdin).ok();
    }
    let code = wait(&mut child, began)?;
    let took = began.elapsed();
    // A child of the program may hold the pipe open.
    let text = |from: &Receiver<Vec<u8>>| {
        let left = LIMIT.saturating_sub(began.elapsed()).max(PAUSE);
        let bytes = from.recv_timeout(left).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(Ran { pid, code, stdout: text(&stdout), stderr: text(&stderr), took })
}

#[expect(clippy::disallowed_methods, reason = "the one place where the doctor starts programs")]
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

fn wait(child: &mut Child, began: Instant) -> io::Result<Option<i32>> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code());
        }
        if began.elapsed() >= LIMIT {
            end(child);
            let message = format!("still running after {LIMIT:?}, so it was ended");
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
    let ran = run(program, &[OsStr::new("--version")], b"", &[])?;
    Ok(ran.stdout.lines().next().unwrap_or_default().trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str) -> io::Result<Ran> {
        run(OsStr::new("/bin/sh"), &[OsStr::new("-c"), OsStr::new(script)], b"in\n", &["HOME"])
    }

    #[test]
    fn program_gets_its_input_and_its_words_come_back() {
        let ran = sh("read x; echo $x${HOME-none}; echo bad >&2; exit 3").unwrap();
        assert_eq!(
            (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
            (Some(3), "innone\n", "bad\n")
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn program_that_hangs_is_ended_with_its_children() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pid");
        let error = sh(&format!("sleep 600 & echo $! > {}; sleep 600", file.display()));
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
        assert!(run(OsStr::new("/nowhere/atm"), &[], b"", &[]).is_err());
    }
}
