//! One simulated agent in its pane: tells atm, through the real hook and a session file, what a
//! recorded client told, and shows people about what that client showed.

use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, IsTerminal, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use atm_core::text::clean;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use serde_json::{Map, Value, json};

use super::cast::Actor;
use super::score::{self, Act, Step};
use crate::context::Context;
use crate::screen::{Screen, Style};

const RECORDED_DIR: &str = "/home/dev/project";

/// Where and how the agent plays.
pub(crate) struct Agent {
    pub(crate) actor: &'static Actor,
    /// The client's configuration directory of the demonstration.
    pub(crate) config: PathBuf,
    /// Its project.
    pub(crate) dir: PathBuf,
    /// 1 is what people can follow; tests play faster.
    pub(crate) pace: f64,
    pub(crate) screen: Screen,
}

impl Agent {
    /// Plays the recording once. Fails if the stage is taken away, so that nothing comes after it.
    pub(crate) fn play(&self, out: &mut dyn Write) -> io::Result<()> {
        let folder = serde_json::to_string(&self.dir.to_string_lossy())?;
        let script = self.actor.script().replace(RECORDED_DIR, folder.trim_matches('"'));
        let id = new_id();
        let title = format!("{}: a simulated agent, played from a recording", self.actor.name);
        writeln!(out, "{}\n", self.screen.paint(Style::Dim, &title))?;
        for Step { pause, act } in score::parse(&script) {
            out.flush()?;
            self.wait(pause, matches!(act, Act::Pressed(_)));
            if !self.config.is_dir() {
                return Err(io::Error::other("the stage is gone"));
            }
            match act {
                Act::Hook { event, payload } => {
                    self.show(&event, &payload, out)?;
                    self.fire(payload, &id)?;
                }
                Act::File(file) => self.write_file(file, &id)?,
                Act::FileGone => drop(fs::remove_file(self.file())),
                Act::Typed(words) => {
                    writeln!(out, "\n{}", self.paint(Style::Bold, &format!("> {words}")))?;
                }
                Act::Pressed(key) if key == "Enter" => writeln!(out, "  yes")?,
                Act::Pressed(key) => writeln!(out, "  ({key})")?,
            }
        }
        Ok(())
    }

    /// Until the time is over or, where a person could answer, a key is pressed.
    fn wait(&self, seconds: f64, can_be_answered: bool) {
        let span = Duration::from_secs_f64((seconds * self.pace).max(0.0));
        let stdin = io::stdin();
        if !can_be_answered || !stdin.is_terminal() {
            return std::thread::sleep(span);
        }
        let _raw = Raw::enter();
        let deadline = Instant::now() + span;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
            let span = Timespec::try_from(left).ok();
            if !poll(&mut fds, span.as_ref()).is_ok_and(|ready| ready > 0) {
                return;
            }
            let mut key = [0; 16];
            match rustix::io::read(&stdin, &mut key) {
                Ok(length) if key[..length].iter().any(|key| b"y1\r\n".contains(key)) => return,
                Ok(1..) => {}
                Ok(0) | Err(_) => return std::thread::sleep(left),
            }
        }
    }

    fn fire(&self, mut payload: Map<String, Value>, id: &str) -> io::Result<()> {
        payload.insert("session_id".into(), id.into());
        payload.remove("transcript_path");
        let mut hook = this_program()?
            .arg("hook")
            .env("CLAUDE_PID", std::process::id().to_string())
            .env("CLAUDE_CODE_SESSION_ID", id)
            .env("CLAUDE_CODE_SESSION_ATTENDED", "1")
            .env("CLAUDE_CODE_ENTRYPOINT", "cli")
            .env("CLAUDE_CONFIG_DIR", &self.config)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // Keys typed into the pane are not for the hook.
            .process_group(0)
            .spawn()?;
        if let Some(mut stdin) = hook.stdin.take() {
            stdin.write_all(Value::Object(payload).to_string().as_bytes())?;
        }
        hook.wait().map(drop)
    }

    fn file(&self) -> PathBuf {
        self.config.join("sessions").join(format!("{}.json", std::process::id()))
    }

    fn write_file(&self, mut file: Map<String, Value>, id: &str) -> io::Result<()> {
        for gone in ["procStart", "pidDomain", "messagingSocketPath", "tmux"] {
            file.remove(gone);
        }
        let now = json!(Context::now().0);
        for time in ["startedAt", "statusUpdatedAt", "updatedAt", "nameSince"] {
            file.get_mut(time).map(|old| *old = now.clone()).unwrap_or_default();
        }
        if let Ok(pane) = std::env::var("TMUX_PANE") {
            file.insert("tmux".into(), format!("demo:@0.{pane}").into());
        }
        file.insert("pid".into(), std::process::id().into());
        file.insert("sessionId".into(), id.into());
        file.insert("name".into(), self.actor.name.into());
        let path = self.file();
        let draft = path.with_extension("new");
        fs::write(&draft, Value::Object(file).to_string())?;
        fs::rename(draft, path)
    }

    /// About what the client shows at this point.
    fn show(
        &self,
        event: &str,
        payload: &Map<String, Value>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let text =
            |key: &str| payload.get(key).and_then(Value::as_str).map(|text| clean(text, 200));
        let is_childs = payload.contains_key("agent_id");
        let indent = if is_childs { "    " } else { "  " };
        match event {
            "PreToolUse" => {
                let what =
                    format!("* {} {}", text("tool_name").unwrap_or_default(), subject(payload));
                writeln!(out, "{indent}{}", self.paint(Style::Blue, what.trim_end()))
            }
            "PostToolUseFailure" => writeln!(out, "{indent}{}", self.paint(Style::Red, "  failed")),
            "PostToolUse" => writeln!(out, "{indent}  done"),
            "PermissionRequest" => {
                let question = "May I? Press y (or wait: somebody else will)";
                writeln!(out, "  {}", self.paint(Style::Yellow, question))
            }
            "Stop" | "SubagentStop" => {
                let words = text("last_assistant_message").unwrap_or_default();
                writeln!(out, "{indent}{words}")
            }
            _ => Ok(()),
        }
    }

    fn paint(&self, style: Style, words: &str) -> String {
        self.screen.paint(style, &clean(words, 300))
    }
}

/// What a tool is to do, in a few words.
fn subject(payload: &Map<String, Value>) -> String {
    let input = payload.get("tool_input");
    let of = |key: &str| input?.get(key)?.as_str().map(|text| clean(text, 100));
    let question = || input?.get("questions")?.get(0)?.get("question")?.as_str().map(str::to_owned);
    of("command")
        .or_else(|| of("file_path"))
        .or_else(|| of("description"))
        .or_else(question)
        .unwrap_or_default()
}

/// This very program, to be run again.
#[expect(clippy::disallowed_methods, reason = "simulated agents run the hook as real ones do")]
fn this_program() -> io::Result<Command> {
    Ok(Command::new(std::env::current_exe()?))
}

/// As the client's own: random, in the form of a UUID.
fn new_id() -> String {
    let random = || RandomState::new().build_hasher().finish();
    let (high, low) = (random(), random());
    format!(
        "{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        low >> 52,
        low & 0xffff_ffff_ffff
    )
}

/// Keys come one by one and are not shown, as long as it lives.
struct Raw(Option<rustix::termios::Termios>);

impl Raw {
    fn enter() -> Raw {
        let stdin = io::stdin();
        let before = tcgetattr(&stdin).ok();
        if let Some(mut modes) = before.clone() {
            modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
            // Without it keys need Enter, which works too.
            tcsetattr(&stdin, OptionalActions::Now, &modes).ok();
        }
        Raw(before)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            tcsetattr(io::stdin(), OptionalActions::Flush, before).ok();
        }
    }
}
