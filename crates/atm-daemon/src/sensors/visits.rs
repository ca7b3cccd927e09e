//! Who looks where. tmux's hooks tell of a visit; when it has lasted long enough, tmux is asked
//! whether it still does.

use std::collections::HashMap;
use std::time::Duration;

use atm_core::ids::WindowId;
use atm_core::project::{Told, View, Viewers};
use atm_core::stamp::Stamp;

use super::{Report, Reports};
use crate::tmux;

pub(crate) struct Visits {
    reports: Reports,
    servers: HashMap<String, Viewers>,
    /// The latest visit of each viewer of a server; an earlier one is over.
    latest: HashMap<(String, String), u64>,
    count: u64,
}

/// Somebody came to a window, as a hook of tmux tells it.
#[derive(Clone, Debug)]
pub(crate) struct Visit {
    pub(crate) socket: String,
    pub(crate) window: WindowId,
    pub(crate) viewer: String,
    pub(crate) event: String,
    pub(crate) at: Stamp,
}

/// A visit that has lasted, and what clients show now.
#[derive(Debug)]
pub(crate) struct Dwelt {
    pub(crate) visit: Visit,
    number: u64,
    pub(crate) views: Vec<View>,
}

impl Visits {
    pub(crate) fn new(reports: Reports) -> Visits {
        Visits { reports, servers: HashMap::new(), latest: HashMap::new(), count: 0 }
    }

    pub(crate) fn hear(&mut self, visit: &Visit) -> Told {
        let viewers = self.servers.entry(visit.socket.clone()).or_default();
        viewers.hear(&visit.event, &visit.viewer, &visit.window)
    }

    /// Reports when the visit has lasted for `dwell`.
    pub(crate) fn await_dwell(&mut self, visit: Visit, dwell: Duration) {
        self.count += 1;
        let number = self.count;
        self.latest.insert((visit.socket.clone(), visit.viewer.clone()), number);
        let reports = self.reports.clone();
        tokio::spawn(async move {
            tokio::time::sleep(dwell).await;
            // A server that does not answer shows nothing to anybody.
            if let Ok(views) = tmux::list_clients(&visit.socket).await {
                // Fails only if the daemon is going down.
                drop(reports.send(Report::Dwelt(Dwelt { visit, number, views })));
            }
        });
    }

    /// Where the visitor still is; `None` if he only passed through.
    pub(crate) fn outcome<'a>(&mut self, dwelt: &'a Dwelt) -> Option<&'a View> {
        let Dwelt { visit, number, views } = dwelt;
        self.servers.entry(visit.socket.clone()).or_default().see(views);
        let viewer = (visit.socket.clone(), visit.viewer.clone());
        if self.latest.get(&viewer) != Some(number) {
            return None;
        }
        self.latest.remove(&viewer);
        views.iter().find(|view| view.window == visit.window)
    }
}
