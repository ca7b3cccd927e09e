//! Only this file of the notifications starts programs: arguments as they are, no shell, nothing
//! on standard output, and an end after a limit, for what they started too.

use std::process::Stdio;
use std::time::Duration;

use atm_core::notify::client::LIST_CLIENTS;
use atm_core::text::clean;
use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::TMUX_LIMIT;

/// Bytes of what a program says when it fails.
const SAID_MAX: u64 = 2_000;

/// A program with its arguments, variables and standard input.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) name: String,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) input: Vec<u8>,
}

pub(super) async fn list_clients(socket: &str) -> Option<String> {
    let mut command = tmux();
    command.args(["-u", "-S", socket]).args(LIST_CLIENTS).stdout(Stdio::piped());
    let output = timeout(TMUX_LIMIT, command.output()).await.ok()?.ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn tmux() -> Command {
    let mut command = Command::new("tmux");
    command.env_remove("TMUX").env_remove("TMUX_PANE");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    command
}

/// Ends well, or says what went wrong.
pub(super) async fn run(program: Program, limit: Duration) -> Result<(), String> {
    let mut child = start(&program)?;
    let group = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let name = clean(&program.name, 100);
    let ended = match timeout(limit, finish(&mut child, &program.input)).await {
        Ok(ended) => ended,
        Err(_) => Err(format!("{name} did not end within {limit:?}; it was killed")),
    };
    // What it left behind goes with it.
    if let Some(group) = group.filter(|_| ended.is_err()) {
        kill_process_group(group, Signal::KILL).ok();
    }
    ended.map_err(|why| if why.starts_with(&name) { why } else { format!("{name}: {why}") })
}

/// For a program that stays as long as what it shows: its end is not waited for beyond `soon`.
pub(super) async fn run_on(
    program: Program,
    soon: Duration,
    limit: Duration,
) -> Result<(), String> {
    let running = tokio::spawn(run(program, limit));
    match timeout(soon, running).await {
        Ok(Ok(ended)) => ended,
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Ok(()),
    }
}

fn start(program: &Program) -> Result<Child, String> {
    let mut command = Command::new(&program.name);
    command
        .args(&program.args)
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .stdin(if program.input.is_empty() { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true);
    let name = clean(&program.name, 100);
    command.spawn().map_err(|error| format!("{name} cannot be run: {error}"))
}

async fn finish(child: &mut Child, input: &[u8]) -> Result<(), String> {
    let stdin = child.stdin.take();
    let write = async {
        if let Some(mut stdin) = stdin {
            // Who does not want it closes its end.
            drop(stdin.write_all(input).await);
        }
    };
    let mut said = Vec::new();
    let stderr = child.stderr.take();
    let read = async {
        if let Some(stderr) = stderr {
            drop(stderr.take(SAID_MAX).read_to_end(&mut said).await);
        }
    };
    let ((), (), status) = tokio::join!(write, read, child.wait());
    let status = status.map_err(|error| error.to_string())?;
    if status.success() {
        return Ok(());
    }
    let said = clean(&String::from_utf8_lossy(&said), 200);
    Err(if said.is_empty() { status.to_string() } else { said })
}

/// The first of `names` that is there to be run.
pub(super) fn first_on_path(names: &[&'static str]) -> Option<&'static str> {
    let path = std::env::var_os("PATH")?;
    let is_there = |name: &&&str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    names.iter().find(is_there).copied()
}
