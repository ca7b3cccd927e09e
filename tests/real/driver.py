"""One sealed world per scenario: its own HOME, tmux server, scripted model and atm state; the real client is typed into it.

Owns starting, typing, looking at the screen, and taking everything down again: it ends only what it started itself.
It never says what atm should show; that is atm.py's part.
"""
import atexit
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time

from model import Model

HERE = os.path.dirname(os.path.abspath(__file__))
LAUNCH = os.path.join(HERE, "launch.sh")
VERSION = "2.1.325"
KEY_TAIL = "dummy-key-0000000000"  # the last 20 characters of launch.sh's key: the client asks nothing about a key it knows
SETTLE_S = 0.8  # keys within about 0.4 s of a dialog opening are swallowed by the client
TMUX_FOLDER = os.path.dirname(shutil.which("tmux") or "/usr/bin/tmux")
PATH = ":".join(dict.fromkeys([TMUX_FOLDER, "/usr/local/bin", "/usr/bin", "/bin"]))

_open_scenes = set()
_socket_numbers = iter(range(1, 10_000))
_numbering = threading.Lock()


class DriveError(Exception):
    """The client did not get into the state that the scenario wants to look at."""


class Skipped(Exception):
    """The scenario cannot be played with this client or on this machine; the text says why."""


class Scene:
    def __init__(self, folder, atm_path, client_path):
        self.folder = os.path.realpath(folder)
        self.home = self.folder + "/home"
        self.project = self.folder + "/project"
        self.state_dir = self.folder + "/state"
        self.config_dir = self.folder + "/config"
        self.atm_path = atm_path
        self.client_path = client_path
        self.model = None
        self.panes = []
        self._last_steps = []
        with _numbering:
            self.socket = f"atm-real-{os.getpid()}-{next(_socket_numbers)}"
        for path in (self.home + "/.claude", self.project, self.config_dir, self.folder + "/tmp"):
            os.makedirs(path)
        os.mkdir(self.state_dir, 0o700)
        _open_scenes.add(self)

    def prepare(self, *turns, routes=None, compaction=None, allow=(), hooks=True):
        """Writes the client's configuration and starts the model; to be called once, before `start`."""
        self.model = Model(turns, routes, compaction, self.folder + "/model.jsonl")
        _write_json(self.home + "/.claude/settings.json", {
            "includeCoAuthoredBy": False, "permissions": {"defaultMode": "default", "allow": list(allow)}})
        if hooks:
            self._set_up()
        _write_json(self.home + "/.claude.json", {
            "hasCompletedOnboarding": True, "lastOnboardingVersion": VERSION, "theme": "dark", "numStartups": 5,
            "installMethod": "native", "autoUpdates": False, "hasSeenAutoDefaultNudge": True,
            "hasSeenAutoDefaultNotice": True, "hasSeenAutoModeEntryWarning": True,
            "officialMarketplaceAutoInstallAttempted": True, "hasResetAutoModeOptInForDefaultOffer": True,
            "customApiKeyResponses": {"approved": [KEY_TAIL], "rejected": []},
            "projects": {self.project: {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True,
                                        "projectOnboardingSeenCount": 5}}})

    def _set_up(self):
        """Registers the hooks as users do: through atm itself."""
        done = subprocess.run([self.atm_path, "setup", "--yes"], env=self.environment(), capture_output=True, text=True,
                              timeout=20, check=False)
        if done.returncode:
            raise DriveError(f"atm setup: {done.stderr.strip()}")

    def tmux(self, *args):
        done = subprocess.run(["tmux", "-u", "-L", self.socket, "-f", "/dev/null", *args], env=self.environment(),
                              capture_output=True, text=True, timeout=20, check=False)
        if done.returncode:
            raise DriveError(f"tmux {' '.join(args)}: {done.stderr.strip()}")
        return done.stdout.rstrip("\n")

    def environment(self):
        """The first call's environment becomes the server's, and so that of every pane: all that launch.sh wants.

        With a folder of its own for sockets: `atm setup` speaks to every server that it finds there."""
        return {"HOME": self.home, "PATH": PATH, "TERM": "xterm-256color", "LANG": "C.UTF-8", "SHELL": "/bin/bash",
                "ATM_STATE_DIR": self.state_dir, "ATM_CONFIG_DIR": self.config_dir, "ATM_REAL_CLIENT": self.client_path,
                "ATM_REAL_RUN": self.folder, "ATM_REAL_PORT": str(self.model.port), "TMUX_TMPDIR": self.folder}

    def new_pane(self):
        """A pane with a shell in it: the first in a session of its own, the others beside it."""
        shell = "bash --norc --noprofile"
        if self.panes:
            pane = self.tmux("split-window", "-d", "-h", "-t", self.panes[0], "-P", "-F", "#{pane_id}", shell)
        else:
            pane = self.tmux("new-session", "-d", "-s", "work", "-x", "200", "-y", "50", "-P", "-F", "#{pane_id}", shell)
        self.panes.append(pane)
        self.wait_screen(pane, r"[$#]\s*$")
        return pane

    def start(self, *args, pane=None, env=""):
        """Types the client's start into the pane (a new one unless given) and waits for its prompt."""
        pane = pane or self.new_pane()
        words = ([f"ATM_REAL_ENV={shlex.quote(env)}"] if env else []) + [shlex.quote(word) for word in (LAUNCH, *args)]
        self.tmux("send-keys", "-t", pane, "-l", "clear; " + " ".join(words))
        self.tmux("send-keys", "-t", pane, "Enter")
        self.wait_screen(pane, r"(?m)^\s*❯", limit_s=30)
        time.sleep(SETTLE_S)
        return pane

    def keys(self, pane, *names):
        """Presses keys; returns the moment before, so that no reaction can be earlier than its cause."""
        pressed_at = time.time()
        self.tmux("send-keys", "-t", pane, *names)
        return pressed_at

    def say(self, pane, words):
        """Types a prompt, waits until the client shows it, sends it; returns the moment of Enter."""
        self.tmux("send-keys", "-t", pane, "-l", words)
        self.wait_screen(pane, re.escape(words[:30]))
        time.sleep(0.4)
        return self.keys(pane, "Enter")

    def screen(self, pane):
        return self.tmux("capture-pane", "-p", "-t", pane)

    def wait_screen(self, pane, pattern, limit_s=20):
        self.wait_for(f"{pattern!r} on the screen of {pane}", lambda: re.search(pattern, self.screen(pane)), limit_s)
        return time.time()

    def wait_request(self, route, count=1):
        """Waits until the client has asked the model for the `count`-th time: the turn is held by its gate from here on."""
        self.wait_for(f"request {count} of {route}", lambda: self.model.count(route) >= count)

    def wait_dialog(self, pane, pattern):
        """Waits for a dialog and until it takes keys."""
        self.wait_screen(pane, pattern)
        time.sleep(SETTLE_S)

    def wait_file(self, name):
        """Waits for a file that a scripted tool makes in the project: the proof that the tool is running."""
        self.wait_for(f"{name} in the project", lambda: os.path.exists(f"{self.project}/{name}"), 20)

    def wait_for(self, what, is_true, limit_s=20):
        end = time.time() + limit_s
        while not is_true():
            if time.time() > end:
                raise DriveError(f"waited {limit_s} s in vain for {what}")
            time.sleep(0.05)

    def blocking_tool(self, name):
        """A shell command that marks its start with a file NAME.on and then runs until `let_go(NAME)`."""
        os.mkfifo(f"{self.project}/{name}.gate")
        return f"touch {name}.on; timeout 40 cat {name}.gate; true"

    def let_go(self, name):
        """Ends the blocking tool, which must be running."""
        released_at = time.time()
        fd = os.open(f"{self.project}/{name}.gate", os.O_WRONLY | os.O_NONBLOCK)
        os.close(fd)
        return released_at

    def client_pid(self, pane):
        """The client below the pane's shell; None while there is none."""
        shell = int(self.tmux("display-message", "-p", "-t", pane, "#{pane_pid}"))
        for pid, parent, name in _processes():
            if parent == shell and "claude" in name:
                return pid
        return None

    def exit(self, pane):
        return self.say(pane, "/exit")

    def wait_shell(self, pane):
        """Waits until the client has left and the pane's shell has the pane back."""
        self.wait_for(f"the client of {pane} to leave", lambda: self.client_pid(pane) is None)
        time.sleep(0.3)

    def session_files(self):
        """The client's own session files, by session id."""
        found = {}
        folder = self.home + "/.claude/sessions"
        for name in os.listdir(folder) if os.path.isdir(folder) else ():
            if name.endswith(".json"):
                value = _read_json(f"{folder}/{name}")
                found[value.get("sessionId")] = value
        return found

    def kill_client(self, pane):
        pid, killed_at = self.client_pid(pane), time.time()
        os.kill(pid, signal.SIGKILL)
        return killed_at

    def at_close(self, step):
        """Adds a step to be taken once no client is left that could run a hook."""
        self._last_steps.append(step)

    def close(self):
        """Takes the world down; safe to call twice. The folder stays: the caller decides about it."""
        if self not in _open_scenes:
            return
        _open_scenes.discard(self)
        started = self._processes_in_panes() if self.panes else []
        self._end_tmux()
        for process in started:
            process.end()
        if self.model:
            self.model.close()
        for step in self._last_steps:
            step()

    def _processes_in_panes(self):
        """The shells, the clients and whatever they run."""
        try:
            family = {int(pid) for pid in self.tmux("list-panes", "-a", "-F", "#{pane_pid}").split()}
        except DriveError:
            return []  # the server has ended with its last pane
        everyone, known = list(_processes()), 0
        while len(family) > known:
            known = len(family)
            family |= {pid for pid, parent, _ in everyone if parent in family}
        return [Process(pid) for pid in family]

    def _end_tmux(self):
        if not self.panes:
            return
        try:
            socket = self.tmux("display-message", "-p", "#{socket_path}")
            self.tmux("kill-server")
            os.unlink(socket)
        except (DriveError, OSError):
            pass  # the server has ended with its last pane, and removed its socket itself


class Process:
    """A process, told from a later one with the same pid by its start time."""

    def __init__(self, pid):
        self.pid = pid
        self._started = _state_and_start(pid)[1]

    def is_running(self):
        state, started = _state_and_start(self.pid)
        return bool(started) and started == self._started and not state.startswith("Z")

    def end(self, patience_s=5):
        """Kills it unless it goes by itself; a hung-up client gets the time to run its last hooks."""
        end = time.time() + patience_s
        while self.is_running():
            if time.time() > end:
                os.kill(self.pid, signal.SIGKILL)
                return
            time.sleep(0.05)


@atexit.register
def close_all():
    for scene in list(_open_scenes):
        scene.close()


def _processes():
    listing = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,comm="], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        pid, parent, name = line.split(None, 2)
        yield int(pid), int(parent), name


def _state_and_start(pid):
    done = subprocess.run(["ps", "-o", "stat=,lstart=", "-p", str(pid)], capture_output=True, text=True, check=False)
    state, _, started = done.stdout.strip().partition(" ")
    return state, started.strip()


def _write_json(path, value):
    with open(path, "w", encoding="utf-8") as out:
        json.dump(value, out, indent=1)


def _read_json(path):
    """What a file of the client says; {} while it is being written or already gone."""
    try:
        with open(path, encoding="utf-8") as source:
            value = json.load(source)
            return value if isinstance(value, dict) else {}
    except (OSError, ValueError):
        return {}


def remove_folder(path):
    shutil.rmtree(path, ignore_errors=True)
