"""The client's status line through `atm statusline`: the user's line stays, the figures are listed."""
import json
import shlex

from atm import WrongStatus
from model import text
from scenarios import scenario


@scenario
def statusline_wrapped(scene, atm):
    """the user's own status line is on the screen, context and cost are listed and change no status; /clear resets them"""
    scene.prepare(text("One."), text("Two."), text("Three."))
    _set_status_line(scene, "cat >/dev/null; echo MY-LINE")
    pane = scene.start()
    scene.wait_screen(pane, "MY-LINE")
    asked = scene.say(pane, "first")
    scene.wait_screen(pane, r"One\.")
    first = atm.expect(pane, "idle", why="done", after=asked, also=_has_figures, label="done, with figures")
    if first["model"] is None or first["context_window"] is None:
        raise WrongStatus(f"no model or window: {first}")
    scene.say(pane, "second")
    scene.wait_screen(pane, r"Two\.")
    atm.expect(pane, "idle", why="done", also=lambda row: _has_figures(row) and row["cost_usd"] > first["cost_usd"],
               label="done, it cost more")
    scene.wait_screen(pane, "MY-LINE")
    scene.say(pane, "/clear")
    atm.expect(pane, "idle", also=lambda row: row["id"] != first["id"] and not row["cost_usd"] and not row["context_percent"],
               label="cleared")
    scene.say(pane, "third")
    scene.wait_screen(pane, r"Three\.")
    atm.expect(pane, "idle", why="done", also=lambda row: _has_figures(row) and row["id"] != first["id"],
               label="done, figures anew")


@scenario
def statusline_default(scene, atm):
    """without a command of the user's a line with model and directory is on the screen"""
    scene.prepare(text("One."))
    _set_status_line(scene, None)
    pane = scene.start()
    scene.say(pane, "first")
    scene.wait_screen(pane, r"One\.")
    scene.wait_screen(pane, r"\S+  \S*project\S*  .*▱ \d+%  \$0\.\d\d")
    atm.expect(pane, "idle", why="done", also=_has_figures)


def _has_figures(row):
    return row["context_percent"] is not None and row["cost_usd"] is not None and row["cost_usd"] > 0


def _set_status_line(scene, own):
    """By hand, as a user would."""
    path = scene.home + "/.claude/settings.json"
    with open(path, encoding="utf-8") as source:
        settings = json.load(source)
    words = [scene.atm_path, "statusline"] + (["--", own] if own else [])
    settings["statusLine"] = {"type": "command", "command": " ".join(shlex.quote(word) for word in words)}
    with open(path, "w", encoding="utf-8") as out:
        json.dump(settings, out)
