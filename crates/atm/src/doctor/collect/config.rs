//! atm's own configuration, as the daemon reads it.

use atm_core::config;
use atm_core::places::Places;
use atm_daemon::config_file;

use super::super::dump::{Config, Place};
use super::Env;

pub(super) fn collect(places: &Places, env: Env<'_>) -> Config {
    let path = places.config_file();
    let read = config_file::read(&path);
    let (is_there, problems) = match &read {
        Ok(text) => {
            let loaded = config::load(text.as_deref().unwrap_or_default(), env);
            (text.is_some(), loaded.problems.iter().map(ToString::to_string).collect())
        }
        Err(error) => (true, vec![format!(" {error}")]),
    };
    Config { path: Place(path), is_there, problems }
}
