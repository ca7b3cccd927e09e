//! Starts the daemon when nobody listens. The only place of this crate that starts a process.

use std::ffi::{OsStr, OsString};
use std::fs::{File, FileTimes};
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use atm_core::places::{Places, START_MARK};
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::poke::is_listening;
use crate::state::{StateDir, open_to_append};

/// Time before a daemon that did not come up is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Starts a daemon for `places`, or does nothing if somebody did so just now. Does not wait: the
/// daemon may not listen yet, and the loser of two daemons ends by itself.
pub fn start_daemon(places: &Places) -> io::Result<()> {
    let state = StateDir::open(&places.state)?;
    if claim(&state)? == Claim::SomebodyElses {
        return Ok(());
    }
    // One that came up since the caller looked has taken the mark away before we made ours.
    if is_listening(places) {
        // Gone already is as good.
        drop(std::fs::remove_file(places.start_mark()));
        return Ok(());
    }
    // Nobody waits for it: the daemon outlives its starter.
    command(&own_program()?, std::env::vars_os()).spawn()?;
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
    Ours,
    SomebodyElses,
}

/// Of all hooks that find no daemon within [`RETRY_AFTER`], one may start it.
fn claim(state: &StateDir) -> io::Result<Claim> {
    match open_to_append(state, START_MARK, OFlags::CREATE | OFlags::EXCL) {
        Ok(_) => return Ok(Claim::Ours),
        Err(Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    let mark = match open_to_append(state, START_MARK, OFlags::empty()) {
        Ok((mark, _)) => mark,
        // A daemon came up in between and removed it.
        Err(Errno::NOENT) => return Ok(Claim::SomebodyElses),
        Err(error) => return Err(error.into()),
    };
    if flock(&mark, FlockOperation::NonBlockingLockExclusive).is_err() || is_recent(&mark)? {
        return Ok(Claim::SomebodyElses);
    }
    // What is in it is why the last try failed.
    mark.set_len(0)?;
    mark.set_times(FileTimes::new().set_modified(SystemTime::now()))?;
    Ok(Claim::Ours)
}

/// A time in the future is a clock that was set back, not a recent try.
fn is_recent(mark: &File) -> io::Result<bool> {
    let tried = mark.metadata()?.modified()?;
    Ok(SystemTime::now().duration_since(tried).is_ok_and(|age| age < RETRY_AFTER))
}

/// Linux marks the path of a program that was replaced while it ran; its successor is meant.
fn own_program() -> io::Result<PathBuf> {
    let program = std::env::current_exe()?;
    let replaced = program.as_os_str().as_bytes().strip_suffix(b" (deleted)");
    Ok(replaced.map_or_else(|| program.clone(), |path| OsString::from_vec(path.to_vec()).into()))
}

#[expect(clippy::disallowed_methods, reason = "this is the place where the daemon is started")]
fn command(program: &Path, env: impl Iterator<Item = (OsString, OsString)>) -> Command {
    let mut command = Command::new(program);
    command
        .args(["daemon", "--detached"])
        .env_clear()
        .envs(env.filter(|(name, _)| is_passed_on(name)))
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// The daemon serves every session, so nothing of the one that happened to start it may stick.
fn is_passed_on(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let is_session = name.starts_with(b"CLAUDE")
        || name.starts_with(b"ANTHROPIC")
        || [b"AI_AGENT".as_slice(), b"TMUX", b"TMUX_PANE"].contains(&name);
    !is_session || [b"CLAUDE_CONFIG_DIR".as_slice(), b"CLAUDE_TMUX_DEBUG"].contains(&name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn claim_is_given_once_until_it_grows_old() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::open(dir.path()).unwrap();
        assert_eq!(claim(&state).unwrap(), Claim::Ours);
        assert_eq!(claim(&state).unwrap(), Claim::SomebodyElses);
        let mark = File::options().write(true).open(dir.path().join(START_MARK)).unwrap();
        let set = |at| mark.set_times(FileTimes::new().set_modified(at)).unwrap();
        set(SystemTime::now() - 2 * RETRY_AFTER);
        assert_eq!(claim(&state).unwrap(), Claim::Ours);
        assert_eq!(claim(&state).unwrap(), Claim::SomebodyElses);
        set(SystemTime::now() + 1000 * RETRY_AFTER);
        assert_eq!(claim(&state).unwrap(), Claim::Ours);
    }

    #[test]
    fn claim_of_many_at_once_is_given_to_one() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::open(dir.path()).unwrap();
        let ours = std::thread::scope(|scope| {
            let tries = [(); 32].map(|()| scope.spawn(|| claim(&state).unwrap()));
            tries.map(|t| t.join().unwrap()).into_iter().filter(|c| *c == Claim::Ours).count()
        });
        assert_eq!(ours, 1);
    }

    #[test]
    fn command_passes_on_what_belongs_to_no_session() {
        let vars = [
            ("PATH", "/usr/bin:/bin"),
            ("ATM_STATE_DIR", "/s"),
            ("CLAUDE_CONFIG_DIR", "/c"),
            ("CLAUDE_TMUX_DEBUG", "1"),
            ("TMUX_TMPDIR", "/t"),
            ("CLAUDE_PID", "1"),
            ("CLAUDECODE", "1"),
            ("CLAUDE_CODE_MESSAGING_SOCKET_TOKEN", "secret"),
            ("ANTHROPIC_API_KEY", "secret"),
            ("AI_AGENT", "x"),
            ("TMUX", "x"),
            ("TMUX_PANE", "%1"),
        ];
        let env = vars.iter().map(|(name, value)| (name.into(), value.into()));
        let command = command(Path::new("/bin/atm"), env);
        let kept: BTreeMap<_, _> = command.get_envs().collect();
        let expected: BTreeMap<_, _> =
            vars[..5].iter().map(|(k, v)| (OsStr::new(*k), Some(OsStr::new(*v)))).collect();
        assert_eq!(kept, expected);
        assert_eq!(command.get_current_dir(), Some(Path::new("/")));
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["daemon", "--detached"]);
    }
}
