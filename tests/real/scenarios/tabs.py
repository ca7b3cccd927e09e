"""What a person at a terminal sees of a session: the colour of its tab, in the bytes that an attached tmux client gets."""
import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time

from atm import WrongStatus
from model import bash, text
from scenarios import scenario

BLUE, RED, WHITE = "102;153;204", "236;95;103", "205;211;222"
WITHIN_S = 20


@scenario
def tab_colours(scene, atm):
    """a tab that is not in front: blue on the prompt, red on the permission, blue on approval, red at the end, white on a visit"""
    scene.prepare(bash(scene.blocking_tool("tool"), gate="ask"), text("Done."))
    pane = open_permission_in_second_window(scene, atm)
    terminal = scene.terminal
    terminal.wait_colour(RED)
    approved = scene.keys(pane, "Enter")
    terminal.wait_colour(BLUE)
    atm.note("tab blue on approval", "file", approved)
    scene.wait_file("tool.on")
    ended = scene.let_go("tool")
    terminal.wait_colour(RED)
    atm.note("tab red at the end", "hook", ended)
    atm.expect(pane, "idle", why="done", also=lambda row: row["unseen"])
    scene.tmux("select-window", "-t", pane)
    terminal.wait_colour(WHITE)
    atm.expect(pane, "idle", why="done", also=lambda row: not row["unseen"], label="seen after the visit")


def open_permission_in_second_window(scene, atm):
    """The user looks at another window; the agent asks in its own."""
    pane = scene.new_pane()
    scene.tmux("set-option", "-s", "-a", "terminal-features", ",xterm-256color:RGB")
    scene.tmux("new-window", "-n", "elsewhere", "bash --norc --noprofile")
    scene.tmux("rename-window", "-t", pane, "agent")
    atm.run("setup", "--yes", "--only", "tmux")
    scene.terminal = Terminal(scene)
    scene.at_close(scene.terminal.close)
    scene.start(pane=pane)
    said = scene.say(pane, "go ahead")
    scene.wait_request("main")
    scene.terminal.wait_colour(BLUE)
    atm.note("tab blue on the prompt", "hook", said)
    asked = scene.model.release("ask")
    scene.terminal.wait_colour(RED)
    atm.note("tab red on the permission", "hook", asked)
    scene.wait_dialog(pane, "Do you want")
    return pane


class Terminal:
    """A real client on a pty of its own; keeps the colour in which the tab `agent` was drawn last."""

    def __init__(self, scene):
        self.colour = None
        self.text = ""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 150, 0, 0))
        self.client = subprocess.Popen(["tmux", "-u", "-L", scene.socket, "attach"], env=scene.environment(), stdin=slave,
                                       stdout=slave, stderr=slave, start_new_session=True)
        os.close(slave)
        self.master = master
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            try:
                self.text = (self.text + os.read(self.master, 65536).decode("utf-8", "replace"))[-200_000:]
            except OSError:
                return
            drawn = re.findall(r"\x1b\[[0-9;:]*?38;2;(\d+;\d+;\d+)m(?:\x1b\[[0-9;:]*m)*\d+:agent", self.text.replace("38:2::", "38;2;"))
            if drawn:
                self.colour = drawn[-1]

    def wait_colour(self, wanted):
        end = time.time() + WITHIN_S
        while self.colour != wanted:
            if time.time() > end:
                raise WrongStatus(f"the tab is drawn in {self.colour}, not {wanted}: {self.text[-400:]!r}")
            time.sleep(0.002)

    def close(self):
        self.client.kill()
        self.client.wait()
        os.close(self.master)
