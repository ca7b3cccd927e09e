//! The list in the first window of the demonstration, drawn anew whenever something changes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use atm_core::view::SessionView;

use crate::client::{Stream, Told};
use crate::context::Context;
use crate::error::CliError;
use crate::render::mark::Mark;
use crate::render::sessions::{sort, table};
use crate::screen::{Screen, Style};

/// Ages grow even if nothing happens.
const TICK: Duration = Duration::from_secs(1);
const CLEAR: &str = "\x1b[H\x1b[2J";

/// How the list is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// In the place of the one before.
    InPlace,
    /// Below the one before, and only if it says something else.
    Scroll,
}

/// Shows the list until `deadline` or, without one, for ever.
pub(crate) fn run(
    manner: Manner,
    deadline: Option<Instant>,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    let began = Instant::now();
    let (mut stream, first) = Stream::open(context)?;
    let mut sessions: BTreeMap<String, SessionView> = by_key(first);
    // An empty list is nothing to look at.
    let mut said = Some(Vec::new());
    loop {
        let words: Vec<String> = sessions.values().map(words).collect();
        if manner == Manner::InPlace || said.as_ref() != Some(&words) {
            draw(manner, began, &sessions, context)?;
            said = Some(words);
        }
        let tick = Instant::now() + TICK;
        match stream.next(context, Some(deadline.map_or(tick, |end| end.min(tick))))? {
            Told::Snapshot(all) => sessions = by_key(all),
            Told::Changed(view) => drop(sessions.insert(view.key.clone(), *view)),
            Told::Removed { id, key } => {
                if sessions.get(&key).is_some_and(|view| view.id == id) {
                    sessions.remove(&key);
                }
            }
            Told::Silence => {}
        }
        if deadline.is_some_and(|end| Instant::now() >= end) {
            return Ok(());
        }
    }
}

fn draw(
    manner: Manner,
    began: Instant,
    sessions: &BTreeMap<String, SessionView>,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    // The window may have got another size.
    let screen = Screen::from_env(&|name| std::env::var_os(name));
    let mut views: Vec<SessionView> = sessions.values().cloned().collect();
    sort(&mut views);
    let list = table(&views, &screen, context.home.as_deref(), Context::now());
    match manner {
        Manner::InPlace => {
            let title = screen.paint(Style::Bold, "atm list");
            writeln!(
                context.out,
                "{CLEAR}{title}  (the agents are simulated, all else is real)\n"
            )?;
        }
        Manner::Scroll => writeln!(context.out, "after {} s", began.elapsed().as_secs())?,
    }
    list.write(&screen, context.out)?;
    writeln!(context.out)?;
    if manner == Manner::InPlace {
        let hint = "Keys: 1 to 5 go to an agent, 0 comes back here, y answers an agent that asks, q leaves.\n\
                    Blue tab: working. Red: needs you, or finished and not looked at. White: nothing new.";
        writeln!(context.out, "{}", screen.paint(Style::Dim, hint))?;
    }
    Ok(context.out.flush()?)
}

fn by_key(sessions: Vec<SessionView>) -> BTreeMap<String, SessionView> {
    sessions.into_iter().map(|view| (view.key.clone(), view)).collect()
}

fn words(view: &SessionView) -> String {
    format!("{} {}", view.id, Mark::of(view).word())
}
