//! The live sessions that the daemon knows; none is started for that.

use atm_core::places::Places;
use atm_core::proto::message::{Reply, Request};
use atm_core::view::SessionView;

use super::super::dump::{Place, Session};
use super::Look;
use crate::client::{Client, unexpected};
use crate::error::CliError;

/// `None` without a daemon; why it does not answer is told elsewhere.
pub(super) fn collect(look: &Look<'_>, places: &Places) -> Result<Option<Vec<Session>>, CliError> {
    let Ok(mut client) = Client::connect(places, look.patience) else { return Ok(None) };
    // One that runs already may not know of it.
    if let Some(config_dir) = (look.env)("CLAUDE_CONFIG_DIR").and_then(|dir| dir.into_string().ok())
    {
        client.ask(&Request::Watch { config_dir })?;
    }
    let Reply::Sessions { sessions } = client.ask(&Request::List { all: false })? else {
        return Err(unexpected());
    };
    Ok(Some(sessions.into_iter().map(session).collect()))
}

fn session(view: SessionView) -> Session {
    Session {
        id: view.id,
        pid: view.pid,
        pane: view.pane,
        folder: view.session_dir.or(view.cwd).map(Place::of),
        hooks: view.hooks,
        attended: view.attended,
    }
}
