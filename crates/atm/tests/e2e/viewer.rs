//! A terminal that a user looks at: a pseudo-terminal of another tmux server, whose screen can be
//! read and typed into.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use crate::sealed::Sealed;

pub(crate) struct Viewer {
    socket: PathBuf,
    env: Vec<(OsString, OsString)>,
}

impl Viewer {
    /// Runs `command` in a terminal of this size.
    pub(crate) fn run(sealed: &Sealed, name: &str, command: &str, size: (u16, u16)) -> Viewer {
        let base = sealed.command("tmux");
        let set = base.get_envs().filter_map(|(name, value)| Some((name.into(), value?.into())));
        let viewer = Viewer { socket: sealed.path().join(name), env: set.collect() };
        let (width, height) = (size.0.to_string(), size.1.to_string());
        // Of the outer tmux the command knows nothing.
        let line = format!("unset TMUX TMUX_PANE; {command}");
        let sized = ["new-session", "-d", "-s", "t", "-x", &width, "-y", &height, &line];
        viewer.tmux(&sized);
        viewer.tmux(&["set", "-g", "status", "off"]);
        viewer
    }

    /// A client of the server at `socket`, in `session`.
    pub(crate) fn attach(sealed: &Sealed, name: &str, socket: &str, session: &str) -> Viewer {
        let command = format!("exec tmux -S '{socket}' attach -t '{session}'");
        Viewer::run(sealed, name, &command, (90, 24))
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut tmux = Command::new("tmux");
        tmux.env_clear().envs(self.env.iter().map(|(name, value)| (name, value)));
        tmux.arg("-S").arg(&self.socket).args(["-f", "/dev/null"]).args(args);
        tmux
    }

    fn tmux(&self, args: &[&str]) -> String {
        let output = self.command(args).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What the terminal shows.
    pub(crate) fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "t:"])
    }

    /// Keys by their names, as `send-keys` takes them.
    pub(crate) fn press(&self, keys: &[&str]) {
        self.tmux(&[&["send-keys", "-t", "t:"], keys].concat());
    }

    pub(crate) fn wait_for(&self, sealed: &Sealed, text: &str) -> String {
        sealed.wait(&format!("{text:?} on the screen"), |_| {
            Some(self.screen()).filter(|screen| screen.contains(text))
        })
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        self.command(&["kill-server"]).output().ok();
    }
}
