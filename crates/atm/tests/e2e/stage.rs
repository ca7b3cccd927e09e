//! More of the sealed world: commands that stream, session files and transcripts as the client
//! writes them, panes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::sealed::{LIMIT, Sealed};

/// Milliseconds since the epoch, as the client stamps its files.
pub(crate) fn now() -> i64 {
    i64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// `base` with the fields of `more` put in.
pub(crate) fn with(mut base: Value, more: Value) -> Value {
    if let (Value::Object(all), Value::Object(more)) = (&mut base, more) {
        all.extend(more);
    }
    base
}

/// Field 22 of /proc/PID/stat, as the client writes it into `procStart`.
pub(crate) fn proc_start(pid: u32) -> String {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let after_name = stat.rsplit_once(") ").unwrap().1;
    after_name.split(' ').nth(19).unwrap().to_owned()
}

pub(crate) fn signal(pid: impl TryInto<i32>, signal: Signal) {
    let pid = pid.try_into().ok().and_then(Pid::from_raw).unwrap();
    kill_process(pid, signal).unwrap();
}

/// A command that goes on printing; ends with the value.
pub(crate) struct Stream {
    child: Child,
    lines: Receiver<String>,
}

impl Stream {
    /// The next line.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(LIMIT).expect("another line of output")
    }

    pub(crate) fn json(&self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Lines up to the first that `is_it` takes.
    pub(crate) fn until(&self, is_it: impl Fn(&str) -> bool) -> Vec<String> {
        let mut all = Vec::new();
        loop {
            all.push(self.line());
            if all.last().is_some_and(|line| is_it(line)) {
                return all;
            }
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        let limit = Instant::now() + LIMIT;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < limit, "the command does not end");
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// A tmux server beside the one of `Sealed::tmux`.
pub(crate) struct Server {
    socket: String,
    kill: Command,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill.output().ok();
    }
}

/// A pane and what runs in it.
#[derive(Clone, Debug)]
pub(crate) struct Pane {
    pub(crate) id: String,
    pub(crate) window: String,
    pub(crate) pid: u32,
    pub(crate) socket: String,
    pub(crate) server: i32,
}

pub(crate) const PANE: &str = "#{pane_id} #{window_id} #{pane_pid} #{socket_path} #{pid}";

impl Pane {
    pub(crate) fn parse(line: &str) -> Pane {
        let parts: Vec<&str> = line.split(' ').collect();
        let [id, window, pid, socket, server] = parts[..] else { panic!("a pane: {line}") };
        Pane {
            id: id.to_owned(),
            window: window.to_owned(),
            pid: pid.parse().unwrap(),
            socket: socket.to_owned(),
            server: server.parse().unwrap(),
        }
    }

    /// `$TMUX` and `$TMUX_PANE` of what runs in it.
    pub(crate) fn env(&self) -> Vec<(&'static str, String)> {
        let tmux = format!("{},{},0", self.socket, self.server);
        vec![("TMUX", tmux), ("TMUX_PANE", self.id.clone())]
    }
}

impl Sealed {
    /// `atm hook` in an environment with these variables too.
    pub(crate) fn hook_in(&self, env: &[(&str, String)], payload: &[u8]) -> Output {
        let mut command = self.command(env!("CARGO_BIN_EXE_atm"));
        command.arg("hook").envs(env.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A hook that has seen enough may close its end.
        stdin.write_all(payload).ok();
        drop(stdin);
        child.wait_with_output().unwrap()
    }

    /// An event of the client `pid` in this environment.
    pub(crate) fn hook_from(&self, pid: u32, env: &[(&str, String)], payload: &Value) {
        let env = [env, &[("CLAUDE_PID", pid.to_string())]].concat();
        let payload = with(json!({"cwd": "/tmp"}), payload.clone());
        let output = self.hook_in(&env, payload.to_string().as_bytes());
        let told = (output.status.code(), output.stdout.as_slice(), output.stderr.as_slice());
        assert_eq!(told, (Some(0), &b""[..], &b""[..]), "{payload}");
    }

    /// Exit code and standard error of a command.
    pub(crate) fn fails(&self, args: &[&str]) -> (i32, String) {
        let output = self.atm(args);
        let error = String::from_utf8(output.stderr).unwrap();
        (output.status.code().expect("an exit code"), error)
    }

    /// One value a line.
    pub(crate) fn json_lines(&self, args: &[&str]) -> Vec<Value> {
        let text = self.ok(args);
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        text.lines().map(parse).collect()
    }

    pub(crate) fn stream(&self, args: &[&str]) -> Stream {
        let mut command = self.command(env!("CARGO_BIN_EXE_atm"));
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (to, lines) = channel();
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if to.send(line).is_err() {
                    return;
                }
            }
        });
        Stream { child, lines }
    }

    /// The live session of this client.
    pub(crate) fn session_of(&self, pid: u32) -> Option<Value> {
        self.sessions().into_iter().find(|session| session["pid"] == pid)
    }

    /// The live or ended session of this client.
    pub(crate) fn any_session_of(&self, pid: u32) -> Option<Value> {
        let all = self.json(&["list", "--all", "--json"]);
        all["sessions"].as_array().unwrap().iter().find(|s| s["pid"] == pid).cloned()
    }

    /// Waits until the session of `pid` is there and has `value` at `field`.
    pub(crate) fn wait_for(&self, pid: u32, field: &str, value: &Value) -> Value {
        self.wait(&format!("{field} = {value}"), |sealed| {
            sealed.session_of(pid).filter(|session| session[field] == *value)
        })
    }

    pub(crate) fn claude_dir(&self) -> PathBuf {
        self.home().join(".claude")
    }

    /// What the client writes for a live process, with the fields of `more` put in.
    pub(crate) fn session_json(pid: u32, id: &str, more: Value) -> Value {
        let namespace = fs::read_link("/proc/self/ns/pid").unwrap();
        let base = json!({
            "pid": pid, "sessionId": id, "cwd": "/home/dev/project", "startedAt": now(),
            "procStart": proc_start(pid), "version": "2.1.325", "peerProtocol": 1,
            "peerFeatures": ["notify_idle"], "kind": "interactive", "entrypoint": "cli",
            "pidDomain": format!("linux:{}:{}", "0".repeat(32), namespace.display()),
            "asksForConvertedSkills": null, "name": "project-ce", "nameSource": "derived",
            "nameSince": now(), "status": "idle", "updatedAt": now(), "statusUpdatedAt": now(),
        });
        with(base, more)
    }

    pub(crate) fn write_session_in(config: &Path, pid: u32, content: &Value) {
        let folder = config.join("sessions");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{pid}.json")), content.to_string()).unwrap();
    }

    pub(crate) fn write_session(&self, pid: u32, id: &str, more: Value) {
        Sealed::write_session_in(&self.claude_dir(), pid, &Sealed::session_json(pid, id, more));
    }

    /// A client with a session file that is read for certain, so that whatever was written before
    /// has been read too.
    pub(crate) fn wait_for_files(&mut self) {
        let pid = self.client();
        self.write_session(pid, &format!("marker-{pid}"), json!({}));
        self.wait("the marker", |sealed| sealed.session_of(pid));
        self.kill_client(pid);
        self.wait("the marker's end", |sealed| sealed.session_of(pid).is_none().then_some(()));
    }

    /// A pane of a new session with a process that stands for a client.
    pub(crate) fn new_pane(&mut self, session: &str) -> Pane {
        let args = ["new-session", "-d", "-s", session, "-P", "-F", PANE, "exec sleep 600"];
        Pane::parse(&self.tmux(&args))
    }

    /// The same on a server of its own.
    pub(crate) fn new_server(&self, name: &str) -> (Server, Pane) {
        let tmux = |args: &[&str]| {
            let mut command = self.command("tmux");
            command.args(["-L", name, "-f", "/dev/null"]).args(args);
            command
        };
        let args = ["new-session", "-d", "-s", name, "-P", "-F", PANE, "exec sleep 600"];
        let output = tmux(&args).output().unwrap();
        let pane = Pane::parse(String::from_utf8(output.stdout).unwrap().trim_end());
        (Server { socket: pane.socket.clone(), kill: tmux(&["kill-server"]) }, pane)
    }
}

impl Server {
    pub(crate) fn socket(&self) -> &str {
        &self.socket
    }
}
