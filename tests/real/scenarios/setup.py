"""Set up and taken out again by atm itself, under a client that runs."""
import os
import time

from atm import WrongStatus
from model import text
from scenarios import scenario

TAKEN_UP_S = 3  # the client watches its settings and reads them anew; that itself may be an event (ConfigChange)


@scenario
def setup_and_uninstall(scene, atm):
    """a running client, no hooks: after `atm setup` its turns are tracked by hooks, after `atm uninstall` it fires none"""
    scene.prepare(text("One."), text("Two."), text("Three."), hooks=False)
    pane = scene.start()
    scene.say(pane, "first")
    scene.wait_screen(pane, r"One\.")
    atm.expect(pane, "idle", also=lambda row: not row["hooks"], told_by="file", label="idle, not set up")
    settings = scene.home + "/.claude/settings.json"
    before = _read(settings)  # only now: at its first start the client puts things of its own into it
    atm.run("setup", "--yes")
    time.sleep(TAKEN_UP_S)
    asked = scene.say(pane, "second")
    row = atm.expect(pane, "idle", why="done", after=asked, also=lambda row: row["hooks"], label="done, set up")
    for event in (b"UserPromptSubmit", b"Stop"):
        if b'"hook_event_name":"%s"' % event not in _journal(scene):
            raise WrongStatus(f"{event.decode()} did not reach the journal")
    atm.run("uninstall", "--yes")
    if _read(settings) != before:
        raise WrongStatus("uninstall did not give the settings back as they were")
    left = [name for name in os.listdir(scene.home + "/.claude") if ".atm-" in name]
    if left:
        raise WrongStatus(f"uninstall left {left}")
    time.sleep(TAKEN_UP_S)
    heard = _journal(scene)
    scene.say(pane, "third")
    scene.wait_screen(pane, r"Three\.")
    atm.expect_ended(row["id"], after=scene.exit(pane), lost=None, told_by="file")
    scene.wait_shell(pane)
    if _journal(scene) != heard:
        raise WrongStatus(f"a hook fired after uninstall: {_journal(scene)[len(heard):][:300]}")


def _read(path):
    with open(path, "rb") as source:
        return source.read()


def _journal(scene):
    folder = scene.state_dir + "/journal"
    return b"".join(_read(f"{folder}/{name}") for name in sorted(os.listdir(folder)))
