"""The repository as a plugin of the client: its hooks reach an atm that is installed, and do no harm where none is."""
import os
import shutil
import subprocess

from atm import WrongStatus
from driver import HERE, LAUNCH
from model import bash, text
from scenarios import scenario

REPOSITORY = os.path.dirname(os.path.dirname(HERE))


@scenario
def plugin_tracks(scene, atm):
    """no hooks in the settings, the plugin on, atm in ~/.local/bin: a turn is tracked by hooks from start to end"""
    scene.prepare(bash("true"), text("Two."), allow=["Bash(true)"], hooks=False)
    _install_atm(scene)
    pane = scene.start("--plugin-dir", _plugin(scene))
    asked = scene.say(pane, "go on")
    row = atm.expect(pane, "idle", why="done", after=asked, also=lambda row: row["hooks"], label="done, by the plugin")
    atm.expect_ended(row["id"], after=scene.exit(pane))


@scenario
def plugin_without_atm(scene, _atm):
    """the plugin on, no atm anywhere: the client says so once and works as ever; the manifests are valid"""
    scene.prepare(bash("true"), text("Two."), allow=["Bash(true)"], hooks=False)
    plugin = _plugin(scene)
    _validate(scene, plugin)
    pane = scene.start("--plugin-dir", plugin)
    scene.wait_screen(pane, r"atm itself is not installed")
    scene.say(pane, "go on")
    scene.wait_screen(pane, r"Two\.")
    if os.path.exists(scene.state_dir + "/journal"):
        raise WrongStatus("something wrote a journal")


def _plugin(scene):
    """What the client would copy from the repository, without what is built there."""
    folder = scene.folder + "/plugin"
    for name in (".claude-plugin", "hooks"):
        shutil.copytree(f"{REPOSITORY}/{name}", f"{folder}/{name}")
    return folder


def _install_atm(scene):
    os.makedirs(scene.home + "/.local/bin")
    os.symlink(scene.atm_path, scene.home + "/.local/bin/atm")


def _validate(scene, plugin):
    for path in (plugin, plugin + "/.claude-plugin/plugin.json"):
        done = subprocess.run([LAUNCH, "plugin", "validate", "--strict", path], env=scene.environment(), capture_output=True,
                              text=True, timeout=60, check=False)
        if done.returncode:
            raise WrongStatus(f"plugin validate: {done.stdout}{done.stderr}")
