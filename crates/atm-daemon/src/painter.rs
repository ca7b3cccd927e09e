//! Writes to one tmux server what it should show: at once when it is quiet, then not more often
//! than it is told, all changes of a moment in one process, and nothing that is there already.

use std::time::Duration;

use atm_core::project::{Change, Look, Paint, Painted, Part, commands, diff, survey};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::sensors::{Report, Reports};
use crate::tmux::{self, Failure};

/// Least time between two writes of what only helps to find faults.
const RIDING: Duration = Duration::from_millis(250);

#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) paint: Box<Paint>,
    pub(crate) trust: Trust,
    pub(crate) pace: Pace,
    /// Told when it is carried out, well or not.
    pub(crate) done: Option<oneshot::Sender<()>>,
}

/// Whether what was written is taken to be there still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    Memory,
    Nothing,
}

/// How often is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    coalesce: Duration,
    /// How often riding changes are written by themselves, if ever.
    riding: Option<Duration>,
}

impl Pace {
    pub(crate) fn of(look: &Look) -> Pace {
        let riding = look.has(Part::DebugOptions).then_some(RIDING);
        Pace { coalesce: look.coalesce, riding }
    }
}

/// Starts the painter of the server at `socket`; it ends when the sender is dropped.
pub(crate) fn start(socket: String, reports: Reports) -> mpsc::UnboundedSender<Order> {
    let (orders, ordered) = mpsc::unbounded_channel();
    let painter = Painter { socket, reports, painted: None, flushed: None, has_failed: false };
    tokio::spawn(painter.run(ordered));
    orders
}

struct Painter {
    socket: String,
    reports: Reports,
    /// What the server holds of ours, as far as we know.
    painted: Option<Painted>,
    flushed: Option<Instant>,
    /// The last try; it is told once, so that it cannot go round in circles.
    has_failed: bool,
}

/// What became of an order.
enum Done {
    All,
    /// Only riding changes are left; they may be written then.
    Later(Instant),
}

impl Painter {
    async fn run(mut self, mut ordered: mpsc::UnboundedReceiver<Order>) {
        let mut waiting: Option<(Order, Instant)> = None;
        loop {
            let due = waiting.as_ref().map(|(_, due)| *due);
            let order = tokio::select! {
                order = ordered.recv() => match order {
                    Some(order) => order,
                    None => return,
                },
                () = tokio::time::sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {
                    let Some((order, _)) = waiting.take() else { continue };
                    order
                }
            };
            waiting = None;
            if let Some(flushed) = self.flushed {
                tokio::time::sleep_until(flushed + order.pace.coalesce).await;
            }
            let (mut order, done) = newest(order, &mut ordered);
            if order.trust == Trust::Nothing {
                self.painted = None;
            }
            match self.paint(&order.paint, order.pace.riding).await {
                Ok(Done::All) => self.has_failed = false,
                Ok(Done::Later(due)) => {
                    order.trust = Trust::Memory;
                    waiting = Some((order, due));
                }
                Err(failure) => self.fail(failure),
            }
            for done in done {
                // Whoever gave up waiting is fine.
                done.send(()).ok();
            }
        }
    }

    async fn paint(&mut self, paint: &Paint, riding: Option<Duration>) -> Result<Done, Failure> {
        if self.painted.as_ref().is_none_or(|painted| painted.is_blind(paint)) {
            self.painted = Some(self.survey(paint).await?);
        }
        let Some(painted) = self.painted.as_mut() else { return Ok(Done::All) };
        let changes = diff(painted, paint);
        let due = riding.and_then(|span| Some(self.flushed? + span));
        match (changes.firm.is_empty(), changes.riding.is_empty(), riding) {
            (true, true, _) | (true, false, None) => {
                painted.apply(&[], paint);
                return Ok(Done::All);
            }
            (true, false, Some(_)) => {
                if let Some(due) = due.filter(|due| *due > Instant::now()) {
                    return Ok(Done::Later(due));
                }
            }
            (false, _, _) => {}
        }
        let all: Vec<Change> = [changes.firm, changes.riding].concat();
        painted.apply(&all, paint);
        let mut outcome = Ok(Done::All);
        for list in commands(&all) {
            // One that fails does not keep the others from being written.
            if let Err(failure) = tmux::run(&self.socket, &list).await {
                outcome = Err(failure);
            }
            self.flushed = Some(Instant::now());
        }
        outcome
    }

    async fn survey(&self, paint: &Paint) -> Result<Painted, Failure> {
        let mut text = String::new();
        for list in survey(paint.windows.keys()) {
            text += &tmux::run(&self.socket, &list).await?;
        }
        let painted = Painted::parse(&text)
            .ok_or_else(|| Failure::Other("tmux gave half an answer".to_owned()))?;
        if painted.server != paint.server {
            return Err(Failure::Other("another server serves the socket now".to_owned()));
        }
        Ok(painted)
    }

    fn fail(&mut self, failure: Failure) {
        // Nobody knows how far it came.
        self.painted = None;
        self.flushed = Some(Instant::now());
        if std::mem::replace(&mut self.has_failed, true) {
            return;
        }
        let why = match failure {
            Failure::NoServer => "nobody serves it".to_owned(),
            Failure::Other(why) => why,
        };
        // Fails only if the daemon is going down.
        drop(self.reports.send(Report::NotPainted { socket: self.socket.clone(), why }));
    }
}

/// The last of all orders that have come, and whoever waits for any of them.
fn newest(
    order: Order,
    ordered: &mut mpsc::UnboundedReceiver<Order>,
) -> (Order, Vec<oneshot::Sender<()>>) {
    let (mut last, mut done) = (order, Vec::new());
    done.extend(last.done.take());
    while let Ok(mut next) = ordered.try_recv() {
        done.extend(next.done.take());
        if last.trust == Trust::Nothing {
            next.trust = Trust::Nothing;
        }
        last = next;
    }
    (last, done)
}
