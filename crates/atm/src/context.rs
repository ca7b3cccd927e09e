//! What every command gets: where things are, how the terminal looks, how to reach the daemon.

use std::io::{self, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use atm_core::places::Places;
use atm_core::stamp::Stamp;

use crate::client::Client;
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

    /// A connection to the daemon, which is started if it is not there.
    pub(crate) fn client(&self) -> Result<Client, CliError> {
        Client::reach(&self.places, self.patience, self.start)
    }

    pub(crate) fn now() -> Stamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Stamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}
