//! The loop: one task, the only owner of the machine. Every input ends in `handle`, every output
//! in `effects`; nothing in here waits for a client, a disk or tmux.

mod answers;
mod configure;
mod intake;
mod jumps;
mod notify;
mod tmux;

use std::path::Path;
use std::time::{Duration, Instant};

use atm_core::effect::Effect;
use atm_core::event::Event;
use atm_core::jump::Trail;
use atm_core::machine::Machine;
use atm_core::places::{self, Places};
use atm_core::project::Look;
use atm_core::proto::message::{Reply, Request};
use atm_core::session::{FileLife, Key};
use atm_core::statusline::{FEED_MAX, Feed};
use tokio::net::UnixDatagram;
use tokio::sync::{mpsc, oneshot};

use crate::archive::Archive;
use crate::effects::World;
use crate::journal::Journal;
use crate::keeper::{Busy, Keeper};
use crate::log::Log;
use crate::projector::Projector;
use crate::quit::Quit;
use crate::sensors::Report;
use crate::sensors::config::ConfigFile;
use crate::sensors::files::{self, Change, Files};
use crate::sensors::transcripts::Transcripts;
use crate::server::{self, Call};
use crate::{RunError, clock};

/// How long the last answers may take to leave.
const FAREWELL: Duration = Duration::from_millis(20);
/// Of the status lines that wait, as many are taken before others get their turn.
const FEEDS_AT_ONCE: usize = 500;

pub(crate) async fn serve(places: Places, log: Log) -> Result<(), RunError> {
    let started = Instant::now();
    let (keeper, past) = Keeper::open(places.database())?;
    for note in &past.notes {
        log.trouble(note);
    }
    let journal = Journal::open(&places.journal_dir(), past.position)?;
    let sockets = server::bind(&places)?;
    let (reports, reported) = mpsc::unbounded_channel();
    let (changes, changed) = mpsc::unbounded_channel();
    let (calls, called) = mpsc::channel(64);
    let files = Files::new(reports.clone(), changes.clone());
    let transcripts = Transcripts::new(reports.clone(), changes);
    let config_file = ConfigFile::new(places.config_file(), reports.clone());
    let projector = Projector::new(Look::default(), log.clone(), reports.clone());
    let world = World::new(reports, files, transcripts, config_file, projector);
    let archive = keeper.archive();
    tokio::spawn(server::accept(sockets.listener, calls, archive.clone()));
    let mut dispatcher = Dispatcher {
        machine: Machine::restore(past.sessions),
        journal,
        keeper,
        world,
        archive,
        places,
        log,
        started,
        counts: Counts::default(),
        troubles: past.notes,
        self_test: None,
        fresh: Vec::new(),
        repaints: Vec::new(),
        trail: Trail::default(),
        stop: None,
    };
    dispatcher.configure();
    let Dispatcher { machine, world, .. } = &mut dispatcher;
    let config = &world.config.notify;
    world.notify.restore(machine, &past.notifications, past.mutes, config);
    dispatcher.world.projector.meet(&dispatcher.machine);
    // What hooks said while nobody listened is older than what sensors see now.
    while dispatcher.read_journal() == More::Yes {}
    dispatcher.wake();
    dispatcher.run(sockets.poke, Inputs { reported, changed, called }).await;
    dispatcher.close();
    // The connection that asked for the end gets its answer out.
    tokio::time::sleep(FAREWELL).await;
    Ok(())
}

struct Inputs {
    reported: mpsc::UnboundedReceiver<Report>,
    changed: mpsc::UnboundedReceiver<Change>,
    called: mpsc::Receiver<Call>,
}

#[derive(Default)]
struct Counts {
    events: u64,
    malformed: u64,
}

struct Dispatcher {
    machine: Machine,
    journal: Journal,
    keeper: Keeper,
    world: World,
    archive: Archive,
    places: Places,
    log: Log,
    started: Instant,
    counts: Counts,
    troubles: Vec<String>,
    /// The mark of the last self-test heard.
    self_test: Option<String>,
    /// Requests that wait for tmux.
    fresh: Vec<oneshot::Sender<()>>,
    /// Orders to paint that wait for tmux.
    repaints: Vec<oneshot::Sender<Reply>>,
    /// Where users were taken; forgotten with the daemon.
    trail: Trail,
    /// Who asked us to stop.
    stop: Option<oneshot::Sender<Reply>>,
}

/// Whether the journal has more for us right now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum More {
    Yes,
    No,
    /// The store must take in what it has first, or the journal could not be read: when the bell
    /// rings.
    Later,
}

impl Dispatcher {
    /// What was true when the last daemon ended may not be any more.
    fn wake(&mut self) {
        let live = self.machine.sessions().filter(|session| session.is_live());
        let mut effects = Vec::new();
        for session in live {
            if let Some(of) = &session.process {
                effects.push(Effect::WatchProcess(session.key.clone(), of.clone()));
            }
            effects.extend(session.about.config_dir.clone().map(Effect::WatchConfig));
            effects.push(Effect::FollowTranscript(session.key.clone()));
        }
        effects.extend(self.sockets().into_iter().map(Effect::LookAtPanes));
        let env = |name: &str| std::env::var_os(name);
        let at_home = |name: &str| env(name).filter(|_| name == "HOME");
        let dirs = [places::claude_dir(&env), places::claude_dir(&at_home)];
        let dirs = dirs.into_iter().flatten().filter_map(|dir| dir.to_str().map(str::to_owned));
        effects.extend(dirs.map(Effect::WatchConfig));
        self.world.apply(effects, &self.machine);
        self.world.files.watch_lock(&self.places.lock());
    }

    async fn run(&mut self, poke: UnixDatagram, mut inputs: Inputs) {
        let mut quit = Quit::new();
        let mut more = More::Yes;
        let bell = self.keeper.bell();
        while self.stop.is_none() && !self.keeper.is_damaged() {
            let due = self.machine.deadline();
            let told = self.world.notify.desk.deadline();
            let minute = self.world.projector.deadline();
            tokio::select! {
                biased;
                () = quit.asked() => return,
                Some(report) = inputs.reported.recv() => {
                    // What hooks said before is heard first.
                    if report.is_about_session() { more = self.catch_up(); }
                    self.take_report(report);
                }
                Some(change) = inputs.changed.recv() => {
                    let change = change.with_waiting(&mut inputs.changed);
                    self.world.config_file.handle(&change);
                    self.world.transcripts.handle(&change);
                    self.world.files.handle(change);
                    // Whoever removed the state directory wants us gone.
                    if !self.places.lock().exists() { return; }
                }
                Some(call) = inputs.called.recv() => more = self.take_call(call),
                ready = poke.readable(), if more != More::Later => {
                    let feeds = drain(&poke);
                    if ready.is_ok() { more = self.read_journal(); }
                    for feed in feeds { self.handle(Event::StatusLine(Box::new(feed))); }
                }
                () = std::future::ready(()), if more == More::Yes => more = self.read_journal(),
                () = bell.notified() => {
                    self.keeper.note_progress();
                    if more == More::Later { more = self.read_journal(); }
                }
                () = until(told), if told.is_some() => self.notify(),
                () = until(due), if due.is_some() => self.tick(&mut inputs.reported),
                // Publishing is all there is to do.
                () = until(minute), if minute.is_some() => {}
            }
            self.hand_over();
        }
    }

    /// Before time alone decides between a hook and an older session file, the file is looked at
    /// once more: its watch may have failed.
    fn tick(&mut self, reported: &mut mpsc::UnboundedReceiver<Report>) {
        self.world.files.scan_all();
        while let Ok(report) = reported.try_recv() {
            self.take_report(report);
        }
        self.handle(Event::Tick);
    }

    fn handle(&mut self, event: Event) {
        let effects = self.machine.handle(event, clock::now());
        self.world.apply(effects, &self.machine);
    }

    /// Publishes what changed and gives the rows to the store. False if it takes none now.
    fn hand_over(&mut self) -> bool {
        self.world.publish(&self.machine, clock::now());
        let mut batch = std::mem::take(&mut self.world.batch);
        batch.position = self.journal.position();
        match self.keeper.hand_over(batch) {
            Ok(()) => true,
            Err(Busy(batch)) => {
                self.world.batch = batch;
                false
            }
        }
    }

    fn take_report(&mut self, report: Report) {
        match report {
            Report::Event(event) => {
                self.log.debug(|| format!("{event:?}"));
                let gone = match &event {
                    Event::ProcessGone { key } => Some(key.clone()),
                    _ => None,
                };
                if let Some(key) = &gone {
                    self.look_for_file(key);
                }
                self.handle(event);
                // Its pane may have closed with it.
                let place = gone.and_then(|key| self.machine.get(&key)?.place.clone());
                if let Some(place) = place {
                    self.world.panes.look_again(&place.socket);
                }
            }
            Report::Looked { socket, answer } => self.take_answer(socket, answer),
            Report::ServerGone { socket } => self.world.panes.look(&socket),
            Report::Clients { asked, clients } => self.take_clients(&asked, &clients),
            Report::Notified { records } => self.take_notified(records),
            Report::Configured => self.configure(),
            Report::Dwelt(dwelt) => self.dwelt(&dwelt),
            Report::NotPainted { socket, why } => self.not_painted(&socket, &why),
            Report::Trouble(text) => self.trouble(&text),
        }
    }

    /// A client that ends in order takes its session file away just before: we may hear of both at
    /// once, or of its end alone.
    fn look_for_file(&mut self, key: &Key) {
        let Some(session) = self.machine.get(key) else { return };
        let (process, config) = (session.process.as_ref(), session.about.config_dir.as_ref());
        if let (Some(process), Some(config)) = (process, config)
            && session.file == FileLife::There
            && !files::path(Path::new(config), process.pid).exists()
        {
            let pid = process.pid;
            self.handle(Event::SessionFileGone { pid });
        }
    }

    fn take_call(&mut self, call: Call) -> More {
        let more = self.catch_up();
        match call {
            Call::Freshen(done) => self.freshen(done),
            Call::Subscribe(sink) => {
                let sessions = self.views();
                self.world.subscribers.add(sink, &Reply::Snapshot { sessions });
            }
            Call::Ask { request: Request::Stop, answer } => self.stop = Some(answer),
            Call::Ask { request: Request::List { all: true }, answer } => self.list_all(answer),
            Call::Ask { request: Request::Repaint, answer } => self.repaint(answer),
            Call::Ask { request: Request::Unpaint, answer } => {
                self.unpaint(answer);
            }
            Call::Ask { request: Request::NotifyTest { channel }, answer } => {
                self.test_channels(channel, answer);
            }
            Call::Ask { request: Request::NotifyLog { limit }, answer } => {
                self.notify_log(limit, answer);
            }
            Call::Ask { request: Request::Past { since }, answer } => self.past(since, answer),
            Call::Ask { request, answer } => {
                let reply = self.answer(request);
                answer.send(reply).ok();
            }
        }
        more
    }

    fn freshen(&mut self, done: oneshot::Sender<()>) {
        self.world.files.scan_unwatched();
        let sockets = self.sockets();
        if self.world.panes.freshen(sockets.iter().map(String::as_str)) {
            self.fresh.push(done);
        } else {
            done.send(()).ok();
        }
    }

    fn trouble(&mut self, text: &str) {
        self.log.trouble(text);
        if !self.troubles.iter().any(|known| known == text) && self.troubles.len() < 20 {
            self.troubles.push(text.to_owned());
        }
    }

    fn close(mut self) {
        self.hand_over();
        server::remove(&self.places);
        if let Some(note) = self.keeper.close() {
            self.log.trouble(&note);
        }
        if let Some(answer) = self.stop.take() {
            answer.send(Reply::Done).ok();
        }
        self.log.debug(|| "daemon stops".to_owned());
    }
}

/// Takes what has come; most of it only says that something is in the journal.
fn drain(poke: &UnixDatagram) -> Vec<Feed> {
    let mut feeds = Vec::new();
    // A datagram that is too long is cut, and so no feed.
    let mut bytes = [0_u8; FEED_MAX];
    while feeds.len() < FEEDS_AT_ONCE
        && let Ok(length) = poke.try_recv(&mut bytes)
    {
        feeds.extend(Feed::decode(&bytes[..length]));
    }
    feeds
}

async fn until(due: Option<atm_core::stamp::Stamp>) {
    let now = clock::now();
    let wait = due.map_or(Duration::from_secs(3600), |due| due.since(now));
    tokio::time::sleep(wait).await;
}
