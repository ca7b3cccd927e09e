//! Running tmux for a command: one process per question, never longer than a moment. The words
//! come from the core.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use atm_core::tmux::reach::{self, SURVEY, Survey};
use rustix::process::{Pid, Signal, kill_process};

/// A server that hangs must not take us along.
const LIMIT: Duration = Duration::from_secs(2);

/// A tmux server, by its socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) socket: String,
}

impl Server {
    pub(crate) fn at(socket: &str) -> Server {
        Server { socket: socket.to_owned() }
    }

    pub(crate) fn survey(&self) -> io::Result<Survey> {
        self.run(SURVEY).map(|text| Survey::parse(&text))
    }

    /// Standard output of a command list.
    pub(crate) fn run<I>(&self, words: I) -> io::Result<String>
    where
        I: IntoIterator<Item: AsRef<std::ffi::OsStr>>,
    {
        let mut command = self.command();
        command.args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let output = output_within(command)?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(io::Error::other(said))
    }

    /// Becomes a client of the server, in this terminal. Returns only if that failed.
    pub(crate) fn attach(&self, target: &str) -> io::Error {
        self.command().args(reach::attach(target)).exec()
    }

    #[expect(clippy::disallowed_methods, reason = "this is where commands start tmux")]
    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        // UTF-8 whatever our locale is, and nothing derived from where we happen to run.
        command.args(["-u", "-S", &self.socket]).env_remove("TMUX").env_remove("TMUX_PANE");
        command
    }
}

fn output_within(mut command: Command) -> io::Result<Output> {
    let child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (done, output) = mpsc::channel();
    // Ends with the process at the latest.
    let waiting = thread::spawn(move || done.send(child.wait_with_output()));
    let result = output.recv_timeout(LIMIT).unwrap_or_else(|_| {
        if let Some(pid) = pid {
            kill_process(pid, Signal::KILL).ok();
        }
        Err(io::Error::new(io::ErrorKind::TimedOut, "tmux does not answer"))
    });
    drop(waiting.join());
    result
}
