//! The configuration file: read when the daemon starts and whenever it, or a folder above it, may
//! have changed. What is wrong with it is told as long as it is.

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use atm_core::config::{self, Loaded};

use super::files::{Change, Files};
use super::{Report, Reports};
use crate::config_file;
use crate::notify::template;

/// Problems that are told one by one.
const TOLD: usize = 10;
/// For an editor to finish what it began.
const SETTLE: Duration = Duration::from_millis(50);

pub(crate) struct ConfigFile {
    path: PathBuf,
    reports: Reports,
    reading: Reading,
    troubles: Vec<String>,
    configured: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    Done,
    /// A change was seen; more may follow.
    Due,
}

impl ConfigFile {
    pub(crate) fn new(path: PathBuf, reports: Reports) -> ConfigFile {
        ConfigFile { path, reports, reading: Reading::Done, troubles: Vec::new(), configured: 0 }
    }

    /// Reports once things have settled.
    pub(crate) fn handle(&mut self, change: &Change) {
        let is_touched = match change {
            Change::Lost => true,
            Change::Paths(paths) => paths.iter().any(|path| self.path.starts_with(path)),
        };
        if !is_touched || self.reading == Reading::Due {
            return;
        }
        self.reading = Reading::Due;
        let reports = self.reports.clone();
        tokio::spawn(async move {
            tokio::time::sleep(SETTLE).await;
            // Fails only if the daemon is going down.
            drop(reports.send(Report::Configured));
        });
    }

    pub(crate) fn load(&mut self, files: &mut Files) -> Loaded {
        self.reading = Reading::Done;
        files.watch_file(&self.path);
        let (text, unread) = match config_file::read(&self.path) {
            Ok(text) => (text.unwrap_or_default(), None),
            Err(error) => {
                let cause = error.source().map(|cause| format!(": {cause}")).unwrap_or_default();
                (String::new(), Some(format!("{error}{cause}; the defaults are used")))
            }
        };
        let mut loaded = config::load(&text, &|name| std::env::var_os(name));
        loaded.problems.extend(template::problems(&loaded));
        let path = self.path.display();
        let problems = loaded.problems.iter().take(TOLD);
        let problems = problems.map(|problem| format!("{path}:{problem}"));
        self.troubles = unread.into_iter().chain(problems).collect();
        if let Some(more) = loaded.problems.len().checked_sub(TOLD + 1) {
            let text = format!("{path}: {} more problems; see `atm config check`", more + 1);
            self.troubles.push(text);
        }
        self.configured = loaded.set_in_file();
        loaded
    }

    /// What is wrong with the file as it is now.
    pub(crate) fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// How many options the file sets.
    pub(crate) fn configured(&self) -> usize {
        self.configured
    }
}
