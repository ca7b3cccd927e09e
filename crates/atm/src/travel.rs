//! Taking the user to a pane: which terminal is theirs, and the way there.

use std::fs;
use std::io::IsTerminal;

use atm_core::jump::{Spot, To};
use atm_core::proto::message::{Reply, Request};
use atm_core::tmux::reach::{self, Client, Survey};
use atm_core::view::SessionView;

use crate::client::unexpected;
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::tmux::Server;

/// Where the user is, if inside tmux.
#[derive(Debug)]
pub(crate) struct Traveller {
    server: Server,
    pub(crate) client: Option<Client>,
    pane: Option<String>,
}

/// Where a jump goes.
#[derive(Debug)]
pub(crate) struct Destination {
    pub(crate) spot: Spot,
    pub(crate) session: Option<Box<SessionView>>,
}

/// How to get there.
#[derive(Debug, PartialEq, Eq)]
enum Route {
    Switch {
        client: String,
        target: String,
    },
    /// The terminal of another client shows it.
    Elsewhere {
        client: String,
        target: String,
    },
    /// The user's own client goes over to the other server.
    Reattach {
        client: String,
        target: String,
    },
    Attach {
        target: String,
    },
}

impl Traveller {
    /// From the environment; `client` is what a key binding says.
    pub(crate) fn look(client: Option<&str>) -> Option<Traveller> {
        let text = |name: &str| std::env::var(name).ok();
        let tmux = text("TMUX")?;
        let server = Server::at(reach::socket_of(&tmux)?);
        let pane = text("TMUX_PANE");
        // A shell may outlive the server that it was started in.
        let survey = server.survey().ok()?;
        let client = survey.client(client, pane.as_deref()).cloned();
        Some(Traveller { server, client, pane })
    }

    pub(crate) fn spot(&self) -> Option<Spot> {
        let shown = self.client.as_ref().map(|client| &client.pane);
        let pane = shown.or(self.pane.as_ref())?.clone();
        Some(Spot { socket: self.server.socket.clone(), pane })
    }

    /// Tells the user something on the client's message line.
    pub(crate) fn tell(&self, text: &str) -> Option<()> {
        let client = self.client.as_ref()?;
        self.server.run(reach::message(&client.name, text)).ok().map(drop)
    }
}

/// Asks the daemon for the way; nobody moves yet.
pub(crate) fn destination(
    to: To,
    traveller: Option<&Traveller>,
    context: &Context<'_>,
) -> Result<Destination, CliError> {
    let from = traveller.and_then(Traveller::spot);
    match context.ask(&Request::Jump { to, from })? {
        Reply::Destination { spot, session } => Ok(Destination { spot, session }),
        _ => Err(unexpected()),
    }
}

/// Goes there. Returns what the user should know about it, if anything.
pub(crate) fn go(
    destination: &Destination,
    traveller: Option<&Traveller>,
    context: &mut Context<'_>,
) -> Result<Option<String>, CliError> {
    let spot = &destination.spot;
    let server = Server::at(&spot.socket);
    let survey = server.survey().map_err(|error| {
        CliError::new(
            Exit::NotFound,
            format!("the tmux server at {} is gone: {error}", spot.socket),
        )
    })?;
    let has_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let route = route(spot, &survey, traveller, has_terminal)?;
    let from = traveller.and_then(Traveller::spot);
    let key = destination.session.as_ref().map(|session| session.key.clone());
    let arrived = Request::Arrived { at: spot.clone(), key, from };
    let failed = |error| CliError::failed("tmux cannot go there", &error);
    match &route {
        Route::Switch { client, target } | Route::Elsewhere { client, target } => {
            server.run(reach::switch(client, target)).map_err(failed)?;
        }
        Route::Reattach { client, target } => {
            let words = reach::reattach(client, &spot.socket, target);
            let words = words.ok_or_else(|| by_hand(spot, target))?;
            let own = traveller.map_or(&server, |traveller| &traveller.server);
            own.run(words).map_err(failed)?;
        }
        Route::Attach { target } => {
            context.ask(&arrived)?;
            context.out.flush()?;
            return Err(CliError::failed("cannot start tmux", &server.attach(target)));
        }
    }
    context.ask(&arrived)?;
    Ok(match route {
        Route::Elsewhere { client, .. } => Some(format!("it is shown in the terminal {client}")),
        Route::Switch { .. } | Route::Reattach { .. } | Route::Attach { .. } => None,
    })
}

fn route(
    spot: &Spot,
    there: &Survey,
    traveller: Option<&Traveller>,
    has_terminal: bool,
) -> Result<Route, CliError> {
    let own = traveller.and_then(|traveller| {
        let client = traveller.client.as_ref()?;
        Some((client, is_same(&traveller.server.socket, &spot.socket)))
    });
    let near = match own {
        Some((client, true)) => Some(client),
        _ => there.client(None, Some(&spot.pane)),
    };
    let session = near.map(|client| client.session.as_str());
    let target = there
        .target(&spot.pane, session)
        .ok_or_else(|| CliError::new(Exit::NotFound, format!("the pane {} is gone", spot.pane)))?;
    let name = |client: &Client| client.name.clone();
    match (own, near) {
        (Some((client, true)), _) => Ok(Route::Switch { client: name(client), target }),
        (None, _) if has_terminal && traveller.is_none() => Ok(Route::Attach { target }),
        (_, Some(other)) => Ok(Route::Elsewhere { client: name(other), target }),
        (Some((client, false)), None) => Ok(Route::Reattach { client: name(client), target }),
        (None, None) => Err(by_hand(spot, &target)),
    }
}

fn is_same(one: &str, other: &str) -> bool {
    let real = |path: &str| fs::canonicalize(path).ok();
    one == other || (real(one).is_some() && real(one) == real(other))
}

fn by_hand(spot: &Spot, target: &str) -> CliError {
    CliError::new(Exit::Failed, "no terminal is attached that could show it")
        .hint(format!("in a terminal run: tmux -S {} attach-session -t '{target}'", spot.socket))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "c 100 $0 %0 attached /dev/pts/4\np $0 @0 %0\np $1 @1 %1\n";

    fn spot(socket: &str, pane: &str) -> Spot {
        Spot { socket: socket.into(), pane: pane.into() }
    }

    fn traveller() -> Traveller {
        let client = Survey::parse(HERE).client(None, None).cloned();
        Traveller { server: Server::at("/here"), client, pane: None }
    }

    #[test]
    fn route_on_the_same_server_is_a_switch_of_the_own_client() {
        let way = route(&spot("/here", "%1"), &Survey::parse(HERE), Some(&traveller()), true);
        let (client, target) = ("/dev/pts/4".to_owned(), "$1:@1.%1".to_owned());
        assert_eq!(way.unwrap(), Route::Switch { client, target });
    }

    #[test]
    fn route_to_another_server_takes_the_terminal_that_is_there_or_the_own() {
        let lonely = Survey::parse("p $0 @0 %1\n");
        let watched = Survey::parse("c 1 $0 %1 attached /dev/pts/7\np $0 @0 %1\n");
        let there = spot("/there", "%1");
        let target = || "$0:@0.%1".to_owned();
        let way = route(&there, &watched, Some(&traveller()), true).unwrap();
        assert_eq!(way, Route::Elsewhere { client: "/dev/pts/7".into(), target: target() });
        let way = route(&there, &lonely, Some(&traveller()), true).unwrap();
        assert_eq!(way, Route::Reattach { client: "/dev/pts/4".into(), target: target() });
        // Outside of tmux the terminal at hand is the user's.
        assert_eq!(
            route(&there, &watched, None, true).unwrap(),
            Route::Attach { target: target() }
        );
        let way = route(&there, &watched, None, false).unwrap();
        assert_eq!(way, Route::Elsewhere { client: "/dev/pts/7".into(), target: target() });
        let error = route(&there, &lonely, None, false).unwrap_err();
        assert!(error.hint.unwrap().contains("tmux -S /there attach-session -t '$0:@0.%1'"));
    }

    #[test]
    fn route_to_a_pane_that_is_gone_is_not_found() {
        let error = route(&spot("/here", "%9"), &Survey::parse(HERE), Some(&traveller()), true);
        assert_eq!(error.unwrap_err().kind, Exit::NotFound);
    }
}
