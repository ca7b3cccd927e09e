//! Everything that can happen to a screen, on one channel. Each source has a thread of its own, so
//! that no key waits for a daemon, a disk or tmux.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use atm_core::jump::Spot;
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;
use ratatui::crossterm::event::{self, Event, KeyEvent, KeyEventKind};

/// How often a pane that is looked at is looked at again.
const REFRESH: Duration = Duration::from_secs(1);

/// What the daemon tells.
#[derive(Debug)]
pub enum News {
    /// All there is; comes first, and again after a gap.
    Snapshot(Vec<SessionView>),
    Changed(Box<SessionView>),
    Removed {
        id: String,
        key: String,
    },
    /// No more news will come, for this reason.
    Trouble(String),
}

/// The world outside of the screen. Every method may take its time.
pub trait World: Send + Sync + 'static {
    fn now(&self) -> Stamp;
    /// Tells news until there are none any more, or `tell` says that nobody listens.
    fn follow(&self, tell: &mut dyn FnMut(News) -> Heard);
    /// What a pane shows, with its colours.
    fn capture(&self, spot: &Spot) -> Result<String, String>;
    /// The user has looked at this session.
    fn dismiss(&self, key: &str) -> Result<(), String>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    Yes,
    NobodyListens,
}

#[derive(Debug)]
pub(crate) enum Input {
    Key(KeyEvent),
    Paste(String),
    Resized,
    News(News),
    Captured {
        spot: Spot,
        shown: Result<String, String>,
    },
    /// Something that was to be done was not.
    Failed(String),
    /// A second went by.
    Tick,
    /// The terminal is gone.
    Closed,
}

/// What a screen wants done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Dismiss(String),
}

/// The ends that a screen's loop holds.
pub(crate) struct Inbox {
    pub(crate) inputs: Receiver<Input>,
    /// Which pane to show.
    pub(crate) looks: Sender<Option<Spot>>,
    pub(crate) deeds: Sender<Deed>,
}

impl Inbox {
    pub(crate) fn open(world: &Arc<impl World>) -> Inbox {
        let (to, inputs) = channel();
        let (looks, looked) = channel();
        let (deeds, to_do) = channel();
        start(&to, |to| read_keys(&to));
        let following = Arc::clone(world);
        start(&to, move |to| follow(&*following, &to));
        let capturing = Arc::clone(world);
        start(&to, move |to| capture(&*capturing, &looked, &to));
        let acting = Arc::clone(world);
        start(&to, move |to| act(&*acting, &to_do, &to));
        Inbox { inputs, looks, deeds }
    }
}

/// The threads end with the process, or when they next have something to say.
fn start(to: &Sender<Input>, work: impl FnOnce(Sender<Input>) + Send + 'static) {
    let to = to.clone();
    drop(thread::spawn(move || work(to)));
}

fn follow(world: &impl World, to: &Sender<Input>) {
    world.follow(&mut |news| match to.send(Input::News(news)) {
        Ok(()) => Heard::Yes,
        Err(_) => Heard::NobodyListens,
    });
}

fn read_keys(to: &Sender<Input>) {
    loop {
        let input = match event::read() {
            Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => Input::Key(key),
            Ok(Event::Paste(text)) => Input::Paste(text),
            Ok(Event::Resize(..)) => Input::Resized,
            Ok(_) => continue,
            Err(_) => Input::Closed,
        };
        let is_over = matches!(input, Input::Closed);
        if to.send(input).is_err() || is_over {
            return;
        }
    }
}

/// Looks at the pane that was asked for last, now and then again; tells what is new.
fn capture(world: &impl World, looked: &Receiver<Option<Spot>>, to: &Sender<Input>) {
    let mut looking = None;
    let mut shown = None;
    loop {
        match looked.recv_timeout(REFRESH) {
            Ok(spot) => (looking, shown) = (looked.try_iter().last().unwrap_or(spot), None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let Some(spot) = &looking else { continue };
        let found = world.capture(spot);
        if shown.as_ref() != Some(&found) {
            let told = Input::Captured { spot: spot.clone(), shown: found.clone() };
            shown = Some(found);
            if to.send(told).is_err() {
                return;
            }
        }
    }
}

fn act(world: &impl World, to_do: &Receiver<Deed>, to: &Sender<Input>) {
    for deed in to_do {
        let done = match deed {
            Deed::Dismiss(key) => world.dismiss(&key),
        };
        if let Err(why) = done
            && to.send(Input::Failed(why)).is_err()
        {
            return;
        }
    }
}
