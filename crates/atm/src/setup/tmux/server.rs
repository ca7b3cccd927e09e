//! Running tmux servers: which there are, what of ours they have, how it gets in and out. Never
//! starts one.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use atm_core::places::Places;
use atm_core::project::{HOOK_INDEX, Paint, Painted, commands, diff, survey};
use atm_core::proto::message::{Reply, Request};
use atm_core::tmux::{LIST_PANES, Listing, SETUP_MARK};

use super::generated::LABELS;
use super::keys::KEYS;
use super::quote;
use crate::client::Client;
use crate::error::CliError;
use crate::program::{find, run};
use crate::setup::diff::visible;
use crate::setup::files::plain;

const PATIENCE: Duration = Duration::from_secs(3);
/// For a question that only makes the list of servers longer.
const SHORT_PATIENCE: Duration = Duration::from_millis(500);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    tmux: PathBuf,
    socket: PathBuf,
}

impl Server {
    /// All of this user and home that answer: that of this terminal and the default one first.
    pub(crate) fn all(places: &Places) -> Vec<Server> {
        let Some(tmux) = find("tmux") else { return Vec::new() };
        let mut seen = BTreeSet::new();
        let sockets = own().into_iter().chain(in_folder()).chain(known_to_daemon(places));
        sockets
            .filter(|socket| is_own_socket(socket) && seen.insert(plain(socket)))
            .map(|socket| Server { tmux: tmux.clone(), socket })
            // One that has ended leaves its socket behind.
            .filter(|server| server.is_at_home().unwrap_or(false))
            .collect()
    }

    /// That of this terminal.
    pub(crate) fn own() -> Option<Server> {
        let (tmux, socket) = (find("tmux")?, own()?);
        Some(Server { tmux, socket }).filter(|server| server.ask(&["list-sessions"]).is_ok())
    }

    pub(crate) fn at(socket: &Path) -> Option<Server> {
        Some(Server { tmux: find("tmux")?, socket: socket.to_owned() })
    }

    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    pub(crate) fn name(&self) -> String {
        visible(&self.socket.to_string_lossy())
    }

    /// Whether it is of this home: one that was started with another has its configuration there.
    fn is_at_home(&self) -> io::Result<bool> {
        let variables = self.ask(&["show-environment", "-g"])?;
        let theirs = variables.lines().find_map(|line| line.strip_prefix("HOME="));
        let real = |home: &OsStr| Path::new(home).canonicalize().ok();
        let ours = std::env::var_os("HOME");
        Ok(theirs
            .is_none_or(|theirs| ours.is_some_and(|ours| real(&ours) == real(theirs.as_ref()))))
    }

    /// Whether people usually are in it: the one of this terminal, or the default one.
    pub(crate) fn is_main(&self) -> bool {
        let is_default = self.socket.file_name().is_some_and(|name| name == "default");
        is_default || own().is_some_and(|own| own == self.socket)
    }

    /// Which generated text it has loaded.
    pub(crate) fn mark(&self) -> Option<String> {
        let said = self.ask(&["show-options", "-gqv", SETUP_MARK]).ok()?;
        Some(said.trim_end().to_owned()).filter(|mark| !mark.is_empty())
    }

    /// The configuration files that it read when it started.
    pub(crate) fn config_files(&self) -> Vec<PathBuf> {
        let said = self.ask(&["display-message", "-p", "#{config_files}"]).unwrap_or_default();
        said.trim_end_matches('\n').split(',').map(PathBuf::from).collect()
    }

    pub(crate) fn load(&self, file: &str) -> Result<(), CliError> {
        self.tell(&["source-file", &quote::path(file)])
    }

    /// Our entries in its hooks: those of sessions, then those of windows and panes.
    pub(crate) fn hooks(&self) -> Vec<OurHook> {
        let shown = ["-g", "-gw"].map(|scope| self.ask(&["show-hooks", scope]).unwrap_or_default());
        shown.iter().flat_map(|text| text.lines()).filter_map(OurHook::parse).collect()
    }

    /// Commands that take out what setup put in; none if there is nothing.
    pub(crate) fn withdrawal(&self) -> Vec<Vec<String>> {
        let unset = |hook: OurHook| {
            let slot = format!("{}[{HOOK_INDEX}]", hook.name);
            vec!["set-hook".into(), "-gu".into(), slot]
        };
        let mut commands: Vec<Vec<String>> = self.hooks().into_iter().map(unset).collect();
        let mut options: Vec<&str> = LABELS.iter().map(|label| label.option).collect();
        options.dedup();
        for label in &LABELS {
            let value = self.ask(&["show-options", "-gv", label.format]).unwrap_or_default();
            let value = value.strip_suffix('\n').unwrap_or(&value);
            if value.contains(&label.suffix()) {
                let bare = quote::argument(&value.replace(&label.suffix(), ""));
                commands.push(vec!["set-option".into(), "-g".into(), label.format.into(), bare]);
            }
        }
        for option in options.into_iter().chain([SETUP_MARK]) {
            if self.ask(&["show-options", "-gqv", option]).is_ok_and(|value| !value.is_empty()) {
                commands.push(vec!["set-option".into(), "-gu".into(), option.into()]);
            }
        }
        let keys = self.ask(&["list-keys", "-T", "prefix"]).unwrap_or_default();
        let ours = KEYS.iter().filter(|key| keys.lines().any(|line| key.is_in(line)));
        commands.extend(ours.map(super::keys::Key::removal));
        commands
    }

    /// Calls that take out what the daemon wrote, and give back what was the user's: tmux itself
    /// knows all of it.
    pub(crate) fn cleaning(&self) -> Vec<Vec<String>> {
        let read = || {
            let listing = Listing::parse(&self.ask(&LIST_PANES).ok()?)?;
            let mut text = String::new();
            for list in survey(std::iter::empty()) {
                text += &self.ask(&list).ok()?;
            }
            let painted = Painted::parse(&text)?;
            Some(commands(&diff(&painted, &Paint::nothing(&listing)).firm))
        };
        read().unwrap_or_default()
    }

    /// Whether anything of ours is in it.
    pub(crate) fn has_ours(&self) -> bool {
        !self.withdrawal().is_empty() || !self.cleaning().is_empty()
    }

    pub(crate) fn clear(&self) -> Result<(), CliError> {
        let withdrawal = self.withdrawal();
        if !withdrawal.is_empty() {
            self.tell(&withdrawal.join(&";".to_owned()))?;
        }
        self.cleaning().iter().try_for_each(|list| self.tell(list))
    }

    fn tell<A: AsRef<str>>(&self, args: &[A]) -> Result<(), CliError> {
        let failed = |error: &io::Error| {
            CliError::failed(&format!("the tmux server at {} did not obey", self.name()), error)
                .hint("run the command again; a tmux started later loads it by itself")
        };
        self.ask(args).map(drop).map_err(|error| failed(&error))
    }

    pub(crate) fn ask<A: AsRef<str>>(&self, args: &[A]) -> io::Result<String> {
        let mut all = vec![OsString::from("-u"), "-S".into(), self.socket.clone().into()];
        all.extend(args.iter().map(|arg| arg.as_ref().into()));
        let said = run(&self.tmux, &all, PATIENCE)?;
        if said.status.success() { Ok(said.out) } else { Err(io::Error::other(said.err)) }
    }
}

/// An entry of ours in the array of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OurHook {
    pub(crate) name: String,
    pub(crate) command: String,
}

impl OurHook {
    /// `name[8731] run-shell …`; somebody else may have chosen the same number.
    fn parse(line: &str) -> Option<OurHook> {
        let (slot, command) = line.split_once(' ')?;
        let name = slot.strip_suffix(&format!("[{HOOK_INDEX}]"))?;
        let is_ours = command.contains(" visit ");
        is_ours.then(|| OurHook { name: name.to_owned(), command: command.to_owned() })
    }
}

/// `$TMUX` is the socket, the server's process and a session.
fn own() -> Option<PathBuf> {
    let tmux = std::env::var("TMUX").ok()?;
    let socket = tmux.rsplitn(3, ',').nth(2)?;
    Some(PathBuf::from(socket)).filter(|socket| socket.is_absolute())
}

fn in_folder() -> Vec<PathBuf> {
    let base = std::env::var_os("TMUX_TMPDIR").filter(|base| !base.is_empty());
    let uid = rustix::process::getuid().as_raw();
    let folder = Path::new(base.as_deref().unwrap_or("/tmp".as_ref())).join(format!("tmux-{uid}"));
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut sockets: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    sockets.sort_by_key(|socket| (socket.file_name() != Some("default".as_ref()), socket.clone()));
    sockets
}

/// Servers at other places, if a daemon runs and knows of some.
fn known_to_daemon(places: &Places) -> Vec<PathBuf> {
    let Ok(mut client) = Client::connect(places, SHORT_PATIENCE) else { return Vec::new() };
    let Ok(Reply::Sessions { sessions }) = client.ask(&Request::List { all: false }) else {
        return Vec::new();
    };
    sessions.into_iter().filter_map(|session| Some(session.tmux?.socket.into())).collect()
}

fn is_own_socket(path: &Path) -> bool {
    let uid = rustix::process::getuid().as_raw();
    path.metadata().is_ok_and(|meta| meta.file_type().is_socket() && meta.uid() == uid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hook_is_ours_by_index_and_command() {
        let ours = "client-attached[8731] run-shell -b \"'/a/atm' visit client-attached x\"";
        assert_eq!(OurHook::parse(ours).unwrap().name, "client-attached");
        for other in [
            "client-attached",
            "client-attached[0] run-shell -b \"'/a/atm' visit client-attached\"",
            "client-attached[8731] display-message mine",
            "client-attached[18731]x run visit y",
        ] {
            assert_eq!(OurHook::parse(other), None, "{other}");
        }
    }
}
