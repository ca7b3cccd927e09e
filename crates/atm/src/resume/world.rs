//! Everything that can be gone on with, gathered from the daemon and from disk.

use std::io::{self, Write};
use std::path::PathBuf;

use atm_core::places::claude_dir;
use atm_core::proto::message::{Reply, Request};
use atm_core::text::clean;
use atm_core::view::SessionView;

use super::known::{Choice, Known, choose, join};
use crate::context::Context;
use crate::error::CliError;
use crate::exit::Exit;
use crate::render::age::age;
use crate::render::place::{short, tilde};
use crate::transcripts;

/// Columns of a prompt in a list.
const MAX_PROMPT: usize = 60;
/// Longest foreign text in a note.
const MAX_LINE: usize = 1000;

pub(crate) struct World {
    pub(crate) sessions: Vec<Known>,
    pub(crate) configs: Vec<PathBuf>,
    /// The configuration directory that a client would take by itself.
    pub(crate) effective: Option<PathBuf>,
}

impl World {
    /// Without a daemon the transcripts have to do.
    pub(crate) fn look(context: &Context<'_>) -> World {
        let env = |name: &str| std::env::var_os(name);
        let views = tracked(context).unwrap_or_else(|error| {
            note(&format!("note: going on without what was tracked: {}", error.message));
            Vec::new()
        });
        let effective = claude_dir(&env);
        let configs = transcripts::config_dirs(&env, &views);
        let sessions = join(views, transcripts::all(&configs), effective.as_ref());
        World { sessions, configs, effective }
    }

    /// The one session that is meant.
    pub(crate) fn find(&self, who: &str, context: &Context<'_>) -> Result<&Known, CliError> {
        match choose(&self.sessions, who) {
            Choice::One(known) => Ok(known),
            Choice::Several(all) => Err(CliError {
                notes: all.iter().map(|known| describe(known, context)).collect(),
                ..CliError::new(Exit::Failed, format!("`{who}` means several sessions"))
                    .hint("say more of the id")
            }),
            Choice::None(near) => Err(self.nothing(who, &near, context)),
        }
    }

    fn nothing(&self, who: &str, near: &[&Known], context: &Context<'_>) -> CliError {
        if who.starts_with("agent-")
            && let Some(parent) = transcripts::parent_of(who, &self.configs)
        {
            let what = format!("{who} is a subagent, which cannot be resumed by itself");
            return CliError::new(Exit::NotFound, what)
                .hint(format!("its session is {}", short(&parent)));
        }
        let error = CliError::new(Exit::NotFound, format!("no session is called `{who}`"));
        let hint = if who.len() < atm_core::select::MIN_PREFIX {
            "say at least 4 characters of an id"
        } else if near.is_empty() {
            "run `atm list --all` to see what was tracked"
        } else {
            "these come near"
        };
        CliError { notes: near.iter().map(|known| describe(known, context)).collect(), ..error }
            .hint(hint)
    }
}

fn tracked(context: &Context<'_>) -> Result<Vec<SessionView>, CliError> {
    match context.ask(&Request::List { all: true })? {
        Reply::Sessions { sessions } => Ok(sessions),
        _ => Err(crate::client::unexpected()),
    }
}

/// One line: id, age, directory, first prompt.
pub(crate) fn describe(known: &Known, context: &Context<'_>) -> String {
    let age = age(Context::now().since(known.last_activity()));
    let dir = tilde(known.directory().unwrap_or("?"), context.home.as_deref());
    let past = known.past();
    let tracked = || known.view.as_ref().and_then(|view| view.last_prompt.as_deref());
    let words = past.title.as_deref().or(past.prompt.as_deref()).or_else(tracked);
    let words = clean(words.unwrap_or_default(), MAX_PROMPT);
    format!("{}  {age:>5}  {}  {words}", short(&known.id), clean(&dir, MAX_LINE)).trim().to_owned()
}

/// To the user, beside what the command is about.
pub(crate) fn note(words: &str) {
    // Without standard error there is nobody to tell.
    writeln!(io::stderr().lock(), "{}", clean(words, MAX_LINE)).ok();
}
