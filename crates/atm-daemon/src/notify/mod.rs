//! Notifications go out from here. What to tell, when and to whom is the core's decision
//! (`Desk`); what the user is looking at is asked of tmux when something is about to be told, and
//! never otherwise.

mod channel;
mod run;
pub mod template;
mod tty;
mod webhook;

use std::time::Duration;

use atm_core::config::notify::Notify;
use atm_core::machine::Machine;
use atm_core::notify::client::{self, Client};
use atm_core::notify::words::{Fields, Message};
use atm_core::notify::{
    Channel, Desk, Mute, Occasion, Order, Outcome, Record, Scene, Step, Told, Verdict,
};
use atm_core::session::{Found, Key, Session};
use atm_core::stamp::Stamp;
use atm_core::view::SessionView;

use crate::clock;
use crate::sensors::{Report, Reports};

/// What a message needs beside its words.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    pub(crate) config: Notify,
    pub(crate) message_client: Option<Client>,
    pub(crate) terminal_client: Option<Client>,
}

pub(crate) struct Notifier {
    pub(crate) desk: Desk,
    reports: Reports,
    home: Option<String>,
    shown: Vec<Shown>,
}

/// A message that hides a client's status line.
struct Shown {
    keys: Vec<Key>,
    client: Client,
    until: Stamp,
}

impl Notifier {
    pub(crate) fn new(reports: Reports) -> Notifier {
        let home = std::env::var("HOME").ok().filter(|home| home.starts_with('/'));
        Notifier { desk: Desk::default(), reports, home, shown: Vec::new() }
    }

    /// Goes on where the last daemon ended.
    pub(crate) fn restore(
        &mut self,
        machine: &Machine,
        records: &[Record],
        mutes: Vec<(Key, Mute)>,
        config: &Notify,
    ) {
        self.desk = Desk::restore(machine.sessions(), records, config, clock::now());
        for (key, mute) in mutes {
            self.desk.mute(key, mute);
        }
    }

    pub(crate) fn moved(&mut self, session: &Session, config: &Notify) {
        let now = clock::now();
        self.desk.moved(session, config, now);
        self.shown.retain(|shown| shown.until > now);
        // What it says is no longer so, and the tabs below it tell what is.
        for shown in self.shown.extract_if(.., |shown| shown.keys.contains(&session.key)) {
            tokio::spawn(channel::clear_message(shown.client));
        }
    }

    /// Finds out what the user is looking at, for those whose turn it is.
    pub(crate) fn look(&mut self, machine: &Machine, config: &Notify) {
        let asked = self.desk.take_due(config, clock::now());
        if asked.is_empty() {
            return;
        }
        let (reports, sockets) = (self.reports.clone(), sockets(machine));
        tokio::spawn(async move {
            let clients = clients(&sockets).await;
            // Fails only if the daemon is going down.
            drop(reports.send(Report::Clients { asked, clients }));
        });
    }

    /// Sends what is to be sent; returns what is not, with the reason.
    pub(crate) fn decide(
        &mut self,
        asked: &[Key],
        clients: &[Client],
        machine: &Machine,
        about: (&Notify, &str),
    ) -> Vec<Record> {
        let (config, host) = about;
        let now = clock::now();
        let minute = clock::minute_of_day();
        let scene = Scene { now, minute, config, home: self.home.as_deref(), clients };
        let decision = self.desk.decide(asked, &|key| machine.get(key), &scene);
        for order in decision.orders {
            let session = |key: &Key| machine.get(key);
            let views = order.keys.iter().filter_map(session);
            let views: Vec<SessionView> = views.map(|s| SessionView::of(s, host, now)).collect();
            self.send(order, &views, config, now);
        }
        decision.records
    }

    fn send(&mut self, order: Order, views: &[SessionView], config: &Notify, now: Stamp) {
        let usual = Message::usual(views, order.occasion, order.step, now);
        let message = if views.len() == 1 { template::apply(usual, config) } else { usual };
        if let Some(client) = order.message_client.clone()
            && order.channels.contains(&Channel::TmuxMessage)
        {
            let until = now.plus(config.message_time);
            self.shown.push(Shown { keys: order.keys.clone(), client, until });
        }
        let way = Way {
            config: config.clone(),
            message_client: order.message_client,
            terminal_client: order.terminal_client,
        };
        let (reports, channels, mut records) =
            (self.reports.clone(), order.channels, order.records);
        tokio::spawn(async move {
            let told = channel::send_all(&channels, &message, &way).await;
            let is_failed = !told.iter().any(|told| told.outcome == Outcome::Sent);
            for record in &mut records {
                record.verdict = if is_failed { Verdict::Failed } else { Verdict::Sent };
                record.channels.clone_from(&told);
            }
            drop(reports.send(Report::Notified { records }));
        });
    }
}

/// A sample through every one of `channels`.
pub(crate) async fn test(
    channels: Vec<Channel>,
    config: Notify,
    sockets: Vec<String>,
) -> Vec<Told> {
    let clients = clients(&sockets).await;
    let nearest = client::nearest(clients.iter()).cloned();
    let way = Way { config, message_client: nearest.clone(), terminal_client: nearest };
    let message = Message {
        title: "atm: a test".to_owned(),
        body: "this is how you are told when a session needs you".to_owned(),
        fields: Fields {
            event: Occasion::Attention.word().to_owned(),
            step: Step::First.word().to_owned(),
            name: "test".to_owned(),
            ..Fields::default()
        },
        count: 1,
    };
    channel::send_all(&channels, &message, &way).await
}

/// Every channel that the configuration makes use of.
pub(crate) fn configured(config: &Notify) -> Vec<Channel> {
    let lists = [&config.attention, &config.finish, &config.error, &config.lost, &config.escalate];
    let rules = config.rule.iter().flat_map(|rule| [&rule.channels, &rule.escalate]);
    let mut all: Vec<Channel> = lists.into_iter().chain(rules).flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The tmux servers in which sessions are.
pub(crate) fn sockets(machine: &Machine) -> Vec<String> {
    let place = |session: &Session| {
        let place = session.place.as_ref().filter(|place| place.found != Found::Gone);
        place.map(|place| place.socket.clone())
    };
    let mut sockets: Vec<String> = machine.sessions().filter_map(place).collect();
    sockets.sort_unstable();
    sockets.dedup();
    sockets
}

async fn clients(sockets: &[String]) -> Vec<Client> {
    let mut asked = tokio::task::JoinSet::new();
    for socket in sockets {
        let socket = socket.clone();
        asked.spawn(async move {
            let listed = run::list_clients(&socket).await;
            client::parse(&socket, &listed.unwrap_or_default())
        });
    }
    asked.join_all().await.into_iter().flatten().collect()
}

/// How long a tmux may take to answer.
const TMUX_LIMIT: Duration = Duration::from_secs(2);
