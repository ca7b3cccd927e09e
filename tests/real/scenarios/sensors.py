"""What is left when a source of truth is missing: no hooks, no daemon, no session files."""
from driver import Skipped
from model import Gate, bash, text, words
from scenarios import scenario
from scenarios.dialogs import PERMISSION


@scenario
def no_hooks(scene, atm):
    """nothing set up, the client older than the daemon: listed from the client's own session file"""
    scene.prepare(bash(scene.blocking_tool("tool"), gate="ask"), text("Done.", gate="end"), hooks=False)
    pane = scene.start()
    told = {"told_by": "file", "source": "session-file"}
    row = atm.expect(pane, "idle", label="idle, found", **told)
    asked = scene.say(pane, "run it")
    atm.expect(pane, "working", after=asked, **told)
    atm.expect(pane, "attention", after=scene.model.release("ask"), **told)
    scene.wait_dialog(pane, PERMISSION)
    atm.expect(pane, "working", after=scene.keys(pane, "Enter"), **told)
    scene.wait_file("tool.on")
    scene.let_go("tool")
    scene.wait_request("main", 2)
    atm.expect(pane, "idle", after=scene.model.release("end"), **told)
    atm.expect_ended(row["id"], after=scene.exit(pane), lost=None, told_by="file")


@scenario
def daemon_killed(scene, atm):
    """kill -9 of the daemon, in mid-turn and after: the next command finds the truth again, also what nobody told"""
    scene.prepare(text("One.", Gate("rest"), words(600), word_delay_s=0.05), text("Fresh answer."))
    pane = scene.start()
    asked = scene.say(pane, "talk long")
    row = atm.expect(pane, "working", after=asked)
    atm.expect(row["id"], "working", after=atm.kill_daemon(), told_by="restart", label="working, new daemon")
    scene.model.release("rest")
    scene.wait_screen(pane, "w30")
    atm.kill_daemon()
    interrupted = scene.keys(pane, "Escape")
    scene.wait_screen(pane, "(?i)interrupted")
    atm.expect(row["id"], "idle", after=interrupted, told_by="restart", label="idle, new daemon")
    atm.kill_daemon()
    scene.say(pane, "go on")
    scene.wait_screen(pane, "Fresh answer")
    atm.expect(row["id"], "idle", why="done", told_by="restart", label="done, new daemon")


@scenario
def no_session_files(scene, atm):
    """a client that keeps no session files: the transcript's marker tells the interrupt"""
    scene.prepare(text(words(600), word_delay_s=0.05), text("Fresh answer."))
    with open(scene.home + "/.claude/sessions", "w", encoding="utf-8"):
        pass  # a file where the client wants a folder: it cannot write there, even as root
    pane = scene.start()
    if scene.session_files():
        raise Skipped("the client wrote its session files all the same")
    atm.expect(pane, "idle", why="fresh")
    asked = scene.say(pane, "talk long")
    atm.expect(pane, "working", after=asked)
    scene.wait_screen(pane, "w30")
    atm.expect(pane, "idle", why="interrupted", after=scene.keys(pane, "Escape"), told_by="transcript")
    asked = scene.say(pane, "go on")
    atm.expect(pane, "idle", why="done", after=asked, label="done, next turn")
