//! A user at work: a tmux server set up as atm sets it up, windows with clients in them, and a
//! terminal that shows it.

use std::time::Duration;

use serde_json::{Value, json};
use vt100::Color;

use super::eye::Eye;
use crate::sealed::Sealed;
use crate::stage::{PANE, Pane, with};

pub(crate) struct Desk {
    pub(crate) sealed: Sealed,
    pub(crate) eye: Eye,
}

impl Desk {
    /// A session `main` whose window `home` the user looks at; nothing of Claude's is there.
    pub(crate) fn new() -> Desk {
        Desk::with(&[])
    }

    /// The same, after these commands of the user's own configuration.
    pub(crate) fn with(configuration: &[&[&str]]) -> Desk {
        Desk::in_world(Sealed::new(), configuration)
    }

    pub(crate) fn in_world(mut sealed: Sealed, configuration: &[&[&str]]) -> Desk {
        open(&mut sealed, configuration);
        set_up(&mut sealed);
        Desk::sit_down(sealed)
    }

    /// At a server that runs already, where atm was never set up.
    pub(crate) fn without_setup(sealed: Sealed) -> Desk {
        Desk::sit_down(sealed)
    }

    fn sit_down(sealed: Sealed) -> Desk {
        // Nobody hears of visits before it runs.
        sealed.ok(&["daemon"]);
        let eye = Eye::attach(&sealed, "e2e", "main");
        sealed.wait("the client", |_| eye.colour("0:").map(drop));
        Desk { sealed, eye }
    }

    /// A window in the background with a process that stands for a client.
    pub(crate) fn window(&mut self, name: &str) -> Pane {
        let args =
            ["new-window", "-d", "-t", "main:", "-n", name, "-P", "-F", PANE, "exec sleep 600"];
        Pane::parse(&self.sealed.tmux(&args))
    }

    /// Another pane in the same window.
    pub(crate) fn beside(&mut self, pane: &Pane) -> Pane {
        let args = ["split-window", "-d", "-t", &pane.id, "-P", "-F", PANE, "exec sleep 600"];
        Pane::parse(&self.sealed.tmux(&args))
    }

    pub(crate) fn say(&self, pane: &Pane, event: &str, more: Value) {
        let payload = json!({"hook_event_name": event, "session_id": id(pane)});
        self.sealed.hook_from(pane.pid, &pane.env(), &with(payload, more));
    }

    pub(crate) fn start(&self, pane: &Pane) {
        self.say(pane, "SessionStart", json!({"source": "startup"}));
    }

    pub(crate) fn prompt(&self, pane: &Pane) {
        self.say(pane, "UserPromptSubmit", json!({"prompt": "go"}));
    }

    pub(crate) fn tool(&self, pane: &Pane, event: &str, call: &str) {
        let call = json!({"tool_name": "Bash", "tool_use_id": call,
            "tool_input": {"command": format!("true {call}")}});
        self.say(pane, event, call);
    }

    /// A tool that asks first.
    pub(crate) fn ask(&self, pane: &Pane, call: &str) {
        self.tool(pane, "PreToolUse", call);
        let request =
            json!({"tool_name": "Bash", "tool_input": {"command": format!("true {call}")}});
        self.say(pane, "PermissionRequest", request);
    }

    pub(crate) fn stop(&self, pane: &Pane) {
        self.say(pane, "Stop", json!({}));
    }

    pub(crate) fn end(&self, pane: &Pane) {
        self.say(pane, "SessionEnd", json!({"reason": "prompt_input_exit"}));
    }

    pub(crate) fn go(&mut self, window: &str) {
        self.sealed.tmux(&["select-window", "-t", &format!("=main:={window}")]);
    }

    /// The user stays in a window for longer than the dwell. Nothing can be waited for where
    /// nothing is to happen: this is the one place that lets time pass.
    pub(crate) fn stay(&self) {
        std::thread::sleep(Duration::from_millis(700));
        self.settle();
    }

    /// Returns when the daemon has taken in what was said and tmux has been told.
    pub(crate) fn settle(&self) {
        let mut wire = crate::wire::Wire::open(&self.sealed).unwrap();
        wire.send(&atm_core::proto::message::Request::Repaint);
        assert!(matches!(wire.hear(), Some(atm_core::proto::message::Reply::Done)));
    }

    /// Waits until the tab of the window has this colour on the terminal.
    pub(crate) fn expect(&self, window: &str, colour: Color) {
        let tab = format!(":{window}");
        self.sealed
            .wait(&format!("{window} in {colour:?}, not {:?}", self.eye.colour(&tab)), |_| {
                (self.eye.colour(&tab) == Some(colour)).then_some(())
            });
    }

    pub(crate) fn colour(&self, window: &str) -> Option<Color> {
        self.eye.colour(&format!(":{window}"))
    }

    pub(crate) fn option(&mut self, scope: &str, target: &str, name: &str) -> String {
        self.sealed.tmux(&["show-options", &format!("-{scope}qv"), "-t", target, name])
    }

    /// Waits until an option has this value; empty means unset.
    pub(crate) fn expect_option(&mut self, scope: &str, target: &str, name: &str, value: &str) {
        let limit = std::time::Instant::now() + crate::sealed::LIMIT;
        loop {
            let found = self.option(scope, target, name);
            if found == value {
                return;
            }
            assert!(
                std::time::Instant::now() < limit,
                "{name} of {target}: {found:?}, not {value:?}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub(crate) fn expect_pane(&mut self, pane: &Pane, name: &str, value: &str) {
        self.expect_option("p", &pane.id, &format!("@meta.claude.{name}"), value);
    }
}

fn open(sealed: &mut Sealed, configuration: &[&[&str]]) {
    sealed.tmux(&["new-session", "-d", "-s", "main", "-n", "home", "exec sleep 600"]);
    sealed.tmux(&["set", "-as", "terminal-features", ",xterm-256color:RGB"]);
    sealed.tmux(&["set", "-g", "status-right", ""]);
    sealed.tmux(&["set", "-g", "automatic-rename", "off"]);
    for command in configuration {
        sealed.tmux(command);
    }
}

/// What `atm setup` does to a server; in characters that any terminal has. Starts a daemon.
pub(crate) fn set_up(sealed: &mut Sealed) {
    let folder = sealed.home().join(".config/atm");
    if !folder.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("config.toml"), "tmux.glyphs = \"ascii\"\n").unwrap();
    }
    sealed.tmux(&["set", "-g", "pane-border-status", "top"]);
    set_up_with(sealed, std::path::Path::new(env!("CARGO_BIN_EXE_atm")));
}

/// The same by this program.
pub(crate) fn set_up_with(sealed: &mut Sealed, program: &std::path::Path) {
    let tmux = sealed.tmux(&["display-message", "-p", "#{socket_path},#{pid},0"]);
    let mut setup = sealed.command(program);
    let output = setup.args(["setup", "--only", "tmux", "--here"]).env("TMUX", tmux).output();
    let output = output.unwrap();
    assert!(output.status.success() && output.stdout.is_empty(), "{output:?}");
}

/// Every pane has a session of its own.
pub(crate) fn id(pane: &Pane) -> String {
    format!("23e30f82-{}", pane.id.trim_start_matches('%'))
}
