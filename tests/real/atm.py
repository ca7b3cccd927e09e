"""The binary under test as a scenario sees it: runs `atm` in the scene's environment and judges what it lists.

A checkpoint waits for the expected row, then watches that it stays. How fast it came is kept as a sample and printed; only
what was shown is judged.
"""
import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from typing import Callable, Optional

from driver import PATH, Process, Scene

REACHED_WITHIN_S = 15
HELD_FOR_S = 1.2
POLL_S = 0.02
FILE_STATUS = {"idle": "idle", "shell": "idle", "busy": "working", "waiting": "attention"}


class WrongStatus(Exception):
    """atm showed something else than what the client was doing."""


@dataclass
class Sample:
    """One checkpoint's latency: from the driver's action (None: it was not tied to one), and from the client's own note of
    the change (None: there is no such note)."""
    label: str
    told_by: str
    from_action_s: Optional[float]
    from_client_s: Optional[float]
    source: str


@dataclass
class Expected:
    """What a row of `atm list --json` must say; None means anything."""
    status: str
    why: Optional[str] = None
    reason_has: Optional[tuple] = None
    detail: Optional[str] = None
    source: Optional[str] = None
    also: Optional[Callable[[dict], bool]] = None

    def fits(self, row):
        reason = str(row.get("reason") or "").lower()
        return (row.get("status") == self.status
                and (self.why is None or str(row.get("why") or "").startswith(self.why))
                and (self.reason_has is None or any(word.lower() in reason for word in self.reason_has))
                and (self.detail is None or self.detail in str(row.get("detail") or ""))
                and (self.source is None or row.get("source") == self.source)
                and (self.also is None or bool(self.also(row))))

    def __str__(self):
        told = [f"{name}={value!r}" for name, value in vars(self).items() if value is not None and name != "also"]
        return " ".join(told) + (" and the condition on the row" if self.also else "")


@dataclass
class Atm:
    scene: Scene
    samples: list = field(default_factory=list)
    history: list = field(default_factory=list)  # every change of what was listed: (time, text), for the report of a failure
    _ids: dict = field(default_factory=dict)

    def __post_init__(self):
        self.scene.at_close(self.stop_daemon)

    def run(self, *args, limit_s=15):
        """Output of one command; a command that hangs or fails is a failure of the scenario."""
        code, out, err = self.try_run(*args, limit_s=limit_s)
        if code:
            raise WrongStatus(f"atm {' '.join(args)} ended with {code}: {err.strip()[-500:]}")
        return out

    def try_run(self, *args, limit_s=15):
        process = subprocess.Popen([self.scene.atm_path, *args], env=self._env(), cwd=self.scene.folder, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.kill()  # not communicate() again: a daemon that kept our pipe open would hold us for ever
            raise WrongStatus(f"atm {' '.join(args)} did not end within {limit_s} s") from None
        return process.returncode, out, err

    def _env(self):
        scene = self.scene
        return {"HOME": scene.home, "PATH": PATH, "LANG": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1",
                "ATM_STATE_DIR": scene.state_dir, "ATM_CONFIG_DIR": scene.config_dir, "TMUX_TMPDIR": scene.folder}

    def sessions(self, *options):
        rows = json.loads(self.run("list", "--json", *options))["sessions"]
        self._ids.update((row["id"], None) for row in rows)
        return rows

    def ids_seen(self):
        """Every session id that was ever listed, in order of appearance."""
        return list(self._ids)

    def rows_of(self, pane):
        return [row for row in self.sessions() if row.get("pane") == pane]

    def row_of(self, pane):
        """The one live session of a pane."""
        rows = self.rows_of(pane)
        if len(rows) != 1:
            raise WrongStatus(f"{len(rows)} live sessions in {pane}, wanted one: {[row.get('id') for row in rows]}")
        return rows[0]

    def daemon_pid(self):
        """None while no daemon serves this scene."""
        code, out, _ = self.try_run("daemon", "status", "--json")
        said = json.loads(out) if out.strip() else {}
        return said.get("pid") if code == 0 and said.get("running") else None

    def kill_daemon(self):
        pid = self.daemon_pid()
        if not pid:
            raise WrongStatus("no daemon runs, although commands were answered")
        killed_at = time.time()
        os.kill(pid, signal.SIGKILL)
        return killed_at

    def stop_daemon(self):
        """Ends the scene's daemon, the hard way if it does not listen."""
        try:
            pid = self.daemon_pid()
            daemon = Process(pid) if pid else None
            self.try_run("daemon", "stop")
        except (WrongStatus, ValueError, OSError):
            return
        if daemon:
            daemon.end()

    def expect(self, key, status, why=None, reason_has=None, detail=None, source=None, also=None, after=None,
               told_by="hook", label=None):
        """Waits until the session of pane or id `key` shows all this, and that it goes on doing so; returns its row."""
        reason_has = (reason_has,) if isinstance(reason_has, str) else reason_has
        expected = Expected(status, why, reason_has, detail, source, also)
        row, seen_at = self._reach(key, expected)
        self._hold(key, expected, seen_at + HELD_FOR_S)
        self._keep(label or f"{status} {why or detail or ''}".strip(), told_by, after, seen_at, row)
        return row

    def expect_ended(self, session_id, after=None, lost=False, told_by="hook"):
        """Waits until the session is listed as ended only: not among the live ones, and with its end in `--all`. With `lost`
        the end must be one without a farewell, without it a clean one; None takes either."""
        end = time.time() + REACHED_WITHIN_S
        while not self._is_ended(session_id, lost):
            if time.time() > end:
                wanted = {True: "lost", False: "cleanly ended", None: "ended"}[lost]
                raise WrongStatus(f"{session_id} is not {wanted} after {REACHED_WITHIN_S} s")
            time.sleep(POLL_S)
        seen_at = time.time()
        while time.time() < seen_at + HELD_FOR_S:
            if not self._is_ended(session_id, lost):
                raise WrongStatus(f"{session_id} had ended and came back")
            time.sleep(POLL_S)
        self._keep("lost" if lost else "ended", told_by, after, seen_at, {})

    def note(self, label, told_by, after):
        """Keeps how long something else than the list took to show it."""
        self._keep(label, told_by, after, time.time(), {})

    def _keep(self, label, told_by, after, seen_at, row):
        if after is None:
            self.samples.append(Sample(label, told_by, None, None, row.get("source") or ""))
        else:
            since_client = self._since_client(row, after, seen_at)
            self.samples.append(Sample(label, told_by, seen_at - after, since_client, row.get("source") or ""))

    def _is_ended(self, session_id, lost):
        if self._find(self.sessions(), session_id):
            return False
        row = self._find(self.sessions("--all"), session_id)
        ended = row and row.get("ended")
        return ended is not None and lost in (None, _is_lost(ended))

    def _reach(self, key, expected):
        end = time.time() + REACHED_WITHIN_S
        while True:
            row = self._look(key)
            if row and expected.fits(row):
                return row, time.time()
            if time.time() > end:
                raise WrongStatus(f"{key}: wanted {expected}; after {REACHED_WITHIN_S} s it shows {_brief(row)}")
            time.sleep(POLL_S)

    def _hold(self, key, expected, until):
        while time.time() < until:
            time.sleep(POLL_S)
            row = self._look(key)
            if not (row and expected.fits(row)):
                raise WrongStatus(f"{key}: showed {expected}, then changed to {_brief(row)}")

    def _look(self, key):
        row = self._find(self.sessions(), key)
        told = f"{key} {_brief(row)}"
        if not self.history or self.history[-1][1] != told:
            self.history.append((time.time(), told))
        return row

    def _find(self, rows, key):
        return next((row for row in rows if key in (row.get("id"), row.get("pane"))), None)

    def _since_client(self, row, after, seen_at):
        """How long after the client's own session file said the same; nothing if it says something else or is older."""
        told = self.scene.session_files().get(row.get("id"), {})
        at = (told.get("statusUpdatedAt") or 0) / 1000
        same = FILE_STATUS.get(told.get("status")) == row.get("status")
        return seen_at - at if same and at >= after else None


def _is_lost(ended):
    if isinstance(ended, dict) and "lost" in ended:
        return bool(ended["lost"])
    return "lost" in json.dumps(ended)


def _brief(row):
    if row is None:
        return "no session"
    parts = [f"{name}={row[name]!r}" for name in ("status", "why", "detail", "reason", "source", "window") if row.get(name)]
    return " ".join(parts + [f"id={str(row.get('id'))[:8]}"])

