#!/usr/bin/env python3
"""What hooks cost a real turn: turn.py [--atm PATH] [--turns 8] [--think-s 0] [--tool bash|read] [--also KIND…]

Plays the same turn of ten tool calls, print mode, model answering at once, in turns: with no hooks, with those that `atm setup`
registers, and with /bin/true in the place of each of those (what any hook costs there). Prints medians and ratios to none;
judges nothing: the exit code is 0 unless a turn failed. Build atm with scripts/build-release for figures that mean something.

More kinds, to find out what would be cheaper: `async` (the client waits for no hook), `sync` (for all), `without=EVENT,EVENT`
(these are not registered), `async=EVENT,EVENT` (it does not wait for these), `true-async`, `true-sync` (/bin/true likewise).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace

sys.dont_write_bytecode = True

from atm import Atm  # noqa: E402
from driver import LAUNCH, DriveError, Scene, remove_folder  # noqa: E402
from model import bash, text, tools  # noqa: E402
from run import fetch_client, find_atm  # noqa: E402

CALLS = 10
WARM_UPS = 1
KINDS = ["none", "atm", "true"]
MEASURES = (("wall time of the client", "wall_s"), ("its own duration of the turn", "turn_s"), ("user + sys, hooks included", "cpu_s"))
TOOLS = {"bash": bash("true"), "read": tools(("Read", {"file_path": "a.txt"}))}


@dataclass
class Took:
    wall_s: float
    turn_s: float
    cpu_s: float


def main():
    asked = parse_arguments()
    atm_path, client_path = find_atm(asked.atm), fetch_client(asked.cache)
    folder = tempfile.mkdtemp(prefix="atm-turn-")
    KINDS.extend(asked.also)
    scenes = {kind: new_scene(f"{folder}/{number}", atm_path, client_path) for number, kind in enumerate(KINDS)}
    try:
        for kind, scene in scenes.items():
            prepare(kind, scene, asked)
        print(f"{asked.turns} turns each of {CALLS} calls of {asked.tool}, {atm_path}, load {os.getloadavg()[0]:.1f}", flush=True)
        report(play(scenes, asked.turns))
        check_heard(scenes["atm"], asked.turns + WARM_UPS)
    except DriveError as failure:
        print(f"turn.py: {failure}", file=sys.stderr)
        return 1
    finally:
        for scene in scenes.values():
            scene.close()
        remove_folder(folder)
    print(f"load {os.getloadavg()[0]:.1f}")
    return 0


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atm", metavar="PATH", help="the binary to measure (default: target/release/atm, target/debug/atm)")
    parser.add_argument("--turns", type=int, default=8, help="how many turns of each kind (default 8)")
    parser.add_argument("--think-s", type=float, default=0.0, help="seconds before the model's first byte")
    parser.add_argument("--tool", choices=TOOLS, default="bash", help="which tool is called (default bash)")
    parser.add_argument("--also", nargs="+", metavar="KIND", default=[], help="more kinds of hooks")
    parser.add_argument("--cache", metavar="DIR", help="where setup.sh keeps the client (default: ATM_REAL_CACHE)")
    return parser.parse_args()


def new_scene(folder, atm_path, client_path):
    os.mkdir(folder)
    return Scene(folder, atm_path, client_path)


def prepare(kind, scene, asked):
    turn = [replace(turn, think_s=asked.think_s) for turn in [TOOLS[asked.tool]] * CALLS + [text("Done.")]]
    scene.prepare(*turn * (asked.turns + WARM_UPS), allow=["Bash", "Read"], hooks=kind != "none")
    with open(scene.project + "/a.txt", "w", encoding="utf-8") as out:
        out.write("one\n")
    Atm(scene)  # its daemon ends with the scene
    if kind not in ("none", "atm"):
        change_hooks(scene, kind)


def change_hooks(scene, kind):
    path = scene.home + "/.claude/settings.json"
    with open(path, encoding="utf-8") as source:
        settings = json.load(source)
    what, _, named = kind.partition("=")
    events = named.split(",") if named else list(settings["hooks"])
    for event in events:
        hooks = [hook for group in settings["hooks"][event] for hook in group["hooks"]]
        for hook in hooks:
            if what.startswith("true"):
                hook.update(command="/bin/true", args=[])
            if what.endswith("async"):
                hook["async"] = True
            elif what.endswith("sync"):
                hook.pop("async", None)
        if what == "without":
            del settings["hooks"][event]
    with open(path, "w", encoding="utf-8") as out:
        json.dump(settings, out)


def play(scenes, turns):
    """The kinds follow each other in a circle that starts elsewhere each time, so that none is always first."""
    taken = {kind: [] for kind in KINDS}
    for number in range(-WARM_UPS, turns):
        for place in range(len(KINDS)):
            kind = KINDS[(number + place) % len(KINDS)]
            took = play_turn(scenes[kind])
            if number >= 0:
                taken[kind].append(took)
    return taken


def play_turn(scene):
    asked_before = scene.model.count("main")
    with open(scene.folder + "/out.json", "w+", encoding="utf-8") as out:
        began = time.monotonic()
        client = subprocess.Popen([LAUNCH, "-p", "go", "--output-format", "json"], env=scene.environment(), cwd=scene.project,
                                  stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        _, status, used = os.wait4(client.pid, 0)
        wall_s = time.monotonic() - began
        client.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read()
    requests = scene.model.count("main") - asked_before
    if client.returncode or requests != CALLS + 1:
        raise DriveError(f"the turn ended with {client.returncode} after {requests} requests: {said[-500:]}")
    return Took(wall_s, json.loads(said)["duration_ms"] / 1000, used.ru_utime + used.ru_stime)


def report(taken):
    for title, measure in MEASURES:
        figures = {kind: [getattr(took, measure) for took in taken[kind]] for kind in KINDS}
        none = figures["none"]
        print(f"\n{title}:")
        for kind in KINDS:
            own = figures[kind]
            pairs = statistics.median(a / b for a, b in zip(own, none))
            print(f"  {kind:{max(map(len, KINDS))}} median {statistics.median(own) * 1000:7.0f} ms  min {min(own) * 1000:7.0f} ms   "
                  f"ratio to none: of medians {statistics.median(own) / statistics.median(none):.3f}, of minima "
                  f"{min(own) / min(none):.3f}, median of pairs {pairs:.3f}")


def check_heard(scene, turns):
    """The figures mean nothing if the hooks did not run."""
    journal = b""
    for name in os.listdir(scene.state_dir + "/journal"):
        with open(f"{scene.state_dir}/journal/{name}", "rb") as source:
            journal += source.read()
    heard = journal.count(b'"hook_event_name":"PreToolUse"')
    if heard != turns * CALLS:
        raise DriveError(f"{turns * CALLS} tool calls, but {heard} PreToolUse in the journal")


if __name__ == "__main__":
    sys.exit(main())
