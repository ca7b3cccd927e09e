//! The loop of every screen: one input after the other, a frame only if something changed.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use atm_core::jump::Spot;
use atm_core::stamp::Stamp;
use ratatui::Frame;

use crate::inbox::{Deed, Inbox, Input, World};
use crate::terminal::Stage;

const TICK: Duration = Duration::from_secs(1);

/// What an input did to a screen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Step<O> {
    Same,
    Redraw,
    Do(Deed),
    Leave(O),
}

pub(crate) trait Screen {
    type Outcome;
    fn update(&mut self, input: Input, now: Stamp) -> Step<Self::Outcome>;
    fn draw(&self, frame: &mut Frame<'_>);
    /// The pane whose contents are shown.
    fn looks_at(&self) -> Option<Spot>;
}

pub(crate) fn run<S: Screen>(mut screen: S, world: &Arc<impl World>) -> io::Result<S::Outcome> {
    let mut stage = Stage::open()?;
    let inbox = Inbox::open(world);
    let mut looking = None;
    stage.terminal.draw(|frame| screen.draw(frame))?;
    loop {
        let first = match inbox.inputs.recv_timeout(TICK) {
            Ok(input) => input,
            Err(RecvTimeoutError::Timeout) => Input::Tick,
            Err(RecvTimeoutError::Disconnected) => Input::Closed,
        };
        let mut is_stale = false;
        // All that waits counts before the next frame.
        for input in std::iter::once(first).chain(inbox.inputs.try_iter()) {
            match screen.update(input, world.now()) {
                Step::Same => {}
                Step::Redraw => is_stale = true,
                Step::Do(deed) => {
                    is_stale = true;
                    // Nobody acts only if the thread died, and then nothing is done.
                    inbox.deeds.send(deed).ok();
                }
                Step::Leave(outcome) => return Ok(outcome),
            }
        }
        let looks_at = screen.looks_at();
        if looks_at != looking {
            looking.clone_from(&looks_at);
            inbox.looks.send(looks_at).ok();
        }
        if is_stale {
            stage.terminal.draw(|frame| screen.draw(frame))?;
        }
    }
}
