//! Where a jump goes, and what is remembered of it.

use atm_core::event::Event;
use atm_core::jump::{Spot, To};
use atm_core::proto::message::{Refusal, RefusalKind, Reply};
use atm_core::session::Key;
use atm_core::view::SessionView;
use atm_core::words::place::short;

use super::Dispatcher;
use crate::clock;

impl Dispatcher {
    pub(super) fn jump(&self, to: &To, from: Option<&Spot>) -> Reply {
        let found = match to {
            To::Next => self.next(from),
            To::Last => self.last(),
            To::Notified => self.notified(),
            To::Who(who) => self.place_of(who, from),
        };
        match found {
            Ok((spot, session)) => Reply::Destination { spot, session: session.map(Box::new) },
            Err(refusal) => Reply::Refused(refusal),
        }
    }

    pub(super) fn arrived(&mut self, at: &Spot, key: Option<String>, from: Option<&Spot>) -> Reply {
        let views = self.views();
        let view = views.iter().find(|view| Some(&view.key) == key.as_ref());
        self.trail.arrived(at, view, from);
        if let Some(key) = key {
            self.handle(Event::Seen { key: Key::stored(key) });
        }
        Reply::Done
    }

    fn next(&self, from: Option<&Spot>) -> Result<(Spot, Option<SessionView>), Refusal> {
        let views = self.views();
        let next = self.trail.next(&views, from);
        let place = next.and_then(|view| Some((Spot::of(view)?, Some(view.clone()))));
        place.ok_or_else(|| nowhere("nobody waits for you".to_owned()))
    }

    fn last(&self) -> Result<(Spot, Option<SessionView>), Refusal> {
        let none = || nowhere("there was no jump yet to come back from".to_owned());
        let spot = self.trail.last().cloned().ok_or_else(none)?;
        let view = self.views().into_iter().find(|view| Spot::of(view).as_ref() == Some(&spot));
        Ok((spot, view))
    }

    fn notified(&self) -> Result<(Spot, Option<SessionView>), Refusal> {
        let last = self.world.notify.desk.last().and_then(|key| self.machine.get(key));
        let none = || nowhere("there was no notification yet".to_owned());
        let view = SessionView::of(last.ok_or_else(none)?, &self.world.host, clock::now());
        let gone = || nowhere(format!("session {} has no pane any more", short(&view.id)));
        Ok((Spot::of(&view).ok_or_else(gone)?, Some(view)))
    }

    fn place_of(
        &self,
        who: &str,
        from: Option<&Spot>,
    ) -> Result<(Spot, Option<SessionView>), Refusal> {
        // Servers number their panes alike: the user means one of the server in front.
        let is_meant = |view: &SessionView| {
            let spot = Spot::of(view).filter(|spot| spot.pane == who);
            spot.is_some_and(|spot| from.is_some_and(|from| from.socket == spot.socket))
        };
        let mut near: Vec<SessionView> = self.views().into_iter().filter(is_meant).collect();
        let view = if near.len() == 1 { near.remove(0) } else { self.find(who)? };
        let id = short(&view.id);
        match (Spot::of(&view), &view.ended) {
            (Some(spot), _) => Ok((spot, Some(view))),
            (None, None) => Err(nowhere(format!("session {id} is in no tmux pane"))),
            (None, Some(_)) => {
                Err(nowhere(format!("session {id} has ended, and its pane is gone")))
            }
        }
    }
}

fn nowhere(message: String) -> Refusal {
    Refusal { kind: RefusalKind::Nowhere, message, candidates: Vec::new() }
}
