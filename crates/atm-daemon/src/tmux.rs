//! Asking tmux: one process per question, never a client that stays. Only this file of the
//! daemon starts programs.

use std::process::Stdio;
use std::time::Duration;

use atm_core::event::Pane;
use atm_core::tmux::{self, LIST_PANES};
use tokio::process::Command;

const LIMIT: Duration = Duration::from_secs(2);

/// What a server answered about its panes.
#[derive(Debug)]
pub(crate) enum Answer {
    Panes {
        server: i32,
        panes: Vec<Pane>,
    },
    /// Nobody serves that socket.
    NoServer,
    /// tmux is missing, stuck or answered nonsense: nothing is known.
    Unknown(String),
}

pub(crate) async fn list_panes(socket: &str) -> Answer {
    let mut command = Command::new("tmux");
    command
        // UTF-8 whatever our locale is: names come as they are.
        .args(["-u", "-S", socket])
        .args(LIST_PANES)
        .env_remove("TMUX")
        .env_remove("TMUX_PANE")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let output = match tokio::time::timeout(LIMIT, command.output()).await {
        Err(_) => return Answer::Unknown(format!("tmux at {socket} does not answer")),
        Ok(Err(error)) => return Answer::Unknown(format!("cannot run tmux: {error}")),
        Ok(Ok(output)) => output,
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_gone = said.contains("no server") || said.contains("error connecting");
        return if is_gone { Answer::NoServer } else { Answer::Unknown(said) };
    }
    match tmux::parse_panes(&String::from_utf8_lossy(&output.stdout)) {
        Some((server, panes)) => Answer::Panes { server, panes },
        None => Answer::Unknown("tmux listed no panes".to_owned()),
    }
}
