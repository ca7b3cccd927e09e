//! A world of its own for each test: HOME, state directory, tmux socket, daemon. Whatever a test
//! started ends with it; nothing outside is touched.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Generous: the machine may be busy. What is waited for normally comes within milliseconds.
pub(crate) const LIMIT: Duration = Duration::from_secs(20);

pub(crate) struct Sealed {
    dir: TempDir,
    state: PathBuf,
    children: Vec<Child>,
    has_tmux: bool,
}

impl Sealed {
    pub(crate) fn new() -> Sealed {
        Sealed::in_folder(&std::env::temp_dir())
    }

    /// In memory where that can be had: for tests that write so much that they would mostly wait
    /// for a busy disk.
    pub(crate) fn in_memory() -> Sealed {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Sealed::in_folder(memory) } else { Sealed::new() }
    }

    fn in_folder(folder: &Path) -> Sealed {
        let dir = tempfile::Builder::new().prefix("atm-e2e-").tempdir_in(folder).unwrap();
        fs::create_dir(dir.path().join("home")).unwrap();
        let state = dir.path().join("state");
        Sealed { dir, state, children: Vec::new(), has_tmux: false }
    }

    /// The same with another state directory, such as one with a long path.
    pub(crate) fn with_state(path: impl FnOnce(&Path) -> PathBuf) -> Sealed {
        let mut sealed = Sealed::new();
        sealed.state = path(sealed.dir.path());
        sealed
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    pub(crate) fn state(&self) -> &Path {
        &self.state
    }

    /// First on the PATH; empty unless a test puts something there.
    pub(crate) fn programs(&self) -> PathBuf {
        self.dir.path().join("bin")
    }

    /// A program of this name that runs `script`.
    pub(crate) fn put_program(&self, name: &str, script: &str) {
        fs::create_dir_all(self.programs()).unwrap();
        let path = self.programs().join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.programs().display()))
            .env("LANG", "C.UTF-8")
            .env("TMUX_TMPDIR", self.dir.path())
            .env("ATM_STATE_DIR", &self.state)
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn atm(&self, args: &[&str]) -> Output {
        self.command(env!("CARGO_BIN_EXE_atm")).args(args).output().unwrap()
    }

    /// What a program said; it has to end by itself.
    pub(crate) fn finish(mut child: Child) -> Output {
        let limit = Instant::now() + LIMIT;
        while child.try_wait().unwrap().is_none() {
            if Instant::now() > limit {
                child.kill().unwrap();
                panic!("still running: {:?}", child.wait_with_output());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        child.wait_with_output().unwrap()
    }

    /// Standard output of a command that must succeed.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let output = self.atm(args);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "atm {args:?}: {:?}: {error}", output.status.code());
        String::from_utf8(output.stdout).unwrap()
    }

    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let text = self.ok(args);
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("atm {args:?}: {e}: {text}"))
    }

    pub(crate) fn sessions(&self) -> Vec<Value> {
        self.json(&["list", "--json"])["sessions"].as_array().unwrap().clone()
    }

    /// Runs `atm hook` with `payload` on stdin, as the client `pid` would. Returns what it said,
    /// which must be nothing.
    pub(crate) fn hook_raw(&self, pid: Option<u32>, payload: &[u8]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_atm"));
        command.arg("hook").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(pid) = pid {
            command.env("CLAUDE_PID", pid.to_string());
        }
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A hook that has seen enough may close its end.
        stdin.write_all(payload).ok();
        drop(stdin);
        child.wait_with_output().unwrap()
    }

    pub(crate) fn hook(&self, pid: u32, event: &str, session: &str, more: Value) {
        let mut payload = json!({"hook_event_name": event, "session_id": session, "cwd": "/tmp"});
        if let (Value::Object(all), Value::Object(more)) = (&mut payload, more) {
            all.extend(more);
        }
        let output = self.hook_raw(Some(pid), payload.to_string().as_bytes());
        assert_eq!(
            (output.status.code(), output.stdout.len(), output.stderr.len()),
            (Some(0), 0, 0)
        );
    }

    /// A process that lives until the test ends or kills it; stands for a client.
    pub(crate) fn client(&mut self) -> u32 {
        let child = self.command("/bin/sleep").arg("600").spawn().unwrap();
        let pid = child.id();
        self.children.push(child);
        pid
    }

    pub(crate) fn kill_client(&mut self, pid: u32) {
        let found = self.children.iter_mut().find(|child| child.id() == pid).unwrap();
        found.kill().unwrap();
        found.wait().unwrap();
    }

    pub(crate) fn tmux(&mut self, args: &[&str]) -> String {
        self.has_tmux = true;
        let output = self
            .command("tmux")
            .args(["-L", "e2e", "-f", "/dev/null"])
            .args(args)
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {args:?}: {error}");
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    /// Waits until `look` finds something.
    pub(crate) fn wait<T>(&self, what: &str, mut look: impl FnMut(&Sealed) -> Option<T>) -> T {
        let limit = Instant::now() + LIMIT;
        loop {
            if let Some(found) = look(self) {
                return found;
            }
            assert!(
                Instant::now() < limit,
                "{what} did not come; {:?}",
                self.atm(&["list", "--json"])
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    pub(crate) fn daemon_pid(&self) -> Option<i32> {
        let status = self.json(&["daemon", "status", "--json"]);
        status["pid"].as_i64().filter(|_| status["running"] == true)?.try_into().ok()
    }
}

impl Drop for Sealed {
    fn drop(&mut self) {
        drop(self.command(env!("CARGO_BIN_EXE_atm")).args(["daemon", "stop"]).output());
        // One that a failed test has just started listens to nobody yet.
        for pid in crate::wire::daemons(self).into_iter().filter_map(Pid::from_raw) {
            kill_process(pid, Signal::KILL).ok();
        }
        if self.has_tmux {
            drop(self.command("tmux").args(["-L", "e2e", "kill-server"]).output());
        }
        for child in &mut self.children {
            child.kill().ok();
            child.wait().ok();
        }
    }
}
