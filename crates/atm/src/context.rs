//! What every command gets: where things are, how the terminal looks, how to reach the daemon.

use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use atm_core::config::{self, Config};
use atm_core::places::Places;
use atm_core::proto::message::{Reply, Request};
use atm_core::stamp::Stamp;
use atm_daemon::config_file;

use crate::client::{Client, stopped};
use crate::error::CliError;
use crate::exit::Exit;
use crate::screen::Screen;

/// How long a daemon may take to come up, and to answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Sees to it that a daemon comes up; does not wait for it.
pub(crate) type Starter = fn(&Places) -> io::Result<()>;

pub(crate) struct Context<'a> {
    pub(crate) places: Places,
    pub(crate) screen: Screen,
    pub(crate) home: Option<String>,
    pub(crate) out: &'a mut dyn Write,
    pub(crate) patience: Duration,
    pub(crate) start: Starter,
}

impl<'a> Context<'a> {
    pub(crate) fn from_env(out: &'a mut dyn Write) -> Result<Context<'a>, CliError> {
        let env = |name: &str| std::env::var_os(name);
        let places = Places::resolve(&env).map_err(|error| {
            CliError::new(Exit::Failed, error.to_string())
                .hint("set HOME, or ATM_STATE_DIR and ATM_CONFIG_DIR, to absolute paths")
        })?;
        Ok(Context {
            places,
            screen: Screen::from_env(&env),
            home: env("HOME").and_then(|home| home.into_string().ok()),
            out,
            patience: PATIENCE,
            start: atm_hook::start_daemon,
        })
    }

    /// Asks the daemon, which is started if it is not there.
    pub(crate) fn ask(&self, request: &Request) -> Result<Reply, CliError> {
        self.converse(request).map(|(_, reply)| reply)
    }

    /// Asks the daemon and keeps the connection to go on with.
    pub(crate) fn converse(&self, request: &Request) -> Result<(Client, Reply), CliError> {
        Client::converse(&self.places, self.patience, self.start, request)
    }

    /// To be asked when the daemon hung up: one that ends in order takes its socket away and is not
    /// started again; one that crashed leaves it behind.
    pub(crate) fn check_crashed(&self) -> Result<(), CliError> {
        if self.places.socket().exists() { Ok(()) } else { Err(stopped()) }
    }

    /// What the user has configured; whatever cannot be read counts as the default. `atm config
    /// check` tells of it.
    pub(crate) fn config(&self) -> Config {
        let path = self.places.config_file();
        let text = config_file::read(&path).ok().flatten().unwrap_or_default();
        config::load(&text, &|name| std::env::var_os(name)).config
    }

    pub(crate) fn now() -> Stamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
