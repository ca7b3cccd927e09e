//! Programs as the measures start them: with a sealed environment, and timed from before they are
//! started until they have been waited for.

use std::fs::File;
use std::io::{Write, pipe};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::Outcome;

#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) args: Vec<&'static str>,
    /// All of it: nothing is inherited.
    pub(crate) env: Vec<(&'static str, String)>,
}

impl Program {
    #[expect(clippy::disallowed_methods, reason = "this is where the bench starts programs")]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.args).env_clear().envs(self.env.iter().map(|(k, v)| (k, v)));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// `input` must fit into a pipe: it is there, and its end too, before the clock starts.
    pub(crate) fn time(&self, input: &[u8]) -> Outcome<Duration> {
        let mut command = self.command();
        let (reader, mut writer) = pipe()?;
        writer.write_all(input)?;
        drop(writer);
        command.stdin(reader);
        self.clock(&mut command)
    }

    /// `input` is written while the program reads.
    pub(crate) fn time_fed(&self, input: &[u8]) -> Outcome<Duration> {
        let mut command = self.command();
        let (reader, mut writer) = pipe()?;
        command.stdin(reader);
        std::thread::scope(|scope| {
            let fed = scope.spawn(move || writer.write_all(input));
            let time = self.clock(&mut command);
            drop(command);
            fed.join().map_err(|_| "the writer panicked")??;
            time
        })
    }

    fn clock(&self, command: &mut Command) -> Outcome<Duration> {
        let start = Instant::now();
        let status = command.spawn()?.wait()?;
        let time = start.elapsed();
        self.check(status)?;
        Ok(time)
    }

    pub(crate) fn output(&self) -> Outcome<String> {
        let output = self.command().stdout(Stdio::piped()).output()?;
        self.check(output.status)?;
        Ok(String::from_utf8(output.stdout)?)
    }

    /// On a terminal.
    pub(crate) fn spawn_on(&self, terminal: &OwnedFd) -> Outcome<Child> {
        let end = || terminal.try_clone().map(Stdio::from);
        Ok(self.command().stdin(end()?).stdout(end()?).stderr(end()?).spawn()?)
    }

    pub(crate) fn spawn(&self, stderr: File) -> Outcome<Child> {
        Ok(self.command().stderr(stderr).spawn()?)
    }

    fn check(&self, status: ExitStatus) -> Outcome<()> {
        if status.success() {
            return Ok(());
        }
        Err(format!("{} {} ended with {status}", self.path.display(), self.args.join(" ")).into())
    }
}
