//! Each channel: what it needs, what it does, and what it says came of it.

use std::time::Duration;

use atm_core::config::notify::Notify;
use atm_core::notify::client::Client;
use atm_core::notify::words::Message;
use atm_core::notify::{Channel, Outcome, Told, argv, terminal};
use atm_core::text::clean;
use serde_json::json;

use super::run::{self, Program};
use super::{TMUX_LIMIT, Way, tty, webhook};

/// How long a program that shows something may take.
const PROGRAM_LIMIT: Duration = Duration::from_secs(5);
/// A sound may last.
const SOUND_LIMIT: Duration = Duration::from_secs(30);
/// A program that has not failed by then does its work.
const SOON: Duration = Duration::from_millis(400);
const PLAYERS: &[&str] = &["paplay", "pw-play", "aplay", "afplay"];

type Went = Result<String, Trouble>;

enum Trouble {
    /// Nobody is there to see it.
    Nobody(&'static str),
    Failed(String),
}

impl From<String> for Trouble {
    fn from(why: String) -> Trouble {
        Trouble::Failed(why)
    }
}

/// All at once; one that is slow or fails holds up no other.
pub(super) async fn send_all(channels: &[Channel], message: &Message, way: &Way) -> Vec<Told> {
    let mut sending = tokio::task::JoinSet::new();
    for (at, channel) in channels.iter().copied().enumerate() {
        let (message, way) = (message.clone(), way.clone());
        sending.spawn(async move {
            let (what, outcome) = match send(channel, &message, &way).await {
                Ok(what) => (what, Outcome::Sent),
                Err(Trouble::Nobody(why)) => (why.to_owned(), Outcome::Nobody),
                Err(Trouble::Failed(why)) => (why, Outcome::Failed),
            };
            (at, Told { channel, what: clean(&what, 300), outcome })
        });
    }
    let mut told = sending.join_all().await;
    told.sort_by_key(|(at, _)| *at);
    told.into_iter().map(|(_, told)| told).collect()
}

async fn send(channel: Channel, message: &Message, way: &Way) -> Went {
    let (title, body) = (message.title.as_str(), message.body.as_str());
    match channel {
        Channel::TmuxMessage => tmux_message(message, way).await,
        Channel::TmuxPopup => tmux_popup(message, way).await,
        Channel::Bell | Channel::Osc9 | Channel::Osc777 | Channel::Osc99 => {
            let client = reachable(way.terminal_client.as_ref())?;
            let bytes = terminal::bytes(channel, client, title, body).unwrap_or_default();
            tty::write(&client.tty, &bytes)?;
            Ok(format!("to {}", client.tty))
        }
        Channel::NotifySend => show("notify-send", argv::notify_send(title, body)).await,
        Channel::TerminalNotifier => {
            show("terminal-notifier", argv::terminal_notifier(title, body)).await
        }
        Channel::Osascript => show("osascript", argv::osascript(title, body)).await,
        Channel::Sound => sound(&way.config).await,
        Channel::Command => command(&way.config, message).await,
        Channel::Webhook => {
            let body = json(message).to_string().into_bytes();
            webhook::post(&way.config.webhook, body).await?;
            Ok("posted".to_owned())
        }
    }
}

fn reachable(client: Option<&Client>) -> Result<&Client, Trouble> {
    client.ok_or(Trouble::Nobody("no tmux client is attached"))
}

/// Where a message does not hide what it is about.
fn elsewhere(way: &Way) -> Result<&Client, Trouble> {
    let client = way.message_client.as_ref();
    client.ok_or(Trouble::Nobody("no tmux client shows another window"))
}

async fn tmux_message(message: &Message, way: &Way) -> Went {
    let client = elsewhere(way)?;
    let time = way.config.message_time;
    let args = argv::tmux_message(client, time, &message.title, &message.body);
    run::run(tmux(args), TMUX_LIMIT).await?;
    Ok(format!("on {}", client.name))
}

/// A client that has gone has no message either.
pub(super) async fn clear_message(client: Client) {
    run::run(tmux(argv::tmux_clear(&client)), TMUX_LIMIT).await.ok();
}

async fn tmux_popup(message: &Message, way: &Way) -> Went {
    let client = elsewhere(way)?;
    let own = std::env::current_exe().map_err(|error| format!("atm is not found: {error}"))?;
    let (popup, own) = (&way.config.popup, own.to_string_lossy());
    let args = argv::tmux_popup(client, popup, &own, &message.title, &message.body);
    run::run_on(tmux(args), SOON, popup.time + TMUX_LIMIT).await?;
    Ok(format!("on {}", client.name))
}

fn tmux(args: Vec<String>) -> Program {
    Program { name: "tmux".to_owned(), args, ..Program::default() }
}

async fn show(name: &str, args: Vec<String>) -> Went {
    let program = Program { name: name.to_owned(), args, ..Program::default() };
    run::run(program, PROGRAM_LIMIT).await?;
    Ok("shown".to_owned())
}

async fn sound(config: &Notify) -> Went {
    let sound = &config.sound;
    if sound.file.is_empty() {
        return Err("notify.sound.file is not set".to_owned().into());
    }
    let mut argv = sound.player.clone();
    if argv.is_empty() {
        let player = run::first_on_path(PLAYERS);
        let none = || format!("none of {} is installed", PLAYERS.join(", "));
        argv.push(player.ok_or_else(none)?.to_owned());
    }
    argv.push(sound.file.clone());
    let name = argv.remove(0);
    let said = format!("played by {}", clean(&name, 100));
    run::run_on(Program { name, args: argv, ..Program::default() }, SOON, SOUND_LIMIT).await?;
    Ok(said)
}

async fn command(config: &Notify, message: &Message) -> Went {
    let mut argv = config.command.argv.clone();
    if argv.is_empty() {
        return Err("notify.command.argv is not set".to_owned().into());
    }
    let value = |name: &str| match name {
        "title" => Some(message.title.clone()),
        "body" => Some(message.body.clone()),
        name => message.fields.get(name),
    };
    // The program itself is the user's choice, and never a session's.
    let name = argv.remove(0);
    let args = argv.iter().map(|arg| argv::fill(arg, &value)).collect();
    let json = json(message);
    let env = json.as_object().into_iter().flatten().map(|(name, value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        (format!("ATM_{}", name.to_ascii_uppercase()), text)
    });
    let program = Program { name, args, env: env.collect(), input: json.to_string().into_bytes() };
    run::run(program, config.command.timeout).await?;
    Ok("ended well".to_owned())
}

fn json(message: &Message) -> serde_json::Value {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("schema".to_owned(), json!(atm_core::view::SCHEMA));
    }
    value
}
