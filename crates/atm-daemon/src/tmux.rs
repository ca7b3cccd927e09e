//! Running tmux: one process per question or flush, never a client that stays. Only this file of
//! the daemon starts programs.

use std::process::Stdio;
use std::time::Duration;

use atm_core::project::{LIST_CLIENTS, View, parse_clients};
use atm_core::tmux::{LIST_PANES, Listing};
use tokio::process::Command;

const LIMIT: Duration = Duration::from_secs(2);

/// What a server answered about its panes.
#[derive(Debug)]
pub(crate) enum Answer {
    Panes(Listing),
    /// Nobody serves that socket.
    NoServer,
    /// tmux is missing, stuck or answered nonsense: nothing is known.
    Unknown(String),
}

#[derive(Debug)]
pub(crate) enum Failure {
    NoServer,
    /// In words; what tmux said, if it said something.
    Other(String),
}

pub(crate) async fn list_panes(socket: &str) -> Answer {
    let text = match run(socket, &LIST_PANES).await {
        Ok(text) => text,
        Err(Failure::NoServer) => return Answer::NoServer,
        Err(Failure::Other(why)) => return Answer::Unknown(why),
    };
    match Listing::parse(&text) {
        Some(listing) => Answer::Panes(listing),
        None => Answer::Unknown("tmux listed no panes".to_owned()),
    }
}

pub(crate) async fn list_clients(socket: &str) -> Result<Vec<View>, Failure> {
    run(socket, &LIST_CLIENTS).await.map(|text| parse_clients(&text))
}

/// What tmux printed. The arguments are passed as they are: no shell reads them.
pub(crate) async fn run(
    socket: &str,
    args: &[impl AsRef<std::ffi::OsStr>],
) -> Result<String, Failure> {
    let mut command = Command::new("tmux");
    command
        // UTF-8 whatever our locale is: names come as they are.
        .args(["-u", "-S", socket])
        .args(args)
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let output = match tokio::time::timeout(LIMIT, command.output()).await {
        Err(_) => return Err(Failure::Other(format!("tmux at {socket} does not answer"))),
        Ok(Err(error)) => return Err(Failure::Other(format!("cannot run tmux: {error}"))),
        Ok(Ok(output)) => output,
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_gone = said.contains("no server") || said.contains("error connecting");
    Err(if is_gone { Failure::NoServer } else { Failure::Other(said) })
}
