//! Where the panes are. tmux is asked when something gives reason to: a session in a place not
//! looked up yet, a user who asks, a server that died. Never by the clock.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use atm_core::record::Process;

use super::{Report, Reports, process};
use crate::tmux;

/// An answer this young is not asked for again.
const FRESH: Duration = Duration::from_millis(100);

pub(crate) struct Panes {
    reports: Reports,
    servers: HashMap<String, Server>,
}

#[derive(Default)]
struct Server {
    answered: Option<Instant>,
    is_asked: bool,
    /// Something has moved since it was asked.
    is_stale: bool,
    watched: Option<i32>,
}

impl Panes {
    pub(crate) fn new(reports: Reports) -> Panes {
        Panes { reports, servers: HashMap::new() }
    }

    /// Asks the server unless it is being asked.
    pub(crate) fn look(&mut self, socket: &str) {
        let server = self.servers.entry(socket.to_owned()).or_default();
        if std::mem::replace(&mut server.is_asked, true) {
            return;
        }
        let (reports, socket) = (self.reports.clone(), socket.to_owned());
        tokio::spawn(async move {
            let answer = tmux::list_panes(&socket).await;
            // Fails only if the daemon is going down.
            drop(reports.send(Report::Looked { socket, answer }));
        });
    }

    /// Asks the server also if it is being asked: what it is about to answer may be of before.
    pub(crate) fn look_again(&mut self, socket: &str) {
        let server = self.servers.entry(socket.to_owned()).or_default();
        server.is_stale = server.is_asked;
        self.look(socket);
    }

    /// Asks every one of `sockets` whose answer is not fresh. True if there is an answer to wait
    /// for.
    pub(crate) fn freshen<'a>(&mut self, sockets: impl Iterator<Item = &'a str>) -> bool {
        let mut is_waiting = false;
        for socket in sockets {
            let known = self.servers.get(socket);
            if known.and_then(|s| s.answered).is_some_and(|at| at.elapsed() < FRESH) {
                continue;
            }
            self.look(socket);
            is_waiting = true;
        }
        is_waiting
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.servers.values().any(|server| server.is_asked)
    }

    /// Notes an answer and sees to it that the server's end is noticed.
    pub(crate) fn answered(&mut self, socket: &str, pid: Option<i32>) {
        let server = self.servers.entry(socket.to_owned()).or_default();
        server.is_asked = false;
        let is_stale = std::mem::take(&mut server.is_stale);
        server.answered = Some(Instant::now());
        if let Some(pid) = pid.filter(|pid| server.watched != Some(*pid)) {
            server.watched = Some(pid);
            let gone = Report::ServerGone { socket: socket.to_owned() };
            process::watch(Process { pid, start: None }, gone, self.reports.clone());
        }
        if is_stale {
            self.look(socket);
        }
    }
}
