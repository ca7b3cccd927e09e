"""`atm resume` with the real client: from anywhere, it lands in the session's directory, under the session's id."""
import glob
import os
import shlex
import subprocess

from atm import WrongStatus
from driver import HERE, Skipped
from model import text, tools
from scenarios import scenario


@scenario
def resume_from_elsewhere(scene, atm):
    """ended, then `atm resume -y` from another directory: the same id, live again in the project"""
    scene.prepare(text("First."), text("Second."))
    pane = scene.start()
    scene.say(pane, "first")
    old = atm.expect(pane, "idle", why="done")["id"]
    _leave(scene, atm, pane, old)
    _resume(scene, pane, old[:8], "-y")
    atm.expect(pane, "idle", also=_is(scene, old), label="resumed")
    scene.say(pane, "second")
    atm.expect(pane, "idle", why="done", also=_is(scene, old), label="went on")
    _expect_one_transcript(scene, old, "Second.")


@scenario
def resume_asks(scene, atm):
    """`atm resume` without -y asks in the seed's words; Enter goes there"""
    scene.prepare(text("First."))
    pane = scene.start()
    scene.say(pane, "first")
    old = atm.expect(pane, "idle", why="done")["id"]
    _leave(scene, atm, pane, old)
    _type(scene, pane, old)
    scene.wait_screen(pane, rf"Resume session {old[:8]} from\s")
    scene.keys(pane, "Enter")
    scene.wait_screen(pane, r"(?m)^\s*❯", limit_s=30)
    atm.expect(pane, "idle", also=_is(scene, old), label="resumed")


@scenario
def resume_after_clear(scene, atm):
    """/clear, then the conversation before it: resumed under its own id, not under the one that followed"""
    scene.prepare(text("First."), text("Second."), text("Third."))
    pane = scene.start()
    scene.say(pane, "first")
    old = atm.expect(pane, "idle", why="done")["id"]
    scene.say(pane, "/clear")
    new = atm.expect(pane, "idle", also=lambda row: row["id"] != old, label="cleared")["id"]
    code, _, said = atm.try_run("resume", "-y", new)
    if code != 1 or "still running" not in said or pane not in said:
        raise WrongStatus(f"resume of a running session: {code} {said}")
    scene.say(pane, "second")
    atm.expect(pane, "idle", why="done", label="done, new id")
    _leave(scene, atm, pane, new)
    _resume(scene, pane, old, "-y")
    atm.expect(pane, "idle", also=_is(scene, old), label="the old one resumed")
    scene.say(pane, "third")
    atm.expect(pane, "idle", why="done", also=_is(scene, old), label="the old one went on")
    _expect_one_transcript(scene, old, "Third.")


@scenario
def resume_a_fork(scene, atm):
    """--fork: a copy under a new id in the same directory, which can be resumed itself"""
    scene.prepare(text("First."), text("Second."), text("Third."))
    pane = scene.start()
    scene.say(pane, "first")
    old = atm.expect(pane, "idle", why="done")["id"]
    _leave(scene, atm, pane, old)
    _resume(scene, pane, old[:8], "-y", "--fork")
    scene.say(pane, "second")
    fork = atm.expect(pane, "idle", why="done", also=lambda row: row["id"] != old, label="forked")["id"]
    _leave(scene, atm, pane, fork)
    _resume(scene, pane, fork, "-y")
    atm.expect(pane, "idle", also=_is(scene, fork), label="the fork resumed")
    scene.say(pane, "third")
    atm.expect(pane, "idle", why="done", also=_is(scene, fork), label="the fork went on")
    _expect_one_transcript(scene, fork, "Third.")


@scenario
def resume_a_worktree(scene, atm):
    """a client that died in a worktree it had entered: resumed there, where its transcript went"""
    scene.prepare(tools(("EnterWorktree", {"name": "second"})), text("Entered."), text("Third."), allow=["EnterWorktree"])
    git = "git init -q -b main && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m start"
    subprocess.run(git, shell=True, cwd=scene.project, env=scene.environment(), check=True)
    pane = scene.start()
    scene.say(pane, "go to a worktree")
    scene.wait_screen(pane, r"Entered\.")
    old = atm.expect(pane, "idle", why="done")["id"]
    tree = scene.project + "/.claude/worktrees/second"
    if not os.path.isdir(tree):
        raise Skipped("the client made no worktree")
    # A client that leaves in order goes back to the project first, and its transcript with it.
    atm.expect_ended(old, after=scene.kill_client(pane), lost=True, told_by="process")
    scene.wait_shell(pane)
    _resume(scene, pane, old, "-y")
    atm.expect(pane, "idle", also=lambda row: row["id"] == old and row["cwd"] == tree, label="resumed in the worktree")
    scene.say(pane, "third")
    atm.expect(pane, "idle", why="done", label="went on there")
    _expect_one_transcript(scene, old, "Third.")


@scenario
def resume_untracked(scene, atm):
    """a session by hand before atm was there: no hooks, no daemon, only its transcript"""
    scene.prepare(text("First."), text("Second."), hooks=False)
    pane = scene.start()
    scene.say(pane, "first")
    scene.wait_screen(pane, r"First\.")
    old, = scene.session_files()
    scene.exit(pane)
    scene.wait_shell(pane)
    if os.listdir(scene.state_dir):
        raise WrongStatus("atm ran before it was there")
    _resume(scene, pane, old[:8], "-y")
    atm.expect(pane, "idle", also=_is(scene, old), told_by="file", label="resumed")
    scene.say(pane, "second")
    scene.wait_screen(pane, r"Second\.")
    _expect_one_transcript(scene, old, "Second.")


def _leave(scene, atm, pane, session_id):
    atm.expect_ended(session_id, after=scene.exit(pane))
    scene.wait_shell(pane)


def _type(scene, pane, *words):
    """Types `atm resume …` in another directory, with the sealed client under the name that atm looks for."""
    folder = scene.folder + "/bin"
    if not os.path.isdir(folder):
        os.mkdir(folder)
        stay = _read(HERE + "/launch.sh").replace('cd "$ATM_REAL_RUN/project"\n', "")  # the directory is what is judged
        with open(folder + "/claude", "w", encoding="utf-8") as out:
            out.write(stay)
        os.chmod(folder + "/claude", 0o755)
    elsewhere = scene.folder + "/elsewhere"
    os.makedirs(elsewhere, exist_ok=True)
    line = f"clear; cd {shlex.quote(elsewhere)}; PATH={shlex.quote(folder)}:$PATH "
    line += " ".join(shlex.quote(word) for word in (scene.atm_path, "resume", *words))
    scene.tmux("send-keys", "-t", pane, "-l", line)
    scene.tmux("send-keys", "-t", pane, "Enter")


def _resume(scene, pane, *words):
    _type(scene, pane, *words)
    scene.wait_for("the client", lambda: scene.client_pid(pane) is not None, 20)
    scene.wait_dialog(pane, r"(?m)^\s*❯")


def _is(scene, session_id):
    return lambda row: row["id"] == session_id and row["cwd"] == scene.project


def _expect_one_transcript(scene, session_id, words):
    """One file of that name, and it holds the last answer: the session was gone on with, not begun anew."""
    pattern = f"{scene.home}/.claude/projects/*/{session_id}.jsonl"
    scene.wait_for(f"{words!r} in the transcript", lambda: any(words in _read(path) for path in glob.glob(pattern)))
    if len(glob.glob(pattern)) != 1:
        raise WrongStatus(f"several transcripts of {session_id}")


def _read(path):
    with open(path, encoding="utf-8") as source:
        return source.read()
