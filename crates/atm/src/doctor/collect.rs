//! Looks at everything, once, and judges nothing. The only part of the doctor that reads the world;
//! what cannot be read becomes a failure in the dump.

mod claude;
mod config;
mod daemon;
mod identity;
mod journal;
mod path;
mod self_test;
mod sessions;
mod settings;
mod state;
mod tmux;
mod trust;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use atm_core::places::{Places, claude_dir};

use super::dump::{Answer, Dump, Place};
use crate::context::Context;
use crate::setup::hooks::this_program;

pub(crate) type Env<'a> = &'a dyn Fn(&str) -> Option<OsString>;

pub(crate) struct Look<'a> {
    pub(crate) env: Env<'a>,
    /// `None`: there is no HOME to derive them from.
    pub(crate) places: Option<&'a Places>,
    pub(crate) patience: Duration,
    pub(crate) test: Test,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Run,
    Skip,
}

impl Look<'_> {
    pub(crate) fn collect(&self) -> Dump {
        let mut dump = Dump {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            now: Context::now(),
            home: self.folder("HOME").map(Place),
            ..Dump::default()
        };
        match this_program() {
            Ok(path) => dump.program = Some(Place::of(path)),
            Err(error) => dump.fail("this program", error.message),
        }
        match std::env::current_dir() {
            Ok(here) => dump.here = Some(Place(here)),
            Err(error) => dump.fail("the current directory", error),
        }
        dump.claude = claude::installs(self.env);
        self.collect_settings(&mut dump);
        match self.places {
            None => dump.fail(
                "the state directory",
                "neither ATM_STATE_DIR and ATM_CONFIG_DIR nor HOME is set to an absolute path",
            ),
            Some(places) => self.collect_state(places, &mut dump),
        }
        self.collect_folders(&mut dump);
        dump.programs = settings::programs(&dump, self.env);
        dump.tmux = tmux::collect(self.env, self.places, dump.program.as_ref());
        dump.config = self.places.map(|places| config::collect(places, self.env));
        dump.path = path::collect(self.env, dump.program.as_ref());
        dump
    }

    fn collect_settings(&self, dump: &mut Dump) {
        dump.settings = settings::managed();
        match claude_dir(self.env) {
            Some(folder) => dump.settings.push(settings::user(&folder)),
            None => dump.fail(
                "the user's settings",
                "neither CLAUDE_CONFIG_DIR nor HOME is set to an absolute path",
            ),
        }
        if let Some(here) = dump.here.clone() {
            settings::add_folder(&mut dump.settings, &here);
        }
        if let Some(folder) = claude_dir(self.env) {
            let plugins = settings::plugins(&folder, dump);
            dump.settings.extend(plugins);
        }
    }

    /// The self-test comes first: it may start a daemon, and what is shown must be true at the end.
    fn collect_state(&self, places: &Places, dump: &mut Dump) {
        let before = daemon::ask(places, self.patience);
        dump.daemon.before = Some(before.clone());
        if self.test == Test::Run {
            dump.self_test = Some(self_test::run(self, places, dump));
        }
        // One that hangs costs all our patience, once.
        dump.daemon.now = Some(match before {
            Answer::Bad { .. } => before,
            Answer::Up(_) | Answer::Nobody => daemon::ask(places, self.patience),
        });
        daemon::collect(places, &mut dump.daemon);
        dump.journal = journal::collect(places);
        dump.state = Some(state::collect(places, dump.self_test.as_ref()));
        if !matches!(dump.daemon.now, Some(Answer::Up(_))) {
            return;
        }
        match sessions::collect(self, places) {
            Ok(sessions) => dump.sessions = sessions,
            Err(error) => dump.fail("the sessions", error.message),
        }
    }

    /// Settings and trust of the folders that matter: this one and those of live sessions.
    fn collect_folders(&self, dump: &mut Dump) {
        let of_sessions = dump.sessions.iter().flatten().filter_map(|one| one.folder.clone());
        let folders: BTreeSet<Place> = of_sessions.chain(dump.here.clone()).collect();
        for folder in &folders {
            settings::add_folder(&mut dump.settings, folder);
        }
        dump.trust = trust::collect(self.env, &folders);
    }

    fn folder(&self, name: &str) -> Option<PathBuf> {
        (self.env)(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }
}
