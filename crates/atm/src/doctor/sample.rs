//! A dump in which all is well, for tests to break.

use atm_core::proto::message::DaemonStatus;
use atm_core::stamp::Stamp;

use super::dump::{
    Answer, Config, Content, Daemon, Dump, Folder, HookProgram, HookRun, Identity, Install,
    Journal, LastHook, OnPath, OurHook, Place, Reached, Read, Scope, SelfTest, Server, Session,
    Settings, State, Tmux, Trust,
};
use crate::setup::claude::Installed;
use crate::setup::hooks::wanted;

pub(crate) const ATM: &str = "/home/dev/.local/bin/atm";
pub(crate) const HERE: &str = "/home/dev/src/web";
pub(crate) const STATE: &str = "/home/dev/.local/state/atm";

pub(crate) fn good() -> Dump {
    Dump {
        version: "0.1.0".into(),
        now: Stamp(1_000_000),
        program: Some(Place::of(ATM)),
        home: Some(Place::of("/home/dev")),
        here: Some(Place::of(HERE)),
        state: Some(state()),
        config: Some(Config {
            path: Place::of("/home/dev/.config/atm/config.toml"),
            ..Config::default()
        }),
        claude: vec![install("/home/dev/.local/bin/claude", "2.1.325")],
        settings: vec![
            settings(Scope::Managed, "/etc/claude-code/managed-settings.json", None),
            settings(Scope::User, "/home/dev/.claude/settings.json", Some(ours())),
            in_folder(Scope::Project, HERE, Some(Read { others: 2, ..Read::default() })),
            in_folder(Scope::Local, HERE, None),
        ],
        programs: vec![hook_program(ATM, Identity::Same)],
        trust: Trust {
            file: Some(Place::of("/home/dev/.claude.json")),
            folders: Some(vec![Folder { path: Place::of(HERE), is_trusted: true }]),
        },
        daemon: Daemon { before: Some(up()), now: Some(up()), ..Daemon::default() },
        journal: Journal { bytes: 5000, fault: None, last_hook: Some(last_hook(940_000)) },
        sessions: Some(vec![session("abcdef12-0001", true)]),
        tmux: tmux(),
        path: vec![on_path("atm", ATM, Identity::Same)],
        self_test: Some(self_test()),
        failures: Vec::new(),
    }
}

pub(crate) fn state() -> State {
    State {
        dir: Place::of(STATE),
        config: Place::of("/home/dev/.config/atm"),
        exists: true,
        mode: Some(0o700),
        is_writable: Some(true),
        free_bytes: Some(10 << 30),
        free_inodes: Some(1 << 20),
        database_bytes: Some(1 << 20),
        socket_length: 35,
        file_clock_off: Some(-3),
        ..State::default()
    }
}

pub(crate) fn install(path: &str, version: &str) -> Install {
    Install { path: Place::of(path), target: Place::of(path), version: Some(version.into()) }
}

pub(crate) fn settings(scope: Scope, path: &str, read: Option<Read>) -> Settings {
    let content = read.map_or(Content::Absent, Content::Read);
    Settings { scope, path: Place::of(path), folder: None, plugin: None, content }
}

pub(crate) fn in_folder(scope: Scope, folder: &str, read: Option<Read>) -> Settings {
    let name = if scope == Scope::Local { "settings.local.json" } else { "settings.json" };
    let settings = settings(scope, &format!("{folder}/.claude/{name}"), read);
    Settings { folder: Some(Place::of(folder)), ..settings }
}

pub(crate) fn plugin(id: &str) -> Settings {
    let settings = settings(Scope::Plugin, "/p/hooks/hooks.json", Some(ours()));
    Settings { plugin: Some(id.into()), ..settings }
}

/// All that setup registers.
pub(crate) fn ours() -> Read {
    let hook = |(at, event): (usize, String)| OurHook {
        event,
        program: ATM.into(),
        is_exec: true,
        line: at + 1,
    };
    let events = wanted(ATM, Installed::None).into_iter().map(|entry| entry.event);
    Read { ours: events.enumerate().map(hook).collect(), ..Read::default() }
}

pub(crate) fn hook_program(path: &str, identity: Identity) -> HookProgram {
    HookProgram {
        program: path.into(),
        found: Some(Place::of(path)),
        is_executable: true,
        identity,
    }
}

pub(crate) fn up() -> Answer {
    let status = DaemonStatus { pid: 7, version: "0.1.0".into(), ..DaemonStatus::default() };
    Answer::Up(Box::new(status))
}

pub(crate) fn last_hook(ts: i64) -> LastHook {
    let session = Some("abcdef12-0001".into());
    LastHook { ts: Stamp(ts), event: "Stop".into(), session, pid: Some(42) }
}

pub(crate) fn session(id: &str, hooks: bool) -> Session {
    Session {
        id: id.into(),
        pid: Some(42),
        pane: Some("%3".into()),
        folder: Some(Place::of(HERE)),
        hooks,
        attended: Some(true),
    }
}

fn tmux() -> Tmux {
    Tmux {
        program: Some(Place::of("/usr/bin/tmux")),
        version: Some("tmux 3.3a".into()),
        is_inside: true,
        our_file: Some(Place::of("/home/dev/.config/atm/tmux.conf")),
        our_file_exists: true,
        our_mark: Some("0123456789abcdef".into()),
        configured_in: vec![Place::of("/home/dev/.tmux.conf")],
        servers: vec![server()],
    }
}

pub(crate) fn server() -> Server {
    Server {
        socket: Place::of("/tmp/tmux-0/default"),
        version: "3.3a".into(),
        mark: Some("0123456789abcdef".into()),
        hooks: atm_core::project::hooks().iter().map(|hook| hook.name.into()).collect(),
        programs: vec![hook_program(ATM, Identity::Same)],
        allow_passthrough: Some("on".into()),
        ..Server::default()
    }
}

pub(crate) fn on_path(name: &str, path: &str, identity: Identity) -> OnPath {
    OnPath { name: name.into(), path: Place::of(path), identity }
}

pub(crate) fn self_test() -> SelfTest {
    SelfTest {
        program: Place::of(ATM),
        hook: HookRun { millis: 4, code: Some(0), ..HookRun::default() },
        in_journal: Reached::Yes,
        in_daemon: Reached::Yes,
        hidden: Reached::Yes,
    }
}
