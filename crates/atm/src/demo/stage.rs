//! Where the demonstration takes place: a directory, a tmux server and a daemon of its own, and a
//! sweeper that takes all of it away when the demonstration ends, however it ends.

use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use super::cast::CAST;
use crate::setup::tmux::default_text;

const PREFIX: &str = "atm-demo-";
/// Plays an agent again and again, each time as a new process.
const LOOP: &str = r#""$1" demo agent "$2" --pace "$3" && while "$1" demo agent "$2" --pace "$3" --again; do :; done"#;
/// What the programs on stage may know of their surroundings.
const KEPT: [&str; 9] =
    ["PATH", "TERM", "COLORTERM", "LANG", "LC_ALL", "LC_CTYPE", "NO_COLOR", "COLUMNS", "USER"];

pub(crate) struct Stage {
    pub(crate) dir: PathBuf,
}

impl Stage {
    /// Builds an empty one in the directory for temporary files.
    pub(crate) fn build() -> io::Result<Stage> {
        let number = RandomState::new().build_hasher().finish();
        let dir = std::env::temp_dir().join(format!("{PREFIX}{number:016x}"));
        DirBuilder::new().mode(0o700).create(&dir)?;
        let stage = Stage { dir };
        for actor in &CAST {
            fs::create_dir_all(stage.home().join("src").join(actor.name))?;
        }
        fs::create_dir_all(stage.claude().join("sessions"))?;
        DirBuilder::new().mode(0o700).create(stage.state())?;
        Ok(stage)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.join("home")
    }

    pub(crate) fn claude(&self) -> PathBuf {
        self.home().join(".claude")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.dir.join("config")
    }

    fn socket(&self) -> PathBuf {
        self.dir.join("tmux")
    }

    /// A program that knows only the stage.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is where the demonstration starts programs"
    )]
    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.env_clear();
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
            .env("HOME", self.home())
            .env("ATM_STATE_DIR", self.state())
            .env("ATM_CONFIG_DIR", self.config())
            .env("CLAUDE_CONFIG_DIR", self.claude())
            .env("TMUX_TMPDIR", &self.dir);
        command
    }

    pub(crate) fn start_daemon(&self, program: &Path) -> io::Result<()> {
        done(&self.command(program).arg("daemon").stdin(Stdio::null()).output()?)
    }

    pub(crate) fn tmux(&self) -> Command {
        let mut command = self.command("tmux");
        command.args(["-u", "-f", "/dev/null", "-S"]).arg(self.socket());
        command
    }

    /// The windows, with the agents in them.
    pub(crate) fn open(&self, program: &Path, pace: f64) -> io::Result<()> {
        let pace = pace.to_string();
        let mut tmux = self.tmux();
        tmux.args(["new-session", "-d", "-s", "demo", "-n", "atm", "-x", "120", "-y", "32"])
            .arg("-c")
            .arg(self.home())
            .arg(program)
            .args(["demo", "board"]);
        for setting in SETTINGS {
            tmux.arg(";").args(setting.split('|'));
        }
        if let Some(file) = self.write_tmux_file(program)? {
            tmux.args([";", "source-file"]).arg(file);
        }
        for actor in &CAST {
            tmux.args([";", "new-window", "-d", "-t", "demo:", "-n", actor.name, "-c"])
                .arg(self.home().join("src").join(actor.name))
                .args(["sh", "-c", LOOP, "sh"])
                .arg(program)
                .args([actor.name, &pace]);
        }
        done(&tmux.stdin(Stdio::null()).output()?)
    }

    /// What setup makes for users, with nothing configured; `None` where tmux does not tell its age.
    fn write_tmux_file(&self, program: &Path) -> io::Result<Option<PathBuf>> {
        let Some(program) = program.to_str() else { return Ok(None) };
        let Some(text) = default_text(program) else { return Ok(None) };
        fs::create_dir_all(self.config())?;
        let file = self.config().join("tmux.conf");
        fs::write(&file, text)?;
        Ok(Some(file))
    }

    /// Shows it in this terminal, until the user leaves.
    pub(crate) fn attach(&self) -> io::Result<ExitStatus> {
        self.tmux().args(["attach-session", "-t", "demo"]).status()
    }

    /// Agents without tmux: they are listed all the same.
    pub(crate) fn open_without_tmux(&self, program: &Path, pace: f64) -> io::Result<Vec<Child>> {
        let play = |name: &str| {
            let mut agent = self.command(program);
            agent.args(["demo", "agent", name, "--pace", &pace.to_string()]);
            agent.current_dir(self.home().join("src").join(name));
            agent.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
        };
        CAST.iter().map(|actor| play(actor.name)).collect()
    }

    /// Ends with [`Sweeper::finish`], or when this process does, even by `kill -9`.
    pub(crate) fn hire_sweeper(&self, program: &Path) -> io::Result<Sweeper> {
        let mut command = self.command(program);
        command.args(["demo", "sweep"]).arg(&self.dir);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        // What ends a terminal's programs must not end the sweeper.
        let child = command.process_group(0).spawn()?;
        Ok(Sweeper { child })
    }
}

fn done(output: &Output) -> io::Result<()> {
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

pub(crate) struct Sweeper {
    child: Child,
}

impl Sweeper {
    pub(crate) fn finish(mut self) -> io::Result<()> {
        drop(self.child.stdin.take());
        self.child.wait().map(drop)
    }
}

/// What the sweeper does first: wait for the end of whoever hired it.
pub(crate) fn wait_for_the_end() {
    let mut byte = [0];
    while matches!(io::stdin().read(&mut byte), Ok(1..)) {}
}

/// Whether `dir` is a stage: nothing else is ever removed.
pub(crate) fn is_stage(dir: &Path) -> bool {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(PREFIX) && dir.is_absolute() && dir.join("home/src").is_dir()
}

/// Commands and their words, divided by `|`.
const SETTINGS: [&str; 16] = [
    "set|-g|mouse|on",
    "set|-g|status-interval|5",
    "set|-g|status-style|bg=#1b2b34,fg=#cdd3de",
    "set|-g|status-left| ",
    "set|-g|status-right|#{@atm_status}  atm demo: 0-5 switch, q leaves ",
    "set|-g|status-right-length|80",
    "set|-g|window-status-separator|   ",
    "set|-g|window-status-current-style|bold,underscore",
    "set|-g|escape-time|10",
    "bind|-n|q|detach-client",
    "bind|-n|0|select-window|-t|demo:0",
    "bind|-n|1|select-window|-t|demo:1",
    "bind|-n|2|select-window|-t|demo:2",
    "bind|-n|3|select-window|-t|demo:3",
    "bind|-n|4|select-window|-t|demo:4",
    "bind|-n|5|select-window|-t|demo:5",
];
